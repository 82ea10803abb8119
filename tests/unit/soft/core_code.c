/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded blocks follow the code in memory: chained blocks, jump caches, stores to code.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"

#define MOV_X0_2 0xd2800040 /* mov x0, #2 */

/* A chained block is replaced after IC IVAU: three times 1 is added, then three times 2. */
Test(core_code, patched_behind_a_link)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_patch_near);
	core_set(m, 5, MOV_X0_2);
	core_set(m, 6, CODE + sizeof(program_patch_near) - 8);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 10), 3 * 1 + 3 * 2);
	core_free(m);
}

/* The same with the function in another page, which the jump cache has. */
Test(core_code, patched_behind_the_jump_cache)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_patch_far);
	CORE_LOAD(m, DATA, program_function);
	core_set(m, 5, MOV_X0_2);
	core_set(m, 6, DATA);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 10), 3 * 1 + 3 * 2);
	core_free(m);
}

/* What another vCPU decoded is dropped, too. */
Test(core_code, patched_by_another_vcpu)
{
	struct core_machine *m = core_new((struct core_options){.cpus = 2});
	struct engine_exit other;

	CORE_LOAD(m, DATA, program_function);
	CORE_LOAD(m, CODE, program_patch_far);
	engine_soft.vcpu_set(m->cpu[1], PC, DATA);
	engine_soft.vcpu_set(m->cpu[1], 30, DATA); /* the function calls itself */
	engine_soft.vcpu_run(m->cpu[1], 100, &other);
	cr_assert_eq(engine_soft.vcpu_get(m->cpu[1], 0), 1);
	core_set(m, 5, MOV_X0_2);
	core_set(m, 6, DATA);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	engine_soft.vcpu_run(m->cpu[1], 100, &other);
	cr_assert_eq(engine_soft.vcpu_get(m->cpu[1], 0), 2);
	core_free(m);
}

/* Writes to data in a page of code, but not in a line of it, leave the code alone. */
Test(core_code, data_beside_code)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_data_beside_code);
	core_set(m, 1, CODE + 0x800);
	cr_assert_eq(core_run(m, 100000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_read(m, CODE + 0x800), 1000);
	core_free(m);
}

static const uint32_t program_elsewhere[] = {
	0xd63f0120, /* blr x9 */
};

static const uint32_t program_tells[][2] = {
	{0xd2800020 /* mov x0, #1 */, 0xd4000002 /* hvc #0 */},
	{0xd2800040 /* mov x0, #2 */, 0xd4000002 /* hvc #0 */},
};

/* A run ends after a branch, whose target is mapped elsewhere before the next run. */
Test(core_code, fetched_no_earlier_than_executed)
{
	const uint64_t descriptor = TABLES + 0x2000 + 8 * ((DATA - RAM_BASE) / 0x1000);
	const uint64_t ops = (sizeof(program_mmu_on) + sizeof(program_elsewhere)) / 4;

	for (int single_step = 0; single_step < 2; single_step++) {
		struct core_machine *m =
			core_new((struct core_options){.single_step = single_step});

		CORE_LOAD(m, CODE, program_mmu_on);
		CORE_LOAD(m, CODE + sizeof(program_mmu_on), program_elsewhere);
		CORE_LOAD(m, DATA, program_tells[0]);
		CORE_LOAD(m, DATA + 0x1000, program_tells[1]);
		core_map(m, 0);
		core_set(m, 9, DATA);
		cr_assert_eq(core_run(m, ops), ENGINE_EXIT_BUDGET);
		cr_assert_eq(core_get(m, PC), DATA);
		core_write(m, descriptor, core_read(m, descriptor) + 0x1000);
		cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
		cr_expect_eq(core_get(m, 0), 2);
		core_free(m);
	}
}

/*
 * More code than the cache of decoded blocks has room for; it is already full except for 16 MiB.
 * Each instruction of RAM jumps to the next.
 */
Test(core_code, cache_overflows)
{
	struct core_machine *m = core_new((struct core_options){0});
	const uint64_t words = (RAM_SIZE - 0x2000) / 4;
	struct soft_vm *vm = ((struct soft_cpu *)m->cpu[0])->vm;
	uint64_t ops = 0;

	vm->arena_used = SOFT_ARENA - (16 << 20);
	/* b .+4, and at the end b back to the start */
	for (uint64_t n = 0; n < words; n++) {
		const uint32_t forward = 0x14000001;

		core_load(m, CODE + 4 * n, &forward, 1);
	}
	for (int round = 0; round < 3; round++) {
		core_set(m, PC, CODE);
		cr_assert_eq(core_run(m, words), ENGINE_EXIT_BUDGET);
		ops += words;
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), ops);
		cr_assert_eq(core_get(m, PC), CODE + 4 * words);
		cr_assert_lt(vm->arena_used, SOFT_ARENA - (16 << 20), "it was emptied");
	}
	core_free(m);
}
