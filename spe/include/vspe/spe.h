/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One Statistical Profiling Unit: its registers, interval counters, filters, records and buffer.
 *
 * Follows the Arm ARM (DDI 0487), chapters D17 (the extension) and D18 (the records). A unit
 *belongs to one PE. Its state is plain data that the caller allocates; the library keeps nothing of
 *its own, allocates nothing and calls nothing of libc but memcpy and memset. It does not lock: the
 *caller makes at most one call into a unit at a time.
 *
 * An engine goes round like this:
 *
 *	budget = spe_budget(unit);		operations until the next selection, counted
 *	run budget - 1 operations		so that the last of them is the selected one
 *	spe_advance(unit, budget - 1);
 *	if (spe_advance(unit, 1) == SPE_SELECTED)	before the selected operation executes
 *		execute it, then spe_sample(unit, &op);
 *
 * and asks for the budget again after spe_advance() came to a selection and after spe_write(),
 * spe_update(), spe_sample() and spe_reset(), all of which may change it.
 */
#ifndef VSPE_SPE_H
#define VSPE_SPE_H

#include <vspe/sysreg.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Errors, returned negated.
 */

#define SPE_EVERSION 1
/* SPE_EVERSION: the version is none of SPE_V1P0 to SPE_V1P5, or is one whose mandatory
 * features this library does not have: SPE_V1P4 and SPE_V1P5. */
#define SPE_EFNE 2
/* SPE_EFNE: fne and version disagree. FEAT_SPE_FnE is there exactly from v1p2 on. */
#define SPE_ECOUNTSIZE 3
/* SPE_ECOUNTSIZE: count_size is neither 12 nor 16 bits. */
#define SPE_EMAXSIZE 4
/* SPE_EMAXSIZE: max_size is outside 6 to 11, or the largest record that the other fields allow
 * does not fit in 2^max_size bytes. */
#define SPE_EALIGN 5
/* SPE_EALIGN: align is greater than max_size. */
#define SPE_EINTERVAL 6
/* SPE_EINTERVAL: interval is not an encoding of PMSIDR_EL1.Interval: 0 and 2 to 8. */
#define SPE_EEVENTS 7
/* SPE_EEVENTS: events has a bit that this version does not leave open. */
#define SPE_EEVENTSSIZE 8
/* SPE_EEVENTSSIZE: events_size is none of 1, 2, 4 and 8 bytes. */
#define SPE_ESOURCESIZE 9
/* SPE_ESOURCESIZE: source_size is neither 1 nor 2 bytes. */
#define SPE_EINFLIGHT 10
/* SPE_EINFLIGHT: in_flight is outside 1 to SPE_IN_FLIGHT_MAX. */
#define SPE_ECHOICE 11
/* SPE_ECHOICE: an enumerated choice (reload, interval_zero, external_abort) has no such value. */
#define SPE_ECAPTURE 12
/* SPE_ECAPTURE: a kind of operation is captured without being a member of the population. */
#define SPE_EGRANULE 13
/* SPE_EGRANULE: granule is none of 12, 14 and 16. */
#define SPE_EHOST 14
/* SPE_EHOST: the host lacks a callback that cannot be done without: write always, serror when
 * external_abort is SPE_ABORT_SERROR. */
#define SPE_EARCHINST 15
/* SPE_EARCHINST: no_instruction are members although arch_inst says that operations are
 * instructions. */
#define SPE_ERROR_MAX 15

/* One line of text for an error of this file, negative or positive; static storage, never NULL. */
const char *spe_strerror(int error);

/* A failed write to the profiling buffer, as spe_host.write reports it. */
enum spe_write_status {
	SPE_WRITE_OK,
	SPE_WRITE_FAULT,	  /* an MMU fault: fsc and stage2 say which */
	SPE_WRITE_EXTERNAL_ABORT, /* an external abort on the write itself */
};

struct spe_write_result {
	enum spe_write_status status;
	size_t written; /* bytes written before the fault, from the start */
	uint8_t fsc;	/* fault status code, as in ESR_ELx.DFSC */
	bool stage2;
};

/*
 * What a unit asks of its embedder. Every callback gets ctx. None may call back into the same unit.
 */
struct spe_host {
	void *ctx;
	/*
	 * Write size bytes at va in the owning translation regime, as owning_el (1 or 2). One call
	 * a record, at most 2^max_size bytes, padding included. Must be there.
	 */
	struct spe_write_result (*write)(void *ctx, uint8_t owning_el, uint64_t va,
					 const uint8_t *bytes, size_t size);
	/* PMU event by its number (enum spe_pmu_event), count times. NULL: not wanted. */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/*
	 * A random byte, uniform on 0x00 to 0xFF, asked for one in advance, the first by
	 * spe_init(). NULL: the unit's own seeded generator.
	 */
	uint8_t (*random)(void *ctx);
	/* An asynchronous SError for the PE. Needed with SPE_ABORT_SERROR only. */
	void (*serror)(void *ctx);
};

