/* SPDX-License-Identifier: BSD-2-Clause */
/* virtio: what a driver sees, and what becomes of one that breaks the rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "virtio_fixture.h"

#define DESC  0x000
#define AVAIL 0x800
#define USED  0xc00
#define DATA  0x1000

static char path[] = "/tmp/vspe-virtio-XXXXXX";

static void describe(unsigned int n, uint64_t address, uint32_t size, uint16_t flags, uint16_t next)
{
	memcpy(host_ram + DESC + 16 * n, &address, sizeof(address));
	memcpy(host_ram + DESC + 16 * n + 8, &size, sizeof(size));
	put16(DESC + 16 * n + 12, flags);
	put16(DESC + 16 * n + 14, next);
}

static void start(void)
{
	set(STATUS, 0);
	memset(host_ram, 0, HOST_RAM);
	set(0x24, 1);
	set(0x20, 1);
	set(STATUS, 11);
	set(0x30, 0);
	set(0x38, 8);
	set(0x80, HOST_RAM_BASE + DESC);
	set(0x90, HOST_RAM_BASE + AVAIL);
	set(0xa0, HOST_RAM_BASE + USED);
	set(0x44, 1);
	set(STATUS, READY);
	cr_assert_eq(get(STATUS), READY);
}

static void submit(void)
{
	put16(AVAIL + 2, (uint16_t)(get16(AVAIL + 2) + 1));
	set(0x50, 0);
}

static uint8_t disk_request(uint32_t type, uint64_t sector, uint32_t size)
{
	memcpy(host_ram + DATA, &type, sizeof(type));
	memcpy(host_ram + DATA + 8, &sector, sizeof(sector));
	describe(0, HOST_RAM_BASE + DATA, 16, 1, 1);
	describe(1, HOST_RAM_BASE + DATA + 16, size, type == 1 ? 1 : 3, 2);
	describe(2, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
	host_ram[DATA + 0x2000] = 0xff;
	submit();
	return host_ram[DATA + 0x2000];
}

/* A disk of 16 sectors, each byte of which is its sector's number. */
static void open_disk(enum virtio_disk_mode mode)
{
	uint8_t sector[VIRTIO_SECTOR];
	char why[256];
	int fd;

	(void)strcpy(path, "/tmp/vspe-virtio-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	for (int i = 0; i < 16; i++) {
		memset(sector, i, sizeof(sector));
		cr_assert_eq(write(fd, sector, sizeof(sector)), (ssize_t)sizeof(sector));
	}
	(void)close(fd);
	host_config.virtio[0] = virtio_block_open(path, mode, "serial", why, sizeof(why));
	cr_assert_not_null(host_config.virtio[0], "%s", why);
	transport = make_device(&device_virtio_mmio, 1);
	start();
}

static void close_disk(void)
{
	device_free(transport);
	virtio_block_close(host_config.virtio[0]);
	host_config.virtio[0] = NULL;
	(void)unlink(path);
}

static int byte_of_file(long at)
{
	FILE *file = fopen(path, "rb");
	int byte;

	cr_assert_not_null(file);
	(void)fseek(file, at, SEEK_SET);
	byte = fgetc(file);
	(void)fclose(file);
	return byte;
}

Test(virtio, a_disk_is_read_with_an_interrupt)
{
	open_disk(VIRTIO_DISK_READ);
	cr_assert_eq(disk_request(0, 3, 1024), 0);
	cr_assert_eq(host_ram[DATA + 16], 3);
	cr_assert_eq(host_ram[DATA + 16 + 1023], 4);
	cr_assert_eq(get16(USED + 2), 1);
	cr_assert_eq(host_ram[USED + 8] | host_ram[USED + 9] << 8, 1025);
	cr_assert_eq(get(INTERRUPT), 1);
	cr_assert(host_line[0][INTID]);
	set(0x64, 1);
	cr_assert_not(host_line[0][INTID]);
	close_disk();
}

