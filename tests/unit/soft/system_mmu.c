/* SPDX-License-Identifier: BSD-2-Clause */
/* Stage 1 translation: fault status codes of every granule and level, attributes, permissions. */

#include "../compare.h"
#include "system_fixture.h"

#define BIT(n) (UINT64_C(1) << (n))

#define DEFAULT_TCR (BIT(34) /* IPS: 44 bits, more than implemented */ | BIT(23) /* EPD1 */)
#define AF	    BIT(10)
#define NG	    BIT(11)

TestSuite(system_mmu, .init = fixture_reset);

static const struct granule {
	unsigned int bits, tg0, tg1;
	unsigned int first_block; /* the lowest level of blocks */
} granules[] = {{12, 0, 2, 1}, {14, 2, 1, 2}, {16, 1, 3, 2}};

static unsigned int shift_of(const struct granule *g, unsigned int level)
{
	return g->bits + (g->bits - 3) * (3 - level);
}

/* The T0SZ of an address space of which this is the first level of lookup, as wide as it gets. */
static unsigned int txsz_of(const struct granule *g, unsigned int start)
{
	unsigned int bits = shift_of(g, start) + g->bits - 3;

	return 64 - (bits > 48 ? 48 : bits);
}

static uint64_t table_at(unsigned int level)
{
	return RAM_BASE + 0x10000 * (level + 1);
}

/*
 * Tables from level start down to level end, at table_at(), for va: the descriptor of level end is
 * returned, all above it are tables.
 */
static uint64_t *build(const struct granule *g, unsigned int start, unsigned int end, uint64_t va)
{
	unsigned int txsz = txsz_of(g, start);
	uint64_t *descriptor = NULL;

	cpu.sys.sctlr[1] |= 1;
	cpu.sys.tcr[1] = DEFAULT_TCR | txsz | (uint64_t)g->tg0 << 14;
	cpu.sys.ttbr0[1] = table_at(start);
	va &= BIT(64 - txsz) - 1;
	for (unsigned int level = start; level <= end; level++) {
		unsigned int shift = shift_of(g, level);
		uint64_t index =
			level == start ? va >> shift : va >> shift & (BIT(g->bits - 3) - 1);

		descriptor = ram_word(table_at(level) + index * 8);
		*descriptor = table_at(level + 1) | 3;
	}
	return descriptor;
}

static uint8_t fault_of(uint64_t va, enum arm_access access, unsigned int el)
{
	struct arm_translation t;

	cr_assert_not(soft_translate(&cpu, va, access, el, &t), "%#lx translates to %#lx", va,
		      t.pa);
	cr_assert(t.fault);
	return t.fsc;
}

static uint64_t leaf_bits(unsigned int level)
{
	return level == 3 ? 3 : 1;
}

/* For each granule and each pair of first and last level of lookup. */
#define FOR_EACH_WALK(g, start, level)                                                          \
	for (const struct granule *g = granules; g < granules + 3; g++)                         \
		for (unsigned int start = g->bits == 16 ? 1 : 0; start <= 3; start++)           \
			for (unsigned int level = start; txsz_of(g, start) <= 39 && level <= 3; \
			     level++, fixture_reset())

static const uint64_t VA = UINT64_C(0x0000012345678ac8);

static uint64_t va_of(const struct granule *g, unsigned int start)
{
	return VA & (BIT(64 - txsz_of(g, start)) - 1);
}

Test(system_mmu, invalid_descriptor_is_a_translation_fault_at_its_level)
{
	FOR_EACH_WALK(g, start, level)
	{
		uint64_t *d = build(g, start, level, VA);

		for (unsigned int low = 0; low < 4; low += 2) {
			*d = low;
			cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 1), 0x04 | level,
				     "granule %u level %u", g->bits, level);
		}
	}
}

Test(system_mmu, a_block_where_there_are_none_is_a_translation_fault)
{
	FOR_EACH_WALK(g, start, level)
	{
		struct arm_translation t;
		bool block = level >= g->first_block && level < 3;

		*build(g, start, level, VA) = AF | 1;
		cr_expect_eq(soft_translate(&cpu, va_of(g, start), ARM_READ, 1, &t), block,
			     "granule %u level %u", g->bits, level);
		if (!block)
			cr_expect_eq(t.fsc, 0x04 | level);
	}
}

