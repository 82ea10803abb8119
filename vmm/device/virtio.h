/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices of virtio 1.2 on the MMIO transport (virtio_mmio.c). A request completes before its
 * notification returns, unless it waits for input, or needs more than DEVICE_PIECE. In that case
 * the next piece follows DEVICE_PAUSE_NS of the guest's time later. What the guest sees, and when,
 * depends only on what it does and on when input arrives.
 *
 * Everything in the guest's memory is untrusted and may change at any time. A driver that breaks
 * the rules of queues gets DEVICE_NEEDS_RESET.
 */
#ifndef VSPE_VIRTIO_H
#define VSPE_VIRTIO_H

#include "base/file_lock.h"
#include "device/device.h"

/* The options that make such devices, for messages. */
#define VIRTIO_OPTIONS "--disk, --rng and --console"

#define VIRTIO_QUEUE_MAX 128 /* the most descriptors of a queue, and parts of a chain */
#define VIRTIO_QUEUES	 2   /* of a device, at most */
#define VIRTIO_CONFIG	 64  /* the most bytes of a device's configuration */
#define VIRTIO_SERIAL	 20  /* bytes of a disk's serial number */
#define VIRTIO_SECTOR	 512
#define VIRTIO_TAG	 31   /* ... of a folder's tag */
#define VIRTIO_NET_MAC	 6    /* bytes of an Ethernet address */
#define VIRTIO_NET_FRAME 1514 /* ... of the largest arriving frame: an MTU of 1500 */

/* A driver's errors; negative. */
enum virtio_error {
	VIRTIO_BAD_ADDRESS = -1, /* not all of it is RAM */
	VIRTIO_BAD_INDEX = -2,	 /* an impossible index or length */
	VIRTIO_BAD_CHAIN = -3,	 /* a loop, or a forbidden order or flags */
	VIRTIO_BAD_REQUEST = -4, /* too short to be one */
};

/* No error: the request is not finished, and must be done again for the rest. */
#define VIRTIO_MORE 1

/* A split virtqueue (virtio 1.2, 2.7), as set up by the driver. */
struct virtio_queue {
	uint64_t descriptors, driver, device; /* guest physical addresses */
	uint32_t size;			      /* a power of 2 up to VIRTIO_QUEUE_MAX */
	uint16_t seen;			      /* position in the available and used rings */
	bool ready;
	bool rest;     /* some of what the driver notified is not done yet */
	uint64_t done; /* bytes of the next request */
};

/* The guest's memory, as a device accesses it (device_host.memory). */
struct virtio_memory {
	void *ctx;
	uint8_t *(*at)(void *ctx, uint64_t pa, uint64_t size);
};

/* Buffers of a request: first those that the device reads, then those that it writes. */
struct virtio_chain {
	uint16_t head;
	unsigned int count, readable; /* parts; those that the device reads */
	struct virtio_part {
		uint8_t *host;
		uint32_t size;
	} parts[VIRTIO_QUEUE_MAX];
	uint64_t read_size, write_size; /* bytes */
};

/* The driver's position: the available index. 0, or enum virtio_error. */
int virtio_queue_available(const struct virtio_queue *queue, const struct virtio_memory *memory,
			   uint16_t *index);
/* Take the next request, which must exist. 0, or enum virtio_error. */
int virtio_queue_take(struct virtio_queue *queue, const struct virtio_memory *memory,
		      struct virtio_chain *chain);
/* A request is done, and wrote this many bytes. 0, or enum virtio_error. */
int virtio_queue_put(struct virtio_queue *queue, const struct virtio_memory *memory, uint16_t head,
		     uint32_t written);
/* Does the driver want an interrupt for completed requests? */
bool virtio_queue_interrupts(const struct virtio_queue *queue, const struct virtio_memory *memory);

/*
 * The bytes from offset on that the device reads, or writes. *size, at least 1, of them are
 * contiguous. NULL: offset is beyond the end.
 */
uint8_t *virtio_chain_span(const struct virtio_chain *chain, bool write, uint64_t offset,
			   uint64_t *size);

/* Copy count bytes of what the device reads, or writes, from offset on. They must exist. */
void virtio_chain_get(const struct virtio_chain *chain, uint64_t offset, uint8_t *to,
		      uint64_t count);
