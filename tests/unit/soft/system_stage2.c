/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 2: where a walk begins, its faults, permissions of both stages together, stage 1's walks
 * through it (Arm ARM D8). The expectations are computed here from the rules, not by the walker.
 */

#include "../compare.h"
#include "system_fixture.h"

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_VM	BIT(0)
#define HCR_PTW BIT(2)
#define HCR_DC	BIT(12)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)

#define VTCR_HA	   BIT(21)
#define VTCR_HD	   BIT(22)
#define VTCR_PS_40 (UINT64_C(2) << 16)

#define AF	 BIT(10)
#define S2_READ	 BIT(6)
#define S2_WRITE BIT(7)
#define S2_RW	 (S2_READ | S2_WRITE)
#define S2_DBM	 BIT(51)
#define S2_XN	 BIT(54)
#define S2_NORM	 (UINT64_C(0xf) << 2)

/* The tests' tables: of stage 2 by level, of stage 1. */
#define S1_TABLES (RAM_BASE + 0xa0000)

static void hypervisor(void)
{
	fixture_reset();
	cpu.sys.levels.el2 = true;
	fixture_levels(cpu.sys.levels);
	cpu.sys.controls.hcr_el2 = HCR_VM;
}

TestSuite(system_stage2, .init = hypervisor);

static const struct granule {
	unsigned int bits, tg0;
	unsigned int level_of_sl0[4]; /* 9: reserved without FEAT_TTST and FEAT_LPA2 */
	unsigned int lowest;	      /* the first level at which 40 bits of address may begin */
} granules[] = {
	{12, 0, {2, 1, 0, 9}, 1},
	{14, 2, {3, 2, 1, 9}, 2},
	{16, 1, {3, 2, 1, 9}, 2},
};

static unsigned int shift_of(const struct granule *g, unsigned int level)
{
	return g->bits + (g->bits - 3) * (3 - level);
}

static uint64_t table_at(unsigned int level)
{
	return RAM_BASE + 0x10000 * (level + 1);
}

/* Stage 2 tables from level start down to end for ipa; returns the last descriptor. */
static uint64_t *build(const struct granule *g, unsigned int input, unsigned int start,
		       unsigned int sl0, unsigned int end, uint64_t ipa)
{
	uint64_t *descriptor = NULL;

	cpu.sys.vtcr_el2 = VTCR_PS_40 | (64 - input) | (uint64_t)sl0 << 6 | (uint64_t)g->tg0 << 14;
	cpu.sys.vttbr_el2 = RAM_BASE;
	for (unsigned int level = start; level <= end; level++) {
		uint64_t index = ipa >> shift_of(g, level);
		uint64_t table = level == start ? RAM_BASE : table_at(level);

		if (level != start)
			index &= BIT(g->bits - 3) - 1;
		descriptor = ram_word(table + index * 8);
		*descriptor = table_at(level + 1) | 3;
	}
	return descriptor;
}

/* Identity pages of 4K for all of RAM: 32 bits of IPA from level 1. */
static uint64_t *identity(uint64_t ipa, uint64_t attributes)
{
	uint64_t *at = build(&granules[0], 32, 1, 1, 3, ipa);

	*at = (ipa & ~UINT64_C(0xfff)) | attributes | 3;
	return at;
}

static struct arm_translation walk(uint64_t va, enum arm_access access, unsigned int el)
{
	struct arm_translation t;

	cr_assert_eq(soft_translate(&cpu, va, access, el, &t), !t.fault);
	return t;
}

static uint64_t leaf_bits(unsigned int level)
{
	return level == 3 ? 3 : 1;
}

/*
 * Every granule, size and SL0: a walk begins where SL0 says if that level is not reserved and
 * resolves at least 1 bit and at most 4 more than a table has; otherwise there is a translation
 * fault at level 0.
 */
