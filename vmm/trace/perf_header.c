/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Header, attribute and feature sections of a perf.data file, as laid out in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux. Only features that follow from the
 * guest and the command are there: none that names the host or the time.
 */
#include "trace/perf_header.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each synthesized sample and each event's trailer carries: perf_event_attr.sample_type. */
#define SAMPLE_TYPE                                                                             \
	(PERF_FORMAT_SAMPLE_IP | PERF_FORMAT_SAMPLE_TID | PERF_FORMAT_SAMPLE_TIME |             \
	 PERF_FORMAT_SAMPLE_CPU | PERF_FORMAT_SAMPLE_DATA_SRC | PERF_FORMAT_SAMPLE_IDENTIFIER | \
	 PERF_FORMAT_SAMPLE_PHYS_ADDR)

/* The arm_spe_0 event. perf uses its type and sample_type; the rest is as recorded. */
static void put_attr(struct perf_format_event *out)
{
	const uint64_t disabled = 1, sample_id_all = UINT64_C(1) << 18;
	size_t end = out->size + PERF_FORMAT_ATTR_SIZE;

	perf_format_u32(out, PERF_HEADER_PMU_TYPE);
	perf_format_u32(out, PERF_FORMAT_ATTR_SIZE);
	perf_format_u64(out, 0); /* config */
	perf_format_u64(out, 1); /* sample_period: each record is one */
	perf_format_u64(out, SAMPLE_TYPE);
	perf_format_u64(out, 0); /* read_format */
	perf_format_u64(out, disabled | sample_id_all);
	while (out->size < end)
		perf_format_u64(out, 0);
}

void perf_header_begin(struct perf_format_event *out, uint64_t stream_size,
		       enum perf_header_features which)
{
	static const unsigned int all[] = {
		PERF_FORMAT_BUILD_IDS, /* first, as not every file has them */
		PERF_FORMAT_HOSTNAME,	  PERF_FORMAT_OSRELEASE,  PERF_FORMAT_VERSION,
		PERF_FORMAT_ARCH,	  PERF_FORMAT_NRCPUS,	  PERF_FORMAT_CPUID,
		PERF_FORMAT_CMDLINE,	  PERF_FORMAT_EVENT_DESC, PERF_FORMAT_NUMA,
		PERF_FORMAT_PMU_MAPPINGS, PERF_FORMAT_INDEX,
	};
	static const unsigned int pause[] = {PERF_FORMAT_ARCH, PERF_FORMAT_NRCPUS,
					     PERF_FORMAT_CPUID};
	const unsigned int *features = which == PERF_HEADER_PAUSE ? pause : all;
	const size_t count = which == PERF_HEADER_PAUSE ? sizeof(pause) / sizeof(*pause)
							: sizeof(all) / sizeof(*all);
	const uint64_t ids = PERF_FORMAT_HEADER_SIZE, attrs = ids + 8;
	const uint64_t attrs_size = PERF_FORMAT_ATTR_SIZE + 16;
	uint64_t bits = 0;

	for (size_t i = which == PERF_HEADER_FEATURES; i < count; i++)
		bits |= UINT64_C(1) << features[i];
	memcpy(out->bytes, PERF_FORMAT_MAGIC, 8);
	out->size = 8;
	perf_format_u64(out, PERF_FORMAT_HEADER_SIZE);
	perf_format_u64(out, attrs_size); /* of one */
	perf_format_u64(out, attrs);
	perf_format_u64(out, attrs_size);	  /* of all */
	perf_format_u64(out, attrs + attrs_size); /* the event stream */
	perf_format_u64(out, stream_size);
	perf_format_u64(out, 0); /* event types: no longer used */
	perf_format_u64(out, 0);
	perf_format_u64(out, bits);
	for (unsigned int i = 1; i < 4; i++)
		perf_format_u64(out, 0);
	perf_format_u64(out, PERF_HEADER_EVENT_ID);
	put_attr(out);
	perf_format_u64(out, ids);
	perf_format_u64(out, 8);
}

/*
 * perf 6.14 and later take the first word of SPE's metadata as a version, and any value but 1 as
 * the form with CPUs. Earlier ones take that word as the PMU's type. So it is the type, and both
 * find the event.
 */
