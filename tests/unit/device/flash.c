/* SPDX-License-Identifier: BSD-2-Clause */
/* NOR flash (JESD68.01, Intel's command set): two chips of 16 lines that get the same commands. */
#include <string.h>

#include "../compare.h"
#include "device/flash.h"
#include "device_fixture.h"

#define BLOCK 0x40000u
#define BOTH  0x10001u /* a command, or a status, of both chips */

static const uint8_t code[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static uint8_t variables[FLASH_BANK];
static uint64_t wrote_at, wrote_size;

static void wrote(void *ctx, uint64_t offset, uint64_t size)
{
	cr_assert_eq(ctx, &wrote_at);
	wrote_at = offset;
	wrote_size = size;
}

static const struct flash_store store = {.code = code,
					 .code_size = sizeof(code),
					 .variables = variables,
					 .wrote = wrote,
					 .ctx = &wrote_at};
static struct device *flash;

static uint64_t get(uint64_t offset, unsigned int bytes)
{
	return flash->type->windows[1].read(flash, 0, offset, bytes);
}

static void set(uint64_t offset, uint64_t value)
{
	flash->type->windows[1].write(flash, 0, offset, 4, value);
}

static void command(uint32_t value)
{
	set(0, value * BOTH);
}

static void program(uint64_t offset, uint32_t value)
{
	command(0x40);
	set(offset, value);
	cr_assert_eq(get(offset, 4), 0x80u * BOTH, "the status, which is ready");
	command(0xff);
}

static void setup(void)
{
	memset(variables, 0, sizeof(variables));
	host_config.flash = &store;
	flash = make_device(&device_flash, 1);
}

static void teardown(void)
{
	device_free(flash);
	host_config.flash = NULL;
}

TestSuite(flash, .init = setup, .fini = teardown);

Test(flash, the_first_bank_is_read_alone)
{
	cr_assert_eq(window_get(flash, 0, 8), UINT64_C(0x0807060504030201));
	cr_assert_eq(window_get(flash, 6, 2), 0x0807u);
	cr_assert_eq(window_get(flash, 8, 4), UINT32_MAX);
	cr_assert_null(flash->type->windows[0].write);
}

Test(flash, programming_clears_bits_and_erasing_sets_those_of_a_block)
{
	cr_assert_eq(get(BLOCK, 8), UINT64_MAX);
	program(BLOCK, 0xff00ff0f);
	program(BLOCK, 0x0ff0ffff);
	program(2 * BLOCK - 4, 0x12345678);
	program(2 * BLOCK, 0);
	cr_assert_eq(get(BLOCK, 4), 0x0f00ff0fu);
	cr_assert_eq(get(2 * BLOCK - 2, 2), 0x1234u);
	command(0x20);
	set(BLOCK + 0x100, 0xd0 * BOTH);
	cr_assert_eq(get(0, 4), 0x80u * BOTH);
	command(0xff);
	cr_assert_eq(get(BLOCK, 4), UINT32_MAX);
	cr_assert_eq(get(2 * BLOCK - 4, 4), UINT32_MAX);
	cr_assert_eq(get(2 * BLOCK, 4), 0u, "of another block");
}

Test(flash, a_buffer_is_programmed_when_it_is_confirmed)
{
	command(0xe8);
	cr_assert_eq(get(0, 4), 0x80u * BOTH);
	command(1); /* two words */
	set(0x20, 0x11111111);
	set(0x24, 0x22222222);
	cr_assert_eq(variables[0x20], 0);
	command(0xd0);
	cr_assert_eq(get(0, 4), 0x80u * BOTH);
	command(0xff);
	cr_assert_eq(get(0x20, 8), UINT64_C(0x2222222211111111));
}

Test(flash, what_is_written_is_told_of)
{
	program(BLOCK + 4, 0);
	cr_assert_eq(wrote_at, BLOCK + 4);
	cr_assert_eq(wrote_size, 4);
	command(0xe8);
	command(0);
	set(0x824, 0);
	cr_assert_eq(wrote_at, BLOCK + 4, "not before it is confirmed");
	command(0xd0);
	cr_assert_leq(wrote_at, 0x824);
	cr_assert_geq(wrote_at + wrote_size, 0x828);
	command(0x20);
	set(2 * BLOCK + 0x100, 0xd0 * BOTH);
	cr_assert_eq(wrote_at, 2 * BLOCK);
	cr_assert_eq(wrote_size, BLOCK);
}

/* U-Boot takes the bank for one chip of 16 data lines. */
Test(flash, a_buffer_takes_what_is_narrower_than_the_bank)
{
	command(0xe8);
	command(2); /* three words */
	flash->type->windows[1].write(flash, 0, 0x20, 2, 0x1111);
	flash->type->windows[1].write(flash, 0, 0x22, 2, 0x2222);
	flash->type->windows[1].write(flash, 0, 0x26, 2, 0x3333);
	command(0xd0);
	command(0xff);
	cr_assert_eq(get(0x20, 8), UINT64_C(0x3333ffff22221111));
}

Test(flash, a_buffer_that_is_none_is_not_programmed)
{
	static const struct {
		uint64_t first, second;
		uint32_t confirmation;
	} wrong[] = {{0x20, 0x24, 0xff}, {0x7fc, 0x800, 0xd0}};

	for (size_t i = 0; i < 2; i++) {
		command(0xe8);
		command(1);
		set(wrong[i].first, 0);
		set(wrong[i].second, 0);
		command(wrong[i].confirmation);
		command(0x70);
		cr_assert_eq(get(0, 4), 0xb0u * BOTH, "%zu", i);
		command(0x50);
		command(0xff);
		cr_assert_eq(get(wrong[i].first, 8), UINT64_MAX, "%zu", i);
	}
	command(0xe8);
	command(0);
	flash->type->windows[1].write(flash, 0, 0, 8, 0);
	cr_assert_eq(get(0, 4), 0xb0u * BOTH, "it takes words of 4 bytes at most");
}

Test(flash, what_is_no_sequence_is_told_until_it_is_cleared)
{
	static const uint32_t wrong[][2] = {{0x20, 0xff}, {0xe8, 512}};

	program(0, 0);
	for (size_t i = 0; i < 2; i++) {
		command(wrong[i][0]);
		command(wrong[i][1]);
		cr_assert_eq(get(0, 4), 0xb0u * BOTH, "%zu", i);
		command(0x50);
		cr_assert_eq(get(0, 4), 0x80u * BOTH, "%zu", i);
		command(0xff);
		cr_assert_eq(get(0, 4), 0u, "nothing was erased");
	}
}

Test(flash, it_says_what_it_is)
{
	static const char qry[] = "QRY";

	command(0x98);
	for (unsigned int i = 0; i < 3; i++)
		cr_assert_eq(get(4 * (0x10 + i), 4), (uint32_t)qry[i] * BOTH, "%u", i);
	cr_assert_eq(get(4 * 0x27, 1), 25u, "a chip of 32 MiB");
	cr_assert_eq(get(4 * 0x2d, 1), 255u, "of 256 blocks");
	cr_assert_eq(get(4 * 0x30, 1), 2u, "of 128 KiB");
	cr_assert_eq(get(4 * 0x60, 4), 0u, "and no more");
	command(0x90);
	cr_assert_eq(get(0, 4), 0x89u * BOTH);
	command(0x70);
	cr_assert_eq(get(0, 4), 0x80u * BOTH);
}

Test(flash, a_reset_ends_commands_and_keeps_contents)
{
	program(0x1000, 0x1234);
	command(0x90);
	device_reset(flash);
	cr_assert_eq(get(0x1000, 4), 0x1234u);
}

Test(flash, what_was_programmed_is_saved)
{
	struct state saved, loaded;

	program(0x1000, 0x1234);
	program(5 * BLOCK, 0x5678);
	command(0xe8);
	command(3);
	state_save(&saved, "flash");
	flash->type->state(flash, 0, &saved);
	cr_assert(state_end(&saved), "%s", saved.why);
	cr_assert_lt(saved.at, 3u * BLOCK);

	teardown();
	setup();
	program(9 * BLOCK, 0);
	state_load(&loaded, "flash", saved.bytes, saved.at);
	flash->type->state(flash, 0, &loaded);
	cr_assert(state_end(&loaded), "%s", loaded.why);
	for (unsigned int i = 0; i < 4; i++)
		set(0x2000 + 4 * i, i);
	command(0xd0);
	cr_assert_eq(get(0, 4), 0x80u * BOTH);
	command(0xff);
	cr_assert_eq(get(0x1000, 4), 0x1234u);
	cr_assert_eq(get(5 * BLOCK, 4), 0x5678u);
	cr_assert_eq(get(9 * BLOCK, 4), UINT32_MAX);
	cr_assert_eq(get(0x200c, 4), 3u);
	state_free(&saved);
}

/* Its block again, one that there is not, and a buffer of no words. */
Test(flash, a_state_that_cannot_be_is_refused)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} wrong[] = {{0, 7}, {4, 4}, {2071 + BLOCK, 0}, {0, 5}, {11, 4}};
	struct state saved;

	program(0, 1);
	program(BLOCK, 2);
	state_save(&saved, "flash");
	flash->type->state(flash, 0, &saved);
	cr_assert(state_end(&saved));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const uint8_t was = saved.bytes[wrong[i].at];
		struct state loaded;

		saved.bytes[wrong[i].at] = wrong[i].byte;
		state_load(&loaded, "flash", saved.bytes, saved.at);
		flash->type->state(flash, 0, &loaded);
		cr_assert_not(state_end(&loaded), "%zu", i);
		saved.bytes[wrong[i].at] = was;
	}
	state_free(&saved);
}
