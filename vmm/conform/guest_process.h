/* SPDX-License-Identifier: BSD-2-Clause */
/* A child process whose output is collected, within bounds of time and size. */
#ifndef VSPE_CONFORM_GUEST_PROCESS_H
#define VSPE_CONFORM_GUEST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUEST_OUTPUT_MOST (4u << 20) /* bytes of each stream */

/* One stream: size bytes and a 0 behind them. */
struct guest_stream {
	char *bytes;
	size_t size;
};

struct guest_output {
	struct guest_stream out, err;
	bool late, large; /* it was killed for that */
	int status;	  /* as of waitpid() */
};

/*
 * Run argv[0], a path, with nothing on its standard input, for at most so many seconds. It is
 * killed when it takes longer or prints more than GUEST_OUTPUT_MOST, and when the caller ends. 0,
 * or a negative errno if it could not be started. The caller frees with guest_output_free() in
 * either case.
 */
int guest_process_run(char *const argv[], unsigned int seconds, struct guest_output *output);
void guest_output_free(struct guest_output *output);

/* The parts of guest_process_run(), for one that listens elsewhere too. */

/* A child, and where what it prints comes out: -1 if there is none. */
struct guest_process {
	pid_t pid;
	int out, err;
};

/* 0, or a negative errno. The caller calls guest_process_close() in either case, and waitpid(). */
int guest_process_start(char *const argv[], struct guest_process *process);
void guest_process_close(struct guest_process *process);
/* Take what there is. False at the end of the stream, or if *large, as it has become too much. */
bool guest_stream_collect(int fd, struct guest_stream *stream, bool *large);
/* Every stream ends with a 0, also one that nothing came on. */
void guest_stream_end(struct guest_stream *stream);
/* Of a clock that only goes on. */
int64_t guest_process_ms(void);

#endif
