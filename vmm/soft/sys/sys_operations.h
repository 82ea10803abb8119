/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of SYS instructions, for the rows of sys_operations.def. */
#ifndef VSPE_SOFT_SYS_OPERATIONS_H
#define VSPE_SOFT_SYS_OPERATIONS_H

#include "soft/sys/sys_private.h"

/* Privileged; a write; PSTATE.PAN counts; through both stages; EL2's regime, EL3's. */
#define AT_EL1	  (1u << 0)
#define AT_WRITE  (1u << 1)
#define AT_PAN	  (1u << 2)
#define AT_STAGE2 (1u << 3)
#define AT_EL2	  (1u << 4)
#define AT_EL3	  (1u << 5)

/* What DC does to a line: to the Point of Coherency, or else of Unification. */
#define DC_CLEAN      (1u << 0)
#define DC_INVALIDATE (1u << 1)
#define DC_TO_MEMORY  (1u << 2)
#define DC_WRITES     (1u << 3) /* it has to be permitted as a write */

/* What to drop, and of which regime; without the last two, that of EL1 or, in a host, EL2&0. */
#define TLBI_ALL    (1u << 0)
#define TLBI_VA	    (1u << 1)
#define TLBI_ASID   (1u << 2)
#define TLBI_SHARED (1u << 3)
#define TLBI_GUEST  (1u << 4) /* EL1&0 in any case */
#define TLBI_EL2    (1u << 5)
#define TLBI_EL3    (1u << 6)
#define TLBI_RANGE  (1u << 7) /* of addresses */
#define TLBI_IPA    (1u << 8) /* of stage 2 alone */
#define TLBI_VMIDS  (1u << 9) /* of all VMIDs */

enum sys_operation_kind {
	SYS_NOTHING, /* maintenance by set and way */
	SYS_IC_ALL,  /* argument: of all PEs? */
	SYS_IC_VA,
	SYS_DC_VA, /* argument: DC_* */
	SYS_DC_PA, /* the same, of a physical address */
	SYS_DC_ZVA,
	SYS_AT,
	SYS_TLBI,
};

struct sys_operation {
	uint16_t encoding; /* SYSREG_ENCODING() */
	struct sys_rule rule;
	uint8_t kind; /* enum sys_operation_kind */
	uint16_t argument;
};

#endif
