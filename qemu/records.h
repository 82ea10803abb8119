/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the records leaves QEMU: a perf.data file, and counts. */
#ifndef VSPE_QEMU_RECORDS_H
#define VSPE_QEMU_RECORDS_H

#include "qemu/plugin.h"

/* Begin plugin.perf_data, for a machine of that many vCPUs. 0, or a negative errno. */
int records_begin(unsigned int cpus);

/* Records of a vCPU were written; from the thread of any. */
void records_add(unsigned int cpu, const uint8_t *bytes, size_t size);

/* QEMU ends: complete the file, and say on standard error what there was if that was asked for. */
void records_end(void);

#endif
