/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_MOPS: memory copy and set, their registers after each instruction (option A), faults in the
 * middle, exceptions of a wrong sequence, records and counters. The moved memory is compared with
 * memmove() and memset().
 */
#include "../compare.h"
#include "core_support.h"

#include <string.h>

#include "arm/registers.h"
#include "base/splitmix.h"
#include "soft/model/model.h"
#include "soft/flags.h"
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/tuning.h"

/* of [x0], [x1], x2; a set's data is in x1 */
#define CPYFP 0x19010440
#define CPYFM 0x19410440
#define CPYFE 0x19810440
#define CPYP  0x1d010440
#define CPYM  0x1d410440
#define CPYE  0x1d810440
#define SETP  0x19c10440
#define SETM  0x19c14440
#define SETE  0x19c18440
#define HVC   0xd4000002

#define ROOM 0x6000 /* bytes at DATA that tests move in */

static struct soft_cpu *cpu_of(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* its first member */
}

static struct core_machine *with_mops(struct core_options options)
{
	static const struct engine_tuning tuning = {.isa = SOFT_ISA(HCX) | SOFT_ISA(MOPS)};

	options.model = &tuning;
	return core_new(options);
}

static void begin(struct core_machine *m, const uint32_t *words, size_t count, uint64_t to,
		  uint64_t from, uint64_t size)
{
	core_load(m, CODE, words, count);
	cpu_of(m)->vm->drop_all = true; /* drop blocks decoded from another program there */
	core_set(m, PC, CODE);
	core_set(m, 0, to);
	core_set(m, 1, from);
	core_set(m, 2, size);
}

static void expect_registers(struct core_machine *m, uint64_t to, uint64_t from, uint64_t n,
			     const char *what)
{
	cr_assert_eq(core_get(m, 0), to, "%s: Xd 0x%llx", what,
		     (unsigned long long)(core_get(m, 0) - DATA));
	cr_assert_eq(core_get(m, 1), from, "%s: Xs", what);
	cr_assert_eq(core_get(m, 2), n, "%s: Xn %lld", what, (long long)core_get(m, 2));
}

static uint8_t before[ROOM];

static void fill(struct core_machine *m, uint64_t *random)
{
	for (unsigned int n = 0; n < ROOM; n++)
		before[n] = (uint8_t)splitmix_next(random);
	memcpy(m->ram + (DATA - RAM_BASE), before, ROOM);
}

/* Run the loaded program to its HVC, in pieces of so many operations. */
static void finish(struct core_machine *m, uint64_t piece)
{
	unsigned int runs = 0;

	while (core_run(m, piece) == ENGINE_EXIT_BUDGET)
		cr_assert_lt(runs++, 1000);
	cr_assert_eq(m->exit.reason, ENGINE_EXIT_HVC);
}

/* Sizes and offsets of all kinds: short, one unit more or less, several operations. */
static uint64_t some_size(uint64_t random)
{
	static const uint64_t near[] = {0, 1, 63, 64, 65, 128, 4095, 4096, 4160, 8192};

	if (random % 4 == 0)
		return near[random / 4 % 10];
	return random % 4 == 1 ? random / 4 % 200 : random / 4 % 9000;
}

Test(core_mops, copies_as_memmove)
{
	static const uint32_t any[] = {CPYP, CPYM, CPYE, HVC};
	static const uint32_t forward[] = {CPYFP, CPYFM, CPYFE, HVC};
	struct core_machine *m = with_mops((struct core_options){0});
	uint64_t random = 1;

	for (unsigned int n = 0; n < 3000; n++) {
		const bool overlap = n % 3 != 0;
		const uint64_t size = some_size(splitmix_next(&random));
		const uint64_t to = splitmix_next(&random) % 5000;
		const uint64_t near = to + 100 - splitmix_next(&random) % 200;
		const uint64_t from = !overlap ? to + size : near < 10000 ? near : 0;
		const bool down = from < to && from + size > to;

		fill(m, &random);
		begin(m, n % 2 && !overlap ? forward : any, 4, DATA + to, DATA + from, size);
		finish(m, n % 5 == 0 ? 1 : 1000);
		memmove(before + to, before + from, size);
		cr_assert_arr_eq(m->ram + (DATA - RAM_BASE), before, ROOM,
				 "%llu bytes from %llu to %llu", (unsigned long long)size,
				 (unsigned long long)from, (unsigned long long)to);
		expect_registers(m, DATA + to + (down ? 0 : size), DATA + from + (down ? 0 : size),
				 0, "at the end");
		cr_assert_eq(soft_flags(cpu_of(m)), 0);
	}
	core_free(m);
}

