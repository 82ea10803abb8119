/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the stage 2 tests of levels share.
 */
#ifndef GUEST_LEVELS_STAGE2_H
#define GUEST_LEVELS_STAGE2_H

#include "levels.h"
#include "stage.h"

/* Unmapped IPAs: aligned to a gigabyte, in the 39 bits of STAGE2_VTCR. */
#define TEST_IPA UINT64_C(0x200000000)
#define GIGABYTE (UINT64_C(1) << 30)

#define FSC_ADDRESS_SIZE 0x00
#define FSC_TRANSLATION	 0x04
#define FSC_ACCESS	 0x08
#define FSC_PERMISSION	 0x0c

/* ISS of a data abort */
#define ISS_ISV	   (UINT64_C(1) << 24)
#define ISS_SAS(n) ((uint64_t)(n) << 22)
#define ISS_SSE	   (UINT64_C(1) << 21)
#define ISS_SRT(n) ((uint64_t)(n) << 16)
#define ISS_SF	   (UINT64_C(1) << 15)
#define ISS_AR	   (UINT64_C(1) << 14)
#define ISS_CM	   (UINT64_C(1) << 8)
#define ISS_S1PTW  (UINT64_C(1) << 7)
#define ISS_WNR	   (UINT64_C(1) << 6)
#define ISS_X5	   (ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF) /* LDR or STR X5 */

#define LOAD  A64_LDR(5, 1) /* LDR X5, [X1] */
#define STORE A64_STR(5, 1)

#define HPFAR(ipa) ((ipa) >> 12 << 4)

/*
 * Put a stage 2 in force, with VMID, that maps only the library's code and vectors, to themselves.
 */
struct stage stage2_begin(unsigned int vmid);
/* Set VTCR_EL2, the PA of the root, VMID, and at Secure EL2 their Secure counterparts. */
void stage2_set(uint64_t vtcr, uint64_t root, unsigned int vmid);
/* Use the stage 2 of stage.h. */
void stage2_use(const struct stage *s, unsigned int vmid);
/* lower_init() with HCR_EL2.VM; X1 is ipa. */
void stage2_context(unsigned int el, uint64_t x1);
/* word takes an abort to EL2. */
bool aborts(uint32_t word, uint64_t esr, uint64_t far, uint64_t ipa, const char *what);
/* A page of RAM with a pattern; its PA. Word n is value + n. */
uint64_t pattern_page(uint64_t value);
/* Map the page of a lower_context's code and vectors at their PAs. */
void map_code(const struct stage *s, uint64_t attributes);

#endif
