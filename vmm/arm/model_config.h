/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine model is made of: the numbers of model_config.def. */
#ifndef VSPE_ARM_MODEL_CONFIG_H
#define VSPE_ARM_MODEL_CONFIG_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a line of every cache. */
#define MODEL_LINE_SHIFT 6
#define MODEL_LINE	 (UINT64_C(1) << MODEL_LINE_SHIFT)

/* Who shares a last-level cache. */
enum model_scope { MODEL_CLUSTER, MODEL_CHIP };

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) uint32_t member;
struct model_config {
#include "arm/model_config.def"
};

#define MODEL_CONFIG_KEYS (sizeof(struct model_config) / sizeof(uint32_t))

/* The built-in model: the size of a server core, but none in particular. */
extern const struct model_config model_default;

/* The same with the published figures of a core by name; model_default if there are none. */
struct model_config model_config_of(const char *core);

/*
 * Is such a machine possible? 0, or -1 and why: a line without newline that names the key and its
 * value. *key is the one to blame, by its place in struct model_config.
 */
int model_config_check(const struct model_config *config, size_t *key, char *why, size_t size);

/*
 * Take a word of a file for the key of that name. 0, or -1 and why: the name, or the word, that is
 * wrong. *key is its place in struct model_config.
 */
int model_config_set(struct model_config *config, const char *name, const char *word, size_t *key,
		     char *why, size_t size);

/* The name of a key, by its place; static storage. */
const char *model_config_key(size_t key);

#endif
