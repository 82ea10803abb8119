/* SPDX-License-Identifier: BSD-2-Clause */
/* Input files that a user names: see input_file.h. */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 once there is a byte to read, or the end. */
static int await(int fd)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};
	int ready;

	do
		ready = poll(&readable, 1, INPUT_FILE_WAIT * 1000);
	while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return -errno;
	if (ready == 0)
		return -ETIMEDOUT;
	/* From here on reading blocks as for any file. */
	return fcntl(fd, F_SETFL, 0) < 0 ? -errno : 0;
}

static int judge(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (S_ISFIFO(status.st_mode))
		return await(fd);
	return S_ISSOCK(status.st_mode) || isatty(fd) ? -ENOTSUP : 0;
}

int input_file_open(const char *path)
{
	/* A blocking open() would wait for a writer. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const int error = fd < 0 ? -errno : judge(fd);

	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

FILE *input_file_stream(const char *path, int *error)
{
	const int fd = input_file_open(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");

	*error = fd < 0 ? fd : file ? 0 : -errno;
	if (!file && fd >= 0)
		close(fd);
	return file;
}

const char *input_file_error(int error)
{
	switch (error) {
	case -ENOTSUP: return "a socket or a terminal, which has no end";
	case -ETIMEDOUT: return "a FIFO that nobody has written to for 10 seconds";
	default: return strerror(-error);
	}
}
