/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSR (immediate): the fields of PSTATE (Arm ARM C6.2).
 */
#include "soft/sys/sys_private.h"

void sys_pstate_write(struct soft_cpu *cpu, enum sys_pstate_field field, uint8_t imm)
{
	struct soft_pstate *pstate = &cpu->sys.pstate;

	switch (field) {
	case SYS_PSTATE_PAN: pstate->pan = imm & 1; break;
	case SYS_PSTATE_UAO: pstate->uao = imm & 1; break;
	case SYS_PSTATE_DIT: pstate->dit = imm & 1; break;
	case SYS_PSTATE_SSBS: pstate->ssbs = imm & 1; break;
	case SYS_PSTATE_SPSEL: soft_set_mode(cpu, pstate->el, imm & 1); break;
	case SYS_PSTATE_PM: pstate->pm = imm & 1; break;
	case SYS_PSTATE_DAIFSET: pstate->daif |= imm; break;
	case SYS_PSTATE_DAIFCLR: pstate->daif &= (uint8_t)~imm; break;
	}
}
