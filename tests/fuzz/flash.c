/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the bank of flash that keeps variables, commanded by a guest, in its first blocks and its
 * last one. Reads of the array return its contents. Each change is reported to the store.
 * Programming clears bits, and only erasure of a whole block sets them. The other bank does not
 * change.
 */
#include "input.h"

#include <string.h>
#include <sys/mman.h>

#include "device/device.h"
#include "device/flash.h"

#define AREA (UINT64_C(1) << 19) /* bytes of each end of the bank: two blocks */

static uint8_t code[64], *variables, *known;
static uint64_t told_at, told_size;

/* As they are after the device has reported a change: nothing else has changed. */
static void wrote(void *ctx, uint64_t offset, uint64_t size)
{
	(void)ctx;
	require(size > 0 && offset <= FLASH_BANK && size <= FLASH_BANK - offset);
	told_at = offset;
	told_size = size;
}

static struct flash_store store = {.code = code, .code_size = sizeof(code), .wrote = wrote};

struct target {
	struct device *device;
	const struct device_window *code, *variables;
};

/* The two ends of the bank. */
static uint64_t place(uint64_t n)
{
	n %= 2 * AREA;
	return n < AREA ? n : FLASH_BANK - 2 * AREA + n;
}

static void check_change(void)
{
	const uint64_t before = told_at ? told_at - 1 : 0, after = told_at + told_size;
	const uint8_t *at = variables + told_at;
	bool erased;

	if (told_size == 0)
		return;
	erased = at[0] == 0 && memcmp(at, at + 1, told_size - 1) == 0;
	/* Inverted: a programmed bit is 1. */
	for (uint64_t i = told_at; i < after && !erased; i++)
		require((known[i] & ~variables[i]) == 0);
	require(told_at == 0 || variables[before] == known[before]);
	require(after == FLASH_BANK || variables[after] == known[after]);
	memcpy(known + told_at, variables + told_at, told_size);
	told_size = 0;
}

static void store_word(struct target *t, uint64_t offset, unsigned int bytes, uint64_t value)
{
	t->variables->write(t->device, 0, offset & ~(uint64_t)(bytes - 1), bytes, value);
	check_change();
}

/* A complete command, which chance does not find. */
static void program_buffer(struct target *t, struct input *in)
{
	const uint64_t at = place(input_number(in, 3)) & ~UINT64_C(2047);
	const unsigned int words = 1 + (unsigned int)input_number(in, 1) % 8;

	store_word(t, at, 4, UINT32_C(0x00e800e8));
	store_word(t, at, 4, (words - 1) * UINT32_C(0x10001));
	for (unsigned int n = 0; n < words; n++)
		store_word(t, at + 4 * n, 4, input_number(in, 4));
	store_word(t, at, 4, UINT32_C(0x00d000d0));
}

static void erase(struct target *t, struct input *in)
{
	const uint64_t at = place(input_number(in, 3));

	store_word(t, at, 4, UINT32_C(0x00200020));
	store_word(t, at, 4, UINT32_C(0x00d000d0));
}

/* After a reset, reads return the array. */
static void check_array(struct target *t, uint64_t offset, unsigned int bytes)
{
	uint64_t wanted = 0;

	offset &= ~(uint64_t)(bytes - 1);
	for (unsigned int i = 0; i < bytes; i++)
		wanted |= (uint64_t)(uint8_t)~known[offset + i] << 8 * i;
	device_reset(t->device);
	require(t->variables->read(t->device, 0, offset, bytes) == wanted);
}

static void read_code(struct target *t, uint64_t offset, unsigned int bytes)
{
	uint64_t wanted = 0;

	offset = offset % FLASH_BANK & ~(uint64_t)(bytes - 1);
	for (unsigned int i = 0; i < bytes; i++)
		wanted |= (uint64_t)(offset + i < sizeof(code) ? (uint8_t)(offset + i) : 0xff)
			  << 8 * i;
	require(t->code->read(t->device, 0, offset, bytes) == wanted);
}

/* Clear what the last input has left at both ends. */
static void clear(uint8_t *bank)
{
	(void)madvise(bank, AREA, MADV_DONTNEED);
	(void)madvise(bank + FLASH_BANK - AREA, AREA, MADV_DONTNEED);
}

static uint8_t *map_bank(void)
{
	uint8_t *bank = mmap(NULL, FLASH_BANK, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	require(bank != MAP_FAILED);
	return bank;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct device_config config = {.choices.cpus = 1,
					      .choices.levels = {.start = 1},
					      .choices.counter_hz = 1000000000,
					      .flash = &store};
	static const struct device_host host = {0};
	struct input in = {bytes, bytes + size};
	struct target t = {0};

	if (!variables) {
		store.variables = variables = map_bank();
		known = map_bank();
		for (unsigned int i = 0; i < sizeof(code); i++)
			code[i] = (uint8_t)i;
	}
	clear(variables);
	clear(known);
	told_size = 0;
	t.device = device_make(&device_flash, &config, &host);
	require(t.device);
	t.code = &t.device->type->windows[0];
	t.variables = &t.device->type->windows[1];
	while (input_left(&in) > 0) {
		const unsigned int what = (unsigned int)input_number(&in, 1);
		const unsigned int width = 1u << what / 8 % 4;

		switch (what % 8) {
		case 0:
		case 1:
			store_word(&t, place(input_number(&in, 3)), width, input_number(&in, 1));
			break;
		case 2:
			store_word(&t, place(input_number(&in, 3)), width,
				   input_number(&in, width));
			break;
		case 3:
			(void)t.variables->read(
				t.device, 0, place(input_number(&in, 3)) & ~(uint64_t)(width - 1),
				width);
			break;
		case 4: program_buffer(&t, &in); break;
		case 5: erase(&t, &in); break;
		case 6: read_code(&t, input_number(&in, 4), width); break;
		default: check_array(&t, place(input_number(&in, 3)), width); break;
		}
	}
	device_free(t.device);
	return 0;
}