Test(system_mmu, output_beyond_the_address_size_faults_at_its_level)
{
	FOR_EACH_WALK(g, start, level)
	{
		uint64_t *d = build(g, start, level, VA);
		struct arm_translation t;
		bool leaf = level == 3 || level >= g->first_block;

		/* 40 bits are implemented, less than IPS asks for. */
		if (leaf) {
			*d = BIT(40) | AF | leaf_bits(level);
			cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 1), level,
				     "leaf, granule %u level %u", g->bits, level);
			if (BIT(39) >= BIT(shift_of(g, level))) {
				*d = BIT(39) | AF | leaf_bits(level);
				cr_expect(soft_translate(&cpu, va_of(g, start), ARM_READ, 1, &t));
			}
		}
		if (level < 3) {
			*d = BIT(40) | table_at(level + 1) | 3;
			cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 1), level,
				     "table, granule %u level %u", g->bits, level);
		}
	}
}

Test(system_mmu, ips_limits_the_output)
{
	static const unsigned int bits[] = {32, 36, 40, 40, 40, 40, 40, 40};
	uint64_t *d = build(&granules[0], 0, 3, VA);

	for (unsigned int ips = 0; ips < 8; ips++) {
		struct arm_translation t;

		cpu.sys.tcr[1] = (cpu.sys.tcr[1] & ~(UINT64_C(7) << 32)) | (uint64_t)ips << 32;
		*d = BIT(bits[ips]) | AF | 3;
		cr_expect_eq(fault_of(VA, ARM_READ, 1), 0x03, "IPS %u", ips);
		*d = BIT(bits[ips] - 1) | AF | 3;
		cr_expect(soft_translate(&cpu, VA, ARM_READ, 1, &t), "IPS %u", ips);
	}
}

Test(system_mmu, ttbr_beyond_the_address_size_faults_at_level_0)
{
	FOR_EACH_WALK(g, start, level)
	{
		build(g, start, level, VA);
		cpu.sys.ttbr0[1] |= BIT(47);
		cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 1), 0x00, "granule %u", g->bits);
	}
}

/* The first table is aligned to its size; what TTBR0_EL1 holds below is ignored. */
Test(system_mmu, ttbr_bits_below_the_tables_alignment_do_not_count)
{
	struct arm_translation t;

	*build(&granules[0], 0, 3, VA) = UINT64_C(0x45670000) | AF | 3;
	cpu.sys.ttbr0[1] |= 0xffe;
	cr_assert(soft_translate(&cpu, VA, ARM_READ, 1, &t));
	cr_expect_eq(t.pa, 0x45670000 | (VA & 0xfff));
}

Test(system_mmu, a_table_outside_ram_is_an_external_abort_at_its_level)
{
	FOR_EACH_WALK(g, start, level)
	{
		struct arm_translation t;

		build(g, start, level, VA);
		if (level == start)
			cpu.sys.ttbr0[1] = 0x08000000;
		else
			*build(g, start, level - 1, VA) = 0x08000000 | 3;
		cr_expect_not(soft_translate(&cpu, va_of(g, start), ARM_EXECUTE, 0, &t));
		cr_expect_eq(t.fsc, 0x14 | level, "granule %u level %u", g->bits, level);
		cr_expect(t.on_walk);
	}
}

Test(system_mmu, access_flag_and_permission_faults_have_the_leafs_level)
{
	FOR_EACH_WALK(g, start, level)
	{
		uint64_t *d = build(g, start, level, VA);

		if (level < g->first_block)
			continue;
		*d = leaf_bits(level);
		cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 1), 0x08 | level);
		cr_expect_eq(*d, leaf_bits(level), "no update without HA");
		*d = AF | leaf_bits(level);
		cr_expect_eq(fault_of(va_of(g, start), ARM_READ, 0), 0x0c | level);
	}
}

Test(system_mmu, leaf_maps_the_offset_within_it)
{
	FOR_EACH_WALK(g, start, level)
	{
		uint64_t size = BIT(shift_of(g, level)), va = va_of(g, start);
		struct arm_translation t;

		if (level < g->first_block)
			continue;
		/* The contiguous bit (52) is a hint. */
		*build(g, start, level, VA) = size | BIT(52) | AF | leaf_bits(level);
		cr_assert(soft_translate(&cpu, va, ARM_READ, 1, &t));
		cr_expect_eq(t.pa, size | (va & (size - 1)), "granule %u level %u", g->bits, level);
		cr_expect_eq(t.page_mask, size - 1);
	}
}

