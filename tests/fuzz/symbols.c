// SPDX-License-Identifier: BSD-2-Clause
/*
 * Target: the ELF file of --symbols, of any bytes; the first says what the guest's image was. What
 * is accepted names a map at most per executable segment, each of some size, in the order of the
 * file's own.
 */
#include "file.h"

#include <errno.h>
#include <string.h>

#include "trace/perf_guest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct perf_data_guest guest = {.cpus = 1};
	struct perf_guest store;
	uint64_t image;
	int error;

	if (size < 1)
		return 0;
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
