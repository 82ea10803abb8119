/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chase: finds out by software what microarchitecture the records show. It chases pointers through
 * more and more memory, lets two PEs write one line in turns (the same word, or a word each), runs
 * a branch that cannot be predicted, and passes lines round (chase_pass.c). It needs a PE that has
 * caches and reports them. It expects that numbers rise, and that the bits, latencies and data
 * sources of a record agree. The figures that it prints as "log:" are for comparison with those of
 * the machine.
 *
 * Boot arguments:
 * - large=BYTES: the largest chase, a multiple of 2 MiB.
 * - stride=BYTES: from one node to the next, a multiple of 64, at most 16 KiB. With a larger
 *   stride, a chase has fewer lines, and uses less of each cache.
 * - loads=N: the fewest loads of a chase. Below 20000, no tests but the chases run.
 * - warm=1: each chase runs once before without samples, for a model that sees nothing while
 *   profiling is disabled.
 */
#include "arch.h"
#include "boot.h"
#include "chase.h"
#include "chase_seen.h"
#include "console.h"
#include "deadline.h"
#include "gic.h"
#include "nodes.h"
#include "platform.h"
#include "psci.h"
#include "spe.h"
#include "tap.h"

#define LINE	      64
#define BLOCK	      (UINT64_C(2) << 20)
#define MIN_LOADS     20000    /* of one chase */
#define INTERVAL_MOST 0xffffff /* in PMSIRR_EL1.INTERVAL */

static uint64_t buffer, area, large, stride, min_loads, warm;
static const struct {
	const char *code;
	uint64_t size; /* bytes; 0: large */
} runs[] = {
	{chase_16_kib, 16 << 10},
	{chase_256_kib, 256 << 10},
	{chase_8_mib, 8 << 20},
	{chase_large, 0},
};

#define SIZES (sizeof(runs) / sizeof(runs[0]))
static struct seen chases[SIZES];

static void collect(const char *pc, struct seen *seen, const char *other, struct seen *second)
{
	seen_collect(buffer, pc, seen, other, second);
}

static void profile(uintptr_t function, uint64_t a0, uint64_t a1, uint64_t interval)
{
	seen_profile(buffer, function, a0, a1, interval);
}

static uint64_t size_of(unsigned int n)
{
	return runs[n].size ? runs[n].size : large;
}

static void chase(unsigned int n)
{
	const uint64_t size = size_of(n), nodes = size / stride;
	const uint64_t loads = nodes < min_loads ? min_loads : nodes;
	/* Records of 64 bytes fill at most half of the buffer. */
	const uint64_t most = BUFFER_PAGES * PAGE_SIZE / 2 / 64;
	struct seen *seen = &chases[n];
	uint64_t latency;
	unsigned int source;

	nodes_link(area, nodes, stride);
	if (warm)
		profile((uintptr_t)runs[n].code, loads, area, INTERVAL_MOST);
	profile((uintptr_t)runs[n].code, loads, area, 3 * loads / (256 * most) + 1);
	collect(runs[n].code, seen, NULL, NULL);
	source = seen_usual(seen, &latency);
	tap_note("log: chase %lu: %lu of %lu loads from 0x%x in %lu cycles", size,
		 seen->source[source], seen->records, source, latency);
	CHECK(seen->records > min_loads / 400, "%lu records", seen->records);
	CHECK(seen->wrong == 0, "%lu records contradict themselves", seen->wrong);
	CHECK(seen->source[source] * 10 >= seen->records * 9, "no source has nine in ten");
}

static const char *needs_source(void)
{
	const char *why = needs_exact();

	if (!why && !spe_caps.lds)
		why = "no data source";
	return why;
}

static const char *needs_area(void)
{
	const char *why = needs_source();

	if (!why && !area && !nodes_map(large, &area))
		why = "not enough memory";
	return why;
}

/* RULE("D18.2.4/source") */
static void test_levels(void)
{
	uint64_t before = 0;

	for (unsigned int n = 0; n < SIZES; n++) {
		uint64_t latency;
		unsigned int source;

		chase(n);
		source = seen_usual(&chases[n], &latency);
		CHECK(latency > before, "%lu bytes take no longer than less", size_of(n));
		CHECK((n == 0) == (source == SOURCE_L1D), "%lu bytes come from 0x%x", size_of(n),
		      source);
		before = latency;
	}
}

static volatile bool other_on, other_stop;
static volatile uint64_t *shared;

static void share_endlessly(unsigned int cpu)
{
	(void)cpu;
	other_on = true;
	while (!other_stop)
		share_run(16, shared);
}

static const char *needs_two(void)
{
	const char *why = needs_source();
	uint64_t mpidr;

	if (!why && !platform_cpu(1, &mpidr))
		why = "one CPU";
	return why;
}

