/* SPDX-License-Identifier: BSD-2-Clause */
/* What is true of a unit whenever no function of it runs: sysreg/invariant.h. */
#ifndef VSPE_SPE_HOLDS_H
#define VSPE_SPE_HOLDS_H

#include "../sysreg/invariant.h"
#include "unit.h"

static inline void spe_holds(const struct unit *unit)
{
	INVARIANT(!unit->enabled || unit->buffer_enabled || unit->config.late_record ||
			  unit->discard,
		  unit->enabled, unit->pmblimitr);
	INVARIANT(!(unit->enabled && unit->stopped), unit->pmbsr, unit->pmblimitr);
	INVARIANT(unit->enabled == (unit->budget != UINT64_MAX), unit->enabled, unit->budget);
	INVARIANT(unit->budget != 0, unit->count, unit->ecount);
	INVARIANT(unit->synced <= unit->stats.population, unit->synced, unit->stats.population);
	INVARIANT(unit->flight_count <= SPE_IN_FLIGHT_MAX, unit->flight_count, unit->flight_room);
	INVARIANT(unit->flight_first < SPE_IN_FLIGHT_MAX, unit->flight_first, unit->flight_count);
	INVARIANT(unit->flight_sampled <= unit->flight_count, unit->flight_sampled,
		  unit->flight_count);
	INVARIANT(unit->late.syndrome || !unit->late.samples, unit->late.samples, 0);
	INVARIANT(unit->late.samples <= unit->config.fault_lag, unit->late.samples,
		  unit->config.fault_lag);
	INVARIANT(unit->owning_el == 1 || unit->owning_el == 2, unit->owning_el, unit->event_el);
}

#endif
