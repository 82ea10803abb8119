/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of registers as masks, <register>_<field>, and the encodings ARM_<register>: from the
 * table registers.def.
 */
#ifndef VSPE_ARM_REGISTERS_H
#define VSPE_ARM_REGISTERS_H

#include <stdint.h>
#include <vspe/sysreg.h>

#include "arm/encoding.h"

#define ARM_BITS(lsb, width) (UINT64_MAX >> (64 - (width)) << (lsb))

/* Those above bit 30 are unsigned long, the others int. */
enum {
#define LIBRARY(reg, field) reg##_##field = SYSREG_##reg##_##field##_MASK,
#define ENCODING(reg, op0, op1, crn, crm, op2)
#define FIELD(reg, field, lsb, width) reg##_##field = ARM_BITS(lsb, width),
#include "arm/registers.def"
#undef LIBRARY
#undef ENCODING
#undef FIELD
};

enum {
#define FIELD(reg, field, lsb, width)
#define LIBRARY(reg, field)
#define ENCODING(reg, op0, op1, crn, crm, op2) ARM_##reg = SYSREG_ENCODING(op0, op1, crn, crm, op2),
#include "arm/registers.def"
#undef ENCODING
#undef LIBRARY
#undef FIELD
};

/* VBAR_ELx.VBA, the vector base address: not a row, as its values do not fit into arm_field()'s. */
#define VBAR_ELx_VBA ARM_BITS(11, 53)

/* A register with value in the field, for constants too; the value of a field of a register. */
/* The value of a field in a register. */
#define ARM_GET(field, value) \
	(((value) & (uint64_t)(field)) / ((uint64_t)(field) & -(uint64_t)(field)))
#define ARM_VALUE(field, value) ((uint64_t)(value) * ((uint64_t)(field) & -(uint64_t)(field)))

static inline unsigned int arm_field(uint64_t reg, uint64_t field)
{
	return (unsigned int)((reg & field) >> __builtin_ctzll(field));
}

#endif
