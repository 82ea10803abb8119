/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System instructions that the fast loop repeats, and unaligned accesses, in each way of execution:
 * they do the same the first time and later, until the registers that permit them change.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/code_memory.h"
#include "soft/tuning.h"

#include <string.h>

#define PROGRAM	   (CODE + sizeof(program_mmu_on))
#define EL0_CODE   (CODE + 0x2000)
#define VECTOR_EL0 UINT64_C(0x400)
#define PAGE_EL0   0x743 /* as core_map() has it, and EL0 may read and write it */

#define ESR(ec, iss) (UINT64_C(ec) << 26 | UINT64_C(1) << 25 | (iss))

enum mode { SINGLE_STEP, INTERPRETED, TRANSLATED, MODES };

static struct core_machine *mapped(enum mode mode, const uint32_t *program, size_t count)
{
	const struct engine_tuning tuning = {.jit = mode == TRANSLATED && SOFT_JIT ? SOFT_JIT_ON
										   : SOFT_JIT_OFF,
					     .jit_at_once = mode == TRANSLATED};
	struct core_machine *m = core_new((struct core_options){
		.single_step = mode == SINGLE_STEP,
		.model = &tuning,
	});

	CORE_LOAD(m, CODE, program_mmu_on);
	core_load(m, PROGRAM, program, count);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	CORE_LOAD(m, VECTORS + VECTOR_EL0, program_report);
	core_map(m, 0);
	return m;
}

/* Map va's page to pa's. */
static void map_page(struct core_machine *m, uint64_t va, uint64_t pa)
{
	core_write(m, TABLES + 0x2000 + 8 * ((va - RAM_BASE) / 0x1000), pa | PAGE_EL0);
}

/* The exception that program_report reports. */
static void expect_reported(struct core_machine *m, uint64_t esr, uint64_t elr)
{
	cr_expect_eq(m->exit.call_imm, 1);
	cr_expect_eq(core_get(m, 21), esr, "ESR_EL1 %#lx", core_get(m, 21));
	cr_expect_eq(core_get(m, 22), elr, "ELR_EL1 %#lx", core_get(m, 22));
}

static const uint32_t program_reads[] = {
	0xd538d080, /* mrs x0, tpidr_el1 */
	0xd538d081, /* mrs x1, tpidr_el1 */
	0xd518d08a, /* msr tpidr_el1, x10 */
	0xd538d082, /* mrs x2, tpidr_el1 */
	0xd53b4223, /* mrs x3, daif */
	0xd50342df, /* msr daifset, #2 */
	0xd53b4224, /* mrs x4, daif */
	0xd53b4225, /* mrs x5, daif */
	0xd50342ff, /* msr daifclr, #2 */
	0xd53b4226, /* mrs x6, daif */
	0xd538411f, /* mrs xzr, sp_el0 */
	0xd518410c, /* msr sp_el0, x12 */
	0xd538410d, /* mrs x13, sp_el0 */
	0xd538410e, /* mrs x14, sp_el0 */
	0xd4000002, /* hvc #0 */
};

Test(core_repeated, a_register_that_was_written_in_between)
{
	for (enum mode mode = 0; mode < MODES; mode++) {
		struct core_machine *m = mapped(mode, program_reads, ARRAY_SIZE(program_reads));

		for (uint64_t time = 0; time < 4; time++) {
			core_set(m, 10, 100 + time);
			core_set(m, 12, 0x1000 * time);
			cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
			cr_expect_eq(core_get(m, 0), time ? 99 + time : 0);
			cr_expect_eq(core_get(m, 1), time ? 99 + time : 0);
			cr_expect_eq(core_get(m, 2), 100 + time);
			cr_expect_eq(core_get(m, 3) & 0x80, time ? 0 : 0x80, "PSTATE.I");
			cr_expect_eq(core_get(m, 4) & 0x80, 0x80);
			cr_expect_eq(core_get(m, 5) & 0x80, 0x80);
			cr_expect_eq(core_get(m, 6) & 0x80, 0);
			cr_expect_eq(core_get(m, 13), 0x1000 * time);
			cr_expect_eq(core_get(m, 14), 0x1000 * time);
			core_set(m, PC, PROGRAM);
		}
		core_free(m);
	}
}

