/* SPDX-License-Identifier: BSD-2-Clause */
/* See assembler.h. */
#include "assembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST (1u << 20)
#define ROOM ((size_t)1 << 22) /* bytes of code */

static char *expected[MOST];
static unsigned int count;

void expect(const char *text)
{
	expected[count++] = strdup(text);
	if (count == MOST)
		abort();
}

/* "  12:\t48 89 c8 \tmov    rax,rcx # comment": the instruction, with single blanks. */
static bool take_line(char *line, const char *comment, char *text, size_t size)
{
	char *at = strchr(line, '\t'), *end;
	size_t length = 0;

	at = at ? strchr(at + 1, '\t') : NULL;
	if (!at)
		return false;
	end = strstr(at, comment);
	if (end)
		*end = '\0';
	for (at++; *at && *at != '\n' && length + 1 < size; at++) {
		const char c = *at == '\t' ? ' ' : *at;

		if (c != ' ' || (length && text[length - 1] != ' '))
			text[length++] = c;
	}
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = '\0';
	return length > 0;
}

static int compare(const struct assembler *assembler, const char *path)
{
	char command[160], line[256], text[256];
	unsigned int n = 0, wrong = 0;
	FILE *dump;

	(void)snprintf(command, sizeof(command), "%s %s", assembler->objdump, path);
	dump = popen(command, "r");
	if (!dump)
		return 2;
	while (fgets(line, sizeof(line), dump)) {
		if (!take_line(line, assembler->comment, text, sizeof(text)))
			continue;
		if ((n >= count || strcmp(text, expected[n]) != 0) && wrong++ < 10)
			printf("objdump: %s; expected: %s\n", text,
			       n < count ? expected[n] : "nothing");
		n++;
	}
	(void)pclose(dump);
	printf("%u instructions of %u forms, %u differences\n", n, assembler->forms, wrong);
	return n != count || wrong;
}

int compare_with_objdump(const struct assembler *assembler)
{
	char path[] = "/tmp/diff_assembler.XXXXXX";
	struct jit_code code;
	size_t size;
	int fd, result = 2;

	if (system(assembler->there) != 0) {
		printf("SKIP: %s\n", assembler->missing);
		return 77;
	}
	code.from = code.at = malloc(ROOM);
	fd = mkstemp(path);
	if (!code.from || fd < 0)
		return 2;
	code.end = code.from + ROOM;
	assembler->write(&code);
	size = (size_t)(code.at - code.from);
	if (!jit_full(&code) && write(fd, code.from, size) == (ssize_t)size)
		result = compare(assembler, path);
	(void)close(fd);
	(void)unlink(path);
	free(code.from);
	return result;
}
