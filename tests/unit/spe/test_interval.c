/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample interval counters (Arm ARM D17.3), compared with a second implementation that takes
 * one member at a time and draws random bytes only when the text needs one.
 */
#include "../../array.h"
#include "fixture.h"

#define RND UINT64_C(1)

/* The tests' own generator, not the unit's. */
static uint32_t lcg(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* spe_host.random and the reference draw the same bytes, each from its own copy. */
static uint8_t host_random(void *ctx)
{
	return (uint8_t)lcg(ctx);
}

struct reference {
	uint32_t random;
	bool rnd, ernd, after;
	bool load_enabled, tail_rnd; /* the choices */
	uint32_t interval, count, ecount;
};

static void reference_load(struct reference *r)
{
	r->count = r->interval << 8;
	if (r->rnd && !r->ernd)
		r->count += lcg(&r->random) & 0xff;
}

static void reference_enable(struct reference *r)
{
	if (r->load_enabled && r->count == 0 && r->ecount == 0)
		reference_load(r);
}

/* One member. Is it selected? */
static bool reference_member(struct reference *r)
{
	bool selected = false;

	if (r->ecount != 0 && !(r->tail_rnd && !(r->rnd && r->ernd))) {
		bool waits = r->after && r->count == 0;

		r->ecount--;
		selected = r->ecount == 0;
		if (waits)
			return selected;
	}
	if (r->count == 0) {
		reference_load(r);
		return selected;
	}
	r->count--;
	if (r->count != 0)
		return selected;
	if (!r->rnd || !r->ernd)
		return true;
	r->ecount = lcg(&r->random) & 0xff;
	return (selected && !r->tail_rnd) || r->ecount == 0;
}

static bool load_enabled, tail_rnd; /* of the next pair() */

/* A unit of one of the forms, not enabled yet, and its reference. */
static void pair(struct fixture *f, struct reference *r, uint32_t *random, bool rnd, bool ernd,
		 bool after, uint32_t interval)
{
	*random = 12345;
	*r = (struct reference){.random = 12345,
				.rnd = rnd,
				.ernd = ernd,
				.after = after,
				.load_enabled = load_enabled,
				.tail_rnd = tail_rnd,
				.interval = interval};
	fixture_init(f, SPE_V1P2);
	f->config.ernd = ernd;
	f->config.load_enabled = load_enabled;
	f->config.tail_rnd = tail_rnd;
	f->config.reload = after ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	f->host.random = host_random;
	f->host.ctx = random;
	f->host.pmu_event = NULL;
	eq(spe_init(&f->unit, sizeof(f->unit), &f->config, &f->host), 0);
	spe_write(&f->unit, SYSREG_PMSIRR_EL1, (uint64_t)interval << 8 | rnd);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E1SPE);
	spe_update(&f->unit, &f->controls);
}

static void enable(struct fixture *f)
{
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA | LIMIT_E);
	eq(spe_enabled(&f->unit), 1);
}

static void disable(struct fixture *f)
{
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA);
	eq(spe_enabled(&f->unit), 0);
}

static void same_counters(struct fixture *f, const struct reference *r)
{
	eq(spe_read(&f->unit, SYSREG_PMSICR_EL1), (uint64_t)r->ecount << 56 | r->count);
}

/* n members for both; the unit gets them in one call. */
static void same_outcome(struct fixture *f, struct reference *r, uint64_t n)
{
	enum spe_selection selection = spe_advance(&f->unit, n);
	bool last = false;

	for (uint64_t i = 0; i < n; i++) {
		last = reference_member(r);
		if (last)
			cr_assert_eq(i, n - 1, "the reference selects %llu members earlier",
				     (unsigned long long)(n - 1 - i));
	}
	eq(selection, last ? SPE_SELECTED : SPE_NOT_SELECTED);
	if (last)
		spe_abandon(&f->unit);
}

/*
 * Random walks: members in random portions, reads and writes of both registers, disabled stretches.
 * form: 0 RND=0; 1 RND=1 without ERnd; 2 RND=1 with ERnd; 3 RND=0 with ERnd.
 */
