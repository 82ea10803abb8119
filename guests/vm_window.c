/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of VMs: see vm_window.h.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "stage.h"
#include "string.h"
#include "vm_window.h"

#define GIB	 (UINT64_C(1) << 30)
#define BLOCK	 (UINT64_C(1) << 21)
#define RAM_GIBS 3 /* from RAM_PA on; there may be less */

/* Registers of Secure stage 2, UNDEFINED in other states. */
#define VSTTBR_EL2   S3_4_C2_C6_0
#define VSTCR_EL2    S3_4_C2_C6_2
#define TTBR_BADDR   UINT64_C(0x0000fffffffffffe)
#define VSTCR_FIELDS UINT64_C(0x8000c0ff) /* RES1, TG0, SL0, T0SZ */

struct vm_window vm_window_new(size_t pages)
{
	struct vm_window w = {.va = (uintptr_t)data_alloc(pages), .size = pages * PAGE_SIZE};

	w.ipa = mmu_translate(w.va + w.size - PAGE_SIZE);
	return w;
}

/* The gigabyte that the window is in: the blocks with a part of it in pages. */
static void map_around(const struct vm_window *w, const struct stage *s, uint64_t start)
{
	uint64_t first = w->ipa & ~(BLOCK - 1), last = (w->ipa + w->size - 1) & ~(BLOCK - 1);

	for (uint64_t block = start; block < start + GIB; block += BLOCK) {
		if (block < first || block > last)
			stage_map_level(s, block, block, 2, S2_NORMAL | S2_RW);
		else
			stage_map(s, block, block, BLOCK, S2_NORMAL | S2_RW);
	}
}

uint64_t vm_window_stage2(const struct vm_window *w, unsigned int number, uint64_t pa)
{
	struct stage s = stage2_new();

	for (uint64_t at = RAM_PA; at < RAM_PA + RAM_GIBS * GIB; at += GIB) {
		if (at / GIB == w->ipa / GIB)
			map_around(w, &s, at);
		else
			stage_map_level(&s, at, at, 1, S2_NORMAL | S2_RW);
	}
	stage_map(&s, w->ipa, pa, w->size, S2_NORMAL | S2_RW);
	stage_flush();
	return s.root | (uint64_t)number << 48;
}

bool vm_window_secure(void)
{
	static enum { UNKNOWN, SECURE, OTHER } known;

	if (known == UNKNOWN) {
		expect_begin();
		(void)read_sysreg(VSTTBR_EL2);
		known = expect_end().count == 0 ? SECURE : OTHER;
	}
	return known == SECURE;
}

void vm_window_load(uint64_t vttbr)
{
	write_sysreg(vtcr_el2, STAGE2_VTCR);
	write_sysreg(vttbr_el2, vttbr);
	if (vm_window_secure()) {
		write_sysreg(VSTCR_EL2, STAGE2_VTCR & VSTCR_FIELDS);
		write_sysreg(VSTTBR_EL2, vttbr & TTBR_BADDR); /* the VMID is VTTBR_EL2's */
	}
	isb();
}

uint64_t vm_window_pa(const struct vm_window *w, uint64_t pa, size_t offset)
{
	return pa + mmu_translate(w->va + offset) - w->ipa;
}

void vm_window_copy(const struct vm_window *w, uint64_t pa, size_t offset, void *to, size_t size)
{
	uint8_t *at = to;

	while (size > 0) {
		size_t part = PAGE_SIZE - offset % PAGE_SIZE;

		if (part > size)
			part = size;
		memcpy(at, linear(vm_window_pa(w, pa, offset)), part);
		at += part;
		offset += part;
		size -= part;
	}
}
