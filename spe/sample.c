/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selected operations, from selection to record: collisions (Arm ARM D17.3.7), the SAMPLE_* events
 * (D14), capture (D17.2.1) and the order of actions after an operation (J1.121, J1.122).
 *
 * The content of a record is decided when its operation is selected, as the operation may itself
 * change the controls or leave the profiled EL.
 */
#include "holds.h"
#include "internal.h"

static void count_event(struct unit *unit, uint16_t event)
{
	if (unit->watched & WATCHED_PMU)
		spe_tell(unit, event, 1);
}

static struct spe_flight *nth_flight(struct unit *unit, unsigned int n)
{
	return &unit->flight[(unit->flight_first + n) % SPE_IN_FLIGHT_MAX];
}

/* Forget the oldest operations that were sampled and whose time in flight is over. */
static void land_flights(struct unit *unit)
{
	const uint64_t now = unit->stats.population;
	unsigned int landed = 0;

	while (landed < unit->flight_sampled && nth_flight(unit, landed)->done < now)
		landed++;
	unit->flight_first = (uint8_t)((unit->flight_first + landed) % SPE_IN_FLIGHT_MAX);
	unit->flight_sampled = (uint8_t)(unit->flight_sampled - landed);
	unit->flight_count = (uint8_t)(unit->flight_count - landed);
}

static void note_collision(struct unit *unit)
{
	unit->stats.collisions++;
	*spe_status(unit, unit->event_el) |= PMBSR_COLL;
	count_event(unit, SPE_PMU_SAMPLE_COLLISION);
}

/* The operation just selected is in flight: there is a place for it. */
static inline enum spe_selection take_flight(struct unit *unit)
{
	struct spe_flight *new = nth_flight(unit, unit->flight_count++);

	vspe_assert_of(unit->flight_count <= SPE_IN_FLIGHT_MAX, unit->flight_count,
		       unit->config.in_flight);
	new->done = unit->stats.population + unit->config.lifetime;
	new->shape = unit->shape;
	if (unit->format.previous) {
		new->previous_valid = unit->previous_valid;
		new->previous = unit->previous;
	}
	return SPE_SELECTED;
}

/* There is no place, or the unit is watched. Out of line, like the functions below. */
static __attribute__((noinline)) enum spe_selection select_slowly(struct unit *unit)
{
	const bool watched = unit->watched & WATCHED_CHECK;

	if (unit->flight_count < unit->config.in_flight) {
		spe_check_selection(unit, nth_flight(unit, unit->flight_count));
		return take_flight(unit);
	}
	if (watched && unit->flight_sampled < unit->flight_count)
		spe_check_collision(unit, nth_flight(unit, unit->flight_sampled));
	note_collision(unit);
	return SPE_COLLIDED;
}

/*
 * The interval counters have selected an operation. Not inlined: most calls of spe_advance() select
 * none, and then do not need the registers that this uses.
 */
static __attribute__((noinline)) enum spe_selection select_operation(struct unit *unit)
{
	land_flights(unit);
	if (unit->flight_count >= unit->flight_room)
		return select_slowly(unit);
	return take_flight(unit);
}

/* More members than the budget: ignore the excess. */
static __attribute__((noinline)) uint64_t up_to_budget(struct unit *unit)
{
	if (unit->watched & WATCHED_CHECK)
		spe_check_budget(unit);
	return unit->budget;
}

enum spe_selection spe_advance(struct spe_unit *opaque, uint64_t n)
{
	struct unit *unit = unit_of(opaque);
	uint64_t fixed;

	if (!unit->enabled || n == 0)
		return SPE_NOT_SELECTED;
	if (n > unit->budget)
		n = up_to_budget(unit);
	unit->stats.population += n;
	unit->budget -= n;
	if (unit->watched & WATCHED_PMU)
		spe_tell(unit, SPE_PMU_SAMPLE_POP, n);
	if (unit->budget != 0) {
		spe_holds(unit);
		return SPE_NOT_SELECTED;
	}
	/* Read once: reading in parts what was just written makes the host wait. */
	fixed = spe_interval_fixed(unit);
	if (fixed == 0) {
		spe_interval_sync(unit);
		spe_interval_plan(unit);
	} else {
		/* as those two would without random numbers: COUNT is zero, and is reloaded */
		unit->synced = unit->stats.population;
		unit->count = 0;
		unit->hold = false;
		unit->budget = fixed;
	}
	return select_operation(unit);
}

