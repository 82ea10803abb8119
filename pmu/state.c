/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter unit as bytes: pmu_save() and pmu_restore(). An image is, all little-endian
 * (docs/state.md):
 *
 *	8 bytes		"VSPE-PMU"
 *	2 + 2 bytes	major and minor version
 *	4 bytes		length of the whole image in bytes
 *	values		8 bytes each, as state.def has them
 *	8 bytes		CRC-32 (IEEE 802.3) of everything before
 *
 * Which counters count follows from these, and SPE knows what it freezes. An image is not trusted:
 * no value is used before all of them are known to be possible for a unit.
 */
#include "whole.h"

#include "../sysreg/image.h"

static const struct image_form form = {"VSPE-PMU", 1, 0};

enum {
	VALUES = 0
#define CONFIG(member, name)	  +1
#define VALUE(member, name, bits) +1
#include "state.def"
#undef CONFIG
#undef VALUE
};

#define IMAGE_SIZE (IMAGE_HEADER + VALUES * IMAGE_VALUE + IMAGE_TRAILER)

_Static_assert(IMAGE_SIZE <= PMU_IMAGE_MAX, "PMU_IMAGE_MAX");
_Static_assert(PMU_ALL_COUNTERS == 8 && PMU_MORE_EVENTS == 8, "state.def");

size_t pmu_save(const struct pmu_unit *opaque, void *image, size_t size)
{
	const struct pmu *pmu = &whole_in(opaque)->pmu;
	uint8_t *to = image;

	if (size < IMAGE_SIZE)
		return IMAGE_SIZE;
	to += IMAGE_HEADER;
#define CONFIG(member, name)                            \
	image_put(to, pmu->config.member, IMAGE_VALUE); \
	to += IMAGE_VALUE;
#define VALUE(member, name, bits)                \
	image_put(to, pmu->member, IMAGE_VALUE); \
	to += IMAGE_VALUE;
#include "state.def"
#undef CONFIG
#undef VALUE
	image_close(image, IMAGE_SIZE, &form);
	return IMAGE_SIZE;
}

/* Is it an image that this library knows, and whole? */
static int check_image(const uint8_t *image, size_t size)
{
	static const int errors[] = {
		[IMAGE_OTHER] = -PMU_EIMAGE,
		[IMAGE_LATER] = -PMU_EIMAGEVERSION,
		[IMAGE_DAMAGED] = -PMU_EIMAGESUM,
	};
	enum image_fault fault = image_check_header(image, size, &form);

	if (!fault)
		fault = image_check_whole(image, size, IMAGE_SIZE);
	return errors[fault];
}

/*
 * Load all values into a unit, and compare its configuration with them. *wrong: the name of a wrong
 * one.
 */
static int load_values(struct pmu *pmu, const uint8_t *values, const char **wrong)
{
	const struct pmu_config *config = &pmu->config;
	const uint64_t counters = pmu_counter_bits(config);
	const uint64_t event_counter = config->version >= PMU_V3P5 ? UINT64_MAX : UINT32_MAX;
	const uint64_t instructions = pmu_has_instruction_counter(config) ? UINT64_MAX : 0;
	const uint64_t event_type = pmu_type_bits(config), filter = event_type & ~EVENT_BITS;
	const uint8_t *from = values;
	uint64_t value;

#define CONFIG(member, name)                     \
	value = image_get(from, IMAGE_VALUE);    \
	from += IMAGE_VALUE;                     \
	if (value != (uint64_t)config->member) { \
		*wrong = (name);                 \
		return -PMU_EIMAGECONFIG;        \
	}
#define VALUE(member, name, bits)             \
	value = image_get(from, IMAGE_VALUE); \
	from += IMAGE_VALUE;                  \
	if (value & ~(uint64_t)(bits)) {      \
		*wrong = (name);              \
		return -PMU_EIMAGEVALUE;      \
	}                                     \
	pmu->member = (__typeof__(pmu->member))value;
#include "state.def"
#undef CONFIG
#undef VALUE
	return 0;
}

int pmu_restore(struct pmu_unit *opaque, const void *image, size_t size, const char **field)
{
	struct pmu_whole *whole = whole_of(opaque);
	struct pmu next = whole->pmu;
	const char *wrong = NULL;
	int error = check_image(image, size);

	if (!error)
		error = load_values(&next, (const uint8_t *)image + IMAGE_HEADER, &wrong);
	if (field)
		*field = wrong;
	if (error)
		return error;
	pmu_work_out(&next);
	whole->pmu = next;
	return 0;
}
