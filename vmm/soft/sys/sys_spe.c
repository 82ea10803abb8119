/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MRS and MSR of the registers of FEAT_SPE: spe_access() executes them, or returns the syndrome of
 * a trap.
 */
#include "soft/sys/sys_private.h"

struct sysreg_route sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				     struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct sysreg_access access = {.reg = reg, .write = !in->f.read, .rt = in->f.rt};
	struct sysreg_route route = {.kind = SYSREG_UNDEFINED};

	if (!sys->spe)
		return route;
	route = spe_access(sys->spe, &sys->controls, access, &in->value);
	/* EE decides about later accesses and exceptions. */
	if (route.kind == SYSREG_DIRECT && access.write &&
	    (route.reg == SYSREG_PMSCR_EL1 || route.reg == SYSREG_PMSCR_EL2))
		soft_controls_changed(cpu);
	return route;
}
