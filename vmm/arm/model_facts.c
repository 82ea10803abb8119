/* SPDX-License-Identifier: BSD-2-Clause */
/* See model_facts.h. */
#include "arm/model_facts.h"

#include "arm/walk.h"
#include "pmu/route.h"

_Static_assert((int)MODEL_REGIME_EL10 == (int)ARM_REGIME_EL10 &&
		       (int)MODEL_REGIME_EL20 == (int)ARM_REGIME_EL20 &&
		       (int)MODEL_REGIME_EL2 == (int)ARM_REGIME_EL2 &&
		       (int)MODEL_REGIME_EL3 == (int)ARM_REGIME_EL3,
	       "the engines pass one for the other");

struct model_needs model_needs_of(const struct a64_insn *insn, uint32_t word)
{
	return (struct model_needs){
		.registers = a64_register_sets(insn, word),
		.alone =
			insn && insn->id == A64_MRS && pmu_is_counter(pmu_find(a64_encoding(word))),
	};
}

bool model_prefetches(const struct a64_insn *insn)
{
	return insn && (insn->id == A64_PRFM_LIT || insn->id == A64_PRFM_IMM ||
			insn->id == A64_PRFUM || insn->id == A64_PRFM_REG);
}
