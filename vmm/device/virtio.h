/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices of virtio 1.2 on the transport over MMIO (virtio_mmio.c). A request is completed before
 * the notification of it returns, unless it waits for input, or there is more to do than
 * DEVICE_PIECE: then the next piece follows DEVICE_PAUSE_NS of the guest's time later. What the
 * guest sees, and when, is a function of what it does and of when input comes.
 *
 * Everything in the guest's memory is untrusted and may change at any time. A driver that breaks
 * the rules of queues gets DEVICE_NEEDS_RESET.
 */
#ifndef VSPE_VIRTIO_H
#define VSPE_VIRTIO_H

#include "base/file_lock.h"
#include "device/device.h"

/* What on the command line makes such devices, for messages. */
#define VIRTIO_OPTIONS "--disk, --rng and --console"

#define VIRTIO_QUEUE_MAX 128 /* descriptors of a queue, and parts of a chain, at most */
#define VIRTIO_QUEUES	 2   /* of a device, at most */
#define VIRTIO_CONFIG	 64  /* bytes of a device's configuration at most */
#define VIRTIO_SERIAL	 20  /* bytes of a disk's serial number */
#define VIRTIO_SECTOR	 512
#define VIRTIO_TAG	 31   /* ... of a folder's tag */
#define VIRTIO_NET_MAC	 6    /* bytes of an Ethernet address */
#define VIRTIO_NET_FRAME 1514 /* ... of a frame that comes at most: an MTU of 1500 */

/* What is wrong with a driver; negative. */
enum virtio_error {
	VIRTIO_BAD_ADDRESS = -1, /* not all of it is RAM */
	VIRTIO_BAD_INDEX = -2,	 /* an index or a length that cannot be */
	VIRTIO_BAD_CHAIN = -3,	 /* a loop, an order or flags that are not permitted */
	VIRTIO_BAD_REQUEST = -4, /* too short to be one */
};

/* Not wrong: of this request there is more to do, and it is to be done again. */
#define VIRTIO_MORE 1

/* A split virtqueue (virtio 1.2, 2.7), as the driver has set it up. */
struct virtio_queue {
	uint64_t descriptors, driver, device; /* guest physical addresses */
	uint32_t size;			      /* a power of 2 up to VIRTIO_QUEUE_MAX */
	uint16_t seen;			      /* of the available ring; as much is used */
	bool ready;
	bool rest;     /* there is more to do for what the driver has notified of */
	uint64_t done; /* bytes of the next request */
};

/* The guest's memory, as a device asks for it (device_host.memory). */
struct virtio_memory {
	void *ctx;
	uint8_t *(*at)(void *ctx, uint64_t pa, uint64_t size);
};

/* Buffers of a request: first those that the device reads, then those that it writes. */
struct virtio_chain {
	uint16_t head;
	unsigned int count, readable; /* parts; those of them that the device reads */
	struct virtio_part {
		uint8_t *host;
		uint32_t size;
	} parts[VIRTIO_QUEUE_MAX];
	uint64_t read_size, write_size; /* bytes */
};

/* How far the driver has come: the available index. 0, or enum virtio_error. */
int virtio_queue_available(const struct virtio_queue *queue, const struct virtio_memory *memory,
			   uint16_t *index);
/* The next request, of which there has to be one. 0, or enum virtio_error. */
int virtio_queue_take(struct virtio_queue *queue, const struct virtio_memory *memory,
		      struct virtio_chain *chain);
/* It is done, and so many bytes were written. 0, or enum virtio_error. */
int virtio_queue_put(struct virtio_queue *queue, const struct virtio_memory *memory, uint16_t head,
		     uint32_t written);
/* Does the driver want an interrupt for what was put? */
bool virtio_queue_interrupts(const struct virtio_queue *queue, const struct virtio_memory *memory);

/*
 * The bytes from offset on that the device reads, or writes: *size, at least 1, of them lie one
 * behind the other. NULL: offset is behind the last.
 */
uint8_t *virtio_chain_span(const struct virtio_chain *chain, bool write, uint64_t offset,
			   uint64_t *size);

/*
 * Copy count bytes of what the device reads, or writes, from offset on. So many there have to be.
 */
