/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers and encodings of the perf.data format (Linux: include/uapi/linux/perf_event.h, and
 * tools/perf/Documentation/perf.data-file-format.txt) that perf_data.c writes and `vspe decode`
 * reads.
 */
#ifndef VSPE_TRACE_PERF_FORMAT_H
#define VSPE_TRACE_PERF_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define PERF_FORMAT_MAGIC "PERFILE2"

/* Sizes in bytes, and the offset of the event stream's extent in the file header. */
#define PERF_FORMAT_HEADER_SIZE	      104
#define PERF_FORMAT_ATTR_SIZE	      112 /* PERF_ATTR_SIZE_VER5 */
#define PERF_FORMAT_ATTR_BYTES_AT     16  /* of one in the file, with its identifiers' extent */
#define PERF_FORMAT_ATTRS_AT	      24
#define PERF_FORMAT_DATA_OFFSET_AT    40
#define PERF_FORMAT_FEATURES_AT	      72 /* a bit each, in 32 bytes */
#define PERF_FORMAT_FEATURES_SIZE     32
#define PERF_FORMAT_PIPE_HEADER_SIZE  16 /* perf record -o -: only events follow */
#define PERF_FORMAT_EVENT_HEADER_SIZE 8
#define PERF_FORMAT_EVENT_MISC_AT     4
#define PERF_FORMAT_EVENT_SIZE_AT     6 /* header included */
#define PERF_FORMAT_AUXTRACE_SIZE     48

/* Offsets in struct perf_event_attr of what the reader uses. */
#define PERF_FORMAT_ATTR_SAMPLE_TYPE_AT 24u
#define PERF_FORMAT_ATTR_FLAGS_AT	40u

/* Event types. */
#define PERF_FORMAT_MMAP	    1u
#define PERF_FORMAT_LOST	    2u
#define PERF_FORMAT_COMM	    3u
#define PERF_FORMAT_FORK	    7u
#define PERF_FORMAT_MMAP2	    10u
#define PERF_FORMAT_AUX		    11u
#define PERF_FORMAT_ITRACE_START    12u
#define PERF_FORMAT_LOST_SAMPLES    13u
#define PERF_FORMAT_SWITCH	    14u
#define PERF_FORMAT_SWITCH_CPU_WIDE 15u
#define PERF_FORMAT_ATTR	    64u /* of a pipe */
#define PERF_FORMAT_BUILD_ID	    67u /* in a pipe, and the contents of the feature section */
#define PERF_FORMAT_FINISHED_ROUND  68u
#define PERF_FORMAT_AUXTRACE_INFO   70u
#define PERF_FORMAT_AUXTRACE	    71u
#define PERF_FORMAT_TIME_CONV	    79u
#define PERF_FORMAT_FEATURE	    80u /* in a pipe: a feature's number, then its section */
#define PERF_FORMAT_TRACING_DATA    66u /* in a pipe: its first word says how many bytes follow */
#define PERF_FORMAT_COMPRESSED	    81u /* perf record -z */
#define PERF_FORMAT_COMPRESSED2	    83u

/* The first word of AUXTRACE_INFO: the kind of trace. */
#define PERF_FORMAT_TRACE_ARM_SPE 4u

/* perf_event_header.misc: which half of the address space an event is about. */
#define PERF_FORMAT_MISC_KERNEL 1u
#define PERF_FORMAT_MISC_USER	2u
#define PERF_FORMAT_MISC_CPU	7u /* mask of those */
/* ... and, by the type of the event: */
#define PERF_FORMAT_MISC_MMAP_DATA     (1u << 13) /* MMAP: not of code */
#define PERF_FORMAT_MISC_COMM_EXEC     (1u << 13) /* COMM: by execve() */
#define PERF_FORMAT_MISC_FORK_EXEC     (1u << 13) /* FORK: of an existing process */
#define PERF_FORMAT_MISC_SWITCH_OUT    (1u << 13)
#define PERF_FORMAT_MISC_BUILD_ID      (1u << 14) /* MMAP2: replaces the file's device and inode */
#define PERF_FORMAT_MISC_BUILD_ID_SIZE (1u << 15) /* BUILD_ID: it has its size */

