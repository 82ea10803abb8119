// SPDX-License-Identifier: BSD-2-Clause
/* Reading records: see input.h. perf.data is as tools/perf/Documentation of Linux has it. */
#include "trace/input.h"

#include "base/compression.h"
#include "base/memory.h"
#include "trace/input_core.h"
#include "trace/perf_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Input is read in pieces of this many bytes. */
#define PIECE 65536u

/* The records of one CPU: bytes that are read, but do not make a whole record yet. */
struct stream {
	uint8_t *bytes;
	size_t size, room;
	uint64_t offset; /* of bytes[0] in this CPU's data */
	uint64_t record; /* number of the next one */
};

struct reader {
	const struct input_sink *sink;
	struct input_result *result;
	struct stream *streams;
	uint32_t cpus;
	struct input_cores cores;
	uint64_t done;	 /* bytes of the file */
	bool unfinished; /* a perf.data file with no end */
};

/* A file whose writer was ended before it had an end is read as far as it goes. */
static int input_error(const struct reader *reader, const char *what)
{
	snprintf(reader->result->problem, sizeof(reader->result->problem), "%s",
		 reader->unfinished
			 ? "perf.data file that was never finished; read as far as it goes"
			 : what);
	return reader->unfinished ? -ENODATA : -EINVAL;
}

static void note_damage(struct reader *reader, const struct input_record *record)
{
	struct input_damage *damage = &reader->result->damage;
	struct record_packet packet;
	uint64_t unknown = 0;
	size_t at, length;

	for (at = 0; at < record->size; at += length) {
		length = record_packet_read(record->bytes + at, record->size - at, &packet);
		if (!length) {
			unknown += record->size - at;
			break;
		}
		if (packet.kind == RECORD_UNKNOWN)
			unknown += length;
	}
	if ((unknown || !record->complete) && !damage->bytes && !damage->records) {
		damage->first = record->offset;
		damage->cpu = record->cpu;
	}
	damage->bytes += unknown;
	damage->records += !record->complete;
}

/* Pass on all records that are whole; at the end of the input, also what is left. */
static void read_stream(struct reader *reader, uint32_t cpu, bool end)
{
	struct stream *stream = &reader->streams[cpu];
	size_t at = 0, length;

	while (at < stream->size) {
		struct record_span span;
		struct input_record record;

		length = record_find(stream->bytes + at, stream->size - at, &span);
		record = (struct input_record){
			.bytes = stream->bytes + at + span.start,
			.padding = span.start,
			.size = span.size,
			.complete = span.complete,
			.cpu = cpu,
			.offset = stream->offset + at + span.start,
			.number = stream->record,
			.midr = input_core(&reader->cores, cpu),
		};
		if (!span.complete && span.size < RECORD_SIZE_MAX && !end) {
			/* Padding is done with; the rest needs more input. */
			record.size = 0;
			length = span.start;
		}
		if (record.size) {
			note_damage(reader, &record);
			stream->record++;
			reader->result->records++;
			reader->result->bytes += record.size;
		}
		if (length)
			reader->sink->record(reader->sink->ctx, &record);
		at += length;
		if (!length || !record.size)
			break;
	}
	stream->offset += at;
	stream->size -= at;
	memmove(stream->bytes, stream->bytes + at, stream->size);
}

static struct stream *find_stream(struct reader *reader, uint32_t cpu)
{
	if (cpu >= reader->cpus) {
		struct stream *streams =
			memory_need(realloc(reader->streams, (cpu + 1) * sizeof(*reader->streams)));

		memset(streams + reader->cpus, 0, (cpu + 1 - reader->cpus) * sizeof(*streams));
		reader->streams = streams;
		reader->cpus = cpu + 1;
	}
	return &reader->streams[cpu];
}

