/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the guest's Linux kernel panicked? Its console says so, in the words that it has had
 * since 1.0, at the beginning of a line or behind the time in brackets.
 */
#ifndef VSPE_CLI_PANIC_H
#define VSPE_CLI_PANIC_H

#include "base/state.h"

#define PANIC_LINE 256 /* what is kept of a line, with its closing zero */

/* All zero at the beginning. */
struct panic {
	bool seen;
	uint32_t used;
	char line[PANIC_LINE]; /* the reason, when panic_byte() is true; else the line so far */
};

/* A byte of the console. true once, at the end of the line that says so: the reason is in line. */
bool panic_byte(struct panic *panic, uint8_t byte);

/* To be saved or loaded; what was saved before there was this ends before it. */
void panic_state(struct panic *panic, struct state *state);

#endif
