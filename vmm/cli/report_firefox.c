/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report --export firefox: a "processed profile" of https://profiler.firefox.com in version
 * 48, which its front end brings up to date (docs-developer/CHANGELOG-formats.md in
 * github.com/firefox-devtools/profiler; the members are those of src/types/profile.js there).
 *
 * Each thread has separate tables of strings, functions, frames and stacks; each stack is one
 * frame. A frame is an instruction with a data source, because its category is its Exception level
 * and its subcategory that source. The only weight is the number of records. "More info" has the
 * remarks.
 */
#include "cli/json.h"
#include "cli/report_export.h"

#include "base/memory.h"
#include "trace/report_map.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERSION	    48
#define LEVELS	    4 /* categories: Exception levels, and one of records without a PC */
#define LIBRARY	    1 /* a resource's type */
#define MILLISECOND UINT64_C(1000000)
#define NO_NUMBER   UINT32_MAX

static struct json_object *text(const char *words)
{
	return json_object_new_string(words);
}

/* json-c's null is NULL, which also means out of memory; here it is only null. */
static void append_null(struct json_object *list)
{
	if (json_object_array_add(list, NULL))
		memory_out();
}

static void append_number(struct json_object *list, uint64_t number)
{
	json_append(list, json_object_new_uint64(number));
}

/* Milliseconds of a time in nanoseconds. */
static struct json_object *milliseconds(uint64_t time)
{
	char words[32];

	(void)snprintf(words, sizeof(words), "%" PRIu64 ".%06" PRIu64, time / MILLISECOND,
		       time % MILLISECOND);
	return json_object_new_double_s((double)time / (double)MILLISECOND, words);
}

/* --- The tables of a thread: columns by name */

struct table {
	struct json_object *object;
	uint64_t length;
};

static struct table table_new(void)
{
	return (struct table){.object = json_object_new_object()};
}

/* A column of a table, made on first use. */
static struct json_object *column(const struct table *table, const char *name)
{
	struct json_object *list;

	if (json_object_object_get_ex(table->object, name, &list))
		return list;
	list = json_object_new_array();
	json_add(table->object, name, list);
	return list;
}

static void put_table(struct json_object *thread, const char *name, const struct table *table)
{
	json_add(table->object, "length", json_object_new_uint64(table->length));
	json_add(thread, name, table->object);
}

/* A table without rows still has its columns. */
static void put_empty(struct json_object *thread, const char *name, const char *const *columns,
		      size_t count)
{
	const struct table table = table_new();

	for (size_t i = 0; i < count; i++)
		(void)column(&table, columns[i]);
	put_table(thread, name, &table);
}

struct firefox {
	const struct export_print *print;
	const uint32_t *libraries; /* by dso */
	/* Rows of functions and libraries in the tables of thread number `thread` - 1. */
	struct row {
		uint32_t thread, number;
	} * functions, *resources;
	uint32_t thread;
	struct report_map frames; /* of the thread; the key is (place, source) */
	struct table strings, function_table, resource_table, frame_table, stack_table, samples;
};

static uint64_t put_string(struct firefox *firefox, const char *words)
{
	json_append(column(&firefox->strings, "stringArray"), text(words));
	return firefox->strings.length++;
}

/* Is it new in this thread? Then it gets the next number. */
static bool is_new(const struct firefox *firefox, struct row *row, uint64_t number)
{
	if (row->thread == firefox->thread + 1)
		return false;
	*row = (struct row){firefox->thread + 1, (uint32_t)number};
	return true;
}

static void put_path(struct firefox *firefox, struct json_object *list, const char *bytes)
{
	struct report_cell path = {0};

	report_name(&path, bytes);
	append_number(list, put_string(firefox, path.text));
	free(path.text);
}