Test(virtio, what_is_written_is_where_the_mode_says)
{
	static const struct {
		enum virtio_disk_mode mode;
		uint8_t status;
		int file, read;
	} rows[] = {
		{VIRTIO_DISK_WRITE, 0, 0x5a, 0x5a},
		{VIRTIO_DISK_READ, 1, 9, 9},
		{VIRTIO_DISK_SNAPSHOT, 0, 9, 0x5a},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_disk(rows[i].mode);
		memset(host_ram + DATA + 16, 0x5a, VIRTIO_SECTOR);
		cr_assert_eq(disk_request(1, 9, VIRTIO_SECTOR), rows[i].status);
		cr_assert_eq(byte_of_file(9L * VIRTIO_SECTOR), rows[i].file);
		cr_assert_eq(disk_request(0, 8, 3 * VIRTIO_SECTOR), 0);
		cr_assert_eq(host_ram[DATA + 16], 8);
		cr_assert_eq(host_ram[DATA + 16 + VIRTIO_SECTOR], rows[i].read);
		cr_assert_eq(host_ram[DATA + 16 + 2 * VIRTIO_SECTOR], 10);
		close_disk();
	}
}

/* virtio 1.2, 4.2.2: of a region that is not there, whatever SHMSel says, all are -1. */
Test(virtio, there_is_no_shared_memory)
{
	open_disk(VIRTIO_DISK_READ);
	for (uint32_t region = 0; region < 3; region++) {
		set(0xac, region);
		for (uint64_t at = 0xb0; at <= 0xbc; at += 4)
			cr_assert_eq(get(at), UINT32_MAX, "region %u, 0x%llx: 0x%x", region,
				     (unsigned long long)at, get(at));
	}
	close_disk();
}

Test(virtio, a_disk_has_an_end_and_a_serial_number)
{
	open_disk(VIRTIO_DISK_WRITE);
	cr_assert_eq(window_get(transport, 0x100, 8), 16);
	cr_assert_eq(disk_request(0, 15, 512), 0);
	cr_assert_eq(disk_request(0, 15, 1024), 1);
	cr_assert_eq(disk_request(1, 16, 512), 1);
	cr_assert_eq(disk_request(0, UINT64_MAX, 512), 1);
	cr_assert_eq(disk_request(0, 0, 100), 1);
	cr_assert_eq(disk_request(99, 0, 512), 2);
	cr_assert_eq(disk_request(8, 0, 20), 0);
	cr_assert_str_eq((char *)host_ram + DATA + 16, "serial");
	close_disk();
}

/* The state of the device in slot 0; state_free() is owed. */
static struct state save(void)
{
	struct state state;

	state_save(&state, "virtio");
	device_virtio_mmio.state(transport, 0, &state);
	cr_assert(state_end(&state), "%s", state.why);
	return state;
}

/* Load size bytes of it into a device as it is at first: NULL, or why not. */
static const char *load(const uint8_t *bytes, size_t size)
{
	static char why[STATE_WHY];
	struct state state;

	device_reset(transport);
	state_load(&state, "virtio", bytes, size);
	device_virtio_mmio.state(transport, 0, &state);
	(void)state_end(&state);
	(void)memcpy(why, state.why, sizeof(why));
	return state.failed ? why : NULL;
}

/* The file of open_disk(), with another disk of it. */
static void change_disk(enum virtio_disk_mode mode, const char *serial)
{
	char why[256];

	device_free(transport);
	virtio_block_close(host_config.virtio[0]);
	host_config.virtio[0] = virtio_block_open(path, mode, serial, why, sizeof(why));
	cr_assert_not_null(host_config.virtio[0], "%s", why);
	transport = make_device(&device_virtio_mmio, 1);
}

Test(virtio, a_saved_disk_goes_on_where_it_was)
{
	struct state state;

	for (int mode = VIRTIO_DISK_WRITE; mode <= VIRTIO_DISK_SNAPSHOT; mode++) {
		open_disk((enum virtio_disk_mode)mode);
		memset(host_ram + DATA + 16, 0x5a, VIRTIO_SECTOR);
		(void)disk_request(1, 15, VIRTIO_SECTOR);
		state = save();
		change_disk((enum virtio_disk_mode)mode, "serial");
		cr_assert_null(load(state.bytes, state.at));
		cr_assert_eq(get(STATUS), READY);
		cr_assert_eq(get(INTERRUPT), 1);
		cr_assert_eq(disk_request(0, 15, VIRTIO_SECTOR), 0);
		cr_assert_eq(get16(USED + 2), 2);
		cr_assert_eq(host_ram[DATA + 16], mode == VIRTIO_DISK_READ ? 15 : 0x5a);
		cr_assert_eq(host_config.virtio[0]->counts.requests, 2);
		state_free(&state);
		close_disk();
	}
}

