/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ACPI tables that describe the machine (ACPI Specification 6.3), for firmware to install;
 * without firmware device_tree.h does this. Firmware chooses their addresses, so they come with
 * instructions to assemble them, which QEMU's docs/specs/acpi_hw_reduced_hotplug.rst calls a
 * linker/loader script.
 */
#ifndef VSPE_ACPI_TABLES_H
#define VSPE_ACPI_TABLES_H

#include "device/acpi.h"

#define ACPI_RSDP_FILE	 "etc/acpi/rsdp"
#define ACPI_TABLES_FILE "etc/acpi/tables"
#define ACPI_LOADER_FILE "etc/table-loader"

/* The files of fw_cfg; free each with acpi_tables_free(). */
struct acpi_tables {
	struct acpi rsdp, tables, loader;
};

/* 0, or -1: no memory. */
int acpi_tables_build(const struct device_config *config, struct acpi_tables *tables);
void acpi_tables_free(struct acpi_tables *tables);

#endif
