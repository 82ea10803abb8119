/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts for a machine model from instruction words and control registers, for any engine. */
#ifndef VSPE_ARM_MODEL_FACTS_H
#define VSPE_ARM_MODEL_FACTS_H

#include "model/core.h"
#include "arm/registers.h"

/*
 * Does a byte of MAIR_ELx mean Normal memory that the inner and the outer caches may hold (D19.2)?
 */
static inline bool model_cacheable(uint8_t attr)
{
	const unsigned int inner = attr & 0xf, outer = attr >> 4;

	return outer != 0 && outer != 4 && inner != 0 && inner != 4;
}

/*
 * Do SCTLR_ELx and HCR_EL2 keep an access, data or a fetch, out of all caches, whatever the tables
 * say? Without stage 1, data is Device memory. hcr: 0 if HCR_EL2 has no effect.
 */
static inline bool model_bypassed(uint64_t sctlr, uint64_t hcr, bool data)
{
	if (hcr & HCR_EL2_DC)
		return false;
	if (data && (!(sctlr & SCTLR_ELx_M) || hcr & HCR_EL2_TGE))
		return true;
	return !(sctlr & (data ? SCTLR_ELx_C : SCTLR_ELx_I));
}

/*
 * What an instruction needs; insn: its row, or NULL. One that reads a counter of the PMU issues
 * alone, so that the next one reads more.
 */
struct model_needs model_needs_of(const struct a64_insn *insn, uint32_t word);

/* Is it PRFM? */
bool model_prefetches(const struct a64_insn *insn);

#endif
