/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many selected operations at once. What decides their outcome is checked once for as long as it
 * cannot change. Usually a sample is then no more than its counts and its record.
 */
#include "internal.h"
#include "../sysreg/assertion.h"

/* Has everything selected been sampled, and is nothing in flight when the member now passes? */
static bool landed_by(const struct unit *unit, uint64_t now)
{
	const unsigned int newest = unit->flight_first + unit->flight_count - 1u;

	return unit->flight_sampled == unit->flight_count &&
	       (unit->flight_count == 0 || unit->flight[newest % SPE_IN_FLIGHT_MAX].done < now);
}

/*
 * The next selection comes after so many members, the following ones each after spacing more. Does
 * the unit know that none of them collides, and that each only writes a record?
 */
static bool is_plain(const struct unit *unit, uint64_t members, uint64_t spacing)
{
	return unit->enabled && spacing != 0 && unit->budget == members &&
	       spacing > unit->config.lifetime &&
	       landed_by(unit, unit->stats.population + members) && !unit->watched &&
	       !unit->filtered && !unit->format.unusual &&
	       unit->format.align_mask < SPE_PATTERN_SIZE && spe_buffer_is_plain(unit);
}

/*
 * Count a selected operation that is_plain(), as spe_advance() and spe_sample() do. Returns whether
 * it is captured.
 */
static bool select_plain(struct unit *unit, uint64_t members, const struct spe_op *op)
{
	unit->stats.population += members;
	unit->synced = unit->stats.population;
	unit->flight[0].done = unit->stats.population + unit->config.lifetime;
	unit->stats.feed++;
	if (op->flags & unit->not_captured) {
		unit->stats.not_captured++;
		return false;
	}
	unit->stats.filtrate++;
	return true;
}

/* How many records are written at once, and their bytes without the last: the stack is limited. */
#define BATCH	    16
#define BATCH_BYTES (BATCH * SPE_PATTERN_SIZE)
#define LARGEST	    (2 * SPE_PATTERN_SIZE) /* is_plain() */

/*
 * The first operation comes members after the last one before the batch, each other one spacing
 * after its predecessor. ends: bytes up to the end of each operation's record, if it has one.
 */
struct batch {
	uint64_t members, spacing;
	const struct spe_op *const *ops;
	size_t n;
	uint16_t ends[BATCH];
	_Alignas(64) uint8_t bytes[BATCH_BYTES + LARGEST];
};

static void count_records(struct unit *unit, uint64_t records, size_t bytes)
{
	unit->stats.records += records;
	unit->stats.bytes += bytes;
	unit->pmbptr += bytes;
	vspe_assert_of(unit->pmbptr <= (unit->pmblimitr & PMBLIMITR_LIMIT), unit->pmbptr,
		       unit->pmblimitr);
}

/*
 * A batch was not written whole, whatever the host says. The result must be that of single records,
 * so the operations after the one that failed have not been selected yet. before: the counts before
 * the batch. Returns how many have been selected.
 */
static __attribute__((noinline)) size_t batch_failed(struct unit *unit, const struct batch *batch,
						     const struct spe_stats *before,
						     struct spe_write_result *result)
{
	uint64_t members = batch->members;
	size_t begin = 0, i = 0;

	if (result->written >= batch->ends[batch->n - 1])
		result->written = batch->ends[batch->n - 1] - 1;
	unit->stats = *before;
	for (;; i++) {
		const bool captured = select_plain(unit, members, batch->ops[i]);

		members = batch->spacing;
		if (batch->ends[i] > result->written)
			break;
		count_records(unit, captured, batch->ends[i] - begin);
		begin = batch->ends[i];
	}
	result->written -= begin;
	spe_buffer_failed(unit, result, batch->ends[i] - begin);
	return i + 1;
}

/*
 * Write the records of a batch at once. Afterwards batch->n is how many of its operations have been
 * selected. Returns whether the next ones can be written in this way, too.
 */
static bool write_batch(struct unit *unit, struct batch *batch, const struct spe_stats *before)
{
	const size_t size = batch->ends[batch->n - 1];
	struct spe_write_result result;

	if (size == 0)
		return true;
	result =
		unit->host.write(unit->host.ctx, unit->owning_el, unit->pmbptr, batch->bytes, size);
	if (result.status != SPE_WRITE_OK) {
		batch->n = batch_failed(unit, batch, before, &result);
		return false;
	}
	count_records(unit, unit->stats.filtrate - before->filtrate, size);
	if (spe_has_room(unit))
		return true;
	spe_buffer_full(unit);
	return false;
}

/* As many operations of a batch as fit, at least one. */
static bool sample_batch(struct unit *unit, struct batch *batch, struct spe_patterns *patterns)
{
	const struct spe_stats before = unit->stats;
	const uint64_t room = unit->room_size - (unit->pmbptr - unit->room_from);
	const size_t n = batch->n;
	uint64_t members = batch->members;
	size_t used = 0, i = 0;

	do {
		const struct spe_op *op = batch->ops[i];
		uint64_t events =
			(op->events & unit->all_events & ~EVENT_NOT_TAKEN) | unit->forced_events;

		if (op->flags & SPE_OP_NOT_TAKEN)
			events |= EVENT_NOT_TAKEN;
		if (select_plain(unit, members, op))
			used += spe_record_build_like(patterns, &unit->format, &unit->flight[0], op,
						      events, batch->bytes + used);
		vspe_assert_of(used <= sizeof(batch->bytes), used, i);
		members = batch->spacing;
		batch->ends[i++] = (uint16_t)used;
	} while (i < n && used < room && used < BATCH_BYTES);
	vspe_assert_of(i <= BATCH && unit->stats.filtrate - before.filtrate <= i, i, n);
	batch->n = i;
	return write_batch(unit, batch, &before);
}

/*
 * As many of n operations as are plain, at least one. Not inlined: the stack is limited, and
 * spe_sample() needs some of it, too.
 */
static __attribute__((noinline)) size_t sample_plain(struct unit *unit, uint64_t members,
						     uint64_t spacing,
						     const struct spe_op *const ops[], size_t n)
{
	struct spe_patterns patterns;
	struct batch batch;
	bool goes_on;
	size_t done = 0;

	unit->count = 0;
	unit->hold = false;
	unit->budget = spacing;
	unit->flight_first = 0;
	unit->flight_count = unit->flight_sampled = 1;
	unit->flight[0].shape = unit->shape;
	patterns.made = 0;
	batch.spacing = spacing;
	do {
		batch.members = done ? spacing : members;
		batch.ops = ops + done;
		batch.n = n - done < BATCH ? n - done : BATCH;
		goes_on = sample_batch(unit, &batch, &patterns);
		done += batch.n;
	} while (goes_on && done < n);
	return done;
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
