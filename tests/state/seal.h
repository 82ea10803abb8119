/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of machines as tests damage them: their sections, and how to make the checksums right
 * again. Header only.
 */
#ifndef VSPE_TESTS_SEAL_H
#define VSPE_TESTS_SEAL_H

#include <string.h>
#include <zlib.h>

#include "machine/state_file.h"

static inline uint64_t seal_get(const uint8_t *from, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* Where the section after the one at at begins; 0: it does not fit. */
static inline size_t seal_next(const uint8_t *image, size_t size, size_t at)
{
	uint64_t contents;

	if (size - at < STATE_FILE_SECTION + 4)
		return 0;
	contents = seal_get(image + at + 8, 8);
	if (contents > size - at - STATE_FILE_SECTION - 4)
		return 0;
	return at + STATE_FILE_SECTION + (size_t)contents + 4;
}

/* Make the checksums of all whole sections right. */
static inline void seal(uint8_t *image, size_t size)
{
	size_t at = STATE_FILE_HEADER, next;
	uint32_t crc;

	if (size < at)
		return;
	crc = (uint32_t)crc32_z(0, image, at);
	while (at < size && (next = seal_next(image, size, at)) != 0) {
		crc = (uint32_t)crc32_z(crc, image + at, next - at - 4);
		for (unsigned int i = 0; i < 4; i++)
			image[next - 4 + i] = (uint8_t)(crc >> 8 * i);
		at = next;
	}
}

/* The number of whole sections, and where the first of them begin. */
static inline size_t seal_sections(const uint8_t *image, size_t size, size_t *starts, size_t most)
{
	size_t at = STATE_FILE_HEADER, count = 0, next;

	while (at < size && count < most && (next = seal_next(image, size, at)) != 0) {
		starts[count++] = at;
		at = next;
	}
	return count;
}

#endif
