/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of split virtqueues (virtio 1.2, 2.7). A descriptor is copied before it is
 * checked, as another vCPU may write to it meanwhile.
 */
#include <endian.h>
#include <string.h>

#include "base/assertion.h"
#include "device/virtio.h"

#define DESC_NEXT     1u
#define DESC_WRITE    2u
#define DESC_INDIRECT 4u

#define AVAIL_NO_INTERRUPT 1u

struct descriptor {
	uint64_t address;
	uint32_t size;
	uint16_t flags, next;
};

struct used {
	uint32_t id, size;
};

_Static_assert(sizeof(struct descriptor) == 16 && sizeof(struct used) == 8, "as virtio has them");

/* Offsets in both rings. */
#define RING_INDEX   2
#define RING_ENTRIES 4

/*
 * Read a halfword of a ring, which the driver writes once everything before it is there. It is
 * ordered with the write of the index: a driver that requests interrupts and then reads the index
 * misses none.
 */
static int ring_get(const struct virtio_memory *memory, uint64_t at, uint16_t *value)
{
	const void *host = memory->at(memory->ctx, at, sizeof(*value));

	if (!host || at % sizeof(*value) != 0)
		return VIRTIO_BAD_ADDRESS;
	*value = le16toh(__atomic_load_n((const uint16_t *)host, __ATOMIC_SEQ_CST));
	return 0;
}

static void queue_holds(const struct virtio_queue *queue)
{
	vspe_assert_of(queue->ready, queue->size, queue->seen);
	vspe_assert_of(queue->size && queue->size <= VIRTIO_QUEUE_MAX, queue->size,
		       VIRTIO_QUEUE_MAX);
	vspe_assert_of(!(queue->size & (queue->size - 1)), queue->size, 0);
}

int virtio_queue_available(const struct virtio_queue *queue, const struct virtio_memory *memory,
			   uint16_t *index)
{
	const int error = ring_get(memory, queue->driver + RING_INDEX, index);

	if (error < 0)
		return error;
	return (uint16_t)(*index - queue->seen) > queue->size ? VIRTIO_BAD_INDEX : 0;
}

/* Read a descriptor from a table of count. */
static int read_descriptor(const struct virtio_memory *memory, uint64_t table, uint32_t count,
			   uint32_t index, struct descriptor *to)
{
	const uint8_t *host;

	if (index >= count)
		return VIRTIO_BAD_INDEX;
	host = memory->at(memory->ctx, table + UINT64_C(16) * index, sizeof(*to));
	if (!host)
		return VIRTIO_BAD_ADDRESS;
	memcpy(to, host, sizeof(*to));
	*to = (struct descriptor){.address = le64toh(to->address),
				  .size = le32toh(to->size),
				  .flags = le16toh(to->flags),
				  .next = le16toh(to->next)};
	return 0;
}

static int add_part(struct virtio_chain *chain, const struct virtio_memory *memory,
		    const struct descriptor *from)
{
	const bool write = from->flags & DESC_WRITE;
	uint8_t *host;

	if (chain->count == VIRTIO_QUEUE_MAX || (!write && chain->readable < chain->count))
		return VIRTIO_BAD_CHAIN;
	if (from->size == 0)
		return VIRTIO_BAD_REQUEST;
	host = memory->at(memory->ctx, from->address, from->size);
	if (!host)
		return VIRTIO_BAD_ADDRESS;
	chain->parts[chain->count++] = (struct virtio_part){host, from->size};
	chain->readable += !write;
	*(write ? &chain->write_size : &chain->read_size) += from->size;
	return 0;
}

/*
 * Walk the descriptors from index on, in a table of count. It follows at most count of them, which
 * ends every loop. The last may name an indirect table, but only if this is the queue's own table.
 */
