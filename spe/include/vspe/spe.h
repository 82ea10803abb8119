/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One Statistical Profiling Unit: its registers, interval counters, filters, records and buffer.
 *
 * Follows the Arm ARM (DDI 0487), chapters D17 (the extension) and D18 (the records). A unit
 * belongs to one PE. Its state is plain data that the caller allocates. The library has no state,
 * allocates nothing, and calls only memcpy and memset of libc. docs/embedding.md is the guide.
 *
 * An engine loops like this:
 *
 *	budget = spe_budget(unit);		operations until the next selection, counted
 *	run budget - 1 operations		so that the last of them is the selected one
 *	spe_advance(unit, budget - 1);
 *	if (spe_advance(unit, 1) == SPE_SELECTED)	before the selected operation executes
 *		execute it, then spe_sample(unit, &op);
 *
 * and asks for the budget again after spe_advance() reached a selection and after spe_write(),
 * spe_update(), spe_sample(), spe_sample_spaced(), spe_synchronize(), spe_reset() and
 * spe_restore(), all of which may change it. The same may change what the rest of the PE sees:
 * spe_irq_level(), spe_exception_level(), spe_pmu_frozen().
 *
 * Threads: a unit takes one call at a time, and has no lock. Units share nothing: each may have its
 * own thread. One struct spe_config or spe_host may set up any number of them, as spe_init() copies
 * both.
 *
 * Ownership: what a pointer argument points to is the caller's, and no longer needed when the call
 * returns. Strings that come out are in static storage. A unit may be moved by memcpy(), and ends
 * without a call.
 *
 * PSB CSYNC needs a call with spe_config.fault_lag only, spe_synchronize(): spe_sample() writes its
 * record before it returns, so that once what was selected has been sampled (or abandoned) there is
 * none left to wait for.
 */
#ifndef VSPE_SPE_H
#define VSPE_SPE_H

#include <vspe/spe_config.h>
#include <vspe/spe_core.h>
#include <vspe/sysreg.h>
#include <vspe/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/* A failed write to the profiling buffer, as spe_host.write reports it. */
enum spe_write_status {
	SPE_WRITE_OK,
	SPE_WRITE_FAULT,	  /* an MMU fault: fsc and stage2 say which */
	SPE_WRITE_EXTERNAL_ABORT, /* an external abort on the write itself */
};

struct spe_write_result {
	enum spe_write_status status;
	size_t written; /* bytes written before the fault, from the start; any with SPE_WRITE_OK */
	uint8_t fsc;	/* fault status code, as in ESR_ELx.DFSC */
	bool stage2;	/* a stage 2 abort: EC 0x25 instead of 0x24 */
	bool gpc;	/* a granule protection check fault other than GPF, or an external abort on
			   a GPT fetch: EC 0x1E, fsc unused */
	uint16_t mss2;	/* SPE_MSS2_* of a permission fault */
};

/* Bits of spe_write_result.mss2, as PMBSR_ELx.MSS2 has them. */
#define SPE_MSS2_DIRTY_BIT    0x20u
#define SPE_MSS2_OVERLAY      0x40u
#define SPE_MSS2_ASSURED_ONLY 0x80u  /* of stage 2 */
#define SPE_MSS2_TOP_LEVEL    0x100u /* of stage 2 */

/* What the addresses in PMBPTR_EL1 and PMBLIMITR_EL1 are (FEAT_SPE_nVM). */
enum spe_address_kind {
	SPE_ADDRESS_VIRTUAL,	  /* for spe_host.write, without nVM */
	SPE_ADDRESS_PHYSICAL,	  /* there is no stage 2 in the owning regime */
	SPE_ADDRESS_INTERMEDIATE, /* stage 2 is to translate it */
};

/* Where a record goes that stage 1 does not translate. */
struct spe_untranslated {
	uint64_t address;
	enum spe_address_kind kind; /* PHYSICAL or INTERMEDIATE */
	uint8_t owning_el;	    /* 1 or 2 */
	uint8_t attributes;	    /* PMBMAR_EL1.Attr, as a field of MAIR_ELx */
	uint8_t shareability;	    /* PMBMAR_EL1.SH */
	bool ns, nse;		    /* the owning Security state */
	bool high_ignored; /* bits above the largest output address are, and do not fault */
};

/*
 * What an embedder does wrong, as spe_config.check finds it. Nothing that is right is called wrong;
 * what a unit cannot know is not found.
 */
