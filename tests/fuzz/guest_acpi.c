/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the guests' reader of ACPI tables, on any memory, which begins with RSDP. Each mapping is
 * a copy of the requested size, so a sanitizer sees reads after its end. Sums are made right
 * before: wrong ones would stop the reader at once.
 */
#include "input.h"

#include <string.h>

#include "lib/boot.h"
#include "lib/platform.h"

#define PA	  UINT64_C(0x1000)
#define HEADER	  36u
#define MAPPINGS  4096u
#define MOST_CPUS 65536u

static const uint8_t *memory;
static size_t memory_size;
static void *mappings[MAPPINGS];
static size_t mapping_count;

const void *rodata_map(uint64_t pa, uint64_t size)
{
	uint8_t *bytes = calloc(1, size);

	require(bytes && mapping_count < MAPPINGS);
	mappings[mapping_count++] = bytes;
	if (pa >= PA && pa - PA < memory_size) {
		const uint64_t there = memory_size - (pa - PA);

		memcpy(bytes, memory + (pa - PA), there < size ? there : size);
	}
	return bytes;
}

static void seal(uint8_t *bytes, size_t size, size_t sum)
{
	uint8_t total = 0;

	bytes[sum] = 0;
	for (size_t i = 0; i < size; i++)
		total = (uint8_t)(total + bytes[i]);
	bytes[sum] = (uint8_t)-total;
}

static uint64_t load(const uint8_t *bytes, unsigned int size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | bytes[size];
	return value;
}

/* Make the sum of a table at pa right; false if the table is not complete. */
static bool seal_table(uint8_t *bytes, size_t size, uint64_t pa)
{
	uint64_t length;

	if (pa < PA || pa - PA > size || size - (pa - PA) < HEADER)
		return false;
	length = load(bytes + (pa - PA) + 4, 4);
	if (length < HEADER || length > size - (pa - PA))
		return false;
	seal(bytes + (pa - PA), length, 9);
	return true;
}

static void seal_all(uint8_t *bytes, size_t size)
{
	const uint64_t xsdt = load(bytes + 24, 8);

	if (seal_table(bytes, size, xsdt)) {
		const uint64_t length = load(bytes + (xsdt - PA) + 4, 4);

		for (uint64_t at = HEADER; at + 8 <= length && at < HEADER + 64; at += 8)
			(void)seal_table(bytes, size, load(bytes + (xsdt - PA) + at, 8));
		/* They may overlap: the root comes last. */
		(void)seal_table(bytes, size, xsdt);
	}
	seal(bytes, 20, 8);
	seal(bytes, 36, 32);
}

static void ask(const struct platform_source *source)
{
	struct platform_uart uart;
	struct platform_gic gic = {0};
	const char *method = source->psci();
	unsigned int cpus = 0;
	uint64_t mpidr;

	require(!method || strcmp(method, "hvc") == 0 || strcmp(method, "smc") == 0);
	if (source->uart(&uart))
		require(uart.base != 0 && uart.size != 0 && uart.shift <= 3 &&
			(uart.io_width == 1 || uart.io_width == 4));
	if (source->gic(&gic))
		require(gic.version == 2 ? gic.cpu_base != 0
					 : gic.regions > 0 && gic.regions <= PLATFORM_REGIONS);
	for (unsigned int i = 0; i <= PLATFORM_MAINTENANCE; i++) {
		const uint32_t intid = source->interrupt((enum platform_interrupt)i, 0x100);

		require(intid == 0 || (intid >= 16 && intid < 1020));
	}
	/* A table of 2 MiB cannot have more. */
	while (cpus < MOST_CPUS && source->cpu(cpus, &mpidr))
		cpus++;
	require(cpus < MOST_CPUS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct platform_source *source;
	uint8_t *copy;

	if (size < HEADER || size > 65536)
		return 0;
	copy = malloc(size);
	require(copy != NULL);
	memcpy(copy, bytes, size);
	seal_all(copy, size);
	memory = copy;
	memory_size = size;
	source = platform_acpi(PA);
	if (source)
		ask(source);
	while (mapping_count > 0)
		free(mappings[--mapping_count]);
	free(copy);
	return 0;
}
