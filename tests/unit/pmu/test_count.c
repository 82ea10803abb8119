/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU's rules (Arm ARM D13): which counter counts where, when it overflows, what that freezes
 * and which level it interrupts; and its registers.
 */
#include "../../array.h"
#include "../compare.h"

#include "pmu/fields.h"
#include "pmu/unit.h"

#define CYCLE	 PMU_CYCLE_COUNTER
#define CYCLES_1 (UINT32_C(1) << PMU_CYCLE)
#define BITS	 (((UINT64_C(1) << PMU_COUNTERS) - 1) | UINT64_C(1) << PMU_CYCLE)
#define TOP32	 (UINT64_C(1) << 32)

static const enum pmu_version versions[] = {PMU_V3P1, PMU_V3P4, PMU_V3P5,
					    PMU_V3P7, PMU_V3P8, PMU_V3P9};
#define VERSIONS (ARRAY_SIZE(versions))

static const struct spe_config spe_v1p2 = {.version = SPE_V1P2, .arch_inst = true};
static const uint64_t nothing[PMU_ALL_COUNTERS];

/* A PMU of a PE with all levels, at EL1 in Non-secure state, with every counter on. */
static struct pmu all_on(enum pmu_version version)
{
	struct pmu pmu = {
		.config = {.version = version, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
		.spe = &spe_v1p2,
	};
	const struct pmu_context context = {
		.mdcr_el2 = PMU_COUNTERS, .el = 1, .ns = true, .el2_enabled = true};

	pmu_config_of_engine(&pmu.config, false);
	pmu_clear(&pmu);
	pmu_set_context(&pmu, &context);
	pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, BITS);
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + n, PMU_INST_RETIRED);
	return pmu;
}

static bool counts(const struct pmu *pmu, unsigned int n)
{
	return pmu->counting >> n & 1;
}

static void change(struct pmu *pmu, const struct pmu_context *context)
{
	pmu_set_context(pmu, context);
}

/* Nothing counts after reset, and all registers are clear. */
Test(pmu, reset_turns_off)
{
	struct pmu pmu = all_on(PMU_V3P8);

	pmu_count(&pmu, 10, 10, nothing);
	pmu.config = (struct pmu_config){.version = PMU_V3P8};
	pmu.spe = NULL;
	pmu_clear(&pmu);
	cr_expect_eq(pmu.counting, 0);
	for (unsigned int reg = 0; reg < PMU_REGISTERS; reg++) {
		const uint64_t value = pmu_register_read(&pmu, (enum pmu_register)reg);

		if (reg == PMU_PMCR_EL0)
			cr_expect_eq(value, PMU_PMCR_LC | 6 << PMU_PMCR_N);
		else if (reg == PMU_PMICFILTR_EL0)
			cr_expect_eq(value, PMU_INST_RETIRED);
		else if (reg != PMU_PMCEID0_EL0 && reg != PMU_PMCEID1_EL0)
			cr_expect_eq(value, 0, "register %u", reg);
	}
}

/* Operations that began count as cycles, retired ones as instructions. */
Test(pmu, cycles_and_instructions)
{
	struct pmu pmu = all_on(PMU_V3P5);
	uint64_t more[PMU_ALL_COUNTERS] = {0, 0, 5, 7, 0, 0};

	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 1, PMU_CPU_CYCLES);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 2, PMU_LD_RETIRED);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 3, 0x3ff); /* no event */
	pmu_count(&pmu, 100, 97, more);
	cr_expect_eq(pmu.counter[0], 97);
	cr_expect_eq(pmu.counter[1], 100);
	cr_expect_eq(pmu.counter[2], 5);
	cr_expect_eq(pmu.counter[3], 0);
	cr_expect_eq(pmu.counter[CYCLE], 100);
}

