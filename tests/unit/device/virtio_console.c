/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtio console: two queues, output, and input that waits for a buffer, or a buffer for it. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "virtio_fixture.h"

#define QUEUE_SEL 0x030
#define QUEUE_MAX 0x034
#define NOTIFY	  0x050
#define ACK	  0x064

#define RECEIVE	 0
#define TRANSMIT 1

/* A queue has a page: its descriptors, the available ring, the used ring, and 1 KiB of data. */
#define PAGE  0x1000
#define AVAIL 0x400
#define USED  0x800
#define DATA  0xc00

static const struct device_console *ops;

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
	set(STATUS, 11);
	start_queue(RECEIVE);
	start_queue(TRANSMIT);
	set(STATUS, READY);
	cr_assert_eq(get(STATUS), READY);
}

static void open_console(void)
{
	host_config.virtio[0] = virtio_console_make();
	cr_assert_not_null(host_config.virtio[0]);
	transport = make_device(&device_virtio_mmio, 1);
	ops = transport->type->console;
}

static void close_console(void)
{
	device_free(transport);
	free(host_config.virtio[0]);
	host_config.virtio[0] = NULL;
}

/* A request with one part of size bytes at offset of its queue's page. */
static void submit(uint32_t queue, uint64_t offset, uint32_t size)
{
	const uint64_t page = PAGE * queue, address = HOST_RAM_BASE + page + offset;
	const uint16_t index = get16(page + AVAIL + 2), n = index % 8;

	memcpy(host_ram + page + 16 * n, &address, sizeof(address));
	memcpy(host_ram + page + 16 * n + 8, &size, sizeof(size));
	put16(page + 16 * n + 12, queue == RECEIVE ? 2 : 0);
	put16(page + AVAIL + 4 + 2 * n, n);
	put16(page + AVAIL + 2, (uint16_t)(index + 1));
	set(NOTIFY, queue);
}

static uint16_t used(uint32_t queue)
{
	return get16(PAGE * queue + USED + 2);
}

static void type(const char *text)
{
	ops->receive(transport, (const uint8_t *)text, strlen(text));
}

TestSuite(virtio_console, .init = open_console, .fini = close_console);

Test(virtio_console, it_has_two_queues)
{
	cr_assert_eq(get(0x008), 3);
	for (uint32_t queue = 0; queue < 2; queue++) {
		set(QUEUE_SEL, queue);
		cr_assert_eq(get(QUEUE_MAX), VIRTIO_QUEUE_MAX);
	}
	set(QUEUE_SEL, 2);
	cr_assert_eq(get(QUEUE_MAX), 0);
	set(0x38, 8);
	set(0x44, 1);
	cr_assert_eq(get(0x44), 0);
	start();
	set(NOTIFY, 2);
	cr_assert_eq(get(STATUS), READY);
}

Test(virtio_console, what_is_written_is_sent)
{
	start();
	memcpy(host_ram + PAGE + DATA, "hello", sizeof("hello"));
	submit(TRANSMIT, DATA, 5);
	cr_assert_eq(host_sent_count, 5);
	cr_assert_arr_eq(host_sent, "hello", 5);
	cr_assert_eq(used(TRANSMIT), 1);
	cr_assert_eq(used(RECEIVE), 0);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(host_config.virtio[0]->counts.bytes_written, 5);
}

Test(virtio_console, a_buffer_waits_for_input)
{
	start();
	submit(RECEIVE, DATA, 4);
	submit(RECEIVE, DATA + 16, 64);
	cr_assert_eq(used(RECEIVE), 0);
	cr_assert_not(host_line[0][INTID]);
	cr_assert(ops->wants_input(transport));
	type("abcdefg");
	cr_assert_eq(used(RECEIVE), 2);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(host_ram[USED + 8], 4);
	cr_assert_eq(host_ram[USED + 16], 3);
	cr_assert_arr_eq(host_ram + DATA, "abcd", 4);
	cr_assert_arr_eq(host_ram + DATA + 16, "efg", 3);
	cr_assert_not(ops->wants_input(transport));
	cr_assert_eq(host_config.virtio[0]->counts.bytes_read, 7);
}

