/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints and watchpoints while code is profiled: what does not match changes nothing, and what
 * matches is counted and sampled as any exception is.
 */
#include "../compare.h"
#include "core_support.h"

#include <string.h>

#define OPERATIONS 100000

/* X0 to X3: what goes into MDSCR_EL1, DBGWVR0_EL1, DBGWCR0_EL1, DBGBCR0_EL1; X4: DBGBVR0_EL1. */
static const uint32_t program[] = {
	0xd510109f, /* msr oslar_el1, xzr */
	0xd51000c1, /* msr dbgwvr0_el1, x1 */
	0xd51000e2, /* msr dbgwcr0_el1, x2 */
	0xd5100084, /* msr dbgbvr0_el1, x4 */
	0xd51000a3, /* msr dbgbcr0_el1, x3 */
	0xd518c008, /* msr vbar_el1, x8 */
	0xd5100240, /* msr mdscr_el1, x0 */
	0xd5033fdf, /* isb */
	0xd50348ff, /* msr daifclr, #8 */
	0xf9400145, /* 1: ldr x5, [x10] */
	0x910004a5, /* add x5, x5, #1 */
	0xf9000145, /* str x5, [x10] */
	0xa9410d46, /* ldp x6, x3, [x10, #16] */
	0xd503201f, /* nop */
	0x8b050129, /* add x9, x9, x5 */
	0x17fffffa, /* b 1b */
};

/* Skips the instruction. The vector: ELR_EL1 += 4, and X11 counts. */
static const uint32_t skip[] = {
	0x9100056b, /* add x11, x11, #1 */
	0xd538402c, /* mrs x12, elr_el1 */
	0x9100118c, /* add x12, x12, #4 */
	0xd518402c, /* msr elr_el1, x12 */
	0xd69f03e0, /* eret */
};

#define LDR_AT	9 /* the load in the loop */
#define LAP	7
#define HANDLER 5
#define PREFIX	9
#define ALL_EL1 0x1fe3 /* E, EL1, BAS; LSC is added */
#define MDE_KDE UINT64_C(0xa000)

static struct core_machine *run(bool single_step, uint64_t mdscr, uint64_t wvr, uint64_t wcr,
				uint64_t bvr, uint64_t bcr)
{
	struct core_machine *m =
		core_new((struct core_options){.single_step = single_step, .spe = true});

	CORE_LOAD(m, CODE, program);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, skip);
	core_set(m, 0, mdscr);
	core_set(m, 1, wvr);
	core_set(m, 2, wcr);
	core_set(m, 3, bcr);
	core_set(m, 4, bvr);
	core_set(m, 8, VECTORS);
	core_set(m, 10, DATA);
	core_profile(m, 256);
	cr_assert_eq(core_run(m, OPERATIONS), ENGINE_EXIT_BUDGET);
	/* What was only for the beginning does not count in comparisons. */
	for (unsigned int n = 0; n < 5; n++)
		core_set(m, n, 0);
	return m;
}

static void check_same(const struct core_machine *a, const struct core_machine *b, const char *what)
{
	cr_assert_eq(engine_soft.vcpu_ops(a->cpu[0]), engine_soft.vcpu_ops(b->cpu[0]), "%s", what);
	cr_assert(core_same(a, b), "%s: other registers or memory", what);
	cr_assert_eq(a->record_bytes, b->record_bytes, "%s", what);
	cr_assert_arr_eq(a->records, b->records, a->record_bytes, "%s: other records", what);
}

/* Enabled and never met: one operation at a time, and the same to the byte. */
Test(core_debug, what_does_not_match_changes_nothing)
{
	struct core_machine *plain = run(false, 0, 0, 0, 0, 0);
	struct core_machine *watched =
		run(false, MDE_KDE, DATA + 64, ALL_EL1 | 0x18, CODE + 0x800, 3);
	struct core_machine *stepped =
		run(true, MDE_KDE, DATA + 64, ALL_EL1 | 0x18, CODE + 0x800, 3);

	cr_assert_gt(plain->record_bytes, 64 * 300);
	check_same(plain, watched, "watched");
	check_same(plain, stepped, "watched and stepped");
	core_free(plain);
	core_free(watched);
	core_free(stepped);
}

