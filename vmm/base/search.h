/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches entries that are sorted by where they begin. */
#ifndef VSPE_BASE_SEARCH_H
#define VSPE_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many of count entries begin at or below a value. They are stride bytes apart, and sorted by
 * the uint64_t that each begins with. If no entry is inside another, only the last of them can
 * contain the value.
 */
static inline size_t search_begun(const void *entries, size_t count, size_t stride, uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const uint64_t *begin = (const void *)((const char *)entries + middle * stride);

		if (*begin <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
