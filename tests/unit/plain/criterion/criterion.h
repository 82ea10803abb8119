/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of Criterion that the tests of the software CPU's core use, for a host without it: the
 * tests of a program run in their order, each in a process that ends at the first error.
 */
#ifndef VSPE_PLAIN_CRITERION_H
#define VSPE_PLAIN_CRITERION_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain_test {
	const char *suite, *name;
	void (*run)(void);
	struct plain_test *next;
};

void plain_add(struct plain_test *test);
_Noreturn void plain_skip(void);
_Noreturn void plain_fail(void);

#define PLAIN_NAME(suite, name) plain_##suite##_##name

/* The arguments after the name are for Criterion: a time limit, or the like. */
#define Test(suite, name, ...)                                                                  \
	static void PLAIN_NAME(suite, name)(void);                                              \
	__attribute__((constructor)) static void PLAIN_NAME(suite, name##_add)(void)            \
	{                                                                                       \
		static struct plain_test test = {#suite, #name, PLAIN_NAME(suite, name), NULL}; \
                                                                                                \
		plain_add(&test);                                                               \
	}                                                                                       \
	static void PLAIN_NAME(suite, name)(void)

/* The comparisons are in tests/unit/compare.h. */
#define cr_assert(condition, ...)                                                   \
	do {                                                                        \
		if (!(condition)) {                                                 \
			(void)printf("%s:%d: %s:", __FILE__, __LINE__, #condition); \
			(void)printf(" " __VA_ARGS__);                              \
			(void)printf("\n");                                         \
			plain_fail();                                               \
		}                                                                   \
	} while (0)
#define cr_expect    cr_assert
#define cr_skip(...) plain_skip()
#define cr_skip_test cr_skip

#endif
