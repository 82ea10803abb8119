/* SPDX-License-Identifier: BSD-2-Clause */
/* How the PMU of the same PE comes to know of the unit's events. */
#ifndef VSPE_SPE_CONNECT_H
#define VSPE_SPE_CONNECT_H

#include <vspe/spe.h>

/* From now on tell(pmu, event, count) is called beside spe_host.pmu_event; NULL: nothing is. */
void spe_connect(struct spe_unit *unit, void (*tell)(void *pmu, uint16_t event, uint64_t count),
		 void *pmu);

#endif
