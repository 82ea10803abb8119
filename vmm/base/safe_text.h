/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest's output for a terminal. Text, colours, and what a shell, top, less and vi do to the
 * screen pass unchanged; what they change is restored at the end. A control sequence that could do
 * more - make the terminal answer, set its title or its clipboard, report the mouse, erase the
 * scrollback - is made visible, as \x1b[6n.
 *
 * Passed: printable characters, and those beyond ASCII in well-formed UTF-8; newline, carriage
 * return, tab, backspace, bell and the shifts between two character sets; CSI sequences (ECMA-48)
 * that set colours (m), move the cursor (A to H, d, f), insert and delete (@, J except the
 * scrollback, K, L, M, P, X), scroll (S, T, r) and repeat a character up to 999 times (b); the
 * private modes of DEC and xterm that safe_text.c lists; ESC with 7, 8, D, E, M, =, > and a
 * character set.
 */
#ifndef VSPE_BASE_SAFE_TEXT_H
#define VSPE_BASE_SAFE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAFE_TEXT_HELD 32 /* the longest sequence that is passed */
#define SAFE_TEXT_UNDO 96 /* bytes that restore a terminal */
#define SAFE_TEXT_MAX  (4 * (SAFE_TEXT_HELD + 1) + SAFE_TEXT_UNDO) /* from one call */

/* Begins as zeros. */
struct safe_text {
	uint8_t held[SAFE_TEXT_HELD]; /* the beginning of a sequence or character */
	size_t count;
	volatile uint32_t changed; /* what differs from the terminal's defaults */
};

/* Take a byte. Returns how many bytes of text to print for it. */
size_t safe_text_put(struct safe_text *safe, uint8_t byte, char text[SAFE_TEXT_MAX]);
/* The same for the end: what is held, and what restores the terminal. */
size_t safe_text_end(struct safe_text *safe, char text[SAFE_TEXT_MAX]);
/* What restores the terminal now; also for signal handlers. What is held is lost. */
size_t safe_text_undo(const struct safe_text *safe, char text[SAFE_TEXT_UNDO]);

#endif
