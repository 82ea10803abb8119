/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_CSSC, FEAT_WFxT and FEAT_HBC: what each instruction does, as Arm ARM C6.2 has it, by
 * handlers and by translated code, and samples of them and of those of core_later_memory.c. The
 * qemu-aarch64 that the other tests compare with has none of these.
 */
#include "../compare.h"
#include "core_later.h"
#include "tests/splitmix.h"

#define MSR_NZCV_X5 0xd51b4205
#define MRS_X6_NZCV 0xd53b4206
#define ADD_X1	    0x91000421 /* add x1, x1, #1 */
#define SEVL	    0xd50320bf

/* FEAT_CSSC */

enum { SMAX, UMAX, SMIN, UMIN, CTZ, CNT, ABS, OPERATIONS };

/* SInt() or UInt() of the lower half or all of a register. */
static __int128 number(uint64_t x, bool wide, bool is_signed)
{
	if (is_signed)
		return wide ? (int64_t)x : (int32_t)(uint32_t)x;
	return wide ? x : (uint32_t)x;
}

static unsigned int ones(uint64_t x)
{
	unsigned int n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static uint64_t expected(unsigned int operation, uint64_t a, uint64_t b, bool wide)
{
	const bool is_signed = operation == SMAX || operation == SMIN || operation == ABS;
	const __int128 n = number(a, wide, is_signed), m = number(b, wide, is_signed);
	__int128 result;

	switch (operation) {
	case SMAX:
	case UMAX: result = n > m ? n : m; break;
	case SMIN:
	case UMIN: result = n < m ? n : m; break;
	case CTZ:
		for (result = 0; result < (wide ? 64 : 32) && !(n >> (int)result & 1); result++)
			;
		break;
	case CNT: result = ones((uint64_t)n); break;
	default: result = n < 0 ? -n : n; break;
	}
	return wide ? (uint64_t)result : (uint32_t)result;
}

static const uint32_t registers[OPERATIONS] = {0x1ac16000, 0x1ac16400, 0x1ac16800, 0x1ac16c00,
					       0x5ac01800, 0x5ac01c00, 0x5ac02000};

static uint64_t some_number(uint64_t *random)
{
	static const uint64_t edges[] = {0,
					 1,
					 127,
					 128,
					 255,
					 256,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 UINT64_C(1) << 32,
					 INT64_MAX,
					 UINT64_C(1) << 63,
					 UINT64_MAX,
					 UINT64_MAX - 127,
					 UINT64_MAX - 128,
					 0xffffff80};
	const uint64_t n = splitmix64(random);

	return n % 2 ? edges[n / 2 % ARRAY_SIZE(edges)]
		     : splitmix64(random) << n / 2 % 64 & splitmix64(random);
}

#define RD_REGISTER(n)	(8 + (n))
#define RD_IMMEDIATE(n) (8 + 2 * OPERATIONS + (n))

static void compute(struct core_machine *m, uint64_t *random)
{
	const uint64_t a = some_number(random), b = some_number(random), nzcv = *random >> 60;
	const uint8_t imm = (uint8_t)some_number(random);
	uint32_t words[40] = {MSR_NZCV_X5};
	unsigned int count = 1;

	for (unsigned int n = 0; n < 2 * OPERATIONS; n++)
		words[count++] = registers[n / 2] | n % 2 << 31 | RD_REGISTER(n);
	for (unsigned int n = 0; n < 8; n++)
		words[count++] = 0x11c00000 | n % 2 << 31 | n / 2 << 18 | (uint32_t)imm << 10 |
				 RD_IMMEDIATE(n);
	words[count++] = MRS_X6_NZCV;
	words[count++] = HVC;
	begin(m, words, count);
	core_set(m, 0, a);
	core_set(m, 1, b);
	core_set(m, 5, nzcv << 28);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 0);
	for (unsigned int n = 0; n < 2 * OPERATIONS; n++)
		cr_assert_eq(core_get(m, RD_REGISTER(n)), expected(n / 2, a, b, n % 2),
			     "operation %u of 0x%llx, 0x%llx", n, (unsigned long long)a,
			     (unsigned long long)b);
	for (unsigned int n = 0; n < 8; n++)
		cr_assert_eq(
			core_get(m, RD_IMMEDIATE(n)),
			expected(n / 2, a, n / 2 % 2 ? imm : (uint64_t)(int64_t)(int8_t)imm, n % 2),
			"operation %u of 0x%llx, #%u", n, (unsigned long long)a, imm);
	cr_assert_eq(core_get(m, 6), nzcv << 28, "the flags are not set");
}

