/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a child process and collects its output, within limits of time and size. */
#ifndef VSPE_CONFORM_GUEST_PROCESS_H
#define VSPE_CONFORM_GUEST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUEST_OUTPUT_MOST (4u << 20) /* bytes of each stream */

/* One stream: size bytes followed by a 0. */
struct guest_stream {
	char *bytes;
	size_t size;
};

struct guest_output {
	struct guest_stream out, err;
	bool late, large; /* killed for that reason */
	int status;	  /* from waitpid() */
};

/*
 * Run argv[0], a path, with empty standard input, for at most this many seconds. It is killed if it
 * takes longer or prints more than GUEST_OUTPUT_MOST, and when the caller ends. 0, or a negative
 * errno if it could not be started. In either case the caller calls guest_output_free().
 */
int guest_process_run(char *const argv[], unsigned int seconds, struct guest_output *output);
void guest_output_free(struct guest_output *output);

/* The parts of guest_process_run(), for callers that also listen elsewhere. */

/* A child, and the descriptors of its output: -1 if there is none. */
struct guest_process {
	pid_t pid;
	int out, err;
};

/* 0, or a negative errno. In either case the caller calls guest_process_close(), and waitpid(). */
int guest_process_start(char *const argv[], struct guest_process *process);
void guest_process_close(struct guest_process *process);
/* Read what is there. False at the end of the stream, or with *large if it is too much. */
bool guest_stream_collect(int fd, struct guest_stream *stream, bool *large);
/* Terminate every stream with a 0, even an empty one. */
void guest_stream_end(struct guest_stream *stream);
/* Milliseconds of a monotonic clock. */
int64_t guest_process_ms(void);

#endif
