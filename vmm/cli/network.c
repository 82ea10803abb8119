// SPDX-License-Identifier: BSD-2-Clause
/* The network by libslirp: see network.h. */
#include "cli/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VSPE_SLIRP

#include <glib.h>
#include <libslirp.h>

#include "device/timer.h"

struct network {
	Slirp *slirp;
	struct virtio_link link;
	struct virtio_device *card;
	uint32_t counter_hz; /* of its host's counter */
	/* The guest's clock begins anew with each reset, and this one goes on: ns. */
	uint64_t before, seen;
	/* Those of network_fill(), for the callbacks of libslirp; then of network_look(). */
	struct pollfd *fds;
	const struct pollfd *polled;
	size_t room, count;
};

static ssize_t take_frame(const void *frame, size_t size, void *ctx)
{
	struct network *network = ctx;

	if (network->card)
		(void)virtio_net_receive(network->card, frame, size);
	return (ssize_t)size; /* what is lost is sent again by whoever wants that */
}

static int64_t guest_clock(void *ctx)
{
	struct network *network = ctx;
	const struct device_host *host = network->card ? network->card->host : NULL;
	const uint64_t counts = host ? host->now(host->ctx) : 0;
	const uint64_t now = host ? timer_ns(counts, network->counter_hz) : 0;

	if (now < network->seen)
		network->before += network->seen;
	network->seen = now;
	return (int64_t)(network->before + now);
}

static void ignore(void *ctx)
{
	(void)ctx;
}

static void ignore_fd(int fd, void *ctx)
{
	(void)fd, (void)ctx;
}

static void ignore_text(const char *message, void *ctx)
{
	(void)message, (void)ctx;
}

/* Timers are of IPv6 alone, which there is not. */
static void *timer_new(SlirpTimerCb call, void *call_ctx, void *ctx)
{
	(void)call, (void)call_ctx;
	return ctx;
}

static void timer_free(void *timer, void *ctx)
{
	(void)timer, (void)ctx;
}

static void timer_mod(void *timer, int64_t ms, void *ctx)
{
	(void)timer, (void)ms, (void)ctx;
}

static const SlirpCb callbacks = {
	.send_packet = take_frame,
	.guest_error = ignore_text,
	.clock_get_ns = guest_clock,
	.timer_new = timer_new,
	.timer_free = timer_free,
	.timer_mod = timer_mod,
	.register_poll_fd = ignore_fd,
	.unregister_poll_fd = ignore_fd,
	.notify = ignore,
};

/* What libslirp says, a guest can bring about as often as it likes. */
static void drop_message(const gchar *domain, GLogLevelFlags level, const gchar *message,
			 gpointer ctx)
{
	(void)domain, (void)level, (void)message, (void)ctx;
}

/* SLIRP_POLL_* and poll()'s are bits each, by other numbers. */
static const struct {
	int slirp;
	short poll;
} events_of[] = {
	{SLIRP_POLL_IN, POLLIN},   {SLIRP_POLL_OUT, POLLOUT}, {SLIRP_POLL_PRI, POLLPRI},
	{SLIRP_POLL_ERR, POLLERR}, {SLIRP_POLL_HUP, POLLHUP},
};

#define EVENTS (sizeof(events_of) / sizeof(events_of[0]))

/* A socket that there is no room for is looked at when others are gone. */
static int add_fd(int fd, int events, void *ctx)
{
	struct network *network = ctx;
	struct pollfd *to = &network->fds[network->count];

	if (network->count == network->room)
		return -1;
	*to = (struct pollfd){.fd = fd};
	for (size_t i = 0; i < EVENTS; i++)
		if (events & events_of[i].slirp)
			to->events = (short)(to->events | events_of[i].poll);
	return (int)network->count++;
}

static int events_at(int index, void *ctx)
{
	const struct network *network = ctx;
	int events = 0;

	if (index < 0 || (size_t)index >= network->count)
		return 0;
	for (size_t i = 0; i < EVENTS; i++)
		if (network->polled[index].revents & events_of[i].poll)
			events |= events_of[i].slirp;
	return events;
}

