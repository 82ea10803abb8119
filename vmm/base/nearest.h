/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the words that somebody may have meant, the one that is nearest to what was written. */
#ifndef VSPE_BASE_NEAREST_H
#define VSPE_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text is shorter than this, or nothing is near it; so are names. */
#define NEAREST_MOST 64

/* Begin with {.text = ..., .distance = SIZE_MAX}; name is empty while there is none. */
struct nearest {
	const char *text;
	size_t distance;
	char name[NEAREST_MOST];
};

/* A name that may be meant. Of names that are equally near, the first one is kept. */
void nearest_try(struct nearest *nearest, const char *name);

/* Is the nearest name so near that it will have been meant? */
bool nearest_is_close(const struct nearest *nearest);

/*
 * "; did you mean NAME?", with prefix before NAME, if it is close, and otherwise the other text.
 * Both go into text of size bytes, which is returned.
 */
const char *nearest_hint(const struct nearest *nearest, const char *prefix, const char *otherwise,
			 char *text, size_t size);

#endif
