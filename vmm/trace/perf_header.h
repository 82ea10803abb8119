/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two ends of a perf.data file: the header and the event attribute before the event stream, and
 * the feature sections after it.
 */
#ifndef VSPE_TRACE_PERF_HEADER_H
#define VSPE_TRACE_PERF_HEADER_H

#include "trace/perf_format.h"

/* The type of the arm_spe_0 PMU: any number that no PMU of the reading machine has. */
#define PERF_HEADER_PMU_TYPE 1000u
/* The id of its one event, which every event of the stream carries. */
#define PERF_HEADER_EVENT_ID 1u

/* Which feature sections follow the stream: a few, all but the build ids, or all. */
enum perf_header_features { PERF_HEADER_PAUSE, PERF_HEADER_FEATURES, PERF_HEADER_BUILD_IDS };

/* Everything before the event stream; stream_size is the stream's, in bytes. */
void perf_header_begin(struct perf_format_event *out, uint64_t stream_size,
		       enum perf_header_features features);

/* The machine that was recorded. */
struct perf_header_machine {
	uint32_t cpus, midr;
	uint64_t memory; /* KiB; 0: not known */
};

/*
 * The event AUXTRACE_INFO: the PMU, and MIDR_EL1 and minimum interval of each CPU, 0 if not known.
 * Returns the event, which the caller frees, and its size in bytes. NULL: no memory.
 */
uint8_t *perf_header_auxtrace_info(uint32_t cpus, uint32_t midr, uint32_t min_interval,
				   size_t *size);

/* Bytes of perf_header_pause(). */
#define PERF_HEADER_PAUSE_SIZE 192u

/*
 * The few feature sections of an unfinished file, to be written at byte `at` of it, where its
 * stream ends for now. When the stream continues after them, their bytes turn into events without
 * meaning.
 */
void perf_header_pause(struct perf_format_event *out, uint64_t at,
		       const struct perf_header_machine *machine);
void perf_header_pause_over(struct perf_format_event *out);

/*
 * The feature sections, to be written at byte `at` of the file, without the last two, which must
 * follow: the build ids if they have any bytes, and the index of index_size bytes.
 */
void perf_header_features(struct perf_format_event *out, uint64_t at,
			  const struct perf_header_machine *machine,
			  const struct perf_format_event *cmdline, uint64_t build_ids_size,
			  uint64_t index_size);

/*
 * The contents of the section BUILD_ID: the id of size bytes, at most 20, for the kernel, and for
 * the file called name unless that is NULL. Nothing without an id.
 */
void perf_header_build_ids(struct perf_format_event *out, const uint8_t *id, size_t size,
			   const char *name);

/*
 * The contents of the section CMDLINE: the words of a command. Those for which there is no room,
 * from the 40th or so on, become one, "...".
 */
void perf_header_cmdline(struct perf_format_event *out, const char *const *words, size_t count);

#endif
