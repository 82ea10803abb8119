/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the profiling unit share: register fields (Arm ARM D24) and each other's entry
 * points. No function here checks its arguments; spe.h is where callers come in.
 */
#ifndef VSPE_SPE_INTERNAL_H
#define VSPE_SPE_INTERNAL_H

#include <vspe/spe.h>

#define BIT(n)		 (UINT64_C(1) << (n))
#define FIELD(high, low) ((UINT64_MAX >> (63 - (high))) & (UINT64_MAX << (low)))

/* PMSCR_EL1 and PMSCR_EL2 have the same layout. */
#define PMSCR_E0SPE    BIT(0) /* E0HSPE in PMSCR_EL2 */
#define PMSCR_E1SPE    BIT(1) /* E2SPE in PMSCR_EL2 */
#define PMSCR_CX       BIT(3)
#define PMSCR_PA       BIT(4)
#define PMSCR_TS       BIT(5)
#define PMSCR_PCT      BIT(6)
#define PMSCR_PCT_1    BIT(7) /* FEAT_ECV */
#define PMSCR_EE       FIELD(9, 8)
#define PMSCR_EE_SHIFT 8
#define PMSCR_KE       BIT(10)
#define PMSCR_ENVM     BIT(11)

#define PMSICR_COUNT	    FIELD(31, 0)
#define PMSICR_ECOUNT	    FIELD(63, 56)
#define PMSICR_ECOUNT_SHIFT 56

#define PMSIRR_RND	      BIT(0)
#define PMSIRR_INTERVAL	      FIELD(31, 8)
#define PMSIRR_INTERVAL_SHIFT 8

#define PMSFCR_FE	  BIT(0)
#define PMSFCR_FT	  BIT(1)
#define PMSFCR_FL	  BIT(2)
#define PMSFCR_FNE	  BIT(3)
#define PMSFCR_FDS	  BIT(4)
#define PMSFCR_TYPE	  FIELD(18, 16) /* ST, LD, B */
#define PMSFCR_TYPE_EFT	  FIELD(20, 19) /* SIMD, FP */
#define PMSFCR_TYPE_SHIFT 16
#define PMSFCR_MASK	  FIELD(52, 48)
#define PMSFCR_MASK_SHIFT 48

#define PMBLIMITR_E	     BIT(0)
#define PMBLIMITR_FM	     FIELD(2, 1)
#define PMBLIMITR_FM_DISCARD (UINT64_C(2) << 1)
#define PMBLIMITR_PMFZ	     BIT(5)
#define PMBLIMITR_NVM	     BIT(7)
#define PMBLIMITR_LIMIT	     FIELD(63, 12)

#define PMBMAR_ATTR	FIELD(7, 0)
#define PMBMAR_SH	FIELD(9, 8)
#define PMBMAR_SH_SHIFT 8

#define PMBSR_MSS	 FIELD(15, 0)
#define PMBSR_COLL	 BIT(16)
#define PMBSR_S		 BIT(17)
#define PMBSR_EA	 BIT(18)
#define PMBSR_DL	 BIT(19)
#define PMBSR_EC	 FIELD(31, 26)
#define PMBSR_EC_SHIFT	 26
#define PMBSR_MSS2	 FIELD(55, 32)
#define PMBSR_MSS2_SHIFT 32

/* Bits of the Events packet that the unit itself knows about. */
#define EVENT_EXCEPTION		SPE_EVENT_EXCEPTION
#define EVENT_RETIRED		SPE_EVENT_RETIRED
#define EVENT_NOT_TAKEN		BIT(6)
#define EVENT_MISALIGNED	BIT(11)
#define EVENT_TRANSACTIONAL	BIT(16)
#define EVENT_PARTIAL_PREDICATE BIT(17)
#define EVENT_EMPTY_PREDICATE	BIT(18)
#define EVENT_STREAMING		BIT(24)
#define EVENT_SMCU		BIT(25)

