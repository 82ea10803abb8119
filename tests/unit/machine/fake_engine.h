/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine made for tests of the machine: a vCPU is a C function that is called once an operation
 * and calls the machine back as a guest would.
 */
#ifndef VSPE_TESTS_FAKE_ENGINE_H
#define VSPE_TESTS_FAKE_ENGINE_H

#include "machine/machine.h"

#define TRACE_SIZE 131072 /* several turns */

enum { GO_ON = -1 };

struct engine_vcpu {
	struct engine_vm *vm;
	unsigned int index;
	uint64_t x[32];
	uint64_t ops;
	uint64_t step; /* of the guest, from 0 at reset */
	bool irq, fiq, virq, vfiq, exit_requested;
	struct spe_config spe;
	struct spe_unit unit; /* of which only the stats are looked at */
};

struct engine_vm {
	struct engine_host host;
	uint64_t line_moves; /* of the machine model that it has not: the guest says */
	struct engine_vcpu *vcpus[MACHINE_MAX_CPUS];
};

extern const struct engine engine_fake;

/* What every vCPU executes, once an operation: an exit reason, or GO_ON. */
extern int (*fake_guest)(struct engine_vcpu *vcpu);

/* The levels that each vCPU was made with. */
extern struct engine_levels fake_levels[MACHINE_MAX_CPUS];

/* The vCPUs that executed the first operations. */
extern unsigned int fake_trace[TRACE_SIZE];
extern size_t fake_trace_count;

#endif
