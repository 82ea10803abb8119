/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: fw_cfg as a guest uses it: the selector, the data register, and DMA accesses at any
 * address. Both ways read the contents of a file. DMA changes the requested bytes, the word that
 * says how it ended, and no others. A piece that is left has its deadline.
 */
#include "input.h"

#include <string.h>

#include "device/device.h"
#include "device/fw_cfg.h"

#define RAM	 UINT64_C(0x40000000)
#define RAM_SIZE 4096u
#define ACCESS	 16u /* bytes of an FWCfgDmaAccess */
#define SELECTOR 8u
#define DMA	 16u
#define FILES	 3u

static uint8_t ram[RAM_SIZE], before[RAM_SIZE], content[300];
static uint64_t counter;

static uint8_t *host_memory(void *ctx, uint64_t pa, uint64_t size)
{
	(void)ctx;
	if (pa < RAM || pa - RAM > RAM_SIZE || size > RAM_SIZE - (pa - RAM))
		return NULL;
	return ram + (pa - RAM);
}

static uint64_t host_now(void *ctx)
{
	(void)ctx;
	return counter;
}

static void host_reschedule(void *ctx, unsigned int cpu)
{
	(void)ctx;
	require(cpu == 0);
}

static const struct fw_cfg_files files = {
	.kernel = content,
	.kernel_size = sizeof(content),
	.cmdline = "quiet",
	.file = {{"etc/one", content, 1},
		 {"etc/many", content, sizeof(content)},
		 {"none", content, 0}},
	.files = FILES,
};

struct target {
	struct device *device;
	const struct device_window *window;
	unsigned int item; /* the item that the selector chose last, or one that is not tracked */
	size_t at;
};

static void reg_write(struct target *t, uint64_t offset, unsigned int bytes, uint64_t value)
{
	uint64_t swapped = 0;

	for (unsigned int i = 0; i < bytes; i++)
		swapped = swapped << 8 | (value >> 8 * i & 0xff);
	t->window->write(t->device, 0, offset, bytes, swapped);
}

static void choose(struct target *t, uint16_t item)
{
	reg_write(t, SELECTOR, 2, item);
	t->item = item;
	t->at = 0;
}

/* Read every byte of the selected file, if any; zeros follow its end. */
static void read_data(struct target *t, unsigned int bytes)
{
	const uint64_t value = t->window->read(t->device, 0, 0, bytes);
	const unsigned int file = t->item - FW_CFG_FIRST_FILE;

	for (unsigned int i = 0; file < FILES && i < bytes; i++, t->at++) {
		const uint8_t wanted = t->at < files.file[file].size ? content[t->at] : 0;

		require((value >> 8 * i & 0xff) == wanted);
	}
}

static uint64_t big_endian(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static void run_to_end(struct target *t)
{
	const struct device_type *type = t->device->type;

	for (unsigned int n = 0; n < 4; n++) {
		const uint64_t deadline = type->deadline(t->device, counter);

		require(deadline > counter);
		if (deadline == DEVICE_NEVER)
			return;
		counter = deadline;
		type->update(t->device, counter);
	}
	require(false); /* so small a memory takes one piece */
}

/* The access is written at its address, if that is RAM. */
static void dma(struct target *t, struct input *in)
{
	const uint64_t at = RAM + input_number(in, 2) % (RAM_SIZE + 32);
	uint8_t *access = host_memory(NULL, at, ACCESS);
	uint64_t to, length;

	for (unsigned int i = 0; access && i < ACCESS; i++)
		access[i] = (uint8_t)input_number(in, 1);
	if (access && input_number(in, 1) & 1) {
		/* An address in RAM, which chance does not find. */
		memcpy(access + 8, (const uint8_t[]){0, 0, 0, 0, 0x40, 0}, 6);
		access[4] = access[5] = 0;
	}
	memcpy(before, ram, sizeof(ram));
	to = access ? big_endian(access + 8, 8) - RAM : 0;
	length = access ? big_endian(access + 4, 4) : 0;
	t->item = 0; /* which it may have changed */
	if (at & 1)
		reg_write(t, DMA, 8, at);
	else {
		reg_write(t, DMA, 4, at >> 32);
		reg_write(t, DMA + 4, 4, at & UINT32_MAX);
	}
	run_to_end(t);
	for (uint64_t i = 0; i < RAM_SIZE; i++) {
		const bool told = i - to < length || i - (at - RAM) < 4;

		require(ram[i] == before[i] || (access && told));
	}
}

static void load(struct target *t, struct input *in)
{
	const struct device_type *type = t->device->type;
	struct state state;
	uint8_t *image;
	size_t size;

	state_save(&state, type->name);
	type->state(t->device, 0, &state);
	require(state_end(&state));
	image = state.bytes;
	size = state.at;
	for (unsigned int flips = input_number(in, 1) % 4; flips > 0; flips--) {
		image[input_number(in, 1) % size] ^= (uint8_t)input_number(in, 1);
		t->item = 0;
	}
	state_load(&state, type->name, image, size);
	type->state(t->device, 0, &state);
	if (!state_end(&state)) {
		device_reset(t->device);
		t->item = 0;
	}
	free(image);
	/* A loaded state may have a piece of any access left. */
	for (unsigned int n = 0; n < 4; n++) {
		counter = type->deadline(t->device, counter);
		if (counter == DEVICE_NEVER)
			break;
		type->update(t->device, counter);
	}
	counter = 1;
	device_reset(t->device);
	t->item = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct device_config config = {.choices.cpus = 1,
					      .choices.levels = {.start = 1},
					      .choices.counter_hz = 1000000000,
					      .fw_cfg = &files};
	static const struct device_host host = {
		.memory = host_memory, .now = host_now, .reschedule = host_reschedule};
	struct input in = {bytes, bytes + size};
	struct target t = {.device = device_make(&device_fw_cfg, &config, &host)};

	require(t.device);
	t.window = &t.device->type->windows[0];
	for (unsigned int i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 7 + 1);
	memset(ram, 0, sizeof(ram));
	counter = 1;
	while (input_left(&in) > 0) {
		const unsigned int what = (unsigned int)input_number(&in, 1);

		switch (what % 8) {
		case 0: choose(&t, (uint16_t)input_number(&in, 2)); break;
		case 1: choose(&t, (uint16_t)(FW_CFG_FIRST_FILE + what / 8 % FILES)); break;
		case 2:
		case 3: read_data(&t, 1u << what / 8 % 4); break;
		case 4: dma(&t, &in); break;
		case 5:
			(void)t.window->read(t.device, 0, what / 8 % 3 * 8, 1u << what / 64);
			t.item = 0;
			break;
		case 6:
			reg_write(&t, what / 8 % 3 * 8, 1u << what / 64, input_number(&in, 4));
			t.item = 0;
			break;
		default: load(&t, &in); break;
		}
	}
	device_free(t.device);
	return 0;
}
