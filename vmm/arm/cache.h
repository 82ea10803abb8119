/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches that a core reports: CLIDR_EL1 and CCSIDR_EL1 (Arm ARM D24.2), and the device tree.
 * They are those of the core's machine model (model/config.h) without a model file, whether a model
 * runs or not. The last-level cache is the system's.
 */
#ifndef VSPE_ARM_CACHE_H
#define VSPE_ARM_CACHE_H

#include <stdint.h>

/* What CSSELR_EL1 selects. */
enum arm_cache_select { ARM_CACHE_L1D, ARM_CACHE_L1I, ARM_CACHE_L2, ARM_CACHES };

#define ARM_CACHE_LINE 64 /* bytes */

/*
 * Separate caches at level 1, a unified one at level 2. The levels of coherency and unification are
 * 0: what was written is visible to all without cleaning a cache.
 */
#define ARM_CLIDR UINT64_C(0x23)

struct arm_cache {
	uint32_t size; /* bytes */
	uint32_t ways, sets;
};

/* A cache of the core with this MIDR_EL1. */
struct arm_cache arm_cache_of(uint32_t midr, enum arm_cache_select select);

/* CCSIDR_EL1, in the format without FEAT_CCIDX; 0 for what CSSELR_EL1 may not select. */
uint64_t arm_ccsidr(uint32_t midr, uint64_t csselr);

#endif
