/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipeline: what samples show of a PE that its program does not say: operations after a
 * mispredicted branch (Arm ARM D17.2.1), samples that collide because another is in flight
 * (D17.3.7), and memory and lines that no cache has. It needs a PE that speculates, takes its time,
 * and has caches.
 *
 * Boot arguments:
 * - misspec=N: misspeculated operations are 0: no members of the population; 1: members without
 *   records; 2: members, with records.
 * - inflight=N: the number of operations that can be sampled at a time, 1 by default. No register
 *   reports either.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "nodes.h"
#include "pipeline.h"
#include "platform.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define LINE	     64
#define LINES	     64 /* a page of them */
#define BUFFER_PAGES 64
#define TURNS	     20000
#define SEED	     UINT64_C(0x9e3779b97f4a7c15)

#define EVENT_EXCEPTION	 (1u << 0)
#define EVENT_RETIRED	 (1u << 1)
#define EVENT_L1D_ACCESS (1u << 2)
#define EVENT_L1D_REFILL (1u << 3)

#define SOURCE_L1D  0x0
#define SOURCE_DRAM 0xe

#define DESCRIPTOR_ATTR	    (UINT64_C(7) << 2)
#define DESCRIPTOR_INDEX(n) ((uint64_t)(n) << 2)
#define INDEX_DEVICE	    0 /* of MAIR_EL1, in guests/lib/start.S */
#define INDEX_UNCACHED	    2

enum { MISSPEC_EXCLUDED, MISSPEC_MEMBER, MISSPEC_CAPTURED };

static uint64_t buffer, lines, misspec, inflight;

static void profile(uintptr_t function, uint64_t a0, uint64_t a1, struct spe_setup setup)
{
	setup.pointer = buffer;
	setup.limit = buffer + spe_space(BUFFER_PAGES);
	setup.limit_flags = PMBLIMITR_E;
	spe_program(&setup);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE | PMSCR_PA, function, a0, a1);
	irq_disable();
	spe_disable();
}

/* The next record from *at on. */
static bool next_record(const uint8_t **at, struct record *r)
{
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	const long size = *at < end ? record_parse(*at, (size_t)(end - *at), r) : 0;

	CHECK(size >= 0, "the buffer does not parse");
	*at += size;
	return size > 0;
}

/* Members of the population in a function, by the counter alone. */
static uint64_t count_members(uintptr_t function, uint64_t turns)
{
	const struct spe_setup setup = {
		.pmsirr = PMSIRR_INTERVAL(0xffffff),
		.pmsicr = PMSICR_COUNT,
	};

	profile(function, turns, SEED, setup);
	return PMSICR_COUNT - (read_sysreg(PMSICR_EL1) & PMSICR_COUNT) - SPE_RUN_EL1_EXTRA - 1;
}

/* RULE("D17.2.1/excluded") */
static void test_population(void)
{
	const uint64_t guess = count_members(user_address(guess_run), TURNS);
	const uint64_t sure = count_members(user_address(sure_run), TURNS);

	tap_note("log: %lu members of %u operations, %lu of %u", guess, GUESS_OPERATIONS * TURNS,
		 sure, SURE_OPERATIONS * TURNS);
	if (misspec == MISSPEC_EXCLUDED) {
		CHECK(guess == GUESS_OPERATIONS * TURNS, "%lu members", guess);
		CHECK(sure == SURE_OPERATIONS * TURNS, "%lu members", sure);
		return;
	}
	/* One in two is mispredicted, and at least one operation follows it. */
	CHECK(guess >= (GUESS_OPERATIONS * 4 + 1) * TURNS / 4, "%lu members", guess);
	CHECK(sure >= SURE_OPERATIONS * TURNS && sure < SURE_OPERATIONS * TURNS + TURNS / 10,
	      "%lu members", sure);
}

struct spoken {
	uint64_t records, unretired, wrong;
};

static struct spoken collect_guesses(uint64_t pmsfcr, uint64_t pmsevfr)
{
	const struct spe_setup setup = {
		.pmsirr = PMSIRR_INTERVAL(1),
		.pmsfcr = pmsfcr,
		.pmsevfr = pmsevfr,
	};
	const uint8_t *at = (const uint8_t *)buffer;
	const uintptr_t first = user_address(guess_run);
	struct spoken spoken = {0};
	struct record r;

