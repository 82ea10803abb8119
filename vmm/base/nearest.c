/* SPDX-License-Identifier: BSD-2-Clause */
/* See nearest.h. The distance is Damerau and Levenshtein's, in units of half a changed letter. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Two swapped letters are one slip of the hand. */
#define SWAPPED 1
#define CHANGED 2

/* The distance of a name that begins with the text, however long it is. */
#define BEGUN 1

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters to swap, change, add or remove to make b of a, ignoring case. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_MOST];
	const size_t m = strlen(a), n = strlen(b);

	if (m >= NEAREST_MOST || n >= NEAREST_MOST)
		return SIZE_MAX;
	for (size_t k = 0; k <= n; k++)
		rows[0][k] = CHANGED * k;
	for (size_t i = 1; i <= m; i++) {
		size_t *row = rows[i % 3];
		const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = CHANGED * i;
		for (size_t k = 1; k <= n; k++) {
			row[k] = last[k - 1] + (same(a[i - 1], b[k - 1]) ? 0 : CHANGED);
			row[k] = least(row[k], last[k] + CHANGED);
			row[k] = least(row[k], row[k - 1] + CHANGED);
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				row[k] = least(row[k], before[k - 2] + SWAPPED);
		}
	}
	return rows[m % 3][n];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	const size_t length = strlen(nearest->text);
	const bool begun = length && strncasecmp(nearest->text, name, length) == 0;
	const size_t far = begun ? (name[length] ? BEGUN : 0) : distance(nearest->text, name);

	if (far >= nearest->distance || strlen(name) >= NEAREST_MOST)
		return;
	nearest->distance = far;
	snprintf(nearest->name, sizeof(nearest->name), "%s", name);
}

/* A different digit means another version, core or register. */
static bool same_digits(const char *a, const char *b)
{
	const char digits[] = "0123456789";

	for (;;) {
		a += strcspn(a, digits);
		b += strcspn(b, digits);
		if (!*a || *a != *b)
			return *a == *b;
		a++;
		b++;
	}
}

bool nearest_is_close(const struct nearest *nearest)
{
	const size_t length = strlen(nearest->text);

	/*
	 * One letter of every three, and none in words of one or two: they are near to everything.
	 */
	return nearest->name[0] && length > 2 && nearest->distance <= CHANGED * (length / 3) &&
	       (nearest->distance == BEGUN || same_digits(nearest->text, nearest->name));
}

const char *nearest_hint(const struct nearest *nearest, const char *prefix, const char *otherwise,
			 char *text, size_t size)
{
	if (nearest_is_close(nearest))
		snprintf(text, size, "; did you mean %s%s?", prefix, nearest->name);
	else
		snprintf(text, size, "%s", otherwise);
	return text;
}