static const uint32_t program_to_el0[] = {
	0xd50b742b, /* dc zva, x11 */
	0xd50b742b, /* dc zva, x11 */
	0xd5384101, /* mrs x1, sp_el0 */
	0xd5384101, /* mrs x1, sp_el0 */
	0xd518402f, /* msr elr_el1, x15 */
	0xd518401f, /* msr spsr_el1, xzr */
	0xd69f03e0, /* eret */
};

/* SCTLR_EL1.DZE is 0. */
Test(core_repeated, what_el1_may_do_and_el0_not)
{
	static const struct {
		uint32_t word;
		uint64_t esr;
	} rows[] = {
		{0xd50b742b, ESR(0x18, 0x12dd68)}, /* dc zva, x11 */
		{0xd5384101, ESR(0, 0)},	   /* mrs x1, sp_el0: UNDEFINED */
	};

	for (enum mode mode = 0; mode < MODES; mode++) {
		for (unsigned int n = 0; n < 2; n++) {
			struct core_machine *m =
				mapped(mode, program_to_el0, ARRAY_SIZE(program_to_el0));

			core_load(m, EL0_CODE, &rows[n].word, 1);
			map_page(m, EL0_CODE, EL0_CODE);
			map_page(m, DATA, DATA);
			core_set(m, 11, DATA);
			core_set(m, 15, EL0_CODE);
			cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
			expect_reported(m, rows[n].esr, EL0_CODE);
			core_free(m);
		}
	}
}

static const uint32_t program_zero[] = {
	0xd50b742b, /* dc zva, x11 */
	0x9101016b, /* add x11, x11, #64 */
	0xf1000631, /* subs x17, x17, #1 */
	0x54ffffa1, /* b.ne .-12 */
	0xd50b742c, /* dc zva, x12 */
	0xd4000002, /* hvc #0 */
};

/* Over two pages, and then over the code itself, whose rest is then not executed. */
Test(core_repeated, zeroed_memory)
{
	for (enum mode mode = 0; mode < MODES; mode++) {
		struct core_machine *m = mapped(mode, program_zero, ARRAY_SIZE(program_zero));

		memset(m->ram + (DATA - RAM_BASE), 0xff, 0x3000);
		core_set(m, 11, DATA + 0x47); /* the block that it is in */
		core_set(m, 17, 100);
		core_set(m, 12, PROGRAM + 16);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		expect_reported(m, ESR(0, 0), PROGRAM + 20);
		cr_expect_eq(core_read(m, DATA + 0x38), UINT64_MAX);
		for (uint64_t pa = DATA + 0x40; pa < DATA + 0x40 + 6400; pa += 8)
			cr_assert_eq(core_read(m, pa), 0);
		cr_expect_eq(core_read(m, DATA + 0x40 + 6400), UINT64_MAX);
		core_free(m);
	}
}

static const uint32_t program_unaligned[] = {
	0xf84010e9, /* ldur x9, [x7, #1] */
	0xf80110e9, /* stur x9, [x7, #17] */
	0x784030ea, /* ldurh w10, [x7, #3] */
	0x780210ea, /* sturh w10, [x7, #33] */
	0xb88060eb, /* ldursw x11, [x7, #6] */
	0xb80290eb, /* stur w11, [x7, #41] */
	0xa94034ec, /* ldp x12, x13, [x7] */
	0x9100c8ee, /* add x14, x7, #50 */
	0xa980b5cc, /* stp x12, x13, [x14, #8]! */
	0xf84084ef, /* ldr x15, [x7], #8 */
	0x8b0f0210, /* add x16, x16, x15 */
	0xf1000631, /* subs x17, x17, #1 */
	0x54fffe81, /* b.ne .-48 */
	0xd4000002, /* hvc #0 */
};

