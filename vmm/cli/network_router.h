/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libslirp and the sockets that it makes, in a separate process. It exchanges messages with the
 * guest's process over a socket (base/jail.h):
 *
 * - from the guest's process: its clock, and a frame.
 * - to the guest's process: a frame; or one byte, when the last frame has had all its answers. The
 *   first message is that byte, or a text that says why there is no network.
 */
#ifndef VSPE_CLI_NETWORK_ROUTER_H
#define VSPE_CLI_NETWORK_ROUTER_H

#include "base/jail.h"
#include "cli/network.h"

struct network_message {
	uint64_t clock; /* ns */
	uint8_t frame[VIRTIO_NET_FRAME + 4];
};

/* The arguments of the process. */
struct network_start {
	struct jail jail;
	const struct network_config *config;
};

/* The body of the process, for jail_start(); ctx is a struct network_start. */
void network_route(void *ctx, int socket);

#endif
