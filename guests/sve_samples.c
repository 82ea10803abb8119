/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sve: what samples of SVE instructions show but their addresses, and which become records (Arm ARM
 * D17.5, D17.6.6, D18.2.6, D18.2.7).
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "string.h"
#include "sve_profile.h"
#include "tap.h"

#define PMSFCR_FP   (UINT64_C(1) << 19)
#define PMSFCR_SIMD (UINT64_C(1) << 20)

/* So many turns that each of eight operations is sampled some 20 times. */
#define MIXED_TURNS 8000

#define CPACR_EL0_CLOSED (CPACR_ZEN(1) | CPACR_FPEN(3))

const char *needs_predicate_events(void)
{
	const char *why = needs_sve_spe();

	return needs_too(why, why || spe_caps.version >= PMSVER_V1P1,
			 "no events of predicates: no FEAT_SPEv1p1");
}

/* Filters use events that a PE's Events packet has no room for, too (D18.2.6). */
const char *needs_events_shown(void)
{
	return needs_too(needs_predicate_events(), sve_events_bytes() >= 4,
			 "the Events packet has no bits 17 and 18");
}

const char *needs_predicate_fe(void)
{
	return needs_too(needs_predicate_events(), spe_caps.pmsidr & PMSIDR_FE,
			 "no filter by events: PMSIDR_EL1.FE");
}

const char *needs_predicate_fne(void)
{
	return needs_too(needs_predicate_events(), spe_caps.pmsidr & PMSIDR_FNE,
			 "no inverted filter by events: PMSIDR_EL1.FnE");
}

const char *needs_sve_ft(void)
{
	return needs_too(needs_sve_spe(), spe_caps.pmsidr & PMSIDR_FT,
			 "no filter by type: PMSIDR_EL1.FT");
}

const char *needs_sve_eft(void)
{
	return needs_too(needs_sve_ft(), spe_caps.pmsidr & PMSIDR_EFT,
			 "no filter by FP and SIMD: PMSIDR_EL1.EFT");
}

/* Of the records of the instruction at at, those whose type is right. */
static void check_types(const char *name, uintptr_t at, unsigned int count, struct sve_type type)
{
	unsigned int there = 0, right = 0;
	uint8_t other = 0;

	for (unsigned int n = 0; n < count; n++) {
		const struct record *r = &records[n];

		if (r->pc != at || !(r->has & RECORD_TYPE))
			continue;
		there++;
		if (sve_is_type(r, type))
			right++;
		else
			other = r->type;
	}
	CHECK(right > 0 && (right == there || !sve_exact()),
	      "%s, %lu bits: %u of %u records are of its type, one is 0x%x", name, 8 * sve_length(),
	      right, there, other);
}

/* Of a loop of the instruction. */
struct typed {
	struct sve_loop loop;
	struct sve_type type;
};

static void check_all_types(const struct typed *rows, unsigned int count)
{
	for (unsigned int n = 0; sve_lengths[n]; n++) {
		sve_use_length(sve_lengths[n]);
		state->x2 = data;
		predicate_fill(0, 1);
		for (unsigned int i = 0; i < count; i++)
			check_types(rows[i].loop.name, rows[i].loop.at,
				    sve_profile(rows[i].loop.run, TURNS, NULL), rows[i].type);
	}
}

void test_types(void)
{
	const struct typed rows[] = {
		{SVE_LOOP(add), {.fp = false}},
		{SVE_LOOP(add_predicated), {.predicated = true}},
		{SVE_LOOP(add_bytes), {.predicated = true}},
		{SVE_LOOP(fadd), {.fp = true}},
		{SVE_LOOP(fmla), {.predicated = true, .fp = true}},
		{SVE_LOOP(ldr), {.memory = true}},
		{SVE_LOOP(str), {.memory = true, .store = true}},
		{SVE_LOOP(ld1d), {.memory = true, .predicated = true}},
		{SVE_LOOP(st1d), {.memory = true, .store = true, .predicated = true}},
		{SVE_LOOP(gather), {.memory = true, .predicated = true, .gather = true}},
		{SVE_LOOP(scatter),
		 {.memory = true, .store = true, .predicated = true, .gather = true}},
	};

	check_all_types(rows, sizeof(rows) / sizeof(rows[0]));
}

void test_sve2_types(void)
{
	const struct typed rows[] = {
		{SVE_LOOP(saddlb), {.fp = false}},
		{SVE_LOOP(sqadd), {.predicated = true}},
		{SVE_LOOP(match), {.fp = false}},
		{SVE_LOOP(histcnt), {.predicated = true}},
		{SVE_LOOP(fmlalb), {.fp = true}},
		{SVE_LOOP(flogb), {.predicated = true, .fp = true}},
	};

	check_all_types(rows, sizeof(rows) / sizeof(rows[0]));
}

