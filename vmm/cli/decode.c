// SPDX-License-Identifier: BSD-2-Clause
/*
 * vspe decode: sample records (Arm ARM D18) as text, JSON or counts. The input is the bytes of a
 * profiling buffer, or a perf.data file with the AUX trace of arm_spe, ours or another's.
 * vspe-decode(1) describes the output.
 */
#include "cli/decode.h"

#include "base/memory.h"
#include "base/sandbox.h"
#include "base/compression.h"
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
	bool unfinished; /* a perf.data file with no end */
	struct damage {
		uint64_t bytes, records;
		uint64_t first; /* offset of the first, when bytes or records is not 0 */
		uint32_t cpu;	/* where that is */
	} damage;
};

/* A CPU number beyond this is damage: nothing that writes such files has as many. */
#define CPU_LIMIT 4096u

/* A file whose writer was ended before it had an end is read as far as it goes. */
static int input_error(const struct decoder *decoder, const char *what)
{
	if (decoder->unfinished) {
		cli_message(decoder->messages,
			    "vspe decode: %s: perf.data file that was never finished; read as far "
			    "as it goes",
			    decoder->name);
		return CLI_FAILED;
	}
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
		struct stream *streams = memory_need(
			realloc(decoder->streams, (cpu + 1) * sizeof(*decoder->streams)));

		memset(streams + decoder->cpus, 0, (cpu + 1 - decoder->cpus) * sizeof(*streams));
		decoder->streams = streams;
		decoder->cpus = cpu + 1;
	}
	return &decoder->streams[cpu];
}

/* Take size bytes (at most PIECE) of a CPU's data. */
static void decode_bytes(struct decoder *decoder, uint32_t cpu, const uint8_t *bytes, size_t size)
{
	struct stream *stream = find_stream(decoder, cpu);

	if (!stream->bytes) {
		/* decode_stream() leaves less than one record behind. */
		stream->room = PIECE + RECORD_SIZE_MAX;
		stream->bytes = memory_need(malloc(stream->room));
	}
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
	decode_stream(decoder, cpu, false);
}

/* Read size bytes into the data of a CPU, or past them. Returns how many there were. */
static uint64_t decode_part(struct decoder *decoder, FILE *file, uint64_t size, const uint32_t *cpu)
{
	uint8_t piece[PIECE];
	uint64_t done = 0;
	size_t got;

	while (done < size) {
		got = fread(piece, 1, size - done < PIECE ? (size_t)(size - done) : PIECE, file);
		if (!got)
			break;
		if (cpu)
			decode_bytes(decoder, *cpu, piece, got);
		done += got;
	}
	return done;
}

/* What has been seen of a perf.data file's events. */
struct perf_events {
	uint64_t left; /* bytes; UINT64_MAX: up to the end of the file */
	bool spe;      /* there is an AUX trace, or was to be one */
	bool compressed;
};

static int bad_events(const struct decoder *decoder, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "perf.data file %s", what);
	return input_error(decoder, text);
}

/* AUXTRACE_INFO says whose trace follows. *size is what is left of the event. */
static int check_trace(const struct decoder *decoder, FILE *file, struct perf_events *events,
		       uint64_t *size)
{
	static const char *const names[] = {NULL, "Intel PT", "Intel BTS",     "CoreSight",
					    NULL, "S/390",    "HiSilicon PTT", "VPA DTL"};
	uint8_t word[4];
	uint32_t type;
	char text[96];

	if (*size < sizeof(word) || fread(word, 1, sizeof(word), file) != sizeof(word))
		return bad_events(decoder, "with a bad AUXTRACE_INFO event");
	*size -= sizeof(word);
	type = perf_format_get_u32(word);
	events->spe = type == PERF_FORMAT_TRACE_ARM_SPE;
	if (events->spe)
		return 0;
	snprintf(text, sizeof(text), "with AUX trace of %s (type %" PRIu32 "), not of SPE",
		 type < sizeof(names) / sizeof(*names) && names[type] ? names[type]
								      : "another kind",
		 type);
	return bad_events(decoder, text);
}

