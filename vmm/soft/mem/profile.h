/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the software CPU can do for a profiling unit.
 */
#ifndef VSPE_SOFT_PROFILE_H
#define VSPE_SOFT_PROFILE_H

#include <vspe/spe.h>

/* engine.spe_lacks */
const char *soft_spe_lacks(const struct spe_config *config, const char **field);

/* spe_host.write_untranslated; ctx is the struct soft_cpu. */
struct spe_write_result soft_profile_write_untranslated(void *ctx,
							const struct spe_untranslated *to,
							const uint8_t *bytes, size_t size);

#endif
