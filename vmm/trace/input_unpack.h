/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacks the COMPRESSED events of `perf record -z`. Their data is one zstd stream of events, so an
 * event may begin in one of them and end in the next.
 */
#ifndef VSPE_TRACE_INPUT_UNPACK_H
#define VSPE_TRACE_INPUT_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, and free with input_unpack_free(). */
struct input_unpack {
	void *stream;
	uint8_t *bytes; /* an incomplete event, and room for more */
	size_t size;
};

/*
 * Unpack the data of one COMPRESSED event, and give each event that is now complete to take, with
 * its header. 0; -EINVAL for damaged data; or what take returned if that is not 0, after which this
 * stream cannot continue.
 */
int input_unpack(struct input_unpack *unpack, const uint8_t *bytes, size_t size,
		 int (*take)(void *ctx, const uint8_t *event, size_t size), void *ctx);
void input_unpack_free(struct input_unpack *unpack);

#endif
