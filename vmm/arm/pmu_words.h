/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of --pmu, and what they stand for. */
#ifndef VSPE_ARM_PMU_WORDS_H
#define VSPE_ARM_PMU_WORDS_H

#include "pmu/unit.h"

/* No PMUVer: whatever the host gives, with an engine that asks it. */
#define ARM_PMU_HOST ((enum pmu_version)16)

/*
 * The version of a word ("v3p5"; "kvm" for ARM_PMU_HOST), or PMU_NONE; and the word of a version,
 * "off" of one that has none.
 */
enum pmu_version arm_pmu_version(const char *word);
const char *arm_pmu_word(enum pmu_version version);
/* All words, with commas between them. */
#define ARM_PMU_WORDS "v3p1, v3p4, v3p5, v3p7, v3p8, v3p9"

#endif
