/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface by which `vspe conform --subject LIB.so` tests an implementation of SPE, of the
 * counters of a PMU, or of the access rules for the registers of both. LIB.so defines one object:
 *
 *	const struct vspe_subject vspe_subject = {
 *		.version = VSPE_SUBJECT_VERSION,
 *		.size = sizeof(struct vspe_subject),
 *		.spe_access = my_access,
 *	};
 *
 * and is linked with nothing of vspe. A function that is NULL is not called; points that need it
 * are skipped, with the reason. examples/subject has a router of 100 lines.
 *
 * Registers are known by their encodings, values are those that MRS and MSR see, and terms are
 * those of the Arm ARM (DDI 0487): the "Accessing" sections of the register pages for accesses,
 * D17 for the unit, D18 for records.
 *
 * Threads: each point of the suite runs in its own process, forked from one that has loaded LIB.so,
 * and calls from one thread. No other point sees what one does to the memory of LIB.so. A point in
 * which LIB.so crashes or exits fails, and the others go on. Standard output is standard error
 * there.
 *
 * Ownership: what a pointer argument points to is the caller's, and gone after the call, except
 * struct vspe_subject_host, which exists as long as the unit. Do not throw across these functions.
 *
 * Errors: there are none to return. An answer out of range is a difference, and is reported with
 * its value.
 */
#ifndef VSPE_SUBJECT_H
#define VSPE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this file. A later file with the same number has more members at the end of the structs that
 * LIB.so gets, and of struct vspe_subject; members that LIB.so does not know change nothing. */
#define VSPE_SUBJECT_VERSION 1u

/*
 * Accesses.
 */

/* The encoding of MRS and MSR (register): op0 is 2 or 3. S3_0_C9_C9_0 is 0xc4c8. */
#define VSPE_SUBJECT_ENCODING(op0, op1, crn, crm, op2)                          \
	((uint32_t)(op0) << 14 | (uint32_t)(op1) << 11 | (uint32_t)(crn) << 7 | \
	 (uint32_t)(crm) << 3 | (uint32_t)(op2))

/* Bits of vspe_subject_pe.features. FEAT_SPE and what is in it, ... */
#define VSPE_SUBJECT_FEAT_SPE	  0x1u
#define VSPE_SUBJECT_FEAT_SPE_FnE 0x2u
#define VSPE_SUBJECT_FEAT_SPE_FDS 0x4u
#define VSPE_SUBJECT_FEAT_SPE_nVM 0x8u
#define VSPE_SUBJECT_FEAT_SPE_EXC 0x10u
/* ... of the PE, ... */
#define VSPE_SUBJECT_FEAT_FGT  0x20u
#define VSPE_SUBJECT_FEAT_FGT2 0x40u
#define VSPE_SUBJECT_FEAT_VHE  0x80u
#define VSPE_SUBJECT_FEAT_NV   0x100u
#define VSPE_SUBJECT_FEAT_NV2  0x200u
#define VSPE_SUBJECT_FEAT_RME  0x400u
#define VSPE_SUBJECT_FEAT_SEL2 0x800u
#define VSPE_SUBJECT_EL2       0x1000u /* EL2 is implemented */
#define VSPE_SUBJECT_EL3       0x2000u /* EL3 is implemented */
#define VSPE_SUBJECT_SECURE    0x4000u /* without EL3: the PE is in Secure state */
/* ... and of vspe_subject_pe.pmu_features: each is there with those before it only. */
#define VSPE_SUBJECT_FEAT_PMUv3	      0x1u
#define VSPE_SUBJECT_FEAT_PMUv3p4     0x2u
#define VSPE_SUBJECT_FEAT_PMUv3p9     0x4u
#define VSPE_SUBJECT_FEAT_PMUv3_ICNTR 0x8u

/*
 * The state of a PE that an access or a unit can depend on. Bits of features without a name here,
 * fields that do not matter to the access, and registers of an EL that is not implemented have
 * arbitrary values.
 */
