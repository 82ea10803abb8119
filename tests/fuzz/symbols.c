/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the file of --symbols, of any bytes; the first says what the guest's image was. What is
 * accepted names a map at most per executable segment, each of some size, in the order of the
 * file's own. The same bytes are a JIT compiler's list, and a module of Linux: each function of
 * theirs is where it was put.
 */
#include "file.h"

#include <errno.h>
#include <string.h>

#include "trace/elf_file.h"
#include "trace/perf_guest.h"
#include "trace/symbols.h"

#include <unistd.h>

#define JIT    (UINT64_C(1) << 53)
#define MODULE UINT64_C(0xffff800001230000)

/* In order, and each from first on. */
static void check_places(struct symbols *symbols, uint64_t first)
{
	uint64_t start = first;

	for (long i = symbols_next(symbols, -1); i >= 0; i = symbols_next(symbols, i)) {
		const struct symbol symbol = symbols_get(symbols, i);

		require(symbol.start >= start && symbol.size && *symbol.name);
		start = symbol.start + 1;
	}
}

static void read_jit(const uint8_t *bytes, size_t size)
{
	struct symbols *symbols = symbols_new();
	FILE *file = fmemopen((void *)bytes, size, "r");
	const int error = file ? symbols_add_jit(symbols, file, JIT) : 0;

	if (file)
		fclose(file);
	require(error <= 0 && (error != -ENOMSG || !symbols_count(symbols)));
	check_places(symbols, JIT);
	symbols_free(symbols);
}

static void read_module(const char *path)
{
	struct symbols *symbols = symbols_new();
	Elf *elf;
	const int fd = elf_file_open(-1, path, &elf);

	if (fd >= 0) {
		(void)symbols_add_module(symbols, elf, MODULE);
		check_places(symbols, MODULE & ((UINT64_C(1) << 56) - 1));
		elf_end(elf);
		close(fd);
	}
	symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct perf_data_guest guest = {.cpus = 1};
	struct perf_guest store;
	uint64_t image;
	int error;

	if (size < 1)
		return 0;
	read_jit(bytes + 1, size - 1);
	read_module(file_of(bytes + 1, size - 1));
	image = bytes[0] & 1 ? UINT64_C(0x200000) : 0;
	error = perf_guest_describe(&guest, &store, file_of(bytes + 1, size - 1), 0x40000000,
				    image);
	if (error) {
		require(error < 0 && (error != -ENOEXEC || guest.map_count == 0));
		return 0;
	}
	require(guest.map_count <= PERF_GUEST_MAPS && (!guest.map_count || guest.maps));
	for (size_t i = 0; i < guest.map_count; i++)
		require(guest.maps[i].size > 0);
	return 0;
}
