// SPDX-License-Identifier: BSD-2-Clause
/*
 * vspe decode: sample records (Arm ARM D18) as text, JSON or counts. The input is the bytes of a
 * profiling buffer, or a perf.data file with the AUX trace of arm_spe, ours or another's.
 * vspe-decode(1) describes the output.
 */
#include "cli/decode.h"

#include "cli/options.h"
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

struct decoder {
	const char *name; /* of the input */
	FILE *messages;
	struct decode_output output;
	struct stream *streams;
	uint32_t cpus;
	struct record_totals totals;
	struct damage {
		uint64_t bytes, records;
		uint64_t first; /* offset of the first, when bytes or records is not 0 */
		uint32_t cpu;	/* where that is */
	} damage;
};

/* A CPU number beyond this is damage: nothing that writes such files has as many. */
#define CPU_LIMIT 4096u

static int input_error(const struct decoder *decoder, const char *what)
{
	cli_message(decoder->messages, "vspe decode: %s: %s", decoder->name, what);
	return CLI_USAGE;
}

static void note_damage(struct decoder *decoder, const struct decode_record *record)
{
	struct damage *damage = &decoder->damage;
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
static void decode_stream(struct decoder *decoder, uint32_t cpu, bool end)
{
	struct stream *stream = &decoder->streams[cpu];
	size_t at = 0, length;

	while (at < stream->size) {
		struct record_span span;
		struct decode_record record;

		length = record_find(stream->bytes + at, stream->size - at, &span);
		if (!span.complete && span.size < RECORD_SIZE_MAX && !end) {
			/* Padding is done with; the rest needs more input. */
			record_count(&decoder->totals, stream->bytes + at, span.start);
			at += span.start;
			break;
		}
		record_count(&decoder->totals, stream->bytes + at, length);
		record = (struct decode_record){
			.bytes = stream->bytes + at + span.start,
			.size = span.size,
			.complete = span.complete,
			.cpu = cpu,
			.offset = stream->offset + at + span.start,
			.number = stream->record,
		};
		if (span.size) {
			note_damage(decoder, &record);
			decode_output_record(&decoder->output, &record);
			stream->record++;
		}
		at += length;
	}
	stream->offset += at;
	stream->size -= at;
	memmove(stream->bytes, stream->bytes + at, stream->size);
}

static struct stream *find_stream(struct decoder *decoder, uint32_t cpu)
{
	if (cpu >= decoder->cpus) {
		struct stream *streams =
			realloc(decoder->streams, (cpu + 1) * sizeof(*decoder->streams));

		if (!streams)
			return NULL;
		memset(streams + decoder->cpus, 0, (cpu + 1 - decoder->cpus) * sizeof(*streams));
		decoder->streams = streams;
		decoder->cpus = cpu + 1;
	}
	return &decoder->streams[cpu];
}

/* Take size bytes (at most PIECE) of a CPU's data. Returns 0 or -ENOMEM. */
static int decode_bytes(struct decoder *decoder, uint32_t cpu, const uint8_t *bytes, size_t size)
{
	struct stream *stream = find_stream(decoder, cpu);

	if (!stream)
		return -ENOMEM;
	if (!stream->bytes) {
		/* decode_stream() leaves less than one record behind. */
		stream->room = PIECE + RECORD_SIZE_MAX;
		stream->bytes = malloc(stream->room);
		if (!stream->bytes)
			return -ENOMEM;
	}
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
	decode_stream(decoder, cpu, false);
	return 0;
}

/* Read size bytes into the data of a CPU, or past them. Returns how many there were. */
static uint64_t decode_part(struct decoder *decoder, FILE *file, uint64_t size, const uint32_t *cpu)
{
	uint8_t piece[PIECE];
	uint64_t done = 0;
	size_t got;

	while (done < size) {
		got = fread(piece, 1, size - done < PIECE ? (size_t)(size - done) : PIECE, file);
		if (!got || (cpu && decode_bytes(decoder, *cpu, piece, got)))
			break;
		done += got;
	}
	return done;
}

/*
 * The event stream of a perf.data file: the data of its AUXTRACE events. Everything is read in
 * order, so that the file may come through a pipe.
 */
static int decode_perf_data(struct decoder *decoder, FILE *file)
{
	uint8_t header[PERF_FORMAT_HEADER_SIZE];
	uint8_t event[PERF_FORMAT_AUXTRACE_SIZE];
	uint64_t start, left, size, data;
	uint32_t cpu;

	/* The magic has been read. */
	if (fread(header + 8, 1, sizeof(header) - 8, file) != sizeof(header) - 8)
		return input_error(decoder, "perf.data file with a truncated header");
	start = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT);
	left = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT + 8);
	if (start < sizeof(header))
		return input_error(decoder,
				   "perf.data file with a bad event section (or a pipe's)");
	start -= sizeof(header);
	if (decode_part(decoder, file, start, NULL) != start)
		return input_error(decoder, "perf.data file ends before its events");
	while (left) {
		const size_t head = PERF_FORMAT_EVENT_HEADER_SIZE;

		if (left < head || fread(event, 1, head, file) != head)
			return input_error(decoder, "perf.data file ends within its events");
		size = event[6] | (unsigned int)event[7] << 8;
		if (size < head || size > left)
			return input_error(decoder, "perf.data file with a bad event size");
		left -= size;
		size -= head;
		if (perf_format_get_u32(event) != PERF_FORMAT_AUXTRACE) {
			if (decode_part(decoder, file, size, NULL) != size)
				return input_error(decoder,
						   "perf.data file ends within its events");
			continue;
		}
		if (size != sizeof(event) - head || fread(event + head, 1, size, file) != size)
			return input_error(decoder, "perf.data file with a bad AUXTRACE event");
		data = perf_format_get_u64(event + 8);
		cpu = perf_format_get_u32(event + 40);
		if (cpu == UINT32_MAX) /* a thread's trace: tell them apart by queue */
			cpu = perf_format_get_u32(event + 32);
		if (data > left || cpu >= CPU_LIMIT)
			return input_error(decoder, "perf.data file with a bad AUXTRACE event");
		left -= data;
		if (decode_part(decoder, file, data, &cpu) != data)
			return input_error(decoder, "perf.data file ends within its AUX data");
	}
	return 0;
}