struct vspe_subject_pe {
	uint32_t features;		/* VSPE_SUBJECT_FEAT_* of the first two kinds */
	uint8_t el;			/* PSTATE.EL, 0 to 3 */
	bool aarch32;			/* in AArch32 state */
	bool halted;			/* in Debug state */
	bool edscr_sdd;			/* EDSCR.SDD */
	bool el3_trap_has_priority_sdd; /* IMPLEMENTATION DEFINED: EL3SDDUndefPriority() */
	uint64_t hcr_el2;
	uint64_t mdcr_el2;
	uint64_t mdcr_el3;
	uint64_t scr_el3;
	uint64_t hdfgrtr_el2;
	uint64_t hdfgwtr_el2;
	uint64_t hdfgrtr2_el2;
	uint64_t hdfgwtr2_el2;
	uint64_t pmscr_el1;    /* EE alone is looked at */
	uint64_t pmscr_el2;    /* the same */
	uint32_t pmu_features; /* VSPE_SUBJECT_FEAT_PMU* */
	uint32_t pmu_counters; /* event counters that there are, 1 to 31: PMCR_EL0.N */
	uint64_t pmuserenr_el0;
	uint64_t pmuacr_el1;
	uint64_t pmselr_el0;
};

struct vspe_subject_access {
	uint32_t encoding; /* VSPE_SUBJECT_ENCODING(), of the name that the instruction has */
	bool write;	   /* MSR, else MRS */
	uint8_t rt;	   /* the number of Xt, 0 to 31 */
};

enum vspe_subject_kind {
	VSPE_SUBJECT_NO_ANSWER, /* never right: an outcome of zeros */
	VSPE_SUBJECT_DIRECT,	/* the register outcome.encoding is read or written */
	VSPE_SUBJECT_UNDEFINED, /* the instruction is UNDEFINED */
	VSPE_SUBJECT_TRAP,	/* an exception to EL outcome.target_el, with outcome.ec and .iss */
	VSPE_SUBJECT_MEMORY,	/* 64 bits of memory at VNCR_EL2.BADDR + outcome.offset */
	VSPE_SUBJECT_RAZ_WI,	/* it reads as zero, and ignores what is written */
	/*
	 * There is no rule for this register in LIB.so: its points are skipped. The answer for one
	 * state is that for all.
	 */
	VSPE_SUBJECT_NOT_ROUTED,
};

/* Members that do not belong to the kind are not looked at. */
struct vspe_subject_outcome {
	uint32_t kind;	    /* enum vspe_subject_kind */
	uint32_t encoding;  /* of the register: PMSCR_EL2's for PMSCR_EL1 at EL2 with E2H */
	uint32_t target_el; /* 1 to 3 */
	uint32_t ec;	    /* ESR_ELx.EC: 0x18 */
	uint32_t iss;	    /* ESR_ELx.ISS */
	uint32_t offset;    /* bytes */
};

/*
 * The unit.
 */

/* vspe_subject_config.layout: the order of packets, which D18.1.2 leaves open. */
enum vspe_subject_layout {
	VSPE_SUBJECT_LAYOUT_GENERIC,  /* the order of J1.78, padding after the last packet */
	VSPE_SUBJECT_LAYOUT_NEOVERSE, /* of these cores: docs/cores.md */
	VSPE_SUBJECT_LAYOUT_KUNPENG920,
	VSPE_SUBJECT_LAYOUT_FVP,
	VSPE_SUBJECT_LAYOUT_ANY, /* any order and padding, but End or Timestamp is the last */
};

/* vspe_subject_config.external_abort: on a write to the buffer (D17.8.4; PMBIDR_EL1.EA). */
enum vspe_subject_abort {
	VSPE_SUBJECT_ABORT_SYNC,   /* before v1p3: PMBSR_EL1.EA, with FSC 0x10 */
	VSPE_SUBJECT_ABORT_ASYNC,  /* before v1p3: the same with DL, and FSC 0x11 */
	VSPE_SUBJECT_ABORT_IGNORE, /* nothing */
	VSPE_SUBJECT_ABORT_SERROR, /* vspe_subject_host.serror */
};

/*
 * What a unit is: version, features, and what the architecture leaves to the implementation. The
 * suite asks for one such unit after the other; unit_create() overwrites each member that its unit
 * has otherwise, and the suite then expects what it says. A LIB.so of one core writes all of them.
 */
