/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases on the software CPU. A few instructions at EL1 stand for the operating system: they set up
 * translation and SPE, enter the case at EL0 and catch the exception that ends it. Each of them
 * ends with HVC, which brings control back here, where the registers of the next step are put in.
 *
 * Code and scratch memory have the virtual addresses of the other side and other physical ones:
 * every page is swapped with its neighbour, so that nothing that crosses pages is contiguous.
 */
#include "sides.h"
#include "engine.h"
#include "soft/cpu.h"
#include "soft/flags.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/spe.h>

/* Physical addresses. What EL1 executes is mapped where it is. */
#define RAM	   UINT64_C(0x40000000)
#define RAM_SIZE   (UINT64_C(10) << 20)
#define STUB	   RAM
#define REGISTERS  (RAM + 0xb000) /* V0 to V31, on their way in and out */
#define VECTORS	   (RAM + 0x1000)
#define TABLES	   (RAM + 0x10000)
#define CODE_PA	   (RAM + UINT64_C(0x200000))
#define CODE_VA	   (CASE_CODE & ~(BLOCK_SIZE - 1)) /* maps to CODE_PA */
#define SCRATCH_PA (RAM + UINT64_C(0x400000))
#define BUFFER_PA  (RAM + UINT64_C(0x800000))
#define BUFFER_VA  UINT64_C(0x70000000)
#define BLOCK_SIZE UINT64_C(0x200000)
#define PAGE_SIZE  UINT64_C(0x1000)

_Static_assert(CASE_CODE % BLOCK_SIZE + (uint64_t)CASE_BATCH * CASE_SLOT <= BLOCK_SIZE,
	       "the code of a batch has one level 3 table");
_Static_assert(CASE_BYTES == 2 * PAGE_SIZE, "scratch memory is two pages");

/* The steps at EL1: where they begin in the stub, and the number of the HVC at their end. */
enum step {
	STEP_SETUP = 1,
	STEP_ENTER,
	STEP_PROFILE,
	STEP_CAUGHT,
	STEP_RESULT,
};

/* LDP and STP of two vector registers, at Xn; all of them. */
#define PAIR(op, n, at) ((op) | (at) << 15 | ((at) + 1) << 10 | (n) << 5 | (at))
#define PAIRS(op, n)                                                                         \
	PAIR(op, n, 0u), PAIR(op, n, 2u), PAIR(op, n, 4u), PAIR(op, n, 6u), PAIR(op, n, 8u), \
		PAIR(op, n, 10u), PAIR(op, n, 12u), PAIR(op, n, 14u), PAIR(op, n, 16u),      \
		PAIR(op, n, 18u), PAIR(op, n, 20u), PAIR(op, n, 22u), PAIR(op, n, 24u),      \
		PAIR(op, n, 26u), PAIR(op, n, 28u), PAIR(op, n, 30u)
#define LOAD_VECTORS  PAIRS(0xad400000u, 5u) /* ldp q0, q1, [x5] ... */
#define STORE_VECTORS PAIRS(0xad000000u, 7u) /* stp q0, q1, [x7] ... */

static const uint32_t setup[] = {
	0xd518a200, /* msr mair_el1, x0 */
	0xd5182041, /* msr tcr_el1, x1 */
	0xd5182002, /* msr ttbr0_el1, x2 */
	0xd518c003, /* msr vbar_el1, x3 */
	0xd5181045, /* msr cpacr_el1, x5 */
	0xd5033fdf, /* isb */
	0xd5181004, /* msr sctlr_el1, x4 */
	0xd5033fdf, /* isb */
	0xd4000022, /* hvc #1 */
};

/*
 * The case is in memory without the software CPU having written it: IC IALLU. TLBI, so that every
 * case begins with TLB misses.
 */
