/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts accesses to memory for a report: by page, which is a place in a process's memory, and by
 * cache line, which belongs to the machine, so that two processes share one if it has a physical
 * address. Each has what report_access counts. A page also has its accesses over time, and a line
 * who uses which bytes of it.
 */
#include "trace/report_access.h"

#include <string.h>

bool report_is_write(const struct sample *sample)
{
	return sample->operation & 1 || (sample->operation & 0xe6) == 0x06;
}

/* Double the length of the stretches of time of all pages, which share it. */
static void widen(void *ctx, const struct report_span *span)
{
	struct report *report = ctx;

	for (uint32_t i = 0; i < report->pages.count; i++) {
		struct report_page *page = report_map_value(&report->pages, i);
		uint32_t sums[REPORT_TIME_BUCKETS] = {0};

		for (uint64_t n = 0; n <= span->last - span->first; n++)
			sums[((span->first + n) >> 1) % REPORT_TIME_BUCKETS] +=
				page->times[(span->first + n) % REPORT_TIME_BUCKETS];
		memcpy(page->times, sums, sizeof(sums));
	}
}

static void count(struct report_access *access, const struct report_taken_sample *taken)
{
	const struct sample *sample = taken->sample;

	if (!access->stamped)
		access->first = UINT64_MAX;
	if (sample->has & SAMPLE_HAS_VA) {
		if (!access->named || sample->data < access->low)
			access->low = sample->data;
		if (!access->named || sample->data > access->high)
			access->high = sample->data;
		access->named = true;
	}
	access->reads += !taken->write;
	access->writes += taken->write;
	access->walks += sample->events >> REPORT_WALK & 1;
	if (sample->has & SAMPLE_HAS_LATENCY << SAMPLE_TOTAL) {
		const uint16_t cycles = sample->latency[SAMPLE_TOTAL];

		access->timed++;
		access->cycles += cycles;
		access->slowest = cycles > access->slowest ? cycles : access->slowest;
	}
	if (sample->has & SAMPLE_HAS_SOURCE)
		access->places[source_place(taken->set, sample->source)]++;
	if (sample->has & SAMPLE_HAS_TIME) {
		access->stamped++;
		access->first = sample->time < access->first ? sample->time : access->first;
		access->last = sample->time > access->last ? sample->time : access->last;
	}
}

/* NULL: as many as are kept are already there. */
static struct report_use *use_of(struct report_use *uses, uint32_t user)
{
	for (unsigned int i = 0; i < REPORT_LINE_USERS && user != REPORT_NOBODY; i++) {
		if (uses[i].accesses && uses[i].user != user)
			continue;
		uses[i].user = user;
		uses[i].accesses += uses[i].accesses < UINT32_MAX;
		return &uses[i];
	}
	return NULL;
}

/* The space of an address: see struct report_page. */
static uint64_t space_of(const struct report_taken_sample *taken, bool by_va, uint64_t address)
{
	/* All processes share the kernel's half of addresses. */
	const int32_t pid = taken->life && by_va && !(address >> 63) ? taken->life->pid : -1;

	return (by_va ? UINT64_C(1) << 32 : 0) | (uint32_t)pid;
}

static void add_page(struct report *report, const struct report_taken_sample *taken, uint32_t user)
{
	const struct sample *sample = taken->sample;
	const bool by_va = sample->has & SAMPLE_HAS_VA;
	const uint64_t address = by_va ? sample->data : sample->pa;
	const uint64_t stretch =
		sample->has & SAMPLE_HAS_TIME
			? report_span_add(&report->access_time, sample->time, widen, report)
			: 0;
	struct report_page *page = report_map_at(&report->pages, address / REPORT_PAGE,
						 space_of(taken, by_va, address));

	if (!page)
		return;
	count(&page->access, taken);
	page->others += !use_of(page->uses, user);
	if (sample->has & SAMPLE_HAS_TIME)
		page->times[stretch % REPORT_TIME_BUCKETS]++;
}

static void add_line(struct report *report, const struct report_taken_sample *taken, uint32_t user)
{
	const struct sample *sample = taken->sample;
	const bool physical = sample->has & SAMPLE_HAS_PA;
	const uint64_t address = physical ? sample->pa : sample_address(sample->va);
	struct report_line *line = report_map_at(&report->lines, address / REPORT_LINE,
						 space_of(taken, !physical, address));
	const uint64_t bit = UINT64_C(1) << address % REPORT_LINE;
	struct report_use *use;

	if (!line)
		return;
	count(&line->access, taken);
	use = use_of(line->uses, user);
	if (!use) {
		line->others++;
		return;
	}
	use->read |= taken->write ? 0 : bit;
	use->written |= taken->write ? bit : 0;
}

/* Returns REPORT_NOBODY, or the number of an entry of report->users. */
static uint32_t user_of(struct report *report, const struct report_taken_sample *taken)
{
	const struct report_key who = report_who(taken->origin, taken->life);
	uint32_t *number = report_map_at(&report->users, who.a, who.b);

	if (!number)
		return REPORT_NOBODY;
	if (!*number)
		*number = report->users.count;
	return *number - 1;
}

void report_add_access(struct report *report, const struct report_taken_sample *taken)
{
	const struct sample *sample = taken->sample;
	uint32_t user;

	report->reads += !taken->write;
	report->writes += taken->write;
	if (!(sample->has & (SAMPLE_HAS_PA | SAMPLE_HAS_VA)))
		return;
	report->accesses++;
	report->access_unstamped += !(sample->has & SAMPLE_HAS_TIME);
	user = user_of(report, taken);
	add_line(report, taken, user);
	add_page(report, taken, user);
}