void virtio_chain_put(const struct virtio_chain *chain, uint64_t offset, const uint8_t *from,
		      uint64_t count);

/* What a device has done since it was made. Bytes are those of its data. */
struct virtio_counts {
	uint64_t requests, bytes_read, bytes_written, flushes;
	uint64_t failed;  /* requests whose status is not OK */
	uint64_t broken;  /* how often its driver got DEVICE_NEEDS_RESET */
	uint64_t refused; /* guest frames that the network refused; not saved */
};

struct virtio_device;

/* What a device that takes the console's input has in addition. */
struct virtio_input {
	unsigned int queue;				    /* whose requests wait for it */
	size_t (*room)(const struct virtio_device *device); /* bytes that receive() can take */
	void (*receive)(struct virtio_device *device, const uint8_t *bytes, size_t count);
};

/* What a device has in addition if things arrive from outside that no request is for. */
struct virtio_arrival {
	unsigned int queue; /* whose requests wait for it */
	/* May something still arrive while the guest does nothing? */
	bool (*waits)(const struct virtio_device *device);
};

/* A device on a transport. */
struct virtio_device {
	uint32_t id;	     /* virtio 1.2, 5 */
	uint64_t features;   /* offered, besides VIRTIO_F_VERSION_1 and VIRTIO_F_INDIRECT_DESC */
	unsigned int queues; /* 1 to VIRTIO_QUEUES */
	uint8_t config[VIRTIO_CONFIG];
	/*
	 * Do a request of a queue: 0 and how many bytes were written, VIRTIO_MORE, or enum
	 * virtio_error. Adds its cost to work, at most the previous virtio_left().
	 */
	int (*request)(struct virtio_device *device, unsigned int queue,
		       const struct virtio_chain *chain, uint32_t *written);
	/* Can one be done now? Otherwise it waits in its queue. NULL: always. */
	bool (*can)(const struct virtio_device *device, unsigned int queue);
	void (*restart)(struct virtio_device *device); /* at the machine's reset; NULL: nothing */
	/* State other than the transport's and the counts. NULL: none. */
	void (*state)(struct virtio_device *device, struct state *state);
	/*
	 * Change the lock of its file: 0, or -1 and errno, as of file_lock(). NULL: it has no file.
	 */
	int (*lock)(struct virtio_device *device, enum file_lock how);
	const struct virtio_input *input; /* NULL: it takes none */
	/* NULL: nothing arrives. Its queue is also checked after each notification of any queue. */
	const struct virtio_arrival *arrival;
	/* Its configuration has changed by itself, and the transport has not reported it yet. */
	bool changed;
	struct virtio_counts counts;
	uint64_t work; /* bytes moved in the current piece, or the equivalent in time */
	const struct device_host *host; /* the machine that it is in, since the last reset */
	/* The transport's state, all 0 at first. */
	struct virtio_transport {
		struct virtio_queue queue[VIRTIO_QUEUES];
		uint64_t accepted; /* features */
		uint32_t features_word, accepted_word, queue_select;
		uint32_t status, interrupt;
		uint32_t generation; /* of the configuration; not saved */
		uint64_t resume; /* counter value at which unfinished queues continue; 0: none */
		bool line;
	} transport;
};

/* How much of a piece is left. */
static inline uint64_t virtio_left(const struct virtio_device *device)
{
	return device->work < DEVICE_PIECE ? DEVICE_PIECE - device->work : 0;
}

/* How a disk's image is used. */
enum virtio_disk_mode {
	VIRTIO_DISK_WRITE,
	VIRTIO_DISK_READ,     /* the guest cannot write */
	VIRTIO_DISK_SNAPSHOT, /* its writes are kept in memory, and lost at the end */
};

/*
 * A disk (virtio 1.2, 5.2) with the raw image path. serial has VIRTIO_SERIAL bytes at most. NULL
 * and a line in why[size] without the path; otherwise the caller owes virtio_block_close(). Call
 * its lock() before the guest runs. FILE_LOCK_OWN shares the file with other readers if the guest
 * only reads.
 */