/* If a machine model counts, its cycles are the clock, and its events exist. */
Test(pmu, modelled)
{
	struct pmu plain = {.config.version = PMU_V3P5}, pmu = plain;
	const struct pmu_context context = {.mdcr_el2 = PMU_COUNTERS, .el = 1, .ns = true};
	uint64_t more[PMU_ALL_COUNTERS] = {0, 20, 30, 0, 0, 0, 60};

	pmu_config_of_engine(&plain.config, false);
	pmu_config_of_engine(&pmu.config, true);
	cr_expect_eq(pmu_event_source(PMU_L1D_CACHE), PMU_MODEL);
	cr_expect_eq(pmu_event_source(PMU_LD_RETIRED), PMU_LOADS);
	cr_expect_eq(pmu_event_source(PMU_EXC_TAKEN), PMU_TOLD);
	cr_expect_not(pmu_counts(&plain, PMU_L1D_CACHE));
	cr_expect(pmu_counts(&pmu, PMU_L1D_CACHE));
	cr_expect(pmu_counts(&pmu, PMU_STALL_BACKEND_ST));
	pmu_clear(&pmu);
	/* L1I_CACHE_REFILL to L1D_TLB_REFILL, BR_MIS_PRED, BR_PRED, MEM_ACCESS, L1I_CACHE to
	 * L2D_CACHE_WB */
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID0_EL0) & 0x1fd003e, 0x1fd003e);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID0_EL0) >> 11 & 1, 0, "CID_WRITE_RETIRED");
	pmu_set_context(&pmu, &context);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 0, PMU_INST_RETIRED);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 1, PMU_L1D_CACHE);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 2, PMU_CPU_CYCLES);
	pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, pmu_counter_bits(&pmu.config));
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E);
	cr_expect_eq(pmu_left(&pmu), pmu_room(&pmu, 0), "cycles are no operations");
	pmu_count(&pmu, 100, 97, more);
	cr_expect_eq(pmu.counter[0], 97);
	cr_expect_eq(pmu.counter[1], 20);
	cr_expect_eq(pmu.counter[2], 30);
	cr_expect_eq(pmu.counter[CYCLE], 60);
	/* The rest of an operation counts in these counters, whatever is enabled now. */
	pmu_register_write(&pmu, PMU_PMCR_EL0, 0);
	pmu_count(&pmu, 100, 97, more);
	cr_expect_eq(pmu.counter[1], 20);
	pmu_count_rest(&pmu, 1u << 1 | 1u << CYCLE, more);
	cr_expect_eq(pmu.counter[1], 40);
	cr_expect_eq(pmu.counter[2], 30);
	cr_expect_eq(pmu.counter[CYCLE], 120);
}

/* One table: each number once, and the architecture's in their order. */
Test(pmu, event_numbers)
{
	static const unsigned int numbers[] = {
#define EVENT(name, source)		  PMU_##name,
#define MODEL_EVENT(name)		  PMU_##name,
#define SAMPLE_EVENT(name, from, feature) SPE_PMU_##name,
#include "pmu/event.def"
	};
	const size_t count = ARRAY_SIZE(numbers);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			cr_expect_neq(numbers[i], numbers[j], "0x%x", numbers[i]);
		if (i > 0 && numbers[i] < 0x4000)
			cr_expect_gt(numbers[i], numbers[i - 1], "0x%x", numbers[i]);
	}
}

/* P and NSK, U and NSU and so on: PMEVTYPER<n>_EL0. Every combination of a filter's bits. */
Test(pmu, filters)
{
	static const struct {
		unsigned int el;
		bool ns, nse;
		uint64_t bit, with; /* counted if the two are equal ... */
		bool differ;	    /* or if they are not */
	} rows[] = {
		{0, true, false, PMU_TYPE_U, PMU_TYPE_NSU, false},
		{1, true, false, PMU_TYPE_P, PMU_TYPE_NSK, false},
		{0, true, true, PMU_TYPE_U, PMU_TYPE_RLU, false},
		{1, true, true, PMU_TYPE_P, PMU_TYPE_RLK, false},
		{0, false, false, PMU_TYPE_U, 0, false},
		{1, false, false, PMU_TYPE_P, 0, false},
		{2, true, false, PMU_TYPE_NSH, 0, true},
		{2, false, false, PMU_TYPE_NSH, PMU_TYPE_SH, true},
		{2, true, true, PMU_TYPE_NSH, PMU_TYPE_RLH, true},
		{3, false, true, PMU_TYPE_M, PMU_TYPE_P, false},
	};
	static const uint64_t bits[] = {PMU_TYPE_P,   PMU_TYPE_U,  PMU_TYPE_NSK, PMU_TYPE_NSU,
					PMU_TYPE_NSH, PMU_TYPE_M,  PMU_TYPE_SH,	 PMU_TYPE_RLK,
					PMU_TYPE_RLU, PMU_TYPE_RLH};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pmu_context context = {
			.mdcr_el2 = PMU_COUNTERS,
			.mdcr_el3 = MDCR_EL3_SPME,
			.el = (uint8_t)rows[i].el,
			.ns = rows[i].ns,
			.nse = rows[i].nse,
			.el2_enabled = true,
		};
		struct pmu pmu = all_on(PMU_V3P8);

		change(&pmu, &context);
		for (unsigned int set = 0; set < 1u << 10; set++) {
			uint64_t type = PMU_INST_RETIRED;
			bool want;

			for (unsigned int b = 0; b < 10; b++)
				type |= set >> b & 1 ? bits[b] : 0;
			want = (!(type & rows[i].bit) != !(type & rows[i].with)) == rows[i].differ;
			pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 2, type);
			pmu_register_write(&pmu, PMU_PMCCFILTR_EL0, type);
			cr_assert_eq(counts(&pmu, 2), want, "row %u, type 0x%lx", i, type);
			cr_assert_eq(counts(&pmu, CYCLE), want, "row %u, type 0x%lx", i, type);
		}
	}
}

