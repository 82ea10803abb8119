/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest's output for a terminal. What moves text and colours it passes as it is; a control
 * sequence that could do more - make the terminal answer, change its modes, its character set, its
 * title, its clipboard, erase what was scrolled away - is made visible, as \x1b[6n.
 *
 * Passed: printable characters, and those beyond ASCII in well-formed UTF-8; newline, carriage
 * return, tab, backspace and bell; CSI sequences (ECMA-48) of plain parameters that set colours
 * (m), move the cursor (A to H, d, f), and insert and delete here (@, J but of what was scrolled
 * away, K, L, M, P, X).
 */
#ifndef VSPE_BASE_SAFE_TEXT_H
#define VSPE_BASE_SAFE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAFE_TEXT_HELD 32			  /* the longest sequence that is passed */
#define SAFE_TEXT_MAX  (4 * (SAFE_TEXT_HELD + 1)) /* bytes that one call makes */

/* Begins as zeros. */
struct safe_text {
	uint8_t held[SAFE_TEXT_HELD]; /* the beginning of a sequence or character */
	size_t count;
	bool coloured; /* the last colours set may not be the terminal's own */
};

/* Take a byte. Returns how many bytes of text there are to be printed for it. */
size_t safe_text_put(struct safe_text *safe, uint8_t byte, char text[SAFE_TEXT_MAX]);
/* The same for the end: what is held, and the terminal's own colours. */
size_t safe_text_end(struct safe_text *safe, char text[SAFE_TEXT_MAX]);

#endif
