/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the numbers of Data Source packets mean (Arm ARM D18.2.4: IMPLEMENTATION DEFINED). Which
 * cores have which numbers is as tools/perf/util/arm-spe.c of Linux has it, by MIDR_EL1;
 * docs/cores.md says of which version.
 */
#ifndef VSPE_TRACE_SOURCE_H
#define VSPE_TRACE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* MIDR_EL1 of vspe's own core: what vCPUs have without --cpu. */
#define SOURCE_OWN_MIDR UINT32_C(0x000f0560)

/* Sets of numbers. */
enum source_set {
	SOURCE_UNSAID,	  /* nobody says which core it is */
	SOURCE_NUMBERS,	  /* a core whose numbers have no names that are known */
	SOURCE_COMMON,	  /* Arm's Neoverse and Cortex cores */
	SOURCE_OWN,	  /* the same numbers, of vspe's own core, which perf does not know */
	SOURCE_AMPEREONE, /* AmpereOne */
	SOURCE_HISI_HIP,  /* HiSilicon HIP12 */
	SOURCE_SETS,
};

/* How far away data was, in words that all sets have: what a table by level counts. */
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
	const char *perf; /* what perf mem shows of it, "memory access / snoop"; NULL: by events */
	enum source_place place;
};

/* The set of a core; the variant and the revision of midr do not matter. Never SOURCE_UNSAID. */
enum source_set source_set(uint32_t midr);

/* What a number means, or NULL. In SOURCE_UNSAID it is as in SOURCE_COMMON. */
const struct source *source_find(enum source_set set, uint16_t number);

/* Of what a number means; SOURCE_ELSEWHERE if it means nothing that is known. */
enum source_place source_place(enum source_set set, uint16_t number);

/*
 * A core in words: the name of one that vspe run --cpu knows, or a value of MIDR_EL1. false: it is
 * neither; *midr is not changed.
 */
bool source_midr(const char *text, uint32_t *midr);

#endif