Test(core_mops, sets_as_memset)
{
	static const uint32_t words[] = {SETP, SETM, SETE, HVC};
	struct core_machine *m = with_mops((struct core_options){0});
	uint64_t random = 2;

	for (unsigned int n = 0; n < 500; n++) {
		const uint64_t size = some_size(splitmix_next(&random));
		const uint64_t to = splitmix_next(&random) % 5000;
		const uint64_t value = splitmix_next(&random);

		fill(m, &random);
		begin(m, words, 4, DATA + to, value, size);
		finish(m, n % 2 ? 1 : 1000);
		memset(before + to, (uint8_t)value, size);
		cr_assert_arr_eq(m->ram + (DATA - RAM_BASE), before, ROOM);
		expect_registers(m, DATA + to + size, value, 0, "at the end");
	}
	/* the data may be XZR */
	begin(m, (const uint32_t[]){SETP | 0x1f0000, SETM | 0x1f0000, SETE | 0x1f0000, HVC}, 4,
	      DATA, 7, 100);
	finish(m, 1000);
	cr_expect_eq(core_read(m, DATA + 88), 0);
	core_free(m);
}

/* Option A: the registers after the prologue and the main instruction, by the operation. */
Test(core_mops, registers_between)
{
	static const uint32_t copy[] = {CPYP, CPYM, CPYE, HVC};
	struct core_machine *m = with_mops((struct core_options){0});

	/* up: the destination is aligned to 64 after the prologue, then 4096 at a time */
	begin(m, copy, 4, DATA + 0x10, DATA + 0x5001, 0x2100);
	soft_set_flags(cpu_of(m), 0xf);
	cr_assert_eq(core_run(m, 1), ENGINE_EXIT_BUDGET);
	expect_registers(m, DATA + 0x2110, DATA + 0x7101, 0 - UINT64_C(0x20d0), "CPYP up");
	cr_assert_eq(soft_flags(cpu_of(m)), 0);
	core_run(m, 1);
	expect_registers(m, DATA + 0x2110, DATA + 0x7101, 0 - UINT64_C(0x10d0), "CPYM up");
	cr_assert_eq(core_get(m, PC), CODE + 4, "it goes on");
	core_run(m, 1);
	cr_assert_eq(core_get(m, PC), CODE + 4, "and on");
	core_run(m, 1);
	expect_registers(m, DATA + 0x2110, DATA + 0x7101, 0 - UINT64_C(0x10), "CPYM up");
	cr_assert_eq(core_get(m, PC), CODE + 8, "to its end");
	cr_assert_eq(core_run(m, 2), ENGINE_EXIT_HVC);
	/* down: its end is */
	begin(m, copy, 4, DATA + 0x10, DATA + 0x8, 0x105);
	core_run(m, 1);
	expect_registers(m, DATA + 0x10, DATA + 0x8, 0x100 - 0x10, "CPYP down");
	core_run(m, 1);
	expect_registers(m, DATA + 0x10, DATA + 0x8, 0x30, "CPYM down");
	core_run(m, 1);
	expect_registers(m, DATA + 0x10, DATA + 0x8, 0, "CPYE down");
	/* sizes are saturated: CPYP to 55 bits, the others to 63; address tags do not count */
	begin(m, copy, 4, DATA | UINT64_C(1) << 60, DATA + 0x3000, UINT64_MAX);
	core_run(m, 1);
	cr_assert_eq(core_get(m, 2), 0 - UINT64_C(0x007fffffffffffff));
	begin(m, (const uint32_t[]){CPYFP}, 1, DATA, DATA + 0x3000, UINT64_MAX);
	core_run(m, 1);
	cr_assert_eq(core_get(m, 2), 0 - UINT64_C(0x7fffffffffffffff));
	begin(m, (const uint32_t[]){SETP}, 1, DATA, 0, UINT64_C(1) << 63);
	core_run(m, 1);
	cr_assert_eq(core_get(m, 2), 0 - UINT64_C(0x7fffffffffffffff));
	core_free(m);
}

