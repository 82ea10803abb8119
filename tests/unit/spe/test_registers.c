/* SPDX-License-Identifier: BSD-2-Clause */
/* Every register: what can be written, what reads as zero, by version and feature; reset values. */
#include "../../array.h"
#include "fixture.h"

#define ALL  UINT64_MAX
#define NONE UINT64_C(0)

/*
 * Fields of each register, from its page, as bits that keep what is written: for v1p0 to v1p5 with
 * the features of spe_config_defaults(), on a PE with EL2 and EL3 and without FEAT_NV and FEAT_ECV.
 */
struct row {
	enum sysreg_id reg;
	uint64_t masks[6];
};

#define SAME(mask)                                             \
	{                                                      \
		(mask), (mask), (mask), (mask), (mask), (mask) \
	}
#define FROM_V1P5(mask)                              \
	{                                            \
		NONE, NONE, NONE, NONE, NONE, (mask) \
	}
#define PMBSR_FIELDS UINT64_C(0x00fffffffc0fffff)

static const struct row rows[] = {
	/* E0SPE, E1SPE, CX, PA, TS, PCT[0]; with EXC EE and KE; EnVM is EL2's */
	{SYSREG_PMSCR_EL1, {0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x77b}},
	{SYSREG_PMSCR_EL12, {0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x77b}},
	{SYSREG_PMSCR_EL2, {0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0xf7b}},
	{SYSREG_PMSICR_EL1, SAME(0xff000000ffffffff)},
	{SYSREG_PMSIRR_EL1, SAME(0xffffff01)},
	/* FE, FT, FL, B, LD, ST; FnE; FDS; FP, SIMD and the masks */
	{SYSREG_PMSFCR_EL1, {0x70007, 0x70007, 0x7000f, 0x7000f, 0x7001f, 0x001f0000001f001f}},
	/* 1 (ignored), 3, 5, 7; 2 and 4, optional before v1p4; 11 from v1p1; 6 from v1p2 */
	{SYSREG_PMSEVFR_EL1, {0xbe, 0x8be, 0x8fe, 0x8fe, 0x8fe, 0x8fe}},
	{SYSREG_PMSNEVFR_EL1, {0, 0, 0x8fe, 0x8fe, 0x8fe, 0x8fe}},
	{SYSREG_PMSLATFR_EL1, SAME(0xfff)},
	{SYSREG_PMSDSFR_EL1, {NONE, NONE, NONE, NONE, ALL, ALL}},
	/* LIMIT, FM, E; PMFZ; nVM */
	{SYSREG_PMBLIMITR_EL1,
	 {0xfffffffffffff007, 0xfffffffffffff007, 0xfffffffffffff027, 0xfffffffffffff027,
	  0xfffffffffffff027, 0xfffffffffffff0a7}},
	{SYSREG_PMBPTR_EL1, SAME(ALL)},
	{SYSREG_PMBSR_EL1, SAME(PMBSR_FIELDS)},
	{SYSREG_PMBSR_EL12, SAME(PMBSR_FIELDS)},
	{SYSREG_PMBSR_EL2, FROM_V1P5(PMBSR_FIELDS)},
	{SYSREG_PMBSR_EL3, FROM_V1P5(PMBSR_FIELDS)},
	{SYSREG_PMBMAR_EL1, FROM_V1P5(0x3ff)},
};

/* A unit of a PE with EL2 that profiles nothing, so that no counter moves. */
static void idle_again(struct fixture *f)
{
	fixture_start(f);
	f->controls.features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3;
	f->controls.el = 3;
	spe_reset(&f->unit);
	spe_update(&f->unit, &f->controls);
}

static void idle(struct fixture *f, enum spe_version version)
{
	fixture_init(f, version);
	idle_again(f);
}

static void keeps(struct fixture *f, enum sysreg_id reg, uint64_t mask)
{
	uint64_t value;

	spe_write(&f->unit, reg, ALL);
	value = fixture_read(f, reg);
	cr_assert_eq(value, mask, "%s, v1p%d: reads 0x%llx, not 0x%llx", sysreg_name(reg),
		     (int)f->config.version - 1, (unsigned long long)value,
		     (unsigned long long)mask);
	for (unsigned int bit = 0; bit < 64; bit++) {
		spe_write(&f->unit, reg, UINT64_C(1) << bit);
		eq(fixture_read(f, reg), mask & UINT64_C(1) << bit);
	}
	spe_write(&f->unit, reg, 0);
	eq(fixture_read(f, reg), 0);
}

Test(registers, writable_bits_of_every_register_and_version)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct fixture f;

			idle(&f, v);
			keeps(&f, rows[i].reg, rows[i].masks[v - SPE_V1P0]);
		}
	}
}

/* The same with one feature or choice changed, or all of the kind. */
enum change {
	NO_FDS,
	EFT,
	NO_EFT,
	NVM,
	NO_NVM,
	NO_EXC,
	ECV,
	NV,
	COUNT16,
	SOURCES,
	NO_ERND,
	RES0_4,
	SVE,
	SME,
	TME,
	NO_EVENTS,
	ALL_EVENTS,
};

