/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a machine model and their values as words: those of a file, and those of errors. */
#ifndef VSPE_ARM_MODEL_WORDS_H
#define VSPE_ARM_MODEL_WORDS_H

#include "model/config.h"

/*
 * Is such a machine possible? 0, or -1 and why: a line without newline that names the key and its
 * value. *key is the one to blame, by its place in struct model_config.
 */
int model_words_check(const struct model_config *config, size_t *key, char *why, size_t size);

/*
 * Take a word of a file for the key of that name. 0, or -1 and why: the name, or the word, that is
 * wrong. *key is its place in struct model_config.
 */
int model_words_set(struct model_config *config, const char *name, const char *word, size_t *key,
		    char *why, size_t size);

#endif
