/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a running machine that a saved one has a section of each: the machine itself, its
 * devices, its vCPUs, its statistics, its console. docs/saved-machine.md says what is in them.
 */
#ifndef VSPE_MACHINE_PART_H
#define VSPE_MACHINE_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "device/device.h"
#include "machine/machine.h"

struct machine_part {
	const char *tag, *name;
	bool each_cpu;
	bool counted;	       /* as many as the device says: device_type.sections */
	uint32_t since;	       /* the first version of the format that has it; 0: all */
	struct device *device; /* describes itself; NULL: describe does */
	void (*describe)(struct state *state, struct machine *machine, unsigned int cpu);
};

#define MACHINE_PARTS (4 + DEVICE_COUNT)

/* Which there are, in the order in which they are saved and loaded. Returns how many. */
size_t machine_parts(const struct machine *machine, struct machine_part parts[MACHINE_PARTS]);

/* How many sections a part has: one, one for each vCPU, or as many as the device says. */
unsigned int machine_part_count(const struct machine_part *part, const struct machine *machine);

/* Saves the part of vCPU cpu (0 where there is one), or loads it, as state says; what is not
 * possible in it is refused there. */
void machine_part_describe(const struct machine_part *part, struct state *state,
			   struct machine *machine, unsigned int cpu);

#endif
