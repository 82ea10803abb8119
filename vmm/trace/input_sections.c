// SPDX-License-Identifier: BSD-2-Clause
/*
 * Feature sections of a perf.data file that can be read in any order. After the events there is a
 * table, an offset and a size for each feature that the header names, in the order of their bits.
 */
#include "trace/input_parts.h"
#include "trace/perf_format.h"

#include <string.h>

#define ROW	     16u	/* bytes of the table: offset and size */
#define SECTION_MOST (8u << 20) /* bytes of build ids that are read */
#define EVENT_MOST   4352u	/* one with the longest path */

/* Go to the section of a feature. Returns its size; 0: there is none. */
static uint64_t find_section(FILE *file, uint64_t end, const uint8_t *header, unsigned int feature)
{
	const uint64_t bits = perf_format_get_u64(header + PERF_FORMAT_FEATURES_AT);
	uint64_t before = 0;
	uint8_t row[ROW];

	if (!(bits >> feature & 1))
		return 0;
	for (unsigned int bit = 0; bit < feature; bit++)
		before += bits >> bit & 1;
	if (fseeko(file, (off_t)(end + before * ROW), SEEK_SET) ||
	    fread(row, 1, sizeof(row), file) != sizeof(row) ||
	    perf_format_get_u64(row) > INT64_MAX ||
	    fseeko(file, (off_t)perf_format_get_u64(row), SEEK_SET))
		return 0;
	return perf_format_get_u64(row + 8);
}

void input_read_build_ids(struct input_reader *reader, FILE *file, uint64_t end,
			  const uint8_t *header)
{
	const off_t here = ftello(file);
	uint64_t left = find_section(file, end, header, PERF_FORMAT_BUILD_IDS);
	uint8_t bytes[EVENT_MOST];

	left = left < SECTION_MOST ? left : SECTION_MOST;
	while (left >= PERF_FORMAT_EVENT_HEADER_SIZE &&
	       fread(bytes, 1, PERF_FORMAT_EVENT_HEADER_SIZE, file) ==
		       PERF_FORMAT_EVENT_HEADER_SIZE) {
		const size_t size = bytes[6] | (unsigned int)bytes[7] << 8;
		const size_t own = size - PERF_FORMAT_EVENT_HEADER_SIZE;
		const struct input_event event = {
			.type = PERF_FORMAT_BUILD_ID,
			.misc = (uint16_t)(bytes[4] | (unsigned int)bytes[5] << 8),
			.body = bytes,
			.size = own,
			.trailer = {-1, -1, -1, 0, false}};

		if (size < PERF_FORMAT_EVENT_HEADER_SIZE + 28 || size > left || own > EVENT_MOST ||
		    fread(bytes, 1, own, file) != own)
			break;
		reader->sink->event(reader->sink->ctx, &event);
		left -= size;
	}
	(void)fseeko(file, here, SEEK_SET);
}
