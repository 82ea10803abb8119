/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiling buffer (Arm ARM D17.7, D17.8; J1.59, J1.64, J1.74, J1.76): write pointer, limit and
 * the events that stop profiling.
 *
 * If the write pointer already breaks its restrictions when a record begins, the record could run
 * past the limit. It is not written. Instead there is a buffer full event at once, or no event:
 * spe_config.pointer decides.
 *
 * From v1p5 on, samples may be taken, and lost, between an MMU fault and its event. Meanwhile the
 * event waits in unit.late.
 */
#include "holds.h"
#include "internal.h"

#define HCR_TEA BIT(37)
#define HCR_GPF BIT(48)
#define SCR_EA	BIT(3)
#define SCR_GPF BIT(48)

#define EC_GPC		0x1e
#define EC_STAGE1_ABORT 0x24
#define EC_STAGE2_ABORT 0x25
#define FSC_MASK	0x3f
#define FSC_PERMISSION	0x0c /* | level */
#define FSC_SYNC_ABORT	0x10
#define FSC_ASYNC_ABORT 0x11
#define FSC_SYNC_WALK	0x12 /* to 0x17: on a walk, levels -2 to 3 */
#define FSC_SYNC_LAST	0x17
#define FSC_GPF_WALK	0x22 /* to 0x27 */
#define FSC_GPF		0x28
#define BSC_NOT_ALLOWED 0
#define BSC_FULL	1
#define BSC_TOO_LARGE	4

/* PMBPTR_EL1 goes to the byte after n more; its RES0 bits stay. */
static void advance_pointer(struct unit *unit, size_t n)
{
	unit->pmbptr = (unit->pmbptr + n) & (UINT64_MAX << unit->config.pointer_res0);
}

static void stop_unit(struct unit *unit, unsigned int el, uint64_t syndrome)
{
	spe_put_event(unit, el, syndrome);
	spe_refresh(unit);
}

static void report_late(struct unit *unit)
{
	if (spe_put_late(unit))
		spe_refresh(unit);
}

void spe_synchronize(struct spe_unit *opaque)
{
	report_late(unit_of(opaque));
}

void spe_buffer_full(struct unit *unit)
{
	unit->stats.full++;
	if (unit->config.version >= SPE_V1P4 && unit->watched & WATCHED_PMU)
		spe_tell(unit, SPE_PMU_SAMPLE_BUFFER_FULL, 1);
	stop_unit(unit, unit->event_el, PMBSR_S | BSC_FULL);
}

static void refuse_record(struct unit *unit, uint64_t bsc)
{
	unit->stats.lost++;
	unit->stats.refused++;
	stop_unit(unit, unit->event_el, PMBSR_S | (bsc == BSC_NOT_ALLOWED ? PMBSR_DL : 0) | bsc);
}

void spe_buffer_disabled(struct unit *unit)
{
	if (unit->config.late_record == SPE_LATE_EVENT && !unit->stopped && !unit->discard)
		refuse_record(unit, BSC_NOT_ALLOWED);
	else
		unit->stats.lost++;
}

/* No record may begin at the write pointer. */
static void no_room(struct unit *unit)
{
	uint64_t limit = unit->pmblimitr & PMBLIMITR_LIMIT;

	if (unit->denied || unit->config.pointer == SPE_POINTER_NOT_ALLOWED) {
		refuse_record(unit, BSC_NOT_ALLOWED);
		return;
	}
	if (unit->pmbptr < unit->room_from && unit->pmbptr < limit) {
		refuse_record(unit, BSC_TOO_LARGE);
		return;
	}
	unit->stats.lost++;
	if (unit->config.pointer == SPE_POINTER_FULL)
		spe_buffer_full(unit);
}

uint64_t spe_room(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	if (unit->discard)
		return UINT64_MAX;
	if (!spe_has_room(unit) || unit->late.syndrome ||
	    unit->address_kind != SPE_ADDRESS_VIRTUAL ||
	    unit->config.oversize != SPE_OVERSIZE_REFUSED)
		return 0;
	return unit->room_from + unit->room_size - 1 - unit->pmbptr;
}

