// SPDX-License-Identifier: BSD-2-Clause
/*
 * The network, as the guest's process has it: a socket to the process that has libslirp. A frame of
 * the guest's is answered before its send() returns, as if libslirp were here: of a network that is
 * not outside nothing else comes, and so runs repeat.
 */
#include "cli/network.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/jail.h"
#include "cli/cli.h"
#include "cli/network_router.h"
#include "device/timer.h"

/* That a frame's answers may take: the process is gone, or no good, then. */
#define ANSWER_MS 3000
#define START_MS  10000
#define LOOK_MOST 128 /* frames that come at once: more than a card keeps */

struct network {
	int socket; /* -1: its process is gone */
	struct virtio_link link;
	struct virtio_device *card;
	uint32_t counter_hz; /* of its host's counter */
	/* The guest's clock begins anew with each reset, and this one goes on: ns. */
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

static int64_t host_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The card's driver hears of it, and the guest goes on. */
static void lose(struct network *network, const char *what)
{
	(void)close(network->socket);
	network->socket = -1;
	cli_message(stderr, "vspe: --net: its process %s: the guest's network card has no link now",
		    what);
	if (network->card)
		virtio_net_unplug(network->card);
}

/*
 * The next message, by that time of the host's: its size; 0: the process is gone; a negative errno,
 * -ETIMEDOUT if there is none. One that is there already is taken at any time: a caller that wants
 * more than one looks at the time itself, as there may be no end of them.
 */
static ssize_t hear(const struct network *network, void *bytes, size_t room, int64_t until)
{
	struct pollfd readable = {.fd = network->socket, .events = POLLIN};
	ssize_t size = -ETIMEDOUT;
	int ready;

	do {
		const int64_t left = until - host_ms();

		ready = poll(&readable, 1, left > 0 ? (int)left : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready > 0) {
		size = read(network->socket, bytes, room);
		if (size < 0)
			size = errno == ECONNRESET ? 0 : -errno;
	}
	return size;
}

static const char *what_happened(ssize_t size)
{
	return size == 0 ? "has ended" : size == -ETIMEDOUT ? "does not answer" : "makes no sense";
}

static void network_send(void *ctx, const uint8_t *frame, size_t size)
{
	struct network *network = ctx;
	struct network_message message = {.clock = guest_clock(network)};
	const int64_t until = host_ms() + ANSWER_MS;
	uint8_t answer[VIRTIO_NET_FRAME];
	ssize_t got;

	if (network->socket < 0)
		return;
	memcpy(message.frame, frame, size);
	if (write(network->socket, &message, sizeof(message.clock) + size) < 0) {
		lose(network, "has ended");
		return;
	}
	do {
		got = hear(network, answer, sizeof(answer), until);
		if (got > 1 && network->card)
			(void)virtio_net_receive(network->card, answer, (size_t)got);
	} while (got > 1 && host_ms() < until);
	if (got > 1)
		got = -ETIMEDOUT;
	if (got != 1)
		lose(network, what_happened(got));
}

size_t network_fill(const struct network *network, struct pollfd *fds, size_t room)
{
	if (!network->link.outside || network->socket < 0 || room == 0)
		return 0;
	fds[0] = (struct pollfd){.fd = network->socket, .events = POLLIN};
	return 1;
}

void network_look(struct network *network, const struct pollfd *fds, size_t count)
{
	uint8_t frame[VIRTIO_NET_FRAME];
	ssize_t got = 1;

	if (count == 0 || !fds[0].revents || network->socket < 0)
		return;
	for (unsigned int n = 0; n < LOOK_MOST; n++) {
		got = hear(network, frame, sizeof(frame), 0);
		if (got <= 1)
			break;
		if (network->card)
			(void)virtio_net_receive(network->card, frame, (size_t)got);
	}
	if (got <= 1 && got != -ETIMEDOUT)
		lose(network, what_happened(got));
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
	ssize_t got;

	network->socket = jail_start(network_route, (void *)(uintptr_t)config);
	if (network->socket < 0) {
		(void)snprintf(why, size, "its process: %s", strerror(-network->socket));
		return -1;
	}
	got = hear(network, why, size - 1, host_ms() + START_MS);
	if (got == 1)
		return 0;
	if (got > 1)
		why[got] = '\0';
	else
		(void)snprintf(why, size, "its process %s", what_happened(got));
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
	(void)signal(SIGPIPE, SIG_IGN); /* a process that has ended is an error of write() */
	*network = (struct network){.socket = -1,
				    .link = {.ctx = network,
					     .send = network_send,
					     .outside = network_is_outside(config),
					     .checked = true}};
	if (start(network, config, why, size) == 0)
		return network;
	network_close(network);
	return NULL;
}

/* The process is waited for, but not long: what it listens at is free behind that. */
void network_close(struct network *network)
{
	const uint64_t end = 0;
	const int64_t until = host_ms() + ANSWER_MS;
	uint8_t frame[VIRTIO_NET_FRAME];

	if (!network)
		return;
	if (network->socket >= 0) {
		if (write(network->socket, &end, sizeof(end)) > 0)
			while (host_ms() < until && hear(network, frame, sizeof(frame), until) > 0)
				;
		(void)close(network->socket);
	}
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
