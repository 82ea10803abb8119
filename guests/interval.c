/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interval: the sample interval counters as software sees them (Arm ARM D17.3, PMSICR_EL1,
 * PMSIRR_EL1).
 *
 * Every profiled operation is in a sled of NOPs, so the PC of a record gives its position in the
 * population, counted from 1. Most tests run at EL0, where only the sled and the SVC after it are
 * profiled.
 */
#include "arch.h"
#include "boot.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "tap.h"

#define MIXED_LAPS  3000
#define MAX_SAMPLES 1400 /* of one test; the buffer has room for them */

static uint64_t buffer, limit, collected; /* the buffer, and how far it has been read */
static uint64_t positions[MAX_SAMPLES];
static unsigned int samples;

/* What the next profile_*() starts with. */
struct start {
	uint64_t interval; /* of PMSIRR_EL1 */
	bool random;
	uint64_t pmsicr;
};

static void program_interval(const struct start *start)
{
	struct spe_setup setup = {
		.pointer = buffer,
		.limit = limit,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(start->interval) | (start->random ? PMSIRR_RND : 0),
		.pmsicr = start->pmsicr,
	};

	collected = buffer;
	spe_program(&setup);
}

/*
 * New records' PCs become positions: code has its first operation at position first, and lap
 * operations. At EL1 the returns from windows of the buffer are members, too.
 */
static void collect_records(uintptr_t code, uint64_t lap, uint64_t first, bool el1)
{
	const uint8_t *at = (const uint8_t *)collected;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	unsigned int windows = spe_windows_before(collected);
	uint64_t previous = 0, position = 0;

	samples = 0;
	while (at < end && samples < MAX_SAMPLES) {
		struct record r;
		uint64_t index;
		long size = record_parse(at, (size_t)(end - at), &r);

		if (!CHECK(size >= 0, "the buffer does not parse") || size == 0)
			break;
		at += size;
		index = (r.pc - code) / 4;
		/* The RET after the last lap is a member as well. */
		if (!CHECK(r.pc >= code && index <= lap, "PC 0x%lx is not in the sled", r.pc))
			break;
		if (samples == 0)
			position = first + index;
		else
			position += index > previous ? index - previous : index + lap - previous;
		for (; el1 && windows < spe_windows_before((uintptr_t)at - 1); windows++)
			position++;
		previous = index;
		positions[samples++] = position;
	}
	collected = (uintptr_t)at;
	CHECK(!(read_sysreg(PMBSR_EL1) & (PMBSR_S | PMBSR_COLL)), "PMBSR_EL1 is 0x%lx",
	      read_sysreg(PMBSR_EL1));
}

/* Run n members at EL0, the SVC among them, n from 2 to SLED_NOPS + 2. Returns PMSICR_EL1. */
static uint64_t run_el0(uint64_t n)
{
	uintptr_t code = nops(user_address(user_nops_end), n - SPE_RUN_EL0_EXTRA);

	irq_enable();
	spe_run_el0(PMSCR_E0SPE, code, 0, 0);
	irq_disable();
	collect_records(code, n - SPE_RUN_EL0_EXTRA, 1, false);
	return read_sysreg(PMSICR_EL1);
}

static void slide_el0(uint64_t laps)
{
	irq_enable();
	spe_run_el0(PMSCR_E0SPE, user_address(user_sled), laps, 0);
	irq_disable();
	collect_records(user_address(user_sled), SLED_LAP, 1, false);
}

/* The ISB and the BLR come before. */
static void slide_el1(uint64_t laps)
{
	irq_enable();
	spe_run_el1(PMSCR_E1SPE, user_address(kernel_sled), laps, 0);
	irq_disable();
	collect_records(user_address(kernel_sled), SLED_LAP, SPE_RUN_EL1_EXTRA, true);
}

static void reload_register(void)
{
	spe_disable();
	write_sysreg(PMSIRR_EL1, ~UINT64_C(0));
	CHECK(read_sysreg(PMSIRR_EL1) == 0xffffff01, "all ones read 0x%lx",
	      read_sysreg(PMSIRR_EL1));
	write_sysreg(PMSIRR_EL1, PMSIRR_INTERVAL(0x123456));
	CHECK(read_sysreg(PMSIRR_EL1) == 0x12345600, "0x12345600 reads 0x%lx",
	      read_sysreg(PMSIRR_EL1));
	write_sysreg(PMSIRR_EL1, 0);
	CHECK(read_sysreg(PMSIRR_EL1) == 0, "0 reads 0x%lx", read_sysreg(PMSIRR_EL1));
}

