/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TLB of the machine model: which pages are in it, without what they map to. An entry is a page
 * or a block as the tables have it, of a translation regime, and of the context that it was
 * translated in: Security state, VMID, and ASID unless it is global (Arm ARM D8.16). It stays until
 * maintenance drops it, or until another entry replaces it: in the TLB of level 2 the least
 * recently used one of its set, in those of level 1 as in caches of level 1 (cache.h).
 */
#ifndef VSPE_MODEL_TLB_H
#define VSPE_MODEL_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_tlb_entry {
	uint64_t page;	  /* 0: there is none */
	uint64_t context; /* model_context() */
};

/* Translation regimes (Arm ARM D8.1.2): of EL1 and EL0, of EL2 and EL0, of EL2, of EL3. */
enum model_regime { MODEL_REGIME_EL10, MODEL_REGIME_EL20, MODEL_REGIME_EL2, MODEL_REGIME_EL3 };

/* Entries that are found without a search, by bits of the address. */
#define MODEL_TLB_FOUND 64u

#define MODEL_TLB_WAYS_MAX 256

/* Arrays are the caller's: ways of set 0, of set 1 ... */
struct model_tlb {
	struct model_tlb_entry *entries; /* and one that is none, at the end */
	uint8_t *tags; /* of each entry what its address and regime come to; 0: there is none */
	/*
	 * The ways of a set form a ring, from the most recently used one, which is first[set], to
	 * the free ones. These are the neighbours of each way.
	 */
	uint8_t *before, *after, *first;
	uint32_t sets, ways;
	bool refers;	/* level 1: it is replaced by references */
	uint64_t epoch; /* level 1: counts entries that are no longer referenced, or dropped */
	uint64_t sizes; /* log2 of the sizes of pages that may be in it, a bit each */
	uint32_t found[MODEL_TLB_FOUND]; /* numbers of entries */
};

/* Bits of a page below its address, in bits 11 to 0. */
#define MODEL_TLB_SHIFT	     UINT64_C(0x3f) /* log2 of the size of the page, 12 to 47 */
#define MODEL_TLB_REGIME     UINT64_C(0xc0)
#define MODEL_TLB_UNCACHED   UINT64_C(0x100) /* the tables say that no cache has it */
#define MODEL_TLB_GLOBAL     UINT64_C(0x200) /* its ASID does not count */
#define MODEL_TLB_REFERENCED UINT64_C(0x400) /* of level 1 */

static inline unsigned int model_tlb_shift(uint64_t page)
{
	return (unsigned int)(page & MODEL_TLB_SHIFT);
}

/*
 * The context of a regime. security: 0 to 3, a number for each Security state. If there is no VMID
 * or ASID: 0.
 */
#define MODEL_CONTEXT_ASID UINT64_C(0xffff)
#define MODEL_CONTEXT_VMID UINT64_C(0xffff0000)
#define MODEL_CONTEXT_MAX  UINT64_C(0x3ffffffff)
static inline uint64_t model_context(uint16_t asid, uint16_t vmid, unsigned int security)
{
	return asid | (uint64_t)vmid << 16 | (uint64_t)security << 32;
}

/* An address without its tag, which TLBs do not have. */
static inline uint64_t model_untagged(uint64_t va)
{
	return (uint64_t)((int64_t)(va << 8) >> 8);
}

/* A place in the tables of a context: regime: enum model_regime; va has no tag in its top byte. */
struct model_tlb_key {
	unsigned int regime;
	uint64_t context, va;
};

/* Numbers of 64 bits that a TLB of so many entries takes; ways: 1 to MODEL_TLB_WAYS_MAX. */
size_t model_tlb_words(uint32_t count, uint32_t ways);

/*
 * Set up one, of level 1 if it refers. Returns the end of the part of memory that it uses. memory
 * need not be zero.
 */
uint64_t *model_tlb_init(struct model_tlb *tlb, uint32_t count, uint32_t ways, bool refers,
			 uint64_t *memory);

/*
 * Is the page of key there? Then it has been used, or referenced, and *page is it.
 */
bool model_tlb_use(struct model_tlb *tlb, const struct model_tlb_key *key, uint64_t *page);

/* The page of key, if it is there and referenced, or 0. It has not been used by that. */
uint64_t model_tlb_referenced(struct model_tlb *tlb, const struct model_tlb_key *key);

/*
 * Insert a page of 1 << shift bytes that is not there. It has been used, or referenced.
 * attributes: MODEL_TLB_UNCACHED, MODEL_TLB_GLOBAL.
 */
void model_tlb_insert(struct model_tlb *tlb, const struct model_tlb_key *key, unsigned int shift,
		      uint64_t attributes);

/*
 * What TLB maintenance drops: entries of context's Security state and, unless any_vmid, of its
 * VMID. By ASID alone, global entries stay; by ASID and address, they go.
 */
struct model_tlbi {
	unsigned int regimes; /* 1 << enum model_regime */
	uint64_t context;     /* with the ASID of by_asid */
	bool any_vmid, by_asid, by_va;
	uint64_t va; /* without a tag */
};

/*
 * The entries of set number set, to save a TLB, the most recently used one first: list has room for
 * ways of them. Returns how many there are.
 */
uint32_t model_tlb_list(const struct model_tlb *tlb, uint32_t set, struct model_tlb_entry *list);

/*
 * Add an entry of a saved TLB, as the least recently used one of its set. False: the set is full.
 */
bool model_tlb_load(struct model_tlb *tlb, const struct model_tlb_entry *entry);

/* Drop those entries. NULL: all of them. */
void model_tlb_drop(struct model_tlb *tlb, const struct model_tlbi *tlbi);

#endif
