/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu-levels: what EL2 does with the Performance Monitors: counters that it keeps (MDCR_EL2.HPMN,
 * HPME, HLP, HPMFZO), counting that it prohibits or filters (HPMD, HCCD, NSH), and what it traps of
 * EL1 and EL0 (TPM, TPMCR, HPMN, HDFGRTR_EL2, HDFGWTR_EL2). Arm ARM D13, and the pages of these
 * registers. Needs no SPE.
 */
#include "boot.h"
#include "lower.h"
#include "pmu_regs.h"
#include "tap.h"

#define TOP32	 (UINT64_C(1) << 32)
#define COUNTERS 6
#define READ	 UINT32_C(0x00200000) /* MRS and not MSR, in an instruction word */

#define MDCR_HPMN(n) ((uint64_t)(n))
#define MDCR_TPMCR   (UINT64_C(1) << 5)
#define MDCR_TPM     (UINT64_C(1) << 6)
#define MDCR_HPME    (UINT64_C(1) << 7)
#define MDCR_HPMD    (UINT64_C(1) << 17)
#define MDCR_HCCD    (UINT64_C(1) << 23)
#define MDCR_HLP     (UINT64_C(1) << 26)
#define MDCR_HPMFZO  (UINT64_C(1) << 29)

#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5

#define HDFGRTR2_EL2 S3_4_C3_C1_0
#define HDFGWTR2_EL2 S3_4_C3_C1_1

#define PMCR	     A64_SYSREG(3, 3, 9, 12, 0)
#define PMCNTENSET   A64_SYSREG(3, 3, 9, 12, 1)
#define PMOVSSET     A64_SYSREG(3, 3, 9, 14, 3)
#define PMSELR	     A64_SYSREG(3, 3, 9, 12, 5)
#define PMXEVTYPER   A64_SYSREG(3, 3, 9, 13, 1)
#define PMXEVCNTR    A64_SYSREG(3, 3, 9, 13, 2)
#define PMEVCNTR(n)  A64_SYSREG(3, 3, 14, 8, n)
#define PMEVTYPER(n) A64_SYSREG(3, 3, 14, 12, n)

static struct lower_context c;
static uint64_t mdcr; /* MDCR_EL2 without what this guest changes */

