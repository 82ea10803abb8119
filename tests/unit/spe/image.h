/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of images of a unit share: to change one, and make its checksum right again. */
#ifndef VSPE_TESTS_SPE_IMAGE_H
#define VSPE_TESTS_SPE_IMAGE_H

#include "fixture.h"

/* CRC-32, by its definition as a division; written here a second time on purpose. */
static inline void seal(uint8_t *image, size_t size)
{
	uint32_t remainder = ~UINT32_C(0);

	for (size_t bit = 0; bit < 8 * (size - 8); bit++) {
		const bool one = (image[bit / 8] >> bit % 8 & 1) != (remainder & 1);

		remainder = remainder >> 1 ^ (one ? UINT32_C(0xedb88320) : 0);
	}
	remainder = ~remainder;
	memset(image + size - 8, 0, 8);
	for (unsigned int i = 0; i < 4; i++)
		image[size - 8 + i] = (uint8_t)(remainder >> 8 * i);
}

static inline uint64_t word(const uint8_t *image, size_t at)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++)
		value |= (uint64_t)image[at + i] << 8 * i;
	return value;
}

static inline void set_word(uint8_t *image, size_t at, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		image[at + i] = (uint8_t)(value >> 8 * i);
}

#endif
