/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of images, in which units are saved: little-endian numbers, and their checksum. */
#ifndef VSPE_SYSREG_IMAGE_H
#define VSPE_SYSREG_IMAGE_H

#include <stddef.h>
#include <stdint.h>

static inline void image_put(uint8_t *to, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t image_get(const uint8_t *from, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* CRC-32 of IEEE 802.3, bit by bit: an image is small, and a table is not. */
static inline uint32_t image_checksum(const uint8_t *bytes, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

#endif
