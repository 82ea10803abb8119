/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a perf.data file: see perf_events.h. */
#include "trace/perf_events.h"

#include "trace/perf_header.h"

#include <stdio.h>
#include <string.h>

/* sample_id_all: the trailer has the fields of sample_type, with time 0. */
static void put_trailer(struct perf_format_event *event, uint32_t tid, uint32_t cpu)
{
	perf_format_u32(event, tid);
	perf_format_u32(event, tid);
	perf_format_u64(event, 0); /* before all samples: perf reads it at once */
	perf_format_u32(event, cpu);
	perf_format_u32(event, 0);
	perf_format_u64(event, PERF_HEADER_EVENT_ID);
}

void perf_events_comm(struct perf_format_event *event, uint32_t tid, const char *name)
{
	const char *slash = strrchr(name, '/');
	char comm[16] = "";

	strncpy(comm, slash ? slash + 1 : name, sizeof(comm) - 1);
	perf_format_event_begin(event, PERF_FORMAT_COMM, 0);
	perf_format_u32(event, tid);
	perf_format_u32(event, tid);
	perf_format_string(event, comm, 8);
	put_trailer(event, tid, 0);
}

void perf_events_user_map(struct perf_format_event *event, uint32_t tid, const char *name,
			  const struct perf_data_map *map)
{
	perf_format_event_begin(event, PERF_FORMAT_MMAP2, PERF_FORMAT_MISC_USER);
	perf_format_u32(event, tid);
	perf_format_u32(event, tid);
	perf_format_u64(event, map->start);
	perf_format_u64(event, map->size);
	perf_format_u64(event, map->file_offset);
	perf_format_u64(event, 0); /* device: major and minor */
	perf_format_u64(event, 0); /* inode */
	perf_format_u64(event, 0); /* its generation */
	perf_format_u32(event, 5); /* PROT_READ | PROT_EXEC */
	perf_format_u32(event, 2); /* MAP_PRIVATE */
	perf_format_string(event, name, 8);
	put_trailer(event, tid, 0);
}

void perf_events_kernel_map(struct perf_format_event *event, const char *anchor, uint64_t address)
{
	const uint64_t top = UINT64_C(0xff) << 56;
	char name[PERF_EVENTS_NAME_LIMIT + 32];

	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", anchor ? anchor : "");
	perf_format_event_begin(event, PERF_FORMAT_MMAP, PERF_FORMAT_MISC_KERNEL);
	perf_format_u32(event, UINT32_MAX); /* pid of the kernel */
	perf_format_u32(event, 0);
	perf_format_u64(event, top);
	perf_format_u64(event, ~top);
	perf_format_u64(event, anchor ? address | top : 0);
	perf_format_string(event, name, 8);
	put_trailer(event, 0, 0);
}

/* ns = ticks * mult >> shift. */
void perf_events_time_conversion(struct perf_format_event *event, uint32_t counter_hz)
{
	const uint64_t second = 1000000000;
	unsigned int shift = 31;

	while (shift && (second << shift) / counter_hz > UINT32_MAX)
		shift--;
	perf_format_event_begin(event, PERF_FORMAT_TIME_CONV, 0);
	perf_format_u64(event, shift);
	perf_format_u64(event, (second << shift) / counter_hz);
	perf_format_u64(event, 0);	    /* zero of the time scale */
	perf_format_u64(event, 0);	    /* cycles */
	perf_format_u64(event, UINT64_MAX); /* mask */
	perf_format_u64(event, 1);	    /* cap_user_time_zero, cap_user_time_short, padding */
}

void perf_events_aux(struct perf_format_event *event, uint32_t cpu, uint64_t offset, uint64_t size,
		     uint64_t flags)
{
	perf_format_event_begin(event, PERF_FORMAT_AUX, 0);
	perf_format_u64(event, offset);
	perf_format_u64(event, size);
	perf_format_u64(event, flags);
	put_trailer(event, PERF_EVENTS_GUEST_TID, cpu);
}

void perf_events_lost(struct perf_format_event *event, uint32_t cpu, uint64_t lost)
{
	perf_format_event_begin(event, PERF_FORMAT_LOST_SAMPLES, 0);
	perf_format_u64(event, lost);
	put_trailer(event, PERF_EVENTS_GUEST_TID, cpu);
}