/* The PMU events a unit generates (Arm ARM D14). */
enum spe_pmu_event {
	SPE_PMU_SAMPLE_POP = 0x4000,	   /* members of the population, in batches */
	SPE_PMU_SAMPLE_FEED = 0x4001,	   /* selections that did not collide */
	SPE_PMU_SAMPLE_FILTRATE = 0x4002,  /* ... that passed the filters */
	SPE_PMU_SAMPLE_COLLISION = 0x4003, /* selections that collided */
	SPE_PMU_SAMPLE_FEED_BR = 0x812a,   /* this and the following from v1p2 on */
	SPE_PMU_SAMPLE_FEED_LD = 0x812b,
	SPE_PMU_SAMPLE_FEED_ST = 0x812c,
	SPE_PMU_SAMPLE_FEED_OP = 0x812d,
	SPE_PMU_SAMPLE_FEED_EVENT = 0x812e,
	SPE_PMU_SAMPLE_FEED_LAT = 0x812f,
};

/*
 * Configuration: which version and features there are, and every IMPLEMENTATION DEFINED choice.
 */

/* Versions, as ID_AA64DFR0_EL1.PMSVer numbers them. */
enum spe_version {
	SPE_V1P0 = 1,
	SPE_V1P1,
	SPE_V1P2,
	SPE_V1P3,
	SPE_V1P4, /* not implemented: refused */
	SPE_V1P5, /* not implemented: refused */
};

#define SPE_VERSION_DEFAULT SPE_V1P2

/* D17.3.1: is COUNT reloaded before or after the random tail is counted? Matters with ernd and
 * RND=1. */
enum spe_reload {
	SPE_RELOAD_BEFORE_TAIL, /* as D17.3.4.3: COUNT runs on during the tail */
	SPE_RELOAD_AFTER_TAIL,	/* COUNT waits at zero for the tail's end */
};

/* The UNKNOWN sampling interval that PMSIRR_EL1.INTERVAL of zero means. */
enum spe_interval_zero {
	SPE_INTERVAL_ZERO_RECOMMENDED, /* what PMSIDR_EL1.Interval recommends */
	SPE_INTERVAL_ZERO_SHORTEST,    /* as INTERVAL of 1 */
	SPE_INTERVAL_ZERO_LONGEST,     /* as INTERVAL of 0xFFFFFF */
};

/* What an external abort on a write to the buffer does (PMBIDR_EL1.EA). */
enum spe_external_abort {
	SPE_ABORT_SYNC,	  /* PMBSR_EL1: EA, FSC 0x10. PMBIDR_EL1.EA is 0 */
	SPE_ABORT_ASYNC,  /* PMBSR_EL1: EA, DL, FSC 0x11. PMBIDR_EL1.EA is 0 */
	SPE_ABORT_IGNORE, /* nothing. PMBIDR_EL1.EA is 1 */
	SPE_ABORT_SERROR, /* spe_host.serror. PMBIDR_EL1.EA is 2 */
};

/* The most that spe_config.in_flight can be. */
#define SPE_IN_FLIGHT_MAX 8

/* Membership of the population and capture, for one kind of operation (D17.2.1). */
struct spe_population {
	bool member;   /* counts as a member of the sample population */
	bool captured; /* a record of it reaches the buffer; needs member */
};

struct spe_config {
	enum spe_version version;
	bool arch_inst;	  /* FEAT_SPE_ArchInst: operations are architecture instructions */
	bool lds;	  /* FEAT_SPE_LDS: loads have a data source packet */
	bool ernd;	  /* FEAT_SPE_ERnd: randomness in ECOUNT */
	bool fne;	  /* FEAT_SPE_FnE: exactly with v1p2 and later */
	bool flag_update; /* PMBIDR_EL1.F: spe_host.write manages AF and dirty state */

	uint8_t count_size; /* bits of a counter packet, saturating: 12 or 16 */
	uint8_t max_size;   /* log2 of the largest record in bytes: 6 to 11 */
	uint8_t align;	    /* log2 of the alignment of records in bytes: 0 to max_size */
	uint8_t interval; /* PMSIDR_EL1.Interval as encoded: 0 (256 operations), 2 (512) to 8 (4096)
			   */
	uint8_t events_size; /* bytes of an Events packet's payload: 1, 2, 4 or 8 */
	uint8_t source_size; /* bytes of a Data Source packet's payload: 1 or 2 */
	uint8_t granule;     /* log2 of the smallest translation granule: 12, 14 or 16 */

