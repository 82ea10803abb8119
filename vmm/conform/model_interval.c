/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the sample interval counters with a reference that steps through the population one
 * member at a time and keeps nothing but the counters. Source: Arm ARM D17.3, and J1.124 for the
 * member on which a counter is loaded.
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
	uint64_t random;
	/* The subject draws its own numbers: drawn is its next one, once it is known. */
	bool random_own, drew;
	uint8_t drawn;
};

static uint8_t draw(struct stepped *s)
{
	s->drew = true;
	return s->random_own ? s->drawn : unit_random(&s->random);
}

static void reload_count(struct stepped *s)
{
	s->count = s->interval * 256;
	if (s->form == FORM_RANDOM)
		s->count += draw(s);
}

/* Software writes PMSICR_EL1. */
static void stepped_write(struct stepped *s, uint32_t count, uint32_t ecount)
{
	s->count = count;
	s->ecount = ecount;
}

/* The primary counter has reached zero. Is the member selected? */
static bool at_zero(struct stepped *s)
{
	if (s->form == FORM_FIXED || s->form == FORM_RANDOM)
		return true;
	s->ecount = draw(s);
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
	} else if (--s->count == 0) {
		if (at_zero(s))
			selected = true;
	}
	return selected;
}

/* ---- */

/* The unit and the reference, with the same random bytes. */
struct pair {
	struct unit_bench bench;
	struct stepped stepped;
	struct model_run *run;
	uint64_t members;
};

/* Why the subject lacks such a form, or NULL. */
static const char *pair_lacks(const struct pair *p, enum form form)
{
	const struct spe_config *c = &p->bench.config;

	switch (form) {
	case FORM_FIXED: return NULL;
	case FORM_RANDOM: return c->ernd ? "the subject has FEAT_SPE_ERnd" : NULL;
	case FORM_TAIL_BEFORE:
	case FORM_TAIL_AFTER: break;
	}
	if (!c->ernd)
		return "the subject has no FEAT_SPE_ERnd";
	if ((c->reload == SPE_RELOAD_AFTER_TAIL) != (form == FORM_TAIL_AFTER))
		return "the subject reloads COUNT at the other end of the tail";
	return NULL;
}

/* Learn the drawn number from the subject's COUNT: it is the excess over what was loaded. */
static void pair_learn(struct pair *p)
{
	const uint64_t pmsicr = unit_read(&p->bench, SYSREG_PMSICR_EL1);

	p->stepped.drawn = p->stepped.form == FORM_RANDOM
				   ? (uint8_t)((uint32_t)pmsicr - p->stepped.interval * 256)
				   : (uint8_t)(pmsicr >> 56);
}

/* False: it has failed, or is skipped. */
static bool pair_start(struct pair *p, enum form form, uint32_t interval, uint64_t seed,
		       struct model_run *run)
{
	unit_prepare(&p->bench, run->subject, SPE_V1P2);
	p->bench.config.ernd = form == FORM_TAIL_BEFORE || form == FORM_TAIL_AFTER;
	p->bench.config.reload =
		form == FORM_TAIL_AFTER ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	p->bench.random_own = false;
	p->bench.state = seed;
	p->run = run;
	p->members = 0;
	if (!unit_start(&p->bench, (uint64_t)interval << 8 | (form != FORM_FIXED), run->why))
		return false;
	run->skipped = pair_lacks(p, form);
	if (run->skipped)
		return false;
	p->stepped = (struct stepped){.form = form,
				      .interval = interval,
				      .random = seed,
				      .random_own = p->bench.random_own};
	return true;
}

static bool same_counters(struct pair *p, const char *when)
{
	const uint64_t got = unit_read(&p->bench, SYSREG_PMSICR_EL1);
	const uint64_t want = (uint64_t)p->stepped.ecount << 56 | p->stepped.count;

	if (got == want)
		return true;
	fprintf(p->run->why,
		"after %" PRIu64 " members, %s: PMSICR_EL1 is 0x%016" PRIx64
		", the stepped reference has 0x%016" PRIx64 "\n",
		p->members, when, got, want);
	return false;
}