/* MDCR_EL2.HPMD, MDCR_EL3.{SPME,MPMX}: for a counter of the first range, and of the second. */
Test(pmu, prohibited_regions)
{
	for (unsigned int i = 0; i < VERSIONS; i++) {
		for (unsigned int bits = 0; bits < 64; bits++) {
			const bool spme = bits & 1, mpmx = bits & 2, hpmd = bits & 4, ns = bits & 8;
			const unsigned int el = bits >> 4;
			const bool secure = !ns || el == 3, v3p7 = versions[i] >= PMU_V3P7;
			const struct pmu_context context = {
				.mdcr_el2 = 3 | MDCR_EL2_HPME | (hpmd ? MDCR_EL2_HPMD : 0),
				.mdcr_el3 = (spme ? MDCR_EL3_SPME : 0) |
					    (mpmx && v3p7 ? MDCR_EL3_MPMX : 0),
				.el = (uint8_t)el,
				.ns = ns && el != 3,
				.el2_enabled = true,
			};
			bool first = true, second = true;
			struct pmu pmu = all_on(versions[i]);

			pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0,
					   PMU_INST_RETIRED | PMU_TYPE_NSH);
			pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 3,
					   PMU_INST_RETIRED | PMU_TYPE_NSH);
			change(&pmu, &context);
			if (secure && !spme && !(mpmx && v3p7))
				first = second = false;
			if (el == 3 && mpmx && v3p7) {
				first = false;
				second = spme;
			}
			if (el == 2 && hpmd)
				first = false;
			cr_expect_eq(counts(&pmu, 0), first, "v%u bits 0x%x", versions[i], bits);
			cr_expect_eq(counts(&pmu, 3), second, "v%u bits 0x%x", versions[i], bits);
			/* The cycle counter only stops with PMCR_EL0.DP. */
			pmu_register_write(&pmu, PMU_PMCCFILTR_EL0, PMU_TYPE_NSH);
			cr_expect(counts(&pmu, CYCLE));
			pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | PMU_PMCR_DP);
			cr_expect_eq(counts(&pmu, CYCLE), first);
		}
	}
}

/* MDCR_EL2.HCCD, MDCR_EL3.{SCCD,MCCD} only stop the cycle counter. */
Test(pmu, cycles_prohibited)
{
	static const struct {
		uint64_t mdcr_el2, mdcr_el3;
		unsigned int el;
		bool ns, stops;
	} rows[] = {
		{MDCR_EL2_HCCD, 0, 2, true, true},  {MDCR_EL2_HCCD, 0, 1, true, false},
		{0, MDCR_EL3_SCCD, 1, false, true}, {0, MDCR_EL3_SCCD, 1, true, false},
		{0, MDCR_EL3_SCCD, 3, false, true}, {0, MDCR_EL3_SCCD, 3, true, true},
		{0, MDCR_EL3_MCCD, 3, false, true}, {0, MDCR_EL3_MCCD, 1, false, false},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pmu_context context = {
			.mdcr_el2 = PMU_COUNTERS | rows[i].mdcr_el2,
			.mdcr_el3 = MDCR_EL3_SPME | rows[i].mdcr_el3,
			.el = (uint8_t)rows[i].el,
			.ns = rows[i].ns,
			.el2_enabled = true,
		};
		struct pmu pmu = all_on(PMU_V3P7);

		pmu_register_write(&pmu, PMU_PMCCFILTR_EL0, PMU_TYPE_NSH);
		pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0, PMU_INST_RETIRED | PMU_TYPE_NSH);
		change(&pmu, &context);
		cr_expect_eq(counts(&pmu, CYCLE), !rows[i].stops, "row %u", i);
		cr_expect(counts(&pmu, 0), "row %u", i);
	}
}

