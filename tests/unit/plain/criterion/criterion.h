/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of Criterion as the tests of the software CPU's core use, for a host that has none: the
 * tests of a program in their order, a process each, which ends where something is wrong.
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

/* What is behind the name is Criterion's: a time limit, or the like. */
#define Test(suite, name, ...)                                                                  \
	static void PLAIN_NAME(suite, name)(void);                                              \
	__attribute__((constructor)) static void PLAIN_NAME(suite, name##_add)(void)            \
	{                                                                                       \
		static struct plain_test test = {#suite, #name, PLAIN_NAME(suite, name), NULL}; \
                                                                                                \
		plain_add(&test);                                                               \
	}                                                                                       \
	static void PLAIN_NAME(suite, name)(void)

#define PLAIN_CHECK(condition, text, ...)                                    \
	do {                                                                 \
		if (!(condition)) {                                          \
			(void)printf("%s:%d: %s", __FILE__, __LINE__, text); \
			(void)printf(" " __VA_ARGS__);                       \
			(void)printf("\n");                                  \
			plain_fail();                                        \
		}                                                            \
	} while (0)

#define cr_assert(condition, ...)     PLAIN_CHECK(condition, #condition, __VA_ARGS__)
#define cr_assert_not(condition, ...) PLAIN_CHECK(!(condition), "not " #condition, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)	      PLAIN_CHECK((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)      PLAIN_CHECK((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)	      PLAIN_CHECK((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)      PLAIN_CHECK((a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)	      PLAIN_CHECK((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)      PLAIN_CHECK((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_null(a, ...)	      PLAIN_CHECK(!(a), #a " is NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...)    PLAIN_CHECK(a, #a " is not NULL", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)   PLAIN_CHECK(strcmp(a, b) == 0, #a " is " #b, __VA_ARGS__)
#define cr_expect		      cr_assert
#define cr_expect_not		      cr_assert_not
#define cr_expect_eq		      cr_assert_eq
#define cr_expect_neq		      cr_assert_neq
#define cr_expect_gt		      cr_assert_gt
#define cr_expect_lt		      cr_assert_lt
#define cr_skip(...)		      plain_skip()
#define cr_skip_test		      cr_skip

#endif
