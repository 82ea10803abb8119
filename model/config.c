/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a machine model: their ranges, and the rules for combinations. */
#include "config.h"

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) .member = (preset),
const struct model_config model_default = {
#include "config.def"
};

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) \
	{(word), MODEL_KEY_##kind, (low), (high)},
const struct model_key model_keys[MODEL_CONFIG_KEYS] = {
#include "config.def"
};

#define PLACE(member) (offsetof(struct model_config, member) / sizeof(uint32_t))

/* Pairs of places. */
struct pair {
	uint8_t first, second;
};

#define MODEL_KEY(member, word, kind, low, high, preset, help)
#define MODEL_CACHE(size, ways)
#define MODEL_ORDER(low, high) {PLACE(low), PLACE(high)},
static const struct pair orders[] = {
#include "config.def"
};

#define MODEL_KEY(member, word, kind, low, high, preset, help)
#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways) {PLACE(size), PLACE(ways)},
static const struct pair caches[] = {
#include "config.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define CORE_MODEL(core, member, value) {(core), PLACE(member), (value)},
static const struct {
	const char *core;
	size_t key;
	uint32_t value;
} named[] = {
#include "../spe/cores.def"
};

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

struct model_config model_config_of(const char *core)
{
	struct model_config config = model_default;

	for (size_t i = 0; i < COUNT_OF(named); i++)
		if (same_name(named[i].core, core))
			((uint32_t *)&config)[named[i].key] = named[i].value;
	return config;
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

size_t model_config_find(const char *name)
{
	size_t key = 0;

	while (key < MODEL_CONFIG_KEYS && !same_name(model_keys[key].word, name))
		key++;
	return key;
}

bool model_config_allows(size_t key, uint64_t value)
{
	const struct model_key *row = &model_keys[key];

	return value >= row->low && value <= row->high &&
	       (row->kind == MODEL_KEY_COUNT || row->kind == MODEL_KEY_SCOPE ||
		power_of_two(value));
}

static int refuse(struct model_fault *fault, enum model_fault_kind kind, size_t key, size_t other)
{
	*fault = (struct model_fault){kind, key, other};
	return -1;
}

int model_config_check(const struct model_config *config, struct model_fault *fault)
{
	for (size_t key = 0; key < MODEL_CONFIG_KEYS; key++)
		if (!model_config_allows(key, model_config_value(config, key)))
			return refuse(fault, MODEL_FAULT_RANGE, key, key);
	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		const size_t size = caches[i].first, ways = caches[i].second;
		const uint64_t bytes = model_config_value(config, size);
		const uint64_t set = model_config_value(config, ways) * MODEL_LINE;

		if (bytes % set != 0 || !power_of_two(bytes / set))
			return refuse(fault, MODEL_FAULT_SETS, ways, size);
	}
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		const size_t low = orders[i].first, high = orders[i].second;

		if (model_config_value(config, low) > model_config_value(config, high))
			return refuse(fault, MODEL_FAULT_ORDER, high, low);
	}
	return 0;
}
