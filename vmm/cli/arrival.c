/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving side of a migration: see migration.h. */
#define _GNU_SOURCE /* fopencookie, accept4 */
#include "cli/migration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

#define WAIT_MS 100 /* between looks at signals and the clock */

struct arrival {
	int socket;
	FILE *file;
	uint64_t until; /* ms of the host's clock; UINT64_MAX: any time */
};

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Wait for an event, but notice signals and the clock. Returns 0, or an errno. */
static int wait_for(int fd, short what, uint64_t until)
{
	struct pollfd ready = {.fd = fd, .events = what};

	while (poll(&ready, 1, WAIT_MS) <= 0) {
		if (signals_over())
			return EINTR;
		if (now_ms() >= until)
			return ETIMEDOUT;
	}
	return 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Reads from arrival.file. */
static ssize_t arrival_read(void *cookie, char *bytes, size_t size)
{
	struct arrival *arrival = cookie;
	const uint64_t silence = now_ms() + MIGRATION_SILENCE_S * 1000;
	ssize_t got;

	do {
		errno = wait_for(arrival->socket, POLLIN, earlier(silence, arrival->until));
		got = errno ? -1 : read(arrival->socket, bytes, size);
	} while (got < 0 && errno == EAGAIN);
	return got;
}

/* A socket left over from a process that has ended would block a new one. */
static void remove_left(const struct address *address)
{
	const char *path = ((const struct sockaddr_un *)&address->to)->sun_path;
	struct stat status;
	int fd;

	if (address->to.ss_family != AF_UNIX || lstat(path, &status) < 0 ||
	    !S_ISSOCK(status.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&address->to, address->size) < 0 &&
	    errno == ECONNREFUSED)
		(void)unlink(path);
	(void)close(fd);
}

/* Only the user may connect to a path. */
static int listen_at(const struct address *address)
{
	const int one = 1;
	const int fd = socket(address->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask;
	int bound;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	remove_left(address);
	mask = umask(0177);
	bound = bind(fd, (const struct sockaddr *)&address->to, address->size);
	(void)umask(mask);
	if (bound == 0 && listen(fd, 1) == 0)
		return fd;
	bound = -errno;
	(void)close(fd);
	return bound;
}

/* The connection, or a negative errno. */
static int accept_one(const struct address *address, uint64_t until)
{
	int fd = listen_at(address), peer, error;

	if (fd < 0)
		return fd;
	do {
		error = wait_for(fd, POLLIN, until);
		peer = error ? -error : accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (!error && peer < 0)
			peer = -errno;
	} while (peer == -EAGAIN || peer == -ECONNABORTED);
	(void)close(fd);
	if (address->to.ss_family == AF_UNIX)
		(void)unlink(((const struct sockaddr_un *)&address->to)->sun_path);
	return peer;
}

struct arrival *arrival_open(const struct address *address, unsigned int seconds, bool *over,
			     char *why, size_t size)
{
	static const cookie_io_functions_t calls = {.read = arrival_read};
	struct arrival *arrival = calloc(1, sizeof(*arrival));

	*over = false;
	if (!arrival) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	arrival->until = seconds ? now_ms() + seconds * UINT64_C(1000) : UINT64_MAX;
	arrival->socket = accept_one(address, arrival->until);
	if (arrival->socket >= 0)
		arrival->file = fopencookie(arrival, "rb", calls);
	if (arrival->file)
		return arrival;
	*over = arrival->socket == -ETIMEDOUT;
	(void)snprintf(why, size, "%s",
		       arrival->socket < 0 ? strerror(-arrival->socket) : "no memory");
	arrival_close(arrival);
	return NULL;
}

void arrival_close(struct arrival *arrival)
{
	if (!arrival)
		return;
	if (arrival->file)
		(void)fclose(arrival->file);
	if (arrival->socket >= 0)
		(void)close(arrival->socket);
	free(arrival);
}

FILE *arrival_file(const struct arrival *arrival)
{
	return arrival->file;
}

bool arrival_over(const struct arrival *arrival)
{
	return now_ms() >= arrival->until;
}

int arrival_say(const struct arrival *arrival, char what)
{
	return write(arrival->socket, &what, 1) == 1 ? 0 : -errno;
}
