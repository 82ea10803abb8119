/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE: what an instruction is to the Statistical Profiling Extension by its vectors and predicates
 * (Arm ARM, D17.6.6): its sampled effective vector length, which elements are active, and where its
 * data access is.
 *
 * Of contiguous accesses that is the lowest active element. Of gathers and scatters it is an
 * element chosen at random among all, by the caller; if it is inactive there is no address
 * (RMYPFF).
 */
#include "a64/a64.h"
#include <vspe/spe.h>

/* Payloads of SVE formats: bit 3 without what else has it */
#define SVE_OTHER(payload)  (((payload)&0x88) == 0x08)
#define SVE_MEMORY(payload) (((payload)&0x0a) == 0x08)
#define EVL_SHIFT	    4
#define EVL		    (7u << EVL_SHIFT)

#define PREDICATE(n)	 (32 + (n))
#define VECTOR_BYTES_MAX 256
#define QUAD		 16 /* bytes that LD1RQ loads */
#define OCTO		 32 /* ... and LD1RO */

static uint32_t field_at(uint32_t word, struct a64_place place)
{
	return word >> place.lsb & ((UINT32_C(1) << place.width) - 1);
}

/* tszh:tszl is 0001, 001x, 01xx or 1xxx for 1, 2, 4 and 8 bytes. */
static unsigned int lane_of_tsz(uint32_t word, unsigned int lsb)
{
	const unsigned int tsz = (word >> 22 & 3) << 2 | (word >> lsb & 3);
	unsigned int lane = 8;

	while (lane > 1 && !(tsz & lane))
		lane /= 2;
	return lane;
}

unsigned int a64_lane_size(const struct a64_insn *insn, uint32_t word)
{
	if (insn->lane.width == A64_LANE_TSZ)
		return lane_of_tsz(word, insn->lane.lsb);
	return a64_bytes_of(insn->lane, word);
}

struct a64_operation a64_with_length(struct a64_operation type, unsigned int bytes)
{
	unsigned int evl = 0;

	if (type.header == SPE_TYPE_OTHER
		    ? !SVE_OTHER(type.payload)
		    : type.header != SPE_TYPE_MEMORY || !SVE_MEMORY(type.payload))
		return type;
	/* 32 bits are 0, 64 bits 1, and so on. */
	while (evl < 7 && (4u << evl) < bytes)
		evl++;
	type.payload = (uint8_t)((type.payload & ~EVL) | evl << EVL_SHIFT);
	return type;
}

/* Bytes of a vector, within what the architecture has; 0: not known. */
static unsigned int length_of(const struct a64_registers *registers)
{
	const unsigned int bytes =
		registers->vl < VECTOR_BYTES_MAX ? registers->vl : VECTOR_BYTES_MAX;

	return bytes & ~(QUAD - 1u);
}

static bool is_gather(const struct a64_insn *insn)
{
	return insn->operation == A64_OP_GATHER_SVE || insn->operation == A64_OP_SCATTER_SVE;
}

/* Bytes of the vector that a predicate is used for: those that are loaded. */
static unsigned int governed_bytes(const struct a64_insn *insn, unsigned int length)
{
	unsigned int most = length;

	switch (insn->address) {
	case A64_ADDR_SVE_QUAD:
	case A64_ADDR_SVE_QUAD_IMM: most = QUAD; break;
	case A64_ADDR_SVE_OCTO:
	case A64_ADDR_SVE_OCTO_IMM: most = OCTO; break;
	default: break;
	}
	return most < length ? most : length;
}

static bool is_active(const struct a64_registers *registers, unsigned int pg, unsigned int byte)
{
	return registers->read_sve(registers->ctx, PREDICATE(pg), byte / 64) >> byte % 64 & 1;
}

