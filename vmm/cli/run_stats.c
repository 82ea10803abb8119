/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run --stats: what was counted, as text or JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "base/printable.h"
#include "base/protections.h"
#include "cli/json.h"
#include "device/timer.h"
#include "machine/choice_rows.h"

/* A count with a name, and its offset in the counts of a vCPU or a device. */
struct run_count {
	const char *name; /* in JSON; text has spaces for underscores */
	size_t offset;
	bool spe;
	bool concurrent; /* of a concurrent engine only */
};

/* Of a vCPU. */
static const struct run_count run_counts[] = {
	{"operations", offsetof(struct machine_vcpu_stats, operations), false, false},
	{"records", offsetof(struct machine_vcpu_stats, records), true, false},
	{"bytes", offsetof(struct machine_vcpu_stats, bytes), true, false},
	{"lost", offsetof(struct machine_vcpu_stats, lost), true, false},
	{"buffer_interrupts", offsetof(struct machine_vcpu_stats, buffer_interrupts), true, false},
	{"skid", offsetof(struct machine_vcpu_stats, skid), true, true},
};

/* Of a device of virtio. */
static const struct run_count device_counts[] = {
	{"requests", offsetof(struct virtio_counts, requests), false, false},
	{"bytes_read", offsetof(struct virtio_counts, bytes_read), false, false},
	{"bytes_written", offsetof(struct virtio_counts, bytes_written), false, false},
	{"flushes", offsetof(struct virtio_counts, flushes), false, false},
	{"failed", offsetof(struct virtio_counts, failed), false, false},
	{"broken", offsetof(struct virtio_counts, broken), false, false},
	{"refused", offsetof(struct virtio_counts, refused), false, false},
};

#define DEVICE_COUNTS (sizeof(device_counts) / sizeof(device_counts[0]))

#define RUN_COUNTS (sizeof(run_counts) / sizeof(run_counts[0]))

static bool run_has(const struct run_options *options, size_t index)
{
	return (options->choices.spe || !run_counts[index].spe) &&
	       (options->choices.engine->concurrent || !run_counts[index].concurrent);
}

/* Are the engine's reports to libvspe checked? */
static bool run_checks(const struct run_options *options)
{
	return options->choices.spe && options->choices.spe_config.check;
}

/* The count's value in a vCPU or a device. */
static uint64_t run_value(const struct run_count *count, const void *of)
{
	return *(const uint64_t *)((const char *)of + count->offset);
}

static uint64_t run_operations(const struct machine_stats *stats, unsigned int cpus)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cpus; i++)
		sum += stats->vcpu[i].operations;
	return sum;
}

static void run_stats_soft(FILE *file, const struct machine_stats *stats, uint32_t counter_hz,
			   uint64_t operations, double seconds)
{
	fprintf(file, "vspe: %" PRIu64 " operations in %.3f s (%.1f million a second)\n",
		operations, seconds, seconds > 0 ? (double)operations / seconds / 1e6 : 0);
	fprintf(file,
		"vspe: virtual time %" PRIu64 " ns, idle %" PRIu64 " ns, resets %" PRIu64 "\n",
		timer_ns(stats->time, counter_hz), timer_ns(stats->idle, counter_hz),
		stats->resets);
}

static void run_stats_concurrent(FILE *file, const struct machine_stats *stats, uint64_t operations,
				 double seconds)
{
	fprintf(file,
		"vspe: %" PRIu64 " operations stepped or emulated in %.3f s, resets %" PRIu64 "\n",
		operations, seconds, stats->resets);
}

/* An engine's own counts: in text, or as members of an object. */
static void tell_line(void *ctx, const char *line)
{
	fprintf(ctx, "vspe: %s\n", line);
}

static void tell_count(void *ctx, const char *name, uint64_t value)
{
	json_add(ctx, name, json_object_new_uint64(value));
}

static void tell_word(void *ctx, const char *name, const char *text)
{
	json_add(ctx, name, json_object_new_string(text));
}

static void run_devices_text(FILE *file, const struct run_options *options,
			     struct virtio_device *const *devices)
{
	for (unsigned int i = 0; i < DEVICE_VIRTIO && devices[i]; i++) {
		const char *name;
		int length;

		(void)run_device_name(options, i, &name, &length);
		fputs(i < options->disk_count ? "vspe: disk " : "vspe: ", file);
		printable_put(file, name, (size_t)length);
		fputc(':', file);
		for (size_t n = 0; n < DEVICE_COUNTS; n++)
			fprintf(file, " %s %" PRIu64, device_counts[n].name,
				run_value(&device_counts[n], &devices[i]->counts));
		fputc('\n', file);
	}
}

/* Protections that the process lacks: in text a line each, in JSON a member, if there are any. */
static void run_protections_text(FILE *file)
{
	for (unsigned int i = 0; i < PROTECTION_COUNT; i++) {
		const struct protection_lack *lack = &cli_protections()->lack[i];

		if (lack->why[0])
			fprintf(file, "vspe: sandbox: no %s: %s\n", protection_name(i), lack->why);
	}
}

static void run_protections_json(json_object *object)
{
	json_object *lacks = json_object_new_object();

	for (unsigned int i = 0; i < PROTECTION_COUNT; i++) {
		const char *why = cli_protections()->lack[i].why;

		if (why[0])
			json_add(lacks, protection_name(i), json_object_new_string(why));
	}
	if (json_object_object_length(lacks) > 0)
		json_add(object, "unprotected", lacks);
	else
		json_object_put(lacks);
}