Test(virtio, another_disk_than_the_saved_one_is_refused)
{
	struct state state;
	FILE *file;

	open_disk(VIRTIO_DISK_WRITE);
	state = save();
	change_disk(VIRTIO_DISK_SNAPSHOT, "serial");
	cr_assert_null(load(state.bytes, state.at));
	change_disk(VIRTIO_DISK_READ, "serial");
	cr_assert_str_has(load(state.bytes, state.at), "not ro when");
	change_disk(VIRTIO_DISK_WRITE, "other");
	cr_assert_str_has(load(state.bytes, state.at), "serial number");
	file = fopen(path, "r+b");
	cr_assert_not_null(file);
	(void)fseek(file, 8191, SEEK_SET);
	(void)fputc(0x77, file);
	(void)fclose(file);
	change_disk(VIRTIO_DISK_WRITE, "serial");
	cr_assert_str_has(load(state.bytes, state.at), "written to since");
	state_free(&state);
	(void)truncate(path, 4096);
	change_disk(VIRTIO_DISK_SNAPSHOT, "serial");
	state = save();
	change_disk(VIRTIO_DISK_WRITE, "serial");
	cr_assert_str_has(load(state.bytes, state.at), "a snapshot when");
	(void)truncate(path, 8192);
	change_disk(VIRTIO_DISK_SNAPSHOT, "serial");
	cr_assert_str_has(load(state.bytes, state.at), "8192 bytes, and 4096");
	state_free(&state);
	close_disk();
}

