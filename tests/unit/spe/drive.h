/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PE that does anything at all with its profiling unit, from a seed: operations, branches, writes
 * of registers, controls, buffers that fail. All output of the unit (records, PMU events, register
 * values, interrupts) goes into a digest, so that two units that behave differently have different
 * digests. No test framework here: fuzz targets and the test of threads drive units, too.
 */
#ifndef VSPE_TESTS_SPE_DRIVE_H
#define VSPE_TESTS_SPE_DRIVE_H

#include <vspe/spe.h>

struct drive {
	struct spe_unit *unit;
	uint64_t dice;	 /* decides what the PE does; never 0 */
	uint64_t random; /* the state of the host's random numbers, if any; never 0 */
	uint64_t digest; /* of all output of the unit */
	uint64_t records, events, interrupts;
	bool wild; /* the unit may have any state: do not check its output */
};

/* A random configuration that spe_config_check() accepts. */
void drive_config(struct drive *d, struct spe_config *config);
/* The callbacks for this drive, with its own random numbers on request. */
struct spe_host drive_host(struct drive *d, bool random);
/* A unit in *unit, with a configuration and a host that the seed decides. */
void drive_init(struct drive *d, struct spe_unit *unit, uint64_t seed);
/* One thing that a PE does. */
void drive_step(struct drive *d);

#endif
