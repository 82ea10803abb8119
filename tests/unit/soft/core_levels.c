/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter at EL2 and EL3: calls, and samples of operations of two Exception levels.
 */
#include "../compare.h"
#include "core_support.h"

#include <string.h>

static const struct engine_levels el2 = {.start = 2, .el2 = true};
static const struct engine_levels el3 = {.start = 3, .el2 = true, .el3 = true, .sel2 = true};
static const struct engine_levels secure_el1 = {
	.start = 1,
	.el3 = true,
	.security = ENGINE_SECURE,
};

static const uint32_t program_hvc2[] = {
	0xd51cc008, /* msr vbar_el2, x8 */
	0xd4000aa2, /* hvc #0x55 */
};

static const uint32_t program_report2[] = {
	0xd53c5214, /* mrs x20, esr_el2 */
	0xd53c4035, /* mrs x21, elr_el2 */
	0xd53c4016, /* mrs x22, spsr_el2 */
	0xd40000e3, /* smc #0x7 */
};

static const uint32_t program_smc3[] = {
	0xd51ec008, /* msr vbar_el3, x8 */
	0xd4000cc3, /* smc #0x66 */
};

static const uint32_t program_report3[] = {
	0xd53e5214, /* mrs x20, esr_el3 */
	0xd53e4035, /* mrs x21, elr_el3 */
	0xd53e4016, /* mrs x22, spsr_el3 */
	0xd503207f, /* wfi */
};

static const uint32_t program_smc1[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0xd4000ee3, /* smc #0x77 */
};

static const uint32_t program_report1[] = {
	0xd5385214, /* mrs x20, esr_el1 */
	0xd5384035, /* mrs x21, elr_el1 */
	0xd4000022, /* hvc #0x1 */
};

#define ESR(ec, iss) ((uint64_t)(ec) << 26 | UINT64_C(1) << 25 | (iss))

Test(core_levels, calls_to_what_is_above)
{
	struct core_machine *m = core_new((struct core_options){.levels = el2});

	CORE_LOAD(m, CODE, program_hvc2);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report2);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_SMC);
	cr_assert_eq(m->exit.call_imm, 7);
	cr_assert_eq(core_get(m, PC), VECTORS + VECTOR_SYNC + 16);
	cr_assert_eq(core_get(m, 20), ESR(0x16, 0x55));
	cr_assert_eq(core_get(m, 21), CODE + 8);
	cr_assert_eq(core_get(m, 22), 0x3c9);
	core_free(m);

	m = core_new((struct core_options){.levels = el3});
	CORE_LOAD(m, CODE, program_smc3);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report3);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_WFI);
	cr_assert_eq(core_get(m, 20), ESR(0x17, 0x66));
	cr_assert_eq(core_get(m, 21), CODE + 8);
	cr_assert_eq(core_get(m, 22), 0x3cd);
	core_free(m);
}

/* At EL1 SMC is UNDEFINED without EL3, and the machine's with it. */
Test(core_levels, smc_at_el1)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_smc1);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report1);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 20), ESR(0, 0));
	cr_assert_eq(core_get(m, 21), CODE + 4);
	core_free(m);

	m = core_new((struct core_options){.levels = secure_el1});
	CORE_LOAD(m, CODE, program_smc1);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_SMC);
	cr_assert_eq(m->exit.call_imm, 0x77);
	cr_assert_eq(core_get(m, PC), CODE + 8);
	core_free(m);
}

/*
 * EL2 profiles itself and EL1, which works and calls it. The vector counts calls.
 */
