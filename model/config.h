/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine model is made of: the numbers of config.def. */
#ifndef VSPE_MODEL_CONFIG_H
#define VSPE_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line of every cache. */
#define MODEL_LINE_SHIFT 6
#define MODEL_LINE	 (UINT64_C(1) << MODEL_LINE_SHIFT)

#define MODEL_STREAMS_MAX 32

/* Who shares a last-level cache. */
enum model_scope { MODEL_CLUSTER, MODEL_CHIP };

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) uint32_t member;
struct model_config {
#include "config.def"
};

#define MODEL_CONFIG_KEYS (sizeof(struct model_config) / sizeof(uint32_t))

/* The built-in model: the size of a server core, but none in particular. */
extern const struct model_config model_default;

/* The same with the published figures of a core by name; model_default if there are none. */
struct model_config model_config_of(const char *core);

/* A key, by its place in struct model_config. */
enum model_key_kind { MODEL_KEY_COUNT, MODEL_KEY_POWER, MODEL_KEY_SIZE, MODEL_KEY_SCOPE };
struct model_key {
	const char *word; /* "l1d.size" */
	enum model_key_kind kind;
	uint32_t low, high; /* both included */
};
extern const struct model_key model_keys[MODEL_CONFIG_KEYS];

/* The place of the key of that name, or MODEL_CONFIG_KEYS. */
size_t model_config_find(const char *name);

/* May the key have that value? */
bool model_config_allows(size_t key, uint64_t value);

/* Why a machine is impossible. */
enum model_fault_kind {
	MODEL_FAULT_RANGE, /* key may not have its value */
	MODEL_FAULT_SETS,  /* with key ways, the number of sets of a cache of size other is no
			      power of two */
	MODEL_FAULT_ORDER, /* key is less than other */
};
struct model_fault {
	enum model_fault_kind kind;
	size_t key, other; /* key is the one to blame */
};

/* Is such a machine possible? 0, or -1 and why not. */
int model_config_check(const struct model_config *config, struct model_fault *fault);

/* The value of a key. */
static inline uint32_t model_config_value(const struct model_config *config, size_t key)
{
	return ((const uint32_t *)config)[key];
}

#endif