	profile(user_address(guess_run), TURNS, SEED, setup);
	while (next_record(&at, &r)) {
		spoken.records++;
		if (r.events & EVENT_RETIRED)
			continue;
		/* The record says where it was, and nothing of its results. */
		spoken.unretired++;
		spoken.wrong += r.events != 0 || r.has & (RECORD_VA | RECORD_PA | RECORD_TARGET) ||
				r.pc < first || r.pc >= first + 64 || r.latency < r.issue;
	}
	CHECK(!(read_sysreg(PMBSR_EL1) & PMBSR_S), "PMBSR_EL1 is 0x%lx", read_sysreg(PMBSR_EL1));
	return spoken;
}

/* RULE("D17.2.1/captured") RULE("D17.6.7/misspeculated") RULE("D17.6.7/values") */
static void test_records(void)
{
	struct spoken all = collect_guesses(0, 0);

	tap_note("log: %lu of %lu records are misspeculated", all.unretired, all.records);
	CHECK(all.records > 100, "%lu records", all.records);
	CHECK(all.wrong == 0, "%lu records of misspeculated operations tell more", all.wrong);
	CHECK((misspec == MISSPEC_CAPTURED) == (all.unretired != 0), "%lu are misspeculated",
	      all.unretired);
	/* Software can filter out the others (D17.2.1). */
	all = collect_guesses(PMSFCR_FE, EVENT_RETIRED);
	CHECK(all.records > 100 && all.unretired == 0, "%lu of %lu in spite of the filter",
	      all.unretired, all.records);
}

/* Before each run: all lines are in L1D, or none is in any cache. */
static void settle(bool cached)
{
	nodes_link(lines, LINES, LINE);
	for (uint64_t at = 0; !cached && at < LINES * LINE; at += LINE)
		__asm__ volatile("dc civac, %0" ::"r"(lines + at) : "memory");
	dsb();
}

/*
 * Two selections, a turn apart, or two turns if the lines are cached: as much as a turn may be
 * dispatched before an operation is issued. Did the second collide? *load: the first was of the
 * load, which then has a record.
 */
static bool sample_twice(unsigned int first, bool cached, bool *load)
{
	const struct spe_setup setup = {
		.pmsirr = PMSIRR_INTERVAL(0xffffff),
		.pmsicr = (uint64_t)first << 56 | (first + (cached ? 2 : 1) * SPARSE_OPERATIONS),
	};
	const uint8_t *at = (const uint8_t *)buffer;
	unsigned int records = 0;
	struct record r;
	bool collided;

	settle(cached);
	profile(user_address(sparse_run), LINES, lines, setup);
	collided = read_sysreg(PMBSR_EL1) & PMBSR_COLL;
	for (*load = false; next_record(&at, &r); records++)
		*load |= records == 0 && r.pc == (uintptr_t)sparse_load;
	CHECK(records == (collided ? 1 : 2), "%u records, and PMBSR_EL1.COLL is %d", records,
	      collided);
	return collided;
}

static const char *needs_two_counters(void)
{
	const char *why = needs_exact();

	if (!why && !spe_caps.ernd)
		why = "no second counter";
	if (!why && !spe_caps.arch_inst)
		why = "operations are not instructions";
	return needs_too(why, inflight == 1, "more than one can be sampled at a time: inflight");
}

/* RULE("RQWTQB") RULE("IDBJXM") RULE("RLTMKQ") */
static void test_collisions(void)
{
	unsigned int loads = 0;

	for (unsigned int first = 100; first < 100 + SPARSE_OPERATIONS; first++) {
		bool load;

		CHECK(!sample_twice(first, true, &load), "a collision in L1, from %u on", first);
		if (!load)
			continue;
		CHECK(sample_twice(first, false, &load), "a load from memory does not collide");
		loads += load;
	}
	CHECK(loads == 1, "the load was selected %u times", loads);
}

