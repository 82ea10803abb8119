/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ACPI tables: see acpi_tables.h. Devices write their own tables. Section numbers are of ACPI
 * 6.3.
 */
#include "machine/acpi_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arm/cache.h"
#include "device/fw_cfg.h"
#include "machine/acpi_numa.h"
#include "machine/psci.h"

#define MOST_TABLES (DEVICE_COUNT + 3 + ACPI_NUMA_TABLES)

/* What firmware must do, in entries of 128 bytes. */
#define LOADER_ENTRY	128u
#define LOADER_ALLOCATE 1
#define LOADER_POINTER	2
#define LOADER_CHECKSUM 3

#define LOADER_ANYWHERE 1
#define LOADER_FSEG	2 /* where a PC looks for RSDP */

static void end_entry(struct acpi *loader)
{
	acpi_zeros(loader, (LOADER_ENTRY - loader->size % LOADER_ENTRY) % LOADER_ENTRY);
}

static void allocate(struct acpi *loader, const char *file, uint32_t alignment, uint8_t zone)
{
	acpi_u32(loader, LOADER_ALLOCATE);
	acpi_text(loader, file, FW_CFG_NAME);
	acpi_u32(loader, alignment);
	acpi_u8(loader, zone);
	end_entry(loader);
}

/*
 * The 8 bytes at offset of file are an offset in ACPI_TABLES_FILE; have firmware make it an
 * address.
 */
static void make_address(struct acpi *loader, const char *file, size_t offset)
{
	acpi_u32(loader, LOADER_POINTER);
	acpi_text(loader, file, FW_CFG_NAME);
	acpi_text(loader, ACPI_TABLES_FILE, FW_CFG_NAME);
	acpi_u32(loader, (uint32_t)offset);
	acpi_u8(loader, 8);
	end_entry(loader);
}

static void make_sum(struct acpi *loader, const char *file, size_t offset, size_t start,
		     size_t size)
{
	acpi_u32(loader, LOADER_CHECKSUM);
	acpi_text(loader, file, FW_CFG_NAME);
	acpi_u32(loader, (uint32_t)offset);
	acpi_u32(loader, (uint32_t)start);
	acpi_u32(loader, (uint32_t)size);
	end_entry(loader);
}

/* End a table that contains addresses. Firmware computes its sum once they are there. */
static void end_with_addresses(struct acpi_tables *to)
{
	const size_t table = to->tables.table;

	acpi_end(&to->tables);
	acpi_patch(&to->tables, table + ACPI_HEADER_SUM, 0, 1);
	make_sum(&to->loader, ACPI_TABLES_FILE, table + ACPI_HEADER_SUM, table,
		 acpi_table_size(&to->tables));
}

/* DSDT (5.2.11.1): PEs and devices. */
static void write_dsdt(struct acpi *acpi, const struct device_config *config)
{
	char name[16];

	acpi_begin(acpi, "DSDT", 2);
	acpi_scope(acpi, "_SB_");
	for (unsigned int i = 0; i < config->choices.cpus; i++) {
		(void)snprintf(name, sizeof(name), "C%03X", i);
		acpi_device(acpi, name, "ACPI0007", i);
		acpi_close(acpi);
	}
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		if (device_types[i]->aml && device_exists(device_types[i], config))
			device_types[i]->aml(acpi, config);
	acpi_close(acpi);
	acpi_end(acpi);
}

#define FADT_FLAGS	112u
#define FADT_HW_REDUCED (UINT32_C(1) << 20)
#define FADT_ARM_BOOT	129u /* 2 bytes, and 1 of the minor version */
#define ARM_PSCI	1u
#define ARM_PSCI_BY_HVC 2u
#define FADT_X_DSDT	140u
#define FADT_SIZE	276u

/* FADT (5.2.9): a machine without ACPI's hardware; PSCI turns it on and off. */
static void write_fadt(struct acpi_tables *to, const struct device_config *config, size_t dsdt)
{
	const char *psci = psci_method(&config->choices.levels);
	struct acpi *acpi = &to->tables;
	size_t at;

	acpi_begin(acpi, "FACP", 6);
	at = acpi->table;
	acpi_zeros(acpi, FADT_SIZE - ACPI_HEADER);
	acpi_patch(acpi, at + FADT_FLAGS, FADT_HW_REDUCED, 4);
	if (psci)
		acpi_patch(acpi, at + FADT_ARM_BOOT,
			   ARM_PSCI | (strcmp(psci, "hvc") == 0 ? ARM_PSCI_BY_HVC : 0), 2);
	acpi_patch(acpi, at + FADT_ARM_BOOT + 2, 3, 1);
	acpi_patch(acpi, at + FADT_X_DSDT, dsdt, 8);
	make_address(&to->loader, ACPI_TABLES_FILE, at + FADT_X_DSDT);
	end_with_addresses(to);
}

/* PPTT structures (5.2.29) */
#define PPTT_PROCESSOR	 0
#define PPTT_PACKAGE	 1u
#define PPTT_HAS_UID	 2u
#define PPTT_LEAF	 8u
#define PPTT_IDENTICAL	 16u
#define PPTT_CACHE	 1
#define PPTT_CACHE_SIZE	 24
#define PPTT_CACHE_VALID 0x7fu /* all that follows is valid */
#define PPTT_DATA	 0x02u /* allocated by reads and writes, written back */
#define PPTT_INSTRUCTION 0x04u
#define PPTT_UNIFIED	 0x0au

