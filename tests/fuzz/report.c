/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: vspe report, of any list of symbols and any records, with tables so small that they fill
 * up. The first byte chooses the options, the next two the size of the list. All output is
 * printable ASCII, and every record is in a row of each table or counted as in none.
 */
#include "file.h"

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/report_export.h"
#include "cli/report_names.h"
#include "trace/input.h"

#include <string.h>

static const struct report_bounds small = {
	.addresses = 8, .branches = 8, .lines = 8, .pages = 8, .contexts = 4};

static const struct export_bounds small_export = {
	.whos = 2, .sources = 2, .places = 4, .samples = 8};

struct target {
	struct report *report;
	struct export *export; /* or NULL */
	struct report_names names;
	struct report_choice choice;
};

static void take_event(void *ctx, const struct input_event *event)
{
	const struct target *target = ctx;

	threads_event(target->names.threads, event);
}

static void take_record(void *ctx, const struct input_record *record)
{
	struct target *target = ctx;
	struct threads_life life = {0};
	struct threads_who who;
	struct sample sample;
	bool alive;

	if (!record->size)
		return;
	sample_read(record->decoded, &sample);
	who = report_names_place(&target->names, record->origin, &sample);
	(void)report_names_pass(&target->names, &target->choice, who, &sample);
	alive = who.life != THREADS_UNKNOWN;
	if (alive)
		life = threads_life(target->names.threads, who.life);
	report_add(target->report, record->origin, alive ? &life : NULL,
		   record->midr ? source_set(record->midr) : SOURCE_UNSAID, &sample);
	if (target->export)
		export_add(target->export, record->origin, alive ? &life : NULL,
			   record->midr ? source_set(record->midr) : SOURCE_UNSAID, &sample,
			   sample.has & SAMPLE_HAS_TIME ? &sample.time : NULL);
}

/* All events first, as in vspe report, and none of the files that they name. */
static void take_events(struct target *target, FILE *in)
{
	struct input_result result;

	target->names.threads = threads_new();
	(void)input_read(in, &(struct input_sink){.ctx = target, .event = take_event}, &result);
	rewind(in);
	threads_ready(target->names.threads);
	target->names.dsos = dsos_new(target->names.threads);
}

/* The output, which the caller frees. */
static char *printed(void (*print)(FILE *out, const struct report_print *print),
		     const struct report_print *what)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	require(out);
	print(out, what);
	require(fclose(out) == 0);
	for (size_t i = 0; i < size; i++)
		require(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f));
	return text;
}

static void print_bolt(FILE *out, const struct report_print *print)
{
	(void)report_print_bolt(out, print);
}

static uint64_t samples_of(const struct report_section *section, const struct report_rows *rows)
{
	uint64_t sum = 0;
	unsigned int column = 0;

	while (strcmp(section->columns[column].key, "samples") != 0)
		column++;
	for (size_t row = 0; row < rows->count; row++)
		sum += rows->rows[row][column].number;
	return sum;
}

/* These tables have all records, except those without a PC or time. */
static void check_sums(struct report *report, const struct report_view *view, uint64_t records)
{
	uint64_t origins = 0, processes = 0, threads = 0, lines = 0, pages = 0, regions = 0;

	for (size_t i = 0; i < report_section_count; i++) {
		const struct report_section *section = &report_sections[i];
		const char *key = section->key;
		struct report_rows rows;

		report_fill(report, section, view, &rows);
		if (!strcmp(key, "contexts"))
			require(samples_of(section, &rows) + rows.dropped == records);
		if (!strcmp(key, "cpus"))
			origins = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "threads"))
			threads = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "processes"))
			processes = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "lines"))
			lines = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "pages"))
			pages = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "heatmap"))
			regions = samples_of(section, &rows) + rows.dropped;
		if (!strcmp(key, "objects"))
			require(samples_of(section, &rows) == records || !rows.count);
		if (!strcmp(key, "addresses") || !strcmp(key, "functions"))
			require(samples_of(section, &rows) + rows.dropped <= records);
		if (!strcmp(key, "time"))
			require(rows.count <= 64 && samples_of(section, &rows) <= records);
		report_rows_free(&rows);
	}
	/* All records with an address. */
	require(lines == pages && regions == pages);
	/* Threads are those that have names, or else those that have separate traces. */
	require(processes ? processes == records && threads == records
			  : origins + threads == records);
}

