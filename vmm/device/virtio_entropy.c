/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source of random numbers (virtio 1.2, 5.4). They derive from the machine's seed, so that every
 * run has the same ones, and are no secret.
 */
#include <stdlib.h>

#include "base/splitmix.h"
#include "device/virtio.h"

#define ENTROPY_ID   4
#define ENTROPY_MOST (UINT64_C(1) << 16) /* bytes of a request; a driver asks again */

struct virtio_entropy {
	struct virtio_device device;
	uint64_t seed, next;
};

_Static_assert(offsetof(struct virtio_entropy, device) == 0, "one is cast to the other");

static int entropy_request(struct virtio_device *device, unsigned int queue,
			   const struct virtio_chain *chain, uint32_t *written)
{
	struct virtio_entropy *entropy = (struct virtio_entropy *)device;
	const uint64_t most = chain->write_size < ENTROPY_MOST ? chain->write_size : ENTROPY_MOST;
	uint64_t at = 0, size, number = 0;

	(void)queue;
	if (most == 0 || chain->read_size != 0)
		return VIRTIO_BAD_REQUEST;
	while (at < most) {
		uint8_t *to = virtio_chain_span(chain, true, at, &size);

		for (uint64_t i = 0; i < size && at < most; i++, at++) {
			number = at % 8 == 0 ? splitmix_next(&entropy->next) : number >> 8;
			to[i] = (uint8_t)number;
		}
	}
	device->counts.bytes_read += most;
	device->work += most;
	*written = (uint32_t)most;
	return 0;
}

static void entropy_restart(struct virtio_device *device)
{
	struct virtio_entropy *entropy = (struct virtio_entropy *)device;

	entropy->next = entropy->seed;
}

static void entropy_state(struct virtio_device *device, struct state *state)
{
	struct virtio_entropy *entropy = (struct virtio_entropy *)device;

	STATE_FIELD(state, entropy->next);
}

struct virtio_device *virtio_entropy_make(uint64_t seed)
{
	struct virtio_entropy *entropy = calloc(1, sizeof(*entropy));

	if (!entropy)
		return NULL;
	entropy->device = (struct virtio_device){
		.id = ENTROPY_ID,
		.queues = 1,
		.request = entropy_request,
		.restart = entropy_restart,
		.state = entropy_state,
	};
	entropy->seed = entropy->next = seed;
	return &entropy->device;
}
