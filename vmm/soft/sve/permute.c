/* SPDX-License-Identifier: BSD-2-Clause */
/* Permutes of SVE: elements that change their places. */
#include "soft/sve/memory.h"
#include "soft/sve/predicate.h"
#include "soft/sve/whole.h"

#include "soft/mem/memory.h"

/* Zd = Zn from byte at on, then Zm */
static void extract(struct soft_cpu *cpu, unsigned int d, unsigned int n, unsigned int m,
		    unsigned int at)
{
	const unsigned int vl = cpu->vl, from = at < vl ? at : 0;
	const union soft_whole low = soft_sve_whole(cpu, n), high = soft_sve_whole(cpu, m);
	union soft_whole r = {.b = {0}};

	memcpy(r.b, &low.b[from], vl - from);
	memcpy(&r.b[vl - from], high.b, from);
	soft_sve_put_whole(cpu, d, &r);
}

void soft_sve_extract(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_extract f = a64_get_sve_extract(op->word);

	extract(cpu, f.zdn, f.zdn, f.zm, f.imm8h << 3 | f.imm8l);
}

/* A pair is Zn and the register after it. */
static unsigned int second(unsigned int n)
{
	return (n + 1) % 32;
}

void soft_sve_extract_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_extract f = a64_get_sve2_extract(op->word);

	extract(cpu, f.zd, f.zn, second(f.zn), f.imm8h << 3 | f.imm8l);
}

/* All elements go one place up. */
static void insert(struct soft_cpu *cpu, const struct soft_op *op, uint64_t value)
{
	const unsigned int size = soft_sve_size(op), bytes = 1u << size;
	const union soft_whole n = soft_sve_whole(cpu, op->rd);
	union soft_whole r = {.b = {0}};

	soft_set_whole_element(&r, size, 0, value);
	memcpy(&r.b[bytes], n.b, cpu->vl - bytes);
	soft_sve_put_whole(cpu, op->rd, &r);
}

void soft_sve_insert(struct soft_cpu *cpu, const struct soft_op *op)
{
	insert(cpu, op, cpu->x[op->rn]);
}

void soft_sve_insert_fp(struct soft_cpu *cpu, const struct soft_op *op)
{
	insert(cpu, op, cpu->v[op->rn].d[0]);
}

void soft_sve_reverse_elements(union soft_whole *d, const union soft_whole *n, unsigned int size,
			       unsigned int bytes)
{
	const unsigned int count = bytes >> size;

	for (unsigned int i = 0; i < count; i++)
		soft_move_element(d, i, n, count - 1 - i, size);
}

void soft_sve_reverse(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_whole n = soft_sve_whole(cpu, op->rn);
	union soft_whole r = {.b = {0}};

	soft_sve_reverse_elements(&r, &n, soft_sve_size(op), cpu->vl);
	soft_sve_put_whole(cpu, op->rd, &r);
}

/* opc: bit 0 chooses the upper half, bit 1 zeros instead of signs. */
void soft_sve_unpack(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_unary f = a64_get_sve_unary(op->word);
	const unsigned int from = (f.size - 1) & 3, count = (unsigned int)cpu->vl >> f.size;
	const union soft_whole n = soft_sve_whole(cpu, f.zn);
	union soft_whole r = {.b = {0}};

	for (unsigned int i = 0; i < count; i++) {
		const uint64_t value = soft_whole_element(&n, from, i + (f.opc & 1 ? count : 0));

		soft_set_whole_element(&r, f.size, i,
				       f.opc & 2 ? value : soft_sign_extend(value, from));
	}
	soft_sve_put_whole(cpu, f.zd, &r);
}