void virtio_chain_get(const struct virtio_chain *chain, uint64_t offset, uint8_t *to,
		      uint64_t count);
void virtio_chain_put(const struct virtio_chain *chain, uint64_t offset, const uint8_t *from,
		      uint64_t count);

/* What a device has done since it was made. Bytes are those of its data. */
struct virtio_counts {
	uint64_t requests, bytes_read, bytes_written, flushes;
	uint64_t failed;  /* requests whose status is not OK */
	uint64_t broken;  /* times that its driver got DEVICE_NEEDS_RESET */
	uint64_t refused; /* frames of the guest's that the network does not take; of no image */
};

struct virtio_device;

/* What a device that takes the console's input has besides. */
struct virtio_input {
	unsigned int queue;				    /* whose requests wait for it */
	size_t (*room)(const struct virtio_device *device); /* bytes that receive() can take */
	void (*receive)(struct virtio_device *device, const uint8_t *bytes, size_t count);
};

/* What a device has besides to which something comes from outside that no request asked for. */
struct virtio_arrival {
	unsigned int queue; /* whose requests wait for it */
	/* May something still come while the guest does nothing? */
	bool (*waits)(const struct virtio_device *device);
};

/* A device behind a transport. */
struct virtio_device {
	uint32_t id;	     /* virtio 1.2, 5 */
	uint64_t features;   /* offered, VIRTIO_F_VERSION_1 and VIRTIO_F_INDIRECT_DESC apart */
	unsigned int queues; /* 1 to VIRTIO_QUEUES */
	uint8_t config[VIRTIO_CONFIG];
	/*
	 * Do a request of a queue: 0 and how many bytes were written, VIRTIO_MORE, or enum
	 * virtio_error. What it costs is added to work: no more than virtio_left() before.
	 */
	int (*request)(struct virtio_device *device, unsigned int queue,
		       const struct virtio_chain *chain, uint32_t *written);
	/* Can one be done now? Otherwise it waits in its queue. NULL: each can at once. */
	bool (*can)(const struct virtio_device *device, unsigned int queue);
	void (*restart)(struct virtio_device *device); /* at the machine's reset; NULL: nothing */
	/* What it keeps beside the transport and the counts. NULL: nothing. */
	void (*state)(struct virtio_device *device, struct state *state);
	/*
	 * Have the file that it keeps locked like that: 0, or -1 and errno, as of file_lock().
	 * NULL: there is none.
	 */
	int (*lock)(struct virtio_device *device, enum file_lock how);
	const struct virtio_input *input; /* NULL: it takes none */
	/* NULL: nothing comes. Its queue is looked at behind each notification of any, too. */
	const struct virtio_arrival *arrival;
	/* Its configuration has changed by itself, and the transport has not told of it yet. */
	bool changed;
	struct virtio_counts counts;
	uint64_t work; /* of the present piece: bytes that were moved, or what takes as long */
	const struct device_host *host; /* the machine that it is in, since the last reset */
	/* The transport's, all 0 at first. */
	struct virtio_transport {
		struct virtio_queue queue[VIRTIO_QUEUES];
		uint64_t accepted; /* features */
		uint32_t features_word, accepted_word, queue_select;
		uint32_t status, interrupt;
		uint32_t generation; /* of the configuration; of no image */
		uint64_t resume; /* counter value at which queues with a rest go on; 0: none has */
		bool line;
	} transport;
};

/* How much of a piece is left. */
static inline uint64_t virtio_left(const struct virtio_device *device)
{
	return device->work < DEVICE_PIECE ? DEVICE_PIECE - device->work : 0;
}

/* How the image of a disk is used. */
enum virtio_disk_mode {
	VIRTIO_DISK_WRITE,
	VIRTIO_DISK_READ,     /* the guest cannot write */
	VIRTIO_DISK_SNAPSHOT, /* what it writes is kept in memory, and forgotten at the end */
};

/*
 * A disk (virtio 1.2, 5.2) with the raw image path. serial has VIRTIO_SERIAL bytes at most. NULL
 * and a line in why[size] without the path; virtio_block_close() is owed otherwise. Its lock() is
 * owed before the guest runs: FILE_LOCK_OWN is that with others who only read, if the guest does.
 */
