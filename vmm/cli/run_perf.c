/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run --perf-data: the file that records go to. */
#include <inttypes.h>

#include "cli/run.h"

/*
 * A Linux kernel's place is known once it has vectors: the first vCPU with a record at EL1 shows it
 * for all.
 */
static void find_kernel(struct run_perf *perf, unsigned int cpu)
{
	const uint64_t vectors =
		perf->kernel.vectors && !perf->found ? machine_vectors(perf->machine, cpu) : 0;
	uint64_t by;

	if (!vectors)
		return;
	perf->vectors = vectors;
	if (!perf_guest_moved(&perf->kernel, vectors, &by))
		return;
	perf->found = true;
	(void)perf_data_anchor(perf->data, perf->anchor + by);
}

int run_perf_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct run_perf *perf = ctx;

	find_kernel(perf, cpu);
	(void)perf_data_aux(perf->data, cpu, bytes, size);
	return 0;
}

static uint64_t run_collisions(void *ctx, unsigned int cpu)
{
	const struct run_perf *perf = ctx;

	return machine_collisions(perf->machine, cpu);
}

/* Operations, by PMSIDR_EL1.Interval. */
static uint32_t min_interval(const struct spe_config *spe)
{
	static const uint16_t operations[] = {256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096};

	return spe && spe->interval < sizeof(operations) / sizeof(operations[0])
		       ? operations[spe->interval]
		       : 0;
}

int run_perf_open(struct run_perf *perf, const struct run_options *options,
		  const struct machine *machine, const char *const *words, size_t count)
{
	struct perf_data_guest guest = {.words = words,
					.word_count = count,
					.cpus = options->choices.cpus,
					.midr = machine_midr(options->choices.core),
					.memory = options->choices.ram_size >> 10,
					.counter_hz = options->choices.counter_hz,
					.min_interval =
						min_interval(choices_spe(&options->choices)),
					.collisions = run_collisions,
					.ctx = perf};
	const char *guest_file =
		options->choices.firmware ? options->choices.firmware : options->choices.kernel;
	const char *symbols = options->symbols ? options->symbols : guest_file;
	struct perf_guest *store = &perf->kernel;
	uint64_t start = 0, size = 0;
	int error;

	perf->machine = machine;
	if (!options->symbols)
		machine_image(machine, &start, &size);
	error = perf_guest_describe(&guest, store, symbols, start, size);
	if (error < 0) {
		cli_message(stderr, "vspe run: %s %s: %s%s",
			    options->symbols		? "--symbols"
			    : options->choices.firmware ? "--bios"
							: "--kernel",
			    symbols, perf_guest_strerror(error),
			    options->restore && !options->symbols ? "; --symbols names another"
								  : "");
		return CLI_USAGE;
	}
	perf->anchor = guest.anchor_address;
	error = perf_data_open(&perf->data, options->perf_data, &guest);
	if (error == 0) {
		perf_data_limit(perf->data, options->perf_data_limit);
		return 0;
	}
	cli_message(stderr, "vspe run: --perf-data %s: %s", options->perf_data,
		    output_error(error));
	return CLI_USAGE;
}

void run_perf_close(struct run_perf *perf)
{
	if (perf->data)
		perf->error = perf_data_close(perf->data);
}

void run_perf_free(struct run_perf *perf)
{
	perf_data_free(perf->data);
}

int run_perf_tell(const struct run_perf *perf, const struct run_options *options, int code)
{
	struct perf_data_stats stats;

	if (!perf->data)
		return code;
	perf_data_stats(perf->data, &stats);
	if (perf->error < 0) {
		(void)cli_unwritten_records(stderr, "run", options->perf_data, perf->error,
					    perf->data);
		code = cli_exit_unwritten(code);
	} else if (stats.lost > 0) {
		cli_message(stderr,
			    "vspe run: --perf-data-limit: %s has no place for the last %" PRIu64
			    " of %" PRIu64 " records",
			    options->perf_data, stats.lost, stats.records);
	}
	if (perf->vectors && !perf->found)
		cli_message(
			stderr,
			"vspe run: --symbols %s: not of the kernel that ran: its vectors are at "
			"0x%" PRIx64 ", and there at 0x%" PRIx64,
			options->symbols, perf->vectors, perf->kernel.vectors);
	if (stats.unfinished > 0 || stats.contexts_lost > 0)
		cli_message(stderr,
			    "vspe run: --perf-data %s: %" PRIu64
			    " unfinished records left out, %" PRIu64 " contexts without maps",
			    options->perf_data, stats.unfinished, stats.contexts_lost);
	return code;
}
