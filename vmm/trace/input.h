/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads all sample records of a file in order, in memory that does not grow with it: the bytes of a
 * profiling buffer, or a perf.data file with an AUX trace of arm_spe, from vspe or another tool.
 * Nothing in the file is trusted.
 */
#ifndef VSPE_TRACE_INPUT_H
#define VSPE_TRACE_INPUT_H

#include "trace/input_trailer.h"
#include "trace/record.h"

#include <stdio.h>

/* A larger CPU number means damage: no writer of such files has as many. */
#define INPUT_CPUS 4096u

/* MIDR_EL1 of a record that any of several different cores may have written. */
#define INPUT_ANY_MIDR UINT32_MAX

/* The origin of a trace: a CPU or, with perf record --per-thread, a thread on any CPU. */
struct input_origin {
	int32_t cpu; /* -1: a thread's, or not known */
	int32_t tid; /* the thread of a thread's trace, if known; else -1 */
};

/* Enough for any text of input_origin_words(). */
#define INPUT_ORIGIN_WORDS 24u

/* "cpu 3", "thread 1234", or "an unknown cpu". Returns text. */
const char *input_origin_words(struct input_origin origin, char text[INPUT_ORIGIN_WORDS]);

/* One record of the input, or padding that no record follows yet (size 0). */
struct input_record {
	const uint8_t *bytes; /* from its first packet on; padding zeros are before them */
	size_t padding;
	size_t size;
	bool complete;			  /* false: its end packet is missing */
	const struct spe_record *decoded; /* valid as long as bytes */
	struct input_origin origin;
	uint64_t offset; /* in the AUX trace of its origin */
	uint64_t number; /* among the records of its origin, from 0 */
	uint32_t midr;	 /* MIDR_EL1, or INPUT_ANY_MIDR; 0: not known, or not yet */
};

/* An event of a perf.data file that says who ran, when, and what was where in memory. */
struct input_event {
	uint32_t type; /* PERF_FORMAT_COMM, FORK, MMAP, MMAP2, ... */
	uint16_t misc;
	const uint8_t *body; /* after its header; the trailer is the end of it */
	size_t size;
	struct input_trailer trailer;
};

struct input_sink {
	void *ctx;
	/* NULL: skip the records, in no time if the file is seekable. */
	void (*record)(void *ctx, const struct input_record *record);
	void (*event)(void *ctx, const struct input_event *event); /* NULL: ignore events */
	/* Reports how many bytes of the file were read, UINT64_MAX at the end. May be NULL. */
	void (*progress)(void *ctx, uint64_t bytes);
};

/* Losses that a perf.data file itself reports. */
enum input_loss {
	INPUT_TRUNCATED,    /* AUX events with PERF_AUX_FLAG_TRUNCATED: the buffer was full */
	INPUT_PARTIAL,	    /* ... PERF_AUX_FLAG_PARTIAL: there are gaps */
	INPUT_COLLISION,    /* ... PERF_AUX_FLAG_COLLISION: samples collided */
	INPUT_LOST_SAMPLES, /* PERF_RECORD_LOST_SAMPLES */
	INPUT_LOST_EVENTS,  /* PERF_RECORD_LOST: other events, such as names of processes */
	INPUT_LOSSES,
};

struct input_loss_count {
	uint64_t times;		   /* events that say so */
	uint64_t lost;		   /* samples or events; 0: they do not say how many */
	uint64_t bytes;		   /* of AUX trace in the events that report it */
	struct input_origin first; /* the origin of the first */
	bool aux;		   /* they are AUX events */
	uint64_t first_offset;	   /* of the first, in its AUX trace */
};

struct input_result {
	char problem[160]; /* what is wrong with the file, in words; "": nothing */
	uint64_t records;
	uint64_t bytes; /* of the records, without padding */
	/* MIDR_EL1 of all CPUs whose records did not have it; 0: not known. */
	uint32_t midr;
	/* What could not be read in records. */
	struct input_damage {
		uint64_t bytes, records;
		uint64_t first; /* offset of the first, when bytes or records is not 0 */
		struct input_origin origin; /* where that is */
	} damage;
	struct input_loss_count losses[INPUT_LOSSES];
	uint64_t aux_bytes; /* of AUX trace according to AUX events */
};

/* A loss in a few words: "buffer full, records lost". */
const char *input_loss_name(enum input_loss loss);
/* Where the first one is, if known: "cpu 1 at 0x1000". Returns text. */
#define INPUT_FIRST_WORDS 48u
const char *input_loss_first(const struct input_loss_count *count, char text[INPUT_FIRST_WORDS]);
/*
 * How much of the profile a loss may affect, in hundredths of a per cent: lost samples of all
 * samples, or the part of the AUX trace whose events report it. False: not known.
 */
bool input_loss_share(const struct input_result *result, enum input_loss loss, uint64_t *share);

/* Enough for any text of the two functions below. */
#define INPUT_LINE_WORDS 256u
/*
 * A loss in a line: "buffer full, records lost: 2 times, up to 1.50 per cent, first: cpu 1 at 0x0".
 * Returns text; "" if there was none.
 */
const char *input_loss_words(const struct input_result *result, enum input_loss loss,
			     char text[INPUT_LINE_WORDS]);
/* The same for what could not be read. */
const char *input_damage_words(const struct input_damage *damage, char text[INPUT_LINE_WORDS]);

/*
 * Read file to its end and give each record to the sink. 0, or a negative errno, with the problem
 * in words: -EINVAL for a file of another kind; -ENODATA for a perf.data file that is truncated, or
 * damaged after its first records; -EIO for one that cannot be read. In all cases the sink got what
 * came before.
 */
int input_read(FILE *file, const struct input_sink *sink, struct input_result *result);

#endif