Test(core_later, extremes_and_counts)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		struct core_machine *m = machine(translated, SOFT_ISA(CSSC));
		uint64_t random = 1;

		for (unsigned int n = 0; n < 400; n++)
			compute(m, &random);
		core_free(m);
	}
}

/* FEAT_WFxT */

static const uint32_t waits[] = {
	0xd5031020,			    /* wfit x0 */
	ADD_X1,	    0xd5031000,		    /* wfet x0 */
	ADD_X1,	    SEVL,	0xd5031000, /* wfet x0 */
	0xd503103f,			    /* wfit xzr */
	0xd503101f,			    /* wfet xzr */
	ADD_X1,	    HVC,
};

Test(core_later, waits_end_by_their_time)
{
	struct core_machine *m = machine(false, SOFT_ISA(WFxT));

	m->cntvct = 1000;
	begin(m, waits, ARRAY_SIZE(waits));
	core_set(m, 0, UINT64_MAX);
	core_set(m, 1, 0);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_WFE, "it needs no interrupt");
	cr_assert_eq(core_get(m, PC), CODE + 4);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_WFE);
	cr_assert_eq(core_get(m, PC), CODE + 12);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC, "an event, and times that have come");
	cr_assert_eq(core_get(m, 1), 3);
	/* From this time on, and not before. */
	for (unsigned int late = 0; late < 2; late++) {
		begin(m, waits, 1);
		core_set(m, 0, 1001 - late);
		cr_assert_eq(core_run(m, 1), late ? ENGINE_EXIT_BUDGET : ENGINE_EXIT_WFE, "%u",
			     late);
		cr_assert_eq(core_get(m, PC), CODE + 4);
	}
	begin(m, waits, ARRAY_SIZE(waits));
	core_set(m, 0, UINT64_MAX);
	engine_soft.vcpu_irq(m->cpu[0], true);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_WFE);
	cr_assert_eq(core_get(m, PC), CODE + 12, "an interrupt ends WFIT, not WFET");
	core_free(m);
}

/* FEAT_HBC */

static bool holds(unsigned int condition, unsigned int nzcv)
{
	const bool n = nzcv & 8, z = nzcv & 4, c = nzcv & 2, v = nzcv & 1;
	bool result = true;

	switch (condition >> 1) {
	case 0: result = z; break;
	case 1: result = c; break;
	case 2: result = n; break;
	case 3: result = v; break;
	case 4: result = c && !z; break;
	case 5: result = n == v; break;
	case 6: result = n == v && !z; break;
	default: break;
	}
	return condition & 1 && condition != 15 ? !result : result;
}

Test(core_later, conditional_branches)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		struct core_machine *m = machine(translated, SOFT_ISA(HBC));

		for (uint32_t n = 0; n < 16 * 16; n++) {
			/* bc.<condition> .+8 */
			begin(m, (const uint32_t[]){MSR_NZCV_X5, 0x54000050 | n % 16, ADD_X1, HVC},
			      4);
			core_set(m, 5, n >> 4 << 28);
			core_set(m, 1, 0);
			cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
			cr_assert_eq(m->exit.call_imm, 0);
			cr_assert_eq(core_get(m, 1), !holds(n % 16, n >> 4),
				     "condition %u, NZCV %u", n % 16, n >> 4);
		}
		core_free(m);
	}
}

/* What samples show: the type (Arm ARM D18.2.7), and the address of the first register's access. */

#define TURNS	3000
#define NOWHERE 100

