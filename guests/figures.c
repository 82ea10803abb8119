/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures: the cost of loops whose cycles are published for many cores: dependent loads from each
 * level, sequential reads from each level, loads of what was just stored, gathers from several
 * lines, loads that miss the level 1 TLB, and mispredicted branches. "log: figure" has cycles by
 * PMCCNTR_EL0, in hundredths; the tests only say that more distance costs more.
 *
 * Boot arguments: memory=BYTES: as much as no cache holds, a multiple of 2 MiB.
 */
#include "arch.h"
#include "boot.h"
#include "chase.h"
#include "nodes.h"
#include "platform.h"
#include "pmu_regs.h"
#include "tap.h"

#define LINE	64
#define KIB	UINT64_C(1024)
#define PAGES	512 /* more than a level 1 TLB has, and fewer than one of level 2 */
#define GUESSES 20000

#define CPACR_OPEN UINT64_C(0x330000) /* SVE and FP */

/* figures_code.S: words of a vector; 8 turns gathers from base, at first by the offsets at first */
unsigned int gather_words(void);
void gather_run(uint64_t turns, uint64_t base, uint64_t first);

static uint64_t area, memory;

static uint64_t cycles(void)
{
	isb();
	return read_sysreg(PMCCNTR_EL0);
}

/* Of the second of two runs of loads steps from node to node: hundredths of cycles for each. */
static uint64_t chase(uint64_t first, uint64_t steps)
{
	uint64_t at = first, begin = 0;

	for (unsigned int run = 0; run < 2; run++) {
		begin = cycles();
		for (uint64_t n = 0; n < steps / 8; n++)
			__asm__ volatile("ldr %0, [%0]\n\tldr %0, [%0]\n\tldr %0, [%0]\n\t"
					 "ldr %0, [%0]\n\tldr %0, [%0]\n\tldr %0, [%0]\n\t"
					 "ldr %0, [%0]\n\tldr %0, [%0]"
					 : "+r"(at)
					 :
					 : "memory");
	}
	return 100 * (cycles() - begin) / steps;
}

/* The same of lines that are read one after the other, by eight loads each. */
static uint64_t read_lines(uint64_t bytes)
{
	const uint64_t first = area, end = area + bytes;
	uint64_t begin = 0;

	for (unsigned int run = 0; run < 2; run++) {
		begin = cycles();
		for (uint64_t at = first; at < end; at += LINE)
			__asm__ volatile("ldr x9, [%0]\n\tldr x10, [%0, #8]\n\t"
					 "ldr x11, [%0, #16]\n\tldr x12, [%0, #24]\n\t"
					 "ldr x13, [%0, #32]\n\tldr x14, [%0, #40]\n\t"
					 "ldr x15, [%0, #48]\n\tldr x16, [%0, #56]"
					 :
					 : "r"(at)
					 : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
					   "memory");
	}
	return 100 * (cycles() - begin) / (bytes / LINE);
}

static void say(const char *what, uint64_t hundredths)
{
	tap_note("log: figure %s: %lu", what, hundredths);
}

static const char *needs_area(void)
{
	const char *why = needs_pmu_exact();

	if (why)
		return why;
	if (!area && !nodes_map(memory, &area))
		return "not enough memory";
	pmu_clear(PMCR_LC);
	write_sysreg(PMCNTENSET_EL0, PMU_CYCLE_BIT);
	write_sysreg(PMCR_EL0, PMCR_LC | PMCR_E);
	return NULL;
}

static void test_levels(void)
{
	const struct {
		const char *chase, *read;
		uint64_t bytes;
	} levels[] = {
		{"load L1D", "line L1D", 16 * KIB},
		{"load L2", "line L2", 512 * KIB},
		{"load LLC", "line LLC", 8192 * KIB},
		{"load DRAM", "line DRAM", memory},
	};
	uint64_t last = 0;

	for (unsigned int n = 0; n < sizeof(levels) / sizeof(levels[0]); n++) {
		uint64_t step, line;

		nodes_link(area, levels[n].bytes / LINE, LINE);
		step = chase(area, levels[n].bytes / LINE);
		line = read_lines(levels[n].bytes);
		say(levels[n].chase, step);
		say(levels[n].read, line);
		CHECK(step > last, "%s: %lu after %lu", levels[n].chase, step, last);
		CHECK(line <= step + 400, "%s: %lu, and a step %lu", levels[n].read, line, step);
		last = step;
	}
}

