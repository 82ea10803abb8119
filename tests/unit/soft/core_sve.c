/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of SVE that do not reach all of their elements: faults change nothing, first-
 * fault and non-fault loads say in FFR how far they came (Arm ARM, C8.2: LDFF1D, LDNF1D), and the
 * machine model sees the lines that were accessed.
 */
#include "../compare.h"
#include "core_regimes.h"
#include "soft/model/model.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#include <string.h>

#define VL	 32 /* bytes: four doublewords */
#define ELEMENTS (VL / 8)
#define HOLE	 (DATA + 0x1000)
#define KEPT	 UINT64_C(0x0123456789abcdef) /* in Z0 before a load */
#define FILLED	 UINT64_C(0xa5a5a5a5a5a5a500) /* memory, plus the number of a doubleword */

#define ST1D	      0xe5e0e0e0 /* st1d {z0.d}, p0, [x7] */
#define LD1D	      0xa5e0a0e0 /* ld1d {z0.d}, p0/z, [x7] */
#define ST1D_SCATTER  0xe581a0e0 /* st1d {z0.d}, p0, [x7, z1.d] */
#define LD1D_GATHER   0xc5c1c0e0 /* ld1d {z0.d}, p0/z, [x7, z1.d] */
#define STNT1D	      0xe5872020 /* stnt1d {z0.d}, p0, [z1.d, x7] */
#define LDNT1D	      0xc587c020 /* ldnt1d {z0.d}, p0/z, [z1.d, x7] */
#define LDFF1D	      0xa5ff60e0 /* ldff1d {z0.d}, p0/z, [x7] */
#define LDFF1D_GATHER 0xc5c1e0e0 /* ldff1d {z0.d}, p0/z, [x7, z1.d] */
#define LDNF1D	      0xa5f0a0e0 /* ldnf1d {z0.d}, p0/z, [x7] */
#define LD1B	      0xa400a0e0 /* ld1b {z0.b}, p0/z, [x7] */
#define LD1ROD	      0xa5a020e0 /* ld1rod {z0.d}, p0/z, [x7] */
#define FMMLA	      0x64e2e420 /* fmmla z0.d, z1.d, z2.d */
#define STR_Z	      0xe58040e0 /* str z0, [x7] */
#define PRFD	      0x85c060e0 /* prfd 0, p0, [x7] */
#define HVC_9	      0xd4000122

#define EC(esr)	   ((unsigned int)((esr) >> 26))
#define ABORTED	   0x25
#define WATCHED	   0x35
#define UNDEFINED  0x00
#define WNR	   0x40
#define ALIGNMENT  0x21
#define TRANSLATED 0x07 /* ... by no descriptor, at level 3 */

static const uint32_t before[] = {
	0xd5181049, /* msr cpacr_el1, x9 */
	0xd5181210, /* msr zcr_el1, x16 */
	0xd510109f, /* msr oslar_el1, xzr */
	0xd51000cb, /* msr dbgwvr0_el1, x11 */
	0xd51000ec, /* msr dbgwcr0_el1, x12 */
	0xd510024d, /* msr mdscr_el1, x13 */
	0xd5033fdf, /* isb */
	0xd50348ff, /* msr daifclr, #8 */
};

#define LEAD (sizeof(program_mmu_on) + sizeof(before))

struct access {
	uint32_t word;
	uint64_t va;
	uint16_t active;    /* a bit for each doubleword */
	uint64_t step;	    /* from one element of Z1 to the next */
	uint64_t watch;	    /* a doubleword, or 0 */
	unsigned int sctlr; /* bits that are added */
	bool mmu_off;
	unsigned int vl; /* 0: VL */
};

#define AT(...)                    \
	{                          \
		FIRST(__VA_ARGS__) \
	}
#define FIRST(which, at, bits, ...) .word = (which), .va = (at), .active = (bits), __VA_ARGS__

/* RAM but HOLE is mapped; the doublewords before it are filled. */
static struct core_machine *run_access(const struct access *a)
{
	const struct engine_tuning tuning = {.isa = SOFT_ISA_ALL, .sve_vl = VL};
	struct core_machine *m = core_new((struct core_options){.model = &tuning});
	const uint32_t program[] = {a->word, HVC_9};

	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, CODE + sizeof(program_mmu_on), before);
	CORE_LOAD(m, CODE + LEAD, program);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, HOLE);
	core_set(m, 4, (a->mmu_off ? 0x30d00800 : 0x30d00801) | a->sctlr);
	for (unsigned int n = 0; n < 16; n++)
		core_write(m, HOLE - 128 + 8 * n, FILLED + n);
	core_set(m, 7, a->va);
	core_set(m, 9, 0x330000);
	core_set(m, 16, (a->vl ? a->vl : VL) / 16 - 1);
	core_set(m, 11, a->watch);
	core_set(m, 12, a->watch ? 0x1fff : 0);
	core_set(m, 13, a->watch ? 0xa000 : 0);
	for (unsigned int e = 0; e < ELEMENTS; e++) {
		soft(m)->z[e / 2][0].d[e % 2] = KEPT;
		soft(m)->z[e / 2][1].d[e % 2] = e * a->step;
		soft(m)->p[0].b[e] = a->active >> e & 1;
	}
	memset(soft(m)->p[SOFT_FFR].b, 0xff, VL / 8);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	return m;
}

