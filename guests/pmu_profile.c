/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu-profile: what a core's performance monitors are for, in its four forms: clock counting of a
 * block of code, event counting, and finding hot spots by an interrupt each so many cycles
 * (time-based sampling) or each so many events (event-based sampling). The program is that of
 * hotspot: of each round's operations sixty() has 60 per cent, thirty() 30 and ten() 10.
 *
 * Boot arguments: rounds=N, of the three functions; period=N, in cycles or instructions between two
 * samples; sampling=0: count only.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "exception.h"
#include "fdt.h"
#include "gic.h"
#include "hotspot.h"
#include "pmu_regs.h"
#include "tap.h"

#define TOP32 (UINT64_C(1) << 32)
#define NAMES 5

static const char *const names[NAMES] = {"sixty", "thirty", "ten", "driver", "(elsewhere)"};

/* How often a round executes what, by function: hotspot.h, hotspot_code.S. */
struct weights {
	uint64_t of[4];
};
static const struct weights by_instruction = {{SIXTY_OPS, THIRTY_OPS, TEN_OPS, 9}};
static const struct weights by_load = {{0, THIRTY_TURNS, 0, 0}};
static const struct weights by_return = {{1, 1, TEN_TURNS + 1, 0}};
static const struct weights by_branch = {{SIXTY_TURNS + 1, THIRTY_TURNS + 1, 3 * TEN_TURNS + 1, 4}};

static uint64_t rounds, period, data;

/* Of the code at EL0. */
static struct {
	uintptr_t start, end;
} functions[4];

/* The profile that is being taken. */
static struct {
	unsigned int counter; /* PMU_MAX_COUNTERS: the cycle counter */
	uint64_t period, samples[NAMES], total;
} profile;

static uint64_t run_rounds(uint64_t n)
{
	return user_call(user_address(user_driver), n, data, 0);
}

/*
 * Clock counting: how long a block of code takes, by the cycle counter, at EL0 alone.
 */
static uint64_t time_of(uintptr_t function, uint64_t turns)
{
	pmu_clear(0);
	write_sysreg(pmccfiltr_el0, PMU_FILTER_P);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
	isb();
	(void)user_call(function, turns, data, 0);
	write_sysreg(pmcr_el0, PMCR_LC);
	isb();
	return read_sysreg(pmccntr_el0);
}

static void clock_counting(void)
{
	const uintptr_t sixty = user_address(user_sixty);
	const uint64_t once = time_of(sixty, SIXTY_TURNS), twice = time_of(sixty, 2 * SIXTY_TURNS);

	tap_note("%u turns take %lu cycles, twice as many %lu", SIXTY_TURNS, once, twice);
	CHECK(once == time_of(sixty, SIXTY_TURNS), "not the same again");
	/* A whole number of cycles each: so it is, where nothing but the code takes time. */
	CHECK(twice > once && (twice - once) % SIXTY_TURNS == 0, "%lu cycles for %u turns more",
	      twice - once, SIXTY_TURNS);
	CHECK(once - (twice - once) < 100, "%lu cycles besides the turns", once - (twice - once));
}

/*
 * Event counting: of a profiling period, exactly.
 */
static void event_counting(void)
{
	static const struct {
		const char *name;
		unsigned int event;
		uint64_t a_round, besides;
	} events[] = {
		/* The driver's first three and last, and the SVC of user_call(). */
		{"INST_RETIRED", EVENT_INST_RETIRED, ROUND_OPS, 5},
		{"LD_RETIRED", EVENT_LD_RETIRED, THIRTY_TURNS, 0},
		{"ST_RETIRED", EVENT_ST_RETIRED, THIRTY_TURNS, 0},
		{"BR_RETIRED", EVENT_BR_RETIRED, SIXTY_TURNS + THIRTY_TURNS + 3 * TEN_TURNS + 3 + 4,
		 1},
		/* B.NE falls through once, in each of the functions and in the last round. */
		{"PC_WRITE_RETIRED", EVENT_PC_WRITE_RETIRED,
		 SIXTY_TURNS + THIRTY_TURNS + 3 * TEN_TURNS + 4, 0},
		{"BR_RETURN_RETIRED", EVENT_BR_RETURN_RETIRED, TEN_TURNS + 3, 1},
	};
	const unsigned int count = sizeof(events) / sizeof(events[0]);

	pmu_clear(0);
	for (unsigned int i = 0; i < count; i++)
		pmu_count(i, events[i].event | PMU_FILTER_P, 0);
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	(void)run_rounds(2);
	write_sysreg(pmcr_el0, 0);
	isb();
	for (unsigned int i = 0; i < count; i++) {
		const uint64_t want = 2 * events[i].a_round + events[i].besides;

		if (pmu_has_event(events[i].event))
			CHECK(pmu_read_counter(i) == want, "%s: %lu, not %lu", events[i].name,
			      pmu_read_counter(i), want);
	}
}

/*
 * Sampling: an interrupt, and where it came.
 */