static void counter_register(void)
{
	uint64_t mask = PMSICR_COUNT | (spe_caps.ernd ? PMSICR_ECOUNT : 0);

	spe_disable();
	write_sysreg(PMSICR_EL1, ~UINT64_C(0));
	CHECK(read_sysreg(PMSICR_EL1) == mask, "all ones read 0x%lx, not 0x%lx",
	      read_sysreg(PMSICR_EL1), mask);
	write_sysreg(PMSICR_EL1, UINT64_C(0xa500000089abcdef));
	CHECK(read_sysreg(PMSICR_EL1) == (UINT64_C(0xa500000089abcdef) & mask), "reads 0x%lx",
	      read_sysreg(PMSICR_EL1));
	/* No write to PMSIRR_EL1 reloads it. */
	write_sysreg(PMSIRR_EL1, PMSIRR_INTERVAL(7));
	isb();
	CHECK(read_sysreg(PMSICR_EL1) == (UINT64_C(0xa500000089abcdef) & mask),
	      "a write to PMSIRR_EL1 makes it 0x%lx", read_sysreg(PMSICR_EL1));
	write_sysreg(PMSICR_EL1, 0);
	CHECK(read_sysreg(PMSICR_EL1) == 0, "0 reads 0x%lx", read_sysreg(PMSICR_EL1));
}

/*
 * RULE("D17.3.3/load")
 * D17.3.3. COUNT is 256 x INTERVAL at the first member or after it. The text allows both: it only
 * says that the whole interval has one operation more than COUNT.
 */
static void loaded_from_zero(void)
{
	static const uint64_t members[] = {40, 41, 300};
	const struct start start = {.interval = 5};
	uint64_t offset = 0;

	for (unsigned int i = 0; i < 3; i++) {
		uint64_t pmsicr;

		program_interval(&start);
		pmsicr = run_el0(members[i]);
		if (i == 0)
			offset = pmsicr + members[i] - 5 * 256;
		CHECK(offset <= 1, "PMSICR_EL1 is 0x%lx after %lu members", pmsicr, members[i]);
		CHECK(pmsicr + members[i] - 5 * 256 == offset,
		      "PMSICR_EL1 is 0x%lx after %lu members", pmsicr, members[i]);
	}
}

/* RULE("D17.3.3/load") With RND=1: COUNT[7:0] is random without FEAT_SPE_ERnd, and zero with it. */
static void loaded_from_zero_random(void)
{
	const struct start start = {.interval = 5, .random = true};
	uint64_t seen = 0, least = 5 * 256 - 40, most = least + 1 + (spe_caps.ernd ? 0 : 255);
	uint64_t first = 0;

	for (unsigned int i = 0; i < 16; i++) {
		uint64_t pmsicr;

		program_interval(&start);
		pmsicr = run_el0(40);
		CHECK(pmsicr >= least && pmsicr <= most, "PMSICR_EL1 is 0x%lx", pmsicr);
		if (i == 0)
			first = pmsicr;
		seen += pmsicr != first;
	}
	CHECK(spe_caps.ernd ? seen == 0 : seen > 0, "%lu of 15 loads differ from the first", seen);
}

/* RULE("D17.3.3/resume") */
static void resumes_from_nonzero(void)
{
	const struct start start = {.interval = 5, .pmsicr = 1000};
	uint64_t pmsicr;

	program_interval(&start);
	pmsicr = run_el0(100);
	CHECK(pmsicr == 900, "1000 less 100 members is 0x%lx", pmsicr);
	pmsicr = run_el0(899);
	CHECK(pmsicr == 1, "900 less 899 members is 0x%lx", pmsicr);
	CHECK(samples == 0, "%u samples before COUNT reached zero", samples);
	/* The next member is the selected one. */
	run_el0(100);
	CHECK(samples == 1 && positions[0] == 1, "%u samples, the first at %lu", samples,
	      positions[0]);
}

