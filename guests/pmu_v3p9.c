/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_PMUv3p9 and FEAT_PMUv3_ICNTR at EL1 and EL0: see pmu_v3p9.h. Table D13-12 of the Arm ARM
 * says what EL0 has of a counter.
 */
#include "pmu_v3p9.h"
#include "exception.h"
#include "pmu_regs.h"
#include "tap.h"

static uint64_t read_instructions(void)
{
	isb();
	return read_sysreg(PMICNTR_EL0);
}

/* SVCs of pmu_calls() come back here. */
static enum exc_return ignore_call(struct exc_frame *frame, enum exc_vector vector)
{
	(void)frame, (void)vector;
	return EXC_RETURN;
}

/* What a run of n SVCs makes the instruction counter and INST_RETIRED count. */
static void count_calls(uint64_t n, uint64_t filter, uint64_t counts[2])
{
	pmu_clear(0);
	write_sysreg(PMICNTR_EL0, 0);
	write_sysreg(PMICFILTR_EL0, filter);
	pmu_count(1, EVENT_INST_RETIRED | filter, 0);
	write_sysreg(pmcntenset_el0, PMU_F0_BIT);
	exc_hooks[VEC_SPX_SYNC] = ignore_call;
	pmu_run(PMCR_E, user_address(pmu_calls), n, 0);
	exc_hooks[VEC_SPX_SYNC] = NULL;
	counts[0] = read_instructions();
	counts[1] = pmu_read_counter(1);
}

void pmu_instruction_counter(void)
{
	uint64_t counts[2];

	count_calls(20, 0, counts);
	CHECK(counts[0] == counts[1] && counts[0] > 60, "%lu, INST_RETIRED %lu", counts[0],
	      counts[1]);
	count_calls(20, PMU_FILTER_P, counts);
	CHECK(counts[0] == 0 && counts[1] == 0, "P: %lu, INST_RETIRED %lu", counts[0], counts[1]);
	CHECK(read_sysreg(PMICFILTR_EL0) == (PMU_FILTER_P | EVENT_INST_RETIRED),
	      "PMICFILTR_EL0 0x%lx", read_sysreg(PMICFILTR_EL0));
	pmu_clear(0);
	write_sysreg(PMICFILTR_EL0, 0);
	write_sysreg(PMICNTR_EL0, UINT32_MAX);
	write_sysreg(pmcntenset_el0, PMU_F0_BIT);
	exc_hooks[VEC_SPX_SYNC] = ignore_call;
	pmu_run(PMCR_E, user_address(pmu_calls), 9, 0);
	CHECK(read_sysreg(pmovsset_el0) == 0, "overflow at 32 bits, without PMCR_EL0.LP");
	write_sysreg(PMICNTR_EL0, UINT64_MAX - 1);
	pmu_run(PMCR_E, user_address(pmu_calls), 9, 0);
	exc_hooks[VEC_SPX_SYNC] = NULL;
	CHECK(read_instructions() < 1000 && read_sysreg(pmovsset_el0) == PMU_F0_BIT,
	      "overflow: %lu, PMOVSSET_EL0 0x%lx", read_instructions(), read_sysreg(pmovsset_el0));
	pmu_clear(0);
	write_sysreg(PMICNTR_EL0, 0);
}

/* 100 in each counter. */
static void fill_counters(void)
{
	for (unsigned int n = 0; n < PMU_MAX_COUNTERS; n++)
		pmu_write_counter(n, 100);
	write_sysreg(pmccntr_el0, 100);
	if (pmu_has_icntr())
		write_sysreg(PMICNTR_EL0, 100);
	isb();
}

/* Which are still 100. */
static uint64_t filled_counters(void)
{
	uint64_t bits = read_sysreg(pmccntr_el0) == 100 ? PMU_CYCLE_BIT : 0;

	for (unsigned int n = 0; n < PMU_MAX_COUNTERS; n++)
		bits |= pmu_read_counter(n) == 100 ? UINT64_C(1) << n : 0;
	if (pmu_has_icntr() && read_instructions() == 100)
		bits |= PMU_F0_BIT;
	return bits;
}

