/* SPDX-License-Identifier: BSD-2-Clause */
/* The feature that a PE lacks for an instruction that is UNDEFINED. */
#ifndef VSPE_ARM_MISSING_H
#define VSPE_ARM_MISSING_H

#include <stdint.h>

/* The feature that this word belongs to, "FEAT_SVE", static storage; NULL: not known. */
const char *arm_missing_feature(uint32_t word);

#endif
