/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: --replay on any file. The first byte says whether the rest is a file, or
 * follows the beginning of a recording of the machine that replays it. Checksums are made right, so
 * the bytes after them are reached. The recording is refused with a reason, or the machine runs a
 * while.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../state/seal.h"
#include "device/virtio.h"
#include "machine/recording.h"

#define RAM   (UINT64_C(16) << 20)
#define LOOKS 1

#define PUTS 32 /* bytes that the guest prints before it is checked */

static unsigned int looks, puts_left;
static struct machine *running;

/* In between, the guest repeats the same slow loop. */
static void put(void *ctx, uint8_t byte)
{
	(void)ctx, (void)byte;
	if (puts_left > 0 && --puts_left == 0) {
		puts_left = PUTS;
		machine_hurry(running);
	}
}

static enum machine_console_event look(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
				       size_t *got)
{
	(void)ctx, (void)timeout_ms, (void)bytes, (void)room;
	*got = 0;
	return ++looks > LOOKS ? MACHINE_CONSOLE_QUIT : MACHINE_CONSOLE_NONE;
}

static bool is_open(void *ctx)
{
	(void)ctx;
	return true;
}

static void send_nowhere(void *ctx, const uint8_t *frame, size_t size)
{
	(void)ctx, (void)frame, (void)size;
}

static char path[] = "/tmp/fuzz_recording.XXXXXX";

static void remove_kernel(void)
{
	(void)unlink(path);
}

static const char *kernel(void)
{
	/* movz x2, #0x900, lsl 16; ldrb w1, [x2]; strb w1, [x2]; b .-8 */
	static const uint32_t code[16] = {0xd2a12002, 0x39400041, 0x39000041, 0x17fffffe};
	static bool made;
	int fd;

	if (made)
		return path;
	fd = mkstemp(path);
	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code))
		abort();
	(void)close(fd);
	made = true;
	(void)atexit(remove_kernel);
	return path;
}

static const struct virtio_link cable = {.send = send_nowhere, .outside = true};

static struct machine *make(struct virtio_device **devices)
{
	static const uint8_t mac[VIRTIO_NET_MAC] = {2};
	struct machine_config config = {
		.choices.engine = &engine_soft,
		.choices.cpus = 1,
		.choices.levels = {.start = 1},
		.choices.ram_size = RAM,
		.choices.kernel = kernel(),
		.virtio = devices,
		.console = {NULL, put, look, is_open, NULL},
	};
	char why[256] = "no memory";
	struct machine *machine;

	devices[0] = virtio_net_make(mac, &cable);
	machine = devices[0] ? machine_create(&config, why, sizeof(why)) : NULL;
	if (!machine) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	return machine;
}

/* The beginning of a recording of the machine; *size bytes. */
static uint8_t *beginning(size_t *size)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {NULL};
	struct machine *machine = make(devices);
	char *bytes = NULL, why[256];
	FILE *file = open_memstream(&bytes, size);

	if (!file || machine_record(machine, file, "vspe run", why, sizeof(why)) < 0)
		abort();
	machine_destroy(machine);
	(void)fclose(file);
	free(devices[0]);
	return (uint8_t *)bytes;
}

static void replay(uint8_t *image, size_t size)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {NULL};
	struct machine *machine = make(devices);
	FILE *file = fmemopen(image, size, "rb");
	char why[640] = "";

	looks = 0;
	puts_left = PUTS;
	running = machine;
	if (!file)
		abort();
	if (machine_replay(machine, file, why, sizeof(why)) == 0)
		(void)machine_run(machine, why, sizeof(why));
	if (why[0] == '\0' || strchr(why, '\n'))
		abort();
	machine_destroy(machine);
	(void)fclose(file);
	free(devices[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t *head;
	static size_t head_size;
	size_t start;
	uint8_t *image;

	if (!head)
		head = beginning(&head_size);
	if (size < 2)
		return 0;
	start = bytes[0] ? head_size : 0;
	image = malloc(start + size - 1);
	if (!image)
		abort();
	memcpy(image, head, start);
	memcpy(image + start, bytes + 1, size - 1);
	seal(image, start + size - 1);
	replay(image, start + size - 1);
	free(image);
	return 0;
}
