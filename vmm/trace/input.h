/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading all sample records of a file, one after the other, in memory that does not grow with it:
 * the bytes of a profiling buffer, or a perf.data file with the AUX trace of arm_spe, ours or
 * another's. Nothing of the file is trusted.
 */
#ifndef VSPE_TRACE_INPUT_H
#define VSPE_TRACE_INPUT_H

#include "trace/record.h"

#include <stdio.h>

/* A CPU number beyond this is damage: nothing that writes such files has as many. */
#define INPUT_CPUS 4096u

/* One record of the input, or padding behind which there is none yet (size 0). */
struct input_record {
	const uint8_t *bytes; /* from its first packet on; padding bytes of zeros are before them */
	size_t padding;
	size_t size;
	bool complete; /* false: its end packet is missing */
	uint32_t cpu;
	uint64_t offset; /* in the CPU's data */
	uint64_t number; /* among the CPU's records, from 0 */
	uint32_t midr;	 /* MIDR_EL1 of the CPU; 0: not known, or not yet */
};

struct input_sink {
	void *ctx;
	void (*record)(void *ctx, const struct input_record *record);
	/* So many bytes of the file are read, UINT64_MAX at the end; NULL: nobody wants to know. */
	void (*progress)(void *ctx, uint64_t bytes);
};

struct input_result {
	char problem[160]; /* what is wrong with the file, in words; "": nothing */
	uint64_t records;
	uint64_t bytes; /* of them, without padding before them */
	/* MIDR_EL1 of all CPUs of which the records did not say it; 0: nothing says it. */
	uint32_t midr;
	/* What could not be read in records. */
	struct input_damage {
		uint64_t bytes, records;
		uint64_t first; /* offset of the first, when bytes or records is not 0 */
		uint32_t cpu;	/* where that is */
	} damage;
};

/*
 * Read file to its end and give each record to the sink. 0, or a negative errno, with the problem
 * in words: -EINVAL for a file that is not what it should be, -ENODATA for a perf.data file whose
 * writer was ended before it, which was read as far as it goes, -EIO for one that cannot be read.
 * In all cases the sink had what came before.
 */
int input_read(FILE *file, const struct input_sink *sink, struct input_result *result);

#endif