/*
 * A destination or source with a hole: the registers say what was moved, and the rest continues
 * from there.
 */
static void check_fault(uint64_t to, uint64_t from, bool write, bool down)
{
	static const uint32_t words[] = {CPYP, CPYM, CPYE, HVC};
	const uint64_t hole = DATA + 0x2000, size = 0x1800;
	const uint64_t entry = TABLES + 0x2000 + (hole - RAM_BASE) / 0x1000 * 8;
	struct core_machine *m = with_mops((struct core_options){0});
	uint64_t random = 3, left;

	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, hole);
	core_set(m, PC, CODE);
	core_run(m, sizeof(program_mmu_on) / 4);
	fill(m, &random);
	begin(m, words, 4, to, from, size);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 1);
	cr_assert_eq(core_get(m, 20) & ~UINT64_C(0xfff), hole, "FAR");
	cr_assert_eq(core_get(m, 21) >> 26, 0x25);
	cr_assert_eq((core_get(m, 21) & 0x40) != 0, write, "WnR");
	cr_assert_eq(core_get(m, 22), CODE + 4, "in the main instruction");
	left = down ? core_get(m, 2) : 0 - core_get(m, 2);
	cr_assert_gt(left, 0, "%llu", (unsigned long long)left);
	cr_assert_lt(left, size, "%llu", (unsigned long long)left);
	cr_assert_eq(core_get(m, 0), down ? to : to + size);
	core_write(m, entry, hole | 0x703);
	core_set(m, PC, CODE + 4);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 0);
	memmove(before + (to - DATA), before + (from - DATA), size);
	cr_assert_arr_eq(m->ram + (DATA - RAM_BASE), before, ROOM);
	core_free(m);
}

Test(core_mops, faults_going_up)
{
	check_fault(DATA + 0x4000, DATA + 0x1010, false, false);
	check_fault(DATA + 0x1010, DATA + 0x3000, true, false);
}

Test(core_mops, faults_going_down)
{
	check_fault(DATA + 0x1c10, DATA + 0x1810, false, true);
	check_fault(DATA + 0x1900, DATA + 0x800, true, true);
}

/* A prologue that faults changes nothing, and executes again. */
Test(core_mops, a_prologue_that_faults)
{
	static const uint32_t words[] = {CPYP};
	struct core_machine *m = with_mops((struct core_options){0});

	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, DATA + 0x1000);
	core_set(m, PC, CODE);
	core_run(m, sizeof(program_mmu_on) / 4);
	begin(m, words, 1, DATA + 0x1010, DATA, 0x500);
	soft_set_flags(cpu_of(m), 0x9);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 20), DATA + 0x1010);
	cr_assert(core_get(m, 21) & 0x40);
	expect_registers(m, DATA + 0x1010, DATA, 0x500, "unchanged");
	cr_assert_eq(cpu_of(m)->sys.spsr[1] >> 28, 0x9);
	core_free(m);
}

