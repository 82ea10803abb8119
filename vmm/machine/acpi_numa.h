/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables of a machine whose memory is not all the same: SRAT, SLIT and HMAT (ACPI 6.5). */
#ifndef VSPE_ACPI_NUMA_H
#define VSPE_ACPI_NUMA_H

#include "device/acpi.h"

#define ACPI_NUMA_TABLES 3 /* at most */

/* Write them, and where each begins to at. Returns how many there are; without nodes none. */
size_t acpi_numa_write(struct acpi *acpi, const struct choices *choices, size_t *at);

#endif
