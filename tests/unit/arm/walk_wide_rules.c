/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features of addresses of 52 bits, one by one: which sizes and halves there are, what faults
 * and with which status code, and what else changes (Arm ARM D8.2, D8.3).
 */
#include <string.h>

#include "../compare.h"
#include "walk_wide.h"

TestSuite(walk_wide_rules, .init = reset);

Test(walk_wide_rules, a_walk_begins_where_txsz_says)
{
	FOR_EACH_GRANULE(g)
	{
		for (unsigned int txsz = 12; txsz <= g->last[4]; txsz++) {
			for (unsigned int n = 0; n < 4; n++) {
				struct walk w = walk_of(g, txsz, n & 1, n & 2);

				if (txsz < 16 && g->bits != 16 && !w.ds)
					continue;
				reset();
				build(&w, start_level(g, txsz), 0);
				cr_expect_eq(fault_of(w.va), code(TRANSLATION, w.start),
					     "granule %u TxSZ %u", g->bits, txsz);
				cr_expect_eq(reads, 1);
			}
		}
	}
}

/* Least and most TxSZ; outside, a translation fault of level 0 without a look at memory. */
static const struct {
	struct arm_walk_features features;
	unsigned int granule;
	bool ds;
	unsigned int least, most;
} sizes[] = {
	{{0}, 12, false, 16, 39},
	{{0}, 12, true, 16, 39},
	{{0}, 14, true, 16, 39},
	{{0}, 16, true, 16, 39},
	{{.lva = true}, 12, true, 16, 39},
	{{.lva = true}, 14, true, 16, 39},
	{{.lva = true}, 16, false, 12, 39},
	{{.lva = true}, 16, true, 12, 39},
	{{.lpa2_4k = true}, 12, false, 16, 39},
	{{.lpa2_4k = true}, 12, true, 12, 39},
	{{.lpa2_4k = true}, 14, true, 16, 39},
	{{.lpa2_4k = true}, 16, true, 16, 39},
	{{.lpa2_16k = true}, 12, true, 16, 39},
	{{.lpa2_16k = true}, 14, false, 16, 39},
	{{.lpa2_16k = true}, 14, true, 12, 39},
	{{.ttst = true}, 12, false, 16, 48},
	{{.ttst = true}, 14, false, 16, 48},
	{{.ttst = true}, 16, false, 16, 47},
};

Test(walk_wide_rules, sizes_of_each_feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct granule *g = &granules[(sizes[i].granule - 12) / 2];

		regime.features = sizes[i].features;
		for (unsigned int n = 0; n < 128; n++) {
			const unsigned int txsz = n & 63;
			const bool high = n >> 6;
			const bool valid = txsz >= sizes[i].least && txsz <= sizes[i].most;
			uint8_t fsc;

			regime.tcr = tcr_of(g, txsz, sizes[i].ds, high);
			fsc = fault_of(high ? ~UINT64_C(0) : 0);
			cr_expect_eq(fsc,
				     valid ? code(EXTERNAL_WALK, start_level(g, txsz))
					   : TRANSLATION,
				     "row %zu TxSZ %u: %#x", i, txsz, fsc);
			cr_expect_eq(reads, valid);
		}
	}
}

Test(walk_wide_rules, a_table_that_is_not_there_is_an_external_abort_at_its_level)
{
	FOR_EACH_GRANULE(g)
	{
		for (int level = start_level(g, 12); level <= 3; level++) {
			struct walk w = walk_of(g, 12, true, false);
			struct arm_translation t;

			reset();
			build(&w, 3, AF | PAGE_OR_TABLE);
			words[level - w.start].pa ^= BIT(51);
			cr_expect_not(arm_translate(&regime, w.va, ARM_READ, 1, &t));
			cr_expect_eq(t.fsc, code(EXTERNAL_WALK, level), "granule %u level %d: %#x",
				     g->bits, level, t.fsc);
			cr_expect(t.on_walk);
		}
	}
}

Test(walk_wide_rules, shareability_is_in_tcr_where_the_address_has_its_place)
{
	for (unsigned int n = 0; n < 3 * 4 * 16; n++) {
		const struct granule *g = &granules[n % 3];
		const bool ds = n / 3 & 1, high = n / 3 & 2;
		const unsigned int in_tcr = n / 12 & 3, in_descriptor = n / 48 & 3;
		struct walk w = walk_of(g, 16, ds, high);
		struct arm_translation t;

		reset();
		build(&w, 3, AF | in_descriptor << 8 | PAGE_OR_TABLE);
		regime.tcr |= (uint64_t)in_tcr << (high ? 28 : 12);
		/* The other half's is another one. */
		regime.tcr |= (uint64_t)(in_tcr ^ 1) << (high ? 12 : 28);
		cr_assert(arm_translate(&regime, w.va, ARM_READ, 1, &t));
		cr_expect_eq(t.sh, form_of(g, ds) == LPA2 ? in_tcr : in_descriptor);
	}
}

