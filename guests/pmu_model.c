/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu-model: the Performance Monitors' counts of a microarchitecture agree with the records of the
 * Statistical Profiling Extension. One stretch of code runs again and again in the same way, and
 * each of its operations is sampled once, so the sums over all records must be the counts (Arm ARM
 * D14.11, D18.2.6). It needs a PE on which the same code always runs the same way. The sizes of its
 * caches do not matter, except that the chase must be larger.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "gic.h"
#include "platform.h"
#include "pmu_model.h"
#include "pmu_regs.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define BUFFER_PAGES 32
#define BUFFER_BYTES spe_space(BUFFER_PAGES)

/* The chase: a node in each page, so that each set of a cache gets some. */
#define NODES  2048
#define STRIDE (PAGE_SIZE + 64)

#define NO_INTERVAL PMSIRR_INTERVAL(0xffffff)

/* The Events packet. */
#define R_L1D_ACCESS (1u << 2)
#define R_L1D_REFILL (1u << 3)
#define R_TLB_ACCESS (1u << 4)
#define R_TLB_WALK   (1u << 5)
#define R_MISPRED    (1u << 7)

static uint64_t buffer, area, node, user_page;

static uint64_t share(uint64_t part, uint64_t all)
{
	return all ? part * 1000 / all : 0;
}

/* Do a and b differ by at most one in twenty? */
static bool near(uint64_t a, uint64_t b)
{
	return a <= b + b / 20 + 1 && b <= a + a / 20 + 1;
}

static void link_nodes(void)
{
	for (uint64_t n = 0; n < NODES; n++)
		*(volatile uint64_t *)(area + n * STRIDE) = area + (n + 1) % NODES * STRIDE;
	node = area;
}

static void set_buffer(uint64_t pmsirr, uint64_t pmsicr, uint64_t pointer, uint64_t pmsfcr)
{
	const struct spe_setup setup = {
		.pointer = pointer,
		.limit = buffer + BUFFER_BYTES,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = pmsirr,
		.pmsicr = pmsicr,
		.pmsfcr = pmsfcr,
	};

	spe_program(&setup);
}

/* Count these events, up to six, of function(a0, a1). */
static uint64_t count(const unsigned int *events, unsigned int n, uint64_t *counts, uint64_t pmscr,
		      uintptr_t function, uint64_t a0, uint64_t a1)
{
	uint64_t result;

	pmu_clear(0);
	for (unsigned int i = 0; i < n; i++)
		pmu_count(i, events[i], 0);
	result = watched_run(pmscr, PMCR_E, function, a0, a1);
	for (unsigned int i = 0; i < n; i++)
		counts[i] = pmu_read_counter(i);
	return result;
}

/*
 * Every operation.
 */

#define TURNS  32
#define WARM   300 /* runs until each is like the one before */
#define EVENTS 6

static const struct {
	const char *name;
	unsigned int event;
	uint64_t bit; /* of the Events packet */
} agreeing[EVENTS] = {
	{"L1D_CACHE", EVENT_L1D_CACHE, R_L1D_ACCESS},
	{"L1D_CACHE_REFILL", EVENT_L1D_CACHE_REFILL, R_L1D_REFILL},
	{"L1D_TLB", EVENT_L1D_TLB, R_TLB_ACCESS},
	{"DTLB_WALK", EVENT_DTLB_WALK, R_TLB_WALK},
	{"BR_MIS_PRED", EVENT_BR_MIS_PRED, R_MISPRED},
	{"INST_RETIRED", EVENT_INST_RETIRED, 1u << 1},
};

/* Sums over the records between from and to. */
static uint64_t add_records(uint64_t from, uint64_t to, uint64_t sums[EVENTS])
{
	const uint8_t *at = (const uint8_t *)from;
	uint64_t records = 0;

	while (at < (const uint8_t *)to) {
		struct record r;
		const long size = record_parse(at, (size_t)((const uint8_t *)to - at), &r);

		if (!CHECK(size >= 0, "the buffer does not parse") || size == 0)
			break;
		at += size;
		records++;
		for (unsigned int i = 0; i < EVENTS; i++)
			sums[i] += !!(r.events & agreeing[i].bit);
	}
	return records;
}

