/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records of single instructions say, for the guest chase. */
#ifndef CHASE_SEEN_H
#define CHASE_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#define BUFFER_PAGES 64 /* of one PE */
#define MAX_SOURCES  16

/* Data sources of Arm's Neoverse cores. */
#define SOURCE_L1D	    0x0
#define SOURCE_L2	    0x8
#define SOURCE_PEER	    0x9
#define SOURCE_PEER_CLUSTER 0xc
#define SOURCE_REMOTE	    0xd

/* What the records of one instruction say. */
struct seen {
	uint64_t records, wrong;
	uint64_t source[MAX_SOURCES],
		latency[MAX_SOURCES]; /* counts, and the sum of the latencies */
	uint64_t refills, mispredicted, walks, snooped;
};

/* Samples of a function on this PE, one every 256 * interval operations, go to its buffer at to. */
void seen_profile(uint64_t to, uintptr_t function, uint64_t a0, uint64_t a1, uint64_t interval);

/*
 * What the records in this PE's buffer, from an address on, say of the instruction at pc, and of
 * another; second: NULL if there is no other.
 */
void seen_collect(uint64_t from, const char *pc, struct seen *seen, const char *other,
		  struct seen *second);

/* Is a source another core, wherever that is? */
bool seen_is_other_core(unsigned int source);

/* The most common source, and the mean of its latencies in cycles: what is left of the total. */
unsigned int seen_usual(const struct seen *seen, uint64_t *latency);

#endif
