/* SPDX-License-Identifier: BSD-2-Clause */
/* Where TTBRn_ELx and descriptors have the addresses of tables, blocks and pages (Arm ARM D8.3). */

#include "../compare.h"
#include "walk_wide.h"

TestSuite(walk_wide_forms, .init = reset);

/*
 * What a bit of a descriptor is for the address of a table, block or page: that of the output
 * address it says, or none.
 */
#define NONE 64
static const struct {
	unsigned int granule;
	bool ds;
	uint8_t pa_bits;
	unsigned int bit, is;
} places[] = {
	{12, false, 52, 8, NONE},  {12, false, 52, 9, NONE},  {12, false, 52, 48, NONE},
	{12, false, 52, 49, NONE}, {12, false, 52, 47, 47},   {12, true, 52, 47, 47},
	{12, true, 52, 48, 48},	   {12, true, 52, 49, 49},    {12, true, 52, 8, 50},
	{12, true, 52, 9, 51},	   {12, true, 52, 50, NONE},  {14, false, 52, 8, NONE},
	{14, false, 52, 9, NONE},  {14, false, 52, 48, NONE}, {14, false, 52, 49, NONE},
	{14, true, 52, 48, 48},	   {14, true, 52, 49, 49},    {14, true, 52, 8, 50},
	{14, true, 52, 9, 51},	   {14, true, 52, 12, NONE},  {16, false, 52, 12, 48},
	{16, false, 52, 13, 49},   {16, false, 52, 14, 50},   {16, false, 52, 15, 51},
	{16, true, 52, 12, 48},	   {16, true, 52, 8, NONE},   {16, true, 52, 9, NONE},
	{16, true, 52, 48, NONE},  {16, true, 52, 49, NONE},  {16, false, 48, 12, NONE},
	{16, false, 48, 15, NONE}, {16, true, 48, 48, NONE},  {16, true, 48, 47, 47},
};

Test(walk_wide_forms, where_descriptors_have_the_bits_of_an_address)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct granule *g = &granules[(places[i].granule - 12) / 2];
		const uint64_t moved = places[i].is == NONE ? 0 : BIT(places[i].is);

		for (int level = start_level(g, 16); level <= 3; level++) {
			struct walk w = walk_of(g, 16, places[i].ds, false);
			const bool table = level < 3;

			reset();
			regime.pa_bits = places[i].pa_bits;
			for (unsigned int n = 0; n < 5; n++)
				w.table[n] &= BITS(31, 0);
			if (table) {
				const uint64_t old = w.table[level + 2];

				w.table[level + 2] ^= moved;
				build(&w, 3, 0x12340000 | AF | PAGE_OR_TABLE);
				set_word(descriptor_pa(&w, level),
					 old | BIT(places[i].bit) | PAGE_OR_TABLE);
				(void)pa_of(w.va);
				continue;
			}
			build(&w, 3, 0x12340000 | AF | BIT(places[i].bit) | PAGE_OR_TABLE);
			cr_expect_eq(pa_of(w.va) & ~BITS(g->bits - 1, 0), 0x12340000 | moved,
				     "row %zu", i);
		}
	}
}

/* TTBRn_ELx: in the form of 52 bits, tables are aligned to 64 bytes, however small. */
static const struct {
	unsigned int granule, txsz;
	bool ds;
	uint8_t pa_bits;
	unsigned int ips;
	uint64_t ttbr, table; /* or ~0: an address size fault of level 0 */
} bases[] = {
	/* Two descriptors are in the first table. */
	{12, 24, false, 52, 6, 0x40000030, 0x40000030},
	{12, 24, true, 52, 6, 0x40000030, UINT64_C(0x000c000040000000)},
	{12, 24, true, 52, 6, 0x40000043, UINT64_C(0x0000000040000040)},
	{12, 24, true, 52, 5, 0x40000004, ~UINT64_C(0)},
	{12, 24, true, 52, 5, 0x40000040, 0x40000040},
	{12, 24, true, 48, 6, 0x40000004, ~UINT64_C(0)},
	{14, 16, false, 52, 6, 0x40000030, 0x40000030},
	{14, 16, true, 52, 6, 0x4000003c, UINT64_C(0x000f000040000000)},
	{16, 21, false, 52, 6, 0x4000003c, UINT64_C(0x000f000040000000)},
	{16, 21, false, 52, 7, 0x4000003c, UINT64_C(0x000f000040000000)},
	{16, 21, true, 52, 5, 0x40000030, 0x40000030},
	{16, 21, false, 52, 5, 0x4000003c, 0x40000030},
	{16, 21, false, 48, 6, 0x4000003c, 0x40000030},
	{16, 21, false, 44, 6, UINT64_C(0x0000100040000000), ~UINT64_C(0)},
	/* 1024 are. */
	{16, 12, false, 52, 6, UINT64_C(0x0123800000001ffd), UINT64_C(0x000f800000000000)},
	{16, 12, false, 52, 5, UINT64_C(0x0123800000001ffd), UINT64_C(0x0000800000000000)},
	{12, 12, true, 52, 6, UINT64_C(0x01238000000000fd), UINT64_C(0x000f800000000080)},
};

