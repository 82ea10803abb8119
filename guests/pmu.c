/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu: the Performance Monitors at EL1 and EL0 (Arm ARM D13): registers, widths, what is counted,
 * overflow and its interrupt, chaining, filters, freezing, and who may access what at EL0. Needs no
 * SPE, but for its events and for freezing when it stops.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "gic.h"
#include "hotspot.h"
#include "pmu_regs.h"
#include "pmu_spe.h"
#include "pmu_v3p9.h"
#include "sled.h"
#include "tap.h"

#define TOP32 (UINT64_C(1) << 32)
#define TURNS 1000

static uint64_t data; /* DATA_BYTES */

/*
 * Registers.
 */

static void identification(void)
{
	uint64_t pmcr = read_sysreg(pmcr_el0);

	tap_note("PMUVer %u, PMCR_EL0 0x%lx, PMCEID0_EL0 0x%lx, PMCEID1_EL0 0x%lx", pmu_version(),
		 pmcr, read_sysreg(pmceid0_el0), read_sysreg(pmceid1_el0));
	CHECK(PMCR_N(pmcr) <= 31, "%lu event counters", PMCR_N(pmcr));
	CHECK(!(pmcr & (PMCR_P | PMCR_C)), "P and C read as ones");
	CHECK(pmu_has_event(EVENT_SW_INCR) && pmu_has_event(EVENT_CPU_CYCLES),
	      "without SW_INCR or CPU_CYCLES");
	expect_begin();
	(void)read_sysreg(S3_0_C9_C14_6); /* PMMIR_EL1 */
	CHECK(expect_end().count == (pmu_version() < PMU_V3P4), "PMMIR_EL1 is of PMUv3p4");
}

static void sets_and_clears(void)
{
	const uint64_t all = pmu_counter_bits();

	pmu_clear(0);
	write_sysreg(pmcntenset_el0, UINT64_MAX);
	CHECK(read_sysreg(pmcntenset_el0) == all, "PMCNTENSET_EL0 0x%lx",
	      read_sysreg(pmcntenset_el0));
	write_sysreg(pmcntenclr_el0, PMU_CYCLE_BIT | 2);
	CHECK(read_sysreg(pmcntenclr_el0) == (all & ~(PMU_CYCLE_BIT | 2)), "PMCNTENCLR_EL0 0x%lx",
	      read_sysreg(pmcntenclr_el0));
	write_sysreg(pmintenset_el1, UINT64_MAX);
	CHECK(read_sysreg(pmintenclr_el1) == all, "PMINTENCLR_EL1 0x%lx",
	      read_sysreg(pmintenclr_el1));
	write_sysreg(pmintenclr_el1, UINT64_MAX);
	CHECK(read_sysreg(pmintenset_el1) == 0, "PMINTENSET_EL1 0x%lx",
	      read_sysreg(pmintenset_el1));
	write_sysreg(pmovsset_el0, UINT64_MAX);
	CHECK(read_sysreg(pmovsclr_el0) == all, "PMOVSCLR_EL0 0x%lx", read_sysreg(pmovsclr_el0));
	write_sysreg(pmovsclr_el0, UINT64_MAX);
	CHECK(read_sysreg(pmovsset_el0) == 0, "PMOVSSET_EL0 0x%lx", read_sysreg(pmovsset_el0));
	pmu_clear(0);
}

static void selected_registers(void)
{
	pmu_clear(0);
	for (unsigned int n = 0; n < PMU_MAX_COUNTERS; n++) {
		write_sysreg(pmselr_el0, n);
		isb();
		write_sysreg(pmxevtyper_el0, EVENT_BR_RETIRED + n);
		write_sysreg(pmxevcntr_el0, 1000 + n);
		isb();
		CHECK(pmu_read_type(n) == EVENT_BR_RETIRED + n, "PMEVTYPER%u_EL0 0x%lx", n,
		      pmu_read_type(n));
		CHECK(pmu_read_counter(n) == 1000 + n, "PMEVCNTR%u_EL0 %lu", n,
		      pmu_read_counter(n));
	}
	write_sysreg(pmselr_el0, 31);
	isb();
	write_sysreg(pmxevtyper_el0, PMU_FILTER_P);
	isb();
	CHECK(read_sysreg(pmccfiltr_el0) == PMU_FILTER_P, "PMCCFILTR_EL0 0x%lx",
	      read_sysreg(pmccfiltr_el0));
	pmu_clear(0);
}