/* spe_pmu_frozen() has already checked PMCR_EL0.{FZS,DP} and MDCR_EL2.HPMFZS. */
Test(pmu, frozen_by_spe)
{
	for (uint32_t frozen = 0; frozen < 8; frozen++) {
		const struct pmu_context context = {.mdcr_el2 = 3 | MDCR_EL2_HPME,
						    .el = 1,
						    .ns = true,
						    .el2_enabled = true,
						    .frozen = frozen};
		struct pmu pmu = all_on(PMU_V3P7);

		change(&pmu, &context);
		cr_expect_eq(counts(&pmu, 2), !(frozen & SPE_FROZEN_FIRST));
		cr_expect_eq(counts(&pmu, 3), !(frozen & SPE_FROZEN_SECOND));
		cr_expect_eq(counts(&pmu, CYCLE), !(frozen & SPE_FROZEN_CYCLES));
	}
}

/* The bits that a version has. */
Test(pmu, bits_of_versions)
{
	for (unsigned int i = 0; i < VERSIONS; i++) {
		const bool p5 = versions[i] >= PMU_V3P5, p7 = versions[i] >= PMU_V3P7;
		struct pmu pmu = all_on(versions[i]);
		const struct pmu_config *config = &pmu.config;
		uint64_t pmcr;

		pmu_register_write(&pmu, PMU_PMCR_EL0, UINT64_MAX);
		pmcr = pmu_register_read(&pmu, PMU_PMCR_EL0);
		cr_expect_eq(pmcr & ~(PMU_PMCR_E | PMU_PMCR_DP),
			     PMU_PMCR_LC | 6 << PMU_PMCR_N | (p5 ? PMU_PMCR_LP : 0) |
				     (p7 ? PMU_PMCR_FZO | PMU_PMCR_FZS : 0),
			     "0x%lx", pmcr);
		cr_expect_eq(!!(pmu_mdcr_el2_bits(&pmu) & (MDCR_EL2_HCCD | MDCR_EL2_HLP)), p5);
		cr_expect_eq(!!(pmu_mdcr_el2_bits(&pmu) & MDCR_EL2_HPMFZO), p7);
		cr_expect_eq(!!(pmu_mdcr_el2_bits(&pmu) & MDCR_EL2_HPMFZS), p7);
		cr_expect_eq(!!(pmu_mdcr_el3_bits(config) & MDCR_EL3_SCCD), p5);
		cr_expect_eq(!!(pmu_mdcr_el3_bits(config) & (MDCR_EL3_MPMX | MDCR_EL3_MCCD)), p7);
		pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0, UINT64_MAX);
		cr_expect_eq(pmu_register_read(&pmu, PMU_PMEVCNTR0_EL0),
			     p5 ? UINT64_MAX : UINT32_MAX);
	}
}

/* PMCEID<n>_EL0 list exactly the events that are counted. */
Test(pmu, identification)
{
	static const struct spe_config micro_ops = {.version = SPE_V1P2};
	struct pmu pmu = all_on(PMU_V3P5);

	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID0_EL0), UINT64_C(0xf400a77c1));
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID1_EL0), UINT64_C(0x4000002));
	cr_expect(pmu_counts(&pmu, SPE_PMU_SAMPLE_FEED_BR));
	pmu.spe = &micro_ops;
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID1_EL0), 2);
	pmu.spe = NULL;
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCEID0_EL0), UINT64_C(0x400a77c1));
	cr_expect_not(pmu_counts(&pmu, SPE_PMU_SAMPLE_FEED_BR));
}

