/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples on the way through loops whose operations are each selected in turn, often enough to get
 * separate code: records, registers and memory are those of single steps. Some records are hard to
 * predict: addresses and flags that the block computes, a TLB that forgets, operations that fault,
 * code that is written.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/code_memory.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#include <string.h>

#define PROGRAMS 24
#define BODY	 40
#define HOT	 2    /* executions before a block is translated, in every other program */
#define ROUNDS	 2000 /* of a loop: spacing and length of it have no common factor, most times */
#define HOLE	 (DATA + 0x10000)
#define BEGIN	 (CODE + 0x400)

enum { X_POST = 19, X_DATA = 20, X_COUNT = 22, X_CODE = 23, X_HOLE = 25 };

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	return (uint32_t)(splitmix64(&random_state) % n);
}

/* Of X0 to X15 each. */
static uint32_t d_n_m(void)
{
	return below(16) << 16 | below(16) << 5 | below(16);
}

/* Up to four words that belong together. Returns their number. */
static size_t put_words(uint32_t *words, unsigned int kind)
{
	const uint32_t d = below(16), condition = below(14);

	switch (kind) {
	case 0: words[0] = 0x8b000000 | d_n_m(); return 1;		     /* add */
	case 1: words[0] = 0xca000000 | d_n_m(); return 1;		     /* eor */
	case 2: words[0] = 0xeb000000 | d_n_m(); return 1;		     /* subs */
	case 3: words[0] = 0xea000000 | d_n_m(); return 1;		     /* ands */
	case 4: words[0] = 0x9a800400 | condition << 12 | d_n_m(); return 1; /* csinc */
	case 5:								     /* cmp, csel */
		words[0] = 0xeb00001f | below(16) << 16 | below(16) << 5;
		words[1] = 0x9a800000 | condition << 12 | d_n_m();
		return 2;
	case 6: /* ccmp */
		words[0] =
			0xfa400000 | below(16) << 16 | condition << 12 | below(16) << 5 | below(16);
		return 1;
	case 7: /* and x16, xn, #0x7ff8; ldr xd, [x20, x16] */
		words[0] = 0x927d2c10 | below(16) << 5;
		words[1] = 0xf8706a80 | d;
		return 2;
	case 8: /* ...; str xd, [x20, x16]; x16 changes */
		words[0] = 0x927d2c10 | below(16) << 5;
		words[1] = 0xf8306a80 | d;
		words[2] = 0xca000210 | d << 16; /* eor x16, x16, xd */
		return 3;
	case 9: /* ...; add x17, x20, x16; ldr x17, [x17, #8] */
		words[0] = 0x927d2c10 | below(16) << 5;
		words[1] = 0x8b100291;
		words[2] = 0xf9400631;
		return 3;
	case 10: words[0] = 0xa9410280 | below(16) << 10 | d; return 1; /* ldp xd, xn, [x20, #16] */
	case 11: words[0] = 0xf8408660 | d; return 1;			/* ldr xd, [x19], #8 */
	case 12: words[0] = 0x1e622820; return 1;			/* fadd d0, d1, d2 */
	case 13: words[0] = 0x9e670001 | d << 5; return 1;		/* fmov d1, xd */
	case 14: words[0] = 0xfd400e80; return 1;			/* ldr d0, [x20, #24] */
	case 15: words[0] = 0x36180040 | d; return 1;			/* tbz wd, #3, .+8 */
	case 16: words[0] = 0x54000040 | condition; return 1;		/* b.cond .+8 */
	case 17: words[0] = 0xb5000040 | d; return 1;			/* cbnz xd, .+8 */
	case 18: /* ldxr x1, [x20]; stxr w2, x1, [x20] */
		words[0] = 0xc85f7e81;
		words[1] = 0xc8027e81;
		return 2;
	case 19: words[0] = 0xd53b4200 | d; return 1; /* mrs xd, nzcv */
	case 20: /* and x16, xn, #0xff8; orr x16, x16, #0xffff000000000000; ldr xd, [x20, w16, uxtw
		    #3] or sxtw #3 */
		words[0] = 0x927d2010 | below(16) << 5;
		words[1] = 0xb2503e10;
		words[2] = (below(2) ? 0xf8705a80 : 0xf870da80) | d;
		return 3;
	/* Rare ones from here on. */
	case 21: words[0] = 0xd508871f; return 1;     /* tlbi vmalle1 */
	case 22: words[0] = 0xf9400320 | d; return 1; /* ldr xd, [x25]: not there */
	default: /* ldr w18, [x23]; str w18, [x23]: code of the loop, as it is */
		words[0] = 0xb94002f2;
		words[1] = 0xb90002f2;
		return 2;
	}
}

