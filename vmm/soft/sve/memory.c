/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of SVE: see memory.h. */
#include "soft/sve/memory.h"

#include "arm/registers.h"
#include "soft/mem/memory.h"
#include "soft/mem/pieces.h"
#include "soft/sve/sve.h"

#include <string.h>

#define REGISTERS_MAX 4

/* An instruction that is being executed. The image has elements in the order of memory. */
struct transfer {
	struct soft_sve_access a;
	unsigned int elements; /* of a register */
	unsigned int unit;     /* bytes of an element of all registers in memory */
	uint64_t base;	       /* of a contiguous access; of gathers: without the vectors */
	struct soft_pieces pieces;
	_Alignas(16) uint8_t image[REGISTERS_MAX * SOFT_VL_MAX];
};

static bool is_active(const struct soft_cpu *cpu, unsigned int p, unsigned int size, unsigned int e)
{
	return cpu->p[p].d[(e << size) / 64] >> ((e << size) % 64) & 1;
}

/* Are all of the first so many elements? */
static bool all_active(const struct soft_cpu *cpu, unsigned int p, unsigned int size,
		       unsigned int elements)
{
	static const uint16_t lowest[] = {0xffff, 0x5555, 0x1111, 0x0101};

	for (unsigned int c = 0; c < elements << size >> 4; c++) {
		if ((cpu->p[p].h[c] & lowest[size]) != lowest[size])
			return false;
	}
	return true;
}

static bool is_gather(const struct soft_sve_access *a)
{
	return a->address >= A64_ADDR_SVE_GATHER;
}

/* Is the base a general register? It is a vector, if not, and Xm the offset, or there is none. */
static bool has_base(const struct soft_sve_access *a)
{
	return a->address != A64_ADDR_SVE_GATHER_IMM && a->address != A64_ADDR_SVE_GATHER_VECTOR;
}

/* false: cpu->fault is set. bytes: of the whole access, if it is contiguous. */
static bool begin(struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t,
		  unsigned int aligned, unsigned int bytes)
{
	const unsigned int n = op->rn == 31 ? SOFT_X_SP : op->rn;

	if (has_base(&t->a) && !soft_check_sp(cpu, n))
		return false;
	t->base = has_base(&t->a) ? cpu->x[n] : 0;
	if (t->a.address == A64_ADDR_SVE_GATHER_VECTOR)
		t->base = cpu->x[op->rm];
	if (!is_gather(&t->a))
		t->base += a64_contiguous_offset((enum a64_address)t->a.address, op->word,
						 1u << t->a.memory, bytes, cpu->x[op->rm]);
	soft_pieces_begin(cpu, &t->pieces, t->image, aligned, false);
	t->pieces.gathers = is_gather(&t->a);
	return true;
}

/* The same of elements, as many as elements. */
static bool begin_elements(struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t)
{
	t->a = soft_sve_access_of(op);
	if (!soft_sve_allowed(cpu))
		return false;
	t->elements = (unsigned int)cpu->vl >> t->a.element;
	t->unit = t->a.count << t->a.memory;
	return begin(cpu, op, t, 1u << t->a.memory, t->elements * t->unit);
}

/* The address of element e of a gather or a scatter. */
static uint64_t gathered(const struct soft_cpu *cpu, const struct soft_op *op,
			 const struct transfer *t, unsigned int e)
{
	const unsigned int z = has_base(&t->a) ? op->rm : op->rn;

	return t->base + a64_gather_offset((enum a64_address)t->a.address, op->word,
					   1u << t->a.memory,
					   soft_sve_element(cpu, z, t->a.element, e));
}

static void add_element(const struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t,
			unsigned int e)
{
	if (is_gather(&t->a))
		soft_pieces_add(&t->pieces, gathered(cpu, op, t, e), e << t->a.memory,
				1u << t->a.memory);
	else
		soft_pieces_add(&t->pieces, t->base + e * t->unit, e * t->unit, t->unit);
}

/* Active elements that follow each other in memory are one piece, or two. */
static void add_active(const struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t)
{
	const unsigned int size = t->a.element;

	if (is_gather(&t->a)) {
		for (unsigned int e = 0; e < t->elements; e++) {
			if (is_active(cpu, op->ra, size, e))
				add_element(cpu, op, t, e);
		}
		return;
	}
	if (all_active(cpu, op->ra, size, t->elements)) {
		soft_pieces_add(&t->pieces, t->base, 0, t->elements * t->unit);
		return;
	}
	for (unsigned int first, e = 0; e < t->elements; e++) {
		for (first = e; e < t->elements && is_active(cpu, op->ra, size, e); e++)
			;
		if (e > first)
			soft_pieces_add(&t->pieces, t->base + first * t->unit, first * t->unit,
					(e - first) * t->unit);
	}
}

static uint64_t image_element(const struct transfer *t, unsigned int e, unsigned int r)
{
	const uint8_t *at = t->image + e * t->unit + (r << t->a.memory);
	uint64_t value = 0;

	memcpy(&value, at, (size_t)1 << t->a.memory);
	return value;
}