static const uint32_t enter[] = {
	0xd5184100,		  /* msr sp_el0, x0 */
	0xd5184001,		  /* msr spsr_el1, x1 */
	0xd5184022,		  /* msr elr_el1, x2 */
	0xd51bd05f,		  /* msr tpidr_el0, xzr */
	0xd51bd07f,		  /* msr tpidrro_el0, xzr */
	0xd51b4403,		  /* msr fpcr, x3 */
	0xd51b4424,		  /* msr fpsr, x4 */
	0xd5181206,		  /* msr zcr_el1, x6 */
	LOAD_VECTORS, 0xd508751f, /* ic iallu */
	0xd508871f,		  /* tlbi vmalle1 */
	0xd5033f9f,		  /* dsb sy */
	0xd5033fdf,		  /* isb */
	0xd5033f5f,		  /* clrex */
	0xd4000042,		  /* hvc #2 */
	0xd69f03e0,		  /* eret */
};

static const uint32_t profile[] = {
	0xd5189a00, /* msr pmblimitr_el1, x0 */
	0xd5189a21, /* msr pmbptr_el1, x1 */
	0xd5189a7f, /* msr pmbsr_el1, xzr */
	0xd5189962, /* msr pmsirr_el1, x2 */
	0xd518999f, /* msr pmsfcr_el1, xzr */
	0xd5189944, /* msr pmsicr_el1, x4 */
	0xd5033fdf, /* isb */
	0xd5189903, /* msr pmscr_el1, x3 */
	0xd5033fdf, /* isb */
	0xd4000062, /* hvc #3 */
};

/* At the vector of synchronous exceptions from EL0 */
static const uint32_t caught[] = {
	0xd4000082,		   /* hvc #4 */
	0xd5384100,		   /* mrs x0, sp_el0 */
	0xd5384001,		   /* mrs x1, spsr_el1 */
	0xd5384022,		   /* mrs x2, elr_el1 */
	0xd5385203,		   /* mrs x3, esr_el1 */
	0xd5386004,		   /* mrs x4, far_el1 */
	0xd53b4405,		   /* mrs x5, fpcr */
	0xd53b4426,		   /* mrs x6, fpsr */
	0xd2a80007,		   /* mov x7, #0x40000000 */
	0x91402ce7,		   /* add x7, x7, #0xb000 */
	STORE_VECTORS, 0xd40000a2, /* hvc #5 */
};

#define SETUP	(STUB + 0x000)
#define ENTER	(STUB + 0x100)
#define PROFILE (STUB + 0x200)
#define CAUGHT	(VECTORS + 0x400)

struct soft_side {
	enum soft_way way;
	struct engine_vm *vm;
	struct engine_vcpu *vcpu;
	uint8_t *ram;
	uint64_t random; /* slices and distances */
	uint64_t digest; /* of the sample records */
};

static const struct {
	const char *name;
	bool steps, sliced, profiled, translated;
} ways[SOFT_WAYS] = {
	[SOFT_WAY_STEP] = {"single steps", .steps = true},
	[SOFT_WAY_FREE] = {.name = "uninterrupted"},
	[SOFT_WAY_SLICES] = {"in slices", .sliced = true},
	[SOFT_WAY_PROFILE] = {"profiled", .profiled = true},
	[SOFT_WAY_PROFILE_STEP] = {"profiled in single steps", .steps = true, .profiled = true},
	[SOFT_WAY_TRANSLATED] = {"translated", .translated = true},
	[SOFT_WAY_TRANSLATED_SLICES] = {"translated, in slices", .sliced = true,
					.translated = true},
	[SOFT_WAY_TRANSLATED_PROFILE] = {"translated and profiled", .profiled = true,
					 .translated = true},
};

const char *soft_side_way_name(enum soft_way way)
{
	return ways[way].name;
}

static uint8_t *at(struct soft_side *side, uint64_t pa)
{
	return side->ram + (pa - RAM);
}

/* Copy to or from a region with swapped pages that starts at physical address pa, from offset. */
static void copy(struct soft_side *side, uint64_t pa, uint64_t offset, void *data, size_t size,
		 bool to_guest)
{
	for (uint8_t *host = data; size;) {
		uint8_t *guest = at(side, pa + (offset ^ PAGE_SIZE));
		size_t n = PAGE_SIZE - offset % PAGE_SIZE;

		if (n > size)
			n = size;
		memcpy(to_guest ? guest : host, to_guest ? host : guest, n);
		host += n;
		offset += n;
		size -= n;
	}
}