	/*
	 * Optional events that the embedder reports, set what it does: bits 2, 4, 8 to 10, 12 to
	 * 15, 24 to 31 and 48 to
	 * 63. The rest is fixed by the version.
	 */
	uint64_t events;

	struct spe_population misspeculated;	  /* operations on misspeculated paths */
	struct spe_population no_instruction;	  /* that relate to no architecture instruction */
	struct spe_population non_arch_exception; /* that generate a non-architectural exception */

	/*
	 * Collisions: at most in_flight selected operations at once. One is in flight from its
	 * selection to spe_sample() or spe_abandon(), and for at least lifetime further members of
	 * the population, which lets an embedder that runs one operation at a time have collisions
	 * too.
	 */
	uint8_t in_flight;
	uint32_t lifetime;

	enum spe_reload reload;
	enum spe_interval_zero interval_zero;
	enum spe_external_abort external_abort;
	uint64_t seed; /* of the unit's own generator; any value, give each PE another */
};

/*
 * Every field's default for a version: all that the version brings and this library has; ArchInst,
 * LDS and ERnd; 12-bit counters; records of exactly 64 bytes; all operations members and captured
 * but misspeculated ones, which are neither; one operation in flight; L1D and TLB accesses (events
 * 2 and 4) reported. An unsupported version is left for spe_config_check() to refuse.
 */
void spe_config_defaults(struct spe_config *config, enum spe_version version);

/*
 * 0, or the negative SPE_E* of the first field that is wrong; its name as in struct spe_config goes
 * to *field (static storage; field may be NULL).
 */
int spe_config_check(const struct spe_config *config, const char **field);

/* The SYSREG_FEAT_SPE* bits of sysreg_controls.features that go with a configuration. */
uint32_t spe_config_features(const struct spe_config *config);

/*
 * Operations.
 */

/* The kinds of outcome that spe_advance reports for the last member it passed. */
enum spe_selection {
	SPE_NOT_SELECTED,
	SPE_SELECTED, /* the caller owes spe_sample (or spe_abandon) for that operation */
	SPE_COLLIDED, /* a selection that collided: counted, not sampled */
};

/* Bits of spe_op.flags: what the operation turned out to be and do. */
#define SPE_OP_BRANCH		  (1u << 0) /* branch or exception return */
#define SPE_OP_LOAD		  (1u << 1) /* a load, or an atomic that returns a value */
#define SPE_OP_STORE		  (1u << 2) /* a store, or any atomic */
#define SPE_OP_FP		  (1u << 3)
#define SPE_OP_SIMD		  (1u << 4)
#define SPE_OP_TAKEN		  (1u << 5)  /* the branch was taken: target is valid */
#define SPE_OP_NOT_TAKEN	  (1u << 6)  /* conditional, and its condition failed: Events[6] */
#define SPE_OP_VA_VALID		  (1u << 7)  /* data_va is valid: it made an eligible data access */
#define SPE_OP_PA_VALID		  (1u << 8)  /* data_pa is valid */
#define SPE_OP_MISSPECULATED	  (1u << 9)  /* on a path that is not architecturally executed */
#define SPE_OP_NO_INSTRUCTION	  (1u << 10) /* relates to no architecture instruction */
#define SPE_OP_NON_ARCH_EXCEPTION (1u << 11) /* generated a non-architectural exception */

/* An operation that has finished, as the engine saw it. */
struct spe_op {
	uint64_t pc;
	uint64_t target; /* of a taken branch or exception return */
	uint64_t data_va;
	uint64_t data_pa;
	uint64_t timestamp; /* CNTVCT/CNTPCT as PMSCR selects: see spe_timestamp_kind() */
	uint64_t events;    /* bits 0 to 63 of the Events packet but bits 6 (from flags) */
	uint32_t contextidr_el1;
	uint32_t contextidr_el2;
	uint32_t flags;		/* SPE_OP_* */
	uint16_t total_latency; /* cycles, unsaturated to 16 bits */
	uint16_t issue_latency;
	uint16_t translation_latency;
	uint16_t data_source; /* only with SPE_OP_LOAD and VA_VALID; ignored if Events[0] is set */
	uint8_t type_header;  /* 0x48 other, 0x49 load/store/atomic, 0x4A branch */
	uint8_t type_payload;
	uint8_t el;	   /* EL it executed at */
	uint8_t target_el; /* EL after a branch or exception return */
	bool ns, nse;	   /* Security state it executed in */
	bool target_ns, target_nse;
};

