/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of input.c: input_perf.c finds the AUX traces of a perf.data file, and both give the
 * bytes to input_buffer.c, which makes records of them.
 */
#ifndef VSPE_TRACE_INPUT_PARTS_H
#define VSPE_TRACE_INPUT_PARTS_H

#include "trace/input.h"
#include "trace/input_core.h"
#include "trace/report_map.h"

/* Input is read in pieces of this many bytes. */
#define INPUT_PIECE 65536u

struct input_reader {
	const struct input_sink *sink;
	struct input_result *result;
	struct input_cores cores;
	struct report_map origins; /* how many records each has had */
	uint64_t done;		   /* bytes of the file */
	/* The buffer being read: bytes that do not make a complete record yet. */
	struct input_origin origin;
	uint64_t offset; /* of the first of them */
	size_t size;
	uint8_t bytes[INPUT_PIECE + SPE_RECORD_MAX];
};

/* Begin a buffer of records, at an offset in the AUX trace of origin. */
void input_begin_buffer(struct input_reader *reader, struct input_origin origin, uint64_t offset);
/* Read size bytes of the file into it. Returns how many there were. */
uint64_t input_read_buffer(struct input_reader *reader, FILE *file, uint64_t size);
/* The same for at most INPUT_PIECE bytes that have already been read. */
void input_take_bytes(struct input_reader *reader, const uint8_t *bytes, size_t size);
/* End the buffer: an incomplete record stays incomplete. */
void input_end_buffer(struct input_reader *reader);

/* Read size bytes of the file into bytes, or skip them. Returns how many there were. */
uint64_t input_read_bytes(struct input_reader *reader, FILE *file, uint8_t *bytes, uint64_t size);
uint64_t input_skip_bytes(struct input_reader *reader, FILE *file, uint64_t size);

/*
 * Give the build ids of a file, whose feature sections are at end, to the sink as events. Seeks
 * there, and leaves the file there.
 */
void input_read_build_ids(struct input_reader *reader, FILE *file, uint64_t end,
			  const uint8_t *header);

/* Note in words what is wrong with the input. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int input_problem(struct input_reader *reader,
							const char *format, ...);

/* Read a perf.data file, after its magic number. Returns as input_read() does. */
int input_read_perf_data(struct input_reader *reader, FILE *file);

#endif