/* Take size bytes (at most PIECE) of a CPU's data. */
static void read_bytes(struct reader *reader, uint32_t cpu, const uint8_t *bytes, size_t size)
{
	struct stream *stream = find_stream(reader, cpu);

	if (!stream->bytes) {
		/* read_stream() leaves less than one record behind. */
		stream->room = PIECE + RECORD_SIZE_MAX;
		stream->bytes = memory_need(malloc(stream->room));
	}
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
	read_stream(reader, cpu, false);
}

/* Read size bytes into the data of a CPU, or past them. Returns how many there were. */
static uint64_t read_part(struct reader *reader, FILE *file, uint64_t size, const uint32_t *cpu)
{
	uint8_t piece[PIECE];
	uint64_t done = 0;
	size_t got;

	while (done < size) {
		got = fread(piece, 1, size - done < PIECE ? (size_t)(size - done) : PIECE, file);
		if (!got)
			break;
		if (cpu)
			read_bytes(reader, *cpu, piece, got);
		done += got;
		reader->done += got;
		if (reader->sink->progress)
			reader->sink->progress(reader->sink->ctx, reader->done);
	}
	return done;
}

/* What has been seen of a perf.data file's events. */
struct perf_events {
	uint64_t left;				 /* bytes; UINT64_MAX: up to the end of the file */
	uint64_t end;				 /* where they end in the file; 0: not known */
	uint8_t header[PERF_FORMAT_HEADER_SIZE]; /* of a file, not of a pipe */
	bool spe;				 /* there is an AUX trace, or was to be one */
	bool compressed;
};

static int bad_events(const struct reader *reader, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "perf.data file %s", what);
	return input_error(reader, text);
}

/* A piece of what an event says of the cores: all there is, as no event has more than 64 KiB. */
static int read_cores(struct reader *reader, FILE *file, uint64_t *size,
		      void (*take)(struct input_cores *cores, const uint8_t *bytes, size_t size))
{
	uint8_t bytes[PIECE];

	if (*size > sizeof(bytes) || fread(bytes, 1, (size_t)*size, file) != *size)
		return bad_events(reader, "ends within its events");
	take(&reader->cores, bytes, (size_t)*size);
	*size = 0;
	return 0;
}

/* Behind the type of an AUXTRACE_INFO event of SPE. */
static void take_info(struct input_cores *cores, const uint8_t *bytes, size_t size)
{
	if (size > 4) /* reserved */
		input_cores_trace(cores, bytes + 4, size - 4);
}

/* AUXTRACE_INFO says whose trace follows. *size is what is left of the event. */
static int check_trace(struct reader *reader, FILE *file, struct perf_events *events,
		       uint64_t *size)
{
	static const char *const names[] = {NULL, "Intel PT", "Intel BTS",     "CoreSight",
					    NULL, "S/390",    "HiSilicon PTT", "VPA DTL"};
	uint8_t word[4];
	uint32_t type;
	char text[96];

	if (*size < sizeof(word) || fread(word, 1, sizeof(word), file) != sizeof(word))
		return bad_events(reader, "with a bad AUXTRACE_INFO event");
	*size -= sizeof(word);
	type = perf_format_get_u32(word);
	events->spe = type == PERF_FORMAT_TRACE_ARM_SPE;
	if (events->spe)
		return read_cores(reader, file, size, take_info);
	snprintf(text, sizeof(text), "with AUX trace of %s (type %" PRIu32 "), not of SPE",
		 type < sizeof(names) / sizeof(*names) && names[type] ? names[type]
								      : "another kind",
		 type);
	return bad_events(reader, text);
}