static const struct row {
	const char *name;
	uint32_t sysreg;
	int read, write; /* bit of HDFGRTR_EL2 and HDFGWTR_EL2; -1: none; -2: no such access */
	bool el0;
} rows[] = {
	{"PMCR_EL0", PMCR, -1, 21, true},
	{"PMCNTENSET_EL0", PMCNTENSET, 16, 16, true},
	{"PMCNTENCLR_EL0", A64_SYSREG(3, 3, 9, 12, 2), 16, 16, true},
	{"PMOVSCLR_EL0", A64_SYSREG(3, 3, 9, 12, 3), 18, 18, true},
	{"PMOVSSET_EL0", PMOVSSET, 18, 18, true},
	{"PMSWINC_EL0", A64_SYSREG(3, 3, 9, 12, 4), -2, 20, true},
	{"PMSELR_EL0", PMSELR, 19, 19, true},
	{"PMCEID0_EL0", A64_SYSREG(3, 3, 9, 12, 6), 58, -2, true},
	{"PMCEID1_EL0", A64_SYSREG(3, 3, 9, 12, 7), 58, -2, true},
	{"PMCCNTR_EL0", A64_SYSREG(3, 3, 9, 13, 0), 15, 15, true},
	{"PMXEVTYPER_EL0", PMXEVTYPER, 13, 13, true},
	{"PMXEVCNTR_EL0", PMXEVCNTR, 12, 12, true},
	{"PMEVCNTR0_EL0", PMEVCNTR(0), 12, 12, true},
	{"PMEVCNTR5_EL0", PMEVCNTR(5), 12, 12, true},
	{"PMEVTYPER0_EL0", PMEVTYPER(0), 13, 13, true},
	{"PMEVTYPER5_EL0", PMEVTYPER(5), 13, 13, true},
	{"PMCCFILTR_EL0", A64_SYSREG(3, 3, 14, 15, 7), 14, 14, true},
	{"PMUSERENR_EL0", A64_SYSREG(3, 3, 9, 14, 0), 57, 57, false},
	{"PMINTENSET_EL1", A64_SYSREG(3, 0, 9, 14, 1), 17, 17, false},
	{"PMINTENCLR_EL1", A64_SYSREG(3, 0, 9, 14, 2), 17, 17, false},
	{"PMMIR_EL1", A64_SYSREG(3, 0, 9, 14, 6), 22, -2, false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *needs_fgt(void)
{
	const char *why = needs_pmu();

	if (!why && !field(read_sysreg(id_aa64mmfr0_el1), 59, 56))
		why = "no FEAT_FGT";
	return why;
}

static void set_mdcr(uint64_t bits)
{
	write_sysreg(mdcr_el2, mdcr | bits);
	isb();
}

static void begin(uint64_t bits)
{
	static bool known;

	if (!known)
		mdcr = read_sysreg(mdcr_el2) & ~UINT64_C(0xff);
	known = true;
	write_sysreg(pmuserenr_el0, PMUSERENR_EN);
	set_mdcr(MDCR_HPMN(COUNTERS));
	pmu_clear(0);
	set_mdcr(bits);
}

/* The access at EL el, with X5: did it complete? */
static bool access_at(unsigned int el, uint32_t sysreg, bool read, uint64_t x5)
{
	lower_init(&c, el, 0);
	c.x[5] = x5;
	return lower_insn(&c, read ? A64_MRS(sysreg, 5) : A64_MSR(sysreg, 5));
}

/* Was the last one trapped to EL2? */
static bool trapped(uint32_t sysreg, bool read)
{
	unsigned int el;

	return lower_vector(&c, &el) < 0 && field(c.exit.esr, 31, 26) == EC_SYSREG &&
	       field(c.exit.esr, 24, 0) == lower_sysreg_iss(sysreg, 5, read);
}

static bool row_exists(const struct row *row, unsigned int el, bool read)
{
	if (pmu_version() < PMU_V3P4 && row->sysreg == A64_SYSREG(3, 0, 9, 14, 6))
		return false;
	return (read ? row->read : row->write) != -2 && (el || row->el0);
}

/* Each access at EL1 and EL0: done if it is none of want, trapped if it is. */
static void check_all(const char *what, uint64_t bits, bool (*want)(const struct row *, bool))
{
	for (unsigned int i = 0; i < 4 * ROWS; i++) {
		const struct row *row = &rows[i / 4];
		const unsigned int el = i % 2;
		const bool read = i / 2 % 2;
		bool done;

		if (!row_exists(row, el, read))
			continue;
		begin(bits);
		done = access_at(el, row->sysreg, read, 0);
		CHECK(done != want(row, read), "%s: EL%u %s %s: done %d", what, el,
		      read ? "reads" : "writes", row->name, done);
		CHECK(done || trapped(row->sysreg, read), "%s: %s: ESR_EL2 0x%lx", what, row->name,
		      c.exit.esr);
	}
}

static bool none(const struct row *row, bool read)
{
	(void)row, (void)read;
	return false;
}

static bool all(const struct row *row, bool read)
{
	(void)row, (void)read;
	return true;
}

static bool control(const struct row *row, bool read)
{
	(void)read;
	return row->sysreg == PMCR;
}

static bool fifth(const struct row *row, bool read)
{
	(void)read;
	return row->sysreg == PMEVCNTR(5) || row->sysreg == PMEVTYPER(5);
}

static void traps(void)
{
	check_all("nothing", MDCR_HPMN(COUNTERS), none);
	check_all("TPM", MDCR_HPMN(COUNTERS) | MDCR_TPM, all);
	check_all("TPMCR", MDCR_HPMN(COUNTERS) | MDCR_TPMCR, control);
}

static void fine_grained_traps(void)
{
	for (unsigned int bit = 12; bit <= 58; bit++) {
		const uint64_t reads = read_sysreg(HDFGRTR_EL2), writes = read_sysreg(HDFGWTR_EL2);

		if (bit >= 23 && bit < 57) /* of SPE and others */
			continue;
		for (unsigned int i = 0; i < 4 * ROWS; i++) {
			const struct row *row = &rows[i / 4];
			const unsigned int el = i % 2;
			const bool read = i / 2 % 2;
			bool done;

			if (!row_exists(row, el, read))
				continue;
			begin(MDCR_HPMN(COUNTERS));
			write_sysreg(HDFGRTR_EL2, reads | (read ? UINT64_C(1) << bit : 0));
			write_sysreg(HDFGWTR_EL2, writes | (read ? 0 : UINT64_C(1) << bit));
			isb();
			done = access_at(el, row->sysreg, read, 0);
			write_sysreg(HDFGRTR_EL2, reads);
			write_sysreg(HDFGWTR_EL2, writes);
			isb();
			CHECK(done == ((read ? row->read : row->write) != (int)bit),
			      "bit %u: EL%u %s %s: done %d", bit, el, read ? "reads" : "writes",
			      row->name, done);
			CHECK(done || trapped(row->sysreg, read), "%s: ESR_EL2 0x%lx", row->name,
			      c.exit.esr);
		}
	}
}

/* MDCR_EL2.HPMN: how many counters EL1 sees, and what it gets of the others. */
static void kept_counters(void)
{
	/* The cycle counter, and the instruction counter if there is one. */
	const uint64_t fixed = pmu_counter_bits() >> 31 << 31;

	check_all("HPMN 5", MDCR_HPMN(5), fifth);
	for (unsigned int n = 1; n <= COUNTERS; n++) {
		const uint64_t bits = fixed | ((UINT64_C(1) << n) - 1);

		begin(MDCR_HPMN(n));
		CHECK(PMCR_N(read_sysreg(pmcr_el0)) == COUNTERS, "PMCR_EL0.N at EL2 with HPMN %u",
		      n);
		(void)access_at(1, PMCR, true, 0);
		CHECK(PMCR_N(c.x[5]) == n, "PMCR_EL0.N at EL1 is %lu, not %u", PMCR_N(c.x[5]), n);
		(void)access_at(1, PMCNTENSET, false, UINT64_MAX);
		(void)access_at(1, PMOVSSET, false, UINT64_MAX);
		CHECK(read_sysreg(pmcntenset_el0) == bits && read_sysreg(pmovsset_el0) == bits,
		      "HPMN %u: EL1 sets 0x%lx and 0x%lx", n, read_sysreg(pmcntenset_el0),
		      read_sysreg(pmovsset_el0));
		write_sysreg(pmcntenset_el0, PMU_ALL_BITS);
		isb();
		(void)access_at(1, PMCNTENSET, true, 0);
		CHECK(c.x[5] == bits, "HPMN %u: EL1 reads 0x%lx", n, c.x[5]);
	}
}

/* The same by PMSELR_EL0; and of a counter that there is not, whatever HPMN is. */
static void kept_by_selection(void)
{
	static const uint32_t sysregs[] = {PMXEVTYPER, PMXEVCNTR};

	for (unsigned int i = 0; i < 4; i++) {
		const uint32_t sysreg = sysregs[i / 2];
		const bool read = i % 2;
		unsigned int el;

		begin(MDCR_HPMN(2));
		write_sysreg(pmselr_el0, 1);
		isb();
		CHECK(access_at(1, sysreg, read, 0), "counter 1: ESR_EL2 0x%lx", c.exit.esr);
		write_sysreg(pmselr_el0, 2);
		isb();
		CHECK(!access_at(1, sysreg, read, 0) && trapped(sysreg, read),
		      "counter 2: ESR_EL2 0x%lx", c.exit.esr);
		if (pmu_counters() > 29)
			continue;
		write_sysreg(pmselr_el0, 29);
		isb();
		CHECK(!access_at(1, sysreg, read, 0) && lower_vector(&c, &el) >= 0 && el == 1 &&
			      field(c.esr_el1, 31, 26) == EC_UNKNOWN,
		      "counter 29: ESR_EL2 0x%lx, ESR_EL1 0x%lx", c.exit.esr, c.esr_el1);
	}
}

static void reset_by_el1(void)
{
	begin(MDCR_HPMN(3));
	for (unsigned int n = 0; n < COUNTERS; n++)
		pmu_write_counter(n, 100 + n);
	(void)access_at(1, PMCR, false, PMCR_P);
	for (unsigned int n = 0; n < COUNTERS; n++)
		CHECK(pmu_read_counter(n) == (n < 3 ? 0 : 100 + n), "PMEVCNTR%u_EL0 %lu", n,
		      pmu_read_counter(n));
	write_sysreg(pmcr_el0, PMCR_P);
	isb();
	CHECK(pmu_read_counter(5) == 0, "EL2 resets all: %lu", pmu_read_counter(5));
}

/* The second range is EL2's to turn on. */
static void second_range(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		const bool e = i & 1, hpme = i & 2;

		begin(MDCR_HPMN(3) | (hpme ? MDCR_HPME : 0));
		pmu_count(2, EVENT_SW_INCR, 0);
		pmu_count(3, EVENT_SW_INCR, 0);
		write_sysreg(pmcr_el0, e ? PMCR_E : 0);
		isb();
		pmu_write_type(2, EVENT_SW_INCR | PMU_FILTER_NSH);
		pmu_write_type(3, EVENT_SW_INCR | PMU_FILTER_NSH);
		write_sysreg(pmswinc_el0, 0xff);
		CHECK(pmu_read_counter(2) == e && pmu_read_counter(3) == hpme,
		      "E %d, HPME %d: %lu and %lu", e, hpme, pmu_read_counter(2),
		      pmu_read_counter(3));
	}
}

static void second_range_overflows(void)
{
	begin(MDCR_HPMN(3) | MDCR_HPME | MDCR_HLP);
	pmu_count(0, EVENT_SW_INCR | PMU_FILTER_NSH, TOP32 - 1);
	pmu_count(3, EVENT_SW_INCR | PMU_FILTER_NSH, TOP32 - 1);
	pmu_count(4, EVENT_SW_INCR | PMU_FILTER_NSH, UINT64_MAX);
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	write_sysreg(pmswinc_el0, 0xff);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 0x11, "HLP 1, LP 0: PMOVSSET_EL0 0x%lx",
	      read_sysreg(pmovsset_el0));
	begin(MDCR_HPMN(3) | MDCR_HPME);
	pmu_count(0, EVENT_SW_INCR | PMU_FILTER_NSH, TOP32 - 1);
	pmu_count(3, EVENT_SW_INCR | PMU_FILTER_NSH, TOP32 - 1);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LP);
	isb();
	write_sysreg(pmswinc_el0, 0xff);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 8, "HLP 0, LP 1: PMOVSSET_EL0 0x%lx",
	      read_sysreg(pmovsset_el0));
}