/* Security states as {NSE,NS}. */
enum security_state {
	SS_SECURE = 0,
	SS_NON_SECURE = 1,
	SS_ROOT = 2,
	SS_REALM = 3,
	SS_NONE = 4, /* of no owner: MDCR_EL3.{NSPBE,NSPB} reserved */
};

/* config.c: events to filter on and to report. */
uint64_t spe_filter_events(const struct spe_config *config);
uint64_t spe_reported_events(const struct spe_config *config);

/* id.c: the registers, and PMBIDR_EL1.MaxBuffSize: 0 if it cannot say so many bytes. */
uint64_t spe_read_pmsidr(const struct spe_config *config);
uint64_t spe_read_pmbidr(const struct spe_unit *unit);
uint16_t spe_max_buffer_field(uint64_t bytes);

/* interval.c */
void spe_interval_reset(struct spe_unit *unit);
/* Bring count, ecount and hold up to the members that have passed. */
void spe_interval_sync(struct spe_unit *unit);
/* Work out the budget from count, ecount, hold and unit->enabled. The counters must be in sync. */
void spe_interval_plan(struct spe_unit *unit);
/* Profiling goes from disabled to enabled: load PMSICR_EL1 if it is zero. */
void spe_interval_start(struct spe_unit *unit);
/* ... and back: a load that no member has made use of is undone. */
void spe_interval_stop(struct spe_unit *unit);
uint64_t spe_interval_read(struct spe_unit *unit);
void spe_interval_write(struct spe_unit *unit, uint64_t pmsicr);
/* PMSIRR_EL1 was written. */
void spe_interval_reload_changed(struct spe_unit *unit);
/* spe_spacing_fixed(). */
static inline uint64_t spe_interval_fixed(const struct spe_unit *unit)
{
	if (unit->random_tail || unit->random_count || unit->ecount != 0)
		return 0;
	return UINT64_C(1) + unit->load;
}

/* enable.c: work out everything that depends on controls, PMSCR_ELx, PMBLIMITR_EL1 and PMBSR_EL1.
 */
void spe_derive(struct spe_unit *unit);
/* ... after one of them changed: profiling may become enabled or disabled by it. */
void spe_refresh(struct spe_unit *unit);

/* unit.c: the bits that a register can have, whatever the features of the PE. */
uint64_t spe_register_bits(const struct spe_unit *unit, enum sysreg_id reg);
/* ... work out what depends on PMBLIMITR_EL1 alone. */
void spe_limit_changed(struct spe_unit *unit);

/* filter.c */
void spe_filter_changed(struct spe_unit *unit);
bool spe_filter_passes(const struct spe_unit *unit, const struct spe_op *op, uint64_t events);
/* The SAMPLE_FEED_* events. The host has a pmu_event callback. */
void spe_filter_count(const struct spe_unit *unit, const struct spe_op *op, uint64_t events);

/* record.c: the most bytes of a record without padding; build one, padding included. */
#define RECORD_MAX 2048
size_t spe_record_max(const struct spe_config *config);
void spe_format_init(struct spe_format *format, const struct spe_config *config);
size_t spe_record_build(const struct spe_format *format, const struct spe_flight *flight,
			const struct spe_op *op, uint64_t events, uint8_t *record);

/* D18.2: a data source is of a load that got its data. LDS is for the caller to ask. */
static inline bool spe_has_source(const struct spe_op *op)
{
	uint32_t both = SPE_OP_LOAD | SPE_OP_VA_VALID;

	return (op->flags & both) == both && !(op->events & EVENT_EXCEPTION);
}

/* buffer.c: write the record of an operation, in Fill mode, with the buffer enabled. */
void spe_buffer_write(struct spe_unit *unit, const struct spe_flight *flight,
		      const struct spe_op *op, uint64_t events);

/* PMBSR_ELx. */
static inline uint64_t *spe_status(struct spe_unit *unit, unsigned int el)
{
	return el == 3 ? &unit->pmbsr_el3 : el == 2 ? &unit->pmbsr_el2 : &unit->pmbsr;
}

#endif