/* The AUX data behind an AUXTRACE event. */
static int decode_trace(struct decoder *decoder, FILE *file, struct perf_events *events,
			uint64_t size)
{
	uint8_t event[PERF_FORMAT_AUXTRACE_SIZE - PERF_FORMAT_EVENT_HEADER_SIZE];
	uint64_t data;
	uint32_t cpu;

	if (size != sizeof(event) || fread(event, 1, size, file) != size)
		return bad_events(decoder, "with a bad AUXTRACE event");
	data = perf_format_get_u64(event);
	cpu = perf_format_get_u32(event + 32);
	if (cpu == UINT32_MAX) /* a thread's trace: tell them apart by queue */
		cpu = perf_format_get_u32(event + 24);
	if (data > events->left || cpu >= CPU_LIMIT)
		return bad_events(decoder, "with a bad AUXTRACE event");
	if (events->left != UINT64_MAX)
		events->left -= data;
	events->spe = true;
	if (decode_part(decoder, file, data, &cpu) != data)
		return bad_events(decoder, "ends within its AUX data");
	return 0;
}

/* An event of size bytes behind its header, of which the type is known. */
static int decode_event(struct decoder *decoder, FILE *file, struct perf_events *events,
			uint32_t type, uint64_t size)
{
	uint8_t word[4];
	int code = 0;

	if (type == PERF_FORMAT_AUXTRACE)
		return decode_trace(decoder, file, events, size);
	if (type == PERF_FORMAT_AUXTRACE_INFO)
		code = check_trace(decoder, file, events, &size);
	if (type == PERF_FORMAT_COMPRESSED || type == PERF_FORMAT_COMPRESSED2)
		events->compressed = true;
	if (type == PERF_FORMAT_TRACING_DATA && events->left == UINT64_MAX &&
	    size >= sizeof(word)) {
		if (fread(word, 1, sizeof(word), file) != sizeof(word))
			return bad_events(decoder, "ends within its events");
		size += ((uint64_t)perf_format_get_u32(word) + 7) / 8 * 8 - sizeof(word);
	}
	if (code == 0 && decode_part(decoder, file, size, NULL) != size)
		return bad_events(decoder, "ends within its events");
	return code;
}

/* What stands before the events; the magic has been read. */
static int read_perf_header(struct decoder *decoder, FILE *file, struct perf_events *events,
			    uint64_t *skip)
{
	uint8_t header[PERF_FORMAT_HEADER_SIZE];
	const size_t words = PERF_FORMAT_PIPE_HEADER_SIZE;

	if (fread(header + 8, 1, words - 8, file) != words - 8)
		return bad_events(decoder, "with a truncated header");
	*skip = 0;
	events->left = UINT64_MAX;
	if (perf_format_get_u64(header + 8) == words)
		return 0;
	if (fread(header + words, 1, sizeof(header) - words, file) != sizeof(header) - words)
		return bad_events(decoder, "with a truncated header");
	*skip = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT);
	events->left = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT + 8);
	if (*skip < sizeof(header))
		return bad_events(decoder, "with a bad event section");
	*skip -= sizeof(header);
	decoder->unfinished = events->left == 0;
	if (decoder->unfinished)
		events->left = UINT64_MAX;
	return 0;
}

/*
 * The event stream of a perf.data file: the data of its AUXTRACE events. Everything is read in
 * order, so that the file may come through a pipe.
 */
