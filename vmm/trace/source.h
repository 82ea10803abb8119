/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the numbers of Data Source packets mean (Arm ARM D18.2.4: IMPLEMENTATION DEFINED). Which
 * cores have which numbers follows tools/perf/util/arm-spe.c of Linux, by MIDR_EL1; docs/cores.md
 * says which version.
 */
#ifndef VSPE_TRACE_SOURCE_H
#define VSPE_TRACE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* MIDR_EL1 of vspe's own core, which vCPUs have without --cpu. */
#define SOURCE_OWN_MIDR UINT32_C(0x000f0560)

/* Sets of numbers. */
enum source_set {
	SOURCE_UNSAID,	  /* the core is not known */
	SOURCE_NUMBERS,	  /* a core whose numbers have no known names */
	SOURCE_COMMON,	  /* Arm's Neoverse and Cortex cores */
	SOURCE_OWN,	  /* the same numbers, for vspe's own core, unknown to perf */
	SOURCE_AMPEREONE, /* AmpereOne */
	SOURCE_HISI_HIP,  /* HiSilicon HIP12 */
	SOURCE_SETS,
};

/* How far away data was, in words common to all sets; a table by level counts these. */
enum source_place {
	SOURCE_L1,
	SOURCE_L2,
	SOURCE_L3,     /* a last level: of the cluster or of the chip */
	SOURCE_PEER,   /* a cache of another core of this chip */
	SOURCE_REMOTE, /* another chip: its caches or its memory */
	SOURCE_RAM,
	SOURCE_ELSEWHERE, /* a device, or a number without a name */
	SOURCE_PLACES,
};

struct source {
	uint16_t number;
	const char *name; /* where from, in a few words: "peer core" */
	const char *perf; /* what perf mem shows for it, "memory access / snoop"; NULL: by events */
	enum source_place place;
};

/* The set of a core; the variant and the revision of midr do not matter. Never SOURCE_UNSAID. */
enum source_set source_set(uint32_t midr);

/* The meaning of a number, or NULL. SOURCE_UNSAID is the same as SOURCE_COMMON. */
const struct source *source_find(enum source_set set, uint16_t number);

/* The place that a number means; SOURCE_ELSEWHERE if its meaning is not known. */
enum source_place source_place(enum source_set set, uint16_t number);

/*
 * Parse a core: a name that vspe run --cpu knows, or a value of MIDR_EL1. False if it is neither;
 * *midr then stays.
 */
bool source_midr(const char *text, uint32_t *midr);

#endif