static void walk(unsigned int form, bool after, uint32_t interval, bool disturb, uint32_t seed)
{
	bool rnd = form == 1 || form == 2, ernd = form >= 2;
	uint32_t random, dice = seed;
	struct reference r;
	struct fixture f;

	pair(&f, &r, &random, rnd, ernd, after, interval);
	enable(&f);
	reference_enable(&r);
	for (unsigned int i = 0; i < 3000; i++) {
		uint64_t budget = spe_budget(&f.unit), n;

		switch (lcg(&dice) % (disturb ? 16 : 8)) {
		case 0: n = budget; break;
		case 1: n = budget > 1 ? budget - 1 : 1; break;
		case 2:
			same_counters(&f, &r);
			n = 1;
			break;
		case 8: /* disabled, and enabled again */
			disable(&f);
			same_counters(&f, &r);
			eq(spe_advance(&f.unit, 5), SPE_NOT_SELECTED);
			same_counters(&f, &r);
			enable(&f);
			reference_enable(&r);
			continue;
		case 9: /* COUNT and ECOUNT by software */
			r.count = lcg(&dice) % 700;
			r.ecount = ernd && lcg(&dice) % 2 ? lcg(&dice) & 0xff : 0;
			spe_write(&f.unit, SYSREG_PMSICR_EL1, (uint64_t)r.ecount << 56 | r.count);
			reference_enable(&r); /* as if written before */
			continue;
		case 10: /* another interval */
			r.interval = 1 + lcg(&dice) % 3;
			r.rnd = ernd || form == 1 ? lcg(&dice) % 2 : rnd;
			spe_write(&f.unit, SYSREG_PMSIRR_EL1, (uint64_t)r.interval << 8 | r.rnd);
			continue;
		default: n = 1 + lcg(&dice) % budget;
		}
		same_outcome(&f, &r, n);
	}
	same_counters(&f, &r);
}

/* RULE("D17.3.1/steps") */
Test(interval, equals_the_reference_in_every_form)
{
	for (unsigned int form = 0; form < 4; form++)
		for (uint32_t interval = 1; interval < 5; interval++)
			walk(form, false, interval, false, 1000 * form + interval);
}

/* RULE("D17.3.1/reload") */
Test(interval, equals_the_reference_with_reload_after_the_tail)
{
	for (uint32_t interval = 1; interval < 5; interval++)
		walk(2, true, interval, false, interval);
}

Test(interval, equals_the_reference_through_writes_and_disabled_stretches)
{
	for (uint32_t seed = 0; seed < 6; seed++)
		for (unsigned int form = 0; form < 4; form++)
			for (int after = 0; after < 2; after++)
				walk(form, after, 1 + seed % 3, true, 77 * seed + form);
}

/* RULE("D17.3.3/load") In the order of J1.124, and with its choice of the instructions after it. */
Test(interval, equals_the_reference_with_each_choice)
{
	for (unsigned int choice = 1; choice < 4; choice++)
		for (uint32_t seed = 0; seed < 3; seed++)
			for (unsigned int form = 0; form < 4; form++) {
				load_enabled = choice & 1;
				tail_rnd = choice & 2;
				walk(form, seed & 1, 1 + seed, true, 91 * seed + form);
			}
}

/*
 * RULE("D17.3.3/load") RULE("D17.3.5/disabled")
 * Facts, section 7: the load of a register of zero, by the first member or, with load_enabled, at
 * once: then that member decrements it. Disabled without a member the value is kept in either case.
 */
Test(interval, loaded_when_enabled_with_zero)
{
	for (unsigned int form = 0; form < 6; form++) {
		const bool rnd = form % 3, ernd = form % 3 == 1, early = form >= 3;
		uint32_t random, loaded;
		struct reference r;
		struct fixture f;

		load_enabled = early;
		pair(&f, &r, &random, rnd, ernd, false, 5);
		reference_load(&r);
		loaded = r.count;
		eq(loaded >> 8, 5);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 0);
		enable(&f);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), early ? loaded : 0);
		disable(&f);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), early ? loaded : 0);
		enable(&f);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), early ? loaded : 0);
		spe_advance(&f.unit, 1);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), early ? loaded - 1 : loaded);
		disable(&f);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), early ? loaded - 1 : loaded);
	}
}

