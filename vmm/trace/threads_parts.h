/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads.c sorts, and threads_find.c searches. */
#ifndef VSPE_TRACE_THREADS_PARTS_H
#define VSPE_TRACE_THREADS_PARTS_H

#include "trace/names.h"
#include "trace/perf_clock.h"
#include "trace/threads.h"

#define NONE NAMES_NONE

enum what { COMM, FORK, MAP };

/* The part of an event that matters. */
struct told {
	uint64_t time, order;
	enum what what;
	bool exec, inherits;
	int32_t pid, tid, parent, parent_tid;
	uint32_t text; /* name; number of the map */
};

struct map {
	uint64_t start, end, offset, time;
	uint32_t dso;
	uint32_t before; /* the previous map of that space, or NONE */
};

struct space {
	int32_t pid;
	uint64_t from;	 /* time */
	uint64_t forked; /* it has what parent had by then */
	uint32_t parent; /* or NONE */
	uint32_t last;	 /* map, or NONE */
};

struct life {
	int32_t tid, pid;
	uint64_t from, order;
	uint32_t name;
};

struct ran {
	int32_t cpu, tid;
	uint64_t time, order;
};

/* Any of the lists, with elements of one size. */
struct list {
	void *at;
	size_t count, room;
};

struct dso {
	uint32_t path; /* in text */
	uint8_t build_id[20], build_id_size;
	bool kernel;
	int32_t jit;	     /* pid, or 0 */
	uint32_t jit_number; /* place in jits */
};

struct threads {
	struct list told, maps, kernel, spaces, lives, ran, dsos;
	struct list jits;   /* numbers of dsos */
	struct names names; /* of threads, and paths */
	uint32_t *by_pid;   /* spaces, by pid and time */
	uint64_t dropped, order;
	uint32_t anchor; /* name of a symbol of the kernel, plus 1; or 0 */
	uint64_t anchor_address;
	struct perf_clock clock;
	bool started; /* an event reports a trace, a switch or a process */
};

#endif
