/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: the PL011 that /chosen/stdout-path names, or the first one in the device tree.
 */
#ifndef GUEST_CONSOLE_H
#define GUEST_CONSOLE_H

#include <stdarg.h>
#include <stdbool.h>

/* False if the device tree has no PL011; output is dropped then. */
bool console_init(void);
void console_putc(char c);

/* %d %u %x %s %c %p and %%, with l, a width, 0 and - as in C. */
void vprintf(const char *format, va_list args);
void printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line "Bail out! ...", as TAP has it, and off. */
void panic(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
