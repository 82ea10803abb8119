/* SPDX-License-Identifier: BSD-2-Clause */
/* PMU events (Arm ARM D14), and management events in PMBSR_ELx (D17.8). */
#include "internal.h"

void spe_tell(const struct unit *unit, uint16_t event, uint64_t count)
{
	if (unit->host.pmu_event)
		unit->host.pmu_event(unit->host.ctx, event, count);
	if (unit->tell)
		unit->tell(unit->pmu, event, count);
}

void spe_put_event(struct unit *unit, unsigned int el, uint64_t syndrome)
{
	uint64_t *status = spe_status(unit, el);

	*status &= ~(PMBSR_MSS | PMBSR_MSS2 | PMBSR_EC);
	*status |= syndrome;
}

bool spe_put_late(struct unit *unit)
{
	const struct spe_late late = unit->late;

	unit->late = (struct spe_late){0};
	if (!late.syndrome)
		return false;
	spe_put_event(unit, late.el, late.syndrome);
	return true;
}
