/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generic timer as EL1 and EL0 see it (Arm ARM, chapter D12): the EL1 physical and the virtual
 * timer of every vCPU on one system counter. The counter is the machine's virtual time: it advances
 * by one for every operation executed, at a nominal 1 GHz. There is no EL2, so the virtual offset
 * is zero.
 */
#ifndef VSPE_TIMER_H
#define VSPE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_FREQUENCY 1000000000u
#define TIMER_NEVER	UINT64_MAX

enum timer_kind { TIMER_PHYSICAL, TIMER_VIRTUAL, TIMER_KINDS };

/* The PPIs of Arm's Base System Architecture. */
#define TIMER_SECURE_INTID	 29
#define TIMER_PHYSICAL_INTID	 30
#define TIMER_VIRTUAL_INTID	 27
#define TIMER_HYP_PHYSICAL_INTID 26
#define TIMER_HYP_VIRTUAL_INTID	 28

struct timer {
	uint64_t cval;
	bool enable, imask;
};

struct timer_cpu {
	uint64_t frequency; /* CNTFRQ_EL0: what software wrote; changes nothing */
	struct timer timer[TIMER_KINDS];
};

void timer_reset(struct timer_cpu *cpu);

/* CNT*_EL0 at counter value now. false: no such register. */
bool timer_read(const struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t *value);
bool timer_write(struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t value);

/* The level of a timer's interrupt. */
bool timer_level(const struct timer *timer, uint64_t now);

/* The counter value at which a line of this vCPU will rise next, or TIMER_NEVER. Above now. */
uint64_t timer_deadline(const struct timer_cpu *cpu, uint64_t now);

#endif