/* Code runs where profiling is not enabled, for one of the possible reasons. */
static void check_retained(const char *what, uint64_t pmscr, bool el0, uint64_t limit_clear,
			   uint64_t pmbsr)
{
	const struct start starts[] = {{.interval = 5, .pmsicr = 777}, {.interval = 5}};

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t pmsicr, enabled;

		program_interval(&starts[i]);
		enabled = read_sysreg(PMBLIMITR_EL1);
		write_sysreg(PMBLIMITR_EL1, 0);
		isb();
		write_sysreg(PMBSR_EL1, pmbsr);
		write_sysreg(PMBLIMITR_EL1, enabled & ~limit_clear);
		isb();
		if (el0)
			spe_run_el0(pmscr, nops(user_address(user_nops_end), 1500), 0, 0);
		else
			spe_run_el1(pmscr, nops(user_address(kernel_nops_end), 1500), 0, 0);
		pmsicr = read_sysreg(PMSICR_EL1);
		CHECK(pmsicr == starts[i].pmsicr, "%s: PMSICR_EL1 0x%lx became 0x%lx", what,
		      starts[i].pmsicr, pmsicr);
		CHECK(read_sysreg(PMBPTR_EL1) == buffer, "%s: a record was written", what);
	}
	spe_disable();
	write_sysreg(PMBSR_EL1, 0);
}

/* RULE("D17.3.5/disabled") */
static void retained_while_disabled(void)
{
	uint64_t both = PMSCR_E0SPE | PMSCR_E1SPE;

	check_retained("PMSCR_EL1 = 0, EL1", 0, false, 0, 0);
	check_retained("PMSCR_EL1 = 0, EL0", 0, true, 0, 0);
	check_retained("E0SPE alone, EL1", PMSCR_E0SPE, false, 0, 0);
	check_retained("PMBLIMITR_EL1.E = 0, EL1", both, false, PMBLIMITR_E, 0);
	check_retained("PMBLIMITR_EL1.E = 0, EL0", both, true, PMBLIMITR_E, 0);
	check_retained("PMBSR_EL1.S = 1, EL1", both, false, 0, PMBSR_S);
	check_retained("PMBSR_EL1.S = 1, EL0", both, true, 0, PMBSR_S);
}

/* E1SPE alone: the way to EL0 and back counts; code at EL0 does not. */
static void el0_not_counted(void)
{
	static const uint64_t lengths[] = {10, 1500};
	const struct start start = {.interval = 50, .pmsicr = 10000};
	uint64_t pmsicr[2];

	for (unsigned int i = 0; i < 2; i++) {
		program_interval(&start);
		spe_run_el0(PMSCR_E1SPE, nops(user_address(user_nops_end), lengths[i]), 0, 0);
		pmsicr[i] = read_sysreg(PMSICR_EL1);
	}
	CHECK(pmsicr[0] == pmsicr[1], "10 operations leave 0x%lx, 1500 leave 0x%lx", pmsicr[0],
	      pmsicr[1]);
	CHECK(pmsicr[0] < 10000, "the operations at EL1 were not counted");
}

static void check_spacing(uint64_t interval, const char *el)
{
	uint64_t spacing = spe_spacing(interval);

	CHECK(samples >= 20, "%s, INTERVAL %lu: %u samples", el, interval, samples);
	CHECK(positions[0] == spacing || positions[0] == spacing - 1,
	      "%s, INTERVAL %lu: the first sample is operation %lu", el, interval, positions[0]);
	for (unsigned int i = 1; i < samples; i++)
		CHECK(positions[i] - positions[i - 1] == spacing,
		      "%s, INTERVAL %lu: sample %u is %lu operations after the last", el, interval,
		      i, positions[i] - positions[i - 1]);
}

/* RULE("D17.3.1/choice"), RULE("D17.3.4.1/fixed") */
static void exact_spacing(void)
{
	static const uint64_t intervals[] = {1, 2, 4, 7};

	for (unsigned int i = 0; i < 4; i++) {
		const struct start start = {.interval = intervals[i]};

		program_interval(&start);
		slide_el0(20);
		check_spacing(intervals[i], "EL0");
		program_interval(&start);
		slide_el1(20);
		check_spacing(intervals[i], "EL1");
	}
}

/* Many short stretches are one long one. */
static void stretches_add_up(void)
{
	const struct start start = {.interval = 2};
	uint64_t spacing = spe_spacing(2), total = 0, expected = 0, found = 0;

	program_interval(&start);
	for (unsigned int i = 0; i < 60; i++) {
		uint64_t n = 3 + i * 7 % 100;

		run_el0(n);
		if (samples && found == 0)
			expected = total + positions[0]; /* spacing, or one less */
		CHECK(found > 0 || samples == 0 || expected == spacing || expected == spacing - 1,
		      "the first sample is operation %lu", expected);
		for (unsigned int s = 0; s < samples; s++, expected += spacing, found++)
			CHECK(total + positions[s] == expected,
			      "sample %lu is operation %lu, not %lu", found, total + positions[s],
			      expected);
		total += n;
	}
	CHECK(found == total / spacing, "%lu samples of %lu operations", found, total);
}

