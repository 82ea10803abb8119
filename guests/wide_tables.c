/* SPDX-License-Identifier: BSD-2-Clause */
/* Translation tables of 52-bit addresses: see wide_tables.h. */
#include "wide_tables.h"

#include "arch.h"
#include "boot.h"
#include "console.h"
#include "string.h"

#define LAST	  3
#define TXSZ	  12
#define POOL	  (24u << 16)
#define ATTRIBUTE UINT64_C(1) /* of MAIR_EL1: write-back */

#define DESC_VALID UINT64_C(1)
#define DESC_TABLE UINT64_C(3) /* at the last level: page */
#define DESC_INNER (UINT64_C(3) << 8)
#define DESC_UXN   (UINT64_C(1) << 54)

#define SCTLR_EE (UINT64_C(1) << 25)

#define TCR_WALKS UINT64_C(0x35) /* write-back, inner shareable */
#define TCR_DS	  (UINT64_C(1) << 59)

const struct wide_granule wide_granules[WIDE_COUNT] = {
	{"4K", 12, 0, 2, -1, 0, true},
	{"16K", 14, 2, 1, 0, 1, true},
	{"64K", 16, 1, 3, 1, 1, false},
};

struct wide_regs wide_regs;

static const struct wide_granule *granule;
static uint64_t pool[POOL / 8] __attribute__((aligned(65536)));
static uint64_t used; /* bytes */
static uint64_t *root[2];

extern uint64_t identity_root[];
extern char __image_start[], __image_end[];

const char *wide_va(const struct wide_granule *g)
{
	const uint64_t mmfr0 = read_sysreg(id_aa64mmfr0_el1);

	switch (g->bits) {
	case 12: return field(mmfr0, 31, 28) == 1 ? NULL : "no FEAT_LPA2 with 4K";
	case 14: return field(mmfr0, 23, 20) >= 2 ? NULL : "no FEAT_LPA2 with 16K";
	default:
		if (field(mmfr0, 27, 24) != 0)
			return "no 64K granule";
		/* ID_AA64MMFR2_EL1, which old assemblers do not know */
		return field(read_sysreg(S3_0_C0_C7_2), 19, 16) ? NULL : "no FEAT_LVA";
	}
}

const char *wide_pa(const struct wide_granule *g)
{
	const char *why = wide_va(g);

	if (!why && field(read_sysreg(id_aa64mmfr0_el1), 3, 0) < 6)
		why = "no FEAT_LPA";
	return why;
}

uint64_t wide_image_pa(const void *address)
{
	return boot_info.image_pa + ((uintptr_t)address - KERNEL_VA);
}

static uint64_t *new_table(void)
{
	const uint64_t size = UINT64_C(1) << granule->bits;
	uint64_t *table = pool + used / 8;

	if (used + size > POOL)
		panic("out of wide translation tables");
	used += size;
	memset(table, 0, size);
	return table;
}

static unsigned int shift_of(int level)
{
	return granule->bits + (granule->bits - 3) * (unsigned int)(LAST - level);
}

static uint64_t *entry_of(uint64_t *table, uint64_t va, int level)
{
	const unsigned int shift = shift_of(level);
	const unsigned int top = level == granule->first ? 64 - TXSZ : shift + granule->bits - 3;

	return &table[(va & ((UINT64_C(1) << top) - 1)) >> shift];
}

/* An address in the form that descriptors have of it. */
static uint64_t output_address(uint64_t pa)
{
	if (granule->ds)
		return field(pa, 49, 0) | field(pa, 51, 50) << 8;
	return field(pa, 47, 0) | field(pa, 51, 48) << 12;
}

/* Tables are in the image, and so have addresses that are the same in both forms. */
static uint64_t *walk_to(uint64_t va, int last, bool make)
{
	uint64_t *table = root[va >> 63];

	for (int level = granule->first; level < last; level++) {
		uint64_t *entry = entry_of(table, va, level);
		const uint64_t low = (UINT64_C(1) << granule->bits) - 1;

		if (!(*entry & DESC_VALID)) {
			if (!make)
				return NULL;
			*entry = wide_image_pa(new_table()) | DESC_TABLE;
		}
		table = (uint64_t *)((field(*entry, 47, 0) & ~low) - wide_regs.to_pa);
	}
	return entry_of(table, va, last);
}

uint64_t *wide_descriptor(uint64_t va, int level)
{
	return walk_to(va, level, false);
}

uint64_t *wide_map(uint64_t va, uint64_t pa, int level)
{
	uint64_t *entry = walk_to(va, level, true);

	*entry = output_address(pa) | ATTRIBUTE << 2 | WIDE_AF | DESC_UXN |
		 (granule->ds ? 0 : DESC_INNER) | (level == LAST ? DESC_TABLE : DESC_VALID);
	return entry;
}

bool wide_has_other_order(void)
{
	return field(read_sysreg(id_aa64mmfr0_el1), 11, 8) != 0;
}

void wide_other_order(void)
{
	for (uint64_t i = 0; i < used / 8; i++)
		pool[i] = __builtin_bswap64(pool[i]);
	wide_regs.change = SCTLR_EE;
}

void wide_map_image(uint64_t va)
{
	const uint64_t size = UINT64_C(1) << granule->bits;

	for (uint64_t at = 0; at < (uintptr_t)__image_end - KERNEL_VA; at += size)
		(void)wide_map(va + at, boot_info.image_pa + at, LAST);
}

static uint64_t tcr_value(void)
{
	uint64_t range = field(read_sysreg(id_aa64mmfr0_el1), 3, 0);

	if (range > 6)
		range = 6;
	return TXSZ | TXSZ << 16 | TCR_WALKS << 8 | TCR_WALKS << 24 | (uint64_t)granule->tg0 << 14 |
	       (uint64_t)granule->tg1 << 30 | range << 32 | (granule->ds ? TCR_DS : 0);
}

/* TTBRn_EL1 has the bits above 48, which are 0 here, where none are of an aligned table. */
void wide_begin(const struct wide_granule *g)
{
	const uint64_t flat = boot_info.image_pa;

	granule = g;
	used = 0;
	root[0] = new_table();
	root[1] = new_table();
	wide_regs = (struct wide_regs){
		.ttbr0 = wide_image_pa(root[0]),
		.ttbr1 = wide_image_pa(root[1]),
		.tcr = tcr_value(),
		.flat = wide_image_pa(identity_root),
		.to_pa = boot_info.image_pa - KERNEL_VA,
	};
	wide_map_image(KERNEL_VA);
	wide_map_image(flat);
}