/* Each range freezes alone. */
static void second_range_freezes(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		const bool fzo = i & 1, hpmfzo = i & 2;
		uint64_t counts[4];

		begin(MDCR_HPMN(2) | MDCR_HPME | (hpmfzo ? MDCR_HPMFZO : 0));
		for (unsigned int n = 0; n < 4; n++)
			pmu_count(n, EVENT_SW_INCR | PMU_FILTER_NSH, n % 2 ? 0 : TOP32 - 2);
		write_sysreg(pmcr_el0, PMCR_E | (fzo ? PMCR_FZO : 0));
		isb();
		for (unsigned int k = 0; k < 5; k++)
			write_sysreg(pmswinc_el0, k < 3 ? 3 : 0xf);
		for (unsigned int n = 0; n < 4; n++)
			counts[n] = pmu_read_counter(n);
		CHECK(counts[1] == (fzo ? 2 : 5) && counts[3] == 2, "FZO %d: %lu and %lu", fzo,
		      counts[1], counts[3]);
		write_sysreg(pmswinc_el0, 0xf);
		CHECK(pmu_read_counter(3) == (hpmfzo ? 2 : 3), "HPMFZO %d: %lu", hpmfzo,
		      pmu_read_counter(3));
	}
}

/* What a run of NOPs at EL1 makes counter n count, and what EL2 around it does. */
static uint64_t count_nops(unsigned int n, uint64_t event)
{
	uint32_t words[LOWER_WORDS / 2];

	for (unsigned int i = 0; i < LOWER_WORDS / 2; i++)
		words[i] = A64_NOP;
	pmu_count(n, event, 0);
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	lower_init(&c, 1, 0);
	(void)lower_code(&c, words, LOWER_WORDS / 2);
	write_sysreg(pmcr_el0, 0);
	isb();
	return pmu_read_counter(n);
}

