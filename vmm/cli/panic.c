/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects a panic of the guest's kernel: see panic.h. */
#include "cli/panic.h"

#include <string.h>

static const char words[] = "Kernel panic - not syncing: ";

/* Skip "[    0.123456] ", or "[    0.123456][    T1] " of kernels that name the caller. */
static const char *behind_time(const char *line)
{
	while (*line == '[') {
		const size_t inside = strspn(line + 1, " .0123456789TC");

		if (line[1 + inside] != ']')
			break;
		line += inside + 2;
		line += *line == ' ';
	}
	return line;
}

bool panic_byte(struct panic *panic, uint8_t byte)
{
	const char *text;

	if (panic->seen || byte == '\r')
		return false;
	if (byte != '\n') {
		if (panic->used < PANIC_LINE - 1)
			panic->line[panic->used++] = (char)byte;
		return false;
	}
	panic->line[panic->used] = '\0';
	panic->used = 0;
	text = behind_time(panic->line);
	if (strncmp(text, words, sizeof(words) - 1) != 0)
		return false;
	text += sizeof(words) - 1;
	memmove(panic->line, text, strlen(text) + 1);
	panic->seen = true;
	return true;
}

void panic_state(struct panic *panic, struct state *state)
{
	if (state->loading && state->at == state->size)
		return;
	STATE_FIELD(state, panic->seen);
	STATE_UP_TO(state, panic->used, PANIC_LINE - 1);
	if (!state->failed)
		state_bytes(state, panic->line, panic->used);
}
