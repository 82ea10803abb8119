/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MRS and MSR of the registers of FEAT_SPE: sysreg says where an access lands, and with which
 * syndrome it is trapped; spe has the register.
 */
#include "soft/sys/sys_private.h"

enum sys_result sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				 struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct sysreg_access access = {.reg = reg, .write = !in->f.read, .rt = in->f.rt};
	struct sysreg_route route = sysreg_route(&sys->controls, access);

	if (!sys->spe)
		return SYS_UNDEFINED;
	switch (route.kind) {
	case SYSREG_DIRECT: break;
	case SYSREG_UNDEFINED: return SYS_UNDEFINED;
	case SYSREG_TRAP:
		in->trap_el = route.target_el;
		in->trap_iss = route.syndrome;
		return SYS_TRAPPED;
	case SYSREG_NVMEM: in->offset = route.nvmem_offset; return SYS_MEMORY;
	}
	if (in->f.read) {
		in->value = spe_read(sys->spe, route.reg);
		return SYS_OK;
	}
	spe_write(sys->spe, route.reg, in->value);
	/* EE decides about later accesses and exceptions. */
	if (route.reg == SYSREG_PMSCR_EL1)
		sys->controls.pmscr_el1 = spe_read(sys->spe, SYSREG_PMSCR_EL1);
	else if (route.reg == SYSREG_PMSCR_EL2)
		sys->controls.pmscr_el2 = spe_read(sys->spe, SYSREG_PMSCR_EL2);
	if (route.reg == SYSREG_PMSCR_EL1 || route.reg == SYSREG_PMSCR_EL2)
		soft_controls_changed(cpu);
	in->after |= SOFT_AFTER_BUDGET | SOFT_AFTER_IRQ;
	return SYS_OK;
}
