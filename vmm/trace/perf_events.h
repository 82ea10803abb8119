/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a perf.data file that vspe writes, one by one, with the layouts of Linux's
 * perf_event.h and of perf record.
 */
#ifndef VSPE_TRACE_PERF_EVENTS_H
#define VSPE_TRACE_PERF_EVENTS_H

#include "trace/perf_data.h"
#include "trace/perf_format.h"

#define PERF_EVENTS_NAME_LIMIT 4095u /* bytes of a file's name */

/* The thread of records without a Context packet. To perf, 0 is the idle task. */
#define PERF_EVENTS_GUEST_TID 1u

/* COMM: a thread has the guest's name, without folders. */
void perf_events_comm(struct perf_format_event *event, uint32_t tid, const char *name);
/* MMAP2 of EL0 addresses: an executable private map of the guest's file. */
void perf_events_user_map(struct perf_format_event *event, uint32_t tid, const char *name,
			  const struct perf_data_map *map);
/*
 * MMAP of EL1 and EL2 addresses. perf replaces their top byte by 0xFF in any case, so one map has
 * them all, and the anchor's address is the one that perf will see. anchor may be NULL.
 */
void perf_events_kernel_map(struct perf_format_event *event, const char *anchor, uint64_t address);
/* TIME_CONV: how timestamps become nanoseconds, with the largest multiplier that fits 32 bits. */
void perf_events_time_conversion(struct perf_format_event *event, uint32_t counter_hz);
/* AUX: size bytes at offset of the AUX trace of a vCPU, and PERF_FORMAT_AUX_ flags. */
void perf_events_aux(struct perf_format_event *event, uint32_t cpu, uint64_t offset, uint64_t size,
		     uint64_t flags);
/* LOST_SAMPLES: this many records of a vCPU are not in the file. */
void perf_events_lost(struct perf_format_event *event, uint32_t cpu, uint64_t lost);

#endif