Test(system_mmu, addresses_outside_both_halves_fault_at_level_0)
{
	struct arm_translation t;

	*build(&granules[0], 1, 3, VA) = AF | 3; /* 39 bits */
	cpu.sys.tcr[1] &= ~BIT(23);
	cr_expect(soft_translate(&cpu, va_of(&granules[0], 1), ARM_READ, 1, &t));
	cr_expect_eq(fault_of(va_of(&granules[0], 1) | BIT(39), ARM_READ, 1), 0x04);
	cr_expect_eq(fault_of(va_of(&granules[0], 1) | BIT(63), ARM_READ, 1), 0x04);
	cr_expect_eq(fault_of(va_of(&granules[0], 1) | BIT(55), ARM_READ, 1), 0x04);
}

Test(system_mmu, sizes_out_of_range_and_epd_fault_at_level_0)
{
	*build(&granules[0], 0, 3, VA) = AF | 3;
	cpu.sys.tcr[1] |= BIT(7); /* EPD0 */
	cr_expect_eq(fault_of(VA, ARM_READ, 1), 0x04);
	cpu.sys.tcr[1] = (cpu.sys.tcr[1] & ~UINT64_C(0xbf)) | 15;
	cr_expect_eq(fault_of(VA, ARM_READ, 1), 0x04);
	cpu.sys.tcr[1] = (cpu.sys.tcr[1] & ~UINT64_C(0xbf)) | 40;
	cr_expect_eq(fault_of(0x678, ARM_READ, 1), 0x04);
}

Test(system_mmu, ttbr1_with_every_granule)
{
	for (const struct granule *g = granules; g < granules + 3; g++) {
		unsigned int start = g->bits == 16 ? 1 : 0;
		uint64_t high = UINT64_C(0xffff) << 48;
		struct arm_translation t;

		*build(g, start, 3, VA) = UINT64_C(0x45670000) | AF | 3;
		/* Lower half: 4K and off; upper half: the tables. */
		cpu.sys.ttbr1[1] = cpu.sys.ttbr0[1];
		cpu.sys.ttbr0[1] = 0;
		cpu.sys.tcr[1] = BIT(34) | BIT(7) | 16 | 16 << 16 | (uint64_t)g->tg1 << 30;
		cr_assert(soft_translate(&cpu, VA | high, ARM_READ, 1, &t), "granule %u", g->bits);
		cr_expect_eq(t.pa, 0x45670000 | (VA & (BIT(g->bits) - 1)));
		cr_expect_eq(fault_of(VA, ARM_READ, 1), 0x04);
		cpu.sys.tcr[1] |= BIT(23); /* EPD1 */
		cr_expect_eq(fault_of(VA | high, ARM_READ, 1), 0x04);
		fixture_reset();
	}
}

Test(system_mmu, tbi_is_per_half_and_bit_55_selects)
{
	const uint64_t tag = UINT64_C(0xa5) << 56, high = UINT64_C(0xffff) << 48;
	struct arm_translation t;

	*build(&granules[0], 0, 3, VA) = AF | 3;
	cpu.sys.ttbr1[1] = cpu.sys.ttbr0[1];
	for (unsigned int tbi = 0; tbi < 4; tbi++) {
		cpu.sys.tcr[1] = BIT(34) | 16 | 16 << 16 | UINT64_C(2) << 30 | (uint64_t)tbi << 37;
		cr_expect_eq(soft_translate(&cpu, VA | tag, ARM_READ, 1, &t), tbi & 1);
		cr_expect_eq(soft_translate(&cpu, ((VA | high) & ~(UINT64_C(0xff) << 56)) | tag,
					    ARM_READ, 1, &t),
			     tbi >> 1);
		cr_expect(soft_translate(&cpu, VA | high, ARM_READ, 1, &t));
	}
}

/*
 * Permissions. rights[AP]: what data accesses EL1 and EL0 may make; Arm ARM table "Data access
 * permissions for stage 1 of the EL1&0 regime".
 */
static const struct {
	bool read1, write1, read0, write0;
} rights[4] = {
	{true, true, false, false},
	{true, true, true, true},
	{true, false, false, false},
	{true, false, true, false},
};

