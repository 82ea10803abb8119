/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk (virtio 1.2, 5.2) whose image is a raw file or a block device of the host. */
#define _GNU_SOURCE /* SEEK_DATA */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/assertion.h"
#include "device/virtio.h"

#define BLOCK_ID 2

#define FEATURE_SIZE_MAX (UINT64_C(1) << 1)
#define FEATURE_SEG_MAX	 (UINT64_C(1) << 2)
#define FEATURE_RO	 (UINT64_C(1) << 5)
#define FEATURE_FLUSH	 (UINT64_C(1) << 9)

#define SIZE_MAX_BYTES 65536u
#define SEG_MAX	       (VIRTIO_QUEUE_MAX - 2u) /* in addition to the header and the status */

/* More than any file that firmware reads at once. */
#define REQUEST_MOST (UINT64_C(1) << 30)

#define TYPE_IN	    0
#define TYPE_OUT    1
#define TYPE_FLUSH  4
#define TYPE_GET_ID 8

#define STATUS_OK     0
#define STATUS_IOERR  1
#define STATUS_UNSUPP 2
#define STATUS_MORE   255 /* never visible to the driver: the request continues later */

#define HEADER	16
#define CLUSTER 4096u  /* the unit that a snapshot keeps */
#define CHUNK	16384u /* the unit of a file's checksum */

struct virtio_block {
	struct virtio_device device;
	int fd;
	enum virtio_disk_mode mode;
	uint64_t size; /* bytes, a multiple of VIRTIO_SECTOR */
	char serial[VIRTIO_SERIAL + 1];
	/* Of a snapshot: the clusters that were written, and a flag for each. */
	uint8_t *written, *is_written;
};

_Static_assert(offsetof(struct virtio_block, device) == 0, "one is cast to the other");

