/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation tables for lower Exception levels: see stage.h.
 */
#include "arch.h"
#include "boot.h"
#include "stage.h"

#define INDEX_BITS 9
#define TYPE_TABLE UINT64_C(3) /* or a page, at level 3 */
#define TYPE_BLOCK UINT64_C(1)
#define OA_FIELD   UINT64_C(0x0000fffffffff000)

struct stage stage1_new(void)
{
	return (struct stage){phys_alloc(1), 0};
}

struct stage stage2_new(void)
{
	return (struct stage){phys_alloc(1), 1};
}

static unsigned int level_shift(unsigned int level)
{
	return PAGE_SHIFT + (3 - level) * INDEX_BITS;
}

volatile uint64_t *stage_entry(const struct stage *s, uint64_t in, unsigned int level)
{
	volatile uint64_t *table = linear(s->root);

	for (unsigned int at = s->first;; at++) {
		volatile uint64_t *entry = &table[in >> level_shift(at) & ((1u << INDEX_BITS) - 1)];

		if (at == level)
			return entry;
		if ((*entry & 3) != TYPE_TABLE)
			*entry = phys_alloc(1) | TYPE_TABLE;
		table = linear(*entry & OA_FIELD);
	}
}

void stage_map_level(const struct stage *s, uint64_t in, uint64_t out, unsigned int level,
		     uint64_t attributes)
{
	*stage_entry(s, in, level) = out | attributes | (level == 3 ? TYPE_TABLE : TYPE_BLOCK);
	dsb();
}

void stage_map(const struct stage *s, uint64_t in, uint64_t out, uint64_t size, uint64_t attributes)
{
	for (uint64_t at = 0; at < size; at += PAGE_SIZE)
		stage_map_level(s, in + at, out + at, 3, attributes);
}

void stage_unmap(const struct stage *s, uint64_t in, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE_SIZE)
		*stage_entry(s, in + at, 3) = 0;
	dsb();
}

void stage_flush(void)
{
	dsb();
	__asm__ volatile("tlbi alle1is\n\tdsb ish\n\tisb" ::: "memory");
}
