/* SPDX-License-Identifier: BSD-2-Clause */
/* Every register: what can be written, what reads as zero, by version and feature; reset values. */
#include "fixture.h"

#define ALL  UINT64_MAX
#define NONE UINT64_C(0)

/* Fields of each register, from its page, as bits that keep what is written. */
struct row {
	enum sysreg_id reg;
	uint64_t v1p0, v1p1, v1p2, v1p3;
};

#define SAME(mask)	      (mask), (mask), (mask), (mask)
#define FROM_V1P2(mask, more) (mask), (mask), (mask) | (more), (mask) | (more)

static const struct row rows[] = {
	{SYSREG_PMSCR_EL1, SAME(0x7b)},
	{SYSREG_PMSCR_EL12, SAME(0x7b)},
	{SYSREG_PMSCR_EL2, SAME(0x7b)},
	{SYSREG_PMSICR_EL1, SAME(0xff000000ffffffff)},
	{SYSREG_PMSIRR_EL1, SAME(0xffffff01)},
	{SYSREG_PMSFCR_EL1, FROM_V1P2(0x70007, 0x8)},
	/* 1 (ignored), 3, 5, 7; 2 and 4, optional; 11 from v1p1; 6 from v1p2 */
	{SYSREG_PMSEVFR_EL1, 0xbe, 0x8be, 0x8fe, 0x8fe},
	{SYSREG_PMSNEVFR_EL1, 0, 0, 0x8fe, 0x8fe},
	{SYSREG_PMSLATFR_EL1, SAME(0xfff)},
	{SYSREG_PMBLIMITR_EL1, FROM_V1P2(0xfffffffffffff007, 0x20)},
	{SYSREG_PMBPTR_EL1, SAME(ALL)},
	{SYSREG_PMBSR_EL1, SAME(0x00fffffffc0fffff)},
	{SYSREG_PMBSR_EL12, SAME(0x00fffffffc0fffff)},
	/* of features that are not there */
	{SYSREG_PMSDSFR_EL1, SAME(NONE)},
	{SYSREG_PMBMAR_EL1, SAME(NONE)},
	{SYSREG_PMBSR_EL2, SAME(NONE)},
	{SYSREG_PMBSR_EL3, SAME(NONE)},
};

/* A unit of a PE with EL2 that profiles nothing, so that no counter moves. */
static void idle(struct fixture *f, enum spe_version version)
{
	fixture_init(f, version);
	f->controls.features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3;
	f->controls.el = 3;
	spe_reset(&f->unit);
	spe_update(&f->unit, &f->controls);
}

Test(registers, writable_bits_of_every_register_and_version)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P3; v++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const struct row *row = &rows[i];
			const uint64_t masks[] = {row->v1p0, row->v1p1, row->v1p2, row->v1p3};
			uint64_t mask = masks[v - SPE_V1P0], value;
			struct fixture f;

			idle(&f, v);
			spe_write(&f.unit, row->reg, ALL);
			value = fixture_read(&f, row->reg);
			cr_assert(value == mask, "row %zu, version %d: reads 0x%llx, not 0x%llx", i,
				  (int)v, (unsigned long long)value, (unsigned long long)mask);
			for (unsigned int bit = 0; bit < 64; bit++) {
				spe_write(&f.unit, row->reg, UINT64_C(1) << bit);
				eq(fixture_read(&f, row->reg), mask & UINT64_C(1) << bit);
			}
			spe_write(&f.unit, row->reg, 0);
			eq(fixture_read(&f, row->reg), 0);
		}
	}
}

/* A write changes its own register, and the other name of it, alone. */
Test(registers, no_write_reaches_another_register)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++) {
		uint64_t before[SYSREG_COUNT];
		struct fixture f;

		idle(&f, SPE_V1P2);
		for (enum sysreg_id other = 0; other < SYSREG_COUNT; other++)
			before[other] = fixture_read(&f, other);
		spe_write(&f.unit, reg, ALL);
		for (enum sysreg_id other = 0; other < SYSREG_COUNT; other++) {
			bool alias = (reg == SYSREG_PMSCR_EL1 && other == SYSREG_PMSCR_EL12) ||
				     (reg == SYSREG_PMSCR_EL12 && other == SYSREG_PMSCR_EL1) ||
				     (reg == SYSREG_PMBSR_EL1 && other == SYSREG_PMBSR_EL12) ||
				     (reg == SYSREG_PMBSR_EL12 && other == SYSREG_PMBSR_EL1);

			if (other != reg && !alias)
				eq(fixture_read(&f, other), before[other]);
			if (alias)
				eq(fixture_read(&f, other), fixture_read(&f, reg));
		}
	}
}

