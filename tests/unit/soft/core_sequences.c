/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of operations that the translator has templates for, long enough to run out of
 * registers, with others among them. Translated as one block, or as a trace of several, they have
 * the results of single steps.
 */
#include "../compare.h"
#include "a64/a64.h"
#include "core_support.h"
#include "soft/flags.h"
#include "soft/run/block.h"
#include "soft/run/jit/translator.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#include <string.h>

#if SOFT_JIT /* there are no templates otherwise */

#define MACHINES 100
#define PROGRAMS 400 /* of a machine, each at a separate place */
#define WORDS	 56
#define PLACE	 256 /* bytes */
#define BASES	 20  /* from this register on they have addresses */
#define HOT	 2   /* executions after which blocks are translated, of those that make traces */
#define TIMES	 6   /* ... that a program then runs */

static uint64_t random_state;

static uint64_t next(void)
{
	return splitmix64(&random_state);
}

static bool accesses(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST || op->kind == SOFT_call;
}

/* Rn is an address. */
static uint32_t with_base(uint32_t word)
{
	const uint32_t base = next() % 32 ? BASES + (uint32_t)next() % 8 : 31;

	return (word & ~UINT32_C(0x3e0)) | base << 5;
}

/* Most have templates; others go to their handlers. None ends the block. */
static uint32_t random_word(void)
{
	for (;;) {
		const struct a64_insn *insn = &a64_table[next() % A64_COUNT];
		uint32_t word = insn->value | ((uint32_t)next() & ~insn->mask);
		const struct template_row *row;
		const struct soft_op *op;

		if (!insn->executed || a64_flow(insn) != A64_FLOW_NONE)
			continue;
		op = core_operation(word);
		row = soft_template_of(op);
		if (op->kind == SOFT_system || (op->kind == SOFT_call && !row))
			continue;
		if (row ? row->ends : next() % 8 != 0)
			continue;
		return accesses(op) ? with_base(word) : word;
	}
}

/* Readers of flags: CSEL, CSINC, CSINV or CSNEG, some of them CSET and the like. */
static uint32_t random_select(void)
{
	const uint32_t zeros = next() % 4 ? 0 : 0x1f03e0;

	return 0x1a800000 | zeros | (uint32_t)(next() & 0xc00704e7) |
	       (uint32_t)next() % SOFT_CONDITION_COUNT << 12;
}

/* Of few registers: an operation needs what a recent one changed. */
static uint32_t random_dense_word(void)
{
	const uint32_t word = random_word();
	const struct a64_insn *insn = a64_decode(word);

	if (next() % 6 == 0)
		return random_select();
	if (accesses(core_operation(word)))
		return word;
	return insn->value | (word & ~insn->mask & ~UINT32_C(0x00180318));
}

/* A branch by 2 to `most` words. */
static uint32_t random_branch(unsigned int most)
{
	static const uint32_t branches[] = {
		0x54000000, /* b.cond */
		0x34000000, /* cbz */
		0x35000000, /* cbnz */
		0x36000000, /* tbz */
		0x37000000, /* tbnz */
		0x14000000, /* b */
		0x94000000, /* bl */
	};
	const uint32_t kind = branches[next() % ARRAY_SIZE(branches)];
	const uint32_t by = 2 + (uint32_t)next() % (most - 1);

	if ((kind & 0x7c000000) == 0x14000000)
		return kind | by;
	if (kind == 0x54000000)
		return kind | by << 5 | (uint32_t)next() % SOFT_CONDITION_COUNT;
	/* sf or b5, Rt, b40 */
	return kind | (uint32_t)(next() & 0x80000007) | by << 5 |
	       ((kind & 0x02000000) ? (uint32_t)(next() & 31) << 19 : 0);
}

/* A load-exclusive and a store-exclusive of the same place, mostly of the same size. */
static void random_exclusives(uint32_t words[2])
{
	const uint32_t base = (uint32_t)(BASES + next() % 8) << 5, size = (uint32_t)next() << 30;

	words[0] = 0x085f7c00 | size | base | (uint32_t)(next() & 0x8007);
	words[1] = 0x08007c00 | base | (uint32_t)(next() & 0x78007) |
		   (next() % 8 ? size : size ^ (UINT32_C(1) << 30));
}

/* A program of count words that then begins anew, unless x19 is 0. */
static void make_loop(uint32_t *words, unsigned int count, bool branches)
{
	for (unsigned int n = 0; n < count; n++) {
		const unsigned int most = count - n < 8 ? count - n : 8;

		if (most > 1 && next() % 16 == 0)
			random_exclusives(&words[n++]);
		else if (!branches)
			words[n] = random_word();
		else
			words[n] = most > 1 && next() % 5 == 0 ? random_branch(most)
							       : random_dense_word();
	}
	words[count] = 0xb5000013 | (0x80000 - count) << 5; /* cbnz x19, the start */
}

static uint64_t place_of(unsigned int program)
{
	return CODE + 0x1000 + (uint64_t)program * PLACE;
}

/* Half of them are two single ones, or a double one, whose products are normal numbers, too. */
static uint64_t random_number(void)
{
	const uint64_t value = next();

	switch (next() % 4) {
	case 0: return (value & UINT64_C(0x87ffffff87ffffff)) | UINT64_C(0x3800000038000000);
	case 1: return (value & UINT64_C(0x83ffffffffffffff)) | UINT64_C(0x3c00000000000000);
	default: return value;
	}
}

