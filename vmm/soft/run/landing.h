/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an indirect branch may land: FEAT_BTI (Arm ARM D8.4, "Guarded pages"; C6.2, BTI). If the
 * target is compatible with the branch whatever the page and the controls are, the branch leaves
 * PSTATE.BTYPE alone, since that instruction would zero it again. Any other branch sets it, and the
 * run loop checks.
 */
#ifndef VSPE_SOFT_LANDING_H
#define VSPE_SOFT_LANDING_H

#include "soft/cpu.h"

/* PSTATE.BTYPE after BR by X16 or X17, or from a page that is not guarded; BLR; another BR. */
#define SOFT_BTYPE_JUMP_OR_CALL 1u
#define SOFT_BTYPE_CALL		2u
#define SOFT_BTYPE_JUMP		3u

/* Is it a BTI compatible with a branch of this type, or PACIxSP with a call? */
static inline bool soft_lands_always(uint32_t word, unsigned int btype)
{
	const unsigned int targets = word >> 6 & 3; /* 1: of calls, 2: of jumps */

	if ((word & 0xffffff3f) == 0xd503241f)
		return btype == SOFT_BTYPE_JUMP_OR_CALL ? targets != 0 : targets >> (btype - 2) & 1;
	return (word & 0xffffffbf) == 0xd503233f && btype != SOFT_BTYPE_JUMP;
}

/* PSTATE.BTYPE after the branch at op. */
uint8_t soft_btype_behind(const struct soft_cpu *cpu, const struct soft_op *op);

/*
 * PSTATE.BTYPE is not 0: may the operation at op be executed? If so, BTYPE becomes 0. Otherwise
 * cpu->fault is the Branch Target exception.
 */
bool soft_landed(struct soft_cpu *cpu, const struct soft_op *op);

#endif