void pmu_zero_counters(void)
{
	const uint64_t all = PMU_CYCLE_BIT | ((UINT64_C(1) << PMU_MAX_COUNTERS) - 1) |
			     (pmu_has_icntr() ? PMU_F0_BIT : 0);

	pmu_clear(0);
	for (unsigned int bit = 0; bit < 64; bit++) {
		const uint64_t mask = UINT64_C(1) << bit;

		fill_counters();
		write_sysreg(PMZR_EL0, mask);
		isb();
		CHECK(filled_counters() == (all & ~mask), "PMZR_EL0 bit %u: 0x%lx", bit,
		      filled_counters());
	}
	fill_counters();
	write_sysreg(PMZR_EL0, UINT64_MAX);
	isb();
	CHECK(filled_counters() == 0, "PMZR_EL0 of ones: 0x%lx", filled_counters());
}

/* Does EL0's call of function complete, with these bits of PMUSERENR_EL0? */
static bool user_may(uintptr_t function, uint64_t bits, uint64_t argument)
{
	write_sysreg(pmuserenr_el0, bits);
	isb();
	expect_begin();
	(void)user_call(function, argument, 0, 0);
	return expect_end().count == 0;
}

/* UEN does what EN does, but for PMCR_EL0; TID keeps PMCEID<n>_EL0; PMICNTR_EL0 needs UEN. */
void pmu_user_enable(void)
{
	const struct {
		const char *name;
		uintptr_t function;
		uint64_t by, without;
		bool icntr;
	} rows[] = {
		{"PMCR_EL0", user_address(pmu_user_read_control), PMUSERENR_EN, PMUSERENR_UEN, 0},
		{"PMCEID0_EL0", user_address(pmu_user_read_ids), PMUSERENR_EN | PMUSERENR_UEN,
		 PMUSERENR_TID, 0},
		{"PMCNTENSET_EL0", user_address(pmu_user_read_enabled),
		 PMUSERENR_EN | PMUSERENR_UEN, 0, 0},
		{"PMEVCNTR0_EL0", user_address(pmu_user_read_counter),
		 PMUSERENR_EN | PMUSERENR_UEN | PMUSERENR_ER, 0, 0},
		{"PMCCNTR_EL0, written", user_address(pmu_user_write_cycles),
		 PMUSERENR_EN | PMUSERENR_UEN, 0, 0},
		{"PMSWINC_EL0", user_address(pmu_user_increment),
		 PMUSERENR_EN | PMUSERENR_UEN | PMUSERENR_SW, 0, 0},
		{"PMZR_EL0", user_address(pmu_user_zero), PMUSERENR_EN | PMUSERENR_UEN, 0, 0},
		{"PMICNTR_EL0", user_address(pmu_user_read_instructions), PMUSERENR_UEN, 0, 1},
		{"PMICNTR_EL0, written", user_address(pmu_user_write_instructions), PMUSERENR_UEN,
		 0, 1},
		{"PMICFILTR_EL0", user_address(pmu_user_read_filter), PMUSERENR_UEN, 0, 1},
		{"PMICFILTR_EL0, written", user_address(pmu_user_write_filter), PMUSERENR_UEN, 0,
		 1},
	};

	for (uint64_t bits = 0; bits < 128; bits++) {
		for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const bool may = bits & rows[i].by && !(bits & rows[i].without);

			if (rows[i].icntr && !pmu_has_icntr())
				continue;
			CHECK(user_may(rows[i].function, bits, 0) == may,
			      "PMUSERENR_EL0 0x%lx: EL0 may%s access %s", bits, may ? "" : " not",
			      rows[i].name);
		}
	}
	write_sysreg(pmuserenr_el0, 0);
}

