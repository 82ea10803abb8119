/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the guest's Linux kernel panicked? Its console says so, in the same words since 1.0, at the
 * beginning of a line or after the time in brackets.
 */
#ifndef VSPE_CLI_PANIC_H
#define VSPE_CLI_PANIC_H

#include "base/state.h"

#define PANIC_LINE 256 /* how much of a line is kept, with the final zero */

/* All zero at the beginning. */
struct panic {
	bool seen;
	uint32_t used;
	char line[PANIC_LINE]; /* the reason, when panic_byte() is true; else the line so far */
};

/* Takes a byte of the console. True once, at the end of the panic's line: line has the reason. */
bool panic_byte(struct panic *panic, uint8_t byte);

/* Save or load it. Older saved machines end before it. */
void panic_state(struct panic *panic, struct state *state);

#endif