static int decode_file(struct decoder *decoder, FILE *file)
{
	const uint32_t cpu = 0;
	uint8_t magic[8];
	size_t got = fread(magic, 1, sizeof(magic), file);

	if (got == sizeof(magic) && !memcmp(magic, PERF_FORMAT_MAGIC, sizeof(magic)))
		return decode_perf_data(decoder, file);
	if (got == sizeof(magic) && !memcmp(magic, "2ELIFREP", sizeof(magic)))
		return input_error(decoder, "perf.data file of a big-endian machine");
	if (decode_bytes(decoder, cpu, magic, got))
		return input_error(decoder, strerror(ENOMEM));
	decode_part(decoder, file, UINT64_MAX, &cpu);
	if (!feof(file) && !ferror(file))
		return input_error(decoder, strerror(ENOMEM));
	return 0;
}

/* One line about what could not be read. Returns the exit code. */
static int report_damage(const struct decoder *decoder)
{
	const struct damage *damage = &decoder->damage;

	if (!damage->bytes && !damage->records)
		return 0;
	cli_message(decoder->messages,
		    "vspe decode: %s: %" PRIu64 " bytes skipped in unknown or cut packets, %" PRIu64
		    " records without an end; first damage in the record at 0x%" PRIx64
		    " of cpu %" PRIu32 "",
		    decoder->name, damage->bytes, damage->records, damage->first, damage->cpu);
	return CLI_FAILED;
}

int decode_input(FILE *file, const char *name, enum decode_format format, FILE *out, FILE *messages)
{
	struct decoder decoder = {
		.name = name,
		.messages = messages,
		.output = {.format = format, .file = out},
	};
	int code = decode_file(&decoder, file);

	for (uint32_t cpu = 0; cpu < decoder.cpus; cpu++) {
		if (decoder.streams[cpu].size)
			decode_stream(&decoder, cpu, true);
		free(decoder.streams[cpu].bytes);
	}
	free(decoder.streams);
	if (ferror(file))
		code = input_error(&decoder, strerror(errno));
	if (format == DECODE_SUMMARY)
		decode_output_summary(out, &decoder.totals);
	if (fflush(out) || ferror(out)) {
		cli_message(messages, "vspe decode: output: %s", strerror(errno));
		return CLI_USAGE;
	}
	return code ? code : report_damage(&decoder);
}

/* What a command line asks for. */
struct request {
	enum decode_format format;
	const char *perf_data, *symbols;
};

static int decode_request(FILE *file, const char *name, const struct request *request)
{
	if (request->perf_data)
		return decode_to_perf_data(file, name, request->perf_data, request->symbols,
					   stderr);
	return decode_input(file, name, request->format, stdout, stderr);
}

static int take_json(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct request *request = parser->request;

	(void)option, (void)value;
	request->format = DECODE_JSON;
	return CLI_GO_ON;
}

static int take_summary(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	struct request *request = parser->request;

	(void)option, (void)value;
	request->format = DECODE_SUMMARY;
	return CLI_GO_ON;
}

#include "decode_rows.h"

/* What the options must be together, and how many files are left. */
static int check_request(const struct cli_parser *parser, const struct request *request, int files)
{
	if (files != 1)
		return cli_refuse_line(
			parser, "%d files given, one needed (see vspe decode --help)", files);
	if (request->perf_data && request->format != DECODE_TEXT)
		return cli_refuse_line(parser, "--perf-data %s: goes without --json and --summary",
				       request->perf_data);
	if (request->symbols && !request->perf_data)
		return cli_refuse_line(parser, "--symbols %s: goes with --perf-data",
				       request->symbols);
	return CLI_GO_ON;
}

int cmd_decode(int argc, char **argv)
{
	struct request request = {.format = DECODE_TEXT};
	struct cli_parser parser = {
		.command = "decode",
		.help = decode_help,
		.lists = {{decode_rows, sizeof(decode_rows) / sizeof(decode_rows[0])}},
		.request = &request,
		.messages = stderr,
	};
	const char *name;
	FILE *file;
	int operand, code = cli_parse(&parser, argc, argv, &operand);

	if (code < 0)
		code = check_request(&parser, &request, argc - operand);
	if (code >= 0)
		return code;
	name = argv[operand];
	if (!strcmp(name, "-"))
		return decode_request(stdin, "standard input", &request);
	file = fopen(name, "rb");
	if (!file)
		return cli_refuse_line(&parser, "%s: %s", name, strerror(errno));
	code = decode_request(file, name, &request);
	fclose(file);
	return code;
}