static struct core_machine *unaligned(enum mode mode, uint64_t x7)
{
	struct core_machine *m = mapped(mode, program_unaligned, ARRAY_SIZE(program_unaligned));

	for (unsigned int n = 0; n < 0x3000; n++)
		m->ram[DATA - RAM_BASE + n] = (uint8_t)(n * 7 + n / 256);
	map_page(m, DATA + 0x1000, DATA + 0x5000);
	core_set(m, 7, x7);
	core_set(m, 17, 900);
	cr_assert_eq(core_run(m, 100000), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 0);
	return m;
}

/* Through pages that are not adjacent, so that some accesses are of two. */
Test(core_repeated, accesses_at_any_address)
{
	for (uint64_t offset = 0; offset < 8; offset++) {
		struct core_machine *stepped = unaligned(SINGLE_STEP, DATA + offset);

		for (enum mode mode = INTERPRETED; mode < MODES; mode++) {
			struct core_machine *m = unaligned(mode, DATA + offset);

			cr_expect(core_same(m, stepped), "mode %d, offset %d", (int)mode,
				  (int)offset);
			cr_expect_eq(engine_soft.vcpu_ops(m->cpu[0]),
				     engine_soft.vcpu_ops(stepped->cpu[0]));
			core_free(m);
		}
		core_free(stepped);
	}
}

/* Twice at an aligned address, and then at the next one. */
static const uint32_t program_aligned_first[] = {
	0xf94000e9, /* ldr x9, [x7] */
	0x8b0600e7, /* add x7, x7, x6 */
	0xd2800026, /* mov x6, #1 */
	0xf1000631, /* subs x17, x17, #1 */
	0x54ffff81, /* b.ne .-16 */
	0xd4000002, /* hvc #0 */
};

/* SCTLR_EL1.A, and Device memory: an alignment fault. */
Test(core_repeated, accesses_that_have_to_be_aligned)
{
	static const struct {
		uint64_t sctlr, mair, esr;
	} rows[] = {
		{0, 0xff, 0},
		{2, 0xff, ESR(0x25, 0x21)},
		{0, 0, ESR(0x25, 0x21)},
	};

	for (unsigned int n = 0; n < MODES * ARRAY_SIZE(rows); n++) {
		struct core_machine *m =
			mapped(n % MODES, program_aligned_first, ARRAY_SIZE(program_aligned_first));

		core_set(m, 3, rows[n / MODES].mair);
		core_set(m, 4, core_get(m, 4) | rows[n / MODES].sctlr);
		core_set(m, 7, DATA);
		core_set(m, 17, 5);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		if (rows[n / MODES].esr)
			expect_reported(m, rows[n / MODES].esr, PROGRAM);
		else
			cr_expect_eq(m->exit.call_imm, 0);
		core_free(m);
	}
}

/* Twice where the access is valid, and then at the next place. */
static const uint32_t program_atomic[] = {
	0xf8e900ea, /* ldaddal x9, x10, [x7] */
	0x8b0600e7, /* add x7, x7, x6 */
	0xaa0503e6, /* mov x6, x5 */
	0x910083ff, /* add sp, sp, #32 */
	0xf1000631, /* subs x17, x17, #1 */
	0x54ffff61, /* b.ne .-20 */
	0xd4000002, /* hvc #0 */
};

static const uint32_t atomics[] = {
	0xf8e900ea, /* ldaddal x9, x10, [x7] */
	0xc8ea7ce9, /* casal x10, x9, [x7] */
	0xc85ffcea, /* ldaxr x10, [x7] */
	0xc80afce9, /* stlxr w10, x9, [x7] */
	0xf82903ea, /* ldadd x9, x10, [sp] */
};

/*
 * Unaligned accesses; accesses of a read-only page, which a load-exclusive may read; an unaligned
 * SP.
 */
