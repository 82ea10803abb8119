/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: images of a profiling unit (spe_restore). The first byte chooses a unit and how
 * far it has run. Then come the bytes of an image, or, with the top bit, changes to the unit's own
 * one: its checksum is made right, so that the values are looked at. What is refused has changed
 * nothing; what is accepted is saved as the same bytes, and works.
 */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

#define HEADER	16
#define TRAILER 8

static void seal(uint8_t *image, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size - TRAILER; i++) {
		crc ^= image[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	crc = ~crc;
	memset(image + size - TRAILER, 0, TRAILER);
	for (unsigned int i = 0; i < 4; i++)
		image[size - TRAILER + i] = (uint8_t)(crc >> 8 * i);
}

/* Each change: which value (2 bytes), and its bytes (8). */
static void change(uint8_t *image, size_t size, const uint8_t *bytes, size_t count)
{
	const size_t values = (size - HEADER - TRAILER) / 8;

	for (; count >= 10; bytes += 10, count -= 10) {
		const size_t value = (bytes[0] | (size_t)bytes[1] << 8) % values;

		memcpy(image + HEADER + 8 * value, bytes + 2, 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spe_unit unit, before;
	uint8_t image[SPE_IMAGE_MAX], again[SPE_IMAGE_MAX];
	const char *field;
	struct drive d;
	size_t length;

	if (size < 1 || size > sizeof(image))
		return 0;
	drive_init(&d, &unit, 1 + (bytes[0] & 0x7f));
	for (int i = 0; i < 64; i++)
		drive_step(&d);
	length = spe_save(&unit, image, sizeof(image));
	if (bytes[0] & 0x80) {
		change(image, length, bytes + 1, size - 1);
	} else {
		length = size - 1;
		memcpy(image, bytes + 1, length);
	}
	if (length >= HEADER + TRAILER)
		seal(image, length);
	before = unit;
	if (spe_restore(&unit, image, length, &field) != 0) {
		if (memcmp(&before, &unit, sizeof(unit)) != 0)
			abort();
		return 0;
	}
	if (image[10] == 1 &&
	    (spe_save(&unit, again, sizeof(again)) != length || memcmp(image, again, length) != 0))
		abort();
	for (int i = 0; i < 64; i++)
		drive_step(&d);
	return 0;
}