static uint32_t resource_of(struct firefox *firefox, uint32_t dso)
{
	struct table *table = &firefox->resource_table;
	const struct report_view *view = firefox->print->print->view;

	if (!is_new(firefox, &firefox->resources[dso], table->length))
		return firefox->resources[dso].number;
	append_number(column(table, "lib"), firefox->libraries[dso]);
	put_path(firefox, column(table, "name"), dsos_short_name(view->dsos, dso));
	append_null(column(table, "host"));
	append_number(column(table, "type"), LIBRARY);
	return (uint32_t)table->length++;
}

static uint32_t function_of(struct firefox *firefox, uint32_t number)
{
	const struct export_function *function = &firefox->print->tables->functions[number];
	struct table *table = &firefox->function_table;

	if (!is_new(firefox, &firefox->functions[number], table->length))
		return firefox->functions[number].number;
	append_number(column(table, "name"), put_string(firefox, function->name));
	json_append(column(table, "isJS"), json_object_new_boolean(false));
	json_append(column(table, "relevantForJS"), json_object_new_boolean(false));
	if (function->dso == EXPORT_NO_DSO)
		json_append(column(table, "resource"), json_object_new_int(-1));
	else
		append_number(column(table, "resource"), resource_of(firefox, function->dso));
	if (function->file)
		put_path(firefox, column(table, "fileName"), function->file);
	else
		append_null(column(table, "fileName"));
	if (function->line)
		append_number(column(table, "lineNumber"), function->line);
	else
		append_null(column(table, "lineNumber"));
	append_null(column(table, "columnNumber"));
	return (uint32_t)table->length++;
}

/* Add a frame, and the stack that has only it and the same number. */
static void put_frame(struct firefox *firefox, uint32_t number, uint32_t source)
{
	const struct export_place *place = &firefox->print->tables->places[number];
	const int level = firefox->print->tables->functions[place->function].level;
	const uint64_t category = level == EXPORT_NO_LEVEL ? LEVELS : (uint64_t)level;
	const struct table *frames = &firefox->frame_table, *stacks = &firefox->stack_table;
	static const char *const nulls[] = {"nativeSymbol", "innerWindowID", "implementation",
					    "column"};

	/* No address: there is no machine code for the viewer to show. */
	json_append(column(frames, "address"), json_object_new_int(-1));
	append_number(column(frames, "inlineDepth"), 0);
	append_number(column(frames, "category"), category);
	append_number(column(frames, "subcategory"), source);
	append_number(column(frames, "func"), function_of(firefox, place->function));
	for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
		append_null(column(frames, nulls[i]));
	if (place->line)
		append_number(column(frames, "line"), place->line);
	else
		append_null(column(frames, "line"));
	append_number(column(stacks, "frame"), firefox->frame_table.length++);
	append_number(column(stacks, "category"), category);
	append_number(column(stacks, "subcategory"), source);
	append_null(column(stacks, "prefix"));
	firefox->stack_table.length++;
}

static void put_sample(struct firefox *firefox, const struct export_sample *sample)
{
	const uint64_t first = firefox->print->export->first;
	const struct table *table = &firefox->samples;
	uint32_t *frame = report_map_at(&firefox->frames, sample->place, sample->source);

	if (frame && !*frame) {
		*frame = firefox->frames.count;
		put_frame(firefox, sample->place, sample->source);
	}
	/* If chosen keys collide, use the first frame; there is at least one. */
	append_number(column(table, "stack"), frame ? *frame - 1 : 0);
	json_append(column(table, "time"),
		    milliseconds(sample->time > first ? sample->time - first : 0));
	append_number(column(table, "weight"), sample->records);
	firefox->samples.length++;
}

/* --- A thread */

static void put_who(struct firefox *firefox, struct json_object *thread,
		    const struct export_who *who)
{
	char words[EXPORT_WHO_TEXT];

	json_add(thread, "processType", text("default"));
	json_add(thread, "processName", text(report_export_process(firefox->print, who, words)));
	json_add(thread, "name", text(report_export_thread(who, words)));
	json_add(thread, "isMainThread",
		 json_object_new_boolean(who->comm && who->pid == who->tid));
	(void)snprintf(words, sizeof(words), "%" PRId32, who->comm ? who->pid : 0);
	json_add(thread, "pid", text(words));
	json_add(thread, "tid", json_object_new_int(who->tid >= 0 ? who->tid : who->cpu));
	json_add(thread, "processStartupTime", json_object_new_int(0));
	json_add(thread, "registerTime", json_object_new_int(0));
	json_add(thread, "pausedRanges", json_object_new_array());
	/* Members with null values. */
	if (json_object_object_add(thread, "processShutdownTime", NULL) ||
	    json_object_object_add(thread, "unregisterTime", NULL))
		memory_out();
}