enum spe_misuse {
	/*
	 * spe_update() is owed: spe_access() was given controls that would change something, or
	 * spe_sample() an operation of another Exception level or Security state than the controls
	 * had when it was selected.
	 */
	SPE_MISUSE_UPDATE,
	/*
	 * A selected operation was neither sampled, nor abandoned, nor said to have collided: found
	 * when another one is selected that so many members of the population later has no place.
	 */
	SPE_MISUSE_UNSAMPLED,
	/* spe_advance() or spe_sample_spaced() passed more members than spe_budget(). */
	SPE_MISUSE_BUDGET,
	/* The members of a struct spe_op contradict each other, or the configuration. */
	SPE_MISUSE_OPERATION,
};

/* How many kinds of misuse there are. */
#define SPE_MISUSES 4

/* Members of the population after which a selected operation cannot be in flight any more. */
#define SPE_MISUSE_WINDOW 4096

/* The kind as a word: "update", "unsampled", "budget" or "operation"; static storage. */
const char *spe_misuse_name(enum spe_misuse what);

/*
 * What a unit asks of its embedder. Every callback gets ctx, in the thread that made the call into
 * the unit, and returns without having called into the same unit: other units and everything of
 * vspe/sysreg.h may be called. spe_save() and spe_restore() call none of them.
 */
struct spe_host {
	void *ctx;
	/*
	 * From spe_sample() and spe_sample_spaced(). Write size bytes at va in the owning
	 * translation regime, as owning_el (1 or 2) of the PE's current Security state, which is
	 * the owning one whenever a record is written. A record has at most 2^max_size bytes,
	 * padding included; spe_sample() writes one a call, spe_sample_spaced() several that follow
	 * each other, if it can. bytes is gone afterwards. The access counts as unaligned if va is
	 * no multiple of 2^align. All is written, or up to where the result says, so that the
	 * records before that are whole; a fault is not taken as an exception, as the unit reports
	 * it in PMBSR_ELx. Must be there.
	 */
	struct spe_write_result (*write)(void *ctx, uint8_t owning_el, uint64_t va,
					 const uint8_t *bytes, size_t size);
	/*
	 * The same where PMBLIMITR_EL1.nVM (FEAT_SPE_nVM) is in effect. An address that the PE has
	 * no bits for is an Address Size fault of stage 1, level 0, also where stage 2 is to
	 * translate it (D17.7.2). Must be there with nvm.
	 */
	struct spe_write_result (*write_untranslated)(void *ctx, const struct spe_untranslated *to,
						      const uint8_t *bytes, size_t size);
	/*
	 * From spe_advance(), spe_sample() and spe_sample_spaced(): a PMU event by its number (enum
	 * spe_pmu_event), count times. NULL: not wanted.
	 */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/*
	 * A random byte, uniform on 0x00 to 0xFF, asked for one in advance, the first by
	 * spe_init(); from any call that is not of a const unit. NULL: the unit's own seeded
	 * generator. An embedder that brings its own saves its own.
	 */
	uint8_t (*random)(void *ctx);
	/*
	 * From spe_sample(): an asynchronous SError for the PE. Needed with SPE_ABORT_SERROR only.
	 */
	void (*serror)(void *ctx);
	/*
	 * With spe_config.check, from the call that is a misuse, or that finds it; the call then
	 * goes on as without. why is a line of text, in static storage. NULL: counted alone.
	 */
	void (*misuse)(void *ctx, enum spe_misuse what, const char *why);
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
	SPE_PMU_SAMPLE_FEED_DS = 0x8122,     /* with FEAT_SPE_FDS */
	SPE_PMU_SAMPLE_BUFFER_FULL = 0x8123, /* from v1p4 on */
	SPE_PMU_SAMPLE_FEED_FP = 0x8348,     /* this and the following with FEAT_SPE_EFT */
	SPE_PMU_SAMPLE_FEED_SIMD = 0x8349,
};

/*
 * Operations.
 */

/* The kinds of outcome that spe_advance reports for the last member it passed. */
enum spe_selection {
	SPE_NOT_SELECTED,
	SPE_SELECTED, /* the caller owes spe_sample, spe_abandon or spe_collide for it */
	SPE_COLLIDED, /* a selection that collided: counted, not sampled */
};