static void filters_and_prohibitions(void)
{
	const uint64_t nops = LOWER_WORDS / 2 + 1; /* and the HVC */
	uint64_t el1, both, el2, prohibited, second;

	begin(MDCR_HPMN(COUNTERS));
	el1 = count_nops(1, EVENT_INST_RETIRED);
	CHECK(el1 == nops, "EL1: %lu, not %lu", el1, nops);
	begin(MDCR_HPMN(COUNTERS));
	both = count_nops(1, EVENT_INST_RETIRED | PMU_FILTER_NSH);
	begin(MDCR_HPMN(COUNTERS));
	el2 = count_nops(1, EVENT_INST_RETIRED | PMU_FILTER_NSH | PMU_FILTER_P);
	CHECK(el2 > 0 && both == el1 + el2, "both: %lu, EL1 %lu, EL2 %lu", both, el1, el2);
	begin(MDCR_HPMN(COUNTERS) | MDCR_HPMD);
	prohibited = count_nops(1, EVENT_INST_RETIRED | PMU_FILTER_NSH);
	CHECK(prohibited == nops, "HPMD: %lu, not %lu", prohibited, nops);
	begin(MDCR_HPMN(1) | MDCR_HPMD | MDCR_HPME);
	second = count_nops(1, EVENT_INST_RETIRED | PMU_FILTER_NSH);
	CHECK(second > both, "HPMD and a counter of EL2: %lu", second);
}