static void apply(struct fixture *f, enum change change)
{
	struct spe_config *c = &f->config;
	const bool v1p4 = c->version >= SPE_V1P4;

	c->incomplete = true;
	c->max_size = 8;
	switch (change) {
	case NO_FDS: c->fds = false; break;
	case EFT: c->eft = c->fpf = true; break;
	case NO_EFT: c->eft = c->fpf = false; break;
	case NVM: c->nvm = true; break;
	case NO_NVM: c->nvm = false; break;
	case NO_EXC: c->exc = false; break;
	case ECV: c->ecv = true; break;
	case NV: f->controls.features |= SYSREG_FEAT_NV; break;
	case COUNT16: c->count_size = 16; break;
	case SOURCES: c->sources = 0x4001; break;
	case NO_ERND: c->ernd = false; break;
	case RES0_4: c->pointer_res0 = 4; break;
	case SVE: c->sve = true; break;
	case SME: c->sme = true; break;
	case TME: c->tme = true; break;
	case NO_EVENTS: c->events = 0; break;
	case ALL_EVENTS:
		c->events = UINT64_C(0xffff00000000f714) | (v1p4 ? 0xf80000 : 0xff000000);
		break;
	}
}

/* RULE("IZZTZL"), RULE("RNYZKJ") */
Test(registers, writable_bits_by_feature)
{
	static const struct {
		enum spe_version version;
		enum change change;
		enum sysreg_id reg;
		uint64_t mask;
	} table[] = {
		{SPE_V1P4, NO_FDS, SYSREG_PMSDSFR_EL1, NONE},
		{SPE_V1P4, NO_FDS, SYSREG_PMSFCR_EL1, 0x7000f},
		{SPE_V1P4, SOURCES, SYSREG_PMSDSFR_EL1, 0x4001},
		{SPE_V1P0, EFT, SYSREG_PMSFCR_EL1, 0x001f0000001f0007},
		{SPE_V1P2, EFT, SYSREG_PMSFCR_EL1, 0x001f0000001f000f},
		{SPE_V1P5, NO_EFT, SYSREG_PMSFCR_EL1, 0x7001f},
		{SPE_V1P2, NVM, SYSREG_PMBLIMITR_EL1, 0xfffffffffffff0a7},
		{SPE_V1P2, NVM, SYSREG_PMBMAR_EL1, 0x3ff},
		{SPE_V1P2, NVM, SYSREG_PMSCR_EL2, 0x87b},
		{SPE_V1P2, NVM, SYSREG_PMSCR_EL1, 0x7b},
		{SPE_V1P5, NO_NVM, SYSREG_PMBLIMITR_EL1, 0xfffffffffffff027},
		{SPE_V1P5, NO_NVM, SYSREG_PMBMAR_EL1, NONE},
		{SPE_V1P5, NO_NVM, SYSREG_PMSCR_EL2, 0x77b},
		{SPE_V1P5, NO_EXC, SYSREG_PMSCR_EL2, 0x87b},
		{SPE_V1P5, NO_EXC, SYSREG_PMSCR_EL1, 0x7b},
		{SPE_V1P5, NO_EXC, SYSREG_PMBSR_EL2, NONE},
		{SPE_V1P5, NO_EXC, SYSREG_PMBSR_EL3, NONE},
		{SPE_V1P5, NO_EXC, SYSREG_PMBSR_EL1, PMBSR_FIELDS},
		{SPE_V1P0, ECV, SYSREG_PMSCR_EL1, 0xfb},
		{SPE_V1P0, ECV, SYSREG_PMSCR_EL2, 0xfb},
		{SPE_V1P5, ECV, SYSREG_PMSCR_EL2, 0xffb},
		{SPE_V1P5, NV, SYSREG_PMSCR_EL1, 0xf7b},
		{SPE_V1P4, NV, SYSREG_PMSCR_EL1, 0x7b},
		{SPE_V1P0, COUNT16, SYSREG_PMSLATFR_EL1, 0xffff},
		{SPE_V1P5, COUNT16, SYSREG_PMSLATFR_EL1, 0xffff},
		{SPE_V1P5, NO_ERND, SYSREG_PMSICR_EL1, 0xffffffff},
		{SPE_V1P2, RES0_4, SYSREG_PMBPTR_EL1, 0xfffffffffffffff0},
		/* 17 and 18 need v1p1; SME has 24 and 25 besides */
		{SPE_V1P0, SVE, SYSREG_PMSEVFR_EL1, 0xbe},
		{SPE_V1P1, SVE, SYSREG_PMSEVFR_EL1, 0x608be},
		{SPE_V1P1, SME, SYSREG_PMSEVFR_EL1, 0x30608be},
		{SPE_V1P5, SME, SYSREG_PMSNEVFR_EL1, 0x30608fe},
		{SPE_V1P0, TME, SYSREG_PMSEVFR_EL1, 0x100be},
		{SPE_V1P5, TME, SYSREG_PMSEVFR_EL1, 0x108fe},
		{SPE_V1P0, NO_EVENTS, SYSREG_PMSEVFR_EL1, 0xaa},
		{SPE_V1P3, NO_EVENTS, SYSREG_PMSEVFR_EL1, 0x8ea},
		{SPE_V1P4, NO_EVENTS, SYSREG_PMSEVFR_EL1, 0x8fe},
		/* 24 to 31 are the implementation's before v1p4, 19 to 23 have a meaning since. */
		{SPE_V1P0, ALL_EVENTS, SYSREG_PMSEVFR_EL1, 0xffff0000ff00f7be},
		{SPE_V1P3, ALL_EVENTS, SYSREG_PMSNEVFR_EL1, 0xffff0000ff00fffe},
		{SPE_V1P4, ALL_EVENTS, SYSREG_PMSEVFR_EL1, 0xffff000000f8fffe},
		{SPE_V1P5, ALL_EVENTS, SYSREG_PMSNEVFR_EL1, 0xffff000000f8fffe},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;

		fixture_init(&f, table[i].version);
		apply(&f, table[i].change);
		idle_again(&f);
		keeps(&f, table[i].reg, table[i].mask);
	}
}

