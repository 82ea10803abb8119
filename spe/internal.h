/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the profiling unit share: each other's entry points. No function here checks
 * its arguments: callers come in by spe.h, which does. unit.h has the unit itself.
 */
#ifndef VSPE_SPE_INTERNAL_H
#define VSPE_SPE_INTERNAL_H

#include "fields.h"
#include "unit.h"

/* config.c: events to filter on and to report. */
uint64_t spe_filter_events(const struct spe_config *config);
uint64_t spe_reported_events(const struct spe_config *config);

/* id.c: the registers, and PMBIDR_EL1.MaxBuffSize: 0 if it cannot say so many bytes. */
uint64_t spe_read_pmsidr(const struct spe_config *config);
uint64_t spe_read_pmbidr(const struct unit *unit);
uint16_t spe_max_buffer_field(uint64_t bytes);

/* interval.c */
void spe_interval_reset(struct unit *unit);
/* Bring count, ecount and hold up to the members that have passed. */
void spe_interval_sync(struct unit *unit);
/* Work out the budget from count, ecount, hold and unit->enabled. The counters must be in sync. */
void spe_interval_plan(struct unit *unit);
/* Profiling goes from disabled to enabled: load PMSICR_EL1 if it is zero. */
void spe_interval_start(struct unit *unit);
/* ... and back: undo a load that no member has used. */
void spe_interval_stop(struct unit *unit);
uint64_t spe_interval_read(struct unit *unit);
void spe_interval_write(struct unit *unit, uint64_t pmsicr);
/* PMSIRR_EL1 was written. */
void spe_interval_reload_changed(struct unit *unit);
/* spe_spacing_fixed(). */
static inline uint64_t spe_interval_fixed(const struct unit *unit)
{
	if (unit->random_tail || unit->random_count || unit->ecount != 0)
		return 0;
	return UINT64_C(1) + unit->load;
}

/* event.c: report a PMU event to those who listen. */
void spe_tell(const struct unit *unit, uint16_t event, uint64_t count);
/* ... a management event; S is in its syndrome. Earlier DL, EA and COLL stay. */
void spe_put_event(struct unit *unit, unsigned int el, uint64_t syndrome);
/* ... that of a fault that waits. false: there is none. */
bool spe_put_late(struct unit *unit);

/*
 * check.c, only with spe_config.check: these controls are the PE's; an operation was selected, or
 * is sampled; more members passed than the budget; a selection collided.
 */
void spe_check_controls(struct unit *unit, const struct sysreg_controls *controls);
void spe_check_selection(const struct unit *unit, struct spe_flight *flight);
void spe_check_operation(struct unit *unit, const struct spe_flight *flight,
			 const struct spe_op *op);
void spe_check_budget(struct unit *unit);
void spe_check_collision(struct unit *unit, const struct spe_flight *oldest);
/* Where an operation executes is unknown if its selection came with an image. */
#define PLACE_UNKNOWN 0xffu

/* enable.c: the Security state of the levels below EL3, as {NSE, NS}. */
unsigned int spe_security_state(const struct sysreg_controls *controls);
/* enable.c: work out what depends on controls, PMSCR_ELx, PMBLIMITR_EL1 and PMBSR_EL1. */
void spe_derive(struct unit *unit);
/* ... after one of them changed: profiling may become enabled or disabled by it. */
void spe_refresh(struct unit *unit);

/* registers.c: work out the bits that each can have. */
void spe_registers_init(struct unit *unit);
void spe_registers_reset(struct unit *unit);
/* The name of one that has bits it cannot have, or NULL. */
const char *spe_registers_check(const struct unit *unit);
/* Work out what depends on PMBLIMITR_EL1 alone. */
void spe_limit_changed(struct unit *unit);

/* filter.c */
void spe_filter_changed(struct unit *unit);
bool spe_filter_passes(const struct unit *unit, const struct spe_op *op, uint64_t events);
/* The SAMPLE_FEED_* events. The host has a pmu_event callback. */
void spe_filter_count(const struct unit *unit, const struct spe_op *op, uint64_t events);

/* format.c: the most bytes of a record without padding; how all of them look. */
#define RECORD_MAX 2048
size_t spe_record_max(const struct spe_config *config);
void spe_format_init(struct spe_format *format, const struct spe_config *config);

/* record.c: the most bytes of one of a core's layout, with a timestamp; build one, with padding. */
size_t spe_layout_max(const struct spe_config *config);
size_t spe_record_build(const struct spe_format *format, const struct spe_flight *flight,
			const struct spe_op *op, uint64_t events, uint8_t *record);

/*
 * The same for a format that is not unusual. at: where its addresses and its timestamp are, without
 * their headers; SPE_PATTERN_SIZE for those that it does not have. record[] needs eight bytes more.
 */
#define SPE_PATTERN_SIZE 64
struct spe_places {
	uint8_t pc, target, data_va, data_pa, timestamp;
};
size_t spe_record_build_places(const struct spe_format *format, const struct spe_flight *flight,
			       const struct spe_op *op, uint64_t events, uint8_t *record,
			       struct spe_places *at);

/* pattern.c: records that were built while a unit's registers are the same. */
#define SPE_PATTERNS	16
#define SPE_PATTERN_KEY 5
struct spe_pattern {
	uint64_t key[SPE_PATTERN_KEY]; /* what records that are alike have in common */
	uint64_t pc, target, data_pa;  /* the bytes above these addresses */
	uint8_t record[SPE_PATTERN_SIZE];
	uint8_t size;
	struct spe_places at;
};
struct spe_patterns {
	unsigned int made; /* bits by index; 0 to begin with */
	struct spe_pattern of[SPE_PATTERNS];
};

/*
 * spe_record_build() for a format that is not unusual. record[] has RECORD_MAX bytes. All patterns
 * share flight's shape and the filter of op->events.
 */
size_t spe_record_build_like(struct spe_patterns *patterns, const struct spe_format *format,
			     const struct spe_flight *flight, const struct spe_op *op,
			     uint64_t events, uint8_t *record);

/* D18.2: only a load that got its data has a data source. The caller checks LDS. */
static inline bool spe_has_source(const struct spe_op *op)
{
	uint32_t both = SPE_OP_LOAD | SPE_OP_VA_VALID;

	return (op->flags & both) == both && !(op->events & EVENT_EXCEPTION);
}

/* buffer.c: write the record of an operation, in Fill mode, with the buffer enabled. */
void spe_buffer_write(struct unit *unit, const struct spe_flight *flight, const struct spe_op *op,
		      uint64_t events);
/* ... the same where the buffer is not enabled any more: nothing is written. */
void spe_buffer_disabled(struct unit *unit);
/* Would spe_buffer_write() write a record, whatever is in it, at a virtual address? */
bool spe_buffer_is_plain(const struct unit *unit);
/* ... what comes of it when it has written the last for which there was room, or failed to. */
void spe_buffer_full(struct unit *unit);
void spe_buffer_failed(struct unit *unit, const struct spe_write_result *result, size_t size);
/* May a record begin at the write pointer? */
static inline bool spe_has_room(const struct unit *unit)
{
	return unit->pmbptr - unit->room_from < unit->room_size;
}

#endif
