/* SPDX-License-Identifier: BSD-2-Clause */
/* Output that cannot harm a terminal: see safe_text.h. */
#include "base/safe_text.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define ESCAPE 0x1b

/* The verdict on a sequence or character so far. */
enum verdict { SAFE_WAIT, SAFE_PASS, SAFE_SHOW };

static enum verdict judge_character(const uint8_t *held, size_t count)
{
	const size_t size = utf8_size(held[0]);

	if (size == 0 || (count > 1 && !utf8_follows(held[0], count - 1, held[count - 1])))
		return SAFE_SHOW;
	return count < size ? SAFE_WAIT : SAFE_PASS;
}

/* Modes of DEC's terminals and xterm's that programs set, and their defaults. */
static const struct {
	const char *number;
	bool set;
} modes[] = {
	{"1", false},	 /* cursor keys of an application */
	{"7", true},	 /* lines are wrapped */
	{"12", false},	 /* the cursor blinks */
	{"25", true},	 /* the cursor is shown */
	{"1049", false}, /* the other screen */
	{"2004", false}, /* pasted text is marked */
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

/* Bits of changed beyond those of the modes. */
enum { CHANGED_COLOURS = MODES, CHANGED_KEYPAD, CHANGED_CHARACTERS, CHANGED_REGION };

static void set_changed(struct safe_text *safe, unsigned int bit, bool changed)
{
	safe->changed = (safe->changed & ~(UINT32_C(1) << bit)) | (uint32_t)changed << bit;
}

/* The row of the mode whose number has size digits, or MODES. */
static unsigned int find_mode(const uint8_t *number, size_t size)
{
	for (unsigned int i = 0; i < MODES; i++)
		if (strlen(modes[i].number) == size && memcmp(modes[i].number, number, size) == 0)
			return i;
	return MODES;
}

/*
 * ESC [ ? NUMBER ; ... h or l: are all of these modes known? If safe is not NULL, note which differ
 * from their default.
 */
static bool read_modes(const uint8_t *held, size_t count, struct safe_text *safe)
{
	for (size_t at = 3, end; at < count; at = end + 1) {
		unsigned int mode;

		for (end = at; held[end] >= '0' && held[end] <= '9'; end++)
			;
		mode = find_mode(held + at, end - at);
		if (mode == MODES || held[end] == ':')
			return false;
		if (safe)
			set_changed(safe, mode, (held[count - 1] == 'h') != modes[mode].set);
	}
	return true;
}

/* A CSI sequence, from its third byte on: parameters, and a final byte. */
static enum verdict judge_csi(const uint8_t *held, size_t count)
{
	const uint8_t last = held[count - 1];
	const bool private = held[2] == '?';

	if ((last >= '0' && last <= '9') || last == ';' || last == ':' || (private && count == 3))
		return SAFE_WAIT;
	if (private)
		return (last == 'h' || last == 'l') && read_modes(held, count, NULL) ? SAFE_PASS
										     : SAFE_SHOW;
	if (last == 'J') /* 3: the scrollback */
		return memchr(held, '3', count) ? SAFE_SHOW : SAFE_PASS;
	if (last == 'b')
		return count <= 6 ? SAFE_PASS : SAFE_SHOW;
	if (last == 'T') /* with five parameters: mouse reports */
		return memchr(held, ';', count) ? SAFE_SHOW : SAFE_PASS;
	return strchr("ABCDEFGHdf@KLMPXSrm", last) && last ? SAFE_PASS : SAFE_SHOW;
}

static enum verdict judge_sequence(const uint8_t *held, size_t count)
{
	const uint8_t last = held[count - 1];

	if (count == 1)
		return SAFE_WAIT;
	if (held[1] == '[')
		return count == 2 ? SAFE_WAIT : judge_csi(held, count);
	if (held[1] == '(' || held[1] == ')') /* ASCII, or line-drawing characters */
		return count == 2 ? SAFE_WAIT : last == 'B' || last == '0' ? SAFE_PASS : SAFE_SHOW;
	return strchr("78DEM=>", last) && last ? SAFE_PASS : SAFE_SHOW;
}

static enum verdict judge(const uint8_t *held, size_t count)
{
	if (held[0] == ESCAPE)
		return judge_sequence(held, count);
	if (held[0] < 0x20)
		return strchr("\n\r\t\b\a\x0e\x0f", held[0]) && held[0] ? SAFE_PASS : SAFE_SHOW;
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

/* Note what a sequence that is passed changes. */
static void note(struct safe_text *safe)
{
	const uint8_t *held = safe->held;
	const size_t count = safe->count;
	const uint8_t last = held[count - 1];

	if (held[0] == 0x0e)
		set_changed(safe, CHANGED_CHARACTERS, true);
	if (held[0] != ESCAPE)
		return;
	if (held[1] == '[' && held[2] == '?')
		(void)read_modes(held, count, safe);
	else if (held[1] == '[' && last == 'm')
		set_changed(safe, CHANGED_COLOURS, !resets_colours(held, count));
	else if (held[1] == '[' && last == 'r')
		set_changed(safe, CHANGED_REGION, count > 3);
	else if (count == 2 && (last == '=' || last == '>'))
		set_changed(safe, CHANGED_KEYPAD, last == '=');
	else if (count == 3 && last == '0')
		set_changed(safe, CHANGED_CHARACTERS, true);
}

size_t safe_text_put(struct safe_text *safe, uint8_t byte, char text[SAFE_TEXT_MAX])
{
	size_t used = 0, count;

	/* A byte that cannot continue what is held begins anew: it may be a newline. */
	safe->held[safe->count++] = byte;
	switch (judge(safe->held, safe->count)) {
	case SAFE_WAIT:
		if (safe->count < SAFE_TEXT_HELD)
			return 0;
		break;
	case SAFE_PASS:
		count = safe->count;
		memcpy(text, safe->held, count);
		note(safe);
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

static size_t append(char *text, size_t used, const char *more)
{
	return (size_t)(stpcpy(text + used, more) - text);
}

size_t safe_text_undo(const struct safe_text *safe, char text[SAFE_TEXT_UNDO])
{
	const uint32_t changed = safe->changed;
	size_t used = 0;

	/* Setting the region moves the cursor. */
	if (changed >> CHANGED_REGION & 1)
		used = append(text, used,
			      "\x1b"
			      "7\x1b[r\x1b"
			      "8");
	for (unsigned int i = 0; i < MODES; i++) {
		if (!(changed >> i & 1))
			continue;
		used = append(text, used, "\x1b[?");
		used = append(text, used, modes[i].number);
		used = append(text, used, modes[i].set ? "h" : "l");
	}
	if (changed >> CHANGED_KEYPAD & 1)
		used = append(text, used, "\x1b>");
	if (changed >> CHANGED_CHARACTERS & 1)
		used = append(text, used, "\x1b(B\x1b)B\x0f");
	if (changed >> CHANGED_COLOURS & 1)
		used = append(text, used, "\x1b[m");
	return used;
}

size_t safe_text_end(struct safe_text *safe, char text[SAFE_TEXT_MAX])
{
	size_t used = show(safe->held, safe->count, text);

	safe->count = 0;
	used += safe_text_undo(safe, text + used);
	safe->changed = 0;
	return used;
}
