/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sve: the addresses in samples of SVE loads and stores (Arm ARM D17.6.6): of a contiguous one that
 * of its lowest element or of its lowest active one, of a gather or scatter one of its elements, if
 * that is active.
 */
#include "arch.h"
#include "boot.h"
#include "string.h"
#include "sve_profile.h"
#include "tap.h"

#define GATHER_TURNS 24000
#define GATHER_RUNS  200
#define STRIDE	     40 /* bytes from one element of a gather to the next ... */
#define FIRST	     16 /* ... from the first on */
#define INDEX	     5	/* of ld1d_indexed */
#define TO_VECTOR    8	/* the offset of gather_vector, and X3 of SVE2's gathers */

#define ELEMENTS_MAX LENGTH_MAX

/* The addresses that records of an instruction have. */
static struct addresses {
	unsigned int records, without, wrong;
	uint64_t odd; /* one that is none of an element's */
	bool of[ELEMENTS_MAX];
} seen;

struct elements {
	uint64_t first;
	unsigned int step, count;
};

static void collect(uintptr_t at, unsigned int count, struct elements elements)
{
	for (unsigned int n = 0; n < count; n++) {
		const struct record *r = &records[n];
		const uint64_t offset = r->va - elements.first;

		if (r->pc != at)
			continue;
		seen.records++;
		if (!(r->has & RECORD_VA)) {
			seen.without++;
		} else if (offset % elements.step || offset / elements.step >= elements.count) {
			seen.wrong++;
			seen.odd = r->va;
		} else {
			seen.of[offset / elements.step] = true;
		}
	}
}

static unsigned int elements_seen(unsigned int count)
{
	unsigned int n = 0;

	for (unsigned int e = 0; e < count; e++)
		n += seen.of[e];
	return n;
}

struct contiguous {
	struct sve_loop loop;
	unsigned int lane;    /* bytes of an element in the vector */
	unsigned int size;    /* ... and in memory, of all registers */
	unsigned int vectors; /* from X2 on: so many vectors, and so many bytes */
	unsigned int bytes;
};

/*
 * A PE shows the address of the lowest element, or of the lowest active one, as it likes (RNHSYR):
 * always the same of them. Without ArchInst a record may be of a part of the instruction, which
 * begins with another element.
 */
static struct {
	bool lowest, active;
} shows;

/* Could these be the addresses of such a PE, whose lowest element is that? */
static bool is_address_of(unsigned int element, unsigned int count, unsigned int first)
{
	for (unsigned int e = 0; e < count; e++)
		if (seen.of[e] && e != element && (sve_exact() || e < element))
			return false;
	if (element < first && elements_seen(count) == 0)
		return true; /* an inactive one need not have an address */
	return seen.of[element] && (seen.without == 0 || !sve_exact());
}

static void check_seen(const char *name, unsigned int count, unsigned int first)
{
	shows.lowest = shows.lowest && is_address_of(0, count, first);
	shows.active = shows.active && is_address_of(first, count, first);
	CHECK(seen.records > 0 && seen.wrong == 0 && (shows.lowest || shows.active),
	      "%s, %lu bits, from element %u on: %u records, %u without an address, %u elements, "
	      "%u addresses of none: 0x%lx",
	      name, 8 * sve_length(), first, seen.records, seen.without, elements_seen(count),
	      seen.wrong, seen.odd);
}

/* The elements from first on are active, but not the second of them. */
static void check_first(const struct contiguous *c, unsigned int first)
{
	const unsigned int length = (unsigned int)sve_length(), count = length / c->lane;
	const struct elements elements = {data + c->vectors * length + c->bytes, c->size, count};

	predicate_clear(0);
	for (unsigned int e = first; e < count; e++)
		if (e != first + 1)
			predicate_set(0, c->lane, e);
	state->x2 = data;
	state->x3 = INDEX;
	seen = (struct addresses){0};
	collect(c->loop.at, sve_profile(c->loop.run, TURNS, NULL), elements);
	check_seen(c->loop.name, count, first);
}

