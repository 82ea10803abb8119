/* SPDX-License-Identifier: BSD-2-Clause */
/* See model_words.h. */
#include "arm/model_words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const scopes[] = {[MODEL_CLUSTER] = "cluster", [MODEL_CHIP] = "chip"};

#define SCOPES (sizeof(scopes) / sizeof(scopes[0]))

/* A value as a file has it. */
static void print_value(size_t key, uint64_t value, char text[32])
{
	const bool size = model_keys[key].kind == MODEL_KEY_SIZE;

	if (size && value % (1u << 20) == 0)
		(void)snprintf(text, 32, "%" PRIu64 "M", value >> 20);
	else if (size && value % 1024 == 0)
		(void)snprintf(text, 32, "%" PRIu64 "K", value >> 10);
	else
		(void)snprintf(text, 32, "%" PRIu64, value);
}

static int refuse_range(size_t key, const char *word, char *why, size_t size)
{
	const struct model_key *row = &model_keys[key];
	char low[32], high[32];

	print_value(key, row->low, low);
	print_value(key, row->high, high);
	(void)snprintf(why, size, "%s %.40s: not from %s to %s%s", row->word, word, low, high,
		       row->kind == MODEL_KEY_COUNT ? "" : ", a power of two");
	return -1;
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
	for (uint32_t i = 0; i < SCOPES; i++) {
		if (strcmp(word, scopes[i]) == 0) {
			*value = i;
			return 0;
		}
	}
	(void)snprintf(why, size, "%s %.40s: neither cluster nor chip", model_keys[key].word, word);
	return -1;
}

int model_words_set(struct model_config *config, const char *name, const char *word, size_t *key,
		    char *why, size_t size)
{
	enum model_key_kind kind;
	uint64_t value;

	*key = model_config_find(name);
	if (*key == MODEL_CONFIG_KEYS) {
		(void)snprintf(why, size, "%.40s: no such key", name);
		return -1;
	}
	kind = model_keys[*key].kind;
	if (kind == MODEL_KEY_SCOPE)
		return set_scope(*key, word, &((uint32_t *)config)[*key], why, size);
	if (!read_number(word, kind == MODEL_KEY_SIZE, &value) || !model_config_allows(*key, value))
		return refuse_range(*key, word, why, size);
	((uint32_t *)config)[*key] = (uint32_t)value;
	return 0;
}

int model_words_check(const struct model_config *config, size_t *key, char *why, size_t size)
{
	struct model_fault fault;
	const char *name, *other;
	char value[32], bound[32];

	if (model_config_check(config, &fault) == 0)
		return 0;
	*key = fault.key;
	name = model_keys[fault.key].word;
	other = model_keys[fault.other].word;
	print_value(fault.key, model_config_value(config, fault.key), value);
	print_value(fault.other, model_config_value(config, fault.other), bound);
	switch (fault.kind) {
	case MODEL_FAULT_RANGE: return refuse_range(fault.key, value, why, size);
	case MODEL_FAULT_SETS:
		(void)snprintf(why, size, "%s %s: the sets of %s %s are no power of two then", name,
			       value, other, bound);
		break;
	case MODEL_FAULT_ORDER:
		(void)snprintf(why, size, "%s %s: less than %s %s", name, value, other, bound);
		break;
	}
	return -1;
}