static void widths(void)
{
	const bool wide = pmu_version() >= PMU_V3P5;

	pmu_clear(0);
	pmu_write_counter(1, UINT64_MAX);
	CHECK(pmu_read_counter(1) == (wide ? UINT64_MAX : TOP32 - 1), "PMEVCNTR1_EL0 0x%lx",
	      pmu_read_counter(1));
	write_sysreg(pmccntr_el0, UINT64_MAX - 5);
	isb();
	CHECK(read_sysreg(pmccntr_el0) == UINT64_MAX - 5, "PMCCNTR_EL0 0x%lx",
	      read_sysreg(pmccntr_el0));
	write_sysreg(pmcr_el0, PMCR_LP);
	CHECK(!!(read_sysreg(pmcr_el0) & PMCR_LP) == wide, "PMCR_EL0.LP");
	write_sysreg(pmcr_el0, PMCR_FZO);
	CHECK(!!(read_sysreg(pmcr_el0) & PMCR_FZO) == (pmu_version() >= PMU_V3P7), "PMCR_EL0.FZO");
	write_sysreg(pmcr_el0, PMCR_P);
	isb();
	CHECK(pmu_read_counter(1) == 0 && read_sysreg(pmccntr_el0) == UINT64_MAX - 5,
	      "PMCR_EL0.P is for the event counters");
	write_sysreg(pmcr_el0, PMCR_C);
	isb();
	CHECK(read_sysreg(pmccntr_el0) == 0, "PMCR_EL0.C is for the cycle counter");
}

/*
 * Events.
 */

static void check_events(const char *name, uintptr_t function, const uint64_t *want)
{
	static const struct {
		const char *name;
		unsigned int event;
	} events[] = {
		{"INST_RETIRED", EVENT_INST_RETIRED},
		{"LD_RETIRED", EVENT_LD_RETIRED},
		{"ST_RETIRED", EVENT_ST_RETIRED},
		{"BR_RETIRED", EVENT_BR_RETIRED},
		{"BR_IMMED_RETIRED", EVENT_BR_IMMED_RETIRED},
		{"BR_RETURN_RETIRED", EVENT_BR_RETURN_RETIRED},
		{"PC_WRITE_RETIRED", EVENT_PC_WRITE_RETIRED},
		{"MEM_ACCESS", EVENT_MEM_ACCESS},
	};

	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint64_t more;

		if (!pmu_has_event(events[i].event))
			continue;
		more = pmu_difference(events[i].event, function, TURNS, 3 * TURNS, data);
		CHECK(more == 2 * TURNS * want[i], "%s of %s: %lu, not %lu", events[i].name, name,
		      more, 2 * TURNS * want[i]);
	}
}

/* Of each turn of the functions of hotspot_code.S. */
static void known_stretches(void)
{
	static const uint64_t sixty[] = {6, 0, 0, 1, 1, 0, 1, 0};
	static const uint64_t thirty[] = {7, 1, 1, 1, 1, 0, 1, 2};
	static const uint64_t ten[] = {5, 0, 0, 3, 2, 1, 3, 0};

	check_events("sixty", user_address(kernel_sixty), sixty);
	check_events("thirty", user_address(kernel_thirty), thirty);
	check_events("ten", user_address(kernel_ten), ten);
}

static void cycles(void)
{
	uint64_t taken[2];

	for (unsigned int i = 0; i < 2; i++) {
		pmu_clear(0);
		write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
		pmu_count(0, EVENT_CPU_CYCLES, 0);
		pmu_run(PMCR_E, user_address(kernel_sixty), (i + 1) * TURNS, 0);
		taken[i] = read_sysreg(pmccntr_el0);
		CHECK(taken[i] == pmu_read_counter(0), "PMCCNTR_EL0 %lu, CPU_CYCLES %lu", taken[i],
		      pmu_read_counter(0));
	}
	CHECK(taken[1] > taken[0], "%lu and %lu cycles", taken[0], taken[1]);
}

static enum exc_return ignore_call(struct exc_frame *frame, enum exc_vector vector)
{
	(void)frame, (void)vector;
	return EXC_RETURN;
}

