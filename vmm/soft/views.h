/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vCPU's caches of translations, for data and for code: the software TLB, the jump cache and
 * the instruction-side TLB.
 */
#ifndef VSPE_SOFT_VIEWS_H
#define VSPE_SOFT_VIEWS_H

#include "soft/op.h"

#define SOFT_PAGE_SHIFT 12
#define SOFT_PAGE_SIZE	(UINT64_C(1) << SOFT_PAGE_SHIFT)
#define SOFT_PAGE_MASK	(~(SOFT_PAGE_SIZE - 1)) /* the bits that choose a page */

/* One page of the software TLB: a hit needs one compare and yields the host's address. */
struct soft_tlb_entry {
	uint64_t read;	/* virtual page that may be read, or SOFT_NO_PAGE */
	uint64_t write; /* the same for writes */
	uintptr_t add;	/* host address minus virtual address */
	bool device;	/* Device memory: unaligned accesses fault */
	bool cached;	/* --model warm: the model has it, and caches its lines (filter.h) */
};

#define SOFT_NO_PAGE (~UINT64_C(0)) /* never equal to a page address */
/*
 * Set in write of a page that may be written but holds decoded code, or another vCPU's exclusive
 * monitor: then the fast path does not match, and the slow one drops the code or the monitor. The
 * contents of the TLB do not depend on what was decoded.
 */
#define SOFT_WATCHED  UINT64_C(0x800)
#define SOFT_TLB_SIZE 4096
#define SOFT_TLB_LOG  256
#define SOFT_ADDS     1024
#define SOFT_VICTIMS  256 /* 2 to the 8th: soft_tlb_victim() */

/*
 * The range of mappings larger than a page, with addresses as in TLB maintenance: without a tag.
 * Empty if low > high. Their pages are entered one by one; one address drops all of them.
 */
struct soft_large {
	uint64_t low, high;
};

struct soft_tlb {
	struct soft_tlb_entry entries[SOFT_TLB_SIZE];
	uint16_t filled[SOFT_TLB_LOG]; /* entries filled since the last flush: a flush is cheap */
	unsigned int fills;
	/* Pages that others replaced, in any order; none while evicted is false. */
	struct soft_tlb_entry victims[SOFT_VICTIMS];
	bool evicted;
	struct soft_large large;
};

/*
 * The translations that a software TLB can hold, by who accesses. EL0's belong to EL1&0 or, in a
 * host, EL2&0; EL2's to EL2 or EL2&0. soft_views.regimes says which regime a view has.
 */
enum soft_view {
	SOFT_VIEW_EL0,	   /* EL0, and LDTR/STTR */
	SOFT_VIEW_EL1,	   /* EL1 with PSTATE.PAN 0, and the profiling buffer */
	SOFT_VIEW_EL1_PAN, /* EL1 with PSTATE.PAN 1 */
	SOFT_VIEW_EL2,	   /* EL2 with PSTATE.PAN 0, the profiling buffer, accesses by VNCR_EL2 */
	SOFT_VIEW_EL2_PAN,
	SOFT_VIEW_EL3,
	SOFT_VIEWS,
};

/*
 * The inputs of the translations of EL1's, EL2's or EL3's regime, besides memory: while they are
 * the same, so are the translations. Registers and bits without effect there are 0.
 */
struct soft_regime_key {
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair, hcr, scr, vtcr, vttbr, vstcr, vsttbr;
};

/*
 * Jump cache: virtual address to block for indirect and page-crossing branches. An entry that was
 * emptied keeps the block: if it is executed again, it is usually at that place.
 */
struct soft_jump {
	uint64_t pc;
	const struct soft_op *op; /* or NULL */
};

#define SOFT_JUMPS    65536
#define SOFT_JUMP_LOG 8192 /* as SOFT_TLB_LOG */

/*
 * The place of an address. It depends on the upper bits, too, as a program and its libraries have
 * functions at the same offsets.
 */
static inline unsigned int soft_jump_index(uint64_t pc)
{
	return (unsigned int)((pc >> 2 ^ pc >> 16) % SOFT_JUMPS);
}

/*
 * Instruction-side TLB: virtual page to physical page. It keeps every page until it is full, and is
 * then emptied. So whatever leads to a decoded block, or onwards in it, leads to a page that is
 * here, and which fetches are translated anew depends only on the addresses fetched from.
 */
struct soft_code_page_map {
	uint64_t va, pa; /* pa with SOFT_MAP_BITS */
};

/*
 * FEAT_BTI: GP is 1 in the descriptor; and the log2 of the size that it maps. That is 0, unknown,
 * if a machine was saved by a vspe that did not keep it.
 */
#define SOFT_GUARDED	 UINT64_C(1)
#define SOFT_MAPS(shift) ((uint64_t)(shift) << 1)
#define SOFT_MAPPED(pa)	 ((pa) >> 1 & 63)
#define SOFT_MAP_BITS	 (SOFT_MAPS(63) | SOFT_GUARDED)

#define SOFT_ITLB_PAGES 1024
#define SOFT_ITLB_SLOTS (2 * SOFT_ITLB_PAGES) /* a hash table */

struct soft_code_view {
	struct soft_jump jumps[SOFT_JUMPS];
	uint16_t filled[SOFT_JUMP_LOG];
	unsigned int fills;
	bool leads; /* a jump has a block, emptied or not */
	struct soft_code_page_map itlb[SOFT_ITLB_SLOTS];
	uint16_t pages[SOFT_ITLB_PAGES]; /* its slots in use, in the order of filling */
	unsigned int page_count;
	bool guarded; /* some page is */
	struct soft_large large;
};

/*
 * Where the vCPU finds memory and code. All of it except unprivileged_tlb follows from memory and
 * registers at the time it was filled, and stays until software drops it.
 */
struct soft_views {
	/* The entries for LDTR and STTR are so many bytes after soft_cpu.tlb. */
	ptrdiff_t unprivileged_tlb;
	/* Aligned so that no entry crosses a line of the host's cache. */
	_Alignas(sizeof(struct soft_tlb_entry)) struct soft_tlb tlbs[SOFT_VIEWS];
	struct soft_code_view code[4];	   /* by EL */
	struct soft_regime_key regimes[4]; /* what the views were filled under, by EL; not [0] */
	bool host;			   /* EL0's views are of EL2&0 */
};

#endif
