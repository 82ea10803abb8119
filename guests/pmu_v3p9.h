/* SPDX-License-Identifier: BSD-2-Clause */
/* The tests of pmu that are of FEAT_PMUv3p9 and FEAT_PMUv3_ICNTR (Arm ARM D13.11, D24.5). */
#ifndef PMU_V3P9_H
#define PMU_V3P9_H

void pmu_instruction_counter(void);
void pmu_zero_counters(void);
void pmu_user_enable(void);
void pmu_user_counters(void);

#endif
