/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests and their report in the Test Anything Protocol, version 13.
 *
 * A guest has a table of tests. Each becomes one line, "ok" unless a CHECK in it failed; every
 * failed CHECK is a diagnostic line under it.
 */
#ifndef GUEST_TAP_H
#define GUEST_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test {
	const char *name;
	void (*run)(void);
	/* NULL, or why the test cannot run on this machine: NULL if it can. */
	const char *(*skip)(void);
};

/* One thing more that a test needs: why, or else without unless it is there. */
static inline const char *needs_too(const char *why, bool there, const char *without)
{
	return !why && !there ? without : why;
}

/* Print the plan, run the tests and report. The number of failures. */
unsigned int tap_run(const char *prefix, const struct test *tests, unsigned int count);

/* For the tests. Diagnostics appear before the line they belong to, marked with '#'. */
bool tap_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a failure unless the condition holds. What is wrong comes after the condition, as printf()
 * takes it. Evaluates to the condition. */
#define CHECK(condition, ...) ((condition) ? true : tap_fail(__VA_ARGS__))

#endif