static void put_tables(struct firefox *firefox, struct json_object *thread)
{
	static const char *const markers[] = {"data",	 "name",  "startTime",
					      "endTime", "phase", "category"};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize"};

	json_add(firefox->samples.object, "weightType", text("samples"));
	put_table(thread, "samples", &firefox->samples);
	put_table(thread, "stackTable", &firefox->stack_table);
	put_table(thread, "frameTable", &firefox->frame_table);
	put_table(thread, "funcTable", &firefox->function_table);
	for (size_t i = 0; i < 4; i++) /* it may have no rows */
		(void)column(&firefox->resource_table,
			     (const char *const[]){"lib", "name", "host", "type"}[i]);
	put_table(thread, "resourceTable", &firefox->resource_table);
	put_empty(thread, "markers", markers, sizeof(markers) / sizeof(*markers));
	put_empty(thread, "nativeSymbols", symbols, sizeof(symbols) / sizeof(*symbols));
	json_add(thread, "stringArray", json_object_get(column(&firefox->strings, "stringArray")));
	json_object_put(firefox->strings.object);
}

static struct json_object *make_thread(struct firefox *firefox, const struct export_who *who)
{
	struct json_object *thread = json_object_new_object();

	firefox->strings = table_new();
	firefox->function_table = table_new();
	firefox->resource_table = table_new();
	firefox->frame_table = table_new();
	firefox->stack_table = table_new();
	firefox->samples = table_new();
	report_map_init(&firefox->frames, sizeof(uint32_t), who->count);
	for (uint32_t i = 0; i < who->count; i++)
		put_sample(firefox, &firefox->print->tables->samples[who->first + i]);
	put_who(firefox, thread, who);
	put_tables(firefox, thread);
	report_map_free(&firefox->frames);
	firefox->thread++;
	return thread;
}

/* --- The profile */

/* By Exception level; their subcategories are the data sources. */
static struct json_object *make_categories(const struct export_tables *tables)
{
	static const struct {
		const char *name, *color;
	} rows[] = {{"EL0", "blue"},
		    {"EL1", "orange"},
		    {"EL2", "green"},
		    {"EL3", "purple"},
		    {"Other", "grey"}};
	struct json_object *categories = json_object_new_array();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json_object *category = json_object_new_object();
		struct json_object *sources = json_object_new_array();

		json_append(sources, text("Other"));
		for (uint32_t n = 1; n < tables->source_count; n++) {
			char words[EXPORT_SOURCE_TEXT];

			json_append(sources,
				    text(report_export_source(&tables->sources[n], words)));
		}
		json_add(category, "name", text(rows[i].name));
		json_add(category, "color", text(rows[i].color));
		json_add(category, "subcategories", sources);
		json_append(categories, category);
	}
	return categories;
}

static void take_remark(void *ctx, const char *line)
{
	struct json_object *entry = json_object_new_object();

	json_add(entry, "label", text("Remark"));
	json_add(entry, "format", text("string"));
	json_add(entry, "value", text(line));
	json_append(ctx, entry);
}

static struct json_object *make_extra(const struct export_print *print)
{
	struct json_object *extra = json_object_new_array(), *part = json_object_new_object();
	struct json_object *entries = json_object_new_array();

	report_export_remarks(print, take_remark, entries);
	take_remark(entries, "latencies have no place in this format: a sample has one weight");
	json_add(part, "label", text("vspe report"));
	json_add(part, "entries", entries);
	json_append(extra, part);
	return extra;
}

