/* SPDX-License-Identifier: BSD-2-Clause */
/* See fail.h. */
#include "qemu/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void plugin_fail(const char *format, ...)
{
	va_list arguments;

	fputs("vspe: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}