static void exceptions(void)
{
	uint64_t taken, returned;

	exc_hooks[VEC_SPX_SYNC] = ignore_call;
	taken = pmu_difference(EVENT_EXC_TAKEN, user_address(pmu_calls), 10, 30, 0);
	returned = pmu_difference(EVENT_EXC_RETURN, user_address(pmu_calls), 10, 30, 0);
	exc_hooks[VEC_SPX_SYNC] = NULL;
	CHECK(taken == 20 && returned == 20, "EXC_TAKEN %lu, EXC_RETURN %lu, of 20", taken,
	      returned);
}

static void software_increments(void)
{
	pmu_clear(PMCR_E);
	pmu_count(1, EVENT_SW_INCR, 0);
	pmu_count(2, EVENT_SW_INCR, 0);
	pmu_count(3, EVENT_EXC_TAKEN, 0);
	for (unsigned int i = 0; i < 5; i++)
		write_sysreg(pmswinc_el0, i < 3 ? 0xa : 0xe);
	CHECK(pmu_read_counter(1) == 5 && pmu_read_counter(2) == 2 && pmu_read_counter(3) == 0,
	      "%lu, %lu and %lu", pmu_read_counter(1), pmu_read_counter(2), pmu_read_counter(3));
	pmu_clear(0);
	pmu_count(1, EVENT_SW_INCR, 0);
	write_sysreg(pmswinc_el0, 2);
	CHECK(pmu_read_counter(1) == 0, "PMCR_EL0.E is 0, and it counts");
}

/* The instruction that an exception takes the place of is not retired. */
static void faults_do_not_retire(void)
{
	uint64_t counts[2];

	for (unsigned int i = 0; i < 2; i++) {
		pmu_clear(0);
		pmu_count(0, EVENT_INST_RETIRED | PMU_FILTER_P, 0);
		write_sysreg(pmcr_el0, PMCR_E);
		isb();
		expect_begin();
		(void)user_call(user_address(user_load), i ? 0x40 : data, 0, 0);
		(void)expect_end();
		write_sysreg(pmcr_el0, 0);
		isb();
		counts[i] = pmu_read_counter(0);
	}
	CHECK(counts[0] == 3 && counts[1] == 2, "%lu with the load, %lu without", counts[0],
	      counts[1]);
}

/*
 * Overflow.
 */

static void overflow(void)
{
	pmu_clear(PMCR_E);
	pmu_count(1, EVENT_SW_INCR, TOP32 - 2);
	write_sysreg(pmswinc_el0, 2);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 0, "too early");
	write_sysreg(pmswinc_el0, 2);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 2, "PMOVSSET_EL0 0x%lx", read_sysreg(pmovsset_el0));
	CHECK(pmu_read_counter(1) == (pmu_version() >= PMU_V3P5 ? TOP32 : 0), "counter 0x%lx",
	      pmu_read_counter(1));
	pmu_clear(0);
	write_sysreg(pmccntr_el0, -UINT64_C(2000));
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
	pmu_run(PMCR_E | PMCR_LC, user_address(kernel_sixty), TURNS, 0);
	CHECK(read_sysreg(pmovsset_el0) == PMU_CYCLE_BIT, "PMOVSSET_EL0 0x%lx",
	      read_sysreg(pmovsset_el0));
}

static void overflow_at_64(void)
{
	pmu_clear(PMCR_E | PMCR_LP);
	pmu_count(0, EVENT_SW_INCR, TOP32 - 1);
	pmu_count(1, EVENT_CHAIN, 0);
	pmu_count(2, EVENT_SW_INCR, UINT64_MAX);
	pmu_count(3, EVENT_CHAIN, 0);
	write_sysreg(pmswinc_el0, 5);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 4, "PMOVSSET_EL0 0x%lx", read_sysreg(pmovsset_el0));
	CHECK(pmu_read_counter(0) == TOP32 && pmu_read_counter(2) == 0, "0x%lx and 0x%lx",
	      pmu_read_counter(0), pmu_read_counter(2));
	CHECK(pmu_read_counter(1) == 0 && pmu_read_counter(3) == 0, "CHAIN counted %lu and %lu",
	      pmu_read_counter(1), pmu_read_counter(3));
	pmu_clear(0);
}

