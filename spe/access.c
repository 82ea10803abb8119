/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's access to a register of SPE, from its routing to its effect. */
#include "internal.h"

struct sysreg_route spe_access(struct spe_unit *unit, struct sysreg_controls *controls,
			       struct sysreg_access access, uint64_t *value)
{
	struct sysreg_route route = sysreg_route(controls, access);

	if (route.kind != unit_in(unit)->direct) {
		if (__builtin_expect(route.kind != SYSREG_DIRECT, 1))
			return route;
		spe_check_controls(unit_of(unit), controls);
	}
	if (!access.write) {
		*value = spe_read(unit, route.reg);
		return route;
	}
	spe_write(unit, route.reg, *value);
	if (route.reg == SYSREG_PMSCR_EL1)
		controls->pmscr_el1 = spe_read(unit, route.reg);
	else if (route.reg == SYSREG_PMSCR_EL2)
		controls->pmscr_el2 = spe_read(unit, route.reg);
	return route;
}

uint32_t vspe_version(void)
{
	return VSPE_VERSION;
}