static const uint32_t program_profile[] = {
	0xd51ce06f, /* msr cntvoff_el2, x15 */
	0xd51ce0d0, /* msr cntpoff_el2, x16 */
	0xd51ce111, /* msr cnthctl_el2, x17 */
	0xd51cc008, /* msr vbar_el2, x8 */
	0xd5189961, /* msr pmsirr_el1, x1 */
	0xd5189a22, /* msr pmbptr_el1, x2 */
	0xd5189a03, /* msr pmblimitr_el1, x3 */
	0x10000106, /* adr x6, lower */
	0xd51c4026, /* msr elr_el2, x6 */
	0xd28078a7, /* mov x7, #0x3c5 */
	0xd51c4007, /* msr spsr_el2, x7 */
	0xd51c9904, /* msr pmscr_el2, x4 */
	0xd5189905, /* msr pmscr_el1, x5 */
	0xd5033fdf, /* isb */
	0xd69f03e0, /* eret */
	0x91000d6b, /* lower: add x11, x11, #0x3 */
	0xf900014b, /* str x11, [x10] */
	0xf940014c, /* ldr x12, [x10] */
	0xca0c01ad, /* eor x13, x13, x12 */
	0xd4000062, /* hvc #0x3 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffff41, /* b.ne lower */
	0xd4000423, /* smc #0x21 */
};

static const uint32_t program_count[] = {
	0x910005ce, /* add x14, x14, #0x1 */
	0x3600004e, /* tbz w14, #0, 1f */
	0xf900054e, /* str x14, [x10, #8] */
	0xd69f03e0, /* 1: eret */
};

#define VECTOR_LOWER UINT64_C(0x400)
#define LAPS	     5000

struct offsets {
	uint64_t cntvoff, cntpoff, cnthctl;
};

static struct core_machine *profiled_at(bool single_step, uint64_t pmscr_el2, uint64_t pmscr_el1,
					struct offsets offsets)
{
	struct core_machine *m = core_new(
		(struct core_options){.levels = el2, .spe = true, .single_step = single_step});

	CORE_LOAD(m, CODE, program_profile);
	CORE_LOAD(m, VECTORS + VECTOR_LOWER, program_count);
	core_set(m, 1, 0x100);
	core_set(m, 2, BUFFER);
	core_set(m, 3, (BUFFER + 0x10000) | 1);
	core_set(m, 4, pmscr_el2);
	core_set(m, 5, pmscr_el1);
	core_set(m, 8, VECTORS);
	core_set(m, 9, LAPS);
	core_set(m, 10, DATA);
	core_set(m, 15, offsets.cntvoff);
	core_set(m, 16, offsets.cntpoff);
	core_set(m, 17, offsets.cnthctl);
	cr_assert_eq(core_run(m, 1000000), ENGINE_EXIT_SMC);
	cr_assert_eq(m->exit.call_imm, 0x21);
	cr_assert_eq(core_get(m, 14), LAPS);
	return m;
}

static struct core_machine *profiled(bool single_step, uint64_t pmscr_el2, uint64_t pmscr_el1)
{
	return profiled_at(single_step, pmscr_el2, pmscr_el1, (struct offsets){0});
}

#define E2SPE	 UINT64_C(0x2)
#define E1SPE	 UINT64_C(0x2)
#define PA	 UINT64_C(0x10)
#define TS	 UINT64_C(0x20)
#define PHYSICAL UINT64_C(0x40)
#define OFFSET	 UINT64_C(0xc0)

#define PC_PACKET     0xb0
#define TARGET_PACKET 0xb1

#define TIMESTAMP 0x71

/* The packet of 8 bytes with this header in the record at bytes; 0: it has none. */
static uint64_t packet(const uint8_t *bytes, uint8_t header)
{
	const uint8_t *at = bytes;

	while (at < bytes + 64 && *at != 0x01 && (*at != TIMESTAMP || header == TIMESTAMP)) {
		const bool extended = (*at & 0xfc) == 0x20;
		const uint8_t first = extended ? at[1] : at[0];
		uint64_t value = 0;

		at += extended ? 2 : 1;
		if (first == header) {
			memcpy(&value, at, 8);
			return value;
		}
		at += first ? UINT64_C(1) << (first >> 4 & 3) : 0;
	}
	return 0;
}