static uint64_t cycles_at_el2(uint64_t bits, uint64_t flags)
{
	begin(MDCR_HPMN(COUNTERS) | bits);
	write_sysreg(pmccfiltr_el0, PMU_FILTER_NSH);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
	write_sysreg(pmcr_el0, PMCR_E | flags);
	isb();
	for (unsigned int i = 0; i < 10; i++)
		isb();
	write_sysreg(pmcr_el0, 0);
	isb();
	return read_sysreg(pmccntr_el0);
}

static void cycles_prohibited(void)
{
	const uint64_t dp = UINT64_C(1) << 5;

	CHECK(cycles_at_el2(0, 0) > 0, "none without HCCD");
	CHECK(cycles_at_el2(0, dp) > 0, "none with PMCR_EL0.DP, and HPMD 0");
	CHECK(cycles_at_el2(MDCR_HPMD, 0) > 0, "none with HPMD, and PMCR_EL0.DP 0");
	CHECK(cycles_at_el2(MDCR_HPMD, dp) == 0, "some with HPMD and PMCR_EL0.DP");
	CHECK(cycles_at_el2(MDCR_HCCD, 0) == (pmu_version() >= PMU_V3P5 ? 0 : cycles_at_el2(0, 0)),
	      "HCCD is of PMUv3p5");
}

/* Registers of v3p9 and of the instruction counter: bits that trap as 0; -1: no MRS. */
static const struct {
	const char *name;
	uint32_t sysreg;
	int read, write;
	bool el0;
} late_rows[] = {
	{"PMZR_EL0", A64_SYSREG(3, 3, 9, 13, 4), -1, 21, true},
	{"PMUACR_EL1", A64_SYSREG(3, 0, 9, 14, 4), 4, 4, false},
	{"PMICNTR_EL0", A64_SYSREG(3, 3, 9, 4, 0), 2, 2, true},
	{"PMICFILTR_EL0", A64_SYSREG(3, 3, 9, 6, 0), 3, 3, true},
};

/* Bits of HDFGRTR2_EL2 and HDFGWTR2_EL2 that do not trap. */
static void set_late(uint64_t reads, uint64_t writes, uint64_t bits)
{
	begin(bits);
	write_sysreg(pmuserenr_el0, PMUSERENR_UEN);
	write_sysreg(PMUACR_EL1, UINT64_MAX);
	write_sysreg(HDFGRTR2_EL2, reads);
	write_sysreg(HDFGWTR2_EL2, writes);
	isb();
}

