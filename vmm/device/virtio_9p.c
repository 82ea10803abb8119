// SPDX-License-Identifier: BSD-2-Clause
/*
 * A folder of the host's (virtio 1.2, 5.7): messages of 9P2000.L in requests of one queue. A
 * request is copied before it is looked at, as another vCPU may write to it meanwhile.
 */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "device/p9_session.h"
#include "device/virtio.h"

#define P9_ID		 9
#define DESCRIPTORS_ELSE 512 /* of disks, sockets and files of the run */
#define FEATURE_TAG	 (UINT64_C(1) << 0)

struct virtio_9p {
	struct virtio_device device;
	struct p9_session session;
	uint8_t request[P9_SIZE_MOST], answer[P9_SIZE_MOST];
};

/* A message has its size in front, and what is behind it in the buffers is not looked at. */
static int p9_request(struct virtio_device *device, unsigned int queue,
		      const struct virtio_chain *chain, uint32_t *written)
{
	struct virtio_9p *folder = (struct virtio_9p *)device;
	uint8_t *bytes = folder->request;
	const uint64_t flushes = device->counts.flushes;
	uint64_t room = chain->write_size;
	uint32_t size, sent;

	(void)queue;
	if (chain->read_size < P9_HEADER || room < P9_ERROR)
		return VIRTIO_BAD_REQUEST;
	virtio_chain_get(chain, 0, bytes, 4);
	size = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	if (size < P9_HEADER || size > chain->read_size || size > sizeof(folder->request))
		return VIRTIO_BAD_REQUEST;
	virtio_chain_get(chain, 4, bytes + 4, size - 4);
	if (room > sizeof(folder->answer))
		room = sizeof(folder->answer);
	sent = size;
	size = (uint32_t)p9_answer(&folder->session, bytes, size, folder->answer, room);
	virtio_chain_put(chain, 0, folder->answer, size);
	device->work += device->counts.flushes != flushes ? DEVICE_PIECE : size + sent;
	*written = size;
	return 0;
}

static void p9_restart(struct virtio_device *device)
{
	p9_session_end(&((struct virtio_9p *)device)->session);
}

/* The folder, below which files can be opened on this host. A negative errno: not. */
static int open_root(const char *path)
{
	const int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int folder, error;

	if (root < 0)
		return -errno;
	folder = p9_open_beneath(root, "", O_RDONLY | O_DIRECTORY, 0);
	if (folder >= 0) {
		(void)close(folder);
		return root;
	}
	error = folder;
	(void)close(root);
	return error;
}

/*
 * How many files can be open: a client that caches keeps one for each that it has written. As many
 * descriptors as the host lets this process have, less those of everything else.
 */
static unsigned int open_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return DESCRIPTORS_ELSE;
	if (limit.rlim_cur < P9_FIDS + DESCRIPTORS_ELSE) {
		limit.rlim_cur = P9_FIDS + DESCRIPTORS_ELSE;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		(void)getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= P9_FIDS + DESCRIPTORS_ELSE)
		return P9_FIDS;
	return (unsigned int)(limit.rlim_cur > 2 * DESCRIPTORS_ELSE
				      ? limit.rlim_cur - DESCRIPTORS_ELSE
				      : limit.rlim_cur / 2);
}

struct virtio_device *virtio_9p_open(const char *path, const char *tag, bool read_only, char *why,
				     size_t size)
{
	const size_t length = strlen(tag);
	struct virtio_9p *folder = calloc(1, sizeof(*folder));
	const int root = folder ? open_root(path) : -ENOMEM;

	if (root < 0) {
		(void)snprintf(why, size, "%s",
			       root == -ENOSYS ? "this kernel has no openat2 (Linux 5.6)"
					       : strerror(-root));
		free(folder);
		return NULL;
	}
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
	folder->session.root = root;
	folder->session.read_only = read_only;
	folder->session.open_most = open_most();
	folder->session.counts = &folder->device.counts;
	return &folder->device;
}

void virtio_9p_close(struct virtio_device *device)
{
	struct virtio_9p *folder = (struct virtio_9p *)device;

	if (!folder)
		return;
	p9_session_end(&folder->session);
	(void)close(folder->session.root);
	free(folder);
}
