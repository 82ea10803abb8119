/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware's part of ACPI: see acpi_install.h. */
#include "acpi_install.h"

#include <string.h>

uint64_t acpi_number(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = bytes; i > 0; i--)
		value = value << 8 | from[i - 1];
	return value;
}

static struct acpi *file(struct acpi_tables *tables, const uint8_t *name)
{
	if (strcmp((const char *)name, "etc/acpi/rsdp") == 0)
		return &tables->rsdp;
	return strcmp((const char *)name, "etc/acpi/tables") == 0 ? &tables->tables : NULL;
}

static uint8_t sum(const uint8_t *from, size_t size)
{
	uint8_t total = 0;

	while (size-- > 0)
		total = (uint8_t)(total + *from++);
	return total;
}

/* An entry of 128 bytes: its command, the files it names, then numbers. */
static const char *obey(struct acpi_tables *tables, const uint8_t *entry)
{
	struct acpi *of = file(tables, entry + 4), *other;
	uint64_t offset, start, size;

	if (!of)
		return "a file that there is not";
	switch (acpi_number(entry, 4)) {
	case 1: /* ALLOCATE */ return acpi_number(entry + 60, 4) ? NULL : "no alignment";
	case 2: /* ADD_POINTER */
		other = file(tables, entry + 60);
		offset = acpi_number(entry + 116, 4);
		if (!other || entry[120] != 8 || offset + 8 > of->size)
			return "a pointer outside its file";
		start = acpi_number(of->bytes + offset, 8);
		if (start >= other->size)
			return "a pointer that leads out of the file";
		acpi_patch(of, offset, (uint64_t)(uintptr_t)(other->bytes + start), 8);
		return NULL;
	case 3: /* ADD_CHECKSUM */
		offset = acpi_number(entry + 60, 4);
		start = acpi_number(entry + 64, 4);
		size = acpi_number(entry + 68, 4);
		if (offset < start || offset >= start + size || start + size > of->size)
			return "a sum outside its file";
		of->bytes[offset] = 0;
		of->bytes[offset] = (uint8_t)-sum(of->bytes + start, size);
		return NULL;
	default: return "an unknown command";
	}
}

static const uint8_t *address(const uint8_t *at)
{
	return (const uint8_t *)(uintptr_t)acpi_number(at, 8);
}

static const uint8_t *root(const struct acpi_install *install)
{
	return address(install->tables.rsdp.bytes + 24);
}

static const char *check(const struct acpi_install *install)
{
	const uint8_t *rsdp = install->tables.rsdp.bytes, *xsdt = root(install);

	if (memcmp(rsdp, "RSD PTR ", 8) != 0 || sum(rsdp, 20) || sum(rsdp, 36))
		return "RSDP";
	if (memcmp(xsdt, "XSDT", 4) != 0 || sum(xsdt, acpi_number(xsdt + 4, 4)))
		return "XSDT";
	for (size_t at = 36; at < acpi_number(xsdt + 4, 4); at += 8) {
		const uint8_t *table = address(xsdt + at);

		if (sum(table, acpi_number(table + 4, 4)))
			return "the sum of a table";
	}
	return NULL;
}

const char *acpi_install(const struct device_config *config, struct acpi_install *install)
{
	const char *wrong = NULL;

	if (acpi_tables_build(config, &install->tables) < 0)
		return "no memory";
	for (size_t at = 0; !wrong && at < install->tables.loader.size; at += 128)
		wrong = obey(&install->tables, install->tables.loader.bytes + at);
	return wrong ? wrong : check(install);
}

void acpi_install_free(struct acpi_install *install)
{
	acpi_tables_free(&install->tables);
}

/* DSDT is FADT's. */
const uint8_t *acpi_find(const struct acpi_install *install, const char *signature)
{
	const uint8_t *xsdt = root(install);

	for (size_t at = 36; at < acpi_number(xsdt + 4, 4); at += 8) {
		const uint8_t *table = address(xsdt + at);

		if (memcmp(table, "FACP", 4) == 0 && strcmp(signature, "DSDT") == 0)
			return address(table + 140);
		if (memcmp(table, signature, 4) == 0)
			return table;
	}
	return NULL;
}
