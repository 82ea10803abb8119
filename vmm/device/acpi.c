/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing ACPI tables: see acpi.h. */
#include "device/acpi.h"

#include <stdlib.h>
#include <string.h>

#define ACPI_ROOM 4096 /* bytes to begin with */

#define CREATOR "VSPE"

/* AML, 20.2 and 20.3. */
#define AML_ZERO     0x00
#define AML_ONE	     0x01
#define AML_NAME     0x08
#define AML_BYTE     0x0a
#define AML_WORD     0x0b
#define AML_DWORD    0x0c
#define AML_STRING   0x0d
#define AML_SCOPE    0x10
#define AML_BUFFER   0x11
#define AML_EXTENDED 0x5b
#define AML_DEVICE   0x82

/* Resource descriptors, 6.4. */
#define RESOURCE_MEMORY32_FIXED 0x86
#define RESOURCE_INTERRUPT	0x89
#define RESOURCE_END		0x79
#define RESOURCE_CONSUMER	0x01

/* Add size bytes at the end. NULL: there is no room for them. */
static uint8_t *more(struct acpi *acpi, size_t size)
{
	if (!acpi->failed && size > acpi->room - acpi->size) {
		const size_t room = 2 * acpi->room + size + ACPI_ROOM;
		uint8_t *bytes = realloc(acpi->bytes, room);

		if (bytes) {
			acpi->bytes = bytes;
			acpi->room = room;
		}
		acpi->failed = !bytes;
	}
	if (acpi->failed)
		return NULL;
	acpi->size += size;
	return acpi->bytes + acpi->size - size;
}

void acpi_bytes(struct acpi *acpi, const void *bytes, size_t size)
{
	uint8_t *to = more(acpi, size);

	if (to)
		memcpy(to, bytes, size);
}

void acpi_zeros(struct acpi *acpi, size_t count)
{
	uint8_t *to = more(acpi, count);

	if (to)
		memset(to, 0, count);
}

void acpi_text(struct acpi *acpi, const char *text, size_t size)
{
	const size_t length = strnlen(text, size);

	acpi_bytes(acpi, text, length);
	acpi_zeros(acpi, size - length);
}

