/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hardware prefetcher of a core of the machine model: which lines it asks for.
 *
 * It learns from data accesses that miss L1D, or are the first to a line that it fetched. It
 * follows streams: accesses to one page of 4 KiB that are a constant number of lines apart, up or
 * down. The third access of a stream makes it trusted. From then on the prefetcher keeps a number
 * of its next lines ahead in L1D, and more in L2. A trusted stream may pass over lines that were in
 * L1D already.
 *
 * Streams have virtual addresses, and physical ones only within the page of an access. If a trusted
 * stream goes on in another page, its lines there count as asked for in time: model_ask.crossed.
 *
 * Example, with 2 lines ahead in L1D and 4 in L2: accesses to lines 0, 1 and 2 of a page miss. The
 * third makes it fetch 3 and 4 to L1D, 5 and 6 to L2. The access to 3 brings 5 to L1D, and 7 to L2.
 */
#ifndef VSPE_MODEL_PREFETCH_H
#define VSPE_MODEL_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* A stream was seen so often before it is followed. */
#define MODEL_STREAM_TRUSTED 2

struct model_stream {
	uint64_t line;	/* virtual address of its last access, over 64 */
	uint64_t used;	/* when, by model_streams.clock; 0: the stream is free */
	int16_t stride; /* lines; 0: not known yet */
	uint8_t seen;	/* how often the stride was, up to MODEL_STREAM_TRUSTED */
	/* Next lines that were asked for: [0] to L1D, [1] to L2. */
	uint8_t ahead[2];
};

/* Numbers of pages, by which a stream is looked for first. */
#define MODEL_STREAM_GUESSES 32

struct model_streams {
	uint64_t clock; /* accesses that it learned from */
	struct model_stream streams[MODEL_STREAMS_MAX];
	/* By page: the stream of one with this number. It may be wrong, and is never saved. */
	uint8_t guesses[MODEL_STREAM_GUESSES];
};

/* What it asks for after an access. */
struct model_ask {
	int64_t stride; /* lines */
	/* The lines 1 + skip[n] to skip[n] + count[n] strides on: [0] to L1D, [1] to L2. */
	uint32_t skip[2], count[2];
	bool crossed; /* the stream has come from another page, and had asked for all in time */
};

/*
 * It learns from an access to va. missed: L1D has not its line. Does it ask for anything? *ask is
 * set only then.
 */
bool model_streams_access(struct model_streams *streams, const struct model_config *config,
			  uint64_t va, bool missed, struct model_ask *ask);

#endif
