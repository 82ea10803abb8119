/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the word that is nearest to what a user wrote, among those that he may have meant. */
#ifndef VSPE_BASE_NEAREST_H
#define VSPE_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer texts and names are ignored. */
#define NEAREST_MOST 64

/* Begin with {.text = ..., .distance = SIZE_MAX}; name is empty until one is found. */
struct nearest {
	const char *text;
	size_t distance;
	char name[NEAREST_MOST];
};

/* Consider a name. Of equally near names the first one is kept. */
void nearest_try(struct nearest *nearest, const char *name);

/* Is the nearest name so near that the user probably meant it? */
bool nearest_is_close(const struct nearest *nearest);

/*
 * "; did you mean NAME?", with prefix before NAME, if it is close, and otherwise the other text.
 * Writes it to text, of size bytes, and returns that.
 */
const char *nearest_hint(const struct nearest *nearest, const char *prefix, const char *otherwise,
			 char *text, size_t size);

#endif