static void put64(struct soft_side *side, uint64_t pa, uint64_t value)
{
	memcpy(at(side, pa), &value, sizeof(value));
}

/* Descriptor attributes */
#define TABLE  UINT64_C(3)
#define BLOCK  UINT64_C(1)
#define PAGE   UINT64_C(3)
#define NORMAL (UINT64_C(1) << 10 | UINT64_C(3) << 8) /* AF, inner shareable, MAIR attribute 0 */
#define EL0_RW (UINT64_C(1) << 6)
#define UXN    (UINT64_C(1) << 54)

/* 4 KB granule, 39 bits: TTBR0 points to level 1; 1 GB from RAM on has a level 2 table. */
static void build_tables(struct soft_side *side)
{
	const uint64_t level1 = TABLES, level2 = TABLES + PAGE_SIZE;
	const uint64_t code = TABLES + 2 * PAGE_SIZE, scratch = TABLES + 3 * PAGE_SIZE;
	const uint64_t gigabyte = UINT64_C(1) << 30;

	put64(side, level1 + 8 * (RAM / gigabyte), level2 | TABLE);
	put64(side, level2, RAM | NORMAL | UXN | BLOCK);
	put64(side, level2 + 8 * ((CASE_CODE % gigabyte) / BLOCK_SIZE), code | TABLE);
	put64(side, level2 + 8 * ((CASE_SCRATCH % gigabyte) / BLOCK_SIZE), scratch | TABLE);
	put64(side, level2 + 8 * ((BUFFER_VA % gigabyte) / BLOCK_SIZE),
	      BUFFER_PA | NORMAL | UXN | BLOCK);
	for (unsigned int page = 0; page < BLOCK_SIZE / PAGE_SIZE; page++)
		put64(side, code + 8 * page,
		      (CODE_PA + (page ^ 1) * PAGE_SIZE) | NORMAL | EL0_RW | PAGE);
	for (unsigned int page = 0; page < CASE_BYTES / PAGE_SIZE; page++)
		put64(side, scratch + 8 * page,
		      (SCRATCH_PA + (page ^ 1) * PAGE_SIZE) | NORMAL | EL0_RW | UXN | PAGE);
}

/* No device is there. The types are those of struct engine_host.
 * NOLINTBEGIN(readability-non-const-parameter) */
static enum engine_answer no_mmio_read(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
				       uint64_t *value)
{
	(void)ctx, (void)cpu, (void)pa, (void)size, (void)value;
	return ENGINE_NONE;
}

static enum engine_answer no_mmio_write(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
					uint64_t value)
{
	(void)ctx, (void)cpu, (void)pa, (void)size, (void)value;
	return ENGINE_NONE;
}

static enum engine_answer no_sysreg_read(void *ctx, unsigned int cpu, uint32_t encoding,
					 uint64_t *value)
{
	(void)ctx, (void)cpu, (void)encoding, (void)value;
	return ENGINE_NONE;
}

static enum engine_answer no_sysreg_write(void *ctx, unsigned int cpu, uint32_t encoding,
					  uint64_t value)
{
	(void)ctx, (void)cpu, (void)encoding, (void)value;
	return ENGINE_NONE;
}

/* NOLINTEND(readability-non-const-parameter) */

static uint64_t counter(void *ctx, unsigned int cpu)
{
	const struct soft_side *side = ctx;

	(void)cpu;
	return side->vcpu ? engine_soft.vcpu_ops(side->vcpu) : 0;
}

static void spe_irq(void *ctx, unsigned int cpu, bool level)
{
	(void)ctx, (void)cpu, (void)level;
}