size_t network_fill(struct network *network, struct pollfd *fds, size_t room, int *timeout_ms)
{
	uint32_t most = *timeout_ms < 0 ? UINT32_MAX : (uint32_t)*timeout_ms;

	if (!network->link.outside)
		return 0;
	network->fds = fds;
	network->room = room;
	network->count = 0;
	slirp_pollfds_fill(network->slirp, &most, add_fd, network);
	*timeout_ms = most > INT32_MAX ? -1 : (int)most;
	return network->count;
}

void network_look(struct network *network, const struct pollfd *fds, size_t count)
{
	if (!network->link.outside)
		return;
	network->polled = fds;
	network->count = count;
	slirp_pollfds_poll(network->slirp, 0, events_at, network);
}

/*
 * What the guest sends may be answered at once: by the router, and by a socket that has something.
 * A network that is not outside does its other work here too, by no sockets: nothing but what the
 * guest does decides when.
 */
static void network_send(void *ctx, const uint8_t *frame, size_t size)
{
	struct network *network = ctx;
	struct pollfd fds[NETWORK_FDS];
	uint32_t timeout = 0;

	slirp_input(network->slirp, frame, (int)size);
	network->fds = fds;
	network->room = network->link.outside ? NETWORK_FDS : 0;
	network->count = 0;
	slirp_pollfds_fill(network->slirp, &timeout, add_fd, network);
	if (network->count > 0)
		(void)poll(fds, network->count, 0);
	network->polled = fds;
	slirp_pollfds_poll(network->slirp, 0, events_at, network);
}

/* An address of the guest's network. */
static struct in_addr address(unsigned int host)
{
	return (struct in_addr){htonl(UINT32_C(0x0a000200) | host)};
}

static int listen_at(const struct network *network, const struct network_forward *forward,
		     char *why, size_t size)
{
	struct in_addr guest = forward->guest;
	char host[INET_ADDRSTRLEN] = "";

	if (guest.s_addr == 0)
		guest = address(15);
	if (slirp_add_hostfwd(network->slirp, forward->udp, forward->host, forward->host_port,
			      guest, forward->guest_port) == 0)
		return 0;
	(void)snprintf(why, size, "hostfwd: %s port %u of %s cannot be listened at: %s",
		       forward->udp ? "UDP" : "TCP", (unsigned int)forward->host_port,
		       inet_ntop(AF_INET, &forward->host, host, sizeof(host)), strerror(errno));
	return -1;
}

bool network_exists(void)
{
	return true;
}

struct network *network_open(const struct network_config *config, char *why, size_t size)
{
	const SlirpConfig slirp = {
		.version = 4,
		.restricted = config->restricted,
		.in_enabled = true,
		.vnetwork = address(0),
		.vnetmask = {htonl(UINT32_C(0xffffff00))},
		.vhost = address(2),
		.vdhcp_start = address(15),
		.vnameserver = address(3),
		.disable_dns = !config->names,
	};
	struct network *network = calloc(1, sizeof(*network));

	if (!network) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	(void)g_log_set_default_handler(drop_message, NULL);
	network->link = (struct virtio_link){
		.ctx = network, .send = network_send, .outside = network_is_outside(config)};
	network->slirp = slirp_new(&slirp, &callbacks, network);
	for (unsigned int i = 0; i < config->forward_count; i++) {
		if (listen_at(network, &config->forwards[i], why, size) == 0)
			continue;
		network_close(network);
		return NULL;
	}
	return network;
}

void network_close(struct network *network)
{
	if (!network)
		return;
	network->card = NULL;
	slirp_cleanup(network->slirp);
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

#else /* a static vspe: Debian has no libslirp.a */

bool network_exists(void)
{
	return false;
}

struct network *network_open(const struct network_config *config, char *why, size_t size)
{
	(void)config;
	(void)snprintf(why, size, "this vspe is built without libslirp");
	return NULL;
}

void network_close(struct network *network)
{
	(void)network;
}

const struct virtio_link *network_link(const struct network *network)
{
	(void)network;
	return NULL;
}

void network_plug(struct network *network, struct virtio_device *card, uint32_t counter_hz)
{
	(void)network, (void)card, (void)counter_hz;
}

size_t network_fill(struct network *network, struct pollfd *fds, size_t room, int *timeout_ms)
{
	(void)network, (void)fds, (void)room, (void)timeout_ms;
	return 0;
}

void network_look(struct network *network, const struct pollfd *fds, size_t count)
{
	(void)network, (void)fds, (void)count;
}

#endif
