// SPDX-License-Identifier: BSD-2-Clause
/* Child processes: see guest_process.h. */
#define _GNU_SOURCE /* pipe2 */
#include "conform/guest_process.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536

/* What is the exit code of a child that could not become the program. */
#define EXIT_NOT_STARTED 127

static int64_t milliseconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In the child: only what may be called between fork() and exec in a program with threads. */
static _Noreturn void become_guest(char *const argv[], int out, int err, pid_t parent)
{
	const int nothing = open("/dev/null", O_RDONLY);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		(void)execv(argv[0], argv);
	_exit(EXIT_NOT_STARTED);
}

/* Take what there is. False at the end of the stream, or if it is too large. */
static bool collect_stream(int fd, struct guest_stream *stream, bool *large)
{
	ssize_t got;

	stream->bytes = realloc(stream->bytes, stream->size + CHUNK + 1);
	if (!stream->bytes)
		memory_out();
	got = read(fd, stream->bytes + stream->size, CHUNK);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	stream->size += (size_t)got;
	*large = *large || stream->size > GUEST_OUTPUT_MOST;
	return got > 0 && !*large;
}

/* Both streams to their ends, or until there is a reason to kill the child. */
static void collect_all(const int fds[2], int64_t until, struct guest_output *output)
{
	struct guest_stream *const streams[2] = {&output->out, &output->err};
	struct pollfd polls[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};

	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		const int64_t left = until - milliseconds();

		if (left <= 0) {
			output->late = true;
			return;
		}
		(void)poll(polls, 2, left < 1000 ? (int)left : 1000);
		for (unsigned int i = 0; i < 2; i++)
			if (polls[i].fd >= 0 && polls[i].revents &&
			    !collect_stream(fds[i], streams[i], &output->large))
				polls[i].fd = -1;
		if (output->large)
			return;
	}
}

/* Every stream ends with a 0, also one that nothing came on. */
static void terminate_stream(struct guest_stream *stream)
{
	if (!stream->bytes)
		stream->bytes = malloc(1);
	if (!stream->bytes)
		memory_out();
	stream->bytes[stream->size] = '\0';
}

int guest_process_run(char *const argv[], unsigned int seconds, struct guest_output *output)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, error = 0;
	const pid_t parent = getpid();
	pid_t child = -1;

	*output = (struct guest_output){0};
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || (child = fork()) < 0)
		error = -errno;
	if (child == 0)
		become_guest(argv, out[1], err[1], parent);
	if (out[1] >= 0)
		(void)close(out[1]);
	if (err[1] >= 0)
		(void)close(err[1]);
	if (child > 0) {
		const int fds[2] = {out[0], err[0]};

		collect_all(fds, milliseconds() + (int64_t)seconds * 1000, output);
		if (output->late || output->large)
			(void)kill(child, SIGKILL);
		while (waitpid(child, &output->status, 0) < 0 && errno == EINTR)
			;
	}
	if (out[0] >= 0)
		(void)close(out[0]);
	if (err[0] >= 0)
		(void)close(err[0]);
	terminate_stream(&output->out);
	terminate_stream(&output->err);
	return error;
}

void guest_output_free(struct guest_output *output)
{
	free(output->out.bytes);
	free(output->err.bytes);
}
