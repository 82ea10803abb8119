/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a perf.data file (tools/perf/Documentation/perf.data-file-format.txt of Linux) that
 * matter for SPE. Everything is read in order, so that the file may come through a pipe.
 *
 * A file of `perf record -e arm_spe_0//` has, in this order:
 *
 *   header                     where attributes, events and feature sections are
 *   attributes                 which fields end each event (sample_type)
 *   AUXTRACE_INFO              the trace is SPE's; the cores
 *   MMAP2, COMM, FORK, ...     who ran, and what was where; the sink gets these
 *   AUX        0 +4096 flags   so many bytes of trace were taken; was something lost?
 *   AUXTRACE   4096 cpu 0      ... and here they are, after the event
 *   feature sections           CPUID: the core that perf ran on
 *
 * An AUX event may come before or after the AUXTRACE event that has its bytes, so they are counted
 * separately.
 */
#include "trace/input_parts.h"
#include "trace/input_unpack.h"
#include "trace/perf_format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define HEAD PERF_FORMAT_EVENT_HEADER_SIZE
#define BODY (65536u - HEAD) /* the most bytes of an event after its header */

/* What has been seen of a file. */
struct perf_events {
	uint64_t left;				 /* bytes; UINT64_MAX: up to the end of the file */
	uint64_t end;				 /* where they end in the file; 0: not known */
	uint8_t header[PERF_FORMAT_HEADER_SIZE]; /* of a file, not of a pipe */
	bool unfinished;			 /* a file whose writer ended too early */
	bool spe;				 /* there is an AUX trace, or should be one */
	struct input_unpack unpack;
	struct input_trailers trailers;
};

static bool is_pipe(const struct perf_events *events)
{
	return events->left == UINT64_MAX && !events->unfinished;
}

/* The CPU of an event whose first `own` bytes are not its trailer. */
static struct input_origin trailer_origin(const struct perf_events *events, const uint8_t *body,
					  size_t size, size_t own)
{
	return (struct input_origin){
		.cpu = input_trailer_read(&events->trailers, body, size, own).cpu, .tid = -1};
}

/* Count a loss that an event reports. */
static void note_loss(struct input_reader *reader, enum input_loss loss, uint64_t lost,
		      struct input_origin origin)
{
	struct input_loss_count *count = &reader->result->losses[loss];

	if (count->times++ == 0)
		count->first = origin;
	count->lost += lost;
}

static void take_aux(struct input_reader *reader, const struct perf_events *events,
		     const uint8_t *body, size_t size)
{
	static const struct {
		uint64_t flag;
		enum input_loss loss;
	} rows[] = {
		{PERF_FORMAT_AUX_TRUNCATED, INPUT_TRUNCATED},
		{PERF_FORMAT_AUX_PARTIAL, INPUT_PARTIAL},
		{PERF_FORMAT_AUX_COLLISION, INPUT_COLLISION},
	};
	uint64_t offset, bytes, flags;

	if (size < 24)
		return;
	offset = perf_format_get_u64(body);
	bytes = perf_format_get_u64(body + 8);
	flags = perf_format_get_u64(body + 16);
	reader->result->aux_bytes += bytes;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct input_loss_count *count = &reader->result->losses[rows[i].loss];

		if (!(flags & rows[i].flag))
			continue;
		if (!count->times)
			count->first_offset = offset;
		count->aux = true;
		count->bytes += bytes;
		note_loss(reader, rows[i].loss, 0, trailer_origin(events, body, size, 24));
	}
}

/* AUXTRACE_INFO names the kind of the trace that follows. */
static int take_info(struct input_reader *reader, struct perf_events *events, const uint8_t *body,
		     size_t size)
{
	static const char *const names[] = {NULL, "Intel PT", "Intel BTS",     "CoreSight",
					    NULL, "S/390",    "HiSilicon PTT", "VPA DTL"};
	uint32_t type;

	if (size < 4)
		return input_problem(reader, "perf.data file with a bad AUXTRACE_INFO event");
	type = perf_format_get_u32(body);
	events->spe = type == PERF_FORMAT_TRACE_ARM_SPE;
	if (!events->spe)
		return input_problem(
			reader,
			"perf.data file with AUX trace of %s (type %" PRIu32 "), not of SPE",
			type < sizeof(names) / sizeof(*names) && names[type] ? names[type]
									     : "another kind",
			type);
	if (size > 8) /* type, reserved */
		input_cores_trace(&reader->cores, body + 8, size - 8);
	return 0;
}

