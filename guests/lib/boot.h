/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start-up in C, and the translation tables (VMSAv8-64, 4 KiB granule, 48-bit addresses).
 */
#ifndef GUEST_BOOT_H
#define GUEST_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* What a page is for; the attributes follow from it. */
enum map_kind {
	MAP_TEXT,      /* EL1 executes */
	MAP_RODATA,    /* EL1 reads */
	MAP_DATA,      /* EL1 reads and writes */
	MAP_DEVICE,    /* device-nGnRnE, EL1 */
	MAP_USER_TEXT, /* EL0 executes */
	MAP_USER_DATA, /* EL0 and EL1 read and write */
};

/* Where the loader put us, found before the MMU was on. */
struct boot_info {
	uint64_t image_pa; /* of KERNEL_VA */
	uint64_t image_size;
	uint64_t dtb_pa;
	unsigned int el; /* where main runs: GUEST_EL, or less if the machine has no more */
};

extern struct boot_info boot_info;

/* Each guest's own main program. PSCI SYSTEM_OFF follows when it returns. */
void guest_main(void);

/*
 * Map one page; the half of the address space selects the tables. Works with the MMU off, too.
 * False if the pool of tables is empty. The caller must mmu_unmap() a valid entry first.
 */
bool map_page(uint64_t va, uint64_t pa, enum map_kind kind);
/* The same for 2 MiB, which can never be unmapped. */
bool map_block(uint64_t va, uint64_t pa, enum map_kind kind);

/* Make the tables, the registers for TCR_EL1 and boot_info. Runs with the MMU off. */
void early_map(uint64_t image_pa, uint64_t dtb_pa);

/* The RAM that has the image and may be used. */
void mmu_init(uint64_t base, uint64_t size);
/* Physically contiguous, zeroed pages of RAM; no mapping. Ends the guest when RAM is used up. */
uint64_t phys_alloc(size_t pages);
/*
 * Zeroed pages, contiguous in VA and in descending order in PA, so that addresses and their
 * translations differ by more than an offset. For EL1, and for EL0 and EL1.
 */
void *data_alloc(size_t pages);
void *user_data_alloc(size_t pages);
/* size bytes of a device (or of RAM that is used like one), anywhere. */
volatile void *device_map(uint64_t pa, uint64_t size);
/* Map memory of kind MAP_RODATA at pa, any alignment. */
const void *rodata_map(uint64_t pa, uint64_t size);
/* Remove one page's translation, TLB included; returns what mmu_restore() needs. */
uint64_t mmu_unmap(uint64_t va);
/* Put back what mmu_unmap() returned. */
void mmu_restore(uint64_t va, uint64_t entry);
/*
 * GUEST_EL 2 and 3 have another map, of all RAM, readable and writable. linear() gives the address
 * of a PA there.
 */
void *linear(uint64_t pa);
/* The PA of the last level's table that translates a page's VA; 0 if there is none. */
uint64_t mmu_table(uint64_t va);
/* The PA of a mapped VA, by a walk in software; 0 when it is not mapped. */
uint64_t mmu_translate(uint64_t va);

#endif
