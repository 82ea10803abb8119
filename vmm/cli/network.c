/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network as the guest's process sees it: a socket to the process that has libslirp. A guest's
 * frame is answered before its send() returns, as if libslirp were here. Unless the network reaches
 * outside nothing else arrives, so runs repeat.
 */
#include "cli/network.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/network_router.h"
#include "cli/signals.h"
#include "device/timer.h"

/* How long the answers to a frame may take. After that the process is gone or broken. */
#define ANSWER_MS   3000
#define START_MS    10000
#define LOOK_MOST   128 /* frames that arrive at once: more than a card keeps */
#define DESCRIPTORS 1024

struct network {
	struct jail_process process; /* no socket: it has ended */
	bool over;		     /* the run is ending, so do not wait for an answer */
	struct virtio_link link;
	struct virtio_device *card;
	uint32_t counter_hz; /* of its host's counter */
	/* The guest's clock restarts at each reset; this one goes on. In ns. */
	uint64_t before, seen;
};

static uint64_t guest_clock(struct network *network)
{
	const struct device_host *host = network->card ? network->card->host : NULL;
	const uint64_t counts = host ? host->now(host->ctx) : 0;
	const uint64_t now = host ? timer_ns(counts, network->counter_hz) : 0;

	if (now < network->seen)
		network->before += network->seen;
	network->seen = now;
	return network->before + now;
}

/* The card's driver sees the link go down, and the guest goes on. */
static void lose(struct network *network, const char *what)
{
	(void)close(network->process.socket);
	network->process.socket = -1;
	cli_message(stderr, "vspe: --net: its process %s: the guest's network card has no link now",
		    what);
	if (network->card)
		virtio_net_unplug(network->card);
}

static void network_send(void *ctx, const uint8_t *frame, size_t size)
{
	struct network *network = ctx;
	struct network_message message = {.clock = guest_clock(network)};
	const int64_t until = jail_now() + ANSWER_MS;
	uint8_t answer[VIRTIO_NET_FRAME];
	ssize_t got;

	if (network->process.socket < 0 || network->over)
		return;
	memcpy(message.frame, frame, size);
	if (write(network->process.socket, &message, sizeof(message.clock) + size) < 0) {
		lose(network, "has ended");
		return;
	}
	do {
		got = jail_hear(network->process.socket, answer, sizeof(answer), until,
				signals_over);
		if (got > 1 && network->card)
			(void)virtio_net_receive(network->card, answer, (size_t)got);
	} while (got > 1 && jail_now() < until);
	if (got > 1)
		got = -ETIMEDOUT;
	network->over = got == -ECANCELED;
	if (got != 1 && !network->over)
		lose(network, jail_what(got));
}

size_t network_fill(const struct network *network, struct pollfd *fds, size_t room)
{
	if (!network->link.outside || network->process.socket < 0 || room == 0)
		return 0;
	fds[0] = (struct pollfd){.fd = network->process.socket, .events = POLLIN};
	return 1;
}

void network_look(struct network *network, const struct pollfd *fds, size_t count)
{
	uint8_t frame[VIRTIO_NET_FRAME];
	ssize_t got = 1;

	if (count == 0 || !fds[0].revents || network->process.socket < 0)
		return;
	for (unsigned int n = 0; n < LOOK_MOST; n++) {
		got = jail_hear(network->process.socket, frame, sizeof(frame), 0, NULL);
		if (got <= 1)
			break;
		if (network->card)
			(void)virtio_net_receive(network->card, frame, (size_t)got);
	}
	if (got <= 1 && got != -ETIMEDOUT)
		lose(network, jail_what(got));
}

#ifdef VSPE_SLIRP

bool network_exists(void)
{
	return true;
}

/* 0 once it is ready, or -1 and why. */
static int start(struct network *network, const struct network_config *config, char *why,
		 size_t size)
{
	const bool outside = network_is_outside(config);
	struct network_start start = {
		.jail = {.off = config->free,
			 .needs = (outside ? SANDBOX_SOCKETS : 0) |
				  (config->names ? SANDBOX_RESOLVE : 0),
			 .network = outside,
			 .folder = -1,
			 .protections = cli_protections(),
			 .user = config->user.given ? &config->user : NULL,
			 .descriptors = DESCRIPTORS},
		.config = config,
	};
	const int error = jail_start(&start.jail, network_route, &start, &network->process);
	ssize_t got;

	if (error < 0) {
		(void)snprintf(why, size, "its process: %s", strerror(-error));
		return -1;
	}
	got = jail_hear(network->process.socket, why, size - 1, jail_now() + START_MS, NULL);
	if (got == 1)
		return 0;
	if (got > 1)
		why[got] = '\0';
	else
		(void)snprintf(why, size, "its process %s", jail_what(got));
	return -1;
}

#else /* a static vspe: Debian has no libslirp.a */

bool network_exists(void)
{
	return false;
}

static int start(struct network *network, const struct network_config *config, char *why,
		 size_t size)
{
	(void)network, (void)config;
	(void)snprintf(why, size, "this vspe is built without libslirp");
	return -1;
}

#endif

struct network *network_open(const struct network_config *config, char *why, size_t size)
{
	struct network *network = calloc(1, sizeof(*network));

	if (!network) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	(void)signal(SIGPIPE, SIG_IGN); /* write() then reports a process that has ended */
	*network = (struct network){.process = {-1, -1},
				    .link = {.ctx = network,
					     .send = network_send,
					     .outside = network_is_outside(config),
					     .checked = true}};
	if (start(network, config, why, size) == 0)
		return network;
	network_close(network);
	return NULL;
}

/* After that its listening ports are free again. */
void network_close(struct network *network)
{
	if (!network)
		return;
	jail_end(&network->process);
	free(network);
}

const struct virtio_link *network_link(const struct network *network)
{
	return &network->link;
}

void network_plug(struct network *network, struct virtio_device *card, uint32_t counter_hz)
{
	network->card = card;
	network->counter_hz = counter_hz;
}
