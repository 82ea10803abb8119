/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor of the machine model. */

#include "../compare.h"
#include "model/branch.h"

#define PC 0x40001000u

static uint8_t counters[65536];
static struct model_target targets[65536];
static struct model_branch branch;

static void make(void)
{
	model_branch_init(&branch, &model_default, counters, targets);
}

Test(model_branch, direction, .init = make)
{
	unsigned int wrong = 0;

	/* Taken 99 times, and then not: wrong as long as the history is new, and at the end. */
	for (unsigned int n = 0; n < 100; n++)
		wrong += !model_branch_predicted(&branch, A64_FLOW_CONDITIONAL, PC, n < 99, PC);
	cr_expect_geq(wrong, 2);
	cr_expect_leq(wrong, model_default.history + 2);
	/* What the last outcomes tell is learnt: every third. */
	for (unsigned int n = 0; n < 300; n++)
		model_branch_predicted(&branch, A64_FLOW_CONDITIONAL, PC, n % 3 == 0, PC);
	for (unsigned int n = 300; n < 400; n++)
		cr_expect(
			model_branch_predicted(&branch, A64_FLOW_CONDITIONAL, PC, n % 3 == 0, PC));
}

Test(model_branch, indirect, .init = make)
{
	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_INDIRECT, PC, true, PC + 64));
	cr_expect(model_branch_predicted(&branch, A64_FLOW_INDIRECT, PC, true, PC + 64));
	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_INDIRECT, PC, true, PC + 128));
	/* One of the same place in the table is not it. */
	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_INDIRECT,
					     PC + 4 * model_default.targets, true, PC + 128));
}

Test(model_branch, returns, .init = make)
{
	const unsigned int depth = model_default.returns;

	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true, PC), "none");
	for (unsigned int n = 0; n <= depth; n++)
		cr_expect(model_branch_predicted(&branch, A64_FLOW_CALL, PC + 64 * n, true, PC));
	for (unsigned int n = depth; n > 0; n--)
		cr_expect(model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true,
						 PC + 64 * n + 4));
	/* The first call was one more than there is room for. */
	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true, PC + 4));
	model_branch_predicted(&branch, A64_FLOW_INDIRECT_CALL, PC, true, PC + 64);
	cr_expect_not(model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true, PC + 8));
}

/* They are known when they are decoded. */
Test(model_branch, direct, .init = make)
{
	cr_expect(model_branch_predicted(&branch, A64_FLOW_DIRECT, PC, true, PC + 64));
	cr_expect(model_branch_predicted(&branch, A64_FLOW_CALL, PC, true, PC + 64));
	cr_expect(model_branch_predicted(&branch, A64_FLOW_NONE, PC, false, 0));
}

/* To where a mispredicted branch was predicted to lead, if to anywhere. */
Test(model_branch, guesses, .init = make)
{
	model_branch_predicted(&branch, A64_FLOW_INDIRECT, PC, true, PC + 64);
	cr_expect_not(branch.guessed);
	model_branch_predicted(&branch, A64_FLOW_INDIRECT, PC, true, PC + 128);
	cr_expect(branch.guessed);
	cr_expect_eq(branch.guess, PC + 64);
	model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true, PC);
	cr_expect_not(branch.guessed);
	model_branch_predicted(&branch, A64_FLOW_CALL, PC, true, PC + 64);
	model_branch_predicted(&branch, A64_FLOW_RETURN, PC, true, PC);
	cr_expect(branch.guessed);
	cr_expect_eq(branch.guess, PC + 4);
}

/* What the predictor would say is what it says. */
Test(model_branch, foresees, .init = make)
{
	for (unsigned int n = 0; n < 1000; n++) {
		const uint64_t pc = PC + 4 * (n * n % 7);
		const bool taken = n * n % 11 < 5, foreseen = model_branch_foresees(&branch, pc);
		const struct model_branch before = branch;

		cr_expect_eq(model_branch_foresees(&branch, pc), foreseen);
		cr_expect_eq(before.history, branch.history);
		cr_expect_eq(model_branch_predicted(&branch, A64_FLOW_CONDITIONAL, pc, taken, pc),
			     foreseen == taken);
	}
}