struct vspe_subject_config {
	uint8_t version;	   /* ID_AA64DFR0_EL1.PMSVer: 1 is v1p0, 6 is v1p5 */
	bool ernd;		   /* FEAT_SPE_ERnd */
	bool reload_after_tail;	   /* with ernd and RND=1, COUNT waits at zero for the tail's end */
	bool lds, fds, crr, pbt;   /* FEAT_SPE_LDS and so on */
	bool eft;		   /* FEAT_SPE_EFT, with FEAT_SPE_FPF */
	bool pbt_all;		   /* previous branch targets in records of all operations */
	bool sve, mte;		   /* FEAT_SVE and FEAT_MTE2, of the PE */
	bool extended_headers;	   /* counter and address packets have two bytes of header always */
	bool empty_filter_rejects; /* a filter that is on and asks for nothing passes nothing */
	bool walk_ea;		   /* an external abort on a walk sets PMBSR_EL1.EA */
	bool partial_rewound; /* a fault within a record: PMBPTR_EL1 is where it began, DL is not
				 set */
	bool late_event; /* a record that is due with the buffer disabled: an event, BSC 0, DL */
	bool random_own; /* LIB.so has its own randomness, not that of vspe_subject_host.random */
	bool pmu_events; /* PMU events are reported to vspe_subject_host.pmu_event */
	uint8_t count_size;	/* bits of a counter packet: 12 or 16 */
	uint8_t events_size;	/* bytes of an Events packet: 1, 2, 4 or 8 */
	uint8_t source_size;	/* bytes of a Data Source packet: 1 or 2 */
	uint8_t max_size;	/* log2 of the largest record in bytes: 6 to 11 */
	uint8_t align;		/* log2 of the alignment of records in bytes: 0 to max_size */
	uint8_t altclk;		/* PMSIDR_EL1.ALTCLK: 0, 1 or 15 */
	uint8_t extra_packets;	/* IMPLEMENTATION DEFINED packets a record can have, at most 8 */
	uint8_t layout;		/* enum vspe_subject_layout */
	uint8_t external_abort; /* enum vspe_subject_abort */
	uint8_t fault_lag;	/* v1p5: samples until a fault is reported */
	uint64_t events; /* that are reported, of those that the version leaves open (D18.2) */
	uint64_t seed;	 /* of random_own: other ones give other numbers */
};

/* What came of a write to the buffer. */
enum vspe_subject_write_status {
	VSPE_SUBJECT_WRITE_OK,
	VSPE_SUBJECT_WRITE_FAULT,	   /* an MMU fault */
	VSPE_SUBJECT_WRITE_EXTERNAL_ABORT, /* on the write itself */
};

struct vspe_subject_write {
	uint8_t status; /* enum vspe_subject_write_status */
	uint8_t fsc;	/* of a fault: the code, as in ESR_ELx.DFSC */
	bool stage2;	/* a fault of stage 2 */
	bool gpc;	/* a granule protection check fault that is EC 0x1E; fsc is nothing then */
	uint16_t mss2;	/* of a permission fault: bits for PMBSR_EL1.MSS2 */
	uint32_t written; /* bytes that were written before that, from the first on */
};

/* What a unit asks for. To be called from the functions of its unit only, each with ctx. */
struct vspe_subject_host {
	void *ctx;
	/*
	 * A whole record of size bytes, padding included, goes to the virtual address va. At most
	 * 2^max_size bytes.
	 */
	struct vspe_subject_write (*write)(void *ctx, uint64_t va, const uint8_t *bytes,
					   size_t size);
	/*
	 * A random byte, uniform on 0x00 to 0xFF: without ERnd for each reload of COUNT with RND=1;
	 * with it each time COUNT comes to zero with RND=1, for ECOUNT. The suite's reference has
	 * the same ones.
	 */
	uint8_t (*random)(void *ctx);
	/* A PMU event by its number (D14: SAMPLE_POP is 0x4000), count times. */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/* An SError: with VSPE_SUBJECT_ABORT_SERROR. */
	void (*serror)(void *ctx);
};

