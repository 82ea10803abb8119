/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine model has counted, for --stats. */
#ifndef VSPE_ARM_MODEL_COUNTS_H
#define VSPE_ARM_MODEL_COUNTS_H

#include "arm/model_machine.h"

/* By enum model_event, and behind them the operations that it was shown. */
#define MODEL_COUNTS (MODEL_EVENTS + 1)

/* Add those of all cores to counts, MODEL_COUNTS of them. */
void model_counts_add(const struct model *model, uint64_t *counts);

/*
 * A line that tells them. mode: as --model has it. Cycles are told of with "full" alone, where
 * operations are one behind the other.
 */
#define MODEL_COUNTS_LINE 1280 /* bytes that it needs at most */
void model_counts_line(const uint64_t *counts, const char *mode, char *line, size_t size);

/* Tell the same, each by its name: "modelled_operations", "L1D_CACHE". */
void model_counts_tell(const uint64_t *counts, const char *mode, void *ctx,
		       void (*tell)(void *ctx, const char *name, uint64_t value));

#endif