/*
 * RULE("D17.3.4.3/tail")
 * ECOUNT with RND of 0, and both counters at zero on one member: its page's way, and J1.124's.
 */
Test(interval, second_counter_by_the_page_and_by_the_pseudocode)
{
	for (int rnd = 0; rnd < 2; rnd++)
		for (int pseudocode = 0; pseudocode < 2; pseudocode++) {
			const uint32_t count = rnd ? 3 : 9;
			uint64_t members = 1;
			uint32_t random;
			struct reference r;
			struct fixture f;

			tail_rnd = pseudocode;
			pair(&f, &r, &random, rnd, true, false, 1);
			spe_write(&f.unit, SYSREG_PMSICR_EL1, UINT64_C(3) << 56 | count);
			enable(&f);
			while (spe_advance(&f.unit, 1) == SPE_NOT_SELECTED)
				members++;
			/* The page: at ECOUNT's end. J1.124: at COUNT's, and after a new tail. */
			eq(members, !pseudocode ? 3 : rnd ? 3 + (lcg(&r.random) & 0xff) : 9);
			eq(spe_read(&f.unit, SYSREG_PMSICR_EL1) >> 56, pseudocode && !rnd ? 3
								       : pseudocode	  ? 0
								       : rnd ? lcg(&r.random) & 0xff
									     : 0);
		}
}

/*
 * Saved and restored at any point, by software that only sees PMSICR_EL1, with another use of the
 * unit in between: the selections are the same.
 */
Test(interval, saved_and_restored_anywhere)
{
	const uint64_t spacing = 2 * 256 + 1;

	for (uint64_t first = 0; first <= 2 * spacing; first++) {
		uint64_t at = 0, saved;
		uint32_t random;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, false, false, false, 2);
		enable(&f);
		/* First so many members, then none, and then as many as needed. */
		while (at < first) {
			uint64_t n = spe_budget(&f.unit);

			n = n < first - at ? n : first - at;
			at += n;
			eq(spe_advance(&f.unit, n) == SPE_SELECTED, at % spacing == 0);
			if (at % spacing == 0)
				spe_abandon(&f.unit);
		}
		for (unsigned int i = 0; i < 2; i++) {
			disable(&f);
			saved = spe_read(&f.unit, SYSREG_PMSICR_EL1);
			spe_write(&f.unit, SYSREG_PMSICR_EL1, 99);
			enable(&f);
			spe_advance(&f.unit, 7);
			disable(&f);
			spe_write(&f.unit, SYSREG_PMSICR_EL1, saved);
			enable(&f);
		}
		cr_assert_eq(spe_budget(&f.unit), spacing - first % spacing,
			     "%llu members in: %llu to go", (unsigned long long)first,
			     (unsigned long long)spe_budget(&f.unit));
	}
}

/*
 * RULE("D17.3.3/resume")
 * ... and no load with PMSICR nonzero, be it only in ECOUNT (D17.3.3 speaks of the register).
 */
Test(interval, resumed_when_enabled_with_nonzero)
{
	static const uint64_t values[] = {
		1, 0x77, 0x12345678, 0xffffffff, UINT64_C(3) << 56, UINT64_C(0xff) << 56 | 9};

	for (unsigned int form = 0; form < 3; form++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			uint64_t value = values[i];
			uint32_t random;
			struct reference r;
			struct fixture f;

			if (form != 2)
				value &= 0xffffffff;
			if (value == 0)
				continue;
			pair(&f, &r, &random, form != 0, form == 2, false, 5);
			spe_write(&f.unit, SYSREG_PMSICR_EL1, value);
			enable(&f);
			eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), value);
		}
	}
}

