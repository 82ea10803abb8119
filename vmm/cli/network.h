/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of the network card's cable: libslirp, a router with NAT, in a separate process,
 * which opens sockets on the host for what the guest connects to. It needs no rights on the host.
 * Its clock is the guest's. When that process ends the card loses its link, and one line on
 * standard error says so.
 *
 * The guest's network is QEMU's: 10.0.2.0/24. There .2 is the router, where connections reach the
 * host's loopback, .3 is the name server, and .15 is what DHCP gives to the guest.
 */
#ifndef VSPE_CLI_NETWORK_H
#define VSPE_CLI_NETWORK_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>

#include "base/user.h"
#include "device/virtio.h"

#define NETWORK_FORWARDS 16
#define NETWORK_FDS	 256 /* sockets that the process looks at, at most */

/* A port of the host, whose connections or datagrams go to one of the guest. */
struct network_forward {
	bool udp;
	struct in_addr host, guest;
	uint16_t host_port, guest_port;
};

struct network_config {
	bool restricted;  /* no guest traffic leaves vspe's processes */
	bool names;	  /* the host's name server is at .3: needs /etc/resolv.conf */
	bool free;	  /* the process has no sandbox */
	struct user user; /* that it becomes, if given */
	struct network_forward forwards[NETWORK_FORWARDS];
	unsigned int forward_count;
};

struct network;

/* Does the network bring input from outside, which no run repeats? */
static inline bool network_is_outside(const struct network_config *config)
{
	return !config->restricted || config->forward_count > 0;
}

/* Is libslirp built in? */
bool network_exists(void);

/*
 * Make the network and its listening sockets. NULL and a line in why[size] that names what failed;
 * otherwise the caller owes network_close().
 */
struct network *network_open(const struct network_config *config, char *why, size_t size);
/* Ends its process, after which no frame arrives. NULL is allowed. */
void network_close(struct network *network);

/*
 * The end of the cable, for virtio_net_make(). Then plug in the card before the machine runs, with
 * the frequency of that machine's counter.
 */
const struct virtio_link *network_link(const struct network *network);
void network_plug(struct network *network, struct virtio_device *card, uint32_t counter_hz);

/*
 * Fill up to room descriptors to wait for, and return how many. Then pass on what poll() said of
 * them, and frames reach the card. Both do nothing unless the network reaches outside.
 */
size_t network_fill(const struct network *network, struct pollfd *fds, size_t room);
void network_look(struct network *network, const struct pollfd *fds, size_t count);

#endif
