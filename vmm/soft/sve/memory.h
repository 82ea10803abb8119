/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of SVE. What a row of sve.table says of them is in soft_op.aux: the bytes of an
 * element in memory and in its register, how many registers there are, and how addresses are
 * formed. rd is the first register, ra the governing predicate, rn and rm the base and the offset,
 * which may be vectors.
 *
 * Each active element is a separate access. The first of them that faults decides the exception,
 * and neither memory nor registers have changed then. Inactive elements access nothing and are
 * loaded as 0.
 *
 * First-fault loads fault as others do at their first active element, non-fault loads never. They
 * end before an element that faults, is watched, is in Device memory or is after the page of the
 * first one: that element and all after it are loaded as 0, and FFR loses their bits. Gathers may
 * go to any page, but not over its end. FFR's earlier value has no effect. The architecture permits
 * all of that.
 */
#ifndef VSPE_SOFT_SVE_MEMORY_H
#define VSPE_SOFT_SVE_MEMORY_H

#include "soft/kinds.h"

#define FUNCTION(name) SOFT_sve_##name,
enum soft_sve_memory {
#include "soft/sve/memory.def"
};
#define FUNCTION(name) soft_function soft_sve_##name;
#include "soft/sve/memory.def"

/* Do vectors have so many bytes here? false: cpu->fault is that of an UNDEFINED instruction. */
bool soft_sve_long(struct soft_cpu *cpu, unsigned int bytes);

/* soft_op.aux; sizes are 1 << size bytes. */
struct soft_sve_access {
	unsigned int memory, element; /* sizes */
	unsigned int count;	      /* registers */
	unsigned int address;	      /* enum a64_address */
};

#define SOFT_AUX_ACCESS(a)                                                                 \
	((uint16_t)((a).memory | (a).element << 2 | ((a).count ? (a).count - 1 : 0) << 4 | \
		    (a).address << 6))

static inline struct soft_sve_access soft_sve_access_of(const struct soft_op *op)
{
	return (struct soft_sve_access){
		.memory = op->aux & 3,
		.element = op->aux >> 2 & 3,
		.count = (op->aux >> 4 & 3) + 1u,
		.address = op->aux >> 6,
	};
}

#endif