Test(core_repeated, atomic_accesses_that_fault)
{
	static const struct {
		uint64_t step, sp;
		uint32_t esr[ARRAY_SIZE(atomics)];
	} rows[] = {
		{4, 0, {0x96000021, 0x96000021, 0x96000021, 0x96000061, 0}},
		{0x1000, 0, {0x9600004f, 0x9600004f, 0, 0x9600004f, 0}},
		{0, 8, {0, 0, 0, 0, 0x9a000000}},
	};
	const size_t count = ARRAY_SIZE(atomics);

	for (size_t n = 0; n < MODES * count * 3; n++) {
		const size_t row = n / MODES / count, which = n / MODES % count;
		struct core_machine *m =
			mapped((enum mode)(n % MODES), program_atomic, ARRAY_SIZE(program_atomic));

		core_load(m, PROGRAM, &atomics[which], 1);
		core_write(m, TABLES + 0x2000 + 8 * ((DATA + 0x1000 - RAM_BASE) / 0x1000),
			   (DATA + 0x1000) | PAGE_EL0 | 0x80);
		core_set(m, 4, core_get(m, 4) | 8); /* SA */
		core_set(m, 7, DATA);
		core_set(m, 5, rows[row].step);
		((struct soft_cpu *)m->cpu[0])->x[SOFT_X_SP] = DATA + rows[row].sp;
		core_set(m, 17, 6);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		if (rows[row].esr[which])
			expect_reported(m, rows[row].esr[which], PROGRAM);
		else
			cr_expect_eq(m->exit.call_imm, 0, "%zu", n);
		core_free(m);
	}
}

/*
 * The second page also has the current level's entries when its turn comes: twice in the first
 * page, and then in the second.
 */
static const uint32_t program_unprivileged[] = {
	0xf9400969, /* ldr x9, [x11, #16] */
	0xf9000969, /* str x9, [x11, #16] */
	0x14000001, /* b .+4 */
	0xf94000e9, /* ldr x9, [x7] */
	0xf90004e9, /* str x9, [x7, #8] */
	0xd503201f, /* LDTR or STTR */
	0x8b0600e7, /* add x7, x7, x6 */
	0xaa0503e6, /* mov x6, x5 */
	0xf1000631, /* subs x17, x17, #1 */
	0x54ffff41, /* b.ne .-24 */
	0xd4000002, /* hvc #0 */
};

/* LDTR and STTR have EL0's permissions, even after other accesses to the same page. */
Test(core_repeated, unprivileged_accesses)
{
	static const struct {
		uint32_t word, esr;
	} rows[] = {
		{0xf84048ea, 0x9600000f},	 /* ldtr x10, [x7, #4] */
		{0xf80008e9, 0x9600004f},	 /* sttr x9, [x7] */
		{0xb8400800 | 0xea, 0x9600000f}, /* ldtr w10, [x7] */
	};

	for (size_t n = 0; n < 2 * MODES * ARRAY_SIZE(rows); n++) {
		const bool faults = n % 2;
		const size_t row = n / 2 / MODES;
		struct core_machine *m = mapped((enum mode)(n / 2 % MODES), program_unprivileged,
						ARRAY_SIZE(program_unprivileged));

		core_load(m, PROGRAM + 20, &rows[row].word, 1);
		map_page(m, DATA, DATA);
		if (!faults)
			map_page(m, DATA + 0x1000, DATA + 0x1000);
		core_set(m, 7, DATA);
		core_set(m, 11, DATA + 0x1000);
		core_set(m, 5, 0x1000);
		core_set(m, 17, 2);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		cr_assert_eq(m->exit.call_imm, 0);
		core_set(m, PC, PROGRAM);
		core_set(m, 17, 1);
		cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
		if (faults)
			expect_reported(m, rows[row].esr, PROGRAM + 20);
		else
			cr_expect_eq(m->exit.call_imm, 0, "%zu", n);
		core_free(m);
	}
}