/* RULE("D18.2.6/E2") RULE("D18.2.6/E3") RULE("D18.2.6/E5") RULE("D18.2.6/E7") */
static void every_operation(void)
{
	const uintptr_t mix = user_address(mix_run);
	unsigned int events[EVENTS];
	uint64_t first[EVENTS], sums[EVENTS] = {0}, pointer = buffer, records = 0, window;

	for (unsigned int i = 0; i < EVENTS; i++)
		events[i] = agreeing[i].event;
	for (unsigned int i = 0; i < WARM; i++) {
		set_buffer(NO_INTERVAL, 1, buffer, 0);
		node = count(events, EVENTS, first, PMSCR_E1SPE, mix, TURNS, node);
	}
	window = first[EVENTS - 1];
	tap_note("%lu operations", window);
	for (uint64_t k = 0; k < window; k++) {
		uint64_t counts[EVENTS];

		set_buffer(NO_INTERVAL, WATCHED_BEFORE + k, pointer, 0);
		node = count(events, EVENTS, counts, PMSCR_E1SPE, mix, TURNS, node);
		spe_disable();
		for (unsigned int i = 0; i < EVENTS; i++)
			CHECK(counts[i] == first[i], "run %lu: %s %lu, not %lu", k,
			      agreeing[i].name, counts[i], first[i]);
		pointer = read_sysreg(PMBPTR_EL1);
		if (pointer < buffer + BUFFER_BYTES - PAGE_SIZE)
			continue;
		records += add_records(buffer, pointer, sums);
		pointer = buffer;
	}
	records += add_records(buffer, pointer, sums);
	CHECK(records == window, "%lu records of %lu operations", records, window);
	for (unsigned int i = 0; i < EVENTS; i++) {
		if (!(spe_events() & agreeing[i].bit) && agreeing[i].event != EVENT_INST_RETIRED)
			continue; /* no record says so */
		tap_note("%s: %lu, by records %lu", agreeing[i].name, first[i], sums[i]);
		CHECK(sums[i] == first[i], "%s is %lu, and records say %lu", agreeing[i].name,
		      first[i], sums[i]);
		CHECK(first[i] > 0, "%s is 0", agreeing[i].name);
	}
}

/*
 * SPE's own events.
 */

/* RULE("D17.1/pmu") */
static void sample_events(void)
{
	static const unsigned int events[] = {EVENT_SAMPLE_POP,	     EVENT_SAMPLE_FEED,
					      EVENT_SAMPLE_FILTRATE, EVENT_SAMPLE_COLLISION,
					      EVENT_LD_RETIRED,	     EVENT_INST_RETIRED};
	/* So many records fit one buffer: interrupts would be counted. */
	const uint64_t turns = 60000 * spe_window(BUFFER_BYTES) / BUFFER_BYTES;

	for (unsigned int filter = 0; filter < 2; filter++) {
		uint64_t counts[6], sums[EVENTS] = {0}, records, kept;

		set_buffer(PMSIRR_INTERVAL(1), 0, buffer, filter ? PMSFCR_FT | PMSFCR_LD : 0);
		node = count(events, 6, counts, PMSCR_E1SPE, user_address(load_run), turns, node);
		spe_disable();
		CHECK(!(read_sysreg(PMBSR_EL1) & PMBSR_S), "PMBSR_EL1 is 0x%lx",
		      read_sysreg(PMBSR_EL1));
		records = add_records(buffer, read_sysreg(PMBPTR_EL1), sums);
		tap_note("SAMPLE_POP %lu, FEED %lu, FILTRATE %lu, COLLISION %lu, %lu records",
			 counts[0], counts[1], counts[2], counts[3], records);
		CHECK(counts[0] == counts[5], "SAMPLE_POP %lu, INST_RETIRED %lu", counts[0],
		      counts[5]);
		CHECK(counts[1] + counts[3] ==
			      (counts[0] + WATCHED_BEFORE + WATCHED_BEHIND) / spe_spacing(1),
		      "%lu fed, %lu collisions", counts[1], counts[3]);
		CHECK(counts[2] == records, "SAMPLE_FILTRATE %lu, %lu records", counts[2], records);
		kept = filter ? counts[1] * counts[4] / counts[5] : counts[1];
		CHECK(filter ? near(records, kept) : records == kept, "%lu records, not %lu",
		      records, kept);
	}
}

