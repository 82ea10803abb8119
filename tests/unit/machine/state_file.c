/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a saved machine: sections come back, and no other file is taken for it. */
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include "../compare.h"
#include "machine/state_file.h"
#include "machine/state_ram.h"

static uint8_t image[4096];
static size_t image_size;

static void put(FILE *file, struct state_file *to)
{
	cr_assert_eq(state_file_create(to, file, STATE_FILE_MACHINE), 0);
	cr_assert_eq(state_file_put(to, "ONE ", 0, "first", 5), 0);
	cr_assert_eq(state_file_put(to, "MANY", 0, "0123456789", 10), 0);
	cr_assert_eq(state_file_put(to, "MANY", 1, "abcdefghij", 10), 0);
	cr_assert_eq(state_file_put(to, "NONE", 7, NULL, 0), 0);
}

static void make(void)
{
	FILE *file = fmemopen(image, sizeof(image), "wb");
	struct state_file to;

	put(file, &to);
	image_size = (size_t)ftell(file);
	fclose(file);
}

/* What reading it as what it was comes to. */
static int take(const uint8_t *bytes, size_t size, char *why)
{
	static const struct {
		const char *tag, *contents;
		uint32_t index;
	} sections[] = {{"ONE ", "first", 0},
			{"MANY", "0123456789", 0},
			{"MANY", "abcdefghij", 1},
			{"NONE", "", 7}};
	struct state_file from = {.why = "no file"};
	struct state_section section;
	FILE *file = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : NULL;
	int result = file ? state_file_open(&from, file, STATE_FILE_MACHINE, 0) : -1;

	for (size_t i = 0; result == 0 && i < 4; i++) {
		result = state_file_get(&from, sections[i].tag, sections[i].index, &section);
		if (result < 0)
			break;
		cr_assert_eq(section.size, strlen(sections[i].contents));
		cr_assert_arr_eq(section.bytes, sections[i].contents, section.size);
		free(section.bytes);
	}
	if (result == 0)
		result = state_file_at_end(&from);
	if (file)
		fclose(file);
	if (result < 0) {
		cr_assert_neq(from.why[0], '\0');
		cr_assert_null(strchr(from.why, '\n'));
	}
	strcpy(why, from.why);
	return result;
}

Test(state_file, sections_come_back)
{
	char why[256];

	make();
	cr_assert_eq(take(image, image_size, why), 0, "%s", why);
	cr_assert_eq(image_size, STATE_FILE_HEADER + 4 * (STATE_FILE_SECTION + 4) + 25);
}

