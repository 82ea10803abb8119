/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events in the COMPRESSED events of `perf record -z`: their data is one stream of zstd, in
 * which an event may begin in one of them and end in the next.
 */
#ifndef VSPE_TRACE_INPUT_UNPACK_H
#define VSPE_TRACE_INPUT_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; to be freed by input_unpack_free(). */
struct input_unpack {
	void *stream;
	uint8_t *bytes; /* events that are not whole yet, and room for more */
	size_t size;
};

/*
 * Unpack the data of one COMPRESSED event, and give each event that is whole now to take, with its
 * header. 0; -EINVAL for data that is damaged; or what take returned, if that is not 0, and then
 * nothing more is read of this stream.
 */
int input_unpack(struct input_unpack *unpack, const uint8_t *bytes, size_t size,
		 int (*take)(void *ctx, const uint8_t *event, size_t size), void *ctx);
void input_unpack_free(struct input_unpack *unpack);

#endif