static void give(uint64_t counters, uint64_t bits)
{
	write_sysreg(PMUACR_EL1, counters);
	write_sysreg(pmuserenr_el0, bits);
	isb();
}

/* A counter of EL0's: what it reads, and whether it can be written. */
static void check_counter(uint64_t bits, const char *name, bool given, bool writable,
			  uintptr_t read, uintptr_t write)
{
	uint64_t got;

	fill_counters();
	got = user_call(read, 0, 0, 0);
	CHECK(got == (given ? 100 : 0), "PMUSERENR_EL0 0x%lx: EL0 reads %lu of %s", bits, got,
	      name);
	(void)user_call(write, 55, 0, 0);
	isb();
	give(UINT64_MAX, PMUSERENR_UEN);
	got = user_call(read, 0, 0, 0);
	CHECK(got == (writable ? 55 : 100), "PMUSERENR_EL0 0x%lx: EL0 makes %lu of %s", bits, got,
	      name);
}

/* The counters themselves, by these bits. */
static void check_counters(uint64_t bits, uint64_t given, uint64_t writable)
{
	give(given, bits);
	check_counter(bits, "PMEVCNTR0_EL0", given & 1, writable & 1,
		      user_address(pmu_user_read_counter), user_address(pmu_user_write_counter));
	give(given, bits);
	check_counter(bits, "PMCCNTR_EL0", given & PMU_CYCLE_BIT, writable & PMU_CYCLE_BIT,
		      user_address(pmu_user_read_cycles), user_address(pmu_user_write_cycles));
	if (!pmu_has_icntr())
		return;
	give(given, bits);
	check_counter(bits, "PMICNTR_EL0", given & PMU_F0_BIT, writable & PMU_F0_BIT,
		      user_address(pmu_user_read_instructions),
		      user_address(pmu_user_write_instructions));
}

/* Their bits in PMCNTENSET_EL0, PMCNTENCLR_EL0 and PMZR_EL0. */
static void check_bits(uint64_t bits, uint64_t given, uint64_t writable)
{
	uint64_t got;

	give(given, bits);
	(void)user_call(user_address(pmu_user_write_enabled), UINT64_MAX, 0, 0);
	isb();
	got = read_sysreg(pmcntenset_el0);
	CHECK(got == writable, "PMUSERENR_EL0 0x%lx: EL0 enables 0x%lx, not 0x%lx", bits, got,
	      writable);
	write_sysreg(pmcntenset_el0, UINT64_MAX);
	isb();
	got = user_call(user_address(pmu_user_read_clears), 0, 0, 0);
	CHECK(got == given, "PMUSERENR_EL0 0x%lx: EL0 reads 0x%lx, not 0x%lx", bits, got, given);
	pmu_clear(0);
	fill_counters();
	(void)user_call(user_address(pmu_user_zero), UINT64_MAX, 0, 0);
	isb();
	got = ~filled_counters() & pmu_counter_bits();
	CHECK(got == writable, "PMUSERENR_EL0 0x%lx: EL0 zeroes 0x%lx, not 0x%lx", bits, got,
	      writable);
}

/* Event counter 0, the cycle counter and the instruction counter, each given or not. */
void pmu_user_counters(void)
{
	for (unsigned int n = 0; n < 8 * 64; n++) {
		const uint64_t bits = PMUSERENR_UEN | n % 16 | (n & 48) << 1;
		const unsigned int i = n / 64;
		const uint64_t given = (i & 1) | (i & 2 ? PMU_CYCLE_BIT : 0) |
				       (i & 4 && pmu_has_icntr() ? PMU_F0_BIT : 0);
		const uint64_t only = (bits & PMUSERENR_ER ? 1 : 0) |
				      (bits & PMUSERENR_CR ? PMU_CYCLE_BIT : 0) |
				      (bits & PMUSERENR_IR ? PMU_F0_BIT : 0);

		pmu_clear(0);
		check_counters(bits, given, given & ~only);
		check_bits(bits, given, given & ~only);
	}
	give(0, 0);
}
