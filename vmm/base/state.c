/* SPDX-License-Identifier: BSD-2-Clause */
/* State to bytes and back: see state.h. */
#include "base/state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void state_save(struct state *state, const char *part)
{
	*state = (struct state){.part = part};
}

void state_load(struct state *state, const char *part, const void *bytes, size_t size)
{
	*state = (struct state){
		.loading = true,
		.part = part,
		.bytes = (uint8_t *)(uintptr_t)bytes,
		.size = size,
	};
}

void state_free(struct state *state)
{
	if (!state->loading)
		free(state->bytes);
	state->bytes = NULL;
	state->size = state->at = 0;
}

void state_refuse(struct state *state, const char *format, ...)
{
	va_list arguments;
	int length;

	if (state->failed)
		return;
	state->failed = true;
	length = snprintf(state->why, sizeof(state->why), "%s: ", state->part);
	va_start(arguments, format);
	(void)vsnprintf(state->why + length, sizeof(state->why) - (size_t)length, format,
			arguments);
	va_end(arguments);
}

bool state_end(struct state *state)
{
	if (state->loading && state->at != state->size)
		state_refuse(state, "%zu bytes are left over", state->size - state->at);
	return !state->failed;
}

/* The next size bytes, or NULL. */
static uint8_t *state_take(struct state *state, size_t size)
{
	uint8_t *at;

	if (state->failed)
		return NULL;
	if (size > state->size - state->at) {
		size_t wanted = state->size ? 2 * state->size : 1024;
		uint8_t *grown;

		if (state->loading) {
			state_refuse(state, "ends after %zu bytes", state->size);
			return NULL;
		}
		while (wanted - state->at < size)
			wanted *= 2;
		grown = realloc(state->bytes, wanted);
		if (!grown) {
			state_refuse(state, "no memory");
			return NULL;
		}
		state->bytes = grown;
		state->size = wanted;
	}
	at = state->bytes + state->at;
	state->at += size;
	return at;
}

void state_bytes(struct state *state, void *at, size_t size)
{
	uint8_t *bytes = size ? state_take(state, size) : NULL;

	if (!bytes)
		return;
	if (state->loading)
		memcpy(at, bytes, size);
	else
		memcpy(bytes, at, size);
}

/* The number in a C variable, for either byte order of the host. */
static uint64_t number_get(const void *at, size_t size)
{
	uint16_t half;
	uint32_t word;
	uint64_t value;

	switch (size) {
	case 1: return *(const uint8_t *)at;
	case 2: memcpy(&half, at, sizeof(half)); return half;
	case 4: memcpy(&word, at, sizeof(word)); return word;
	default: memcpy(&value, at, sizeof(value)); return value;
	}
}

static void number_set(void *at, size_t size, uint64_t value)
{
	const uint16_t half = (uint16_t)value;
	const uint32_t word = (uint32_t)value;

	switch (size) {
	case 1: *(uint8_t *)at = (uint8_t)value; break;
	case 2: memcpy(at, &half, sizeof(half)); break;
	case 4: memcpy(at, &word, sizeof(word)); break;
	default: memcpy(at, &value, sizeof(value)); break;
	}
}

void state_number(struct state *state, const char *name, void *at, size_t size, uint64_t max)
{
	uint8_t *bytes = state_take(state, size);
	uint64_t value = 0;

	if (!bytes)
		return;
	if (!state->loading) {
		value = number_get(at, size);
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)(value >> 8 * i);
		return;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	if (value > max)
		state_refuse(state, "%s is 0x%" PRIx64 ", at most 0x%" PRIx64, name, value, max);
	else
		number_set(at, size, value);
}
