/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net: a virtio network card (virtio 1.2, 5.1). The guest requests its router's address by ARP
 * again and again, and sends frames in between that no sane guest sends. With the boot argument
 * lose=1 somebody ends the other end meanwhile, which the card must report.
 */
#include "arch.h"
#include "boot.h"
#include "platform.h"
#include "string.h"
#include "tap.h"
#include "virtio_mmio.h"

#define ID_NET 1u

#define R_LINK 0x106

#define F_LINK (1u << 16)

#define RECEIVE	 0u
#define TRANSMIT 1u
#define HEADER	 12u
#define ROOM	 (HEADER + 1514u)
#define PATIENCE 2000000u /* looks at a ring */

struct queue {
	struct virtio_queue ring;
	uint8_t buffer[ROOM];
};

static volatile struct queue *queues[2];

static bool link_is_up(void)
{
	return virtio_get16(R_LINK) & 1;
}

static const char *needs_card(void)
{
	return virtio_find(ID_NET) ? NULL : "the machine has no network card";
}

static const char *needs_loss(void)
{
	return needs_too(needs_card(), bootarg("lose", 0) != 0, "nobody ends the other end");
}

/* The ring's next request: the queue's one buffer. */
static void give(uint32_t number, uint32_t size)
{
	volatile struct queue *queue = queues[number];

	queue->ring.desc[0].address = mmu_translate((uintptr_t)queue->buffer);
	queue->ring.desc[0].size = size;
	queue->ring.desc[0].flags = number == RECEIVE ? D_WRITE : 0;
	virtio_give(&queue->ring, number);
}

static void start(void)
{
	virtio_begin(F_LINK);
	for (uint32_t i = 0; i < 2; i++) {
		if (!queues[i])
			queues[i] = data_alloc(1);
		memset((void *)queues[i], 0, sizeof(*queues[i]));
		virtio_place(i, mmu_translate((uintptr_t)queues[i]));
	}
	virtio_set(R_STATUS, S_READY);
	give(RECEIVE, ROOM);
}

/*
 * Sends a frame with these bytes after its addresses. It leaves before the notification returns, or
 * later.
 */
static bool send(const uint8_t *bytes, uint32_t size)
{
	static const uint8_t addresses[] = {0x52, 0x55, 10, 0,	  2,	2,
					    0x52, 0x54, 0,  0x12, 0x34, 0x56};
	volatile struct queue *queue = queues[TRANSMIT];
	const uint16_t before = queue->ring.used_index;

	for (uint32_t i = 0; i < HEADER; i++)
		queue->buffer[i] = 0;
	for (uint32_t i = 0; i < sizeof(addresses); i++)
		queue->buffer[HEADER + i] = addresses[i];
	for (uint32_t i = 0; i < 100; i++)
		queue->buffer[HEADER + sizeof(addresses) + i] = i < size ? bytes[i] : 0;
	give(TRANSMIT, HEADER + sizeof(addresses) + (size < 48 ? 48 : size));
	for (uint32_t i = 0; i < PATIENCE; i++)
		if (queue->ring.used_index != before)
			return true;
	return false;
}

/* Ask who has 10.0.2.2. True if the answer comes within the time. */
static bool ask(uint32_t patience)
{
	static const uint8_t arp[] = {8,    6,	0, 1, 8,  0, 6, 4, 0, 1, 0x52, 0x54, 0, 0x12, 0x34,
				      0x56, 10, 0, 2, 15, 0, 0, 0, 0, 0, 0,    10,   0, 2,    2};
	volatile struct queue *queue = queues[RECEIVE];
	const uint16_t before = queue->ring.used_index;

	if (!send(arp, sizeof(arp)))
		return false;
	for (uint32_t i = 0; i < patience; i++) {
		if (queue->ring.used_index == before)
			continue;
		give(RECEIVE, ROOM);
		return true;
	}
	return false;
}

static void link_up(void)
{
	CHECK(virtio_features() & F_LINK, "features 0x%x", virtio_features());
	start();
	CHECK(link_is_up(), "no link");
}

static void router(void)
{
	start();
	for (unsigned int i = 0; i < 20; i++)
		if (!CHECK(ask(PATIENCE), "no answer to number %u", i))
			return;
}

/* Set the checksum of IPv4's header: a frame without it would be dropped at once. */
static void add_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < (ip[0] & 15u) * 4; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	ip[10] = (uint8_t)(~sum >> 8);
	ip[11] = (uint8_t)~sum;
}

/* Each byte is as in a datagram to the router, except two. */
static void hostile_frames(void)
{
	static const struct {
		const char *what;
		uint8_t at, value, other_at, other_value;
	} rows[] = {
		{"a last fragment alone", 7, 1, 3, 84},
		{"a first one alone", 6, 0x20, 3, 84},
		{"one far behind", 6, 0x1f, 7, 0xff},
		{"longer than its frame", 2, 5, 3, 0},
		{"options of nothing", 0, 0x4f, 3, 84},
		{"shorter than its header", 3, 19, 9, 17},
		{"urgent data", 9, 6, 33, 0x3a},
		{"a datagram of 0 bytes", 24, 0, 25, 0},
		{"a segment without its header", 9, 6, 3, 39},
		{"no protocol", 9, 0xff, 7, 0},
	};

	start();
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[100] = {8,  0, 0x45, 0,  0,  84, 0, 1, 0, 0, 64, 17, 0, 0,
				      10, 0, 2,	   15, 10, 0,  2, 2, 0, 9, 0,  9,  0, 64};

		bytes[2 + 32] = 0x50; /* of a segment: its header has 20 bytes */
		bytes[2 + rows[i].at] = rows[i].value;
		bytes[2 + rows[i].other_at] = rows[i].other_value;
		add_checksum(bytes + 2);
		for (unsigned int n = 0; n < 3; n++)
			(void)send(bytes, 86);
		if (!CHECK(ask(PATIENCE), "%s: the router is silent after it", rows[i].what))
			return;
	}
}

static void loss(void)
{
	uint32_t generation;

	start();
	generation = virtio_get(R_GENERATE);
	while (link_is_up())
		(void)ask(1000);
	CHECK(virtio_get(R_GENERATE) != generation, "ConfigGeneration is still %u", generation);
	CHECK(virtio_get(R_INTERRUPT) & 2, "InterruptStatus 0x%x", virtio_get(R_INTERRUPT));
	virtio_set(R_ACK, 3);
	CHECK(!ask(1000), "an answer without a link");
	start();
	CHECK(!link_is_up(), "a link after a reset");
	CHECK(!ask(1000), "an answer without a link after a reset");
}

static const struct test tests[] = {
	{"the card has a link", link_up, needs_card},
	{"the router answers", router, needs_card},
	{"it does so behind frames that are none", hostile_frames, needs_card},
	{"a link that is lost is told", loss, needs_loss},
};

void guest_main(void)
{
	tap_run("net", tests, sizeof(tests) / sizeof(tests[0]));
}
