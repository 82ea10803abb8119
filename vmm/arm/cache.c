/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches that a core reports: see cache.h. */
#include "arm/cache.h"

#include <stddef.h>
#include <vspe/spe.h>

#include "model/config.h"

_Static_assert(ARM_CACHE_LINE == MODEL_LINE, "they are those of the model");

#define CCSIDR_LINE	  2 /* log2 of its words, less 2 */
#define CCSIDR_WAYS(ways) ((uint64_t)((ways)-1) << 3)
#define CCSIDR_SETS(sets) ((uint64_t)((sets)-1) << 13)

static const char *core_name(uint32_t midr)
{
	const struct spe_core *core;

	for (unsigned int i = 0; (core = spe_core(i)) != NULL; i++)
		if (core->midr == midr)
			return core->name;
	return "generic";
}

struct arm_cache arm_cache_of(uint32_t midr, enum arm_cache_select select)
{
	const struct model_config model = model_config_of(core_name(midr));
	struct arm_cache cache = {.size = model.l2_size, .ways = model.l2_ways};

	if (select == ARM_CACHE_L1D)
		cache = (struct arm_cache){.size = model.l1d_size, .ways = model.l1d_ways};
	else if (select == ARM_CACHE_L1I)
		cache = (struct arm_cache){.size = model.l1i_size, .ways = model.l1i_ways};
	cache.sets = cache.size / (cache.ways * ARM_CACHE_LINE);
	return cache;
}

uint64_t arm_ccsidr(uint32_t midr, uint64_t csselr)
{
	struct arm_cache cache;

	if (csselr >= ARM_CACHES)
		return 0;
	cache = arm_cache_of(midr, (enum arm_cache_select)csselr);
	return CCSIDR_SETS(cache.sets) | CCSIDR_WAYS(cache.ways) | CCSIDR_LINE;
}