/* Bits of vspe_subject_operation.flags. */
#define VSPE_SUBJECT_OP_BRANCH	      0x1u /* branch or exception return */
#define VSPE_SUBJECT_OP_LOAD	      0x2u /* a load, or an atomic that returns a value */
#define VSPE_SUBJECT_OP_STORE	      0x4u /* a store, or any atomic */
#define VSPE_SUBJECT_OP_FP	      0x8u
#define VSPE_SUBJECT_OP_SIMD	      0x10u
#define VSPE_SUBJECT_OP_TAKEN	      0x20u   /* the branch was taken: target is valid */
#define VSPE_SUBJECT_OP_NOT_TAKEN     0x40u   /* conditional, and its condition failed */
#define VSPE_SUBJECT_OP_VA_VALID      0x80u   /* data_va is valid */
#define VSPE_SUBJECT_OP_PA_VALID      0x100u  /* data_pa is valid */
#define VSPE_SUBJECT_OP_TAG_CHECKED   0x1000u /* with mte: its data access was, against tag */
#define VSPE_SUBJECT_OP_PA_NON_SECURE 0x2000u /* data_pa is Non-secure, whatever ns and nse are */

/* With extra_packets: a counter or address packet of index 6, 7 or 16 to 31. */
struct vspe_subject_extra {
	bool address; /* else a counter, which saturates */
	uint8_t index;
	uint64_t value;
};

/* A sampled operation, which was architecturally executed. */
struct vspe_subject_operation {
	uint64_t pc;
	uint64_t target; /* of a taken branch */
	uint64_t data_va;
	uint64_t data_pa;
	uint64_t timestamp; /* for PMSCR_EL1.TS */
	uint64_t events; /* bits of the Events packet; 1 and 6 are what has come of the operation */
	uint32_t contextidr_el1;
	uint32_t contextidr_el2;
	uint32_t flags;		      /* VSPE_SUBJECT_OP_* */
	uint16_t total_latency;	      /* cycles, as the rest: 16 bits, which may be more than */
	uint16_t issue_latency;	      /* a counter of count_size holds */
	uint16_t translation_latency; /* with VA_VALID */
	uint16_t alternate_latency;   /* with altclk */
	uint16_t data_source; /* of a load with VA_VALID, unless it generated an exception */
	uint8_t type_header;  /* of the Operation Type packet: 0x48, 0x49 or 0x4a (D18.2.7) */
	uint8_t type_payload; /* for the PE that has all; what it lacks is reported as less */
	uint8_t el, target_el;
	bool ns, nse; /* the Security state */
	bool target_ns, target_nse;
	uint8_t tag; /* with mte: 4 bits */
	uint8_t extra_count;
	const struct vspe_subject_extra *extra; /* counters first, each kind by rising index */
};

/* Where a taken branch went: for FEAT_SPE_PBT. */
struct vspe_subject_target {
	uint64_t va;
	uint8_t el;
	bool ns, nse;
};

/*
 * The counters of a PMU, FEAT_PMUv3p1 or later, of a PE without SPE.
 */

/* What they are. counters_create() overwrites what it has otherwise. */
struct vspe_subject_counters {
	uint8_t version;	  /* ID_AA64DFR0_EL1.PMUVer: 4 to 9 are v3p1, 4, 5, 7, 8 and 9 */
	uint8_t counters;	  /* event counters, 1 to 31: PMCR_EL0.N */
	bool el2, el3, sel2, rme; /* of the PE: EL2, EL3, FEAT_SEL2, FEAT_RME */
	bool instruction_counter; /* FEAT_PMUv3_ICNTR */
};

/*
 * Bits of vspe_subject.limits: what LIB.so does not have, which is then left out and reported. The
 * next members have the features of its PE.
 */
#define VSPE_SUBJECT_NO_AARCH32	    0x1u /* vspe_subject_pe.aarch32 is always false */
#define VSPE_SUBJECT_NO_DEBUG_STATE 0x2u /* vspe_subject_pe.halted is */

/*
 * What LIB.so is. ctx of a function is that of the struct; a unit is what unit_create() returned.
 */
struct vspe_subject {
	uint32_t version; /* VSPE_SUBJECT_VERSION */
	uint32_t size;	  /* sizeof(struct vspe_subject) */
	const char *name; /* for the report; or NULL */
	void *ctx;
	uint32_t limits;	  /* VSPE_SUBJECT_NO_* */
	uint32_t features_always; /* in vspe_subject_pe.features of each access, ... */
	uint32_t features_never;  /* ... and never there */
	uint32_t pmu_features_always;
	uint32_t pmu_features_never;