/* RULE("D17.3.5/disabled") */
Test(interval, counters_hold_while_disabled)
{
	uint32_t random;
	struct reference r;
	struct fixture f;

	pair(&f, &r, &random, true, true, false, 1);
	enable(&f);
	spe_advance(&f.unit, 100);
	disable(&f);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 256 - 99);
	eq(spe_budget(&f.unit), UINT64_MAX);
	eq(spe_advance(&f.unit, UINT64_C(1) << 40), SPE_NOT_SELECTED);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 256 - 99);
	enable(&f);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 256 - 99);
	eq(stats_of(&f.unit).population, 100);
}

/*
 * RULE("D17.3.1/steps"), RULE("D17.3.4.1/fixed")
 * RND=0: exactly INTERVAL x 256 + 1 from selection to selection, and to the first one.
 */
Test(interval, exact_spacing)
{
	static const uint32_t intervals[] = {1, 2, 16, 4095, 0xffffff};

	for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
		uint32_t random;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, false, true, false, intervals[i]);
		enable(&f);
		for (unsigned int n = 1; n <= 10; n++) {
			eq(spe_budget(&f.unit), (uint64_t)intervals[i] * 256 + 1);
			eq(fixture_select(&f), SPE_SELECTED);
			spe_abandon(&f.unit);
			eq(stats_of(&f.unit).population, n * ((uint64_t)intervals[i] * 256 + 1));
		}
	}
}

/* The spacing survives stretches where profiling is disabled, even at the selection itself. */
Test(interval, exact_spacing_through_disabled_stretches)
{
	for (uint64_t at = 1; at <= 2 * 257; at++) {
		uint32_t random;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, false, true, false, 1);
		enable(&f);
		disable(&f);
		enable(&f);
		for (uint64_t n = 1; n <= 3 * 257; n++) {
			enum spe_selection s = spe_advance(&f.unit, 1);

			cr_assert_eq(s == SPE_SELECTED, n % 257 == 0,
				     "disabled after %llu: selection at %llu",
				     (unsigned long long)at, (unsigned long long)n);
			if (s == SPE_SELECTED)
				spe_abandon(&f.unit);
			if (n == at) {
				disable(&f);
				enable(&f);
			}
		}
	}
}

/* COUNT stays at zero after a selection until the next member reloads it (J1.124). */
Test(interval, count_around_a_selection)
{
	uint32_t random;
	struct reference r;
	struct fixture f;

	pair(&f, &r, &random, false, false, false, 2);
	enable(&f);
	spe_advance(&f.unit, 1);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 512);
	spe_advance(&f.unit, 1);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 511);
	spe_advance(&f.unit, 510);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 1);
	eq(spe_advance(&f.unit, 1), SPE_SELECTED);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 0);
	eq(spe_advance(&f.unit, 1), SPE_NOT_SELECTED);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 512);
}

/* RULE("D17.3.1/choice") A written COUNT of n selects the n-th member. */
Test(interval, written_count_selects_that_member)
{
	for (uint64_t n = 1; n < 600; n++) {
		uint32_t random;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, false, true, false, 9);
		spe_write(&f.unit, SYSREG_PMSICR_EL1, n);
		enable(&f);
		eq(spe_budget(&f.unit), n);
		eq(spe_advance(&f.unit, n), SPE_SELECTED);
	}
}

/*
 * RULE("D17.3.4.3/tail")
 * With ERnd both counters run: a tail of e selects e members after COUNT came to zero.
 */
Test(interval, both_counters_run_during_the_tail)
{
	for (int after = 0; after < 2; after++) {
		uint32_t random, tail;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, true, true, after, 1);
		enable(&f);
		tail = lcg(&r.random) & 0xff;
		cr_assert_gt(tail, 3, "choose another seed");
		eq(spe_budget(&f.unit), 257 + tail);
		eq(spe_advance(&f.unit, 257), SPE_NOT_SELECTED);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), (uint64_t)tail << 56);
		eq(spe_advance(&f.unit, 1), SPE_NOT_SELECTED);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1),
		   (uint64_t)(tail - 1) << 56 | (after ? 0 : 256));
		eq(spe_advance(&f.unit, 1), SPE_NOT_SELECTED);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1),
		   (uint64_t)(tail - 2) << 56 | (after ? 0 : 255));
		eq(spe_budget(&f.unit), tail - 2);
		eq(spe_advance(&f.unit, tail - 2), SPE_SELECTED);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), after ? 0 : 256 - (tail - 1));
	}
}

