/* SPDX-License-Identifier: BSD-2-Clause */
/* The trailer of each event of a perf.data file: see input_trailer.h. */
#include "trace/input_trailer.h"

#include "base/memory.h"
#include "trace/input.h"
#include "trace/perf_format.h"

#include <stdlib.h>

#define SAMPLE_ID_ALL (UINT64_C(1) << 18) /* of perf_event_attr: events have a trailer at all */
#define IDS_MOST      65536u

/* The fields, each of 8 bytes, in their order. */
static const uint32_t fields[] = {
	PERF_FORMAT_SAMPLE_TID,	   PERF_FORMAT_SAMPLE_TIME, PERF_FORMAT_SAMPLE_ID,
	PERF_FORMAT_SAMPLE_STREAM, PERF_FORMAT_SAMPLE_CPU,  PERF_FORMAT_SAMPLE_IDENTIFIER,
};

#define FIELDS (sizeof(fields) / sizeof(*fields))

static uint64_t fields_of(const uint8_t *attr, size_t size)
{
	uint64_t all = 0;

	if (size < PERF_FORMAT_ATTR_FLAGS_AT + 8 ||
	    !(perf_format_get_u64(attr + PERF_FORMAT_ATTR_FLAGS_AT) & SAMPLE_ID_ALL))
		return 0;
	for (size_t i = 0; i < FIELDS; i++)
		all |= fields[i];
	return all & perf_format_get_u64(attr + PERF_FORMAT_ATTR_SAMPLE_TYPE_AT);
}

void input_trailers_attr(struct input_trailers *trailers, const uint8_t *attr, size_t size,
			 const uint8_t *ids, size_t count)
{
	const uint64_t type = fields_of(attr, size) | INPUT_TRAILER_THERE;

	if (!trailers->common)
		trailers->common = type;
	trailers->mixed = trailers->mixed || trailers->common != type;
	for (size_t i = 0; i < count && trailers->count < IDS_MOST; i++) {
		if (trailers->count == trailers->room) {
			trailers->room = trailers->room ? 2 * trailers->room : 16;
			trailers->ids = memory_need(
				realloc(trailers->ids, trailers->room * sizeof(*trailers->ids)));
		}
		trailers->ids[trailers->count++] =
			(struct input_trailer_id){perf_format_get_u64(ids + 8 * i), type};
	}
}

void input_trailers_free(struct input_trailers *trailers)
{
	free(trailers->ids);
	*trailers = (struct input_trailers){0};
}

/*
 * The fields of an event whose last 8 bytes are at last, which are its identifier if all have one.
 */
static uint64_t type_of(const struct input_trailers *trailers, const uint8_t *last)
{
	if (!trailers->mixed)
		return trailers->common;
	for (size_t i = 0; i < trailers->count; i++)
		if (trailers->ids[i].id == perf_format_get_u64(last) &&
		    trailers->ids[i].type & PERF_FORMAT_SAMPLE_IDENTIFIER)
			return trailers->ids[i].type;
	return 0;
}

struct input_trailer input_trailer_read(const struct input_trailers *trailers, const uint8_t *body,
					size_t size, size_t own)
{
	struct input_trailer trailer = {-1, -1, -1, 0, false};
	const uint8_t *at = body + size;
	uint64_t type;
	uint32_t cpu;

	if (size < own + 8)
		return trailer;
	type = type_of(trailers, at - 8);
	for (size_t i = FIELDS; i-- > 0;) {
		if (!(type & fields[i]))
			continue;
		if ((size_t)(at - body) < own + 8)
			return trailer;
		at -= 8;
		switch (fields[i]) {
		case PERF_FORMAT_SAMPLE_TID:
			trailer.pid = (int32_t)perf_format_get_u32(at);
			trailer.tid = (int32_t)perf_format_get_u32(at + 4);
			break;
		case PERF_FORMAT_SAMPLE_TIME:
			trailer.time = perf_format_get_u64(at);
			trailer.timed = true;
			break;
		case PERF_FORMAT_SAMPLE_CPU:
			cpu = perf_format_get_u32(at);
			trailer.cpu = cpu < INPUT_CPUS ? (int32_t)cpu : -1;
			break;
		default: break;
		}
	}
	return trailer;
}
