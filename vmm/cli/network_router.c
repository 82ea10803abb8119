/* SPDX-License-Identifier: BSD-2-Clause */
/* libslirp, in the network's process: see network_router.h. */
#include "cli/network_router.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <libslirp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/jail.h"

#define DONE 0 /* the only message of one byte: not a frame */

struct router {
	Slirp *slirp;
	int socket;
	bool outside, gone;	  /* ... and whether the other end is */
	uint64_t clock, heard_at; /* the guest's clock, and the host's when it arrived: ns */
	/* The arguments of fill(), for the callbacks of libslirp. */
	struct pollfd *fds;
	size_t room, count;
};

static uint64_t host_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void tell(struct router *router, const void *bytes, size_t size)
{
	ssize_t told;

	do
		told = write(router->socket, bytes, size);
	while (told < 0 && errno == EINTR);
	router->gone = router->gone || told < 0;
}

static ssize_t put_frame(const void *frame, size_t size, void *ctx)
{
	struct router *router = ctx;

	if (size >= 14 && size <= VIRTIO_NET_FRAME)
		tell(router, frame, size);
	return (ssize_t)size; /* a lost frame is sent again if it matters */
}

/* The guest's clock; connections outside may need it to go on while the guest is silent. */
static int64_t guest_clock(void *ctx)
{
	const struct router *router = ctx;

	return (int64_t)(router->clock + (router->outside ? host_clock() - router->heard_at : 0));
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

/* Only IPv6 needs timers, and it is off. */
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
	.send_packet = put_frame,
	.guest_error = ignore_text,
	.clock_get_ns = guest_clock,
	.timer_new = timer_new,
	.timer_free = timer_free,
	.timer_mod = timer_mod,
	.register_poll_fd = ignore_fd,
	.unregister_poll_fd = ignore_fd,
	.notify = ignore,
};

/* A guest can make libslirp print messages as often as it likes. */
static void drop_message(const gchar *domain, GLogLevelFlags level, const gchar *message,
			 gpointer ctx)
{
	(void)domain, (void)level, (void)message, (void)ctx;
}

/* SLIRP_POLL_* and poll()'s flags are single bits with different numbers. */
static const struct {
	int slirp;
	short poll;
} events_of[] = {
	{SLIRP_POLL_IN, POLLIN},   {SLIRP_POLL_OUT, POLLOUT}, {SLIRP_POLL_PRI, POLLPRI},
	{SLIRP_POLL_ERR, POLLERR}, {SLIRP_POLL_HUP, POLLHUP},
};

#define EVENTS (sizeof(events_of) / sizeof(events_of[0]))

/* A socket without room here is polled once others are gone. */
static int add_fd(int fd, int events, void *ctx)
{
	struct router *router = ctx;
	struct pollfd *to = &router->fds[router->count];

	if (router->count == router->room)
		return -1;
	*to = (struct pollfd){.fd = fd};
	for (size_t i = 0; i < EVENTS; i++)
		if (events & events_of[i].slirp)
			to->events = (short)(to->events | events_of[i].poll);
	return (int)router->count++;
}

static int events_at(int index, void *ctx)
{
	const struct router *router = ctx;
	int events = 0;

	if (index < 0 || (size_t)index >= router->count)
		return 0;
	for (size_t i = 0; i < EVENTS; i++)
		if (router->fds[index].revents & events_of[i].poll)
			events |= events_of[i].slirp;
	return events;
}

/*
 * Put what libslirp waits for after the first of fds. *timeout_ms, where -1 means for ever, may get
 * shorter.
 */
static size_t fill(struct router *router, struct pollfd *fds, size_t room, int *timeout_ms)
{
	uint32_t most = *timeout_ms < 0 ? UINT32_MAX : (uint32_t)*timeout_ms;

	router->fds = fds;
	router->room = room;
	router->count = 0;
	slirp_pollfds_fill(router->slirp, &most, add_fd, router);
	*timeout_ms = most > INT32_MAX ? -1 : (int)most;
	return router->count;
}

