/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_PMUv3p9 and FEAT_PMUv3_ICNTR (Arm ARM D13.11, D24.5): the instruction counter, PMZR_EL0, and
 * what PMUSERENR_EL0.UEN and PMUACR_EL1 leave EL0.
 */
#include "../../array.h"
#include "../compare.h"

#include "pmu/fields.h"
#include "pmu/unit.h"

#define CYCLE	    PMU_CYCLE_COUNTER
#define INSTRUCTION PMU_INSTRUCTION_COUNTER
#define F0	    BIT(32)
#define ALL	    (UINT64_C(0x3f) | BIT(31) | F0)

static const uint64_t nothing[PMU_ALL_COUNTERS];

static struct pmu made(unsigned int el)
{
	struct pmu pmu = {
		.config = {
			.version = PMU_V3P9, .el2 = true, .el3 = true, .sel2 = true, .rme = true}};
	const struct pmu_context context = {
		.mdcr_el2 = PMU_COUNTERS, .el = (uint8_t)el, .ns = true, .el2_enabled = true};

	pmu_clear(&pmu);
	pmu_set_context(&pmu, &context);
	return pmu;
}

static struct pmu counting(unsigned int el)
{
	struct pmu pmu = made(el);

	pmu.enabled = ALL;
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E);
	return pmu;
}

static uint64_t instructions(struct pmu *pmu)
{
	const uint64_t before = pmu_register_read(pmu, PMU_PMICNTR_EL0);

	pmu_count(pmu, 100, 90, nothing);
	return pmu_register_read(pmu, PMU_PMICNTR_EL0) - before;
}

Test(pmu_v3p9, instructions_are_counted)
{
	struct pmu pmu = counting(1);

	cr_expect_eq(instructions(&pmu), 90, "not the cycles");
	pmu_register_write(&pmu, PMU_PMCNTENCLR_EL0, F0);
	cr_expect_eq(instructions(&pmu), 0, "PMCNTENCLR_EL0.F0");
	pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, F0);
	pmu_register_write(&pmu, PMU_PMICFILTR_EL0, PMU_TYPE_P | PMU_TYPE_NSK);
	cr_expect_eq(instructions(&pmu), 90, "P and NSK are equal");
	pmu_register_write(&pmu, PMU_PMICFILTR_EL0, PMU_TYPE_P);
	cr_expect_eq(instructions(&pmu), 0, "P");
	pmu_register_write(&pmu, PMU_PMICFILTR_EL0, 0);
	pmu_register_write(&pmu, PMU_PMCR_EL0, 0);
	cr_expect_eq(instructions(&pmu), 0, "PMCR_EL0.E");
	pmu.config.version = PMU_V3P8;
	pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, F0);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCNTENSET_EL0) & F0, 0, "F0 is of v3p9");
}

/* It is of the first range, and prohibited as an event counter of that. */
Test(pmu_v3p9, instructions_prohibited)
{
	static const struct {
		uint8_t el;
		bool ns;
		uint64_t mdcr_el2, mdcr_el3;
		bool counts;
	} rows[] = {
		{1, true, 0, 0, true}, /* HPMN is 0: no matter */
		{2, true, 6, 0, true},
		{2, true, 6 | MDCR_EL2_HPMD, 0, false},
		{2, true, 0 | MDCR_EL2_HPMD | MDCR_EL2_HPME, 0, false},
		{2, true, 6 | MDCR_EL2_HCCD, 0, true},
		{1, false, 6, 0, false},
		{1, false, 6, MDCR_EL3_SPME, true},
		{1, false, 6, MDCR_EL3_MPMX, true},
		{3, false, 6, 0, false},
		{3, false, 6, MDCR_EL3_SPME, true},
		{3, false, 6, MDCR_EL3_MPMX, false},
		{3, false, 6, MDCR_EL3_SPME | MDCR_EL3_MPMX, false},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pmu_context context = {.mdcr_el2 = rows[i].mdcr_el2,
						    .mdcr_el3 = rows[i].mdcr_el3,
						    .el = rows[i].el,
						    .ns = rows[i].ns};
		struct pmu pmu = counting(1);

		pmu_register_write(&pmu, PMU_PMICFILTR_EL0, PMU_TYPE_NSH);
		pmu_set_context(&pmu, &context);
		cr_expect_eq(instructions(&pmu), rows[i].counts ? 90 : 0, "row %u", i);
	}
}

