/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine as nasty as the architecture allows (`vspe run --unknown`): values that Arm leaves
 * UNKNOWN or CONSTRAINED UNPREDICTABLE are drawn at random. A number depends only on the seed, the
 * vCPU and its purpose, so it is the same on every host, in whatever way and order instructions are
 * executed.
 */
#ifndef VSPE_SOFT_UNKNOWN_H
#define VSPE_SOFT_UNKNOWN_H

#include <stdbool.h>
#include <stdint.h>

struct soft_cpu;

struct soft_unknown {
	bool drawn; /* otherwise what is UNKNOWN is 0 */
	uint64_t seed;
};

/* The purpose of a number: a register's encoding, or one of these with a number below it. */
#define SOFT_DRAW_X	 (UINT64_C(1) << 32)
#define SOFT_DRAW_V	 (UINT64_C(2) << 32)
#define SOFT_DRAW_SP	 (UINT64_C(3) << 32)
#define SOFT_DRAW_MAY	 (UINT64_C(4) << 32)
#define SOFT_DRAW_RESULT (UINT64_C(5) << 32)
#define SOFT_DRAW_Z	 (UINT64_C(6) << 32)
#define SOFT_DRAW_P	 (UINT64_C(7) << 32)

enum soft_may {
#define RESULT(name, one_in, what, rule) SOFT_MAY_##name,
#include "soft/sys/unpredictable.def"
};

/* Any number. */
uint64_t soft_draw(const struct soft_unknown *unknown, unsigned int cpu, uint64_t what);
/* A value that software may not expect: sometimes all bits are equal. */
uint64_t soft_draw_value(const struct soft_unknown *unknown, unsigned int cpu, uint64_t what);

/*
 * Does the event of unpredictable.def happen now? Call this in the order of execution, and only
 * when it would make a difference: each answer is another draw.
 */
bool soft_may(struct soft_cpu *cpu, enum soft_may what);
/* Another number, in the same order. */
uint64_t soft_draw_next(struct soft_cpu *cpu);

/* After a reset, before translations and interrupts are used: draw what it left UNKNOWN. */
void soft_unknown_reset(struct soft_cpu *cpu);

#endif
