/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Budgets: wherever execution stops, in the middle of a block or between a comparison and the
 * branch that is fused with it, the state is that of executing one operation at a time.
 */
#include "../compare.h"
#include "core_support.h"

static struct core_machine *mixed(bool single_step)
{
	struct core_machine *m = core_new((struct core_options){.single_step = single_step});

	CORE_LOAD(m, CODE, program_mixed);
	core_set(m, 20, DATA);
	core_set(m, 21, DATA + 0x100);
	core_set(m, 22, DATA + 0x200);
	core_set(m, 9, 6);
	for (uint64_t n = 0; n < 16; n++)
		core_write(m, DATA + 8 * n, n * UINT64_C(0x9e3779b97f4a7c15));
	return m;
}

/* How many operations the program is, the final HVC included. */
static uint64_t length(void)
{
	struct core_machine *m = mixed(true);
	uint64_t n;

	cr_assert_eq(core_run(m, 10000), ENGINE_EXIT_HVC);
	n = engine_soft.vcpu_ops(m->cpu[0]);
	core_free(m);
	return n;
}

Test(core_stop, at_every_operation)
{
	struct core_machine *reference = mixed(true);
	const uint64_t total = length();

	for (uint64_t n = 1; n < total; n++) {
		struct core_machine *m = mixed(false);

		cr_assert_eq(core_run(reference, 1), ENGINE_EXIT_BUDGET);
		cr_assert_eq(core_run(m, n), ENGINE_EXIT_BUDGET);
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), n);
		cr_assert(core_same(m, reference), "after %d operations of %d", (int)n, (int)total);
		/* the rest as well: nothing of the stop is left behind */
		cr_assert_eq(core_run(m, 10000), ENGINE_EXIT_HVC);
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), total);
		core_free(m);
	}
	core_free(reference);
}

Test(core_stop, in_chunks)
{
	const uint64_t total = length();
	struct core_machine *whole = mixed(false);

	cr_assert_eq(core_run(whole, total), ENGINE_EXIT_HVC);
	for (uint64_t chunk = 1; chunk < 40; chunk++) {
		struct core_machine *m = mixed(false);
		uint64_t ops = 0;

		while (core_run(m, chunk) == ENGINE_EXIT_BUDGET) {
			ops += chunk;
			cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), ops);
		}
		cr_assert_eq(m->exit.reason, ENGINE_EXIT_HVC);
		cr_assert_eq(m->exit.call_imm, 7);
		cr_assert(core_same(m, whole), "in chunks of %d", (int)chunk);
		core_free(m);
	}
	core_free(whole);
}

/* N and Z together are no result of arithmetic, but MSR NZCV and CCMP make them (C5.2, C6.2). */
Test(core_stop, flags_n_and_z)
{
	for (int single_step = 0; single_step < 2; single_step++) {
		struct core_machine *m =
			core_new((struct core_options){.single_step = single_step});

		CORE_LOAD(m, CODE, program_flags);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		cr_assert_eq(m->exit.call_imm, 0);
		cr_assert_eq(core_get(m, 1), 1);
		cr_assert_eq(core_get(m, 2), 1);
		cr_assert_eq(core_get(m, 3), 0xc0000000);
		cr_assert_eq(core_get(m, 4), 0xc0000000);
		cr_assert_eq(core_get(m, 5), 1);
		cr_assert_eq(core_get(m, 6), 1);
		cr_assert_eq(core_get(m, 8), 0x40000000);
		core_free(m);
	}
}
