/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the image of a vCPU of QEMU's, as a snapshot or a migration has it. The input is an
 * image, whose checksum of the unit is made right, or what is put over one that was saved. What is
 * taken is saved again as the same bytes, and the vCPU can go on; what is not is refused with one
 * line.
 */
#include "input.h"

#include <string.h>

#include "qemu/image.h"

struct plugin plugin;

#define UNIT	  12u /* the image's length, its version, the length of the unit's */
#define UNIT_SIZE 1680u

static struct spe_write_result write_nowhere(void *ctx, uint8_t owning_el, uint64_t va,
					     const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)owning_el;
	(void)va;
	(void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void begin(struct vcpu *v, struct score *score)
{
	const struct spe_host host = {.ctx = v, .write = write_nowhere};
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	memset(v, 0, sizeof(*v));
	*score = (struct score){.target = NO_TARGET};
	v->score = score;
	require(spe_init(&v->unit, sizeof(v->unit), &config, &host) == 0);
}

/* CRC-32 as docs/state.md has it. */
static void seal(uint8_t *unit)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < UNIT_SIZE - 8; i++) {
		crc ^= unit[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	crc = ~crc;
	for (size_t i = 0; i < 8; i++)
		unit[UNIT_SIZE - 8 + i] = (uint8_t)(i < 4 ? crc >> 8 * i : 0);
}

static void check_line(const char *why)
{
	require(*why);
	for (; *why; why++)
		require((unsigned char)*why >= 0x20 && *why != 0x7f);
}

/* Pairs of a place and a byte go over a good image. */
static void put_over(uint8_t *image, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 3 <= size; i += 3)
		image[(bytes[i] | bytes[i + 1] << 8) % IMAGE_SIZE] = bytes[i + 2];
	seal(image + UNIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t image[IMAGE_SIZE], again[IMAGE_SIZE], third[IMAGE_SIZE];
	static struct vcpu v, other;
	struct score score, other_score;
	char why[256] = "";

	begin(&v, &score);
	begin(&other, &other_score);
	require(!image_save(&v, image));
	if (size && bytes[0] & 1) {
		memset(image, 0, sizeof(image));
		memcpy(image, bytes + 1, size - 1 < IMAGE_SIZE ? size - 1 : IMAGE_SIZE);
	} else if (size) {
		put_over(image, bytes + 1, size - 1);
	}
	if (image_load(&v, image, why, sizeof(why)) < 0) {
		check_line(why);
		require(!image_save(&v, again) && !image_save(&other, third));
		require(memcmp(again, third, IMAGE_SIZE) == 0); /* nothing has changed */
		return 0;
	}
	require(!image_save(&v, again));
	require(image_load(&other, again, why, sizeof(why)) == 0);
	require(!image_save(&other, third));
	require(memcmp(again, third, IMAGE_SIZE) == 0);
	require(!v.plan.any || v.plan.ahead <= spe_budget(&v.unit));
	return 0;
}