static void chaining(void)
{
	pmu_clear(PMCR_E);
	pmu_count(0, EVENT_SW_INCR, TOP32 - 2);
	pmu_count(1, EVENT_CHAIN, 7);
	pmu_count(2, EVENT_CHAIN, 0);
	pmu_count(3, EVENT_CHAIN, TOP32 - 1);
	for (unsigned int i = 0; i < 5; i++)
		write_sysreg(pmswinc_el0, 1);
	CHECK((pmu_read_counter(0) & (TOP32 - 1)) == 3 && pmu_read_counter(1) == 8, "%lu and %lu",
	      pmu_read_counter(0), pmu_read_counter(1));
	CHECK(pmu_read_counter(2) == 0 && read_sysreg(pmovsset_el0) == 1,
	      "CHAIN of an even counter: %lu, PMOVSSET_EL0 0x%lx", pmu_read_counter(2),
	      read_sysreg(pmovsset_el0));
	pmu_count(2, EVENT_SW_INCR, TOP32 - 1);
	write_sysreg(pmswinc_el0, 4);
	isb();
	CHECK(read_sysreg(pmovsset_el0) == 0xd, "both of a pair: PMOVSSET_EL0 0x%lx",
	      read_sysreg(pmovsset_el0));
	pmu_clear(0);
}

/* Where the interrupt of a counter that has k left comes, in a sled of NOPs. */
static uint64_t interrupted_at(uint64_t event, uint64_t k)
{
	pmu_clear(0);
	pmu_count(4, event, TOP32 - k);
	write_sysreg(pmintenset_el1, 0x10);
	pmu_overflow.count = 0;
	irq_enable();
	pmu_run(PMCR_E, nops(user_address(kernel_nops_end), 1500), 0, 0);
	irq_disable();
	CHECK(pmu_overflow.count == 1 && pmu_overflow.overflows == 0x10,
	      "%u interrupts, PMOVSSET_EL0 0x%lx", pmu_overflow.count, pmu_overflow.overflows);
	return pmu_overflow.elr;
}

static void interrupt(void)
{
	static const uint64_t left[] = {300, 301, 377, 1000};
	static const unsigned int events[] = {EVENT_INST_RETIRED, EVENT_CPU_CYCLES};

	gic_enable(pmu_intid(), pmu_overflow_irq);
	for (unsigned int e = 0; e < 2; e++) {
		const uint64_t first = interrupted_at(events[e], left[0]);
		/* Where stalls are counted, operations need not take a cycle each. */
		const bool exact = e == 0 || !pmu_has_event(EVENT_STALL_BACKEND);

		for (unsigned int i = 1; i < (exact ? 4 : 3); i++) {
			const uint64_t at = interrupted_at(events[e], left[i]);

			CHECK(exact ? at - first == 4 * (left[i] - left[0]) : at >= first,
			      "event 0x%x, %lu left: at 0x%lx, with %lu at 0x%lx", events[e],
			      left[i], at, left[0], first);
		}
	}
	gic_enable(pmu_intid(), NULL);
	pmu_clear(0);
}

/* A class of instructions too: the loads of thirty(), each the second of seven. */
static void interrupt_at_load(void)
{
	const uintptr_t load = user_address(kernel_thirty) + 4;

	gic_enable(pmu_intid(), pmu_overflow_irq);
	for (uint64_t k = 1; k < 40; k += 13) {
		pmu_clear(0);
		pmu_count(4, EVENT_LD_RETIRED, TOP32 - k);
		write_sysreg(pmintenset_el1, 0x10);
		pmu_overflow.count = 0;
		irq_enable();
		pmu_run(PMCR_E, user_address(kernel_thirty), 50, data);
		irq_disable();
		CHECK(pmu_overflow.count == 1 && pmu_overflow.elr == load + 4,
		      "%u interrupts, at 0x%lx, not 0x%lx", pmu_overflow.count, pmu_overflow.elr,
		      load + 4);
	}
	gic_enable(pmu_intid(), NULL);
	pmu_clear(0);
}

static void interrupt_line(void)
{
	pmu_clear(PMCR_E);
	gic_enable(pmu_intid(), pmu_overflow_irq);
	write_sysreg(pmovsset_el0, 1);
	isb();
	CHECK(!gic_pending(pmu_intid()), "pending without PMINTENSET_EL1");
	write_sysreg(pmintenset_el1, 1);
	isb();
	CHECK(gic_pending(pmu_intid()), "not pending");
	write_sysreg(pmcr_el0, 0);
	isb();
	CHECK(!gic_pending(pmu_intid()), "pending with PMCR_EL0.E 0");
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	CHECK(gic_pending(pmu_intid()), "not pending again");
	write_sysreg(pmovsclr_el0, 1);
	isb();
	CHECK(!gic_pending(pmu_intid()), "pending without an overflow");
	gic_enable(pmu_intid(), NULL);
	pmu_clear(0);
}

