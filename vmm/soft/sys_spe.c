/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MRS and MSR of the registers of FEAT_SPE: sysreg says where an access lands, spe has the
 * register.
 */
#include "soft/sys_private.h"

enum sys_result sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				 struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct sysreg_access access = {.reg = reg, .write = !in->read, .rt = in->rt};
	struct sysreg_route route = sysreg_route(&sys->controls, access);

	/*
	 * Without EL2 and EL3 there is no level to trap to and no VNCR_EL2: an access is direct or
	 * UNDEFINED, and always the latter without the unit.
	 */
	if (route.kind != SYSREG_DIRECT || !sys->spe)
		return SYS_UNDEFINED;
	if (in->read) {
		in->value = spe_read(sys->spe, route.reg);
		return SYS_OK;
	}
	spe_write(sys->spe, route.reg, in->value);
	if (route.reg == SYSREG_PMSCR_EL1)
		sys->controls.pmscr_el1 = spe_read(sys->spe, SYSREG_PMSCR_EL1);
	*in->after |= SOFT_AFTER_BUDGET | SOFT_AFTER_IRQ;
	return SYS_OK;
}
