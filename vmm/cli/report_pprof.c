/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report --export pprof: the message Profile of proto/profile.proto in
 * github.com/google/pprof, in the Protocol Buffers wire format, in gzip. A message's length comes
 * first, so each one except the outermost, all of them small, is complete before it is written. The
 * gzip header has no time, so the same input gives the same bytes.
 *
 * A Location has the address within its file, and its Mapping begins at 0, which pprof takes for
 * "already adjusted". The address where a program was loaded differs by process.
 */
#include "cli/report_export.h"

#include "base/memory.h"
#include "trace/names.h"
#include "trace/report_map.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- gzip */

struct gzip {
	FILE *out;
	z_stream stream;
	uint8_t bytes[1u << 15];
};

static void gzip_run(struct gzip *gzip, const void *bytes, size_t size, int flush)
{
	gzip->stream.next_in = (z_const Bytef *)bytes;
	gzip->stream.avail_in = (uInt)size;
	do {
		gzip->stream.next_out = gzip->bytes;
		gzip->stream.avail_out = sizeof(gzip->bytes);
		(void)deflate(&gzip->stream, flush);
		fwrite(gzip->bytes, 1, sizeof(gzip->bytes) - gzip->stream.avail_out, gzip->out);
	} while (!gzip->stream.avail_out);
}

static struct gzip *gzip_begin(FILE *out)
{
	struct gzip *gzip = memory_need(calloc(1, sizeof(*gzip)));

	gzip->out = out;
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		memory_out();
	return gzip;
}

static void gzip_end(struct gzip *gzip)
{
	gzip_run(gzip, NULL, 0, Z_FINISH);
	(void)deflateEnd(&gzip->stream);
	free(gzip);
}

/* --- Protocol Buffers */

/* A message with a few numeric fields. */
struct message {
	uint8_t bytes[512];
	size_t size;
};

#define VARINT_MOST 10u

static size_t varint(uint8_t *to, uint64_t number)
{
	size_t size = 0;

	for (; number >> 7; number >>= 7)
		to[size++] = (uint8_t)(number | 0x80);
	to[size++] = (uint8_t)number;
	return size;
}

/* A numeric field. 0 is the default, and is not written. */
static void put_number(struct message *message, unsigned int field, uint64_t number)
{
	if (!number)
		return;
	message->size += varint(message->bytes + message->size, field << 3);
	message->size += varint(message->bytes + message->size, number);
}

static void put_bytes(struct gzip *gzip, unsigned int field, const void *bytes, size_t size)
{
	uint8_t head[2 * VARINT_MOST];
	size_t used = varint(head, field << 3 | 2);

	used += varint(head + used, size);
	gzip_run(gzip, head, used, Z_NO_FLUSH);
	gzip_run(gzip, bytes, size, Z_NO_FLUSH);
}

static void put_message(struct gzip *gzip, unsigned int field, const struct message *message)
{
	put_bytes(gzip, field, message->bytes, message->size);
}

/* A message in a message. */
static void put_inner(struct message *message, unsigned int field, const struct message *inner)
{
	message->size += varint(message->bytes + message->size, field << 3 | 2);
	message->size += varint(message->bytes + message->size, inner->size);
	memcpy(message->bytes + message->size, inner->bytes, inner->size);
	message->size += inner->size;
}

/* --- Profile */

/* Fields of Profile, by number. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT,
};

struct pprof {
	const struct export_print *print;
	struct gzip *gzip;
	struct names names;
	struct report_map strings; /* the key is (number of the name, 0); entries are in order */
	uint32_t *sources;	   /* strings of data sources */
	uint32_t *mappings;	   /* ids, by dso */
};

#define STRINGS_MOST (1u << 22)

/* The index of a string, which is written at the end. */
static uint32_t string(struct pprof *pprof, const char *text)
{
	const uint32_t name = names_number(&pprof->names, text, SIZE_MAX);
	uint32_t *index = report_map_at(&pprof->strings, name, 0);

	/* 64 MiB of names are full: further names become the empty one. */
	if (name == NAMES_NONE || !index)
		return 0;
	if (!*index)
		*index = pprof->strings.count;
	return *index - 1;
}

