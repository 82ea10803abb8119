/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Criterion, with comparisons that say what they saw. Each cr_assert_NAME() and cr_expect_NAME()
 * below evaluates its sides once and compares as C does. If that fails, it prints the expression,
 * both values, and the test's own message if there is one:
 *
 *	op.target == 0x1000: 4104 (0x1008) and 4096 (0x1000); row 3
 *
 *	eq neq lt gt leq geq (a, b)	numbers, enumerations, bools and pointers
 *	not (a), null, not_null		the same with 0 and with NULL
 *	str_eq str_neq (a, b)		text; NULL fails both
 *	str_has str_lacks (a, b)	whether text b is anywhere in text a
 *	str_begins (a, b)		whether text a begins with text b
 *	arr_eq arr_neq (a, b, size)	size bytes of memory
 *
 * cr_assert() and cr_expect() are Criterion's, for a condition that is no comparison.
 */
#ifndef VSPE_TESTS_COMPARE_H
#define VSPE_TESTS_COMPARE_H

#ifndef cr_assert /* threads/harness.h has its own, where Criterion cannot start */
#include <criterion/criterion.h>
#endif
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../array.h"

/* What a failing comparison says. The text is that of the thread's last one. */
struct compare_text {
	size_t used;
	char text[8192];
};

static inline __attribute__((format(printf, 2, 0))) void
compare_add_va(struct compare_text *out, const char *format, va_list arguments)
{
	const size_t room = sizeof(out->text) - out->used;
	const int length = vsnprintf(out->text + out->used, room, format, arguments);

	if (length > 0)
		out->used += (size_t)length < room ? (size_t)length : room - 1;
}

static inline __attribute__((format(printf, 2, 3))) void compare_add(struct compare_text *out,
								     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	compare_add_va(out, format, arguments);
	va_end(arguments);
}

static inline struct compare_text *compare_begin(const char *expression)
{
	static _Thread_local struct compare_text out;

	out.used = 0;
	compare_add(&out, "%s: ", expression);
	return &out;
}

/* The test's own message comes after "; " in format. */
#define COMPARE_END(out, format)                                 \
	do {                                                     \
		va_list arguments_;                              \
                                                                 \
		va_start(arguments_, format);                    \
		if ((format)[2])                                 \
			compare_add_va(out, format, arguments_); \
		va_end(arguments_);                              \
	} while (0)

enum compare_kind {
	COMPARE_SIGNED,
	COMPARE_UNSIGNED,
	COMPARE_BOOL,
	COMPARE_REAL,
	COMPARE_POINTER,
};

struct compare_value {
	uint64_t bits; /* sign-extended */
	double real;
};

static inline void compare_add_value(struct compare_text *out, enum compare_kind kind, size_t size,
				     const struct compare_value *value)
{
	const uint64_t bits =
		size < 8 ? value->bits & ((UINT64_C(1) << size * 8) - 1) : value->bits;

	if (kind == COMPARE_REAL)
		compare_add(out, "%.17g", value->real);
	else if (kind == COMPARE_POINTER && !bits)
		compare_add(out, "NULL");
	else if (kind == COMPARE_POINTER)
		compare_add(out, "%#" PRIx64 " (not NULL)", bits);
	else if (kind == COMPARE_BOOL && bits < 2)
		compare_add(out, bits ? "true" : "false");
	else if (kind == COMPARE_UNSIGNED)
		compare_add(out, "%" PRIu64 " (0x%" PRIx64 ")", bits, bits);
	else
		compare_add(out, "%" PRId64 " (0x%" PRIx64 ")", (int64_t)value->bits, bits);
}

/* size: of the type that both have when they are compared, in bytes. */
static inline __attribute__((format(printf, 6, 7))) const char *
compare_values(const char *expression, enum compare_kind kind, size_t size,
	       struct compare_value left, struct compare_value right, const char *format, ...)
{
	struct compare_text *out = compare_begin(expression);

	compare_add_value(out, kind, size, &left);
	compare_add(out, " and ");
	compare_add_value(out, kind, size, &right);
	COMPARE_END(out, format);
	return out->text;
}

