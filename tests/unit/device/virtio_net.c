/* SPDX-License-Identifier: BSD-2-Clause */
/* The network card: frames both ways, waiting frames, and a driver that breaks the rules. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "virtio_fixture.h"

#define QUEUE_SEL 0x030
#define NOTIFY	  0x050
#define ACK	  0x064
#define CONFIG	  0x100

#define RECEIVE	 0
#define TRANSMIT 1

#define NEXT	 1
#define WRITE	 2
#define INDIRECT 4

/* A queue has a page: its descriptors, the available ring, the used ring. Data follow. */
#define PAGE  0x1000
#define AVAIL 0x400
#define USED  0x800
#define DATA  0x2000

#define HEADER 12
#define ROOM   (HEADER + VIRTIO_NET_FRAME)
#define LEAST  14

/* The other end of the cable. */
static uint8_t sent[2048];
static size_t sent_size, sent_count;
static const char *answer; /* to each frame, at once; NULL: none */
static struct virtio_device *card;

static void receive(const char *text)
{
	uint8_t frame[64] = {0};

	memcpy(frame, text, strlen(text));
	cr_assert(virtio_net_receive(card, frame, sizeof(frame)));
}

static void send_frame(void *ctx, const uint8_t *frame, size_t size)
{
	cr_assert_eq(ctx, sent);
	memcpy(sent, frame, size);
	sent_size = size;
	sent_count++;
	if (answer)
		receive(answer);
}

static struct virtio_link cable;

static void start_queue(uint32_t queue)
{
	const uint32_t page = (uint32_t)HOST_RAM_BASE + PAGE * queue;

	set(QUEUE_SEL, queue);
	set(0x38, 8);
	set(0x80, page);
	set(0x90, page + AVAIL);
	set(0xa0, page + USED);
	set(0x44, 1);
	cr_assert_eq(get(0x44), 1);
}

static void start(void)
{
	set(STATUS, 0);
	memset(host_ram, 0, HOST_RAM);
	set(0x24, 1);
	set(0x20, 1);
	set(0x24, 0);
	set(0x20, 1 << 5);
	set(STATUS, 11);
	start_queue(RECEIVE);
	start_queue(TRANSMIT);
	set(STATUS, READY);
	cr_assert_eq(get(STATUS), READY);
}

static void open_card(void)
{
	static const uint8_t mac[VIRTIO_NET_MAC] = {0x52, 0x54, 0, 1, 2, 3};

	cable = (struct virtio_link){.ctx = sent, .send = send_frame};
	answer = NULL;
	sent_size = sent_count = 0;
	card = host_config.virtio[0] = virtio_net_make(mac, &cable);
	cr_assert_not_null(card);
	transport = make_device(&device_virtio_mmio, 1);
	start();
}

static void close_card(void)
{
	device_free(transport);
	free(card);
	host_config.virtio[0] = NULL;
}

static void describe(uint64_t at, uint64_t address, uint32_t size, uint16_t flags, uint16_t next)
{
	memcpy(host_ram + at, &address, sizeof(address));
	memcpy(host_ram + at + 8, &size, sizeof(size));
	put16(at + 12, flags);
	put16(at + 14, next);
}

/* Submit descriptor head of a queue as a request. */
static void submit(uint32_t queue, uint16_t head)
{
	const uint64_t available = PAGE * queue + AVAIL;
	const uint16_t index = get16(available + 2);

	put16(available + 4 + 2 * (index % 8), head);
	put16(available + 2, (uint16_t)(index + 1));
	set(NOTIFY, queue);
}

/* Submit a request of one part, from DATA on. */
static void submit_part(uint32_t queue, uint64_t offset, uint32_t size)
{
	const uint16_t n = get16(PAGE * queue + AVAIL + 2) % 8;

	describe(PAGE * queue + UINT64_C(16) * n, HOST_RAM_BASE + DATA + offset, size,
		 queue == RECEIVE ? WRITE : 0, 0);
	submit(queue, n);
}

static uint16_t used(uint32_t queue)
{
	return get16(PAGE * queue + USED + 2);
}

static uint16_t used_size(uint32_t queue, unsigned int n)
{
	return get16(PAGE * queue + USED + 8 + 8 * n);
}

TestSuite(virtio_net, .init = open_card, .fini = close_card);

Test(virtio_net, it_has_two_queues_and_an_address)
{
	static const uint8_t mac[VIRTIO_NET_MAC] = {0x52, 0x54, 0, 1, 2, 3};

	cr_assert_eq(get(0x008), 1);
	set(0x014, 0);
	cr_assert_eq(get(0x010), 1u << 5 | 1u << 16 | 1u << 28,
		     "an address, a link, indirect descriptors, no offloads");
	for (unsigned int i = 0; i < VIRTIO_NET_MAC; i++)
		cr_assert_eq(window_get(transport, CONFIG + i, 1), mac[i]);
	set(QUEUE_SEL, 2);
	cr_assert_eq(get(0x034), 0);
}

