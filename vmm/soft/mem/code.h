/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which blocks were decoded from which memory: found by address, dropped when that is written. Also
 * each Exception level's caches of where its code is.
 */
#ifndef VSPE_SOFT_CODE_H
#define VSPE_SOFT_CODE_H

#include "soft/cpu.h"

/* Whether blocks were decoded from this page of RAM. */
bool soft_code_page(const struct soft_vm *vm, uint64_t pa);

/* The block at these addresses, or NULL. */
struct soft_block *soft_code_find(const struct soft_vm *vm, uint64_t va, uint64_t pa);

/* Add a decoded block: from now on it can be found, and dropped. */
void soft_code_add(struct soft_vm *vm, struct soft_block *block);

/*
 * Memory at pa, size bytes in one page of RAM, was or is about to be written: drop what was decoded
 * from it. A dropped block is no longer found. It is in soft_vm.dropped, so that the run loop bars
 * its entry before the fast loop runs again: the fast loop is left first (SOFT_ATTENTION_CODE).
 */
void soft_code_written(struct soft_vm *vm, uint64_t pa, uint64_t size);

/* Empty the arena. No vCPU may be in the fast loop. */
void soft_code_drop_all(struct soft_vm *vm);

/* Set up a view, all of it zero, once: only its instruction TLB's slots are not yet empty. */
void soft_code_view_start(struct soft_code_view *view);
/* The jump cache: a branch to pc goes to the block that starts with op. */
void soft_code_jump_add(struct soft_code_view *view, uint64_t pc, const struct soft_op *op);

/* The physical page that fetches from this page go to, from the instruction TLB. */
bool soft_code_page_find(const struct soft_code_view *view, uint64_t page, uint64_t *pa);

/*
 * Add to the instruction TLB: fetches from this page go to the physical page pa, with
 * SOFT_MAP_BITS. A full TLB is emptied first. false: it has the page already.
 */
bool soft_code_page_add(struct soft_code_view *view, uint64_t page, uint64_t pa);

/* Forget jump cache and instruction TLB. */
void soft_code_view_reset(struct soft_code_view *view);

/*
 * The same if this address is in them, for TLB maintenance. Other pages may stay if this one is not
 * there.
 */
void soft_code_view_drop(struct soft_code_view *view, uint64_t va);

#define SOFT_LARGE_NONE ((struct soft_large){.low = UINT64_MAX, .high = 0})

/* Note that a translation of a large page maps this address. */
void soft_large_add(struct soft_large *large, uint64_t va, uint64_t page_mask);

static inline bool soft_large_has(const struct soft_large *large, uint64_t va)
{
	return va >= large->low && va <= large->high;
}

#endif
