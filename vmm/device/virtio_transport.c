/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a virtio device and its transport in a saved machine: see virtio_transport.h. */
#include "device/virtio_transport.h"

static void queue_state(struct virtio_queue *queue, struct state *state)
{
	STATE_FIELD(state, queue->descriptors);
	STATE_FIELD(state, queue->driver);
	STATE_FIELD(state, queue->device);
	STATE_UP_TO(state, queue->size, VIRTIO_QUEUE_MAX);
	STATE_FIELD(state, queue->seen);
	STATE_FIELD(state, queue->ready);
	if ((queue->size & (queue->size - 1)) != 0 || (queue->ready && queue->size == 0))
		state_refuse(state, "a queue of %u descriptors", queue->size);
}

/* Can set_status() and give_up() lead to this status, for any driver? */
static bool status_can_be(const struct virtio_device *of)
{
	const struct virtio_transport *transport = &of->transport;
	const uint32_t status = transport->status;

	if (status & STATUS_DRIVER_OK && !(status & STATUS_FEATURES_OK))
		return false;
	if (status & STATUS_FEATURES_OK && (transport->accepted & ~virtio_offered(of) ||
					    !(transport->accepted & FEATURE_VERSION_1)))
		return false;
	return (status & ~(STATUS_DRIVER | STATUS_NEEDS_RESET)) == 0;
}

static void counts_state(struct virtio_counts *counts, struct state *state)
{
	STATE_FIELD(state, counts->requests);
	STATE_FIELD(state, counts->bytes_read);
	STATE_FIELD(state, counts->bytes_written);
	STATE_FIELD(state, counts->flushes);
	STATE_FIELD(state, counts->failed);
	STATE_FIELD(state, counts->broken);
}

/* Before version 9 queues had no rest. */
static void rest_state(struct virtio_device *of, struct state *state)
{
	bool any = false;

	if (state->loading && state->at == state->size)
		return;
	for (unsigned int i = 0; i < of->queues; i++) {
		STATE_FIELD(state, of->transport.queue[i].rest);
		STATE_FIELD(state, of->transport.queue[i].done);
		any |= of->transport.queue[i].rest;
	}
	STATE_FIELD(state, of->transport.resume);
	if (any && of->transport.resume == 0)
		state_refuse(state, "a queue of number %u never goes on", of->id);
}

/* The interrupt controller saves the level of the line itself. */
void virtio_transport_state(struct device *device, unsigned int slot, struct state *state)
{
	struct virtio_device *of = device->config->virtio[slot];
	struct virtio_transport *transport = &of->transport;
	uint32_t id = of->id;

	STATE_FIELD(state, id);
	if (id != of->id)
		state_refuse(state, "number %u is of another kind: " VIRTIO_OPTIONS " as before",
			     slot);
	for (unsigned int i = 0; i < of->queues; i++)
		queue_state(&transport->queue[i], state);
	STATE_FIELD(state, transport->accepted);
	STATE_FIELD(state, transport->features_word);
	STATE_FIELD(state, transport->accepted_word);
	STATE_FIELD(state, transport->queue_select);
	STATE_FIELD(state, transport->status);
	STATE_UP_TO(state, transport->interrupt, INTERRUPT_USED | INTERRUPT_CONFIG);
	transport->line = transport->interrupt != 0;
	counts_state(&of->counts, state);
	if (of->state)
		of->state(of, state);
	rest_state(of, state);
	if (!status_can_be(of))
		state_refuse(state, "an impossible Status of number %u", slot);
}