/* A budget brings a counter exactly to its overflow, whatever its value. */
Test(pmu, budget_ends_at_the_overflow)
{
	static const uint64_t starts[] = {0, 1, 1000, UINT32_MAX, TOP32, 7 * TOP32 - 3, UINT64_MAX};

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(starts); i++) {
		const bool wide = i % 2;
		struct pmu pmu = all_on(PMU_V3P5);
		uint64_t budget;

		pmu_register_write(&pmu, PMU_PMCNTENCLR_EL0, BITS);
		cr_expect_eq(pmu_left(&pmu), UINT64_MAX);
		pmu_register_write(&pmu, PMU_PMCNTENSET_EL0, 1);
		pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | (wide ? PMU_PMCR_LP : 0));
		pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0, starts[i / 2]);
		budget = pmu_left(&pmu);
		cr_assert_geq(budget, 1);
		if (budget == UINT64_MAX) /* one less than the maximum */
			continue;
		pmu_count(&pmu, budget - 1, budget - 1, nothing);
		cr_expect_eq(pmu.overflowed, 0, "from 0x%lx", starts[i / 2]);
		pmu_count(&pmu, 1, 1, nothing);
		cr_expect_eq(pmu.overflowed, 1, "from 0x%lx", starts[i / 2]);
		cr_expect_eq(pmu.counter[0], starts[i / 2] + budget);
	}
}

/* Small steps and one large step give the same in all registers, whatever the values. */
Test(pmu, steps_add_up)
{
	uint64_t seed = 12345;

	for (unsigned int round = 0; round < 2000; round++) {
		struct pmu one = all_on(PMU_V3P7), many;
		uint64_t total = 0;

		for (unsigned int n = 0; n < PMU_COUNTERS; n++) {
			static const unsigned int events[] = {PMU_INST_RETIRED, PMU_CHAIN,
							      PMU_CPU_CYCLES};

			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			pmu_register_write(&one, PMU_PMEVTYPER0_EL0 + n, events[(seed >> 40) % 3]);
			pmu_register_write(&one, PMU_PMEVCNTR0_EL0 + n,
					   (seed >> 60 & 1 ? TOP32 : UINT64_MAX) -
						   (seed >> 33 & 0xff));
		}
		many = one;
		for (unsigned int step = 0; step < 50; step++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			pmu_count(&many, seed >> 61, seed >> 61, nothing);
			total += seed >> 61;
		}
		pmu_count(&one, total, total, nothing);
		for (unsigned int n = 0; n <= CYCLE; n++)
			cr_assert_eq(one.counter[n], many.counter[n], "round %u counter %u", round,
				     n);
		cr_assert_eq(one.overflowed, many.overflowed);
	}
}

/* CHAIN needs an odd counter, and 32 bits. */
Test(pmu, chains)
{
	struct pmu pmu = all_on(PMU_V3P5);

	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0 + n, n % 2 ? n : UINT32_MAX - n);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 1, PMU_CHAIN);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 5, PMU_CHAIN);
	pmu_count(&pmu, TOP32 + 1, TOP32 + 1, nothing);
	cr_expect_eq(pmu.counter[1], 1 + 2);
	cr_expect_eq(pmu.counter[3], 3 + TOP32 + 1);
	cr_expect_eq(pmu.counter[5], 5 + 1);
	cr_expect_eq(pmu.overflowed & 0x3f, 0x1d); /* 3 counted instructions */
	pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | PMU_PMCR_LP);
	pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0, UINT64_MAX);
	pmu_count(&pmu, 1, 1, nothing);
	cr_expect_eq(pmu.counter[1], 3);
}

/* PMCR_EL0.FZO, MDCR_EL2.HPMFZO: each freezes its range, at the operation that overflows. */
Test(pmu, freezes_on_overflow)
{
	for (unsigned int bits = 0; bits < 16; bits++) {
		const bool fzo = bits & 1, hpmfzo = bits & 2, dp = bits & 4, second = bits & 8;
		const struct pmu_context context = {
			.mdcr_el2 = 3 | MDCR_EL2_HPME | (hpmfzo ? MDCR_EL2_HPMFZO : 0),
			.el = 1,
			.ns = true,
			.el2_enabled = true,
		};
		struct pmu pmu = all_on(PMU_V3P7);
		uint64_t want[2];

		pmu_register_write(&pmu, PMU_PMCR_EL0,
				   PMU_PMCR_E | (fzo ? PMU_PMCR_FZO : 0) | (dp ? PMU_PMCR_DP : 0));
		pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0 + (second ? 4 : 1), UINT32_MAX);
		change(&pmu, &context);
		pmu_count(&pmu, 1, 1, nothing);
		pmu_count(&pmu, 10, 10, nothing);
		want[0] = fzo && !second ? 1 : 11;
		want[1] = hpmfzo && second ? 1 : 11;
		cr_expect_eq(pmu.counter[0], want[0], "bits 0x%x", bits);
		cr_expect_eq(pmu.counter[5], want[1], "bits 0x%x", bits);
		cr_expect_eq(pmu.counter[CYCLE], fzo && dp && !second ? 1 : 11, "bits 0x%x", bits);
		pmu_set_context(&pmu, &context);
		pmu.overflowed = 0;
		pmu_set_context(&pmu, &context);
		cr_expect_eq(pmu.counting, 0x7f);
	}
	/* The cycle counter's own overflow freezes nothing. */
	{
		struct pmu pmu = all_on(PMU_V3P7);

		pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_E | PMU_PMCR_FZO | PMU_PMCR_DP);
		pmu_register_write(&pmu, PMU_PMOVSSET_EL0, CYCLES_1);
		cr_expect_eq(pmu.counting, 0x7f);
	}
}

