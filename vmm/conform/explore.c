/* SPDX-License-Identifier: BSD-2-Clause */
/* All combinations of an access: see explore.h. */
#include "conform/explore.h"

#include "../../pmu/unit.h"

#include <string.h>

#define FEATURE_BITS	 15 /* of sysreg_controls.features */
#define PMU_FEATURE_BITS 4  /* of pmu_controls.features */
#define MEMBERS_FIRST	 offsetof(struct sysreg_controls, hcr_el2)

struct explorer {
	const struct vspe_subject *subject;
	subject_access_fn *route;
	const struct reference *reference;
	unsigned int reg;
	uint32_t encoding;
	bool write;
	bool measuring; /* only find out which bits matter */
	bool relevant[WORLD_BITS];
	struct world_place places[WORLD_BITS];
	/* Features that the reference does not ask, but that those which it asks need. */
	bool needed[WORLD_HALTED];
	/* Can a PE have these features: indexed by sysreg_controls.features. */
	bool valid[1u << FEATURE_BITS];
	bool valid_pmu[1u << PMU_FEATURE_BITS]; /* the same, indexed by pmu_controls.features */
	union world_controls always, never;	/* bits of the subject's PE */
	uint64_t random;			/* state of the generator of arbitrary values */
	atomic_ullong *done;
	struct exploration *result;
};

static struct outcome decide_by_statement(const void *ctx, struct world *w, unsigned int reg,
					  bool write)
{
	(void)ctx;
	return subject_state(w, reg, write);
}

const struct reference reference_statement = {.decide = decide_by_statement};

/* xorshift64*: arbitrary values, the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* An access, its expected answer, and the subject's last answer. */
struct question {
	struct vspe_subject_access access;
	struct vspe_subject_outcome expected, got;
};

/* Is the subject's answer the expected one? */
static inline bool agrees(const struct explorer *x, const union world_controls *u,
			  struct question *q)
{
	q->got.kind = VSPE_SUBJECT_NO_ANSWER;
	x->route(x->subject->ctx, &u->pe, &q->access, &q->got);
	return subject_agrees(&q->got, &q->expected);
}

/* Strike out the combinations that have the bits `with` and lack the bits `without`. */
static void strike_out(bool *valid, unsigned int width, uint32_t with, uint32_t without)
{
	for (uint32_t f = 0; f < 1u << width; f++)
		if ((f & with) && !(f & without))
			valid[f] = false;
}

/* Strike out those that lack a bit of always, or have one of never. */
static void strike_limits(bool *valid, unsigned int width, uint32_t always, uint32_t never)
{
	for (uint32_t f = 0; f < 1u << width; f++)
		if ((always & ~f & ((1u << width) - 1)) || never & f)
			valid[f] = false;
}

/*
 * Find the combinations of features that are allowed, among the features that the reference uses,
 * and that the subject can have.
 */
static void find_valid(struct explorer *x)
{
	const struct vspe_subject *s = x->subject;

	memset(x->valid, 1, sizeof(x->valid));
	memset(x->valid_pmu, 1, sizeof(x->valid_pmu));
	strike_limits(x->valid, FEATURE_BITS, s->features_always, s->features_never);
	strike_limits(x->valid_pmu, PMU_FEATURE_BITS, s->pmu_features_always,
		      s->pmu_features_never);
	for (unsigned int a = 0; a < WORLD_HALTED; a++)
		for (unsigned int b = 0; b < WORLD_HALTED; b++) {
			union world_controls with, without;

			if (!x->relevant[a] || !x->relevant[b] || !world_needs(a, b))
				continue;
			memset(&with, 0, sizeof(with));
			memset(&without, 0, sizeof(without));
			with.words[x->places[a].word] = x->places[a].mask;
			without.words[x->places[b].word] = x->places[b].mask;
			strike_out(x->valid, FEATURE_BITS, with.c.features, without.c.features);
			strike_out(x->valid_pmu, PMU_FEATURE_BITS, with.pmu.features,
				   without.pmu.features);
		}
}

/* A PE that may have any feature that the reference asks has all that they need. */
static void find_needed(struct explorer *x)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned int a = 0; a < WORLD_HALTED; a++)
			for (unsigned int b = 0; b < WORLD_HALTED; b++) {
				if (!(x->relevant[a] || x->needed[a]) || x->relevant[b] ||
				    x->needed[b] || !world_needs(a, b))
					continue;
				x->needed[b] = true;
				more = true;
			}
	}
}

/* The value of a bit that has no part in the access, unless the subject always or never has it. */
static bool limited(const struct explorer *x, unsigned int bit, bool value)
{
	const struct world_place p = x->places[bit];

	return (value || x->always.words[p.word] & p.mask) && !(x->never.words[p.word] & p.mask);
}