/* Nothing is accessed: if there is an address, it is of the lowest element. */
static void check_none(const struct contiguous *c)
{
	const unsigned int length = (unsigned int)sve_length();
	const struct elements elements = {data + c->vectors * length + c->bytes, c->size,
					  length / c->lane};

	predicate_clear(0);
	state->x2 = data;
	seen = (struct addresses){0};
	collect(c->loop.at, sve_profile(c->loop.run, TURNS, NULL), elements);
	CHECK(seen.records > 0 && seen.wrong == 0 &&
		      (seen.without == seen.records ||
		       (shows.lowest && (seen.of[0] || !sve_exact()))),
	      "%s, none active: %u of %u records have an address, 0x%lx", c->loop.name,
	      seen.records - seen.without, seen.records, seen.odd);
}

void test_contiguous(void)
{
	const struct contiguous rows[] = {
		{SVE_LOOP(ld1b), 1, 1, 0, 0},
		{SVE_LOOP(ld1d), 8, 8, 0, 0},
		{SVE_LOOP(ld1d_indexed), 8, 8, 0, 8 * INDEX},
		{SVE_LOOP(ld1w_extended), 8, 4, 0, 0},
		{SVE_LOOP(ld2d), 8, 16, 0, 0},
		{SVE_LOOP(st1d), 8, 8, 0, 0},
		{SVE_LOOP(st1h_offset), 2, 2, 1, 0},
	};

	shows.lowest = shows.active = true;
	for (unsigned int n = 0; sve_lengths[n]; n++) {
		sve_use_length(sve_lengths[n]);
		for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const unsigned int count = sve_lengths[n] / rows[i].lane;

			check_first(&rows[i], 0);
			check_first(&rows[i], 1);
			check_first(&rows[i], count / 2);
			check_first(&rows[i], count - 1);
			check_none(&rows[i]);
		}
	}
}

/* What Z1 has: offsets in bytes, in units of so many, or whole addresses. */
struct gather {
	struct sve_loop loop;
	unsigned int lane;
	unsigned int unit; /* 0: an address, less TO_VECTOR */
};

static void set_vector(const struct gather *g)
{
	const unsigned int count = (unsigned int)sve_length() / g->lane;

	for (unsigned int e = 0; e < count; e++) {
		const uint64_t offset = FIRST + STRIDE * (uint64_t)e;
		const uint64_t value = g->unit ? offset / g->unit : data + offset - TO_VECTOR;

		memcpy(state->z1 + e * g->lane, &value, g->lane);
	}
}

static void collect_gather(const struct gather *g, unsigned int count)
{
	const bool ft = spe_caps.pmsidr & PMSIDR_FT;
	const struct sve_filter filter = {ft ? PMSFCR_FT | PMSFCR_LD | PMSFCR_ST : 0, 0, 0};

	collect(g->loop.at, sve_profile(g->loop.run, GATHER_TURNS, &filter),
		(struct elements){data + FIRST, STRIDE, count});
}

/* All are active, and have a turn. */
static void check_all(const struct gather *g, unsigned int count)
{
	predicate_fill(0, g->lane);
	seen = (struct addresses){0};
	for (unsigned int run = 0; run < GATHER_RUNS && elements_seen(count) < count; run++)
		collect_gather(g, count);
	CHECK(elements_seen(count) == count && seen.wrong == 0,
	      "%s, %lu bits: addresses of %u of %u elements in %u records, %u of none: 0x%lx",
	      g->loop.name, 8 * sve_length(), elements_seen(count), count, seen.records, seen.wrong,
	      seen.odd);
	CHECK(seen.without == 0 || !sve_exact(), "%s, %lu bits: %u of %u records have no address",
	      g->loop.name, 8 * sve_length(), seen.without, seen.records);
}

