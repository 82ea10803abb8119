/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that carries bytes: see carrier.h. */
#include "cli/carrier.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jail.h"
#include "cli/cli.h"

struct work {
	const struct address *address;
	struct jail jail; /* of a connection's process */
	struct carrier_ring *ring;
};

static void tell(int socket, enum carrier_word word, const char *text)
{
	char message[128];
	const int size = snprintf(message, sizeof(message), "%c%s", word, text);

	(void)!write(socket, message, (size_t)size);
}

/* Returns a connected socket, or a negative errno. */
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

/*
 * Send the ring's contents to the peer; the other process's count is not trusted. 0, or an errno.
 */
static int give(struct carrier_ring *ring, int peer)
{
	const uint64_t taken = atomic_load(&ring->taken), at = taken % CARRIER_RING;
	const uint64_t there = atomic_load(&ring->written) - taken;
	const uint64_t whole = CARRIER_RING - at;
	ssize_t wrote;

	if (there == 0)
		return 0;
	wrote = write(peer, ring->bytes + at, there < whole ? there : whole);
	if (wrote > 0)
		atomic_store(&ring->taken, taken + (uint64_t)wrote);
	return wrote < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

/* Pass the peer's bytes to the guest's process. 0, or an errno; -1: the peer has ended. */
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

/* Run until either side has ended. 0, or an errno. */
static int relay(struct carrier_ring *ring, int socket, int peer)
{
	int error = 0;

	while (error == 0) {
		const bool full = atomic_load(&ring->written) != atomic_load(&ring->taken);
		struct pollfd fds[] = {
			{.fd = socket, .events = POLLIN},
			{.fd = peer, .events = (short)(POLLIN | (full ? POLLOUT : 0))}};
		uint8_t word;

		if (poll(fds, 2, full ? CARRIER_SILENCE_S * 1000 : -1) == 0)
			return ETIMEDOUT;
		if (fds[0].revents && (read(socket, &word, 1) <= 0 || word == CARRIER_QUIT))
			return 0;
		if (fds[1].revents & POLLOUT)
			error = give(ring, peer);
		if (error == 0 && fds[1].revents & ~POLLOUT)
			error = take(socket, peer);
	}
	return error < 0 ? 0 : error;
}

/* The process of one connection. Its exit code: 0, or an errno. */
static int carry(const struct work *work, pid_t parent, int socket, int peer)
{
	int error;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		return ECANCELED;
	error = jail_enter(&work->jail, NULL, 0);
	if (error < 0)
		return -error;
	tell(socket, CARRIER_CONNECT, "");
	return relay(work->ring, socket, peer);
}

static void connection(const struct work *work, int socket)
{
	const pid_t parent = getpid();
	const int peer = connect_to(work->address);
	int status = 0;
	pid_t child;

	if (peer < 0) {
		tell(socket, CARRIER_OVER, strerror(-peer));
		return;
	}
	child = fork();
	if (child == 0)
		_exit(carry(work, parent, socket, peer));
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

static void wait_for_word(void *ctx, int socket)
{
	const struct work *work = ctx;
	char word;

	/* Skip leftovers of a connection that has ended. */
	while (read(socket, &word, 1) > 0)
		if (word == CARRIER_CONNECT)
			connection(work, socket);
}

static size_t ring_size(void)
{
	return sizeof(struct carrier_ring) + CARRIER_RING;
}

int carrier_start(struct carrier *carrier, const struct address *address, bool open,
		  const struct user *user)
{
	struct work work = {
		.address = address,
		.jail = {.off = open,
			 .network = true,
			 .folder = -1,
			 .user = user,
			 .protections = cli_protections(),
			 .descriptors = 16},
	};
	int error;

	work.ring = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (work.ring == MAP_FAILED)
		return -errno;
	carrier->ring = work.ring;
	error = jail_start(&work.jail, wait_for_word, &work, &carrier->process);
	if (error == 0 && fcntl(carrier->process.socket, F_SETFL, O_NONBLOCK) < 0)
		error = -errno;
	if (error < 0)
		carrier_stop(carrier);
	return error;
}

void carrier_stop(struct carrier *carrier)
{
	jail_end(&carrier->process);
	(void)munmap(carrier->ring, ring_size());
}