/*
 * Shares.
 */

/* What the records of the instruction at pc say. */
struct seen {
	uint64_t records, refills, walks, waits, cycles;
};

static void collect(uintptr_t pc, struct seen *seen)
{
	const uint8_t *at = (const uint8_t *)buffer;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	*seen = (struct seen){0};
	while (at < end) {
		struct record r;
		const long size = record_parse(at, (size_t)(end - at), &r);

		if (!CHECK(size >= 0, "the buffer does not parse") || size == 0)
			break;
		at += size;
		if (r.pc != pc)
			continue;
		seen->records++;
		seen->refills += !!(r.events & R_L1D_REFILL);
		seen->walks += !!(r.events & R_TLB_WALK);
		seen->waits += r.issue;
		seen->cycles += r.latency - r.issue;
	}
}

/* Samples agree with counts: refills, walks, and the time that loads take. */
static void shares(void)
{
	static const unsigned int events[] = {EVENT_L1D_CACHE,	    EVENT_L1D_CACHE_REFILL,
					      EVENT_L1D_TLB_REFILL, EVENT_DTLB_WALK,
					      EVENT_CPU_CYCLES,	    EVENT_STALL_BACKEND};
	const uint64_t loads = 60000;
	struct seen seen;
	uint64_t counts[6];

	set_buffer(PMSIRR_INTERVAL(1), 0, buffer, PMSFCR_FT | PMSFCR_LD);
	node = count(events, 6, counts, PMSCR_E1SPE, user_address(load_run), loads, node);
	spe_disable();
	collect((uintptr_t)load_here, &seen);
	tap_note("%lu loads: L1D_CACHE_REFILL %lu, L1D_TLB_REFILL %lu, DTLB_WALK %lu", counts[0],
		 counts[1], counts[2], counts[3]);
	tap_note("cycles %lu, STALL_BACKEND %lu; of %lu records %lu refills, %lu walks, %lu cycles",
		 counts[4], counts[5], seen.records, seen.refills, seen.walks, seen.cycles);
	CHECK(seen.records > 50, "%lu records", seen.records);
	CHECK(counts[0] >= loads && counts[0] < loads + 100, "L1D_CACHE %lu", counts[0]);
	CHECK(counts[1] * 10 > 9 * loads, "L1D_CACHE_REFILL %lu", counts[1]);
	CHECK(near(share(counts[1], counts[0]), share(seen.refills, seen.records)), "refills");
	CHECK(counts[2] >= counts[3], "more walks than refills of the TLB");
	CHECK(near(share(counts[3], counts[0]), share(seen.walks, seen.records)), "walks");
	/* One load waits for the other, and nothing else takes time. */
	CHECK(near(counts[4] / loads, seen.records ? seen.cycles / seen.records : 0),
	      "%lu cycles a load", counts[4] / loads);
	CHECK(counts[5] * 10 > 8 * counts[4], "they do not stall");
}

