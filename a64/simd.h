/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operation types and data addresses of instructions that are not in a64.def: those of Advanced
 * SIMD and floating-point, LDAPR, LDAPUR and STLUR. A word that is unallocated is what the
 * instructions around it are.
 */
#ifndef VSPE_A64_SIMD_H
#define VSPE_A64_SIMD_H

#include "a64/a64.h"

/* The Operation Type packet and the SPE_OP_* flags; false: it is none of those. */
bool a64_simd_type(uint32_t word, struct a64_operation *type);

/* The condition of FCSEL, FCCMP and FCCMPE; false: it is another. */
bool a64_simd_condition(uint32_t word, unsigned int *condition);

/*
 * The lowest address of a load or store, and the bytes of one register or element, by which it is
 * aligned or not. read_register as for a64_data_address(). false: it is another.
 */
bool a64_simd_address(uint32_t word, uint64_t pc,
		      uint64_t (*read_register)(const void *ctx, unsigned int n), const void *ctx,
		      uint64_t *va, unsigned int *element);

#endif