/* The Memory Copy and Memory Set exceptions: ESR_ELx.ISS as ESR_EL1 has it. */
Test(core_mops, exceptions)
{
	static const struct {
		const char *what;
		uint32_t word;
		unsigned int nzcv;
		uint64_t n;
		uint32_t iss; /* 0: none */
	} rows[] = {
		{"CPYM of option B", CPYM, 2, 0, 3 << 16 | 1 << 5 | 2},
		{"CPYFE of option B", CPYFE, 6, 0, 7 << 16 | 1 << 5 | 2},
		{"SETM of option B", SETM, 2, 0, 1 << 24 | 3 << 16 | 1 << 5 | 2},
		{"CPYEWN", CPYE | 0x4000, 0, 64, 4 << 19 | 5 << 16 | 1 << 5 | 2},
		{"CPYFET", CPYFE | 0x3000, 0, 0 - UINT64_C(64), 3 << 19 | 5 << 16 | 1 << 5 | 2},
		{"SETEN", SETE | 0x2000, 0, 0 - UINT64_C(99),
		 1 << 24 | 2 << 19 | 5 << 16 | 1 << 5 | 2},
		{"CPYFM that would go down", CPYFM, 0, 1, 1 << 16 | 1 << 5 | 2},
		{"SETM that would go down", SETM, 0, 1, 1 << 24 | 1 << 16 | 1 << 5 | 2},
		{"CPYE of 63", CPYE, 0xd, 63, 0},
		{"SETE of 63", SETE, 0, 0 - UINT64_C(63), 0},
		{"CPYFM of none", CPYFM, 0, 0, 0},
	};
	struct core_machine *m = with_mops((struct core_options){0});

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
		cpu_of(m)->sys.vbar[1] = VECTORS;
		begin(m, (const uint32_t[]){rows[i].word, HVC}, 2, DATA + 0x1000, DATA + 0x3000,
		      rows[i].n);
		cpu_of(m)->sys.pstate.daif = 0;
		soft_set_flags(cpu_of(m), rows[i].nzcv);
		cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC, "%s", rows[i].what);
		cr_expect_eq(m->exit.call_imm, rows[i].iss != 0, "%s", rows[i].what);
		if (!rows[i].iss)
			continue;
		cr_expect_eq(core_get(m, 21), UINT64_C(0x27) << 26 | 1 << 25 | rows[i].iss,
			     "%s: 0x%llx", rows[i].what, (unsigned long long)core_get(m, 21));
		cr_expect_eq(core_get(m, 22), CODE, "%s", rows[i].what);
		expect_registers(m, DATA + 0x1000, DATA + 0x3000, rows[i].n, rows[i].what);
	}
	core_free(m);
}

/* Software step passes over a whole instruction; its operations are counted. */
Test(core_mops, software_step)
{
	static const uint32_t words[] = {SETM, HVC};
	struct core_machine *m = with_mops((struct core_options){0});
	struct soft_sys *sys = &cpu_of(m)->sys;

	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	sys->vbar[1] = VECTORS;
	begin(m, words, 2, DATA + 0x3000, 7, 0 - UINT64_C(0x3000));
	sys->os_lock = false;
	sys->mdscr_el1 = MDSCR_EL1_SS | MDSCR_EL1_KDE;
	sys->pstate.daif = 0;
	sys->pstate.ss = true;
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(core_get(m, 21) >> 26, 0x33, "a step");
	cr_assert_eq(core_get(m, 22), CODE + 4);
	expect_registers(m, DATA + 0x3000, 7, 0, "stepped");
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 3 + 4, "3 of SETM, 4 of the handler");
	core_free(m);
}

/* LD_RETIRED and ST_RETIRED count an instruction once. */
Test(core_mops, counted)
{
	static const uint32_t words[] = {CPYP, CPYM, CPYE, 0xd2860002 /* mov x2, #0x3000 */,
					 SETP, SETM, SETE, HVC};
	struct core_machine *m = with_mops((struct core_options){.pmu = PMU_V3P5});
	struct soft_cpu *cpu = cpu_of(m);
	struct pmu *unit = &cpu->sys.pmu->unit;

	begin(m, words, 8, DATA, DATA + 0x3000, 0x2020);
	soft_pmu_refresh(cpu);
	pmu_register_write(unit, PMU_PMEVTYPER0_EL0, PMU_LD_RETIRED);
	pmu_register_write(unit, PMU_PMEVTYPER0_EL0 + 1, PMU_ST_RETIRED);
	pmu_register_write(unit, PMU_PMCNTENSET_EL0, 3);
	pmu_register_write(unit, PMU_PMCR_EL0, PMU_PMCR_E);
	soft_pmu_refresh(cpu);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	soft_pmu_refresh(cpu);
	cr_assert_eq(unit->counter[0], 3);
	cr_assert_eq(unit->counter[1], 6);
	core_free(m);
}