/* An attribute of a pipe: its own size, then identifiers up to the end. */
static void take_attr(struct perf_events *events, const uint8_t *body, size_t size)
{
	const size_t own = size >= 8 ? perf_format_get_u32(body + 4) : 0;

	if (own >= 8 && own <= size)
		input_trailers_attr(&events->trailers, body, own, body + own, (size - own) / 8);
}

/* Pass events that say who ran, or what was where, to the sink. */
static void give_event(struct input_reader *reader, const struct perf_events *events,
		       const uint8_t *head, const uint8_t *body, size_t size)
{
	static const struct {
		uint32_t type;
		size_t own; /* the fewest bytes before its trailer */
	} rows[] = {
		{PERF_FORMAT_MMAP, 32},	       {PERF_FORMAT_COMM, 8},
		{PERF_FORMAT_FORK, 24},	       {PERF_FORMAT_MMAP2, 64},
		{PERF_FORMAT_ITRACE_START, 8}, {PERF_FORMAT_SWITCH_CPU_WIDE, 8},
		{PERF_FORMAT_SWITCH, 0},       {PERF_FORMAT_BUILD_ID, 28},
		{PERF_FORMAT_TIME_CONV, 24},
	};
	struct input_event event = {.type = perf_format_get_u32(head),
				    .misc = perf_format_get_u16(head + PERF_FORMAT_EVENT_MISC_AT),
				    .body = body,
				    .size = size};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && reader->sink->event; i++) {
		if (event.type != rows[i].type || size < rows[i].own)
			continue;
		event.trailer = input_trailer_read(&events->trailers, body, size, rows[i].own);
		reader->sink->event(reader->sink->ctx, &event);
	}
}

/* Take an event with its complete body. */
static int take_event(struct input_reader *reader, struct perf_events *events, const uint8_t *head,
		      const uint8_t *body, size_t size)
{
	give_event(reader, events, head, body, size);
	switch (perf_format_get_u32(head)) {
	case PERF_FORMAT_AUX: take_aux(reader, events, body, size); break;
	case PERF_FORMAT_LOST:
		if (size >= 16)
			note_loss(reader, INPUT_LOST_EVENTS, perf_format_get_u64(body + 8),
				  trailer_origin(events, body, size, 16));
		break;
	case PERF_FORMAT_LOST_SAMPLES:
		if (size >= 8)
			note_loss(reader, INPUT_LOST_SAMPLES, perf_format_get_u64(body),
				  trailer_origin(events, body, size, 8));
		break;
	case PERF_FORMAT_ATTR: take_attr(events, body, size); break;
	case PERF_FORMAT_FEATURE: input_cores_feature(&reader->cores, body, size); break;
	case PERF_FORMAT_AUXTRACE_INFO: return take_info(reader, events, body, size);
	default: break;
	}
	return 0;
}

struct unpacking {
	struct input_reader *reader;
	struct perf_events *events;
};

static int take_unpacked(void *ctx, const uint8_t *event, size_t size)
{
	const struct unpacking *unpacking = ctx;

	return take_event(unpacking->reader, unpacking->events, event, event + HEAD, size - HEAD);
}

/* COMPRESSED2 has the size of its data first, and padding last. */
static int read_compressed(struct input_reader *reader, struct perf_events *events, uint32_t type,
			   const uint8_t *body, size_t size)
{
	struct unpacking unpacking = {reader, events};
	const size_t head = type == PERF_FORMAT_COMPRESSED2 ? 8 : 0;
	int code = -EINVAL;

	if (size >= head && (!head || perf_format_get_u64(body) <= size - head))
		code = input_unpack(&events->unpack, body + head,
				    head ? (size_t)perf_format_get_u64(body) : size, take_unpacked,
				    &unpacking);
	if (code < 0 && !*reader->result->problem)
		return input_problem(reader, "perf.data file with damaged compressed events");
	return code;
}

