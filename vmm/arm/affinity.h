/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The affinity of a vCPU: the fields Aff3 to Aff0 as in MPIDR_EL1, made of its index. At most 16
 * share Aff1, as many as an SGI can name without a range selector (IHI 0069, ICC_SGI1R_EL1). KVM
 * and QEMU's "virt" board number theirs in the same way.
 */
#ifndef VSPE_ARM_AFFINITY_H
#define VSPE_ARM_AFFINITY_H

#include <stdint.h>

#define ARM_CLUSTER	  16u			 /* vCPUs that share Aff1 */
#define ARM_AFFINITY_MASK UINT64_C(0xff00ffffff) /* Aff3, Aff2, Aff1, Aff0 */

/* index: below 4096. */
static inline uint64_t arm_affinity(unsigned int index)
{
	return (uint64_t)(index / ARM_CLUSTER) << 8 | index % ARM_CLUSTER;
}

/* The index of an affinity among so many vCPUs, or -1. Other bits have to be zero. */
static inline int arm_affinity_index(uint64_t affinity, unsigned int cpus)
{
	const uint64_t index = (affinity >> 8) * ARM_CLUSTER + (affinity & 0xff);

	return (affinity & 0xff) < ARM_CLUSTER && index < cpus ? (int)index : -1;
}

#endif
