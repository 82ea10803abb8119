/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk of the EL1&0 stage 1 translation tables, as a function of the registers that control it
 * and of memory. Knows no vCPU: AT, the profiling buffer, and engines other than soft may use it.
 */
#ifndef VSPE_SOFT_MMU_H
#define VSPE_SOFT_MMU_H

#include "soft/sys.h"

struct mmu_regime {
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair; /* SCTLR_EL1 and so on */
	uint8_t pa_bits;			 /* implemented physical address size */
	bool pan;				 /* PSTATE.PAN, if it is to count for the access */
	bool keep; /* behave as with hardware updates, but do not write */
	void *ctx;
	/* A descriptor, 8 bytes at an aligned physical address. false: external abort. */
	bool (*read)(void *ctx, uint64_t pa, uint64_t *descriptor);
	/* Only after a successful read of the same address. */
	void (*write)(void *ctx, uint64_t pa, uint64_t descriptor);
};

/* As soft_translate(), with the regime given. */
bool mmu_translate(const struct mmu_regime *regime, uint64_t va, enum soft_access access,
		   unsigned int el, struct soft_translation *t);

/* The regime of a vCPU of soft, its tables in guest RAM. */
struct mmu_regime soft_regime(struct soft_cpu *cpu);

/* Does TCR_EL1.TBIn make the top byte of va a tag? */
bool mmu_tagged(uint64_t tcr, uint64_t va);

#endif
