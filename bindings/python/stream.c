/* SPDX-License-Identifier: BSD-2-Clause */
/* A file over memory or a descriptor: see stream.h. */
#define _GNU_SOURCE
#include "stream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_memory(const struct stream *stream, char *to, size_t size)
{
	const size_t left = stream->at < stream->size ? stream->size - (size_t)stream->at : 0;

	if (size > left)
		size = left;
	if (size)
		memcpy(to, stream->bytes + stream->at, size);
	return (ssize_t)size;
}

static ssize_t read_some(void *cookie, char *to, size_t size)
{
	struct stream *stream = cookie;
	ssize_t got;

	if (stream->stopped) {
		errno = ECANCELED;
		return -1;
	}
	if (stream->bytes)
		got = read_memory(stream, to, size);
	else
		do {
			got = pread(stream->descriptor, to, size, (off_t)stream->at);
			if (got < 0 && errno == ESPIPE)
				got = read(stream->descriptor, to, size);
		} while (got < 0 && errno == EINTR && !stream->stopped);
	if (got > 0)
		stream->at += (uint64_t)got;
	return got;
}

/* The end of what has one. -1: a pipe's, which cannot be read in any order. */
static int64_t size_of(const struct stream *stream)
{
	struct stat status;

	if (stream->bytes)
		return (int64_t)stream->size;
	if (fstat(stream->descriptor, &status) || lseek(stream->descriptor, 0, SEEK_CUR) < 0)
		return -1;
	return status.st_size;
}

uint64_t stream_size(const struct stream *stream)
{
	const int64_t size = size_of(stream);

	return size < 0 ? 0 : (uint64_t)size;
}

static int seek_to(void *cookie, off64_t *offset, int whence)
{
	struct stream *stream = cookie;
	const int64_t size = size_of(stream);
	int64_t from = 0;

	if (size < 0) {
		errno = ESPIPE;
		return -1;
	}
	if (whence == SEEK_CUR)
		from = (int64_t)stream->at;
	else if (whence == SEEK_END)
		from = size;
	if (__builtin_add_overflow(from, (int64_t)*offset, &from) || from < 0) {
		errno = EINVAL;
		return -1;
	}
	stream->at = (uint64_t)from;
	*offset = from;
	return 0;
}

FILE *stream_open(struct stream *stream)
{
	stream->at = 0;
	return fopencookie(stream, "rb",
			   (cookie_io_functions_t){.read = read_some, .seek = seek_to});
}
