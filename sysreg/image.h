/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of images, in which units are saved: a header with the version and the length, values
 * of 8 bytes, and a checksum. All numbers are little-endian (docs/state.md).
 */
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

#define IMAGE_HEADER  16u
#define IMAGE_VALUE   8u
#define IMAGE_TRAILER 8u

/* What the header of a kind of image says: 8 letters, and the version that is written. */
struct image_form {
	const char *letters;
	uint16_t major, minor;
};

/* Write all but the values, which are there already: size is that of the whole image. */
static inline void image_close(uint8_t *image, size_t size, const struct image_form *form)
{
	for (unsigned int i = 0; i < 8; i++)
		image[i] = (uint8_t)form->letters[i];
	image_put(image + 8, form->major, 2);
	image_put(image + 10, form->minor, 2);
	image_put(image + 12, size, 4);
	image_put(image + size - IMAGE_TRAILER, image_checksum(image, size - IMAGE_TRAILER),
		  IMAGE_TRAILER);
}

static inline unsigned int image_minor(const uint8_t *image)
{
	return (unsigned int)image_get(image + 10, 2);
}

/* Is it an image of this kind, of a version that is not later than the form's? */
enum image_fault { IMAGE_GOOD, IMAGE_OTHER, IMAGE_LATER, IMAGE_DAMAGED };
static inline enum image_fault image_check_header(const uint8_t *image, size_t size,
						  const struct image_form *form)
{
	if (size < IMAGE_HEADER + IMAGE_TRAILER)
		return IMAGE_OTHER;
	for (unsigned int i = 0; i < 8; i++)
		if (image[i] != (uint8_t)form->letters[i])
			return IMAGE_OTHER;
	if (image_get(image + 8, 2) != form->major || image_minor(image) > form->minor)
		return IMAGE_LATER;
	return IMAGE_GOOD;
}

/* Is it whole? needed: the size of an image of its version. */
static inline enum image_fault image_check_whole(const uint8_t *image, size_t size, size_t needed)
{
	if (size != needed || image_get(image + 12, 4) != size)
		return IMAGE_OTHER;
	return image_get(image + size - IMAGE_TRAILER, IMAGE_TRAILER) ==
			       image_checksum(image, size - IMAGE_TRAILER)
		       ? IMAGE_GOOD
		       : IMAGE_DAMAGED;
}

#endif
