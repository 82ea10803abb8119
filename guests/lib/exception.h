/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions: the saved frame, hooks for each vector, expected exceptions, and EL0.
 */
#ifndef GUEST_EXCEPTION_H
#define GUEST_EXCEPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"

/* As vectors.S lays it out. */
struct exc_frame {
	uint64_t x[31];
	uint64_t sp_el0;
	uint64_t elr, spsr, esr, far;
};

_Static_assert(sizeof(struct exc_frame) == FRAME_SIZE, "FRAME_SIZE of layout.h");

/* The vectors in table order. */
enum exc_vector {
	VEC_SP0_SYNC,
	VEC_SP0_IRQ,
	VEC_SP0_FIQ,
	VEC_SP0_SERROR,
	VEC_SPX_SYNC,
	VEC_SPX_IRQ,
	VEC_SPX_FIQ,
	VEC_SPX_SERROR,
	VEC_EL0_SYNC,
	VEC_EL0_IRQ,
	VEC_EL0_FIQ,
	VEC_EL0_SERROR,
	VEC_EL0_32_SYNC,
	VEC_EL0_32_IRQ,
	VEC_EL0_32_FIQ,
	VEC_EL0_32_SERROR,
	VEC_COUNT,
};

/* How to leave a handler. */
enum exc_return {
	EXC_RETURN,
	/*
	 * X18 of the frame goes to PMBLIMITR_EL1 right before the ERET: see spe_resume(). No code
	 * of a guest uses that register.
	 */
	EXC_RETURN_PROFILING,
};

/* A test's own handler of a vector, or NULL for the common one. */
extern enum exc_return (*exc_hooks[VEC_COUNT])(struct exc_frame *frame, enum exc_vector vector);
/* The common handler, for a hook that takes only some exceptions. */
enum exc_return exc_dispatch(struct exc_frame *frame, enum exc_vector vector);

/*
 * Synchronous exceptions between expect_begin() and expect_end() are counted and skipped. For an
 * Illegal Execution state, PSTATE.IL is cleared.
 */
struct expected {
	unsigned int count;
	enum exc_vector vector; /* the last one's */
	uint64_t esr, far, elr;
};

void expect_begin(void);
struct expected expect_end(void);

/*
 * Run entry at EL0 with three arguments, interrupts unmasked, until it returns; its result.
 * Functions of EL0 are assembler in section .user.text; user_address() gives their addresses.
 */
uint64_t user_call(uintptr_t entry, uint64_t a0, uint64_t a1, uint64_t a2);

#endif
