/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading all sample records of a file, one after the other, in memory that does not grow with it:
 * the bytes of a profiling buffer, or a perf.data file with the AUX trace of arm_spe, ours or
 * another's. Nothing of the file is trusted.
 */
#ifndef VSPE_TRACE_INPUT_H
#define VSPE_TRACE_INPUT_H

#include "trace/input_trailer.h"
#include "trace/record.h"

#include <stdio.h>

/* A CPU number beyond this is damage: nothing that writes such files has as many. */
#define INPUT_CPUS 4096u

/* MIDR_EL1 of a record that any of several different cores may have written. */
#define INPUT_ANY_MIDR UINT32_MAX

/* Whose trace it is: a CPU's or, with perf record --per-thread, a thread's on whichever CPU. */
struct input_origin {
	int32_t cpu; /* -1: a thread's, or not known */
	int32_t tid; /* of a thread's trace; otherwise, or if it is not known, -1 */
};

/* Room for every text of input_origin_words(). */
#define INPUT_ORIGIN_WORDS 24u

/* "cpu 3", "thread 1234", or "an unknown cpu". Returns text. */
const char *input_origin_words(struct input_origin origin, char text[INPUT_ORIGIN_WORDS]);

/* One record of the input, or padding behind which there is none yet (size 0). */
struct input_record {
	const uint8_t *bytes; /* from its first packet on; padding bytes of zeros are before them */
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
	/* NULL: the records are passed over, in no time where the file can be read in any order. */
	void (*record)(void *ctx, const struct input_record *record);
	void (*event)(void *ctx, const struct input_event *event); /* NULL: nobody wants them */
	/* So many bytes of the file are read, UINT64_MAX at the end; NULL: nobody wants to know. */
	void (*progress)(void *ctx, uint64_t bytes);
};

/* What a perf.data file says is missing from it. */
enum input_loss {
	INPUT_TRUNCATED,    /* AUX events with PERF_AUX_FLAG_TRUNCATED: the buffer was full */
	INPUT_PARTIAL,	    /* ... PERF_AUX_FLAG_PARTIAL: there are gaps */
	INPUT_COLLISION,    /* ... PERF_AUX_FLAG_COLLISION: samples collided */
	INPUT_LOST_SAMPLES, /* PERF_RECORD_LOST_SAMPLES */
	INPUT_LOST_EVENTS,  /* PERF_RECORD_LOST: other events, the names of processes among them */
	INPUT_LOSSES,
};

struct input_loss_count {
	uint64_t times;		   /* events that say so */
	uint64_t lost;		   /* samples or events; 0: they do not say how many */
	uint64_t bytes;		   /* of AUX trace in the events that say so */
	struct input_origin first; /* where the first of them is */
	bool aux;		   /* they are AUX events */
	uint64_t first_offset;	   /* of the first, in its AUX trace */
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
		struct input_origin origin; /* where that is */
	} damage;
	struct input_loss_count losses[INPUT_LOSSES];
	uint64_t aux_bytes; /* of AUX trace that AUX events speak of */
};

/* A loss in a few words: "buffer full, records lost". */
const char *input_loss_name(enum input_loss loss);
/* Where the first is: "cpu 1 at 0x1000", as far as that is known. Returns text. */
#define INPUT_FIRST_WORDS 48u
const char *input_loss_first(const struct input_loss_count *count, char text[INPUT_FIRST_WORDS]);
/*
 * How much of the profile a loss may concern, in hundredths of a per cent: of all samples those
 * that were lost, or the part of the AUX trace whose events say so. false: nothing says how much.
 */
bool input_loss_share(const struct input_result *result, enum input_loss loss, uint64_t *share);

/* Room for every text of the two below. */
#define INPUT_LINE_WORDS 256u
/*
 * A loss in a line: "buffer full, records lost: 2 times, up to 1.50 per cent, first: cpu 1 at 0x0".
 * Returns text; "" if there was none.
 */
const char *input_loss_words(const struct input_result *result, enum input_loss loss,
			     char text[INPUT_LINE_WORDS]);
/* The same of what could not be read. */
const char *input_damage_words(const struct input_damage *damage, char text[INPUT_LINE_WORDS]);

/*
 * Read file to its end and give each record to the sink. 0, or a negative errno, with the problem
 * in words: -EINVAL for a file that is not what it should be; -ENODATA for a perf.data file that
 * has no end, or is damaged after its first records, which was read as far as it goes; -EIO for
 * one that cannot be read. In all cases the sink had what came before.
 */
int input_read(FILE *file, const struct input_sink *sink, struct input_result *result);

#endif