	/*
	 * What becomes of an access to a register of SPE, and of one to a register of the PMU, into
	 * *outcome, whose kind is VSPE_SUBJECT_NO_ANSWER until then. For what is CONSTRAINED
	 * UNPREDICTABLE each of what Arm permits is right.
	 */
	void (*spe_access)(void *ctx, const struct vspe_subject_pe *pe,
			   const struct vspe_subject_access *access,
			   struct vspe_subject_outcome *outcome);
	void (*pmu_access)(void *ctx, const struct vspe_subject_pe *pe,
			   const struct vspe_subject_access *access,
			   struct vspe_subject_outcome *outcome);
	/*
	 * The condition that decided such an access to a register of SPE, in words that have the
	 * name of its field, as "MDCR_EL3.NSPB": to text, with a zero, in at most size bytes. Of
	 * two traps to EL3 it says which one came first, which no outcome shows.
	 */
	void (*spe_condition)(void *ctx, const struct vspe_subject_pe *pe,
			      const struct vspe_subject_access *access, char *text, size_t size);

	/*
	 * A unit on such a PE, for as long as it is there, as after a cold reset. config is what
	 * the suite would like to have, and afterwards what it has got. *host is copied, or kept.
	 * NULL: there is none to be had, and the point fails.
	 */
	void *(*unit_create)(void *ctx, const struct vspe_subject_pe *pe,
			     struct vspe_subject_config *config,
			     const struct vspe_subject_host *host);
	void (*unit_destroy)(void *unit);
	/* Its registers, which the PE accesses directly. */
	uint64_t (*unit_read)(void *unit, uint32_t encoding);
	void (*unit_write)(void *unit, uint32_t encoding, uint64_t value);
	/*
	 * n members of the population pass, 1 or more, of which at most the last is selected. Is
	 * it? While profiling is disabled nothing happens.
	 */
	bool (*unit_advance)(void *unit, uint64_t n);
	/* Members up to and including the next selected one. NULL: it is found step by step. */
	uint64_t (*unit_budget)(void *unit);
	/*
	 * The selected operation has finished: filters, PMU events, record, buffer. op is NULL if
	 * it never finished: nothing comes of it. NULL: filters, records and buffer are not tried.
	 */
	void (*unit_sample)(void *unit, const struct vspe_subject_operation *op);
	/* A branch was taken. NULL: FEAT_SPE_PBT is not tried. */
	void (*unit_branch)(void *unit, const struct vspe_subject_target *target);
	/* PSB CSYNC. NULL: nothing is ever left to do. */
	void (*unit_synchronize)(void *unit);
	/* Is profiling enabled; is PMBIRQ high? NULL: not compared. */
	bool (*unit_enabled)(void *unit);
	bool (*unit_interrupt)(void *unit);

	/*
	 * Counters after a cold reset. NULL: there are none to be had, and the point fails. The
	 * suite writes each register before it relies on its value.
	 */
	void *(*counters_create)(void *ctx, struct vspe_subject_counters *config);
	void (*counters_destroy)(void *counters);
	/*
	 * An access to a register of the PMU by a PE that nothing traps: what was read, or 0. What
	 * PMSWINC_EL0 counts counts as by this PE.
	 */
	uint64_t (*counters_access)(void *counters, const struct vspe_subject_pe *pe,
				    uint32_t encoding, bool write, uint64_t value);
	/*
	 * The PE executes n operations, 1 or more, each an instruction that retires and a cycle.
	 * With counters_budget() at most that many: an overflow comes with the last one, if at all.
	 * Else n is 1.
	 */
	void (*counters_advance)(void *counters, const struct vspe_subject_pe *pe, uint64_t n);
	uint64_t (*counters_budget)(void *counters, const struct vspe_subject_pe *pe);
	/* An event happens once, in no cycle: LD_RETIRED, 0x06. NULL: no such event happens. */
	void (*counters_event)(void *counters, const struct vspe_subject_pe *pe, uint16_t event);
	/* Is PMUIRQ high? */
	bool (*counters_interrupt)(void *counters, const struct vspe_subject_pe *pe);
};

/* LIB.so's. */
#pragma GCC visibility push(default)
extern const struct vspe_subject vspe_subject;
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