/* What is loaded is stored again: cycles for a store and a load of it. */
static void test_stored(void)
{
	const uint64_t turns = 2000, at = area;
	uint64_t value = 1, begin = 0, apart, taken;

	*(volatile uint64_t *)at = value;
	for (unsigned int run = 0; run < 2; run++) {
		begin = cycles();
		for (uint64_t n = 0; n < turns; n++)
			__asm__ volatile("str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]\n\t"
					 "str %0, [%1]\n\tldr %0, [%1]"
					 : "+r"(value)
					 : "r"(at)
					 : "memory");
	}
	taken = 100 * (cycles() - begin) / (8 * turns);
	say("load of what was stored", taken);
	CHECK(value == 1, "%lu was stored, and is 1", value);
	begin = cycles();
	for (uint64_t n = 0; n < turns; n++)
		__asm__ volatile("str %0, [%1]\n\tldr %0, [%1, #4]\n\t"
				 "str %0, [%1]\n\tldr %0, [%1, #4]\n\t"
				 "str %0, [%1]\n\tldr %0, [%1, #4]\n\t"
				 "str %0, [%1]\n\tldr %0, [%1, #4]"
				 : "+r"(value)
				 : "r"(at)
				 : "memory");
	apart = 100 * (cycles() - begin) / (4 * turns);
	say("load of half of it", apart);
	CHECK(apart > taken, "%lu cycles, and of all of it %lu", apart, taken);
}

static const char *needs_gathers(void)
{
	const char *why = needs_area();

	if (why)
		return why;
	if (!field(read_sysreg(ID_AA64PFR0_EL1), 35, 32))
		return "no SVE";
	write_sysreg(CPACR_EL1, CPACR_OPEN);
	isb();
	write_sysreg(S3_0_C1_C2_0, 15); /* ZCR_EL1: the longest vectors */
	isb();
	return NULL;
}

/*
 * Words from so many lines of L1D, whose offsets are the offsets of the next gather: they are their
 * own. Each line has as many of them as the others.
 */
static uint64_t gather(unsigned int words, unsigned int lines)
{
	uint32_t *offsets = (uint32_t *)area;
	const uint64_t turns = 1000, base = area + PAGE_SIZE;
	uint64_t begin = 0;

	for (unsigned int n = 0; n < words; n++) {
		offsets[n] = n % lines * 3 * LINE + n / lines * 4;
		*(volatile uint32_t *)(base + offsets[n]) = offsets[n];
	}
	for (unsigned int run = 0; run < 2; run++) {
		begin = cycles();
		gather_run(turns, base, area);
	}
	return 100 * (cycles() - begin) / (8 * turns);
}

static void test_gathers(void)
{
	static const char *const names[] = {"gather from 1 line", "gather from 2 lines",
					    "gather from 4 lines", "gather from 8 lines"};
	const unsigned int words = gather_words();
	uint64_t last = 0;

	for (unsigned int n = 0; n < 4 && 1u << n <= words; n++) {
		const uint64_t taken = gather(words, 1u << n);

		say(names[n], taken);
		CHECK(taken >= last, "%s: %lu after %lu", names[n], taken, last);
		last = taken;
	}
}

static void test_tlb(void)
{
	const uint64_t pages = (uintptr_t)data_alloc(PAGES + PAGES / 64 + 1);
	uint64_t near, far;

	nodes_link(area, PAGES, LINE);
	near = chase(area, PAGES);
	nodes_link(pages, PAGES, PAGE_SIZE + LINE);
	far = chase(pages, PAGES);
	say("level 1 TLB miss", far - near);
	CHECK(far > near, "a page each: %lu, and one: %lu", far, near);
}

static void test_branches(void)
{
	uint64_t begin, known, guessed;

	begin = cycles();
	guess_run(GUESSES, 0); /* always the same way */
	known = cycles() - begin;
	begin = cycles();
	guess_run(GUESSES, UINT64_C(0x9e3779b97f4a7c15));
	guessed = cycles() - begin;
	/* Half of them go wrong. */
	say("mispredicted branch", 200 * (guessed - known) / GUESSES);
	CHECK(guessed > known, "%lu cycles, and %lu if known", guessed, known);
}

static const struct test tests[] = {
	{"loads and lines from each level", test_levels, needs_area},
	{"loads of what was just stored", test_stored, needs_area},
	{"gathers from several lines", test_gathers, needs_gathers},
	{"pages that the level 1 TLB does not hold", test_tlb, needs_area},
	{"branches that nobody foretells", test_branches, needs_area},
};

void guest_main(void)
{
	memory = bootarg("memory", 64 << 20);
	tap_run("figures", tests, sizeof(tests) / sizeof(tests[0]));
}
