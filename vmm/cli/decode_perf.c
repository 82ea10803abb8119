/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe decode --perf-data: the bytes of a profiling buffer as a perf.data file, for users who have
 * the buffer but not vspe run: an embedder of libvspe, a debugger, a driver's author.
 */
#include "base/output.h"
#include "cli/cli.h"
#include "cli/decode.h"
#include "cli/options.h"
#include "machine/machine.h"
#include "trace/perf_data.h"
#include "trace/perf_format.h"
#include "trace/perf_guest.h"
#include "trace/record.h"
#include "device/timer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Input is read in pieces of this many bytes. */
#define PIECE 65536u

_Static_assert(MACHINE_MIDR == SOURCE_OWN_MIDR, "the core that has no name is the same");

/* Name the file with the symbols. Returns 0 or an exit code. */
static int describe_guest(struct perf_data_guest *guest, struct perf_guest *store,
			  const char *symbols, FILE *messages)
{
	int error;

	static const char *const words[] = {"vspe", "decode"};

	*guest = (struct perf_data_guest){.name = "guest",
					  .words = words,
					  .word_count = 2,
					  .cpus = 1,
					  .midr = MACHINE_MIDR,
					  .counter_hz = TIMER_FREQUENCY};
	if (!symbols)
		return 0;
	error = perf_guest_describe(guest, store, symbols, 0, 0);
	if (error == 0)
		return 0;
	cli_message(messages, "vspe decode: --symbols %s: %s", symbols, perf_guest_strerror(error));
	return CLI_USAGE;
}

/*
 * Pass on every complete record and, at the end of the input, the rest. -EEXIST: the input already
 * is a perf.data file.
 */
static int copy_records(FILE *file, struct perf_data *data)
{
	uint8_t bytes[PIECE + SPE_RECORD_MAX];
	size_t size = 0, at, got;
	bool first = true;

	do {
		got = fread(bytes + size, 1, PIECE, file);
		size += got;
		if (first && size >= 8 &&
		    (!memcmp(bytes, PERF_FORMAT_MAGIC, 8) || !memcmp(bytes, "2ELIFREP", 8)))
			return -EEXIST;
		first = false;
		for (at = 0; at < size;) {
			struct spe_record record;
			size_t length = spe_record_read(bytes + at, size - at, &record);

			/* The padding is used up; the rest needs more input. */
			if (record_goes_on(&record) && got)
				length = (size_t)record.padding;
			if (!length)
				break;
			(void)perf_data_aux(data, 0, bytes + at, length); /* counts losses */
			at += length;
		}
		size -= at;
		memmove(bytes, bytes + at, size);
	} while (got);
	return ferror(file) ? -errno : 0;
}

static int finish_file(struct perf_data *data, const char *name, const char *path, FILE *messages)
{
	const int error = perf_data_close(data);
	struct perf_data_stats stats;

	perf_data_stats(data, &stats);
	if (error)
		return cli_unwritten_records(messages, "decode", path, error, data);
	if (!stats.unfinished)
		return CLI_OK;
	cli_message(messages, "vspe decode: %s: %" PRIu64 " records without an end, left out", name,
		    stats.unfinished);
	return CLI_FAILED;
}

int decode_to_perf_data(FILE *file, const char *name, const char *path, const char *symbols,
			int (*opened)(void *ctx), void *ctx, FILE *messages)
{
	struct perf_data_guest guest;
	struct perf_guest store;
	struct perf_data *data;
	int error, code = CLI_USAGE;

	if (describe_guest(&guest, &store, symbols, messages))
		return CLI_USAGE;
	error = perf_data_open(&data, path, &guest);
	if (error) {
		cli_message(messages, "vspe decode: --perf-data %s: %s", path, output_error(error));
		return CLI_USAGE;
	}
	code = opened ? opened(ctx) : CLI_GO_ON;
	if (code >= 0) {
		perf_data_free(data);
		return code;
	}
	code = CLI_USAGE;
	error = copy_records(file, data);
	if (error)
		cli_message(
			messages, "vspe decode: %s: %s", name,
			error == -EEXIST
				? "--perf-data takes raw records, and this is a perf.data file, "
				  "which perf reads as it is"
				: strerror(-error));
	else
		code = finish_file(data, name, path, messages);
	perf_data_free(data);
	return code;
}
