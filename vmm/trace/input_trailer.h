/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trailer of each event of a perf.data file: who it was about, when and where (struct sample_id
 * of perf_event_open(2)). Its fields depend on the attributes that the event belongs to. There may
 * be several, each with separate identifiers.
 */
#ifndef VSPE_TRACE_INPUT_TRAILER_H
#define VSPE_TRACE_INPUT_TRAILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_trailer {
	int32_t pid, tid, cpu; /* -1: it does not say */
	uint64_t time;	       /* perf's clock, in nanoseconds */
	bool timed;
};

/* Zero-initialise. */
struct input_trailers {
	uint64_t common; /* sample_type and INPUT_TRAILER_THERE, of the first attributes */
	bool mixed;	 /* others have other fields, by ids */
	struct input_trailer_id {
		uint64_t id, type;
	} * ids;
	size_t count, room;
};

#define INPUT_TRAILER_THERE (UINT64_C(1) << 63) /* in common: there were attributes */

/* Take attributes of size bytes, and the count identifiers, 8 bytes each, of their events. */
void input_trailers_attr(struct input_trailers *trailers, const uint8_t *attr, size_t size,
			 const uint8_t *ids, size_t count);
/* Read the trailer of an event of size bytes; own bytes come before it. */
struct input_trailer input_trailer_read(const struct input_trailers *trailers, const uint8_t *body,
					size_t size, size_t own);
void input_trailers_free(struct input_trailers *trailers);

#endif
