/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sandbox of this build has: see sandbox.h. */
#include "base/sandbox.h"

bool sandbox_has_filter(void)
{
#ifdef SANDBOX_WITHOUT_FILTER
	return false;
#else
	return true;
#endif
}