/* The mean time between samples of the busiest thread, at least 1 ns. */
static uint64_t interval_of(const struct export_print *print)
{
	const struct export *export = print->export;
	const uint32_t count = print->tables->who_count ? print->tables->whos[0].count : 1;

	return export->first < export->last && (export->last - export->first) / count
		       ? (export->last - export->first) / count
		       : 1;
}

static struct json_object *make_meta(const struct export_print *print)
{
	static const struct {
		const char *name;
		int value;
	} numbers[] = {{"startTime", 0},
		       {"processType", 0},
		       {"stackwalk", 0},
		       {"version", 28},
		       {"preprocessedProfileVersion", VERSION}};
	static const char *const flags[] = {"symbolicated", "usesOnlyOneStackType",
					    "doesNotUseFrameImplementation",
					    "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"};
	struct json_object *meta = json_object_new_object();

	json_add(meta, "interval", milliseconds(interval_of(print)));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_add(meta, numbers[i].name, json_object_new_int(numbers[i].value));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		json_add(meta, flags[i], json_object_new_boolean(true));
	json_add(meta, "categories", make_categories(print->tables));
	json_add(meta, "product", text(print->name));
	json_add(meta, "importedFrom", text("vspe report"));
	json_add(meta, "markerSchema", json_object_new_array());
	json_add(meta, "extra", make_extra(print));
	return meta;
}

/* The libraries of functions, in their order; numbers is indexed by dso. */
static struct json_object *make_libraries(const struct export_print *print, uint32_t *numbers)
{
	const struct export_tables *tables = print->tables;
	const struct report_view *view = print->print->view;
	struct json_object *libraries = json_object_new_array();
	uint32_t count = 0;

	for (uint32_t i = 0; i < tables->function_count; i++) {
		const uint32_t dso = tables->functions[i].dso;
		static const char *const names[] = {"name", "debugName", "path", "debugPath"};
		struct json_object *library;
		struct threads_dso of;
		char hex[THREADS_BUILD_ID_TEXT];

		if (dso == EXPORT_NO_DSO || numbers[dso] != NO_NUMBER)
			continue;
		numbers[dso] = count++;
		of = threads_dso(view->threads, dso);
		library = json_object_new_object();
		for (size_t n = 0; n < 4; n++) {
			struct report_cell name = {0};

			report_name(&name, n < 2 ? dsos_short_name(view->dsos, dso) : of.path);
			json_add(library, names[n], text(name.text));
			free(name.text);
		}
		json_add(library, "arch", text("aarch64"));
		json_add(library, "breakpadId", text(""));
		json_add(library, "codeId", text(threads_build_id(&of, hex)));
		json_append(libraries, library);
	}
	return libraries;
}

void report_print_firefox(FILE *out, const struct export_print *print)
{
	const struct report_view *view = print->print->view;
	const struct export_tables *tables = print->tables;
	const uint32_t dsos = view->threads ? threads_dsos(view->threads) : 0;
	uint32_t *libraries = memory_need(calloc(dsos + 1, sizeof(*libraries)));
	struct json_object *profile = json_object_new_object(), *threads = json_object_new_array();
	struct firefox firefox = {
		.print = print,
		.libraries = libraries,
		.functions =
			memory_need(calloc(tables->function_count + 1, sizeof(*firefox.functions))),
		.resources = memory_need(calloc(dsos + 1, sizeof(*firefox.resources)))};

	for (uint32_t i = 0; i < dsos; i++)
		libraries[i] = NO_NUMBER;
	json_add(profile, "meta", make_meta(print));
	json_add(profile, "libs", make_libraries(print, libraries));
	for (uint32_t i = 0; i < tables->who_count; i++)
		json_append(threads, make_thread(&firefox, &tables->whos[i]));
	json_add(profile, "threads", threads);
	json_print(out, profile, JSON_C_TO_STRING_NOSLASHESCAPE);
	free(firefox.functions);
	free(firefox.resources);
	free(libraries);
}
