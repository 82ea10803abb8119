/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of SVE, translated, with vectors that templates have and longer ones: they leave
 * what the interpreter leaves in registers, predicates, flags, FPSR and memory, whether all
 * elements are active or some, and numbers are usual or not.
 */
#include "../compare.h"
#include "a64/a64.h"
#include "core_regimes.h"
#include "soft/flags.h"
#include "soft/fp/float.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#include <string.h>

#if SOFT_JIT

#define WORDS_OF_ROW 4	/* encodings of each row of the table */
#define TIMES	     60 /* ... executions of each */
#define HOLE	     (DATA + 0x1000)
#define AREA	     0x200 /* bytes before HOLE that are accessed */

static uint64_t random_state;

static uint64_t next(void)
{
	return splitmix64(&random_state);
}

/* At EL1, with SVE, and Normal memory but for HOLE. */
static struct core_machine *machine(unsigned int vl, unsigned int used, bool translated)
{
	static const uint32_t allow[] = {
		0xd5181049, /* msr cpacr_el1, x9 */
		0xd518120a, /* msr zcr_el1, x10 */
		0xd5033fdf, /* isb */
		0xd4000002, /* hvc #0 */
	};
	const struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.sve_vl = (uint16_t)vl,
		.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = translated,
	};
	struct core_machine *m = core_new((struct core_options){.model = &tuning});

	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, CODE + sizeof(program_mmu_on), allow);
	core_map(m, HOLE);
	core_set(m, 9, 0x330000);
	core_set(m, 10, used / 16 - 1);
	cr_assert_eq(core_run(m, 100), ENGINE_EXIT_HVC);
	cr_assert_eq(soft(m)->vl, used);
	return m;
}

/* Of single or double precision, and seldom zero, tiny or no number. */
static uint64_t random_numbers(void)
{
	switch (next() % 16) {
	case 0: return next();
	case 1: return 0;
	case 2: return UINT64_C(0x7ff000007f800000);
	case 3: return 0x0010000000800000;
	default: return (next() & UINT64_C(0x8fffffff8fffffff)) | UINT64_C(0x3800000038000000);
	}
}

static uint64_t random_predicate(void)
{
	switch (next() % 4) {
	case 0: return next();
	case 1: return next() & 1 ? 0 : UINT64_C(0xffff);
	default: return UINT64_MAX;
	}
}

/* Bases are before HOLE, seldom so near that a vector reaches it; indexes are small. */
static uint64_t random_x(void)
{
	const uint64_t at = next() % AREA & (next() % 4 ? ~UINT64_C(15) : UINT64_MAX);

	return next() % 3 == 0 ? next() % 40 : HOLE - AREA + at;
}

static void set_state(struct soft_cpu *cpu, uint8_t *memory)
{
	const bool usual = next() % 4;

	memset(cpu->z, 0, sizeof(cpu->z));
	for (unsigned int n = 0; n < 32; n++) {
		cpu->upper[n] = cpu->vl > 16 && next() % 4;
		for (unsigned int half = 0; half < (cpu->upper[n] ? cpu->vl / 8u : 2); half++)
			cpu->z[half / 2][n].d[half % 2] =
				usual ? random_numbers() | 1 << 23 : random_numbers();
	}
	memset(cpu->p, 0, sizeof(cpu->p));
	for (unsigned int n = 0; n < SOFT_PREDICATES; n++) {
		const uint64_t bits = random_predicate();

		memcpy(cpu->p[n].b, &bits, cpu->vl / 8u);
	}
	for (unsigned int n = 0; n < 31; n++)
		cpu->x[n] = random_x();
	cpu->x[SOFT_X_SP] = HOLE - AREA + 16 * (next() % 16);
	soft_set_flags(cpu, (uint32_t)next() % 16);
	cpu->sys.fp.fpsr = next() % 8 ? FPSR_IXC : 0;
	cpu->sys.fp.fpcr = next() % 8 ? 0 : (uint32_t)next() & FPCR_IMPLEMENTED;
	cpu->fp_usual = float_is_usual(&cpu->sys.fp);
	for (unsigned int n = 0; n < AREA; n++)
		memory[n] = (uint8_t)next();
}

static void copy_state(struct soft_cpu *to, const struct soft_cpu *from)
{
	memcpy(to->x, from->x, sizeof(to->x));
	memcpy(to->z, from->z, sizeof(to->z));
	memcpy(to->p, from->p, sizeof(to->p));
	memcpy(to->upper, from->upper, sizeof(to->upper));
	soft_set_flags(to, soft_flags(from));
	to->sys.fp = from->sys.fp;
	to->fp_usual = from->fp_usual;
}

