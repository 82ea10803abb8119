/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maintenance of caches and TLBs by EL1 and EL0, for a machine model. It sees only the encoding
 * of the SYS instruction (Arm ARM C5.3 to C5.5). Maintenance by set and way has no effect.
 */
#ifndef VSPE_MODEL_UPKEEP_H
#define VSPE_MODEL_UPKEEP_H

#include "tlb.h"

enum model_upkeep_kind {
	MODEL_UPKEEP_NONE,
	MODEL_UPKEEP_ZERO,     /* DC ZVA */
	MODEL_UPKEEP_DATA,     /* DC by address: model_memory_maintain(), with what */
	MODEL_UPKEEP_CODE,     /* IC by address */
	MODEL_UPKEEP_CODE_ALL, /* IC of everything */
	MODEL_UPKEEP_TLB,      /* TLBI */
};

struct model_upkeep {
	enum model_upkeep_kind kind;
	unsigned int what; /* MODEL_CLEAN and so on */
	bool all_cores;
	bool by_va, by_asid, range; /* of TLBI */
};

/* encoding: SYSREG_ENCODING() of a SYS instruction. kind MODEL_UPKEEP_NONE: none of these. */
struct model_upkeep model_upkeep_find(uint32_t encoding);

/*
 * Make *tlbi of a TLBI of EL1&0 with that value in Xt. as, ds: TCR_EL1.{AS,DS}. Returns how many
 * addresses it drops, from tlbi->va on and 4096 bytes apart; 1 if it is not by address.
 */
unsigned int model_upkeep_tlbi(const struct model_upkeep *upkeep, uint64_t value, bool as, bool ds,
			       unsigned int security, struct model_tlbi *tlbi);

/*
 * The value of a TLBI by range: the first address, and how many pages of 4 KiB; or 0 if they are so
 * many that the whole regime is dropped. ds: TCR_ELx.DS, with which the address is in units of 64K
 * (FEAT_LPA2).
 */
unsigned int model_upkeep_range(uint64_t value, bool ds, uint64_t *va);

#endif
