/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that appear at once, and the standard streams: see output.h. */
#define _GNU_SOURCE /* asprintf, fopencookie, O_PATH */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_FOLLOWED 40 /* as the kernel does (path_resolution(7)) */
/* Wait ten seconds for the reader of a FIFO, in steps of 20 ms. */
#define FIFO_PAUSES 500
#define FIFO_PAUSE  20000000
#define NAMES_TRIED 100 /* temporary ones: a process with this number may have left some */

/* The error of the call that has just failed: never 0. */
static int last_error(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

const char *output_error(int error)
{
	switch (error) {
	case -EINVAL: return "not a regular file";
	case -ETIMEDOUT: return "a FIFO that nobody has read from for 10 seconds";
	default: return strerror(-error);
	}
}

int output_open_other(const char *path)
{
	const struct timespec pause = {.tv_nsec = FIFO_PAUSE};
	struct stat status;
	int fd, error;

	for (unsigned int n = 0;; n++) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd >= 0)
			break;
		error = last_error();
		if (error != -ENXIO || stat(path, &status) || !S_ISFIFO(status.st_mode))
			return error;
		if (n == FIFO_PAUSES)
			return -ETIMEDOUT;
		(void)nanosleep(&pause, NULL);
	}
	/* From here on writing blocks as for any file. */
	if (fcntl(fd, F_SETFL, 0) == 0)
		return fd;
	error = last_error();
	(void)close(fd);
	return error;
}

/* The last word of a path. */
static const char *name_in_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * The file that path names, through links, even if it does not exist: open(2) would create it
 * there. The caller frees it; NULL and errno.
 */