/* The AUX data behind an AUXTRACE event. */
static int read_trace(struct reader *reader, FILE *file, struct perf_events *events, uint64_t size)
{
	uint8_t event[PERF_FORMAT_AUXTRACE_SIZE - PERF_FORMAT_EVENT_HEADER_SIZE];
	uint64_t data;
	uint32_t cpu;

	if (size != sizeof(event) || fread(event, 1, size, file) != size)
		return bad_events(reader, "with a bad AUXTRACE event");
	data = perf_format_get_u64(event);
	cpu = perf_format_get_u32(event + 32);
	if (cpu == UINT32_MAX) /* a thread's trace: tell them apart by queue */
		cpu = perf_format_get_u32(event + 24);
	if (data > events->left || cpu >= INPUT_CPUS)
		return bad_events(reader, "with a bad AUXTRACE event");
	if (events->left != UINT64_MAX)
		events->left -= data;
	events->spe = true;
	if (read_part(reader, file, data, &cpu) != data)
		return bad_events(reader, "ends within its AUX data");
	return 0;
}

/* An event of size bytes behind its header, of which the type is known. */
static int read_event(struct reader *reader, FILE *file, struct perf_events *events, uint32_t type,
		      uint64_t size)
{
	uint8_t word[4];
	int code = 0;

	if (type == PERF_FORMAT_AUXTRACE)
		return read_trace(reader, file, events, size);
	if (type == PERF_FORMAT_AUXTRACE_INFO)
		code = check_trace(reader, file, events, &size);
	if (type == PERF_FORMAT_FEATURE)
		code = read_cores(reader, file, &size, input_cores_feature);
	if (type == PERF_FORMAT_COMPRESSED || type == PERF_FORMAT_COMPRESSED2)
		events->compressed = true;
	if (type == PERF_FORMAT_TRACING_DATA && events->left == UINT64_MAX &&
	    size >= sizeof(word)) {
		if (fread(word, 1, sizeof(word), file) != sizeof(word))
			return bad_events(reader, "ends within its events");
		size += ((uint64_t)perf_format_get_u32(word) + 7) / 8 * 8 - sizeof(word);
	}
	if (code == 0 && read_part(reader, file, size, NULL) != size)
		return bad_events(reader, "ends within its events");
	return code;
}

/* What to say of a file without AUX trace. */
static const char *lacking(const struct perf_events *events, bool unfinished)
{
	if (events->compressed)
		return "without AUX trace, its events compressed (perf record -z)";
	if (events->left == UINT64_MAX && !unfinished)
		return "of a pipe (perf record -o -) without AUX trace: nothing of SPE is in it";
	return "without AUX trace: nothing of SPE is in it";
}

/*
 * The core is named behind the records. Where the file can be read in any order it is looked up
 * first; what comes through a pipe has it when all is read.
 */
static void look_ahead(struct reader *reader, FILE *file, const struct perf_events *events)
{
	const off_t here = ftello(file);

	if (here < 0 || !events->end || fseeko(file, (off_t)events->end, SEEK_SET))
		return;
	input_cores_sections(&reader->cores, file, events->end, events->header);
	(void)fseeko(file, here, SEEK_SET);
}

/* What stands before the events; the magic has been read. */
static int read_perf_header(struct reader *reader, FILE *file, struct perf_events *events,
			    uint64_t *skip)
{
	uint8_t *header = events->header;
	const size_t words = PERF_FORMAT_PIPE_HEADER_SIZE;

	if (fread(header + 8, 1, words - 8, file) != words - 8)
		return bad_events(reader, "with a truncated header");
	*skip = 0;
	events->left = UINT64_MAX;
	if (perf_format_get_u64(header + 8) == words)
		return 0;
	if (fread(header + words, 1, PERF_FORMAT_HEADER_SIZE - words, file) !=
	    PERF_FORMAT_HEADER_SIZE - words)
		return bad_events(reader, "with a truncated header");
	*skip = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT);
	events->left = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT + 8);
	if (*skip < PERF_FORMAT_HEADER_SIZE)
		return bad_events(reader, "with a bad event section");
	if (events->left && events->left <= INT64_MAX && *skip <= INT64_MAX - events->left)
		events->end = *skip + events->left;
	*skip -= PERF_FORMAT_HEADER_SIZE;
	reader->unfinished = events->left == 0;
	if (reader->unfinished)
		events->left = UINT64_MAX;
	else
		look_ahead(reader, file, events);
	return 0;
}

