/* SPDX-License-Identifier: BSD-2-Clause */
/* How often the functions of pmu_profile_code.S execute what, a round. */
#ifndef PMU_PROFILE_H
#define PMU_PROFILE_H

#define MIXED_TURNS 1000 /* of sixty() */
#define WAITS_TURNS 400

#define MIXED_OPS (6 * MIXED_TURNS + 1)
#define WAITS_OPS (3 * WAITS_TURNS + 2)
#define ROUND_OWN 8

#endif
