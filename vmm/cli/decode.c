/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe decode: sample records (Arm ARM D18) as text, JSON or counts. The input is the bytes of a
 * profiling buffer, or a perf.data file with an AUX trace of arm_spe, from vspe or another tool.
 * vspe-decode(1) describes the output.
 */
#include "cli/decode.h"

#include "base/sandbox.h"
#include "cli/records.h"

struct decoder {
	const struct decode_wish *wish;
	struct decode_output output;
	struct record_totals totals;
	uint64_t passed; /* records */
};

static void take_record(void *ctx, const struct input_record *record)
{
	struct decoder *decoder = ctx;
	const struct sample_filter *filter = &decoder->wish->filter;
	size_t padding = record->padding;
	struct sample sample;

	if (filter->by_el || filter->by_cpu) {
		sample_read(record->decoded, &sample);
		if (!record->size || !sample_passes(filter, record->origin.cpu, &sample))
			return;
		padding = 0;
	}
	record_count(&decoder->totals, record->bytes - padding, padding + record->size);
	if (!record->size)
		return;
	decode_output_record(&decoder->output, record);
	decoder->passed++;
}

int decode_input(FILE *file, const char *name, const struct decode_wish *wish, FILE *out,
		 FILE *messages)
{
	struct decoder decoder = {
		.wish = wish,
		.output = {.format = wish->format,
			   .symbols = wish->symbols,
			   .midr = wish->midr,
			   .names = wish->symbols || wish->midr,
			   .file = out},
	};
	const struct input_sink sink = {.ctx = &decoder, .record = take_record};
	struct cli_found found = {.refuse_others = false};
	const int code = cli_read_records("decode", file, name, &sink, messages, &found);

	if (found.result.records && !decoder.passed)
		cli_message(messages, "vspe decode: %s: no record of that --el and --cpu in it",
			    name);
	decode_output_summary(&decoder.output, &decoder.totals);
	return code;
}

/* The request of a command line. */
struct request {
	const char *perf_data;
	struct decode_wish wish;
	struct cli_symbols symbols;
	bool json, summary;
	enum cli_sandbox_mode sandbox;
};

/* All files are open. */
static int enter_sandbox(void *ctx)
{
	const struct request *request = ctx;

	return cli_sandbox("vspe decode", request->sandbox, request->perf_data ? SANDBOX_NAMES : 0,
			   &request->perf_data, 1);
}

static int print(FILE *file, const char *name, struct request *request)
{
	struct decode_wish *wish = &request->wish;
	int code = CLI_GO_ON;

	if (request->json)
		wish->format = request->summary ? DECODE_SUMMARY_JSON : DECODE_JSON;
	else
		wish->format = request->summary ? DECODE_SUMMARY : DECODE_TEXT;
	if (request->symbols.count)
		code = cli_load_symbols("decode", &request->symbols, NULL, &wish->symbols, stderr);
	if (code == CLI_GO_ON)
		code = enter_sandbox(request);
	if (code == CLI_GO_ON)
		code = decode_input(file, name, wish, stdout, stderr);
	symbols_free(wish->symbols);
	return code;
}

/* The input is open. Read the ELF file before opening the last one. */
static int decode_request(FILE *file, const char *name, void *ctx)
{
	struct request *request = ctx;
	const struct cli_symbols *symbols = &request->symbols;
	const int code = cli_sandbox("vspe decode", request->sandbox, SANDBOX_FILES, NULL, 0);

	if (code >= 0)
		return code;
	if (!request->perf_data)
		return print(file, name, request);
	if (symbols->count > 1) {
		cli_message(stderr, "vspe decode: --symbols %s: a second file, with --perf-data",
			    symbols->values[1]);
		return CLI_USAGE;
	}
	return decode_to_perf_data(file, name, request->perf_data, symbols->values[0],
				   enter_sandbox, request, stderr);
}

static int take_symbols(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	struct request *request = parser->request;

	return cli_add_symbols(parser, option, value, &request->symbols);
}

static int take_core(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct request *request = parser->request;

	return cli_take_core(parser, option, value, &request->wish.midr);
}

#include "decode_rows.h"

int cmd_decode(int argc, char **argv)
{
	struct request request = {0};
	struct cli_parser parser = {
		.command = "decode",
		.help = decode_help,
		.lists = {{decode_rows, sizeof(decode_rows) / sizeof(decode_rows[0])}},
		.request = &request,
		.messages = stderr,
		.operands = CLI_FILE_INPUT,
	};

	return cli_run_on_records(&parser, argc, argv, decode_request);
}