static const struct {
	const char *text;
	uint32_t word;
	uint8_t type, payload;
	int8_t at; /* the address, from X2 */
} sampled[] = {
	{"ldclrp x0, x1, [x2]", 0x19211040, 0x49, 0x06, 0},
	{"ldsetpa x0, x1, [x2]", 0x19a13040, 0x49, 0x16, 0},
	{"swppl x0, x1, [x2]", 0x19618040, 0x49, 0x16, 0},
	{"ldiapp x0, x1, [x2], #16", 0xd9410840, 0x49, 0x12, 0},
	{"stilp x0, x1, [x2, #-16]!", 0xd9010840, 0x49, 0x13, 0},
	{"ldiapp w0, w1, [x2]", 0x99411840, 0x49, 0x12, 0},
	{"ldapr w0, [x2], #4", 0x99c00840, 0x49, 0x12, 0},
	{"stlr w0, [x2, #-4]!", 0x99800840, 0x49, 0x13, 0},
	{"ldapur q0, [x2, #16]", 0x1dc10840, 0x49, 0x04, 16},
	{"stlur d0, [x2, #-8]", 0xdd1f8840, 0x49, 0x05, -8},
	{"ldap1 {v0.d}[1], [x2]", 0x4d418440, 0x49, 0x04, 0},
	{"stl1 {v0.d}[0], [x2]", 0x0d018440, 0x49, 0x05, 0},
	{"abs x0, x0", 0xdac02000, 0x48, 0x00, NOWHERE},
	{"smax w0, w1, #-1", 0x11c3fc20, 0x48, 0x00, NOWHERE},
	{"wfet xzr", 0xd503101f, 0x48, 0x00, NOWHERE},
	{"subs x3, x3, #1", 0xf1000463, 0x48, 0x00, NOWHERE},
	{"bc.ne back", 0x54fffe11, 0x4a, 0x01, NOWHERE},
};

struct record {
	uint64_t pc, va;
	bool has_va;
	uint8_t type, payload;
};

static void take_packet(void *record, uint8_t header, uint64_t value)
{
	struct record *r = record;

	switch (header) {
	case 0xb0: r->pc = value & ~(UINT64_C(0xff) << 56); break;
	case 0xb2: r->va = value, r->has_va = true; break;
	case 0x48:
	case 0x49:
	case 0x4a: r->type = header, r->payload = (uint8_t)value; break;
	default: break;
	}
}

static void check_records(struct core_machine *m, const char *how)
{
	unsigned int seen[ARRAY_SIZE(sampled)] = {0};

	for (size_t n = 0; n < m->record_bytes / 64; n++) {
		struct record r = {0};
		size_t i;

		core_each_packet(m, n, 64, take_packet, &r);
		i = (r.pc - CODE) / 4;
		if (i >= ARRAY_SIZE(sampled))
			continue;
		seen[i]++;
		cr_assert_eq(r.type, sampled[i].type, "%s, %s", how, sampled[i].text);
		cr_assert_eq(r.payload, sampled[i].payload, "%s, %s", how, sampled[i].text);
		cr_assert_eq(r.has_va, sampled[i].at != NOWHERE, "%s, %s", how, sampled[i].text);
		if (r.has_va)
			cr_assert_eq(r.va, BASE + (uint64_t)(int64_t)sampled[i].at, "%s, %s", how,
				     sampled[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sampled); i++)
		cr_assert_gt(seen[i], 0, "%s: %s is never sampled", how, sampled[i].text);
}

Test(core_later, samples)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		for (unsigned int step = 0; step < 2; step++) {
			struct core_machine *m =
				machine_of((struct core_options){.spe = true, .single_step = step},
					   translated, SOFT_ISA_ALL);
			uint32_t words[ARRAY_SIZE(sampled) + 1];

			for (size_t n = 0; n < ARRAY_SIZE(sampled); n++)
				words[n] = sampled[n].word;
			words[ARRAY_SIZE(sampled)] = HVC;
			begin(m, words, ARRAY_SIZE(words));
			core_set(m, 2, BASE);
			core_set(m, 3, TURNS);
			core_profile(m, 256);
			cr_assert_eq(core_run(m, UINT64_C(100) * TURNS), ENGINE_EXIT_HVC);
			cr_assert_eq(m->exit.call_imm, 0);
			check_records(m, translated ? "translated"
					 : step	    ? "in steps"
						    : "in blocks");
			core_free(m);
		}
	}
}