static void check_rights(unsigned int ap, bool uxn, bool pxn, bool wxn, bool pan, const char *how)
{
	bool r0 = rights[ap].read0, w0 = rights[ap].write0;
	bool r1 = rights[ap].read1 && !(pan && r0), w1 = rights[ap].write1 && !(pan && r0);
	bool x0 = !uxn && !(wxn && w0);
	bool x1 = !pxn && !w0 && !(wxn && rights[ap].write1);
	const bool expected[2][3] = {{r0, w0, x0}, {r1, w1, x1}};

	for (unsigned int el = 0; el < 2; el++) {
		for (unsigned int access = 0; access < 3; access++) {
			struct arm_translation t;
			bool ok = soft_translate(&cpu, VA, access, el, &t);

			cr_expect_eq(ok, expected[el][access],
				     "%s AP %u UXN %d PXN %d WXN %d PAN %d EL%u access %u", how, ap,
				     uxn, pxn, wxn, pan, el, access);
			if (!ok) {
				cr_expect_eq(t.fsc, 0x0f);
				continue;
			}
			cr_expect_eq(t.readable_el0, r0);
			cr_expect_eq(t.writable_el0, w0);
			cr_expect_eq(t.executable_el0, x0);
			cr_expect_eq(t.readable_el1, r1);
			cr_expect_eq(t.writable_el1, w1);
			cr_expect_eq(t.executable_el1, x1);
		}
	}
}

Test(system_mmu, permissions)
{
	uint64_t *d = build(&granules[0], 0, 3, VA);

	for (unsigned int n = 0; n < 64; n++) {
		unsigned int ap = n & 3;
		bool uxn = n & 4, pxn = n & 8, wxn = n & 16, pan = n & 32;

		*d = AF | 3 | (uint64_t)ap << 6 | (uint64_t)uxn << 54 | (uint64_t)pxn << 53;
		cpu.sys.sctlr[1] = (cpu.sys.sctlr[1] & ~BIT(19)) | (uint64_t)wxn << 19;
		cpu.sys.pstate.pan = pan;
		check_rights(ap, uxn, pxn, wxn, pan, "page");
	}
}

/* APTable[0] takes EL0's access, APTable[1] everyone's writes, at any level above the leaf. */
Test(system_mmu, table_limits_and_hpd)
{
	for (unsigned int n = 0; n < 128; n++) {
		unsigned int ap = n & 3, aptable = n >> 2 & 3, level = n >> 4 & 1;
		bool xn = n & 32, hpd = n & 64;
		unsigned int effective = ap;

		fixture_reset();
		*build(&granules[0], 0, 3, VA) = AF | 3 | (uint64_t)ap << 6;
		*build(&granules[0], 0, level, VA) |=
			(uint64_t)aptable << 61 | (uint64_t)(xn ? 3 : 0) << 59;
		cpu.sys.tcr[1] |= (uint64_t)hpd << 41 | BIT(42);
		if (!hpd)
			effective = (ap & ~(aptable & 1)) | (aptable & 2);
		check_rights(effective, xn && !hpd, xn && !hpd, false, false, "table");
	}
}

Test(system_mmu, pan_can_be_left_out)
{
	struct arm_translation t;

	*build(&granules[0], 0, 3, VA) = AF | 3 | BIT(6);
	cpu.sys.pstate.pan = true;
	cr_expect_not(soft_translate(&cpu, VA, ARM_WRITE, 1, &t));
	cr_expect(
		soft_translate_as(&cpu, VA, &(struct soft_access){ARM_WRITE, 1, false, false}, &t));
}

Test(system_mmu, hardware_sets_the_access_flag)
{
	uint64_t *d = build(&granules[0], 0, 3, VA);
	struct arm_translation t;

	cpu.sys.tcr[1] |= BIT(39);
	*d = 3;
	cr_expect_not(
		soft_translate(&cpu, VA, ARM_READ, 0, &t)); /* a permission fault comes first */
	cr_expect_eq(t.fsc, 0x0f);
	cr_expect_eq(*d, 3);
	cr_expect(soft_translate(&cpu, VA, ARM_EXECUTE, 1, &t));
	cr_expect_eq(*d, AF | 3);
}

Test(system_mmu, hardware_marks_dirty_on_a_permitted_write_only)
{
	const uint64_t clean = AF | BIT(51) | BIT(7) | BIT(6) | 3;
	uint64_t *d = build(&granules[0], 0, 3, VA);
	struct arm_translation t;

	*d = clean;
	cr_expect_not(soft_translate(&cpu, VA, ARM_WRITE, 0, &t));
	cpu.sys.tcr[1] |= BIT(40); /* HD without HA has no effect */
	cr_expect_not(soft_translate(&cpu, VA, ARM_WRITE, 0, &t));
	cpu.sys.tcr[1] |= BIT(39);
	cr_expect(soft_translate(&cpu, VA, ARM_READ, 0, &t));
	cr_expect_not(t.writable_el0, "the first write must be seen");
	cr_expect_not(t.writable_el1, "the first write must be seen");
	cr_expect_eq(*d, clean);
	cr_expect(soft_translate(&cpu, VA, ARM_WRITE, 0, &t));
	cr_assert(t.writable_el0);
	cr_expect(t.writable_el1);
	cr_expect_eq(*d, clean & ~BIT(7));

	*d = clean;
	cpu.sys.pstate.pan = true;
	cr_expect_not(soft_translate(&cpu, VA, ARM_WRITE, 1, &t));
	cr_expect_eq(*d, clean);

	/* A table that forbids writes wins. */
	*build(&granules[0], 0, 2, VA) |= BIT(62);
	cr_expect_not(soft_translate(&cpu, VA, ARM_WRITE, 0, &t));
	cr_expect_eq(*d, clean);
}