struct seen {
	unsigned int loads, stores, sets, other, without;
};

/* One record of 64 bytes: operation type, data address. */
static void look_at(const uint8_t *p, struct seen *seen)
{
	const uint8_t *end = p + 64;
	uint64_t va = 0, pc = 0;
	unsigned int header = 0, payload = 0;
	bool has_va = false;

	while (p<end && * p> 1) {
		const uint8_t packet = *p++;
		const unsigned int bytes = 1u << (packet >> 4 & 3);
		uint64_t value = 0;

		memcpy(&value, p, bytes);
		p += bytes;
		if (packet == 0xb0)
			pc = value & ~(UINT64_C(0xff) << 56);
		if (packet == 0xb2)
			va = value, has_va = true;
		if (packet >= 0x48 && packet <= 0x4a)
			header = packet, payload = (unsigned int)value;
	}
	if (header != 0x49) {
		seen->other++;
		return;
	}
	seen->loads += payload == 0x20;
	seen->stores += payload == 0x21;
	seen->sets += payload == 0x25;
	seen->without += payload == 0x10 || payload == 0x11;
	cr_assert_eq(has_va, pc != CODE + 4 * 3, "of CPYP only there is nothing to say");
	if (has_va && payload == 0x20)
		cr_assert_eq(va & ~UINT64_C(0x80), DATA + 0x3000);
	else if (has_va && payload == 0x21)
		cr_assert_eq(va & ~UINT64_C(0x80), DATA);
	else if (payload == 0x25 && va != DATA + 0x90 && va != DATA + 0xc0)
		cr_assert_eq(va, DATA + 0x100);
}

static struct seen sample(enum spe_version version, uint64_t filter, bool single_step)
{
	static const uint32_t words[] = {
		0xaa0303e0,		/* mov x0, x3 */
		0xaa0403e1,		/* mov x1, x4 */
		0xaa0503e2,		/* mov x2, x5 */
		CPYP,	    CPYM, CPYE, /* of nothing, 128 bytes and 16 */
		0xaa0503e2,		/* mov x2, x5 */
		SETP,	    SETM, SETE, /* of 48, 64 and 32 */
		0x17fffff6,		/* b to the first */
	};
	struct spe_config config;
	struct core_machine *m;
	struct seen seen = {0};

	spe_config_defaults(&config, version);
	config.max_size = 6;
	m = with_mops(
		(struct core_options){.spe = true, .config = &config, .single_step = single_step});
	core_load(m, CODE, words, sizeof(words) / 4);
	core_set(m, PC, CODE);
	core_set(m, 3, DATA);
	core_set(m, 4, DATA + 0x3000);
	core_set(m, 5, 0x90);
	core_profile(m, 256);
	spe_write(engine_soft.vcpu_spe(m->cpu[0]), SYSREG_PMSFCR_EL1, filter);
	cr_assert_eq(core_run(m, 200000), ENGINE_EXIT_BUDGET);
	for (size_t at = 0; at < m->record_bytes; at += 64)
		look_at(m->records + at, &seen);
	core_free(m);
	return seen;
}

/* RULE("D17.6.4.3/mops") */
/* Is each half of a copy sampled about equally often, unless the filter selects one? */
Test(core_mops, records)
{
	const uint64_t ft = 2, ld = 1 << 17, st = 1 << 18;
	const struct seen both = sample(SPE_V1P3, 0, false), again = sample(SPE_V1P3, 0, true);
	const struct seen loads = sample(SPE_V1P3, ft | ld, false);
	const struct seen stores = sample(SPE_V1P3, ft | st, false);
	const struct seen old = sample(SPE_V1P2, 0, false);

	cr_assert_gt(both.loads, 60, "%u %u", both.loads, both.stores);
	cr_assert_gt(both.stores, 60, "%u %u", both.loads, both.stores);
	cr_assert_gt(both.sets, 150);
	cr_assert_gt(both.other, 200);
	cr_assert_eq(both.without, 0);
	cr_assert_arr_eq(&both, &again, sizeof(both), "by the operation");
	cr_assert_eq(loads.loads, both.loads + both.stores);
	cr_assert_eq(loads.stores + loads.sets + loads.other, 0);
	cr_assert_eq(stores.stores, both.loads + both.stores);
	cr_assert_eq(stores.sets, both.sets);
	cr_assert_eq(stores.loads + stores.other, 0);
	cr_assert_eq(old.without, both.loads + both.stores + both.sets);
	cr_assert_eq(old.loads + old.stores + old.sets, 0);
}