/* Bits of spe_op.flags: what the operation turned out to be and do. */
#define SPE_OP_BRANCH		  0x1u /* branch or exception return */
#define SPE_OP_LOAD		  0x2u /* a load, or an atomic that returns a value */
#define SPE_OP_STORE		  0x4u /* a store, or any atomic */
#define SPE_OP_FP		  0x8u
#define SPE_OP_SIMD		  0x10u
#define SPE_OP_TAKEN		  0x20u	  /* the branch was taken: target is valid */
#define SPE_OP_NOT_TAKEN	  0x40u	  /* conditional, and its condition failed: Events[6] */
#define SPE_OP_VA_VALID		  0x80u	  /* data_va is valid: it made an eligible data access */
#define SPE_OP_PA_VALID		  0x100u  /* data_pa is valid */
#define SPE_OP_MISSPECULATED	  0x200u  /* on a path that is not architecturally executed */
#define SPE_OP_NO_INSTRUCTION	  0x400u  /* relates to no architecture instruction */
#define SPE_OP_NON_ARCH_EXCEPTION 0x800u  /* generated a non-architectural exception */
#define SPE_OP_TAG_CHECKED	  0x1000u /* with mte: its data access was, against tag */
#define SPE_OP_PA_NON_SECURE	  0x2000u /* data_pa is Non-secure, whatever ns and nse say */

/* spe_op.type_header: headers of Operation Type packets (D18.2.7). */
#define SPE_TYPE_OTHER	0x48
#define SPE_TYPE_MEMORY 0x49 /* load, store or atomic */
#define SPE_TYPE_BRANCH 0x4a /* branch or exception return */

/* Bits of spe_op.type_payload; D18.2.7 has the others. */
#define SPE_TYPE_CONDITIONAL 0x01 /* of OTHER (select or compare) and BRANCH */
#define SPE_TYPE_INDIRECT    0x02 /* of BRANCH */
#define SPE_TYPE_STORE	     0x01 /* of MEMORY; else a load */

/* Bits of spe_op.events that have one meaning in every version (D18.2). */
enum spe_event {
	SPE_EVENT_EXCEPTION = 1 << 0, /* it generated an exception */
	SPE_EVENT_RETIRED = 1 << 1,   /* it was architecturally executed */
	SPE_EVENT_L1D_ACCESS = 1 << 2,
	SPE_EVENT_L1D_REFILL = 1 << 3,
	SPE_EVENT_TLB_ACCESS = 1 << 4,
	SPE_EVENT_TLB_REFILL = 1 << 5,
	SPE_EVENT_MISPREDICTED = 1 << 7,
	SPE_EVENT_PARTIAL_PREDICATE = 1 << 17, /* SVE, SME: an element of the predicate is false */
	SPE_EVENT_EMPTY_PREDICATE = 1 << 18,   /* ... and all are; with PARTIAL_PREDICATE */
};

/*
 * A counter or address packet that the architecture leaves to the implementation: indexes 6, 7 and
 * 16 to 31. Packets of other indexes are not put into a record.
 */
struct spe_extra {
	bool address; /* else a counter, which saturates */
	uint8_t index;
	uint64_t value;
};

/*
 * An operation that has finished, as the engine saw it. The library does not decode instructions:
 * filters, PMU events and the packets of a record go by flags, the Operation Type packet by
 * type_header and type_payload, and that they agree is the engine's business. A class that the
 * configuration does not have is reported as one that it has (D18.2.7). An operation of zeros was
 * executed in Secure state: ns and target_ns are true for nearly everybody.
 *
 * With spe_config.check these are SPE_MISUSE_OPERATION, and a record has what was given:
 *
 *	issue_latency above total_latency
 *	an EL above 3
 *	flags and type_header, or type_payload, that differ about branch, load and store
 *	TAKEN or MISPREDICTED of no branch; TAKEN with NOT_TAKEN; NOT_TAKEN where type_payload lacks
 *	SPE_TYPE_CONDITIONAL, or of a memory access
 *	VA_VALID of no load or store; PA_VALID or TAG_CHECKED without VA_VALID
 *	MISSPECULATED with SPE_EVENT_RETIRED
 *	a flag of a population that the configuration leaves out
 *	extra_count above spe_config.extra_packets, and extra packets out of order
 */
