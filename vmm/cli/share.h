/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of --share: its files are opened, and the guest's messages of 9P are taken apart, in a
 * process of its own. The guest's process has no descriptor of the folder. Messages and their
 * answers lie in memory that both share, and a socket says that they are there. When that process
 * ends, each request fails, and one line on standard error says so.
 */
#ifndef VSPE_CLI_SHARE_H
#define VSPE_CLI_SHARE_H

#include <stdbool.h>

#include "device/virtio.h"

/* As long as the kernel of a Linux waits before it says that a task hangs. */
#define SHARE_ANSWER_MS 120000

struct user;

struct share_config {
	const char *path;
	bool read_only;
	bool free;		 /* its process has no sandbox */
	const struct user *user; /* whom its process becomes; NULL: it stays who this one is */
	unsigned int answer_ms;	 /* that an answer may take: the process is no good, then */
};

struct share;

/* Make it. NULL and a line in why[size] without the path; share_close() is owed otherwise. Before
 * there are threads. */
struct share *share_open(const struct share_config *config, char *why, size_t size);
/* NULL is nothing to do. Its process ends, and with it whatever it holds of the folder. */
void share_close(struct share *share);

/* For virtio_9p_make(). */
const struct virtio_server *share_server(const struct share *share);

#endif
