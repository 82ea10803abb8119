/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest requests that a guest can make of a device by one access. They are done in pieces,
 * with a pause after each, and nothing is lost or done twice.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "device/fw_cfg.h"
#include "p9_here.h"
#include "virtio_fixture.h"

#define DESC  0x0000
#define AVAIL 0x1000
#define USED  0x2000
#define TABLE 0x3000 /* all requests are this chain */
#define HEAD  0x4000
#define DATA  0x8000

#define NOTIFY 0x050
#define ACK    0x064
#define WRITE  2
#define NEXT   1

#define DISK (UINT64_C(64) << 20)
/* A request may cost one more of its kind than it moves before it is looked at. */
#define PIECE_MOST (DEVICE_PIECE + DEVICE_PIECE / VIRTIO_QUEUE_MAX)

static char path[32];

static void setup(void)
{
	host_ram_size = HOST_RAM_MOST;
	host_config.choices.counter_hz = 1000000;
}

TestSuite(pieces, .init = setup);

static struct virtio_device *make_disk(enum virtio_disk_mode mode)
{
	char why[256];
	struct virtio_device *made;
	int fd;

	(void)strcpy(path, "/tmp/vspe-pieces-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, (off_t)DISK), 0);
	(void)close(fd);
	made = virtio_block_open(path, mode, "serial", why, sizeof(why));
	(void)unlink(path);
	cr_assert_not_null(made, "%s", why);
	return made;
}

static struct virtio_device *make_snapshot(void)
{
	return make_disk(VIRTIO_DISK_SNAPSHOT);
}

static struct virtio_device *make_writable(void)
{
	return make_disk(VIRTIO_DISK_WRITE);
}

static struct virtio_device *make_numbers(void)
{
	return virtio_entropy_make(1);
}

static struct virtio_device *make_folder(void)
{
	return p9_here_make(-1, "tag");
}

static void part(unsigned int n, uint64_t at, uint32_t size, uint16_t flags)
{
	const uint64_t address = HOST_RAM_BASE + at;

	memcpy(host_ram + TABLE + 16 * n, &address, sizeof(address));
	memcpy(host_ram + TABLE + 16 * n + 8, &size, sizeof(size));
	put16(TABLE + 16 * n + 12, flags);
	put16(TABLE + 16 * n + 14, (uint16_t)(n + 1));
}

/* 20 MiB from or to a disk. */
static unsigned int transfer(uint32_t type)
{
	const uint16_t flags = type ? 0 : WRITE;
	unsigned int n = 0;

	memset(host_ram + HEAD, 0, 16);
	memcpy(host_ram + HEAD, &type, sizeof(type));
	part(n++, HEAD, 16, NEXT);
	while (n <= 20)
		part(n++, DATA, 1 << 20, flags | NEXT);
	part(n++, HEAD + 16, 1, WRITE);
	return n;
}

static unsigned int disk_reads(void)
{
	return transfer(0);
}

static unsigned int disk_writes(void)
{
	return transfer(1);
}

static unsigned int numbers(void)
{
	part(0, DATA, 1 << 20, WRITE);
	return 1;
}

static unsigned int text(void)
{
	memset(host_ram + DATA, '\n', 1 << 16);
	part(0, DATA, 1 << 16, 0);
	return 1;
}

/* Tversion, which only gets a short answer. */
static unsigned int message(void)
{
	static const uint8_t version[] = {21, 0, 0,   0,   100, 0xff, 0xff, 0,	 0,   8,  0,
					  8,  0, '9', 'P', '2', '0',  '0',  '0', '.', 'L'};

	memcpy(host_ram + DATA, version, sizeof(version));
	part(0, DATA, sizeof(version), NEXT);
	part(1, DATA + 256, 256, WRITE);
	return 2;
}

static const struct row {
	const char *name;
	struct virtio_device *(*make)(void);
	void (*close)(struct virtio_device *device);
	unsigned int queue;
	unsigned int (*request)(void); /* how many parts it has */
	unsigned int count;	       /* of them */
	uint64_t bytes;		       /* of each, as counted */
	bool pieces;		       /* a full queue of them takes more than one piece */
} rows[] = {
	{"a snapshot is read", make_snapshot, virtio_block_close, 0, disk_reads, 4, 20 << 20, true},
	{"a snapshot is written", make_snapshot, virtio_block_close, 0, disk_writes, 4, 20 << 20,
	 true},
	{"a file is written, and synced", make_writable, virtio_block_close, 0, disk_writes, 4,
	 20 << 20, true},
	{"numbers", make_numbers, NULL, 0, numbers, 128, 1 << 16, true},
	{"lines", virtio_console_make, NULL, 1, text, 2, 1 << 16, true},
	{"a folder", make_folder, NULL, 0, message, 128, 0, false},
};

static void start(const struct row *row)
{
	set(STATUS, 0);
	set(0x24, 1);
	set(0x20, 1);
	set(0x24, 0);
	set(0x20, 0);
	set(STATUS, 11);
	set(0x30, row->queue);
	set(0x38, VIRTIO_QUEUE_MAX);
	set(0x80, HOST_RAM_BASE + DESC);
	set(0x90, HOST_RAM_BASE + AVAIL);
	set(0xa0, HOST_RAM_BASE + USED);
	set(0x44, 1);
	set(STATUS, READY);
	cr_assert_eq(get(STATUS), READY);
}

/* count requests, all of the same chain by an indirect table, with one notification. */
static void submit(const struct row *row, unsigned int count)
{
	const uint64_t table = HOST_RAM_BASE + TABLE;
	const uint32_t size = 16 * row->request();

	put16(TABLE + size - 4, get16(TABLE + size - 4) & ~NEXT);
	for (unsigned int i = 0; i < count; i++) {
		memcpy(host_ram + DESC + 16 * i, &table, sizeof(table));
		memcpy(host_ram + DESC + 16 * i + 8, &size, sizeof(size));
		put16(DESC + 16 * i + 12, 4);
		put16(AVAIL + 4 + 2 * i, (uint16_t)i);
	}
	put16(AVAIL + 2, (uint16_t)count);
	set(NOTIFY, row->queue);
}

static uint64_t moved(const struct virtio_device *device)
{
	return device->counts.bytes_read + device->counts.bytes_written;
}

/* Advance the time until the rest is due. False: there is no rest. */
static bool pass(void)
{
	const uint64_t next = transport->type->deadline(transport, host_now);

	if (next == DEVICE_NEVER)
		return false;
	cr_assert_eq(next - host_now, host_config.choices.counter_hz / 1000, "a pause of 1 ms");
	host_now = next;
	transport->type->update(transport, host_now);
	return true;
}

Test(pieces, a_full_queue_of_the_largest_requests)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct virtio_device *device = host_config.virtio[0] = row->make();
		const unsigned int count = row->count;
		uint64_t before = 0;
		unsigned int pieces = 0;

