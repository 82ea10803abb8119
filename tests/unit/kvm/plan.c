/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of instructions that a guest may run without stops: where they end. Encodings: Arm ARM
 * C4.1.
 */

#include "../compare.h"
#include "kvm/step/plan.h"

#define NOP	 0xd503201fu
#define ISB	 0xd5033fdfu
#define WFI	 0xd503207fu
#define ADD	 0x91000400u /* ADD X0, X0, #1 */
#define LDR	 0xf9400020u /* LDR X0, [X1] */
#define LDXR	 0xc85f7c20u /* LDXR X0, [X1] */
#define STXR	 0xc8027c20u /* STXR W2, X0, [X1] */
#define LDAR	 0xc8dffc20u /* LDAR X0, [X1] */
#define SVC	 0xd4000001u
#define BRK	 0xd4200000u
#define RET	 0xd65f03c0u
#define BLR	 0xd63f0020u
#define ERET	 0xd69f03e0u
#define MSR_DAIF 0xd50342dfu /* MSR DAIFSet, #2 */
#define MRS_ESR	 0xd5385200u /* MRS X0, ESR_EL1 */
#define MRS_PMS	 0xd5389900u /* MRS X0, PMSCR_EL1 */
#define MRS_DFR	 0xd5380500u /* MRS X0, ID_AA64DFR0_EL1 */
#define MSR_VBAR 0xd518c000u /* MSR VBAR_EL1, X0 */
#define B(n)	 (0x14000000u | ((uint32_t)(n)&0x3ffffff))
#define B_EQ(n)	 (0x54000000u | ((uint32_t)(n)&0x7ffff) << 5)
#define CBZ(n)	 (0xb4000000u | ((uint32_t)(n)&0x7ffff) << 5)

#define BL(n)	  (0x94000000u | ((uint32_t)(n)&0x3ffffff))
#define NO_BRANCH 0xd6000000u /* unallocated, among the branches */
#define LDP_LINK  0xa8c17bfdu /* LDP X29, X30, [SP], #16 */
#define MOV_LINK  0xaa0103feu /* MOV X30, X1 */
#define DC_IVAC	  0xd5087620u /* DC IVAC, X0 */
#define TLBI	  0xd508871fu /* TLBI VMALLE1 */

#define PC UINT64_C(0x40001000)

#define LINK UINT64_C(0x40009000)

struct code {
	const uint32_t *words;
	size_t count;
	unsigned int links_read;
};

static bool fetch(void *ctx, uint64_t va, uint32_t *word)
{
	const struct code *code = ctx;

	if (va < PC || (va - PC) / 4 >= code->count)
		return false;
	*word = code->words[(va - PC) / 4];
	return true;
}

static uint64_t link(void *ctx)
{
	((struct code *)ctx)->links_read++;
	return LINK;
}

static struct kvm_plan plan_with(const uint32_t *words, size_t count, uint64_t most,
				 unsigned int ends, const uint64_t *keep_out, size_t keep_outs)
{
	struct code code = {words, count, 0};
	const struct kvm_plan_guest guest = {&code, fetch, link, keep_out, keep_outs};
	struct kvm_plan plan;

	kvm_plan(&plan, PC, most, ends, &guest);
	cr_assert_geq(plan.ends, 1);
	cr_assert_leq(plan.ends, ends);
	cr_assert_leq(plan.length, most);
	cr_assert_eq(plan.end[plan.ends - 1].executed, plan.length, "the path's end is the last");
	return plan;
}

static struct kvm_plan plan_of(const uint32_t *words, size_t count)
{
	return plan_with(words, count, UINT64_MAX, KVM_PLAN_ENDS, NULL, 0);
}

/* Is va an end after so many instructions? */
static bool ends_at(const struct kvm_plan *plan, uint64_t va, unsigned int executed)
{
	return kvm_plan_is_end(plan, va) && kvm_plan_executed(plan, va) == executed;
}

/*
 * Instructions that change how the guest runs, leave the path, or are answered by the engine, are
 * stepped alone.
 */
Test(plan, stops_before)
{
	static const uint32_t apart[] = {SVC,	  BRK,	    BLR,  ERET, MSR_DAIF, MRS_PMS,
					 MRS_DFR, MSR_VBAR, LDXR, STXR, WFI,	  NO_BRANCH};

	for (size_t i = 0; i < ARRAY_SIZE(apart); i++) {
		const uint32_t words[] = {NOP, ADD, apart[i], NOP};
		const struct kvm_plan plan = plan_of(words, 4);

		cr_expect_eq(plan.length, 2, "0x%08x: %u instructions", apart[i], plan.length);
		cr_expect_eq(plan.ends, 1, "0x%08x: %u instructions", apart[i], plan.length);
		cr_expect(ends_at(&plan, PC + 8, 2), "0x%08x: %u instructions", apart[i],
			  plan.length);
	}
}