Test(virtio_net, a_frame_is_sent_without_its_header)
{
	memset(host_ram + DATA, 0, HEADER);
	memcpy(host_ram + DATA + HEADER, "frame of 16 byte", 16);
	submit_part(TRANSMIT, 0, HEADER + 16);
	cr_assert_eq(sent_size, 16);
	cr_assert_arr_eq(sent, "frame of 16 byte", 16);
	cr_assert_eq(used(TRANSMIT), 1);
	cr_assert_eq(used_size(TRANSMIT, 0), 0);
	cr_assert_eq(used(RECEIVE), 0);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(card->counts.bytes_written, 16);
}

/* Three parts of a request to send, in descending order in memory, as one frame of 20 bytes. */
static void submit_parts(const uint32_t sizes[3], uint64_t table, uint16_t flags)
{
	uint8_t bytes[HEADER + 20] = {0}, *from = bytes;

	memcpy(bytes + HEADER, "a frame of 20 bytes.", 20);
	for (uint16_t n = 0; n < 3; n++) {
		const uint64_t at = DATA + UINT64_C(0x100) * (2 - n);

		describe(table + UINT64_C(16) * n, HOST_RAM_BASE + at, sizes[n],
			 (uint16_t)(flags | (n < 2 ? NEXT : 0)), (uint16_t)(n + 1));
		memcpy(host_ram + at, from, sizes[n]);
		from += sizes[n];
	}
}