Test(virtio_console, input_waits_for_a_buffer)
{
	start();
	type("0123456789");
	cr_assert_eq(ops->room(transport), DEVICE_CONSOLE_ROOM - 10);
	type("abcdef");
	cr_assert_eq(ops->room(transport), 0);
	submit(RECEIVE, DATA, 12);
	cr_assert_arr_eq(host_ram + DATA, "0123456789ab", 12);
	cr_assert_eq(ops->room(transport), 12);
	submit(RECEIVE, DATA, 12);
	cr_assert_arr_eq(host_ram + DATA, "cdef", 4);
	submit(RECEIVE, DATA, 12);
	cr_assert_eq(used(RECEIVE), 2);
}

Test(virtio_console, input_waits_for_a_driver_that_works)
{
	cr_assert(ops->takes_input(transport));
	cr_assert_not(ops->wants_input(transport));
	cr_assert_eq(ops->room(transport), 0);
	start();
	type("a");
	submit(RECEIVE, HOST_RAM, 4); /* outside RAM */
	cr_assert_eq(get(STATUS), READY | NEEDS_RESET);
	cr_assert_not(ops->wants_input(transport));
	cr_assert_eq(ops->room(transport), 0);
	start();
	cr_assert_eq(ops->room(transport), DEVICE_CONSOLE_ROOM - 1);
	submit(RECEIVE, DATA, 4);
	cr_assert_eq(host_ram[DATA], 'a');
	submit(RECEIVE, DATA, 4);
	cr_assert(ops->wants_input(transport));
	put16(AVAIL, 1); /* no interrupts: nothing would come of it */
	cr_assert_not(ops->wants_input(transport));
	type("b");
	device_reset(transport);
	start();
	cr_assert_eq(ops->room(transport), DEVICE_CONSOLE_ROOM);
}

Test(virtio_console, no_other_takes_input)
{
	free(host_config.virtio[0]);
	host_config.virtio[0] = virtio_entropy_make(1);
	cr_assert_not(ops->takes_input(transport));
}

/* A buffer of the wrong direction, and one that is longer than anything is. */
Test(virtio_console, a_broken_request_needs_a_reset)
{
	for (uint32_t queue = RECEIVE; queue <= TRANSMIT; queue++) {
		start();
		type("a");
		put16(PAGE * queue + 12, 0);
		submit(queue, DATA, 4);
		cr_assert_eq(get(STATUS) & NEEDS_RESET, 0);
		put16(PAGE * queue + 16 + 12, queue == RECEIVE ? 0 : 2);
		put16(PAGE * queue + AVAIL + 2, 2);
		put16(PAGE * queue + AVAIL + 6, 0);
		put16(PAGE * queue + 12, queue == RECEIVE ? 0 : 2);
		type("b");
		set(NOTIFY, queue);
		cr_assert_eq(get(STATUS), READY | NEEDS_RESET, "queue %u", queue);
	}
	cr_assert_eq(host_config.virtio[0]->counts.broken, 2);
}

Test(virtio_console, a_saved_one_goes_on_where_it_was)
{
	struct state saved, loaded;

	start();
	submit(TRANSMIT, DATA, 1);
	set(ACK, 1);
	type("typed");
	state_save(&saved, "virtio");
	device_virtio_mmio.state(transport, 0, &saved);
	cr_assert(state_end(&saved), "%s", saved.why);
	device_reset(transport);
	state_load(&loaded, "virtio", saved.bytes, saved.at);
	device_virtio_mmio.state(transport, 0, &loaded);
	cr_assert(state_end(&loaded), "%s", loaded.why);
	cr_assert_eq(ops->room(transport), DEVICE_CONSOLE_ROOM - 5);
	submit(RECEIVE, DATA, 64);
	cr_assert_arr_eq(host_ram + DATA, "typed", 5);
	submit(TRANSMIT, DATA, 1);
	cr_assert_eq(used(TRANSMIT), 2);
	cr_assert_eq(get(INTERRUPT), 1);
	/* More than there is room for. */
	saved.bytes[saved.at - SAVED_REST(2) - 4] = DEVICE_CONSOLE_ROOM + 1;
	state_load(&loaded, "virtio", saved.bytes, saved.at);
	device_virtio_mmio.state(transport, 0, &loaded);
	cr_assert_not(state_end(&loaded));
	state_free(&saved);
}
