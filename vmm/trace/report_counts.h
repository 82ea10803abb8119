/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of a report, which report_collect.c fills and the sections read. */
#ifndef VSPE_TRACE_REPORT_COUNTS_H
#define VSPE_TRACE_REPORT_COUNTS_H

#include "trace/input.h"
#include "trace/report.h"
#include "trace/report_map.h"
#include "trace/source.h"

#define REPORT_LEVELS	    5u /* Exception levels, and REPORT_NO_LEVEL of a record without a PC */
#define REPORT_NO_LEVEL	    4u
#define REPORT_SPACES	    4u /* Security states: NSE and NS of the PC */
#define REPORT_EXECUTION    3u /* total minus issue latency, in addition to the counters */
#define REPORT_LATENCIES    4u
#define REPORT_VALUES	    65536u /* of a counter or a data source: two bytes */
#define REPORT_SOURCES	    4096u  /* how many are kept */
#define REPORT_LINE	    64u	   /* bytes of a cache line */
#define REPORT_PAGE	    4096u  /* of a page, whatever the guest's granule is */
#define REPORT_LINE_USERS   4u	   /* how many are kept for a line or a page */
#define REPORT_USERS_MOST   65536u /* how many are kept in total */
#define REPORT_WALK	    5u	   /* the event TLB-REFILL */
#define REPORT_ORIGINS	    65536u
#define REPORT_TIME_BUCKETS 64u

/* Counts of a PC at a level; the key is (pc, level). */
struct report_address {
	uint64_t samples, mispredicted;
	uint64_t timed, cycles; /* samples with a total latency, and their sum */
};

/* Counts of a branch; the key is (pc and level << 56, target or REPORT_NO_TARGET). */
struct report_branch {
	uint64_t samples, mispredicted, not_taken;
	uint64_t taken_wrongly_predicted; /* of mispredicted, those that were taken */
};
#define REPORT_NO_TARGET UINT64_MAX

/*
 * The key of a thread: (pid << 32 | tid, number of the name). If it is not known and life is NULL,
 * that of the trace: (CPU << 32 | tid, REPORT_NO_NAME).
 */
#define REPORT_NO_NAME (UINT64_MAX)
static inline struct report_key report_who(struct input_origin origin,
					   const struct threads_life *life)
{
	if (life)
		return (struct report_key){
			(uint64_t)(uint32_t)life->pid << 32 | (uint32_t)life->tid, life->name};
	return (struct report_key){(uint64_t)(uint32_t)origin.cpu << 32 | (uint32_t)origin.tid,
				   REPORT_NO_NAME};
}

/* A user of memory: the value of report_who() is its number in the map plus one. */
#define REPORT_NOBODY UINT32_MAX /* one for which there was no room */

/* Counts of a piece of memory. */
struct report_access {
	uint64_t reads, writes;
	uint64_t timed, cycles;
	uint64_t walks;
	uint64_t places[SOURCE_PLACES];
	uint64_t stamped, first, last; /* accesses with a timestamp; the timestamps at the ends */
	bool named;
	uint64_t low, high; /* if named: the range of first bytes of accesses, as sample.data */
	uint16_t slowest;   /* cycles */
};

/* A user of it. */
struct report_use {
	uint32_t accesses, user;
	uint64_t read, written; /* of a line: a bit for each byte where an access began */
};

/* Counts of a cache line; the key is (address / REPORT_LINE, as that of a page). */
struct report_line {
	struct report_access access;
	uint64_t others; /* accesses of users other than those below */
	struct report_use uses[REPORT_LINE_USERS];
};

/*
 * Counts of a page; the key is (address / REPORT_PAGE, 1 << 32 for a virtual one | pid). The
 * address is sample.data, or the physical one. The pid is -1 if every process has the page, or the
 * process is not known.
 */
struct report_page {
	struct report_access access;
	uint64_t others;
	struct report_use uses[REPORT_LINE_USERS];
	uint32_t times[REPORT_TIME_BUCKETS];
};

/*
 * Stretches of time. Those with the numbers first to last have 2^shift units each, and the counts
 * of one are at its number modulo REPORT_TIME_BUCKETS.
 */
struct report_span {
	unsigned int shift;
	uint64_t first, last; /* only with any */
	bool any;
};
/*
 * The number of the stretch that has a time. The length of stretches depends only on the first and
 * the last time, and doubles when these two require it. Before each doubling, widen merges the
 * counts of the numbers 2n and 2n + 1 into those of n.
 */
uint64_t report_span_add(struct report_span *span, uint64_t time,
			 void (*widen)(void *ctx, const struct report_span *span), void *ctx);

/* Counts of a context; the key is (which there are, CONTEXTIDR_EL2 << 32 | CONTEXTIDR_EL1). */
struct report_context {
	uint64_t samples;
};

/* Counts of an origin, or a thread; the key of an origin is (cpu, tid). */
struct report_origin {
	uint64_t levels[REPORT_LEVELS];
};

/* Samples by time. */
struct report_time {
	struct report_span span;
	uint64_t counts[REPORT_TIME_BUCKETS][REPORT_LEVELS];
};

/* Counts of a data source; the key is (number, its set). */
struct report_source {
	uint64_t samples, timed, cycles;
	uint64_t executed,
		execution; /* samples with both latencies, and the sum of REPORT_EXECUTION */
};

struct report {
	uint64_t records, skipped;
	uint64_t classes[RECORD_CLASSES], unclassed; /* unclassed: no operation type */
	uint64_t reads, writes;			     /* of load/store operations */
	uint64_t without_pc, without_time;
	uint64_t accesses; /* with a data address */
	uint64_t operations[RECORD_CLASSES][256];
	uint64_t events[64];
	uint64_t levels[REPORT_LEVELS][REPORT_SPACES];
	uint64_t unretired;		    /* branches */
	uint64_t mispredicted, not_taken;   /* branches that retired */
	uint64_t (*latency)[REPORT_VALUES]; /* by enum sample_latency or REPORT_EXECUTION, and
					       cycles */
	uint32_t latency_end;		    /* one more than the highest latency of any kind */
	struct report_time time;
	struct report_map addresses, branches, lines, pages, users, contexts, sources, origins;
	struct report_span access_time;
	uint64_t access_unstamped; /* accesses with an address, without a timestamp */
	struct report_map lives; /* of threads; the key is (pid << 32 | tid, number of the name) */
	struct input_result missing; /* what the input reports of that, once it has been read */
};

#endif
