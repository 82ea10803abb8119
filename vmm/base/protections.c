/* SPDX-License-Identifier: BSD-2-Clause */
/* The protections of a process: see protections.h. */
#include "base/protections.h"

#include <stdarg.h>
#include <stdio.h>

const char *protection_name(enum protection which)
{
	static const char *const names[] = {
#define X(name, text) [PROTECTION_##name] = (text),
		PROTECTIONS(X)
#undef X
	};

	return names[which];
}

void protections_lack(struct protections *protections, enum protection which, bool chosen,
		      const char *format, ...)
{
	struct protection_lack *lack = protections ? &protections->lack[which] : NULL;
	va_list args;

	if (!lack || lack->why[0])
		return;
	va_start(args, format);
	(void)vsnprintf(lack->why, sizeof(lack->why), format, args);
	va_end(args);
	lack->chosen = chosen;
}

enum protection protections_missing(const struct protections *protections)
{
	enum protection which = 0;

	while (which < PROTECTION_COUNT &&
	       (!protections->lack[which].why[0] || protections->lack[which].chosen))
		which++;
	return which;
}
