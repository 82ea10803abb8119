/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a machine model: their ranges, and the rules for combinations. */
#include "arm/model_config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) .member = (preset),
const struct model_config model_default = {
#include "arm/model_config.def"
};

enum kind { COUNT, POWER, SIZE, SCOPE };

#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) {(word), (kind), (low), (high)},
static const struct {
	const char *word;
	enum kind kind;
	uint32_t low, high;
} keys[] = {
#include "arm/model_config.def"
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
#include "arm/model_config.def"
};

#define MODEL_KEY(member, word, kind, low, high, preset, help)
#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways) {PLACE(size), PLACE(ways)},
static const struct pair caches[] = {
#include "arm/model_config.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const scopes[] = {[MODEL_CLUSTER] = "cluster", [MODEL_CHIP] = "chip"};

_Static_assert(COUNT_OF(keys) == MODEL_CONFIG_KEYS, "a row is a member");

#define CORE_MODEL(core, member, value) {(core), PLACE(member), (value)},
static const struct {
	const char *core;
	size_t key;
	uint32_t value;
} named[] = {
#include "spe/cores.def"
};

struct model_config model_config_of(const char *core)
{
	struct model_config config = model_default;

	for (size_t i = 0; i < COUNT_OF(named); i++)
		if (strcmp(named[i].core, core) == 0)
			((uint32_t *)&config)[named[i].key] = named[i].value;
	return config;
}

static uint32_t value_of(const struct model_config *config, size_t place)
{
	return ((const uint32_t *)config)[place];
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

const char *model_config_key(size_t key)
{
	return keys[key].word;
}

/* A value as a file has it. */
static void print_value(size_t key, uint64_t value, char text[32])
{
	if (keys[key].kind == SIZE && value % (1u << 20) == 0)
		(void)snprintf(text, 32, "%" PRIu64 "M", value >> 20);
	else if (keys[key].kind == SIZE && value % 1024 == 0)
		(void)snprintf(text, 32, "%" PRIu64 "K", value >> 10);
	else
		(void)snprintf(text, 32, "%" PRIu64, value);
}

static int refuse_range(size_t key, const char *word, char *why, size_t size)
{
	char low[32], high[32];

	print_value(key, keys[key].low, low);
	print_value(key, keys[key].high, high);
	(void)snprintf(why, size, "%s %.40s: not from %s to %s%s", keys[key].word, word, low, high,
		       keys[key].kind == COUNT ? "" : ", a power of two");
	return -1;
}

static bool in_range(size_t key, uint64_t value)
{
	return value >= keys[key].low && value <= keys[key].high &&
	       (keys[key].kind == COUNT || keys[key].kind == SCOPE || power_of_two(value));
}

/* A decimal number of at most 9 digits; unit: K or M may follow, for sizes. */
static bool read_number(const char *word, bool unit, uint64_t *value)
{
	size_t digits = strspn(word, "0123456789");

	if (digits == 0 || digits > 9)
		return false;
	*value = 0;
	for (size_t i = 0; i < digits; i++)
		*value = *value * 10 + (uint64_t)(word[i] - '0');
	word += digits;
	if (unit && (*word == 'K' || *word == 'M'))
		*value <<= *word++ == 'K' ? 10 : 20;
	return *word == '\0';
}

static int set_scope(size_t key, const char *word, uint32_t *value, char *why, size_t size)
{
	for (uint32_t i = 0; i < COUNT_OF(scopes); i++) {
		if (strcmp(word, scopes[i]) == 0) {
			*value = i;
			return 0;
		}
	}
	(void)snprintf(why, size, "%s %.40s: neither cluster nor chip", keys[key].word, word);
	return -1;
}

int model_config_set(struct model_config *config, const char *name, const char *word, size_t *key,
		     char *why, size_t size)
{
	uint64_t value;

	for (*key = 0; *key < COUNT_OF(keys) && strcmp(keys[*key].word, name) != 0;)
		++*key;
	if (*key == COUNT_OF(keys)) {
		(void)snprintf(why, size, "%.40s: no such key", name);
		return -1;
	}
	if (keys[*key].kind == SCOPE)
		return set_scope(*key, word, &((uint32_t *)config)[*key], why, size);
	if (!read_number(word, keys[*key].kind == SIZE, &value) || !in_range(*key, value))
		return refuse_range(*key, word, why, size);
	((uint32_t *)config)[*key] = (uint32_t)value;
	return 0;
}

static int check_values(const struct model_config *config, size_t *key, char *why, size_t size)
{
	char text[32];

	for (*key = 0; *key < COUNT_OF(keys); ++*key) {
		if (in_range(*key, value_of(config, *key)))
			continue;
		print_value(*key, value_of(config, *key), text);
		return refuse_range(*key, text, why, size);
	}
	return 0;
}

int model_config_check(const struct model_config *config, size_t *key, char *why, size_t size)
{
	char first[32], second[32];

	if (check_values(config, key, why, size) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		const uint64_t bytes = value_of(config, caches[i].first);
		const uint64_t ways = value_of(config, caches[i].second);

		if (bytes % (ways * MODEL_LINE) == 0 && power_of_two(bytes / (ways * MODEL_LINE)))
			continue;
		*key = caches[i].second;
		print_value(caches[i].first, bytes, first);
		(void)snprintf(why, size,
			       "%s %" PRIu64 ": the sets of %s %s are no power of two then",
			       keys[*key].word, ways, keys[caches[i].first].word, first);
		return -1;
	}
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		if (value_of(config, orders[i].first) <= value_of(config, orders[i].second))
			continue;
		*key = orders[i].second;
		print_value(orders[i].first, value_of(config, orders[i].first), first);
		print_value(*key, value_of(config, *key), second);
		(void)snprintf(why, size, "%s %s: less than %s %s", keys[*key].word, second,
			       keys[orders[i].first].word, first);
		return -1;
	}
	return 0;
}
