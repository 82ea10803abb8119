/* SPDX-License-Identifier: BSD-2-Clause */
/* How a core of the machine model translates an address. */
#ifndef VSPE_MODEL_TRANSLATE_H
#define VSPE_MODEL_TRANSLATE_H

#include "core.h"

/* The key of va in the present context of one of the core's regimes. */
static inline struct model_tlb_key model_key_of(const struct model_core *core, unsigned int regime,
						uint64_t va)
{
	return (struct model_tlb_key){
		.regime = regime, .context = core->contexts[regime], .va = va};
}

/*
 * A miss in a TLB of level 1: returns the cycles in the TLB of level 2, and on a walk. *page is
 * what the TLB has afterwards.
 */
uint32_t model_refill(struct model *model, uint32_t index, const struct model_facts *facts,
		      uint64_t va, bool data, bool *walked, uint64_t *page);

#endif