/* Is the last of n members selected by both or by neither? */
static bool same_selection(struct pair *p, bool got, bool want)
{
	if (got)
		unit_abandon(&p->bench);
	if (got == want)
		return true;
	fprintf(p->run->why, "member %" PRIu64 ": %s by the unit, %s by the reference\n",
		p->members - 1, got ? "selected" : "not selected",
		want ? "selected" : "not selected");
	return false;
}

/*
 * One member of a unit that draws its own numbers: first the unit, then the reference in the same
 * way.
 */
static bool pair_follow(struct pair *p)
{
	struct stepped before = p->stepped;
	const bool got = unit_advance(&p->bench, 1);

	before.drew = false;
	(void)stepped_member(&before);
	if (before.drew)
		pair_learn(p);
	p->members++;
	return same_selection(p, got, stepped_member(&p->stepped));
}

/* n members, in one call for the unit. */
static bool pair_advance(struct pair *p, uint64_t n)
{
	bool selected = false, got;

	for (; p->stepped.random_own && n > 0; n--)
		if (!pair_follow(p))
			return false;
	if (n == 0)
		return true;
	got = unit_advance(&p->bench, n);
	for (uint64_t i = 0; i < n; i++) {
		if (selected) {
			fprintf(p->run->why, "the reference selects member %" PRIu64 "\n",
				p->members + i - 1);
			return false;
		}
		selected = stepped_member(&p->stepped);
	}
	p->members += n;
	return same_selection(p, got, selected);
}

/*
 * The members up to and including the reference's next selection; a few if the unit draws its own
 * numbers.
 */
static uint64_t pair_budget(const struct pair *p)
{
	struct stepped ahead = p->stepped;
	uint64_t n = 1;

	if (ahead.random_own)
		return 600;
	while (!stepped_member(&ahead))
		n++;
	return n;
}

static void pair_disable_enable(struct pair *p, uint64_t bits)
{
	unit_write(&p->bench, SYSREG_PMBLIMITR_EL1, LIMIT);
	/* Nothing counts meanwhile. Software may write the counters, even to zero. */
	(void)unit_advance(&p->bench, 1 + (bits >> 8 & 1023));
	if (bits & 1) {
		const uint32_t count = bits & 2 ? (uint32_t)(bits >> 32 & 1023) : 0;

		unit_write(&p->bench, SYSREG_PMSICR_EL1, count);
		stepped_write(&p->stepped, count, 0);
	}
	unit_write(&p->bench, SYSREG_PMBLIMITR_EL1, LIMIT | LIMIT_E);
}

static void pair_write(struct pair *p, uint64_t bits)
{
	uint32_t count = (uint32_t)(bits >> 8 & 2047);
	const enum form form = p->stepped.form;
	const bool both = (form == FORM_TAIL_BEFORE || form == FORM_TAIL_AFTER) && (bits & 1);
	const uint32_t ecount = both ? (uint32_t)(bits >> 32 & 255) : 0;

	/* Both counters reach zero on the same member. */
	if (ecount && (bits & 6) == 0)
		count = ecount;

	unit_write(&p->bench, SYSREG_PMSICR_EL1, (uint64_t)ecount << 56 | count);
	stepped_write(&p->stepped, count, ecount);
}