struct virtio_device *virtio_block_open(const char *path, enum virtio_disk_mode mode,
					const char *serial, char *why, size_t size);
/*
 * A saved machine has of a disk what tells whether the same one is there again: its size, its
 * serial number, whether it is read-only, and a CRC-32 of what is not zero in its file; of a
 * snapshot what was written, too. What was written to a file is on the host's disk then. A
 * machine with a disk that was written to goes on with a snapshot of it, too.
 *
 * NULL is nothing to do.
 */
void virtio_block_close(struct virtio_device *device);

/* A source of numbers (virtio 1.2, 5.4), all made of seed. NULL: no memory; free() is owed. */
struct virtio_device *virtio_entropy_make(uint64_t seed);

/*
 * A console (virtio 1.2, 5.3) of one port: what the guest writes is device_host.transmit's. NULL:
 * no memory; free() is owed.
 */
struct virtio_device *virtio_console_make(void);

/* What a folder's server has said. */
struct virtio_answer {
	const uint8_t *bytes; /* valid until the next message; they may change meanwhile */
	size_t size;
	struct virtio_counts counts; /* of this message; nothing of them that is of requests */
};

/* Who answers a folder's client, one message of 9P2000.L (p9_message.h) after the other. */
struct virtio_server {
	void *ctx;
	/*
	 * Room for the next message, of P9_SIZE_MOST bytes. NULL: not now, as one that nobody waits
	 * for any more is not answered yet.
	 */
	uint8_t *(*begin)(void *ctx);
	/*
	 * Its size bytes are there, P9_HEADER at least; the answer may have room bytes, P9_ERROR at
	 * least. anew: what was said before is forgotten, and what is open is closed.
	 */
	void (*say)(void *ctx, size_t size, size_t room, bool anew);
	/*
	 * The answer, of P9_HEADER to room bytes: 0; VIRTIO_MORE: there is none yet; or a negative
	 * errno: there is no server.
	 */
	int (*hear)(void *ctx, struct virtio_answer *answer);
};

/*
 * A folder of the host's (virtio 1.2, 5.7), which the guest finds by its tag of 1 to VIRTIO_TAG
 * bytes. server has to outlive it; without one each message is answered with EIO. It is not for
 * saved machines: what is open is not described. NULL: no memory; free() is owed.
 */
struct virtio_device *virtio_9p_make(const char *tag, const struct virtio_server *server);

/* The other end of a network card's cable. */
struct virtio_link {
	void *ctx;
	/* A frame of the guest's: 14 to VIRTIO_NET_FRAME + 4 bytes. It may answer at once. */
	void (*send)(void *ctx, const uint8_t *frame, size_t size);
	bool outside; /* frames may come by themselves, not only as answers within send() */
	bool checked; /* it gets what net_check() lets pass, and nothing else */
};

/*
 * A network card (virtio 1.2, 5.1) with this address. link has to outlive it. It is not for saved
 * machines: what is under way is not described. NULL: no memory; free() is owed.
 */
struct virtio_device *virtio_net_make(const uint8_t mac[VIRTIO_NET_MAC],
				      const struct virtio_link *link);
/*
 * A frame comes for the guest, who gets it when its queue is looked at (device_type.arrive), or
 * behind the present send(). False: it is lost, being no frame, or too many wait; and counted.
 */
bool virtio_net_receive(struct virtio_device *device, const uint8_t *frame, size_t size);

/*
 * The cable has been pulled out, for good: nothing comes or goes any more, and the driver hears of
 * it when its queue is looked at. As virtio_net_receive() with a frame of no bytes.
 */
void virtio_net_unplug(struct virtio_device *device);

/* Is this device a network card? The others are for one alone. */
bool virtio_net_is(const struct virtio_device *device);
/* Have each frame that comes told, with number: NULL for none. */
typedef void virtio_net_watcher(void *ctx, unsigned int number, const uint8_t *frame, size_t size);
void virtio_net_watch(struct virtio_device *device, virtio_net_watcher *watch, void *ctx,
		      unsigned int number);
/* Plug in another link; the one before. */
const struct virtio_link *virtio_net_link(struct virtio_device *device,
					  const struct virtio_link *link);

#endif
