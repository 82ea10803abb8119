/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many selected operations at once. What decides what becomes of each is asked once for as long as
 * it cannot change: in the usual case a sample is no more than its counts and its record.
 */
#include "internal.h"

/* Is everything that was selected sampled, and no more in flight when the member now passes? */
static bool landed_by(const struct unit *unit, uint64_t now)
{
	const unsigned int newest = unit->flight_first + unit->flight_count - 1u;

	return unit->flight_sampled == unit->flight_count &&
	       (unit->flight_count == 0 || unit->flight[newest % SPE_IN_FLIGHT_MAX].done < now);
}

/*
 * Are the next selection, after so many members, and those spacing apart behind it, neither
 * collisions nor anything else than records that are written, as far as the unit knows?
 */
static bool is_plain(const struct unit *unit, uint64_t members, uint64_t spacing)
{
	return unit->enabled && spacing != 0 && unit->budget == members &&
	       spacing > unit->config.lifetime &&
	       landed_by(unit, unit->stats.population + members) && !unit->watched &&
	       !unit->filtered && !unit->format.unusual && spe_buffer_is_plain(unit);
}

/* What spe_buffer_write() does with a record, in the same case. Is it so for the next one, too? */
static inline bool write_plain(struct unit *unit, const uint8_t *record, size_t size)
{
	const struct spe_write_result result =
		unit->host.write(unit->host.ctx, unit->owning_el, unit->pmbptr, record, size);

	if (result.status != SPE_WRITE_OK) {
		spe_buffer_failed(unit, &result, size);
		return false;
	}
	unit->stats.records++;
	unit->stats.bytes += size;
	unit->pmbptr += size;
	if (spe_has_room(unit))
		return true;
	spe_buffer_full(unit);
	return false;
}

/* What spe_advance() does where an operation is selected members from here, and is_plain(). */
static void select_plain(struct unit *unit, uint64_t members)
{
	unit->stats.population += members;
	unit->synced = unit->stats.population;
	unit->flight[0].done = unit->stats.population + unit->config.lifetime;
}

/* As many of n operations as are plain, at least one. */
static size_t sample_plain(struct unit *unit, uint64_t members, uint64_t spacing,
			   const struct spe_op *const ops[], size_t n)
{
	_Alignas(64) uint8_t record[RECORD_MAX];
	struct spe_flight *flight = &unit->flight[0];
	bool goes_on = true;
	size_t i = 0;

	unit->count = 0;
	unit->hold = false;
	unit->budget = spacing;
	unit->flight_first = 0;
	unit->flight_count = unit->flight_sampled = 1;
	flight->shape = unit->shape;
	do {
		const struct spe_op *op = ops[i++];
		uint64_t events =
			(op->events & unit->all_events & ~EVENT_NOT_TAKEN) | unit->forced_events;

		select_plain(unit, members);
		members = spacing;
		unit->stats.feed++;
		if (op->flags & unit->not_captured) {
			unit->stats.not_captured++;
			continue;
		}
		if (op->flags & SPE_OP_NOT_TAKEN)
			events |= EVENT_NOT_TAKEN;
		unit->stats.filtrate++;
		goes_on = write_plain(unit, record,
				      spe_record_build(&unit->format, flight, op, events, record));
	} while (i < n && goes_on);
	return i;
}

void spe_sample_spaced(struct spe_unit *opaque, uint64_t members, const struct spe_op *const ops[],
		       size_t n)
{
	struct unit *unit = unit_of(opaque);
	const uint64_t spacing = spe_interval_fixed(unit);
	size_t done = 0;

	while (done < n) {
		if (is_plain(unit, members, spacing)) {
			done += sample_plain(unit, members, spacing, ops + done, n - done);
		} else {
			if (spe_advance(opaque, members) == SPE_SELECTED)
				spe_sample(opaque, ops[done]);
			done++;
		}
		members = spacing;
	}
}