Test(registers, reset_clears_everything_and_profiling_stops)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.controls.features |= SYSREG_FEAT_EL2;
	f.controls.mdcr_el2 = 0x3000;
	spe_update(&f.unit, &f.controls);
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		spe_write(&f.unit, reg, ALL);
	eq(spe_irq_level(&f.unit), 1);
	spe_reset(&f.unit);
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		if (reg != SYSREG_PMSIDR_EL1 && reg != SYSREG_PMBIDR_EL1)
			eq(fixture_read(&f, reg), 0);
	eq(spe_irq_level(&f.unit), 0);
	eq(spe_enabled(&f.unit), 0);
	eq(spe_budget(&f.unit), UINT64_MAX);
}

Test(registers, ecount_is_res0_without_ernd)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.ernd = false;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, 0);
	spe_write(&f.unit, SYSREG_PMSICR_EL1, ALL);
	eq(fixture_read(&f, SYSREG_PMSICR_EL1), 0xffffffff);
}

Test(registers, minlat_has_as_many_bits_as_the_counters)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.count_size = 16;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSLATFR_EL1, ALL);
	eq(fixture_read(&f, SYSREG_PMSLATFR_EL1), 0xffff);
}

Test(registers, limit_loses_bits_with_a_larger_smallest_granule)
{
	static const struct {
		uint8_t granule;
		uint64_t mask;
	} cases[] = {{12, ~UINT64_C(0xfff)}, {14, ~UINT64_C(0x3fff)}, {16, ~UINT64_C(0xffff)}};

	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.granule = cases[i].granule;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, ~UINT64_C(0xfff));
		eq(fixture_read(&f, SYSREG_PMBLIMITR_EL1), cases[i].mask);
	}
}

/* Without EL2 there is no virtual offset to choose: PCT reads as 0b01 and ignores writes. */
Test(registers, pct_is_fixed_without_el2)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	eq(fixture_read(&f, SYSREG_PMSCR_EL1), PCT);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, ALL);
	eq(fixture_read(&f, SYSREG_PMSCR_EL1), 0x7b);
}

Test(registers, optional_events_can_be_filtered_on_when_reported)
{
	uint64_t optional = 0xffff0000ff00f714;
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.events = optional;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSEVFR_EL1, ALL);
	eq(fixture_read(&f, SYSREG_PMSEVFR_EL1), optional | 0x8ea);
	spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, ALL);
	eq(fixture_read(&f, SYSREG_PMSNEVFR_EL1), optional | 0x8ea);
}

/* PMSIDR_EL1 field by field. */
Test(registers, pmsidr_says_what_is_configured)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x2607f);
	f.config.arch_inst = false;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x26077);
	f.config.lds = false;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x26067);
	f.config.ernd = false;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x26047);
	f.config.count_size = 16;
	f.config.max_size = 11;
	f.config.interval = 8;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x3b847);
	spe_write(&f.unit, SYSREG_PMSIDR_EL1, 0);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x3b847);
	fixture_init(&f, SPE_V1P1);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x2603f);
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P3; v++) {
		fixture_init(&f, v);
		eq(spe_pmsver(&f.unit), v);
	}
}

Test(registers, pmbidr_says_what_is_configured)
{
	static const struct {
		enum spe_external_abort policy;
		uint64_t ea;
	} cases[] = {{SPE_ABORT_SYNC, 0},
		     {SPE_ABORT_ASYNC, 0},
		     {SPE_ABORT_IGNORE, 0x100},
		     {SPE_ABORT_SERROR, 0x200}};
	struct fixture f;

	for (size_t i = 0; i < 4; i++) {
		fixture_init(&f, SPE_V1P2);
		f.config.external_abort = cases[i].policy;
		fixture_start(&f);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1), 0x26 | cases[i].ea);
		f.config.align = 0;
		f.config.flag_update = false;
		fixture_start(&f);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1), cases[i].ea);
		spe_write(&f.unit, SYSREG_PMBIDR_EL1, ALL);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1), cases[i].ea);
	}
}