/* Returns its offset in the table; structures refer to each other by these. */
static uint32_t write_cache(struct acpi *acpi, struct arm_cache cache, uint8_t attributes,
			    uint32_t next)
{
	const uint32_t at = (uint32_t)acpi_table_size(acpi);

	acpi_u8(acpi, PPTT_CACHE);
	acpi_u8(acpi, PPTT_CACHE_SIZE);
	acpi_u16(acpi, 0);
	acpi_u32(acpi, PPTT_CACHE_VALID);
	acpi_u32(acpi, next);
	acpi_u32(acpi, cache.size);
	acpi_u32(acpi, cache.sets);
	acpi_u8(acpi, (uint8_t)cache.ways);
	acpi_u8(acpi, attributes);
	acpi_u16(acpi, ARM_CACHE_LINE);
	return at;
}

static uint32_t write_processor(struct acpi *acpi, uint32_t flags, uint32_t parent, uint32_t uid,
				const uint32_t *caches, uint32_t count)
{
	const uint32_t at = (uint32_t)acpi_table_size(acpi);

	acpi_u8(acpi, PPTT_PROCESSOR);
	acpi_u8(acpi, (uint8_t)(20 + 4 * count));
	acpi_u16(acpi, 0);
	acpi_u32(acpi, flags);
	acpi_u32(acpi, parent);
	acpi_u32(acpi, uid);
	acpi_u32(acpi, count);
	for (uint32_t i = 0; i < count; i++)
		acpi_u32(acpi, caches[i]);
	return at;
}

/* PPTT (5.2.29): a package of PEs, each with its own caches, for each node that has some. */
static void write_pptt(struct acpi *acpi, const struct device_config *config)
{
	const struct model_nodes *nodes = &config->choices.numa;
	uint32_t packages[MODEL_NODES] = {0};

	acpi_begin(acpi, "PPTT", 2);
	for (uint32_t n = 0; n < (nodes->count ? nodes->count : 1); n++)
		if (!nodes->count || nodes->node[n].cores)
			packages[n] =
				write_processor(acpi, PPTT_PACKAGE | PPTT_IDENTICAL, 0, n, NULL, 0);
	for (unsigned int i = 0; i < config->choices.cpus; i++) {
		const uint32_t midr = config->midr, package = packages[model_node_of(nodes, i)];
		const uint32_t l2 =
			write_cache(acpi, arm_cache_of(midr, ARM_CACHE_L2), PPTT_UNIFIED, 0);
		const uint32_t caches[] = {
			write_cache(acpi, arm_cache_of(midr, ARM_CACHE_L1D), PPTT_DATA, l2),
			write_cache(acpi, arm_cache_of(midr, ARM_CACHE_L1I), PPTT_INSTRUCTION, l2),
		};

		(void)write_processor(acpi, PPTT_HAS_UID | PPTT_LEAF, package, i, caches, 2);
	}
	acpi_end(acpi);
}

/* XSDT (5.2.8), and the RSDP (5.2.5.3) that points to it. */
static void write_roots(struct acpi_tables *to, const size_t *tables, size_t count)
{
	struct acpi *rsdp = &to->rsdp;
	const size_t xsdt = to->tables.size;

	acpi_begin(&to->tables, "XSDT", 1);
	for (size_t i = 0; i < count; i++) {
		make_address(&to->loader, ACPI_TABLES_FILE, to->tables.size);
		acpi_u64(&to->tables, tables[i]);
	}
	end_with_addresses(to);

	acpi_text(rsdp, "RSD PTR ", 8);
	acpi_u8(rsdp, 0);
	acpi_text(rsdp, "VSPE", 6);
	acpi_u8(rsdp, 2);
	acpi_u32(rsdp, 0);
	acpi_u32(rsdp, 36);
	acpi_u64(rsdp, xsdt);
	acpi_u32(rsdp, 0); /* its second sum, and three reserved */
	make_address(&to->loader, ACPI_RSDP_FILE, 24);
	make_sum(&to->loader, ACPI_RSDP_FILE, 8, 0, 20);
	make_sum(&to->loader, ACPI_RSDP_FILE, 32, 0, 36);
}

int acpi_tables_build(const struct device_config *config, struct acpi_tables *to)
{
	struct acpi *acpi = &to->tables;
	size_t tables[MOST_TABLES], count = 0;

	*to = (struct acpi_tables){0};
	allocate(&to->loader, ACPI_RSDP_FILE, 16, LOADER_FSEG);
	allocate(&to->loader, ACPI_TABLES_FILE, 64, LOADER_ANYWHERE);
	write_dsdt(acpi, config);
	tables[count++] = acpi->size;
	write_fadt(to, config, 0);
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_table *table = &device_types[i]->table;

		if (!table->signature || !device_exists(device_types[i], config))
			continue;
		tables[count++] = acpi->size;
		acpi_begin(acpi, table->signature, table->revision);
		table->write(acpi, config);
		acpi_end(acpi);
	}
	tables[count++] = acpi->size;
	write_pptt(acpi, config);
	count += acpi_numa_write(acpi, &config->choices, tables + count);
	write_roots(to, tables, count);
	if (!acpi->failed && !to->rsdp.failed && !to->loader.failed)
		return 0;
	acpi_tables_free(to);
	return -1;
}

void acpi_tables_free(struct acpi_tables *tables)
{
	free(tables->rsdp.bytes);
	free(tables->tables.bytes);
	free(tables->loader.bytes);
	*tables = (struct acpi_tables){0};
}