static void set_left(uint64_t left)
{
	if (profile.counter == PMU_MAX_COUNTERS)
		write_sysreg(pmccntr_el0, -left);
	else
		pmu_write_counter(profile.counter, TOP32 - left);
	isb();
}

static enum exc_return sample_irq(struct exc_frame *frame, uint32_t intid)
{
	unsigned int i;

	(void)intid;
	for (i = 0; i < 4; i++)
		if (frame->elr >= functions[i].start && frame->elr < functions[i].end)
			break;
	profile.samples[i]++;
	profile.total++;
	set_left(profile.period);
	write_sysreg(pmovsclr_el0, PMU_ALL_BITS);
	isb();
	return EXC_RETURN;
}

static void take_profile(unsigned int counter, unsigned int event, uint64_t each)
{
	const uint64_t bit = counter == PMU_MAX_COUNTERS ? PMU_CYCLE_BIT : UINT64_C(1) << counter;

	pmu_clear(0);
	profile.counter = counter;
	profile.period = each;
	profile.total = 0;
	for (unsigned int i = 0; i < NAMES; i++)
		profile.samples[i] = 0;
	if (counter == PMU_MAX_COUNTERS)
		write_sysreg(pmccfiltr_el0, PMU_FILTER_P);
	else
		pmu_write_type(counter, event | PMU_FILTER_P);
	set_left(each);
	write_sysreg(pmcntenset_el0, bit);
	write_sysreg(pmintenset_el1, bit);
	gic_enable(pmu_intid(), sample_irq);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
	isb();
	(void)run_rounds(rounds);
	write_sysreg(pmcr_el0, 0);
	isb();
	gic_enable(pmu_intid(), NULL);
}

/* Each function has the share that its weight is, within two points. */
static void check_profile(const char *what, const struct weights *weights)
{
	uint64_t sum = 0;

	printf("# %s: a sample each %lu, %lu samples\n", what, profile.period, profile.total);
	for (unsigned int i = 0; i < 4; i++)
		sum += weights->of[i];
	CHECK(profile.total >= 500, "only %lu samples", profile.total);
	for (unsigned int i = 0; i < 4; i++) {
		const uint64_t got = profile.total ? profile.samples[i] * 1000 / profile.total : 0;
		const uint64_t want = weights->of[i] * 1000 / sum;

		printf("# %-12s 0x%016lx %8lu %7lu.%lu\n", names[i],
		       (unsigned long)functions[i].start, profile.samples[i], got / 10, got % 10);
		CHECK(got + 20 >= want && got <= want + 20, "%s has %lu.%lu per cent, not %lu.%lu",
		      names[i], got / 10, got % 10, want / 10, want % 10);
	}
	CHECK(profile.samples[4] <= 1, "%lu samples elsewhere", profile.samples[4]);
}

static void time_based_sampling(void)
{
	take_profile(PMU_MAX_COUNTERS, 0, period);
	check_profile("cycles", &by_instruction);
}

static void sampling_by_instructions(void)
{
	take_profile(1, EVENT_INST_RETIRED, period);
	check_profile("INST_RETIRED", &by_instruction);
}

/* Where an event happens, and nowhere else: the hot spot of loads is thirty(), of returns ten(). */
static void sampling_by_class(void)
{
	take_profile(2, EVENT_LD_RETIRED, period / 19);
	check_profile("LD_RETIRED", &by_load);
	take_profile(3, EVENT_BR_RETURN_RETIRED, period / 37);
	check_profile("BR_RETURN_RETIRED", &by_return);
	take_profile(0, EVENT_BR_RETIRED, period / 5);
	check_profile("BR_RETIRED", &by_branch);
}

static const char *needs_sampling(void)
{
	return bootarg("sampling", 1) ? needs_pmu_irq() : "sampling=0";
}

static const char *needs_classes(void)
{
	const char *why = needs_sampling();

	if (!why && (!pmu_has_event(EVENT_LD_RETIRED) || !pmu_has_event(EVENT_BR_RETURN_RETIRED) ||
		     !pmu_has_event(EVENT_BR_RETIRED)))
		why = "it does not count loads, returns and branches";
	return why;
}

static const struct test tests[] = {
	{"clock counting", clock_counting, needs_pmu_exact},
	{"event counting", event_counting, needs_pmu_exact},
	{"time-based sampling", time_based_sampling, needs_sampling},
	{"event-based sampling, by instructions", sampling_by_instructions, needs_sampling},
	{"event-based sampling, by loads, returns and branches", sampling_by_class, needs_classes},
};

#define FUNCTION(n, name)                                           \
	do {                                                        \
		functions[n].start = user_address(user_##name);     \
		functions[n].end = user_address(user_##name##_end); \
	} while (0)

void guest_main(void)
{
	FUNCTION(0, sixty);
	FUNCTION(1, thirty);
	FUNCTION(2, ten);
	FUNCTION(3, driver);
	rounds = bootarg("rounds", 20);
	period = bootarg("period", 1993); /* a prime: no lap of a loop divides it */
	data = (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE);
	tap_run("pmu-profile", tests, sizeof(tests) / sizeof(tests[0]));
}