/* At 64 bits, whatever PMCR_EL0.LP is; it interrupts, and freezes the first range. */
Test(pmu_v3p9, instructions_overflow)
{
	struct pmu pmu = counting(1);

	pmu_register_write(&pmu, PMU_PMCNTENCLR_EL0, BIT(31));
	pmu_register_write(&pmu, PMU_PMICNTR_EL0, UINT32_MAX);
	cr_expect_eq(pmu_left(&pmu), UINT64_MAX - UINT32_MAX + 1);
	cr_expect_eq(instructions(&pmu), 90);
	cr_expect_eq(pmu.overflowed, 0);
	pmu_register_write(&pmu, PMU_PMICNTR_EL0, UINT64_MAX - 88);
	cr_expect_eq(pmu_left(&pmu), 89);
	pmu_register_write(&pmu, PMU_PMINTENSET_EL1, F0);
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | PMU_PMCR_FZO);
	cr_expect_not(pmu_irq(&pmu));
	cr_expect_eq(instructions(&pmu), 90);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMICNTR_EL0), 1);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMOVSSET_EL0), F0);
	cr_expect(pmu_irq(&pmu));
	cr_expect_eq(pmu.counting, 0, "frozen");
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_FZO);
	cr_expect_not(pmu_irq(&pmu), "E is 0");
	pmu_register_write(&pmu, PMU_PMOVSCLR_EL0, F0);
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | PMU_PMCR_FZO);
	cr_expect_eq(instructions(&pmu), 90, "no longer frozen");
}

/* FZS stops it with the first range. */
Test(pmu_v3p9, instructions_frozen_by_spe)
{
	struct pmu pmu = counting(1);
	struct pmu_context context = pmu.context;

	context.frozen = SPE_FROZEN_SECOND;
	pmu_set_context(&pmu, &context);
	cr_expect_eq(instructions(&pmu), 90);
	context.frozen = SPE_FROZEN_FIRST;
	pmu_set_context(&pmu, &context);
	cr_expect_eq(instructions(&pmu), 0);
}

/* Which counter a bit is: 0 to 5, 31, 32. */
static unsigned int index_of(unsigned int bit)
{
	return bit == 31 ? CYCLE : bit == 32 ? INSTRUCTION : bit;
}

/* What a write of ones to PMZR_EL0 sets to zero, as bits. */
static uint64_t zeroed(struct pmu pmu, uint64_t value)
{
	uint64_t bits = 0;

	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++)
		pmu.counter[n] = 5;
	pmu_register_write(&pmu, PMU_PMZR_EL0, value);
	for (unsigned int bit = 0; bit <= 32; bit++)
		if (ALL >> bit & 1 && pmu.counter[index_of(bit)] == 0)
			bits |= BIT(bit);
	return bits;
}

Test(pmu_v3p9, zero_with_mask)
{
	for (unsigned int bit = 0; bit < 64; bit++)
		cr_expect_eq(zeroed(made(1), BIT(bit)), ALL & BIT(bit), "bit %u", bit);
	cr_expect_eq(zeroed(made(3), UINT64_MAX), ALL);
	/* What MDCR_EL2.HPMN keeps. */
	for (unsigned int el = 0; el < 4; el++) {
		struct pmu pmu = made(el);
		struct pmu_context context = pmu.context;

		context.mdcr_el2 = 2;
		pmu_set_context(&pmu, &context);
		cr_expect_eq(zeroed(pmu, UINT64_MAX) & 0x3f, el < 2 ? 3 : 0x3f, "EL%u", el);
	}
}

/*
 * Table D13-12 of the Arm ARM, by counter: with UEN, PMUACR_EL1 gives the counter, and ER, CR or IR
 * make it read-only. Without it the instruction counter has no bits for EL0.
 */
Test(pmu_v3p9, what_el0_has)
{
	for (unsigned int bits = 0; bits < 0x80; bits++) {
		for (unsigned int m = 0; m < 0x100; m++) {
			const uint64_t acr =
				(m & 0x3f) | (m & 0x40 ? BIT(31) : 0) | (m & 0x80 ? F0 : 0);
			const bool uen = bits & PMU_PMUSERENR_UEN;
			const uint64_t readable = uen ? acr : ALL & ~F0;
			const uint64_t only =
				!uen ? 0
				     : (bits & PMU_PMUSERENR_ER ? 0x3f : 0) |
						(bits & PMU_PMUSERENR_CR ? BIT(31) : 0) |
						(bits & PMU_PMUSERENR_IR ? F0 : 0);
			const uint64_t writable = readable & ~only;
			struct pmu pmu = made(0);

			pmu.pmuacr = acr;
			pmu.pmuserenr = bits;
			pmu.overflowed = ALL;
			cr_assert_eq(pmu_register_read(&pmu, PMU_PMOVSSET_EL0), readable);
			pmu_register_write(&pmu, PMU_PMOVSCLR_EL0, UINT64_MAX);
			cr_assert_eq(pmu.overflowed, ALL & ~writable);
			pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, UINT64_MAX);
			cr_assert_eq(pmu.enabled, writable);
			cr_assert_eq(pmu_register_read(&pmu, PMU_PMCNTENCLR_EL0), writable);
			cr_assert_eq(zeroed(pmu, UINT64_MAX), writable);
		}
	}
}