Test(system_stage2, where_a_walk_begins)
{
	unsigned int good = 0;

	for (unsigned int n = 0; n < 3 * 64 * 4; n++) {
		const struct granule *g = &granules[n / 256];
		const unsigned int t0sz = n / 4 % 64, input = 64 - t0sz, sl0 = n % 4;
		const unsigned int start = g->level_of_sl0[sl0];
		const bool size = t0sz >= 24 && t0sz <= 39;
		bool valid = false;
		uint64_t ipa = (BIT(input < 40 ? input : 40) - 1) & ~UINT64_C(0xfff);
		struct arm_translation t;

		hypervisor();
		if (start != 9 && start >= g->lowest && size) {
			const int resolved = (int)input - (int)shift_of(g, start);

			valid = resolved >= 1 && resolved <= (int)g->bits - 3 + 4;
		}
		if (valid)
			*build(g, input, start, sl0, 3, ipa) = 0x45670000 | AF | S2_RW | 3;
		cpu.sys.vtcr_el2 = VTCR_PS_40 | t0sz | (uint64_t)sl0 << 6 | (uint64_t)g->tg0 << 14;
		cpu.sys.vttbr_el2 = RAM_BASE;
		t = walk(ipa, ARM_READ, 1);
		cr_expect_eq(!t.fault, valid, "granule %u T0SZ %u SL0 %u: fault %#x", g->bits, t0sz,
			     sl0, t.fsc);
		good += valid;
		if (!valid) {
			cr_expect_eq(t.fsc, 0x04);
			cr_assert(t.stage2);
			cr_expect_not(t.s1ptw);
			cr_expect_eq(t.ipa, ipa);
		} else {
			cr_expect_eq(t.pa, 0x45670000 | (ipa & (BIT(g->bits) - 1) & 0xffff));
			/* the address after the last is too large */
			t = walk(BIT(input), ARM_READ, 1);
			cr_expect_eq(t.fault, true);
			if (input < 40) {
				cr_assert(t.stage2, "fault %#x", t.fsc);
				cr_expect_eq(t.fsc, 0x04, "fault %#x", t.fsc);
			}
		}
	}
	cr_expect_gt(good, 40);
}

/* The address of the first table is aligned to the size of all concatenated tables. */
Test(system_stage2, the_first_table_is_aligned_to_its_size)
{
	const struct granule *g = &granules[0];

	*build(g, 34, 2, 0, 3, UINT64_C(0x3ffff5000)) = 0x40005000 | AF | S2_RW | 3;
	cpu.sys.vttbr_el2 |= 0xff00; /* 16 tables: 64K */
	cr_expect_eq(walk(UINT64_C(0x3ffff5678), ARM_READ, 1).pa, 0x40005678);
	cpu.sys.vttbr_el2 |= UINT64_C(0x1234) << 48; /* VMID */
	cr_expect_eq(walk(UINT64_C(0x3ffff5678), ARM_READ, 1).pa, 0x40005678);
	cpu.sys.vttbr_el2 |= BIT(41);
	cr_expect_eq(walk(UINT64_C(0x3ffff5678), ARM_READ, 1).fsc, 0x00);
}

/* For each granule and each pair of first and last level, with 40 bits or as many as possible. */
#define FOR_EACH_WALK(g, input, start, sl0, level)                                     \
	for (const struct granule *g = granules; g < granules + 3; g++)                \
		for (unsigned int sl0 = 0; sl0 < 3; sl0++)                             \
			for (unsigned int start = g->level_of_sl0[sl0], level = start, \
					  input = most(g, start);                      \
			     start >= g->lowest && input >= 25 && level <= 3;          \
			     level++, hypervisor())

static unsigned int most(const struct granule *g, unsigned int start)
{
	const unsigned int bits = shift_of(g, start) + g->bits - 3 + 4;

	return bits > 40 ? 40 : bits;
}

