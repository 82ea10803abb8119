/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network card (virtio 1.2, 5.1) with one pair of queues. It offers its address and no offloads:
 * a frame is as on the wire, after a header that carries nothing. Frames for the guest wait until
 * the driver has a buffer, and are lost if there is no room, as on a wire.
 */
#include <stdlib.h>
#include <string.h>

#include "device/net_check.h"
#include "device/virtio.h"

#define NET_ID	       1
#define RECEIVE	       0
#define TRANSMIT       1
#define FEATURE_MAC    (UINT64_C(1) << 5)
#define FEATURE_STATUS (UINT64_C(1) << 16)

/* Its configuration (5.1.4): the address, and a halfword. */
#define CONFIG_STATUS VIRTIO_NET_MAC
#define LINK_UP	      1

/* struct virtio_net_hdr (5.1.6): without offloads all is 0 except the number of buffers. */
#define HEADER	       12
#define HEADER_GSO     1  /* a byte: how to split the packet into frames */
#define HEADER_BUFFERS 10 /* a halfword: buffers of a frame, 1 without VIRTIO_NET_F_MRG_RXBUF */

#define FRAME_LEAST 14				/* bytes: the header of Ethernet */
#define FRAME_ROOM  (HEADER + VIRTIO_NET_FRAME) /* the room of each driver's buffer (5.1.6.3.1) */
#define SEND_MOST   (VIRTIO_NET_FRAME + 4)	/* bytes; with the tag of a VLAN */

/* How many frames can wait: more than a TCP window has. A power of 2. */
#define WAITING 128

struct virtio_net {
	struct virtio_device device;
	const struct virtio_link *link;
	virtio_net_watcher *watch; /* or NULL */
	void *watch_ctx;
	unsigned int watch_number;
	unsigned int first, count; /* of the frames that wait */
	struct frame {
		uint32_t size;
		uint8_t bytes[VIRTIO_NET_FRAME];
	} waiting[WAITING];
};

_Static_assert(offsetof(struct virtio_net, device) == 0, "one is cast to the other");

static int net_send(struct virtio_net *net, const struct virtio_chain *chain)
{
	uint8_t bytes[HEADER + SEND_MOST];
	enum net_verdict verdict = NET_PASS;
	uint64_t size;

	if (chain->read_size < HEADER + FRAME_LEAST || chain->read_size > sizeof(bytes) ||
	    chain->write_size != 0)
		return VIRTIO_BAD_REQUEST;
	virtio_chain_get(chain, 0, bytes, chain->read_size);
	if (bytes[HEADER_GSO] != 0)
		return VIRTIO_BAD_REQUEST;
	size = chain->read_size - HEADER;
	net->device.counts.bytes_written += size;
	if (net->link->checked)
		verdict = net_check(bytes + HEADER, size);
	net->device.counts.refused += verdict > NET_ABSENT;
	if (verdict == NET_PASS)
		net->link->send(net->link->ctx, bytes + HEADER, size);
	return 0;
}

/*
 * Hand over the frame that has waited longest. Whether a buffer is valid does not depend on the
 * frame.
 */
static int net_hand_over(struct virtio_net *net, const struct virtio_chain *chain,
			 uint32_t *written)
{
	const struct frame *frame = &net->waiting[net->first];
	uint8_t header[HEADER] = {0};

	if (chain->write_size < FRAME_ROOM || chain->read_size != 0)
		return VIRTIO_BAD_REQUEST;
	header[HEADER_BUFFERS] = 1;
	virtio_chain_put(chain, 0, header, sizeof(header));
	virtio_chain_put(chain, HEADER, frame->bytes, frame->size);
	*written = HEADER + frame->size;
	net->device.counts.bytes_read += frame->size;
	net->first = (net->first + 1) % WAITING;
	net->count--;
	return 0;
}

static int net_request(struct virtio_device *device, unsigned int queue,
		       const struct virtio_chain *chain, uint32_t *written)
{
	struct virtio_net *net = (struct virtio_net *)device;

	return queue == TRANSMIT ? net_send(net, chain) : net_hand_over(net, chain, written);
}

static bool net_can(const struct virtio_device *device, unsigned int queue)
{
	return queue == TRANSMIT || ((const struct virtio_net *)device)->count > 0;
}

static void net_restart(struct virtio_device *device)
{
	((struct virtio_net *)device)->count = 0;
}

static bool net_waits(const struct virtio_device *device)
{
	const struct virtio_net *net = (const struct virtio_net *)device;

	return net->link->outside && device->config[CONFIG_STATUS] == LINK_UP;
}

static const struct virtio_arrival net_arrival = {.queue = RECEIVE, .waits = net_waits};

bool virtio_net_receive(struct virtio_device *device, const uint8_t *frame, size_t size)
{
	struct virtio_net *net = (struct virtio_net *)device;
	struct frame *to = &net->waiting[(net->first + net->count) % WAITING];

	if (net->watch)
		net->watch(net->watch_ctx, net->watch_number, frame, size);
	if (size == 0) {
		device->config[CONFIG_STATUS] = 0;
		device->changed = true;
		return true;
	}
	if (net->count == WAITING || size < FRAME_LEAST || size > sizeof(to->bytes)) {
		device->counts.failed++;
		return false;
	}
	to->size = (uint32_t)size;
	memcpy(to->bytes, frame, size);
	net->count++;
	return true;
}

void virtio_net_unplug(struct virtio_device *device)
{
	(void)virtio_net_receive(device, (const uint8_t *)"", 0);
}

bool virtio_net_is(const struct virtio_device *device)
{
	return device->id == NET_ID;
}

void virtio_net_watch(struct virtio_device *device, virtio_net_watcher *watch, void *ctx,
		      unsigned int number)
{
	struct virtio_net *net = (struct virtio_net *)device;

	net->watch = watch;
	net->watch_ctx = ctx;
	net->watch_number = number;
}

const struct virtio_link *virtio_net_link(struct virtio_device *device,
					  const struct virtio_link *link)
{
	struct virtio_net *net = (struct virtio_net *)device;
	const struct virtio_link *before = net->link;

	net->link = link;
	return before;
}

struct virtio_device *virtio_net_make(const uint8_t mac[VIRTIO_NET_MAC],
				      const struct virtio_link *link)
{
	struct virtio_net *net = calloc(1, sizeof(*net));

	if (!net)
		return NULL;
	net->device = (struct virtio_device){
		.id = NET_ID,
		.features = FEATURE_MAC | FEATURE_STATUS,
		.queues = 2,
		.request = net_request,
		.can = net_can,
		.restart = net_restart,
		.arrival = &net_arrival,
	};
	memcpy(net->device.config, mac, VIRTIO_NET_MAC);
	net->device.config[CONFIG_STATUS] = LINK_UP;
	net->link = link;
	return &net->device;
}