/* Elements of Zn, and of the register after it if pair, by numbers in Zm. Others stay in *r. */
static void table(struct soft_cpu *cpu, const struct soft_op *op, union soft_whole *r, bool pair)
{
	const unsigned int size = soft_sve_size(op), count = (unsigned int)cpu->vl >> size;
	const union soft_whole n[2] = {soft_sve_whole(cpu, op->rn),
				       soft_sve_whole(cpu, second(op->rn))};
	const union soft_whole m = soft_sve_whole(cpu, op->rm);

	for (unsigned int i = 0; i < count; i++) {
		const uint64_t from = soft_whole_element(&m, size, i);

		if (from < (pair ? 2 * count : count))
			soft_move_element(r, i, &n[from / count], (unsigned int)(from % count),
					  size);
	}
	soft_sve_put_whole(cpu, op->rd, r);
}

void soft_sve_table(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_whole r = {.b = {0}};

	table(cpu, op, &r, false);
}

void soft_sve_table_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_whole r = {.b = {0}};

	table(cpu, op, &r, true);
}

/* TBX */
void soft_sve_table_extension(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_whole r = soft_sve_whole(cpu, op->rd);

	table(cpu, op, &r, false);
}

static void zip(union soft_whole *d, const union soft_whole *n, const union soft_whole *m,
		bool second, unsigned int size, unsigned int twins)
{
	const unsigned int first = second ? twins : 0;

	for (unsigned int i = 0; i < twins; i++) {
		soft_move_element(d, 2 * i, n, first + i, size);
		soft_move_element(d, 2 * i + 1, m, first + i, size);
	}
}

static void uzp(union soft_whole *d, const union soft_whole *n, const union soft_whole *m,
		bool second, unsigned int size, unsigned int twins)
{
	for (unsigned int i = 0; i < twins; i++) {
		soft_move_element(d, i, n, 2 * i + second, size);
		soft_move_element(d, twins + i, m, 2 * i + second, size);
	}
}

static void trn(union soft_whole *d, const union soft_whole *n, const union soft_whole *m,
		bool second, unsigned int size, unsigned int twins)
{
	for (unsigned int i = 0; i < twins; i++) {
		soft_move_element(d, 2 * i, n, 2 * i + second, size);
		soft_move_element(d, 2 * i + 1, m, 2 * i + second, size);
	}
}

void soft_sve_pair(union soft_whole *d, const union soft_whole *n, const union soft_whole *m,
		   enum soft_sve_pairing pairing, bool second, unsigned int size,
		   unsigned int bytes)
{
	const unsigned int twins = bytes >> (size + 1), used = twins << (size + 1);

	switch (pairing) {
	case SOFT_SVE_ZIP: zip(d, n, m, second, size, twins); break;
	case SOFT_SVE_UZP: uzp(d, n, m, second, size, twins); break;
	case SOFT_SVE_TRN: trn(d, n, m, second, size, twins); break;
	}
	memset(&d->b[used], 0, bytes - used);
}

static void pair(struct soft_cpu *cpu, const struct soft_op *op, enum soft_sve_pairing pairing,
		 unsigned int size)
{
	const union soft_whole n = soft_sve_whole(cpu, op->rn);
	const union soft_whole m = soft_sve_whole(cpu, op->rm);
	union soft_whole r = {.b = {0}};

	soft_sve_pair(&r, &n, &m, pairing, op->word >> 10 & 1, size, cpu->vl);
	soft_sve_put_whole(cpu, op->rd, &r);
}

/* opc: 24 and 25 ZIP1 and ZIP2, then UZP and TRN. */
void soft_sve_permute(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_permute f = a64_get_sve_permute(op->word);

	pair(cpu, op, (enum soft_sve_pairing)(f.opc >> 1 & 3), f.size);
}

/* opc: 0 and 1 ZIP, 2 and 3 UZP, 6 and 7 TRN. A vector of 128 bits has no two elements. */
bool soft_sve_permute_quad(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_permute_quad f = a64_get_sve_permute_quad(op->word);

	if (!soft_sve_allowed(cpu) || !soft_sve_long(cpu, 32))
		return false;
	pair(cpu, op, f.opc >= 6 ? SOFT_SVE_TRN : (enum soft_sve_pairing)(f.opc >> 1), 4);
	return true;
}

