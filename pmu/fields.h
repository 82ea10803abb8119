/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU's fields of the PE's controls, as masks: <register>_<field>. */
#ifndef VSPE_PMU_FIELDS_H
#define VSPE_PMU_FIELDS_H

#include <stdint.h>

#define BIT(n) (UINT64_C(1) << (n))

enum {
#define FIELD(reg, field, lsb, width) reg##_##field = UINT64_MAX >> (64 - (width)) << (lsb),
#include "fields.def"
#undef FIELD
};

#endif