/* An overflow requests an interrupt if the counter may interrupt, and its range is on. */
Test(pmu, interrupt_request)
{
	for (unsigned int bits = 0; bits < 64; bits++) {
		const bool e = bits & 1, hpme = bits & 2, enabled = bits & 4;
		const uint32_t bit = bits >> 3 == 7 ? CYCLES_1 : UINT32_C(1) << (bits >> 3) % 6;
		const bool second = bit & 0x38;
		const struct pmu_context context = {
			.mdcr_el2 = 3 | (hpme ? MDCR_EL2_HPME : 0), .el = 2, .ns = true};
		struct pmu pmu = all_on(PMU_V3P5);

		change(&pmu, &context);
		pmu_register_write(&pmu, PMU_PMCR_EL0, e ? PMU_PMCR_E : 0);
		cr_expect_not(pmu_irq(&pmu));
		pmu_register_write(&pmu, PMU_PMOVSSET_EL0, bit);
		pmu_register_write(&pmu, PMU_PMINTENSET_EL1, enabled ? bit : BITS & ~bit);
		cr_expect_eq(pmu_irq(&pmu), enabled && (second ? hpme : e), "bits 0x%x", bits);
	}
}

/* HPMN 0 leaves the first range only the cycle counter, which has no range. */
Test(pmu, no_counter_in_the_first_range)
{
	for (unsigned int bits = 0; bits < 4; bits++) {
		const bool e = bits & 1, hpme = bits & 2;
		const struct pmu_context context = {
			.mdcr_el2 = hpme ? MDCR_EL2_HPME : 0, .el = 1, .ns = true};
		struct pmu pmu = all_on(PMU_V3P8);

		change(&pmu, &context);
		pmu_register_write(&pmu, PMU_PMCR_EL0, e ? PMU_PMCR_E : 0);
		cr_expect_eq(pmu.counting, (e ? 0x40 : 0) | (hpme ? 0x3f : 0), "bits 0x%x", bits);
	}
}

/* EL1 and EL0 have the counters that MDCR_EL2.HPMN leaves them, if EL2 is enabled. */
Test(pmu, accessible_counters)
{
	for (unsigned int hpmn = 0; hpmn < 32; hpmn++) {
		for (unsigned int el = 0; el < 4; el++) {
			const struct pmu_context context = {.mdcr_el2 = hpmn,
							    .el = (uint8_t)el,
							    .ns = true,
							    .el2_enabled = true};
			struct pmu_context off = context;
			struct pmu pmu = all_on(PMU_V3P5);
			const unsigned int some = hpmn < PMU_COUNTERS ? hpmn : PMU_COUNTERS;
			const unsigned int want = el < 2 ? some : PMU_COUNTERS;
			const uint32_t bits = ((UINT32_C(1) << want) - 1) | CYCLES_1;

			off.el2_enabled = false;
			change(&pmu, &off);
			cr_expect_eq(pmu_accessible(&pmu), PMU_COUNTERS);
			change(&pmu, &context);
			cr_expect_eq(pmu_accessible(&pmu), want);
			cr_expect_eq(pmu_register_read(&pmu, PMU_PMCR_EL0) >> PMU_PMCR_N & 0x1f,
				     want);
			cr_expect_eq(pmu_register_read(&pmu, PMU_PMCNTENSET_EL0), bits);
			pmu_register_write(&pmu, PMU_PMCNTENCLR_EL0, UINT64_MAX);
			cr_expect_eq(pmu.enabled, BITS & ~bits);
			pmu_register_write(&pmu, PMU_PMOVSSET_EL0, UINT64_MAX);
			cr_expect_eq(pmu.overflowed, bits);
			for (unsigned int n = 0; n < PMU_COUNTERS; n++)
				pmu.counter[n] = 9;
			pmu_register_write(&pmu, PMU_PMCR_EL0, PMU_PMCR_P);
			for (unsigned int n = 0; n < PMU_COUNTERS; n++)
				cr_expect_eq(pmu.counter[n], n < want ? 0 : 9);
		}
	}
}

