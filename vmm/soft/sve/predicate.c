/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicates of SVE: logic, loops and the first-fault register. */
#include "soft/sve/predicate.h"

/* Pd = *r of elements of bytes, and the flags of it where Pg is true. */
static void put(struct soft_cpu *cpu, unsigned int pd, const union soft_predicate *active,
		const union soft_predicate *r, bool flags)
{
	if (flags)
		soft_sve_test(cpu, active, r);
	soft_sve_put_predicate(cpu, pd, r);
}

static uint64_t logical(unsigned int operation, uint64_t n, uint64_t m, uint64_t g)
{
	switch (operation) {
	case 0: return n & m & g;
	case 1: return n & ~m & g;
	case 2: return (n ^ m) & g;
	case 3: return (n & g) | (m & ~g); /* SEL */
	case 4: return (n | m) & g;
	case 5: return (n | ~m) & g;
	case 6: return ~(n | m) & g;
	default: return ~(n & m) & g;
	}
}

void soft_sve_predicate_logical(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_logical f = a64_get_sve_predicate_logical(op->word);
	const union soft_predicate n = soft_sve_predicate(cpu, f.pn, 0);
	const union soft_predicate m = soft_sve_predicate(cpu, f.pm, 0);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	union soft_predicate r;

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		r.d[i] = logical(f.op << 2 | f.o2 << 1 | f.o3, n.d[i], m.d[i], g.d[i]);
	put(cpu, f.pd, &g, &r, f.s);
}

/* Bits of *g before the first that is in *n too, and this one with after. */
static union soft_predicate until(const union soft_predicate *g, const union soft_predicate *n,
				  bool after)
{
	union soft_predicate r = {.d = {0}};

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++) {
		const uint64_t stop = g->d[i] & n->d[i], bit = stop & (~stop + 1);

		r.d[i] = g->d[i];
		if (!stop)
			continue;
		r.d[i] &= bit - 1;
		if (after)
			r.d[i] |= bit;
		break;
	}
	return r;
}

/* Is Pn true in the last active element? */
static bool last_active(const union soft_predicate *g, const union soft_predicate *n)
{
	return soft_sve_bit(n, soft_sve_highest(g));
}

void soft_sve_break_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_break_pair f = a64_get_sve_break_pair(op->word);
	const union soft_predicate n = soft_sve_predicate(cpu, f.pn, 0);
	const union soft_predicate m = soft_sve_predicate(cpu, f.pm, 0);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	union soft_predicate r = {.d = {0}};

	if (last_active(&g, &n))
		r = until(&g, &m, !f.b);
	put(cpu, f.pd, &g, &r, f.s);
}

void soft_sve_break_next(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_break_next f = a64_get_sve_break_next(op->word);
	const union soft_predicate n = soft_sve_predicate(cpu, f.pn, 0);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	const union soft_predicate all = soft_sve_all(cpu, 0);
	union soft_predicate r = {.d = {0}};

	if (last_active(&g, &n))
		r = soft_sve_predicate(cpu, f.pdm, 0);
	put(cpu, f.pdm, &all, &r, f.s);
}

void soft_sve_break(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_break f = a64_get_sve_break(op->word);
	const union soft_predicate n = soft_sve_predicate(cpu, f.pn, 0);
	const union soft_predicate d = soft_sve_predicate(cpu, f.pd, 0);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	union soft_predicate r = until(&g, &n, !f.b);

	for (unsigned int i = 0; f.m && i < SOFT_PREDICATE_WORDS; i++)
		r.d[i] |= d.d[i] & ~g.d[i];
	put(cpu, f.pd, &g, &r, f.s);
}

void soft_sve_predicate_test(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_test f = a64_get_sve_predicate_test(op->word);
	const union soft_predicate n = soft_sve_predicate(cpu, f.pn, 0);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);

	soft_sve_test(cpu, &g, &n);
}

static void set_bit(union soft_predicate *p, unsigned int bit)
{
	p->d[bit / 64] |= UINT64_C(1) << bit % 64;
}

void soft_sve_predicate_first(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_first f = a64_get_sve_predicate_first(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	union soft_predicate r = soft_sve_predicate(cpu, f.pdn, 0);
	const int first = soft_sve_lowest(&g);

	if (first >= 0)
		set_bit(&r, (unsigned int)first);
	put(cpu, f.pdn, &g, &r, true);
}

void soft_sve_predicate_next(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_next f = a64_get_sve_predicate_next(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, f.size);
	const union soft_predicate d = soft_sve_predicate(cpu, f.pdn, f.size);
	const union soft_predicate passed =
		soft_sve_first((unsigned int)(soft_sve_highest(&d) + 1), 0);
	union soft_predicate r = {.d = {0}}, left;
	int next;

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		left.d[i] = g.d[i] & ~passed.d[i];
	next = soft_sve_lowest(&left);
	if (next >= 0)
		set_bit(&r, (unsigned int)next);
	put(cpu, f.pdn, &g, &r, true);
}

void soft_sve_predicate_true(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_true f = a64_get_sve_predicate_true(op->word);
	const union soft_predicate r =
		soft_sve_first(soft_sve_pattern(cpu->vl, f.pattern, f.size) << f.size, f.size);

	put(cpu, f.pd, &r, &r, f.s);
}

void soft_sve_predicate_false(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_predicate r = {.d = {0}};

	soft_sve_put_predicate(cpu, a64_get_sve_predicate_false(op->word).pd, &r);
}

void soft_sve_read_ffr_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_read_ffr_pred f = a64_get_sve_read_ffr_pred(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, 0);
	union soft_predicate r = soft_sve_predicate(cpu, SOFT_FFR, 0);

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		r.d[i] &= g.d[i];
	put(cpu, f.pd, &g, &r, f.s);
}

