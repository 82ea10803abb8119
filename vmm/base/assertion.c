/* SPDX-License-Identifier: BSD-2-Clause */
/* A failed assertion prints one line and aborts, which a debugger or a core file shows. */
#include "base/assertion.h"

#if VSPE_ASSERT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void vspe_assertion_failed(const char *file, int line, const char *condition, uint64_t a,
			   uint64_t b)
{
	char text[512];
	const int size =
		snprintf(text, sizeof(text),
			 "vspe: assertion failed: %s:%d: %s (0x%" PRIx64 ", 0x%" PRIx64 ")\n", file,
			 line, condition, a, b);

	if (size > 0)
		(void)!write(STDERR_FILENO, text, (size_t)size);
	abort();
}

#else

typedef int assertion_nothing; /* ISO C forbids an empty file */

#endif
