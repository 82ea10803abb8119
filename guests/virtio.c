/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio: the devices of the device tree that are virtio's over MMIO, version 2 (virtio 1.2, 4.2).
 * ACPI has them only in AML, which the guests do not interpret. A disk of at least 8 sectors is
 * read and, if possible, written, in sectors 2 to 5.
 *
 * Boot arguments: with "input=1" a console gets "by virtio"; with "rounds=N" the disk is written
 * and read so many times. With "endless=ID" there are no tests: a device of that number gets the
 * largest possible requests until the host ends the guest, which needs 640 MiB of RAM.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "fdt.h"
#include "gic.h"
#include "platform.h"
#include "tap.h"
#include "virtio_mmio.h"

#define ID_BLOCK   2u
#define ID_CONSOLE 3u
#define ID_ENTROPY 4u

#define S_FEATURES_OK 8u
#define S_NEEDS_RESET 64u

#define F_RO (1u << 5)

#define QUEUES 2u /* of a device: those that are used */
#define SECTOR 512u

/* Each request has a separate page. */
struct request {
	uint32_t type, reserved;
	uint64_t sector;
	uint8_t data[4 * SECTOR];
	uint8_t status;
};

static struct {
	volatile struct virtio_queue *queue;
	uint64_t pa;
} queues[QUEUES];
static volatile struct virtio_queue *queue; /* that is used now */
static volatile struct request *request;
static uint64_t queue_pa, request_pa;
static uint32_t queue_number;

static const char *needs_disk(void)
{
	return virtio_find(ID_BLOCK) ? NULL : "the machine has no disk";
}

static const char *needs_console(void)
{
	return virtio_find(ID_CONSOLE) ? NULL : "the machine has no virtio console";
}

static const char *needs_entropy(void)
{
	return virtio_find(ID_ENTROPY) ? NULL : "the machine has no source of numbers";
}

static const char *needs_writable_disk(void)
{
	if (!virtio_find(ID_BLOCK))
		return "the machine has no disk";
	return virtio_features() & F_RO ? "the disk is read-only" : NULL;
}

static const char *needs_read_only_disk(void)
{
	if (!virtio_find(ID_BLOCK))
		return "the machine has no disk";
	return virtio_features() & F_RO ? NULL : "the disk is not read-only";
}

static void choose(uint32_t number)
{
	queue_number = number;
	queue = queues[number].queue;
	queue_pa = queues[number].pa;
}

/* Set up the queue that is chosen. */
static bool start_queue(void)
{
	queue->avail_index = queue->used_index = queue->avail_flags = 0;
	virtio_set(R_QSEL, queue_number);
	if (!CHECK(virtio_get(R_QMAX) >= QUEUE && virtio_get(R_QREADY) == 0, "no queue"))
		return false;
	virtio_place(queue_number, queue_pa);
	return CHECK(virtio_get(R_QREADY) == 1, "queue %u is not ready", queue_number);
}

/*
 * Reset the device and make it ready, with the features that it has of wanted and VERSION_1, and
 * that many queues. The first queue is chosen.
 */
static bool start_queues(uint32_t wanted, uint32_t count)
{
	for (uint32_t i = 0; i < QUEUES && !queues[i].queue; i++) {
		queues[i].queue = data_alloc(1);
		queues[i].pa = mmu_translate((uintptr_t)queues[i].queue);
	}
	if (!request) {
		request = data_alloc(1);
		request_pa = mmu_translate((uintptr_t)request);
	}
	virtio_begin(virtio_features() & wanted);
	if (!CHECK(virtio_get(R_STATUS) == 11, "status 0x%x", virtio_get(R_STATUS)))
		return false;
	while (count-- > 0) {
		choose(count);
		if (!start_queue())
			return false;
	}
	virtio_set(R_STATUS, S_READY);
	return CHECK(virtio_get(R_STATUS) == S_READY, "not ready");
}

static bool start(uint32_t wanted)
{
	return start_queues(wanted, 1);
}

static void describe(unsigned int n, uint64_t address, uint32_t size, unsigned int flags)
{
	queue->desc[n].address = address;
	queue->desc[n].size = size;
	queue->desc[n].flags = (uint16_t)flags;
	queue->desc[n].next = (uint16_t)(n + 1);
}

/* Give descriptor 0 and wait: how many bytes were written, or -1. */
static int64_t submit(void)
{
	const uint16_t before = queue->used_index;

	virtio_give(queue, queue_number);
	for (unsigned int i = 0; i < 10000000; i++) {
		if (queue->used_index != before)
			return queue->used[before % QUEUE].size;
		if (virtio_get(R_STATUS) & S_NEEDS_RESET)
			return -1;
	}
	return -1;
}

