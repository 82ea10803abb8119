/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generic timers of every vCPU on one system counter (Arm ARM, chapter D12). The counter is the
 * machine's virtual time: it advances by one for every operation executed, at a nominal 1 GHz.
 *
 * Which of the registers there are at an Exception level, and which of two a name means there, is
 * the engine's business (engine.h); here all of them are there.
 */
#ifndef VSPE_TIMER_H
#define VSPE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"

#define TIMER_FREQUENCY 1000000000u
#define TIMER_NEVER	UINT64_MAX

enum timer_kind {
	TIMER_PHYSICAL,		   /* CNTP_*_EL0 */
	TIMER_VIRTUAL,		   /* CNTV_*_EL0 */
	TIMER_HYP_PHYSICAL,	   /* CNTHP_*_EL2 */
	TIMER_HYP_VIRTUAL,	   /* CNTHV_*_EL2 */
	TIMER_SECURE,		   /* CNTPS_*_EL1, EL3's */
	TIMER_HYP_SECURE_PHYSICAL, /* CNTHPS_*_EL2 */
	TIMER_HYP_SECURE_VIRTUAL,  /* CNTHVS_*_EL2 */
	TIMER_KINDS
};

struct timer {
	uint64_t cval;
	/*
	 * What the count that it compares is behind the system counter: CNTVOFF_EL2 and CNTPOFF_EL2
	 * as they are in effect for the EL1 timers, zero for the others.
	 */
	uint64_t offset;
	bool enable, imask;
};

struct timer_cpu {
	uint64_t frequency; /* CNTFRQ_EL0: what software wrote; changes nothing */
	struct timer timer[TIMER_KINDS];
};

void timer_reset(struct timer_cpu *cpu);

/*
 * A warm reset of the PE alone: the timers, which are always on, go on without the offsets, which
 * are registers of its EL2.
 */
void timer_reset_offsets(struct timer_cpu *cpu);

/* The PPI of a timer, as Arm's Base System Architecture has them. */
unsigned int timer_intid(enum timer_kind kind);

/* The CNT* registers at counter value now. false: no such register. */
bool timer_read(const struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t *value);
bool timer_write(struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t value);

/* The level of a timer's interrupt. */
bool timer_level(const struct timer *timer, uint64_t now);

/*
 * The counter value at which a line of this vCPU changes next by itself, or TIMER_NEVER. Above now.
 */
uint64_t timer_deadline(const struct timer_cpu *cpu, uint64_t now);

/* To be saved or loaded. */
void timer_state(struct timer_cpu *cpu, struct state *state);

#endif