Test(system_mmu, a_clean_writable_page_is_writable_for_wxn)
{
	struct arm_translation t;

	*build(&granules[0], 0, 3, VA) = AF | BIT(51) | BIT(7) | 3;
	cpu.sys.sctlr[1] |= BIT(19);
	cr_expect(soft_translate(&cpu, VA, ARM_EXECUTE, 1, &t));
	cpu.sys.tcr[1] |= BIT(39) | BIT(40);
	cr_expect_not(soft_translate(&cpu, VA, ARM_EXECUTE, 1, &t));
}

Test(system_mmu, asid_and_ng)
{
	uint64_t *d = build(&granules[0], 0, 3, VA);
	struct arm_translation t;

	cpu.sys.ttbr0[1] |= UINT64_C(0x1234) << 48;
	cpu.sys.ttbr1[1] |= UINT64_C(0x5678) << 48;
	for (unsigned int n = 0; n < 8; n++) {
		bool ng = n & 1, a1 = n & 2, as = n & 4;

		*d = AF | 3 | (ng ? NG : 0);
		cpu.sys.tcr[1] = (cpu.sys.tcr[1] & ~(BIT(22) | BIT(36))) | (uint64_t)a1 << 22 |
				 (uint64_t)as << 36;
		cr_assert(soft_translate(&cpu, VA, ARM_READ, 1, &t));
		cr_expect_eq(t.global, !ng);
		cr_expect_eq(t.asid, (a1 ? 0x5678 : 0x1234) & (as ? 0xffff : 0xff));
	}
}

Test(system_mmu, mair_says_what_is_device)
{
	uint64_t *d = build(&granules[0], 0, 3, VA);
	struct arm_translation t;

	cpu.sys.mair[1] = UINT64_C(0x0044bbff040c0800);
	for (unsigned int index = 0; index < 8; index++) {
		uint8_t attr = cpu.sys.mair[1] >> (index * 8) & 0xff;

		*d = AF | 3 | 3 << 8 | index << 2;
		cr_assert(soft_translate(&cpu, VA, ARM_READ, 1, &t));
		cr_expect_eq(t.attr, attr);
		cr_expect_eq(t.device, attr < 0x10, "MAIR %#x", attr);
		cr_expect_eq(t.sh, attr < 0x10 || attr == 0x44 ? 2 : 3);
	}
}

Test(system_mmu, mmu_off_is_flat)
{
	struct arm_translation t;

	cpu.sys.pstate.pan = true;
	for (unsigned int access = 0; access < 3; access++) {
		cr_assert(soft_translate(&cpu, 0x40001234, access, 1, &t));
		cr_expect_eq(t.pa, 0x40001234);
		cr_expect_eq(t.device, access != ARM_EXECUTE);
		cr_expect_eq(t.page_mask, 0xfff);
	}
	cr_expect(soft_translate(&cpu, BIT(40) - 1, ARM_READ, 0, &t));
	cr_expect_eq(fault_of(BIT(40), ARM_READ, 0), 0x00);
	cr_expect_eq(fault_of(UINT64_C(0xa5) << 56 | 0x40000000, ARM_READ, 0), 0x00);
	cpu.sys.tcr[1] = BIT(37);
	cr_expect(soft_translate(&cpu, UINT64_C(0xa5) << 56 | 0x40000000, ARM_READ, 0, &t));
	cr_expect_eq(t.pa, 0x40000000);
}

Test(system_mmu, tables_up_to_the_last_word_of_ram)
{
	struct arm_translation t;
	uint64_t last = RAM_BASE + RAM_SIZE - 0x1000;

	build(&granules[0], 0, 3, VA);
	*build(&granules[0], 0, 2, VA) = last | 3;
	*ram_word(last + 511 * 8) = AF | 3;
	cr_expect(soft_translate(&cpu, VA | UINT64_C(0x1ff000), ARM_READ, 1, &t));
}
