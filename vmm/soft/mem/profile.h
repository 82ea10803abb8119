/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the software CPU can do for a profiling unit.
 */
#ifndef VSPE_SOFT_PROFILE_H
#define VSPE_SOFT_PROFILE_H

#include <vspe/spe.h>

#include "soft/mem/tlb.h"

/* engine.spe_lacks */
const char *soft_spe_lacks(const struct spe_config *config, const char **field);

/* The profiling buffer is written as the owning level writes, but PSTATE.PAN has no effect. */
static inline enum soft_view soft_profile_view(unsigned int owning_el)
{
	return owning_el == 2 ? SOFT_VIEW_EL2 : SOFT_VIEW_EL1;
}

/* Write to the profiling buffer in the owning translation regime: spe_host.write. */
struct spe_write_result soft_profile_write(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size);

/*
 * A write to the profiling buffer at va needs no walk and cannot fault for as long as this entry
 * lets its page be written. The entry is for the unit's owning level, as of soft_context_changed().
 */
const struct soft_tlb_entry *soft_profile_entry(const struct soft_cpu *cpu, uint64_t va);

/* spe_host.write_untranslated; ctx is the struct soft_cpu. */
struct spe_write_result soft_profile_write_untranslated(void *ctx,
							const struct spe_untranslated *to,
							const uint8_t *bytes, size_t size);

#endif