static void zero_restarts(void)
{
	const struct start start = {.interval = 2};
	uint64_t spacing = spe_spacing(2), saved;

	program_interval(&start);
	saved = run_el0(100);
	/* Saved and restored: 100 are gone already. */
	write_sysreg(PMSICR_EL1, 5);
	write_sysreg(PMSICR_EL1, saved);
	isb();
	run_el0(600);
	CHECK(samples == 1 && (positions[0] == spacing - 100 || positions[0] == spacing - 101),
	      "restored: %u samples, the first at %lu", samples, positions[0]);
	program_interval(&start);
	run_el0(100);
	write_sysreg(PMSICR_EL1, 0);
	isb();
	run_el0(600);
	CHECK(samples == 1 && (positions[0] == spacing || positions[0] == spacing - 1),
	      "zeroed: %u samples, the first at %lu", samples, positions[0]);
}

/* What the instructions of mixed() access: offset from data, bytes a register. */
static const struct {
	bool memory, store;
	uint8_t offset, size;
} mixed[] = {
	{true, false, 16, 8}, /* ldp */
	{false},
	{true, true, 32, 8},  /* stp */
	{true, false, 0, 8},  /* ldr, post-indexed */
	{true, true, 0, 8},   /* str, pre-indexed */
	{true, false, 64, 4}, /* ldp, pre-indexed */
	{true, true, 64, 8},  /* stp, post-indexed */
	{true, false, 8, 4},  /* ldpsw */
	{true, false, 5, 1},  /* ldrb */
	{true, true, 0, 2},   /* strh, post-indexed */
	{true, false, 8, 4},  /* ldursw */
	{true, false, 14, 8}, /* ldnp */
	{false},	      /* sub, subs, b.ne */
	{false},
	{false},
};

#define MIXED_COUNT (sizeof(mixed) / sizeof(mixed[0]))

/* Is r what operation n of instruction i of mixed() shows? */
static void check_mixed(const struct record *r, uintptr_t code, uint64_t data, unsigned int i,
			unsigned int n)
{
	uint32_t word = ((const volatile uint32_t *)code)[i];
	bool update = spe_is_address_update(word, n);
	uint64_t va = data + mixed[i].offset + n * mixed[i].size;

	CHECK(r->pc == code + 4 * i, "the sample is of instruction %ld, not %u",
	      ((long)r->pc - (long)code) / 4, i);
	if (mixed[i].memory && !update) {
		CHECK(r->type_header == TYPE_MEMORY && r->type == mixed[i].store,
		      "operation %u of instruction %u has type 0x%x 0x%x", n, i, r->type_header,
		      r->type);
		CHECK(r->has & RECORD_VA && r->va == va,
		      "operation %u of instruction %u has address 0x%lx, not 0x%lx", n, i, r->va,
		      va);
	} else {
		CHECK(r->type_header != TYPE_MEMORY && !(r->has & (RECORD_VA | RECORD_PA)),
		      "operation %u of instruction %u accesses memory", n, i);
		CHECK(!update || (r->type_header == TYPE_OTHER && r->type == 0),
		      "the address update of instruction %u has type 0x%x 0x%x", i, r->type_header,
		      r->type);
	}
}

/* Operation n of a lap: the instruction, and in *part which of its operations. */
static unsigned int mixed_operation(uintptr_t code, uint64_t n, unsigned int *part)
{
	unsigned int i = 0, count;

	for (; n >= (count = spe_operations(((const volatile uint32_t *)code)[i])); i++)
		n -= count;
	*part = (unsigned int)n;
	return i;
}

