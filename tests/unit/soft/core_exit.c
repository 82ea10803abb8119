/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the interpreter calls the machine: exits, interrupts, exclusives between vCPUs. */
#include "../compare.h"
#include "core_support.h"
#include "soft/code_memory.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#include <string.h>

Test(core_exit, waits_and_calls)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_waits);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_WFI);
	cr_assert_eq(core_get(m, PC), CODE + 4);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_WFE);
	cr_assert_eq(core_get(m, 0), 1);
	/* SEVL lets one WFE pass, not two */
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_WFE);
	cr_assert_eq(core_get(m, PC), CODE + 4 * 7);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 0x1234);
	cr_assert_eq(core_get(m, PC), CODE + 4 * 9);
	cr_assert_eq(core_get(m, 0), 3);
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 9);
	core_free(m);
}

/* A pending interrupt ends WFI at once, masked or not. */
Test(core_exit, wfi_with_interrupt)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_waits);
	engine_soft.vcpu_irq(m->cpu[0], true);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_WFE);
	core_free(m);
}

/* A device that raises IRQ on a write: taken before the next operation; counts are exact. */
Test(core_exit, interrupt_from_a_callback)
{
	for (int single_step = 0; single_step < 2; single_step++) {
		struct core_machine *m =
			core_new((struct core_options){.single_step = single_step});

		CORE_LOAD(m, CODE, program_interrupt);
		CORE_LOAD(m, VECTORS + VECTOR_IRQ, program_report);
		core_set(m, 2, DEVICE);
		core_set(m, 8, VECTORS);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		cr_assert_eq(m->exit.call_imm, 1);
		cr_assert_eq(m->device_writes, 1);
		cr_assert_eq(m->ops_at_write, 3);
		cr_assert_eq(core_get(m, 0), 0);
		cr_assert_eq(core_get(m, 22), CODE + 16);
		core_free(m);
	}
}

Test(core_exit, request)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_mixed);
	engine_soft.vcpu_request_exit(m->cpu[0]);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_BUDGET);
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 0);
	core_free(m);
}

/* Vectors that cannot be fetched, or whose first instruction faults for ever. */
Test(core_exit, lost)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_branch_away);
	core_set(m, 1, 0x10);
	cr_assert_eq(core_run(m, 1000000), ENGINE_EXIT_LOST);
	cr_assert_str_has(m->exit.why, "0x200");
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 1);
	core_free(m);

	m = core_new((struct core_options){0});
	CORE_LOAD(m, CODE, program_stuck_stack);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_vector_faults);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 1000000), ENGINE_EXIT_LOST);
	cr_assert_lt(engine_soft.vcpu_ops(m->cpu[0]), 10);
	core_free(m);
}

/* A branch to unmapped memory is an instruction abort that the guest can handle. */
Test(core_exit, branch_to_nothing)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_stuck_stack); /* msr vbar_el1, x8 */
	core_load(m, CODE + 4, program_branch_away, 1);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_set(m, 1, 0x10);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 20), 0x10);
	cr_assert_eq(core_get(m, 21), UINT64_C(0x21) << 26 | UINT64_C(1) << 25 | 0x10);
	cr_assert_eq(core_get(m, 22), 0x10);
	core_set(m, 1, CODE + 2);
	core_set(m, PC, CODE);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 20), CODE + 2);
	cr_assert_eq(core_get(m, 21), UINT64_C(0x22) << 26 | UINT64_C(1) << 25);
	core_free(m);
}

#define LOAD_EXCLUSIVE	(CODE + 0x100)
#define STORE_EXCLUSIVE (CODE + 0x200)
#define PLAIN_STORE	(CODE + 0x300)

/* An empty jump cache matches no address, not even the highest ones. */
Test(core_exit, branch_to_the_end)
{
	for (uint64_t target = UINT64_MAX; target > UINT64_MAX - 64; target--) {
		struct core_machine *m = core_new((struct core_options){0});

		CORE_LOAD(m, CODE, program_branch_away);
		core_set(m, 1, target);
		cr_assert_eq(core_run(m, 100), ENGINE_EXIT_LOST);
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 1);
		core_free(m);
	}
}

static const uint32_t program_swap[] = {
	0xf823803f, /* swp x3, xzr, [x1] */
	0xd4000002, /* hvc #0 */
};