static void set_registers(struct core_machine *m, uint64_t seed)
{
	struct soft_cpu *cpu = (struct soft_cpu *)m->cpu[0];

	random_state = seed;
	for (unsigned int n = 0; n < 31; n++) {
		const uint64_t value = next(), kind = next() % 4;

		const uint64_t bits = value >> 32 & 15 ? 0xfff0 : 0xffff;

		core_set(m, n,
			 n >= BASES && n < BASES + 8  ? DATA + (value & bits)
			 : kind == 0		      ? value % 3
			 : kind == 1		      ? (uint64_t) - (int64_t)(value % 3)
			 : kind == 2 && value % 8 < 2 ? UINT64_C(1) << (value % 8 ? 31 : 63)
						      : value);
	}
	cpu->x[SOFT_X_SP] = DATA + (next() % 8 ? 0x8000 : 0x8008);
	for (unsigned int n = 0; n < 32; n++)
		cpu->v[n] = (union soft_vector){
			.d = {random_number(), next() % 2 ? 0 : random_number()}};
	cpu->sys.fp.fpsr = next() % 2 ? FPSR_IXC : 0;
	cpu->sys.fp.fpcr = next() % 2 ? 0 : (uint32_t)next() & FPCR_IMPLEMENTED;
	cpu->fp_usual = float_is_usual(&cpu->sys.fp);
	cpu->flag_kind = (uint32_t)(next() % 7);
	cpu->flag_a = cpu->flag_kind == SOFT_FLAGS_NZCV ? next() % 16 : next() % 2 ? next() : 0;
	cpu->flag_b = next() % 4 ? next() : cpu->flag_a;
}

static struct core_machine *machine(bool translated, bool traces)
{
	static const uint32_t allow[] = {
		0xd5181049, /* msr cpacr_el1, x9 */
		0xd4000002, /* hvc #0 */
	};
	const struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.single_step = !translated,
		.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = true,
	};
	struct core_machine *m =
		core_new((struct core_options){.model = &tuning, .single_step = !translated});
	const uint64_t state = random_state;

	for (unsigned int program = 0; program < PROGRAMS; program++) {
		uint32_t words[WORDS + 2];
		/* A short one is a loop, whose registers may fit into the host's. */
		const unsigned int count = program % 2 ? 2 + next() % 8
					   : traces    ? 8 + next() % 32
						       : WORDS;

		make_loop(words, count, traces);
		if (program % 2 == 0 && !traces)
			words[count] = 0xd503201f; /* nop */
		words[count + 1] = 0xd4000002;	   /* hvc #0 */
		core_load(m, place_of(program), words, count + 2);
	}
	random_state = state;
	CORE_LOAD(m, CODE, allow);
	core_set(m, 9, 3 << 20);
	core_set(m, 8, VECTORS);
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
	if (translated && traces)
		((struct soft_cpu *)m->cpu[0])->vm->jit->hot = HOT;
	return m;
}

/*
 * Keep numbers in registers meanwhile, if the host has floating-point registers that functions
 * preserve: V8 to V15 of arm64.
 */
static void run_with_numbers(struct core_machine *m, uint64_t most)
{
	static const volatile double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const double a = numbers[0], b = numbers[1], c = numbers[2], d = numbers[3];
	const double e = numbers[4], f = numbers[5], g = numbers[6], h = numbers[7];

	(void)core_run(m, most);
	cr_assert_eq(a, 1, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(b, 2, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(c, 3, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(d, 4, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(e, 5, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(f, 6, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(g, 7, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
	cr_assert_eq(h, 8, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
}

static void run(struct core_machine *m, unsigned int program, uint64_t seed)
{
	set_registers(m, seed);
	core_set(m, PC, place_of(program));
	/* For so many operations, or to an exception that leads nowhere. */
	run_with_numbers(m, WORDS / 2 + seed % (2 * WORDS));
}

static void compare(const struct core_machine *a, const struct core_machine *b,
		    unsigned int program)
{
	const struct soft_cpu *cpus[] = {(const struct soft_cpu *)a->cpu[0],
					 (const struct soft_cpu *)b->cpu[0]};

	for (unsigned int n = 0; n <= PC; n++)
		cr_assert_eq(core_get(a, n), core_get(b, n), "program %u: register %u", program, n);
	cr_assert_eq(soft_flags(cpus[0]), soft_flags(cpus[1]), "program %u: flags", program);
	cr_assert_eq(cpus[0]->sys.fp.fpsr, cpus[1]->sys.fp.fpsr, "program %u: FPSR", program);
	cr_assert_arr_eq(cpus[0]->v, cpus[1]->v, sizeof(cpus[0]->v), "program %u: vectors",
			 program);
	cr_assert_eq(engine_soft.vcpu_ops(a->cpu[0]), engine_soft.vcpu_ops(b->cpu[0]));
}

Test(core_sequences, translated_is_exact, .timeout = 20000)
{
	uint64_t translated = 0;

	for (uint64_t n = 1; n <= MACHINES * core_effort(); n++) {
		const bool traces = n % 2 == 0;
		struct core_machine *m, *reference;

		random_state = n;
		m = machine(true, traces);
		random_state = n;
		reference = machine(false, traces);
		for (unsigned int program = 0; program < PROGRAMS; program++) {
			/* The second time the flags may be held in another way. */
			for (uint64_t time = 0; time < (traces ? TIMES : 2); time++) {
				const uint64_t seed = TIMES * (n * PROGRAMS + program) + time;

				run(m, program, seed);
				run(reference, program, seed);
				compare(m, reference, program);
			}
		}
		cr_assert(core_same(m, reference));
		translated += ((struct soft_cpu *)m->cpu[0])->vm->jit->operations;
		core_free(m);
		core_free(reference);
	}
	cr_assert_gt(translated, MACHINES * PROGRAMS * WORDS / 4);
}

#else

Test(core_sequences, translated_is_exact)
{
	cr_skip("this build has no translator for this host");
}

#endif
