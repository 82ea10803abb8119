/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder's device: its tag, messages in parts, a driver that breaks the rules, and a server that
 * is late, or gone.
 */
#define _GNU_SOURCE /* O_PATH */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../compare.h"
#include "p9_here.h"
#include "virtio_fixture.h"

#define NOTIFY 0x050
#define CONFIG 0x100

#define NEXT  1
#define WRITE 2

#define PAGE  0x1000
#define AVAIL 0x400
#define USED  0x800
#define DATA  0x2000
#define REPLY 0x3000

static struct virtio_device *folder;
static char path[64];
static int root;

/* Tversion of 8192 bytes, "9P2000.L". */
static const uint8_t version[] = {21, 0, 0,   0,   100, 255, 255, 0,   32,  0,	0,
				  8,  0, '9', 'P', '2', '0', '0', '0', '.', 'L'};
static const uint8_t statfs[] = {11, 0, 0, 0, 8, 7, 3, 1, 0, 0, 0};

static void start(void)
{
	static const uint32_t base = (uint32_t)HOST_RAM_BASE;

	set(STATUS, 0);
	memset(host_ram, 0, HOST_RAM);
	set(0x24, 1);
	set(0x20, 1);
	set(STATUS, 11);
	set(0x30, 0);
	set(0x38, 8);
	set(0x80, base);
	set(0x90, base + AVAIL);
	set(0xa0, base + USED);
	set(0x44, 1);
	set(STATUS, READY);
	cr_assert_eq(get(STATUS), READY);
}

static void open_folder(void)
{
	(void)strcpy(path, "/tmp/vspe-9p-XXXXXX");
	cr_assert_not_null(mkdtemp(path));
	root = open(path, O_PATH | O_DIRECTORY);
	folder = host_config.virtio[0] = p9_here_make(root, "results");
	cr_assert_not_null(folder);
	transport = make_device(&device_virtio_mmio, 1);
	start();
}

static void close_folder(void)
{
	device_free(transport);
	free(folder);
	p9_session_end(&p9_here.session);
	(void)close(root);
	host_config.virtio[0] = NULL;
	cr_assert_eq(rmdir(path), 0);
}

static void describe(unsigned int n, uint64_t address, uint32_t size, uint16_t flags)
{
	memcpy(host_ram + 16 * n, &address, sizeof(address));
	memcpy(host_ram + 16 * n + 8, &size, sizeof(size));
	put16(16 * n + 12, flags);
	put16(16 * n + 14, (uint16_t)(n + 1));
}

static void submit(void)
{
	const uint16_t index = get16(AVAIL + 2);

	put16(AVAIL + 4 + 2 * (index % 8), 0);
	put16(AVAIL + 2, (uint16_t)(index + 1));
	set(NOTIFY, 0);
}

/* A request with one part each way. */
static void submit_sizes(uint32_t read, uint32_t write)
{
	describe(0, HOST_RAM_BASE + DATA, read, NEXT);
	describe(1, HOST_RAM_BASE + REPLY, write, WRITE);
	submit();
}

TestSuite(virtio_9p, .init = open_folder, .fini = close_folder);

Test(virtio_9p, it_has_one_queue_and_a_tag)
{
	static const char tag[] = "results";

	cr_assert_eq(get(0x008), 9);
	set(0x014, 0);
	cr_assert_eq(get(0x010), 1u | 1u << 28);
	cr_assert_eq(window_get(transport, CONFIG, 2), strlen(tag));
	for (unsigned int i = 0; i < strlen(tag); i++)
		cr_assert_eq(window_get(transport, CONFIG + 2 + i, 1), (uint64_t)tag[i]);
	set(0x30, 1);
	cr_assert_eq(get(0x034), 0);
}

Test(virtio_9p, a_message_is_answered)
{
	memcpy(host_ram + DATA, version, sizeof(version));
	submit_sizes(64, 64);
	cr_assert_eq(get16(USED + 2), 1);
	cr_assert_eq(get16(USED + 8), 21);
	cr_assert_eq(host_ram[REPLY + 4], 101);
	cr_assert_arr_eq(host_ram + REPLY + 5, version + 5, 16);
	cr_assert_eq(host_ram[REPLY + 21], 0);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(folder->counts.requests, 1);
	cr_assert_eq(folder->counts.failed, 0);
}

/* Wherever parts end: within the size, the header, a text. */
Test(virtio_9p, parts_are_one_message)
{
	static const uint32_t sizes[] = {2, 5, 14};
	uint32_t at = 0;

	for (unsigned int i = 0; i < 3; at += sizes[i++]) {
		memcpy(host_ram + DATA + 0x100 * (2 - i), version + at, sizes[i]);
		describe(i, HOST_RAM_BASE + DATA + 0x100 * (2 - i), sizes[i], NEXT);
	}
	describe(3, HOST_RAM_BASE + REPLY, 3, NEXT | WRITE);
	describe(4, HOST_RAM_BASE + REPLY + 0x100, 61, WRITE);
	submit();
	cr_assert_eq(get16(USED + 8), 21);
	cr_assert_eq(host_ram[REPLY], 21);
	cr_assert_eq(host_ram[REPLY + 0x101], 101);
}