static void put_type(struct pprof *pprof, const char *type, const char *unit)
{
	struct message message = {.size = 0};

	put_number(&message, 1, string(pprof, type));
	put_number(&message, 2, string(pprof, unit));
	put_message(pprof->gzip, PROFILE_SAMPLE_TYPE, &message);
}

static void put_label(struct message *sample, uint32_t key, uint32_t value)
{
	struct message label = {.size = 0};

	put_number(&label, 1, key);
	put_number(&label, 2, value);
	put_inner(sample, 3, &label);
}

/* Labels that all samples use, so that their words are made once. */
struct labels {
	uint32_t process, thread, el, source; /* keys */
	uint32_t levels[4];
	uint32_t processes, threads; /* values, of the one of these samples */
};

static void put_sample(struct pprof *pprof, const struct export_sample *sample,
		       const struct labels *labels)
{
	const struct export_tables *tables = pprof->print->tables;
	const int level = tables->functions[tables->places[sample->place].function].level;
	struct message message = {.size = 0}, values = {.size = 0};

	put_number(&message, 1, sample->place + UINT64_C(1));
	values.size += varint(values.bytes, sample->records);
	values.size += varint(values.bytes + values.size, sample->cycles);
	put_inner(&message, 2, &values); /* packed */
	put_label(&message, labels->process, labels->processes);
	put_label(&message, labels->thread, labels->threads);
	if (level != EXPORT_NO_LEVEL)
		put_label(&message, labels->el, labels->levels[level]);
	if (sample->source)
		put_label(&message, labels->source, pprof->sources[sample->source]);
	put_message(pprof->gzip, PROFILE_SAMPLE, &message);
}

static void put_samples(struct pprof *pprof)
{
	const struct export_tables *tables = pprof->print->tables;
	struct labels labels = {.process = string(pprof, "process"),
				.thread = string(pprof, "thread"),
				.el = string(pprof, "el"),
				.source = string(pprof, "source")};
	char text[EXPORT_WHO_TEXT];

	for (unsigned int el = 0; el < 4; el++) {
		(void)snprintf(text, sizeof(text), "EL%u", el);
		labels.levels[el] = string(pprof, text);
	}
	for (uint32_t i = 0; i < tables->who_count; i++) {
		const struct export_who *who = &tables->whos[i];

		labels.processes = string(pprof, report_export_process(pprof->print, who, text));
		labels.threads = string(pprof, report_export_thread(who, text));
		for (uint32_t n = 0; n < who->count; n++)
			put_sample(pprof, &tables->samples[who->first + n], &labels);
	}
}

static void make_sources(struct pprof *pprof)
{
	const struct export_tables *tables = pprof->print->tables;

	pprof->sources = memory_need(calloc(tables->source_count, sizeof(*pprof->sources)));
	for (uint32_t i = 1; i < tables->source_count; i++) {
		char text[EXPORT_SOURCE_TEXT];

		pprof->sources[i] = string(pprof, report_export_source(&tables->sources[i], text));
	}
}

static void put_mapping(struct pprof *pprof, uint32_t id, uint32_t number)
{
	const struct report_view *view = pprof->print->print->view;
	const struct threads_dso dso = threads_dso(view->threads, number);
	char hex[THREADS_BUILD_ID_TEXT];
	struct message message = {.size = 0};
	struct report_cell path = {0};

	report_name(&path, dso.path);
	put_number(&message, 1, id);
	put_number(&message, 3, UINT64_MAX); /* its end */
	put_number(&message, 5, string(pprof, path.text));
	put_number(&message, 6, string(pprof, threads_build_id(&dso, hex)));
	put_number(&message, 7, 1); /* has_functions: pprof need not look for any */
	put_message(pprof->gzip, PROFILE_MAPPING, &message);
	free(path.text);
}

