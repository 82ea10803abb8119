/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which core wrote the records of a perf.data file. perf says it in up to three places:
 * AUXTRACE_INFO of perf 6.14 and later has MIDR_EL1 of each CPU; the feature section CPUID, behind
 * the events of a file, or a FEATURE event of a pipe, has that of the CPU that perf ran on. Part of
 * input.c.
 */
#ifndef VSPE_TRACE_INPUT_CORE_H
#define VSPE_TRACE_INPUT_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* MIDR_EL1 values, 0 where nothing says it. Zero-initialise; to be freed by input_cores_free(). */
struct input_cores {
	uint32_t all;	/* of the CPU that perf ran on */
	uint32_t *each; /* of INPUT_CPUS, by their number; NULL: AUXTRACE_INFO does not say */
	uint32_t same;	/* of those that it names, if all agree; INPUT_ANY_MIDR: they do not */
};

/*
 * The core of a CPU, or with a cpu of -1 of a thread on any of them. Where AUXTRACE_INFO names the
 * cores it alone counts, and one that it does not name is INPUT_ANY_MIDR: a guess would give the
 * records' data sources the names of another core.
 */
uint32_t input_core(const struct input_cores *cores, int32_t cpu);
void input_cores_free(struct input_cores *cores);

/* The bytes of AUXTRACE_INFO behind its first eight, for SPE. What makes no sense is left aside. */
void input_cores_trace(struct input_cores *cores, const uint8_t *bytes, size_t size);

/* The bytes of a FEATURE event: the feature's number, and its section. */
void input_cores_feature(struct input_cores *cores, const uint8_t *bytes, size_t size);

/*
 * The feature sections of a file, which is at their table, at byte at of it; header is that of the
 * file. Reads on, and does not seek. What is cut off or makes no sense is left aside.
 */
void input_cores_sections(struct input_cores *cores, FILE *file, uint64_t at,
			  const uint8_t *header);

#endif