static uint64_t element(const struct core_machine *m, unsigned int e)
{
	return soft(m)->z[e / 2][0].d[e % 2];
}

static bool is_filled(const struct core_machine *m)
{
	for (unsigned int n = 0; n < 16; n++)
		if (core_read(m, HOLE - 128 + 8 * n) != FILLED + n)
			return false;
	return true;
}

/* Neither registers nor memory change, and the address is that of the first that faults. */
Test(core_sve, faults_change_nothing)
{
	static const struct {
		const char *name;
		struct access access;
		unsigned int class, iss;
		uint64_t far;
	} rows[] = {
		{"store over the end", AT(ST1D, HOLE - 16, 0xf, .step = 0), ABORTED,
		 TRANSLATED | WNR, HOLE},
		{"load over the end", AT(LD1D, HOLE - 16, 0xf, .step = 0), ABORTED, TRANSLATED,
		 HOLE},
		{"the first active one", AT(ST1D, HOLE - 16, 0x9, .step = 0), ABORTED,
		 TRANSLATED | WNR, HOLE + 8},
		{"an element over the end", AT(ST1D, HOLE - 12, 0xf, .step = 0), ABORTED,
		 TRANSLATED | WNR, HOLE},
		{"a whole register", AT(STR_Z, HOLE - 16, 0, .step = 0), ABORTED, TRANSLATED | WNR,
		 HOLE},
		{"scatter", AT(ST1D_SCATTER, HOLE - 48, 0xf, .step = 16), ABORTED, TRANSLATED | WNR,
		 HOLE},
		{"gather", AT(LD1D_GATHER, HOLE - 48, 0xf, .step = 16), ABORTED, TRANSLATED, HOLE},
		{"scatter to addresses", AT(STNT1D, HOLE - 48, 0xf, .step = 16), ABORTED,
		 TRANSLATED | WNR, HOLE},
		{"gather from addresses", AT(LDNT1D, HOLE - 48, 0xf, .step = 16), ABORTED,
		 TRANSLATED, HOLE},
		{"first-fault at the first", AT(LDFF1D, HOLE - 8, 0xe, .step = 0), ABORTED,
		 TRANSLATED, HOLE},
		{"first-fault gather", AT(LDFF1D_GATHER, HOLE, 0xf, .step = (uint64_t)-8), ABORTED,
		 TRANSLATED, HOLE},
		{"watched store", AT(ST1D, HOLE - 64, 0xf, .watch = HOLE - 48), WATCHED, 0x62,
		 HOLE - 48},
		{"watched load", AT(LD1D, HOLE - 64, 0xf, .watch = HOLE - 48), WATCHED, 0x22,
		 HOLE - 48},
		{"watched scatter",
		 AT(ST1D_SCATTER, HOLE - 64, 0xf, .step = 16, .watch = HOLE - 48), WATCHED, 0x62,
		 HOLE - 48},
		{"watched first-fault", AT(LDFF1D, HOLE - 64, 0xf, .watch = HOLE - 64), WATCHED,
		 0x22, HOLE - 64},
		{"not aligned", AT(ST1D, HOLE - 60, 0xe, .sctlr = 2), ABORTED, ALIGNMENT | WNR,
		 HOLE - 52},
		{"fill of 16 bytes", AT(STR_Z, HOLE - 56, 0, .sctlr = 2), ABORTED, ALIGNMENT | WNR,
		 HOLE - 56},
		{"Device memory", AT(LD1D, HOLE - 60, 0xf, .mmu_off = true), ABORTED, ALIGNMENT,
		 HOLE - 60},
		{"broadcast of 32 bytes", AT(LD1ROD, HOLE - 64, 0xf, .vl = 16), UNDEFINED, 0, 0},
		{"matrices of 32 bytes", AT(FMMLA, 0, 0, .vl = 16), UNDEFINED, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct core_machine *m = run_access(&rows[i].access);
		const uint64_t esr = core_get(m, 21);

		cr_assert_eq(m->exit.call_imm, 1, "%s", rows[i].name);
		cr_expect_eq(EC(esr), rows[i].class, "%s: %#lx", rows[i].name, (unsigned long)esr);
		cr_expect_eq(esr & 0x7f, rows[i].iss, "%s: %#lx", rows[i].name, (unsigned long)esr);
		if (rows[i].far)
			cr_expect_eq(core_get(m, 20), rows[i].far, "%s", rows[i].name);
		cr_expect_eq(core_get(m, 22), CODE + LEAD, "%s", rows[i].name);
		cr_expect(is_filled(m), "%s", rows[i].name);
		for (unsigned int e = 0; e < ELEMENTS; e++)
			cr_expect_eq(element(m, e), KEPT, "%s", rows[i].name);
		cr_expect_eq(soft(m)->p[SOFT_FFR].b[0], 0xff, "%s", rows[i].name);
		core_free(m);
	}
}

/* How many elements are loaded, and what is left of FFR; the others are 0. */
Test(core_sve, first_fault_and_non_fault)
{
	static const struct {
		const char *name;
		struct access access;
		uint16_t loaded; /* a bit for each */
		uint32_t ffr;
	} rows[] = {
		{"no fault", AT(LDFF1D, HOLE - 64, 0xf, .step = 0), 0xf, 0xffffffff},
		{"inactive ones", AT(LD1D, HOLE - 64, 0x5, .step = 0), 0x5, 0xffffffff},
		{"inactive ones in the hole", AT(LD1D, HOLE - 16, 0x3, .step = 0), 0x3, 0xffffffff},
		{"none at all", AT(LD1D, HOLE, 0, .step = 0), 0, 0xffffffff},
		{"none of a gather", AT(LD1D_GATHER, HOLE, 0, .step = 8), 0, 0xffffffff},
		{"from addresses", AT(LDNT1D, HOLE - 64, 0xb, .step = 8), 0xb, 0xffffffff},
		{"none of first-fault", AT(LDFF1D, HOLE, 0, .step = 0), 0, 0xffffffff},
		{"the third", AT(LDFF1D, HOLE - 16, 0xf, .step = 0), 0x3, 0x0000ffff},
		{"the third, without the first", AT(LDFF1D, HOLE - 16, 0xe, .step = 0), 0x2,
		 0x0000ffff},
		{"the fourth, without the third", AT(LDFF1D, HOLE - 16, 0xb, .step = 0), 0x3,
		 0x00ffffff},
		{"of a gather", AT(LDFF1D_GATHER, HOLE - 16, 0xf, .step = 8), 0x3, 0x0000ffff},
		{"one over the end", AT(LDFF1D_GATHER, HOLE - 20, 0xf, .step = 8), 0x3, 0x0000ffff},
		{"non-fault", AT(LDNF1D, HOLE - 16, 0xf, .step = 0), 0x3, 0x0000ffff},
		{"non-fault, the first", AT(LDNF1D, HOLE, 0xe, .step = 0), 0, 0x000000ff},
		{"non-fault, watched", AT(LDNF1D, HOLE - 64, 0xf, .watch = HOLE - 56), 0x1, 0xff},
		{"non-fault, not aligned", AT(LDNF1D, HOLE - 60, 0xf, .sctlr = 2), 0, 0},
		{"non-fault, Device memory", AT(LDNF1D, HOLE - 64, 0xf, .mmu_off = true), 0, 0},
		{"first-fault, Device memory", AT(LDFF1D, HOLE - 64, 0xf, .mmu_off = true), 1,
		 0xff},
		{"bytes are aligned", AT(LD1B, HOLE - 64, 0xf, .sctlr = 2), 0x10, 0xffffffff},
		{"a prefetch", AT(PRFD, HOLE, 0xf, .step = 0), 0x10, 0xffffffff},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct core_machine *m = run_access(&rows[i].access);
		const uint64_t unaligned = (rows[i].access.va & 7) * 8;
		uint32_t ffr;

		memcpy(&ffr, soft(m)->p[SOFT_FFR].b, sizeof(ffr));
		cr_assert_eq(m->exit.call_imm, 9, "%s: %#lx", rows[i].name,
			     (unsigned long)core_get(m, 21));
		cr_expect_eq(ffr, rows[i].ffr, "%s: %08x", rows[i].name, ffr);
		for (unsigned int e = 0; e < ELEMENTS && !(rows[i].loaded & 0x10); e++) {
			const uint64_t at = (rows[i].access.va - (HOLE - 128)) / 8 + e;
			const uint64_t low = (FILLED + at) >> unaligned;
			const uint64_t want =
				unaligned ? low | (FILLED + at + 1) << (64 - unaligned) : low;

			cr_expect_eq(element(m, e), rows[i].loaded >> e & 1 ? want : 0,
				     "%s: element %u is %016lx", rows[i].name, e,
				     (unsigned long)element(m, e));
		}
		core_free(m);
	}
}

/* Non-fault loads do not read devices; others read each active element on its own. */
Test(core_sve, devices)
{
	struct core_machine *m = run_access(&(struct access)AT(LD1D, DEVICE, 0xb, .mmu_off = true));

	cr_expect_eq(m->device_reads, 3);
	cr_expect_eq(element(m, 1), DEVICE + 8);
	cr_expect_eq(element(m, 2), 0);
	cr_expect_eq(element(m, 3), DEVICE + 24);
	core_free(m);
	m = run_access(&(struct access)AT(LDNF1D, DEVICE, 0xf, .mmu_off = true));
	cr_expect_eq(m->device_reads, 0);
	cr_expect_eq(soft(m)->p[SOFT_FFR].b[0], 0);
	core_free(m);
	m = run_access(&(struct access)AT(LDFF1D, DEVICE, 0xf, .mmu_off = true));
	cr_expect_eq(m->device_reads, 1);
	cr_expect_eq(element(m, 0), DEVICE);
	core_free(m);
	m = run_access(&(struct access)AT(ST1D, DEVICE, 0x6, .mmu_off = true));
	cr_expect_eq(m->device_writes, 2);
	core_free(m);
}

/* X7 goes on by 17 lines and a bit; what is gathered is stored at X10, also across pages. */
static const uint32_t program_lines[] = {
	LD1D_GATHER, 0xe5e0e140, /* st1d {z0.d}, p0, [x10] */
	LDFF1D,	     0x911120e7, /* add x7, x7, #1096 */
	0x910b414a,		 /* add x10, x10, #720 */
	0xd1000463,		 /* sub x3, x3, #1 */
	0xb5ffff43,		 /* cbnz x3, .-24 */
	HVC_9,
};

static struct core_machine *run_lines(enum model_mode mode, bool steps, bool translated)
{
	struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.sve_vl = VL,
		.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = true,
		.model.mode = mode,
		.machine = model_default,
	};
	struct core_machine *m;

	tuning.machine.l1d_size = 4096;
	tuning.machine.l2_size = 16384;
	tuning.machine.llc_size = 65536;
	tuning.machine.dtlb_entries = 8;
	m = core_new((struct core_options){.model = &tuning, .single_step = steps});
	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, CODE + sizeof(program_mmu_on), before);
	CORE_LOAD(m, CODE + LEAD, program_lines);
	core_map(m, RAM_BASE + RAM_SIZE);
	core_set(m, 4, 0x30d01805); /* SCTLR_EL1: I, C, M */
	core_set(m, 9, 0x330000);
	core_set(m, 16, VL / 16 - 1);
	core_run(m, LEAD / 4);
	core_set(m, 3, 100);
	core_set(m, 7, DATA);
	core_set(m, 10, DATA - 0x20000);
	for (unsigned int e = 0; e < ELEMENTS; e++) {
		soft(m)->z[e / 2][1].d[e % 2] = e * 4100;
		soft(m)->p[0].b[e] = e != 2;
	}
	cr_assert_eq(core_run(m, 10000), ENGINE_EXIT_HVC);
	return m;
}