Test(plan, goes_over)
{
	static const uint32_t words[] = {NOP, ISB, ADD, LDR, LDAR, MRS_ESR, DC_IVAC, TLBI, NOP};
	const struct kvm_plan plan = plan_of(words, 9);

	cr_expect_eq(plan.length, 9);
	cr_expect_eq(plan.ends, 1);
	cr_expect(ends_at(&plan, PC + 36, 9));
}

/* Where code cannot be read, the path ends. */
Test(plan, ends_with_the_code)
{
	static const uint32_t words[] = {NOP, B(100)};
	const struct kvm_plan plan = plan_of(words, 2);

	cr_expect_eq(plan.length, 2);
	cr_expect_eq(plan.ends, 1);
	cr_expect(ends_at(&plan, PC + 4 + 400, 2));
}

/* A branch that is always taken is no end; of any other, the way not followed is one. */
Test(plan, follows_branches)
{
	static const uint32_t words[] = {
		B(4),	      /* 0: to 4 */
		ADD,	      /* 1 */
		B_EQ(4),      /* 2: forward to 6, likely not */
		SVC,	      /* 3 */
		CBZ(-3),      /* 4: back to 1, likely */
		SVC,	 SVC, /* 5, 6 */
	};
	const struct kvm_plan plan = plan_of(words, 7);

	/* 0, 4, 1, 2, and the SVC. */
	cr_expect_eq(plan.length, 4, "%u instructions, %u ends", plan.length, plan.ends);
	cr_expect_eq(plan.ends, 3, "%u instructions, %u ends", plan.length, plan.ends);
	cr_expect(ends_at(&plan, PC + 20, 2), "the way on of the CBZ");
	cr_expect(ends_at(&plan, PC + 24, 4), "the target of the B.EQ");
	cr_expect(ends_at(&plan, PC + 12, 4), "the SVC");
	cr_assert_eq(kvm_plan_executed(&plan, PC), 0);
	cr_assert_eq(kvm_plan_executed(&plan, PC + 16), 1);
	cr_assert_eq(kvm_plan_executed(&plan, PC + 4), 2);
	cr_expect_eq(kvm_plan_executed(&plan, PC + 8), 3);
}

/* A breakpoint on the path itself would be hit too early. */
Test(plan, never_twice)
{
	static const uint32_t loop[] = {NOP, NOP, B_EQ(-2), NOP}, wait[] = {B(0), NOP};
	static const uint32_t forward[] = {B(3), NOP, SVC, ADD, B(-3)};

	cr_expect_eq(plan_of(loop, 4).length, 2);
	cr_expect_eq(plan_of(loop, 4).end[0].va, PC + 8);
	cr_expect_eq(plan_of(wait, 2).length, 0);
	/* 0, 3, 4, 1, and the SVC. */
	cr_assert_eq(plan_of(forward, 5).length, 4);
	cr_expect_eq(plan_of(forward, 5).end[0].va, PC + 8);
}

/* Two branches to one place: a guest there does not show which one it took. */
Test(plan, no_end_twice)
{
	static const uint32_t words[] = {B_EQ(3), NOP, B_EQ(1), SVC, SVC}, next[] = {B_EQ(1), SVC};
	const struct kvm_plan plan = plan_of(words, 5);

	cr_expect_eq(plan.length, 2);
	cr_expect_eq(plan.ends, 2);
	cr_assert(ends_at(&plan, PC + 12, 1));
	cr_expect(ends_at(&plan, PC + 8, 2));
	cr_expect_eq(plan_of(next, 2).length, 0);
}

/* The path does not run over an end either. */
Test(plan, meets_no_end)
{
	static const uint32_t words[] = {B_EQ(3), NOP, NOP, NOP, NOP, SVC};
	const struct kvm_plan plan = plan_of(words, 6);

	cr_expect_eq(plan.length, 2);
	cr_assert(ends_at(&plan, PC + 12, 1));
	cr_expect(ends_at(&plan, PC + 8, 2));
}

