/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings by number: see names.h. They follow each other in text, and a number is the offset of the
 * first byte. A hash table finds existing ones.
 */
#include "trace/names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MOST (64u << 20)

static uint64_t hash_of(const char *string, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)string[i]) * UINT64_C(0x100000001b3);
	return hash;
}

const char *names_get(const struct names *names, uint32_t number)
{
	return names->text + number;
}

static uint32_t *slot_of(const struct names *names, const char *string, size_t length)
{
	size_t at = hash_of(string, length) & (names->slot_count - 1);

	while (names->slots[at]) {
		const char *other = names_get(names, names->slots[at] - 1);

		if (strncmp(other, string, length) == 0 && !other[length])
			break;
		at = (at + 1) & (names->slot_count - 1);
	}
	return &names->slots[at];
}

static void more_slots(struct names *names)
{
	const struct names old = *names;

	names->slot_count = old.slot_count ? 2 * old.slot_count : 256;
	names->slots = memory_need(calloc(names->slot_count, sizeof(*names->slots)));
	for (size_t i = 0; i < old.slot_count; i++) {
		if (old.slots[i]) {
			const char *string = names_get(names, old.slots[i] - 1);

			*slot_of(names, string, strlen(string)) = old.slots[i];
		}
	}
	free(old.slots);
}

uint32_t names_number(struct names *names, const char *string, size_t most)
{
	const size_t length = strnlen(string, most), end = names->used + length + 1;
	uint32_t *slot;

	if (2 * names->count >= names->slot_count)
		more_slots(names);
	slot = slot_of(names, string, length);
	if (*slot)
		return *slot - 1;
	if (end > TEXT_MOST)
		return NAMES_NONE;
	if (end > names->room) {
		names->room = 2 * end;
		names->text = memory_need(realloc(names->text, names->room));
	}
	memcpy(names->text + names->used, string, length);
	names->text[end - 1] = '\0';
	*slot = (uint32_t)names->used + 1;
	names->used = end;
	names->count++;
	return *slot - 1;
}

void names_free(struct names *names)
{
	free(names->text);
	free(names->slots);
	*names = (struct names){0};
}
