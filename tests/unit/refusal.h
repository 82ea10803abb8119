/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of options share: a refusal is one line that names what is wrong, and why. */
#ifndef VSPE_TEST_REFUSAL_H
#define VSPE_TEST_REFUSAL_H

#include <string.h>

#include "compare.h"

/* message is what text was refused with, without a newline at its end. */
static inline void refusal_says(const char *text, const char *message, const char *word,
				const char *reason)
{
	cr_assert_str_has(message, word, "%s: no '%s' in: %s", text, word, message);
	cr_assert_str_has(message, reason, "%s: no '%s' in: %s", text, reason, message);
	for (const char *c = message; *c; c++)
		cr_assert_geq((unsigned char)*c, 0x20, "%s: a control character in: %s", text,
			      message);
}

#endif
