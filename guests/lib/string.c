/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built with -fno-tree-loop-distribute-patterns, or the loops would become calls of themselves.
 */
#include <stdint.h>

#include "string.h"

/* Words where that can be: an engine may take its time for every instruction. */
typedef uint64_t word __attribute__((may_alias));

static int both_aligned(const void *a, const void *b)
{
	return (((uintptr_t)a | (uintptr_t)b) & 7) == 0;
}

void *memcpy(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if (both_aligned(to, from))
		for (; n >= 8; n -= 8, d += 8, s += 8)
			*(word *)d = *(const word *)s;
	while (n--)
		*d++ = *s++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if (d <= s)
		return memcpy(to, from, n);
	while (n--)
		d[n] = s[n];
	return to;
}

void *memset(void *to, int value, size_t n)
{
	const uint64_t bytes = (unsigned char)value * UINT64_C(0x0101010101010101);
	unsigned char *d = to;

	if (both_aligned(to, to)) {
		for (; n >= 128; n -= 128, d += 128)
#pragma GCC unroll 16
			for (unsigned int i = 0; i < 16; i++)
				((word *)d)[i] = bytes;
		for (; n >= 8; n -= 8, d += 8)
			*(word *)d = bytes;
	}
	while (n--)
		*d++ = (unsigned char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n] != '\0')
		n++;
	return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n > 0; n--, a++, b++) {
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		if (*a == '\0')
			return 0;
	}
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}
