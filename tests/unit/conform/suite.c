/* SPDX-License-Identifier: BSD-2-Clause */
/* Exploration of all combinations, and the list of points. */
#include "../compare.h"
#include "conform/suite.h"

#include <string.h>

/* PMSCR_EL2 at EL3 is reached directly: so says this, but for one combination of three bits. */
static struct outcome direct_but_for_one(const void *ctx, struct world *w, unsigned int reg,
					 bool write)
{
	const struct outcome direct = {.kind = SYSREG_DIRECT, .reg = reg};

	(void)write;
	if (!world_is(w, WORLD_FEAT_SPE))
		return (struct outcome){.kind = SYSREG_UNDEFINED};
	if (ctx && world_is(w, WORLD_HCR_EL2_E2H) && world_is(w, WORLD_HCR_EL2_NV) &&
	    world_is(w, WORLD_SCR_EL3_NS))
		return (struct outcome){.kind = SYSREG_TRAP, .target_el = 2};
	return direct;
}

/* At EL3 a PE has EL3, and is not halted with EDSCR.SDD: 1 of 2 times 3 of 4 combinations. */
Test(explore, every_combination_once)
{
	const struct reference right = {direct_but_for_one, NULL};
	const struct reference wrong = {direct_but_for_one, &right};
	struct exploration e;

	explore(&subject_libvspe, &right, SYSREG_PMSCR_EL2, false, 3, NULL, &e);
	cr_assert_eq(e.bits, 4); /* EL3, halted, SDD, FEAT_SPE */
	cr_assert_eq(e.combinations, 6);
	cr_assert_eq(e.impossible, 10);
	cr_assert_eq(e.different, 0);
	explore(&subject_libvspe, &wrong, SYSREG_PMSCR_EL2, false, 3, NULL, &e);
	cr_assert_eq(e.bits, 7);
	cr_assert_eq(e.combinations, 48);
	cr_assert_eq(e.combinations + e.impossible, 128);
	/* FEAT_SPE and the three bits: 1 in 16. */
	cr_assert_eq(e.different, 3);
	cr_assert_eq(e.kinds[SYSREG_TRAP], 3);
	cr_assert_eq(e.kinds[SYSREG_UNDEFINED], 24);
	/* The first is shown without what has no part in it. */
	cr_assert_eq(e.first.got.kind, VSPE_SUBJECT_DIRECT);
	cr_assert_eq(e.first.expected.kind, VSPE_SUBJECT_TRAP);
	cr_assert_eq(e.first.controls.c.hcr_el2, UINT64_C(1) << 34 | UINT64_C(1) << 42);
	cr_assert_eq(e.first.controls.c.scr_el3, 1);
	cr_assert_eq(e.first.controls.c.mdcr_el2, 0);
}

static struct outcome asks_for_all(const void *ctx, struct world *w, unsigned int reg, bool write)
{
	bool any = false;

	(void)ctx, (void)reg, (void)write;
	for (unsigned int bit = 0; bit <= EXPLORE_BITS_MAX + 1 && !any; bit++)
		any = world_is(w, WORLD_HDFGRTR_EL2_PMSCR_EL1 + bit % 26) ||
		      world_is(w, WORLD_HCR_EL2_TGE + bit);
	return (struct outcome){.kind = SYSREG_UNDEFINED};
}

Test(explore, what_depends_on_too_much_is_not_tried)
{
	const struct reference reference = {asks_for_all, NULL};
	struct exploration e;

	explore(&subject_libvspe, &reference, SYSREG_PMSCR_EL2, false, 0, NULL, &e);
	cr_assert(e.too_wide);
	cr_assert_gt(e.bits, EXPLORE_BITS_MAX);
	cr_assert_eq(e.combinations, 0);
}

/* A feature without the one it needs is no PE. */
static struct outcome asks_for_nv2(const void *ctx, struct world *w, unsigned int reg, bool write)
{
	(void)ctx, (void)reg, (void)write;
	world_is(w, WORLD_FEAT_NV);
	world_is(w, WORLD_FEAT_NV2);
	if (w->asked < 0 && world_is(w, WORLD_FEAT_NV2) && !world_is(w, WORLD_FEAT_NV))
		return (struct outcome){.kind = SYSREG_NVMEM};
	return (struct outcome){.kind = SYSREG_UNDEFINED};
}