static const struct model_core *core_of(const struct core_machine *m)
{
	return &soft(m)->vm->model->machine->cores[0];
}

static bool has_line(const struct core_machine *m, uint64_t pa)
{
	return core_of(m)->l1d.filter[(pa - RAM_BASE) >> MODEL_LINE_SHIFT];
}

static void compare_lines(const struct core_machine *m, const struct core_machine *full,
			  const char *name)
{
	const struct model_cache *a = &core_of(m)->l1d, *b = &core_of(full)->l1d;

	cr_assert(core_same(m, full), "%s", name);
	cr_expect_arr_eq((const char *)a->lines, (const char *)b->lines,
			 sizeof(*a->lines) * a->sets * a->ways, "%s", name);
}

Test(core_sve, the_model_sees_each_line)
{
	struct core_machine *full = run_lines(MODEL_FULL, true, false);
	struct core_machine *warm = run_lines(MODEL_WARM, false, false);
	struct core_machine *steps = run_lines(MODEL_WARM, true, false);
	struct core_machine *translated = run_lines(MODEL_WARM, false, SOFT_JIT);
	const uint64_t last = DATA + UINT64_C(99) * 1096;

	compare_lines(warm, full, "warm");
	compare_lines(steps, full, "in single steps");
	compare_lines(translated, full, "translated");
	/* The last gather's lines, and that of the last store. */
	cr_expect(has_line(warm, last));
	cr_expect(has_line(warm, last + 4100));
	cr_expect_not(has_line(warm, last + UINT64_C(2) * 4100), "it is inactive");
	cr_expect(has_line(warm, last + UINT64_C(3) * 4100));
	cr_expect(has_line(warm, DATA - 0x20000 + UINT64_C(99) * 720));
	core_free(full);
	core_free(warm);
	core_free(steps);
	core_free(translated);
}