struct spe_op {
	uint64_t pc;
	uint64_t target; /* of a taken branch or exception return */
	uint64_t data_va;
	uint64_t data_pa;
	uint64_t timestamp; /* CNTVCT/CNTPCT as PMSCR selects: see spe_timestamp_kind() */
	uint64_t events;    /* SPE_EVENT_*: bits 0 to 63 of the Events packet, 6 from flags */
	uint32_t contextidr_el1;
	uint32_t contextidr_el2;
	uint32_t flags;		/* SPE_OP_* */
	uint16_t total_latency; /* cycles, unsaturated to 16 bits */
	uint16_t issue_latency; /* cycles, at most total_latency */
	uint16_t translation_latency;
	uint16_t alternate_latency; /* to issue, in cycles of the alternate clock (altclk) */
	uint16_t data_source; /* only with SPE_OP_LOAD and VA_VALID; ignored if Events[0] is set */
	uint8_t type_header;  /* SPE_TYPE_OTHER, SPE_TYPE_MEMORY or SPE_TYPE_BRANCH */
	uint8_t type_payload;
	uint8_t el;	   /* EL it executed at */
	uint8_t target_el; /* EL after a branch or exception return */
	bool ns, nse;	   /* Security state it executed in */
	bool target_ns, target_nse;
	uint8_t tag;		       /* with mte: physical address tag, 4 bits */
	uint8_t extra_count;	       /* at most spe_config.extra_packets */
	const struct spe_extra *extra; /* counters first, each kind by rising index; may be NULL */
};

/* What changes the program flow in the sense of FEAT_SPE_PBT. */
enum spe_branch_kind {
	SPE_BRANCH_TAKEN,     /* a taken branch */
	SPE_BRANCH_EXCEPTION, /* exception entry: counts with pbt_exception */
	SPE_BRANCH_RETURN,    /* exception return: counts with pbt_return */
	SPE_BRANCH_ISB,	      /* ISB: counts with pbt_isb */
};

/* An address that was branched to, and the state there. */
struct spe_target {
	uint64_t va;
	uint8_t el;
	bool ns, nse;
};

/* Which counter spe_op.timestamp has to hold. */
enum spe_timestamp {
	SPE_TIMESTAMP_NONE,	/* none: records close with an End packet */
	SPE_TIMESTAMP_VIRTUAL,	/* CNTVCT_EL0: the count less CNTVOFF_EL2 */
	SPE_TIMESTAMP_PHYSICAL, /* CNTPCT_EL0 */
	SPE_TIMESTAMP_OFFSET,	/* the count less CNTPOFF_EL2, which counts as 0 where SCR_EL3.ECVEn
				   or CNTHCTL_EL2.ECV is 0 or there is none */
};

/*
 * State.
 */

/*
 * What a unit has counted since spe_init(). Reset does not clear it. In C++, too, the type is
 * struct spe_stats: the name alone is the function's.
 */
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
	uint64_t faults;	      /* MMU faults and reported external aborts */
	uint64_t refused;	      /* events of BSC 0 and 4: not allowed, or too large */
	uint64_t misuse[SPE_MISUSES]; /* with spe_config.check, by enum spe_misuse; not in images */
};

/*
 * A unit. What is in it is the library's business; it is here with its size so that it can be
 * allocated anywhere, as a variable, in a struct, or as spe_unit_size() bytes that are aligned as a
 * uint64_t is. The size is part of the binary interface.
 */
#define SPE_UNIT_SIZE 1216 /* bytes */
struct spe_unit {
	uint64_t opaque[SPE_UNIT_SIZE / 8];
} __attribute__((may_alias));

/* SPE_UNIT_SIZE of the library, which a caller compiled with other headers cannot know. */
size_t spe_unit_size(void);

/*
 * Set up a unit, as after a cold reset, with profiling disabled until spe_update(). size is that of
 * *unit, sizeof(struct spe_unit) or more. Copies *config and *host; what host.ctx points to must
 * outlive the unit. Returns 0, or -SPE_ESIZE, what spe_config_check() says, or -SPE_EHOST; then the
 * unit must not be used.
 */
int spe_init(struct spe_unit *unit, size_t size, const struct spe_config *config,
	     const struct spe_host *host);

/* The configuration that spe_init() was given: the unit's copy, there as long as the unit is. */
const struct spe_config *spe_unit_config(const struct spe_unit *unit);

/* The controls that spe_update() was given last, or that came with an image. */
const struct sysreg_controls *spe_unit_controls(const struct spe_unit *unit);

/* What the unit has counted, into *stats. */
void spe_stats(const struct spe_unit *unit, struct spe_stats *stats);

/*
 * Warm reset. PMBLIMITR_EL1.E becomes 0 as the architecture says; every other register, UNKNOWN to
 * software, becomes 0 too. The generator starts again from its seed. spe_update() is owed.
 */
void spe_reset(struct spe_unit *unit);