void run_stats_text(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices,
		    double seconds)
{
	uint64_t operations = run_operations(stats, options->choices.cpus);

	if (options->choices.engine->concurrent)
		run_stats_concurrent(file, stats, operations, seconds);
	else
		run_stats_soft(file, stats, options->choices.counter_hz, operations, seconds);
	if (options->choices.engine->tell)
		options->choices.engine->tell(
			&stats->engine, &(struct engine_listener){.ctx = file, .line = tell_line});
	for (unsigned int i = 0; i < options->choices.cpus; i++) {
		const struct machine_vcpu_stats *vcpu = &stats->vcpu[i];

		fprintf(file, "vspe: vCPU %u:", i);
		for (size_t n = 0; n < RUN_COUNTS; n++)
			if (run_has(options, n))
				fprintf(file, " %s %" PRIu64, run_counts[n].name,
					run_value(&run_counts[n], vcpu));
		for (unsigned int n = 0; n < PMU_SAMPLES; n++)
			if (options->choices.spe &&
			    pmu_sample_exists(n, &options->choices.spe_config))
				fprintf(file, " %s %" PRIu64, pmu_sample_name(n), vcpu->events[n]);
		for (unsigned int n = 0; n < SPE_MISUSES; n++)
			if (run_checks(options))
				fprintf(file, " misuse.%s %" PRIu64, spe_misuse_name(n),
					vcpu->misuse[n]);
		for (unsigned int n = 0; n < MACHINE_EXIT_REASONS; n++)
			if (vcpu->exits[n])
				fprintf(file, " exits.%s %" PRIu64, machine_exit_name(n),
					vcpu->exits[n]);
		fputc('\n', file);
	}
	run_devices_text(file, options, devices);
	run_protections_text(file);
}

/* What determines the run: options and their values, as they would be given. */
static json_object *run_machine_json(const struct choices *choices)
{
	json_object *object = json_object_new_object();

	for (unsigned int id = 0; id < CHOICES; id++) {
		char *value = NULL;

		if (choices_recorded((enum choice_id)id))
			value = choices_value((enum choice_id)id, choices);
		if (value && *value)
			json_add(object, choices_option((enum choice_id)id),
				 json_object_new_string(value));
		free(value);
	}
	return object;
}

static json_object *run_devices_json(const struct run_options *options,
				     struct virtio_device *const *devices)
{
	json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < DEVICE_VIRTIO && devices[i]; i++) {
		json_object *object = json_object_new_object();
		const char *name;
		int length;
		const char *kind = run_device_name(options, i, &name, &length);

		json_add(object, kind, json_object_new_string_len(name, length));
		for (size_t n = 0; n < DEVICE_COUNTS; n++)
			tell_count(object, device_counts[n].name,
				   run_value(&device_counts[n], &devices[i]->counts));
		json_append(array, object);
	}
	return array;
}

static json_object *run_vcpu_json(const struct machine_vcpu_stats *vcpu,
				  const struct run_options *options)
{
	json_object *object = json_object_new_object();
	json_object *exits = json_object_new_object();

	for (size_t n = 0; n < RUN_COUNTS; n++)
		if (run_has(options, n))
			tell_count(object, run_counts[n].name, run_value(&run_counts[n], vcpu));
	if (options->choices.spe) {
		json_object *events = json_object_new_object();

		for (unsigned int n = 0; n < PMU_SAMPLES; n++)
			if (pmu_sample_exists(n, &options->choices.spe_config))
				tell_count(events, pmu_sample_name(n), vcpu->events[n]);
		json_add(object, "events", events);
	}
	if (run_checks(options)) {
		json_object *misuse = json_object_new_object();

		for (unsigned int n = 0; n < SPE_MISUSES; n++)
			tell_count(misuse, spe_misuse_name(n), vcpu->misuse[n]);
		json_add(object, "misuse", misuse);
	}
	for (unsigned int n = 0; n < MACHINE_EXIT_REASONS; n++)
		tell_count(exits, machine_exit_name(n), vcpu->exits[n]);
	json_add(object, "exits", exits);
	return object;
}

void run_stats_json(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices)
{
	json_object *object = json_object_new_object();
	json_object *vcpus = json_object_new_array();

	json_add(object, "engine", json_object_new_string(options->choices.engine->name));
	tell_count(object, "operations", run_operations(stats, options->choices.cpus));
	tell_count(object, "virtual_ns", timer_ns(stats->time, options->choices.counter_hz));
	tell_count(object, "idle_ns", timer_ns(stats->idle, options->choices.counter_hz));
	tell_count(object, "resets", stats->resets);
	if (options->choices.engine->tell)
		options->choices.engine->tell(&stats->engine,
					      &(struct engine_listener){.ctx = object,
									.count = tell_count,
									.word = tell_word});
	for (unsigned int i = 0; i < options->choices.cpus; i++)
		json_append(vcpus, run_vcpu_json(&stats->vcpu[i], options));
	json_add(object, "vcpus", vcpus);
	if (devices[0])
		json_add(object, "devices", run_devices_json(options, devices));
	json_add(object, "machine", run_machine_json(&options->choices));
	run_protections_json(object);
	json_print(file, object, JSON_C_TO_STRING_PLAIN);
}
