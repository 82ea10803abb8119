/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replacing the accesses of access.h with BRKs, in code that is in guest RAM before the guest runs:
 * its image and its initrd.
 */
#ifndef VSPE_KVM_SCAN_H
#define VSPE_KVM_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <vspe/kvm.h>

#include "kvm/trap/access.h"

struct kvm_site {
	size_t offset; /* from the start of what was scanned */
	uint32_t word; /* that was there; of what is compressed, its first */
	enum vspe_kvm_site_kind what;
};

struct kvm_scan {
	uint32_t base;	/* of the BRKs' immediates */
	bool untrapped; /* only accesses that do not trap: kvm_access_traps() */
	bool vectors;	/* writes of VBAR_EL1 too */
	bool mdscr;	/* writes of MDSCR_EL1 */
	bool debug;	/* ... and of what enables the guest's own breakpoints */
	bool is_signed; /* leave all, and say why */
	bool modules;	/* kvm_scan_initrd(): patch signed modules, and take their signature */
	/* Is shown every site; may be NULL. */
	void (*log)(void *ctx, const struct kvm_site *site);
	void *ctx;
};

/*
 * Scan size bytes, whose first word is at an address that is a multiple of 4, and patch what is
 * code. Returns how many were patched.
 */
size_t kvm_scan(const struct kvm_scan *scan, uint8_t *bytes, size_t size);

/*
 * The same for an initrd: the members of its cpio archives (newc, as in the Linux kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst). A signed kernel module is one with
 * the ending of scripts/sign-file.c. Compressed data is left, and shown to log.
 */
size_t kvm_scan_initrd(const struct kvm_scan *scan, uint8_t *bytes, size_t size);

/* Which immediates do the BRKs in bytes have? Sets their bits in used, which has 65536. */
void kvm_scan_brks(const uint8_t *bytes, size_t size, uint8_t used[8192]);
/* A base none of whose immediates is used; KVM_BRK_BASE if there is none. */
uint32_t kvm_choose_base(const uint8_t used[8192]);

#endif