static int walk_chain(struct virtio_chain *chain, const struct virtio_memory *memory,
		      uint64_t table, uint32_t count, uint32_t index, bool inner)
{
	struct descriptor descriptor;

	for (uint32_t steps = 0; steps < count; steps++) {
		int error = read_descriptor(memory, table, count, index, &descriptor);

		if (error < 0)
			return error;
		if (descriptor.flags & DESC_INDIRECT) {
			const uint32_t entries = descriptor.size / 16;

			if (inner || descriptor.flags & DESC_NEXT || descriptor.size % 16 != 0 ||
			    entries == 0 || entries > VIRTIO_QUEUE_MAX)
				return VIRTIO_BAD_CHAIN;
			return walk_chain(chain, memory, descriptor.address, entries, 0, true);
		}
		error = add_part(chain, memory, &descriptor);
		if (error < 0 || !(descriptor.flags & DESC_NEXT))
			return error;
		index = descriptor.next;
	}
	return VIRTIO_BAD_CHAIN;
}

int virtio_queue_take(struct virtio_queue *queue, const struct virtio_memory *memory,
		      struct virtio_chain *chain)
{
	const uint64_t entry =
		queue->driver + RING_ENTRIES + UINT64_C(2) * (queue->seen & (queue->size - 1));
	int error;

	queue_holds(queue);
	chain->count = chain->readable = 0;
	chain->read_size = chain->write_size = 0;
	error = ring_get(memory, entry, &chain->head);
	if (error < 0)
		return error;
	error = walk_chain(chain, memory, queue->descriptors, queue->size, chain->head, false);
	vspe_assert_of(chain->readable <= chain->count && chain->count <= VIRTIO_QUEUE_MAX,
		       chain->readable, chain->count);
	return error;
}

int virtio_queue_put(struct virtio_queue *queue, const struct virtio_memory *memory, uint16_t head,
		     uint32_t written)
{
	const struct used used = {htole32(head), htole32(written)};
	const uint64_t entry = queue->device + RING_ENTRIES +
			       sizeof(used) * (uint64_t)(queue->seen & (queue->size - 1));
	void *const to = memory->at(memory->ctx, entry, sizeof(used));
	void *const index = memory->at(memory->ctx, queue->device + RING_INDEX, 2);

	if (!to || !index || queue->device % 4 != 0)
		return VIRTIO_BAD_ADDRESS;
	memcpy(to, &used, sizeof(used));
	queue->seen++;
	__atomic_store_n((uint16_t *)index, htole16(queue->seen), __ATOMIC_SEQ_CST);
	return 0;
}

bool virtio_queue_interrupts(const struct virtio_queue *queue, const struct virtio_memory *memory)
{
	uint16_t flags;

	return ring_get(memory, queue->driver, &flags) < 0 || !(flags & AVAIL_NO_INTERRUPT);
}

uint8_t *virtio_chain_span(const struct virtio_chain *chain, bool write, uint64_t offset,
			   uint64_t *size)
{
	const unsigned int end = write ? chain->count : chain->readable;

	for (unsigned int i = write ? chain->readable : 0; i < end; i++) {
		const struct virtio_part *part = &chain->parts[i];

		if (offset < part->size) {
			*size = part->size - offset;
			return part->host + offset;
		}
		offset -= part->size;
	}
	return NULL;
}

/* The contiguous bytes at offset, at most `most`; *size is how many they are. */
static uint8_t *piece(const struct virtio_chain *chain, bool write, uint64_t offset, uint64_t most,
		      uint64_t *size)
{
	uint8_t *guest = virtio_chain_span(chain, write, offset, size);

	vspe_assert_of(guest, offset, write ? chain->write_size : chain->read_size);
	if (*size > most)
		*size = most;
	return guest;
}

void virtio_chain_get(const struct virtio_chain *chain, uint64_t offset, uint8_t *to,
		      uint64_t count)
{
	for (uint64_t done = 0, size = 0; done < count; done += size) {
		const uint8_t *guest = piece(chain, false, offset + done, count - done, &size);

		memcpy(to + done, guest, size);
	}
}

void virtio_chain_put(const struct virtio_chain *chain, uint64_t offset, const uint8_t *from,
		      uint64_t count)
{
	for (uint64_t done = 0, size = 0; done < count; done += size) {
		uint8_t *guest = piece(chain, true, offset + done, count - done, &size);

		memcpy(guest, from + done, size);
	}
}
