/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine model as text: docs/model.md. */
#ifndef VSPE_ARM_MODEL_FILE_H
#define VSPE_ARM_MODEL_FILE_H

#include "arm/model_config.h"

#define MODEL_FILE_MAX 65536 /* bytes */

/* What a file says: the values of the keys that it has, and the lines that have them. */
struct model_file {
	struct model_config values;
	uint32_t lines[MODEL_CONFIG_KEYS]; /* from 1 on; 0: it does not have that key */
};

/*
 * Read size bytes of text. 0, or -1 and why: a line without newline that begins with "line N: ".
 */
int model_file_parse(const char *text, size_t size, struct model_file *file, char *why,
		     size_t why_size);

/* The same of a file. An error to read it is said without a line. */
int model_file_read(const char *path, struct model_file *file, char *why, size_t why_size);

/*
 * Make *config, a model that there is, what the file says. 0; or -1, why in the same way, and
 * *config as it was: what comes of it does not go together.
 */
int model_file_apply(const struct model_file *file, struct model_config *config, char *why,
		     size_t why_size);

#endif