Test(walk_wide_forms, the_first_table_as_ttbr_says)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		const struct granule *g = &granules[(bases[i].granule - 12) / 2];
		const int start = start_level(g, bases[i].txsz);

		for (unsigned int high = 0; high < 2; high++) {
			reset();
			regime.pa_bits = bases[i].pa_bits;
			regime.tcr =
				tcr_of(g, bases[i].txsz, bases[i].ds, high) & ~(UINT64_C(7) << 32);
			regime.tcr |= (uint64_t)bases[i].ips << 32;
			regime.ttbr0 = high ? 0 : bases[i].ttbr;
			regime.ttbr1 = high ? bases[i].ttbr : 0;
			set_word(bases[i].table, 0);
			cr_expect_eq(fault_of(high ? ~(BIT(64 - bases[i].txsz) - 1) : 0),
				     ~bases[i].table ? code(TRANSLATION, start) : ADDRESS_SIZE,
				     "row %zu: %#x", i, fault_of(high ? ~UINT64_C(0) : 0));
		}
	}
}

Test(walk_wide_forms, blocks_are_bigger_where_outputs_have_52_bits)
{
	FOR_EACH_GRANULE(g)
	{
		for (unsigned int n = 0; n < 4; n++) {
			const uint8_t pa_bits = n & 1 ? 52 : 48;
			const bool ds = n & 2;
			enum form form = form_of(g, ds);
			const unsigned int txsz = ds || g->bits == 16 ? 12 : 16;

			if (form == LPA && pa_bits == 48)
				form = NARROW;
			for (int level = start_level(g, txsz); level < 3; level++) {
				struct walk w = walk_of(g, txsz, ds, false);
				const uint64_t size = BIT(g->shift[level + 1]);

				reset();
				regime.pa_bits = pa_bits;
				for (unsigned int i = 0; i < 5; i++)
					w.table[i] &= BITS(31, 0);
				/* The contiguous bit is not looked at. */
				build(&w, level, (level < 0 ? 0 : size) | BIT(52) | AF | BLOCK);
				if (form == LPA2 && size == BIT(48))
					cr_expect_eq(level, -1);
				if (block_at(g, form, level))
					cr_expect_eq(pa_of(w.va), size | (w.va & (size - 1)));
				else
					cr_expect_eq(fault_of(w.va), code(TRANSLATION, level),
						     "granule %u level %d DS %d", g->bits, level,
						     ds);
			}
		}
	}
}

/* The size of output addresses, by IPS and what is implemented; 0: there are no bits beyond. */
static unsigned int output_bits(enum form form, unsigned int ips, unsigned int pa_bits)
{
	static const unsigned int bits[] = {32, 36, 40, 42, 44, 48, 52, 52};
	const unsigned int size = bits[ips] < pa_bits ? bits[ips] : pa_bits;

	return size == 52 || (form == NARROW && size == 48) ? 0 : size;
}

