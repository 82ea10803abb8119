/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people write them: see number.h. */
#include "base/number.h"

#include <string.h>

/* The value of a digit; 16 or more if it is not one. */
static unsigned int digit_value(char digit)
{
	static const char digits[] = "00112233445566778899aAbBcCdDeEfF";
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (unsigned int)(at - digits) / 2 : 16;
}

/* Set *value to *value * factor + more; false if that exceeds 64 bits. */
static bool scale_number(uint64_t *value, unsigned int factor, unsigned int more)
{
	return !__builtin_mul_overflow(*value, (uint64_t)factor, value) &&
	       !__builtin_add_overflow(*value, (uint64_t)more, value);
}

/* Read at least one digit of base at *text, which moves after the digits. */
static bool read_digits(const char **text, unsigned int base, uint64_t *value)
{
	const char *start = *text;

	for (*value = 0; digit_value(**text) < base; (*text)++)
		if (!scale_number(value, base, digit_value(**text)))
			return false;
	return *text > start;
}

/* An exponent of ten. */
static bool read_exponent(const char **text, uint64_t *value)
{
	uint64_t exponent;

	if (**text != 'e' && **text != 'E')
		return true;
	(*text)++;
	if (!read_digits(text, 10, &exponent))
		return false;
	for (; exponent > 0 && *value > 0; exponent--)
		if (!scale_number(value, 10, 0))
			return false;
	return true;
}

/* K, M or G. */
static bool read_suffix(const char **text, uint64_t *value)
{
	static const char letters[] = "kKmMgG";
	const char *letter = **text ? strchr(letters, **text) : NULL;

	if (!letter)
		return true;
	(*text)++;
	for (int i = 0; i <= (letter - letters) / 2; i++)
		if (!scale_number(value, 1024, 0))
			return false;
	return true;
}

static bool read_number(const char *text, bool suffix, uint64_t max, uint64_t *value)
{
	unsigned int base = 10;
	const char *digits;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		base = 16;
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
		base = 2;
	if (base != 10)
		text += 2;
	if (!read_digits(&text, base, value))
		return false;
	digits = text;
	if (base == 10 && !read_exponent(&text, value))
		return false;
	/* Either of them. */
	if (suffix && text == digits && !read_suffix(&text, value))
		return false;
	return !*text && *value <= max;
}

bool number_read(const char *text, uint64_t max, uint64_t *value)
{
	return read_number(text, false, max, value);
}

bool number_read_bytes(const char *text, uint64_t max, uint64_t *value)
{
	return read_number(text, true, max, value);
}