static void record_written(struct unit *unit, size_t size)
{
	unit->pmbptr += size;
	vspe_assert_of(unit->pmbptr <= (unit->pmblimitr & PMBLIMITR_LIMIT) ||
			       unit->config.oversize != SPE_OVERSIZE_REFUSED,
		       unit->pmbptr, unit->pmblimitr);
	vspe_assert_of(unit->buffer_enabled && !unit->stopped, unit->pmbptr, unit->pmbsr);
	if (!spe_has_room(unit))
		spe_buffer_full(unit);
}

/*
 * PMBPTR_EL1 stays at the first byte not written. Returns DL: whether that byte is inside a record;
 * with keep_dl DL stays as it is.
 */
static uint64_t partly_written(struct unit *unit, size_t written)
{
	unit->stats.bytes += written;
	unit->stats.lost++;
	unit->stats.faults++;
	if (unit->config.partial == SPE_PARTIAL_REWOUND || written == 0)
		return 0;
	advance_pointer(unit, written);
	return unit->config.keep_dl ? 0 : PMBSR_DL;
}

/* A failed write: what decides its syndrome and its target. */
struct fault {
	bool gpc, stage2;
	uint8_t fsc;
};

static bool is_gpf(const struct fault *fault)
{
	return !fault->gpc && fault->fsc >= FSC_GPF_WALK && fault->fsc <= FSC_GPF;
}

static bool is_sync_external(const struct fault *fault)
{
	return !fault->gpc && (fault->fsc == FSC_SYNC_ABORT ||
			       (fault->fsc >= FSC_SYNC_WALK && fault->fsc <= FSC_SYNC_LAST));
}

/* Whose PMBSR_ELx gets a fault (J1.59). */
static unsigned int fault_target(const struct unit *unit, const struct fault *fault)
{
	const struct sysreg_controls *c = &unit->controls;
	bool gpf = is_gpf(fault), external = is_sync_external(fault);

	if (unit->pmsee == 3 || (unit->pmsee == 2 && (fault->gpc || (gpf && c->scr_el3 & SCR_GPF) ||
						      (external && c->scr_el3 & SCR_EA))))
		return 3;
	if (unit->ee2 == 3 ||
	    (unit->ee2 == 2 &&
	     (fault->gpc || fault->stage2 || unit->owning_el == 2 ||
	      (gpf && c->hcr_el2 & HCR_GPF) || (external && c->hcr_el2 & HCR_TEA))))
		return 2;
	return 1;
}

/* S, EC and FSC; EC 0x1E has no status code. */
static uint64_t fault_syndrome(const struct fault *fault)
{
	if (fault->gpc)
		return PMBSR_S | (uint64_t)EC_GPC << PMBSR_EC_SHIFT;
	return PMBSR_S | fault->fsc |
	       (uint64_t)(fault->stage2 ? EC_STAGE2_ABORT : EC_STAGE1_ABORT) << PMBSR_EC_SHIFT;
}

static void external_abort(struct unit *unit, const struct spe_write_result *result, size_t written,
			   size_t size)
{
	bool sync = unit->config.external_abort == SPE_ABORT_SYNC;
	const struct fault fault = {.gpc = result->gpc,
				    .stage2 = result->stage2,
				    .fsc = sync ? FSC_SYNC_ABORT : FSC_ASYNC_ABORT};
	uint64_t loss = sync ? 0 : PMBSR_DL;

	switch (unit->config.external_abort) {
	case SPE_ABORT_SERROR:
		unit->host.serror(unit->host.ctx); /* and the PE knows no more */
	/* fall through */
	case SPE_ABORT_IGNORE:
		unit->stats.lost++;
		unit->stats.bytes += written;
		record_written(unit, size);
		return;
	default:
		loss |= partly_written(unit, written);
		stop_unit(unit, fault_target(unit, &fault),
			  fault_syndrome(&fault) | PMBSR_EA | loss);
	}
}

