// SPDX-License-Identifier: BSD-2-Clause
/*
 * The sample interval counters beside a reference that goes one member of the population at a time
 * and keeps nothing but the counters themselves. Source: Arm ARM D17.3, and J1.124 for
 * the member on which a counter is loaded.
 */
#include "conform/model.h"
#include "conform/unit.h"

#include <inttypes.h>

#define LIMIT	UINT64_C(0x40000000)
#define LIMIT_E UINT64_C(1)

#define SCRIPTS	       60
#define SCRIPT_ACTIONS 400

/* D17.3.4.1 to 3, and both places for the reload of D17.3.1 step 4. */
enum form { FORM_FIXED, FORM_RANDOM, FORM_TAIL_BEFORE, FORM_TAIL_AFTER };

struct stepped {
	enum form form;
	uint32_t interval; /* PMSIRR_EL1.INTERVAL */
	uint32_t count, ecount;
	bool spared; /* the next member finds COUNT just loaded and leaves it */
	uint64_t random;
};

static void reload_count(struct stepped *s)
{
	s->count = s->interval * 256;
	if (s->form == FORM_RANDOM)
		s->count += unit_random(&s->random);
}

/* Profiling becomes enabled: D17.3.3. */
static void stepped_enable(struct stepped *s)
{
	if (s->count || s->ecount)
		return;
	reload_count(s);
	s->spared = true;
}

/* It becomes disabled. With no member in between, COUNT is again what it was: zero. */
static void stepped_disable(struct stepped *s)
{
	if (s->spared)
		s->count = 0;
	s->spared = false;
}

/* Software writes PMSICR_EL1. */
static void stepped_write(struct stepped *s, uint32_t count, uint32_t ecount)
{
	s->count = count;
	s->ecount = ecount;
	s->spared = false;
}

/* The primary counter has come to zero. Is the member selected? */
static bool at_zero(struct stepped *s)
{
	if (s->form == FORM_FIXED || s->form == FORM_RANDOM)
		return true;
	s->ecount = unit_random(&s->random);
	return s->ecount == 0;
}

/* One member of the population. Is it selected? */
static bool stepped_member(struct stepped *s)
{
	const bool tail = s->ecount > 0;
	bool selected = false;

	if (tail)
		selected = --s->ecount == 0;
	if (tail && s->count == 0 && s->form == FORM_TAIL_AFTER)
		return selected;
	if (s->count == 0) {
		reload_count(s);
	} else if (s->spared) {
		s->spared = false;
	} else if (--s->count == 0) {
		if (at_zero(s))
			selected = true;
	}
	return selected;
}

/* ---- */

/* Both, from the same random bytes. */
struct pair {
	struct unit_bench bench;
	struct stepped stepped;
	uint64_t random;
	FILE *why;
	uint64_t members;
};

static uint8_t next_random(void *ctx)
{
	struct unit_bench *bench = ctx;

	return unit_random(&bench->state);
}

static bool pair_start(struct pair *p, enum form form, uint32_t interval, uint64_t seed, FILE *why)
{
	unit_prepare(&p->bench, SPE_V1P2);
	p->bench.config.ernd = form == FORM_TAIL_BEFORE || form == FORM_TAIL_AFTER;
	p->bench.config.reload =
		form == FORM_TAIL_AFTER ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	p->bench.host.random = next_random;
	p->bench.host.pmu_event = NULL;
	p->bench.state = seed;
	p->stepped = (struct stepped){.form = form, .interval = interval, .random = seed};
	p->why = why;
	p->members = 0;
	if (unit_start(&p->bench, (uint64_t)interval << 8 | (form != FORM_FIXED))) {
		fputs("the unit does not start\n", why);
		return false;
	}
	stepped_enable(&p->stepped);
	return true;
}

static bool same_counters(struct pair *p, const char *when)
{
	const uint64_t got = spe_read(&p->bench.unit, SYSREG_PMSICR_EL1);
	const uint64_t want = (uint64_t)p->stepped.ecount << 56 | p->stepped.count;

	if (got == want)
		return true;
	fprintf(p->why,
		"after %" PRIu64 " members, %s: PMSICR_EL1 is 0x%016" PRIx64
		", the stepped reference has 0x%016" PRIx64 "\n",
		p->members, when, got, want);
	return false;
}

/* n members, in one call for the unit. */
static bool pair_advance(struct pair *p, uint64_t n)
{
	const enum spe_selection got = spe_advance(&p->bench.unit, n);
	bool selected = false;

	for (uint64_t i = 0; i < n; i++) {
		if (selected) {
			fprintf(p->why, "the reference selects member %" PRIu64 "\n",
				p->members + i - 1);
			return false;
		}
		selected = stepped_member(&p->stepped);
	}
	p->members += n;
	if (got == SPE_SELECTED)
		spe_abandon(&p->bench.unit);
	if (selected == (got == SPE_SELECTED))
		return true;
	fprintf(p->why, "member %" PRIu64 ": %s by the unit, %s by the reference\n", p->members - 1,
		got == SPE_SELECTED ? "selected" : "not selected",
		selected ? "selected" : "not selected");
	return false;
}

static void pair_disable_enable(struct pair *p, uint64_t bits)
{
	spe_write(&p->bench.unit, SYSREG_PMBLIMITR_EL1, LIMIT);
	stepped_disable(&p->stepped);
	/* Nothing counts meanwhile; software may write the counters, even to zero. */
	spe_advance(&p->bench.unit, 1 + (bits >> 8 & 1023));
	if (bits & 1) {
		const uint32_t count = bits & 2 ? (uint32_t)(bits >> 32 & 1023) : 0;

		spe_write(&p->bench.unit, SYSREG_PMSICR_EL1, count);
		stepped_write(&p->stepped, count, 0);
	}
	spe_write(&p->bench.unit, SYSREG_PMBLIMITR_EL1, LIMIT | LIMIT_E);
	stepped_enable(&p->stepped);
}

