/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 2 with addresses of 52 bits (Arm ARM D8.2, D8.3, VTCR_EL2): where a walk begins, the
 * addresses in VTTBR_EL2 and descriptors, and which of these may be blocks.
 */

#include "../compare.h"
#include "walk_wide.h"

#define VTCR_DS	 BIT(32)
#define VTCR_SL2 BIT(33)
#define READ	 BIT(6)
#define WRITE	 BIT(7)
#define NORMAL	 (UINT64_C(0xf) << 2)
#define LEAF	 (AF | READ | WRITE | NORMAL)
#define TABLE_AT UINT64_C(0x40000000)
#define RESERVED 4

static void nested(void)
{
	reset();
	regime.nested = true;
	regime.stage2[0].on = true;
}

TestSuite(walk_wide_stage2, .init = nested);

/* VTCR_EL2 with PS of 52 bits: sl is SL2 and SL0. */
static uint64_t vtcr(const struct granule *g, unsigned int t0sz, unsigned int sl, bool ds)
{
	return t0sz | (uint64_t)(sl & 3) << 6 | (uint64_t)g->tg0 << 14 | UINT64_C(6) << 16 |
	       (ds ? VTCR_DS : 0) | (sl & 4 ? VTCR_SL2 : 0);
}

static bool translates(uint64_t ipa, struct arm_translation *t)
{
	return arm_translate_ipa(&regime, ipa, true, ARM_READ, t);
}

/* The levels of SL2:SL0, with and without DS. SL2 only exists for 4K with DS. */
static int level_of(const struct granule *g, unsigned int sl, bool ds)
{
	static const int of_4k[8] = {2, 1, 0, RESERVED, -1, RESERVED, RESERVED, RESERVED};
	static const int of_16k[4] = {3, 2, 1, 0}, of_64k[4] = {3, 2, 1, RESERVED};

	if (g->bits == 12)
		return of_4k[ds ? sl : sl & 3];
	if (g->bits == 14)
		return ds || (sl & 3) < 3 ? of_16k[sl & 3] : RESERVED;
	return of_64k[sl & 3];
}

static unsigned int shift_of(const struct granule *g, int level)
{
	return g->shift[level + 1];
}

/*
 * Every size and level of every granule. A first table has from 2 descriptors up to 16 pages of
 * them. 52 bits of input need 64K, or DS.
 */
Test(walk_wide_stage2, where_a_walk_begins)
{
	unsigned int good = 0;

	for (unsigned int n = 0; n < 3 * 2 * 8 * 64; n++) {
		const struct granule *g = &granules[n / 1024];
		const bool ds = n / 512 % 2;
		const unsigned int sl = n / 64 % 8, t0sz = n % 64, input = 64 - t0sz;
		const int start = level_of(g, sl, ds);
		const unsigned int least = ds || g->bits == 16 ? 12 : 16;
		const uint64_t ipa = input < 52 ? BIT(input) - 1 : BITS(51, 0);
		struct arm_translation t;
		bool valid = false;

		nested();
		if (start != RESERVED && t0sz >= least && t0sz <= 39) {
			const int resolved = (int)input - (int)shift_of(g, start);

			valid = resolved >= 1 && resolved <= (int)g->bits - 3 + 4;
		}
		regime.stage2[0].vtcr = vtcr(g, t0sz, sl, ds);
		regime.stage2[0].vttbr = TABLE_AT;
		/* An invalid descriptor, at the first level. */
		if (valid)
			set_word(TABLE_AT + (ipa >> shift_of(g, start)) * 8, 0);
		cr_expect_not(translates(ipa, &t));
		cr_expect(t.stage2);
		cr_expect_eq(t.fsc, code(TRANSLATION, valid ? start : 0),
			     "%u bits, T0SZ %u, SL %u, DS %d: %#x", g->bits, t0sz, sl, ds, t.fsc);
		cr_expect_eq(reads, valid, "%u bits, T0SZ %u, SL %u, DS %d", g->bits, t0sz, sl, ds);
		good += valid;
	}
	cr_expect_gt(good, 100u);
}

