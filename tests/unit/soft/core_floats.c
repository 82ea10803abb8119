/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of floating point and Advanced SIMD, translated, with operands that are at the edges
 * of what the host computes: they leave what their functions leave, FPSR and flags too.
 */
#include "../compare.h"
#include "a64/a64.h"
#include "core_support.h"
#include "soft/flags.h"
#include "soft/fp/vector.h"
#include "soft/run/block.h"
#include "soft/run/jit/translator.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#include <string.h>

#if SOFT_JIT

#define WORDS_OF_ROW 8	  /* encodings of each row of the table */
#define TIMES	     1000 /* ... executions of each */

static uint64_t random_state;

static uint64_t next(void)
{
	return splitmix64(&random_state);
}

/* Zeros, denormals, the smallest normal numbers and what rounds up to them or falls below, usual
 * numbers, integers' limits, the largest ones, infinities, NaNs. */
static const uint64_t doubles[] = {
	0,
	1,
	0x000fffffffffffff,
	0x0010000000000000,
	0x0010000000000001,
	0x0020000000000000,
	0x0030000000000001,
	0x2000000000000000,
	0x1ff0000000000003,
	0x3fe0000000000000,
	0x3fefffffffffffff,
	0x3ff0000000000000,
	0x3ff0000000000001,
	0x3ff8000000000000,
	0x4008000000000000,
	0x41dfffffffc00000,
	0x41e0000000000000,
	0x41efffffffe00000,
	0x41f0000000000000,
	0x43dfffffffffffff,
	0x43e0000000000000,
	0x43f0000000000000,
	0x5fefffffffffffff,
	0x36a0000000000000,
	0x380fffffe0000000,
	0x3810000000000000,
	0x47efffffe0000000,
	0x47efffffffffffff,
	0x7fe0000000000000,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0x7ff0000000000001,
	0x7ff8000000000000,
};
static const uint32_t singles[] = {
	0,	    1,		0x007fffff, 0x00800000, 0x00800001, 0x01000000, 0x01800001,
	0x20000000, 0x1f800003, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
	0x40400000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000,
	0x5f800000, 0x5f7fffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
};

static uint64_t random_double(void)
{
	return doubles[next() % ARRAY_SIZE(doubles)] | next() << 63;
}

static uint64_t random_single(void)
{
	return singles[next() % ARRAY_SIZE(singles)] | (next() & 0x80000000);
}

/* All elements are usual numbers most of the time: one that is not hides what comes of others. */
static uint64_t random_element(bool usual, bool is_double)
{
	if (!usual)
		return is_double ? random_double() : random_single() | random_single() << 32;
	return is_double ? (next() >> 2 | UINT64_C(0x3000000000000000)) & ~(next() << 63)
			 : (next() & UINT64_C(0x8fffffff8fffffff)) | UINT64_C(0x3800000038000000);
}

/* The smallest normal number, or the largest one below 1: their product is tiny, and rounded up. */
static uint64_t random_edge(bool is_double)
{
	if (is_double)
		return next() % 2 ? 0x0010000000000000 : 0x3fefffffffffffff;
	return next() % 2 ? 0x0080000000800000 : 0x3f7fffff3f7fffff;
}

static struct core_machine *machine(void)
{
	static const uint32_t allow[] = {
		0xd5181049, /* msr cpacr_el1, x9 */
		0xd4000002, /* hvc #0 */
	};
	const struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.sve_vl = 64,
		.jit = SOFT_JIT_ON,
		.jit_at_once = true,
	};
	struct core_machine *m = core_new((struct core_options){.model = &tuning});

	CORE_LOAD(m, CODE, allow);
	core_set(m, 9, 3 << 20);
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
	return m;
}

