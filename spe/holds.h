/* SPDX-License-Identifier: BSD-2-Clause */
/* What is true of a unit whenever no function of it runs: sysreg/assertion.h. */
#ifndef VSPE_SPE_HOLDS_H
#define VSPE_SPE_HOLDS_H

#include "../sysreg/assertion.h"
#include "unit.h"

static inline void spe_holds(const struct unit *unit)
{
	vspe_assert_of(!unit->enabled || unit->buffer_enabled || unit->config.late_record ||
			       unit->discard,
		       unit->enabled, unit->pmblimitr);
	vspe_assert_of(!(unit->enabled && unit->stopped), unit->pmbsr, unit->pmblimitr);
	vspe_assert_of(unit->enabled == (unit->budget != UINT64_MAX), unit->enabled, unit->budget);
	vspe_assert_of(unit->budget != 0, unit->count, unit->ecount);
	/* Of the longest interval; the population may wrap. */
	vspe_assert_of(unit->stats.population - unit->synced <= UINT64_C(0x100000100), unit->synced,
		       unit->stats.population);
	vspe_assert_of(unit->flight_count <= SPE_IN_FLIGHT_MAX, unit->flight_count,
		       unit->flight_room);
	vspe_assert_of(unit->flight_first < SPE_IN_FLIGHT_MAX, unit->flight_first,
		       unit->flight_count);
	vspe_assert_of(unit->flight_sampled <= unit->flight_count, unit->flight_sampled,
		       unit->flight_count);
	vspe_assert_of(unit->late.syndrome || !unit->late.samples, unit->late.samples, 0);
	vspe_assert_of(unit->late.samples <= unit->config.fault_lag, unit->late.samples,
		       unit->config.fault_lag);
	vspe_assert_of(unit->owning_el == 1 || unit->owning_el == 2, unit->owning_el,
		       unit->event_el);
}

#endif