static void compare(const struct core_machine *m, const struct core_machine *expected,
		    const struct a64_insn *insn, uint32_t word)
{
	const struct soft_cpu *cpu = soft(m), *other = soft(expected);

	for (unsigned int c = 0; c < cpu->vl / 16u; c++)
		for (unsigned int n = 0; n < 64; n++)
			cr_assert_eq(cpu->z[c][n / 2].d[n % 2], other->z[c][n / 2].d[n % 2],
				     "%s %08x, %u bytes: z[%u][%u].d[%u] is %016lx, not %016lx",
				     a64_name(insn), word, cpu->vl, c, n / 2, n % 2,
				     (unsigned long)cpu->z[c][n / 2].d[n % 2],
				     (unsigned long)other->z[c][n / 2].d[n % 2]);
	for (unsigned int n = 0; n < SOFT_PREDICATES; n++)
		cr_assert_arr_eq(cpu->p[n].b, other->p[n].b, cpu->vl / 8u, "%s %08x: p%u",
				 a64_name(insn), word, n);
	for (unsigned int n = 0; n < 32; n++)
		cr_assert_eq(cpu->upper[n] || cpu->vl == 16, other->upper[n] || cpu->vl == 16,
			     "%s %08x: upper[%u]", a64_name(insn), word, n);
	for (unsigned int n = 0; n <= PC; n++)
		cr_assert_eq(core_get(m, n), core_get(expected, n),
			     "%s %08x: register %u is %lx, not %lx", a64_name(insn), word, n,
			     (unsigned long)core_get(m, n), (unsigned long)core_get(expected, n));
	cr_assert_eq(soft_flags(cpu), soft_flags(other), "%s %08x: flags %x, not %x",
		     a64_name(insn), word, soft_flags(cpu), soft_flags(other));
	cr_assert_eq(cpu->sys.fp.fpsr, other->sys.fp.fpsr, "%s %08x: FPSR %x, not %x",
		     a64_name(insn), word, cpu->sys.fp.fpsr, other->sys.fp.fpsr);
	cr_assert(!cpu->fp_usual || float_is_usual(&cpu->sys.fp), "%s %08x", a64_name(insn), word);
	cr_assert_arr_eq(m->ram + (HOLE - AREA - RAM_BASE),
			 expected->ram + (HOLE - AREA - RAM_BASE), AREA, "%s %08x: memory",
			 a64_name(insn), word);
}

/*
 * A word in a block with a branch back to it, after an addition whose result is in a register of
 * the host's by then, and before one.
 */
static void execute(struct core_machine *m, struct core_machine *expected, uint64_t place,
		    const struct a64_insn *insn, uint32_t word)
{
	const uint32_t words[] = {0x91000421 /* add x1, x1, #1 */, word,
				  0x91000442 /* add x2, x2, #1 */, 0x17fffffd};

	CORE_LOAD(m, place, words);
	CORE_LOAD(expected, place, words);
	for (unsigned int times = 0; times < TIMES; times++) {
		uint8_t *memory = m->ram + (HOLE - AREA - RAM_BASE);
		const uint64_t count = 1 + next() % 9;

		set_state(soft(m), memory);
		copy_state(soft(expected), soft(m));
		memcpy(expected->ram + (HOLE - AREA - RAM_BASE), memory, AREA);
		core_set(m, PC, place);
		core_set(expected, PC, place);
		(void)core_run(m, count);
		(void)core_run(expected, count);
		compare(m, expected, insn, word);
	}
}

/* vl: the longest vectors there are, and those used. Of rows to be executed, each in a machine. */
static void compare_rows(unsigned int vl, unsigned int used)
{
	const unsigned int words_of_row = (unsigned int)(WORDS_OF_ROW * core_effort());
	struct core_machine *m = machine(vl, used, true), *expected = machine(vl, used, false);
	uint64_t place = CODE + 0x1000;
	unsigned int words = 0;

	random_state = vl + used;
	for (unsigned int id = 0; id < A64_COUNT; id++) {
		const struct a64_insn *insn = &a64_table[id];

		if (!insn->executed || !a64_is_sve(insn))
			continue;
		for (unsigned int n = 0; n < words_of_row; n++) {
			const uint32_t word = insn->value | ((uint32_t)next() & ~insn->mask);

			if (a64_decode(word) != insn)
				continue;
			execute(m, expected, place, insn, word);
			place = place < CODE + 0xe000 ? place + 16 : CODE + 0x1000;
			words++;
		}
	}
	cr_assert_gt(words, 1000);
	core_free(m);
	core_free(expected);
}

Test(core_sve_translated, of_128_bits, .timeout = 120)
{
	compare_rows(16, 16);
}

Test(core_sve_translated, of_256_bits, .timeout = 120)
{
	compare_rows(32, 32);
}

Test(core_sve_translated, of_128_of_256_bits, .timeout = 120)
{
	compare_rows(32, 16);
}

Test(core_sve_translated, of_512_bits, .timeout = 120)
{
	compare_rows(64, 64);
}

#endif
