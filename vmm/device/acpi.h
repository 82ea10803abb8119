/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes ACPI tables (ACPI Specification 6.3), one after the other, and the AML of the DSDT, in the
 * order of their bytes. Numbers are little-endian. The only error is that there is no memory; after
 * it nothing more is written.
 */
#ifndef VSPE_ACPI_H
#define VSPE_ACPI_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

#define ACPI_HEADER	   36u /* bytes of DESCRIPTION_HEADER (5.2.6) */
#define ACPI_HEADER_LENGTH 4u  /* ... where it has the table's bytes, ... */
#define ACPI_HEADER_SUM	   9u  /* ... and what makes their sum 0 */

#define ACPI_DEPTH 4 /* of open packages */

struct acpi {
	uint8_t *bytes; /* malloc'ed; the user frees it */
	size_t size, room;
	bool failed;
	size_t table;		 /* where the current table begins */
	size_t open[ACPI_DEPTH]; /* where the contents of each open package begin */
	unsigned int depth;
};

/* Numbers, raw bytes, and count zeros. */
void acpi_u8(struct acpi *acpi, uint8_t value);
void acpi_u16(struct acpi *acpi, uint16_t value);
void acpi_u32(struct acpi *acpi, uint32_t value);
void acpi_u64(struct acpi *acpi, uint64_t value);
void acpi_bytes(struct acpi *acpi, const void *bytes, size_t size);
void acpi_zeros(struct acpi *acpi, size_t count);
/* The text without its NUL, padded with zeros to size bytes, or cut off there. */
void acpi_text(struct acpi *acpi, const char *text, size_t size);

/* Overwrite a number of `bytes` bytes that was written before; the size of the current table. */
void acpi_patch(struct acpi *acpi, size_t at, uint64_t value, unsigned int bytes);
size_t acpi_table_size(const struct acpi *acpi);

/* A table with its header. Its length and checksum are only right after acpi_end(). */
void acpi_begin(struct acpi *acpi, const char *signature, uint8_t revision);
void acpi_end(struct acpi *acpi);

/* Generic Address Structure (5.2.3.2) of a register of 32 bits in memory. */
void acpi_address(struct acpi *acpi, uint64_t address);

/* AML (20.2): Scope(name), and in it Device(name) with _HID and _UID. name has four letters. */
void acpi_scope(struct acpi *acpi, const char *name);
void acpi_device(struct acpi *acpi, const char *name, const char *hid, uint32_t uid);
void acpi_close(struct acpi *acpi); /* either of them */

/* Name(name, value). */
void acpi_name(struct acpi *acpi, const char *name, uint32_t value);

/*
 * Name(_CRS, ...): an area of memory and an interrupt, level-sensitive and active high (6.4.3.4,
 * 6.4.3.6). intid 0: none.
 */
void acpi_resources(struct acpi *acpi, uint32_t base, uint32_t size, uint32_t intid);

/* Where a GICC structure of the MADT (5.2.12.14) has a PE's interrupts, in bytes. */
#define ACPI_GICC	       80u
#define ACPI_GICC_PERFORMANCE  20u /* 4 bytes */
#define ACPI_GICC_MAINTENANCE  56u /* 4 bytes */
#define ACPI_GICC_SPE_OVERFLOW 78u /* 2 bytes */

#endif