/* The same code over one node. */
static void hits(void)
{
	static const unsigned int events[] = {EVENT_L1D_CACHE,	EVENT_L1D_CACHE_REFILL,
					      EVENT_CPU_CYCLES, EVENT_STALL_BACKEND,
					      EVENT_STALL,	EVENT_STALL_FRONTEND};
	static uint64_t alone;
	const uint64_t loads = 20000;
	uint64_t missing[6], hitting[6];

	alone = (uint64_t)&alone;
	node = count(events, 6, missing, 0, user_address(load_run), loads, node);
	(void)count(events, 6, hitting, 0, user_address(load_run), loads, (uint64_t)&alone);
	tap_note("with refills %lu cycles, STALL_BACKEND %lu; without %lu and %lu", missing[2],
		 missing[3], hitting[2], hitting[3]);
	CHECK(hitting[0] >= loads && hitting[1] < 10, "L1D_CACHE %lu, L1D_CACHE_REFILL %lu",
	      hitting[0], hitting[1]);
	CHECK(hitting[2] * 2 < missing[2], "%lu cycles with refills, %lu without", missing[2],
	      hitting[2]);
	CHECK(hitting[3] < missing[3] / 2, "STALL_BACKEND %lu and %lu", missing[3], hitting[3]);
	CHECK(missing[4] == missing[3] + missing[5] && missing[4] < missing[2],
	      "STALL %lu, of the backend %lu, of the frontend %lu, cycles %lu", missing[4],
	      missing[3], missing[5], missing[2]);
}

/*
 * A load waits for the address that another one loads, for as long as the records say; other loads
 * do not wait. No PE loads from L1D in a cycle.
 */
static void dependent_loads(void)
{
	static const unsigned int events[] = {EVENT_CPU_CYCLES, EVENT_LD_RETIRED,
					      EVENT_L1D_CACHE_REFILL};
	static uint64_t alone;
	const uint64_t turns = 5000;
	uint64_t chased[3], apart[3];

	alone = (uint64_t)&alone;
	(void)count(events, 3, chased, 0, user_address(chase_run), turns, (uint64_t)&alone);
	(void)count(events, 3, apart, 0, user_address(apart_run), turns, (uint64_t)&alone);
	tap_note("of 100 loads: %lu cycles one behind the other, %lu apart",
		 100 * chased[0] / chased[1], 100 * apart[0] / apart[1]);
	CHECK(chased[1] == apart[1] && chased[2] < 10 && apart[2] < 10, "%lu and %lu loads",
	      chased[1], apart[1]);
	CHECK(chased[0] >= 8 * turns * 3 && chased[0] >= 3 * apart[0], "%lu and %lu cycles",
	      chased[0], apart[0]);
}

/* Nothing is between them, and yet each later read of the cycle counter is greater. */
static void reads_in_a_row(void)
{
	const unsigned int turns = 100;
	unsigned int equal = 0;

	pmu_clear(0);
	pmu_count(0, EVENT_CPU_CYCLES, 0);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT | 1);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
	isb();
	for (unsigned int i = 0; i < turns; i++) {
		uint64_t a, b, c, d;

		__asm__ volatile("mrs %0, pmccntr_el0\n\tmrs %1, pmccntr_el0\n\t"
				 "mrs %2, pmevcntr0_el0\n\tmrs %3, pmevcntr0_el0"
				 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)::"memory");
		equal += b <= a || d <= c;
	}
	write_sysreg(pmcr_el0, 0);
	CHECK(equal == 0, "%u of %u are not", equal, turns);
}

/*
 * Stores.
 */

static void stores(void)
{
	static const unsigned int events[] = {EVENT_L1D_CACHE,	  EVENT_L1D_CACHE_REFILL,
					      EVENT_L1D_CACHE_WB, EVENT_STALL_BACKEND,
					      EVENT_L2D_CACHE,	  EVENT_STALL_BACKEND_ST};
	const uint64_t lines = NODES * PAGE_SIZE / 64;
	struct seen seen;
	uint64_t counts[6], loads[6];

	node = count(events, 6, loads, 0, user_address(load_run), 1000, node);
	/* Each line is written before it is evicted, and evicted before it is written again. */
	(void)count(events, 6, counts, 0, user_address(store_run), lines, area);
	set_buffer(PMSIRR_INTERVAL(2), 0, buffer, PMSFCR_FT | PMSFCR_ST);
	(void)count(events, 6, counts, PMSCR_E1SPE, user_address(store_run), lines, area);
	spe_disable();
	collect((uintptr_t)store_here, &seen);
	link_nodes();
	tap_note("%lu stores: L1D_CACHE_REFILL %lu, L1D_CACHE_WB %lu, STALL_BACKEND %lu, _ST %lu",
		 lines, counts[1], counts[2], counts[3], counts[5]);
	tap_note("of %lu records %lu refills, %lu cycles until issue", seen.records, seen.refills,
		 seen.waits);
	CHECK(counts[1] >= lines && counts[1] < lines + 100, "L1D_CACHE_REFILL %lu", counts[1]);
	CHECK(counts[2] + 100 > lines && counts[2] < lines + 100, "L1D_CACHE_WB %lu", counts[2]);
	CHECK(counts[4] >= counts[1] + counts[2], "L2D_CACHE %lu", counts[4]);
	CHECK(seen.records > 50 && seen.refills == seen.records, "%lu refills in %lu records",
	      seen.refills, seen.records);
	/* The buffer of stores is nearly always full, and is all that the PE waits for. */
	CHECK(counts[5] > lines && counts[5] <= counts[3], "STALL_BACKEND_ST %lu", counts[5]);
	CHECK(seen.waits > 2 * seen.records, "stores wait %lu cycles in %lu records", seen.waits,
	      seen.records);
	CHECK(loads[5] < 100, "STALL_BACKEND_ST %lu, of loads", loads[5]);
}

