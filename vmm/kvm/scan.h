/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting BRKs in the place of the accesses of access.h, in code that is in guest RAM before the
 * guest runs: its image and its initrd.
 */
#ifndef VSPE_KVM_SCAN_H
#define VSPE_KVM_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kvm/access.h"

struct kvm_site {
	size_t offset; /* from the start of what was scanned */
	uint32_t word; /* that was there */
	bool patched;  /* otherwise it was left alone: what is around it is no code */
};

/*
 * Scan bytes, size of them, whose first word is at an address that is a multiple of 4, and patch
 * what is code. Every site is shown to log, which may be NULL. Returns how many were patched.
 */
size_t kvm_scan(uint8_t *bytes, size_t size, void (*log)(void *ctx, const struct kvm_site *site),
		void *ctx);

#endif
