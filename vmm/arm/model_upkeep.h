/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maintenance of caches and TLBs that EL1 and EL0 can do, as a machine model is told of it: by
 * the encoding of its SYS instruction alone (Arm ARM C5.3 to C5.5). By set and way nothing is done.
 */
#ifndef VSPE_ARM_MODEL_UPKEEP_H
#define VSPE_ARM_MODEL_UPKEEP_H

#include "arm/model_tlb.h"

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
 * What a TLBI of EL1&0 with that value in Xt asks for, and this TCR_EL1. Returns of how many
 * addresses, tlbi->va and those 4096 bytes apart behind it; 1 where it is not by address.
 */
unsigned int model_upkeep_tlbi(const struct model_upkeep *upkeep, uint64_t value, uint64_t tcr,
			       unsigned int security, struct model_tlbi *tlbi);

/*
 * The value of a TLBI by range: the first address, and how many pages of 4 KiB; or 0, for all of
 * the regime: there are more than it is worth. ds: TCR_ELx.DS, with which the address is in units
 * of 64K (FEAT_LPA2).
 */
unsigned int model_upkeep_range(uint64_t value, bool ds, uint64_t *va);

#endif
