/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches and TLBs of the machine model: who stays and who goes. */

#include <string.h>

#include "../compare.h"
#include "model/cache.h"
#include "model/tlb.h"

#define WAYS 4
#define SETS 8

/* Line n of set 0. */
static uint64_t line(uint64_t n)
{
	return n * SETS * MODEL_LINE;
}

Test(model_cache, least_recently_used)
{
	uint64_t lines[SETS * WAYS] = {0};
	struct model_cache cache;

	cr_assert_eq(model_cache_init(&cache, sizeof(lines) * MODEL_LINE / 8, WAYS, lines),
		     lines + SETS * WAYS);
	cr_expect_eq(cache.sets, SETS);
	for (uint64_t n = 0; n < WAYS; n++)
		cr_expect_eq(model_cache_insert(&cache, line(n), MODEL_EXCLUSIVE), 0);
	cr_expect_not_null(model_cache_use(&cache, line(0) + 8));
	cr_expect_null(model_cache_use(&cache, line(WAYS)));
	/* 0 was used last, 1 is the oldest; to be found is no use. */
	cr_expect_not_null(model_cache_find(&cache, line(1)));
	cr_expect_eq(model_cache_insert(&cache, line(WAYS), MODEL_SHARED),
		     line(1) | MODEL_EXCLUSIVE);
	cr_expect_null(model_cache_find(&cache, line(1)));
	/* Another set is not concerned. */
	cr_expect_eq(model_cache_insert(&cache, MODEL_LINE, MODEL_SHARED), 0);
	/* One that goes leaves its place. */
	cr_expect_eq(model_cache_remove(&cache, line(3)), line(3) | MODEL_EXCLUSIVE);
	cr_expect_eq(model_cache_remove(&cache, line(3)), 0);
	cr_expect_eq(model_cache_insert(&cache, line(9), MODEL_MODIFIED), 0);
	cr_expect_eq(model_cache_insert(&cache, line(10), MODEL_SHARED), line(2) | MODEL_EXCLUSIVE);
}

/* A state is changed in place, and address 0 is a line like others. */
Test(model_cache, states)
{
	uint64_t lines[SETS * WAYS] = {0}, *found;
	struct model_cache cache;

	model_cache_init(&cache, sizeof(lines) * MODEL_LINE / 8, WAYS, lines);
	model_cache_insert(&cache, 0, MODEL_SHARED);
	found = model_cache_find(&cache, 63);
	cr_assert_not_null(found);
	model_line_set(found, MODEL_MODIFIED);
	cr_expect_eq(model_line_state(model_cache_remove(&cache, 0)), MODEL_MODIFIED);
}

/* Level 1 once more, in the words of its rule: the ways of a set by age, the oldest one last. */
struct plain_set {
	uint64_t pa[WAYS];
	bool referenced[WAYS];
	unsigned int count;
};

static bool plain_refer(struct plain_set *set, uint64_t pa)
{
	for (unsigned int n = 0; n < set->count; n++) {
		if (set->pa[n] != pa)
			continue;
		set->referenced[n] = true;
		return true;
	}
	return false;
}

static void plain_leave(struct plain_set *set, unsigned int n)
{
	set->count--;
	for (; n < set->count; n++) {
		set->pa[n] = set->pa[n + 1];
		set->referenced[n] = set->referenced[n + 1];
	}
}

static void plain_arrive(struct plain_set *set, uint64_t pa)
{
	unsigned int leaves = WAYS - 1, referenced = 0;

	if (set->count == WAYS) {
		for (unsigned int n = 0; n < WAYS; n++)
			if (!set->referenced[n])
				leaves = n; /* the oldest is seen last */
		plain_leave(set, leaves);
	}
	for (unsigned int n = set->count++; n > 0; n--) {
		set->pa[n] = set->pa[n - 1];
		set->referenced[n] = set->referenced[n - 1];
	}
	set->pa[0] = pa;
	set->referenced[0] = true;
	for (unsigned int n = 0; n < set->count; n++)
		referenced += set->referenced[n];
	for (unsigned int n = 1; referenced == WAYS && n < WAYS; n++)
		set->referenced[n] = false;
}

static void same_set(const struct model_cache *cache, const struct plain_set *set, unsigned int n)
{
	for (unsigned int way = 0; way < WAYS; way++) {
		const uint64_t at = cache->lines[way];

		cr_assert_eq(model_line_pa(at), way < set->count ? set->pa[way] : 0, "%u", n);
		cr_assert_eq((at & MODEL_REFERENCED) != 0, way < set->count && set->referenced[way],
			     "%u", n);
	}
}

/* The filter says of each line what is true of it, and a second reference changes nothing. */
Test(model_cache, replaced_by_reference)
{
	enum { LINES = 7, FIRST = 1 };
	uint64_t lines[SETS * WAYS] = {0}, before[SETS * WAYS], random = 7;
	uint8_t filter[(LINES + FIRST) * SETS] = {0};
	struct plain_set set = {.count = 0};
	struct model_cache cache;

	model_cache_init(&cache, sizeof(lines) * MODEL_LINE / 8, WAYS, lines);
	cache.filter = filter;
	cache.filter_base = line(FIRST);
	cache.filter_lines = (LINES - 1) * SETS; /* not of the last one */
	for (unsigned int n = 0; n < 100000; n++) {
		uint64_t pa;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		pa = line(FIRST + (random >> 33) % LINES);
		if ((random >> 50) % 16 == 0) {
			(void)model_cache_remove(&cache, pa);
			for (unsigned int way = 0; way < set.count; way++)
				if (set.pa[way] == pa)
					plain_leave(&set, way);
		} else if (model_cache_refer(&cache, pa + 8)) {
			cr_assert(plain_refer(&set, pa), "%u", n);
		} else {
			cr_assert_not(plain_refer(&set, pa), "%u", n);
			(void)model_cache_admit(&cache, pa, MODEL_SHARED + (n & 2), true);
			plain_arrive(&set, pa);
		}
		same_set(&cache, &set, n);
		memcpy(before, lines, sizeof(lines));
		for (unsigned int which = 0; which < LINES - 1; which++) {
			const uint64_t *at = model_cache_find(&cache, line(FIRST + which));
			const unsigned int byte =
				at && *at & MODEL_REFERENCED ? model_line_state(*at) : 0;

			cr_assert_eq(filter[which * SETS], byte, "%u", n);
			if (byte)
				(void)model_cache_refer(&cache, line(FIRST + which));
		}
		cr_assert_arr_eq(before, lines, sizeof(lines), "%u", n);
	}
	cr_expect_eq(filter[(LINES - 1) * SETS], 0, "of no line of the filter");
}
