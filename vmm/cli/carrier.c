// SPDX-License-Identifier: BSD-2-Clause
/* The process that carries bytes: see carrier.h. */
#include "cli/carrier.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jail.h"

struct carrier {
	const struct address *address;
	bool open;
};

static void tell(int socket, enum carrier_word word, const char *text)
{
	char message[128];
	const int size = snprintf(message, sizeof(message), "%c%s", word, text);

	(void)!write(socket, message, (size_t)size);
}

/* Connected, or a negative errno. */
static int connect_to(const struct address *address)
{
	const struct timeval most = {.tv_sec = CARRIER_SILENCE_S};
	const int peer = socket(address->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (peer < 0)
		return -errno;
	(void)setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	if (connect(peer, (const struct sockaddr *)&address->to, address->size) == 0 &&
	    fcntl(peer, F_SETFL, O_NONBLOCK) == 0)
		return peer;
	error = errno == EINPROGRESS ? ETIMEDOUT : errno;
	(void)close(peer);
	return -error;
}

/* Write what there is to the peer. The rest of it is at *at. 0, or an errno. */
static int give(int peer, const uint8_t *bytes, size_t *at, size_t size)
{
	const ssize_t wrote = write(peer, bytes + *at, size - *at);

	if (wrote > 0)
		*at += (size_t)wrote;
	return wrote < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

/* Bytes of the peer's to the guest's process. 0, or an errno; -1: the peer has ended. */
static int take(int socket, int peer)
{
	uint8_t message[1 + CARRIER_BYTES] = {CARRIER_DATA};
	const ssize_t got = read(peer, message + 1, CARRIER_BYTES);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : errno;
	if (got == 0)
		return -1;
	return write(socket, message, 1 + (size_t)got) < 0 ? errno : 0;
}

/* Until one of both has ended. 0, or an errno. */
static int relay(int socket, int peer)
{
	uint8_t message[1 + CARRIER_BYTES];
	size_t size = 0, at = 0;
	int error = 0;

	while (error == 0) {
		const bool full = at < size;
		struct pollfd fds[] = {
			{.fd = full ? -1 : socket, .events = POLLIN},
			{.fd = peer, .events = (short)(POLLIN | (full ? POLLOUT : 0))}};
		const int ready = poll(fds, 2, full ? CARRIER_SILENCE_S * 1000 : -1);

		if (ready == 0)
			return ETIMEDOUT;
		if (fds[0].revents) {
			const ssize_t got = read(socket, message, sizeof(message));

			if (got <= 0 || message[0] == CARRIER_QUIT)
				return 0;
			at = message[0] == CARRIER_DATA ? 1 : (size_t)got;
			size = (size_t)got;
		}
		if (fds[1].revents & POLLOUT)
			error = give(peer, message, &at, size);
		if (error == 0 && fds[1].revents & ~POLLOUT)
			error = take(socket, peer);
	}
	return error < 0 ? 0 : error;
}

/* The process of a connection. Its exit code: 0, or an errno. */
static int carry(const struct carrier *carrier, pid_t parent, int socket, int peer)
{
	int error;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		return ECANCELED;
	error = jail_enter(0, carrier->open);
	if (error < 0)
		return -error;
	tell(socket, CARRIER_CONNECT, "");
	return relay(socket, peer);
}

static void connection(const struct carrier *carrier, int socket)
{
	const pid_t parent = getpid();
	const int peer = connect_to(carrier->address);
	int status = 0;
	pid_t child;

	if (peer < 0) {
		tell(socket, CARRIER_OVER, strerror(-peer));
		return;
	}
	child = fork();
	if (child == 0)
		_exit(carry(carrier, parent, socket, peer));
	(void)close(peer);
	if (child < 0) {
		tell(socket, CARRIER_OVER, strerror(errno));
		return;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	tell(socket, CARRIER_OVER,
	     WIFEXITED(status) && WEXITSTATUS(status) ? strerror(WEXITSTATUS(status))
						      : "the connection has ended");
}

static void work(void *ctx, int socket)
{
	const struct carrier *carrier = ctx;
	char word;

	/* What is left of a connection that has ended is passed over. */
	while (read(socket, &word, 1) > 0)
		if (word == CARRIER_CONNECT)
			connection(carrier, socket);
}

int carrier_start(const struct address *address, bool open)
{
	struct carrier carrier = {.address = address, .open = open};
	const int socket = jail_start(work, &carrier);

	if (socket >= 0 && fcntl(socket, F_SETFL, O_NONBLOCK) < 0) {
		const int error = -errno;

		(void)close(socket);
		return error;
	}
	return socket;
}