Test(explore, features_that_do_not_go_together_are_left_out)
{
	const struct reference reference = {asks_for_nv2, NULL};
	struct exploration e;

	explore(&subject_libvspe, &reference, SYSREG_PMSCR_EL2, false, 0, NULL, &e);
	cr_assert_eq(e.different, 0);
	cr_assert_eq(e.kinds[SYSREG_NVMEM], 0);
	cr_assert_gt(e.impossible, 0);
}

/* The second statement agrees with the library; PMBSR_EL1 at EL1 is left to the whole suite. */
Test(explore, statement)
{
	for (unsigned int n = 0; n < 8 * SYSREG_COUNT; n++) {
		const enum sysreg_id reg = (enum sysreg_id)(n / 8);
		struct exploration e;

		if (reg == SYSREG_PMBSR_EL1 && (n & 3) == 1)
			continue;
		explore(&subject_libvspe, &reference_statement, reg, n & 4, n & 3, NULL, &e);
		cr_assert_eq(e.different, 0, "%s", sysreg_name(reg));
		cr_assert_gt(e.combinations, 0);
	}
}

/* The same of the PMU's, where that takes a moment: what is left is for the whole suite. */
Test(explore, statement_of_the_pmu)
{
	for (unsigned int n = 0; n < 8 * PMU_REGISTERS; n++) {
		const unsigned int reg = SUBJECT_PMU + n / 8;
		struct exploration e;

		if ((n & 2) == 0 && reg != SUBJECT_PMU + PMU_PMUACR_EL1 &&
		    reg != SUBJECT_PMU + PMU_PMUSERENR_EL0)
			continue;
		explore(&subject_libvspe, &reference_statement, reg, n & 4, n & 3, NULL, &e);
		cr_assert_eq(e.different, 0, "%s", subject_name(reg));
		cr_assert_gt(e.combinations, 0);
	}
}

/* Encodings and names are the library's, and lead back. */
Test(subject, names_and_encodings)
{
	for (unsigned int reg = 0; reg < SUBJECT_COUNT; reg++) {
		const char *name;

		if (reg == SUBJECT_NONE)
			continue;
		name = subject_name(reg);
		cr_assert_eq(subject_find(name, strlen(name)), reg, "%s", name);
		cr_assert_eq(subject_of_encoding(subject_stated_encoding(reg)), reg, "%s", name);
	}
	cr_assert_eq(subject_find("PMEVTYPER<m>_EL0", 16), SUBJECT_PMU + PMU_PMEVTYPER0_EL0);
	cr_assert_eq(subject_find("PMECR_EL1", 9), SUBJECT_NONE);
	cr_assert_eq(subject_index(SUBJECT_PMU + PMU_PMEVCNTR30_EL0), 30);
}

Test(suite, shards_are_the_whole)
{
	const struct suite_subject library = {.is = &subject_libvspe};
	struct suite whole, shard;
	size_t together = 0;

	suite_build(&whole, &library, NULL, false);
	for (size_t i = 1; i <= 5; i++) {
		suite_build(&shard, &library, NULL, false);
		suite_shard(&shard, i, 5);
		for (size_t k = 0; k < shard.count; k++)
			cr_assert_str_eq(shard.points[k].name, whole.points[5 * k + i - 1].name);
		together += shard.count;
		suite_free(&shard);
	}
	cr_assert_eq(together, whole.count);
	suite_free(&whole);
}

/* Every control bit that the suite knows lies where the library's table of fields has it. */
Test(world, fields_are_the_librarys)
{
	size_t count, found = 0;
	const struct sysreg_field *f = sysreg_fields(&count);

	for (size_t i = 0; i < count; i++) {
		const struct world_field *mine;

		if (!f[i].name)
			continue;
		mine = world_find_field(f[i].reg, strlen(f[i].reg), f[i].name, strlen(f[i].name));
		cr_assert(mine, "%s.%s", f[i].reg, f[i].name);
		cr_assert_eq(mine->lsb, f[i].lsb, "%s.%s", f[i].reg, f[i].name);
		cr_assert_eq(mine->width, f[i].width, "%s.%s", f[i].reg, f[i].name);
		found++;
	}
	cr_assert_gt(found, 40);
}