static void late_traps(void)
{
	const uint64_t open = UINT64_MAX, none_kept = MDCR_HPMN(COUNTERS);

	for (unsigned int i = 0; i < 4 * sizeof(late_rows) / sizeof(late_rows[0]); i++) {
		const unsigned int el = i % 2;
		const bool read = i / 2 % 2;
		const uint32_t sysreg = late_rows[i / 4].sysreg;
		const int bit = read ? late_rows[i / 4].read : late_rows[i / 4].write;

		if (bit < 0 || (!el && !late_rows[i / 4].el0))
			continue;
		set_late(open, open, none_kept);
		CHECK(access_at(el, sysreg, read, 0), "%s, EL%u: ESR_EL2 0x%lx",
		      late_rows[i / 4].name, el, c.exit.esr);
		for (unsigned int k = 0; k < 64; k++) {
			const uint64_t bits = ~(UINT64_C(1) << k);
			bool done;

			set_late(read ? bits : open, read ? open : bits, none_kept);
			done = access_at(el, sysreg, read, 0);
			CHECK(done == ((int)k != bit), "%s, bit %u: EL%u done %d",
			      late_rows[i / 4].name, k, el, done);
			CHECK(done || trapped(sysreg, read), "%s: ESR_EL2 0x%lx",
			      late_rows[i / 4].name, c.exit.esr);
		}
		set_late(open, open, none_kept | MDCR_TPM);
		CHECK(!access_at(el, sysreg, read, 0) && trapped(sysreg, read),
		      "%s, TPM: ESR_EL2 0x%lx", late_rows[i / 4].name, c.exit.esr);
	}
	set_late(0, 0, none_kept);
}

/* Where PMICFILTR_EL0 is trapped, its counter has no bit; PMZR_EL0's goes with PMICNTR_EL0. */
static void hidden_bits(void)
{
	const uint64_t icntr = UINT64_C(1) << 2, icfiltr = UINT64_C(1) << 3, zr = UINT64_C(1) << 21;

	for (unsigned int i = 0; i < 8; i++) {
		const uint64_t reads = i & 1 ? icfiltr : 0;
		const uint64_t writes = zr | (i & 2 ? icfiltr : 0) | (i & 4 ? icntr : 0);

		set_late(reads, writes, MDCR_HPMN(COUNTERS));
		(void)access_at(1, PMOVSSET, false, PMU_F0_BIT);
		CHECK(read_sysreg(pmovsset_el0) == (i & 2 ? PMU_F0_BIT : 0),
		      "%u: EL1 sets PMOVSSET_EL0 0x%lx", i, read_sysreg(pmovsset_el0));
		write_sysreg(pmovsset_el0, PMU_F0_BIT);
		isb();
		(void)access_at(1, PMOVSSET, true, 0);
		CHECK(c.x[5] == (i & 1 ? PMU_F0_BIT : 0), "%u: EL1 reads 0x%lx", i, c.x[5]);
		write_sysreg(PMICNTR_EL0, 77);
		isb();
		(void)access_at(1, late_rows[0].sysreg, false, PMU_F0_BIT);
		isb();
		CHECK(read_sysreg(PMICNTR_EL0) == (i & 4 ? 0 : 77), "%u: PMICNTR_EL0 is %lu", i,
		      read_sysreg(PMICNTR_EL0));
	}
	set_late(0, 0, MDCR_HPMN(COUNTERS));
}

/* guest_main() sees to it that there is EL2. */
static struct test tests[] = {
	{"TPM, TPMCR", traps, needs_pmu},
	{"fine-grained traps", fine_grained_traps, needs_fgt},
	{"HPMN keeps counters", kept_counters, needs_fgt},
	{"HPMN and PMSELR_EL0", kept_by_selection, needs_fgt},
	{"PMCR_EL0.P of EL1", reset_by_el1, needs_pmu},
	{"HPME", second_range, needs_pmu},
	{"HLP", second_range_overflows, needs_pmu_v3p5},
	{"HPMFZO", second_range_freezes, needs_pmu_v3p7},
	{"filters of EL2, HPMD", filters_and_prohibitions, needs_pmu_exact},
	{"HCCD, PMCR_EL0.DP", cycles_prohibited, needs_pmu},
	{"traps of v3p9", late_traps, needs_pmu_icntr},
	{"HDFGRTR2_EL2 and HDFGWTR2_EL2 hide F0", hidden_bits, needs_pmu_icntr},
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

void guest_main(void)
{
	for (unsigned int i = 0; needs_el2() && i < TESTS; i++)
		tests[i].skip = needs_el2;
	tap_run("pmu-levels", tests, TESTS);
}