/*
 * Known bits keep their value, the others that matter are 0, and the rest is arbitrary, including
 * features that have no name yet.
 */
static union world_controls start_controls(struct explorer *x, const struct world *w,
					   bool arbitrary)
{
	union world_controls u;

	memset(&u, 0, sizeof(u));
	if (arbitrary) {
		for (size_t i = MEMBERS_FIRST / sizeof(uint64_t); i < WORLD_WORDS; i++)
			u.words[i] = next_random(&x->random);
		u.c.features = (uint32_t)next_random(&x->random);
	}
	for (unsigned int bit = 0; bit < WORLD_BITS; bit++) {
		bool value = w->value[bit];

		if (!x->relevant[bit] && !w->known[bit]) {
			/*
			 * Set bits that do not affect the outcome to their usual value, for
			 * readers.
			 */
			if (bit < WORLD_HALTED)
				value = arbitrary
						? u.words[x->places[bit].word] & x->places[bit].mask
						: world_usual(bit);
			else if (bit >= WORLD_FIELDS)
				continue;
			else
				value = arbitrary && next_random(&x->random) >> 63;
			value = limited(x, bit, value || (bit < WORLD_HALTED && x->needed[bit]));
		}
		u.words[x->places[bit].word] &= ~x->places[bit].mask;
		if (value)
			u.words[x->places[bit].word] |= x->places[bit].mask;
	}
	u.c.el = w->el;
	u.pmu.counters = PMU_COUNTERS;
	return u;
}

/*
 * A difference is easier to read without irrelevant arbitrary bits. Reset each of them to its usual
 * value if the difference remains.
 */
static void keep_first(struct explorer *x, const struct world *w, const union world_controls *u,
		       struct question *q)
{
	struct difference *first = &x->result->first;
	union world_controls shown = *u, plain = start_controls(x, w, false);

	for (unsigned int bit = 0; bit < WORLD_BITS; bit++) {
		const struct world_place p = x->places[bit];

		if (x->relevant[bit] && !w->known[bit])
			plain.words[p.word] |= u->words[p.word] & p.mask;
	}
	plain.pe.aarch32 = u->pe.aarch32;
	for (unsigned int n = 0; n < 64 * WORLD_WORDS; n++) {
		const uint64_t mask = UINT64_C(1) << n % 64;
		uint64_t *word = &shown.words[n / 64];

		if (((*word ^ plain.words[n / 64]) & mask) == 0)
			continue;
		*word ^= mask;
		if (agrees(x, &shown, q))
			*word ^= mask;
	}
	(void)agrees(x, &shown, q);
	first->expected = q->expected;
	first->rt = q->access.rt;
	first->controls = shown;
	first->got = q->got;
}

/* Can such a PE exist, and be the subject's? */
static inline bool is_valid(const struct explorer *x, const union world_controls *u)
{
	return x->valid[u->pe.features & ((1u << FEATURE_BITS) - 1)] &&
	       x->valid_pmu[u->pe.pmu_features & ((1u << PMU_FEATURE_BITS) - 1)] &&
	       !(u->pe.halted && x->never.pe.halted);
}

/* In AArch32 state no register is accessible, whatever the other bits are. */
static void compare_aarch32(struct explorer *x, const struct world *w, union world_controls *u,
			    struct question *q)
{
	if (x->subject->limits & VSPE_SUBJECT_NO_AARCH32)
		return;
	u->pe.aarch32 = true;
	q->expected.kind = VSPE_SUBJECT_UNDEFINED;
	x->result->aarch32++;
	if (!agrees(x, u, q) && x->result->different++ == 0)
		keep_first(x, w, u, q);
}

/* Compare once, if such a PE can exist. */
static inline bool compare_once(struct explorer *x, const struct world *w,
				const union world_controls *u, struct question *q)
{
	if (!is_valid(x, u))
		return false;
	if (!agrees(x, u, q) && x->result->different++ == 0)
		keep_first(x, w, u, q);
	return true;
}

/* Change some of the remaining bits, at random. */
static void change_some(struct explorer *x, union world_controls *u, const struct world_place *left,
			unsigned int count)
{
	const uint64_t which = next_random(&x->random);

	for (unsigned int i = 0; i < count; i++)
		if (which >> i & 1)
			u->words[left[i].word] ^= left[i].mask;
}

