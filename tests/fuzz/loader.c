/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: the loader on any file. What it accepts must be in RAM, and what it refuses
 * must have a reason. Guest memory is as small as possible, so that the loader often meets a limit.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/loader.h"

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE UINT64_C(0x200000)

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void fuzz_place(const struct loader_file *file)
{
	static uint8_t host[RAM_SIZE];
	const struct engine_ram ram = {.base = RAM_BASE, .size = RAM_SIZE, .host = host};
	struct loader_file initrd = {.name = "initrd", .size = file->size};
	struct loader_kernel kernel;
	struct loader_layout layout;
	char why[256] = "";

	if (loader_place_kernel(&ram, file, &kernel, why, sizeof(why)) < 0) {
		check(why[0] != '\0' && !strchr(why, '\n'));
		return;
	}
	check(kernel.start <= kernel.end && kernel.start >= ram.base);
	check(kernel.end <= ram.base + ram.size && kernel.entry - ram.base < ram.size);
	if (loader_plan(&ram, file, &kernel, &initrd, &layout, why, sizeof(why)) < 0) {
		check(why[0] != '\0');
		return;
	}
	check(layout.dtb >= kernel.end && layout.dtb + LOADER_DTB_SIZE <= ram.base + ram.size);
	check(layout.initrd_end == layout.initrd_start ||
	      (layout.initrd_start >= kernel.end && layout.initrd_end <= layout.dtb));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct loader_file file = {.name = "fuzz", .bytes = malloc(size + 1), .size = size};
	char why[256];

	check(file.bytes != NULL);
	memcpy(file.bytes, bytes, size);
	if (loader_inflate(&file, RAM_SIZE, why, sizeof(why)) == 0)
		fuzz_place(&file);
	loader_free(&file);
	return 0;
}