/* From its byte number from - 60 on, or all of it; at most 1,000 bytes. */
static inline void compare_add_quoted(struct compare_text *out, const char *text, size_t from)
{
	static const char escaped[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
	const size_t begin = from > 60 ? from - 60 : 0;
	size_t i;

	if (!text) {
		compare_add(out, "NULL");
		return;
	}
	compare_add(out, begin ? "...\"" : "\"");
	for (i = begin; text[i] && i < begin + 1000; i++) {
		const char *escape = strchr(escaped, text[i]);

		if (escape)
			compare_add(out, "\\%c", letters[escape - escaped]);
		else if (text[i] < 0x20 || text[i] == 0x7f)
			compare_add(out, "\\x%02x", (unsigned char)text[i]);
		else
			compare_add(out, "%c", text[i]);
	}
	compare_add(out, text[i] ? "\"..." : "\"");
}

static inline __attribute__((format(printf, 5, 6))) const char *
compare_strings(const char *expression, const char *left, const char *right, bool whole,
		const char *format, ...)
{
	struct compare_text *out = compare_begin(expression);
	size_t same = 0;

	while (whole && left && right && left[same] && left[same] == right[same])
		same++;
	compare_add_quoted(out, left, same);
	compare_add(out, " and ");
	compare_add_quoted(out, right, same);
	COMPARE_END(out, format);
	return out->text;
}

static inline void compare_add_bytes(struct compare_text *out, const uint8_t *bytes, size_t at,
				     size_t size)
{
	for (size_t i = at < 8 ? 0 : at - 8; i < size && i < at + 9; i++)
		compare_add(out, i == at ? " [%02x]" : " %02x", bytes[i]);
}

static inline __attribute__((format(printf, 5, 6))) const char *
compare_memory(const char *expression, const uint8_t *left, const uint8_t *right, size_t size,
	       const char *format, ...)
{
	struct compare_text *out = compare_begin(expression);
	size_t at = 0;

	while (at < size && left[at] == right[at])
		at++;
	if (at < size)
		compare_add(out, "at offset %zu (0x%zx) of %zu bytes:", at, at, size);
	else
		compare_add(out, "%zu bytes are the same:", size);
	compare_add_bytes(out, left, at < size ? at : 0, size);
	compare_add(out, " and");
	compare_add_bytes(out, right, at < size ? at : 0, size);
	COMPARE_END(out, format);
	return out->text;
}

/* clang-format off */
/* After the usual arithmetic conversions: what is no number is a pointer. */
#define COMPARE_KIND(x)                                                                  \
	_Generic((x),                                                                    \
		int: COMPARE_SIGNED, long: COMPARE_SIGNED, long long: COMPARE_SIGNED,    \
		unsigned int: COMPARE_UNSIGNED, unsigned long: COMPARE_UNSIGNED,         \
		unsigned long long: COMPARE_UNSIGNED,                                    \
		float: COMPARE_REAL, double: COMPARE_REAL, long double: COMPARE_REAL,    \
		default: COMPARE_POINTER)
#define COMPARE_IS_BOOL(x) _Generic((x), bool: true, default: false)
#define COMPARE_BITS(x)	   _Generic((x), float: 0, double: 0, long double: 0, default: (x))
#define COMPARE_NUMBER(x)  _Generic((x), float: (x), double: (x), long double: (x), default: 0)
/* clang-format on */
#define COMPARE_VALUE(x) \
	((struct compare_value){(uint64_t)(uintptr_t)COMPARE_BITS(x), (double)COMPARE_NUMBER(x)})

/* typeof: what both are converted to when they are compared. */
#define COMPARE_NUMBERS(check, expression, a, op, b, ...)                                        \
	do {                                                                                     \
		const __typeof__(1 ? (a) : (b)) left_ = (a), right_ = (b);                       \
                                                                                                 \
		check(left_ op right_, "%s",                                                     \
		      compare_values(expression,                                                 \
				     COMPARE_IS_BOOL(a) || COMPARE_IS_BOOL(b)                    \
					     ? COMPARE_BOOL                                      \
					     : COMPARE_KIND(left_),                              \
				     sizeof(left_), COMPARE_VALUE(left_), COMPARE_VALUE(right_), \
				     "; " __VA_ARGS__));                                         \
	} while (0)

/* passes: of left_ and right_; whole: whether all of both is compared. */
#define COMPARE_STR(check, expression, a, b, passes, whole, ...)                            \
	do {                                                                                \
		const char *const left_ = (a), *const right_ = (b);                         \
                                                                                            \
		check(left_ != NULL && right_ != NULL && (passes), "%s",                    \
		      compare_strings(expression, left_, right_, whole, "; " __VA_ARGS__)); \
	} while (0)

#define COMPARE_ARR(check, expression, a, op, b, size, ...)                                \
	do {                                                                               \
		const void *const left_ = (a), *const right_ = (b);                        \
		const size_t size_ = (size);                                               \
                                                                                           \
		check(memcmp(left_, right_, size_) op 0, "%s",                             \
		      compare_memory(expression, left_, right_, size_, "; " __VA_ARGS__)); \
	} while (0)

#undef cr_assert_eq
#undef cr_assert_neq
#undef cr_assert_lt
#undef cr_assert_gt
#undef cr_assert_leq
#undef cr_assert_geq
#undef cr_assert_not
#undef cr_assert_null
#undef cr_assert_not_null
#undef cr_assert_str_eq
#undef cr_assert_str_neq
#undef cr_assert_arr_eq
#undef cr_assert_arr_neq
#undef cr_expect_eq
#undef cr_expect_neq
#undef cr_expect_lt
#undef cr_expect_gt
#undef cr_expect_leq
#undef cr_expect_geq
#undef cr_expect_not
#undef cr_expect_null
#undef cr_expect_not_null
#undef cr_expect_str_eq
#undef cr_expect_str_neq
#undef cr_expect_arr_eq
#undef cr_expect_arr_neq

#define cr_assert_eq(a, b, ...)	 COMPARE_NUMBERS(cr_assert, #a " == " #b, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) COMPARE_NUMBERS(cr_assert, #a " != " #b, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)	 COMPARE_NUMBERS(cr_assert, #a " < " #b, a, <, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)	 COMPARE_NUMBERS(cr_assert, #a " > " #b, a, >, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) COMPARE_NUMBERS(cr_assert, #a " <= " #b, a, <=, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) COMPARE_NUMBERS(cr_assert, #a " >= " #b, a, >=, b, __VA_ARGS__)
#define cr_assert_not(a, ...)	 COMPARE_NUMBERS(cr_assert, "!(" #a ")", a, ==, 0, __VA_ARGS__)
#define cr_assert_null(a, ...)	 COMPARE_NUMBERS(cr_assert, #a " == NULL", a, ==, NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...) \
	COMPARE_NUMBERS(cr_assert, #a " != NULL", a, !=, NULL, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) \
	COMPARE_STR(cr_assert, #a " == " #b, a, b, strcmp(left_, right_) == 0, true, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) \
	COMPARE_STR(cr_assert, #a " != " #b, a, b, strcmp(left_, right_) != 0, true, __VA_ARGS__)
#define cr_assert_str_has(a, b, ...)                                                      \
	COMPARE_STR(cr_assert, #a " has " #b, a, b, strstr(left_, right_) != NULL, false, \
		    __VA_ARGS__)
#define cr_assert_str_lacks(a, b, ...)                                                      \
	COMPARE_STR(cr_assert, #a " lacks " #b, a, b, strstr(left_, right_) == NULL, false, \
		    __VA_ARGS__)
#define cr_assert_str_begins(a, b, ...)                     \
	COMPARE_STR(cr_assert, #a " begins with " #b, a, b, \
		    strncmp(left_, right_, strlen(right_)) == 0, false, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size, ...) \
	COMPARE_ARR(cr_assert, #a " == " #b, a, ==, b, size, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, size, ...) \
	COMPARE_ARR(cr_assert, #a " != " #b, a, !=, b, size, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)	 COMPARE_NUMBERS(cr_expect, #a " == " #b, a, ==, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) COMPARE_NUMBERS(cr_expect, #a " != " #b, a, !=, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)	 COMPARE_NUMBERS(cr_expect, #a " < " #b, a, <, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)	 COMPARE_NUMBERS(cr_expect, #a " > " #b, a, >, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) COMPARE_NUMBERS(cr_expect, #a " <= " #b, a, <=, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) COMPARE_NUMBERS(cr_expect, #a " >= " #b, a, >=, b, __VA_ARGS__)
#define cr_expect_not(a, ...)	 COMPARE_NUMBERS(cr_expect, "!(" #a ")", a, ==, 0, __VA_ARGS__)
#define cr_expect_null(a, ...)	 COMPARE_NUMBERS(cr_expect, #a " == NULL", a, ==, NULL, __VA_ARGS__)
#define cr_expect_not_null(a, ...) \
	COMPARE_NUMBERS(cr_expect, #a " != NULL", a, !=, NULL, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) \
	COMPARE_STR(cr_expect, #a " == " #b, a, b, strcmp(left_, right_) == 0, true, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) \
	COMPARE_STR(cr_expect, #a " != " #b, a, b, strcmp(left_, right_) != 0, true, __VA_ARGS__)
#define cr_expect_str_has(a, b, ...)                                                      \
	COMPARE_STR(cr_expect, #a " has " #b, a, b, strstr(left_, right_) != NULL, false, \
		    __VA_ARGS__)
#define cr_expect_str_lacks(a, b, ...)                                                      \
	COMPARE_STR(cr_expect, #a " lacks " #b, a, b, strstr(left_, right_) == NULL, false, \
		    __VA_ARGS__)
#define cr_expect_str_begins(a, b, ...)                     \
	COMPARE_STR(cr_expect, #a " begins with " #b, a, b, \
		    strncmp(left_, right_, strlen(right_)) == 0, false, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, size, ...) \
	COMPARE_ARR(cr_expect, #a " == " #b, a, ==, b, size, __VA_ARGS__)
#define cr_expect_arr_neq(a, b, size, ...) \
	COMPARE_ARR(cr_expect, #a " != " #b, a, !=, b, size, __VA_ARGS__)

#endif
