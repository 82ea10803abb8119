/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine model has counted, for --stats. */
#ifndef VSPE_ARM_MODEL_COUNTS_H
#define VSPE_ARM_MODEL_COUNTS_H

#include "model/machine.h"

/* By enum model_event; then the number of operations that the model was shown. */
#define MODEL_COUNTS (MODEL_EVENTS + 1)

/* Forget what only --model full counts: a core that skips hits has seen some of them. */
void model_counts_keep_misses(struct model_core *core);

/* Add those of all cores to counts, MODEL_COUNTS of them. */
void model_counts_add(const struct model *model, uint64_t *counts);

/*
 * A line with the counts. mode: as in --model. Only with "full" it has cycles and what each
 * operation may count; with "warm", what misses cause.
 */
#define MODEL_COUNTS_LINE 1280 /* bytes that it needs at most */
void model_counts_line(const uint64_t *counts, const char *mode, char *line, size_t size);

/* Pass each of these counts to tell by its name: "modelled_operations", "L1D_CACHE". */
void model_counts_tell(const uint64_t *counts, const char *mode, void *ctx,
		       void (*tell)(void *ctx, const char *name, uint64_t value));

#endif
