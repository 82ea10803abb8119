/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of SPE's registers (Arm ARM D24) and the bits of the Events packet (D18.2). */
#ifndef VSPE_SPE_FIELDS_H
#define VSPE_SPE_FIELDS_H

#include <vspe/spe.h>

#define BIT(n)		 (UINT64_C(1) << (n))
#define FIELD(high, low) ((UINT64_MAX >> (63 - (high))) & (UINT64_MAX << (low)))

/* PMSCR_EL1 and PMSCR_EL2 have the same layout. */
#define PMSCR_E0SPE    BIT(0) /* E0HSPE in PMSCR_EL2 */
#define PMSCR_E1SPE    BIT(1) /* E2SPE in PMSCR_EL2 */
#define PMSCR_CX       BIT(3)
#define PMSCR_PA       BIT(4)
#define PMSCR_TS       BIT(5)
#define PMSCR_PCT      BIT(6)
#define PMSCR_PCT_1    BIT(7) /* FEAT_ECV */
#define PMSCR_EE       FIELD(9, 8)
#define PMSCR_EE_SHIFT 8
#define PMSCR_KE       BIT(10)
#define PMSCR_ENVM     BIT(11)

#define PMSICR_COUNT	    FIELD(31, 0)
#define PMSICR_ECOUNT	    FIELD(63, 56)
#define PMSICR_ECOUNT_SHIFT 56

#define PMSIRR_RND	      BIT(0)
#define PMSIRR_INTERVAL	      FIELD(31, 8)
#define PMSIRR_INTERVAL_SHIFT 8

#define PMSFCR_FE	  BIT(0)
#define PMSFCR_FT	  BIT(1)
#define PMSFCR_FL	  BIT(2)
#define PMSFCR_FNE	  BIT(3)
#define PMSFCR_FDS	  BIT(4)
#define PMSFCR_TYPE	  FIELD(18, 16) /* ST, LD, B */
#define PMSFCR_TYPE_EFT	  FIELD(20, 19) /* SIMD, FP */
#define PMSFCR_TYPE_SHIFT 16
#define PMSFCR_MASK	  FIELD(52, 48)
#define PMSFCR_MASK_SHIFT 48

#define PMBLIMITR_E	     BIT(0)
#define PMBLIMITR_FM	     FIELD(2, 1)
#define PMBLIMITR_FM_DISCARD (UINT64_C(2) << 1)
#define PMBLIMITR_PMFZ	     BIT(5)
#define PMBLIMITR_NVM	     BIT(7)
#define PMBLIMITR_LIMIT	     FIELD(63, 12)

#define PMBMAR_ATTR	FIELD(7, 0)
#define PMBMAR_SH	FIELD(9, 8)
#define PMBMAR_SH_SHIFT 8

#define PMBSR_MSS	 FIELD(15, 0)
#define PMBSR_COLL	 BIT(16)
#define PMBSR_S		 BIT(17)
#define PMBSR_EA	 BIT(18)
#define PMBSR_DL	 BIT(19)
#define PMBSR_EC	 FIELD(31, 26)
#define PMBSR_EC_SHIFT	 26
#define PMBSR_MSS2	 FIELD(55, 32)
#define PMBSR_MSS2_SHIFT 32

/* Bits of the Events packet that the unit itself knows about. */
#define EVENT_EXCEPTION		SPE_EVENT_EXCEPTION
#define EVENT_RETIRED		SPE_EVENT_RETIRED
#define EVENT_NOT_TAKEN		BIT(6)
#define EVENT_MISALIGNED	BIT(11)
#define EVENT_TRANSACTIONAL	BIT(16)
#define EVENT_PARTIAL_PREDICATE BIT(17)
#define EVENT_EMPTY_PREDICATE	BIT(18)
#define EVENT_STREAMING		BIT(24)
#define EVENT_SMCU		BIT(25)

/* Security states as {NSE,NS}. */
enum security_state {
	SS_SECURE = 0,
	SS_NON_SECURE = 1,
	SS_ROOT = 2,
	SS_REALM = 3,
	SS_NONE = 4, /* of no owner: MDCR_EL3.{NSPBE,NSPB} reserved */
};

#endif
