/* SPDX-License-Identifier: BSD-2-Clause */
/* A subject's profiling unit for the models, at Non-secure EL1 of a PE. */
#ifndef VSPE_CONFORM_UNIT_H
#define VSPE_CONFORM_UNIT_H

#include <vspe/spe.h>

#include "conform/model.h"

#define UNIT_RECORD_MAX 2048u

/* PMU events that the filters decide about. */
#define UNIT_PMU_EVENTS 10
extern const uint16_t unit_pmu_events[UNIT_PMU_EVENTS];

struct unit_bench {
	const struct vspe_subject *subject;
	void *unit; /* NULL: none was made */
	/*
	 * The requested configuration; after the start, the actual one. The models expect what it
	 * says.
	 */
	struct spe_config config;
	bool any_order;	 /* VSPE_SUBJECT_LAYOUT_ANY; config.layout is then generic */
	bool random_own; /* else the numbers come from state */
	bool pmu_events; /* the unit reports them */
	struct vspe_subject_host host;
	struct vspe_subject_pe pe;
	uint8_t record[UNIT_RECORD_MAX]; /* the last one written */
	size_t record_size;
	uint64_t writes, population;
	uint64_t pmu[UNIT_PMU_EVENTS]; /* how often, in the order of unit_pmu_events */
	uint64_t state;		       /* of unit_random() */
};

/* Set the defaults of a version, which the caller may change before unit_start(). */
void unit_prepare(struct unit_bench *bench, const struct vspe_subject *subject,
		  enum spe_version version);
/*
 * Start the unit, and enable profiling. pmsirr is PMSIRR_EL1's value. False if there is no such
 * unit, with a line in why. In either case the caller calls unit_end().
 */
bool unit_start(struct unit_bench *bench, uint64_t pmsirr, FILE *why);
void unit_end(struct unit_bench *bench);

uint64_t unit_read(struct unit_bench *bench, enum sysreg_id reg);
void unit_write(struct unit_bench *bench, enum sysreg_id reg, uint64_t value);
bool unit_advance(struct unit_bench *bench, uint64_t n);
/* The selected operation has finished, or never will. */
void unit_sample(struct unit_bench *bench, const struct spe_op *op);
void unit_abandon(struct unit_bench *bench);
/* Let members pass up to the next selection, and return how many. 0 if there is none. */
uint64_t unit_select(struct unit_bench *bench);
/* vspe_subject_host.random of a unit that shares its numbers with a reference. */
uint8_t unit_random(uint64_t *state);

#endif
