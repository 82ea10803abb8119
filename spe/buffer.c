/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiling buffer (Arm ARM D17.7, D17.8; J1.64, J1.74, J1.76): write pointer, limit and the
 * events that stop profiling.
 *
 * A record that begins where the restrictions on the write pointer are already broken is not
 * written, as it could run past the limit: that is a buffer full event at once.
 */
#include "internal.h"

#define EC_STAGE1_ABORT 0x24
#define EC_STAGE2_ABORT 0x25
#define FSC_MASK	0x3f
#define FSC_SYNC_ABORT	0x10
#define FSC_ASYNC_ABORT 0x11
#define BSC_FULL	1

#define RECORD_MAX 2048

/* Is there no room left for a record of the largest size? */
static bool is_full(const struct spe_unit *unit)
{
	uint64_t limit = unit->pmblimitr & PMBLIMITR_LIMIT;
	uint64_t largest = UINT64_C(1) << unit->config.max_size;

	return limit < largest || unit->pmbptr > limit - largest;
}

/* A management event: S, and its syndrome. Earlier DL, EA and COLL stay. */
static void stop(struct spe_unit *unit, uint64_t ec, uint64_t mss)
{
	unit->pmbsr &= ~(PMBSR_MSS | PMBSR_MSS2 | PMBSR_EC);
	unit->pmbsr |= PMBSR_S | ec << PMBSR_EC_SHIFT | mss;
	spe_refresh(unit);
}

static void buffer_full(struct spe_unit *unit)
{
	unit->stats.full++;
	stop(unit, 0, BSC_FULL);
}

uint64_t spe_room(const struct spe_unit *unit)
{
	uint64_t limit = unit->pmblimitr & PMBLIMITR_LIMIT;
	uint64_t largest = UINT64_C(1) << unit->config.max_size;

	if (unit->discard)
		return UINT64_MAX;
	return is_full(unit) ? 0 : limit - largest - unit->pmbptr;
}

static void record_written(struct spe_unit *unit, size_t size)
{
	unit->pmbptr += size;
	if (is_full(unit))
		buffer_full(unit);
}

/* PMBPTR_EL1 stays at the first byte not written; DL says if that is inside a record. */
static void partly_written(struct spe_unit *unit, size_t written)
{
	unit->pmbptr += written;
	unit->stats.bytes += written;
	unit->stats.lost++;
	if (written != 0)
		unit->pmbsr |= PMBSR_DL;
}

static void external_abort(struct spe_unit *unit, uint64_t ec, size_t written, size_t size)
{
	switch (unit->config.external_abort) {
	case SPE_ABORT_SERROR:
		unit->host.serror(unit->host.ctx); /* and the PE knows no more */
	/* fall through */
	case SPE_ABORT_IGNORE:
		unit->stats.lost++;
		unit->stats.bytes += written;
		record_written(unit, size);
		return;
	case SPE_ABORT_ASYNC:
		partly_written(unit, written);
		unit->stats.faults++;
		unit->pmbsr |= PMBSR_EA | PMBSR_DL;
		stop(unit, ec, FSC_ASYNC_ABORT);
		return;
	default:
		partly_written(unit, written);
		unit->stats.faults++;
		unit->pmbsr |= PMBSR_EA;
		stop(unit, ec, FSC_SYNC_ABORT);
	}
}

static void write_failed(struct spe_unit *unit, const struct spe_write_result *result, size_t size)
{
	uint64_t ec = result->stage2 ? EC_STAGE2_ABORT : EC_STAGE1_ABORT;
	/* A failed write has not written everything, whatever the host says. */
	size_t written = result->written < size ? result->written : size - 1;

	if (result->status == SPE_WRITE_EXTERNAL_ABORT) {
		external_abort(unit, ec, written, size);
		return;
	}
	partly_written(unit, written);
	unit->stats.faults++;
	stop(unit, ec, result->fsc & FSC_MASK);
}

void spe_buffer_write(struct spe_unit *unit, const struct spe_shape *shape, const struct spe_op *op,
		      uint64_t events)
{
	_Alignas(64) uint8_t record[RECORD_MAX];
	struct spe_write_result result;
	size_t size;

	if (is_full(unit)) {
		unit->stats.lost++;
		buffer_full(unit);
		return;
	}
	size = spe_record_build(&unit->format, shape, op, events, record);
	result = unit->host.write(unit->host.ctx, unit->owning_el, unit->pmbptr, record, size);
	if (result.status != SPE_WRITE_OK) {
		write_failed(unit, &result, size);
		return;
	}
	unit->stats.records++;
	unit->stats.bytes += size;
	record_written(unit, size);
}

bool spe_irq_level(const struct spe_unit *unit)
{
	return unit->pmbsr & PMBSR_S;
}

void spe_drain(struct spe_unit *unit)
{
	(void)unit;
}
