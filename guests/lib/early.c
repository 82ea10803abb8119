/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translation tables. map_page() and early_map() also run with the MMU off, at physical
 * addresses: they use only what ADRP reaches, and no pointer that the linker stored.
 */
#include "arch.h"
#include "boot.h"

#define ENTRIES	    512
#define POOL	    96
#define BLOCK_SHIFT 21 /* of level 2 */
#define PA_FIELD    UINT64_C(0x0000fffffffff000)

#define PTE_VALID   UINT64_C(3) /* a page, or a table at the levels above */
#define PTE_BLOCK   UINT64_C(1)
#define PTE_ATTR(n) ((uint64_t)(n) << 2)
#define PTE_USER    (UINT64_C(1) << 6)
#define PTE_RO	    (UINT64_C(1) << 7)
#define PTE_INNER   (UINT64_C(3) << 8)
#define PTE_AF	    (UINT64_C(1) << 10)
#define PTE_NG	    (UINT64_C(1) << 11)
#define PTE_PXN	    (UINT64_C(1) << 53)
#define PTE_UXN	    (UINT64_C(1) << 54)

#define PTE_NORMAL (PTE_ATTR(1) | PTE_INNER | PTE_AF)

typedef uint64_t table[ENTRIES] __attribute__((aligned(PAGE_SIZE)));

/* Named in start.S. Without an upper half, user_root is the root of all. */
table kernel_root, user_root, identity_root;
uint64_t early_tcr;
struct boot_info boot_info;

static table identity_l1;
static unsigned int pool_used;

/* Not cleared before they are used: most never are. */
static table pool[POOL] __attribute__((section(".noinit")));

extern char __image_start[], __text_end[], __user_load[], __data_start[], __image_end[];

/* What to add to an address of this image for its PA: 0 with the MMU off. */
static uint64_t to_pa(void)
{
	return boot_info.image_pa - (uintptr_t)__image_start;
}

static uint64_t attributes_of(enum map_kind kind)
{
	switch (kind) {
	case MAP_TEXT: return PTE_NORMAL | PTE_RO | PTE_UXN;
	case MAP_RODATA: return PTE_NORMAL | PTE_RO | PTE_UXN | PTE_PXN;
	case MAP_DATA: return PTE_NORMAL | PTE_UXN | PTE_PXN;
	case MAP_DEVICE: return PTE_ATTR(0) | PTE_AF | PTE_UXN | PTE_PXN;
	case MAP_USER_TEXT: return PTE_NORMAL | PTE_USER | PTE_RO | PTE_NG | PTE_PXN;
	case MAP_USER_DATA: return PTE_NORMAL | PTE_USER | PTE_NG | PTE_UXN | PTE_PXN;
	}
	return 0;
}

/* With the MMU off caches are off, too, and no stale line may hide what is written. */
static void clear_table(volatile uint64_t *entry)
{
	uint64_t line = UINT64_C(4) << field(read_sysreg(ctr_el0), 19, 16);
	uintptr_t start = (uintptr_t)entry;

	for (uint64_t at = 0; to_pa() == 0 && at < PAGE_SIZE; at += line)
		__asm__ volatile("dc ivac, %0" ::"r"(start + at) : "memory");
	__asm__ volatile("dsb sy" ::: "memory");
	for (unsigned int i = 0; i < ENTRIES; i += 8, entry += 8) {
		entry[0] = entry[1] = entry[2] = entry[3] = 0;
		entry[4] = entry[5] = entry[6] = entry[7] = 0;
	}
	__asm__ volatile("dsb ishst" ::: "memory");
}

static volatile uint64_t *next_table(volatile uint64_t *entry)
{
	if (!(*entry & 1)) {
		if (pool_used == POOL)
			return NULL;
		clear_table(pool[pool_used]);
		*entry = ((uintptr_t)pool[pool_used++] + to_pa()) | PTE_VALID;
	}
	return (volatile uint64_t *)(uintptr_t)((*entry & PA_FIELD) - to_pa());
}

/*
 * The entry of an address in a table whose entries map 1 << last bytes. If create, it makes missing
 * tables on the way. NULL if one is missing, or a block maps the address.
 */
static volatile uint64_t *find_entry(uint64_t va, unsigned int last, bool create)
{
	volatile uint64_t *level = va >> 63 ? kernel_root : user_root;

	for (unsigned int shift = 39; shift > last; shift -= 9) {
		volatile uint64_t *entry = &level[va >> shift & (ENTRIES - 1)];

		if (!(*entry & 1) && !create)
			return NULL;
		if ((*entry & PTE_VALID) == PTE_BLOCK)
			return NULL;
		level = next_table(entry);
		if (!level)
			return NULL;
	}
	return &level[va >> last & (ENTRIES - 1)];
}

static bool map_entry(uint64_t va, uint64_t pa, enum map_kind kind, unsigned int shift,
		      uint64_t type)
{
	volatile uint64_t *entry = find_entry(va, shift, true);
	uint64_t bits = attributes_of(kind) | type;

	if (!entry)
		return false;
	/*
	 * Regimes of only EL2 or only EL3 have RES1 for AP[1], one XN, and RES0 for PXN and nG. In
	 * EL2&0 the same entries give EL2 what it needs.
	 */
	if (boot_info.el > 1) {
		bits = (bits & ~(PTE_NG | PTE_PXN)) | PTE_USER;
		if (kind == MAP_TEXT)
			bits &= ~PTE_UXN;
	}
	*entry = (pa & PA_FIELD) | bits;
	__asm__ volatile("dsb ishst\n\tisb" ::: "memory");
	return true;
}