/* Zt and those that follow it, from the image. */
static void put_registers(struct soft_cpu *cpu, const struct soft_op *op, const struct transfer *t,
			  bool is_signed)
{
	const unsigned int size = t->a.element;

	for (unsigned int r = 0; r < t->a.count; r++) {
		const unsigned int z = (op->rd + r) % 32;

		soft_sve_written(cpu, z);
		for (unsigned int c = 0; c < soft_sve_segments(cpu) && t->unit == 1u << size; c++)
			memcpy(&cpu->z[c][z], t->image + 16 * c, 16);
		for (unsigned int e = 0; e < t->elements && t->unit != 1u << size; e++) {
			const uint64_t value = image_element(t, e, r);

			soft_sve_set_element(cpu, z, size, e,
					     is_signed ? soft_sign_extend(value, t->a.memory)
						       : value);
		}
	}
}

static void get_registers(const struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t)
{
	const unsigned int size = t->a.element;

	for (unsigned int r = 0; r < t->a.count; r++) {
		const unsigned int z = (op->rd + r) % 32;

		for (unsigned int c = 0; c < soft_sve_segments(cpu) && t->unit == 1u << size; c++)
			memcpy(t->image + 16 * c, &cpu->z[c][z], 16);
		for (unsigned int e = 0; e < t->elements && t->unit != 1u << size; e++) {
			const uint64_t value = soft_sve_element(cpu, z, size, e);

			memcpy(t->image + e * t->unit + (r << t->a.memory), &value,
			       (size_t)1 << t->a.memory);
		}
	}
}

static bool load(struct soft_cpu *cpu, const struct soft_op *op, bool is_signed)
{
	struct transfer t;

	if (!begin_elements(cpu, op, &t))
		return false;
	memset(t.image, 0, t.elements * t.unit);
	add_active(cpu, op, &t);
	if (!soft_pieces_move(cpu, &t.pieces))
		return false;
	put_registers(cpu, op, &t, is_signed);
	return true;
}

bool soft_sve_load(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load(cpu, op, false);
}

bool soft_sve_load_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load(cpu, op, true);
}

static void clear_ffr(struct soft_cpu *cpu, unsigned int from)
{
	for (unsigned int n = from; n < cpu->vl; n++)
		cpu->p[SOFT_FFR].b[n / 8] &= (uint8_t) ~(1u << n % 8);
}

/*
 * May these be loaded without the right to fault? Not over the end of a page, and not if elements
 * follow each other after the page of the first one.
 */
static bool stays(const struct transfer *t, uint64_t page)
{
	for (unsigned int n = 0; n < t->pieces.count; n++) {
		const struct soft_piece *piece = &t->pieces.at[n];

		if (is_gather(&t->a) ? piece->size != t->unit
				     : (piece->va & SOFT_PAGE_MASK) != page)
			return false;
	}
	return true;
}

/* One after the other, up to the first that would fault. false: that was the first of all. */
static bool load_up_to_fault(struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t,
			     bool may_fault)
{
	bool first = true;
	uint64_t page = 0;

	for (unsigned int e = 0; e < t->elements; e++) {
		bool loaded;

		if (!is_active(cpu, op->ra, t->a.element, e))
			continue;
		t->pieces.count = 0;
		add_element(cpu, op, t, e);
		if (first) {
			page = t->pieces.at[0].va & SOFT_PAGE_MASK;
			loaded = may_fault ? soft_pieces_move(cpu, &t->pieces)
					   : soft_pieces_try(cpu, &t->pieces);
			if (!loaded && may_fault)
				return false;
		} else {
			loaded = stays(t, page) && soft_pieces_try(cpu, &t->pieces);
		}
		if (!loaded) {
			clear_ffr(cpu, e << t->a.element);
			return true;
		}
		first = false;
	}
	return true;
}

static bool load_checked(struct soft_cpu *cpu, const struct soft_op *op, bool may_fault,
			 bool is_signed)
{
	struct transfer t;

	if (!begin_elements(cpu, op, &t))
		return false;
	memset(t.image, 0, (size_t)t.elements * t.unit);
	add_active(cpu, op, &t);
	if (t.pieces.count &&
	    !(stays(&t, t.pieces.at[0].va & SOFT_PAGE_MASK) && soft_pieces_try(cpu, &t.pieces)) &&
	    !load_up_to_fault(cpu, op, &t, may_fault))
		return false;
	put_registers(cpu, op, &t, is_signed);
	return true;
}

bool soft_sve_load_first(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load_checked(cpu, op, true, false);
}

bool soft_sve_load_first_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load_checked(cpu, op, true, true);
}

bool soft_sve_load_none(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load_checked(cpu, op, false, false);
}

bool soft_sve_load_none_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	return load_checked(cpu, op, false, true);
}