/* Samples of mixed(), whose first operation is number first of the population. */
static void collect_mixed(uintptr_t code, uint64_t data, uint64_t first, uint64_t members, bool el1)
{
	const uint8_t *at = (const uint8_t *)buffer;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	uint64_t lap = 0, number = spe_spacing(1), count = 0, seen = 0;
	struct record r;
	long size;

	for (unsigned int i = 0; i < MIXED_COUNT; i++)
		lap += spe_operations(((const volatile uint32_t *)code)[i]);
	while (at < end && (size = record_parse(at, (size_t)(end - at), &r)) > 0) {
		uint64_t returns = el1 ? spe_windows_before((uintptr_t)at + (uint64_t)size - 1) : 0;
		unsigned int part;
		unsigned int i = mixed_operation(code, (number - returns - first) % lap, &part);

		/* The first interval may be shorter by one: see loaded_from_zero(). */
		if (count == 0 && r.pc != code + 4 * i)
			i = mixed_operation(code, (--number - returns - first) % lap, &part);
		check_mixed(&r, code, data, i, part);
		seen |= UINT64_C(1) << ((number - returns - first) % lap);
		number += spe_spacing(1);
		count++;
		at += size;
	}
	members += MIXED_LAPS * lap + (el1 ? spe_windows_before((uintptr_t)end) : 0);
	tap_note("%lu operations a lap, %lu samples", lap, count);
	CHECK(count == members / spe_spacing(1), "%lu samples, not %lu", count,
	      members / spe_spacing(1));
	/*
	 * If most samples fill a window, the returns from windows make steps that miss some
	 * operations.
	 */
	CHECK(seen == (UINT64_C(1) << lap) - 1 || (el1 && spe_windows_before((uintptr_t)end) > lap),
	      "operations sampled are 0x%lx of %lu", seen, lap);
}

/*
 * RULE("D17.2/operations")
 * An instruction that loads or stores two registers, or updates its address, is one operation with
 * FEAT_SPE_ArchInst and several micro-ops without. Each operation counts and gets a record.
 */
static void every_operation(void)
{
	const struct start start = {.interval = 1};
	uint64_t data = (uintptr_t)user_data_alloc(1);

	/* The 1 is its RET. */
	program_interval(&start);
	irq_enable();
	spe_run_el0(PMSCR_E0SPE, user_address(user_mixed), MIXED_LAPS, data);
	irq_disable();
	collect_mixed(user_address(user_mixed), data, 1, 1 + SPE_RUN_EL0_EXTRA, false);
	program_interval(&start);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE, user_address(kernel_mixed), MIXED_LAPS, data);
	irq_disable();
	collect_mixed(user_address(kernel_mixed), data, SPE_RUN_EL1_EXTRA, 1 + SPE_RUN_EL1_EXTRA,
		      true);
}

/*
 * Where the random number is added (D17.3.1, D17.3.2): to each selection's place in a fixed grid,
 * if the counter is reloaded before the random tail; otherwise to each interval.
 */
enum random_model { ADDED_TO_PLACE, ADDED_TO_INTERVAL };

/* The random part of sample i. least: the first interval without it. */
static uint64_t random_part(unsigned int i, enum random_model model, uint64_t least)
{
	uint64_t spacing = spe_spacing(1);

	if (model == ADDED_TO_PLACE)
		return positions[i] - least - i * spacing;
	if (i == 0)
		return positions[0] - least;
	/* Without ERnd the tail is a part of COUNT; the text leaves open whether the 1 is, too. */
	return positions[i] - positions[i - 1] - (spe_caps.ernd ? spacing : least);
}

static bool random_fits(enum random_model model, uint64_t least)
{
	for (unsigned int i = 0; i < samples; i++)
		if (random_part(i, model, least) > 255)
			return false;
	return true;
}

static void random_spread(void)
{
	const struct start start = {.interval = 1, .random = true};
	enum random_model model = spe_caps.ernd ? ADDED_TO_PLACE : ADDED_TO_INTERVAL;
	uint8_t seen[256] = {0};
	uint64_t sum = 0, least = 257, mean;
	unsigned int distinct = 0;

	program_interval(&start);
	slide_el0(140);
	if (!CHECK(samples > 700, "%u samples", samples))
		return;
	if (model == ADDED_TO_PLACE && !random_fits(model, 257) && !random_fits(model, 256))
		model = ADDED_TO_INTERVAL;
	if (!random_fits(model, least))
		least = 256; /* the first interval may be shorter by one: see loaded_from_zero() */
	if (!CHECK(random_fits(model, least), "samples are not 0 to 255 from their places"))
		return;
	for (unsigned int i = 0; i < samples; i++) {
		uint64_t value = random_part(i, model, least);

		sum += value;
		distinct += !seen[value];
		seen[value] = 1;
	}
	mean = sum / samples;
	tap_note("%u samples, random part of the %s: %u different values, mean %lu", samples,
		 model == ADDED_TO_PLACE ? "place" : "interval", distinct, mean);
	/* 127.5, within six standard deviations of a mean of 700; nine in ten values of 256. */
	CHECK(mean >= 110 && mean <= 145, "mean %lu", mean);
	CHECK(distinct >= 200, "%u different values", distinct);
}

