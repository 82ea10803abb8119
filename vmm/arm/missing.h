/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PE would need for an instruction that is UNDEFINED on one without it. */
#ifndef VSPE_ARM_MISSING_H
#define VSPE_ARM_MISSING_H

#include <stdint.h>

/* The feature that this word belongs to, "FEAT_SVE", static storage; NULL: none that is known. */
const char *arm_missing_feature(uint32_t word);

#endif