/* Read the AUX trace after an AUXTRACE event as a buffer. */
static int read_trace(struct input_reader *reader, FILE *file, struct perf_events *events,
		      const uint8_t *body, size_t size)
{
	struct input_origin origin = {-1, -1};
	uint64_t bytes, got;
	uint32_t cpu, tid;

	if (size != PERF_FORMAT_AUXTRACE_SIZE - HEAD)
		return input_problem(reader, "perf.data file with a bad AUXTRACE event");
	bytes = perf_format_get_u64(body);
	tid = perf_format_get_u32(body + 28);
	cpu = perf_format_get_u32(body + 32);
	if (bytes > events->left || (cpu >= INPUT_CPUS && cpu != UINT32_MAX))
		return input_problem(reader, "perf.data file with a bad AUXTRACE event");
	if (cpu != UINT32_MAX)
		origin.cpu = (int32_t)cpu;
	else if (tid <= INT32_MAX)
		origin.tid = (int32_t)tid;
	if (events->left != UINT64_MAX)
		events->left -= bytes;
	events->spe = true;
	if (reader->sink->record) {
		input_begin_buffer(reader, origin, perf_format_get_u64(body + 8));
		got = input_read_buffer(reader, file, bytes);
		input_end_buffer(reader);
	} else {
		got = input_skip_bytes(reader, file, bytes);
	}
	return got == bytes ? 0 : input_problem(reader, "perf.data file ends within its AUX data");
}

/* In a pipe, TRACING_DATA has as many bytes after it as its first word says. */
static uint64_t bytes_after(const struct perf_events *events, uint32_t type, const uint8_t *body,
			    size_t size)
{
	if (type != PERF_FORMAT_TRACING_DATA || !is_pipe(events) || size < 4)
		return 0;
	return ((uint64_t)perf_format_get_u32(body) + 7) / 8 * 8;
}

/* Read the next event. 1: there is none. */
static int read_event(struct input_reader *reader, FILE *file, struct perf_events *events)
{
	uint8_t head[HEAD], body[BODY];
	const size_t got = events->left < HEAD
				   ? 0
				   : (size_t)input_read_bytes(reader, file, head, sizeof(head));
	uint64_t after;
	uint32_t type;
	size_t size;
	int code;

	if (got == 0 && is_pipe(events))
		return 1;
	if (got != HEAD)
		return input_problem(reader, "perf.data file ends within its events");
	type = perf_format_get_u32(head);
	size = perf_format_get_u16(head + PERF_FORMAT_EVENT_SIZE_AT);
	if (size < HEAD || size > events->left)
		return input_problem(reader, "perf.data file with a bad event size");
	if (events->left != UINT64_MAX)
		events->left -= size;
	size -= HEAD;
	if (input_read_bytes(reader, file, body, size) != size)
		return input_problem(reader, "perf.data file ends within its events");
	if (type == PERF_FORMAT_AUXTRACE)
		return read_trace(reader, file, events, body, size);
	if (type == PERF_FORMAT_COMPRESSED || type == PERF_FORMAT_COMPRESSED2)
		return read_compressed(reader, events, type, body, size);
	code = take_event(reader, events, head, body, size);
	after = bytes_after(events, type, body, size);
	if (code == 0 && input_skip_bytes(reader, file, after) != after)
		return input_problem(reader, "perf.data file ends within its events");
	return code;
}

/* What to say of a file without AUX trace. */
static const char *lacking(const struct perf_events *events)
{
	if (is_pipe(events))
		return "of a pipe (perf record -o -) without AUX trace: nothing of SPE is in it; "
		       "perf record -e arm_spe_0// records it";
	return "without AUX trace: nothing of SPE is in it; perf record -e arm_spe_0// records it";
}

/*
 * Perf names the core after the records. Look it up first if the file is seekable; from a pipe it
 * is only known at the end.
 */
static void look_ahead(struct input_reader *reader, FILE *file, const struct perf_events *events)
{
	const off_t here = ftello(file);

	if (here < 0 || !events->end || fseeko(file, (off_t)events->end, SEEK_SET))
		return;
	input_cores_sections(&reader->cores, file, events->end, events->header);
	if (reader->sink->event)
		input_read_build_ids(reader, file, events->end, events->header);
	(void)fseeko(file, here, SEEK_SET);
}

