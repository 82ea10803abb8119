/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine model as text: docs/model.md. */
#ifndef VSPE_ARM_MODEL_FILE_H
#define VSPE_ARM_MODEL_FILE_H

#include "arm/model_config.h"

#define MODEL_FILE_MAX 65536 /* bytes */

/*
 * Read size bytes of text into *config, the keys that it does not have being the built-in model's.
 * 0, or -1 and why: a line without newline that begins with "line N: ".
 */
int model_file_parse(const char *text, size_t size, struct model_config *config, char *why,
		     size_t why_size);

/* The same of a file. An error to read it is said without a line. */
int model_file_read(const char *path, struct model_config *config, char *why, size_t why_size);

#endif