/* Loads of all lines at load, in a run of function; *refills: those that L1D did not have. */
static uint64_t count_loads(uintptr_t function, const char *load, bool cached, uint64_t *refills)
{
	const struct spe_setup setup = {.pmsirr = PMSIRR_INTERVAL(1)};
	uint64_t loads = 0;

	*refills = 0;
	/* Repeat it, as an interval is longer than a page of lines. */
	for (unsigned int turn = 0; turn < 64; turn++) {
		const uint8_t *at = (const uint8_t *)buffer;
		struct spe_setup here = setup;
		struct record r;

		here.pmsicr = 5 + 3 * turn;
		settle(cached);
		profile(function, LINES, lines, here);
		while (next_record(&at, &r)) {
			if (r.pc != (uintptr_t)load)
				continue;
			loads++;
			*refills += !!(r.events & EVENT_L1D_REFILL);
			CHECK(!!(r.events & EVENT_L1D_REFILL) == (r.source != SOURCE_L1D),
			      "events 0x%lx and source 0x%x", r.events, r.source);
		}
	}
	return loads;
}

#define MAINTENANCE(name, cached, refills)                                        \
	{                                                                         \
#name, user_address(name##_run), name##_load, (cached), (refills) \
	}

static const char *needs_source(void)
{
	const char *why = needs_exact();

	return needs_too(why, spe_caps.lds, "no data source");
}

static void test_maintenance(void)
{
	const struct {
		const char *name;
		uintptr_t function;
		const char *load;
		bool cached, refills;
	} rows[] = {
		MAINTENANCE(plain, true, false),    MAINTENANCE(plain, false, true),
		MAINTENANCE(clean, true, false),    MAINTENANCE(unify, true, false),
		MAINTENANCE(flush, true, true),	    MAINTENANCE(drop, true, true),
		MAINTENANCE(zero, false, false),    MAINTENANCE(prefetch, false, false),
		MAINTENANCE(prefetch, true, false),
	};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		uint64_t refills, loads;

		loads = count_loads(rows[n].function, rows[n].load, rows[n].cached, &refills);
		tap_note("log: %s: %lu of %lu loads refill", rows[n].name, refills, loads);
		CHECK(loads > 10, "%s: %lu loads", rows[n].name, loads);
		CHECK(refills == (rows[n].refills ? loads : 0), "%s: %lu of %lu refill",
		      rows[n].name, refills, loads);
	}
}

/* The loads of a page with another index of MAIR_EL1: no cache has a part in them. */
static void check_index(unsigned int index)
{
	const uint64_t entry = mmu_unmap(lines);
	const struct spe_setup setup = {.pmsirr = PMSIRR_INTERVAL(1)};
	const uint8_t *at = (const uint8_t *)buffer;
	uint64_t loads = 0, wrong = 0;
	struct record r;

	mmu_restore(lines, (entry & ~DESCRIPTOR_ATTR) | DESCRIPTOR_INDEX(index));
	nodes_link(lines, LINES, LINE);
	profile(user_address(sparse_run), 20000, lines, setup);
	while (next_record(&at, &r)) {
		if (r.pc != (uintptr_t)sparse_load)
			continue;
		loads++;
		wrong += r.source != SOURCE_DRAM ||
			 r.events & (EVENT_L1D_ACCESS | EVENT_L1D_REFILL) || !(r.has & RECORD_PA);
	}
	(void)mmu_unmap(lines);
	mmu_restore(lines, entry);
	CHECK(loads > 10, "index %u: %lu loads", index, loads);
	CHECK(wrong == 0, "index %u: %lu of %lu loads are cached", index, wrong, loads);
}

static void test_attributes(void)
{
	settle(false);
	check_index(INDEX_DEVICE);
	check_index(INDEX_UNCACHED);
}

static const struct test tests[] = {
	{"misspeculated operations are members, or not", test_population, needs_operations},
	{"records of misspeculated operations", test_records, needs_exact},
	{"a load from memory collides, one from L1 does not", test_collisions, needs_two_counters},
	{"maintenance by address, DC ZVA and PRFM", test_maintenance, needs_source},
	{"Device and Non-cacheable memory is in no cache", test_attributes, needs_source},
};

void guest_main(void)
{
	if (spe_probe(&spe_caps) == NULL) {
		buffer = (uintptr_t)data_alloc(spe_space(BUFFER_PAGES) / PAGE_SIZE);
		lines = (uintptr_t)data_alloc(1);
	}
	misspec = bootarg("misspec", MISSPEC_EXCLUDED);
	inflight = bootarg("inflight", 1);
	tap_run("pipeline", tests, sizeof(tests) / sizeof(tests[0]));
}