static bool pair_act(struct pair *p, uint64_t bits)
{
	const uint64_t budget = (bits & 15) < 5 ? 1 : pair_budget(p), argument = bits >> 8;

	switch (bits & 15) {
	case 0: pair_disable_enable(p, argument); break;
	case 1: pair_write(p, argument); break;
	case 2:
		p->stepped.interval = 1 + (uint32_t)(argument & 3);
		unit_write(&p->bench, SYSREG_PMSIRR_EL1,
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

/* Run one script. True: it passed, or is skipped. */
static bool run_script(struct pair *p, enum form form, unsigned int i, uint64_t *script,
		       struct model_run *run)
{
	if (!pair_start(p, form, 1 + i % 3, i + 1, run))
		return run->skipped;
	for (unsigned int k = 0; k < SCRIPT_ACTIONS; k++) {
		run->cases++;
		if (pair_act(p, model_random(script)) && same_counters(p, "after an action"))
			continue;
		fprintf(run->why, "script %u, action %u\n", i, k);
		return false;
	}
	return true;
}

static bool run_scripts(enum form form, struct model_run *run)
{
	uint64_t script = 0x5350 + (uint64_t)form;
	bool passed = true;

	for (unsigned int i = 0; passed && !run->skipped && i < SCRIPTS; i++) {
		struct pair p;

		passed = run_script(&p, form, i, &script, run);
		unit_end(&p.bench);
	}
	return passed;
}

static bool scripts_fixed(struct model_run *run)
{
	return run_scripts(FORM_FIXED, run);
}

static bool scripts_random(struct model_run *run)
{
	return run_scripts(FORM_RANDOM, run);
}

static bool scripts_before(struct model_run *run)
{
	return run_scripts(FORM_TAIL_BEFORE, run);
}

static bool scripts_after(struct model_run *run)
{
	return run_scripts(FORM_TAIL_AFTER, run);
}

/*
 * A billion members at an interval of 256: as many calls as selections, and the same final state.
 */
static bool pass_billion(struct pair *p)
{
	/* A separate member loads COUNT. */
	const uint64_t members = UINT64_C(1000000000), period = 257;
	uint64_t calls = 0, selections = 0, stepped = 0;

	p->run->cases = members;
	for (uint64_t passed = 0; passed < members;) {
		const uint64_t n = period < members - passed ? period : members - passed;

		calls++;
		passed += n;
		if (unit_advance(&p->bench, n)) {
			selections++;
			unit_abandon(&p->bench);
		}
	}
	for (uint64_t i = 0; i < members; i++)
		stepped += stepped_member(&p->stepped);
	p->members = members;
	if (selections == stepped && calls <= selections + 1 &&
	    (!p->bench.pmu_events || p->bench.population == members))
		return same_counters(p, "at the end");
	fprintf(p->run->why,
		"%" PRIu64 " selections in %" PRIu64 " calls, population %" PRIu64
		"; the stepped reference has %" PRIu64 " selections\n",
		selections, calls, p->bench.population, stepped);
	return false;
}

static bool check_billion(struct model_run *run)
{
	struct pair p;
	const bool passed =
		pair_start(&p, FORM_FIXED, 1, 1, run) ? pass_billion(&p) : run->skipped != NULL;

	unit_end(&p.bench);
	return passed;
}

/*
 * One bit of INTERVAL, down to the selection and the next reload. In between COUNT only goes down,
 * so the reference jumps there.
 */
static bool pass_interval(struct pair *p, unsigned int bit)
{
	uint64_t left;

	if (!pair_advance(p, 2) || !same_counters(p, "at the beginning"))
		return false;
	left = p->stepped.count - 2;
	if (unit_advance(&p->bench, left)) {
		fprintf(p->run->why, "INTERVAL 1 << %u: selected too early\n", bit);
		return false;
	}
	p->stepped.count -= (uint32_t)left;
	p->members += left;
	for (unsigned int k = 0; k < 4; k++, p->run->cases++)
		if (!pair_advance(p, 1) || !same_counters(p, "about the selection"))
			return false;
	return true;
}

static bool check_interval_bits(struct model_run *run)
{
	bool passed = true;

	for (unsigned int bit = 0; passed && !run->skipped && bit < 24; bit++) {
		struct pair p;

		passed = pair_start(&p, FORM_FIXED, UINT32_C(1) << bit, 1, run)
				 ? pass_interval(&p, bit)
				 : run->skipped != NULL;
		unit_end(&p.bench);
	}
	return passed;
}

const struct model models_interval[] = {
	{"interval: each bit of INTERVAL", check_interval_bits, MODEL_UNIT},
	{"interval: RND 0, random scripts", scripts_fixed, MODEL_UNIT},
	{"interval: RND 1 without ERnd, random scripts", scripts_random, MODEL_UNIT},
	{"interval: RND 1 with ERnd, reload before the tail, random scripts", scripts_before,
	 MODEL_UNIT},
	{"interval: RND 1 with ERnd, reload after the tail, random scripts", scripts_after,
	 MODEL_UNIT},
	{"interval: a billion operations at interval 256", check_billion, MODEL_UNIT},
	{0},
};