Test(state_file, every_flipped_bit_is_found)
{
	char why[256];

	make();
	for (size_t bit = 0; bit < 8 * image_size; bit++) {
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		cr_assert_lt(take(image, image_size, why), 0, "bit %zu", bit);
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

Test(state_file, every_other_length_is_found)
{
	char why[256];

	make();
	for (size_t size = 1; size < image_size; size++) {
		cr_assert_lt(take(image, size, why), 0, "%zu bytes", size);
		cr_assert_str_eq(why, "truncated");
	}
	cr_assert_lt(take(image, image_size + 1, why), 0);
	cr_assert_str_eq(why, "damaged: it goes on behind its end");
}

/* Each checksum is about all that is before it. */
Test(state_file, a_section_of_another_place_is_found)
{
	const size_t many = STATE_FILE_SECTION + 4 + 10;
	const size_t first = STATE_FILE_HEADER + STATE_FILE_SECTION + 4 + 5;
	uint8_t other[sizeof(image)];
	char why[256];

	make();
	memcpy(other, image, sizeof(other));
	memcpy(other + first, image + first + many, many);
	cr_assert_lt(take(other, image_size, why), 0);
	cr_assert_str_eq(why, "damaged: the checksum of section MANY 1 is wrong");
	/* Taken out, what follows is not where it has to be. */
	memcpy(other, image, sizeof(other));
	memmove(other + first, other + first + many, image_size - first - many);
	cr_assert_lt(take(other, image_size - many, why), 0);
}

Test(state_file, a_version_that_is_not_known_is_refused_by_its_number)
{
	char why[256];

	make();
	image[8] = STATE_FILE_VERSION + 1;
	cr_assert_lt(take(image, image_size, why), 0);
	cr_assert_str_eq(why, "saved in version 10 of the format; this vspe reads 1 to 9");
	memset(image, 'x', 8);
	cr_assert_lt(take(image, image_size, why), 0);
	cr_assert_str_eq(why, "not a saved machine");
}

Test(state_file, a_length_that_is_not_there_costs_nothing)
{
	char why[256];

	make();
	memset(image + STATE_FILE_HEADER + 8, 0xff, 8);
	cr_assert_lt(take(image, image_size, why), 0);
	cr_assert_str_eq(why, "truncated");
}

/* Memory: pages that are not zero, wherever they are, and no others. */
#define PAGES 600u /* more than two MiB, and not a whole number of them */

static uint8_t *new_ram(void)
{
	uint8_t *ram = aligned_alloc(STATE_PAGE, (size_t)PAGES * STATE_PAGE);

	memset(ram, 0, (size_t)PAGES * STATE_PAGE);
	return ram;
}

Test(state_file, memory_comes_back)
{
	static const unsigned int pages[] = {0, 1, 255, 513, PAGES - 1};
	uint8_t *a = new_ram(), *b = new_ram();
	const struct engine_ram from_ram = {0x40000000, (uint64_t)PAGES * STATE_PAGE, a};
	const struct engine_ram to_ram = {0x40000000, (uint64_t)PAGES * STATE_PAGE, b};
	uint8_t *bytes = malloc(1 << 20);
	FILE *file = fmemopen(bytes, 1 << 20, "w+b");
	struct state_file state;
	struct state_section section;
	const int map = state_ram_open();
	char why[256];

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		a[(size_t)pages[i] * STATE_PAGE + (i ? 4095 : 17)] = (uint8_t)(i + 1);
	cr_assert_eq(state_file_create(&state, file, STATE_FILE_MACHINE), 0);
	cr_assert_eq(state_ram_save(&state, &from_ram, 0x40000000, map), 0, "%s", state.why);
	if (map >= 0)
		(void)close(map);
	cr_assert_lt(ftell(file), 4096, "zero pages are in the file");
	rewind(file);
	cr_assert_eq(state_file_open(&state, file, STATE_FILE_MACHINE, 0), 0);
	for (uint32_t index = 0; index < 3; index += 2) {
		cr_assert_eq(state_file_get(&state, "RAM ", index, &section), 0, "%s", state.why);
		cr_assert_eq(state_ram_load(&to_ram, &section, why, sizeof(why)), 0, "%s", why);
		/* The same in memory that ends before its pages do. */
		cr_assert_eq(
			state_ram_load(&(struct engine_ram){0x40000000, index * STATE_RAM_BLOCK, b},
				       &section, why, sizeof(why)),
			-1);
		cr_assert_str_has(why, "is behind its end");
		/* Whatever is changed in the pages' stream, nothing is written beyond memory. */
		section.bytes[section.size - 1] ^= 0x55;
		cr_assert_eq(state_ram_load(&to_ram, &section, why, sizeof(why)), -1);
		cr_assert_str_has(why, "cannot be unpacked");
		free(section.bytes);
	}
	cr_assert_arr_eq(a, b, (size_t)PAGES * STATE_PAGE);
	fclose(file);
	free(bytes);
	free(a);
	free(b);
}

Test(state_file, inflating_stops_at_the_size_that_was_said)
{
	uint8_t zeros[100000] = {0}, out[1001];
	size_t size;
	uint8_t *deflated = state_deflate(zeros, 1000, &size);

	memset(out, 0xaa, sizeof(out));
	cr_assert(state_inflate(deflated, size, out, 1000));
	cr_assert_eq(out[999], 0);
	cr_assert_eq(out[1000], 0xaa);
	cr_assert_not(state_inflate(deflated, size, out, 999));
	cr_assert_not(state_inflate(deflated, size, out, 1001));
	cr_assert_not(state_inflate(deflated, size - 1, out, 1000));
	free(deflated);
	/* A bomb. */
	deflated = state_deflate(zeros, sizeof(zeros), &size);
	cr_assert_not(state_inflate(deflated, size, out, 1000));
	free(deflated);
}