/* From the first level down to a leaf, with tables and an output above 48 bits. */
Test(walk_wide_stage2, tables_blocks_and_pages_of_52_bits)
{
	FOR_EACH_GRANULE(g)
	{
		const bool ds = g->bits != 16;
		const unsigned int sl = g->bits == 12 ? 4 : g->bits == 14 ? 3 : 2;
		const int start = level_of(g, sl, ds);
		const enum form form = form_of(g, ds);
		const uint64_t high = form == LPA ? UINT64_C(0xf) << 48 : UINT64_C(0xc) << 48;

		for (int end = start; end <= 3; end++) {
			const uint64_t size = BIT(shift_of(g, end)), ipa = BITS(51, 0) & ~BIT(20);
			uint64_t table = TABLE_AT | high;
			struct arm_translation t;

			nested();
			regime.stage2[0].vtcr = vtcr(g, 12, sl, ds);
			/* [51:48] are in [5:2]. */
			regime.stage2[0].vttbr = TABLE_AT | high >> 46;
			for (int level = start; level <= end; level++) {
				const unsigned int shift = shift_of(g, level);
				const uint64_t index =
					level == start ? ipa >> shift
						       : ipa >> shift & (BIT(g->bits - 3) - 1);
				const uint64_t next =
					(TABLE_AT + BIT(20) * (unsigned int)(level + 2)) | high;

				set_word(table + index * 8,
					 level < end
						 ? output(form, next) | 3
						 : output(form, (high | BIT(47)) & ~(size - 1)) |
							   LEAF | (end == 3 ? 3 : 1));
				table = next;
			}
			if (end == 3 || block_at(g, form, end)) {
				cr_expect(translates(ipa, &t), "%u, level %d: %#x", g->bits, end,
					  t.fsc);
				cr_expect_eq(t.pa,
					     ((high | BIT(47)) & ~(size - 1)) | (ipa & (size - 1)),
					     "%u, level %d: %#lx", g->bits, end, t.pa);
			} else {
				cr_expect_not(translates(ipa, &t));
				cr_expect_eq(t.fsc, code(TRANSLATION, end));
			}
		}
	}
}

/* PS limits tables and outputs; BADDR only has the upper bits if they are possible. */
Test(walk_wide_stage2, output_sizes)
{
	const struct granule *g = &granules[2]; /* 64K: level 2 has 2 to 2^17 descriptors */
	struct arm_translation t;

	for (unsigned int ps = 0; ps < 8; ps++) {
		const unsigned int bits[8] = {32, 36, 40, 42, 44, 48, 52, 52};

		nested();
		regime.stage2[0].vtcr =
			(vtcr(g, 24, 1, false) & ~(UINT64_C(7) << 16)) | (uint64_t)ps << 16;
		regime.stage2[0].vttbr = TABLE_AT | 0x3c;
		set_word(ps < 6 ? TABLE_AT : TABLE_AT | UINT64_C(0xf) << 48,
			 output(LPA, BIT(51)) | LEAF | 1);
		cr_expect_eq(translates(0, &t), bits[ps] == 52, "PS %u", ps);
		if (t.fault)
			cr_expect_eq(t.fsc, code(ADDRESS_SIZE, 2), "PS %u: %#x", ps, t.fsc);
	}
	nested();
	regime.pa_bits = 48;
	regime.stage2[0].vtcr = vtcr(g, 24, 1, false);
	regime.stage2[0].vttbr = TABLE_AT;
	set_word(TABLE_AT, (UINT64_C(0xf) << 12) | LEAF | 1);
	cr_expect(translates(0, &t), "without FEAT_LPA they are no address");
	cr_expect_eq(t.pa, 0);
}

/*
 * With DS the shareability of every leaf is VTCR_EL2.SH0, as its own bits are part of the address.
 */
Test(walk_wide_stage2, shareability)
{
	const struct granule *g = &granules[0];
	struct arm_translation t;

	for (unsigned int sh = 0; sh < 4; sh++) {
		for (unsigned int ds = 0; ds < 2; ds++) {
			nested();
			regime.stage2[0].vtcr = vtcr(g, 32, 1, ds) | (uint64_t)sh << 12;
			regime.stage2[0].vttbr = TABLE_AT;
			set_word(TABLE_AT, LEAF | 1 | UINT64_C(3) << 8);
			cr_assert(translates(0, &t));
			cr_expect_eq(t.sh, ds ? (sh == 1 ? 0 : sh) : 3, "SH0 %u: %u", sh, t.sh);
		}
	}
}

/* A walk of stage 1 whose table stage 2 cannot translate, at a level that only it has. */
Test(walk_wide_stage2, a_walk_of_stage_1_through_level_minus_1)
{
	struct arm_translation t;

	regime.stage2[0].vtcr = vtcr(&granules[0], 12, 4, true);
	regime.stage2[0].vttbr = TABLE_AT;
	regime.tcr = tcr_of(&granules[0], 16, false, false);
	regime.sctlr = 1;
	regime.ttbr0 = BIT(47);
	set_word(TABLE_AT, 0);
	cr_expect_not(arm_translate(&regime, 0, ARM_READ, 1, &t));
	cr_expect_eq(t.fsc, 0x2b);
	cr_assert(t.stage2);
	cr_assert(t.s1ptw);
	cr_expect_not(t.on_walk);
	nested();
	regime.stage2[0].vtcr = vtcr(&granules[0], 12, 4, true);
	regime.stage2[0].vttbr = UINT64_C(0x7000000000); /* nothing there */
	regime.sctlr = 0;
	cr_expect_not(arm_translate(&regime, 0, ARM_READ, 1, &t));
	cr_expect_eq(t.fsc, 0x13);
	cr_assert(t.stage2);
	cr_expect(t.on_walk);
}
