/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory: see memory.h. */
#include "../compare.h"
#include "memory.h"

#include <stdlib.h>

#include "lib/boot.h"

const uint8_t *guest_memory;
uint64_t guest_memory_pa;
size_t guest_memory_size;

static void *mappings[4096];
static size_t mapping_count;

const void *rodata_map(uint64_t pa, uint64_t size)
{
	uint8_t *bytes = calloc(1, size ? size : 1);

	cr_assert(bytes);
	cr_assert_lt(mapping_count, ARRAY_SIZE(mappings));
	for (uint64_t i = 0; i < size; i++)
		if (pa + i >= guest_memory_pa && pa + i - guest_memory_pa < guest_memory_size)
			bytes[i] = guest_memory[pa + i - guest_memory_pa];
	mappings[mapping_count++] = bytes;
	return bytes;
}

void guest_memory_free(void)
{
	while (mapping_count > 0)
		free(mappings[--mapping_count]);
}
