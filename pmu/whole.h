/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of struct pmu_unit, for the files that define the functions of <vspe/pmu.h>. */
#ifndef VSPE_PMU_WHOLE_H
#define VSPE_PMU_WHOLE_H

#include "internal.h"

struct pmu_whole {
	struct pmu pmu;
	struct spe_unit *spe; /* that is connected, or NULL */
};

_Static_assert(sizeof(struct pmu_whole) <= sizeof(struct pmu_unit), "PMU_UNIT_SIZE");
_Static_assert(_Alignof(struct pmu_whole) <= _Alignof(struct pmu_unit), "struct pmu_unit");

static inline struct pmu_whole *whole_of(struct pmu_unit *opaque)
{
	return (struct pmu_whole *)(void *)opaque;
}

static inline const struct pmu_whole *whole_in(const struct pmu_unit *opaque)
{
	return (const struct pmu_whole *)(const void *)opaque;
}

#endif
