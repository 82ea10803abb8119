/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings, each kept once and identified by a number. */
#ifndef VSPE_TRACE_NAMES_H
#define VSPE_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE UINT32_MAX

/* Zero-initialise. */
struct names {
	char *text;
	size_t used, room;
	uint32_t *slots; /* number + 1, or 0 */
	size_t slot_count, count;
};

/*
 * The number of a string, which ends with a NUL or after most bytes. NAMES_NONE: it is new, and 64
 * MiB are full.
 */
uint32_t names_number(struct names *names, const char *string, size_t most);
/* Valid until the next names_number(). */
const char *names_get(const struct names *names, uint32_t number);
void names_free(struct names *names);

#endif