void soft_sve_read_ffr(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_predicate r = cpu->p[SOFT_FFR];

	soft_sve_put_predicate(cpu, a64_get_sve_read_ffr(op->word).pd, &r);
}

void soft_sve_write_ffr(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_predicate r = cpu->p[a64_get_sve_write_ffr(op->word).pn];

	soft_sve_put_predicate(cpu, SOFT_FFR, &r);
}

void soft_sve_set_ffr(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_predicate r = soft_sve_all(cpu, 0);

	(void)op;
	soft_sve_put_predicate(cpu, SOFT_FFR, &r);
}

/* Pd = the lowest elements, and what PredTest() says of them. */
static void put_lowest(struct soft_cpu *cpu, unsigned int pd, unsigned int size, uint64_t elements)
{
	const uint64_t count = (uint64_t)cpu->vl >> size;
	const union soft_predicate r = soft_sve_first((unsigned int)elements << size, size);

	soft_sve_put_predicate(cpu, pd, &r);
	soft_set_flags(cpu, soft_pack_nzcv(elements > 0, elements == 0, elements < count, false));
}

/* The same of the highest elements. */
static void put_highest(struct soft_cpu *cpu, unsigned int pd, unsigned int size, uint64_t elements)
{
	const uint64_t count = (uint64_t)cpu->vl >> size;
	const union soft_predicate lowest =
		soft_sve_first((unsigned int)(count - elements) << size, size);
	union soft_predicate r = soft_sve_all(cpu, size);

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		r.d[i] &= ~lowest.d[i];
	soft_sve_put_predicate(cpu, pd, &r);
	soft_set_flags(cpu, soft_pack_nzcv(elements == count, elements == 0, elements == 0, false));
}

/* How many numbers, up from n and none above most, are less than m, or with equal at most m. */
static uint64_t numbers_up_to(uint64_t n, uint64_t m, bool equal, uint64_t most, uint64_t count)
{
	uint64_t elements = n < m ? m - n : 0;

	if (equal && n <= m)
		elements = m == most ? count : elements + 1;
	return elements < count ? elements : count;
}

/* WHILELT and others: the elements for which Xn + their number is less than Xm, or at most Xm. */
void soft_sve_while(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_while f = a64_get_sve_while(op->word);
	const uint64_t sign = f.u ? 0 : f.sf ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	const uint64_t most = f.sf ? UINT64_MAX : UINT32_MAX;
	/* As unsigned numbers of the same order */
	const uint64_t n = (cpu->x[f.rn] ^ sign) & most, m = (cpu->x[f.rm] ^ sign) & most;

	put_lowest(cpu, f.pd, f.size, numbers_up_to(n, m, f.eq, most, (uint64_t)cpu->vl >> f.size));
}

/* WHILEGT and others: Xn minus their number, counted from the highest, is greater, or at least. */
void soft_sve_while_down(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_while f = a64_get_sve2_while(op->word);
	const uint64_t sign = f.u ? 0 : f.sf ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	const uint64_t most = f.sf ? UINT64_MAX : UINT32_MAX;
	/* As unsigned numbers of the opposite order */
	const uint64_t n = ~(cpu->x[f.rn] ^ sign) & most, m = ~(cpu->x[f.rm] ^ sign) & most;

	put_highest(cpu, f.pd, f.size,
		    numbers_up_to(n, m, !f.eq, most, (uint64_t)cpu->vl >> f.size));
}

/*
 * WHILERW, WHILEWR: the elements from Xn on that may be accessed before those from Xm on. Without a
 * conflict, with as many or more between them or, for WHILEWR, with Xm before Xn, these are all.
 */
void soft_sve_while_conflict(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_while_conflict f = a64_get_sve2_while_conflict(op->word);
	const uint64_t n = cpu->x[f.rn], m = cpu->x[f.rm], count = (uint64_t)cpu->vl >> f.size;
	uint64_t elements = 0;

	if (n < m)
		elements = (m - n) >> f.size;
	else if (f.rw)
		elements = (n - m) >> f.size;
	if (elements == 0 || elements > count)
		elements = count;
	put_lowest(cpu, f.pd, f.size, elements);
}

void soft_sve_terminate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_terminate f = a64_get_sve_terminate(op->word);
	const uint64_t differs = cpu->x[f.rn] ^ cpu->x[f.rm];
	const bool equal = f.sz ? !differs : !(uint32_t)differs;
	const uint32_t flags = soft_flags(cpu);
	const bool carry = flags >> 1 & 1, ends = equal != f.ne;

	soft_set_flags(cpu, soft_pack_nzcv(ends, flags >> 2 & 1, carry, !ends && !carry));
}