bool a64_active_elements(const struct a64_insn *insn, uint32_t word,
			 const struct a64_registers *registers, struct a64_active *active)
{
	const unsigned int lane = a64_lane_size(insn, word);
	const unsigned int pg = field_at(word, insn->governor);

	uint64_t bits = 0;

	*active = (struct a64_active){0};
	if (insn->governor.width == 0 || !registers->read_sve || !length_of(registers))
		return false;
	active->elements = governed_bytes(insn, length_of(registers)) / lane;
	for (unsigned int e = 0; e < active->elements; e++) {
		const unsigned int byte = e * lane;

		/* An embedder may be slow to read a register: once for 64 bits. */
		if (byte % 64 == 0)
			bits = registers->read_sve(registers->ctx, PREDICATE(pg), byte / 64);
		if (!(bits >> byte % 64 & 1))
			continue;
		if (active->count++ == 0)
			active->first = e;
		active->last = e;
	}
	return true;
}

uint64_t a64_predicate_events(const struct a64_insn *insn, uint32_t word,
			      const struct a64_registers *registers)
{
	struct a64_active active;

	if (!a64_active_elements(insn, word, registers, &active))
		return 0;
	return (active.count < active.elements ? SPE_EVENT_PARTIAL_PREDICATE : 0) |
	       (active.count == 0 ? SPE_EVENT_EMPTY_PREDICATE : 0);
}

static uint64_t read_x(const struct a64_registers *registers, unsigned int n)
{
	return registers->read(registers->ctx, n);
}

/* Xm of an access that has one: number 31 is zero. */
static uint64_t read_offset(const struct a64_registers *registers, uint32_t word)
{
	const unsigned int m = a64_rm(word);

	return m == 31 ? 0 : read_x(registers, m);
}

static uint64_t read_lane(const struct a64_registers *registers, unsigned int n, unsigned int lane,
			  unsigned int element)
{
	const unsigned int byte = element * lane;
	const uint64_t value = registers->read_sve(registers->ctx, n, byte / 8) >> byte % 8 * 8;

	return lane < 8 ? (uint32_t)value : value;
}

static uint64_t extended(uint64_t offset, bool sign)
{
	return sign ? (uint64_t)(int64_t)(int32_t)(uint32_t)offset : (uint32_t)offset;
}

uint64_t a64_gather_offset(enum a64_address address, uint32_t word, unsigned int bytes,
			   uint64_t element)
{
	const bool gather_sign = a64_get_sve_gather_d_extended(word).xs;
	const bool scatter_sign = a64_get_sve_scatter_d_extended(word).xs;

	switch (address) {
	case A64_ADDR_SVE_GATHER_IMM: return element + a64_get_sve_gather_d_imm(word).imm5 * bytes;
	case A64_ADDR_SVE_GATHER_SCALED: return element * bytes;
	case A64_ADDR_SVE_GATHER_EXTENDED: return extended(element, gather_sign);
	case A64_ADDR_SVE_GATHER_EXTENDED_SCALED: return extended(element, gather_sign) * bytes;
	case A64_ADDR_SVE_SCATTER_EXTENDED: return extended(element, scatter_sign);
	case A64_ADDR_SVE_SCATTER_EXTENDED_SCALED: return extended(element, scatter_sign) * bytes;
	default: return element; /* SVE_GATHER, SVE_GATHER_VECTOR */
	}
}

/* Where an element of a gather or a scatter is. */
static uint64_t element_address(const struct a64_insn *insn, uint32_t word,
				const struct a64_registers *registers, unsigned int element)
{
	const enum a64_address address = (enum a64_address)insn->address;
	const bool vector_base =
		address == A64_ADDR_SVE_GATHER_IMM || address == A64_ADDR_SVE_GATHER_VECTOR;
	const unsigned int z = vector_base ? a64_zn(word) : a64_get_sve_gather_d(word).zm;
	const uint64_t value = read_lane(registers, z, a64_lane_size(insn, word), element);
	uint64_t base = 0;

	if (address == A64_ADDR_SVE_GATHER_VECTOR)
		base = read_offset(registers, word);
	else if (!vector_base)
		base = read_x(registers, a64_rn(word));
	return base + a64_gather_offset(address, word, a64_bytes_of(insn->bytes, word), value);
}