/* hard: with one of the rare ones. */
static void load_program(struct core_machine *m, bool hard)
{
	static const uint32_t begin[] = {
		0xd2a00609, /* movz x9, #0x30, lsl #16 */
		0xd5181049, /* msr cpacr_el1, x9 */
		0xd5033fdf, /* isb */
		0xaa1403f3, /* mov x19, x20: the loop */
	};
	static const uint32_t skip[] = {
		0xd5384038, /* mrs x24, elr_el1 */
		0x91001318, /* add x24, x24, #4 */
		0xd5184038, /* msr elr_el1, x24 */
		0xd69f03e0, /* eret */
	};
	uint32_t words[BODY + 8];
	const size_t body = 6 + below(BODY - 6);
	const size_t rare = hard ? below((uint32_t)body) : BODY;
	bool done = false;
	size_t n = 0;

	while (n < body) {
		const bool now = n >= rare && !done;

		n += put_words(&words[n], now ? 21 + below(3) : below(21));
		done = done || now;
	}
	words[n++] = 0xd503201f; /* the target of a branch over the last one */
	words[n++] = 0xd10006d6; /* sub x22, x22, #1 */
	words[n] = 0xb5000016 | ((uint32_t)(-(int64_t)n - 1) & 0x7ffff) << 5; /* cbnz x22, loop */
	n++;
	words[n++] = 0xd4000002; /* hvc #0 */
	core_map(m, HOLE);
	CORE_LOAD(m, CODE, program_mmu_on);
	core_load(m, CODE + sizeof(program_mmu_on),
		  &(uint32_t){0x14000000 |
			      (uint32_t)(BEGIN - CODE - sizeof(program_mmu_on)) / 4}, /* b BEGIN */
		  1);
	CORE_LOAD(m, BEGIN, begin);
	core_load(m, BEGIN + sizeof(begin), words, n);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, skip);
	for (uint64_t at = 0; at < 0x8100; at += 8)
		core_write(m, DATA + at, splitmix64(&random_state));
	for (unsigned int reg = 10; reg < 16; reg++)
		core_set(m, reg, splitmix64(&random_state));
	core_set(m, X_DATA, DATA);
	core_set(m, X_COUNT, ROUNDS);
	core_set(m, X_CODE, BEGIN + sizeof(begin));
	core_set(m, X_HOLE, HOLE);
}

static struct core_machine *run_program(uint64_t seed, enum soft_jit_wish jit, bool single_step)
{
	const struct engine_tuning tuning = {
		.jit = jit, .jit_at_once = true, .single_step = single_step};
	struct core_machine *m = core_new(
		(struct core_options){.spe = true, .single_step = single_step, .model = &tuning});

	random_state = seed;
	/* A trace covers several blocks if all of them have been executed. */
	if (jit == SOFT_JIT_ON && seed % 2)
		((struct soft_cpu *)m->cpu[0])->vm->jit->hot = HOT;
	load_program(m, seed % 3 == 0);
	core_profile(m, 256);
	/* In pieces of random sizes, so that a run is also cut off where a sample waits. */
	for (unsigned int turn = 0; turn < 64; turn++) {
		if (core_run(m, turn % 4 ? 3000 + below(9000) : below(700)) != ENGINE_EXIT_BUDGET)
			break;
	}
	return m;
}

static void same(const struct core_machine *m, const struct core_machine *stepped, uint64_t seed)
{
	cr_assert_eq(m->record_bytes, stepped->record_bytes, "seed %d", (int)seed);
	for (size_t n = 0; n < m->record_bytes; n++)
		cr_assert_eq(m->records[n], stepped->records[n], "seed %d: byte %zu of record %zu",
			     (int)seed, n % 64, n / 64);
	cr_assert(core_same(m, stepped), "seed %d", (int)seed);
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), engine_soft.vcpu_ops(stepped->cpu[0]));
}

Test(core_sampled, on_the_way_as_in_steps, .timeout = 600)
{
	uint64_t sampled = 0, records = 0;

	for (uint64_t seed = 1; seed <= PROGRAMS * core_effort(); seed++) {
		struct core_machine *stepped = run_program(seed, SOFT_JIT_OFF, true);
		struct core_machine *m = run_program(seed, SOFT_JIT_OFF, false);

		same(m, stepped, seed);
		core_free(m);
		if (SOFT_JIT) {
			m = run_program(seed, SOFT_JIT_ON, false);
			same(m, stepped, seed);
			sampled += ((struct soft_cpu *)m->cpu[0])->vm->jit->sampled;
			core_free(m);
		}
		records += stepped->record_bytes / 64;
		core_free(stepped);
	}
	cr_expect_gt(records, PROGRAMS * 100);
	if (SOFT_JIT)
		cr_expect_gt(sampled, PROGRAMS);
}
