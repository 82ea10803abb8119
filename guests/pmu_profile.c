/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu-profile: the four uses of a core's performance monitors: counting clocks of a block of code,
 * counting events, and finding hot spots by an interrupt every so many cycles (time-based sampling)
 * or every so many events (event-based sampling). The program is that of hotspot: sixty() has 60
 * per cent of each round's operations, thirty() 30 and ten() 10. A second program executes most of
 * its instructions in sixty(), and waits for memory in waits(). If the PE models that, its hot
 * spots by time and by instructions differ.
 *
 * Boot arguments: rounds=N, of the three functions; period=N, in cycles or instructions between two
 * samples; sampling=0: count only.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "exception.h"
#include "gic.h"
#include "hotspot.h"
#include "platform.h"
#include "pmu_profile.h"
#include "pmu_regs.h"
#include "tap.h"

#define TOP32	  (UINT64_C(1) << 32)
#define FUNCTIONS 4

/* The ring of waits(): a node in each page, more than a TLB and a cache of level 1 have. */
#define NODES  2048
#define STRIDE (PAGE_SIZE + 64)

/* How often a round executes what, by function: hotspot.h, hotspot_code.S. */
struct weights {
	uint64_t of[FUNCTIONS];
};
static const struct weights by_instruction = {{SIXTY_OPS, THIRTY_OPS, TEN_OPS, 9}};
static const struct weights by_load = {{0, THIRTY_TURNS, 0, 0}};
static const struct weights by_return = {{1, 1, TEN_TURNS + 1, 0}};
static const struct weights by_branch = {{SIXTY_TURNS + 1, THIRTY_TURNS + 1, 3 * TEN_TURNS + 1, 4}};

static uint64_t rounds, period, data;

/* The program at EL0, program(rounds, program_data), and its functions; name NULL: no more. */
static uintptr_t program;
static uint64_t program_data, program_rounds;
static struct {
	const char *name;
	uintptr_t start, end;
} functions[FUNCTIONS];

