/* SPDX-License-Identifier: BSD-2-Clause */
/* A command line of vspe explain, for its tests. */
#ifndef TESTS_UNIT_CLI_EXPLAIN_LINE_H
#define TESTS_UNIT_CLI_EXPLAIN_LINE_H

#include <string.h>

#include "../compare.h"
#include "../refusal.h"
#include "cli/explain.h"
#include "cli/options.h"

#define WORDS_MAX 48

/* The command line as one string, in words without blanks. */
static inline int parse(const char *line, struct explain_request *request, char *message,
			size_t size)
{
	static char copy[2048];
	char *argv[WORDS_MAX + 1] = {(char *)"explain"};
	int argc = 1, code;
	FILE *messages = fmemopen(message, size, "w");

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	code = explain_parse(argc, argv, request, messages);
	fclose(messages);
	return code;
}

static inline void refused(const char *line, const char *a, const char *b)
{
	struct explain_request request;
	char message[512] = "";

	cr_assert_eq(parse(line, &request, message, sizeof(message)), CLI_USAGE, "%s", line);
	cr_assert_str_begins(message, "vspe explain: ");
	cr_assert_eq(message[strlen(message) - 1], '\n', "%s", message);
	message[strlen(message) - 1] = '\0';
	refusal_says(line, message, a, b);
}

#endif