/* Exception level and Security state of an address packet. */
static unsigned int el_of(uint64_t address)
{
	return address >> 61 & 3;
}

static bool ns_of(uint64_t address)
{
	return address >> 63;
}

Test(core_levels, samples_of_two_levels)
{
	struct core_machine *m = profiled(false, E2SPE | PA | TS | PHYSICAL, E1SPE);
	unsigned int by_el[4] = {0}, calls = 0, returns = 0;

	cr_assert_eq(m->record_bytes, (LAPS * 10 + LAPS / 2) / 257 * 64, "%zu bytes of records",
		     m->record_bytes);
	for (size_t i = 0; i < m->record_bytes; i += 64) {
		const uint64_t pc = packet(m->records + i, PC_PACKET);
		const uint64_t target = packet(m->records + i, TARGET_PACKET);
		const bool vector = (pc & 0xffffffff) >= VECTORS;

		cr_assert_eq(el_of(pc), vector ? 2 : 1, "PC packet %#lx", pc);
		cr_assert(ns_of(pc));
		by_el[el_of(pc)]++;
		calls += (pc & 0xffffffff) == CODE + 19 * 4;
		if ((pc & 0xffffffff) != VECTORS + VECTOR_LOWER + 12)
			continue;
		returns++;
		cr_assert_eq(target, UINT64_C(5) << 61 | (CODE + 20 * 4), "to EL1: %#lx", target);
	}
	cr_expect_gt(by_el[1], 100, "%u at EL1, %u at EL2, %u calls, %u returns", by_el[1],
		     by_el[2], calls, returns);
	cr_expect_gt(by_el[2], 50, "%u at EL1, %u at EL2, %u calls, %u returns", by_el[1], by_el[2],
		     calls, returns);
	cr_expect_gt(calls, 10, "%u at EL1, %u at EL2, %u calls, %u returns", by_el[1], by_el[2],
		     calls, returns);
	cr_expect_gt(returns, 10, "%u at EL1, %u at EL2, %u calls, %u returns", by_el[1], by_el[2],
		     calls, returns);
	core_free(m);
}

/* Whoever is not to be profiled is not, and the counter holds meanwhile. */
Test(core_levels, samples_of_one_level)
{
	static const struct {
		uint64_t pmscr_el2, pmscr_el1;
		unsigned int el;
		size_t population;
	} rows[] = {
		{E2SPE, 0, 2, LAPS * 3 + LAPS / 2},
		{0, E1SPE, 1, LAPS * 7},
	};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *m = profiled(false, rows[n].pmscr_el2, rows[n].pmscr_el1);

		cr_expect_eq(m->record_bytes / 64, rows[n].population / 257, "%zu bytes",
			     m->record_bytes);
		for (size_t i = 0; i < m->record_bytes; i += 64)
			cr_assert_eq(el_of(packet(m->records + i, PC_PACKET)), rows[n].el);
		core_free(m);
	}
}

/* Records do not depend on how many operations the interpreter executes at a time. */
Test(core_levels, single_steps_give_the_same_records)
{
	static const struct {
		uint64_t pmscr_el2, pmscr_el1;
	} rows[] = {{E2SPE | PA | TS | PHYSICAL, E1SPE}, {TS | E2SPE, 0}, {PA | TS, E1SPE}};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *a = profiled(false, rows[n].pmscr_el2, rows[n].pmscr_el1);
		struct core_machine *b = profiled(true, rows[n].pmscr_el2, rows[n].pmscr_el1);

		cr_assert_gt(a->record_bytes, 0);
		cr_assert_eq(a->record_bytes, b->record_bytes);
		cr_assert_arr_eq(a->records, b->records, a->record_bytes);
		cr_assert(core_same(a, b));
		core_free(a);
		core_free(b);
	}
}