static void set_operands(struct soft_cpu *cpu)
{
	const bool is_double = next() % 2;
	const unsigned int unusual = (unsigned int)next() % 12; /* of v[] one, or none, or all */

	for (unsigned int n = 0; n < 32; n++) {
		const bool usual = unusual != 11 && (n != unusual % 4 || unusual > 7);

		for (unsigned int half = 0; half < 2; half++)
			cpu->v[n].d[half] =
				unusual == 10 ? random_edge(is_double)
					      : random_element(usual || next() % 2, is_double);
	}
	for (unsigned int n = 0; n < 31; n++)
		cpu->x[n] = next() >> next() % 64;
	soft_set_flags(cpu, (uint32_t)next() % 16);
	cpu->sys.fp.fpsr = next() % 8 ? FPSR_IXC : 0;
	cpu->sys.fp.fpcr = next() % 8 ? 0 : (uint32_t)next() & FPCR_IMPLEMENTED;
	cpu->fp_usual = float_is_usual(&cpu->sys.fp);
}

static void compare(const struct soft_cpu *cpu, const struct soft_cpu *expected,
		    const struct a64_insn *insn, uint32_t word)
{
	for (unsigned int n = 0; n < 32; n++) {
		for (unsigned int half = 0; half < 2; half++)
			cr_assert_eq(cpu->v[n].d[half], expected->v[n].d[half],
				     "%s %08x: v%u.d[%u] is %016lx, not %016lx", a64_name(insn),
				     word, n, half, (unsigned long)cpu->v[n].d[half],
				     (unsigned long)expected->v[n].d[half]);
	}
	cr_assert_arr_eq(cpu->x, expected->x, 31 * sizeof(cpu->x[0]), "%s %08x: registers",
			 a64_name(insn), word);
	cr_assert_eq(soft_flags(cpu), soft_flags(expected), "%s %08x: flags %x, not %x",
		     a64_name(insn), word, soft_flags(cpu), soft_flags(expected));
	cr_assert_eq(cpu->sys.fp.fpsr, expected->sys.fp.fpsr, "%s %08x: FPSR %x, not %x",
		     a64_name(insn), word, cpu->sys.fp.fpsr, expected->sys.fp.fpsr);
	cr_assert(!cpu->fp_usual || float_is_usual(&cpu->sys.fp), "%s %08x", a64_name(insn), word);
}

/* A word of the row, half of them with registers 0 to 3, where they are as usual. */
static uint32_t word_of(const struct a64_insn *insn)
{
	const uint32_t word = insn->value | ((uint32_t)next() & ~insn->mask);
	const uint32_t few = word & ~(UINT32_C(0x1c) | 0x1c << 5 | 0x1c << 16);

	return next() % 2 && a64_decode(few) == insn ? few : word;
}

/* Executions of a word in a block with a branch back to it. */
static void execute(struct core_machine *m, uint64_t place, const struct a64_insn *insn,
		    uint32_t word, const struct soft_op *op)
{
	static struct soft_cpu expected;
	const uint32_t words[] = {word, 0x17ffffff};
	struct soft_cpu *cpu = (struct soft_cpu *)m->cpu[0];

	CORE_LOAD(m, place, words);
	for (unsigned int times = 0; times < TIMES; times++) {
		set_operands(cpu);
		memcpy(&expected, cpu, offsetof(struct soft_cpu, guarded)); /* registers, flags */
		memcpy(expected.v, cpu->v, sizeof(cpu->v));
		expected.sys.fp = cpu->sys.fp;
		soft_run_vector(&expected, op);
		core_set(m, PC, place);
		(void)core_run(m, 2);
		compare(cpu, &expected, insn, word);
	}
}

Test(core_floats, leave_what_functions_leave, .timeout = 60)
{
	const unsigned int words_of_row = (unsigned int)(WORDS_OF_ROW * core_effort());
	unsigned int words = 0;

	random_state = 1;
	for (unsigned int id = 0; id < A64_COUNT; id++) {
		const struct a64_insn *insn = &a64_table[id];
		struct core_machine *m;

		if (!insn->executed)
			continue;
		m = machine();
		for (unsigned int n = 0; n < words_of_row; n++) {
			const uint32_t word = word_of(insn);
			const struct soft_op op = *core_operation(word);

			if (a64_decode(word) != insn || op.kind != SOFT_vector)
				continue;
			execute(m, CODE + 0x1000 + 8 * (uint64_t)n, insn, word, &op);
			words++;
		}
		core_free(m);
	}
	cr_assert_gt(words, 1000);
}

#endif