Test(walk_wide_rules, access_flag_and_permission_of_a_block_of_level_0)
{
	struct walk w = walk_of(&granules[0], 12, true, false);
	struct arm_translation t;

	build(&w, 0, output(LPA2, UINT64_C(5) << 48) | BLOCK);
	cr_expect_eq(fault_of(w.va), ACCESS_FLAG);
	build(&w, 0, output(LPA2, UINT64_C(5) << 48) | AF | BIT(7) | BLOCK);
	cr_expect_eq(pa_of(w.va), UINT64_C(5) << 48 | (w.va & BITS(38, 0)));
	cr_expect_not(arm_translate(&regime, w.va, ARM_WRITE, 1, &t));
	cr_expect_eq(t.fsc, PERMISSION);
}

/* Descriptors keep where hardware writes to them the bits of address that they have elsewhere. */
Test(walk_wide_rules, hardware_updates_a_descriptor_beyond_48_bits)
{
	FOR_EACH_GRANULE(g)
	{
		struct walk w = walk_of(g, 12, true, true);
		const enum form form = form_of(g, true);
		const uint64_t page = output(form, UINT64_C(0x000f812345670000)) | PAGE_OR_TABLE;
		struct arm_translation t;
		uint64_t *leaf;

		reset();
		build(&w, 3, page | BIT(51) | BIT(7));
		regime.tcr |= BIT(39) | BIT(40); /* HA, HD */
		leaf = word_at(descriptor_pa(&w, 3));
		cr_assert_gt(descriptor_pa(&w, 3), BIT(48));
		regime.keep = true;
		cr_expect(arm_translate(&regime, w.va, ARM_WRITE, 1, &t));
		cr_expect_eq(*leaf, page | BIT(51) | BIT(7));
		regime.keep = false;
		cr_expect(arm_translate(&regime, w.va, ARM_READ, 1, &t));
		cr_expect_eq(*leaf, page | BIT(51) | BIT(7) | AF);
		cr_expect(arm_translate(&regime, w.va, ARM_WRITE, 1, &t));
		cr_expect_eq(*leaf, page | BIT(51) | AF);
		cr_expect_eq(t.pa, UINT64_C(0x000f812345670000) | (w.va & BITS(g->bits - 1, 0)));
	}
}

Test(walk_wide_rules, addresses_outside_52_bits_fault_at_level_0)
{
	FOR_EACH_GRANULE(g)
	{
		for (unsigned int high = 0; high < 2; high++) {
			struct walk w = walk_of(g, 12, true, high);

			reset();
			build(&w, 3, AF | PAGE_OR_TABLE);
			(void)pa_of(w.va);
			(void)pa_of(w.va ^ 1);
			for (unsigned int bit = 52; bit < 64; bit++) {
				if (bit != 55)
					cr_expect_eq(fault_of(w.va ^ BIT(bit)), TRANSLATION);
			}
			cr_expect_eq(reads, 0);
			regime.tcr |= BIT(37) | BIT(38); /* TBI0, TBI1 */
			for (unsigned int bit = 52; bit < 64; bit++) {
				if (bit >= 56)
					(void)pa_of(w.va ^ BIT(bit));
				else if (bit != 55)
					cr_expect_eq(fault_of(w.va ^ BIT(bit)), TRANSLATION);
			}
		}
	}
}

/* TCR_EL2 and TCR_EL3 have DS in bit 32, PS in [18:16]; there is but one half. */
Test(walk_wide_rules, regimes_of_one_range)
{
	static const enum arm_regime_kind kinds[] = {ARM_REGIME_EL2, ARM_REGIME_EL3};

	for (unsigned int n = 0; n < 6; n++) {
		const struct granule *g = &granules[n % 3];
		struct walk w = walk_of(g, 12, true, false);
		const uint64_t page = output(form_of(g, true), UINT64_C(0x000c812345670000));
		struct arm_translation t;

		reset();
		build(&w, 3, page | AF | PAGE_OR_TABLE);
		regime.kind = kinds[n / 3];
		regime.security = n / 3 ? ARM_ROOT : ARM_NON_SECURE;
		regime.tcr = BIT(32) | 6 << 16 | 2 << 12 | g->tg0 << 14 | 12;
		cr_assert(arm_translate(&regime, w.va, ARM_READ, 1, &t), "%u: %#x", n, t.fsc);
		cr_expect_eq(t.pa & ~BITS(g->bits - 1, 0), UINT64_C(0x000c812345670000));
		cr_expect_eq(t.sh, g->bits == 16 ? 0 : 2);
		cr_expect_eq(fault_of(w.va | BIT(55)), TRANSLATION);
		cr_expect_eq(fault_of(w.va | BITS(63, 52)), TRANSLATION);
		regime.tcr ^= BIT(32) | BIT(59);
		if (g->bits != 16)
			cr_expect_eq(fault_of(w.va), TRANSLATION, "without DS, TxSZ is too small");
	}
}

