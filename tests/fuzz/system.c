/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: system registers of the software CPU at all Exception levels: accesses of those that
 * there are and of any others, exceptions, and returns from them, in any order. What is read is
 * read again; a trap says which access it was of; the unit has the controls that the PE has; and
 * the state that comes of it can be saved and loaded.
 */
#include "pe.h"

#include <string.h>

#include "base/state.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"
#include "soft/run/system.h"

#define RT 5u

/* What an MSR of SPSR_ELx keeps on all of these PEs. */
#define SPSR_BITS UINT64_C(0xf07003df)

/* ISS of EC 0x18: op0, op2, op1, CRn, Rt, CRm, direction (Arm ARM D24.2.40). */
static uint32_t iss_of(uint32_t word)
{
	return (word >> 19 & 3) << 20 | (word >> 5 & 7) << 17 | (word >> 16 & 7) << 14 |
	       (word >> 12 & 15) << 10 | (word & 31) << 5 | (word >> 8 & 15) << 1 |
	       (word >> 21 & 1);
}

static enum soft_outcome execute(struct pe *pe, uint32_t word, uint64_t value)
{
	struct soft_cpu *cpu = pe->cpu;
	const unsigned int el = cpu->sys.pstate.el;
	enum soft_outcome outcome;

	cpu->x[RT] = value;
	cpu->sys.esr[1] = cpu->sys.esr[2] = cpu->sys.esr[3] = 0;
	outcome = soft_system_instruction(cpu, word);
	soft_context_changed(cpu);
	if (outcome == SOFT_EXCEPTION) {
		const uint64_t esr = cpu->sys.esr[cpu->sys.pstate.el];

		require(cpu->sys.pstate.el >= el && cpu->sys.pstate.el > 0);
		if (esr >> 26 == ARM_EC_SYSREG)
			require((esr & 0x1ffffff) == iss_of(word));
	}
	return outcome;
}

static void access_register(struct pe *pe, struct input *in)
{
	const unsigned int which = (unsigned int)input_number(in, 2);
	const bool read = which & 0x8000;
	uint32_t word = pe_system_word(which & 0x3ff, read, RT);
	uint64_t first;

	if ((which & 0x7c00) == 0x7c00) /* any encoding */
		word = UINT32_C(0xd5000000) | (uint32_t)(input_number(in, 3) & 0x1ffff) << 5 | RT;
	if (!(word >> 21 & 1)) {
		(void)execute(pe, word, input_number(in, 8));
		return;
	}
	if (execute(pe, word, 0) != SOFT_DONE)
		return;
	first = pe->cpu->x[RT];
	require(execute(pe, word, 1) == SOFT_DONE && pe->cpu->x[RT] == first);
}

static void check(const struct pe *pe)
{
	const struct soft_sys *sys = &pe->cpu->sys;
	const struct sysreg_controls *unit = spe_unit_controls(sys->spe);

	require(sys->pstate.el <= sys->levels.start && sys->pstate.daif <= 15);
	require(sys->controls.el == sys->pstate.el && unit->el == sys->controls.el);
	require(unit->hcr_el2 == sys->controls.hcr_el2 && unit->scr_el3 == sys->controls.scr_el3);
	require(unit->mdcr_el2 == sys->controls.mdcr_el2 &&
		unit->mdcr_el3 == sys->controls.mdcr_el3);
}

/* What was reached by execution is nothing that --restore refuses. */
static void save_and_load(struct pe *pe, unsigned int kind)
{
	struct state saved, loaded, again;

	state_save(&saved, "vCPU");
	engine_soft.vcpu_state(pe->vcpu, &saved);
	require(state_end(&saved));
	pe_put_back(pe, kind, PE_BLOCKS);
	state_load(&loaded, "vCPU", saved.bytes, saved.at);
	engine_soft.vcpu_state(pe->vcpu, &loaded);
	if (!state_end(&loaded))
		(void)fprintf(stderr, "%s\n", loaded.why);
	require(!loaded.failed);
	state_save(&again, "vCPU");
	engine_soft.vcpu_state(pe->vcpu, &again);
	require(state_end(&again) && again.at == saved.at &&
		!memcmp(again.bytes, saved.bytes, saved.at));
	state_free(&again);
	state_free(&saved);
}

static void step(struct pe *pe, struct input *in)
{
	struct soft_cpu *cpu = pe->cpu;
	const uint64_t what = input_number(in, 1);

	switch (what & 7) {
	case 0: /* to another level, or illegally */
		if (cpu->sys.pstate.el == 0)
			break;
		cpu->sys.spsr[cpu->sys.pstate.el] = input_number(in, 4) & SPSR_BITS;
		soft_exception_return(cpu, cpu->sys.elr[cpu->sys.pstate.el]);
		soft_context_changed(cpu);
		break;
	case 1:
		soft_take_exception(cpu,
				    &(struct soft_exception){
					    .ec = what & 8 ? ARM_EC_SVC : ARM_EC_UNKNOWN,
				    },
				    PE_RAM + (what & 0xf0));
		soft_context_changed(cpu);
		break;
	case 2:
		engine_soft.vcpu_irq(pe->vcpu, what & 8);
		engine_soft.vcpu_fiq(pe->vcpu, what & 16);
		engine_soft.vcpu_virq(pe->vcpu, what & 32);
		if (soft_pending_interrupt(&cpu->sys) != SOFT_INTERRUPT_NONE)
			soft_take_interrupt(cpu, soft_pending_interrupt(&cpu->sys), PE_RAM);
		soft_context_changed(cpu);
		break;
	default: access_register(pe, in); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct pe pes[PE_KINDS];
	struct input in = {bytes, bytes + size};
	const unsigned int first = (unsigned int)input_number(&in, 1);
	const unsigned int kind = first % PE_KINDS;
	struct pe *pe = &pes[kind];

	pe_put_back(pe, kind, PE_BLOCKS);
	if (first & 0x80)
		pe_turn_on_mmu(pe);
	for (unsigned int n = 0; n < 64 && input_left(&in); n++) {
		step(pe, &in);
		check(pe);
	}
	if (size && bytes[size - 1] % 4 == 0)
		save_and_load(pe, kind);
	return 0;
}