static void pair_write(struct pair *p, uint64_t bits)
{
	uint32_t count = (uint32_t)(bits >> 8 & 2047);
	const bool both = p->bench.config.ernd && (bits & 1);
	const uint32_t ecount = both ? (uint32_t)(bits >> 32 & 255) : 0;

	/* Both counters come to zero on the same member. */
	if (ecount && (bits & 6) == 0)
		count = ecount;

	spe_write(&p->bench.unit, SYSREG_PMSICR_EL1, (uint64_t)ecount << 56 | count);
	stepped_write(&p->stepped, count, ecount);
	stepped_enable(&p->stepped);
}

static bool pair_act(struct pair *p, uint64_t bits)
{
	const uint64_t budget = spe_budget(&p->bench.unit), argument = bits >> 8;

	switch (bits & 15) {
	case 0: pair_disable_enable(p, argument); break;
	case 1: pair_write(p, argument); break;
	case 2:
		p->stepped.interval = 1 + (uint32_t)(argument & 3);
		spe_write(&p->bench.unit, SYSREG_PMSIRR_EL1,
			  (uint64_t)p->stepped.interval << 8 | (p->stepped.form != FORM_FIXED));
		break;
	case 3:
	case 4: return pair_advance(p, 1);
	case 5:
	case 6:
	case 7: return pair_advance(p, budget);
	case 8: return budget == 1 || pair_advance(p, budget - 1);
	default: return pair_advance(p, 1 + argument % budget);
	}
	return true;
}

static bool run_scripts(enum form form, uint64_t *cases, FILE *why)
{
	uint64_t script = 0x5350 + (uint64_t)form;

	*cases = 0;
	for (unsigned int i = 0; i < SCRIPTS; i++) {
		struct pair p;

		if (!pair_start(&p, form, 1 + i % 3, i + 1, why))
			return false;
		for (unsigned int k = 0; k < SCRIPT_ACTIONS; k++) {
			++*cases;
			if (!pair_act(&p, model_random(&script)) ||
			    !same_counters(&p, "after an action")) {
				fprintf(why, "script %u, action %u\n", i, k);
				return false;
			}
		}
	}
	return true;
}

static bool scripts_fixed(uint64_t *cases, FILE *why)
{
	return run_scripts(FORM_FIXED, cases, why);
}

static bool scripts_random(uint64_t *cases, FILE *why)
{
	return run_scripts(FORM_RANDOM, cases, why);
}

static bool scripts_before(uint64_t *cases, FILE *why)
{
	return run_scripts(FORM_TAIL_BEFORE, cases, why);
}

static bool scripts_after(uint64_t *cases, FILE *why)
{
	return run_scripts(FORM_TAIL_AFTER, cases, why);
}

/* A billion members at an interval of 256: as many calls as selections, and the same state in the
 * end. */
static bool check_billion(uint64_t *cases, FILE *why)
{
	const uint64_t members = UINT64_C(1000000000);
	struct pair p;
	uint64_t calls = 0, passed = 0, selections = 0, stepped = 0;
	struct spe_stats stats;

	*cases = members;
	if (!pair_start(&p, FORM_FIXED, 1, 1, why))
		return false;
	while (passed < members) {
		const uint64_t budget = spe_budget(&p.bench.unit);
		const uint64_t n = budget < members - passed ? budget : members - passed;

		calls++;
		passed += n;
		if (spe_advance(&p.bench.unit, n) == SPE_SELECTED) {
			selections++;
			spe_abandon(&p.bench.unit);
		}
	}
	for (uint64_t i = 0; i < members; i++)
		stepped += stepped_member(&p.stepped);
	p.members = members;
	spe_stats(&p.bench.unit, &stats);
	if (selections != stepped || calls > selections + 1 || stats.population != members) {
		fprintf(why,
			"%" PRIu64 " selections in %" PRIu64 " calls, population %" PRIu64
			"; the stepped reference has %" PRIu64 " selections\n",
			selections, calls, stats.population, stepped);
		return false;
	}
	return same_counters(&p, "at the end");
}

/*
 * Each bit of INTERVAL, down to the selection and the reload behind it. In between COUNT only goes
 * down: the reference is moved there at once.
 */
static bool check_interval_bits(uint64_t *cases, FILE *why)
{
	*cases = 0;
	for (unsigned int bit = 0; bit < 24; bit++) {
		struct pair p;
		uint64_t left;

		if (!pair_start(&p, FORM_FIXED, UINT32_C(1) << bit, 1, why) ||
		    !pair_advance(&p, 2) || !same_counters(&p, "at the beginning"))
			return false;
		left = p.stepped.count - 2;
		if (spe_advance(&p.bench.unit, left) == SPE_SELECTED) {
			fprintf(why, "INTERVAL 1 << %u: selected too early\n", bit);
			return false;
		}
		p.stepped.count -= (uint32_t)left;
		p.members += left;
		for (unsigned int k = 0; k < 4; k++, ++*cases)
			if (!pair_advance(&p, 1) || !same_counters(&p, "about the selection"))
				return false;
	}
	return true;
}

const struct model models_interval[] = {
	{"interval: each bit of INTERVAL", check_interval_bits},
	{"interval: RND 0, random scripts", scripts_fixed},
	{"interval: RND 1 without ERnd, random scripts", scripts_random},
	{"interval: RND 1 with ERnd, reload before the tail, random scripts", scripts_before},
	{"interval: RND 1 with ERnd, reload after the tail, random scripts", scripts_after},
	{"interval: a billion operations at interval 256", check_billion},
	{0},
};
