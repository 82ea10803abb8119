/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RAM and mappings once the MMU is on: see boot.h.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "fdt.h"
#include "string.h"

static uint64_t ram_base, ram_next, ram_end;
static uint64_t data_next = DATA_VA, user_data_next = USER_DATA_VA, device_next = DEVICE_VA;

#define ALIGN_UP(x) (((x) + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1))

static void must_map(uint64_t va, uint64_t pa, enum map_kind kind)
{
	if (!map_page(va, pa, kind))
		panic("out of translation tables at VA 0x%lx", va);
}

#ifdef LINEAR_VA
#define BLOCK_SIZE (UINT64_C(1) << 21)

static void map_linear(uint64_t start, uint64_t end)
{
	for (uint64_t at = start & ~(BLOCK_SIZE - 1); at < end; at += BLOCK_SIZE)
		if (!map_block(LINEAR_VA + at, at, MAP_DATA))
			panic("out of translation tables at PA 0x%lx", at);
}

void *linear(uint64_t pa)
{
	if (pa < ram_base || pa >= ram_end)
		panic("PA 0x%lx is not in RAM", pa);
	return (void *)(LINEAR_VA + pa);
}
#else
static void map_linear(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
}
#endif

void mmu_init(uint64_t base, uint64_t size)
{
	ram_next = boot_info.image_pa + boot_info.image_size;
	ram_base = base;
	ram_end = base + size;
	map_linear(ram_base, ram_end);
	for (uint64_t i = 1; i <= USER_STACK_PAGES; i++)
		must_map(USER_STACK_VA - i * PAGE_SIZE, phys_alloc(1), MAP_USER_DATA);
}

/* Through a window of one page, since there is no map of all RAM. */
static void clear_page(uint64_t pa)
{
	static const uint64_t window = DATA_VA - PAGE_SIZE;

	mmu_unmap(window);
	must_map(window, pa, MAP_DATA);
	memset((void *)window, 0, PAGE_SIZE);
}

uint64_t phys_alloc(size_t pages)
{
	uint64_t dtb = boot_info.dtb_pa & ~(uint64_t)(PAGE_SIZE - 1);
	uint64_t dtb_end = ALIGN_UP(boot_info.dtb_pa + fdt_size());
	uint64_t size = (uint64_t)pages * PAGE_SIZE, at = ram_next;

	if (at < dtb_end && at + size > dtb)
		at = dtb_end;
	if (at > ram_end || size > ram_end - at)
		panic("out of RAM: %lu pages more", (unsigned long)pages);
	ram_next = at + size;
	for (uint64_t i = 0; i < pages; i++)
		clear_page(at + i * PAGE_SIZE);
	return at;
}

/* A page that is left unmapped separates one allocation from the next. */
static void *alloc_pages(uint64_t *next, size_t pages, enum map_kind kind)
{
	uint64_t va = *next, pa = phys_alloc(pages);

	for (uint64_t i = 0; i < pages; i++)
		must_map(va + i * PAGE_SIZE, pa + (pages - 1 - i) * PAGE_SIZE, kind);
	*next = va + ((uint64_t)pages + 1) * PAGE_SIZE;
	return (void *)va;
}

void *data_alloc(size_t pages)
{
	return alloc_pages(&data_next, pages, MAP_DATA);
}

void *user_data_alloc(size_t pages)
{
	return alloc_pages(&user_data_next, pages, MAP_USER_DATA);
}

static uint64_t map_region(uint64_t pa, uint64_t size, enum map_kind kind)
{
	uint64_t va = device_next, first = pa & ~(uint64_t)(PAGE_SIZE - 1);
	uint64_t bytes = ALIGN_UP(pa + size) - first;

	for (uint64_t at = 0; at < bytes; at += PAGE_SIZE)
		must_map(va + at, first + at, kind);
	device_next += bytes + PAGE_SIZE;
	return va + (pa - first);
}

volatile void *device_map(uint64_t pa, uint64_t size)
{
	return (volatile void *)map_region(pa, size, MAP_DEVICE);
}

const void *rodata_map(uint64_t pa, uint64_t size)
{
	return (const void *)map_region(pa, size, MAP_RODATA);
}
