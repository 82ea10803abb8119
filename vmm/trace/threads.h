/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who ran on which CPU when, under which name, and what was where in its memory, from the COMM,
 * FORK, MMAP2 and SWITCH events of a perf.data file. First give all events, then look up moments.
 * Nothing in the events is trusted, and those beyond THREADS_MOST are only counted.
 *
 * For example, a shell that starts a program:
 *
 *   COMM   pid 7 "sh"                       at 10
 *   MMAP2  pid 7 0x400000 sh                at 10
 *   FORK   pid 8 of 7                       at 20   it has the memory of 7, as that was at 20
 *   COMM   pid 8 "work", by execve()        at 30   from now on 8 has other memory
 *   MMAP2  pid 8 0x400000 work              at 31
 *   SWITCH to 8 on CPU 0                    at 32
 *
 * A sample on CPU 0 at 40 with the PC 0x400010 is of "work", at 0x10 of that file; one of pid 8 at
 * 25 was of "sh".
 */
#ifndef VSPE_TRACE_THREADS_H
#define VSPE_TRACE_THREADS_H

#include "trace/input.h"
#include "trace/perf_clock.h"
#include "trace/sample.h"

#define THREADS_MOST (1u << 21) /* events of each kind that are kept */
#define THREADS_DSOS 4096u	/* files that are kept apart */
#define THREADS_JITS 96u	/* ... processes that made code as they ran */

struct threads;

struct threads *threads_new(void);
/* NULL is allowed. */
void threads_free(struct threads *threads);

void threads_event(struct threads *threads, const struct input_event *event);
/* Call this once, after all events: it sorts them. */
void threads_ready(struct threads *threads);
/*
 * Do the events name processes, and say that one began or ran? Those that vspe run writes for a
 * bare-metal guest only name its image.
 */
bool threads_any(const struct threads *threads);
/* Events without room, or without meaning. */
uint64_t threads_dropped(const struct threads *threads);

/* The symbol that places the kernel's map, and its address at that time; NULL: none is named. */
const char *threads_anchor(const struct threads *threads, uint64_t *address);

/*
 * A file, or something else that can be mapped: "[vdso]". Executable memory without a file is one
 * for each process: it has perf's name, "[JIT] tid PID", and addresses for offsets. Numbers start
 * at 0, without gaps.
 */
struct threads_dso {
	const char *path; /* as the event has it: any bytes but NUL */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
	bool kernel;	       /* the kernel's, or a module's */
	int32_t jit;	       /* code that this process made in anonymous memory; 0: a file */
	uint32_t jit_number;   /* its number among those, from 0 */
};
#define THREADS_BUILD_ID_TEXT 41u
/* Its build id in hexadecimal digits; "" if it is not known. Returns text. */
const char *threads_build_id(const struct threads_dso *dso, char text[THREADS_BUILD_ID_TEXT]);
uint32_t threads_dsos(const struct threads *threads);
struct threads_dso threads_dso(const struct threads *threads, uint32_t number);
/* Where the kernel first had a dso that belongs to it. False: nowhere. */
bool threads_kernel_map(const struct threads *threads, uint32_t number, uint64_t *start);
/* The dso of a jit_number. False: there are fewer. */
bool threads_jit(const struct threads *threads, uint32_t jit_number, uint32_t *number);

#define THREADS_UNKNOWN UINT32_MAX

/* The thread of a sample. */
struct threads_who {
	uint32_t life; /* of a thread under one name, or THREADS_UNKNOWN */
	uint64_t time; /* of perf's clock; UINT64_MAX: not known, so the end */
};

/* A thread under a name. */
struct threads_life {
	int32_t pid, tid;
	uint32_t name; /* equal names have the same number */
	const char *comm;
};

struct threads_who threads_who(struct threads *threads, struct input_origin origin,
			       const struct sample *sample);
/* The name with a number; any bytes but NUL. */
const char *threads_name(const struct threads *threads, uint32_t number);
struct threads_life threads_life(const struct threads *threads, uint32_t number);

/* Which dso a process has at an address, and the offset in the file. False if none is known. */
bool threads_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *dso,
		  uint64_t *offset);

/* The file's clock, and perf_clock_time() with it. */
struct perf_clock threads_clock(const struct threads *threads);
/*
 * The maps of a sample's process that begin at or below an address, the newest first, wherever they
 * end. If the kernel's events only name the code of a program, its data are near one of these. take
 * returns whether to go on. Does nothing for an address of the kernel.
 */
struct threads_near {
	uint32_t dso;
	uint64_t start, offset; /* of the map */
};
void threads_each_near(struct threads *threads, struct threads_who who, uint64_t address,
		       bool (*take)(void *ctx, const struct threads_near *near), void *ctx);

/* perf_clock_time() with the file's clock. */
bool threads_time(const struct threads *threads, uint64_t timestamp, uint64_t *time);

#endif