static void check_events(const struct sve_loop *loop, uint64_t want, const char *what)
{
	const unsigned int count = sve_profile(loop->run, TURNS, NULL);
	unsigned int there = 0, right = 0;
	uint64_t other = 0;

	for (unsigned int n = 0; n < count; n++) {
		const uint64_t events = records[n].events & (EVENT_NOT_FULL | EVENT_EMPTY);

		if (records[n].pc != loop->at)
			continue;
		there++;
		if (events == want)
			right++;
		else
			other = events;
	}
	CHECK(right > 0 && (right == there || !sve_exact()),
	      "%s, %lu bits, %s: %u of %u records have events 0x%lx, one has 0x%lx", loop->name,
	      8 * sve_length(), what, right, there, want, other);
}

/* A predicate of elements of lane bytes: each of them counts once, and no other bit does. */
static void check_predicates(const struct sve_loop *loop, unsigned int lane)
{
	const unsigned int elements = (unsigned int)sve_length() / lane;

	predicate_fill(0, lane);
	check_events(loop, 0, "full");
	predicate_fill(0, 1);
	check_events(loop, 0, "full, of bytes");
	predicate_alternate(0, lane);
	check_events(loop, EVENT_NOT_FULL, "every other");
	predicate_clear(0);
	check_events(loop, EVENT_NOT_FULL | EVENT_EMPTY, "empty");
	for (unsigned int byte = 1; byte < lane; byte++)
		predicate_set(0, 1, byte);
	check_events(loop, EVENT_NOT_FULL | EVENT_EMPTY, "empty but for bits of no element");
	/* A part of the instruction may see all of its elements, or none. */
	if (!sve_exact())
		return;
	predicate_clear(0);
	predicate_set(0, lane, elements - 1);
	check_events(loop, EVENT_NOT_FULL, "the last");
	predicate_fill(0, lane);
	state->p[0][(elements - 1) * lane / 8] ^= (uint8_t)(1u << (elements - 1) * lane % 8);
	check_events(loop, EVENT_NOT_FULL, "all but the last");
}

void test_predicate_events(void)
{
	const struct sve_loop bytes = SVE_LOOP(add_bytes), words = SVE_LOOP(add_predicated);
	const struct sve_loop load = SVE_LOOP(ld1d), store = SVE_LOOP(st1h_offset);
	const struct sve_loop gather = SVE_LOOP(gather), none = SVE_LOOP(add);

	for (unsigned int n = 0; sve_lengths[n]; n++) {
		sve_use_length(sve_lengths[n]);
		state->x2 = data;
		check_predicates(&bytes, 1);
		check_predicates(&words, 8);
		check_predicates(&load, 8);
		check_predicates(&store, 2);
		if (sve_exact())
			check_predicates(&gather, 8);
		predicate_clear(0);
		check_events(&none, 0, "not predicated");
	}
}

/* The records are of the instructions of may, a bit for each, and each of must has some. */
static void check_filtered(uintptr_t run, uintptr_t start, unsigned int count,
			   const struct sve_filter *filter, uint32_t must, uint32_t may)
{
	const unsigned int got = sve_profile(run, MIXED_TURNS, filter);
	uint32_t seen = 0;

	for (unsigned int n = 0; n < got; n++) {
		const uint64_t index = (records[n].pc - start) / 4;

		if (index < count) /* not what is around the loop */
			seen |= UINT32_C(1) << index;
	}
	CHECK(!(must & ~seen) && !(seen & ~may),
	      "PMSFCR_EL1 0x%lx, events 0x%lx, not 0x%lx: records of instructions 0x%x, "
	      "not 0x%x",
	      filter->pmsfcr, filter->pmsevfr, filter->pmsnevfr, seen, must);
}

#define FULL  0x01u
#define PART  0x02u
#define EMPTY 0x04u
#define REST  0x18u

static void check_predicate_filter(struct sve_filter filter, uint32_t want)
{
	predicate_fill(0, 8);
	predicate_alternate(1, 8);
	predicate_clear(2);
	check_filtered(user_address(user_predicates), user_address(user_predicates_at),
		       PREDICATES_COUNT, &filter, want, want);
}

/* The longest vectors, and 0 for the offsets of gathers and scatters. */
static void use_longest(void)
{
	unsigned int n = 0;

	while (sve_lengths[n + 1])
		n++;
	sve_use_length(sve_lengths[n]);
	state->x2 = data;
	memset(state->z1, 0, sizeof(state->z1));
}

