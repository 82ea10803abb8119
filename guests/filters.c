/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filters: which sampled operations become records (Arm ARM D17.5, PMSFCR_EL1 and what it enables),
 * and what every record has (D18.2).
 *
 * A loop of seven operations is profiled every 257, so that each of them is sampled equally often.
 * A run without a filter says what there is; one with it has to have those of them that pass, and
 * nothing else.
 */
#include "arch.h"
#include "boot.h"
#include "hotspot.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define INTERVAL     1
#define TURNS	     2570
#define MOST	     80 /* records of a run: 70 */
#define EVENT(n)     (UINT64_C(1) << (n))
#define MISPREDICTED 7
#define CONTEXT	     UINT64_C(0x1234)

/* PMSFCR_EL1 with FEAT_SPE_EFT: the bits that say which of the types count. */
#define PMSFCR_LDM (UINT64_C(1) << 49)

static uint64_t buffer, space, data;
static struct record records[MOST];

/* A filter, and the run with it: the number of records. */
static unsigned int profile(const struct spe_setup *filter, uint64_t pmscr)
{
	struct spe_setup setup = *filter;
	const uint8_t *at = (const uint8_t *)buffer, *end;
	unsigned int count = 0;
	long size;

	setup.pointer = buffer;
	setup.limit = buffer + space;
	setup.limit_flags = PMBLIMITR_E;
	setup.pmsirr = PMSIRR_INTERVAL(INTERVAL);
	spe_program(&setup);
	irq_enable();
	spe_run_el0(PMSCR_E0SPE | pmscr, user_address(user_thirty), TURNS, data);
	irq_disable();
	spe_disable();
	end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	while (at < end && count < MOST &&
	       (size = record_parse(at, (size_t)(end - at), &records[count])) > 0) {
		at += size;
		count++;
	}
	CHECK(!(read_sysreg(PMBSR_EL1) & PMBSR_S), "PMBSR_EL1 is 0x%lx", read_sysreg(PMBSR_EL1));
	return count;
}

static bool is_load(const struct record *r)
{
	return r->type_header == TYPE_MEMORY && !(r->type & 1);
}

static bool is_store(const struct record *r)
{
	return r->type_header == TYPE_MEMORY && (r->type & 1);
}

static bool is_branch(const struct record *r)
{
	return r->type_header == TYPE_BRANCH;
}

static bool is_load_or_branch(const struct record *r)
{
	return is_load(r) || is_branch(r);
}

static bool is_no_load(const struct record *r)
{
	return !is_load(r);
}

static unsigned int count_of(unsigned int count, bool (*passes)(const struct record *r))
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < count; i++)
		passed += passes(&records[i]);
	return passed;
}

/* What operations are is the program's, so that the same are sampled again. */
static void check_types(uint64_t pmsfcr, bool (*passes)(const struct record *r), const char *what)
{
	const struct spe_setup filter = {.pmsfcr = PMSFCR_FT | pmsfcr};
	const unsigned int all = profile(&(struct spe_setup){0}, 0);
	const unsigned int want = count_of(all, passes);
	const unsigned int got = profile(&filter, 0);

	CHECK(all > 60 && want > 0 && want < all, "%u records without a filter, %u of %s", all,
	      want, what);
	CHECK(got == want && count_of(got, passes) == got, "%s: %u records, %u of them are; not %u",
	      what, got, count_of(got, passes), want);
}

static void types(void)
{
	check_types(PMSFCR_LD, is_load, "loads");
	check_types(PMSFCR_ST, is_store, "stores");
	check_types(PMSFCR_B, is_branch, "branches");
	check_types(PMSFCR_LD | PMSFCR_B, is_load_or_branch, "loads and branches");
}

static void masked_types(void)
{
	check_types(PMSFCR_LDM, is_no_load, "what is no load");
	check_types(PMSFCR_LDM | PMSFCR_LD, is_load, "loads, by a mask");
}

static unsigned int count_event(unsigned int count, unsigned int event)
{
	unsigned int have = 0;

	for (unsigned int i = 0; i < count; i++)
		have += (records[i].events & EVENT(event)) != 0;
	return have;
}

/*
 * Which events there will be is the PE's affair. One of those that it filters by and that some of
 * these records have says most, for which mispredictions stand in where there is none.
 */
static unsigned int telling_event(unsigned int count, uint64_t filtered)
{
	for (unsigned int event = 2; event < 64; event++)
		if (filtered & EVENT(event) && count_event(count, event) > 0 &&
		    count_event(count, event) < count)
			return event;
	return MISPREDICTED;
}

static void events_set(void)
{
	const unsigned int all = profile(&(struct spe_setup){0}, 0);
	unsigned int event, got;

	write_sysreg(PMSEVFR_EL1, ~UINT64_C(0));
	event = telling_event(all, read_sysreg(PMSEVFR_EL1));
	got = profile(&(struct spe_setup){.pmsfcr = PMSFCR_FE, .pmsevfr = EVENT(event)}, 0);
	CHECK(got < all && count_event(got, event) == got, "%u of %u records have event %u, of %u",
	      count_event(got, event), got, event, all);
}