		transport = make_device(&device_virtio_mmio, 1);
		start(row);
		host_reschedules = 0;
		submit(row, count);
		cr_assert_eq(host_reschedules > 0, row->pieces, "%s", row->name);
		do {
			cr_assert_leq(device->work, 2 * PIECE_MOST, "%s", row->name);
			cr_assert_leq(moved(device) - before, PIECE_MOST, "%s", row->name);
			before = moved(device);
			pieces++;
			/* Notifying it again does not make it faster. */
			set(NOTIFY, row->queue);
			cr_assert_eq(moved(device), before, "%s", row->name);
		} while (pass());
		cr_assert_eq(pieces > 1, row->pieces, "%s: %u pieces", row->name, pieces);
		cr_assert_eq(get16(USED + 2), count, "%s: %u", row->name, get16(USED + 2));
		cr_assert_eq(device->counts.requests, count, "%s", row->name);
		cr_assert_eq(device->counts.failed, 0, "%s", row->name);
		cr_assert_eq(before, count * row->bytes, "%s: %lu", row->name,
			     (unsigned long)before);
		cr_assert_eq(get(STATUS), READY, "%s", row->name);
		device_free(transport);
		(row->close ? row->close(device) : free(device));
	}
	host_config.virtio[0] = NULL;
}

