/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory attributes of both stages combined (Arm ARM D8.6, without FEAT_S2FWB), every value of
 * each with every other, against the rules in words: Device wins over Normal and the stronger
 * Device over the weaker; of Normal the less cacheable wins, Inner and Outer each for themselves,
 * with the hints of stage 1; the wider shareability wins, and Outer Shareable is what is not cached
 * at all.
 */

#include "../compare.h"
#include "system_fixture.h"

enum cache { NC, WT, WB, RESERVED };

struct memory {
	bool device;
	unsigned int kind; /* of Device: 0 nGnRnE, 1 nGnRE, 2 nGRE, 3 GRE */
	enum cache outer, inner;
};

/* A half of a byte of MAIR_ELx of Normal memory, in the order of the table of its page. */
static enum cache mair_half(unsigned int half)
{
	static const enum cache table[16] = {RESERVED, WT, WT, WT, NC, WB, WB, WB,
					     WT,       WT, WT, WT, WB, WB, WB, WB};

	return table[half];
}

static struct memory of_mair(unsigned int attr)
{
	if (attr < 0x10)
		return (struct memory){.device = true, .kind = attr >> 2};
	return (struct memory){.outer = mair_half(attr >> 4), .inner = mair_half(attr & 15)};
}

static struct memory of_stage2(unsigned int memattr)
{
	static const enum cache table[4] = {RESERVED, NC, WT, WB};

	if (memattr < 4)
		return (struct memory){.device = true, .kind = memattr};
	return (struct memory){.outer = table[memattr >> 2], .inner = table[memattr & 3]};
}

static bool valid(const struct memory *m)
{
	return m->device || (m->outer != RESERVED && m->inner != RESERVED);
}

static enum cache less(enum cache a, enum cache b)
{
	return a < b ? a : b;
}

static bool valid_mair(unsigned int attr)
{
	const struct memory m = of_mair(attr);

	return attr < 0x10 ? !(attr & 3) : valid(&m);
}

Test(system_attributes, types)
{
	unsigned int seen = 0;

	for (unsigned int n = 0; n < 256 * 16; n++) {
		const unsigned int attr = n >> 4;
		const struct memory one = of_mair(attr), two = of_stage2(n & 15);
		unsigned int result;
		struct memory m;

		if (!valid_mair(attr) || !valid(&two))
			continue;
		seen++;
		result = arm_combine_attributes((uint8_t)attr, n & 15);
		m = of_mair(result);
		cr_assert(valid_mair(result), "%#x with %u is %#x", attr, n & 15, result);
		cr_expect_eq(m.device, one.device || two.device, "%#x with %u", attr, n & 15);
		if (one.device && two.device)
			cr_expect_eq(m.kind, one.kind < two.kind ? one.kind : two.kind);
		else if (m.device)
			cr_expect_eq(m.kind, one.device ? one.kind : two.kind);
		if (m.device)
			continue;
		cr_expect_eq(m.outer, less(one.outer, two.outer), "%#x with %u", attr, n & 15);
		cr_expect_eq(m.inner, less(one.inner, two.inner), "%#x with %u", attr, n & 15);
		/* bits 1:0 and 3 of a half that is cached: allocation, not transient */
		if (m.outer != NC)
			cr_expect_eq(result >> 4 & 0xb, attr >> 4 & 0xb);
		if (m.inner != NC)
			cr_expect_eq(result & 0xb, attr & 0xb);
	}
	cr_expect_eq(seen, (4 + 15 * 15) * (4 + 9));
}

Test(system_attributes, shareability)
{
	enum { NONE = 0, OUTER = 2, INNER = 3 };
	static const uint8_t values[3] = {NONE, INNER, OUTER}; /* from the narrowest */

	for (unsigned int a = 0; a < 3; a++) {
		for (unsigned int b = 0; b < 3; b++) {
			const uint8_t wider = values[a > b ? a : b];

			cr_expect_eq(arm_combine_shareability(0xff, values[a], values[b]), wider);
			cr_expect_eq(arm_combine_shareability(0x4f, values[a], values[b]), wider);
			cr_expect_eq(arm_combine_shareability(0x44, values[a], values[b]), OUTER);
			cr_expect_eq(arm_combine_shareability(0x0c, values[a], values[b]), OUTER);
		}
	}
}

#define BIT(n) (UINT64_C(1) << (n))

/* A page of stage 1 off: Device data, Non-cacheable code; with DC all Write-Back. */
static struct arm_translation translate(uint64_t hcr, unsigned int memattr, unsigned int sh,
					enum arm_access access)
{
	struct arm_translation t;

	fixture_reset();
	cpu.sys.levels.el2 = true;
	fixture_levels(cpu.sys.levels);
	cpu.sys.controls.hcr_el2 = hcr;
	cpu.sys.vtcr_el2 = 2 << 16 | 1 << 6 | 32;
	cpu.sys.vttbr_el2 = RAM_BASE;
	/* one block of 1G at level 1 */
	*ram_word(RAM_BASE + 8) = RAM_BASE | BIT(10) | 3 << 6 | sh << 8 | memattr << 2 | 1;
	cr_assert(soft_translate(&cpu, RAM_BASE + 0x5000, access, 1, &t));
	return t;
}

Test(system_attributes, of_a_translation)
{
	enum { VM = 1, DC = 1 << 12 };
	static const struct {
		uint64_t hcr;
		unsigned int memattr;
		enum arm_access access;
		uint8_t attr;
		bool device, by_stage2; /* an unaligned access finds it a fault of stage 2 */
	} rows[] = {
		{VM, 0xf, ARM_READ, 0x00, true, false},
		{VM, 0xf, ARM_EXECUTE, 0x44, false, false},
		{VM, 0x1, ARM_EXECUTE, 0x44, false, false}, /* a fetch is not of Device memory */
		{DC, 0xf, ARM_READ, 0xff, false, false},
		{DC, 0xa, ARM_WRITE, 0xbb, false, false},
		{DC, 0x7, ARM_READ, 0x4f, false, false},
		{DC, 0x2, ARM_READ, 0x08, true, true},
		{DC | BIT(32), 0xf, ARM_READ, 0x44, false, false},
		{DC | BIT(32), 0xf, ARM_EXECUTE, 0xff, false, false},
		{DC | BIT(33), 0xf, ARM_EXECUTE, 0x44, false, false},
		{DC | BIT(33), 0xf, ARM_READ, 0xff, false, false},
		{DC | BIT(32), 0x3, ARM_READ, 0x0c, true, true},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		const struct arm_translation t =
			translate(rows[n].hcr, rows[n].memattr, 3, rows[n].access);
		const struct soft_access unaligned = {rows[n].access, 1, false, true};
		struct arm_translation fault;

		cr_expect_eq(t.attr, rows[n].attr, "row %u: %#x", n, t.attr);
		cr_expect_eq(t.device, rows[n].device, "row %u", n);
		cr_expect_eq(soft_translate_as(&cpu, RAM_BASE + 0x5001, &unaligned, &fault),
			     !rows[n].device, "row %u", n);
		cr_expect_eq(fault.fsc, rows[n].device ? 0x21 : 0, "row %u: %#x", n, fault.fsc);
		cr_expect_eq(fault.stage2, rows[n].by_stage2, "row %u", n);
		cr_expect_eq(t.sh, t.device || t.attr == 0x44 ? 2 : 3, "row %u: SH %u", n, t.sh);
	}
}
