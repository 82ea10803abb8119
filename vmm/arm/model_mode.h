/* SPDX-License-Identifier: BSD-2-Clause */
/* --model MODE[,FILE] of an engine: which operations its machine model is shown. */
#ifndef VSPE_ARM_MODEL_MODE_H
#define VSPE_ARM_MODEL_MODE_H

#include <stddef.h>

#include "arm/model_file.h"

enum model_mode {
	MODEL_OFF,
	MODEL_WARM, /* all, in caches, TLBs and predictor; a sampled one is timed on its own */
	MODEL_FULL, /* all, in a pipeline too */
};

struct model_wish {
	uint32_t mode;		/* enum model_mode */
	struct model_file file; /* what FILE says; nothing without it */
	const char *value;	/* of the option; the caller's */
};

/*
 * Read MODE[,FILE], and FILE. 0; or -1 and what is wrong, a line without newline.
 */
int model_wish_read(const char *value, struct model_wish *wish, char *what, size_t size);

/*
 * The model of a core by name, with what FILE says of it; unchanged with MODEL_OFF. 0; or -1 and
 * what is wrong with which option.
 */
int model_wish_core(const struct model_wish *wish, const char *core, struct model_config *model,
		    char *why, size_t size);

/* A mode, as the option has it. */
const char *model_mode_word(uint32_t mode);

#endif
