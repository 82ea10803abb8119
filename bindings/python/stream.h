/* SPDX-License-Identifier: BSD-2-Clause */
/* What input_read() reads: bytes in memory or a descriptor. It can be stopped. */
#ifndef VSPE_PYTHON_STREAM_H
#define VSPE_PYTHON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stream {
	const uint8_t *bytes; /* NULL: those of the descriptor */
	size_t size;
	int descriptor;
	uint64_t at;  /* where it is */
	bool stopped; /* reads fail from now on */
};

/*
 * A file that reads stream from its beginning; a descriptor of a pipe is read from where it is.
 * NULL: there is no memory. stream must live as long as the file. Closing the file closes no
 * descriptor.
 */
FILE *stream_open(struct stream *stream);

/* Its size in bytes; 0: not known, as of a pipe. */
uint64_t stream_size(const struct stream *stream);

#endif