static void events_clear(void)
{
	const unsigned int all = profile(&(struct spe_setup){0}, 0);
	unsigned int event, got;

	write_sysreg(PMSNEVFR_EL1, ~UINT64_C(0));
	event = telling_event(all, read_sysreg(PMSNEVFR_EL1));
	got = profile(&(struct spe_setup){.pmsfcr = PMSFCR_FNE, .pmsnevfr = EVENT(event)}, 0);
	CHECK(got > 0 && count_event(got, event) == 0, "%u of %u records have event %u",
	      count_event(got, event), got, event);
}

static void latencies(void)
{
	const struct spe_setup one = {.pmsfcr = PMSFCR_FL, .pmslatfr = 1};
	const struct spe_setup most = {.pmsfcr = PMSFCR_FL, .pmslatfr = 0xfff};
	const unsigned int all = profile(&(struct spe_setup){0}, 0);
	unsigned int got, longer = 0;

	got = profile(&one, 0);
	CHECK(got == all, "%u records of 1 cycle and more, not %u", got, all);
	got = profile(&most, 0);
	for (unsigned int i = 0; i < got; i++)
		longer += records[i].latency >= 0xfff;
	CHECK(longer == got, "%u of %u records have 4095 cycles", longer, got);
}

/* Filters that are enabled at once have all to be passed. */
static void together(void)
{
	const struct spe_setup filter = {.pmsfcr = PMSFCR_FT | PMSFCR_LD | PMSFCR_FL,
					 .pmslatfr = 0xfff};
	const unsigned int got = profile(&filter, 0);
	unsigned int right = 0;

	for (unsigned int i = 0; i < got; i++)
		right += is_load(&records[i]) && records[i].latency >= 0xfff;
	CHECK(right == got, "%u of %u records are loads of 4095 cycles", right, got);
}

/* D18.2: the counters of total and issue latency are in every record, and so is its end. */
static void contents(void)
{
	const unsigned int got = profile(&(struct spe_setup){0}, 0);

	CHECK(got > 60, "%u records", got);
	for (unsigned int i = 0; i < got; i++) {
		const struct record *r = &records[i];

		if (!CHECK((r->has & RECORD_PC) && (r->has & RECORD_TYPE) &&
				   (r->has & RECORD_EVENTS),
			   "record %u has packets 0x%x", i, r->has) ||
		    !CHECK((r->has & RECORD_LATENCY) && (r->has & RECORD_ISSUE) &&
				   r->issue <= r->latency,
			   "record %u: 0x%x, %u cycles, issued after %u", i, r->has, r->latency,
			   r->issue) ||
		    !CHECK((r->has & RECORD_END) && !(r->has & RECORD_TIMESTAMP),
			   "record %u ends with packets 0x%x", i, r->has))
			break;
	}
}

static void context(void)
{
	const uint64_t old = read_sysreg(contextidr_el1);
	unsigned int got, right = 0;

	write_sysreg(contextidr_el1, CONTEXT);
	isb();
	got = profile(&(struct spe_setup){0}, PMSCR_CX);
	write_sysreg(contextidr_el1, old);
	isb();
	for (unsigned int i = 0; i < got; i++)
		right += (records[i].has & RECORD_CONTEXT) && records[i].context == CONTEXT;
	CHECK(got > 60 && right == got, "%u of %u records have CONTEXTIDR_EL1", right, got);
	got = profile(&(struct spe_setup){0}, 0);
	for (unsigned int i = 0; i < got; i++)
		right -= !(records[i].has & RECORD_CONTEXT);
	CHECK(right == 0, "without CX, %u records have a context", right);
}

/* What a filter by that needs, in PMSIDR_EL1. */
static const char *needs(uint64_t bit, const char *without)
{
	return needs_too(needs_exact(), spe_caps.pmsidr & bit, without);
}

static const char *needs_ft(void)
{
	return needs(PMSIDR_FT, "no filter by type: PMSIDR_EL1.FT");
}

static const char *needs_eft(void)
{
	return needs(PMSIDR_EFT, "no masks of types: PMSIDR_EL1.EFT");
}

static const char *needs_fe(void)
{
	return needs(PMSIDR_FE, "no filter by events: PMSIDR_EL1.FE");
}

static const char *needs_fne(void)
{
	return needs(PMSIDR_FNE, "no inverted filter by events: PMSIDR_EL1.FnE");
}

static const char *needs_fl(void)
{
	return needs(PMSIDR_FL, "no filter by latency: PMSIDR_EL1.FL");
}

static const char *needs_both(void)
{
	const char *why = needs_ft();

	return why ? why : needs_fl();
}

static const struct test tests[] = {
	{"types", types, needs_ft},
	{"types that a mask names", masked_types, needs_eft},
	{"events that are set", events_set, needs_fe},
	{"events that are clear", events_clear, needs_fne},
	{"latencies", latencies, needs_fl},
	{"two filters at once", together, needs_both},
	{"what every record has", contents, needs_exact},
	{"the context", context, needs_exact},
};

void guest_main(void)
{
	if (!needs_spe()) {
		space = spe_space(2);
		buffer = (uintptr_t)data_alloc((space + PAGE_SIZE - 1) / PAGE_SIZE);
		data = (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE);
	}
	tap_run("filters", tests, sizeof(tests) / sizeof(tests[0]));
}
