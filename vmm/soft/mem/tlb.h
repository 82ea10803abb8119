/* SPDX-License-Identifier: BSD-2-Clause */
/* The software TLB: pages of RAM by virtual address, for each view of data accesses. */
#ifndef VSPE_SOFT_TLB_H
#define VSPE_SOFT_TLB_H

#include "arm/walk.h"
#include "soft/cpu.h"

/* Where an address leads. */
struct soft_place {
	uint64_t pa;
	uint8_t *host;		       /* NULL: neither RAM nor, to read, ROM */
	bool rom;		       /* not RAM, and not to be written */
	bool watched;		       /* stores must be reported: monitor.h */
	struct arm_translation failed; /* set on a fault, and only then */
};

/* The entries of an empty TLB: all accesses take the slow path, which checks watchpoints. */
extern const struct soft_tlb_entry soft_tlb_nothing[SOFT_TLB_SIZE];

/*
 * Translate va for a data access, from the TLB or by a walk. unaligned: as in struct arm_regime;
 * the walk refuses it for Device memory, in the order of its checks. False: place->failed says why.
 */
bool soft_tlb_resolve(struct soft_cpu *cpu, enum soft_view view, uint64_t va,
		      enum arm_access access, bool unaligned, struct soft_place *place);

/* Is this the entry of a page that may be written, whether it holds code or not? */
static inline bool soft_tlb_writes(const struct soft_tlb_entry *entry, uint64_t page)
{
	return (entry->write & ~SOFT_WATCHED) == page;
}

/* Is this the entry of a page that may be read, or written? */
static inline bool soft_tlb_allows(const struct soft_tlb_entry *entry, uint64_t page, bool write)
{
	return write ? soft_tlb_writes(entry, page) : entry->read == page;
}

/* The entry in which the fast loop now looks for va. */
static inline const struct soft_tlb_entry *soft_tlb_entry(const struct soft_cpu *cpu, uint64_t va)
{
	return &cpu->tlb[(va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE];
}

/* An entry that was empty has been filled: must be called, so that the next flush finds it. */
void soft_tlb_filled(struct soft_tlb *tlb, const struct soft_tlb_entry *entry);

/*
 * Is memory mapped in few pieces where the vCPU is: do the entries add only a few different values
 * to addresses? This is a guess from the pages accessed since the last flush. Above EL0, where
 * kernels have a linear map, half as many pieces as pages are few; at EL0, 4 are.
 */
bool soft_tlb_is_flat(const struct soft_cpu *cpu);

/* The page of an entry, or SOFT_NO_PAGE if it has none. */
uint64_t soft_tlb_page(const struct soft_tlb_entry *entry);

/* The place of va among the victims, whatever its tag is. */
struct soft_tlb_entry *soft_tlb_victim(struct soft_tlb *tlb, uint64_t va);

/* The Exception level that a view accesses memory as. */
unsigned int soft_view_level(enum soft_view view);

/* Empty all views and forget where code is. */
void soft_tlb_flush(struct soft_cpu *cpu);

/* Empty the views of data accesses alone; or let one of them be without a page. */
void soft_tlb_forget(struct soft_cpu *cpu);
void soft_tlb_drop(struct soft_cpu *cpu, enum soft_view view, uint64_t page);
/* Mark it as soft_tlb_entry.cached. */
void soft_tlb_cached(struct soft_cpu *cpu, enum soft_view view, uint64_t page);

/* What a TLBI drops. Exactly one of all, by_va and by_asid is set, or the last two together. */
struct soft_tlbi {
	uint8_t regimes; /* 1 << enum arm_regime_kind: of which regimes' translations */
	bool all;
	bool by_va, by_asid; /* by_asid with by_va: global entries of va too */
	uint64_t va;	     /* of the page */
	uint16_t asid;
	bool all_cpus;	   /* the IS forms */
	bool any_vmid;	   /* not of the current VMID alone; the software TLB has no other */
	bool stage2_alone; /* only stage 2, for which the machine model has no entries */
};

/* Drop cached translations; with tlbi->all_cpus also of the other vCPUs of the VM. */
void soft_tlb_invalidate(struct soft_cpu *cpu, const struct soft_tlbi *tlbi);

/* Pass the contexts of the vCPU's regimes to the machine model, if there is one. */
void soft_tlb_contexts(const struct soft_cpu *cpu);

/*
 * A register that controls translation was written: empty the views of the regimes that it affects.
 * At EL1, those of EL1&0 in any case.
 */
void soft_tlb_registers_written(struct soft_cpu *cpu);

#endif