#define METADATA_WORDS	   4u /* before the CPUs */
#define METADATA_CPU_WORDS 7u
#define METADATA_CPU_MAGIC UINT64_C(0x1010101010101010)
#define METADATA_CPU_OWN   4u	 /* words after the magic number, the CPU's and this one */
#define METADATA_CPUS	   1024u /* an event has no room for many more: they get the first form */

uint8_t *perf_header_auxtrace_info(uint32_t cpus, uint32_t midr, uint32_t min_interval,
				   size_t *size)
{
	const bool named = cpus <= METADATA_CPUS;
	const size_t words = named ? METADATA_WORDS + (size_t)cpus * METADATA_CPU_WORDS : 2;
	const uint64_t first[METADATA_WORDS] = {PERF_HEADER_PMU_TYPE, named ? METADATA_WORDS : 0,
						PERF_HEADER_PMU_TYPE, cpus};
	const uint64_t head = PERF_FORMAT_AUXTRACE_INFO; /* no flags in the event's header */
	uint8_t *event, *at;

	*size = PERF_FORMAT_EVENT_HEADER_SIZE + 8 + words * 8;
	event = at = malloc(*size);
	if (!event)
		return NULL;
	at = perf_format_put_u64(at, head | (uint64_t)*size << 48);
	at = perf_format_put_u64(at, PERF_FORMAT_TRACE_ARM_SPE);
	for (size_t i = 0; i < METADATA_WORDS && i < words; i++)
		at = perf_format_put_u64(at, first[i]);
	for (uint32_t cpu = 0; named && cpu < cpus; cpu++) {
		const uint64_t own[METADATA_CPU_WORDS] = {
			METADATA_CPU_MAGIC, cpu, METADATA_CPU_OWN, midr, PERF_HEADER_PMU_TYPE,
			min_interval,	    0 /* event filter: not known */};

		for (size_t i = 0; i < METADATA_CPU_WORDS; i++)
			at = perf_format_put_u64(at, own[i]);
	}
	return event;
}

/*
 * Feature sections under construction: a table of extents, in the order of their bits, then the
 * sections.
 */
struct sections {
	struct perf_format_event table, body;
	uint64_t at; /* of the next section in the file */
	size_t done; /* bytes of body that the table has */
};

/* End a section: all that was added to the body since the last call. */
static void end_section(struct sections *sections)
{
	uint64_t size = sections->body.size - sections->done;

	perf_format_u64(&sections->table, sections->at);
	perf_format_u64(&sections->table, size);
	sections->at += size;
	sections->done = sections->body.size;
}

static void string_section(struct sections *sections, const char *string)
{
	perf_format_counted_string(&sections->body, string);
	end_section(sections);
}

void perf_header_cmdline(struct perf_format_event *out, const char *const *words, size_t count)
{
	const size_t most = 3072, last = 68; /* bytes: of all words, and of "..." */
	struct perf_format_event strings = {0};
	size_t fit = 0;

	while (fit < count && strings.size + strlen(words[fit]) + 2 * last <= most)
		perf_format_counted_string(&strings, words[fit++]);
	if (fit < count)
		perf_format_counted_string(&strings, "...");
	out->size = 0;
	perf_format_u32(out, (uint32_t)(fit + (fit < count)));
	perf_format_append(out, strings.bytes, strings.size);
}

/* Make all CPUs one node, without which perf c2c reports nothing. */
static void put_numa(struct sections *sections, const struct perf_header_machine *machine)
{
	struct perf_format_event *body = &sections->body;
	char cpus[24];

	if (machine->cpus > 1)
		snprintf(cpus, sizeof(cpus), "0-%" PRIu32, machine->cpus - 1);
	else
		snprintf(cpus, sizeof(cpus), "0");
	perf_format_u32(body, 1); /* nodes */
	perf_format_u32(body, 0); /* the first one's number */
	perf_format_u64(body, machine->memory);
	perf_format_u64(body, 0); /* free */
	perf_format_counted_string(body, cpus);
	end_section(sections);
}

