/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU with all Exception levels, whose registers tests set by hand, and its translation tables.
 */
#ifndef TESTS_SOFT_CORE_REGIMES_H
#define TESTS_SOFT_CORE_REGIMES_H

#include "core_support.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_VM	BIT(0)
#define HCR_DC	BIT(12)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)
#define HCR_NV	BIT(42)
#define HCR_NV1 BIT(43)

#define AF    BIT(10)
#define USER  BIT(6)
#define RO    BIT(7)
#define S2_RW (UINT64_C(3) << 6)
#define BLOCK (RAM_BASE | AF | 1) /* at level 1 of 4K granules: 1 GB */

/* Tables at level 1 of the regimes of EL1 to EL3 and of stage 2, which map RAM to itself. */
#define TABLE(el) (TABLES + 0x1000 * (el))
#define STAGE2	  TABLE(0)

static inline struct soft_cpu *soft(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* the first member of a struct engine_vcpu */
}

/*
 * All regimes are on, with 39 bits of address and 1G blocks of RAM to itself: the second GB for
 * privileged accesses, the third the same memory for all. Stage 2, if hcr turns it on, has 32 bits
 * and the second GB.
 */
struct core_machine *core_regimes(uint64_t hcr);
/* With so many vCPUs, of which the others are as after reset, and a machine model. */
struct core_machine *core_regimes_modelled(uint64_t hcr, unsigned int cpus,
					   const struct engine_tuning *model);

#endif