/*
 * Instructions.
 */

static void code(void)
{
	static const unsigned int events[] = {EVENT_L1I_CACHE,	    EVENT_L1I_CACHE_REFILL,
					      EVENT_L1I_TLB_REFILL, EVENT_ITLB_WALK,
					      EVENT_STALL_FRONTEND, EVENT_CPU_CYCLES};
	const uint64_t lines = CODE_NOPS * 4 / 64, pages = CODE_NOPS * 4 / PAGE_SIZE;
	const uintptr_t function = user_address(code_run);
	uint64_t cold[6], warm[6], more[6];

	__asm__ volatile("tlbi vmalle1" ::: "memory");
	dsb();
	isb();
	(void)count(events, 6, cold, 0, function, 1, 0);
	(void)count(events, 6, warm, 0, function, 1, 0);
	(void)count(events, 6, more, 0, function, 3, 0);
	tap_note(
		"L1I_CACHE %lu, _REFILL %lu; L1I_TLB_REFILL %lu, ITLB_WALK %lu; STALL_FRONTEND %lu",
		warm[0], warm[1], cold[2], cold[3], warm[4]);
	CHECK(cold[2] >= pages && cold[2] < pages + 10, "L1I_TLB_REFILL %lu", cold[2]);
	CHECK(cold[3] >= pages && cold[3] <= cold[2], "ITLB_WALK %lu", cold[3]);
	CHECK(warm[2] < pages && warm[3] == 0, "L1I_TLB_REFILL %lu, ITLB_WALK %lu, again", warm[2],
	      warm[3]);
	CHECK(more[0] - warm[0] >= 2 * lines, "L1I_CACHE %lu", more[0] - warm[0]);
	CHECK(more[1] - warm[1] >= 2 * lines && more[1] - warm[1] <= 2 * lines + 10,
	      "L1I_CACHE_REFILL %lu", more[1] - warm[1]);
	CHECK(warm[4] > lines && warm[4] < warm[5], "STALL_FRONTEND %lu of %lu", warm[4], warm[5]);
	(void)count(events, 6, cold, 0, user_address(load_run), 5000, node);
	CHECK(cold[1] < 10 && cold[4] < 1000, "a loop: L1I_CACHE_REFILL %lu, STALL_FRONTEND %lu",
	      cold[1], cold[4]);
}

/*
 * Branches.
 */

