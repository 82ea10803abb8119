/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting sample records for a report: see report.h. */
#include "base/memory.h"
#include "trace/report_access.h"

#include <stdlib.h>
#include <string.h>

const struct report_bounds report_usual_bounds = {
	.addresses = 1u << 19,
	.branches = 1u << 19,
	.lines = 1u << 18,
	.pages = 1u << 16,
	.contexts = 1u << 16,
};

struct report *report_new(const struct report_bounds *bounds)
{
	struct report *report = memory_need(calloc(1, sizeof(*report)));

	report->latency = memory_need(memory_sparse(REPORT_LATENCIES * sizeof(*report->latency)));
	report_map_init(&report->addresses, sizeof(struct report_address), bounds->addresses);
	report_map_init(&report->branches, sizeof(struct report_branch), bounds->branches);
	report_map_init(&report->lines, sizeof(struct report_line), bounds->lines);
	report_map_init(&report->pages, sizeof(struct report_page), bounds->pages);
	report_map_init(&report->users, sizeof(uint32_t), REPORT_USERS_MOST);
	report_map_init(&report->contexts, sizeof(struct report_context), bounds->contexts);
	report_map_init(&report->sources, sizeof(struct report_source), REPORT_SOURCES);
	report_map_init(&report->origins, sizeof(struct report_origin), REPORT_ORIGINS);
	report_map_init(&report->lives, sizeof(struct report_origin), REPORT_ORIGINS);
	return report;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	memory_sparse_free(report->latency, REPORT_LATENCIES * sizeof(*report->latency));
	report_map_free(&report->addresses);
	report_map_free(&report->branches);
	report_map_free(&report->lines);
	report_map_free(&report->pages);
	report_map_free(&report->users);
	report_map_free(&report->contexts);
	report_map_free(&report->sources);
	report_map_free(&report->origins);
	report_map_free(&report->lives);
	free(report);
}

void report_skip(struct report *report)
{
	report->skipped++;
}

static bool has_total(const struct sample *sample)
{
	return sample->has & SAMPLE_HAS_LATENCY << SAMPLE_TOTAL;
}

static void add_address(struct report *report, const struct sample *sample, bool mispredicted)
{
	struct report_address *address;

	if (!(sample->has & SAMPLE_HAS_PC)) {
		report->without_pc++;
		return;
	}
	address = report_map_at(&report->addresses, sample->pc, sample->el);
	if (!address)
		return;
	address->samples++;
	address->mispredicted += mispredicted;
	if (has_total(sample)) {
		address->timed++;
		address->cycles += sample->latency[SAMPLE_TOTAL];
	}
}

static bool is_mispredicted(const struct sample *sample)
{
	return sample->class == RECORD_BRANCH && sample->events & SAMPLE_MISPREDICTED &&
	       sample_has_retired(sample);
}

static void add_branch(struct report *report, const struct sample *sample)
{
	const uint64_t low = UINT64_C(0x00ffffffffffffff);
	const bool mispredicted = sample->events & SAMPLE_MISPREDICTED;
	const bool not_taken = sample->events & SAMPLE_NOT_TAKEN;
	const uint64_t target = sample->has & SAMPLE_HAS_TARGET ? sample->target : REPORT_NO_TARGET;
	struct report_branch *branch;

	if (!sample_has_retired(sample)) {
		report->unretired++;
		return;
	}
	report->mispredicted += mispredicted;
	report->not_taken += not_taken;
	if (!(sample->has & SAMPLE_HAS_PC))
		return;
	branch = report_map_at(&report->branches, (sample->pc & low) | (uint64_t)sample->el << 56,
			       target);
	if (!branch)
		return;
	branch->samples++;
	branch->mispredicted += mispredicted;
	branch->not_taken += not_taken;
	branch->taken_wrongly_predicted += mispredicted && !not_taken;
}

static void add_operation(struct report *report, const struct report_taken_sample *taken)
{
	const struct sample *sample = taken->sample;

	if (!(sample->has & SAMPLE_HAS_OPERATION) || sample->class >= RECORD_CLASSES) {
		report->unclassed++;
		return;
	}
	report->classes[sample->class]++;
	report->operations[sample->class][sample->operation]++;
	if (sample->class == RECORD_BRANCH)
		add_branch(report, sample);
	if (sample->class == RECORD_LOAD_STORE)
		report_add_access(report, taken);
}

