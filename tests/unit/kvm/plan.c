/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of instructions that a guest is let go over: where they end. Encodings: Arm ARM C4.1. */
#include <criterion/criterion.h>

#include "kvm/plan.h"

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
#define ERET	 0xd69f03e0u
#define MSR_DAIF 0xd50342dfu /* MSR DAIFSet, #2 */
#define MRS_ESR	 0xd5385200u /* MRS X0, ESR_EL1 */
#define MRS_PMS	 0xd5389900u /* MRS X0, PMSCR_EL1 */
#define MRS_DFR	 0xd5380500u /* MRS X0, ID_AA64DFR0_EL1 */
#define MSR_VBAR 0xd518c000u /* MSR VBAR_EL1, X0 */
#define B(n)	 (0x14000000u | ((uint32_t)(n)&0x3ffffff))
#define B_EQ(n)	 (0x54000000u | ((uint32_t)(n)&0x7ffff) << 5)
#define CBZ(n)	 (0xb4000000u | ((uint32_t)(n)&0x7ffff) << 5)

#define PC UINT64_C(0x40001000)

static struct kvm_plan plan_of(const uint32_t *words, size_t count)
{
	return kvm_plan(PC, words, count, UINT64_MAX, 2, NULL, 0);
}

/* What changes how the guest runs, leaves for elsewhere or is answered by us is looked at alone. */
Test(plan, stops_before)
{
	static const uint32_t apart[] = {SVC,	  BRK,	    RET,  ERET, MSR_DAIF, MRS_PMS,
					 MRS_DFR, MSR_VBAR, LDXR, STXR, WFI};

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
		const uint32_t words[] = {NOP, ADD, apart[i], NOP};
		const struct kvm_plan plan = plan_of(words, 4);

		cr_expect(plan.length == 2 && plan.ends == 1 && plan.end[0] == PC + 8,
			  "0x%08x: %u instructions", apart[i], plan.length);
	}
}

Test(plan, goes_over)
{
	static const uint32_t words[] = {NOP, ISB, ADD, LDR, LDAR, MRS_ESR, NOP};
	const struct kvm_plan plan = plan_of(words, 7);

	cr_expect(plan.length == 7 && plan.ends == 1 && plan.end[0] == PC + 28);
}

/* A direct branch is the last one: its two ways are two ends. */
Test(plan, ends_with_branch)
{
	static const struct {
		uint32_t word;
		unsigned int ends;
		uint64_t target;
	} rows[] = {
		{B(16), 1, PC + 4 + 64},
		{B(-16), 1, PC + 4 - 64},
		{B_EQ(4), 2, PC + 4 + 16},
		{CBZ(-8), 2, PC + 4 - 32},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint32_t words[] = {NOP, rows[i].word, NOP};
		const struct kvm_plan plan = plan_of(words, 3);

		cr_expect(plan.length == 2 && plan.ends == rows[i].ends &&
				  plan.end[0] == rows[i].target,
			  "row %zu", i);
		if (rows[i].ends == 2)
			cr_expect(plan.end[1] == PC + 8, "row %zu", i);
	}
}

/* A breakpoint where the run itself passes would be met too early. */
Test(plan, branch_into_itself)
{
	static const uint32_t loop[] = {NOP, NOP, B_EQ(-2), NOP}, wait[] = {B(0), NOP};

	cr_expect(plan_of(loop, 4).length == 2);
	cr_expect(plan_of(loop, 4).end[0] == PC + 8);
	cr_expect(plan_of(wait, 2).length == 0);
}

/* With one breakpoint to spare, a conditional branch has a step of its own. */
Test(plan, one_end)
{
	static const uint32_t words[] = {NOP, B_EQ(16)}, direct[] = {NOP, B(16)};

	cr_expect(kvm_plan(PC, words, 2, 9, 1, NULL, 0).length == 1);
	cr_expect(kvm_plan(PC, direct, 2, 9, 1, NULL, 0).length == 2);
}

Test(plan, no_more_than_asked)
{
	static const uint32_t words[] = {NOP, NOP, NOP, B(16)};

	for (unsigned int most = 0; most < 4; most++) {
		const struct kvm_plan plan = kvm_plan(PC, words, 4, most, 2, NULL, 0);

		cr_expect(plan.length == most && plan.end[0] == PC + UINT64_C(4) * most);
	}
	cr_expect(kvm_plan(PC, words, 4, 4, 2, NULL, 0).length == 4);
}

/* At a vector one cannot tell an exception from a run that has come there by itself. */
Test(plan, keeps_out)
{
	static const uint32_t words[] = {NOP, NOP, NOP, B(16)};
	const uint64_t first[] = {1, PC}, third[] = {PC + 8, 1}, target[] = {PC + 12 + 64, 1};

	cr_expect(kvm_plan(PC, words, 4, 9, 2, first, 2).length == 0);
	cr_expect(kvm_plan(PC, words, 4, 9, 2, third, 2).length == 1);
	cr_expect(kvm_plan(PC, words, 4, 9, 2, target, 2).length == 3);
}

Test(plan, executed)
{
	static const uint32_t words[] = {NOP, LDR, NOP, B_EQ(16)};
	const struct kvm_plan plan = plan_of(words, 4);

	for (unsigned int n = 0; n < 4; n++)
		cr_expect(kvm_plan_executed(&plan, PC, PC + UINT64_C(4) * n) == n);
	cr_expect(kvm_plan_executed(&plan, PC, PC + 16) == 4);
	cr_expect(kvm_plan_executed(&plan, PC, PC + 12 + 64) == 4);
	cr_expect(kvm_plan_executed(&plan, PC, PC - 4) == 5);
	cr_expect(kvm_plan_executed(&plan, PC, PC + 2) == 5);
	cr_expect(kvm_plan_executed(&plan, PC, PC + 20) == 5);
}
