/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the kernel's perf: opens them, with the buffers that it fills. perf_event_open(2) and
 * Linux's Documentation/ABI describe the files and the ring buffers.
 */
#ifndef VSPE_TESTS_LINUX_PERF_RING_H
#define VSPE_TESTS_LINUX_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE	   4096ul
#define DATA_PAGES 8

/* An event, and its buffers: one for the kernel's own records, and perhaps one for AUX data. */
struct buffers {
	long event;
	struct perf_event_mmap_page *page;
	const uint8_t *data, *aux;
	uint64_t aux_size, data_tail, aux_tail;
};

/* perf_event_open() for this process, on any CPU. leader: of its group, or -1. */
long open_event(const struct perf_event_attr *attr, long leader);

/* The same, with buffers; aux_pages 0: without AUX data. */
bool open_buffers(struct buffers *b, const struct perf_event_attr *attr, uint64_t aux_pages);
void close_buffers(struct buffers *b);

/* A head that the kernel moves: the data before it are written. */
uint64_t load_head(const __u64 *head);

/*
 * Eight bytes of the kernel's records, after a header of type, misc and size, which has 8 bytes,
 * too.
 */
uint64_t data_word(const struct buffers *b, uint64_t at);

/* The type of the events of a device, by its name in sysfs; 0: there is none. */
uint32_t device_type(const char *device);

/* Load /arm_spe_pmu.ko, if the initrd has it: 0, or a negative error. */
long load_spe_driver(void);

#endif
