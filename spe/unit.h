/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of a unit. Callers see it as the bytes of struct spe_unit. */
#ifndef VSPE_SPE_UNIT_H
#define VSPE_SPE_UNIT_H

#include <vspe/spe.h>

/* What a record will hold, as decided when its operation was selected. */
struct spe_shape {
	bool context1, context2; /* CONTEXTIDR_EL1, CONTEXTIDR_EL2 */
	bool pa;
	uint8_t timestamp; /* enum spe_timestamp */
};

/* How records look, as the configuration says. */
struct spe_format {
	uint16_t align_mask;		 /* alignment of records in bytes, minus 1 */
	uint16_t count_max;		 /* where counters saturate */
	uint8_t events_size;		 /* bytes of the Events payload */
	uint8_t source_size;		 /* bytes of the Data Source payload; 0: no such packet */
	uint8_t other_mask, branch_mask; /* bits of operation types that there are */
	bool unspecified; /* v1p1: loads and stores of unspecified registers have a class */
	bool sve, sme, tags, moved, gcs; /* classes of operation types that there are */
	bool sve_data;			 /* ... and of data processing */
	bool predicated_loads;		 /* v1p2: PRED is of loads too */
	bool mte, alternate, previous, previous_all, previous_taken, extended;
	bool unusual;	/* there is one of the packets of the last line, or of gcs, or an extra one,
			   or   another layout */
	uint8_t layout; /* enum spe_layout */
	uint8_t extra_packets;
};

/* A selected operation on its way. */
struct spe_flight {
	uint64_t done; /* the last member of the population during which it is in flight */
	struct spe_shape shape;
	bool previous_valid; /* with pbt: there is a previous branch target */
	uint8_t place;	     /* with check: where it executes, as of place_of() of check.c */
	struct spe_target previous;
};

/* With fault_lag: an MMU fault whose event is yet to come. */
struct spe_late {
	uint64_t syndrome; /* what PMBSR_ELx will get; 0: there is none */
	uint8_t el;	   /* ... of which level */
	uint8_t samples;   /* how many are still lost before */
};

/* Who looks at each sampled operation. */
#define WATCHED_PMU   0x1u /* spe_host.pmu_event, or the PMU that is connected */
#define WATCHED_CHECK 0x2u /* spe_config.check */

/* A unit, set up by spe_init(): the contents of struct spe_unit. */
struct unit {
	/* What spe_advance() touches, together. */
	uint64_t budget;     /* members up to the next selection; UINT64_MAX: not enabled */
	bool enabled;	     /* profiling is enabled here */
	bool buffer_enabled; /* records may be written */
	uint8_t watched;     /* WATCHED_* */
	uint8_t flight_room; /* config.in_flight; with check 0, and then the slow way is taken */
	/* SYSREG_DIRECT; with check no kind of route at all, and then the slow way is taken. */
	uint32_t direct;
	struct spe_stats stats;
	uint64_t synced; /* stats.population when count, ecount and hold were brought up to date */

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
	uint32_t type_mask, type_match; /* ... flags that must be as in type_match */
	uint32_t not_captured; /* SPE_OP_* flags of operations of which no record is made */
	uint32_t not_member;   /* SPE_OP_* flags of operations that are not of the population */
	uint16_t min_latency;
	bool discard;
	uint8_t owning_el;
	bool filtered;				 /* one of the filters may reject an operation */
	bool filter_sources;			 /* the data source filter is on */
	bool programmable;			 /* PMBIDR_EL1.P reads 0 */
	bool untranslated_allowed;		 /* PMBLIMITR_EL1.nVM has an effect */
	bool denied;				 /* SPE_RESERVED_NSPB_EVENT */
	bool owner_ns, owner_nse, owner_current; /* the owning Security state; is the PE in it? */
	bool el2_enabled, tge;			 /* of the current Security state */
	bool stopped;				 /* by a management event */
	uint8_t address_kind;			 /* enum spe_address_kind */
	uint8_t pmsee, ee2, ee1;       /* effective MDCR_EL3.PMSEE, PMSCR_EL2.EE, PMSCR_EL1.EE */
	uint8_t event_el;	       /* PMBSR_ELx of events that are no faults */
	uint64_t room_from, room_size; /* the range of PMBPTR_EL1 where a record may begin */
	struct spe_shape shape;
	struct spe_format format;

	/* Selected operations, oldest first, in a ring (sample.c). */
	uint8_t flight_first, flight_count, flight_sampled;
	bool previous_valid;
	struct spe_target previous; /* the last branch target, for spe_config.pbt */
	struct spe_flight flight[SPE_IN_FLIGHT_MAX];

	/* Registers, as last written and masked. */
	uint64_t pmscr_el1, pmscr_el2, pmsirr, pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
	uint64_t pmblimitr, pmbptr, pmbmar, pmsdsfr;
	uint64_t pmbsr, pmbsr_el2, pmbsr_el3;
	struct spe_late late;
	uint64_t bits[SYSREG_COUNT]; /* that each can have, with any features; 0: not kept */

	struct sysreg_controls controls; /* as of the last spe_update() */
	struct spe_host host;
	void (*tell)(void *pmu, uint16_t event, uint64_t count); /* spe_connect() */
	void *pmu;
	struct spe_config config;
};

_Static_assert(sizeof(struct unit) <= sizeof(struct spe_unit), "SPE_UNIT_SIZE");
_Static_assert(_Alignof(struct unit) <= _Alignof(struct spe_unit), "struct spe_unit");

static inline struct unit *unit_of(struct spe_unit *opaque)
{
	return (struct unit *)(void *)opaque;
}

static inline const struct unit *unit_in(const struct spe_unit *opaque)
{
	return (const struct unit *)(const void *)opaque;
}

/* PMBSR_ELx. */
static inline uint64_t *spe_status(struct unit *unit, unsigned int el)
{
	return el == 3 ? &unit->pmbsr_el3 : el == 2 ? &unit->pmbsr_el2 : &unit->pmbsr;
}

#endif