static int decode_perf_data(struct decoder *decoder, FILE *file)
{
	const size_t head = PERF_FORMAT_EVENT_HEADER_SIZE;
	uint8_t event[PERF_FORMAT_EVENT_HEADER_SIZE];
	struct perf_events events = {0};
	uint64_t size, skip = 0;
	size_t got;
	int code = read_perf_header(decoder, file, &events, &skip);

	if (code == 0 && decode_part(decoder, file, skip, NULL) != skip)
		code = bad_events(decoder, "ends before its events");
	while (code == 0 && events.left) {
		got = events.left < head ? 0 : fread(event, 1, head, file);
		if (got == 0 && events.left == UINT64_MAX && !decoder->unfinished)
			break;
		if (got != head)
			return bad_events(decoder, "ends within its events");
		size = event[6] | (unsigned int)event[7] << 8;
		if (size < head || size > events.left)
			return bad_events(decoder, "with a bad event size");
		if (events.left != UINT64_MAX)
			events.left -= size;
		code = decode_event(decoder, file, &events, perf_format_get_u32(event),
				    size - head);
	}
	if (code == 0 && (!events.spe || decoder->unfinished))
		code = bad_events(decoder, events.compressed
						   ? "without AUX trace, its events compressed "
						     "(perf record -z)"
						   : "without AUX trace: nothing of SPE is in it");
	return code;
}

static int decode_file(struct decoder *decoder, FILE *file)
{
	const uint32_t cpu = 0;
	uint8_t magic[8];
	size_t got = fread(magic, 1, sizeof(magic), file);
	const char *packed = compression_name(magic, got);
	char text[64];

	if (got == 0)
		return ferror(file) ? 0 : input_error(decoder, "empty: there is nothing to decode");
	if (got == sizeof(magic) && !memcmp(magic, PERF_FORMAT_MAGIC, sizeof(magic)))
		return decode_perf_data(decoder, file);
	if (got == sizeof(magic) && !memcmp(magic, "2ELIFREP", sizeof(magic)))
		return input_error(decoder, "perf.data file of a big-endian machine");
	if (packed) {
		snprintf(text, sizeof(text), "compressed by %s; unpack it first", packed);
		return input_error(decoder, text);
	}
	decode_bytes(decoder, cpu, magic, got);
	decode_part(decoder, file, UINT64_MAX, &cpu);
	return 0;
}

static bool has_records(const struct decoder *decoder)
{
	for (uint32_t cpu = 0; cpu < decoder->cpus; cpu++)
		if (decoder->streams[cpu].record)
			return true;
	return false;
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
	if (ferror(file))
		code = input_error(&decoder, strerror(errno));
	if (code == 0 && !has_records(&decoder))
		cli_message(messages, "vspe decode: %s: no records in it", name);
	free(decoder.streams);
	if (format == DECODE_SUMMARY)
		decode_output_summary(out, &decoder.totals);
	return code ? code : report_damage(&decoder);
}

/* What a command line asks for. */
struct request {
	enum decode_format format;
	const char *perf_data, *symbols;
	bool no_sandbox;
};

/* All files are open. */
static int enter_sandbox(void *ctx)
{
	const struct request *request = ctx;

	return cli_sandbox("vspe decode", request->no_sandbox,
			   request->perf_data ? SANDBOX_NAMES : 0, &request->perf_data, 1);
}

/* The input is open. Of what else there is the ELF file is looked at before the last is. */
static int decode_request(FILE *file, const char *name, struct request *request)
{
	int code = cli_sandbox("vspe decode", request->no_sandbox, SANDBOX_FILES, NULL, 0);

	if (code >= 0)
		return code;
	if (request->perf_data)
		return decode_to_perf_data(file, name, request->perf_data, request->symbols,
					   enter_sandbox, request, stderr);
	code = enter_sandbox(request);
	return code >= 0 ? code : decode_input(file, name, request->format, stdout, stderr);
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

int cmd_decode(int argc, char **argv)
{
	struct request request = {.format = DECODE_TEXT};
	struct cli_parser parser = {
		.command = "decode",
		.help = decode_help,
		.lists = {{decode_rows, sizeof(decode_rows) / sizeof(decode_rows[0])}},
		.request = &request,
		.messages = stderr,
		.operands = CLI_FILE_INPUT,
	};
	const char *name;
	FILE *file;
	int operand, code = cli_parse(&parser, argc, argv, &operand);

	if (code >= 0)
		return code;
	if (operand == argc)
		return cli_refuse_line(&parser, "no file given; - is the standard input");
	if (operand + 1 < argc)
		return cli_refuse_line(&parser, "%s: a second file; the first is %s",
				       argv[operand + 1], argv[operand]);
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
