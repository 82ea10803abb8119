/* SPDX-License-Identifier: BSD-2-Clause */
/* A device alone, without a machine: its requests are recorded here. */
#ifndef VSPE_TESTS_DEVICE_FIXTURE_H
#define VSPE_TESTS_DEVICE_FIXTURE_H

#include "device/device.h"

#define HOST_INTIDS   96
#define HOST_RAM_BASE UINT64_C(0x40000000)
#define HOST_RAM      UINT64_C(0x4000)
#define HOST_RAM_MOST UINT64_C(0x800000)

extern uint64_t host_now;				/* the system counter */
extern bool host_line[DEVICE_MAX_CPUS][HOST_INTIDS];	/* SPIs in the first row */
extern bool host_input[DEVICE_MAX_CPUS][DEVICE_INPUTS]; /* of each PE */
extern char host_sent[64];
extern size_t host_sent_count;
extern unsigned int host_power[2]; /* how often each was requested */
extern unsigned int host_reschedules;
extern uint8_t host_ram[HOST_RAM_MOST];
extern uint64_t host_ram_size; /* HOST_RAM, unless a test sets more */
/* The next device belongs to such a machine. */
extern struct device_config host_config;
/* An interrupt line that is not the device's fails the test. */
extern const struct device_host host_callbacks;

/* Make a device, of a machine of that many vCPUs, and forget the requests of others. */
struct device *make_device(const struct device_type *type, unsigned int cpus);

/* An access by vCPU 0 to the first window. */
uint64_t window_get(struct device *device, uint64_t offset, unsigned int bytes);
void window_set(struct device *device, uint64_t offset, unsigned int bytes, uint64_t value);

#endif