/* Whatever software writes, selections are never closer than spe_spacing_min(). */
Test(interval, the_fewest_members_between_two_selections)
{
	uint32_t state = 1;
	unsigned int close = 0;

	for (int n = 0; n < 4000; n++) {
		uint32_t random;
		struct reference r;
		struct fixture f;

		pair(&f, &r, &random, n & 1, n & 2, n & 4, 1 + lcg(&state) % 3);
		enable(&f);
		spe_advance(&f.unit, 1 + lcg(&state) % 600 % spe_budget(&f.unit));
		spe_abandon(&f.unit);
		if (n & 8)
			spe_write(&f.unit, SYSREG_PMSICR_EL1,
				  (uint64_t)lcg(&state) << 56 | lcg(&state) % 700);
		for (int selections = 0; selections < 3; selections++) {
			const uint64_t least = spe_spacing_min(&f.unit);

			eq(spe_advance(&f.unit, spe_budget(&f.unit)), SPE_SELECTED);
			spe_abandon(&f.unit);
			cr_assert_geq(spe_budget(&f.unit), least, "%d, %d", n, selections);
			close += spe_budget(&f.unit) < 64;
		}
	}
	cr_assert_gt(close, 50);
}

static uint8_t zero_random(void *ctx)
{
	(void)ctx;
	return 0;
}

/*
 * RULE("D17.3.4.3/tail")
 * A random byte of zero with ERnd selects the member that brought COUNT to zero.
 */
Test(interval, a_tail_of_zero_selects_at_once)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.host.random = zero_random;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), 0);
	spe_write(&f.unit, SYSREG_PMSIRR_EL1, 0x100 | RND);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE);
	spe_update(&f.unit, &f.controls);
	enable(&f);
	for (int i = 0; i < 4; i++) {
		eq(spe_budget(&f.unit), 257);
		eq(spe_advance(&f.unit, 257), SPE_SELECTED);
		spe_abandon(&f.unit);
		eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 0);
	}
}

Test(interval, interval_zero_is_a_choice)
{
	static const struct {
		enum spe_interval_zero choice;
		uint8_t interval;
		uint64_t operations;
	} cases[] = {
		{SPE_INTERVAL_ZERO_RECOMMENDED, 0, 256},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 2, 512},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 3, 768},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 4, 1024},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 5, 1536},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 6, 2048},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 7, 3072},
		{SPE_INTERVAL_ZERO_RECOMMENDED, 8, 4096},
		{SPE_INTERVAL_ZERO_SHORTEST, 8, 256},
		{SPE_INTERVAL_ZERO_LONGEST, 0, 0xffffff00},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.interval_zero = cases[i].choice;
		f.config.interval = cases[i].interval;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMSIRR_EL1, 0);
		spe_write(&f.unit, SYSREG_PMSICR_EL1, 0);
		eq(spe_read(&f.unit, SYSREG_PMSIRR_EL1), 0);
		eq(spe_budget(&f.unit), cases[i].operations + 1);
	}
}

/* The unit's own generator, through what a guest sees of it. */
struct samples {
	double mean_spacing;
	double chi_square; /* of the random byte, 255 degrees of freedom */
};

static struct samples measure(bool ernd, bool after, uint64_t seed)
{
	enum { COUNT = 51200 };
	static unsigned int bins[256];
	struct samples result = {0};
	uint64_t start;
	struct fixture f;