/* The reference has answered: call the subject with every value of the remaining bits. */
static void compare_subject(struct explorer *x, struct world *w, struct outcome outcome)
{
	struct world_place left[WORLD_BITS];
	const uint8_t rt = (uint8_t)(next_random(&x->random) & 31);
	struct question q = {
		.access = {.encoding = x->encoding, .write = x->write, .rt = rt},
		.expected = subject_expected(outcome, x->reg, x->write, rt),
	};
	union world_controls u = start_controls(x, w, true);
	uint64_t compared = 0, total;
	unsigned int count = 0;
	bool sampled;

	for (unsigned int bit = 0; bit < WORLD_BITS; bit++)
		if (x->relevant[bit] && !w->known[bit])
			left[count++] = x->places[bit];
	sampled = x->result->sampled && count > EXPLORE_BITS_SAMPLE;
	total = UINT64_C(1) << (sampled ? EXPLORE_BITS_SAMPLE : count);
	/* Gray code: each combination differs from the last in one bit. */
	for (uint64_t n = 1;; n++) {
		const unsigned int bit = (unsigned int)__builtin_ctzll(n);

		compared += compare_once(x, w, &u, &q);
		if (n == total)
			break;
		if (sampled)
			change_some(x, &u, left, count);
		else
			u.words[left[bit].word] ^= left[bit].mask;
	}
	compare_aarch32(x, w, &u, &q);
	x->result->combinations += compared;
	x->result->impossible += total - compared;
	x->result->kinds[(unsigned int)outcome.kind <= OUTCOME_LAST ? outcome.kind : 0] += compared;
	if (x->done)
		atomic_fetch_add_explicit(x->done, compared, memory_order_relaxed);
}

/* How many combinations of the bits that matter have the known values. */
static uint64_t combinations_left(const struct explorer *x, const struct world *w)
{
	unsigned int left = 0;

	for (unsigned int bit = 0; bit < WORLD_BITS; bit++)
		left += x->relevant[bit] && !w->known[bit];
	return UINT64_C(1) << left;
}

/* WORLD_BITS limits the depth: each level knows one more bit. */
static void descend_world(struct explorer *x, struct world *w)
{
	struct outcome outcome = {0};
	bool possible;
	int asked;

	w->asked = -1;
	possible = world_possible(w);
	if (w->asked < 0 && possible)
		outcome = x->reference->decide(x->reference->ctx, w, x->reg, x->write);
	asked = w->asked;
	if (asked >= 0) {
		x->relevant[asked] = true;
		w->known[asked] = true;
		for (int value = 0; value < 2; value++) {
			w->value[asked] = value;
			descend_world(x, w);
		}
		w->known[asked] = false;
		w->value[asked] = false;
	} else if (!x->measuring) {
		if (possible)
			compare_subject(x, w, outcome);
		else
			x->result->impossible += combinations_left(x, w);
	}
}

/* The bits that the subject's PE always or never has. */
static void set_limits(struct explorer *x)
{
	const struct vspe_subject *s = x->subject;

	x->always.pe.features = s->features_always & ((1u << FEATURE_BITS) - 1);
	x->always.pe.pmu_features = s->pmu_features_always & ((1u << PMU_FEATURE_BITS) - 1);
	x->never.pe.features = s->features_never & ((1u << FEATURE_BITS) - 1);
	x->never.pe.pmu_features = s->pmu_features_never & ((1u << PMU_FEATURE_BITS) - 1);
	x->never.pe.halted = s->limits & VSPE_SUBJECT_NO_DEBUG_STATE;
}

void explore(const struct vspe_subject *subject, const struct reference *reference,
	     unsigned int reg, bool write, uint8_t el, atomic_ullong *done,
	     struct exploration *result)
{
	struct explorer x = {
		.subject = subject,
		.route = subject_router(subject, reg),
		.reference = reference,
		.reg = reg,
		.encoding = subject_stated_encoding(reg),
		.write = write,
		.measuring = true,
		.random =
			UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)reg * 8 + (uint64_t)write * 4 + el,
		.done = done,
		.result = result,
	};
	struct world w;

	memset(result, 0, sizeof(*result));
	memset(&w, 0, sizeof(w));
	w.el = el;
	w.m = (uint8_t)subject_index(reg);
	for (unsigned int bit = 0; bit < WORLD_BITS; bit++)
		x.places[bit] = world_place(bit);
	descend_world(&x, &w);
	for (unsigned int bit = 0; bit < WORLD_BITS; bit++)
		result->bits += x.relevant[bit];
	result->too_wide =
		result->bits > (subject_is_pmu(reg) ? EXPLORE_BITS_PMU : EXPLORE_BITS_MAX);
	result->sampled = subject_is_pmu(reg) && result->bits > EXPLORE_BITS_ALL;
	if (result->too_wide)
		return;
	set_limits(&x);
	find_needed(&x);
	find_valid(&x);
	x.measuring = false;
	descend_world(&x, &w);
}