static void branches(void)
{
	static const unsigned int events[] = {EVENT_BR_RETIRED,	      EVENT_BR_PRED,
					      EVENT_BR_MIS_PRED,      EVENT_BR_MIS_PRED_RETIRED,
					      EVENT_PC_WRITE_RETIRED, EVENT_CPU_CYCLES};
	uint64_t guess[6], known[6];

	(void)count(events, 6, guess, 0, user_address(guess_run), 20000,
		    UINT64_C(0x9e3779b97f4a7c15));
	(void)count(events, 6, known, 0, user_address(load_run), 20000, (uint64_t)&node);
	tap_note("BR_RETIRED %lu, BR_PRED %lu, BR_MIS_PRED %lu; of a loop %lu, %lu, %lu", guess[0],
		 guess[1], guess[2], known[0], known[1], known[2]);
	CHECK(guess[1] == guess[0] && known[1] == known[0], "BR_PRED");
	CHECK(guess[2] == guess[3] && known[2] == known[3], "BR_MIS_PRED_RETIRED");
	/* The PE mispredicts half of one branch in two. */
	CHECK(guess[2] * 5 > guess[0] && guess[2] * 10 < 4 * guess[0], "BR_MIS_PRED %lu of %lu",
	      guess[2], guess[0]);
	CHECK(known[2] < 20, "BR_MIS_PRED %lu of a loop", known[2]);
}

/*
 * The clock.
 */

/*
 * The cycle counter is monotonic and agrees with CPU_CYCLES, whoever reads it. On a PE that
 * executes in order, a read waits for the load before it.
 */
#define LOADS 2000

static void clock(void)
{
	uint64_t before = 0, back = 0, apart = 0, waits = 0;

	pmu_clear(0);
	pmu_count(0, EVENT_CPU_CYCLES, 0);
	write_sysreg(pmcntenset_el0, PMU_CYCLE_BIT | 1);
	write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
	isb();
	for (unsigned int i = 0; i < LOADS; i++) {
		uint64_t a, between, b, c;

		__asm__ volatile("mrs %0, pmccntr_el0\n\tldr %1, [%1]\n\tmrs %2, pmccntr_el0"
				 : "=&r"(a), "+r"(node), "=&r"(between)::"memory");
		b = read_sysreg(pmevcntr0_el0);
		c = read_sysreg(pmccntr_el0);
		back += a <= before || between <= a || b < between || c < b;
		apart += i && c - b > 4; /* the first time, they come to the cache */
		waits += between - a;
		before = c;
	}
	write_sysreg(pmcr_el0, 0);
	tap_note("%lu cycles around a load", waits / LOADS);
	CHECK(back == 0 && apart == 0, "%lu times back, %lu times too far apart", back, apart);
	CHECK(waits > 10 * LOADS, "%lu cycles around %u loads that miss", waits, LOADS);
}

/*
 * Filters and overflow.
 */

/* Events of an operation count at the level where it began, even if it ends in an exception. */
static void filters(void)
{
	static const unsigned int events[] = {EVENT_CPU_CYCLES, EVENT_DTLB_WALK};
	uint64_t counts[6];

	for (unsigned int i = 0; i < 2; i++) {
		const uint64_t va = i ? 0x40 : user_page;

		pmu_clear(0);
		for (unsigned int n = 0; n < 2; n++) {
			pmu_count(3 * n, events[n] | PMU_FILTER_P, 0);
			pmu_count(3 * n + 1, events[n] | PMU_FILTER_U, 0);
			pmu_count(3 * n + 2, events[n], 0);
		}
		(void)*(volatile uint64_t *)user_page; /* its page is in the TLB */
		write_sysreg(pmcr_el0, PMCR_E);
		isb();
		expect_begin();
		(void)user_call(user_address(user_load), va, 0, 0);
		CHECK(expect_end().count == i, "the load at 0x%lx", va);
		write_sysreg(pmcr_el0, 0);
		for (unsigned int n = 0; n < 6; n++)
			counts[n] = pmu_read_counter(n);
		tap_note("cycles %lu at EL0, %lu at EL1; walks %lu and %lu", counts[0], counts[1],
			 counts[3], counts[4]);
		CHECK(counts[0] > 0 && counts[0] + counts[1] == counts[2],
		      "cycles %lu and %lu, together %lu", counts[0], counts[1], counts[2]);
		CHECK(counts[3] == i && counts[3] + counts[4] == counts[5],
		      "walks %lu and %lu, together %lu", counts[3], counts[4], counts[5]);
	}
}