/* PMSWINC_EL0 asks PMUACR_EL1, unless PMUSERENR_EL0.SW; which are read-only it does not ask. */
Test(pmu_v3p9, software_increments_of_el0)
{
	for (unsigned int bits = 0; bits < 0x80; bits++) {
		const bool asks = bits & PMU_PMUSERENR_UEN && !(bits & PMU_PMUSERENR_SW);
		struct pmu pmu = counting(0);

		pmu.pmuacr = 0x15;
		pmu.pmuserenr = bits;
		for (unsigned int n = 0; n < PMU_COUNTERS; n++)
			pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + n, PMU_SW_INCR);
		pmu_register_write(&pmu, PMU_PMSWINC_EL0, 0x1f);
		for (unsigned int n = 0; n < PMU_COUNTERS; n++)
			cr_expect_eq(pmu.counter[n], (asks ? 0x15 : 0x1f) >> n & 1, "0x%x: %u",
				     bits, n);
	}
}

/* The kernel's accesses do not ask PMUACR_EL1; of its bits EL1 has those of its counters. */
Test(pmu_v3p9, user_access_register)
{
	struct pmu pmu = made(1);
	struct pmu_context context = pmu.context;

	pmu_register_write(&pmu, PMU_PMUACR_EL1, UINT64_MAX);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMUACR_EL1), ALL);
	pmu_register_write(&pmu, PMU_PMUSERENR_EL0, UINT64_MAX);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMUSERENR_EL0), 0x7f);
	context.mdcr_el2 = 2;
	context.hides = UINT32_MAX;
	pmu_set_context(&pmu, &context);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMUACR_EL1), BIT(31) | F0 | 3, "hidden or not");
	pmu_register_write(&pmu, PMU_PMUACR_EL1, 0);
	cr_expect_eq(pmu.pmuacr, 0x3c, "those of EL2 stay");
	pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, 3);
	cr_expect_eq(pmu.enabled, 3);
	pmu.config.version = PMU_V3P8;
	pmu_register_write(&pmu, PMU_PMUSERENR_EL0, UINT64_MAX);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMUSERENR_EL0), 15);
}

/* What EL2 or EL3 hide of the instruction counter, each with its own bit. */
Test(pmu_v3p9, hidden_instruction_counter)
{
	for (unsigned int hides = 0; hides < 8; hides++) {
		struct pmu pmu = made(1);
		struct pmu_context context = pmu.context;

		context.hides = hides;
		pmu_set_context(&pmu, &context);
		pmu_register_write(&pmu, PMU_PMINTENSET_EL1, UINT64_MAX);
		cr_expect_eq(pmu.interrupts, hides & PMU_HIDES_WRITE ? ALL & ~F0 : ALL);
		pmu.overflowed = ALL;
		cr_expect_eq(pmu_register_read(&pmu, PMU_PMOVSCLR_EL0),
			     hides & PMU_HIDES_READ ? ALL & ~F0 : ALL);
		cr_expect_eq(zeroed(pmu, UINT64_MAX), hides & PMU_HIDES_ZERO ? ALL & ~F0 : ALL);
	}
}

Test(pmu_v3p9, who_hides)
{
	const uint32_t el2 = SYSREG_FEAT_EL2 | SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2;
	const uint64_t icntr = BIT(2), icfiltr = BIT(3);
	struct sysreg_controls c = {.features = el2 | SYSREG_FEAT_EL3,
				    .el = 1,
				    .scr_el3 = SYSREG_SCR_EL3_NS_MASK | SYSREG_SCR_EL3_FGTEn2_MASK,
				    .mdcr_el3 = MDCR_EL3_EnPM2,
				    .hdfgrtr2_el2 = icfiltr,
				    .hdfgwtr2_el2 = icfiltr | icntr};

	cr_expect_eq(pmu_hides_instructions(&c), 0);
	c.hdfgrtr2_el2 = icntr;
	cr_expect_eq(pmu_hides_instructions(&c), PMU_HIDES_READ);
	c.hdfgwtr2_el2 = icntr;
	cr_expect_eq(pmu_hides_instructions(&c), PMU_HIDES_READ | PMU_HIDES_WRITE);
	c.hdfgwtr2_el2 = icfiltr;
	cr_expect_eq(pmu_hides_instructions(&c), PMU_HIDES_READ | PMU_HIDES_ZERO);
	c.el = 2;
	cr_expect_eq(pmu_hides_instructions(&c), 0, "EL2 hides nothing from itself");
	c.mdcr_el3 = 0;
	cr_expect_eq(pmu_hides_instructions(&c), 7, "EnPM2");
	c.el = 3;
	cr_expect_eq(pmu_hides_instructions(&c), 0);
	c.el = 1;
	c.mdcr_el3 = MDCR_EL3_EnPM2;
	c.hdfgrtr2_el2 = c.hdfgwtr2_el2 = UINT64_MAX;
	c.scr_el3 = SYSREG_SCR_EL3_NS_MASK;
	cr_expect_eq(pmu_hides_instructions(&c), 7, "FGTEn2");
}
