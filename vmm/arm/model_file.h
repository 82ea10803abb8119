/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine model as text: docs/model.md. */
#ifndef VSPE_ARM_MODEL_FILE_H
#define VSPE_ARM_MODEL_FILE_H

#include "model/config.h"

#define MODEL_FILE_MAX 65536 /* bytes */

/* The contents of a file: the values of its keys, and their lines. */
struct model_file {
	struct model_config values;
	uint32_t lines[MODEL_CONFIG_KEYS]; /* from 1 on; 0: it does not have that key */
};

/*
 * Read size bytes of text. 0, or -1 and why: a line without newline that begins with "line N: ".
 */
int model_file_parse(const char *text, size_t size, struct model_file *file, char *why,
		     size_t why_size);

/* The same for a file. If it cannot be read, why has no line number. */
int model_file_read(const char *path, struct model_file *file, char *why, size_t why_size);

/*
 * Apply the file to *config, a valid model. 0; or -1 if the result contradicts itself, with why as
 * above, and *config unchanged.
 */
int model_file_apply(const struct model_file *file, struct model_config *config, char *why,
		     size_t why_size);

#endif