/* One is active: its address, or none. */
static void check_one(const struct gather *g, unsigned int count, unsigned int active)
{
	predicate_clear(0);
	predicate_set(0, g->lane, active);
	seen = (struct addresses){0};
	for (unsigned int run = 0; run < GATHER_RUNS && !seen.of[active]; run++)
		collect_gather(g, count);
	CHECK(seen.of[active] && seen.wrong == 0 && elements_seen(count) == 1,
	      "%s, %lu bits, element %u alone: addresses of %u elements, %u of none: 0x%lx",
	      g->loop.name, 8 * sve_length(), active, elements_seen(count), seen.wrong, seen.odd);
}

static void check_inactive(const struct gather *g, unsigned int count)
{
	predicate_clear(0);
	seen = (struct addresses){0};
	collect_gather(g, count);
	CHECK(seen.records > 0 && seen.without == seen.records,
	      "%s, %lu bits, none active: %u of %u records have an address", g->loop.name,
	      8 * sve_length(), seen.records - seen.without, seen.records);
}

static void check_gather(const struct gather *g)
{
	const unsigned int count = (unsigned int)sve_length() / g->lane;

	state->x2 = data;
	state->x3 = TO_VECTOR;
	set_vector(g);
	check_all(g, count);
	check_one(g, count, 0);
	check_one(g, count, count - 1);
	check_inactive(g, count);
}

static void check_gathers(const struct gather *rows, unsigned int rows_count)
{
	for (unsigned int n = 0; sve_lengths[n]; n++) {
		sve_use_length(sve_lengths[n]);
		for (unsigned int i = 0; i < rows_count; i++)
			check_gather(&rows[i]);
	}
}

void test_gathers(void)
{
	const struct gather rows[] = {
		{SVE_LOOP(gather), 8, 1},	 {SVE_LOOP(gather_scaled), 8, 8},
		{SVE_LOOP(gather_vector), 8, 0}, {SVE_LOOP(gather_words), 4, 4},
		{SVE_LOOP(scatter), 8, 1},	 {SVE_LOOP(scatter_words), 4, 1},
		{SVE_LOOP(ldff1d_gather), 8, 1},
	};

	check_gathers(rows, sizeof(rows) / sizeof(rows[0]));
}

void test_sve2_gathers(void)
{
	const struct gather rows[] = {
		{SVE_LOOP(ldnt1d), 8, 0},
		{SVE_LOOP(ldnt1sw), 8, 0},
		{SVE_LOOP(stnt1d), 8, 0},
	};

	check_gathers(rows, sizeof(rows) / sizeof(rows[0]));
}

/*
 * Two elements lie before a page that is not there. The instruction completes, and its sample has
 * no exception; whether the record has more is not said (D17.6.10), but an address is one of these.
 */
void test_first_fault(void)
{
	const struct sve_loop loop = SVE_LOOP(ldff1d);
	const uint64_t start = data + DATA_BYTES - 16;

	for (unsigned int n = 0; sve_lengths[n]; n++) {
		sve_use_length(sve_lengths[n]);
		for (unsigned int first = 0; first < 2; first++) {
			unsigned int excepted = 0, count;

			predicate_fill(0, 8);
			if (first)
				state->p[0][0] = 0;
			state->x2 = start;
			seen = (struct addresses){0};
			count = sve_profile(loop.run, TURNS, NULL);
			for (unsigned int r = 0; r < count; r++)
				excepted += records[r].pc == loop.at &&
					    (records[r].events & EVENT_EXCEPTION);
			collect(loop.at, count, (struct elements){start, 8, 2});
			CHECK(seen.wrong == 0 && (first || !seen.of[1]),
			      "%u bits, from element %u on: %u records, %u of no element: 0x%lx",
			      sve_lengths[n], first, seen.records, seen.wrong, seen.odd);
			CHECK(excepted == 0, "%u of %u samples have an exception", excepted,
			      seen.records);
		}
	}
}