/* The nth record's PC, and its events. */
static uint64_t record_pc(const struct core_machine *m, size_t n, uint64_t *events, bool *has_va)
{
	const uint8_t *p = m->records + 64 * n, *end = p + 64;
	uint64_t pc = 0;

	*has_va = false;
	while (p<end && * p> 1) {
		const uint8_t header = *p++;
		const unsigned int bytes = 1u << (header >> 4 & 3);
		uint64_t value = 0;

		memcpy(&value, p, bytes);
		if (header == 0xb0)
			pc = value & ~(UINT64_C(0xff) << 56);
		if (header == 0xb2)
			*has_va = true;
		if ((header & 0xcf) == 0x42)
			*events = value;
		p += bytes;
	}
	return pc;
}

/* A watched load is an operation that generates an exception, each time around. */
Test(core_debug, a_watched_access_counts_and_is_sampled)
{
	const uint64_t bytes = ALL_EL1 | UINT64_C(1) << 3; /* loads */
	struct core_machine *m = run(false, MDE_KDE, DATA, bytes, 0, 0);
	struct core_machine *stepped = run(true, MDE_KDE, DATA, bytes, 0, 0);
	const uint64_t per_lap = LAP + HANDLER;
	size_t sampled = 0;

	check_same(m, stepped, "stepped");
	cr_assert_eq(core_get(m, 11), (OPERATIONS - PREFIX + per_lap - 2) / per_lap);
	/* The load never came to be: X5 counts laps, and the word has the last one stored. */
	cr_assert_leq(core_get(m, 5) - core_read(m, DATA), 1);
	cr_assert_leq(core_get(m, 11) - core_get(m, 5), 1);
	for (size_t n = 0; n < m->record_bytes / 64; n++) {
		uint64_t events = 0;
		bool has_va;
		const uint64_t pc = record_pc(m, n, &events, &has_va);

		cr_assert_eq(events & 1, pc == CODE + 4 * LDR_AT, "record %zu at 0x%lx", n,
			     (unsigned long)pc);
		sampled += events & 1;
	}
	cr_assert_gt(sampled, 10);
	core_free(m);
	core_free(stepped);
}

/* RULE("D17.8.3/watchpoints") Records are written where a watchpoint is set for every store. */
Test(core_debug, records_meet_no_watchpoint)
{
	const uint64_t bytes = ALL_EL1 | UINT64_C(2) << 3; /* stores */
	struct core_machine *m = run(false, MDE_KDE, BUFFER, bytes, 0, 0);
	struct core_machine *stored = run(false, MDE_KDE, DATA, bytes, 0, 0);

	cr_assert_gt(m->record_bytes, 64);
	cr_assert_eq(core_get(m, 11), 0);
	cr_assert_gt(core_get(stored, 11), 0);
	core_free(m);
	core_free(stored);
}

/* The instruction at a breakpoint is not executed and is no operation. */
Test(core_debug, a_breakpoint_is_no_operation)
{
	struct core_machine *m = run(false, MDE_KDE, 0, 0, CODE + 4 * LDR_AT, 3);
	struct core_machine *stepped = run(true, MDE_KDE, 0, 0, CODE + 4 * LDR_AT, 3);
	const uint64_t per_lap = LAP - 1 + HANDLER;

	check_same(m, stepped, "stepped");
	cr_assert_eq(core_get(m, 11), (OPERATIONS - PREFIX + per_lap - 1) / per_lap);
	for (size_t n = 0; n < m->record_bytes / 64; n++) {
		uint64_t events = 0;
		bool has_va;

		cr_assert_neq(record_pc(m, n, &events, &has_va), CODE + 4 * LDR_AT);
		cr_assert_eq(events & 1, 0);
	}
	core_free(m);
	core_free(stepped);
}
