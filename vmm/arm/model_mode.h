/* SPDX-License-Identifier: BSD-2-Clause */
/* --model MODE[,FILE] of an engine: which operations its machine model is shown. */
#ifndef VSPE_ARM_MODEL_MODE_H
#define VSPE_ARM_MODEL_MODE_H

#include <stddef.h>

#include "arm/model_file.h"

enum model_mode {
	MODEL_OFF,
	MODEL_SAMPLED, /* those that are sampled, and so many before each */
	MODEL_FULL,
};

/* Operations before a sampled one by default, and their maximum. */
#define MODEL_WINDOW	 2
#define MODEL_WINDOW_MAX 1000000

struct model_wish {
	uint32_t mode;		/* enum model_mode */
	uint32_t window;	/* 0 but with MODEL_SAMPLED */
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

/* The mode and its window, as the option has them: "sampled=64". */
void model_mode_word(uint32_t mode, uint32_t window, char *text, size_t size);

#endif
