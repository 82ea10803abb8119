/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net: a network card of virtio's (virtio 1.2, 5.1) and its router, which is asked for
 * its address by ARP again and again. In between there are frames that no sane guest sends. With
 * the boot argument lose=1 somebody ends the other end meanwhile: the card has to say so.
 */
#include "arch.h"
#include "boot.h"
#include "fdt.h"
#include "platform.h"
#include "string.h"
#include "tap.h"

#define ID_NET 1u

#define R_MAGIC	    0x000
#define R_DEVICE    0x008
#define R_FEATURES  0x010
#define R_FEAT_SEL  0x014
#define R_DRIVER    0x020
#define R_DRV_SEL   0x024
#define R_QSEL	    0x030
#define R_QNUM	    0x038
#define R_QREADY    0x044
#define R_NOTIFY    0x050
#define R_INTERRUPT 0x060
#define R_ACK	    0x064
#define R_STATUS    0x070
#define R_DESC	    0x080
#define R_AVAIL	    0x090
#define R_USED	    0x0a0
#define R_GENERATE  0x0fc
#define R_LINK	    0x106

#define F_LINK (1u << 16)

#define RECEIVE	 0u
#define TRANSMIT 1u
#define QUEUE	 8u
#define HEADER	 12u
#define ROOM	 (HEADER + 1514u)
#define PATIENCE 2000000u /* looks at a ring */

struct queue {
	struct {
		uint64_t address;
		uint32_t size;
		uint16_t flags, next;
	} desc[QUEUE];
	uint16_t avail_flags, avail_index, avail[QUEUE];
	uint32_t pad;
	uint16_t used_flags, used_index;
	struct {
		uint32_t id, size;
	} used[QUEUE];
	uint8_t buffer[ROOM];
};

static volatile uint8_t *base;
static volatile struct queue *queues[2];

static uint32_t get(uint64_t at)
{
	return *(volatile uint32_t *)(base + at);
}

static void set(uint64_t at, uint32_t value)
{
	__asm__ volatile("dsb sy" ::: "memory");
	*(volatile uint32_t *)(base + at) = value;
	__asm__ volatile("dsb sy" ::: "memory");
}

static bool link_is_up(void)
{
	return *(volatile uint16_t *)(base + R_LINK) & 1;
}

static bool find(void)
{
	struct fdt_node node = {0};
	uint64_t at, size;

	while (!base && fdt_next_compatible(&node, "virtio,mmio")) {
		if (!fdt_reg(&node, 0, &at, &size))
			continue;
		base = (volatile uint8_t *)device_map(at, size);
		if (get(R_MAGIC) != 0x74726976 || get(R_DEVICE) != ID_NET)
			base = NULL;
	}
	return base != NULL;
}

static const char *needs_card(void)
{
	return find() ? NULL : "the machine has no network card";
}

static const char *needs_loss(void)
{
	return needs_too(needs_card(), bootarg("lose", 0) != 0, "nobody ends the other end");
}

/* The ring's next request: the queue's one buffer. */
static void give(uint32_t number, uint32_t size)
{
	volatile struct queue *queue = queues[number];

	queue->desc[0].address = mmu_translate((uintptr_t)queue->buffer);
	queue->desc[0].size = size;
	queue->desc[0].flags = number == RECEIVE ? 2 : 0;
	queue->avail[queue->avail_index % QUEUE] = 0;
	__asm__ volatile("dmb sy" ::: "memory");
	queue->avail_index++;
	set(R_NOTIFY, number);
}

static void start(void)
{
	set(R_STATUS, 0);
	set(R_STATUS, 3);
	set(R_DRV_SEL, 0);
	set(R_DRIVER, F_LINK);
	set(R_DRV_SEL, 1);
	set(R_DRIVER, 1);
	set(R_STATUS, 11);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t pa;

		if (!queues[i])
			queues[i] = data_alloc(1);
		memset((void *)queues[i], 0, sizeof(*queues[i]));
		pa = mmu_translate((uintptr_t)queues[i]);
		set(R_QSEL, i);
		set(R_QNUM, QUEUE);
		set(R_DESC, (uint32_t)pa);
		set(R_DESC + 4, (uint32_t)(pa >> 32));
		set(R_AVAIL, (uint32_t)(pa + offsetof(struct queue, avail_flags)));
		set(R_AVAIL + 4, (uint32_t)(pa >> 32));
		set(R_USED, (uint32_t)(pa + offsetof(struct queue, used_flags)));
		set(R_USED + 4, (uint32_t)(pa >> 32));
		set(R_QREADY, 1);
	}
	set(R_STATUS, 15);
	give(RECEIVE, ROOM);
}

/* What follows the addresses of a frame. It is sent before the notification returns, or later. */
static bool send(const uint8_t *bytes, uint32_t size)
{
	static const uint8_t addresses[] = {0x52, 0x55, 10, 0,	  2,	2,
					    0x52, 0x54, 0,  0x12, 0x34, 0x56};
	volatile struct queue *queue = queues[TRANSMIT];
	const uint16_t before = queue->used_index;

	for (uint32_t i = 0; i < HEADER; i++)
		queue->buffer[i] = 0;
	for (uint32_t i = 0; i < sizeof(addresses); i++)
		queue->buffer[HEADER + i] = addresses[i];
	for (uint32_t i = 0; i < 100; i++)
		queue->buffer[HEADER + sizeof(addresses) + i] = i < size ? bytes[i] : 0;
	give(TRANSMIT, HEADER + sizeof(addresses) + (size < 48 ? 48 : size));
	for (uint32_t i = 0; i < PATIENCE; i++)
		if (queue->used_index != before)
			return true;
	return false;
}

/* Who has 10.0.2.2? Has it been said within the time? */
static bool ask(uint32_t patience)
{
	static const uint8_t arp[] = {8,    6,	0, 1, 8,  0, 6, 4, 0, 1, 0x52, 0x54, 0, 0x12, 0x34,
				      0x56, 10, 0, 2, 15, 0, 0, 0, 0, 0, 0,    10,   0, 2,    2};
	volatile struct queue *queue = queues[RECEIVE];
	const uint16_t before = queue->used_index;

	if (!send(arp, sizeof(arp)))
		return false;
	for (uint32_t i = 0; i < patience; i++) {
		if (queue->used_index == before)
			continue;
		give(RECEIVE, ROOM);
		return true;
	}
	return false;
}

static void link_up(void)
{
	set(R_FEAT_SEL, 0);
	CHECK(get(R_FEATURES) & F_LINK, "features 0x%x", get(R_FEATURES));
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

/* The checksum of IPv4's header, or it would go no further anyway. */
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

/* Each of its bytes is as of a datagram to the router, but for two. */
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
	generation = get(R_GENERATE);
	while (link_is_up())
		(void)ask(1000);
	CHECK(get(R_GENERATE) != generation, "ConfigGeneration is still %u", generation);
	CHECK(get(R_INTERRUPT) & 2, "InterruptStatus 0x%x", get(R_INTERRUPT));
	set(R_ACK, 3);
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
