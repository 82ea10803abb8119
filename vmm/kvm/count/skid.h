/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skid: by how many instructions the guest has gone on when the interrupt of a perf event has made
 * it exit. What it was at the start of a run says how many are best left to be stepped.
 */
#ifndef VSPE_KVM_SKID_H
#define VSPE_KVM_SKID_H

#include <stdint.h>

/* Left to be stepped in any case; and the most that anyone wants. */
#define KVM_MARGIN_LEAST 32u
#define KVM_MARGIN_MOST	 1000000u

/* The skid, when so many events were counted and the interrupt was for one of period. */
static inline uint64_t kvm_skid_of(uint64_t events, uint64_t period, unsigned int multiplier)
{
	return events > period ? (events - period + multiplier - 1) / multiplier : 0;
}

/* The margin for a worst skid: as much again for what was not seen in a few tries. */
static inline unsigned int kvm_skid_margin(uint64_t worst)
{
	if (worst >= (KVM_MARGIN_MOST - KVM_MARGIN_LEAST) / 2)
		return KVM_MARGIN_MOST;
	return KVM_MARGIN_LEAST + 2 * (unsigned int)worst;
}

#endif