Test(walk_wide_rules, e0pd_hides_a_half_from_el0)
{
	for (unsigned int n = 0; n < 16; n++) {
		const bool high = n & 1, e0pd = n & 8;
		struct walk w = walk_of(&granules[0], 16, false, high);
		struct arm_translation t;
		bool reaches;

		reset();
		regime.features.e0pd = e0pd;
		build(&w, 3, AF | BIT(6) | PAGE_OR_TABLE);
		regime.tcr |= (uint64_t)(n >> 1 & 3) << 55;
		reaches = !(e0pd && (n >> 1 & (high ? 2 : 1)));
		cr_expect_eq(arm_translate(&regime, w.va, ARM_READ, 0, &t), reaches, "%u", n);
		if (!reaches)
			cr_expect_eq(t.fsc, TRANSLATION);
		cr_expect(arm_translate(&regime, w.va, ARM_READ, 1, &t));
	}
}

Test(walk_wide_rules, without_translation_52_bits_are_physical)
{
	regime.sctlr = 0;
	cr_expect_eq(pa_of(BITS(51, 4)), BITS(51, 4));
	cr_expect_eq(fault_of(BIT(52)), ADDRESS_SIZE);
	regime.pa_bits = 48;
	cr_expect_eq(fault_of(BIT(48)), ADDRESS_SIZE);
}

Test(walk_wide_rules, what_id_registers_say)
{
	static const uint8_t ranges[] = {32, 36, 40, 42, 44, 48, 52, 52};
	static const struct {
		uint64_t mmfr0, mmfr1, mmfr2;
		struct arm_walk_features features;
	} rows[] = {
		{UINT64_C(15) << 28 | BIT(20), 0, 0, {0}},
		{BIT(28), 0, 0, {.lpa2_4k = true}},
		{BIT(21), 0, 0, {.lpa2_16k = true}},
		{0, 1, 0, {.access_flag = true}},
		{0, 2, 0, {.access_flag = true, .dirty = true}},
		{0, BIT(12), 0, {.hpds = true}},
		{0, 0, BIT(16), {.lva = true}},
		{0, 0, BIT(28), {.ttst = true}},
		{0, 0, BIT(60), {.e0pd = true}},
	};

	for (unsigned int i = 0; i < 8; i++)
		cr_expect_eq(arm_pa_bits(0x0f100120 | i), ranges[i]);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct arm_walk_features f =
			arm_walk_features(rows[i].mmfr0, rows[i].mmfr1, rows[i].mmfr2);

		cr_expect_arr_eq(&f, &rows[i].features, sizeof(f), "row %zu", i);
	}
}

/* Without the feature a bit of TCR_EL1 does not count. */
Test(walk_wide_rules, hardware_updates_and_hpd_are_features)
{
	for (unsigned int n = 0; n < 8; n++) {
		const bool access_flag = n & 1, dirty = n & 2, hpds = n & 4;
		struct walk w = walk_of(&granules[0], 16, false, false);
		struct arm_translation t;

		reset();
		regime.features.access_flag = access_flag;
		regime.features.dirty = dirty;
		regime.features.hpds = hpds;
		build(&w, 3, PAGE_OR_TABLE);
		regime.tcr |= BIT(39) | BIT(40) | BIT(41); /* HA, HD, HPD0 */
		cr_expect_eq(arm_translate(&regime, w.va, ARM_READ, 1, &t), access_flag);
		set_word(descriptor_pa(&w, 3), AF | BIT(51) | BIT(7) | PAGE_OR_TABLE);
		cr_expect_eq(arm_translate(&regime, w.va, ARM_WRITE, 1, &t), access_flag && dirty);
		set_word(descriptor_pa(&w, 3), AF | PAGE_OR_TABLE);
		*word_at(descriptor_pa(&w, 2)) |= BIT(62); /* APTable[1] */
		cr_expect_eq(arm_translate(&regime, w.va, ARM_WRITE, 1, &t), hpds);
	}
}
