/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of records: a perf.data file, and counts. */
#ifndef VSPE_QEMU_RECORDS_H
#define VSPE_QEMU_RECORDS_H

#include "qemu/plugin.h"

/* Begin plugin.perf_data, for a machine of that many vCPUs. 0, or a negative errno. */
int records_begin(unsigned int cpus);

/* Records of a vCPU were written; may be called from any thread. */
void records_add(unsigned int cpu, const uint8_t *bytes, size_t size);

/* QEMU ends: complete the file and, if requested, summarize the records on standard error. */
void records_end(void);

#endif
