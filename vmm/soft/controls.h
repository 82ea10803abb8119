/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of the control registers of EL2 and EL3 that routing, masking and trapping of exceptions
 * look at (Arm ARM D19, the pages of the registers).
 */
#ifndef VSPE_SOFT_CONTROLS_H
#define VSPE_SOFT_CONTROLS_H

#include <stdint.h>

#define HCR_FMO (UINT64_C(1) << 3)
#define HCR_IMO (UINT64_C(1) << 4)
#define HCR_AMO (UINT64_C(1) << 5)
#define HCR_VF	(UINT64_C(1) << 6)
#define HCR_VI	(UINT64_C(1) << 7)
#define HCR_VSE (UINT64_C(1) << 8)
#define HCR_TWI (UINT64_C(1) << 13)
#define HCR_TWE (UINT64_C(1) << 14)
#define HCR_TSC (UINT64_C(1) << 19)
#define HCR_TGE (UINT64_C(1) << 27)
#define HCR_HCD (UINT64_C(1) << 29)
#define HCR_RW	(UINT64_C(1) << 31)
#define HCR_E2H (UINT64_C(1) << 34)
#define HCR_TEA (UINT64_C(1) << 37)
#define HCR_NV	(UINT64_C(1) << 42)
#define HCR_NV1 (UINT64_C(1) << 43)
#define HCR_NV2 (UINT64_C(1) << 45)

#define HFGITR_ERET    (UINT64_C(1) << 51)
#define HFGITR_SVC_EL0 (UINT64_C(1) << 52)
#define HFGITR_SVC_EL1 (UINT64_C(1) << 53)

#define MDCR_EL2_TDE (UINT64_C(1) << 8)

#define SCR_NS	   (UINT64_C(1) << 0)
#define SCR_IRQ	   (UINT64_C(1) << 1)
#define SCR_FIQ	   (UINT64_C(1) << 2)
#define SCR_EA	   (UINT64_C(1) << 3)
#define SCR_SMD	   (UINT64_C(1) << 7)
#define SCR_HCE	   (UINT64_C(1) << 8)
#define SCR_RW	   (UINT64_C(1) << 10)
#define SCR_ST	   (UINT64_C(1) << 11)
#define SCR_TWI	   (UINT64_C(1) << 12)
#define SCR_TWE	   (UINT64_C(1) << 13)
#define SCR_EEL2   (UINT64_C(1) << 18)
#define SCR_FGTEN  (UINT64_C(1) << 27)
#define SCR_ECVEN  (UINT64_C(1) << 28)
#define SCR_HXEN   (UINT64_C(1) << 38)
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
