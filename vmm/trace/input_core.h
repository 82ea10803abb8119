/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which core wrote the records of a perf.data file. perf has this in up to three places.
 * AUXTRACE_INFO of perf 6.14 and later has MIDR_EL1 of each CPU. The feature section CPUID, after
 * the events of a file, or a FEATURE event of a pipe, has that of the CPU that perf ran on. Part of
 * input.c.
 */
#ifndef VSPE_TRACE_INPUT_CORE_H
#define VSPE_TRACE_INPUT_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* MIDR_EL1 values, 0 if unknown. Zero-initialise, and free with input_cores_free(). */
struct input_cores {
	uint32_t all;	/* of the CPU that perf ran on */
	uint32_t *each; /* by CPU, INPUT_CPUS of them; NULL: not in AUXTRACE_INFO */
	uint32_t same;	/* the value if all agree; INPUT_ANY_MIDR: they do not */
};

/*
 * The core of a CPU, or if cpu is -1, of a thread on any of them. If AUXTRACE_INFO names cores then
 * only it counts, and a CPU that it does not name is INPUT_ANY_MIDR: a guess would give the
 * records' data sources the names of another core.
 */
uint32_t input_core(const struct input_cores *cores, int32_t cpu);
void input_cores_free(struct input_cores *cores);

/* Takes the bytes of SPE's AUXTRACE_INFO after its first eight. Ignores what makes no sense. */
void input_cores_trace(struct input_cores *cores, const uint8_t *bytes, size_t size);

/* Takes the bytes of a FEATURE event: the feature's number, and its section. */
void input_cores_feature(struct input_cores *cores, const uint8_t *bytes, size_t size);

/*
 * Takes the feature sections of a file, which is at byte `at`, where their table is; header is the
 * file's. Only reads forward, without seeking. Ignores what is truncated or makes no sense.
 */
void input_cores_sections(struct input_cores *cores, FILE *file, uint64_t at,
			  const uint8_t *header);

#endif
