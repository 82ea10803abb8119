/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads records: see input.h. A file of raw records is one buffer; a perf.data file has one in each
 * AUXTRACE event (input_perf.c).
 */
#include "trace/input.h"

#include "base/compression.h"
#include "base/memory.h"
#include "trace/input_parts.h"
#include "trace/perf_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGINS 65536u /* whose records are numbered separately */

/*
 * Recognise files that are easily mistaken for records, by their first bytes. NULL: none of them.
 */
static const char *other_kind(const uint8_t *magic, size_t size)
{
	static const struct {
		const char *magic, *what;
	} kinds[] = {
		{"\177ELF", "ELF file, not sample records"},
		{"VSPESAVE", "machine that vspe run --save wrote, not sample records"},
		{"2ELIFREP", "perf.data file of a big-endian machine"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const size_t length = strlen(kinds[i].magic);

		if (size >= length && !memcmp(magic, kinds[i].magic, length))
			return kinds[i].what;
	}
	return NULL;
}

static int read_file(struct input_reader *reader, FILE *file)
{
	uint8_t magic[8];
	const size_t got = (size_t)input_read_bytes(reader, file, magic, sizeof(magic));
	const char *packed = compression_name(magic, got), *other = other_kind(magic, got);

	if (got == 0)
		return ferror(file) ? 0
				    : input_problem(reader, "empty: there is nothing to decode");
	if (got == sizeof(magic) && !memcmp(magic, PERF_FORMAT_MAGIC, sizeof(magic)))
		return input_read_perf_data(reader, file);
	if (other)
		return input_problem(reader, "%s", other);
	if (packed)
		return input_problem(reader, "compressed by %s; unpack it first", packed);
	if (!reader->sink->record) /* it has nothing else */
		return 0;
	input_begin_buffer(reader, (struct input_origin){0, -1}, 0);
	input_take_bytes(reader, magic, got);
	(void)input_read_buffer(reader, file, UINT64_MAX);
	input_end_buffer(reader);
	return 0;
}

int input_read(FILE *file, const struct input_sink *sink, struct input_result *result)
{
	struct input_reader *reader = memory_need(memory_sparse(sizeof(*reader)));
	int code, error;

	*result = (struct input_result){0};
	reader->sink = sink;
	reader->result = result;
	report_map_init(&reader->origins, sizeof(uint64_t), ORIGINS);
	code = read_file(reader, file);
	error = errno;
	result->midr = input_core(&reader->cores, -1);
	input_cores_free(&reader->cores);
	report_map_free(&reader->origins);
	memory_sparse_free(reader, sizeof(*reader));
	if (sink->progress)
		sink->progress(sink->ctx, UINT64_MAX);
	if (!ferror(file))
		return code;
	snprintf(result->problem, sizeof(result->problem), "%s", strerror(error));
	return -EIO;
}
