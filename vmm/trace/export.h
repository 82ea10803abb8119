/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data for profile viewers: samples by who ran, where, with which data source and, on request,
 * when. export_add() counts in memory that does not grow with the input. export_ready() makes the
 * tables, in an order that depends only on the counts.
 */
#ifndef VSPE_TRACE_EXPORT_H
#define VSPE_TRACE_EXPORT_H

#include "trace/report.h"

/* How many different entries are kept of each kind. */
struct export_bounds {
	uint32_t whos;	  /* at most 2^16 */
	uint32_t sources; /* at most 2^12 */
	uint32_t places;  /* at most 2^24, as samples */
	uint32_t samples;
};

/* The bounds of vspe report: some 100 MB when all are full. */
extern const struct export_bounds export_usual_bounds;

/* A thread under a name; or, if the input names none, a CPU or a thread. */
struct export_who {
	int32_t pid, tid, cpu; /* -1: not known, or of no one */
	char *comm;	       /* printable ASCII; NULL: the input names none */
	uint32_t first, count; /* its samples in export_tables */
	uint64_t weight;       /* in records */
};

#define EXPORT_NO_LEVEL -1
#define EXPORT_NO_DSO	UINT32_MAX

/* A function at an Exception level, or a page of code without a name. */
struct export_function {
	char *name;	   /* printable ASCII; of a page "[0x400000]", of no PC "[unknown]" */
	uint32_t dso;	   /* or EXPORT_NO_DSO */
	int level;	   /* or EXPORT_NO_LEVEL: the records have no PC */
	char *file;	   /* of its source; NULL: not known */
	unsigned int line; /* where it begins; 0: not known */
	uint64_t weight;   /* in records */
};

/* An instruction. */
struct export_place {
	uint64_t address; /* as its file has it; 0 without a PC */
	uint32_t function;
	unsigned int line; /* of function's file, where inlined code is called; 0: not known */
};

/* A data source; the first one stands for none. */
struct export_source {
	uint16_t number;
	enum source_set set; /* not SOURCE_UNSAID if anything gives the set */
};

struct export_sample {
	uint32_t who, place, source;
	uint64_t time;		  /* the earliest possible one; 0 without timed */
	uint64_t records, cycles; /* cycles: the sum of their total latencies */
};

struct export_tables {
	struct export_who *whos;	   /* the one with most records first */
	struct export_function *functions; /* the same */
	struct export_place *places;
	struct export_source *sources;
	struct export_sample *samples; /* by who, time, function, place and source */
	uint32_t who_count, function_count, place_count, source_count, sample_count;
};

struct export
{
	bool timed;
	unsigned int shift; /* of times: 0 is exact, otherwise 2^shift apart */
	uint64_t records;
	uint64_t without_time; /* records that took the time of the previous one */
	uint64_t dropped;      /* records that are in no sample */
	uint64_t unnamed;      /* ... without who, place or source, as a table was full */
	uint64_t first, last;  /* times; first is UINT64_MAX if none */
	struct export_maps *maps;
	struct export_tables tables; /* after export_ready() */
};

/* timed: distinguish samples by their times too. */
struct export *export_new(const struct export_bounds *bounds, bool timed);
/* NULL is allowed. */
void export_free(struct export *export);

/* Count a record. life: of the thread, or NULL. time: NULL if it is not known. */
void export_add(struct export *export, struct input_origin origin, const struct threads_life *life,
		enum source_set set, const struct sample *sample, const uint64_t *time);

/* Call this once, after all records. */
void export_ready(struct export *export, const struct report_view *view);

#endif
