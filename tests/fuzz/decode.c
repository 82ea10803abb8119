/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: vspe decode in all its formats, and the perf.data writer, on any bytes. The
 * first byte chooses which, and how the rest is divided between calls of the writer.
 */
#include "cli/decode.h"
#include "trace/perf_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void fuzz_decode(const uint8_t *bytes, size_t size, enum decode_format format, FILE *nowhere)
{
	const struct decode_wish wish = {
		.format = format,
		.filter = {.by_el = bytes[size - 1] & 1, .el = bytes[size - 1] >> 6}};
	FILE *in = fmemopen((void *)bytes, size, "rb");

	if (!in || decode_input(in, "fuzz", &wish, nowhere, nowhere) > 2)
		abort();
	fclose(in);
}

/* The writer takes records that end anywhere, and makes a whole file of them. */
static void fuzz_perf_data(const uint8_t *bytes, size_t size, size_t part)
{
	const struct perf_data_guest guest = {
		.name = "fuzz", .cpus = 2, .midr = 1, .counter_hz = 1};
	char path[64];
	struct perf_data *data;

	snprintf(path, sizeof(path), "/tmp/vspe-fuzz-%ld", (long)getpid());
	if (perf_data_open(&data, path, &guest))
		abort();
	for (size_t at = 0; at < size; at += part) {
		if (perf_data_aux(data, at / part % 2, bytes + at,
				  size - at < part ? size - at : part))
			abort();
	}
	if (perf_data_close(data))
		abort();
	perf_data_free(data);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (size < 2 || !nowhere)
		return 0;
	if (bytes[0] % 5 == 4)
		fuzz_perf_data(bytes + 1, size - 1, bytes[0] + 1u);
	else
		fuzz_decode(bytes + 1, size - 1, (enum decode_format)(bytes[0] % 5), nowhere);
	return 0;
}
