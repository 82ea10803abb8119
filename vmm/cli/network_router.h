/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libslirp, and the sockets that it makes, in a process of their own. Each message is one of the
 * socket between it and the guest's process (base/jail.h):
 *
 * - from the guest's: its clock, and a frame.
 * - to it: a frame; or one byte, when the frame that was sent has had all its answers. The first
 *   message is that byte, or a text that says why there is no network.
 */
#ifndef VSPE_CLI_NETWORK_ROUTER_H
#define VSPE_CLI_NETWORK_ROUTER_H

#include "base/jail.h"
#include "cli/network.h"

struct network_message {
	uint64_t clock; /* ns */
	uint8_t frame[VIRTIO_NET_FRAME + 4];
};

/* What the process starts with. */
struct network_start {
	struct jail jail;
	const struct network_config *config;
};

/* What the process does, for jail_start(); ctx: struct network_start. */
void network_route(void *ctx, int socket);

#endif
