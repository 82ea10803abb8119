/* SPDX-License-Identifier: BSD-2-Clause */
/* What input_read() reads, over bytes in memory or a descriptor, and which can be made to end. */
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
	bool stopped; /* it fails from now on */
};

/*
 * A file to read from stream, from its beginning on; what the descriptor is of may be a pipe, which
 * is read from where it is. NULL: there is no memory. stream is needed as long as the file, and
 * closing it closes no descriptor.
 */
FILE *stream_open(struct stream *stream);

/* Its size in bytes; 0: not known, as of a pipe. */
uint64_t stream_size(const struct stream *stream);

#endif
