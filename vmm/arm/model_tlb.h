/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TLB of the machine model: which pages are in it, without where they lead. Its sets are as those
 * of a cache. An entry is a page or a block as the tables have it, of a translation regime; there
 * are no ASIDs and VMIDs: what changes a regime's registers drops its entries.
 */
#ifndef VSPE_ARM_MODEL_TLB_H
#define VSPE_ARM_MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

struct model_tlb {
	uint64_t *entries; /* the caller's */
	uint32_t sets, ways;
	uint64_t sizes; /* log2 of the sizes of pages that may be in it, a bit each */
};

/* Bits of an entry below its address, in bits 11 to 0. 0 is no entry. */
#define MODEL_TLB_SHIFT	   UINT64_C(0x3f) /* log2 of the size of the page, 12 to 47 */
#define MODEL_TLB_REGIME   UINT64_C(0xc0)
#define MODEL_TLB_UNCACHED UINT64_C(0x100) /* the tables say that no cache has it */

static inline unsigned int model_tlb_shift(uint64_t entry)
{
	return (unsigned int)(entry & MODEL_TLB_SHIFT);
}

/* Returns entries behind those that it takes. */
uint64_t *model_tlb_init(struct model_tlb *tlb, uint32_t count, uint32_t ways, uint64_t *entries);

/*
 * Is the page of va there? It is the most recently used one of its set then, and *entry is it.
 * regime is 0 to 3; va has no tag in its top byte.
 */
bool model_tlb_use(struct model_tlb *tlb, unsigned int regime, uint64_t va, uint64_t *entry);

/*
 * A page of 1 << shift bytes that is not there comes in for the least recently used one.
 * attributes: MODEL_TLB_UNCACHED, or 0.
 */
void model_tlb_insert(struct model_tlb *tlb, unsigned int regime, uint64_t va, unsigned int shift,
		      uint64_t attributes);

/* Entries go: of va in these regimes (a bit each), or all of them. */
void model_tlb_drop(struct model_tlb *tlb, unsigned int regimes, const uint64_t *va);

#endif