/* Parts may begin and end anywhere: the header may be in two, or in one with the frame. */
Test(virtio_net, parts_are_one_frame)
{
	static const uint32_t sizes[][3] = {{12, 14, 6}, {5, 7, 20}, {1, 30, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		sent_size = 0;
		submit_parts(sizes[i], PAGE, 0);
		submit(TRANSMIT, 0);
		cr_assert_eq(sent_size, 20, "row %zu", i);
		cr_assert_arr_eq(sent, "a frame of 20 bytes.", 20, "row %zu", i);
		/* The same from a separate table. */
		sent_size = 0;
		submit_parts(sizes[i], DATA + 0x400, 0);
		describe(PAGE + 48, HOST_RAM_BASE + DATA + 0x400, 48, INDIRECT, 0);
		submit(TRANSMIT, 3);
		cr_assert_eq(sent_size, 20, "row %zu", i);
		cr_assert_arr_eq(sent, "a frame of 20 bytes.", 20, "row %zu", i);
	}
}

Test(virtio_net, the_largest_frame_is_sent_and_the_smallest)
{
	submit_part(TRANSMIT, 0, HEADER + VIRTIO_NET_FRAME);
	cr_assert_eq(sent_size, VIRTIO_NET_FRAME);
	submit_part(TRANSMIT, 0, HEADER + VIRTIO_NET_FRAME + 4);
	cr_assert_eq(sent_size, VIRTIO_NET_FRAME + 4, "with the tag of a VLAN");
	submit_part(TRANSMIT, 0, HEADER + LEAST);
	cr_assert_eq(sent_size, LEAST);
	cr_assert_eq(get(STATUS), READY);
}

Test(virtio_net, a_frame_comes_behind_a_header)
{
	memset(host_ram + DATA, 0xff, ROOM);
	submit_part(RECEIVE, 0, ROOM);
	cr_assert_eq(used(RECEIVE), 0);
	receive("hello");
	cr_assert_eq(used(RECEIVE), 0, "until the machine looks");
	device_virtio_mmio.arrive(transport);
	cr_assert_eq(used(RECEIVE), 1);
	cr_assert_eq(used_size(RECEIVE, 0), HEADER + 64);
	cr_assert(host_line[0][INTID]);
	for (unsigned int i = 0; i < HEADER; i++)
		cr_assert_eq(host_ram[DATA + i], i == 10, "one buffer, and no offloads");
	cr_assert_str_eq((char *)host_ram + DATA + HEADER, "hello");
	cr_assert_eq(host_ram[DATA + HEADER + 64], 0xff, "nothing behind the frame");
	cr_assert_eq(card->counts.bytes_read, 64);
}

/* The buffer of a frame in parts, the first of which ends within the header. */
Test(virtio_net, a_frame_comes_into_parts)
{
	describe(0, HOST_RAM_BASE + DATA + 0x800, 10, NEXT | WRITE, 1);
	describe(16, HOST_RAM_BASE + DATA, 5, NEXT | WRITE, 2);
	describe(32, HOST_RAM_BASE + DATA + 0x100, ROOM - 15, WRITE, 0);
	submit(RECEIVE, 0);
	receive("hello");
	device_virtio_mmio.arrive(transport);
	cr_assert_eq(used_size(RECEIVE, 0), HEADER + 64);
	cr_assert_eq(host_ram[DATA], 1);
	cr_assert_arr_eq(host_ram + DATA + 2, "hel", 3);
	cr_assert_str_eq((char *)host_ram + DATA + 0x100, "lo");
}

Test(virtio_net, an_answer_comes_with_the_notification)
{
	answer = "answer";
	submit_part(RECEIVE, 0x400, ROOM);
	submit_part(TRANSMIT, 0, HEADER + 20);
	cr_assert_eq(used(TRANSMIT), 1);
	cr_assert_eq(used(RECEIVE), 1);
	cr_assert_str_eq((char *)host_ram + DATA + 0x400 + HEADER, "answer");
}

Test(virtio_net, frames_wait_for_buffers_in_their_order)
{
	static const char *const texts[] = {"one", "two", "three"};

	for (unsigned int i = 0; i < 3; i++)
		receive(texts[i]);
	for (unsigned int i = 0; i < 3; i++) {
		submit_part(RECEIVE, 0, ROOM);
		cr_assert_str_eq((char *)host_ram + DATA + HEADER, texts[i]);
	}
	submit_part(RECEIVE, 0, ROOM);
	cr_assert_eq(used(RECEIVE), 3);
}

/* Frames without room are lost, the newest first, and nothing else happens. */
Test(virtio_net, what_there_is_no_room_for_is_lost)
{
	uint8_t frame[VIRTIO_NET_FRAME + 1] = {0};
	unsigned int kept = 0;

	cr_assert_not(virtio_net_receive(card, frame, LEAST - 1));
	cr_assert_not(virtio_net_receive(card, frame, sizeof(frame)));
	cr_assert_eq(card->counts.failed, 2);
	while (virtio_net_receive(card, frame, VIRTIO_NET_FRAME))
		frame[0] = (uint8_t)++kept;
	cr_assert_geq(kept, 64);
	cr_assert_leq(kept, 256);
	cr_assert_eq(card->counts.failed, 3);
	for (unsigned int i = 0; i < kept; i++) {
		submit_part(RECEIVE, 0, ROOM);
		cr_assert_eq(host_ram[DATA + HEADER], (uint8_t)i);
	}
	cr_assert_eq(used(RECEIVE), kept);
	cr_assert(virtio_net_receive(card, frame, LEAST));
	device_reset(transport);
	start();
	submit_part(RECEIVE, 0, ROOM);
	cr_assert_eq(used(RECEIVE), 0, "a machine that starts anew has had no frames");
}

/* Frames may come from outside, and the driver would get an interrupt. */
Test(virtio_net, the_machine_waits_for_what_is_outside)
{
	cr_assert_not(device_virtio_mmio.waits(transport));
	cable.outside = true;
	cr_assert(device_virtio_mmio.waits(transport));
	put16(AVAIL, 1); /* no interrupts */
	cr_assert_not(device_virtio_mmio.waits(transport));
	put16(AVAIL, 0);
	set(STATUS, 0);
	cr_assert_not(device_virtio_mmio.waits(transport));
	device_virtio_mmio.arrive(transport);
	cr_assert_eq(used(RECEIVE), 0);
}

/* Its driver gets an interrupt; frames that were waiting are gone. */
Test(virtio_net, a_cable_that_is_pulled_out)
{
	const uint32_t generation = get(0x0fc);

	cable.outside = true;
	cr_assert_eq(window_get(transport, CONFIG + VIRTIO_NET_MAC, 2), 1);
	virtio_net_unplug(card);
	cr_assert_not(host_line[0][INTID], "until the machine looks");
	cr_assert(device_virtio_mmio.arrive(transport));
	cr_assert_eq(window_get(transport, CONFIG + VIRTIO_NET_MAC, 2), 0);
	cr_assert_neq(get(0x0fc), generation);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(get(0x060), 2, "for the configuration");
	set(ACK, 2);
	cr_assert_not(device_virtio_mmio.arrive(transport), "once");
	cr_assert_not(device_virtio_mmio.waits(transport));
	cr_assert_eq(card->counts.failed, 0);
	submit_part(TRANSMIT, 0, HEADER + LEAST);
	cr_assert_eq(used(TRANSMIT), 1, "what is sent is lost, and no error");
}

/* A driver that starts afterwards needs no interrupt. */
Test(virtio_net, a_cable_that_was_pulled_out_before)
{
	set(STATUS, 0);
	virtio_net_unplug(card);
	device_virtio_mmio.arrive(transport);
	start();
	cr_assert_eq(window_get(transport, CONFIG + VIRTIO_NET_MAC, 2), 0);
	cr_assert_not(host_line[0][INTID]);
}

/* If the other end checks, a frame that net_check() refuses is counted and goes nowhere. */
Test(virtio_net, what_is_refused_is_counted)
{
	cable.checked = true;
	memset(host_ram + DATA, 0, HEADER + 60);
	memcpy(host_ram + DATA + HEADER + 12, "\x08\x00\x45\0\0\x30\0\1\0\1\x40\x11", 12);
	submit_part(TRANSMIT, 0, HEADER + 60);
	cr_assert_eq(sent_count, 0);
	cr_assert_eq(used(TRANSMIT), 1);
	cr_assert_eq(card->counts.refused, 1);
	memcpy(host_ram + DATA + HEADER + 12, "\x86\xdd", 2);
	submit_part(TRANSMIT, 0, HEADER + 60);
	cr_assert_eq(sent_count, 0);
	cr_assert_eq(card->counts.refused, 1, "IPv6 is no fault of the guest's");
	cable.checked = false;
	submit_part(TRANSMIT, 0, HEADER + 60);
	cr_assert_eq(sent_count, 1);
}

/* Errors of a driver in its first request: nothing is sent, and the card needs a reset. */
Test(virtio_net, a_broken_request_needs_a_reset)
{
	static const struct {
		const char *what;
		uint32_t queue;
		uint64_t address;
		uint32_t size;
		uint16_t flags, next;
	} rows[] = {
		{"no frame", TRANSMIT, HOST_RAM_BASE + DATA, HEADER, 0, 0},
		{"less than Ethernet's header", TRANSMIT, HOST_RAM_BASE + DATA, HEADER + LEAST - 1,
		 0, 0},
		{"more than a frame", TRANSMIT, HOST_RAM_BASE + DATA, ROOM + 5, 0, 0},
		{"4 GiB", TRANSMIT, HOST_RAM_BASE + DATA, UINT32_MAX, 0, 0},
		{"a part to write", TRANSMIT, HOST_RAM_BASE + DATA, ROOM, WRITE, 0},
		{"nothing", TRANSMIT, HOST_RAM_BASE + DATA, 0, 0, 0},
		{"before RAM", TRANSMIT, HOST_RAM_BASE - 16, 64, 0, 0},
		{"beyond RAM", TRANSMIT, HOST_RAM_BASE + HOST_RAM - 63, 64, 0, 0},
		{"around the end of addresses", TRANSMIT, UINT64_MAX - 15, 64, 0, 0},
		{"a loop", TRANSMIT, HOST_RAM_BASE + DATA, 64, NEXT, 0},
		{"a table of itself", TRANSMIT, HOST_RAM_BASE + PAGE, 16, INDIRECT, 0},
		{"an empty table", TRANSMIT, HOST_RAM_BASE + DATA, 0, INDIRECT, 0},
		{"a table outside", TRANSMIT, HOST_RAM_BASE + HOST_RAM, 16, INDIRECT, 0},
		{"no descriptor", TRANSMIT, HOST_RAM_BASE + DATA, 64, NEXT, 8},
		{"too short for a frame", RECEIVE, HOST_RAM_BASE + DATA, ROOM - 1, WRITE, 0},
		{"a part to read", RECEIVE, HOST_RAM_BASE + DATA, ROOM, 0, 0},
		{"beyond RAM", RECEIVE, HOST_RAM_BASE + HOST_RAM - ROOM + 1, ROOM, WRITE, 0},
		{"a loop", RECEIVE, HOST_RAM_BASE + DATA, ROOM, NEXT | WRITE, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		start();
		receive("x");
		describe(PAGE * rows[i].queue, rows[i].address, rows[i].size, rows[i].flags,
			 rows[i].next);
		submit(rows[i].queue, 0);
		cr_assert_eq(get(STATUS), READY | NEEDS_RESET, "%s", rows[i].what);
		cr_assert_eq(sent_count, 0, "%s", rows[i].what);
		cr_assert_eq(used(RECEIVE), 0, "%s", rows[i].what);
		device_reset(transport);
	}
}

Test(virtio_net, an_offload_that_there_is_not_needs_a_reset)
{
	host_ram[DATA + 1] = 1; /* VIRTIO_NET_HDR_GSO_TCPV4 */
	submit_part(TRANSMIT, 0, HEADER + 64);
	cr_assert_eq(get(STATUS), READY | NEEDS_RESET);
	cr_assert_eq(sent_count, 0);
}

/* After a broken request both queues stop. */
Test(virtio_net, nothing_comes_to_one_that_needs_a_reset)
{
	submit_part(RECEIVE, 0, ROOM);
	submit_part(TRANSMIT, 0, 1);
	receive("x");
	device_virtio_mmio.arrive(transport);
	cr_assert_eq(used(RECEIVE), 0);
	cr_assert_eq(card->counts.broken, 1);
	start();
	submit_part(RECEIVE, 0, ROOM);
	cr_assert_eq(used(RECEIVE), 1);
}