void soft_sve_compact(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_permute_pred f = a64_get_sve_permute_pred(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, f.size);
	const union soft_whole n = soft_sve_whole(cpu, f.zn);
	union soft_whole r = {.b = {0}};
	unsigned int count = 0;

	for (unsigned int i = 0; i < (unsigned int)cpu->vl >> f.size; i++)
		if (soft_sve_bit(&g, (int)(i << f.size)))
			soft_move_element(&r, count++, &n, i, f.size);
	soft_sve_put_whole(cpu, f.zd, &r);
}

/* Zd = Zn from the first active element to the last one, then the lowest of Zm. */
static void splice(struct soft_cpu *cpu, const struct soft_op *op, unsigned int zn, unsigned int zm)
{
	const unsigned int size = soft_sve_size(op);
	const union soft_predicate g = soft_sve_predicate(cpu, op->ra, size);
	const int first = soft_sve_lowest(&g);
	unsigned int bytes = 0;
	const union soft_whole n = soft_sve_whole(cpu, zn), m = soft_sve_whole(cpu, zm);
	union soft_whole r = {.b = {0}};

	if (first >= 0) {
		bytes = (unsigned int)(soft_sve_highest(&g) - first) + (1u << size);
		memcpy(r.b, &n.b[first], bytes);
	}
	memcpy(&r.b[bytes], m.b, cpu->vl - bytes);
	soft_sve_put_whole(cpu, op->rd, &r);
}

void soft_sve_splice(struct soft_cpu *cpu, const struct soft_op *op)
{
	splice(cpu, op, op->rd, op->rn);
}

void soft_sve_splice_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	splice(cpu, op, op->rn, second(op->rn));
}

/*
 * An element of Zn by Pg: the last active one, or the one after it, with the lowest after the
 * highest. With none active, the last active one is before the lowest, and *any is false.
 */
static uint64_t last(const struct soft_cpu *cpu, const struct soft_op *op, unsigned int n,
		     bool before, bool *any)
{
	const unsigned int size = soft_sve_size(op);
	const union soft_predicate g = soft_sve_predicate(cpu, op->ra, size);
	const int highest = soft_sve_highest(&g);
	unsigned int at = highest >= 0 ? (unsigned int)highest : cpu->vl - (1u << size);

	if (!before)
		at = (at + (1u << size)) % cpu->vl;
	if (any)
		*any = highest >= 0;
	return soft_sve_element(cpu, n, size, at >> size);
}

void soft_sve_last(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_last f = a64_get_sve_last(op->word);

	soft_put_x(cpu, f.rd, last(cpu, op, f.zn, f.b, NULL));
}

void soft_sve_last_scalar(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_last_scalar f = a64_get_sve_last_scalar(op->word);

	soft_put_scalar(cpu, f.vd, last(cpu, op, f.zn, f.b, NULL));
	soft_clear_upper(cpu, f.vd);
}

void soft_sve_conditional_last(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_conditional_last f = a64_get_sve_conditional_last(op->word);
	bool any;
	const uint64_t value = last(cpu, op, f.zm, f.b, &any);

	if (any)
		soft_sve_put_all(cpu, f.zdn, f.size, value);
}

/* Without active elements it is the old element that is extended. */
void soft_sve_conditional_last_scalar(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_conditional_last_scalar f =
		a64_get_sve_conditional_last_scalar(op->word);
	bool any;
	uint64_t value = last(cpu, op, f.zm, f.b, &any);

	if (!any)
		value = soft_element(&cpu->v[f.vdn], f.size, 0);
	soft_put_scalar(cpu, f.vdn, value);
	soft_clear_upper(cpu, f.vdn);
}

void soft_sve_conditional_last_general(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_conditional_last_general f =
		a64_get_sve_conditional_last_general(op->word);
	bool any;
	uint64_t value = last(cpu, op, f.zm, f.b, &any);

	if (!any)
		value = cpu->x[f.rd] & UINT64_MAX >> (64 - (8u << f.size));
	soft_put_x(cpu, f.rd, value);
}
