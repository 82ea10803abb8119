/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a block is translated for the host, and where that code is. core_random and diff_qemu_user
 * test that it does what its handlers do.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/mem/tlb.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#include <stdio.h>
#include <string.h>

/* A loop of three that adds 1 to X0, X1 times. */
static const uint32_t program_loop[] = {
	0x91000400, /* add x0, x0, #1 */
	0xf1000421, /* subs x1, x1, #1 */
	0x54ffffc1, /* b.ne .-8 */
	0xd4000002, /* hvc #0 */
};

static struct core_machine *machine(bool at_once)
{
	const struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.sve_vl = 64,
		.jit = SOFT_JIT_ON,
		.jit_at_once = at_once,
	};
	struct core_machine *m;

	if (!SOFT_JIT)
		cr_skip("this build has no translator for this host");
	m = core_new((struct core_options){.model = &tuning});
	CORE_LOAD(m, CODE, program_loop);
	return m;
}

static struct soft_jit *jit_of(const struct core_machine *m)
{
	return ((struct soft_cpu *)m->cpu[0])->vm->jit;
}

static void loop(struct core_machine *m, uint64_t times)
{
	core_set(m, 0, 0);
	core_set(m, 1, times);
	core_set(m, PC, CODE);
	cr_assert_eq(core_run(m, 3 * times + 10), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 0), times);
}

Test(core_translated, what_is_executed_often)
{
	struct core_machine *m = machine(false);
	const uint64_t before = engine_soft.vcpu_ops(m->cpu[0]);

	loop(m, 20);
	cr_expect_eq(jit_of(m)->blocks, 0);
	loop(m, 1000);
	cr_expect_eq(jit_of(m)->blocks, 1);
	cr_expect_eq(jit_of(m)->operations, 3);
	cr_expect_gt(jit_of(m)->bytes, 0);
	cr_expect_eq(engine_soft.vcpu_ops(m->cpu[0]) - before, 3 * 1020 + 2);
	core_free(m);
}

/* The mapping of memory is guessed from past accesses; if all accesses are checked, from none. */
Test(core_translated, flat_memory)
{
	static const uint32_t load[] = {
		0xf9400020, /* ldr x0, [x1] */
		0xd4000002, /* hvc #0 */
	};
	struct core_machine *m = machine(true);
	struct soft_cpu *cpu = (struct soft_cpu *)m->cpu[0];

	CORE_LOAD(m, CODE, load);
	for (unsigned int page = 0; page < 16; page++) {
		core_set(m, 1, DATA + page * UINT64_C(0x1000));
		core_set(m, PC, CODE);
		cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
	}
	cr_expect(soft_tlb_is_flat(cpu));
	for (unsigned int n = 0; n < SOFT_TLB_SIZE; n++)
		cpu->tlb[n].add += n * UINT64_C(0x1000);
	cr_expect_not(soft_tlb_is_flat(cpu));
	cpu->tlb = (struct soft_tlb_entry *)(uintptr_t)soft_tlb_nothing;
	cr_expect_not(soft_tlb_is_flat(cpu));
	core_free(m);
}

/* The budget ends a run of translated code at each of its operations. */
Test(core_translated, stops_anywhere)
{
	struct core_machine *m = machine(true);

	loop(m, 5);
	for (uint64_t count = 1; count < 40; count++) {
		core_set(m, 0, 0);
		core_set(m, 1, 100);
		core_set(m, PC, CODE);
		cr_assert_eq(core_run(m, count), ENGINE_EXIT_BUDGET);
		cr_expect_eq(core_get(m, 0), (count + 2) / 3);
		cr_expect_eq(core_get(m, 1), 100 - (count + 1) / 3);
		cr_expect_eq(core_get(m, PC), CODE + 4 * (count % 3));
	}
	core_free(m);
}

/* More registers than the host has: some are given up in the middle of the block. */
Test(core_translated, more_registers_than_the_host)
{
	struct core_machine *m = machine(true);
	uint32_t program[29];

	for (uint32_t n = 0; n < 28; n++)
		program[n] = 0x91000400 | n << 5 | n; /* add Xn, Xn, #1 */
	program[28] = 0xd4000002;
	CORE_LOAD(m, CODE, program);
	for (unsigned int n = 0; n < 28; n++)
		core_set(m, n, 100 + n);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	for (unsigned int n = 0; n < 28; n++)
		cr_expect_eq(core_get(m, n), 101 + n);
	core_free(m);
}