bool map_page(uint64_t va, uint64_t pa, enum map_kind kind)
{
	return map_entry(va, pa, kind, PAGE_SHIFT, PTE_VALID);
}

bool map_block(uint64_t va, uint64_t pa, enum map_kind kind)
{
	return map_entry(va, pa, kind, BLOCK_SHIFT, PTE_BLOCK);
}

static void flush_page(uint64_t va)
{
	uint64_t page = va >> PAGE_SHIFT & UINT64_C(0xfffffffffff);

	__asm__ volatile("dsb ishst" ::: "memory");
	if (boot_info.el == 1)
		__asm__ volatile("tlbi vaae1is, %0" ::"r"(page) : "memory");
	else if (boot_info.el == 2)
		__asm__ volatile("tlbi vae2is, %0" ::"r"(page) : "memory");
	else
		__asm__ volatile("tlbi vae3is, %0" ::"r"(page) : "memory");
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

uint64_t mmu_unmap(uint64_t va)
{
	volatile uint64_t *entry = find_entry(va, PAGE_SHIFT, false);
	uint64_t old = 0;

	if (entry) {
		old = *entry;
		*entry = 0;
		flush_page(va);
	}
	return old;
}

void mmu_restore(uint64_t va, uint64_t entry)
{
	volatile uint64_t *place = find_entry(va, PAGE_SHIFT, true);

	if (!place)
		return;
	*place = entry;
	flush_page(va);
}

uint64_t mmu_translate(uint64_t va)
{
	volatile uint64_t *entry = find_entry(va, PAGE_SHIFT, false);

	return entry && (*entry & 1) ? (*entry & PA_FIELD) | (va & (PAGE_SIZE - 1)) : 0;
}

uint64_t mmu_table(uint64_t va)
{
	volatile uint64_t *entry = find_entry(va, PAGE_SHIFT, false);

	return entry ? ((uintptr_t)entry + to_pa()) & ~(uint64_t)(PAGE_SIZE - 1) : 0;
}

/* 48-bit addresses and 4 KiB granules, in both halves where there are two; write-back inner
 * shareable walks. */
static uint64_t tcr_value(void)
{
	uint64_t range = field(read_sysreg(id_aa64mmfr0_el1), 3, 0);

	if (range > 5)
		range = 5;
	if (boot_info.el == 1)
		return 16 | UINT64_C(16) << 16 | UINT64_C(0x35) << 8 | UINT64_C(0x35) << 24 |
		       UINT64_C(2) << 30 | range << 32;
	if (boot_info.el == 3)
		return 16 | UINT64_C(0x35) << 8 | range << 16 | UINT64_C(1) << 31 |
		       UINT64_C(1) << 23;
	/*
	 * A TCR_EL2 for both values of HCR_EL2.E2H, so that E2H can change with the MMU on. The
	 * RES1 bits of one format are EPD1 and a TG1 of 4 KiB in the other. PS and IPS are 0, for 4
	 * GiB, as their bits mean something else in the other format (34:32 and 21:16).
	 */
	return 16 | UINT64_C(0x35) << 8 | UINT64_C(1) << 31 | UINT64_C(1) << 23;
}

static void map_range(const char *start, const char *end, enum map_kind kind)
{
	for (uint64_t at = (uintptr_t)start; at < (uintptr_t)end; at += PAGE_SIZE)
		map_page(at - boot_info.image_pa + KERNEL_VA, at, kind);
}

void early_map(uint64_t image_pa, uint64_t dtb_pa)
{
	uint64_t block = image_pa & ~((UINT64_C(1) << 30) - 1);

	boot_info.image_pa = image_pa;
	boot_info.image_size = (uintptr_t)__image_end - (uintptr_t)__image_start;
	boot_info.dtb_pa = dtb_pa;
	boot_info.el = (unsigned int)field(read_sysreg(CurrentEL), 3, 2);
	early_tcr = tcr_value();

	/* The gigabyte that the next instructions come from. */
	((volatile uint64_t *)identity_root)[image_pa >> 39 & (ENTRIES - 1)] =
		(uintptr_t)identity_l1 | PTE_VALID;
	((volatile uint64_t *)identity_l1)[image_pa >> 30 & (ENTRIES - 1)] =
		block | PTE_NORMAL | (boot_info.el == 1 ? PTE_UXN : PTE_USER) | PTE_BLOCK;

	map_range(__image_start, __text_end, MAP_TEXT);
	map_range(__text_end, __user_load, MAP_RODATA);
	map_range(__user_load, __data_start, MAP_RODATA);
	map_range(__data_start, __image_end, MAP_DATA);
	for (uint64_t at = 0; at < (uintptr_t)__data_start - (uintptr_t)__user_load;
	     at += PAGE_SIZE)
		map_page(USER_TEXT_VA + at, (uintptr_t)__user_load + at, MAP_USER_TEXT);
	/* Without an upper half the first tables need the image, too. */
	for (unsigned int i = ENTRIES / 2; KERNEL_VA >> 63 == 0 && i < ENTRIES; i++)
		((volatile uint64_t *)identity_root)[i] = ((volatile uint64_t *)user_root)[i];
	__asm__ volatile("dsb sy" ::: "memory");
}