/* MSS2 says more of a permission fault: AssuredOnly and TopLevel are stage 2's alone. */
static uint64_t second_syndrome(const struct fault *fault, uint64_t mss2)
{
	if (fault->gpc || (fault->fsc & 0x3c) != FSC_PERMISSION)
		return 0;
	mss2 &= SPE_MSS2_DIRTY_BIT | SPE_MSS2_OVERLAY |
		(fault->stage2 ? SPE_MSS2_ASSURED_ONLY | SPE_MSS2_TOP_LEVEL : 0u);
	return mss2 << PMBSR_MSS2_SHIFT;
}

/* An external abort on a walk, which is an MMU fault. */
static bool is_walk_abort(const struct fault *fault)
{
	return is_sync_external(fault) && fault->fsc != FSC_SYNC_ABORT;
}

void spe_buffer_failed(struct unit *unit, const struct spe_write_result *result, size_t size)
{
	struct fault fault = {result->gpc, result->stage2, result->fsc & FSC_MASK};
	/* A failed write has not written everything, whatever the host says. */
	size_t written = result->written < size ? result->written : size - 1;

	if (result->status == SPE_WRITE_EXTERNAL_ABORT) {
		external_abort(unit, result, written, size);
		return;
	}
	unit->late = (struct spe_late){
		.syndrome = fault_syndrome(&fault) | second_syndrome(&fault, result->mss2) |
			    partly_written(unit, written),
		.el = (uint8_t)fault_target(unit, &fault),
		.samples = unit->config.fault_lag,
	};
	if (unit->config.walk_ea && is_walk_abort(&fault))
		unit->late.syndrome |= PMBSR_EA;
	if (unit->late.samples == 0)
		report_late(unit);
}

/* A record that comes between a fault and its event. */
static void lose_record(struct unit *unit)
{
	vspe_assert_of(unit->late.samples, unit->late.syndrome, unit->late.el);
	unit->stats.lost++;
	if (--unit->late.samples == 0)
		report_late(unit);
}

static void write_untranslated(const struct unit *unit, const uint8_t *record, size_t size,
			       struct spe_write_result *result)
{
	const struct spe_untranslated to = {
		.address = unit->pmbptr,
		.kind = (enum spe_address_kind)unit->address_kind,
		.owning_el = unit->owning_el,
		.attributes = (uint8_t)(unit->pmbmar & PMBMAR_ATTR),
		.shareability = (uint8_t)((unit->pmbmar & PMBMAR_SH) >> PMBMAR_SH_SHIFT),
		.ns = unit->owner_ns,
		.nse = unit->owner_nse,
		.high_ignored = unit->config.high_address == SPE_HIGH_ADDRESS_IGNORED,
	};

	*result = unit->host.write_untranslated(unit->host.ctx, &to, record, size);
}

void spe_buffer_write(struct unit *unit, const struct spe_flight *flight, const struct spe_op *op,
		      uint64_t events)
{
	_Alignas(64) uint8_t record[RECORD_MAX];
	struct spe_write_result result;
	size_t size;

	if (unit->late.syndrome) {
		lose_record(unit);
		return;
	}
	if (!spe_has_room(unit)) {
		no_room(unit);
		return;
	}
	size = spe_record_build(&unit->format, flight, op, events, record);
	vspe_assert_of(size && size <= sizeof(record), size, unit->config.max_size);
	if (size > (size_t)1 << unit->config.max_size) {
		refuse_record(unit, BSC_TOO_LARGE);
		return;
	}
	if (unit->address_kind == SPE_ADDRESS_VIRTUAL)
		result = unit->host.write(unit->host.ctx, unit->owning_el, unit->pmbptr, record,
					  size);
	else
		write_untranslated(unit, record, size, &result);
	if (result.status != SPE_WRITE_OK) {
		spe_buffer_failed(unit, &result, size);
		return;
	}
	unit->stats.records++;
	unit->stats.bytes += size;
	record_written(unit, size);
}

bool spe_buffer_is_plain(const struct unit *unit)
{
	return unit->buffer_enabled && !unit->discard && !unit->late.syndrome &&
	       spe_has_room(unit) && unit->address_kind == SPE_ADDRESS_VIRTUAL &&
	       unit->config.oversize == SPE_OVERSIZE_REFUSED;
}