Test(system_stage2, faults_of_the_walk_have_their_level)
{
	FOR_EACH_WALK(g, input, start, sl0, level)
	{
		const uint64_t ipa = UINT64_C(0x5a5a5a5ac8) & (BIT(input) - 1);
		const bool block = level == 3 || level == 2 || (g->bits == 12 && level == 1);
		const uint64_t size = BIT(shift_of(g, level));
		uint64_t *d = build(g, input, start, sl0, level, ipa);
		struct arm_translation t;

		*d = 0;
		t = walk(ipa, ARM_READ, 1);
		cr_expect_eq(t.fsc, 0x04 | level, "granule %u level %u", g->bits, level);
		cr_assert(t.stage2);
		cr_expect_not(t.s1ptw);
		cr_expect_eq(t.ipa, ipa);
		*d = AF | S2_RW | 1; /* a block, or reserved */
		t = walk(ipa, ARM_READ, 1);
		cr_expect_eq(t.fault, !block || level == 3);
		if (!block || level == 3)
			cr_expect_eq(t.fsc, 0x04 | level);
		if (level < 3) {
			*d = BIT(41) | 3;
			cr_expect_eq(walk(ipa, ARM_READ, 1).fsc, level);
			*d = 0x08000000 | 3; /* no memory there */
			t = walk(ipa, ARM_WRITE, 1);
			cr_expect_eq(t.fsc, 0x14 | (level + 1));
			cr_assert(t.on_walk);
			cr_expect(t.stage2);
		}
		if (!block)
			continue;
		*d = BIT(40) | AF | S2_RW | leaf_bits(level);
		cr_expect_eq(walk(ipa, ARM_READ, 1).fsc, level);
		*d = S2_RW | leaf_bits(level);
		cr_expect_eq(walk(ipa, ARM_READ, 1).fsc, 0x08 | level);
		*d = AF | S2_READ | leaf_bits(level);
		cr_expect_eq(walk(ipa, ARM_WRITE, 0).fsc, 0x0c | level);
		*d = (UINT64_C(0x4000000000) & ~(size - 1)) | BIT(52) | AF | S2_RW |
		     leaf_bits(level);
		t = walk(ipa, ARM_WRITE, 0);
		cr_expect_eq(t.pa, (UINT64_C(0x4000000000) & ~(size - 1)) | (ipa & (size - 1)));
	}
}

Test(system_stage2, ps_limits_the_output)
{
	static const unsigned int bits[] = {32, 36, 40, 40, 40, 40, 40, 40};
	uint64_t *d = build(&granules[0], 32, 1, 1, 3, 0x5000);

	for (unsigned int ps = 0; ps < 8; ps++) {
		cpu.sys.vtcr_el2 = (cpu.sys.vtcr_el2 & ~(UINT64_C(7) << 16)) | (uint64_t)ps << 16;
		*d = BIT(bits[ps]) | AF | S2_RW | 3;
		cr_expect_eq(walk(0x5000, ARM_READ, 1).fsc, 0x03, "PS %u", ps);
		*d = BIT(bits[ps] - 1) | AF | S2_RW | 3;
		cr_expect_eq(walk(0x5000, ARM_READ, 1).pa, BIT(bits[ps] - 1), "PS %u", ps);
	}
}

/*
 * Both stages. Stage 1 maps one page to itself at level 3, by descriptors in S1_TABLES, which stage
 * 2 maps to themselves.
 */
#define PAGE UINT64_C(0x5000)

static uint64_t *stage1(uint64_t output, uint64_t attributes)
{
	uint64_t *leaf = ram_word(S1_TABLES + 0x3000 + (PAGE >> 12) * 8);

	for (unsigned int level = 1; level < 3; level++)
		*ram_word(S1_TABLES + 0x1000 * level) = (S1_TABLES + 0x1000 * (level + 1)) | 3;
	for (unsigned int level = 1; level < 4; level++)
		identity(S1_TABLES + 0x1000 * level, AF | S2_RW | S2_NORM);
	*leaf = output | attributes | 3;
	cpu.sys.sctlr[1] |= 1;
	cpu.sys.tcr[1] = UINT64_C(2) << 32 | BIT(23) | 25;
	cpu.sys.ttbr0[1] = S1_TABLES + 0x1000;
	cpu.sys.mair[1] = 0xff;
	return leaf;
}

/* What a stage allows alone; dirty: hardware may mark it so. */
struct rights {
	bool allowed[3]; /* by enum arm_access */
};

/* AP[2:1], UXN, PXN, no WXN; with PAN privileged accesses to EL0's pages fail. */
static struct rights stage1_rights(unsigned int ap, bool uxn, bool pxn, bool pan, bool user)
{
	const bool read0 = ap & 1, write0 = ap == 1, write1 = !(ap & 2);

	if (user)
		return (struct rights){{read0, write0, !uxn}};
	return (struct rights){{!(pan && read0), write1 && !(pan && read0), !pxn && !write0}};
}

static struct rights stage2_rights(unsigned int s2ap, bool xn, bool dirty)
{
	return (struct rights){{s2ap & 1, (s2ap & 2) || dirty, !xn}};
}