struct virtio_device *virtio_block_open(const char *path, enum virtio_disk_mode mode,
					const char *serial, char *why, size_t size);
/*
 * A saved machine can tell whether a disk is the same one again: it has its size, its serial
 * number, whether it is read-only, and a CRC-32 of what is not zero in its file. For a snapshot it
 * also has what was written. Writes to a file are on the host's disk by then. A machine with a disk
 * that was written to can continue with a snapshot of it, too.
 *
 * NULL is allowed.
 */
void virtio_block_close(struct virtio_device *device);

/*
 * A source of random numbers (virtio 1.2, 5.4), all derived from seed. NULL: no memory; free() it.
 */
struct virtio_device *virtio_entropy_make(uint64_t seed);

/*
 * A console (virtio 1.2, 5.3) with one port. What the guest writes goes to device_host.transmit.
 * NULL: no memory; free() it.
 */
struct virtio_device *virtio_console_make(void);

/* The answer of a folder's server. */
struct virtio_answer {
	const uint8_t *bytes; /* valid until the next message, but may change before */
	size_t size;
	struct virtio_counts counts; /* for this message, without the count of requests */
};

/* Answers a folder's client, one message of 9P2000.L (p9_message.h) after the other. */
struct virtio_server {
	void *ctx;
	/*
	 * Room for the next message, of P9_SIZE_MOST bytes. NULL: not now, as a message that nobody
	 * waits for any more has no answer yet.
	 */
	uint8_t *(*begin)(void *ctx);
	/*
	 * Its size bytes are there, at least P9_HEADER. The answer may have room bytes, at least
	 * P9_ERROR. anew: forget what came before, and close what is open.
	 */
	void (*say)(void *ctx, size_t size, size_t room, bool anew);
	/*
	 * The answer, of P9_HEADER to room bytes: 0; VIRTIO_MORE: there is none yet; or a negative
	 * errno: the server is gone.
	 */
	int (*hear)(void *ctx, struct virtio_answer *answer);
};

/*
 * A folder of the host (virtio 1.2, 5.7), which the guest finds by its tag of 1 to VIRTIO_TAG
 * bytes. server must outlive it; without one the answer to each message is EIO. Machines with it
 * cannot be saved, because what is open has no description. NULL: no memory; free() it.
 */
struct virtio_device *virtio_9p_make(const char *tag, const struct virtio_server *server);

/* The other end of a network card's cable. */
struct virtio_link {
	void *ctx;
	/* Takes a frame of the guest: 14 to VIRTIO_NET_FRAME + 4 bytes. May answer at once. */
	void (*send)(void *ctx, const uint8_t *frame, size_t size);
	bool outside; /* frames may arrive by themselves, not only inside send() */
	bool checked; /* it only gets what net_check() lets pass */
};

/*
 * A network card (virtio 1.2, 5.1) with this address. link must outlive it. Machines with it cannot
 * be saved, because frames in flight have no description. NULL: no memory; free() it.
 */
struct virtio_device *virtio_net_make(const uint8_t mac[VIRTIO_NET_MAC],
				      const struct virtio_link *link);
/*
 * A frame arrives for the guest, which gets it when its queue is next checked (device_type.arrive),
 * or after the current send(). False: it is lost and counted, as it is invalid or too many wait.
 */
bool virtio_net_receive(struct virtio_device *device, const uint8_t *frame, size_t size);

/*
 * Unplug the cable, for good: no frames come or go any more, and the driver learns of it when its
 * queue is next checked. The same as virtio_net_receive() with a frame of no bytes.
 */
void virtio_net_unplug(struct virtio_device *device);

/* Is this device a network card? The functions below accept nothing else. */
bool virtio_net_is(const struct virtio_device *device);
/* Show watch each arriving frame, together with number; NULL: stop. */
typedef void virtio_net_watcher(void *ctx, unsigned int number, const uint8_t *frame, size_t size);
void virtio_net_watch(struct virtio_device *device, virtio_net_watcher *watch, void *ctx,
		      unsigned int number);
/* Plug in another link; returns the previous one. */
const struct virtio_link *virtio_net_link(struct virtio_device *device,
					  const struct virtio_link *link);

#endif
