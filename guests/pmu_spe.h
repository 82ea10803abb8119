/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of SPE, and counters that stop when profiling does (Arm ARM D13): tests of the
 * guest pmu, and what they need.
 */
#ifndef PMU_SPE_H
#define PMU_SPE_H

const char *needs_spe_events(void);
void pmu_sample_events(void);

const char *needs_freeze_by_spe(void);
void pmu_freeze_by_spe(void);

#endif