/*
 * Filters and freezing.
 */

static void filters(void)
{
	uint64_t user;

	pmu_clear(0);
	pmu_count(0, EVENT_INST_RETIRED | PMU_FILTER_P, 0);
	pmu_count(1, EVENT_INST_RETIRED | PMU_FILTER_U, 0);
	pmu_count(2, EVENT_INST_RETIRED | PMU_FILTER_P | PMU_FILTER_U, 0);
	pmu_count(3, EVENT_INST_RETIRED, 0);
	write_sysreg(pmccfiltr_el0, PMU_FILTER_P);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	(void)user_call(user_address(user_sixty), TURNS, 0, 0);
	write_sysreg(pmcr_el0, 0);
	isb();
	user = pmu_read_counter(0);
	CHECK(user == 6 * TURNS + 2, "EL0: %lu, not %u", user, 6 * TURNS + 2);
	CHECK(pmu_read_counter(2) == 0, "neither EL: %lu", pmu_read_counter(2));
	CHECK(pmu_read_counter(1) > 0 && pmu_read_counter(1) + user == pmu_read_counter(3),
	      "EL1: %lu, both: %lu", pmu_read_counter(1), pmu_read_counter(3));
	/* No PE does more than eight in one. */
	CHECK(read_sysreg(pmccntr_el0) >= user / 8, "cycles of EL0: %lu", read_sysreg(pmccntr_el0));
}

static void freeze_on_overflow(void)
{
	uint64_t counted[2];

	for (unsigned int i = 0; i < 2; i++) {
		pmu_clear(0);
		pmu_count(0, EVENT_INST_RETIRED, TOP32 - 2000);
		pmu_count(1, EVENT_INST_RETIRED, 0);
		pmu_run(PMCR_E | (i ? PMCR_FZO : 0), user_address(kernel_sixty), TURNS, 0);
		counted[i] = pmu_read_counter(1);
	}
	CHECK(counted[0] > 6 * TURNS && counted[1] == 2000, "%lu without, %lu with FZO", counted[0],
	      counted[1]);
	CHECK(read_sysreg(pmovsset_el0) == 1, "PMOVSSET_EL0 0x%lx", read_sysreg(pmovsset_el0));
	write_sysreg(pmovsclr_el0, 1);
	isb();
	pmu_run(PMCR_E | PMCR_FZO, user_address(kernel_sixty), TURNS, 0);
	CHECK(pmu_read_counter(1) > 2000 + 6 * TURNS, "still frozen: %lu", pmu_read_counter(1));
	pmu_clear(0);
}

/*
 * EL0.
 */

struct user_access {
	const char *name;
	uintptr_t function;
	unsigned int allowed; /* by any of these bits of PMUSERENR_EL0 */
	bool always, never;
};

static void user_accesses(void)
{
	const struct user_access accesses[] = {
		{"read PMCR_EL0", user_address(pmu_user_read_control), PMUSERENR_EN, 0, 0},
		{"read PMCNTENSET_EL0", user_address(pmu_user_read_enabled), PMUSERENR_EN, 0, 0},
		{"read PMOVSSET_EL0", user_address(pmu_user_read_overflows), PMUSERENR_EN, 0, 0},
		{"read PMCEID0_EL0", user_address(pmu_user_read_ids), PMUSERENR_EN, 0, 0},
		{"read PMEVTYPER0_EL0", user_address(pmu_user_read_type), PMUSERENR_EN, 0, 0},
		{"read PMSELR_EL0", user_address(pmu_user_read_selected),
		 PMUSERENR_EN | PMUSERENR_ER, 0, 0},
		{"write PMSELR_EL0", user_address(pmu_user_write_selected),
		 PMUSERENR_EN | PMUSERENR_ER, 0, 0},
		{"read PMCCNTR_EL0", user_address(pmu_user_read_cycles),
		 PMUSERENR_EN | PMUSERENR_CR, 0, 0},
		{"write PMCCNTR_EL0", user_address(pmu_user_write_cycles), PMUSERENR_EN, 0, 0},
		{"read PMEVCNTR0_EL0", user_address(pmu_user_read_counter),
		 PMUSERENR_EN | PMUSERENR_ER, 0, 0},
		{"write PMEVCNTR0_EL0", user_address(pmu_user_write_counter), PMUSERENR_EN, 0, 0},
		{"write PMSWINC_EL0", user_address(pmu_user_increment), PMUSERENR_EN | PMUSERENR_SW,
		 0, 0},
		{"read PMUSERENR_EL0", user_address(pmu_user_read_enable), 0, 1, 0},
		{"write PMUSERENR_EL0", user_address(pmu_user_write_enable), 0, 0, 1},
	};

	pmu_clear(0);
	for (unsigned int bits = 0; bits < 16; bits++) {
		for (unsigned int i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
			const struct user_access *a = &accesses[i];
			const bool allowed = a->always || bits & a->allowed;
			const uint64_t class = a->never ? EC_UNKNOWN : EC_SYSREG;
			struct expected got;

			write_sysreg(pmuserenr_el0, bits);
			isb();
			expect_begin();
			(void)user_call(a->function, 0, 0, 0);
			got = expect_end();
			CHECK(got.count == !allowed, "PMUSERENR_EL0 %u: EL0 may%s %s", bits,
			      allowed ? "" : " not", a->name);
			CHECK(allowed || field(got.esr, 31, 26) == class, "%s: ESR_EL1 0x%lx",
			      a->name, got.esr);
		}
	}
	write_sysreg(pmuserenr_el0, 0);
}

