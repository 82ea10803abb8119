/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample interval counters, PMSICR_EL1 (Arm ARM D17.3).
 *
 * In the order of J1.124: COUNT, decremented to zero, stays there until the next member of the
 * population, which reloads it instead of decrementing it. That is where the 1 of the interval
 * INTERVAL x 256 + 1 comes from. A COUNT of zero when profiling becomes enabled is loaded in the
 * same way, so that PMSICR_EL1 is all that software has to save; with load_enabled it is loaded at
 * once (D17.3.3), and the first member decrements it. "hold" is of images of older versions: COUNT
 * was loaded at once, and the first member leaves it.
 *
 * Nothing is done per member. Between selections only stats.population moves, and the counters are
 * computed when somebody looks (spe_interval_sync). For this the next random byte is always drawn
 * in advance, as it decides how far away the selection is.
 */
#include "internal.h"
#include "../sysreg/assertion.h"

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do; every bit of its output is uniform. */
static uint8_t generate_random(struct unit *unit)
{
	uint64_t z;

	if (unit->host.random)
		return unit->host.random(unit->host.ctx);
	unit->generator += UINT64_C(0x9e3779b97f4a7c15);
	z = unit->generator;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint8_t)((z ^ (z >> 31)) >> 56);
}

static uint8_t take_random(struct unit *unit)
{
	uint8_t value = unit->next_random;

	unit->next_random = generate_random(unit);
	return value;
}

static void load_count(struct unit *unit)
{
	unit->count = unit->load;
	if (unit->random_count)
		unit->count += take_random(unit);
}

/* Does ECOUNT stay as it is while members pass? Its page says no, J1.124 yes, unless RND is 1. */
static bool tail_stays(const struct unit *unit)
{
	return unit->config.tail_rnd && !unit->random_tail;
}

/* SPE_RELOAD_AFTER_TAIL: COUNT is zero and waits for ECOUNT. */
static bool tail_waits(const struct unit *unit)
{
	return unit->config.reload == SPE_RELOAD_AFTER_TAIL && unit->count == 0 &&
	       unit->ecount != 0 && !tail_stays(unit);
}

static void lower_tail(struct unit *unit, uint64_t n)
{
	if (!tail_stays(unit))
		unit->ecount = unit->ecount > n ? (uint8_t)(unit->ecount - n) : 0;
}

/* n members have passed, from 1 to the budget that spe_interval_plan() would find. */
static void step_counters(struct unit *unit, uint64_t n)
{
	uint64_t to_zero, tail;

	if (tail_waits(unit)) {
		unit->ecount = (uint8_t)(unit->ecount - n);
		return;
	}
	if (unit->count == 0) {
		load_count(unit);
		unit->hold = true;
	}
	to_zero = (uint64_t)unit->count + unit->hold;
	unit->hold = false;
	if (n < to_zero) {
		unit->count = (uint32_t)(to_zero - n);
		lower_tail(unit, n);
		return;
	}
	unit->count = 0;
	if (!unit->random_tail) {
		lower_tail(unit, n);
		return;
	}
	unit->ecount = take_random(unit);
	tail = n - to_zero;
	vspe_assert_of(tail <= unit->ecount, tail, unit->ecount);
	if (tail == 0)
		return;
	unit->ecount = (uint8_t)(unit->ecount - tail);
	if (unit->config.reload == SPE_RELOAD_BEFORE_TAIL)
		unit->count = (uint32_t)(unit->load - (tail - 1));
}

/* Members until COUNT is zero, if random is added to a load that is due. */
static uint64_t members_to_zero(const struct unit *unit, uint32_t random)
{
	if (unit->count == 0)
		return UINT64_C(1) + unit->load + random;
	return (uint64_t)unit->count + unit->hold;
}

static uint64_t plan_distance(const struct unit *unit)
{
	const uint64_t to_zero = members_to_zero(unit, unit->random_count ? unit->next_random : 0u);

	if (tail_waits(unit))
		return unit->ecount;
	/*
	 * A running tail is replaced if COUNT comes to zero first; with tail_rnd also if both come
	 * to zero at once. Only software arranges that.
	 */
	if (unit->ecount != 0 && !tail_stays(unit) &&
	    unit->ecount + (uint64_t)unit->config.tail_rnd <= to_zero)
		return unit->ecount;
	return to_zero + (unit->random_tail ? unit->next_random : 0u);
}