static char *follow_links(const char *path)
{
	char *at = strdup(path), target[PATH_MAX];

	for (unsigned int n = 0; at && n < LINKS_FOLLOWED; n++) {
		const ssize_t length = readlink(at, target, sizeof(target) - 1);
		char *next = NULL;

		if (length < 0)
			return at;
		target[length] = '\0';
		if (asprintf(&next, "%.*s%s", *target == '/' ? 0 : (int)(name_in_folder(at) - at),
			     at, target) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	errno = at ? ELOOP : ENOMEM;
	free(at); /* which leaves errno as it is */
	return NULL;
}

/* Resolve the links in path. A write-protected file must not be opened for writing. */
static int find_path(struct output *output, const char *path, const struct stat *status)
{
	const size_t length = strlen(path);

	if (status) {
		output->path = realpath(path, NULL);
		if (output->path && access(output->path, W_OK))
			return last_error();
	} else {
		if (length == 0)
			return -ENOENT;
		if (path[length - 1] == '/')
			return -EISDIR;
		output->path = follow_links(path);
	}
	return output->path ? 0 : last_error();
}

/*
 * Open the folder. If it may be entered but not listed it can still be written to, but not synced.
 */
static int open_folder(struct output *output)
{
	char *copy = strdup(output->path);
	const char *folder;

	if (!copy)
		return -ENOMEM;
	folder = dirname(copy);
	output->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (output->folder < 0 && errno == EACCES)
		output->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	return output->folder < 0 ? last_error() : 0;
}

/* In the same folder, so that rename(2) can replace the file in one step; with its mode. */
static int open_temporary(struct output *output, const struct stat *status)
{
	const size_t size = strlen(output->path) + 48;
	int error;

	output->temporary = malloc(size);
	if (!output->temporary)
		return -ENOMEM;
	for (unsigned int n = 0; output->fd < 0 && n < NAMES_TRIED; n++) {
		(void)snprintf(output->temporary, size, n ? "%s.%ld-%u.part" : "%s.%ld.part",
			       output->path, (long)getpid(), n);
		output->fd = openat(output->folder, name_in_folder(output->temporary),
				    O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
		if (output->fd < 0 && errno != EEXIST)
			break;
	}
	if (output->fd >= 0 && (!status || !fchmod(output->fd, status->st_mode & 0777)))
		return 0;
	error = last_error();
	if (output->fd >= 0)
		(void)unlinkat(output->folder, name_in_folder(output->temporary), 0);
	return error;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
	return output_write(cookie, bytes, size) ? 0 : (ssize_t)size;
}

static int open_stream(struct output *output)
{
	static const cookie_io_functions_t functions = {.write = stream_write};

	output->file = fopencookie(output, "w", functions);
	if (output->file)
		return 0;
	if (output->temporary)
		(void)unlinkat(output->folder, name_in_folder(output->temporary), 0);
	return -ENOMEM;
}

/* All open ones: the process may end in a place that does not know them. */
static struct output *all;

static void abandon_all(void)
{
	while (all)
		output_abandon(all);
}

static void remember(struct output *output)
{
	static bool at_exit;

	at_exit = at_exit || !atexit(abandon_all);
	output->next = all;
	all = output;
}

static void forget(const struct output *output)
{
	for (struct output **at = &all; *at; at = &(*at)->next) {
		if (*at == output) {
			*at = output->next;
			return;
		}
	}
}

/* Close everything, whether or not the file is kept. Drop what the stream has not written. */
static void close_all(struct output *output)
{
	forget(output);
	if (output->file) {
		__fpurge(output->file);
		(void)fclose(output->file);
	}
	if (output->fd >= 0)
		(void)close(output->fd);
	if (output->folder >= 0)
		(void)close(output->folder);
	free(output->path);
	free(output->temporary);
	*output = (struct output){.fd = -1, .folder = -1};
}

int output_open(struct output *output, const char *path, enum output_kind kind)
{
	struct stat status;
	const bool there = !stat(path, &status);
	int error = 0;

	*output = (struct output){.fd = -1, .folder = -1};
	if (there && S_ISDIR(status.st_mode))
		return -EISDIR;
	if (there && !S_ISREG(status.st_mode)) {
		if (kind == OUTPUT_FILE)
			return -EINVAL;
		output->fd = output_open_other(path);
		error = output->fd < 0 ? output->fd : 0;
	} else {
		error = find_path(output, path, there ? &status : NULL);
		if (!error)
			error = open_folder(output);
		if (!error)
			error = open_temporary(output, there ? &status : NULL);
	}
	if (!error)
		error = open_stream(output);
	if (error)
		close_all(output);
	else
		remember(output);
	return error;
}

/* Write all bytes at the current offset (at < 0) or from at on. 0, or the error. */
static int write_all(int fd, off_t at, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t wrote =
			at < 0 ? write(fd, bytes + done, size - done)
			       : pwrite(fd, bytes + done, size - done, at + (off_t)done);

		if (wrote > 0)
			done += (size_t)wrote;
		else if (wrote == 0 || errno != EINTR)
			return wrote == 0 ? -EIO : last_error();
	}
	return 0;
}

int output_write(struct output *output, const void *bytes, size_t size)
{
	if (!output->error)
		output->error = write_all(output->fd, -1, bytes, size);
	return output->error;
}

int output_write_at(struct output *output, uint64_t at, const void *bytes, size_t size)
{
	return at > INT64_MAX ? -EFBIG : write_all(output->fd, (off_t)at, bytes, size);
}

uint64_t output_size(const struct output *output)
{
	struct stat status;

	return fstat(output->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int output_cut(struct output *output, uint64_t size)
{
	int result;

	__fpurge(output->file);
	clearerr(output->file);
	output->error = 0;
	do
		result = ftruncate(output->fd, (off_t)size);
	while (result && errno == EINTR);
	if (result || lseek(output->fd, (off_t)size, SEEK_SET) < 0)
		return last_error();
	return 0;
}

static int sync_file(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result && errno == EINTR);
	return result;
}

/* Errors that close(2) would return, for a file that is still needed. */
static int flush_file(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 || (close(copy) && errno != EINTR) ? -1 : 0;
}

int output_commit(struct output *output, bool durable)
{
	const bool in_place = !output->temporary;

	if (fflush(output->file) || output->error)
		return output->error ? output->error : last_error();
	if (durable && !in_place ? sync_file(output->fd) : flush_file(output->fd))
		return last_error();
	if (!in_place && renameat(output->folder, name_in_folder(output->temporary), output->folder,
				  name_in_folder(output->path)))
		return last_error();
	/* Sync the new name in its folder, too. Ignore errors: not every file system can. */
	if (durable && !in_place)
		(void)fsync(output->folder);
	close_all(output);
	return 0;
}

char *output_keep(struct output *output)
{
	char *temporary = output->temporary;

	output->temporary = NULL;
	close_all(output);
	return temporary;
}

void output_abandon(struct output *output)
{
	if (!output->file)
		return;
	if (output->temporary)
		(void)unlinkat(output->folder, name_in_folder(output->temporary), 0);
	close_all(output);
}

static ssize_t write_message(void *nothing, const char *bytes, size_t size)
{
	const int error = write_all(STDERR_FILENO, -1, bytes, size);

	(void)nothing;
	if (!error)
		return (ssize_t)size;
	errno = -error;
	return 0;
}

/*
 * If a signal interrupts a write, the C library's stream is broken. As vspe run has signals all the
 * time, messages would be lost whenever nobody reads for a moment.
 */
static void open_messages(void)
{
	static const cookie_io_functions_t functions = {.write = write_message};
	FILE *messages = fopencookie(NULL, "w", functions);

	if (!messages) /* as it was, then */
		return;
	(void)setvbuf(messages, NULL, _IONBF, 0);
	stderr = messages;
}

int output_standard_open(void)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	for (int fd = 0; fd <= 2; fd++) {
		int got;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* Only for reading, so that writing fails instead of losing output silently. */
		got = open("/dev/null", O_RDONLY);
		if (got < 0)
			got = open("/", O_RDONLY | O_DIRECTORY);
		if (got != fd) /* the lowest that is free */
			return got < 0 ? last_error() : -EBADF;
	}
	open_messages();
	return 0;
}

const char *output_standard_finish(const char **name)
{
	FILE *const streams[] = {stdout, stderr};
	static const char *const names[] = {"standard output", "standard error"};
	const char *why = NULL;

	for (int i = 0; i < 2; i++) {
		const bool failed = ferror(streams[i]);
		int now = 0;

		/* Some file systems only report errors when a file is closed. */
		if (fflush(streams[i]) || flush_file(STDOUT_FILENO + i))
			now = last_error();
		if ((!failed && !now) || why)
			continue;
		*name = names[i];
		why = now ? output_error(now) : "not everything could be written";
	}
	return why;
}
