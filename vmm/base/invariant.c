// SPDX-License-Identifier: BSD-2-Clause
/* An invariant that does not hold: one line, and an abort, so that a debugger or a core has it. */
#include "base/invariant.h"

#ifdef VSPE_INVARIANTS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void vspe_invariant_broken(const char *file, int line, const char *condition, uint64_t a,
			   uint64_t b)
{
	char text[512];
	const int size =
		snprintf(text, sizeof(text),
			 "vspe: invariant broken: %s:%d: %s (0x%" PRIx64 ", 0x%" PRIx64 ")\n", file,
			 line, condition, a, b);

	if (size > 0)
		(void)!write(STDERR_FILENO, text, (size_t)size);
	abort();
}

#else

typedef int invariant_nothing; /* ISO C wants something in a file */

#endif