Test(system_stage2, permissions_of_both_stages)
{
	for (unsigned int n = 0; n < 1 << 12; n++) {
		const unsigned int ap = n & 3, s2ap = n >> 2 & 3, el = n >> 4 & 1;
		const bool uxn = n & 0x20, pxn = n & 0x40, xn = n & 0x80, pan = n & 0x100;
		const bool dbm = n & 0x200, hd = n & 0x400, ha = n & 0x800;
		const struct rights one = stage1_rights(ap, uxn, pxn, pan, el == 0);
		const struct rights two = stage2_rights(s2ap, xn, dbm && hd && ha);

		hypervisor();
		stage1(RAM_BASE + PAGE,
		       AF | (uint64_t)ap << 6 | (uxn ? BIT(54) : 0) | (pxn ? BIT(53) : 0));
		cpu.sys.pstate.pan = pan;
		for (unsigned int access = 0; access < 3; access++) {
			uint64_t *d = identity(RAM_BASE + PAGE,
					       AF | (uint64_t)s2ap << 6 | (xn ? S2_XN : 0) |
						       (dbm ? S2_DBM : 0) | S2_NORM);
			const uint64_t before = *d;
			bool dirtied = one.allowed[access] && access == ARM_WRITE && dbm && hd &&
				       ha && !(s2ap & 2);
			struct arm_translation t;

			cpu.sys.vtcr_el2 |= (hd ? VTCR_HD : 0) | (ha ? VTCR_HA : 0);
			t = walk(PAGE, access, el);
			cr_expect_eq(!t.fault, one.allowed[access] && two.allowed[access],
				     "AP %u S2AP %u EL%u %#x access %u: fault %#x", ap, s2ap, el, n,
				     access, t.fsc);
			cr_expect_eq(*d, dirtied ? before | S2_WRITE : before);
			if (t.fault) {
				cr_expect_eq(t.fsc, 0x0f);
				cr_expect_eq(t.stage2, one.allowed[access]);
				cr_expect_not(t.s1ptw);
				if (t.stage2)
					cr_expect_eq(t.ipa, RAM_BASE + PAGE);
				continue;
			}
			cr_expect_eq(t.pa, RAM_BASE + PAGE);
			/* what is yet to be marked dirty is not writable */
			cr_expect_eq(el ? t.writable_el1 : t.writable_el0,
				     one.allowed[ARM_WRITE] && ((s2ap & 2) || dirtied));
			cr_expect_eq(el ? t.readable_el1 : t.readable_el0,
				     one.allowed[ARM_READ] && two.allowed[ARM_READ]);
			cr_expect_eq(el ? t.executable_el1 : t.executable_el0,
				     one.allowed[ARM_EXECUTE] && two.allowed[ARM_EXECUTE]);
		}
	}
}

/* The access flag of stage 2: a fault, or set by hardware; not by AT (regime.keep). */
Test(system_stage2, access_flag)
{
	struct arm_regime regime;
	struct arm_translation t;
	uint64_t *d;

	stage1(RAM_BASE + PAGE, AF);
	d = identity(RAM_BASE + PAGE, S2_RW);
	t = walk(PAGE, ARM_READ, 1);
	cr_expect_eq(t.fsc, 0x0b);
	cr_assert(t.stage2);
	cr_expect_not(t.s1ptw);
	cpu.sys.vtcr_el2 |= VTCR_HA;
	regime = soft_regime_of(&cpu, 1);
	regime.keep = true;
	cr_expect(arm_translate(&regime, PAGE, ARM_READ, 1, &t));
	cr_expect_not(*d & AF);
	cr_expect_not(walk(PAGE, ARM_READ, 1).fault);
	cr_expect(*d & AF);
}

/* A fault of stage 2 on stage 1's walk: S1PTW, with the descriptor's address. */
Test(system_stage2, faults_on_the_walk_of_stage_1)
{
	for (unsigned int level = 1; level < 4; level++) {
		const uint64_t table = S1_TABLES + 0x1000 * level;
		const uint64_t at = table + (level == 3 ? (PAGE >> 12) * 8 : 0);
		static const struct {
			uint64_t descriptor;
			uint8_t fsc;
		} rows[] = {
			{0, 0x07},
			{S1_TABLES | S2_RW | 3, 0x0b},
			{AF | S2_WRITE | 3, 0x0f},
			{AF | S2_RW | BIT(45) | 3, 0x03},
		};

		for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
			struct arm_translation t;

			hypervisor();
			stage1(RAM_BASE + PAGE, AF);
			*identity(table, 0) = rows[n].descriptor;
			t = walk(PAGE + 0xac8, ARM_WRITE, 1);
			cr_expect_eq(t.fsc, rows[n].fsc, "level %u row %u: %#x", level, n, t.fsc);
			cr_assert(t.fault);
			cr_assert(t.stage2);
			cr_assert(t.s1ptw);
			cr_expect_not(t.update);
			cr_expect_eq(t.ipa, at, "level %u row %u: IPA %#lx", level, n, t.ipa);
		}
	}
}