static bool gather_address(const struct a64_insn *insn, uint32_t word,
			   const struct a64_registers *registers, uint64_t *va, unsigned int *size)
{
	const unsigned int lane = a64_lane_size(insn, word);
	const unsigned int elements = length_of(registers) / lane;
	const unsigned int element = registers->chosen % elements;

	if (!registers->read_sve ||
	    !is_active(registers, field_at(word, insn->governor), element * lane))
		return false;
	*va = element_address(insn, word, registers, element);
	*size = a64_bytes_of(insn->bytes, word);
	return true;
}

uint64_t a64_contiguous_offset(enum a64_address address, uint32_t word, unsigned int bytes,
			       unsigned int all, uint64_t xm)
{
	const struct a64_sve_fill fill = a64_get_sve_fill(word);
	const int64_t imm4 = a64_get_sve_load_imm(word).imm4;

	switch (address) {
	case A64_ADDR_SVE_REGISTER:
	case A64_ADDR_SVE_QUAD:
	case A64_ADDR_SVE_OCTO: return xm * bytes;
	case A64_ADDR_SVE_BROADCAST: return (uint64_t)a64_get_sve_load_element(word).imm6 * bytes;
	case A64_ADDR_SVE_FILL:
	case A64_ADDR_SVE_FILL_PREDICATE:
		return (uint64_t)(int64_t)(fill.imm9h * 8 + (int32_t)fill.imm9l) * all;
	case A64_ADDR_SVE_QUAD_IMM: return (uint64_t)imm4 * QUAD;
	case A64_ADDR_SVE_OCTO_IMM: return (uint64_t)imm4 * OCTO;
	default: return (uint64_t)imm4 * all; /* SVE_OFFSET */
	}
}

/* Has it an offset in Xm? */
static bool is_indexed(const struct a64_insn *insn)
{
	return insn->address == A64_ADDR_SVE_REGISTER || insn->address == A64_ADDR_SVE_QUAD ||
	       insn->address == A64_ADDR_SVE_OCTO;
}

/* Bytes that an instruction transfers between memory and all of its registers. */
static unsigned int transferred(const struct a64_insn *insn, uint32_t word, unsigned int length)
{
	switch (insn->address) {
	case A64_ADDR_SVE_FILL: return length;
	case A64_ADDR_SVE_FILL_PREDICATE: return length / 8;
	default:
		return governed_bytes(insn, length) / a64_lane_size(insn, word) *
		       a64_bytes_of(insn->bytes, word) * insn->count;
	}
}

bool a64_vector_address(const struct a64_insn *insn, uint32_t word,
			const struct a64_registers *registers, uint64_t *va, unsigned int *size)
{
	const unsigned int length = length_of(registers);
	const unsigned int structure = a64_bytes_of(insn->bytes, word) * insn->count;
	const bool broadcast = insn->address == A64_ADDR_SVE_BROADCAST;
	unsigned int all;
	struct a64_active active;

	if (insn->address < A64_ADDR_SVE_REGISTER || length == 0)
		return false;
	if (is_gather(insn))
		return gather_address(insn, word, registers, va, size);
	all = transferred(insn, word, length);
	if (!a64_active_elements(insn, word, registers, &active))
		active = (struct a64_active){.count = 1, .last = all / structure - 1};
	if (active.count == 0)
		return false;
	if (broadcast)
		active.first = active.last = 0;
	*va = read_x(registers, a64_rn(word)) +
	      a64_contiguous_offset((enum a64_address)insn->address, word,
				    a64_bytes_of(insn->bytes, word), all,
				    is_indexed(insn) ? read_offset(registers, word) : 0) +
	      (uint64_t)active.first * structure;
	*size = (active.last - active.first + 1) * structure;
	return true;
}