/* Transfer sectors at sector, in two parts of data. */
static int64_t transfer(uint32_t type, uint64_t sector, uint32_t sectors)
{
	const uint64_t data = request_pa + offsetof(struct request, data);
	const unsigned int write = type == 0 ? D_WRITE : 0;

	request->type = type;
	request->sector = sector;
	request->status = 0xff;
	describe(0, request_pa, 16, D_NEXT);
	describe(1, data, 100, D_NEXT | write);
	describe(2, data + 100, sectors * SECTOR - 100, D_NEXT | write);
	describe(3, request_pa + offsetof(struct request, status), 1, D_WRITE);
	return submit();
}

static void read_and_interrupt(void)
{
	int64_t size;

	if (!start(0))
		return;
	size = transfer(0, 0, 2);
	CHECK(size == 2 * SECTOR + 1, "%ld bytes were written", size);
	CHECK(request->status == 0, "status %u", request->status);
	CHECK(virtio_get(R_INTERRUPT) == 1, "InterruptStatus 0x%x", virtio_get(R_INTERRUPT));
	virtio_set(R_ACK, 1);
	CHECK(virtio_get(R_INTERRUPT) == 0, "InterruptStatus 0x%x after its end",
	      virtio_get(R_INTERRUPT));
	queue->avail_flags = 1;
	(void)transfer(0, 0, 1);
	CHECK(virtio_get(R_INTERRUPT) == 0, "an interrupt that was not wanted");
}

/* Not the same in two rounds. */
static uint8_t pattern(uint64_t round, unsigned int i)
{
	return (uint8_t)(i * 7 + i / 256 + round);
}

static bool write_and_read_round(uint64_t round)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 4 * SECTOR; i++)
		request->data[i] = pattern(round, i);
	CHECK(transfer(1, 2, 4) == 1 && request->status == 0, "status %u", request->status);
	CHECK(transfer(4, 0, 1) == 1 && request->status == 0, "flush: %u", request->status);
	for (unsigned int i = 0; i < 4 * SECTOR; i++)
		request->data[i] = 0;
	CHECK(transfer(0, 2, 4) == 4 * SECTOR + 1 && request->status == 0, "status %u",
	      request->status);
	for (unsigned int i = 0; i < 4 * SECTOR; i++)
		wrong += request->data[i] != pattern(round, i);
	return CHECK(wrong == 0, "%u bytes are not what was written", wrong);
}

static void write_and_read(void)
{
	const uint64_t rounds = bootarg("rounds", 1);

	if (!start(1u << 9))
		return;
	for (uint64_t round = 0; round < rounds && write_and_read_round(round); round++)
		continue;
}

static void no_write_when_read_only(void)
{
	if (start(0))
		CHECK(transfer(1, 2, 1) == 1 && request->status == 1, "status %u", request->status);
}

static void behind_the_end(void)
{
	uint64_t capacity;

	if (!start(0))
		return;
	capacity = virtio_get(R_CONFIG) | (uint64_t)virtio_get(R_CONFIG + 4) << 32;
	CHECK(transfer(0, capacity - 1, 1) == SECTOR + 1 && request->status == 0,
	      "the last sector: status %u", request->status);
	/* The device may say any number of written bytes. */
	CHECK(transfer(0, capacity - 1, 2) > 0 && request->status == 1, "one more: status %u",
	      request->status);
	CHECK(transfer(0, UINT64_MAX, 1) > 0 && request->status == 1, "far behind: status %u",
	      request->status);
	CHECK(transfer(0x77, 0, 1) > 0 && request->status == 2, "no such request: status %u",
	      request->status);
}

/* Each needs a reset, and after it the disk works. */
static void broken_chains(void)
{
	static const char *const names[] = {"a loop", "a table in a table",
					    "to be read behind to be written", "no status"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!start(0))
			return;
		describe(0, request_pa, 16, D_NEXT);
		describe(1, request_pa + 16, SECTOR, D_NEXT | D_WRITE);
		describe(2, request_pa + offsetof(struct request, status), 1, D_WRITE);
		switch (i) {
		case 0:
			queue->desc[2].flags |= D_NEXT;
			queue->desc[2].next = 1;
			break;
		case 1:
			describe(0, queue_pa + 16, 16, D_INDIRECT);
			describe(1, queue_pa, 16, D_INDIRECT);
			break;
		case 2: queue->desc[2].flags = 0; break;
		default: queue->desc[0].flags = 0; break;
		}
		CHECK(submit() == -1, "%s: used index %u", names[i], queue->used_index);
		CHECK(virtio_get(R_STATUS) & S_NEEDS_RESET && virtio_get(R_INTERRUPT) & 2,
		      "%s: status 0x%x", names[i], virtio_get(R_STATUS));
	}
	if (start(0))
		CHECK(transfer(0, 0, 1) == SECTOR + 1, "no more after the resets");
}

