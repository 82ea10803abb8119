/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of the control registers of EL2 and EL3 that routing, masking and trapping look at, of
 * exceptions, instructions and accesses to registers (Arm ARM D24, the pages of the registers).
 */
#ifndef VSPE_SOFT_CONTROLS_H
#define VSPE_SOFT_CONTROLS_H

#include <stdint.h>

#define HCR_VM	   (UINT64_C(1) << 0)
#define HCR_PTW	   (UINT64_C(1) << 2)
#define HCR_FMO	   (UINT64_C(1) << 3)
#define HCR_IMO	   (UINT64_C(1) << 4)
#define HCR_AMO	   (UINT64_C(1) << 5)
#define HCR_VF	   (UINT64_C(1) << 6)
#define HCR_VI	   (UINT64_C(1) << 7)
#define HCR_VSE	   (UINT64_C(1) << 8)
#define HCR_DC	   (UINT64_C(1) << 12)
#define HCR_TWI	   (UINT64_C(1) << 13)
#define HCR_TWE	   (UINT64_C(1) << 14)
#define HCR_TID1   (UINT64_C(1) << 16)
#define HCR_TID2   (UINT64_C(1) << 17)
#define HCR_TID3   (UINT64_C(1) << 18)
#define HCR_TSC	   (UINT64_C(1) << 19)
#define HCR_TIDCP  (UINT64_C(1) << 20)
#define HCR_TACR   (UINT64_C(1) << 21)
#define HCR_TSW	   (UINT64_C(1) << 22)
#define HCR_TPCP   (UINT64_C(1) << 23)
#define HCR_TPU	   (UINT64_C(1) << 24)
#define HCR_TTLB   (UINT64_C(1) << 25)
#define HCR_TVM	   (UINT64_C(1) << 26)
#define HCR_TGE	   (UINT64_C(1) << 27)
#define HCR_TDZ	   (UINT64_C(1) << 28)
#define HCR_HCD	   (UINT64_C(1) << 29)
#define HCR_TRVM   (UINT64_C(1) << 30)
#define HCR_RW	   (UINT64_C(1) << 31)
#define HCR_CD	   (UINT64_C(1) << 32)
#define HCR_ID	   (UINT64_C(1) << 33)
#define HCR_E2H	   (UINT64_C(1) << 34)
#define HCR_TLOR   (UINT64_C(1) << 35)
#define HCR_TEA	   (UINT64_C(1) << 37)
#define HCR_NV	   (UINT64_C(1) << 42)
#define HCR_NV1	   (UINT64_C(1) << 43)
#define HCR_AT	   (UINT64_C(1) << 44)
#define HCR_NV2	   (UINT64_C(1) << 45)
#define HCR_TID4   (UINT64_C(1) << 49)
#define HCR_TICAB  (UINT64_C(1) << 50)
#define HCR_TOCU   (UINT64_C(1) << 52)
#define HCR_TTLBIS (UINT64_C(1) << 54)
#define HCR_TTLBOS (UINT64_C(1) << 55)

#define HFGITR_ERET    (UINT64_C(1) << 51)
#define HFGITR_SVC_EL0 (UINT64_C(1) << 52)
#define HFGITR_SVC_EL1 (UINT64_C(1) << 53)

/* Of MDCR_EL2 and MDCR_EL3; TDE and TDRA are the former's alone. */
#define MDCR_EL2_TDE (UINT64_C(1) << 8)
#define MDCR_TDA     (UINT64_C(1) << 9)
#define MDCR_TDOSA   (UINT64_C(1) << 10)
#define MDCR_TDRA    (UINT64_C(1) << 11)
#define MDCR_TDCC    (UINT64_C(1) << 27)

#define CPTR_TCPAC (UINT64_C(1) << 31) /* of CPTR_EL2 and CPTR_EL3 */

#define CNTHCTL_ECV	 (UINT64_C(1) << 12)
#define CNTHCTL_EL1TVT	 (UINT64_C(1) << 13)
#define CNTHCTL_EL1TVCT	 (UINT64_C(1) << 14)
#define CNTHCTL_EL1NVPCT (UINT64_C(1) << 15)
#define CNTHCTL_EL1NVVCT (UINT64_C(1) << 16)

#define ICH_HCR_TC    (UINT64_C(1) << 10)
#define ICH_HCR_TALL0 (UINT64_C(1) << 11)
#define ICH_HCR_TALL1 (UINT64_C(1) << 12)
#define ICH_HCR_TDIR  (UINT64_C(1) << 14)

#define SCR_NS	   (UINT64_C(1) << 0)
#define SCR_IRQ	   (UINT64_C(1) << 1)
#define SCR_FIQ	   (UINT64_C(1) << 2)
#define SCR_EA	   (UINT64_C(1) << 3)
#define SCR_SMD	   (UINT64_C(1) << 7)
#define SCR_HCE	   (UINT64_C(1) << 8)
#define SCR_SIF	   (UINT64_C(1) << 9)
#define SCR_RW	   (UINT64_C(1) << 10)
#define SCR_ST	   (UINT64_C(1) << 11)
#define SCR_TWI	   (UINT64_C(1) << 12)
#define SCR_TWE	   (UINT64_C(1) << 13)
#define SCR_TLOR   (UINT64_C(1) << 14)
#define SCR_EEL2   (UINT64_C(1) << 18)
#define SCR_FGTEN  (UINT64_C(1) << 27)
#define SCR_ECVEN  (UINT64_C(1) << 28)
#define SCR_FGTEN2 (UINT64_C(1) << 59)
#define SCR_NSE	   (UINT64_C(1) << 62)

#define MDCR_EL3_NSPBE		 (UINT64_C(1) << 11)
#define MDCR_EL3_NSPB		 (UINT64_C(3) << 12) /* Non-secure, or Realm with NSPBE */
#define MDCR_EL3_NSPB_SECURE	 (UINT64_C(1) << 12)
#define MDCR_EL3_SDD		 (UINT64_C(1) << 16)
#define MDCR_EL3_ENPMSN		 (UINT64_C(1) << 36)
#define MDCR_EL3_ENPMS3		 (UINT64_C(1) << 42)
#define MDCR_EL3_PMSEE_DELEGATED (UINT64_C(1) << 51)
#define MDCR_EL3_ENPMS4		 (UINT64_C(1) << 55)

#endif
