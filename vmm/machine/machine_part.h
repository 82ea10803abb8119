/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a running machine, each of which has a section in a saved one: the machine itself,
 * its devices, its vCPUs, its statistics, its console. docs/saved-machine.md describes their
 * contents.
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
	bool counted;	       /* the device says how many: device_type.sections */
	uint32_t since;	       /* the first version of the format that has it; 0: all */
	struct device *device; /* describes itself; NULL: describe does */
	void (*describe)(struct state *state, struct machine *machine, unsigned int cpu);
};

#define MACHINE_PARTS (4 + DEVICE_COUNT)

/* List the parts in the order in which they are saved and loaded. Returns how many. */
size_t machine_parts(const struct machine *machine, struct machine_part parts[MACHINE_PARTS]);

/* How many sections a part has: one, one for each vCPU, or as many as the device says. */
unsigned int machine_part_count(const struct machine_part *part, const struct machine *machine);

/*
 * Save or load the part of vCPU cpu (0 if there is only one), depending on state. Refuses
 * impossible values.
 */
void machine_part_describe(const struct machine_part *part, struct state *state,
			   struct machine *machine, unsigned int cpu);

#endif
