/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report --export speedscope: the file format of https://www.speedscope.app, version 0.0.1.
 * Each thread has two sampled profiles, one of records and one of their latencies. A stack is an
 * Exception level and a function, as in --folded. Readers skip other members, so the member vspe
 * has what the format cannot say.
 */
#include "cli/json.h"
#include "cli/report_export.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdlib.h>

static struct json_object *new_frame(const char *name)
{
	struct json_object *frame = json_object_new_object();

	json_add(frame, "name", json_object_new_string(name));
	return frame;
}

/* Four Exception levels, then functions, by their numbers. */
static struct json_object *make_frames(const struct export_print *print)
{
	const struct export_tables *tables = print->tables;
	struct json_object *frames = json_object_new_array();

	for (unsigned int el = 0; el < 4; el++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "EL%u", el);
		json_append(frames, new_frame(name));
	}
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct export_function *function = &tables->functions[i];
		struct json_object *frame = new_frame(function->name);
		struct report_cell file = {0};

		report_name(&file, function->file ? function->file
						  : report_export_object(print, function));
		if (*file.text)
			json_add(frame, "file", json_object_new_string(file.text));
		if (function->file && function->line)
			json_add(frame, "line", json_object_new_uint64(function->line));
		free(file.text);
		json_append(frames, frame);
	}
	return frames;
}

static struct json_object *new_stack(const struct export_tables *tables, uint32_t function)
{
	const int level = tables->functions[function].level;
	struct json_object *stack = json_object_new_array_ext(2);

	if (level != EXPORT_NO_LEVEL)
		json_append(stack, json_object_new_int(level));
	json_append(stack, json_object_new_uint64(function + UINT64_C(4)));
	return stack;
}

/* Merge the samples of each function, which this format cannot tell apart. */
static struct json_object *make_profile(const struct export_print *print,
					const struct export_who *who, bool cycles)
{
	const struct export_tables *tables = print->tables;
	struct json_object *profile = json_object_new_object();
	struct json_object *stacks = json_object_new_array(), *weights = json_object_new_array();
	char process[EXPORT_WHO_TEXT], thread[EXPORT_WHO_TEXT], name[2 * EXPORT_WHO_TEXT + 64];
	uint64_t total = 0, weight = 0;

	for (uint32_t i = who->first; i < who->first + who->count; i++) {
		const struct export_sample *sample = &tables->samples[i];
		const uint32_t function = tables->places[sample->place].function;
		const bool last = i + 1 == who->first + who->count ||
				  tables->places[sample[1].place].function != function;

		weight += cycles ? sample->cycles : sample->records;
		if (!last)
			continue;
		json_append(stacks, new_stack(tables, function));
		json_append(weights, json_object_new_uint64(weight));
		total += weight;
		weight = 0;
	}
	(void)snprintf(name, sizeof(name), "%s, %s: %s", report_export_process(print, who, process),
		       report_export_thread(who, thread), cycles ? "latency in cycles" : "samples");
	json_add(profile, "type", json_object_new_string("sampled"));
	json_add(profile, "name", json_object_new_string(name));
	json_add(profile, "unit", json_object_new_string("none"));
	json_add(profile, "startValue", json_object_new_uint64(0));
	json_add(profile, "endValue", json_object_new_uint64(total));
	json_add(profile, "samples", stacks);
	json_add(profile, "weights", weights);
	return profile;
}

static void take_remark(void *ctx, const char *line)
{
	json_append(ctx, json_object_new_string(line));
}

void report_print_speedscope(FILE *out, const struct export_print *print)
{
	struct json_object *file = json_object_new_object(), *shared = json_object_new_object();
	struct json_object *profiles = json_object_new_array(), *remarks = json_object_new_array();
	const struct export_tables *tables = print->tables;

	for (uint32_t i = 0; i < tables->who_count; i++) {
		json_append(profiles, make_profile(print, &tables->whos[i], false));
		json_append(profiles, make_profile(print, &tables->whos[i], true));
	}
	report_export_remarks(print, take_remark, remarks);
	json_add(shared, "frames", make_frames(print));
	json_add(file, "$schema",
		 json_object_new_string("https://www.speedscope.app/file-format-schema.json"));
	json_add(file, "exporter", json_object_new_string("vspe report"));
	json_add(file, "name", json_object_new_string(print->name));
	json_add(file, "activeProfileIndex", json_object_new_int(0));
	json_add(file, "shared", shared);
	json_add(file, "profiles", profiles);
	json_add(file, "vspe", remarks);
	json_print(out, file, JSON_C_TO_STRING_NOSLASHESCAPE);
}