/*
 * The bits of a register that a reset leaves architecturally UNKNOWN (the register pages, "On a
 * Warm reset"), of those that the configuration has; 0 for a register that is read-only, does not
 * exist, or whose name reaches another. For a hostile reset an embedder calls spe_reset()
 * and spe_update(), then sets these bits to any values with spe_write().
 */
uint64_t spe_unknown_bits(const struct spe_unit *unit, enum sysreg_id reg);

/*
 * One access of a guest. sysreg_route() decides it. If it reaches a register of this unit
 * (SYSREG_DIRECT), spe_read() puts its value into *value, or spe_write() takes it from there.
 * *controls are the PE's now; a write to PMSCR_EL1 or PMSCR_EL2 also changes their copies in them.
 * The caller carries out any other route, with *value unchanged: an exception (SYSREG_UNDEFINED,
 * SYSREG_TRAP), or an access to memory (SYSREG_NVMEM). After a write, ask for the budget,
 * spe_irq_level() and spe_exception_level() again.
 */
struct sysreg_route spe_access(struct spe_unit *unit, struct sysreg_controls *controls,
			       struct sysreg_access access, uint64_t *value);

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
 * Recompute "profiling enabled here" (Arm ARM D17.4). Owed after spe_init() and spe_reset(), and
 * after a change of PSTATE.EL, the execution or Security state, Debug state, MDCR_EL2, MDCR_EL3,
 * HCR_EL2 and SCR_EL3: before the next operation, and before the next access to a register of the
 * unit, as PMBIDR_EL1 tells of them too. HDFG*TR_EL2 and the copies of PMSCR_ELx in *controls are
 * for sysreg_route() alone. To call it without need costs time only. Copies *controls.
 */
void spe_update(struct spe_unit *unit, const struct sysreg_controls *controls);

/* Members of the population up to and including the next selection; UINT64_MAX while disabled. */
uint64_t spe_budget(const struct spe_unit *unit);

/*
 * The fewest members of the population between two selections, as PMSIRR_EL1 and PMSICR_EL1 are
 * now. An engine that lets more operations execute than spe_budget() before it says so must not let
 * this many pass.
 */
uint64_t spe_spacing_min(const struct spe_unit *unit);

/*
 * Members of the population from one selection to the next, if that is certain, for every selection
 * until PMSICR_EL1 or PMSIRR_EL1 is written: with RND=0, and no second counter running. Otherwise
 * 0.
 */
uint64_t spe_spacing_fixed(const struct spe_unit *unit);

/*
 * Bytes that records can still take, the present record included, before one fills the buffer:
 * with at least 2^max_size of them, and a write that does not fail, spe_sample() changes nothing
 * but the buffer, PMBPTR_EL1 and counts. UINT64_MAX in Discard mode. 0 if there is no room, if the
 * addresses are not virtual, and if a record can be larger than 2^max_size.
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
 * op's fields describe it as it was before it executed (pc, el, contexts), and its results. Does
 * nothing if none was selected.
 */
void spe_sample(struct spe_unit *unit, const struct spe_op *op);

/*
 * n operations were selected one after the other, and have finished. The first is that many members
 * after the last one reported, as in spe_advance(); each other one follows the one before by
 * spe_spacing_fixed() members, as it was before the call. The same as spe_advance() for each, and
 * spe_sample() if it is selected, but faster. With n > 1 that spacing must not be 0.
 */
void spe_sample_spaced(struct spe_unit *unit, uint64_t members, const struct spe_op *const ops[],
		       size_t n);

/*
 * The program flow went to *target. Only spe_config.pbt needs this call, and only the last one
 * before a selection matters. Also call it for a taken branch where profiling is disabled, which
 * makes the previous target invalid. Call it after the branch, and before spe_update() for its
 * target.
 */
void spe_branch(struct spe_unit *unit, enum spe_branch_kind kind, const struct spe_target *target);

/*
 * Could a call of spe_branch() make a difference now? Only with spe_config.pbt, and not where
 * profiling is disabled and there is no previous target (any more).
 */
bool spe_follows_branches(const struct spe_unit *unit);

/*
 * PSB CSYNC, after which all that sampled operations set off has happened (D17.9). Only with
 * spe_config.fault_lag is there anything left to do: an MMU fault that has not been reported is
 * reported now.
 */
void spe_synchronize(struct spe_unit *unit);

/* The oldest selected operation will not be sampled after all (it left without finishing). */
void spe_abandon(struct spe_unit *unit);

