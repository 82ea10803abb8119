/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation that is sampled: its instruction, and its outcome. */
#ifndef VSPE_QEMU_OPERATION_H
#define VSPE_QEMU_OPERATION_H

#include "qemu/plugin.h"

/* Where a vCPU went after an operation. */
struct outcome {
	uint64_t pc;
	uint8_t el;
};

/*
 * The virtual address of an instruction of the block that is being executed. A translation belongs
 * to a physical page, and runs at every virtual address of that. The PC of the callback is
 * somewhere in the block, not above the instruction, so it gives the page.
 */
uint64_t place_pc(const struct vcpu *v, const struct place *place);

/* The changes that the instructions of a block have made to its registers. */
struct written {
	uint64_t registers; /* what was written, of A64_SET_*, but by adding a number */
	int64_t added[32];  /* ... which is added to that of the block's start */
	bool flags;	    /* PSTATE.{N,Z,C,V} was written */
	bool vectors;	    /* a vector or a predicate was */
};

/*
 * Do the inputs of an instruction change between the start of its block and itself, other than by a
 * number that is added to its base register?
 */
bool operation_is_late(uint32_t word, const struct written *written);

/* ... which comes next in the block. */
void operation_written(uint32_t word, struct written *written);

/*
 * May its accesses call the plugin? Not those of a gather, a scatter, a first-fault or a non-fault
 * load: QEMU 11.1 reads through a NULL pointer if they do, which ends its process.
 */
bool operation_tells_accesses(uint32_t word);

/* Plan it, at pc: the ahead-th that is counted from here on, with the present registers. */
void operation_plan(struct vcpu *v, const struct place *place, uint64_t pc, uint64_t ahead);

/* It has executed, and the unit selected it. */
void operation_finish(struct vcpu *v, const struct outcome *end);

#endif
