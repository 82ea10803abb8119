/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed events: see input_unpack.h. */
#include "trace/input_unpack.h"

#include "base/memory.h"
#include "trace/perf_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define EVENT_MAX 65536u /* bytes: the size of an event has 16 bits */
#define ROOM	  (2 * EVENT_MAX)

/* Pass on the complete events, and keep the rest. */
static int take_events(struct input_unpack *unpack,
		       int (*take)(void *ctx, const uint8_t *event, size_t size), void *ctx)
{
	size_t at = 0, size;
	int code = 0;

	while (code == 0 && unpack->size - at >= PERF_FORMAT_EVENT_HEADER_SIZE) {
		const uint8_t *event = unpack->bytes + at;

		size = perf_format_get_u16(event + PERF_FORMAT_EVENT_SIZE_AT);
		if (size < PERF_FORMAT_EVENT_HEADER_SIZE)
			return -EINVAL;
		if (size > unpack->size - at)
			break;
		code = take(ctx, event, size);
		at += size;
	}
	unpack->size -= at;
	memmove(unpack->bytes, unpack->bytes + at, unpack->size);
	return code;
}

int input_unpack(struct input_unpack *unpack, const uint8_t *bytes, size_t size,
		 int (*take)(void *ctx, const uint8_t *event, size_t size), void *ctx)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {.pos = 1, .size = 1};
	int code = 0;

	if (!unpack->stream) {
		unpack->stream = memory_need(ZSTD_createDStream());
		unpack->bytes = memory_need(malloc(ROOM));
	}
	/* If all the room was filled, there may be more output. */
	while (code == 0 && (in.pos < in.size || out.pos == out.size)) {
		const size_t before = in.pos;
		size_t result;

		out = (ZSTD_outBuffer){unpack->bytes, ROOM, unpack->size};
		result = ZSTD_decompressStream(unpack->stream, &out, &in);
		if (ZSTD_isError(result))
			return -EINVAL;
		if (in.pos == before && out.pos == unpack->size)
			break;
		unpack->size = out.pos;
		code = take_events(unpack, take, ctx);
	}
	return code;
}

void input_unpack_free(struct input_unpack *unpack)
{
	(void)ZSTD_freeDStream(unpack->stream);
	free(unpack->bytes);
	*unpack = (struct input_unpack){0};
}