static void put(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void number(struct acpi *acpi, uint64_t value, unsigned int bytes)
{
	uint8_t *to = more(acpi, bytes);

	if (to)
		put(to, value, bytes);
}

void acpi_u8(struct acpi *acpi, uint8_t value)
{
	number(acpi, value, 1);
}

void acpi_u16(struct acpi *acpi, uint16_t value)
{
	number(acpi, value, 2);
}

void acpi_u32(struct acpi *acpi, uint32_t value)
{
	number(acpi, value, 4);
}

void acpi_u64(struct acpi *acpi, uint64_t value)
{
	number(acpi, value, 8);
}

void acpi_patch(struct acpi *acpi, size_t at, uint64_t value, unsigned int bytes)
{
	if (!acpi->failed)
		put(acpi->bytes + at, value, bytes);
}

size_t acpi_table_size(const struct acpi *acpi)
{
	return acpi->size - acpi->table;
}

void acpi_begin(struct acpi *acpi, const char *signature, uint8_t revision)
{
	acpi->table = acpi->size;
	acpi_text(acpi, signature, 4);
	acpi_u32(acpi, 0);
	acpi_u8(acpi, revision);
	acpi_u8(acpi, 0);
	acpi_text(acpi, CREATOR, 6);
	acpi_text(acpi, CREATOR, 8);
	acpi_u32(acpi, 1);
	acpi_text(acpi, CREATOR, 4);
	acpi_u32(acpi, 1);
}

void acpi_end(struct acpi *acpi)
{
	uint8_t sum = 0;

	acpi_patch(acpi, acpi->table + ACPI_HEADER_LENGTH, acpi_table_size(acpi), 4);
	for (size_t i = acpi->table; !acpi->failed && i < acpi->size; i++)
		sum = (uint8_t)(sum + acpi->bytes[i]);
	acpi_patch(acpi, acpi->table + ACPI_HEADER_SUM, (uint8_t)-sum, 1);
}

void acpi_address(struct acpi *acpi, uint64_t address)
{
	const uint8_t memory_of_32_bits[] = {0, 32, 0, 3};

	acpi_bytes(acpi, memory_of_32_bits, sizeof(memory_of_32_bits));
	acpi_u64(acpi, address);
}

/* Open a package. Its PkgLength comes first, but is only known at its end. */
static void open_package(struct acpi *acpi)
{
	acpi->open[acpi->depth++] = acpi->size;
}

/* 20.2.4. The length includes its own bytes. */
static void close_package(struct acpi *acpi)
{
	const size_t start = acpi->open[--acpi->depth], body = acpi->size - start;
	unsigned int bytes = 1;
	size_t length;

	while (body + bytes >= (bytes == 1 ? 64u : 1u << (4 + 8 * (bytes - 1))))
		bytes++;
	length = body + bytes;
	if (!more(acpi, bytes))
		return;
	memmove(acpi->bytes + start + bytes, acpi->bytes + start, body);
	if (bytes == 1) {
		acpi_patch(acpi, start, length, 1);
		return;
	}
	acpi_patch(acpi, start, (bytes - 1) << 6 | (length & 15), 1);
	acpi_patch(acpi, start + 1, length >> 4, bytes - 1);
}

void acpi_scope(struct acpi *acpi, const char *name)
{
	acpi_u8(acpi, AML_SCOPE);
	open_package(acpi);
	acpi_text(acpi, name, 4);
}

/* An integer, as short as it can be. */
static void integer(struct acpi *acpi, uint32_t value)
{
	if (value <= 1) {
		acpi_u8(acpi, value ? AML_ONE : AML_ZERO);
	} else if (value <= UINT8_MAX) {
		acpi_u8(acpi, AML_BYTE);
		acpi_u8(acpi, (uint8_t)value);
	} else if (value <= UINT16_MAX) {
		acpi_u8(acpi, AML_WORD);
		acpi_u16(acpi, (uint16_t)value);
	} else {
		acpi_u8(acpi, AML_DWORD);
		acpi_u32(acpi, value);
	}
}

static void begin_name(struct acpi *acpi, const char *name)
{
	acpi_u8(acpi, AML_NAME);
	acpi_text(acpi, name, 4);
}

void acpi_name(struct acpi *acpi, const char *name, uint32_t value)
{
	begin_name(acpi, name);
	integer(acpi, value);
}

void acpi_device(struct acpi *acpi, const char *name, const char *hid, uint32_t uid)
{
	acpi_u8(acpi, AML_EXTENDED);
	acpi_u8(acpi, AML_DEVICE);
	open_package(acpi);
	acpi_text(acpi, name, 4);
	begin_name(acpi, "_HID");
	acpi_u8(acpi, AML_STRING);
	acpi_bytes(acpi, hid, strlen(hid) + 1);
	acpi_name(acpi, "_UID", uid);
}

void acpi_close(struct acpi *acpi)
{
	close_package(acpi);
}

void acpi_resources(struct acpi *acpi, uint32_t base, uint32_t size, uint32_t intid)
{
	const uint8_t memory = 12, interrupt = intid ? 9 : 0, end = 2;

	begin_name(acpi, "_CRS");
	acpi_u8(acpi, AML_BUFFER);
	open_package(acpi);
	integer(acpi, (uint32_t)memory + interrupt + end);
	acpi_u8(acpi, RESOURCE_MEMORY32_FIXED);
	acpi_u16(acpi, memory - 3);
	acpi_u8(acpi, 1); /* writable */
	acpi_u32(acpi, base);
	acpi_u32(acpi, size);
	if (intid) {
		acpi_u8(acpi, RESOURCE_INTERRUPT);
		acpi_u16(acpi, (uint16_t)(interrupt - 3));
		acpi_u8(acpi, RESOURCE_CONSUMER);
		acpi_u8(acpi, 1); /* one interrupt */
		acpi_u32(acpi, intid);
	}
	acpi_u8(acpi, RESOURCE_END);
	acpi_u8(acpi, 0); /* no checksum */
	close_package(acpi);
}