static void interrupt_run(unsigned int event, uint64_t left, uintptr_t function, uint64_t turns,
			  uint64_t argument)
{
	pmu_clear(0);
	pmu_count(4, event, (UINT64_C(1) << 32) - left);
	write_sysreg(pmintenset_el1, 0x10);
	pmu_overflow.count = 0;
	irq_enable();
	(void)watched_run(0, PMCR_E, function, turns, argument);
	irq_disable();
	CHECK(pmu_overflow.count == 1 && pmu_overflow.overflows == 0x10,
	      "%u interrupts, PMOVSSET_EL0 0x%lx", pmu_overflow.count, pmu_overflow.overflows);
}

/* The interrupt comes after the operation that caused the event. */
static void interrupts(void)
{
	gic_enable(pmu_intid(), pmu_overflow_irq);
	for (uint64_t left = 5; left < 45; left += 13) {
		link_nodes();
		interrupt_run(EVENT_L1D_CACHE_REFILL, left, user_address(load_run), 100, area);
		CHECK(pmu_overflow.elr == (uintptr_t)load_here + 4, "at 0x%lx, not 0x%lx",
		      pmu_overflow.elr, (uintptr_t)load_here + 4);
		interrupt_run(EVENT_L1D_CACHE_WB, left, user_address(store_run), 4000, area);
		CHECK(pmu_overflow.elr == (uintptr_t)store_here + 4, "at 0x%lx, not 0x%lx",
		      pmu_overflow.elr, (uintptr_t)store_here + 4);
	}
	link_nodes();
	gic_enable(pmu_intid(), NULL);
	pmu_clear(0);
}

static void asids(void)
{
	share_tlbs(user_page);
}

static const char *needs_model(void)
{
	const char *why = needs_pmu_exact();

	if (!why && (!pmu_has_event(EVENT_L1D_CACHE) || !pmu_has_event(EVENT_L1D_CACHE_REFILL) ||
		     !pmu_has_event(EVENT_BR_MIS_PRED) || !pmu_has_event(EVENT_STALL_BACKEND)))
		why = "it counts no events of caches and stalls";
	return why;
}

static const char *needs_interrupt(void)
{
	const char *why = needs_model();

	return why ? why : needs_pmu_irq();
}

static const char *needs_both(void)
{
	const char *why = needs_model();

	if (!why)
		why = needs_exact();
	return !why && !pmu_has_event(EVENT_SAMPLE_POP) ? "no SAMPLE_POP" : why;
}

/* The population counts what retires. */
static const char *needs_retired(void)
{
	return needs_too(needs_both(), bootarg("misspec", 0) == 0,
			 "misspeculated operations are members of the population");
}

static const char *needs_loads(void)
{
	const char *why = needs_model();

	return !why && !pmu_has_event(EVENT_LD_RETIRED) ? "it does not count LD_RETIRED" : why;
}

static const struct test tests[] = {
	{"of every operation records say what is counted", every_operation, needs_retired},
	{"SPE's events are the population and the records", sample_events, needs_retired},
	{"loads that miss: counts, shares of records, time", shares, needs_both},
	{"loads that hit", hits, needs_model},
	{"loads that wait for another", dependent_loads, needs_loads},
	{"stores: write-backs, and a buffer that is full", stores, needs_both},
	{"TLBs: ASIDs, and what maintenance takes", asids, needs_model},
	{"instructions: cache, TLB, frontend", code, needs_model},
	{"branches", branches, needs_model},
	{"the clock", clock, needs_model},
	{"reads of the cycle counter, one behind the other", reads_in_a_row, needs_model},
	{"filters by Exception level", filters, needs_model},
	{"interrupts behind what misses", interrupts, needs_interrupt},
};

void guest_main(void)
{
	if (spe_probe(&spe_caps) == NULL)
		buffer = (uintptr_t)data_alloc(BUFFER_BYTES / PAGE_SIZE);
	area = (uintptr_t)data_alloc(NODES * STRIDE / PAGE_SIZE + 1);
	user_page = (uintptr_t)user_data_alloc(1);
	link_nodes();
	tap_run("pmu-model", tests, sizeof(tests) / sizeof(tests[0]));
}
