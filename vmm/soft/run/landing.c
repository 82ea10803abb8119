/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an indirect branch may land: see landing.h. */
#include "soft/run/landing.h"
#include "a64/a64.h"
#include "arm/registers.h"
#include "soft/mem/code.h"
#include "soft/mem/regime.h"
#include "soft/run/block.h"

static bool is_guarded(const struct soft_cpu *cpu, uint64_t pc)
{
	uint64_t pa;

	return soft_code_page_find(&cpu->views.code[cpu->sys.pstate.el], pc & SOFT_PAGE_MASK,
				   &pa) &&
	       pa & SOFT_GUARDED;
}

uint8_t soft_btype_behind(const struct soft_cpu *cpu, const struct soft_op *op)
{
	if (op->aux == SOFT_BTYPE_JUMP && !is_guarded(cpu, soft_op_pc(op)))
		return SOFT_BTYPE_JUMP_OR_CALL;
	return (uint8_t)op->aux;
}

/* PACIxSP if SCTLR_ELx.BTn is 0, and instructions that lead to a debugger, may be landed on. */
static bool lands_here(const struct soft_cpu *cpu, uint32_t word, unsigned int btype)
{
	const struct a64_insn *insn = a64_decode(word);
	const unsigned int el = cpu->sys.pstate.el;
	const uint64_t bt = el ? SCTLR_ELx_BT1 : SCTLR_ELx_BT0;

	if (soft_lands_always(word, btype))
		return true;
	if ((word & 0xffffffbf) == 0xd503233f)
		return !(soft_sctlr_at(&cpu->sys, el) & bt);
	return insn && (insn->id == A64_BRK || insn->id == A64_HLT);
}

bool soft_landed(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_pstate *pstate = &cpu->sys.pstate;

	if (is_guarded(cpu, soft_op_pc(op)) && !lands_here(cpu, op->word, pstate->btype)) {
		cpu->fault =
			(struct soft_exception){.ec = ARM_EC_BRANCH_TARGET, .iss = pstate->btype};
		return false;
	}
	pstate->btype = 0;
	return true;
}
