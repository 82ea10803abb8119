/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's files in sections: see state_guest.h. */
#include "machine/state_guest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/state_ram.h"

/* deflate compresses at most by this factor, so a false size costs nothing. */
#define DEFLATE_MOST 1032

int state_guest_put(struct state_file *to, const char *tag, const struct loader_file *file)
{
	uint64_t whole = file->size;
	struct state state;
	size_t size;
	uint8_t *deflated;

	if (!file->bytes)
		return 0;
	deflated = state_deflate(file->bytes, file->size, &size);
	state_save(&state, "file");
	STATE_FIELD(&state, whole);
	if (deflated)
		state_bytes(&state, deflated, size);
	else
		state_refuse(&state, "no memory");
	free(deflated);
	return state_file_put_state(to, tag, 0, &state);
}

uint32_t state_guest_pieces(const struct loader_file *file)
{
	if (!file->bytes)
		return 0;
	return (uint32_t)((file->size + STATE_GUEST_PIECE - 1) / STATE_GUEST_PIECE) +
	       (file->size == 0);
}

/* The first piece begins with the size of the file. */
int state_guest_put_piece(struct state_file *to, const char *tag, const struct loader_file *file,
			  uint32_t n)
{
	const uint64_t at = n * STATE_GUEST_PIECE, left = file->size - at;
	uint64_t whole = file->size;
	struct state state;

	state_save(&state, "file");
	if (n == 0)
		STATE_FIELD(&state, whole);
	state_bytes(&state, file->bytes + at,
		    left < STATE_GUEST_PIECE ? (size_t)left : (size_t)STATE_GUEST_PIECE);
	return state_file_put_state(to, tag, n, &state);
}

/* The bytes of a saved file. */
static void inflate_file(struct state *state, struct loader_file *file, uint64_t whole)
{
	const size_t left = state->size - state->at;

	if (!state->failed && whole / DEFLATE_MOST > left)
		state_refuse(state, "%" PRIu64 " bytes cannot come out of it", whole);
	if (state->failed)
		return;
	file->bytes = malloc(whole + 1);
	file->size = whole;
	if (!file->bytes)
		state_refuse(state, "no memory");
	else if (!state_inflate(state->bytes + state->at, left, file->bytes, whole))
		state_refuse(state, "cannot be unpacked");
	state->at = state->size;
}

/* Take a piece. Memory grows with what has arrived, not with what was announced. */
static void append_piece(struct state *state, struct loader_file *file, uint64_t whole)
{
	const uint64_t left = whole - file->size;
	const size_t size = left < STATE_GUEST_PIECE ? (size_t)left : (size_t)STATE_GUEST_PIECE;
	uint8_t *grown = state->failed ? NULL : realloc(file->bytes, file->size + size + 1);

	if (!grown) {
		state_refuse(state, "no memory");
		return;
	}
	file->bytes = grown;
	state_bytes(state, file->bytes + file->size, size);
	if (!state->failed)
		file->size += size;
}

int state_guest_get(struct state_file *from, const char *tag, const char *name,
		    struct loader_file *file, uint64_t most)
{
	uint64_t whole = 0;
	uint32_t n = 0;

	if (!name)
		return 0;
	file->name = name;
	do {
		struct state_section section;
		struct state state;

		if (state_file_get(from, tag, n, &section) < 0)
			return -1;
		state_load(&state, tag, section.bytes, section.size);
		if (n == 0)
			STATE_UP_TO(&state, whole, most);
		if (from->kind == STATE_FILE_MIGRATION)
			append_piece(&state, file, whole);
		else
			inflate_file(&state, file, whole);
		(void)state_end(&state);
		free(section.bytes);
		if (state.failed) {
			(void)snprintf(from->why, sizeof(from->why), "%s", state.why);
			return -1;
		}
		n++;
	} while (file->size < whole);
	return 0;
}