/* Those with samples. */
static void put_mappings(struct pprof *pprof)
{
	const struct report_view *view = pprof->print->print->view;
	const struct export_tables *tables = pprof->print->tables;
	const uint32_t count = view->threads ? threads_dsos(view->threads) : 0;
	uint32_t id = 0;

	pprof->mappings = memory_need(calloc(count + 1, sizeof(*pprof->mappings)));
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const uint32_t dso = tables->functions[i].dso;

		if (dso == EXPORT_NO_DSO || pprof->mappings[dso])
			continue;
		pprof->mappings[dso] = ++id;
		put_mapping(pprof, id, dso);
	}
}

static void put_locations(struct pprof *pprof)
{
	const struct export_tables *tables = pprof->print->tables;

	for (uint32_t i = 0; i < tables->place_count; i++) {
		const struct export_place *place = &tables->places[i];
		const uint32_t dso = tables->functions[place->function].dso;
		struct message message = {.size = 0}, line = {.size = 0};

		put_number(&line, 1, place->function + UINT64_C(1));
		put_number(&line, 2, place->line);
		put_number(&message, 1, i + UINT64_C(1));
		put_number(&message, 2, dso == EXPORT_NO_DSO ? 0 : pprof->mappings[dso]);
		put_number(&message, 3, place->address);
		put_inner(&message, 4, &line);
		put_message(pprof->gzip, PROFILE_LOCATION, &message);
	}
}

static void put_functions(struct pprof *pprof)
{
	const struct export_tables *tables = pprof->print->tables;

	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct export_function *function = &tables->functions[i];
		struct message message = {.size = 0};

		put_number(&message, 1, i + UINT64_C(1));
		/* Set no system name: pprof would take the template's arguments off a C++ name. */
		put_number(&message, 2, string(pprof, function->name));
		if (function->file)
			put_number(&message, 4, string(pprof, function->file));
		put_number(&message, 5, function->line);
		put_message(pprof->gzip, PROFILE_FUNCTION, &message);
	}
}

static void put_comment(void *ctx, const char *line)
{
	struct pprof *pprof = ctx;
	struct message message = {.size = 0};

	put_number(&message, PROFILE_COMMENT, string(pprof, line));
	gzip_run(pprof->gzip, message.bytes, message.size, Z_NO_FLUSH);
}

/* The type to show first, and the duration. */
static void put_about(struct pprof *pprof)
{
	const struct export *export = pprof->print->export;
	struct message message = {.size = 0};

	put_number(&message, PROFILE_DEFAULT, string(pprof, "samples"));
	if (pprof->print->clocked && export->first < export->last)
		put_number(&message, PROFILE_DURATION, export->last - export->first);
	gzip_run(pprof->gzip, message.bytes, message.size, Z_NO_FLUSH);
}

static void put_strings(struct pprof *pprof)
{
	for (uint32_t i = 0; i < pprof->strings.count; i++) {
		const struct report_key *key = report_map_key(&pprof->strings, i);
		const char *text = names_get(&pprof->names, (uint32_t)key->a);

		put_bytes(pprof->gzip, PROFILE_STRING, text, strlen(text));
	}
}

void report_print_pprof(FILE *out, const struct export_print *print)
{
	struct pprof pprof = {.print = print, .gzip = gzip_begin(out)};

	report_map_init(&pprof.strings, sizeof(uint32_t), STRINGS_MOST);
	(void)string(&pprof, ""); /* number 0 */
	put_type(&pprof, "samples", "count");
	put_type(&pprof, "latency", "cycles");
	make_sources(&pprof);
	put_samples(&pprof);
	put_mappings(&pprof);
	put_locations(&pprof);
	put_functions(&pprof);
	report_export_remarks(print, put_comment, &pprof);
	put_about(&pprof);
	put_strings(&pprof);
	gzip_end(pprof.gzip);
	names_free(&pprof.names);
	report_map_free(&pprof.strings);
	free(pprof.sources);
	free(pprof.mappings);
}