/* Undefined without the feature, and if registers coincide or are 31. */
Test(core_mops, undefined)
{
	static const struct {
		uint32_t word;
		bool defined;
	} rows[] = {
		{CPYP, true},	       {CPYP | 0xf000, true}, {SETP, true},
		{SETP | 0x3000, true}, {0x19df0440, true}, /* setp of xzr */
		{0x19000440, false},   {0x19010420, false},   {0x19020440, false},
		{0x1901045f, false},   {0x191f0440, false},   {0x190107e0, false},
		{0x19c1045f, false},   {0x19c107e0, false},   {0x19c00440, false},
		{0x19c1c440, false}, /* stage 3 */
		{0x1dc10440, false}, /* SETGP: no Allocation Tags */
		{0x59010440, false},
	};

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct core_machine *m = with_mops((struct core_options){0});
		const uint32_t words[] = {rows[i / 2].word, HVC};

		if (i % 2)
			cpu_of(m)->sys.isa = cpu_of(m)->vm->isa = SOFT_ISA(HCX);
		CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
		cpu_of(m)->sys.vbar[1] = VECTORS;
		begin(m, words, 2, DATA, DATA + 0x1000, 16);
		cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
		cr_expect_eq(m->exit.call_imm, !(rows[i / 2].defined && i % 2 == 0), "0x%08x %s",
			     rows[i / 2].word, i % 2 ? "without" : "with");
		if (m->exit.call_imm)
			cr_expect_eq(core_get(m, 21) >> 26, 0, "0x%08x", rows[i / 2].word);
		core_free(m);
	}
}

static bool has_line(const struct core_machine *m, uint64_t pa)
{
	return model_cache_find(&cpu_of(m)->vm->model->machine->cores[0].l1d, pa) != NULL;
}

/* Whichever half a record has, both are shown to the machine model, each line of them. */
Test(core_mops, the_model_sees_both_halves)
{
	static const uint32_t program[] = {CPYFP, CPYFM, CPYFE, HVC};
	static const enum model_mode modes[] = {MODEL_FULL, MODEL_WARM};
	const uint64_t from = DATA + 0x103, to = DATA + 0x4010, size = 5000;

	for (unsigned int n = 0; n < 2; n++) {
		const struct engine_tuning tuning = {
			.isa = SOFT_ISA(HCX) | SOFT_ISA(MOPS),
			.model.mode = modes[n],
			.machine = model_default,
		};
		struct core_machine *m = core_new((struct core_options){.model = &tuning});

		core_map(m, RAM_BASE + RAM_SIZE);
		CORE_LOAD(m, CODE, program_mmu_on);
		core_load(m, CODE + sizeof(program_mmu_on), program, 4);
		core_set(m, 4, 0x30d01805); /* SCTLR_EL1: I, C, M */
		core_run(m, sizeof(program_mmu_on) / 4);
		core_set(m, 0, to);
		core_set(m, 1, from);
		core_set(m, 2, size);
		cr_assert_eq(core_run(m, 10000), ENGINE_EXIT_HVC);
		for (uint64_t at = 0; at < size; at += 64) {
			cr_expect(has_line(m, from + at), "mode %u: 0x%lx is read", n, at);
			cr_expect(has_line(m, to + at), "mode %u: 0x%lx is written", n, at);
		}
		cr_expect_not(has_line(m, from - 64));
		cr_expect_not(has_line(m, to + size + 64));
		core_free(m);
	}
}