/* What cannot be a message needs a reset; what is a wrong one is answered. */
Test(virtio_9p, a_broken_request_needs_a_reset)
{
	static const struct {
		const char *what;
		uint32_t size, read, write;
		bool broken;
	} rows[] = {
		{"no header", 21, 6, 64, true},
		{"a size below a header", 6, 64, 64, true},
		{"a size beyond the buffers", 65, 64, 64, true},
		{"a size of 4 GiB", UINT32_MAX, 64, 64, true},
		{"no room for an error", 21, 64, 10, true},
		{"room for an error", 21, 64, 11, false},
		{"a header alone", 7, 64, 64, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		start();
		memcpy(host_ram + DATA, version, sizeof(version));
		memcpy(host_ram + DATA, &rows[i].size, sizeof(rows[i].size));
		submit_sizes(rows[i].read, rows[i].write);
		cr_assert_eq(get(STATUS), rows[i].broken ? READY | NEEDS_RESET : READY, "%s",
			     rows[i].what);
		if (!rows[i].broken)
			cr_assert_eq(host_ram[REPLY + 4], 7, "%s", rows[i].what);
		device_reset(transport);
	}
	cr_assert_eq(folder->counts.broken, 5);
	cr_assert_eq(folder->counts.failed, 2);
}

/* The machine starts anew: there is no session, and no file is open. */
Test(virtio_9p, a_reset_ends_the_session)
{
	memcpy(host_ram + DATA, version, sizeof(version));
	submit_sizes(64, 64);
	device_reset(transport);
	start();
	memcpy(host_ram + DATA, statfs, sizeof(statfs));
	submit_sizes(64, 64);
	cr_assert_eq(host_ram[REPLY + 4], 7);
	cr_assert_eq(host_ram[REPLY + 7], 71, "EPROTO");
}

/* Time goes on to when a rest is due. False: there is none. */
static bool pass(void)
{
	const uint64_t next = transport->type->deadline(transport, host_now);

	if (next == DEVICE_NEVER)
		return false;
	host_now = next;
	transport->type->update(transport, host_now);
	return true;
}

/* A message is said once, however late its answer is, and nothing else is done before it. */
Test(virtio_9p, an_answer_may_be_late)
{
	unsigned int times = 0;

	p9_here.late = 3;
	memcpy(host_ram + DATA, version, sizeof(version));
	submit_sizes(64, 64);
	cr_assert_eq(get16(USED + 2), 0);
	set(NOTIFY, 0);
	cr_assert_eq(p9_here.late, 2, "telling it again does not make it go faster");
	while (pass())
		times++;
	cr_assert_eq(times, 3);
	cr_assert_eq(p9_here.said, 1);
	cr_assert_eq(get16(USED + 2), 1);
	cr_assert_eq(host_ram[REPLY + 4], 101);
	cr_assert_eq(folder->counts.requests, 1);
}

/* Its driver does not wait for it any more: the next message gets its own answer. */
Test(virtio_9p, an_answer_to_nobody)
{
	p9_here.late = 1;
	memcpy(host_ram + DATA, version, sizeof(version));
	submit_sizes(64, 64);
	start();
	cr_assert_not(pass(), "a reset ends it");
	p9_here.late = 2;
	memcpy(host_ram + DATA, statfs, sizeof(statfs));
	submit_sizes(64, 64);
	cr_assert_eq(p9_here.said, 1, "the room is not free yet");
	while (pass())
		continue;
	cr_assert_eq(p9_here.said, 2);
	cr_assert_eq(get16(USED + 2), 1);
	cr_assert_eq(host_ram[REPLY + 4], 7);
	cr_assert_arr_eq(host_ram + REPLY + 5, statfs + 5, 2, "its tag");
	cr_assert_eq(host_ram[REPLY + 7], 9, "EBADF: the session is the old one, and has no fid");
}

/* The buffers of a request that waits become others. */
Test(virtio_9p, a_late_answer_has_room)
{
	p9_here.late = 1;
	memcpy(host_ram + DATA, version, sizeof(version));
	submit_sizes(64, 64);
	describe(1, HOST_RAM_BASE + REPLY, 20, WRITE);
	memset(host_ram + REPLY, 0x5a, 64);
	cr_assert(pass());
	cr_assert_eq(get(STATUS), READY | NEEDS_RESET);
	for (unsigned int i = 0; i < 64; i++)
		cr_assert_eq(host_ram[REPLY + i], 0x5a);
}

/* Every message is answered, with an error. */
Test(virtio_9p, a_server_may_be_gone)
{
	static const uint8_t *const messages[] = {version, statfs};

	p9_here.gone = true;
	for (unsigned int i = 0; i < 2; i++) {
		memcpy(host_ram + DATA, messages[i], messages[i][0]);
		submit_sizes(64, 64);
		cr_assert_eq(get16(USED + 2), i + 1);
		cr_assert_eq(get16(USED + 8 + 8 * i), P9_ERROR);
		cr_assert_eq(host_ram[REPLY + 4], 7);
		cr_assert_arr_eq(host_ram + REPLY + 5, messages[i] + 5, 2, "its tag");
		cr_assert_eq(host_ram[REPLY + 7], EIO);
	}
	cr_assert_eq(folder->counts.failed, 2);
	cr_assert_eq(get(STATUS), READY);
}
