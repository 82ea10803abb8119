/* SPDX-License-Identifier: BSD-2-Clause */
/* The Test Anything Protocol: see tap.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/tap.h"

void tap_init(struct tap *tap)
{
	memset(tap, 0, sizeof(*tap));
}

/* Skip "word" at the start of text, if it is a whole word. */
static const char *tap_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 || isalnum((unsigned char)text[length]))
		return NULL;
	return text + length;
}

/* The directive of a test point, after an unescaped " #"; *end is the end of the text before it. */
static const char *tap_directive(const char *text, const char **end)
{
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
		} else if (*p == '#' && p > text && isspace((unsigned char)p[-1])) {
			*end = p;
			return p + 1 + strspn(p + 1, " \t");
		}
	}
	*end = p;
	return "";
}

/* The reason in a directive "SKIP reason" or "SKIP: reason". */
static const char *tap_reason(const char *directive)
{
	const char *rest = directive + strcspn(directive, " \t");

	return rest + strspn(rest, " \t");
}

bool tap_parse_point(const char *line, struct tap_point *point)
{
	const char *rest = tap_word(line, "ok"), *directive, *end;
	char *behind;

	*point = (struct tap_point){.ok = rest != NULL, .reason = ""};
	if (!rest)
		rest = tap_word(line, "not ok");
	if (!rest)
		return false;
	directive = tap_directive(rest, &end);
	point->skip = strncasecmp(directive, "skip", 4) == 0;
	point->todo = strncasecmp(directive, "todo", 4) == 0;
	if (point->skip || point->todo)
		point->reason = tap_reason(directive);
	rest += strspn(rest, " \t");
	point->numbered = isdigit((unsigned char)*rest) != 0;
	if (point->numbered) {
		point->number = strtoull(rest, &behind, 10);
		rest = behind;
	}
	rest += strspn(rest, " \t");
	if (*rest == '-')
		rest += 1 + strspn(rest + 1, " \t");
	while (end > rest && isspace((unsigned char)end[-1]))
		end--;
	point->description = rest;
	point->description_length = end > rest ? (size_t)(end - rest) : 0;
	return true;
}

static void tap_count(struct tap *tap, const struct tap_point *point)
{
	if (point->numbered && point->number != tap->passed + tap->failed + 1)
		tap->wrong_number++;
	if (point->skip)
		tap->skipped++;
	if (point->ok || point->todo)
		tap->passed++;
	else
		tap->failed++;
}

static void tap_line(struct tap *tap)
{
	struct tap_point point;

	tap->line[tap->used] = '\0';
	if (tap_parse_point(tap->line, &point)) {
		tap_count(tap, &point);
	} else if (strncmp(tap->line, "Bail out!", 9) == 0) {
		tap->bailed = true;
	} else if (strncmp(tap->line, "1..", 3) == 0 && isdigit((unsigned char)tap->line[3])) {
		tap->plan_twice |= tap->planned;
		tap->planned = true;
		tap->plan = strtoull(tap->line + 3, NULL, 10);
	}
}

void tap_byte(void *ctx, uint8_t byte)
{
	struct tap *tap = ctx;

	if (byte == '\n') {
		tap_line(tap);
		tap->used = 0;
	} else if (byte != '\r' && tap->used < TAP_LINE - 1) {
		tap->line[tap->used++] = (char)byte;
	}
}

void tap_end(struct tap *tap)
{
	if (tap->used > 0)
		tap_byte(tap, '\n');
}

bool tap_passed(const struct tap *tap, char *why, size_t size)
{
	uint64_t ran = tap->passed + tap->failed;

	if (tap->bailed)
		(void)snprintf(why, size, "tap: the guest bailed out after %" PRIu64 " tests", ran);
	else if (!tap->planned)
		(void)snprintf(why, size, "tap: no plan, %" PRIu64 " tests", ran);
	else if (tap->plan_twice)
		(void)snprintf(why, size, "tap: more than one plan");
	else if (ran != tap->plan)
		(void)snprintf(why, size,
			       "tap: %" PRIu64 " tests planned, %" PRIu64 " ran (%" PRIu64
			       " failed)",
			       tap->plan, ran, tap->failed);
	else if (tap->failed > 0)
		(void)snprintf(why, size, "tap: %" PRIu64 " of %" PRIu64 " tests failed",
			       tap->failed, ran);
	else if (tap->wrong_number > 0)
		(void)snprintf(why, size, "tap: %" PRIu64 " tests out of order", tap->wrong_number);
	else
		return true;
	return false;
}

void tap_state(struct tap *tap, struct state *state)
{
	uint32_t used = (uint32_t)tap->used;

	STATE_FIELD(state, tap->planned);
	STATE_FIELD(state, tap->plan_twice);
	STATE_FIELD(state, tap->bailed);
	STATE_FIELD(state, tap->plan);
	STATE_FIELD(state, tap->passed);
	STATE_FIELD(state, tap->failed);
	STATE_FIELD(state, tap->skipped);
	STATE_FIELD(state, tap->wrong_number);
	STATE_UP_TO(state, used, TAP_LINE - 1);
	if (state->failed)
		return;
	tap->used = used;
	state_bytes(state, tap->line, used);
}