/* The attributes in size bytes after the header, each with where its identifiers are. */
static void take_attrs(struct perf_events *events, const uint8_t *bytes, uint64_t size)
{
	const uint64_t first = perf_format_get_u64(events->header + PERF_FORMAT_ATTRS_AT) -
			       PERF_FORMAT_HEADER_SIZE;
	const uint64_t all = perf_format_get_u64(events->header + PERF_FORMAT_ATTRS_AT + 8);
	const uint64_t each = perf_format_get_u64(events->header + PERF_FORMAT_ATTR_BYTES_AT);

	if (first > size || each <= 16 || each > size)
		return;
	for (uint64_t at = 0; at + each <= all && at + each <= size - first; at += each) {
		const uint8_t *attr = bytes + first + at, *place = attr + each - 16;
		const uint64_t ids = perf_format_get_u64(place) - PERF_FORMAT_HEADER_SIZE;
		uint64_t count = perf_format_get_u64(place + 8) / 8;

		if (ids > size || count > (size - ids) / 8)
			count = 0;
		input_trailers_attr(&events->trailers, attr, (size_t)each - 16,
				    bytes + (count ? ids : 0), (size_t)count);
	}
}

/* Read what is between the header and the events, including the attributes. */
static int read_attrs(struct input_reader *reader, FILE *file, struct perf_events *events,
		      uint64_t size)
{
	uint8_t bytes[INPUT_PIECE];
	const uint64_t part = size < sizeof(bytes) ? size : sizeof(bytes);

	if (input_read_bytes(reader, file, bytes, part) != part ||
	    input_skip_bytes(reader, file, size - part) != size - part)
		return input_problem(reader, "perf.data file ends before its events");
	take_attrs(events, bytes, part);
	return 0;
}

/* Read what comes before the events, after the magic number. */
static int read_header(struct input_reader *reader, FILE *file, struct perf_events *events)
{
	uint8_t *header = events->header;
	const size_t words = PERF_FORMAT_PIPE_HEADER_SIZE, rest = PERF_FORMAT_HEADER_SIZE - words;
	uint64_t start;

	if (input_read_bytes(reader, file, header + 8, words - 8) != words - 8)
		return input_problem(reader, "perf.data file with a truncated header");
	events->left = UINT64_MAX;
	if (perf_format_get_u64(header + 8) == words)
		return 0;
	if (input_read_bytes(reader, file, header + words, rest) != rest)
		return input_problem(reader, "perf.data file with a truncated header");
	start = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT);
	events->left = perf_format_get_u64(header + PERF_FORMAT_DATA_OFFSET_AT + 8);
	if (start < PERF_FORMAT_HEADER_SIZE)
		return input_problem(reader, "perf.data file with a bad event section");
	if (events->left && events->left <= INT64_MAX && start <= INT64_MAX - events->left)
		events->end = start + events->left;
	events->unfinished = events->left == 0;
	if (events->unfinished)
		events->left = UINT64_MAX;
	else
		look_ahead(reader, file, events);
	return read_attrs(reader, file, events, start - PERF_FORMAT_HEADER_SIZE);
}

static int read_events(struct input_reader *reader, FILE *file, struct perf_events *events)
{
	int code = read_header(reader, file, events);

	while (code == 0 && events->left)
		code = read_event(reader, file, events);
	if (code >= 0 && events->end && !reader->cores.all)
		input_cores_sections(&reader->cores, file, events->end, events->header);
	if (code >= 0 && !events->spe)
		return input_problem(reader, "perf.data file %s", lacking(events));
	return code < 0 ? code : 0;
}

int input_read_perf_data(struct input_reader *reader, FILE *file)
{
	struct perf_events events = {0};
	const int code = read_events(reader, file, &events);
	struct input_result *result = reader->result;
	const size_t used = strlen(result->problem);

	input_unpack_free(&events.unpack);
	input_trailers_free(&events.trailers);
	if (events.unfinished) {
		(void)input_problem(reader,
				    "perf.data file that was never finished; read as far as "
				    "it goes");
		return -ENODATA;
	}
	if (code == 0 || !result->records)
		return code;
	(void)snprintf(result->problem + used, sizeof(result->problem) - used,
		       "; read as far as that");
	return -ENODATA;
}