/* LD1R: one access, if any element is active. */
static bool broadcast(struct soft_cpu *cpu, const struct soft_op *op, bool is_signed)
{
	struct transfer t;
	union soft_vector all, zero = {.d = {0, 0}};
	uint64_t value;
	bool any = false;

	if (!begin_elements(cpu, op, &t))
		return false;
	for (unsigned int e = 0; e < t.elements && !any; e++)
		any = is_active(cpu, op->ra, t.a.element, e);
	memset(t.image, 0, t.unit);
	if (any)
		soft_pieces_add(&t.pieces, t.base, 0, t.unit);
	if (!soft_pieces_move(cpu, &t.pieces))
		return false;
	value = image_element(&t, 0, 0);
	soft_fill(&all, t.a.element, is_signed ? soft_sign_extend(value, t.a.memory) : value);
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, op->ra, c, t.a.element);

		cpu->z[c][op->rd] = zero;
		soft_sve_merge(&cpu->z[c][op->rd], &all, &active);
	}
	soft_sve_written(cpu, op->rd);
	return true;
}

bool soft_sve_broadcast(struct soft_cpu *cpu, const struct soft_op *op)
{
	return broadcast(cpu, op, false);
}

bool soft_sve_broadcast_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	return broadcast(cpu, op, true);
}

/* So many segments again and again, as often as they fit, and 0 above. */
static bool blocks(struct soft_cpu *cpu, const struct soft_op *op, unsigned int segments)
{
	const unsigned int all = soft_sve_segments(cpu) / segments * segments;
	struct transfer t;

	t.a = soft_sve_access_of(op);
	t.elements = 16 * segments >> t.a.element;
	t.unit = 1u << t.a.memory;
	if (!begin(cpu, op, &t, t.unit, 16 * segments))
		return false;
	memset(t.image, 0, 16u * segments);
	add_active(cpu, op, &t);
	if (!soft_pieces_move(cpu, &t.pieces))
		return false;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		cpu->z[c][op->rd] = (union soft_vector){.d = {0, 0}};
		if (c < all)
			memcpy(&cpu->z[c][op->rd], t.image + c % segments * 16, 16);
	}
	soft_sve_written(cpu, op->rd);
	return true;
}

bool soft_sve_quad(struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_sve_allowed(cpu) && blocks(cpu, op, 1);
}

bool soft_sve_octo(struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_sve_allowed(cpu) && soft_sve_long(cpu, 32) && blocks(cpu, op, 2);
}

bool soft_sve_store(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct transfer t;

	if (!begin_elements(cpu, op, &t))
		return false;
	t.pieces.write = true;
	get_registers(cpu, op, &t);
	add_active(cpu, op, &t);
	return soft_pieces_move(cpu, &t.pieces);
}

/* LDR and STR: bytes, of which all are active, at a multiple of their number from Xn. */
static bool move_whole(struct soft_cpu *cpu, const struct soft_op *op, struct transfer *t,
		       bool write)
{
	const bool predicate = soft_sve_access_of(op).address == A64_ADDR_SVE_FILL_PREDICATE;
	const unsigned int bytes = predicate ? cpu->vl / 8u : cpu->vl;

	t->a = soft_sve_access_of(op);
	if (!begin(cpu, op, t, predicate ? 2 : 16, bytes))
		return false;
	t->pieces.write = write;
	soft_pieces_add(&t->pieces, t->base, 0, bytes);
	return soft_pieces_move(cpu, &t->pieces);
}

bool soft_sve_fill(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct transfer t;

	if (!soft_sve_allowed(cpu) || !move_whole(cpu, op, &t, false))
		return false;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		memcpy(&cpu->z[c][op->rd], t.image + 16 * c, 16);
	soft_sve_written(cpu, op->rd);
	return true;
}

bool soft_sve_fill_predicate(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct transfer t;

	if (!soft_sve_allowed(cpu) || !move_whole(cpu, op, &t, false))
		return false;
	memcpy(cpu->p[op->rd & 15].b, t.image, cpu->vl / 8u);
	return true;
}

bool soft_sve_spill(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct transfer t;

	if (!soft_sve_allowed(cpu))
		return false;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		memcpy(t.image + 16 * c, &cpu->z[c][op->rd], 16);
	return move_whole(cpu, op, &t, true);
}

bool soft_sve_spill_predicate(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct transfer t;

	if (!soft_sve_allowed(cpu))
		return false;
	memcpy(t.image, cpu->p[op->rd & 15].b, cpu->vl / 8u);
	return move_whole(cpu, op, &t, true);
}

/* A hint, which is not taken. */
bool soft_sve_prefetch(struct soft_cpu *cpu, const struct soft_op *op)
{
	(void)op;
	return soft_sve_allowed(cpu);
}

bool soft_sve_long(struct soft_cpu *cpu, unsigned int bytes)
{
	if (cpu->vl >= bytes)
		return true;
	cpu->fault = (struct soft_exception){.ec = ARM_EC_UNKNOWN};
	return false;
}
