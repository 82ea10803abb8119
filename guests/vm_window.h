/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of guests (VMs) at EL1 under a main at EL2. Stage 2 maps RAM to the same addresses,
 * except for a window that has the same addresses in all VMs and separate memory in each.
 */
#ifndef VM_WINDOW_H
#define VM_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_window {
	uintptr_t va; /* in stage 1 of main, which VMs share */
	size_t size;
	uint64_t ipa; /* the lowest: pages are in descending order, see data_alloc() */
};

struct vm_window vm_window_new(size_t pages);
/* VTTBR_EL2 of VM number 1 or higher with contiguous memory at pa. */
uint64_t vm_window_stage2(const struct vm_window *w, unsigned int number, uint64_t pa);
/* Put it in force, or with 0 remove it; VTCR_EL2, too, and their Secure counterparts. */
void vm_window_load(uint64_t vttbr);
/* Is this EL2 in Secure state? */
bool vm_window_secure(void);
/* The PA, in a VM's memory, of an offset of the window. */
uint64_t vm_window_pa(const struct vm_window *w, uint64_t pa, size_t offset);
/* Copy size bytes at an offset out of a VM's memory. */
void vm_window_copy(const struct vm_window *w, uint64_t pa, size_t offset, void *to, size_t size);

#endif