	memset(bins, 0, sizeof(bins));
	fixture_init(&f, SPE_V1P2);
	f.config.ernd = ernd;
	f.config.reload = after ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	f.config.seed = seed;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSIRR_EL1, 4 << 8 | RND);
	spe_write(&f.unit, SYSREG_PMSICR_EL1, 0);
	start = stats_of(&f.unit).population;
	for (unsigned int i = 0; i < COUNT; i++) {
		uint64_t random;

		if (ernd) {
			/* the member at which COUNT reaches zero, and its tail */
			uint64_t count = (uint32_t)spe_read(&f.unit, SYSREG_PMSICR_EL1);
			uint64_t whole = spe_budget(&f.unit);

			random = whole - (count ? count + (i == 0) : 1025);
		} else {
			random = spe_budget(&f.unit) - 1025;
		}
		cr_assert_lt(random, 256u);
		bins[random]++;
		eq(spe_advance(&f.unit, spe_budget(&f.unit)), SPE_SELECTED);
		spe_abandon(&f.unit);
	}
	result.mean_spacing = (double)(stats_of(&f.unit).population - start) / COUNT;
	for (unsigned int i = 0; i < 256; i++) {
		double d = bins[i] - COUNT / 256.0;

		result.chi_square += d * d / (COUNT / 256.0);
	}
	return result;
}

/*
 * Fixed seeds. Chi-square with 255 degrees of freedom is between 170 and 360 except in one case in
 * ten thousand; a byte that never comes, or comes twice as often, adds 200. The mean of 51200
 * uniform bytes is off by one in less than one case in a thousand (sigma 0.33).
 */
static void uniform(bool ernd, bool after, double mean)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct samples s = measure(ernd, after, seed * UINT64_C(0x123456789));

		cr_assert_gt(s.chi_square, 170, "chi-square %f", s.chi_square);
		cr_assert_lt(s.chi_square, 360, "chi-square %f", s.chi_square);
		cr_assert_gt(s.mean_spacing, mean - 1.2, "mean %f", s.mean_spacing);
		cr_assert_lt(s.mean_spacing, mean + 1.2, "mean %f", s.mean_spacing);
	}
}

/* RULE("D17.3.4.2/random") */
Test(interval, random_without_ernd_is_uniform_and_adds_128)
{
	uniform(false, false, 4 * 256 + 128.5);
}

Test(interval, random_with_ernd_is_uniform_and_adds_1)
{
	uniform(true, false, 4 * 256 + 1);
}

Test(interval, reload_after_the_tail_adds_its_length)
{
	uniform(true, true, 4 * 256 + 128.5);
}

/* RULE("D17.3.2/random") Reset leads back to the same sequence; another seed gives another one. */
Test(interval, generator_is_deterministic_and_usable_after_reset)
{
	uint64_t first[16], again[16];
	unsigned int different = 0;
	struct fixture f;

	for (int round = 0; round < 3; round++) {
		fixture_init(&f, SPE_V1P2);
		f.config.seed = round == 2;
		fixture_start(&f);
		if (round == 1) {
			spe_advance(&f.unit, spe_budget(&f.unit));
			spe_reset(&f.unit);
			spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE);
		}
		spe_write(&f.unit, SYSREG_PMSIRR_EL1, 0x100 | RND);
		spe_write(&f.unit, SYSREG_PMSICR_EL1, 0);
		enable(&f);
		for (unsigned int i = 0; i < 16; i++) {
			again[i] = spe_budget(&f.unit);
			eq(spe_advance(&f.unit, again[i]), SPE_SELECTED);
			spe_abandon(&f.unit);
			if (round == 0)
				first[i] = again[i];
			else if (round == 1)
				eq(again[i], first[i]);
			else
				different += again[i] != first[i];
		}
	}
	cr_assert_gt(different, 10u);
}

/* Members beyond the budget are cut off; zero members do nothing. */
Test(interval, advance_keeps_its_limits)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	eq(spe_advance(&f.unit, 0), SPE_NOT_SELECTED);
	eq(stats_of(&f.unit).population, 0);
	eq(spe_advance(&f.unit, 1000), SPE_SELECTED);
	eq(stats_of(&f.unit).population, 257);
}
