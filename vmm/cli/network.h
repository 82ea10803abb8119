/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of the network card's cable: libslirp, a router with NAT in a process of its own,
 * which makes sockets of the host for what the guest connects to. It needs no rights on the host.
 * Its clock is the guest's. When that process ends the card loses its link, and one line on
 * standard error says so.
 *
 * The guest's network is QEMU's: 10.0.2.0/24, of which .2 is the router, and the host's loopback to
 * who connects there, .3 the name server, and .15 what DHCP gives to the guest.
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
	bool restricted;  /* nothing of the guest's leaves vspe's processes */
	bool names;	  /* the host's name server is at .3: /etc/resolv.conf is read for it */
	bool free;	  /* the process has no sandbox */
	struct user user; /* whom it becomes, if given */
	struct network_forward forwards[NETWORK_FORWARDS];
	unsigned int forward_count;
};

struct network;

/* Is anything of such a network input from outside, which no run repeats? */
static inline bool network_is_outside(const struct network_config *config)
{
	return !config->restricted || config->forward_count > 0;
}

/* Is libslirp built in? */
bool network_exists(void);

/*
 * Make it, and the sockets that listen. NULL and a line in why[size] that names what cannot be;
 * network_close() is owed otherwise.
 */
struct network *network_open(const struct network_config *config, char *why, size_t size);
/* NULL is nothing to do. Its process ends, and no frame comes any more. */
void network_close(struct network *network);

/* The end of the cable, for virtio_net_make(); and the card, before the machine runs, with the
 * frequency of that machine's counter. */
const struct virtio_link *network_link(const struct network *network);
void network_plug(struct network *network, struct virtio_device *card, uint32_t counter_hz);

/*
 * What to wait for: fds of room, and how many. Then what poll() has said of them: frames come to
 * the card. Nothing to do in a network that is not outside.
 */
size_t network_fill(const struct network *network, struct pollfd *fds, size_t room);
void network_look(struct network *network, const struct pollfd *fds, size_t count);

#endif
