/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_wrap RAW PERF_DATA: the bytes of RAW, whole sample records, as the perf.data of one vCPU.
 */
#include "trace/perf_data.h"

#include <stdio.h>
#include <string.h>

#define BYTES_MAX (1u << 20)

static int fail(const char *what, int error)
{
	fprintf(stderr, "perf_wrap: %s: %s\n", what, strerror(-error));
	return 2;
}

int main(int argc, char **argv)
{
	/* Addresses of no file: only the packets matter. */
	const struct perf_data_guest guest = {
		.name = "none", .cpus = 1, .midr = 0x410fd0c0, .counter_hz = 1000000000};
	static uint8_t bytes[BYTES_MAX];
	struct perf_data *data;
	size_t size;
	FILE *raw;
	int error;

	if (argc != 3)
		return 2;
	raw = fopen(argv[1], "rb");
	if (!raw) {
		perror(argv[1]);
		return 2;
	}
	size = fread(bytes, 1, sizeof(bytes), raw);
	fclose(raw);
	error = perf_data_open(&data, argv[2], &guest);
	if (error)
		return fail(argv[2], error);
	(void)perf_data_aux(data, 0, bytes, size); /* the close fails where this does */
	error = perf_data_close(data);
	perf_data_free(data);
	return error ? fail(argv[2], error) : 0;
}