/* Stage 2 moves the table to where there is no memory: stage 1's abort, at its level. */
Test(system_stage2, external_aborts_on_the_walks)
{
	struct arm_translation t;

	stage1(RAM_BASE + PAGE, AF);
	*identity(S1_TABLES + 0x2000, 0) = 0x08000000 | AF | S2_RW | S2_NORM | 3;
	t = walk(PAGE, ARM_READ, 1);
	cr_expect_eq(t.fsc, 0x16);
	cr_assert(t.on_walk);
	cr_expect_not(t.stage2);
	cr_expect_not(t.s1ptw);
	/* ... and for stage 2's tables for it: stage 2's abort, on the walk of stage 1. */
	hypervisor();
	stage1(RAM_BASE + PAGE, AF);
	*build(&granules[0], 32, 1, 1, 2, S1_TABLES) = 0x08000000 | 3;
	t = walk(PAGE, ARM_READ, 1);
	cr_expect_eq(t.fsc, 0x17);
	cr_assert(t.on_walk);
	cr_assert(t.stage2);
	cr_expect(t.s1ptw);
}

/* Stage 1's tables are where stage 2 maps them. */
Test(system_stage2, tables_are_read_through_stage_2)
{
	const uint64_t moved = RAM_BASE + 0xf0000;

	stage1(RAM_BASE + PAGE, AF | BIT(6));
	identity(RAM_BASE + PAGE, AF | S2_RW | S2_NORM);
	*identity(S1_TABLES + 0x3000, 0) = moved | AF | S2_RW | S2_NORM | 3;
	cr_expect_eq(walk(PAGE, ARM_READ, 1).fsc, 0x07);
	*ram_word(moved + (PAGE >> 12) * 8) = (RAM_BASE + PAGE) | AF | BIT(6) | 3;
	cr_expect_eq(walk(PAGE + 8, ARM_READ, 0).pa, RAM_BASE + PAGE + 8);
}

/* Hardware's update of a descriptor of stage 1 is a write to stage 2, and dirties it. */
Test(system_stage2, updates_of_stage_1_need_write_permission_of_stage_2)
{
	static const uint64_t table = S1_TABLES + 0x3000;
	uint64_t *s1, *s2;
	struct arm_translation t;

	for (unsigned int dirty = 0; dirty < 2; dirty++) {
		const uint64_t before = dirty ? AF | BIT(51) | BIT(7) : 0;
		const uint64_t after = dirty ? AF | BIT(51) : AF;

		hypervisor();
		s1 = stage1(RAM_BASE + PAGE, before);
		identity(RAM_BASE + PAGE, AF | S2_RW | S2_NORM);
		cpu.sys.tcr[1] |= BIT(39) | BIT(40);
		s2 = identity(table, AF | S2_READ | S2_NORM);
		t = walk(PAGE, ARM_WRITE, 1);
		cr_expect_eq(t.fsc, 0x0f);
		cr_assert(t.stage2);
		cr_assert(t.s1ptw);
		cr_expect(t.update);
		cr_expect_eq(t.ipa, table + (PAGE >> 12) * 8);
		cr_expect_eq(*s1, (RAM_BASE + PAGE) | before | 3);

		*s2 |= S2_DBM;
		cpu.sys.vtcr_el2 |= VTCR_HA | VTCR_HD;
		cr_expect_not(walk(PAGE, ARM_WRITE, 1).fault);
		cr_expect_eq(*s1, (RAM_BASE + PAGE) | after | 3);
		cr_expect(*s2 & S2_WRITE);
	}
}

