/* SPDX-License-Identifier: BSD-2-Clause */
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

/* The exit code of a child that could not execute the program. */
#define EXIT_NOT_STARTED 127

int64_t guest_process_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Runs in the child: only calls what is allowed between fork() and exec in a program with threads.
 */
static _Noreturn void become_guest(char *const argv[], int out, int err, pid_t parent)
{
	const int nothing = open("/dev/null", O_RDONLY);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		(void)execv(argv[0], argv);
	_exit(EXIT_NOT_STARTED);
}

bool guest_stream_collect(int fd, struct guest_stream *stream, bool *large)
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

/* Collect both streams to their ends, or until there is a reason to kill the child. */
static void collect_all(const int fds[2], int64_t until, struct guest_output *output)
{
	struct guest_stream *const streams[2] = {&output->out, &output->err};
	struct pollfd polls[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};

	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		const int64_t left = until - guest_process_ms();

		if (left <= 0) {
			output->late = true;
			return;
		}
		(void)poll(polls, 2, left < 1000 ? (int)left : 1000);
		for (unsigned int i = 0; i < 2; i++)
			if (polls[i].fd >= 0 && polls[i].revents &&
			    !guest_stream_collect(fds[i], streams[i], &output->large))
				polls[i].fd = -1;
		if (output->large)
			return;
	}
}

void guest_stream_end(struct guest_stream *stream)
{
	if (!stream->bytes)
		stream->bytes = malloc(1);
	if (!stream->bytes)
		memory_out();
	stream->bytes[stream->size] = '\0';
}

void guest_process_close(struct guest_process *process)
{
	if (process->out >= 0)
		(void)close(process->out);
	if (process->err >= 0)
		(void)close(process->err);
}

int guest_process_start(char *const argv[], struct guest_process *process)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, error = 0;
	const pid_t parent = getpid();

	process->pid = -1;
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || (process->pid = fork()) < 0)
		error = -errno;
	if (process->pid == 0)
		become_guest(argv, out[1], err[1], parent);
	if (out[1] >= 0)
		(void)close(out[1]);
	if (err[1] >= 0)
		(void)close(err[1]);
	process->out = out[0];
	process->err = err[0];
	return error;
}

int guest_process_run(char *const argv[], unsigned int seconds, struct guest_output *output)
{
	struct guest_process process;
	int error;

	*output = (struct guest_output){0};
	error = guest_process_start(argv, &process);
	if (!error) {
		const int fds[2] = {process.out, process.err};

		collect_all(fds, guest_process_ms() + (int64_t)seconds * 1000, output);
		if (output->late || output->large)
			(void)kill(process.pid, SIGKILL);
		while (waitpid(process.pid, &output->status, 0) < 0 && errno == EINTR)
			;
	}
	guest_process_close(&process);
	guest_stream_end(&output->out);
	guest_stream_end(&output->err);
	return error;
}

void guest_output_free(struct guest_output *output)
{
	free(output->out.bytes);
	free(output->err.bytes);
}