void test_events_set(void)
{
	const uint64_t both = EVENT_NOT_FULL | EVENT_EMPTY;

	use_longest();
	CHECK((spe_events() & both) == both, "PMSEVFR_EL1 has bits 0x%lx", spe_events());
	check_predicate_filter((struct sve_filter){PMSFCR_FE, EVENT_NOT_FULL, 0}, PART | EMPTY);
	check_predicate_filter((struct sve_filter){PMSFCR_FE, EVENT_EMPTY, 0}, EMPTY);
	check_predicate_filter((struct sve_filter){PMSFCR_FE, both, 0}, EMPTY);
}

void test_events_clear(void)
{
	use_longest();
	check_predicate_filter((struct sve_filter){PMSFCR_FNE, 0, EVENT_NOT_FULL}, FULL | REST);
	check_predicate_filter((struct sve_filter){PMSFCR_FNE, 0, EVENT_EMPTY}, FULL | PART | REST);
	check_predicate_filter(
		(struct sve_filter){PMSFCR_FE | PMSFCR_FNE, EVENT_NOT_FULL, EVENT_EMPTY}, PART);
}

#define BIT(n)	((uint32_t)1 << (n))
#define LOADS	(BIT(MIXED_LD) | BIT(MIXED_GATHER))
#define STORES	(BIT(MIXED_ST) | BIT(MIXED_SCATTER))
#define VECTORS (LOADS | STORES | BIT(MIXED_ADD) | BIT(MIXED_FADD))

static void check_mixed(uint64_t pmsfcr, uint32_t must, uint32_t may)
{
	const struct sve_filter filter = {PMSFCR_FT | pmsfcr, 0, 0};

	use_longest();
	predicate_fill(0, 8);
	check_filtered(user_address(user_mixed), user_address(user_mixed_at), MIXED_COUNT, &filter,
		       must, may);
}

void test_loads_and_stores(void)
{
	check_mixed(PMSFCR_LD, LOADS, LOADS);
	check_mixed(PMSFCR_ST, STORES, STORES);
	check_mixed(PMSFCR_LD | PMSFCR_ST, LOADS | STORES, LOADS | STORES);
}

/* Whether loads and stores of vectors are floating point is not looked at. */
void test_fp_and_simd(void)
{
	check_mixed(PMSFCR_SIMD, VECTORS, VECTORS);
	check_mixed(PMSFCR_FP, BIT(MIXED_FADD), BIT(MIXED_FADD) | LOADS | STORES);
	check_mixed(PMSFCR_FP | PMSFCR_LD, BIT(MIXED_FADD) | LOADS,
		    BIT(MIXED_FADD) | LOADS | STORES);
}

/*
 * EL0's SVE is trapped, with what another program had in the vectors and predicates. A record may
 * have anything but the Events packet or not (D17.6.10), and nothing that the instruction may not
 * use.
 */
static void check_trapped(const struct sve_loop *loop)
{
	struct expected e;
	unsigned int count;

	predicate_clear(0);
	predicate_set(0, 8, 1);
	state->x2 = data;
	(void)user_call(loop->run, 1, (uintptr_t)state, 0);
	state->x2 = data + 64;
	sve_allow(CPACR_EL0_CLOSED);
	expect_begin();
	count = sve_profile(loop->run, TURNS, NULL);
	e = expect_end();
	sve_allow(CPACR_OPEN);
	CHECK(e.count >= TURNS, "%s: %u exceptions, not %u", loop->name, e.count, TURNS);
	for (unsigned int n = 0; n < count; n++) {
		const struct record *r = &records[n];

		if (r->pc != loop->at)
			continue;
		if (!CHECK(r->events & EVENT_EXCEPTION, "%s: events 0x%lx", loop->name,
			   r->events) ||
		    !CHECK(!(r->events & (EVENT_NOT_FULL | EVENT_EMPTY)),
			   "%s: events 0x%lx are of a predicate", loop->name, r->events) ||
		    !CHECK(!(r->has & (RECORD_VA | RECORD_PA)), "%s: the address 0x%lx", loop->name,
			   r->va))
			break;
	}
}

void test_trapped(void)
{
	const struct sve_loop loops[] = {SVE_LOOP(add_predicated), SVE_LOOP(ld1d), SVE_LOOP(st1d),
					 SVE_LOOP(gather), SVE_LOOP(scatter)};

	use_longest();
	for (unsigned int n = 0; n < sizeof(loops) / sizeof(loops[0]); n++)
		check_trapped(&loops[n]);
}
