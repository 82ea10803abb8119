/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MRS and MSR of the registers of FEAT_SPE: spe_access() does them, or says with which syndrome one
 * is trapped.
 */
#include "soft/sys/sys_private.h"

enum sys_result sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				 struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct sysreg_access access = {.reg = reg, .write = !in->f.read, .rt = in->f.rt};
	struct sysreg_route route;

	if (!sys->spe)
		return SYS_UNDEFINED;
	route = spe_access(sys->spe, &sys->controls, access, &in->value);
	switch (route.kind) {
	case SYSREG_DIRECT: break;
	case SYSREG_UNDEFINED: return SYS_UNDEFINED;
	case SYSREG_TRAP:
		in->trap_el = route.target_el;
		in->trap_iss = route.syndrome;
		return SYS_TRAPPED;
	case SYSREG_NVMEM: in->offset = route.nvmem_offset; return SYS_MEMORY;
	}
	if (in->f.read)
		return SYS_OK;
	/* EE decides about later accesses and exceptions. */
	if (route.reg == SYSREG_PMSCR_EL1 || route.reg == SYSREG_PMSCR_EL2)
		soft_controls_changed(cpu);
	return SYS_OK;
}
