/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPE for a guest (VM) at EL1, emulated by libvspe at EL2. Every access to its registers is
 * trapped, and the library answers it. While profiling is enabled EL1 executes in single steps,
 * which the library samples. The VM never uses the machine's own profiling unit.
 */
#ifndef EMULATION_H
#define EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lower.h"
#include "vm_window.h"

#include <vspe/sysreg.h>

/* What has happened since emulation_reset(). */
struct emulation_counts {
	uint64_t steps; /* operations executed singly */
	uint64_t reads, writes, undefined;
	uint64_t wrong;	     /* traps that the library predicts otherwise */
	uint64_t interrupts; /* the buffer interrupt became pending */
};

/* The VM; its registers are the library's, its memory that of a window. */
struct vm {
	struct lower_context cpu;
	uint64_t vttbr, pa;
	struct emulation_counts counts;
};

/* Skip function: NULL, or why nothing traps here. */
const char *needs_traps(void);

/* The window and stage 2 of vm, once. */
struct vm_window emulation_init(struct vm *vm, size_t pages);
/* A new unit of this version (PMSVer; 0: the machine's, v1p2 if it has none), and a new VM. */
void emulation_reset(struct vm *vm, unsigned int version);
/* Call a C function at EL1, with the vectors of exc_hooks. False, after a message, if it failed. */
bool emulation_call(struct vm *vm, uint64_t (*function)(uint64_t), uint64_t argument,
		    uint64_t *result);
/*
 * Execute one MRS or MSR of an SPE register at EL1, MMU off; the value is X0. *foretold is what the
 * library predicts of the machine. True if the machine did that, and the library then did what a
 * trap requires.
 */
bool emulation_access(struct vm *vm, enum sysreg_id reg, bool write, uint64_t *value,
		      struct sysreg_route *foretold);

/* The VM's registers by the back door. */
uint64_t emulation_read(enum sysreg_id reg);
void emulation_write(enum sysreg_id reg, uint64_t value);
/* The unit's configuration: not a default, so that a test notices if it is ignored. */
#define EMULATION_COUNT_SIZE 16
#define EMULATION_INTERVAL   7

#endif
