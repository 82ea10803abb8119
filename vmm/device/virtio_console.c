/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A console with one port (virtio 1.2, 5.3), without VIRTIO_CONSOLE_F_MULTIPORT. Its output goes
 * where the serial port's goes, and input waits until the driver has a buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "device/virtio.h"

#define CONSOLE_ID   3
#define RECEIVE	     0
#define TRANSMIT     1
#define CONSOLE_MOST (UINT64_C(1) << 16) /* bytes of a request; Linux's console needs fewer */
#define BYTE_WORK    256 /* the cost of a byte, as one may end a line and be shown at once */

struct virtio_console {
	struct virtio_device device;
	uint8_t typed[DEVICE_CONSOLE_ROOM]; /* waiting input, the oldest first */
	uint32_t count;
};

_Static_assert(offsetof(struct virtio_console, device) == 0, "one is cast to the other");

static int console_send(struct virtio_device *device, const struct virtio_chain *chain)
{
	const struct device_host *host = device->host;
	uint64_t *done = &device->transport.queue[TRANSMIT].done;
	uint64_t size;

	if (chain->read_size == 0 || chain->read_size > CONSOLE_MOST || chain->write_size != 0)
		return VIRTIO_BAD_REQUEST;
	while (*done < chain->read_size) {
		const uint8_t *from = virtio_chain_span(chain, false, *done, &size);

		for (uint64_t i = 0; i < size; i++, ++*done) {
			if (virtio_left(device) == 0)
				return VIRTIO_MORE;
			host->transmit(host->ctx, from[i]);
			device->work += BYTE_WORK;
			device->counts.bytes_written++;
		}
	}
	return 0;
}

/* Hand over as much of the waiting input as fits. */
static int console_hand_over(struct virtio_console *console, const struct virtio_chain *chain,
			     uint32_t *written)
{
	const uint32_t count =
		chain->write_size < console->count ? (uint32_t)chain->write_size : console->count;
	uint64_t size;

	if (chain->write_size == 0 || chain->read_size != 0)
		return VIRTIO_BAD_REQUEST;
	for (uint32_t i = 0; i < count; i++)
		*virtio_chain_span(chain, true, i, &size) = console->typed[i];
	vspe_assert_of(console->count <= DEVICE_CONSOLE_ROOM, console->count, count);
	console->count -= count;
	memmove(console->typed, console->typed + count, console->count);
	console->device.counts.bytes_read += count;
	*written = count;
	return 0;
}

static int console_request(struct virtio_device *device, unsigned int queue,
			   const struct virtio_chain *chain, uint32_t *written)
{
	if (queue == TRANSMIT)
		return console_send(device, chain);
	return console_hand_over((struct virtio_console *)device, chain, written);
}

static bool console_can(const struct virtio_device *device, unsigned int queue)
{
	return queue == TRANSMIT || ((const struct virtio_console *)device)->count > 0;
}

static size_t console_room(const struct virtio_device *device)
{
	return DEVICE_CONSOLE_ROOM - ((const struct virtio_console *)device)->count;
}

static void console_receive(struct virtio_device *device, const uint8_t *bytes, size_t count)
{
	struct virtio_console *console = (struct virtio_console *)device;

	for (size_t i = 0; i < count && console->count < DEVICE_CONSOLE_ROOM; i++)
		console->typed[console->count++] = bytes[i];
}

static void console_restart(struct virtio_device *device)
{
	((struct virtio_console *)device)->count = 0;
}

static void console_state(struct virtio_device *device, struct state *state)
{
	struct virtio_console *console = (struct virtio_console *)device;

	STATE_ARRAY(state, console->typed);
	STATE_UP_TO(state, console->count, DEVICE_CONSOLE_ROOM);
}

static const struct virtio_input console_input = {
	.queue = RECEIVE,
	.room = console_room,
	.receive = console_receive,
};

struct virtio_device *virtio_console_make(void)
{
	struct virtio_console *console = calloc(1, sizeof(*console));

	if (!console)
		return NULL;
	console->device = (struct virtio_device){
		.id = CONSOLE_ID,
		.queues = 2,
		.request = console_request,
		.can = console_can,
		.restart = console_restart,
		.state = console_state,
		.input = &console_input,
	};
	return &console->device;
}