/*
 * The newest selected operation has collided with others that were sampled (D17.3.7), and will not
 * be sampled: counted and shown in PMBSR_ELx as when spe_advance() finds that. For an engine that
 * knows better than the unit for how long an operation is in flight, as one does that samples each
 * before the next begins, and counts cycles: instead of spe_sample(), before the next call of
 * spe_advance(). Does nothing if no selected operation is yet to be sampled.
 */
void spe_collide(struct spe_unit *unit);

/*
 * The counter that spe_op.timestamp needs for an operation selected here and now (D17, J1.55). Ask
 * before the operation executes, or simply provide for both.
 */
enum spe_timestamp spe_timestamp_kind(const struct spe_unit *unit);

/* Is profiling enabled where the PE is now? */
bool spe_enabled(const struct spe_unit *unit);

/*
 * The Exception level that owns the buffer, 1 or 2: whose translation regime spe_host.write is to
 * use. For an embedder that keeps a translation of the buffer at hand; changed by spe_update()
 * only.
 */
unsigned int spe_owning_el(const struct spe_unit *unit);

/*
 * Level of the buffer management interrupt, PMBIRQ, which is a PPI. Low while EL1's events
 * are exceptions (PMSCR_ELx.EE).
 */
bool spe_irq_level(const struct spe_unit *unit);

/* ESR_ELx of an exception, but IL. */
struct spe_syndrome {
	uint8_t ec;
	uint32_t iss;
};

/*
 * The Profiling exception that is pending and not masked (FEAT_SPE_EXC; J1.49, J1.50, J1.56): the
 * Exception level that it is taken to, with its syndrome in *syndrome; 0 if there is none. pm is
 * PSTATE.PM. It is asynchronous, and level sensitive: it stays until PMBSR_ELx.S is cleared. May
 * change whenever spe_irq_level() may.
 */
unsigned int spe_exception_level(const struct spe_unit *unit, bool pm,
				 struct spe_syndrome *syndrome);

/*
 * Is PSB CSYNC trapped to EL2 here (FEAT_SPEv1p5, HFGITR_EL2.PSBCSYNC)? Then the exception has
 * *syndrome.
 */
bool spe_psb_csync_trapped(const struct spe_unit *unit, uint64_t hfgitr_el2,
			   struct spe_syndrome *syndrome);

/* Bits of spe_pmu_frozen(). */
#define SPE_FROZEN_FIRST  0x1u /* event counters below MDCR_EL2.HPMN, and PMICNTR_EL0 */
#define SPE_FROZEN_SECOND 0x2u /* the others */
#define SPE_FROZEN_CYCLES 0x4u /* PMCCNTR_EL0: FEAT_SPE_DPFZS and PMCR_EL0.DP only */

/*
 * Which counters of a PMU with FEAT_PMUv3p7 and this PMCR_EL0 are frozen now (v1p2; J1.88): those
 * that PMCR_EL0.FZS and MDCR_EL2.HPMFZS say, while PMBLIMITR_EL1.{E,PMFZ} are {1,1} and profiling
 * is stopped. Bits SPE_FROZEN_*; 0: none.
 */
uint32_t spe_pmu_frozen(const struct spe_unit *unit, uint64_t pmcr_el0);

/* No image of this version of the library is larger, in bytes. */
#define SPE_IMAGE_MAX 2048

/*
 * Save a unit: everything that makes what follows the same as if it had not been interrupted, in
 * bytes that are the same on every host (docs/state.md). Between any two calls, also while a
 * selected operation is still to be sampled. Returns how many bytes the image has. Writes them to
 * image, which may be NULL if size is 0, if size is enough for them, and nothing otherwise.
 */
size_t spe_save(const struct spe_unit *unit, void *image, size_t size);

/*
 * Bring back what spe_save() saved, into a unit set up by spe_init() with the same configuration
 * (but seed, which is part of what was saved); it may be in any state, and keeps its host. size is
 * what spe_save() returned. The image need not be aligned, nor trusted. Returns 0 or, with nothing
 * changed, a negative error: -SPE_EIMAGE, -SPE_EIMAGEVERSION, -SPE_EIMAGESUM; -SPE_EIMAGEVALUE,
 * with the value's name as in docs/state.md in *field; -SPE_EIMAGECONFIG, with the name of the
 * first field of struct spe_config that differs in *field. In the other cases *field is NULL; it is
 * static storage, and field may be NULL.
 *
 * spe_update() is not owed while the PE's controls are those of the saved PE. Ask again for the
 * budget, the level of the interrupt, a pending exception and the freeze of the PMU.
 */
int spe_restore(struct spe_unit *unit, const void *image, size_t size, const char **field);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
