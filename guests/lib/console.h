/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console that the firmware names (platform.h).
 */
#ifndef GUEST_CONSOLE_H
#define GUEST_CONSOLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"

/* With its mapped registers. Before that output is dropped. */
void console_init(const struct platform_uart *uart, volatile void *registers);
void console_putc(char c);

/* %d %u %x %s %c %p and %%, with l, a width, 0 and - as in C. */
void vprintf(const char *format, va_list args);
void printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line "Bail out! ...", as TAP has it, and off. */
void panic(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