/* Which counter spe_op.timestamp has to hold. */
enum spe_timestamp {
	SPE_TIMESTAMP_NONE,	/* none: records close with an End packet */
	SPE_TIMESTAMP_VIRTUAL,	/* CNTVCT_EL0: the count less CNTVOFF_EL2 */
	SPE_TIMESTAMP_PHYSICAL, /* CNTPCT_EL0 */
};

/*
 * State.
 */

/* What a unit has counted since spe_init(). Reset does not clear it. */
struct spe_stats {
	uint64_t population; /* members that passed while profiling was enabled */
	uint64_t feed;	     /* operations sampled */
	uint64_t filtrate;   /* ... that passed the filters */
	uint64_t collisions;
	uint64_t not_captured; /* sampled, but of a kind that is not captured */
	uint64_t records;      /* records written whole */
	uint64_t bytes;	    /* bytes written to the buffer, padding and partial records included */
	uint64_t discarded; /* not written: Discard mode */
	uint64_t lost; /* not written, or not wholly: buffer stopped, disabled, full or faulting */
	uint64_t full; /* buffer full events */
	uint64_t faults; /* MMU faults and reported external aborts */
};

/* What a record will hold, as decided when its operation was selected. Internal. */
struct spe_shape {
	bool context1, context2; /* CONTEXTIDR_EL1, CONTEXTIDR_EL2 */
	bool pa;
	uint8_t timestamp; /* enum spe_timestamp */
};

/* How records look, as the configuration says. Internal. */
struct spe_format {
	uint16_t align_mask; /* alignment of records in bytes, minus 1 */
	uint16_t count_max;  /* where counters saturate */
	uint8_t events_size; /* bytes of the Events payload */
	uint8_t source_size; /* bytes of the Data Source payload; 0: no such packet */
	bool unspecified;    /* v1p1: loads and stores of unspecified registers have a class */
};

/* A selected operation on its way. Internal. */
struct spe_flight {
	uint64_t done; /* the last member of the population during which it is in flight */
	struct spe_shape shape;
};

/*
 * A unit. Set up by spe_init(); stats is for reading, all else is the library's business and
 * defined here only so that a unit can be allocated.
 */
struct spe_unit {
	/* What spe_advance() touches, together. */
	uint64_t budget; /* members up to the next selection; UINT64_MAX: not enabled */
	struct spe_stats stats;
	uint64_t synced; /* stats.population when count, ecount and hold were brought up to date */
	bool enabled;	 /* profiling is enabled here */
	bool buffer_enabled; /* records may be written */

	/* The interval counters (interval.c). */
	bool hold;	     /* COUNT was loaded, and the next member will not decrement it */
	bool random_tail;    /* RND=1 with ERnd: the second counter is in use */
	bool random_count;   /* RND=1 without ERnd */
	uint8_t ecount;	     /* PMSICR_EL1.ECOUNT as of synced */
	uint8_t next_random; /* drawn already: what the next random byte will be */
	uint32_t count;	     /* PMSICR_EL1.COUNT as of synced */
	uint32_t load;	     /* what COUNT is loaded with, less any random part */
	uint64_t generator;

	/* What spe_sample() needs, worked out when a register was written (filter.c, enable.c). */
	uint64_t must_set, must_clear; /* event filters */
	uint64_t filter_events;	       /* events that can be filtered on */
	uint64_t all_events;	       /* events that are reported */
	uint64_t forced_events;	       /* events that are always set */
	uint32_t type_any; /* type filter: SPE_OP_* flags of which one must be set; 0: inactive */
	uint32_t not_captured; /* SPE_OP_* flags of operations of which no record is made */
	uint32_t not_member;   /* SPE_OP_* flags of operations that are not of the population */
	uint16_t min_latency;
	bool discard;
	uint8_t owning_el;
	bool programmable; /* PMBIDR_EL1.P reads 0 */
	struct spe_shape shape;
	struct spe_format format;

	/* Selected operations, oldest first, in a ring (sample.c). */
	uint8_t flight_first, flight_count, flight_sampled;
	struct spe_flight flight[SPE_IN_FLIGHT_MAX];

	/* Registers, as last written and masked. */
	uint64_t pmscr_el1, pmscr_el2, pmsirr, pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
	uint64_t pmblimitr, pmbptr, pmbsr;

	struct sysreg_controls controls; /* as of the last spe_update() */
	struct spe_host host;
	struct spe_config config;
};