static struct core_machine *exclusive_machine(bool translated, bool swaps)
{
	static const struct engine_tuning tunings[] = {
		{.isa = SOFT_ISA_ALL, .sve_vl = 64, .jit = SOFT_JIT_OFF},
		{.isa = SOFT_ISA_ALL, .sve_vl = 64, .jit = SOFT_JIT_ON, .jit_at_once = true},
	};
	struct core_machine *m =
		core_new((struct core_options){.cpus = 2, .model = &tunings[translated]});

	CORE_LOAD(m, LOAD_EXCLUSIVE, program_load_exclusive);
	CORE_LOAD(m, STORE_EXCLUSIVE, program_store_exclusive);
	if (swaps)
		CORE_LOAD(m, PLAIN_STORE, program_swap);
	else
		CORE_LOAD(m, PLAIN_STORE, program_plain_store);
	core_write(m, DATA, 5);
	return m;
}

/* Run a program on DATA with x3; returns x2, the status of a store-exclusive. */
static uint64_t run_at(struct core_machine *m, unsigned int cpu, uint64_t pc, uint64_t x3)
{
	struct engine_exit exit;

	engine_soft.vcpu_set(m->cpu[cpu], PC, pc);
	engine_soft.vcpu_set(m->cpu[cpu], 1, DATA);
	engine_soft.vcpu_set(m->cpu[cpu], 3, x3);
	engine_soft.vcpu_run(m->cpu[cpu], 100, &exit);
	cr_assert_eq(exit.reason, ENGINE_EXIT_HVC);
	return engine_soft.vcpu_get(m->cpu[cpu], 2);
}

/* A store-exclusive needs a load-exclusive before it, and no other store in between (B2.9). */
static void exclusives(bool translated, bool swaps)
{
	struct core_machine *m = exclusive_machine(translated, swaps);

	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 6), 1);
	cr_assert_eq(core_read(m, DATA), 5);

	run_at(m, 0, LOAD_EXCLUSIVE, 0);
	cr_assert_eq(run_at(m, 1, STORE_EXCLUSIVE, 8), 1, "the monitor is of one vCPU");
	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 7), 0);
	cr_assert_eq(core_read(m, DATA), 7);
	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 9), 1, "a monitor serves once");

	run_at(m, 0, LOAD_EXCLUSIVE, 0);
	run_at(m, 1, PLAIN_STORE, 10);
	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 11), 1);
	cr_assert_eq(core_read(m, DATA), 10);

	/* The value is the same again, and the first store does not fill the other's TLB. */
	for (int renewed = 0; renewed < 2; renewed++) {
		run_at(m, 0, LOAD_EXCLUSIVE, 0);
		if (renewed)
			core_renew(m);
		run_at(m, 1, PLAIN_STORE, 12);
		run_at(m, 1, PLAIN_STORE, 10);
		cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 11), 1, "renewed %d", renewed);
		cr_assert_eq(core_read(m, DATA), 10);
	}
	run_at(m, 1, LOAD_EXCLUSIVE, 0);
	run_at(m, 0, LOAD_EXCLUSIVE, 0);
	cr_assert_eq(run_at(m, 1, STORE_EXCLUSIVE, 10), 0);
	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 11), 1, "the other's store was of this value");
	/* In the same page, but in another granule. */
	run_at(m, 0, LOAD_EXCLUSIVE, 0);
	core_load(m, PLAIN_STORE - 4, &(uint32_t){0x91010021}, 1); /* add x1, x1, #64 */
	run_at(m, 1, PLAIN_STORE - 4, 12);
	cr_assert_eq(core_read(m, DATA + 64), 12);
	cr_assert_eq(run_at(m, 0, STORE_EXCLUSIVE, 13), 0);
	core_free(m);
}

Test(core_exit, exclusives)
{
	exclusives(false, false);
	exclusives(false, true);
}

Test(core_exit, exclusives_translated)
{
	if (!SOFT_JIT)
		cr_skip("this build has no translator for this host");
	exclusives(true, false);
	exclusives(true, true);
}

Test(core_exit, pairs)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_pair_exclusive);
	core_set(m, 1, DATA);
	core_write(m, DATA, 40);
	core_write(m, DATA + 8, 50);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 3), 0);
	cr_assert_eq(core_get(m, 4), 1, "CLREX");
	cr_assert_eq(core_get(m, 8), 41);
	cr_assert_eq(core_get(m, 9), 52);
	/* CASP found what LDP had read, and stored x6 and x7 */
	cr_assert_eq(core_get(m, 10), 5);
	cr_assert_eq(core_get(m, 11), 7);
	core_free(m);
}