/*
 * The router, or a socket with data, may answer a guest's frame at once. A network without an
 * outside does all its other work here too, without sockets, so only the guest's actions decide
 * when.
 */
static void take_frame(struct router *router, const uint8_t *frame, size_t size)
{
	struct pollfd fds[NETWORK_FDS];
	int timeout = 0;

	slirp_input(router->slirp, frame, (int)size);
	(void)fill(router, fds, router->outside ? NETWORK_FDS : 0, &timeout);
	if (router->count > 0)
		(void)poll(fds, router->count, 0);
	slirp_pollfds_poll(router->slirp, 0, events_at, router);
}

/* An address of the guest's network. */
static struct in_addr address(unsigned int host)
{
	return (struct in_addr){htonl(UINT32_C(0x0a000200) | host)};
}

static int listen_at(const struct router *router, const struct network_forward *forward, char *why,
		     size_t size)
{
	struct in_addr guest = forward->guest;
	char host[INET_ADDRSTRLEN] = "";

	if (guest.s_addr == 0)
		guest = address(15);
	if (slirp_add_hostfwd(router->slirp, forward->udp, forward->host, forward->host_port, guest,
			      forward->guest_port) == 0)
		return 0;
	(void)snprintf(why, size, "hostfwd: %s port %u of %s cannot be listened at: %s",
		       forward->udp ? "UDP" : "TCP", (unsigned int)forward->host_port,
		       inet_ntop(AF_INET, &forward->host, host, sizeof(host)), strerror(errno));
	return -1;
}

/* A message of the guest's process: its clock, and a frame. */
static void hear(struct router *router)
{
	static const uint8_t done = DONE;
	struct network_message message;
	const ssize_t size = read(router->socket, &message, sizeof(message));
	uint64_t now;

	if (size < 0 && errno == EINTR)
		return;
	if (size < (ssize_t)sizeof(message.clock) + 14) {
		router->gone = true;
		return;
	}
	now = (uint64_t)guest_clock(router);
	router->clock = message.clock > now ? message.clock : now;
	router->heard_at = host_clock();
	take_frame(router, message.frame, (size_t)size - sizeof(message.clock));
	tell(router, &done, sizeof(done));
}

static void serve(struct router *router)
{
	struct pollfd fds[1 + NETWORK_FDS];

	while (!router->gone) {
		int timeout = -1;
		size_t sockets = 0;

		fds[0] = (struct pollfd){.fd = router->socket, .events = POLLIN};
		if (router->outside)
			sockets = fill(router, &fds[1], NETWORK_FDS, &timeout);
		if (poll(fds, 1 + sockets, timeout) < 0)
			continue;
		if (router->outside)
			slirp_pollfds_poll(router->slirp, 0, events_at, router);
		if (fds[0].revents)
			hear(router);
	}
}

/* 0, or -1 and why. */
static int open_router(struct router *router, const struct network_start *start, char *why,
		       size_t size)
{
	const struct network_config *config = start->config;
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
	int error = 0;

	(void)g_log_set_default_handler(drop_message, NULL);
	router->slirp = slirp_new(&slirp, &callbacks, router);
	for (unsigned int i = 0; i < config->forward_count && error == 0; i++)
		error = listen_at(router, &config->forwards[i], why, size);
	if (error < 0)
		return -1;
	return jail_enter(&start->jail, why, size) < 0 ? -1 : 0;
}

void network_route(void *ctx, int socket)
{
	static const uint8_t done = DONE;
	const struct network_start *start = ctx;
	struct router router = {.socket = socket,
				.outside = network_is_outside(start->config),
				.heard_at = host_clock()};
	char why[256];

	if (open_router(&router, start, why, sizeof(why)) < 0) {
		tell(&router, why, strlen(why));
	} else {
		tell(&router, &done, sizeof(done));
		serve(&router);
	}
	/* Listening ports are free again before the other side learns of the end. */
	slirp_cleanup(router.slirp);
}