static void what_there_is_not(void)
{
	expect_begin();
	(void)read_sysreg(S3_3_C14_C11_6);
	CHECK(expect_end().count == (!pmu_version() || pmu_counters() < 31), "PMEVCNTR30_EL0");
	expect_begin();
	(void)read_sysreg(pmcr_el0);
	CHECK(expect_end().count == !pmu_version(), "ID_AA64DFR0_EL1 says otherwise");
}

static const char *needs_event(const char *why, unsigned int event, const char *without)
{
	return !why && !pmu_has_event(event) ? without : why;
}

static const char *needs_chain(void)
{
	return needs_event(needs_pmu(), EVENT_CHAIN, "it does not count CHAIN");
}

static const char *needs_exceptions(void)
{
	const char *why = needs_event(needs_pmu(), EVENT_EXC_TAKEN, "it does not count EXC_TAKEN");

	return needs_event(why, EVENT_EXC_RETURN, "it does not count EXC_RETURN");
}

static const char *needs_loads(void)
{
	return needs_event(needs_pmu_irq(), EVENT_LD_RETIRED, "it does not count LD_RETIRED");
}

static const struct test tests[] = {
	{"registers are there as ID_AA64DFR0_EL1 says", what_there_is_not, NULL},
	{"identification", identification, needs_pmu},
	{"sets and clears", sets_and_clears, needs_pmu},
	{"PMSELR_EL0 selects", selected_registers, needs_pmu},
	{"widths, and what PMCR_EL0 has", widths, needs_pmu},
	{"events of known stretches", known_stretches, needs_pmu_exact},
	{"cycles", cycles, needs_pmu_exact},
	{"exceptions taken and returned from", exceptions, needs_exceptions},
	{"software increments", software_increments, needs_pmu},
	{"a faulting instruction does not retire", faults_do_not_retire, needs_pmu_exact},
	{"overflow", overflow, needs_pmu},
	{"overflow at 64 bits", overflow_at_64, needs_pmu_v3p5},
	{"chaining", chaining, needs_chain},
	{"the interrupt comes at the operation", interrupt, needs_pmu_irq},
	{"the interrupt comes behind the load", interrupt_at_load, needs_loads},
	{"the interrupt's level", interrupt_line, needs_pmu_irq},
	{"filters by Exception level", filters, needs_pmu_exact},
	{"freeze on overflow", freeze_on_overflow, needs_pmu_v3p7},
	{"events of SPE", pmu_sample_events, needs_spe_events},
	{"freeze when SPE stops", pmu_freeze_by_spe, needs_freeze_by_spe},
	{"accesses at EL0", user_accesses, needs_pmu},
	{"instruction counter", pmu_instruction_counter, needs_pmu_icntr},
	{"PMZR_EL0", pmu_zero_counters, needs_pmu_v3p9},
	{"what PMUSERENR_EL0.UEN enables", pmu_user_enable, needs_pmu_v3p9},
	{"counters of EL0, by PMUACR_EL1", pmu_user_counters, needs_pmu_v3p9},
};

void guest_main(void)
{
	data = (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE);
	tap_run("pmu", tests, sizeof(tests) / sizeof(tests[0]));
}
