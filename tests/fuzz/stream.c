/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: instruction streams on the software CPU, one instruction at a time, in blocks, and
 * translated. The first bytes choose the PE, its registers and the pieces of the run. Then come
 * instructions: a row of the table with any fields, an existing system register, or any word. They
 * fill a page that also has the vectors, so every exception continues with them. All ways must end
 * with the same state, memory, records and calls of the machine.
 */
#include "pe.h"

#include <string.h>

#include "a64/a64.h"
#include "base/state.h"
#include "soft/code_memory.h"

#define CODE_WORDS 1024u
#define PIECES	   4
#define PIECE_OPS  96
#define LONG_PIECE 8 /* times as many; only a few, as they take long */

struct plan {
	struct input in; /* registers and instructions */
	uint64_t what;
	uint8_t pieces[PIECES]; /* operations of each, less 1 */
};

static uint32_t take_word(struct input *in)
{
	const unsigned int which = (unsigned int)input_number(in, 2);
	const uint32_t fields = (uint32_t)input_number(in, 4);
	const struct a64_insn *row = &a64_table[which % A64_COUNT];

	if (which >= 0xf000)
		return fields;
	if (which >= 0x8000) /* Rt is one of the registers that the input sets */
		return pe_system_word(which, fields & 0x20, fields & 7);
	return row->value | (fields & ~row->mask);
}

static void start_profiling(struct pe *pe, uint64_t what)
{
	struct spe_unit *unit = engine_soft.vcpu_spe(pe->vcpu);

	spe_write(unit, SYSREG_PMBPTR_EL1, PE_DATA + 0x6000);
	spe_write(unit, SYSREG_PMBLIMITR_EL1, (PE_DATA + 0x9000) | 1);
	spe_write(unit, SYSREG_PMSIRR_EL1, what & 32 ? 0x101 : 0);
	spe_write(unit, SYSREG_PMSICR_EL1, 3 + (what >> 5 & 7));
	spe_write(unit, SYSREG_PMSCR_EL1, 0x3b);
}

static void load(struct pe *pe, const struct plan *plan)
{
	struct input in = plan->in;
	uint32_t *code = (uint32_t *)pe->ram;
	struct soft_jit *jit = pe->cpu->vm->jit;
	size_t count = 0;

	/* Translate before the first execution, or later, when the targets are known. */
	if (jit)
		jit->hot = plan->pieces[0] & 1 ? 2 : 0;
	for (unsigned int n = 0; n < 31; n++)
		engine_soft.vcpu_set(pe->vcpu, n, PE_DATA + 0x108 * n);
	for (unsigned int n = 0; n < 8; n++)
		engine_soft.vcpu_set(pe->vcpu, n, input_number(&in, 8));
	engine_soft.vcpu_set(pe->vcpu, 30, PE_RAM + 0x40);
	pe->cpu->x[SOFT_X_SP] = PE_DATA + 0x4000;
	while (input_left(&in) && count < CODE_WORDS)
		code[count++] = take_word(&in);
	for (size_t n = count; n < CODE_WORDS; n++)
		code[n] = count ? code[n % count] : 0;
	if (plan->what & 8)
		pe_turn_on_mmu(pe);
	if (plan->what & 16)
		start_profiling(pe, plan->what);
}

/* The machine does nothing. False: the engine cannot continue. */
static bool run_piece(struct pe *pe, unsigned int ops)
{
	const uint64_t end = engine_soft.vcpu_ops(pe->vcpu) + ops;
	struct engine_exit exit;
	uint64_t now;

	do {
		engine_soft.vcpu_run(pe->vcpu, end - engine_soft.vcpu_ops(pe->vcpu), &exit);
		now = engine_soft.vcpu_ops(pe->vcpu);
		require(now <= end && exit.reason != ENGINE_EXIT_ERROR);
		pe_digest(pe, exit.reason | now << 8 | (uint64_t)exit.call_imm << 40);
	} while (exit.reason != ENGINE_EXIT_LOST && exit.reason != ENGINE_EXIT_BUDGET && now < end);
	return exit.reason != ENGINE_EXIT_LOST;
}

static void run(struct pe *pe, const struct plan *plan)
{
	for (unsigned int n = 0; n < PIECES; n++) {
		const unsigned int ops = 1 + plan->pieces[n] % PIECE_OPS;

		if (!run_piece(pe, plan->pieces[n] < 2 * PIECE_OPS ? ops : LONG_PIECE * ops))
			break;
		engine_soft.vcpu_irq(pe->vcpu, plan->what >> (8 + n) & 1);
		engine_soft.vcpu_fiq(pe->vcpu, (plan->what >> (12 + n) & 3) == 3);
	}
}

static void compare_states(const struct pe *a, const struct pe *b)
{
	struct state first, second;

	state_save(&first, "vCPU");
	state_save(&second, "vCPU");
	engine_soft.vcpu_state(a->vcpu, &first);
	engine_soft.vcpu_state(b->vcpu, &second);
	require(state_end(&first) && state_end(&second));
	require(first.at == second.at && !memcmp(first.bytes, second.bytes, first.at));
	state_free(&first);
	state_free(&second);
}

static void compare(const struct pe *a, const struct pe *b)
{
	char here[160], there[160];

	engine_soft.vcpu_describe(a->vcpu, here, sizeof(here));
	engine_soft.vcpu_describe(b->vcpu, there, sizeof(there));
	require(!strcmp(here, there));
	for (unsigned int n = 0; n < 32; n++)
		require(engine_soft.vcpu_get(a->vcpu, n) == engine_soft.vcpu_get(b->vcpu, n));
	require(a->digest == b->digest && a->records == b->records);
	require(!memcmp(a->ram, b->ram, PE_RAM_SIZE));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct pe pes[PE_KINDS][PE_WAYS];
	struct plan plan = {.in = {bytes, bytes + size}};
	unsigned int kind;

	if (size < 16)
		return 0;
	plan.what = input_number(&plan.in, 2);
	for (unsigned int n = 0; n < PIECES; n++)
		plan.pieces[n] = (uint8_t)input_number(&plan.in, 1);
	kind = (plan.what & 7) % PE_KINDS;
	for (unsigned int way = 0; way < (SOFT_JIT ? PE_WAYS : PE_TRANSLATED); way++) {
		struct pe *pe = &pes[kind][way];

		pe_put_back(pe, kind, (enum pe_way)way);
		load(pe, &plan);
		run(pe, &plan);
		if (way == PE_SINGLE_STEP)
			continue;
		compare(&pes[kind][PE_SINGLE_STEP], pe);
		/* Comparing all of it takes longer than the run: do it for some inputs. */
		if (bytes[size - 1] % 4 == 0)
			compare_states(&pes[kind][PE_SINGLE_STEP], pe);
	}
	return 0;
}
