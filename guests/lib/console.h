/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: the PL011 or 8250 that /chosen/stdout-path names, or the first one in the device
 * tree.
 */
#ifndef GUEST_CONSOLE_H
#define GUEST_CONSOLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Where it is. False if the device tree has none; output is dropped then. */
bool console_find(uint64_t *base, uint64_t *size);
/* With its mapped registers. */
void console_init(volatile void *registers);
void console_putc(char c);

/* %d %u %x %s %c %p and %%, with l, a width, 0 and - as in C. */
void vprintf(const char *format, va_list args);
void printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line "Bail out! ...", as TAP has it, and off. */
void panic(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
