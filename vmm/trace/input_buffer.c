/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of a buffer: see input_parts.h. A record never continues in another buffer. If a
 * fault cut one off at the end of a buffer, it has no end, and the next buffer begins with a new
 * record.
 */
#include "trace/input_parts.h"
#include "base/assertion.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const char *input_origin_words(struct input_origin origin, char text[INPUT_ORIGIN_WORDS])
{
	if (origin.cpu >= 0)
		snprintf(text, INPUT_ORIGIN_WORDS, "cpu %" PRId32, origin.cpu);
	else if (origin.tid >= 0)
		snprintf(text, INPUT_ORIGIN_WORDS, "thread %" PRId32, origin.tid);
	else
		snprintf(text, INPUT_ORIGIN_WORDS, "an unknown cpu");
	return text;
}

int input_problem(struct input_reader *reader, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->result->problem, sizeof(reader->result->problem), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static void note_damage(struct input_reader *reader, const struct input_record *record)
{
	struct input_damage *damage = &reader->result->damage;
	const uint64_t unknown =
		record->decoded->unknown_bytes + (uint64_t)record->decoded->cut_bytes;

	if ((unknown || !record->complete) && !damage->bytes && !damage->records) {
		damage->first = record->offset;
		damage->origin = record->origin;
	}
	damage->bytes += unknown;
	damage->records += !record->complete;
}

/* Pass on all complete records and, at the end of the buffer, also the rest. */
static void read_records(struct input_reader *reader, bool end)
{
	const struct input_origin origin = reader->origin;
	uint64_t unnumbered = 0;
	uint64_t *number =
		report_map_at(&reader->origins, (uint32_t)origin.cpu, (uint32_t)origin.tid);
	size_t at = 0, length;

	if (!number)
		number = &unnumbered;
	while (at < reader->size) {
		struct spe_record found;
		struct input_record record;

		length = spe_record_read(reader->bytes + at, reader->size - at, &found);
		vspe_assert_of(length <= reader->size - at && found.offset + found.size <= length,
			       length, reader->size - at);
		record = (struct input_record){
			.bytes = reader->bytes + at + found.offset,
			.padding = (size_t)found.padding,
			.size = found.size,
			.complete = record_is_complete(&found),
			.decoded = &found,
			.origin = origin,
			.offset = reader->offset + at + found.offset,
			.number = *number,
			.midr = input_core(&reader->cores, origin.cpu),
		};
		if (record_goes_on(&found) && !end) {
			/* The padding is used up; the rest needs more input. */
			record.size = 0;
			length = (size_t)found.padding;
		}
		if (record.size) {
			note_damage(reader, &record);
			(*number)++;
			reader->result->records++;
			reader->result->bytes += record.size;
		}
		if (length && reader->sink->record)
			reader->sink->record(reader->sink->ctx, &record);
		at += length;
		if (!length || !record.size)
			break;
	}
	reader->offset += at;
	reader->size -= at;
	memmove(reader->bytes, reader->bytes + at, reader->size);
}

void input_begin_buffer(struct input_reader *reader, struct input_origin origin, uint64_t offset)
{
	reader->origin = origin;
	reader->offset = offset;
	reader->size = 0;
}

void input_take_bytes(struct input_reader *reader, const uint8_t *bytes, size_t size)
{
	/* read_records() leaves less than one record. */
	vspe_assert_of(reader->size + size <= sizeof(reader->bytes), reader->size, size);
	memcpy(reader->bytes + reader->size, bytes, size);
	reader->size += size;
	read_records(reader, false);
}

void input_end_buffer(struct input_reader *reader)
{
	if (reader->size)
		read_records(reader, true);
	reader->size = 0;
}

/* Read a piece of at most size bytes. Returns its size; 0 at the end. */
static size_t read_piece(struct input_reader *reader, FILE *file, uint8_t *bytes, uint64_t size)
{
	const size_t got = fread(bytes, 1, size < INPUT_PIECE ? (size_t)size : INPUT_PIECE, file);

	reader->done += got;
	if (got && reader->sink->progress)
		reader->sink->progress(reader->sink->ctx, reader->done);
	return got;
}

uint64_t input_read_buffer(struct input_reader *reader, FILE *file, uint64_t size)
{
	uint8_t piece[INPUT_PIECE];
	uint64_t done = 0;
	size_t got;

	while (done < size && (got = read_piece(reader, file, piece, size - done)) > 0) {
		input_take_bytes(reader, piece, got);
		done += got;
	}
	return done;
}

uint64_t input_read_bytes(struct input_reader *reader, FILE *file, uint8_t *bytes, uint64_t size)
{
	uint64_t done = 0;
	size_t got;

	while (done < size && (got = read_piece(reader, file, bytes + done, size - done)) > 0)
		done += got;
	return done;
}

uint64_t input_skip_bytes(struct input_reader *reader, FILE *file, uint64_t size)
{
	uint8_t piece[INPUT_PIECE];
	uint64_t done = 0;
	size_t got;

	/* This may seek past the end: the next read then finds nothing. */
	if (size > INPUT_PIECE && size <= INT64_MAX && fseeko(file, (off_t)size, SEEK_CUR) == 0) {
		reader->done += size;
		return size;
	}

	while (done < size && (got = read_piece(reader, file, piece, size - done)) > 0)
		done += got;
	return done;
}
