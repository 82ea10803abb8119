/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: a driver of a disk, of a source of numbers, of a console and of a network card
 * that does what it likes to their registers and queues, input of the console, frames for the card,
 * and states of theirs with bytes that are others; time goes on for what is put off. The first byte
 * chooses the disk's mode. Nothing hurts them, and a device that needs a reset works after one.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../array.h"
#include "device/virtio.h"
#include "input.h"

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE UINT64_C(0x4000)
#define SLOT	 0x200

static uint8_t ram[RAM_SIZE] __attribute__((aligned(8)));

static void host_set_line(void *ctx, unsigned int cpu, unsigned int intid, bool level)
{
	(void)ctx, (void)level;
	require(cpu == 0 && intid >= 48 && intid <= 51);
}

static uint64_t now;

static uint64_t host_now(void *ctx)
{
	(void)ctx;
	return now;
}

static void host_reschedule(void *ctx, unsigned int cpu)
{
	(void)ctx;
	require(cpu == 0);
}

static void host_transmit(void *ctx, uint8_t byte)
{
	(void)ctx, (void)byte;
}

static struct virtio_device *card;

/* A frame within the bounds, which comes back. */
static void link_send(void *ctx, const uint8_t *frame, size_t size)
{
	(void)ctx;
	require(size >= 14 && size <= VIRTIO_NET_FRAME + 4);
	(void)virtio_net_receive(card, frame, size);
}

static uint8_t *host_memory(void *ctx, uint64_t pa, uint64_t size)
{
	(void)ctx;
	if (pa < RAM_BASE || pa - RAM_BASE > RAM_SIZE || size > RAM_SIZE - (pa - RAM_BASE))
		return NULL;
	return ram + (pa - RAM_BASE);
}

static void set(struct device *device, uint64_t offset, uint32_t value)
{
	device->type->windows[0].write(device, 0, offset, 4, value);
}

/* As a driver does that works, with one queue: rings at 0x800 and 0xc00. */
static void start(struct device *device, uint64_t slot, uint32_t queue)
{
	const uint32_t steps[][2] = {{0x70, 0},
				     {0x24, 1},
				     {0x20, 1},
				     {0x70, 11},
				     {0x30, queue},
				     {0x38, 8},
				     {0x80, RAM_BASE},
				     {0x84, 0},
				     {0x90, RAM_BASE + 0x800},
				     {0x94, 0},
				     {0xa0, RAM_BASE + 0xc00},
				     {0xa4, 0},
				     {0x44, 1},
				     {0x70, 15}};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		set(device, slot + steps[i][0], steps[i][1]);
	require(device->type->windows[0].read(device, 0, slot + 0x70, 4) == 15);
}

/* A descriptor, mostly of RAM. */
static void describe(struct input *in)
{
	uint8_t *to = ram + 16 * (input_number(in, 1) % 32);
	const uint64_t address = RAM_BASE + input_number(in, 2) % (RAM_SIZE + 64);
	const uint32_t size = (uint32_t)input_number(in, 2);
	const uint16_t flags = (uint16_t)input_number(in, 1) & 7,
		       next = (uint16_t)input_number(in, 1);

	memcpy(to, &address, 8);
	memcpy(to + 8, &size, 4);
	memcpy(to + 12, &flags, 2);
	memcpy(to + 14, &next, 2);
}

/* Save the device of a slot, and load that with some bytes changed. */
static void reload(struct device *device, unsigned int slot, struct input *in)
{
	struct state saved, state;

	state_save(&saved, "virtio");
	device->type->state(device, slot, &saved);
	require(state_end(&saved));
	for (uint64_t n = input_number(in, 1) % 8; n > 0; n--)
		saved.bytes[input_number(in, 2) % saved.at] ^= (uint8_t)input_number(in, 1);
	state_load(&state, "virtio", saved.bytes, saved.at - input_number(in, 1) % 2);
	device->type->state(device, slot, &state);
	(void)state_end(&state);
	require(!state.failed || state.why[0]);
	/* No machine goes on from there. */
	if (state.failed)
		device_reset(device);
	state_free(&saved);
}