static const char *needs_ernd(void)
{
	const char *why = needs_exact();

	return needs_too(why, spe_caps.ernd, "no FEAT_SPE_ERnd: PMSIDR_EL1.ERnd is 0");
}

/*
 * RULE("D17.3.4.3/tail")
 * A tail of 20: the twentieth member is the sample, and COUNT counts meanwhile.
 */
static void tail_selects(void)
{
	const struct start start = {
		.interval = 4, .random = true, .pmsicr = UINT64_C(20) << 56 | 1000};
	uint64_t pmsicr;

	program_interval(&start);
	pmsicr = run_el0(12);
	CHECK(pmsicr == (UINT64_C(8) << 56 | 988) && samples == 0,
	      "PMSICR_EL1 is 0x%lx after 12, %u samples", pmsicr, samples);
	pmsicr = run_el0(100);
	CHECK(samples == 1 && positions[0] == 8, "%u samples, the first at 12 + %lu", samples,
	      positions[0]);
	CHECK(pmsicr == 888, "PMSICR_EL1 is 0x%lx after 112", pmsicr);
}

/* COUNT reaches zero at member 10, so three members of the tail are gone at member 13. */
static void tail_is_random(void)
{
	const struct start start = {.interval = 4, .random = true, .pmsicr = 10};
	uint8_t seen[256] = {0};
	unsigned int distinct = 0;

	for (unsigned int i = 0; i < 64; i++) {
		uint64_t pmsicr, ecount, count;

		program_interval(&start);
		pmsicr = run_el0(13);
		ecount = pmsicr >> 56;
		count = pmsicr & PMSICR_COUNT;
		CHECK(ecount <= 252, "ECOUNT is %lu", ecount);
		/* Reloaded at once, or waiting for the tail's end: both are allowed (D17.3.1). */
		CHECK((count >= 1021 && count <= 1024) || count == 0,
		      "COUNT is %lu with ECOUNT %lu", count, ecount);
		distinct += !seen[ecount];
		seen[ecount] = 1;
		if (ecount < 60)
			continue;
		pmsicr = run_el0(50);
		CHECK(pmsicr >> 56 == ecount - 50 && samples == 0,
		      "ECOUNT %lu less 50 is %lu, %u samples", ecount, pmsicr >> 56, samples);
	}
	CHECK(distinct >= 16, "%u different values of ECOUNT in 64", distinct);
}

static const struct test tests[] = {
	{"PMSIRR_EL1 holds INTERVAL and RND", reload_register, needs_spe},
	{"PMSICR_EL1 holds COUNT and ECOUNT", counter_register, needs_spe},
	{"loaded from PMSIRR_EL1 when zero", loaded_from_zero, needs_exact},
	{"loaded from PMSIRR_EL1 when zero, random", loaded_from_zero_random, needs_exact},
	{"resumes when not zero", resumes_from_nonzero, needs_exact},
	{"retained while profiling is disabled", retained_while_disabled, needs_spe},
	{"EL0 is not counted with E1SPE alone", el0_not_counted, needs_exact},
	{"exactly INTERVAL x 256 + 1 apart", exact_spacing, needs_exact},
	{"every operation of an instruction counts", every_operation, needs_exact},
	{"short stretches add up", stretches_add_up, needs_exact},
	{"saved, restored, restarted by zero", zero_restarts, needs_exact},
	{"random: range, mean and spread", random_spread, needs_exact_random},
	{"ERnd: ECOUNT selects at its end", tail_selects, needs_ernd},
	{"ERnd: ECOUNT is random", tail_is_random, needs_ernd},
};

void guest_main(void)
{
	if (!needs_spe()) {
		size_t pages = MAX_SAMPLES * spe_caps.max_record / PAGE_SIZE + 1;

		buffer = (uintptr_t)data_alloc(pages);
		limit = buffer + pages * PAGE_SIZE;
	}
	tap_run("interval", tests, sizeof(tests) / sizeof(tests[0]));
}
