/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software TLB: pages of RAM by virtual address, for each of the views that data accesses have.
 */
#ifndef VSPE_SOFT_TLB_H
#define VSPE_SOFT_TLB_H

#include "soft/cpu.h"

/* Where an address leads. */
struct soft_place {
	uint64_t pa;
	uint8_t *host; /* NULL: not RAM */
	bool device;   /* Device memory: unaligned accesses fault */
	bool code;     /* a page that blocks were decoded from */
};

#define SOFT_NO_FAULT 0xff

/* Translate va, from the TLB or by a walk. SOFT_NO_FAULT, or the fault status code. */
uint8_t soft_tlb_resolve(struct soft_cpu *cpu, enum soft_view view, uint64_t va, bool write,
			 struct soft_place *place);

/* Empty all views and forget where code is. */
void soft_tlb_flush(struct soft_cpu *cpu);

#endif
