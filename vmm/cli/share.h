/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of --share. A separate process opens its files and parses the guest's 9P messages. The
 * guest's process has no descriptor of the folder. Messages and their answers are in memory that
 * both share, and a socket announces them. When that process ends, each request fails, and one line
 * on standard error says so.
 */
#ifndef VSPE_CLI_SHARE_H
#define VSPE_CLI_SHARE_H

#include <stdbool.h>

#include "device/virtio.h"

/* As long as Linux waits before it reports a hung task. */
#define SHARE_ANSWER_MS 120000

struct user;

struct share_config {
	const char *path;
	bool read_only;
	bool free;		 /* its process has no sandbox */
	const struct user *user; /* the user that its process becomes; NULL: no change */
	unsigned int answer_ms;	 /* how long an answer may take before the process is given up */
};

struct share;

/*
 * Make it, before there are threads. NULL and a line in why[size] without the path; otherwise the
 * caller owes share_close().
 */
struct share *share_open(const struct share_config *config, char *why, size_t size);
/* Ends its process, and so releases what that holds of the folder. NULL is allowed. */
void share_close(struct share *share);

/* For virtio_9p_make(). */
const struct virtio_server *share_server(const struct share *share);

#endif
