/* SPDX-License-Identifier: BSD-2-Clause */
/* How the PMU of the same PE learns of the unit's events. */
#ifndef VSPE_SPE_CONNECT_H
#define VSPE_SPE_CONNECT_H

#include <vspe/spe.h>

/*
 * From now on the unit calls tell(pmu, event, count) in addition to spe_host.pmu_event. NULL: it
 * stops.
 */
void spe_connect(struct spe_unit *unit, void (*tell)(void *pmu, uint16_t event, uint64_t count),
		 void *pmu);

#endif