/* RULE("D18.2.4/source") */
static void test_sharing(void)
{
	struct seen load, store;
	uint64_t mpidr, latency;
	unsigned int source;

	shared = data_alloc(1);
	profile(user_address(share_run), 8000, (uintptr_t)shared, 1);
	collect(share_load, &load, share_store, &store);
	CHECK(seen_usual(&load, &latency) == SOURCE_L1D, "a line of one's own is elsewhere");
	if (!platform_cpu(1, &mpidr) ||
	    !CHECK(psci_cpu_on(mpidr, 1, share_endlessly) == PSCI_SUCCESS, "CPU 1 does not start"))
		return;
	wait_while(!other_on);
	profile(user_address(share_run), 8000, (uintptr_t)shared, 1);
	other_stop = true;
	collect(share_load, &load, share_store, &store);
	source = seen_usual(&load, &latency);
	tap_note("log: share: %lu of %lu loads from 0x%x in %lu cycles", load.source[source],
		 load.records, source, latency);
	CHECK(seen_is_other_core(source), "the line comes from 0x%x", source);
	CHECK(load.refills == load.records - load.source[SOURCE_L1D], "%lu refills of %lu",
	      load.refills, load.records);
	CHECK(load.wrong == 0, "%lu records contradict themselves", load.wrong);
	/*
	 * The load shared the line with the other PE, whose turn is over: only the store may keep
	 * it. A WFE may do nothing; then the other had no turn.
	 */
	CHECK(store.refills * 4 >= store.records * 3, "%lu stores of %lu refill", store.refills,
	      store.records);
}

static const char *needs_time(void)
{
	return min_loads < MIN_LOADS ? "loads is less than 20000" : needs_exact();
}

/* RULE("D18.2.6/E7") */
static void test_branches(void)
{
	struct seen guess, loop;

	profile(user_address(guess_run), 40000, UINT64_C(0x9e3779b97f4a7c15), 1);
	collect(guess_branch, &guess, guess_loop, &loop);
	tap_note("log: guess: %lu of %lu mispredicted, loop %lu of %lu", guess.mispredicted,
		 guess.records, loop.mispredicted, loop.records);
	CHECK(guess.records > 50 && loop.records > 50, "%lu and %lu records", guess.records,
	      loop.records);
	CHECK(guess.mispredicted * 4 >= guess.records, "nearly all were foreseen");
	CHECK(loop.mispredicted * 20 <= loop.records, "a loop was not foreseen");
}

/* Two PEs, each with its own word in one line, and its own records. */
static struct sharer {
	uint64_t buffer, word;
	struct seen load, store;
	volatile bool ready, done;
} sharers[2];

#define SHARER_TURNS 8000

static void share_apart(unsigned int cpu)
{
	struct sharer *me = &sharers[cpu], *other = &sharers[!cpu];

	/* For the interrupts of a buffer in windows. */
	if (cpu && spe_window(spe_space(BUFFER_PAGES)) < spe_space(BUFFER_PAGES))
		CHECK(gic_init_cpu(), "CPU 1 has no redistributor");
	me->ready = true;
	dsb();
	wait_while(!other->ready);
	seen_profile(me->buffer, user_address(share_run), SHARER_TURNS, me->word, 1);
	seen_collect(me->buffer, share_load, &me->load, share_store, &me->store);
	me->done = true;
	dsb();
}

/* RULE("D18.2.4/source") */
static void test_false_sharing(void)
{
	const uint64_t line = (uintptr_t)data_alloc(1);
	uint64_t mpidr, latency;

	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		sharers[cpu].buffer = (uintptr_t)data_alloc(spe_space(BUFFER_PAGES) / PAGE_SIZE);
		sharers[cpu].word = line + cpu * LINE / 2;
	}
	if (!platform_cpu(1, &mpidr))
		return;
	/* The last test's PE 1 is on its way off. */
	wait_while(psci_affinity_info(mpidr) != 1);
	if (!CHECK(psci_cpu_on(mpidr, 1, share_apart) == PSCI_SUCCESS, "CPU 1 does not start"))
		return;
	share_apart(0);
	wait_while(!sharers[1].done);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		const struct seen *load = &sharers[cpu].load;
		const unsigned int source = seen_usual(load, &latency);

		tap_note("log: apart: CPU %u: %lu of %lu loads from 0x%x in %lu cycles", cpu,
			 load->source[source], load->records, source, latency);
		CHECK(seen_is_other_core(source), "CPU %u has the line from 0x%x", cpu, source);
		CHECK(load->wrong == 0, "%lu records contradict themselves", load->wrong);
	}
}

static const char *needs_pass(void)
{
	const char *why = needs_source();

	return why ? why : pass_needs();
}

static const struct test tests[] = {
	{"the levels of memory show in latencies and data sources", test_levels, needs_area},
	{"a line that two PEs write comes from the other", test_sharing, needs_two},
	{"... and does so if each has a word of its own in it", test_false_sharing, needs_two},
	{"a branch that cannot be foreseen is mispredicted", test_branches, needs_time},
	{"what a lock protects comes from the PE that had it last", pass_lock, needs_pass},
	{"what one PE produces comes to the first consumer from there", pass_produced, needs_pass},
};

void guest_main(void)
{
	if (spe_probe(&spe_caps) == NULL)
		buffer = (uintptr_t)data_alloc(spe_space(BUFFER_PAGES) / PAGE_SIZE);
	large = bootarg("large", 64 << 20) / BLOCK * BLOCK;
	stride = bootarg("stride", LINE);
	min_loads = bootarg("loads", MIN_LOADS);
	warm = bootarg("warm", 0);
	tap_run("chase", tests, sizeof(tests) / sizeof(tests[0]));
}