void spe_interval_sync(struct unit *unit)
{
	uint64_t n = unit->stats.population - unit->synced;

	if (n == 0)
		return;
	vspe_assert_of(n <= plan_distance(unit), n, plan_distance(unit));
	unit->synced = unit->stats.population;
	step_counters(unit, n);
}

uint64_t spe_spacing_min(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);
	/* with a random tail each selection is up to 255 members late */
	const uint64_t reloaded = UINT64_C(1) + unit->load - (unit->random_tail ? 0xffu : 0);
	const uint64_t to_zero = members_to_zero(unit, 0);
	uint64_t between;

	if (unit->ecount == 0 || tail_waits(unit) || tail_stays(unit) ||
	    (unit->ecount + (uint64_t)unit->config.tail_rnd > to_zero && unit->random_tail))
		return reloaded;
	/* Software may have both counters end one soon after the other, COUNT last or first. */
	between = unit->ecount > to_zero ? unit->ecount - to_zero : to_zero - unit->ecount;
	if (between == 0)
		return 1;
	return between < reloaded ? between : reloaded;
}

uint64_t spe_spacing_fixed(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return spe_interval_fixed(unit);
}

void spe_interval_plan(struct unit *unit)
{
	unit->budget = unit->enabled ? plan_distance(unit) : UINT64_MAX;
}

void spe_interval_start(struct unit *unit)
{
	if (unit->config.load_enabled && unit->count == 0 && unit->ecount == 0)
		load_count(unit);
}

void spe_interval_stop(struct unit *unit)
{
	spe_interval_sync(unit);
	if (unit->hold)
		unit->count = 0;
	unit->hold = false;
}

uint64_t spe_interval_read(struct unit *unit)
{
	spe_interval_sync(unit);
	return (uint64_t)unit->ecount << PMSICR_ECOUNT_SHIFT | (unit->hold ? 0 : unit->count);
}

void spe_interval_write(struct unit *unit, uint64_t pmsicr)
{
	spe_interval_sync(unit);
	unit->hold = false;
	unit->count = (uint32_t)(pmsicr & PMSICR_COUNT);
	unit->ecount = unit->config.ernd ? (uint8_t)(pmsicr >> PMSICR_ECOUNT_SHIFT) : 0;
	if (unit->enabled)
		spe_interval_start(unit);
	spe_interval_plan(unit);
}

/* INTERVAL, or its replacement if software wrote zero. */
static uint32_t effective_interval(const struct unit *unit)
{
	/* PMSIDR_EL1.Interval in units of 256 operations; 1 is reserved. */
	static const uint8_t recommended[] = {1, 1, 2, 3, 4, 6, 8, 12, 16};
	uint32_t interval = (uint32_t)((unit->pmsirr & PMSIRR_INTERVAL) >> PMSIRR_INTERVAL_SHIFT);

	vspe_assert_of(unit->config.interval < sizeof(recommended), unit->config.interval, 0);
	if (interval != 0)
		return interval;
	switch (unit->config.interval_zero) {
	case SPE_INTERVAL_ZERO_SHORTEST: return 1;
	case SPE_INTERVAL_ZERO_LONGEST: return 0xffffff;
	default: return recommended[unit->config.interval];
	}
}

void spe_interval_reload_changed(struct unit *unit)
{
	bool rnd = unit->pmsirr & PMSIRR_RND;

	unit->load = effective_interval(unit) << 8;
	unit->random_tail = rnd && unit->config.ernd;
	unit->random_count = rnd && !unit->config.ernd;
	spe_interval_plan(unit);
}

void spe_interval_reset(struct unit *unit)
{
	unit->synced = unit->stats.population;
	unit->count = 0;
	unit->ecount = 0;
	unit->hold = false;
	unit->generator = unit->config.seed;
	unit->next_random = generate_random(unit);
	spe_interval_reload_changed(unit);
}

uint64_t spe_budget(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return unit->budget;
}
