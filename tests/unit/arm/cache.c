/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches that a core tells of. */
#include <vspe/spe.h>

#include "../compare.h"
#include "arm/cache.h"

/* 64 KiB of 4 ways each, and 1 MiB of 8. */
Test(cache, of_a_core_by_name)
{
	const uint32_t midr = spe_core_find("neoverse-n1")->midr;

	cr_expect_eq(arm_ccsidr(midr, ARM_CACHE_L1D), 0x1fe01a);
	cr_expect_eq(arm_ccsidr(midr, ARM_CACHE_L1I), 0x1fe01a);
	cr_expect_eq(arm_ccsidr(midr, ARM_CACHE_L2), 0xffe03a);
	cr_expect_eq(arm_ccsidr(midr, 3), 0, "L2 has no instruction cache");
	cr_expect_eq(arm_ccsidr(midr, 0xe), 0, "level 8");
}

Test(cache, of_every_core)
{
	const struct spe_core *core;

	for (unsigned int i = 0; (core = spe_core(i)) != NULL; i++) {
		for (unsigned int j = 0; j < ARM_CACHES; j++) {
			const struct arm_cache cache =
				arm_cache_of(core->midr, (enum arm_cache_select)j);

			cr_expect_eq(cache.sets * cache.ways * ARM_CACHE_LINE, cache.size, "%s",
				     core->name);
			cr_expect_eq(cache.sets & (cache.sets - 1), 0, "%s", core->name);
		}
	}
	cr_expect_eq(arm_cache_of(0, ARM_CACHE_L2).size, 1 << 20, "one that is not known");
	cr_expect_eq(arm_cache_of(spe_core_find("kunpeng920")->midr, ARM_CACHE_L2).size, 512 << 10);
}