/*
 * RULE("D17.6/timestamp")
 * PMSCR_EL2.PCT: the count, less CNTVOFF_EL2, or less CNTPOFF_EL2 if CNTHCTL_EL2.ECV lets it.
 */
Test(core_levels, timestamps)
{
	static const struct offsets offsets = {0x1000, 0x300, 1 << 12},
				    disabled = {0x1000, 0x300, 0};
	static const struct {
		uint64_t pct;
		const struct offsets *offsets;
		uint64_t less;
	} rows[] = {
		{0, &offsets, 0x1000},	{PHYSICAL, &offsets, 0}, {OFFSET, &offsets, 0x300},
		{OFFSET, &disabled, 0}, {0, &disabled, 0x1000},
	};
	struct core_machine *plain = profiled(false, E2SPE | TS | PHYSICAL, E1SPE);

	for (size_t n = 0; n < 2 * ARRAY_SIZE(rows); n++) {
		struct core_machine *m = profiled_at(n & 1, E2SPE | TS | rows[n / 2].pct, E1SPE,
						     *rows[n / 2].offsets);

		cr_assert_eq(m->record_bytes, plain->record_bytes);
		for (size_t i = 0; i < m->record_bytes; i += 64) {
			cr_assert_eq(packet(m->records + i, TIMESTAMP) + rows[n / 2].less,
				     packet(plain->records + i, TIMESTAMP), "row %zu, record %zu",
				     n / 2, i / 64);
		}
		core_free(m);
	}
	core_free(plain);
}

static const uint32_t program_profile1[] = {
	0xd5189961, /* msr pmsirr_el1, x1 */
	0xd5189a22, /* msr pmbptr_el1, x2 */
	0xd5189a03, /* msr pmblimitr_el1, x3 */
	0xd5189905, /* msr pmscr_el1, x5 */
	0xd5033fdf, /* isb */
	0x91000d6b, /* 1: add x11, x11, #0x3 */
	0xf900014b, /* str x11, [x10] */
	0xf940014c, /* ldr x12, [x10] */
	0xca0c01ad, /* eor x13, x13, x12 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffff61, /* b.ne 1b */
	0xd4000022, /* hvc #0x1 */
};

/* The Security state that the machine starts in, in every address that says it. */
Test(core_levels, security_states)
{
	static const struct {
		struct engine_levels levels;
		unsigned int ns, nse;
	} rows[] = {
		{{.start = 1}, 1, 0},
		{{.start = 1, .el3 = true, .security = ENGINE_SECURE}, 0, 0},
		{{.start = 1, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM},
		 1,
		 1},
	};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *m =
			core_new((struct core_options){.spe = true, .levels = rows[n].levels});
		unsigned int branches = 0;

		CORE_LOAD(m, CODE, program_profile1);
		core_set(m, 1, 0x100);
		core_set(m, 2, BUFFER);
		core_set(m, 3, (BUFFER + 0x10000) | 1);
		core_set(m, 5, E1SPE | PA | TS);
		core_set(m, 9, LAPS);
		core_set(m, 10, DATA);
		cr_assert_eq(core_run(m, 1000000), ENGINE_EXIT_HVC);
		cr_assert_eq(m->record_bytes, (6 * LAPS + 2) / 257 * 64);
		for (size_t i = 0; i < m->record_bytes; i += 64) {
			const uint64_t pc = packet(m->records + i, PC_PACKET);
			const uint64_t target = packet(m->records + i, TARGET_PACKET);

			cr_assert_eq(ns_of(pc), rows[n].ns);
			cr_assert_eq(pc >> 60 & 1, rows[n].nse);
			branches += target != 0;
			if (!target)
				continue;
			cr_assert_eq(ns_of(target), rows[n].ns);
			cr_assert_eq(target >> 60 & 1, rows[n].nse);
		}
		cr_assert_gt(branches, 0);
		core_free(m);
	}
}