/* Those that are printed by default. */
static int usual_sections(void)
{
	int count = 0;

	for (size_t i = 0; i < report_section_count; i++)
		count += !report_sections[i].on_demand;
	return count;
}

static void print_all(const struct report_print *print)
{
	struct json_object *object;
	char *text = printed(report_print_json, print);

	object = json_tokener_parse(text);
	require(object && json_object_object_length(object) == usual_sections());
	json_object_put(object);
	free(text);
	text = printed(report_print_html, print);
	/* A page has one script, its own, near its end. */
	require(strstr(text, "<script>") && !strstr(strstr(text, "<script>") + 1, "<script"));
	require(strstr(text, "</html>\n"));
	free(text);
	free(printed(report_print_text, print));
	free(printed(report_print_folded, print));
	free(printed(print_bolt, print));
}

/* Every record is in a sample, or is counted; the whos have all samples in total. */
static void check_export(const struct export *export)
{
	const struct export_tables *tables = &export->tables;
	uint64_t records = 0, functions = 0;
	uint32_t samples = 0;

	for (uint32_t i = 0; i < tables->sample_count; i++) {
		const struct export_sample *sample = &tables->samples[i];

		require(sample->place < tables->place_count && sample->who < tables->who_count &&
			sample->source < tables->source_count);
		records += sample->records;
	}
	for (uint32_t i = 0; i < tables->function_count; i++)
		functions += tables->functions[i].weight;
	for (uint32_t i = 0; i < tables->who_count; i++) {
		require(tables->whos[i].first == samples);
		samples += tables->whos[i].count;
	}
	require(samples == tables->sample_count && functions == records);
	require(records + export->dropped == export->records);
}

static void print_export(struct export *export, const struct report_print *print)
{
	static const char *const words[] = {"speedscope", "firefox", "pprof"};
	const struct export_format *format = report_export_format(words[export->records % 3]);
	struct export_print to = {.print = print};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	require(out && format);
	report_export(out, format, export, &to);
	require(fclose(out) == 0);
	for (size_t i = 0; i < size && !format->binary; i++)
		require(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f));
	if (!format->binary) {
		struct json_object *object = json_tokener_parse(text);

		require(object);
		json_object_put(object);
	}
	free(text);
	check_export(export);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct target target = {.choice = {.comm = "a", .dso = "b", .symbol = "c"}};
	const struct input_sink sink = {.ctx = &target, .record = take_record};
	struct input_result result;
	struct report_view view = {.limit = 1000};
	struct report_print print = {.view = &view, .name = "a<&\"\x1b"};
	size_t list;
	FILE *in;

	if (size < 4)
		return 0;
	view.order = (enum report_order)(bytes[0] % 4);
	list = (size_t)(bytes[1] | bytes[2] << 8) % (size - 3);
	target.names.symbols = view.symbols = symbols_new();
	(void)symbols_add(view.symbols, file_of(bytes + 3, list), bytes[0] & 4,
			  UINT64_C(0x400000) << (bytes[0] >> 4));
	print.report = target.report = report_new(&small);
	if (bytes[2] & 1)
		target.export = export_new(&small_export, bytes[2] & 2);
	in = fmemopen((void *)(bytes + 3 + list), size - 3 - list, "rb");
	require(in);
	take_events(&target, in);
	view.threads = target.names.threads;
	view.dsos = target.names.dsos;
	(void)input_read(in, &sink, &result);
	fclose(in);
	check_sums(target.report, &view, result.records);
	if (bytes[0] & 8)
		print_all(&print);
	if (target.export)
		print_export(target.export, &print);
	report_free(target.report);
	export_free(target.export);
	report_names_free(&target.names);
	return 0;
}