#define FUNCTION(n, symbol)                                           \
	do {                                                          \
		functions[n].name = #symbol;                          \
		functions[n].start = user_address(user_##symbol);     \
		functions[n].end = user_address(user_##symbol##_end); \
	} while (0)

/* The profile that is being taken. */
static struct {
	unsigned int counter;				/* PMU_MAX_COUNTERS: the cycle counter */
	uint64_t period, samples[FUNCTIONS + 1], total; /* after the functions: elsewhere */
} profile;

static uint64_t run_rounds(uint64_t n)
{
	return user_call(program, n, program_data, 0);
}

/*
 * Clock counting: how long a block of code takes, by the cycle counter, at EL0 alone.
 */
static uint64_t time_of(uintptr_t function, uint64_t turns, uint64_t argument)
{
	pmu_clear(0);
	write_sysreg(pmccfiltr_el0, PMU_FILTER_P);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
	isb();
	(void)user_call(function, turns, argument, 0);
	write_sysreg(pmcr_el0, PMCR_LC);
	isb();
	return read_sysreg(pmccntr_el0);
}

/* Does the PE report that instructions wait? */
static bool stalls(void)
{
	return pmu_has_event(EVENT_STALL_BACKEND);
}

static void clock_counting(void)
{
	const uintptr_t sixty = user_address(user_sixty);
	uint64_t once, again, twice, slack, turns;

	(void)time_of(sixty, SIXTY_TURNS, 0); /* caches and predictors know it after this */
	once = time_of(sixty, SIXTY_TURNS, 0);
	again = time_of(sixty, SIXTY_TURNS, 0);
	twice = time_of(sixty, 2 * SIXTY_TURNS, 0);
	/* If only the code takes time, the result is exact. */
	slack = stalls() ? once / 100 : 0;
	tap_note("%u turns take %lu cycles, twice as many %lu", SIXTY_TURNS, once, twice);
	CHECK(again + slack >= once && again <= once + slack, "%lu the second time", again);
	/* A whole number of cycles each. */
	turns = (twice - once + SIXTY_TURNS / 2) / SIXTY_TURNS * SIXTY_TURNS;
	CHECK(twice > once && twice - once + slack >= turns && twice - once <= turns + slack,
	      "%lu cycles for %u turns more", twice - once, SIXTY_TURNS);
	CHECK(2 * once < twice + 100 + slack, "%lu cycles for %u turns, %lu for twice as many",
	      once, SIXTY_TURNS, twice);
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
		/* The driver's first three and last instructions, and the SVC of user_call(). */
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
	for (i = 0; i < FUNCTIONS; i++)
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
	for (unsigned int i = 0; i <= FUNCTIONS; i++)
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
	(void)run_rounds(program_rounds);
	write_sysreg(pmcr_el0, 0);
	isb();
	gic_enable(pmu_intid(), NULL);
}

/* Each function's share is its weight, within two points. */
static void check_profile(const char *what, const struct weights *weights)
{
	uint64_t sum = 0;

	printf("# %s: a sample each %lu, %lu samples\n", what, profile.period, profile.total);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		sum += weights->of[i];
	CHECK(profile.total >= 500, "only %lu samples", profile.total);
	for (unsigned int i = 0; i < FUNCTIONS && functions[i].name; i++) {
		const uint64_t got = profile.total ? profile.samples[i] * 1000 / profile.total : 0;
		const uint64_t want = weights->of[i] * 1000 / sum;

		printf("# %-12s 0x%016lx %8lu %7lu.%lu\n", functions[i].name,
		       (unsigned long)functions[i].start, profile.samples[i], got / 10, got % 10);
		CHECK(got + 20 >= want && got <= want + 20, "%s has %lu.%lu per cent, not %lu.%lu",
		      functions[i].name, got / 10, got % 10, want / 10, want % 10);
	}
	CHECK(profile.samples[FUNCTIONS] <= 1, "%lu samples elsewhere", profile.samples[FUNCTIONS]);
}

static void profile_driver(void)
{
	program = user_address(user_driver);
	program_data = data;
	program_rounds = rounds;
	FUNCTION(0, sixty);
	FUNCTION(1, thirty);
	FUNCTION(2, ten);
	FUNCTION(3, driver);
}

/* Do a and b differ by at most two per cent? */
static bool close_to(uint64_t a, uint64_t b)
{
	return a * 100 <= b * 102 && b * 100 <= a * 102;
}

/*
 * By time each function has the share that the clock gave it: its time alone, in a second run.
 * These times are checked: their sum is the time of the whole program. If each instruction takes
 * one cycle, the shares are those of the instructions, which are known.
 */
static void time_based_sampling(void)
{
	struct weights by_time = {{0}};
	uint64_t whole, parts = 0, instructions = 0;

	for (unsigned int i = 0; i < 2; i++) {
		by_time.of[0] = time_of(user_address(user_sixty), SIXTY_TURNS, 0);
		by_time.of[1] = time_of(user_address(user_thirty), THIRTY_TURNS, data);
		by_time.of[2] = time_of(user_address(user_ten), TEN_TURNS, 0);
	}
	whole = time_of(program, program_rounds, program_data);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		parts += program_rounds * by_time.of[i];
		instructions += program_rounds * by_instruction.of[i];
	}
	take_profile(PMU_MAX_COUNTERS, 0, period);
	check_profile("cycles", &by_time);
	printf("# %lu cycles, of %lu instructions; the functions alone take %lu\n", whole,
	       instructions, parts);
	if (needs_pmu_exact() != NULL) /* they include the host's time */
		return;
	CHECK(close_to(whole, parts), "%lu cycles, and %lu of the functions alone", whole, parts);
	if (close_to(whole, instructions))
		check_profile("cycles, one an instruction", &by_instruction);
}

static void sampling_by_instructions(void)
{
	take_profile(1, EVENT_INST_RETIRED, period);
	check_profile("INST_RETIRED", &by_instruction);
}

/* Sampling by a class of events finds where they happen: thirty() for loads, ten() for returns. */
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

static void profile_mixed(void)
{
	program = user_address(user_mixed);
	program_rounds = 2 * rounds;
	program_data = (uintptr_t)user_data_alloc(NODES * STRIDE / PAGE_SIZE + 1);
	for (uint64_t n = 0; n < NODES; n++)
		*(volatile uint64_t *)(program_data + n * STRIDE) =
			program_data + (n + 1) % NODES * STRIDE;
	FUNCTION(0, sixty);
	FUNCTION(1, waits);
	FUNCTION(2, mixed);
	functions[3].name = NULL;
	functions[3].start = functions[3].end = 0;
}

/* The hot spot by time is the function that waits; the one by instructions is another. */
static void time_and_instructions(void)
{
	const struct weights instructions = {{MIXED_OPS, WAITS_OPS, ROUND_OWN, 0}};
	struct weights cycles = {{0, 0, ROUND_OWN, 0}};

	profile_mixed();
	(void)time_of(functions[0].start, MIXED_TURNS, 0);
	cycles.of[0] = time_of(functions[0].start, MIXED_TURNS, 0);
	cycles.of[1] =
		time_of(functions[1].start, 2 * NODES, program_data) * WAITS_TURNS / (2 * NODES);
	tap_note("cycles a round: sixty %lu, waits %lu", cycles.of[0], cycles.of[1]);
	take_profile(PMU_MAX_COUNTERS, 0, period);
	check_profile("cycles", &cycles);
	CHECK(profile.samples[1] > profile.samples[0], "waits() is not the hot spot");
	take_profile(1, EVENT_INST_RETIRED, period / 4);
	check_profile("INST_RETIRED", &instructions);
	CHECK(profile.samples[0] > profile.samples[1], "sixty() is not the hot spot");
	take_profile(1, EVENT_L1D_CACHE_REFILL, period / 133);
	check_profile("L1D_CACHE_REFILL", &(const struct weights){{0, 1, 0, 0}});
	profile_driver();
}

static const char *needs_stalls(void)
{
	const char *why = needs_pmu_irq();

	if (!why && (!stalls() || !pmu_has_event(EVENT_L1D_CACHE_REFILL)))
		why = "it counts no stalls and misses";
	return why;
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
	{"hot spots by time, by instructions and by misses", time_and_instructions, needs_stalls},
};

void guest_main(void)
{
	rounds = bootarg("rounds", 20);
	period = bootarg("period", 1993); /* a prime: no lap of a loop divides it */
	data = (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE);
	profile_driver();
	tap_run("pmu-profile", tests, sizeof(tests) / sizeof(tests[0]));
}
