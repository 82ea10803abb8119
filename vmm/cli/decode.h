/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of vspe decode: decode.c reads, decode_output.c prints, decode_perf.c makes a perf.data
 * file.
 */
#ifndef VSPE_CLI_DECODE_H
#define VSPE_CLI_DECODE_H

#include "trace/input.h"
#include "trace/sample.h"
#include "trace/source.h"
#include "trace/symbols.h"

#include <stdio.h>

enum decode_format { DECODE_TEXT, DECODE_JSON, DECODE_SUMMARY, DECODE_SUMMARY_JSON };

/* What to print of an input. */
struct decode_wish {
	enum decode_format format;
	struct sample_filter filter;
	struct symbols *symbols; /* names of addresses in text and JSON, or NULL */
	uint32_t midr;		 /* of the core that wrote them; 0: as the file says */
};

struct decode_output {
	enum decode_format format;
	struct symbols *symbols;
	uint32_t midr; /* as requested */
	bool names;    /* of data sources in text, too */
	FILE *file;
};

/* Print a record, if the format has records. A failure shows in ferror(output->file). */
void decode_output_record(struct decode_output *output, const struct input_record *record);
/* Print the counts of a whole input, if the format has them. */
void decode_output_summary(const struct decode_output *output, const struct record_totals *totals);

/*
 * Decode all of file, called name in messages, to out. Returns vspe's exit code: 0; 1 when parts of
 * the records could not be read, which one line in messages counts; 2 for input of another kind, or
 * that cannot be read. Errors of out show in ferror().
 */
int decode_input(FILE *file, const char *name, const struct decode_wish *wish, FILE *out,
		 FILE *messages);

/*
 * Make a perf.data file at path of the raw records in file, as those of one CPU. symbols names the
 * ELF file that their addresses are of, or is NULL. Returns vspe's exit code: 0; 1 when records
 * without an end were left out, which one line in messages counts; 2 when there is no such file.
 * Unless opened is NULL, it is called with ctx when all files are open and before file is read; it
 * returns -1, or the exit code to end with.
 */
int decode_to_perf_data(FILE *file, const char *name, const char *path, const char *symbols,
			int (*opened)(void *ctx), void *ctx, FILE *messages);

#endif