/* Transfer everything, or return false: signals and short transfers only interrupt it. */
static bool transfer(int fd, uint8_t *bytes, uint64_t size, uint64_t at, bool write)
{
	while (size > 0) {
		const ssize_t done = write ? pwrite(fd, bytes, size, (off_t)at)
					   : pread(fd, bytes, size, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return true;
}

/* The same for a snapshot, within one cluster. */
static bool transfer_cluster(struct virtio_block *block, uint8_t *bytes, uint64_t size, uint64_t at,
			     bool write)
{
	const uint64_t cluster = at / CLUSTER, start = cluster * CLUSTER;
	const uint64_t whole = block->size - start < CLUSTER ? block->size - start : CLUSTER;

	vspe_assert_of(at - start + size <= whole, at, size);
	if (!write && !block->is_written[cluster])
		return transfer(block->fd, bytes, size, at, false);
	if (!block->is_written[cluster] &&
	    !transfer(block->fd, block->written + start, whole, start, false))
		return false;
	if (write) {
		memcpy(block->written + at, bytes, size);
		block->is_written[cluster] = 1;
	} else {
		memcpy(bytes, block->written + at, size);
	}
	return true;
}

static bool transfer_part(struct virtio_block *block, uint8_t *bytes, uint64_t size, uint64_t at,
			  bool write)
{
	if (block->mode != VIRTIO_DISK_SNAPSHOT)
		return transfer(block->fd, bytes, size, at, write);
	while (size > 0) {
		const uint64_t left = CLUSTER - at % CLUSTER, now = size < left ? size : left;

		if (!transfer_cluster(block, bytes, now, at, write))
			return false;
		bytes += now;
		at += now;
		size -= now;
	}
	return true;
}

/* This takes as long as the host's disk needs, so it counts as a full piece. */
static uint8_t sync_file(struct virtio_block *block)
{
	block->device.work += DEVICE_PIECE;
	return fdatasync(block->fd) < 0 ? STATUS_IOERR : STATUS_OK;
}

/*
 * Transfer sectors from or to the buffers that begin at offset of the chain, starting where the
 * last piece of the request ended. They may exceed the limits that are offered: EDK2 reads a file
 * at once, and ignores those. Without VIRTIO_BLK_F_FLUSH a completed write must be permanent
 * (5.2.6.2).
 */
static uint8_t do_sectors(struct virtio_block *block, const struct virtio_chain *chain,
			  uint64_t sector, bool write)
{
	const uint64_t offset = write ? HEADER : 0;
	const uint64_t size = write ? chain->read_size - HEADER : chain->write_size - 1;
	const uint64_t sectors = block->size / VIRTIO_SECTOR;
	struct virtio_counts *counts = &block->device.counts;
	uint64_t *done = &block->device.transport.queue[0].done;

	if (size % VIRTIO_SECTOR != 0 || size > REQUEST_MOST || sector > sectors ||
	    size / VIRTIO_SECTOR > sectors - sector || (write && block->mode == VIRTIO_DISK_READ))
		return STATUS_IOERR;
	for (uint64_t now; *done < size; *done += now) {
		uint8_t *host = virtio_chain_span(chain, !write, offset + *done, &now);
		const uint64_t left = virtio_left(&block->device);

		if (left == 0)
			return STATUS_MORE;
		vspe_assert_of(host && now, *done, size);
		if (now > size - *done)
			now = size - *done;
		if (now > left)
			now = left;
		if (!transfer_part(block, host, now, sector * VIRTIO_SECTOR + *done, write))
			return STATUS_IOERR;
		*(write ? &counts->bytes_written : &counts->bytes_read) += now;
		block->device.work += now;
	}
	if (write && block->mode == VIRTIO_DISK_WRITE &&
	    !(block->device.transport.accepted & FEATURE_FLUSH))
		return sync_file(block);
	return STATUS_OK;
}

static uint8_t do_flush(struct virtio_block *block)
{
	block->device.counts.flushes++;
	return block->mode == VIRTIO_DISK_WRITE ? sync_file(block) : STATUS_OK;
}

static uint8_t do_serial(const struct virtio_block *block, const struct virtio_chain *chain)
{
	uint64_t size;

	if (chain->write_size - 1 < VIRTIO_SERIAL)
		return STATUS_IOERR;
	for (uint64_t i = 0; i < VIRTIO_SERIAL; i++)
		*virtio_chain_span(chain, true, i, &size) = (uint8_t)block->serial[i];
	return STATUS_OK;
}

/* The bytes that the driver gets on success, without its status. */
static uint64_t answer_size(const struct virtio_chain *chain, uint32_t type)
{
	if (type == TYPE_GET_ID)
		return VIRTIO_SERIAL;
	return type == TYPE_IN ? chain->write_size - 1 : 0;
}

static int block_request(struct virtio_device *device, unsigned int queue,
			 const struct virtio_chain *chain, uint32_t *written)
{
	struct virtio_block *block = (struct virtio_block *)device;
	struct {
		uint32_t type, reserved;
		uint64_t sector;
	} header;
	uint8_t status, *bytes = (uint8_t *)&header, *to;
	uint64_t size;

	_Static_assert(sizeof(header) == HEADER, "as virtio has it");
	(void)queue;
	if (chain->read_size < HEADER || chain->write_size < 1)
		return VIRTIO_BAD_REQUEST;
	for (uint64_t i = 0; i < HEADER; i++)
		bytes[i] = *virtio_chain_span(chain, false, i, &size);
	switch (le32toh(header.type)) {
	case TYPE_IN: status = do_sectors(block, chain, le64toh(header.sector), false); break;
	case TYPE_OUT: status = do_sectors(block, chain, le64toh(header.sector), true); break;
	case TYPE_FLUSH: status = do_flush(block); break;
	case TYPE_GET_ID: status = do_serial(block, chain); break;
	default: status = STATUS_UNSUPP; break;
	}
	if (status == STATUS_MORE)
		return VIRTIO_MORE;
	to = virtio_chain_span(chain, true, chain->write_size - 1, &size);
	*to = status;
	device->counts.failed += status != STATUS_OK;
	*written = status == STATUS_OK ? (uint32_t)answer_size(chain, le32toh(header.type)) + 1 : 1;
	return 0;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/*
 * The CRC-32 of the file's chunks that are not all zero, and of their positions. Holes are not
 * read, and do not matter, as they depend on the host.
 */
static bool block_sum(const struct virtio_block *block, uint32_t *sum)
{
	uint8_t bytes[CHUNK] = {0};
	uint64_t at = 0;
	uLong crc = crc32_z(0, NULL, 0);

	while (at < block->size) {
		const off_t data = lseek(block->fd, (off_t)at, SEEK_DATA);
		uint64_t size, place;

		if (data < 0 && errno == ENXIO)
			break;
		if (data >= 0 && (uint64_t)data > at)
			at = (uint64_t)data - (uint64_t)data % CHUNK;
		if (at >= block->size)
			break;
		size = block->size - at < CHUNK ? block->size - at : CHUNK;
		if (!transfer(block->fd, bytes, size, at, false))
			return false;
		place = htole64(at);
		if (!all_zero(bytes, size)) {
			crc = crc32_z(crc, (const uint8_t *)&place, sizeof(place));
			crc = crc32_z(crc, bytes, size);
		}
		at += size;
	}
	*sum = (uint32_t)crc;
	return true;
}

/* What a snapshot has written: how many clusters, and the number and bytes of each. */
static void written_state(struct virtio_block *block, struct state *state)
{
	const uint64_t clusters = (block->size + CLUSTER - 1) / CLUSTER;
	uint64_t count = 0, cluster = 0;

	for (uint64_t i = 0; !state->loading && i < clusters; i++)
		count += block->is_written[i];
	STATE_UP_TO(state, count, clusters);
	for (uint64_t next = 0; next < clusters && count > 0 && !state->failed; next++) {
		uint64_t start, whole;

		if (!state->loading && !block->is_written[next])
			continue;
		cluster = next;
		STATE_UP_TO(state, cluster, clusters - 1);
		if (cluster < next)
			state_refuse(state, "clusters of a disk out of order");
		if (state->failed)
			return;
		start = cluster * CLUSTER;
		whole = block->size - start < CLUSTER ? block->size - start : CLUSTER;
		state_bytes(state, block->written + start, whole);
		block->is_written[cluster] = 1;
		next = cluster;
		count--;
	}
	if (count > 0)
		state_refuse(state, "clusters of a disk out of order");
}

/* Is it the same disk? The first difference is reported. */
static void identity_state(struct virtio_block *block, struct state *state)
{
	char serial[VIRTIO_SERIAL + 1] = "";
	uint64_t size = block->size;
	uint32_t sum = 0, was;

	memcpy(serial, block->serial, VIRTIO_SERIAL);
	if (!block_sum(block, &sum))
		state_refuse(state, "disk %s: its file cannot be read", block->serial);
	was = sum;
	state_bytes(state, serial, VIRTIO_SERIAL);
	STATE_FIELD(state, size);
	STATE_FIELD(state, was);
	if (state->failed)
		return;
	if (memcmp(serial, block->serial, VIRTIO_SERIAL) != 0)
		state_refuse(state, "disk %s: another serial number than when it was saved",
			     block->serial);
	else if (size != block->size)
		state_refuse(state, "disk %s: %llu bytes, and %llu when it was saved",
			     block->serial, (unsigned long long)block->size,
			     (unsigned long long)size);
	else if (was != sum)
		state_refuse(state, "disk %s: its file was written to since it was saved",
			     block->serial);
}

/* Writes must be permanent when the saved machine is. */
static void block_state(struct virtio_device *device, struct state *state)
{
	struct virtio_block *block = (struct virtio_block *)device;
	enum virtio_disk_mode mode = block->mode;

	if (!state->loading && mode == VIRTIO_DISK_WRITE && fdatasync(block->fd) < 0)
		state_refuse(state, "disk %s: %s", block->serial, strerror(errno));
	identity_state(block, state);
	STATE_UP_TO(state, mode, VIRTIO_DISK_SNAPSHOT);
	if ((mode == VIRTIO_DISK_READ) != (block->mode == VIRTIO_DISK_READ))
		state_refuse(state, "disk %s: %s when it was saved", block->serial,
			     mode == VIRTIO_DISK_READ ? "ro" : "not ro");
	else if (mode == VIRTIO_DISK_SNAPSHOT && block->mode != mode)
		state_refuse(state, "disk %s: a snapshot when it was saved", block->serial);
	if (!state->failed && mode == VIRTIO_DISK_SNAPSHOT)
		written_state(block, state);
}

static int block_lock(struct virtio_device *device, enum file_lock how)
{
	const struct virtio_block *block = (const struct virtio_block *)device;

	if (how == FILE_LOCK_OWN && block->mode != VIRTIO_DISK_WRITE)
		how = FILE_LOCK_SHARED;
	return file_lock(block->fd, how);
}

static int block_prepare(struct virtio_block *block, const char *path, char *why, size_t size)
{
	const bool write = block->mode == VIRTIO_DISK_WRITE;
	struct stat status;
	off_t end;

	/* Opening something else than a file may block: check its kind before using it. */
	block->fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (block->fd < 0 || fstat(block->fd, &status) < 0) {
		(void)snprintf(why, size, "%s", strerror(errno));
		return -1;
	}
	end = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode) ? lseek(block->fd, 0, SEEK_END)
								 : -1;
	if (end < 0) {
		(void)snprintf(why, size, "neither a regular file nor a block device");
		return -1;
	}
	block->size = (uint64_t)end;
	if (end == 0 || end % VIRTIO_SECTOR != 0) {
		(void)snprintf(why, size, "%lld bytes, no multiple of 512", (long long)end);
		return -1;
	}
	if (block->mode != VIRTIO_DISK_SNAPSHOT)
		return 0;
	block->written = mmap(NULL, block->size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block->written == MAP_FAILED)
		block->written = NULL;
	block->is_written = calloc(block->size / CLUSTER + 1, 1);
	if (block->written && block->is_written)
		return 0;
	(void)snprintf(why, size, "no memory for what the guest writes");
	return -1;
}

struct virtio_device *virtio_block_open(const char *path, enum virtio_disk_mode mode,
					const char *serial, char *why, size_t size)
{
	struct virtio_block *block = calloc(1, sizeof(*block));
	const uint32_t limits[2] = {htole32(SIZE_MAX_BYTES), htole32(SEG_MAX)};
	uint64_t capacity;

	if (!block) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	block->mode = mode;
	(void)snprintf(block->serial, sizeof(block->serial), "%s", serial);
	if (block_prepare(block, path, why, size) < 0) {
		virtio_block_close(&block->device);
		return NULL;
	}
	block->device.id = BLOCK_ID;
	block->device.queues = 1;
	block->device.request = block_request;
	block->device.state = block_state;
	block->device.lock = block_lock;
	block->device.features = FEATURE_SIZE_MAX | FEATURE_SEG_MAX | FEATURE_FLUSH |
				 (mode == VIRTIO_DISK_READ ? FEATURE_RO : 0);
	capacity = htole64(block->size / VIRTIO_SECTOR);
	memcpy(block->device.config, &capacity, sizeof(capacity));
	memcpy(block->device.config + sizeof(capacity), limits, sizeof(limits));
	return &block->device;
}

void virtio_block_close(struct virtio_device *device)
{
	struct virtio_block *block = (struct virtio_block *)device;

	if (!block)
		return;
	if (block->fd >= 0)
		(void)close(block->fd);
	if (block->written)
		(void)munmap(block->written, block->size);
	free(block->is_written);
	free(block);
}
