/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation tables for lower Exception levels (VMSAv8-64, 4 KiB granule): stage 1 with 48-bit
 * input addresses from level 0, stage 2 with 39-bit ones from level 1. For GUEST_EL 2 and 3.
 */
#ifndef GUEST_STAGE_H
#define GUEST_STAGE_H

#include <stdbool.h>
#include <stdint.h>

struct stage {
	uint64_t root;	    /* PA, for TTBR0_ELx or VTTBR_EL2 */
	unsigned int first; /* level of the root */
};

/* Attributes of a page or block. MAIR index 0 is Device-nGnRnE, 1 Normal write-back: STAGE_MAIR. */
#define STAGE_MAIR UINT64_C(0xff00)

#define S1_NORMAL (UINT64_C(1) << 2 | UINT64_C(3) << 8 | UINT64_C(1) << 10) /* with AF */
#define S1_DEVICE (UINT64_C(1) << 10)
#define S1_EL0	  (UINT64_C(1) << 6) /* AP[1] */
#define S1_RO	  (UINT64_C(1) << 7) /* AP[2] */
#define S1_NG	  (UINT64_C(1) << 11)
#define S1_PXN	  (UINT64_C(1) << 53)
#define S1_UXN	  (UINT64_C(1) << 54)

#define S2_NORMAL (UINT64_C(15) << 2 | UINT64_C(3) << 8 | UINT64_C(1) << 10) /* with AF */
#define S2_DEVICE (UINT64_C(1) << 10)
#define S2_R	  (UINT64_C(1) << 6)
#define S2_W	  (UINT64_C(1) << 7)
#define S2_RW	  (S2_R | S2_W)
#define S2_XN	  (UINT64_C(1) << 54)

/* TCR_EL1 and TCR_EL2 or TCR_EL3 for a stage 1, lower half only; VTCR_EL2 for a stage 2; 40-bit
 * PAs. */
#define STAGE1_TCR                                                                     \
	(UINT64_C(16) | UINT64_C(0x35) << 8 | UINT64_C(1) << 23 | UINT64_C(16) << 16 | \
	 UINT64_C(2) << 30 | UINT64_C(2) << 32)
#define STAGE1_TCR_EL2                                                                \
	(UINT64_C(16) | UINT64_C(0x35) << 8 | UINT64_C(2) << 16 | UINT64_C(1) << 31 | \
	 UINT64_C(1) << 23)
#define STAGE2_VTCR                                                                  \
	(UINT64_C(25) | UINT64_C(1) << 6 | UINT64_C(0x35) << 8 | UINT64_C(2) << 16 | \
	 UINT64_C(1) << 31)
#define STAGE2_BITS 39

struct stage stage1_new(void);
struct stage stage2_new(void);
/*
 * Map size bytes (all page-aligned) in pages; what was mapped there is replaced, with no TLB
 * maintenance. stage_unmap() makes entries invalid.
 */
void stage_map(const struct stage *s, uint64_t in, uint64_t out, uint64_t size,
	       uint64_t attributes);
void stage_unmap(const struct stage *s, uint64_t in, uint64_t size);
/* One block of level 1 or 2, or a page of level 3. */
void stage_map_level(const struct stage *s, uint64_t in, uint64_t out, unsigned int level,
		     uint64_t attributes);
/* The entry for an address in the table of a level, to change as one likes; tables on the way are
 * made. */
volatile uint64_t *stage_entry(const struct stage *s, uint64_t in, unsigned int level);
/* TLBI of all of stage 1 and 2 of all VMIDs, from EL2 or EL3; from EL3 in the Security state of
 * SCR_EL3. */
void stage_flush(void);

#endif