/* ARCH, NRCPUS and CPUID. */
static void put_cpus(struct sections *sections, const struct perf_header_machine *machine)
{
	char text[32];

	string_section(sections, "aarch64");
	perf_format_u32(&sections->body, machine->cpus); /* available */
	perf_format_u32(&sections->body, machine->cpus); /* online */
	end_section(sections);
	snprintf(text, sizeof(text), "0x%016x", machine->midr);
	string_section(sections, text);
}

void perf_header_pause(struct perf_format_event *out, uint64_t at,
		       const struct perf_header_machine *machine)
{
	const uint64_t count = 3;
	struct sections sections = {.at = at + 16 * count};

	put_cpus(&sections, machine);
	*out = sections.table;
	perf_format_append(out, sections.body.bytes, sections.body.size);
}

void perf_header_pause_over(struct perf_format_event *out)
{
	const uint64_t round = PERF_FORMAT_FINISHED_ROUND | (uint64_t)PERF_FORMAT_EVENT_HEADER_SIZE
								    << 48;

	/* Events without a body: quipper refuses a file where this type has any. */
	out->size = 0;
	while (out->size < PERF_HEADER_PAUSE_SIZE)
		perf_format_u64(out, round);
}

void perf_header_features(struct perf_format_event *out, uint64_t at,
			  const struct perf_header_machine *machine,
			  const struct perf_format_event *cmdline, uint64_t build_ids_size,
			  uint64_t index_size)
{
	const unsigned int count = build_ids_size ? 12 : 11;
	struct sections sections = {.at = at + UINT64_C(16) * count};
	struct perf_format_event *body = &sections.body;

	string_section(&sections, "vspe"); /* HOSTNAME: the machine's, on any host */
	string_section(&sections, "vspe"); /* OSRELEASE: vspe is what the guest runs on */
	string_section(&sections, "vspe"); /* VERSION: of the tool that recorded */
	put_cpus(&sections, machine);
	perf_format_append(body, cmdline->bytes, cmdline->size);
	end_section(&sections);
	perf_format_u32(body, 1); /* EVENT_DESC: events */
	perf_format_u32(body, PERF_FORMAT_ATTR_SIZE);
	put_attr(body);
	perf_format_u32(body, 1); /* ids */
	perf_format_counted_string(body, "arm_spe_0//");
	perf_format_u64(body, PERF_HEADER_EVENT_ID);
	end_section(&sections);
	put_numa(&sections, machine);
	perf_format_u32(body, 1); /* PMU_MAPPINGS: PMUs */
	perf_format_u32(body, PERF_HEADER_PMU_TYPE);
	string_section(&sections, "arm_spe_0");
	perf_format_u64(&sections.table, sections.at + build_ids_size); /* AUXTRACE: the index */
	perf_format_u64(&sections.table, index_size);

	out->size = 0;
	if (build_ids_size) {
		perf_format_u64(out, sections.at);
		perf_format_u64(out, build_ids_size);
	}
	perf_format_append(out, sections.table.bytes, sections.table.size);
	perf_format_append(out, body->bytes, body->size);
}

static void put_build_id(struct perf_format_event *out, uint16_t misc, const uint8_t *id,
			 size_t size, const char *name)
{
	struct perf_format_event event;

	perf_format_event_begin(&event, PERF_FORMAT_BUILD_ID,
				misc | PERF_FORMAT_MISC_BUILD_ID_SIZE);
	perf_format_u32(&event, UINT32_MAX); /* pid: of the machine itself, not of a guest in it */
	perf_format_append(&event, id, size);
	perf_format_append(&event, (const uint8_t[20]){0}, 20 - size);
	perf_format_u32(&event, (uint32_t)size);
	perf_format_string(&event, name, 64);
	perf_format_append(out, event.bytes, perf_format_event_size(&event));
}

void perf_header_build_ids(struct perf_format_event *out, const uint8_t *id, size_t size,
			   const char *name)
{
	out->size = 0;
	if (!size)
		return;
	if (name)
		put_build_id(out, PERF_FORMAT_MISC_USER, id, size, name);
	put_build_id(out, PERF_FORMAT_MISC_KERNEL, id, size, "[kernel.kallsyms]");
}