/* With any bit of it another, it is refused, or is the state that it says. */
Test(virtio, a_damaged_state_is_refused_or_loaded)
{
	unsigned int refused = 0;
	struct state state, again;

	open_disk(VIRTIO_DISK_SNAPSHOT);
	(void)disk_request(1, 15, VIRTIO_SECTOR);
	state = save();
	for (size_t bit = 0; bit < 8 * 200; bit++) {
		state.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		change_disk(VIRTIO_DISK_SNAPSHOT, "serial");
		if (load(state.bytes, state.at)) {
			refused++;
		} else {
			again = save();
			cr_assert_eq(again.at, state.at, "bit %zu", bit);
			cr_assert_arr_eq(again.bytes, state.bytes, state.at, "bit %zu", bit);
			state_free(&again);
		}
		state.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	cr_assert_gt(refused, 400);
	for (size_t size = 0; size < state.at; size += 97)
		cr_assert_not_null(load(state.bytes, size), "%zu bytes", size);
	state_free(&state);
	close_disk();
}

/* Where things are in the state: docs/saved-machine.md. */
#define SAVED_SIZE   28 /* of the queue */
#define SAVED_STATUS 55

Test(virtio, a_state_that_cannot_be_is_refused)
{
	static const uint8_t sizes[] = {3, 129, 255}, statuses[] = {4, 16, 7, 32};
	struct state state;
	uint8_t *clusters;

	open_disk(VIRTIO_DISK_SNAPSHOT);
	(void)disk_request(1, 0, VIRTIO_SECTOR);
	(void)disk_request(1, 15, VIRTIO_SECTOR);
	state = save();
	clusters = state.bytes + state.at - SAVED_REST(1) - 2 * (8 + 4096);
	cr_assert_eq(clusters[0] | clusters[8 + 4096] << 8, 0x100);
	clusters[0] = 1;
	cr_assert_str_has(load(state.bytes, state.at), "out of order");
	clusters[0] = 0;
	cr_assert_eq(state.bytes[SAVED_SIZE], 8);
	for (size_t i = 0; i < sizeof(sizes); i++) {
		state.bytes[SAVED_SIZE] = sizes[i];
		cr_assert_not_null(load(state.bytes, state.at), "%u", sizes[i]);
	}
	state.bytes[SAVED_SIZE] = 8;
	cr_assert_eq(state.bytes[SAVED_STATUS], READY);
	for (size_t i = 0; i < sizeof(statuses); i++) {
		state.bytes[SAVED_STATUS] = statuses[i];
		cr_assert_str_has(load(state.bytes, state.at), "an impossible Status");
	}
	state.bytes[SAVED_STATUS] = READY;
	cr_assert_null(load(state.bytes, state.at));
	state_free(&state);
	close_disk();
}

Test(virtio, a_saved_source_of_numbers_goes_on)
{
	struct state state;
	uint8_t first[8];

	host_config.virtio[0] = virtio_entropy_make(7);
	transport = make_device(&device_virtio_mmio, 1);
	start();
	describe(0, HOST_RAM_BASE + DATA, 8, 2, 0);
	submit();
	state = save();
	submit();
	memcpy(first, host_ram + DATA, sizeof(first));
	cr_assert_null(load(state.bytes, state.at));
	put16(AVAIL + 2, 1);
	submit();
	cr_assert_arr_eq(first, host_ram + DATA, sizeof(first));
	state_free(&state);
	device_free(transport);
	free(host_config.virtio[0]);
	host_config.virtio[0] = NULL;
}

Test(virtio, a_disk_that_is_written_has_one_writer)
{
	struct virtio_device *writer, *reader;
	char why[256];

	open_disk(VIRTIO_DISK_WRITE);
	writer = host_config.virtio[0];
	reader = virtio_block_open(path, VIRTIO_DISK_READ, "", why, sizeof(why));
	cr_assert_not_null(reader, "%s", why);
	cr_expect_eq(writer->lock(writer, FILE_LOCK_OWN), 0);
	cr_expect_eq(reader->lock(reader, FILE_LOCK_OWN), -1);
	/* As it is handed over; what the reader has as its own, other readers have too. */
	cr_expect_eq(writer->lock(writer, FILE_LOCK_SHARED), 0);
	cr_expect_eq(reader->lock(reader, FILE_LOCK_OWN), 0);
	cr_expect_eq(writer->lock(writer, FILE_LOCK_OWN), -1);
	virtio_block_close(reader);
	cr_expect_eq(writer->lock(writer, FILE_LOCK_OWN), 0);
	close_disk();
}

/* What is wrong with a driver ends in DEVICE_NEEDS_RESET, and a reset ends that. */
Test(virtio, a_broken_driver_has_to_reset)
{
	open_disk(VIRTIO_DISK_WRITE);
	for (unsigned int i = 0; i < 13; i++) {
		start();
		describe(0, HOST_RAM_BASE + DATA, 16, 1, 1);
		describe(1, HOST_RAM_BASE + DATA + 16, 512, 3, 2);
		describe(2, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
		switch (i) {
		case 0: describe(2, HOST_RAM_BASE + DATA, 1, 3, 1); break;
		case 1: describe(1, HOST_RAM_BASE + HOST_RAM - 8, 512, 3, 2); break;
		case 2: describe(1, UINT64_MAX - 8, 512, 3, 2); break;
		case 3: describe(1, HOST_RAM_BASE + DATA, 512, 3, 8); break;
		case 4: describe(2, HOST_RAM_BASE + DATA, 1, 0, 0); break;
		case 5: describe(0, HOST_RAM_BASE + DATA, 24, 4, 0); break;
		case 6: put16(AVAIL + 2, 100); break;
		/* Data before what is read; none; a table in a table, and those of no size that can
		 * be. */
		case 7:
			describe(1, HOST_RAM_BASE + DATA + 16, 512, 3, 2);
			describe(2, HOST_RAM_BASE + DATA + 0x800, 4, 1, 3);
			describe(3, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
			break;
		case 8: describe(1, HOST_RAM_BASE + DATA + 16, 0, 3, 2); break;
		case 9:
			describe(0, HOST_RAM_BASE + DESC + 16, 32, 4, 0);
			describe(1, HOST_RAM_BASE + DESC + 48, 48, 4, 0);
			describe(3, HOST_RAM_BASE + DATA, 16, 1, 1);
			describe(4, HOST_RAM_BASE + DATA + 16, 512, 3, 2);
			describe(5, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
			break;
		case 10:
			describe(0, HOST_RAM_BASE + DESC + 48, 50, 4, 0);
			describe(3, HOST_RAM_BASE + DATA, 16, 1, 1);
			describe(4, HOST_RAM_BASE + DATA + 16, 512, 3, 2);
			describe(5, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
			break;
		case 11:
			describe(1, HOST_RAM_BASE + DATA + 16, 512, 3, 8);
			describe(8, HOST_RAM_BASE + DATA + 0x2000, 1, 2, 0);
			break;
		default: describe(0, HOST_RAM_BASE + DATA, 15, 1, 1); break;
		}
		submit();
		cr_assert_eq(get(STATUS), READY | NEEDS_RESET, "%u: 0x%x", i, get(STATUS));
		cr_assert_eq(get(INTERRUPT), 2, "%u", i);
		cr_assert_eq(get16(USED + 2), 0, "%u", i);
	}
	start();
	cr_assert_not(host_line[0][INTID]);
	cr_assert_eq(disk_request(0, 0, 512), 0);
	close_disk();
}

/*
 * A request of 16 bytes in one part, and of parts of a byte each in a table of so many entries, the
 * last of which is the status.
 */
static bool chain_of(unsigned int parts, unsigned int entries)
{
	start();
	for (unsigned int i = 0; i < parts; i++)
		describe(0x200 + i, HOST_RAM_BASE + DATA + 16 + i, 1, 3, (uint16_t)(i + 1));
	put16(0x2000 + 16 * (parts - 1) + 12, 2);
	describe(0, HOST_RAM_BASE + DATA, 16, 1, 1);
	describe(1, HOST_RAM_BASE + 0x2000, 16 * entries, 4, 0);
	submit();
	cr_assert_eq(get16(USED + 2), !(get(STATUS) & NEEDS_RESET));
	return !(get(STATUS) & NEEDS_RESET);
}

Test(virtio, a_chain_has_no_more_parts_than_a_queue)
{
	open_disk(VIRTIO_DISK_WRITE);
	cr_assert(chain_of(VIRTIO_QUEUE_MAX - 1, VIRTIO_QUEUE_MAX - 1));
	cr_assert_not(chain_of(VIRTIO_QUEUE_MAX, VIRTIO_QUEUE_MAX));
	cr_assert(chain_of(3, VIRTIO_QUEUE_MAX));
	cr_assert_not(chain_of(3, VIRTIO_QUEUE_MAX + 1));
	close_disk();
}

Test(virtio, no_interrupt_that_is_not_wanted)
{
	open_disk(VIRTIO_DISK_WRITE);
	put16(AVAIL, 1);
	cr_assert_eq(disk_request(0, 0, 512), 0);
	cr_assert_eq(get(INTERRUPT), 0);
	put16(AVAIL, 0);
	cr_assert_eq(disk_request(0, 0, 512), 0);
	cr_assert_eq(get(INTERRUPT), 1);
	close_disk();
}

/* FEATURES_OK is not kept, as an invalid subset is not accepted (virtio 1.2, 2.2.2 and 3.1.1). */
Test(virtio, features_that_were_not_offered_are_refused)
{
	open_disk(VIRTIO_DISK_WRITE);
	set(STATUS, 0);
	set(STATUS, 3);
	set(0x24, 1); /* DriverFeaturesSel */
	set(0x20, UINT32_C(1) << 31 | 1);
	set(STATUS, 11);
	cr_assert_eq(get(STATUS), 3);
	close_disk();
}

Test(virtio, numbers_are_of_the_seed)
{
	uint8_t first[24];

	host_config.virtio[0] = virtio_entropy_make(7);
	transport = make_device(&device_virtio_mmio, 1);
	for (int i = 0; i < 2; i++) {
		device_reset(transport);
		start();
		describe(0, HOST_RAM_BASE + DATA, 24, 2, 0);
		submit();
		if (i == 0)
			memcpy(first, host_ram + DATA, sizeof(first));
		cr_assert_arr_eq(first, host_ram + DATA, sizeof(first));
		cr_assert_arr_neq(first, first + 8, 8);
		submit();
		cr_assert_arr_neq(first, host_ram + DATA, sizeof(first));
	}
	device_free(transport);
	free(host_config.virtio[0]);
	host_config.virtio[0] = NULL;
}