/* PMSWINC_EL0 is for counters of SW_INCR that count. */
Test(pmu, software_increment)
{
	struct pmu pmu = all_on(PMU_V3P1);

	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0, PMU_SW_INCR);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 1, PMU_SW_INCR);
	pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + 2, PMU_SW_INCR | PMU_TYPE_P);
	pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0 + 1, UINT32_MAX);
	pmu_register_write(&pmu, PMU_PMSWINC_EL0, 0x3e);
	cr_expect_eq(pmu.counter[0], 0);
	cr_expect_eq(pmu.counter[1], 0);
	cr_expect_eq(pmu.counter[2], 0);
	cr_expect_eq(pmu.counter[3], 0);
	cr_expect_eq(pmu.overflowed, 2);
}

/* PMSELR_EL0 and PMXEV*_EL0 are another way to the same registers. */
Test(pmu, selection)
{
	const struct sysreg_controls el1 = {.el = 1};
	struct pmu pmu = all_on(PMU_V3P8);

	for (unsigned int sel = 0; sel < 32; sel++) {
		struct pmu_controls controls;
		struct sysreg_route counter, type;

		pmu_register_write(&pmu, PMU_PMSELR_EL0, sel | 0x40);
		cr_expect_eq(pmu_register_read(&pmu, PMU_PMSELR_EL0), sel);
		controls = pmu_controls_of(&pmu);
		counter = pmu_route(&el1, &controls, PMU_PMXEVCNTR_EL0, true, 0);
		type = pmu_route(&el1, &controls, PMU_PMXEVTYPER_EL0, true, 0);
		cr_expect_eq(counter.kind == SYSREG_DIRECT, sel < PMU_COUNTERS);
		cr_expect_eq(type.kind == SYSREG_DIRECT, sel < PMU_COUNTERS || sel == 31);
		if (sel == 31)
			cr_expect_eq(type.reg, PMU_PMCCFILTR_EL0);
		if (sel >= PMU_COUNTERS)
			continue;
		cr_expect_eq(counter.reg, PMU_PMEVCNTR0_EL0 + sel);
		cr_expect_eq(type.reg, PMU_PMEVTYPER0_EL0 + sel);
	}
}

/* Only existing event counters and filters: others read as zero and keep nothing. */
Test(pmu, registers_of_counters)
{
	struct pmu pmu = all_on(PMU_V3P9);
	const uint64_t type_bits = pmu_type_bits(&pmu.config);

	for (unsigned int n = 0; n < 31; n++) {
		pmu_register_write(&pmu, PMU_PMEVCNTR0_EL0 + n, 77 + n);
		pmu_register_write(&pmu, PMU_PMEVTYPER0_EL0 + n, 0x1234 + n);
	}
	for (unsigned int n = 0; n < 31; n++) {
		const bool exists = n < PMU_COUNTERS;

		cr_expect_eq(pmu_register_read(&pmu, PMU_PMEVCNTR0_EL0 + n), exists ? 77 + n : 0);
		cr_expect_eq(pmu_register_read(&pmu, PMU_PMEVTYPER0_EL0 + n),
			     exists ? 0x1234 + n : 0);
	}
	pmu_register_write(&pmu, PMU_PMCCFILTR_EL0, UINT64_MAX);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMCCFILTR_EL0), type_bits & ~UINT64_C(0xffff));
	pmu_register_write(&pmu, PMU_PMICFILTR_EL0, UINT64_MAX);
	cr_expect_eq(pmu_register_read(&pmu, PMU_PMICFILTR_EL0),
		     (type_bits & ~UINT64_C(0xffff)) | 8);
}