/* perf_event_attr.sample_type */
#define PERF_FORMAT_SAMPLE_IP	      (1u << 0)
#define PERF_FORMAT_SAMPLE_TID	      (1u << 1)
#define PERF_FORMAT_SAMPLE_TIME	      (1u << 2)
#define PERF_FORMAT_SAMPLE_ID	      (1u << 6)
#define PERF_FORMAT_SAMPLE_CPU	      (1u << 7)
#define PERF_FORMAT_SAMPLE_STREAM     (1u << 9)
#define PERF_FORMAT_SAMPLE_DATA_SRC   (1u << 15)
#define PERF_FORMAT_SAMPLE_IDENTIFIER (1u << 16)
#define PERF_FORMAT_SAMPLE_PHYS_ADDR  (1u << 19)

/* Flags of the AUX event: data is missing at the end, or in a gap; samples collided. */
#define PERF_FORMAT_AUX_TRUNCATED 1u
#define PERF_FORMAT_AUX_PARTIAL	  4u
#define PERF_FORMAT_AUX_COLLISION 8u

/* Feature sections, by the number of their bit in the file header. */
#define PERF_FORMAT_BUILD_IDS	 2u /* HEADER_BUILD_ID */
#define PERF_FORMAT_HOSTNAME	 3u
#define PERF_FORMAT_OSRELEASE	 4u
#define PERF_FORMAT_VERSION	 5u
#define PERF_FORMAT_ARCH	 6u
#define PERF_FORMAT_NRCPUS	 7u
#define PERF_FORMAT_CPUID	 9u
#define PERF_FORMAT_CMDLINE	 11u
#define PERF_FORMAT_EVENT_DESC	 12u
#define PERF_FORMAT_NUMA	 14u /* HEADER_NUMA_TOPOLOGY */
#define PERF_FORMAT_PMU_MAPPINGS 16u
#define PERF_FORMAT_INDEX	 18u /* HEADER_AUXTRACE */

/* One event, or another small piece of the file, under construction. */
struct perf_format_event {
	size_t size;
	uint8_t bytes[5120]; /* enough for a map with the longest name, 4096 bytes */
};

/*
 * Append bytes and little-endian numbers. The caller must leave enough room; what does not fit is
 * dropped.
 */
void perf_format_append(struct perf_format_event *event, const void *bytes, size_t size);
void perf_format_u32(struct perf_format_event *event, uint32_t value);
void perf_format_u64(struct perf_format_event *event, uint64_t value);
/* Append a string, its NUL, and zeros up to a multiple of unit bytes. */
void perf_format_string(struct perf_format_event *event, const char *string, size_t unit);
/* The same with its 32-bit size in front, as in feature sections. */
void perf_format_counted_string(struct perf_format_event *event, const char *string);
/* Start an event with its header. */
void perf_format_event_begin(struct perf_format_event *event, uint32_t type, uint16_t misc);
/* Its size so far, which also goes into its header. */
size_t perf_format_event_size(struct perf_format_event *event);

/* Write a little-endian number. Returns the place after it. */
uint8_t *perf_format_put_u64(uint8_t *bytes, uint64_t value);

/*
 * The row of a feature in the table of sections, by the header of the file: lower numbers come
 * first. -1: it has none. feature is below 64.
 */
int perf_format_section(const uint8_t *header, unsigned int feature);

/* Read little-endian numbers. */
uint16_t perf_format_get_u16(const uint8_t *bytes);
uint32_t perf_format_get_u32(const uint8_t *bytes);
uint64_t perf_format_get_u64(const uint8_t *bytes);

#endif
