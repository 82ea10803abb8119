// SPDX-License-Identifier: BSD-2-Clause
/* Output that cannot harm a terminal: see safe_text.h. */
#include "base/safe_text.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define ESCAPE 0x1b

/* What a sequence or character is so far. */
enum verdict { SAFE_WAIT, SAFE_PASS, SAFE_SHOW };

static enum verdict judge_character(const uint8_t *held, size_t count)
{
	const size_t size = utf8_size(held[0]);

	if (size == 0 || (count > 1 && !utf8_follows(held[0], count - 1, held[count - 1])))
		return SAFE_SHOW;
	return count < size ? SAFE_WAIT : SAFE_PASS;
}

static enum verdict judge_sequence(const uint8_t *held, size_t count)
{
	const uint8_t last = held[count - 1];

	if (count == 1)
		return SAFE_WAIT;
	if (count == 2)
		return last == '[' ? SAFE_WAIT : SAFE_SHOW;
	if ((last >= '0' && last <= '9') || last == ';' || last == ':')
		return SAFE_WAIT;
	if (last == 'J') /* 3: what was scrolled away */
		return memchr(held, '3', count) ? SAFE_SHOW : SAFE_PASS;
	return strchr("ABCDEFGHdf@KLMPXm", last) ? SAFE_PASS : SAFE_SHOW;
}

static enum verdict judge(const uint8_t *held, size_t count)
{
	if (held[0] == ESCAPE)
		return judge_sequence(held, count);
	if (held[0] < 0x20)
		return strchr("\n\r\t\b\a", held[0]) && held[0] ? SAFE_PASS : SAFE_SHOW;
	return held[0] == 0x7f ? SAFE_SHOW : judge_character(held, count);
}

static size_t show(const uint8_t *held, size_t count, char *text)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (held[i] >= 0x20 && held[i] < 0x7f)
			text[used++] = (char)held[i];
		else
			used += (size_t)sprintf(text + used, "\\x%02x", held[i]);
	return used;
}

/* Are these the terminal's own colours? */
static bool resets_colours(const uint8_t *held, size_t count)
{
	return count == 3 || (count == 4 && held[2] == '0');
}

size_t safe_text_put(struct safe_text *safe, uint8_t byte, char text[SAFE_TEXT_MAX])
{
	size_t used = 0, count;

	/* A byte that cannot go on what is held begins anew: it may be a newline. */
	safe->held[safe->count++] = byte;
	switch (judge(safe->held, safe->count)) {
	case SAFE_WAIT:
		if (safe->count < SAFE_TEXT_HELD)
			return 0;
		break;
	case SAFE_PASS:
		count = safe->count;
		memcpy(text, safe->held, count);
		if (safe->held[0] == ESCAPE && byte == 'm')
			safe->coloured = !resets_colours(safe->held, count);
		safe->count = 0;
		return count;
	case SAFE_SHOW:
		if (safe->count == 1 || (byte >= 0x20 && byte < 0x7f))
			break;
		used = show(safe->held, safe->count - 1, text);
		safe->count = 0;
		return used + safe_text_put(safe, byte, text + used);
	}
	used = show(safe->held, safe->count, text);
	safe->count = 0;
	return used;
}

size_t safe_text_end(struct safe_text *safe, char text[SAFE_TEXT_MAX])
{
	size_t used = show(safe->held, safe->count, text);

	safe->count = 0;
	if (safe->coloured)
		used += (size_t)sprintf(text + used, "\x1b[m");
	safe->coloured = false;
	return used;
}
