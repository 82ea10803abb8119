/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches and TLBs of the machine model: who stays and who goes. */

#include "../compare.h"
#include "arm/model_cache.h"
#include "arm/model_tlb.h"

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
