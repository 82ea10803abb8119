// SPDX-License-Identifier: BSD-2-Clause
/* The Test Anything Protocol: see tap.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "machine/tap.h"

void tap_init(struct tap *tap)
{
	memset(tap, 0, sizeof(*tap));
}

/* "word" at the start of text, as a word of its own. */
static const char *tap_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 || isalnum((unsigned char)text[length]))
		return NULL;
	return text + length;
}

/* The directive of a test point behind an unescaped " #", or "". */
static const char *tap_directive(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '#' && p > text && isspace((unsigned char)p[-1]))
			return p + 1 + strspn(p + 1, " \t");
	}
	return "";
}

static void tap_point(struct tap *tap, const char *rest, bool ok)
{
	const char *directive = tap_directive(rest);

	rest += strspn(rest, " \t");
	if (isdigit((unsigned char)*rest) &&
	    strtoull(rest, NULL, 10) != tap->passed + tap->failed + 1)
		tap->wrong_number++;
	if (strncasecmp(directive, "skip", 4) == 0)
		tap->skipped++;
	if (ok || strncasecmp(directive, "todo", 4) == 0)
		tap->passed++;
	else
		tap->failed++;
}

static void tap_line(struct tap *tap)
{
	const char *rest;

	tap->line[tap->used] = '\0';
	if ((rest = tap_word(tap->line, "ok")) != NULL) {
		tap_point(tap, rest, true);
	} else if ((rest = tap_word(tap->line, "not ok")) != NULL) {
		tap_point(tap, rest, false);
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