/* As much input as there is room for. */
static void type(struct device *device, struct input *in)
{
	const struct device_console *console = device->type->console;
	uint8_t bytes[DEVICE_CONSOLE_ROOM] = {0};
	size_t count;

	if (!console->takes_input(device))
		return;
	count = input_number(in, 1) % (console->room(device) + 1);
	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)input_number(in, 1);
	(void)console->wants_input(device);
	console->receive(device, bytes, count);
}

/* Frames of any size come for the card. */
static void arrive(struct device *device, struct input *in)
{
	static uint8_t frame[2048];
	const size_t size = input_number(in, 2) % sizeof(frame);

	memset(frame, (int)size & 0xff, sizeof(frame));
	(void)virtio_net_receive(card, frame, size);
	(void)device->type->waits(device);
	device->type->arrive(device);
}

/* The time of what is put off comes, some times. */
static void pass(struct device *device, uint64_t times)
{
	while (times-- > 0) {
		const uint64_t next = device->type->deadline(device, now);

		require(next > now);
		if (next == DEVICE_NEVER)
			break;
		now = next;
		device->type->update(device, now);
		for (unsigned int i = 0; i < 4; i++)
			require(device->config->virtio[i]->work <= 2 * DEVICE_PIECE);
	}
}

static void step(struct device *device, struct input *in)
{
	const uint64_t what = input_number(in, 1);
	const uint64_t slot = (what & 128 ? 3 : what & 32 ? 2 : what >> 3 & 1) * SLOT;
	const uint32_t queue = what >> 6 & 1;

	switch (what & 7) {
	case 0: start(device, slot, slot >= 2 * SLOT ? queue : 0); break;
	case 1:
	case 2: describe(in); break;
	case 3: ram[input_number(in, 2) % RAM_SIZE] = (uint8_t)input_number(in, 1); break;
	case 4:
		set(device, slot + (input_number(in, 1) * 4) % SLOT, (uint32_t)input_number(in, 4));
		break;
	case 5:
		if (slot == 3 * SLOT)
			arrive(device, in);
		else if (what & 32)
			type(device, in);
		else
			(void)device->type->windows[0].read(device, 0, input_number(in, 1) * 4, 4);
		break;
	case 6:
		if (what & 16 && slot < 3 * SLOT)
			reload(device, slot / SLOT, in);
		else
			device_reset(device);
		break;
	default:
		ram[0x802]++;
		set(device, slot + 0x50, queue);
		pass(device, what & 16 ? 4 : 0);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, bytes + size};
	const int fd = memfd_create("disk", MFD_CLOEXEC);
	struct device_config config = {.choices.cpus = 1, .choices.counter_hz = 1000000000};
	const struct device_host host = {.set_line = host_set_line,
					 .now = host_now,
					 .reschedule = host_reschedule,
					 .transmit = host_transmit,
					 .memory = host_memory};
	const struct virtio_link link = {.send = link_send, .outside = true};
	struct device *device;
	char path[64], why[256];

	require(fd >= 0 && ftruncate(fd, 8192 + 512) == 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	config.virtio[0] = virtio_block_open(
		path, (enum virtio_disk_mode)(input_number(&in, 1) % 3), "fuzz", why, sizeof(why));
	config.virtio[1] = virtio_entropy_make(1);
	config.virtio[2] = virtio_console_make();
	config.virtio[3] = card = virtio_net_make((const uint8_t[VIRTIO_NET_MAC]){2}, &link);
	require(config.virtio[0] && config.virtio[1] && config.virtio[2] && card);
	device = device_make(&device_virtio_mmio, &config, &host);
	require(device);
	now = 0;
	memset(ram, 0, sizeof(ram));
	while (in.at < in.end)
		step(device, &in);
	start(device, 0, 0);
	start(device, SLOT, 0);
	start(device, 2 * SLOT, 1);
	start(device, 3 * SLOT, 1);
	device_free(device);
	virtio_block_close(config.virtio[0]);
	free(config.virtio[1]);
	free(config.virtio[2]);
	free(config.virtio[3]);
	(void)close(fd);
	return 0;
}
