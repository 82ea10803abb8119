/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skid: how many more instructions the guest has executed when a perf event's interrupt makes it
 * exit. The skid at the start of a run decides how many instructions are left to be stepped.
 */
#ifndef VSPE_KVM_SKID_H
#define VSPE_KVM_SKID_H

#include <stdint.h>

/* Always left to be stepped; and the most that make sense. */
#define KVM_MARGIN_LEAST 32u
#define KVM_MARGIN_MOST	 1000000u

/* The skid when so many events were counted and the interrupt was due after period. */
static inline uint64_t kvm_skid_of(uint64_t events, uint64_t period, unsigned int multiplier)
{
	return events > period ? (events - period + multiplier - 1) / multiplier : 0;
}

/* The margin for a worst skid: as much again for what a few tries did not show. */
static inline unsigned int kvm_skid_margin(uint64_t worst)
{
	if (worst >= (KVM_MARGIN_MOST - KVM_MARGIN_LEAST) / 2)
		return KVM_MARGIN_MOST;
	return KVM_MARGIN_LEAST + 2 * (unsigned int)worst;
}

#endif
