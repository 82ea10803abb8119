/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feature sections of a seekable perf.data file. After the events there is a table with an offset
 * and a size for each feature that the header names, in the order of their bits.
 */
#include "trace/input_parts.h"
#include "trace/perf_format.h"

#define ROW	     16u	/* bytes of the table: offset and size */
#define SECTION_MOST (8u << 20) /* the most bytes of build ids to read */
#define EVENT_MOST   4352u	/* one with the longest path */

/* Go to the section of a feature. Returns its size; 0: there is none. */
static uint64_t find_section(FILE *file, uint64_t end, const uint8_t *header, unsigned int feature)
{
	const int number = perf_format_section(header, feature);
	uint8_t row[ROW];

	if (number < 0 || fseeko(file, (off_t)(end + (uint64_t)number * ROW), SEEK_SET) ||
	    fread(row, 1, sizeof(row), file) != sizeof(row) ||
	    perf_format_get_u64(row) > INT64_MAX ||
	    fseeko(file, (off_t)perf_format_get_u64(row), SEEK_SET))
		return 0;
	return perf_format_get_u64(row + 8);
}

void input_read_build_ids(struct input_reader *reader, FILE *file, uint64_t end,
			  const uint8_t *header)
{
	uint64_t left = find_section(file, end, header, PERF_FORMAT_BUILD_IDS);
	uint8_t bytes[EVENT_MOST];

	left = left < SECTION_MOST ? left : SECTION_MOST;
	while (left >= PERF_FORMAT_EVENT_HEADER_SIZE &&
	       fread(bytes, 1, PERF_FORMAT_EVENT_HEADER_SIZE, file) ==
		       PERF_FORMAT_EVENT_HEADER_SIZE) {
		const size_t size = perf_format_get_u16(bytes + PERF_FORMAT_EVENT_SIZE_AT);
		const size_t own = size - PERF_FORMAT_EVENT_HEADER_SIZE;
		const struct input_event event = {
			.type = PERF_FORMAT_BUILD_ID,
			.misc = perf_format_get_u16(bytes + PERF_FORMAT_EVENT_MISC_AT),
			.body = bytes,
			.size = own,
			.trailer = {-1, -1, -1, 0, false}};

		if (size < PERF_FORMAT_EVENT_HEADER_SIZE + 28 || size > left || own > EVENT_MOST ||
		    fread(bytes, 1, own, file) != own)
			break;
		reader->sink->event(reader->sink->ctx, &event);
		left -= size;
	}
}
