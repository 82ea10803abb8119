/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software TLB: pages of RAM by virtual address, for each of the views that data accesses have.
 */
#ifndef VSPE_SOFT_TLB_H
#define VSPE_SOFT_TLB_H

#include "arm/walk.h"
#include "soft/cpu.h"

/* Where an address leads. */
struct soft_place {
	uint64_t pa;
	uint8_t *host;		       /* NULL: neither RAM nor, to read, ROM */
	bool rom;		       /* not RAM, and not to be written */
	bool watched;		       /* stores are to be told: monitor.h */
	struct arm_translation failed; /* set on a fault, and only then */
};

/*
 * The entries of a TLB that has nothing: all accesses go the slow way, which looks at watchpoints.
 */
extern const struct soft_tlb_entry soft_tlb_nothing[SOFT_TLB_SIZE];

/*
 * Translate va for a data access, from the TLB or by a walk. unaligned: as in struct arm_regime; in
 * Device memory that is the walk's to refuse, in its turn. False: place->failed says why not.
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

/* An entry that had nothing is filled: owed, for the next flush to find it. */
void soft_tlb_filled(struct soft_tlb *tlb, const struct soft_tlb_entry *entry);

/*
 * Is memory mapped in few pieces, where the vCPU is: do few values come of what entries add to
 * addresses? That is a guess, from pages that were accessed since the last flush: half as many as
 * pages are few above EL0, where kernels have a linear map, 4 are few at EL0.
 */
bool soft_tlb_is_flat(const struct soft_cpu *cpu);

/* The page of an entry, or SOFT_NO_PAGE if it has none. */
uint64_t soft_tlb_page(const struct soft_tlb_entry *entry);

/* Where va belongs among the victims, whatever its tag is. */
struct soft_tlb_entry *soft_tlb_victim(struct soft_tlb *tlb, uint64_t va);

/* The Exception level as which a view accesses memory. */
unsigned int soft_view_level(enum soft_view view);

/* Empty all views and forget where code is. */
void soft_tlb_flush(struct soft_cpu *cpu);

/* What a TLBI asks to drop. One of all, by_va and by_asid is set, or the last two together. */
struct soft_tlbi {
	uint8_t regimes; /* 1 << enum arm_regime_kind: of which regimes' translations */
	bool all;
	bool by_va, by_asid; /* by_asid with by_va: global entries of va too */
	uint64_t va;	     /* of the page */
	uint16_t asid;
	bool all_cpus;	   /* the IS forms */
	bool any_vmid;	   /* not of the current VMID alone; the software TLB has no other */
	bool stage2_alone; /* what knows no stage 2 of its own, as the machine model, keeps all */
};

/* Drop cached translations; of the vCPUs that share the VM too when tlbi->all_cpus. */
void soft_tlb_invalidate(struct soft_cpu *cpu, const struct soft_tlbi *tlbi);

/* The machine model, if there is one, is told what the vCPU's regimes translate in. */
void soft_tlb_contexts(const struct soft_cpu *cpu);

/*
 * A register that controls translation was written: empty the views of the regimes that it made a
 * difference to. At EL1, those of EL1&0 in any case.
 */
void soft_tlb_registers_written(struct soft_cpu *cpu);

#endif
