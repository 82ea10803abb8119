/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options of the software CPU choose. */
#ifndef VSPE_SOFT_TUNING_H
#define VSPE_SOFT_TUNING_H

#include "engine.h"

struct engine_tuning {
	bool single_step; /* execute one operation at a time (for tests) */
};

extern const struct engine_tuning soft_tuning_default;
extern const struct engine_option soft_options[];

/* Of struct engine. */
int soft_check_wish(const struct engine_wish *wish, char *why, size_t size);

#endif