/* HCR_EL2.PTW: a walk to Device memory of stage 2 is a permission fault. */
Test(system_stage2, protected_table_walk)
{
	for (unsigned int memory = 0; memory < 16; memory++) {
		const bool device = memory < 4;
		struct arm_translation t;

		hypervisor();
		stage1(RAM_BASE + PAGE, AF);
		identity(RAM_BASE + PAGE, AF | S2_RW | S2_NORM);
		identity(S1_TABLES + 0x2000, AF | S2_RW | (uint64_t)memory << 2);
		cr_expect_not(walk(PAGE, ARM_READ, 1).fault);
		cpu.sys.controls.hcr_el2 |= HCR_PTW;
		t = walk(PAGE, ARM_READ, 1);
		cr_expect_eq(t.fault, device, "MemAttr %u", memory);
		if (device) {
			cr_expect_eq(t.fsc, 0x0f);
			cr_assert(t.stage2);
			cr_expect(t.s1ptw);
		}
	}
}

/*
 * When stage 2 is on, and stage 1. Stage 2: VM or DC, only for EL1&0 and if EL2 is enabled. Stage
 * 1: SCTLR_EL1.M, unless DC or TGE. For every combination of the bits and each level of the access.
 */
Test(system_stage2, when_it_is_on)
{
	for (unsigned int n = 0; n < 1 << 7; n++) {
		const bool vm = n & 1, dc = n & 2, tge = n & 4, e2h = n & 8, m = n & 16;
		const bool secure = n & 32, sel2 = n & 64;
		const bool el2 = !secure || sel2;

		for (unsigned int el = 0; el < 2; el++) {
			const bool host = el2 && e2h && tge && el == 0;
			const bool on2 = el2 && (vm || dc) && !host;
			const bool on1 = m && (!el2 || !(dc || tge)) && !host;
			struct arm_translation t;

			hypervisor();
			fixture_levels((struct engine_levels){
				.el2 = true, .el3 = true, .sel2 = true, .start = 3});
			cpu.sys.controls.scr_el3 = (secure ? 0 : 1) | (sel2 ? BIT(18) : 0);
			/*
			 * stage 1 maps PAGE to another one, and stage 2 RAM to itself except PAGE
			 */
			stage1(RAM_BASE + 0x7000, AF | BIT(6));
			identity(RAM_BASE + 0x7000, AF | S2_RW | S2_NORM);
			*identity(PAGE, 0) = (RAM_BASE + 0x8000) | AF | S2_RW | S2_NORM | 3;
			cpu.sys.vsttbr_el2 = cpu.sys.vttbr_el2;
			cpu.sys.vstcr_el2 = cpu.sys.vtcr_el2 & 0xc0ff;
			cpu.sys.sctlr[1] = m;
			cpu.sys.controls.hcr_el2 = (vm ? HCR_VM : 0) | (dc ? HCR_DC : 0) |
						   (tge ? HCR_TGE : 0) | (e2h ? HCR_E2H : 0);
			t = walk(PAGE, ARM_READ, el);
			cr_assert_not(t.fault, "%#x EL%u: %#x", n, el, t.fsc);
			if (on1)
				cr_expect_eq(t.pa, RAM_BASE + 0x7000, "%#x EL%u", n, el);
			else
				cr_expect_eq(t.pa, on2 ? RAM_BASE + 0x8000 : PAGE, "%#x EL%u", n,
					     el);
			if (!on1)
				cr_expect_eq(t.attr, el2 && dc && !host ? 0xff : 0x00, "%#x", n);
		}
	}
}