/* RET goes where X30 says: the initial value, or that of a BL on the path. */
Test(plan, returns)
{
	static const uint32_t words[] = {NOP, RET, NOP}, call[] = {BL(3), NOP, SVC, ADD, RET};
	static const uint32_t lost[] = {LDP_LINK, RET, NOP}, moved[] = {MOV_LINK, RET, NOP};
	struct code code = {words, 3, 0};
	const struct kvm_plan_guest guest = {&code, fetch, link, NULL, 0};
	struct kvm_plan plan;

	kvm_plan(&plan, PC, 9, 2, &guest);
	cr_expect_eq(plan.length, 2);
	cr_assert(ends_at(&plan, LINK, 2));
	cr_expect_eq(code.links_read, 1);
	code = (struct code){call, 5, 0};
	kvm_plan(&plan, PC, 9, 2, &guest);
	cr_expect_eq(plan.length, 4);
	cr_assert(ends_at(&plan, PC + 8, 4));
	cr_expect_eq(code.links_read, 0);
	cr_expect_eq(plan_of(lost, 3).length, 1);
	cr_expect_eq(plan_of(moved, 3).length, 1);
}

static uint64_t bad_link(void *ctx)
{
	return *(const uint64_t *)ctx;
}

static bool fetch_ret(void *ctx, uint64_t va, uint32_t *word)
{
	(void)ctx;
	*word = RET;
	return va == PC;
}

/* A tag or a code in X30: the address for a breakpoint is not worked out. */
Test(plan, returns_nowhere)
{
	static const uint64_t bad[] = {2, UINT64_C(0x1200000040009000),
				       UINT64_C(0x0080000040009000)};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint64_t value = bad[i];
		const struct kvm_plan_guest guest = {&value, fetch_ret, bad_link, NULL, 0};
		struct kvm_plan plan;

		kvm_plan(&plan, PC, 9, 2, &guest);
		cr_expect_eq(plan.length, 0, "0x%llx", (unsigned long long)bad[i]);
	}
}

/* With one breakpoint to spare, a conditional branch is stepped separately. */
Test(plan, one_end)
{
	static const uint32_t words[] = {NOP, B_EQ(16)}, direct[] = {NOP, B(16)};

	cr_expect_eq(plan_with(words, 2, 9, 1, NULL, 0).length, 1);
	cr_expect_eq(plan_with(words, 2, 9, 2, NULL, 0).length, 2);
	cr_expect_eq(plan_with(direct, 2, 9, 1, NULL, 0).length, 2);
}

Test(plan, no_more_than_asked)
{
	static const uint32_t words[] = {NOP, NOP, NOP, B(16)};

	for (unsigned int most = 0; most < 4; most++) {
		const struct kvm_plan plan = plan_with(words, 4, most, 2, NULL, 0);

		cr_expect_eq(plan.length, most);
		cr_expect_eq(plan.end[0].va, PC + UINT64_C(4) * most);
	}
	cr_expect_eq(plan_with(words, 4, 4, 2, NULL, 0).length, 4);
}

/* A branch at every second place takes a segment each; their number is bounded. */
Test(plan, bounded)
{
	static uint32_t words[1024], plain[1024];

	for (unsigned int i = 0; i < 1024; i++) {
		words[i] = i % 2 ? NOP : B(2);
		plain[i] = NOP;
	}
	cr_expect_eq(plan_of(words, 1024).length, KVM_PLAN_SEGMENTS - 1);
	cr_expect_eq(plan_of(plain, 1024).length, KVM_PLAN_MOST);
}

/* At a vector, an exception cannot be distinguished from a path that leads there. */
Test(plan, keeps_out)
{
	static const uint32_t words[] = {NOP, NOP, NOP, B(16)}, either[] = {NOP, B_EQ(16), NOP};
	const uint64_t first[] = {1, PC}, third[] = {PC + 8, 1}, target[] = {PC + 12 + 64, 1};
	const uint64_t taken[] = {PC + 4 + 64, 1};

	cr_expect_eq(plan_with(words, 4, 9, 2, first, 2).length, 0);
	cr_expect_eq(plan_with(words, 4, 9, 2, third, 2).length, 1);
	cr_expect_eq(plan_with(words, 4, 9, 2, target, 2).length, 3);
	cr_expect_eq(plan_with(either, 3, 9, 2, taken, 2).length, 1);
}

Test(plan, executed)
{
	static const uint32_t words[] = {NOP, LDR, NOP, B_EQ(16)};
	const struct kvm_plan plan = plan_of(words, 4);

	for (unsigned int n = 0; n < 4; n++)
		cr_expect_eq(kvm_plan_executed(&plan, PC + UINT64_C(4) * n), n);
	cr_expect(ends_at(&plan, PC + 16, 4));
	cr_expect(ends_at(&plan, PC + 12 + 64, 4));
	cr_expect_eq(kvm_plan_executed(&plan, PC - 4), 5);
	cr_expect_eq(kvm_plan_executed(&plan, PC + 2), 5);
	cr_expect_eq(kvm_plan_executed(&plan, PC + 20), 5);
}