/* A write changes its own register, and the other name of it, alone. */
Test(registers, no_write_reaches_another_register)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++) {
		uint64_t before[SYSREG_COUNT];
		struct fixture f;

		idle(&f, SPE_V1P5);
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

/* RULE("RKLGPG") */
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

/* PMSIDR_EL1 field by field. 0x2607f: FE, FT, FL, ArchInst, LDS, ERnd, FnE; MaxSize, CountSize. */
Test(registers, pmsidr_of_newer_features)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P4);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x020260ff); /* FDS, CRR */
	fixture_init(&f, SPE_V1P5);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x0f0260ff); /* PBT, EFT, FPF */
	f.config.pbt = false;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x0e0260ff);
	f.config.eft = f.config.fpf = f.config.fds = false;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), 0x0202607f);
	f.config.max_size = 7;
	f.config.sme = true;
	f.config.altclk = 15;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), UINT64_C(0x1f202707f));
	f.config.altclk = 1;
	fixture_start(&f);
	eq(fixture_read(&f, SYSREG_PMSIDR_EL1), UINT64_C(0x11202707f));
}

/* MaxBuffSize: M in [8:0], E in [13:9] of the field. */
Test(registers, pmbidr_says_the_largest_buffer)
{
	static const struct {
		uint64_t bytes, field;
	} table[] = {{0x1000, 1},
		     {0x1ff000, 511},
		     {0x200000, 1 << 9},
		     {0x3ff000, 1 << 9 | 511},
		     {0x400000, 2 << 9},
		     {0x402000, 2 << 9 | 1},
		     {UINT64_C(1023) << 42, 31 << 9 | 511}};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.max_buffer = table[i].bytes;
		fixture_start(&f);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1), table[i].field << 32 | 0x26);
	}
}

/* RULE("D18.1/format") */
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

/* What is no register of SPE reads as 0, and cannot be written. */
Test(registers, beyond_the_last)
{
	static const enum sysreg_id others[] = {SYSREG_COUNT, (enum sysreg_id)(SYSREG_COUNT + 7)};
	struct spe_unit before;
	struct fixture f;

	idle(&f, SPE_V1P5);
	before = f.unit;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		cr_assert_eq(spe_read(&f.unit, others[i]), 0);
		spe_write(&f.unit, others[i], ALL);
	}
	cr_assert_arr_eq(&before, &f.unit, sizeof(before));
}

/* All that can be written but PMBLIMITR_EL1.E and PMSCR_ELx.EE; other names have no bits. */
Test(registers, unknown_bits)
{
	static const enum spe_version versions[] = {SPE_V1P0, SPE_V1P1, SPE_V1P2,
						    SPE_V1P3, SPE_V1P4, SPE_V1P5};

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		struct fixture f;

		fixture_init(&f, versions[v]);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMBLIMITR_EL1) & LIMIT_E, 0);
		cr_expect_neq(spe_unknown_bits(&f.unit, SYSREG_PMBLIMITR_EL1) >> 12, 0);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMBSR_EL1), PMBSR_FIELDS);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMSCR_EL1) & EE(3), 0);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMSCR_EL1) & 0x3b, 0x3b);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMSCR_EL12), 0);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMBSR_EL12), 0);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMSIDR_EL1), 0);
		cr_expect_eq(spe_unknown_bits(&f.unit, SYSREG_PMSICR_EL1) & 0xffffffff, 0xffffffff);
		cr_expect_eq(spe_unknown_bits(&f.unit, (enum sysreg_id)SYSREG_COUNT), 0);
	}
}
