/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What firmware does with the files of acpi_tables.h: it allocates them, makes offsets addresses,
 * and sums. Addresses are the host's here.
 */
#ifndef VSPE_TESTS_ACPI_INSTALL_H
#define VSPE_TESTS_ACPI_INSTALL_H

#include "machine/acpi_tables.h"

struct acpi_install {
	struct acpi_tables tables;
};

/* NULL, or what is wrong with them: a table whose sum is not 0 among it. */
const char *acpi_install(const struct device_config *config, struct acpi_install *install);
void acpi_install_free(struct acpi_install *install);

/* Little-endian. */
uint64_t acpi_number(const uint8_t *from, unsigned int bytes);

/* The table with that signature, found from RSDP on, or NULL. */
const uint8_t *acpi_find(const struct acpi_install *install, const char *signature);

#endif