static void check_output_size(const struct granule *g, bool ds, unsigned int ips, uint8_t pa_bits)
{
	const enum form form = g->bits == 16 && pa_bits < 52 ? NARROW : form_of(g, ds);
	const unsigned int txsz = ds || g->bits == 16 ? 12 : 16;
	const unsigned int size = output_bits(form, ips, pa_bits);

	for (int level = start_level(g, txsz); size && level <= 3; level++) {
		struct walk w = walk_of(g, txsz, ds, false);
		const uint64_t beyond = output(form, BIT(size));
		const bool leaf = level == 3 || block_at(g, form, level);

		reset();
		regime.pa_bits = pa_bits;
		for (unsigned int i = 0; i < 5; i++)
			w.table[i] &= BITS(30, 0);
		build(&w, level, beyond | PAGE_OR_TABLE | AF);
		regime.tcr = (regime.tcr & ~(UINT64_C(7) << 32)) | (uint64_t)ips << 32;
		cr_expect_eq(fault_of(w.va), code(ADDRESS_SIZE, level),
			     "granule %u DS %d IPS %u level %d: %#x", g->bits, ds, ips, level,
			     fault_of(w.va));
		if (!leaf || size - 1 < g->shift[level + 1])
			continue;
		set_word(descriptor_pa(&w, level),
			 output(form, BIT(size)) | AF | (level == 3 ? PAGE_OR_TABLE : BLOCK));
		if (size >= g->shift[level + 1])
			cr_expect_eq(fault_of(w.va), code(ADDRESS_SIZE, level));
		set_word(descriptor_pa(&w, level),
			 output(form, BIT(size - 1)) | AF | (level == 3 ? PAGE_OR_TABLE : BLOCK));
		cr_expect(pa_of(w.va) & BIT(size - 1));
	}
}

Test(walk_wide_forms, outputs_beyond_their_size_fault_at_every_level)
{
	FOR_EACH_GRANULE(g)
	{
		for (unsigned int n = 0; n < 16; n++) {
			check_output_size(g, n & 8, n & 7, 52);
			if (g->bits != 16)
				check_output_size(g, n & 8, n & 7, 48);
		}
		check_output_size(g, g->bits != 16, 6, 44);
	}
}

/*
 * Any walk: tables and outputs wherever they may be, leaves wherever they may be. What has to come
 * out is known from what was put in, and then one descriptor is spoilt.
 */
static uint64_t seed;

static uint64_t any(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

static uint64_t any_address(enum form form, unsigned int align)
{
	return any(form == NARROW ? BIT(48) : BIT(52)) & ~(BIT(align) - 1);
}

static void spoil(const struct walk *w, int leaf)
{
	const int level = w->start + (int)any((uint64_t)(leaf - w->start) + 1);
	const uint64_t pa = descriptor_pa(w, level);
	const bool no_block = level < 3 && !block_at(w->g, form_of(w->g, w->ds), level);
	const unsigned int kind = (unsigned int)any(no_block ? 3 : 2);

	if (kind == 0) {
		set_word(pa, *word_at(pa) & ~UINT64_C(1));
		cr_expect_eq(fault_of(w->va), code(TRANSLATION, level));
	} else if (kind == 1) {
		words[level - w->start].pa ^= 8;
		cr_expect_eq(fault_of(w->va), code(EXTERNAL_WALK, level));
	} else {
		set_word(pa, AF | BLOCK);
		cr_expect_eq(fault_of(w->va), code(TRANSLATION, level));
	}
	cr_expect_eq(reads, (unsigned int)(level - w->start) + 1);
}

Test(walk_wide_forms, any_walk)
{
	seed = UINT64_C(0x9e3779b97f4a7c15);
	for (unsigned int n = 0; n < 50000; n++) {
		const struct granule *g = &granules[any(3)];
		struct walk w = {.g = g, .ds = any(2), .high = any(2)};
		const enum form form = form_of(g, w.ds);
		const unsigned int least = form == NARROW ? 16 : 12;
		uint64_t pa, mask;
		int leaf;

		reset();
		w.txsz = least + (unsigned int)any(g->last[4] - least + 1);
		w.va = any(BIT(64 - w.txsz)) | (w.high ? ~(BIT(64 - w.txsz) - 1) : 0);
		/* Aligned as the biggest table is, and no two of them the same. */
		for (unsigned int i = 0; i < 5; i++)
			w.table[i] = (any_address(form, g->bits + 3) & ~BITS(21, 19)) | i << 19;
		leaf = start_level(g, w.txsz) + (int)any(5);
		if (leaf > 3 || !block_at(g, form, leaf))
			leaf = 3;
		mask = BIT(g->shift[leaf + 1]) - 1;
		pa = any_address(form, g->shift[leaf + 1]);
		build(&w, leaf, output(form, pa) | AF | (leaf == 3 ? PAGE_OR_TABLE : BLOCK));
		cr_assert_eq(pa_of(w.va), pa | (w.va & mask),
			     "%u: granule %u TxSZ %u DS %d leaf %d VA %#lx", n, g->bits, w.txsz,
			     w.ds, leaf, w.va);
		spoil(&w, leaf);
	}
}