/*
 * A comparison of numbers sets the flags anew, after one of registers whose result is known: by
 * separate code, or for half precision by a call.
 */
static void compare_numbers(uint32_t one, uint32_t with_zero)
{
	struct core_machine *m = machine(true);

	CORE_LOAD(m, CODE,
		  ((const uint32_t[]){0xd5181049,		  /* msr cpacr_el1, x9 */
				      0xd5033fdf,		  /* isb */
				      0xeb00001f,		  /* cmp x0, x0 */
				      one, with_zero, 0x9a9f17e1, /* cset x1, eq */
				      0xd4000002 /* hvc #0 */}));
	core_set(m, 0, 2); /* the held form of C alone */
	core_set(m, 9, 3 << 20);
	core_set(m, 1, 7);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_expect_eq(core_get(m, 1), 0);
	core_free(m);
}

Test(core_translated, flags_of_a_function)
{
	compare_numbers(0x1e6e1000, 0x1e602008); /* fmov d0, #1.0; fcmp d0, #0.0 */
	compare_numbers(0x1eee1000, 0x1ee02008); /* fmov h0, #1.0; fcmp h0, #0.0 */
}

/* The second half of a pair is in an unmapped page: nothing is written. */
Test(core_translated, pair_across_pages)
{
	struct core_machine *m = machine(true);

	CORE_LOAD(m, CODE, program_mmu_on);
	core_load(m, CODE + sizeof(program_mmu_on),
		  (const uint32_t[]){0xf90000e6,
				     /* str x6, [x7]: the page is known then */ 0x14000001,
				     /* b .+4 */ 0xa90098e5 /* stp x5, x6, [x7, #8] */},
		  3);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, DATA + 0x1000);
	core_set(m, 5, 1);
	core_set(m, 6, 2);
	core_set(m, 7, DATA + 0xff0);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_expect_eq(core_get(m, 20), DATA + 0x1000, "FAR_EL1");
	cr_expect_eq(core_read(m, DATA + 0xff0), 2);
	cr_expect_eq(core_read(m, DATA + 0xff8), 0);
	core_free(m);
}

/* If code runs out of room, all blocks are dropped, and the guest notices nothing. */
Test(core_translated, full)
{
	struct core_machine *m = machine(true);
	struct soft_jit *jit = jit_of(m);

	loop(m, 5);
	cr_assert_gt(jit->used, jit->first);
	jit->used = SOFT_JIT_CODE - 8;
	core_set(m, PC, CODE + 8); /* a block that does not exist yet */
	core_set(m, 1, 1);
	((struct soft_cpu *)m->cpu[0])->flag_kind = SOFT_FLAGS_NZCV;
	((struct soft_cpu *)m->cpu[0])->flag_a = 4; /* Z */
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
	loop(m, 100);
	cr_expect_lt(jit->used, SOFT_JIT_CODE - 8);
	core_free(m);
}

/* The source of a block has changed. */
Test(core_translated, rewritten)
{
	struct core_machine *m = machine(true);

	loop(m, 100);
	core_write(m, CODE, UINT64_C(0xf100042191000800)); /* add x0, x0, #2; subs */
	core_set(m, 0, 0);
	core_set(m, 1, 100);
	core_set(m, PC, CODE);
	core_set(m, 2, CODE);
	CORE_LOAD(m, DATA,
		  ((const uint32_t[]){0xd50b7522, /* ic ivau, x2 */
				      0xd5033fdf, /* isb */
				      0xd61f0040 /* br x2 */}));
	core_set(m, PC, DATA);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_expect_eq(core_get(m, 0), 200);
	core_free(m);
}

/* No address can be both written and executed. */
Test(core_translated, is_written_elsewhere)
{
	struct core_machine *m = machine(true);
	char line[512], rights[8];
	unsigned int code = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	cr_assert_not_null(maps);
	loop(m, 5);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*s %7s", rights) != 1)
			continue;
		if (rights[1] == 'w')
			cr_expect_neq(rights[2], 'x', "%s", line);
		code += rights[2] == 'x' && strstr(line, "vspe-jit") != NULL;
	}
	fclose(maps);
	cr_expect_eq(code, 1);
	core_free(m);
}