/*
 * The event stream of a perf.data file: the data of its AUXTRACE events. Everything is read in
 * order, so that the file may come through a pipe.
 */
static int read_perf_data(struct reader *reader, FILE *file)
{
	const size_t head = PERF_FORMAT_EVENT_HEADER_SIZE;
	uint8_t event[PERF_FORMAT_EVENT_HEADER_SIZE];
	struct perf_events events = {0};
	uint64_t size, skip = 0;
	size_t got;
	int code = read_perf_header(reader, file, &events, &skip);

	if (code == 0 && read_part(reader, file, skip, NULL) != skip)
		code = bad_events(reader, "ends before its events");
	while (code == 0 && events.left) {
		got = events.left < head ? 0 : fread(event, 1, head, file);
		if (got == 0 && events.left == UINT64_MAX && !reader->unfinished)
			break;
		if (got != head)
			return bad_events(reader, "ends within its events");
		size = event[6] | (unsigned int)event[7] << 8;
		if (size < head || size > events.left)
			return bad_events(reader, "with a bad event size");
		if (events.left != UINT64_MAX)
			events.left -= size;
		code = read_event(reader, file, &events, perf_format_get_u32(event), size - head);
	}
	if (code == 0 && events.end && !reader->cores.all)
		input_cores_sections(&reader->cores, file, events.end, events.header);
	if (code == 0 && (!events.spe || reader->unfinished))
		code = bad_events(reader, lacking(&events, reader->unfinished));
	return code;
}

/* Files that are easily taken for one of records, by their first bytes. NULL: none of them. */
static const char *other_kind(const uint8_t *magic, size_t size)
{
	static const struct {
		const char *magic, *what;
	} kinds[] = {
		{"\177ELF", "ELF file, not sample records"},
		{"VSPESAVE", "machine that vspe run --save wrote, not sample records"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const size_t length = strlen(kinds[i].magic);

		if (size >= length && !memcmp(magic, kinds[i].magic, length))
			return kinds[i].what;
	}
	return NULL;
}

static int read_file(struct reader *reader, FILE *file)
{
	const uint32_t cpu = 0;
	uint8_t magic[8];
	size_t got = fread(magic, 1, sizeof(magic), file);
	const char *packed = compression_name(magic, got), *other;
	char text[64];

	if (got == 0)
		return ferror(file) ? 0 : input_error(reader, "empty: there is nothing to decode");
	if (got == sizeof(magic) && !memcmp(magic, PERF_FORMAT_MAGIC, sizeof(magic)))
		return read_perf_data(reader, file);
	if (got == sizeof(magic) && !memcmp(magic, "2ELIFREP", sizeof(magic)))
		return input_error(reader, "perf.data file of a big-endian machine");
	other = other_kind(magic, got);
	if (other)
		return input_error(reader, other);
	if (packed) {
		snprintf(text, sizeof(text), "compressed by %s; unpack it first", packed);
		return input_error(reader, text);
	}
	read_bytes(reader, cpu, magic, got);
	read_part(reader, file, UINT64_MAX, &cpu);
	return 0;
}

int input_read(FILE *file, const struct input_sink *sink, struct input_result *result)
{
	struct reader reader = {.sink = sink, .result = result};
	int code, error;

	*result = (struct input_result){0};
	code = read_file(&reader, file);
	error = errno;
	for (uint32_t cpu = 0; cpu < reader.cpus; cpu++) {
		if (reader.streams[cpu].size)
			read_stream(&reader, cpu, true);
		free(reader.streams[cpu].bytes);
	}
	free(reader.streams);
	result->midr = reader.cores.all;
	input_cores_free(&reader.cores);
	if (sink->progress)
		sink->progress(sink->ctx, UINT64_MAX);
	if (!ferror(file))
		return code;
	snprintf(result->problem, sizeof(result->problem), "%s", strerror(error));
	return -EIO;
}
