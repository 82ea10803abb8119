/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSR (immediate): the fields of PSTATE (Arm ARM C6.2).
 */
#include "soft/sys/sys_private.h"

void sys_pstate_write(struct soft_cpu *cpu, enum sys_pstate_field field, struct sys_instruction *in)
{
	struct soft_pstate *pstate = &cpu->sys.pstate;
	const uint8_t imm = (uint8_t)in->f.crm;

	switch (field) {
	case SYS_PSTATE_PAN:
		pstate->pan = imm & 1;
		in->after |= SOFT_AFTER_CONTEXT;
		break;
	case SYS_PSTATE_SPSEL:
		soft_set_mode(cpu, pstate->el, imm & 1);
		in->after |= SOFT_AFTER_CONTEXT;
		break;
	case SYS_PSTATE_PM:
		pstate->pm = imm & 1;
		in->after |= SOFT_AFTER_IRQ;
		break;
	case SYS_PSTATE_DAIFSET:
		pstate->daif |= imm;
		in->after |= SOFT_AFTER_IRQ | (imm & 8 ? SOFT_AFTER_CONTEXT : 0);
		break;
	case SYS_PSTATE_DAIFCLR:
		pstate->daif &= (uint8_t)~imm;
		in->after |= SOFT_AFTER_IRQ | (imm & 8 ? SOFT_AFTER_CONTEXT : 0);
		break;
	}
}