/* In Secure state VSTTBR_EL2 translates Secure IPAs, and VTTBR_EL2 Non-secure ones. */
Test(system_stage2, secure_ipa_spaces)
{
	static const struct {
		bool table_ns, page_ns;
		uint64_t table_base, expect;
	} rows[] = {
		{false, false, 0, RAM_BASE + 0x6000},
		{false, true, 0, RAM_BASE + 0x7000},
		{true, false, 0, RAM_BASE + 0x7000},
	};

	for (unsigned int n = 0; n < 3; n++) {
		struct arm_translation t;
		uint64_t *leaf;

		hypervisor();
		fixture_levels(
			(struct engine_levels){.el2 = true, .el3 = true, .sel2 = true, .start = 3});
		cpu.sys.controls.scr_el3 = BIT(18); /* EEL2, Secure */
		leaf = stage1(PAGE, AF | (rows[n].page_ns ? BIT(5) : 0));
		(void)leaf;
		/*
		 * The tables of Non-secure IPAs have another first table, with a block at level 2.
		 */
		*identity(PAGE, 0) = (RAM_BASE + 0x6000) | AF | S2_RW | 3;
		cpu.sys.vsttbr_el2 = RAM_BASE;
		cpu.sys.vstcr_el2 = cpu.sys.vtcr_el2 & 0xc0ff;
		/* VTTBR_EL2: 64K pages, one table at level 3 for 29 bits, by other fields */
		cpu.sys.vttbr_el2 = RAM_BASE + 0x80000;
		cpu.sys.vtcr_el2 = VTCR_PS_40 | (64 - 25) | UINT64_C(1) << 14 | 0 << 6;
		*ram_word(RAM_BASE + 0x80000) = (RAM_BASE & ~UINT64_C(0xffff)) | AF | S2_RW | 3;
		if (rows[n].table_ns)
			*ram_word(S1_TABLES + 0x2000) |= BIT(63);
		t = walk(PAGE, ARM_READ, 1);
		if (rows[n].table_ns) {
			/* the last table is in the Non-secure space, which does not map it */
			cr_assert(t.fault, "%#x", t.fsc);
			cr_assert(t.stage2, "%#x", t.fsc);
			cr_assert(t.s1ptw, "%#x", t.fsc);
			cr_expect_eq(t.fsc, 0x04);
			cr_assert(t.ipa_ns);
			cr_expect(soft_abort(&t, ARM_EC_DATA_ABORT, 0, false).ipa_ns);
			continue;
		}
		cr_assert_not(t.fault, "row %u: %#x", n, t.fsc);
		cr_expect_eq(t.ns, rows[n].page_ns);
		cr_expect_eq(t.pa, rows[n].page_ns ? RAM_BASE + PAGE : RAM_BASE + 0x6000);
	}
}

/*
 * The syndromes: EL2's, with HPFAR_EL2 except for external aborts and alignment; S1PTW; WnR of the
 * instruction, or of a walk that updates an entry.
 */
Test(system_stage2, aborts)
{
	static const struct {
		struct arm_translation t;
		bool write;
		uint8_t target;
		bool has_ipa;
		uint32_t iss;
	} rows[] = {
		{{.fsc = 0x07}, true, 0, false, 0x47},
		{{.fsc = 0x14, .on_walk = true}, false, 0, false, 0x14},
		{{.fsc = 0x07, .stage2 = true, .ipa = 0x5678}, true, 2, true, 0x47},
		{{.fsc = 0x0f, .stage2 = true, .ipa = 0x5678}, false, 2, true, 0x0f},
		{{.fsc = 0x06, .stage2 = true, .s1ptw = true, .ipa = 8}, true, 2, true, 0xc6},
		{{.fsc = 0x06, .stage2 = true, .s1ptw = true, .ipa = 8}, false, 2, true, 0x86},
		{{.fsc = 0x0f, .stage2 = true, .s1ptw = true, .update = true},
		 false,
		 2,
		 true,
		 0xcf},
		{{.fsc = 0x15, .stage2 = true, .on_walk = true}, true, 2, false, 0x55},
		{{.fsc = 0x21, .stage2 = true}, false, 2, false, 0x21},
		{{.fsc = 0x13, .stage2 = true, .on_walk = true}, false, 2, false, 0x13},
		{{.fsc = 0x2b, .stage2 = true, .ipa = 0x5678}, false, 2, true, 0x2b},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		struct soft_exception e =
			soft_abort(&rows[n].t, ARM_EC_DATA_ABORT, 0x1234, rows[n].write);
		cr_expect_eq(e.target_el, rows[n].target, "row %u: EL%u", n, e.target_el);
		cr_expect_eq(e.iss, rows[n].iss, "row %u: %#x", n, e.iss);
		cr_expect_eq(e.has_ipa, rows[n].has_ipa, "row %u", n);
		cr_assert(e.has_far);
		cr_expect_eq(e.far, 0x1234);
		cr_expect_eq(e.ipa, rows[n].t.ipa);
		e = soft_abort(&rows[n].t, ARM_EC_FETCH_ABORT, 0x1234, true);
		cr_expect_eq(e.iss, rows[n].iss & ~ARM_ISS_WNR, "row %u: a fetch has no WnR", n);
	}
}
