/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Power State Coordination Interface 1.1 (Arm DEN 0022) by HVC or SMC, with the part of the SMC
 * calling convention 1.1 (DEN 0028) that guests use to find it, and random numbers in the same way
 * (DEN 0098). A call is a pure function of the machine's power states; the machine carries out the
 * result.
 */
#ifndef VSPE_PSCI_H
#define VSPE_PSCI_H

#include "device/tree.h"

#define PSCI_SUCCESS		0
#define PSCI_NOT_SUPPORTED	(-1)
#define PSCI_INVALID_PARAMETERS (-2)
#define PSCI_DENIED		(-3)
#define PSCI_ALREADY_ON		(-4)
#define PSCI_ON_PENDING		(-5)
#define PSCI_INTERNAL_FAILURE	(-6)
#define PSCI_NOT_PRESENT	(-7)
#define PSCI_DISABLED		(-8)
#define PSCI_INVALID_ADDRESS	(-9)

struct psci_view {
	unsigned int cpus;
	const bool *on; /* of each vCPU */
	uint64_t ram_base, ram_size;
};

enum psci_action {
	PSCI_RETURN,	 /* X0 = value, and the caller continues */
	PSCI_CPU_ON,	 /* start target at entry with X0 = context; then as PSCI_RETURN */
	PSCI_CPU_OFF,	 /* the caller goes off */
	PSCI_STANDBY,	 /* the caller waits as in WFI; X0 = value when it wakes */
	PSCI_POWER_DOWN, /* the caller waits, and restarts at entry with X0 = context */
	PSCI_SYSTEM_OFF,
	PSCI_SYSTEM_RESET,
	PSCI_WARM_RESET, /* memory keeps its contents, except what is loaded */
	PSCI_VALUES,	 /* X0 = value, X1 to X3 = values, and the caller continues */
	PSCI_RANDOM,	 /* the same, after psci_random() has made the values */
};

struct psci_result {
	enum psci_action action;
	int64_t value;
	unsigned int target;
	uint64_t entry, context;
	uint64_t values[3];
	unsigned int bits, width; /* of PSCI_RANDOM: how many, in registers of which width */
};

/* A call with x[0] (function) to x[3], made by HVC #imm or SMC #imm. */
struct psci_result psci_call(const struct psci_view *view, uint16_t imm, const uint64_t x[4]);

/* Make the values of PSCI_RANDOM; *state moves to the next numbers. */
void psci_random(struct psci_result *result, uint64_t *state);

/*
 * How the guest makes a call, "hvc" or "smc"; NULL if the guest itself has EL3, which would answer.
 */
const char *psci_method(const struct engine_levels *levels);

/* Its node in the device tree, if there is a method to call it. */
void psci_node(struct tree *tree, const struct engine_levels *levels);

#endif
