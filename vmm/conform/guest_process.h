/* SPDX-License-Identifier: BSD-2-Clause */
/* A child process whose output is collected, within bounds of time and size. */
#ifndef VSPE_CONFORM_GUEST_PROCESS_H
#define VSPE_CONFORM_GUEST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