/* Saved after any of its pieces, the rest completes in the same way. */
Test(pieces, a_rest_is_saved)
{
	const struct row *row = &rows[0];
	struct virtio_device *device = host_config.virtio[0] = row->make();
	struct state saved, loaded;
	unsigned int pieces = 0;

	transport = make_device(&device_virtio_mmio, 1);
	start(row);
	submit(row, 1);
	do {
		const uint64_t so_far = moved(device);

		state_save(&saved, "virtio");
		device_virtio_mmio.state(transport, 0, &saved);
		cr_assert(state_end(&saved), "%s", saved.why);
		device_reset(transport);
		cr_assert_not(pass(), "a reset ends it");
		state_load(&loaded, "virtio", saved.bytes, saved.at);
		device_virtio_mmio.state(transport, 0, &loaded);
		cr_assert(state_end(&loaded), "%s", loaded.why);
		state_free(&saved);
		cr_assert_eq(moved(device), so_far);
		pieces++;
	} while (pass());
	cr_assert_eq(pieces, 5);
	cr_assert_eq(moved(device), 20 << 20, "%lu", (unsigned long)moved(device));
	cr_assert_eq(get16(USED + 2), 1);
	device_free(transport);
	virtio_block_close(device);
	host_config.virtio[0] = NULL;
}

/* A counter that advances less than once in a pause does not end it. */
Test(pieces, a_slow_counter)
{
	const struct row *row = &rows[0];
	struct virtio_device *device = host_config.virtio[0] = row->make();

	host_config.choices.counter_hz = 1;
	transport = make_device(&device_virtio_mmio, 1);
	start(row);
	submit(row, 1);
	for (uint64_t next;
	     (next = transport->type->deadline(transport, host_now)) != DEVICE_NEVER;) {
		cr_assert_eq(next, host_now + 1);
		host_now = next;
		transport->type->update(transport, host_now);
	}
	cr_assert_eq(moved(device), 20 << 20, "%lu", (unsigned long)moved(device));
	device_free(transport);
	virtio_block_close(device);
	host_config.virtio[0] = NULL;
}

/* A queue that its driver stops has no rest, and the next request starts at its first byte. */
Test(pieces, a_queue_that_is_stopped)
{
	const struct row *row = &rows[0];
	struct virtio_device *device = host_config.virtio[0] = row->make();

	transport = make_device(&device_virtio_mmio, 1);
	start(row);
	submit(row, 1);
	set(0x44, 0);
	(void)pass();
	cr_assert_eq(moved(device), DEVICE_PIECE);
	set(0x44, 1);
	set(NOTIFY, 0);
	while (pass())
		continue;
	cr_assert_eq(moved(device), DEVICE_PIECE + (20 << 20));
	device_free(transport);
	virtio_block_close(device);
	host_config.virtio[0] = NULL;
}

/* A whole item by one FWCfgDmaAccess: its driver waits until control is 0. */
Test(pieces, an_item_of_fw_cfg)
{
	const uint32_t length = 7u << 20;
	uint8_t *kernel = malloc(length);
	struct fw_cfg_files files = {.kernel = kernel, .kernel_size = length};
	struct device *fw_cfg;
	uint8_t *access = host_ram;

	cr_assert_not_null(kernel);
	for (uint32_t i = 0; i < length; i++)
		kernel[i] = (uint8_t)(i % 251);
	host_config.fw_cfg = &files;
	fw_cfg = make_device(&device_fw_cfg, 1);
	memset(access, 0, 16);
	access[1] = FW_CFG_KERNEL_DATA;
	access[3] = 8 | 2; /* select, read */
	access[5] = length >> 16;
	access[12] = HOST_RAM_BASE >> 24;
	access[13] = 0x10; /* 1 MiB after it */
	window_set(fw_cfg, 0x10, 8, __builtin_bswap64(HOST_RAM_BASE));
	cr_assert_eq(access[3], 8 | 2, "it is under way");
	cr_assert_eq(host_reschedules, 1);
	window_set(fw_cfg, 0x10, 8, __builtin_bswap64(HOST_RAM_BASE));
	cr_assert_eq(host_ram[(1 << 20) + DEVICE_PIECE], 0, "a piece is the most");
	host_now = fw_cfg->type->deadline(fw_cfg, host_now);
	cr_assert_neq(host_now, DEVICE_NEVER);
	fw_cfg->type->update(fw_cfg, host_now);
	cr_assert_eq(fw_cfg->type->deadline(fw_cfg, host_now), DEVICE_NEVER);
	cr_assert_eq(access[3], 0);
	cr_assert_arr_eq(host_ram + (1 << 20), kernel, length);
	device_free(fw_cfg);
	host_config.fw_cfg = NULL;
	free(kernel);
}