/*
 * D18.2, address packet 4. If execution leaves the profiled code unseen, the previous target is
 * that of another program: forget it.
 */
void spe_branch(struct spe_unit *opaque, enum spe_branch_kind kind, const struct spe_target *target)
{
	struct unit *unit = unit_of(opaque);
	const struct spe_config *config = &unit->config;
	const bool counts = kind == SPE_BRANCH_EXCEPTION ? config->pbt_exception
			    : kind == SPE_BRANCH_RETURN	 ? config->pbt_return
			    : kind == SPE_BRANCH_ISB	 ? config->pbt_isb
							 : true;

	if (!unit->format.previous || !counts)
		return;
	unit->previous_valid = unit->enabled;
	unit->previous = *target;
}

bool spe_follows_branches(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return unit->format.previous && (unit->enabled || unit->previous_valid);
}

bool spe_member(const struct spe_unit *opaque, uint32_t flags)
{
	const struct unit *unit = unit_in(opaque);

	return !(flags & unit->not_member);
}

void spe_abandon(struct spe_unit *opaque)
{
	struct unit *unit = unit_of(opaque);

	if (unit->flight_sampled < unit->flight_count)
		unit->flight_sampled++;
}

void spe_collide(struct spe_unit *opaque)
{
	struct unit *unit = unit_of(opaque);

	if (unit->flight_sampled >= unit->flight_count)
		return;
	unit->flight_count--;
	note_collision(unit);
}

/* Fed to a unit with check. */
static __attribute__((noinline)) void feed_watched(struct unit *unit,
						   const struct spe_flight *selected,
						   const struct spe_op *op, uint64_t events)
{
	spe_check_operation(unit, selected, op);
	if (!(unit->watched & WATCHED_PMU))
		return;
	count_event(unit, SPE_PMU_SAMPLE_FEED);
	spe_filter_count(unit, op, events);
}

void spe_sample(struct spe_unit *opaque, const struct spe_op *op)
{
	struct unit *unit = unit_of(opaque);
	const struct spe_flight *selected;
	uint64_t events;

	if (unit->flight_sampled >= unit->flight_count)
		return;
	selected = nth_flight(unit, unit->flight_sampled++);
	events = (op->events & unit->all_events & ~EVENT_NOT_TAKEN) | unit->forced_events;
	if (op->flags & SPE_OP_NOT_TAKEN)
		events |= EVENT_NOT_TAKEN;

	unit->stats.feed++;
	if (unit->watched & WATCHED_CHECK) {
		feed_watched(unit, selected, op, events);
	} else if (unit->watched) {
		spe_tell(unit, SPE_PMU_SAMPLE_FEED, 1);
		spe_filter_count(unit, op, events);
	}
	if (op->flags & unit->not_captured) {
		unit->stats.not_captured++;
		return;
	}
	if (unit->filtered && !spe_filter_passes(unit, op, events))
		return;
	unit->stats.filtrate++;
	count_event(unit, SPE_PMU_SAMPLE_FILTRATE);
	if (!unit->buffer_enabled)
		spe_buffer_disabled(unit);
	else if (unit->discard)
		unit->stats.discarded++;
	else
		spe_buffer_write(unit, selected, op, events);
}

enum spe_timestamp spe_timestamp_kind(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);
	const struct spe_shape *shape = &unit->shape;

	if (unit->flight_sampled < unit->flight_count)
		shape = &unit->flight[(unit->flight_first + unit->flight_sampled) %
				      SPE_IN_FLIGHT_MAX]
				 .shape;
	return (enum spe_timestamp)shape->timestamp;
}
