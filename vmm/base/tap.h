/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the Test Anything Protocol (version 14, also 12 and 13) that a guest prints on its console,
 * byte by byte. Other lines are ignored, as the protocol demands.
 */
#ifndef VSPE_BASE_TAP_H
#define VSPE_BASE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state.h"

#define TAP_LINE 256 /* bytes of a line that are kept */

struct tap {
	bool planned; /* a plan came */
	bool plan_twice;
	bool bailed;
	uint64_t plan;			  /* tests it announces */
	uint64_t passed, failed, skipped; /* a failed TODO counts as passed */
	uint64_t wrong_number;		  /* test points whose number is not the next one */
	size_t used;
	char line[TAP_LINE];
};

/* A test point as its line has it. */
struct tap_point {
	bool ok; /* as printed */
	bool skip, todo;
	bool numbered;
	uint64_t number;
	const char *description; /* without the dash; up to the directive */
	size_t description_length;
	const char *reason; /* after SKIP or TODO; or "" */
};

/*
 * Is this line, without its newline, a test point? If so, fill in point, which points into the
 * line.
 */
bool tap_parse_point(const char *line, struct tap_point *point);

void tap_init(struct tap *tap);
/* ctx is the struct tap: for struct console. */
void tap_byte(void *ctx, uint8_t byte);
/* To be saved or loaded. */
void tap_state(struct tap *tap, struct state *state);
/* The guest's output has ended. */
void tap_end(struct tap *tap);
/* Did all planned tests run and pass? If not, a line in why. */
bool tap_passed(const struct tap *tap, char *why, size_t size);

#endif
