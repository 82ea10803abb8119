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
	/* The buffer that is being read: bytes that are there, but do not make a whole record. */
	struct input_origin origin;
	uint64_t offset; /* of the first of them */
	size_t size;
	uint8_t bytes[INPUT_PIECE + SPE_RECORD_MAX];
};

/* A buffer of records begins, at an offset in the AUX trace of origin. */
void input_begin_buffer(struct input_reader *reader, struct input_origin origin, uint64_t offset);
/* Read size bytes of the file into it. Returns how many there were. */
uint64_t input_read_buffer(struct input_reader *reader, FILE *file, uint64_t size);
/* The same, of at most INPUT_PIECE bytes that have been read already. */
void input_take_bytes(struct input_reader *reader, const uint8_t *bytes, size_t size);
/* It is over: a record that has no end yet will not get one. */
void input_end_buffer(struct input_reader *reader);

/* Read size bytes of the file to bytes, or past them. How many there were. */
uint64_t input_read_bytes(struct input_reader *reader, FILE *file, uint8_t *bytes, uint64_t size);
uint64_t input_skip_bytes(struct input_reader *reader, FILE *file, uint64_t size);

/*
 * The build ids of a file whose feature sections are at end, as events. Seeks, and leaves the file
 * there.
 */
void input_read_build_ids(struct input_reader *reader, FILE *file, uint64_t end,
			  const uint8_t *header);

/* The input is wrong, in words. -EINVAL. */
__attribute__((format(printf, 2, 3))) int input_problem(struct input_reader *reader,
							const char *format, ...);

/* Read a perf.data file, after its magic number. As input_read() returns. */
int input_read_perf_data(struct input_reader *reader, FILE *file);

#endif