/* FNV-1a over the records, in the order of their bytes */
static void spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct soft_side *side = ctx;

	(void)cpu;
	for (size_t i = 0; i < size; i++)
		side->digest = (side->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

/* 1 to n */
static uint64_t up_to(struct soft_side *side, unsigned int n)
{
	side->random = side->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return 1 + (side->random >> 33) % n;
}

/*
 * Run until HVC. Returns its number, or 0 when the engine says something else or the case does not
 * end: a case has at most CASE_WORDS instructions, the longest loop runs them 8 times.
 */
static unsigned int run(struct soft_side *side, uint64_t executed[ROWS])
{
	const uint64_t limit = engine_soft.vcpu_ops(side->vcpu) + 100 * CASE_WORDS;
	struct engine_exit exit;

	do {
		uint64_t ops = 100 * CASE_WORDS;

		if (side->way == SOFT_WAY_STEP) {
			uint64_t offset = engine_soft.vcpu_get(side->vcpu, 31) - CODE_VA;
			uint32_t word;
			const struct a64_insn *insn;

			if (executed && offset < BLOCK_SIZE && !(offset & 3)) {
				copy(side, CODE_PA, offset, &word, sizeof(word), false);
				insn = a64_decode(word);
				executed[insn ? insn->id : ROW_UNDEFINED]++;
			}
			ops = 1;
		} else if (ways[side->way].sliced) {
			ops = up_to(side, 47) | 1;
		}
		memset(&exit, 0, sizeof(exit));
		engine_soft.vcpu_run(side->vcpu, ops, &exit);
		if (exit.reason == ENGINE_EXIT_HVC)
			return exit.call_imm;
	} while ((exit.reason == ENGINE_EXIT_BUDGET || exit.reason == ENGINE_EXIT_WFE) &&
		 engine_soft.vcpu_ops(side->vcpu) < limit);
	return 0;
}

static unsigned int run_step(struct soft_side *side, uint64_t pc, const uint64_t *x,
			     unsigned int count)
{
	for (unsigned int n = 0; n < count; n++)
		engine_soft.vcpu_set(side->vcpu, n, x[n]);
	engine_soft.vcpu_set(side->vcpu, 31, pc);
	return run(side, NULL);
}

static int boot(struct soft_side *side)
{
	/*
	 * Inner and outer write-back, write-allocate; TCR: T0SZ 25, the same for walks, 4 KB, TTBR1
	 * off, 40 bits. SCTLR: M, C, SA, SA0, I, DZE, UCT, nTWI, nTWE, UCI, those of the keys
	 * of FEAT_PAuth, and what is 1 in Armv8.1.
	 */
	const uint64_t x[] = {0xff, UINT64_C(0x200803519), TABLES, VECTORS, 0xfcd5f81d, 0x330000};

	memcpy(at(side, SETUP), setup, sizeof(setup));
	memcpy(at(side, ENTER), enter, sizeof(enter));
	memcpy(at(side, PROFILE), profile, sizeof(profile));
	memcpy(at(side, CAUGHT), caught, sizeof(caught));
	build_tables(side);
	engine_soft.vcpu_reset(side->vcpu, SETUP, 0);
	return run_step(side, SETUP, x, 6) == STEP_SETUP ? 0 : -1;
}

struct soft_side *soft_side_open(enum soft_way way)
{
	struct soft_side *side = calloc(1, sizeof(*side));
	struct engine_host host = {
		.ctx = side,
		.mmio_read = no_mmio_read,
		.mmio_write = no_mmio_write,
		.sysreg_read = no_sysreg_read,
		.sysreg_write = no_sysreg_write,
		.counter = counter,
		.spe_irq = spe_irq,
		.spe_data = spe_data,
	};
	const struct engine_tuning tuning = {
		.single_step = ways[way].steps,
		.jit = SOFT_JIT && ways[way].translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = true,
		.isa = SOFT_ISA_ALL & ~SOFT_ISA(LSE2), /* which QEMU 7.2 has not */
		.sve_vl = CASE_VL_MAX,
	};
	struct engine_vcpu_config config = {
		.midr = 0x410fd0b0, .levels = {.start = 1}, .tuning = &tuning};
	struct spe_config spe;
	char why[160] = "no memory";

	if (!side)
		return NULL;
	side->way = way;
	side->random = 1;
	side->ram = aligned_alloc(65536, RAM_SIZE);
	if (side->ram) {
		memset(side->ram, 0, RAM_SIZE);
		host.ram = (struct engine_ram){.base = RAM, .size = RAM_SIZE, .host = side->ram};
		side->vm = engine_soft.create(&host, 1);
	}
	if (ways[way].profiled) {
		spe_config_defaults(&spe, SPE_VERSION_DEFAULT);
		config.spe = &spe;
	}
	if (side->vm)
		side->vcpu = engine_soft.vcpu_create(side->vm, &config, why, sizeof(why));
	if (side->vcpu && !boot(side))
		return side;
	if (side->vcpu)
		engine_soft.vcpu_describe(side->vcpu, why, sizeof(why));
	fprintf(stderr, "the software CPU does not start: %s\n", why);
	soft_side_close(side);
	return NULL;
}

void soft_side_close(struct soft_side *side)
{
	if (side->vm)
		engine_soft.destroy(side->vm);
	free(side->ram);
	free(side);
}

uint64_t soft_side_records(struct soft_side *side)
{
	const struct spe_unit *unit = engine_soft.vcpu_spe(side->vcpu);

	struct spe_stats stats = {0};

	if (unit)
		spe_stats(unit, &stats);
	return stats.records;
}

uint64_t soft_side_digest(const struct soft_side *side)
{
	return side->digest;
}

/* Empty buffer, INTERVAL of 1 with RND, and a first sample somewhere in the case. */
static bool start_profiling(struct soft_side *side)
{
	const uint64_t x[] = {
		(BUFFER_VA + BLOCK_SIZE - PAGE_SIZE) | 1, /* PMBLIMITR_EL1: E */
		BUFFER_VA, 0x101,			  /* PMSIRR_EL1: INTERVAL 1, RND */
		0x39,					  /* PMSCR_EL1: E0SPE, CX, PA, TS */
		up_to(side, CASE_WORDS)			  /* PMSICR_EL1: COUNT */
	};

	return run_step(side, PROFILE, x, 5) == STEP_PROFILE;
}

/* What Linux makes a signal of, from the exception class and the fault status code. */
static enum case_end end_of(uint64_t esr)
{
	switch (esr >> 26) {
	case 0x3c: return CASE_END_BRK;
	case 0x00: return CASE_END_UNDEFINED;
	case 0x20: return CASE_END_ABORT;
	case 0x22:
	case 0x26: return CASE_END_ALIGNMENT;
	case 0x24: return (esr & 0x3f) == 0x21 ? CASE_END_ALIGNMENT : CASE_END_ABORT;
	default: return CASE_END_OTHER;
	}
}

/* What a signal frame has under Linux; ENTER has set V0 to V31 and so made 0 what is above. */
static void put_scalable(struct soft_side *side, const struct case_sve *sve)
{
	struct soft_cpu *cpu = (struct soft_cpu *)side->vcpu; /* its first member */

	for (unsigned int n = 0; n < 32; n++) {
		for (unsigned int c = 0; c < CASE_VL_MAX / 16; c++)
			memcpy(&cpu->z[c][n], &sve->z[n][16 * c], 16);
		cpu->upper[n] = true;
	}
	for (unsigned int n = 0; n < 17; n++)
		memcpy(cpu->p[n].b, sve->p[n], sizeof(sve->p[n]));
}

static void get_scalable(const struct soft_side *side, struct case_sve *sve)
{
	const struct soft_cpu *cpu = (const struct soft_cpu *)side->vcpu;

	for (unsigned int n = 0; n < 32; n++)
		for (unsigned int c = 0; c < sve->vl / 16; c++)
			memcpy(&sve->z[n][16 * c], &cpu->z[c][n], 16);
	for (unsigned int n = 0; n < 17; n++)
		memcpy(sve->p[n], cpu->p[n].b, sve->vl / 8);
}

/* Up to where ERET is the next instruction, of a case at slot index. */
static bool enter_case(struct soft_side *side, unsigned int index, const struct case_input *input)
{
	static uint64_t memory[CASE_BYTES / 8];
	const uint64_t entry[] = {
		input->sp,   input->nzcv, CASE_CODE + (uint64_t)index * CASE_SLOT,  input->fpcr,
		input->fpsr, REGISTERS,	  input->sve.vl / 16 - (input->sve.vl != 0)};

	copy(side, CODE_PA, entry[2] - CODE_VA, (void *)(uintptr_t)input->code, CASE_SLOT, true);
	case_fill(input->memory_seed, memory);
	copy(side, SCRATCH_PA, 0, memory, CASE_BYTES, true);
	if (ways[side->way].profiled && !start_profiling(side))
		return false;
	memcpy(at(side, REGISTERS), input->v, sizeof(input->v));
	if (run_step(side, ENTER, entry, 7) != STEP_ENTER)
		return false;
	if (input->sve.vl)
		put_scalable(side, &input->sve);
	for (unsigned int n = 0; n < 31; n++)
		engine_soft.vcpu_set(side->vcpu, n, input->x[n]);
	return true;
}

uint64_t soft_side_run(struct soft_side *side, unsigned int index, const struct case_input *input,
		       struct case_output *output, uint64_t executed[ROWS])
{
	uint64_t before, after;

	memset(output, 0, sizeof(*output));
	output->end = CASE_END_OTHER;
	if (!enter_case(side, index, input))
		return 0;
	before = engine_soft.vcpu_ops(side->vcpu);
	if (run(side, executed) != STEP_CAUGHT)
		return 0;
	after = engine_soft.vcpu_ops(side->vcpu);
	for (unsigned int n = 0; n < 31; n++)
		output->x[n] = engine_soft.vcpu_get(side->vcpu, n);
	output->sve.vl = input->sve.vl;
	get_scalable(side, &output->sve);
	copy(side, SCRATCH_PA, 0, output->memory, CASE_BYTES, false);
	if (run(side, NULL) != STEP_RESULT)
		return 0;
	memcpy(output->v, at(side, REGISTERS), sizeof(output->v));
	output->fpcr = engine_soft.vcpu_get(side->vcpu, 5);
	output->fpsr = engine_soft.vcpu_get(side->vcpu, 6);
	output->sp = engine_soft.vcpu_get(side->vcpu, 0);
	output->nzcv = engine_soft.vcpu_get(side->vcpu, 1) & UINT64_C(0xf0000000);
	output->pc = engine_soft.vcpu_get(side->vcpu, 2);
	output->end = end_of(engine_soft.vcpu_get(side->vcpu, 3));
	if (output->end == CASE_END_ABORT || output->end == CASE_END_ALIGNMENT)
		output->far = engine_soft.vcpu_get(side->vcpu, 4);
	return after - before - 2; /* without ERET and HVC */
}

bool soft_side_enter(struct soft_side *side, unsigned int index, const struct case_input *input)
{
	return enter_case(side, index, input) && soft_side_step(side);
}

bool soft_side_step(struct soft_side *side)
{
	struct engine_exit exit = {0};

	do
		engine_soft.vcpu_run(side->vcpu, 1, &exit);
	while (exit.reason == ENGINE_EXIT_WFE);
	return engine_soft.vcpu_get(side->vcpu, 31) < RAM ||
	       engine_soft.vcpu_get(side->vcpu, 31) >= RAM + RAM_SIZE;
}

void soft_side_state(const struct soft_side *side, struct oracle_state *state)
{
	const struct soft_cpu *cpu = (const struct soft_cpu *)side->vcpu; /* its first member */

	memcpy(state->x, cpu->x, sizeof(state->x));
	memcpy(state->v, cpu->v, sizeof(state->v));
	state->sp = cpu->x[SOFT_X_SP];
	state->pc = engine_soft.vcpu_get(side->vcpu, 31);
	state->nzcv = soft_get_nzcv(cpu);
	state->fpcr = cpu->sys.fp.fpcr;
	state->fpsr = cpu->sys.fp.fpsr;
}

void soft_side_memory(struct soft_side *side, unsigned int index, uint8_t scratch[CASE_BYTES],
		      uint8_t code[CASE_SLOT])
{
	copy(side, SCRATCH_PA, 0, scratch, CASE_BYTES, false);
	copy(side, CODE_PA, CASE_CODE + (uint64_t)index * CASE_SLOT - CODE_VA, code, CASE_SLOT,
	     false);
}