/*
 * Set up a unit, as after a cold reset, with profiling disabled until spe_update(). Copies *config
 * and *host; what host.ctx points to must outlive the unit. Returns 0, or what spe_config_check()
 * says, or -SPE_EHOST; then the unit must not be used.
 */
int spe_init(struct spe_unit *unit, const struct spe_config *config, const struct spe_host *host);

/*
 * Warm reset. PMBLIMITR_EL1.E becomes 0 as the architecture says; every other register, UNKNOWN to
 * software, becomes 0 too. The generator starts again from its seed. spe_update() is owed.
 */
void spe_reset(struct spe_unit *unit);

/* ID_AA64DFR0_EL1.PMSVer of a unit: 1 to 6. */
unsigned int spe_pmsver(const struct spe_unit *unit);

/*
 * Value of a register that sysreg_route() said is accessed directly. RES0 bits read as zero. 0 for
 * a register the unit does not have.
 */
uint64_t spe_read(struct spe_unit *unit, enum sysreg_id reg);

/*
 * Write a register that sysreg_route() said is accessed directly. Takes effect at once, on
 * everything: spe_update() is not owed for it. Ignored for read-only registers and those the unit
 * does not have.
 */
void spe_write(struct spe_unit *unit, enum sysreg_id reg, uint64_t value);

/*
 * Recompute "profiling enabled here" (Arm ARM D17.4). Owed after a change of PSTATE.EL, the
 * execution or Security state, Debug state, MDCR_EL2, MDCR_EL3, HCR_EL2 and SCR_EL3, and before the
 * next operation. Copies *controls.
 */
void spe_update(struct spe_unit *unit, const struct sysreg_controls *controls);

/* Members of the population up to and including the next selection; UINT64_MAX while disabled. */
uint64_t spe_budget(const struct spe_unit *unit);

/*
 * The fewest members of the population between two selections, as PMSIRR_EL1 is now. An engine that
 * lets more operations execute than spe_budget() before it says so must not let this many pass.
 */
uint64_t spe_spacing_min(const struct spe_unit *unit);

/*
 * Members of the population from one selection to the next, if that is certain, for every selection
 * until PMSICR_EL1 or PMSIRR_EL1 is written: with RND=0, and no second counter running. Otherwise 0.
 */
uint64_t spe_spacing_fixed(const struct spe_unit *unit);

/*
 * Bytes that records can still take, the present record included, before one fills the buffer:
 * with at least 2^max_size of them, and a write that does not fail, spe_sample() changes nothing
 * but the buffer, PMBPTR_EL1 and counts. UINT64_MAX in Discard mode, 0 if there is no room.
 */
uint64_t spe_room(const struct spe_unit *unit);

/*
 * Is an operation with these SPE_OP_* flags a member of the population (D17.2.1)? Only members are
 * to be counted by spe_advance().
 */
bool spe_member(const struct spe_unit *unit, uint32_t flags);

/*
 * n members have passed, 1 <= n <= spe_budget(); a larger n is cut to the budget. With n == budget
 * the n-th is selected, or collides. The time taken does not depend on n. Does nothing while
 * profiling is disabled.
 */
enum spe_selection spe_advance(struct spe_unit *unit, uint64_t n);

/*
 * The oldest selected operation has finished: feed, filter, build the record, write the buffer.
 * op's fields describe it as it was before it executed (pc, el, contexts) and what came of it. Does
 * nothing if none was selected.
 */
void spe_sample(struct spe_unit *unit, const struct spe_op *op);

/* The oldest selected operation will not be sampled after all (it left without finishing). */
void spe_abandon(struct spe_unit *unit);

/*
 * The counter that spe_op.timestamp needs for an operation selected here and now (D17, J1.55). Ask
 * before the operation executes, or simply provide for both.
 */
enum spe_timestamp spe_timestamp_kind(const struct spe_unit *unit);

/* Is profiling enabled where the PE is now? */
bool spe_enabled(const struct spe_unit *unit);

/* Level of the buffer management interrupt, PMBIRQ. */
bool spe_irq_level(const struct spe_unit *unit);

/*
 * Freeze of PMU counters: PMBLIMITR_EL1.{E,PMFZ} are {1,1} and profiling is stopped. The PMU adds
 * its own conditions, PMCR_EL0.FZS and MDCR_EL2.HPMFZS (v1p2).
 */
bool spe_pmu_freeze(const struct spe_unit *unit);

/*
 * PSB CSYNC: all sampled operations' records are in the buffer when it returns. Every record is
 * written by spe_sample() itself, so that there is never any left.
 */
void spe_drain(struct spe_unit *unit);

#ifdef __cplusplus
}
#endif
#endif
