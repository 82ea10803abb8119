/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of the host (virtio 1.2, 5.7): messages of 9P2000.L in requests of one queue. Only their
 * sizes are checked here: the server is elsewhere, and may take its time or be gone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/p9_session.h"
#include "device/virtio.h"

#define P9_ID	    9
#define FEATURE_TAG (UINT64_C(1) << 0)

struct virtio_9p {
	struct virtio_device device;
	const struct virtio_server *server;
	bool anew;    /* the next message is the first after a reset */
	uint16_t tag; /* of the last message */
};

_Static_assert(offsetof(struct virtio_9p, device) == 0, "one is cast to the other");

/* How many bytes of an answer fit into a request. */
static size_t room_of(const struct virtio_chain *chain)
{
	return chain->write_size < P9_SIZE_MOST ? (size_t)chain->write_size : P9_SIZE_MOST;
}

/*
 * Send a message, which begins with its size; anything after it in the buffers is ignored. 0 and
 * *said, its size; VIRTIO_MORE; or enum virtio_error.
 */
static int say(struct virtio_9p *folder, const struct virtio_chain *chain, uint64_t *said)
{
	const struct virtio_server *server = folder->server;
	uint8_t head[P9_HEADER], *bytes;
	uint32_t size;

	if (chain->read_size < P9_HEADER || chain->write_size < P9_ERROR)
		return VIRTIO_BAD_REQUEST;
	virtio_chain_get(chain, 0, head, sizeof(head));
	size = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
	       (uint32_t)head[3] << 24;
	if (size < P9_HEADER || size > chain->read_size || size > P9_SIZE_MOST)
		return VIRTIO_BAD_REQUEST;
	bytes = server->begin(server->ctx);
	if (!bytes)
		return VIRTIO_MORE;
	folder->tag = (uint16_t)(head[5] | head[6] << 8);
	memcpy(bytes, head, sizeof(head));
	virtio_chain_get(chain, sizeof(head), bytes + sizeof(head), size - sizeof(head));
	server->say(server->ctx, size, room_of(chain), folder->anew);
	folder->anew = false;
	*said = size;
	return 0;
}

/* Without a server the request fails. */
static size_t fail(struct virtio_9p *folder, const struct virtio_chain *chain)
{
	uint8_t bytes[P9_ERROR];
	struct p9_reply reply;
	size_t size;

	p9_begin(&reply, bytes, sizeof(bytes));
	size = p9_end_error(&reply, folder->tag, EIO);
	virtio_chain_put(chain, 0, bytes, size);
	folder->device.counts.failed++;
	return size;
}

static void add_counts(struct virtio_counts *to, const struct virtio_counts *more)
{
	to->bytes_read += more->bytes_read;
	to->bytes_written += more->bytes_written;
	to->flushes += more->flushes;
	to->failed += more->failed;
}

/* The queue notes that a request was sent, and forgets it when the driver resets the queue. */
static int p9_request(struct virtio_device *device, unsigned int queue,
		      const struct virtio_chain *chain, uint32_t *written)
{
	struct virtio_9p *folder = (struct virtio_9p *)device;
	const struct virtio_server *server = folder->server;
	uint64_t *said = &device->transport.queue[queue].done;
	struct virtio_answer answer;
	int error = *said ? 0 : say(folder, chain, said);

	if (error != 0)
		return error;
	error = server->hear(server->ctx, &answer);
	if (error == VIRTIO_MORE)
		return error;
	if (chain->write_size < (error < 0 ? P9_ERROR : answer.size)) /* the buffers have changed */
		return VIRTIO_BAD_REQUEST;
	if (error < 0) {
		*written = (uint32_t)fail(folder, chain);
		device->work += *said;
		return 0;
	}
	virtio_chain_put(chain, 0, answer.bytes, answer.size);
	add_counts(&device->counts, &answer.counts);
	device->work += answer.counts.flushes ? DEVICE_PIECE : *said + answer.size;
	*written = (uint32_t)answer.size;
	return 0;
}

static void p9_restart(struct virtio_device *device)
{
	((struct virtio_9p *)device)->anew = true;
}

struct virtio_device *virtio_9p_make(const char *tag, const struct virtio_server *server)
{
	const size_t length = strlen(tag);
	struct virtio_9p *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return NULL;
	folder->device = (struct virtio_device){
		.id = P9_ID,
		.features = FEATURE_TAG,
		.queues = 1,
		.request = p9_request,
		.restart = p9_restart,
	};
	folder->device.config[0] = (uint8_t)length; /* a halfword, before the tag */
	for (size_t i = 0; i < length; i++)
		folder->device.config[2 + i] = (uint8_t)tag[i];
	folder->server = server;
	folder->anew = true;
	return &folder->device;
}