static void raise_end(uint32_t *end, uint32_t number)
{
	if (number >= *end)
		*end = number + 1;
}

/* Cycles from its issue to its end. False if the record does not have them. */
static bool execution_of(const struct sample *sample, uint16_t *cycles)
{
	const unsigned int both = SAMPLE_HAS_LATENCY << SAMPLE_TOTAL | SAMPLE_HAS_LATENCY
									       << SAMPLE_ISSUE;

	if ((sample->has & both) != both ||
	    sample->latency[SAMPLE_ISSUE] > sample->latency[SAMPLE_TOTAL])
		return false;
	*cycles = sample->latency[SAMPLE_TOTAL] - sample->latency[SAMPLE_ISSUE];
	return true;
}

static void add_latency(struct report *report, const struct sample *sample, enum source_set set)
{
	uint16_t cycles = 0;
	const bool executed = execution_of(sample, &cycles);
	struct report_source *source;

	for (unsigned int i = 0; i < SAMPLE_LATENCIES; i++) {
		if (!(sample->has & SAMPLE_HAS_LATENCY << i))
			continue;
		report->latency[i][sample->latency[i]]++;
		raise_end(&report->latency_end, sample->latency[i]);
	}
	if (executed)
		report->latency[REPORT_EXECUTION][cycles]++;
	source = sample->has & SAMPLE_HAS_SOURCE
			 ? report_map_at(&report->sources, sample->source, set)
			 : NULL;
	if (!source)
		return;
	source->samples++;
	if (has_total(sample)) {
		source->timed++;
		source->cycles += sample->latency[SAMPLE_TOTAL];
	}
	source->executed += executed;
	source->execution += cycles;
}

static void add_context(struct report *report, const struct sample *sample)
{
	const unsigned int which = sample->has / SAMPLE_HAS_CONTEXT & 3;
	struct report_context *context = report_map_at(
		&report->contexts, which, (uint64_t)sample->context[1] << 32 | sample->context[0]);

	if (context)
		context->samples++;
}

static void widen(void *ctx, const struct report_span *span)
{
	struct report_time *time = ctx;
	uint64_t sums[REPORT_TIME_BUCKETS][REPORT_LEVELS] = {{0}};

	for (uint64_t n = 0; n <= span->last - span->first; n++) {
		const uint64_t number = span->first + n;

		for (unsigned int level = 0; level < REPORT_LEVELS; level++)
			sums[(number >> 1) % REPORT_TIME_BUCKETS][level] +=
				time->counts[number % REPORT_TIME_BUCKETS][level];
	}
	memcpy(time->counts, sums, sizeof(sums));
}

static void add_time(struct report_time *time, uint64_t at, unsigned int level)
{
	const uint64_t number = report_span_add(&time->span, at, widen, time);

	time->counts[number % REPORT_TIME_BUCKETS][level]++;
}

void report_missing(struct report *report, const struct input_result *result)
{
	report->missing = *result;
}

static unsigned int level_of(const struct sample *sample)
{
	return sample->has & SAMPLE_HAS_PC ? sample->el : REPORT_NO_LEVEL;
}

static void add_life(struct report *report, const struct threads_life *life, unsigned int level)
{
	const struct report_key who = report_who((struct input_origin){.cpu = -1}, life);
	struct report_origin *of = report_map_at(&report->lives, who.a, who.b);

	if (of)
		of->levels[level]++;
}

void report_add(struct report *report, struct input_origin origin, const struct threads_life *life,
		enum source_set set, const struct sample *sample)
{
	const struct report_taken_sample taken = {origin, life, set, sample,
						  report_is_write(sample)};
	struct report_origin *of =
		report_map_at(&report->origins, (uint32_t)origin.cpu, (uint32_t)origin.tid);
	const unsigned int level = level_of(sample);

	report->records++;
	report->levels[level][(unsigned int)sample->nse << 1 | sample->ns]++;
	if (of)
		of->levels[level]++;
	for (unsigned int bit = 0; bit < 64; bit++)
		report->events[bit] += sample->events >> bit & 1;
	add_address(report, sample, is_mispredicted(sample));
	add_operation(report, &taken);
	if (life)
		add_life(report, life, level);
	add_latency(report, sample, set);
	add_context(report, sample);
	if (sample->has & SAMPLE_HAS_TIME)
		add_time(&report->time, sample->time, level);
	else
		report->without_time++;
}
