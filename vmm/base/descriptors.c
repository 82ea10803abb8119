/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that the process inherited: see descriptors.h. */
#define _GNU_SOURCE /* close_range */
#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MOST 32
#define FIRST	   3

/* Global, as the process's descriptors are. */
static struct {
	int named[NAMED_MOST], count;
	int error;
} inherited;

static void keep(long fd)
{
	if (fd < FIRST || fd > INT_MAX || inherited.count == NAMED_MOST ||
	    fcntl((int)fd, F_GETFD) < 0)
		return;
	inherited.named[inherited.count++] = (int)fd;
}

/* A descriptor's name may be anywhere in a word, as in --disk=/dev/fd/4,ro. */
static void keep_named(const char *word)
{
	static const char folder[] = "/fd/";

	for (const char *at = strstr(word, folder); at; at = strstr(at, folder)) {
		char *end;

		at += sizeof(folder) - 1;
		errno = 0;
		const long fd = strtol(at, &end, 10);

		if (end != at && errno == 0)
			keep(fd);
	}
}

/* The lowest named descriptor that is not below from; INT_MAX: none. */
static int next_named(int from)
{
	int next = INT_MAX;

	for (int i = 0; i < inherited.count; i++)
		if (inherited.named[i] >= from && inherited.named[i] < next)
			next = inherited.named[i];
	return next;
}

void descriptors_close(int count, char *const *words)
{
	int from = FIRST;

	for (int i = 0; i < count; i++)
		keep_named(words[i]);
	while (from < INT_MAX) {
		const int next = next_named(from);

		if (next > from && close_range((unsigned int)from, (unsigned int)next - 1, 0) < 0)
			inherited.error = -errno;
		from = next < INT_MAX ? next + 1 : next;
	}
}

void descriptors_close_named(void)
{
	while (inherited.count > 0)
		(void)close(inherited.named[--inherited.count]);
}

int descriptors_error(void)
{
	return inherited.error;
}