static void numbers(void)
{
	uint64_t first, second;

	if (!start(0))
		return;
	describe(0, request_pa + offsetof(struct request, data), 16, D_WRITE);
	CHECK(submit() == 16, "not all numbers came");
	first = *(volatile uint64_t *)request->data;
	CHECK(submit() == 16, "not all numbers came");
	second = *(volatile uint64_t *)request->data;
	CHECK(first != second && first && second, "0x%lx and 0x%lx", first, second);
}

/* Output is on the console; input fills one buffer after the other. */
static void console(void)
{
	static const char line[] = "# by virtio\n", input[] = "by virtio";
	uint64_t data;

	if (!start_queues(0, 2))
		return;
	data = request_pa + offsetof(struct request, data);
	choose(1);
	for (unsigned int i = 0; i < sizeof(line); i++)
		request->data[i] = (uint8_t)line[i];
	describe(0, data, 3, D_NEXT);
	describe(1, data + 3, sizeof(line) - 1 - 3, 0);
	CHECK(submit() == 0, "it is not written");
	if (!bootarg("input", 0))
		return;
	choose(0);
	describe(0, data, 4, D_WRITE);
	CHECK(submit() == 4, "no input");
	describe(0, data + 4, 100, D_WRITE);
	CHECK(submit() == sizeof(input) - 1 - 4, "no more input");
	for (unsigned int i = 0; i < sizeof(input) - 1; i++)
		CHECK(request->data[i] == (uint8_t)input[i], "byte %u is 0x%x", i,
		      request->data[i]);
}

static const struct test tests[] = {
	{"a read, and its interrupt", read_and_interrupt, needs_disk},
	{"what was written is read", write_and_read, needs_writable_disk},
	{"a read-only disk refuses a write", no_write_when_read_only, needs_read_only_disk},
	{"behind the end, and no such request", behind_the_end, needs_disk},
	{"broken chains need a reset", broken_chains, needs_disk},
	{"random numbers", numbers, needs_entropy},
	{"a console writes and reads", console, needs_console},
};

#define LARGE_PARTS 127u /* of 8 MiB: a disk's request is 1 GiB at most */
#define LARGE_PART  (8u << 20)
#define LARGE_TO    (512u << 20) /* after the image, whose size is less */

/* The whole table, which is one request: what its device reads, then what it writes. */
static uint32_t describe_largest(uint32_t id)
{
	struct descriptor {
		uint64_t address;
		uint32_t size;
		uint16_t flags, next;
	} volatile *table = (volatile struct descriptor *)request;
	const uint64_t to = (queue_pa & ~(uint64_t)(LARGE_TO - 1)) + LARGE_TO;
	const uint16_t write = id == ID_CONSOLE ? 0 : D_WRITE;
	const uint32_t parts = id == ID_CONSOLE ? 1 : LARGE_PARTS;
	uint32_t n = 0;

	/* After both rings: a read of sector 0, and its status. */
	if (id == ID_BLOCK)
		table[n++] = (struct descriptor){queue_pa + 2048, 16, D_NEXT, 1};
	for (uint32_t i = 0; i < parts; i++, n++)
		table[n] = (struct descriptor){to, id == ID_CONSOLE ? 1u << 16 : LARGE_PART,
					       (uint16_t)(write | D_NEXT), (uint16_t)(n + 1)};
	if (id == ID_BLOCK)
		table[n - 1] = (struct descriptor){queue_pa + 2064, 1, D_WRITE, 0};
	table[n - 1].flags &= (uint16_t)~D_NEXT;
	return 16 * n;
}

static void endless(uint32_t id)
{
	uint32_t size;

	if (!virtio_find(id) || !start_queues(0, id == ID_CONSOLE ? 2 : 1))
		return;
	choose(id == ID_CONSOLE ? 1 : 0);
	size = describe_largest(id);
	for (uint32_t i = 0; i < QUEUE; i++) {
		describe(i, request_pa, size, D_INDIRECT);
		queue->avail[i] = (uint16_t)i;
	}
	while (CHECK(virtio_get(R_STATUS) == S_READY, "status 0x%x", virtio_get(R_STATUS))) {
		__asm__ volatile("dmb sy" ::: "memory");
		queue->avail_index = (uint16_t)(queue->avail_index + QUEUE);
		virtio_set(R_NOTIFY, queue_number);
		while (queue->used_index != queue->avail_index && virtio_get(R_STATUS) == S_READY)
			continue;
	}
}

void guest_main(void)
{
	const uint64_t id = bootarg("endless", 0);

	if (id != 0) {
		endless((uint32_t)id);
		return;
	}
	tap_run("virtio", tests, sizeof(tests) / sizeof(tests[0]));
}
