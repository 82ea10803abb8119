/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of a folder, and the messages between it and the guest's process. */
#ifndef VSPE_CLI_SHARE_FILES_H
#define VSPE_CLI_SHARE_FILES_H

#include "base/jail.h"
#include "cli/share.h"
#include "device/p9_session.h"

#define SHARE_SPARE 64 /* descriptors of the process that guest files cannot use */

/* Shared by both. Either may be hostile, and write to it at any time. */
struct share_memory {
	uint8_t message[P9_SIZE_MOST], answer[P9_SIZE_MOST];
};

/* Sent on the socket: there is a message, and how much room its answer has. */
struct share_said {
	uint32_t size, room;
	uint32_t anew; /* not 0: the previous session has ended */
};

/* ... and the answer is there. */
struct share_heard {
	uint32_t size;
	struct virtio_counts counts;
};

/* Its arguments. */
struct share_start {
	struct jail jail;
	bool read_only;
	struct share_memory *memory;
};

/*
 * The body of its process (jail_start()), for a struct share_start. The first message is one byte,
 * or the reason for failure.
 */
void share_serve(void *ctx, int socket);

#endif
