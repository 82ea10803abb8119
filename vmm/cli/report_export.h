/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report --export: what trace/export.h counted, in the formats of profile viewers.
 * report_pprof.c and others each write one. SPE records no callers, so a sample has only its
 * function.
 */
#ifndef VSPE_CLI_REPORT_EXPORT_H
#define VSPE_CLI_REPORT_EXPORT_H

#include "cli/report_output.h"
#include "trace/export.h"

struct export_print {
	const struct export *export;
	const struct export_tables *tables; /* its own */
	const struct report_print *print;
	const char *name; /* of the input, printable ASCII */
	bool clocked;	  /* times are nanoseconds of perf's clock, not the timer's */
	uint64_t skipped; /* records that filters left out */
};

struct export_format {
	const char *word;
	bool timed;  /* it has times */
	bool binary; /* no terminal shows it */
	/*
	 * False if it could not be made, which the caller must report. ferror() shows write errors.
	 */
	void (*print)(FILE *out, const struct export_print *print);
};

/* NULL if there is none of that name. */
const struct export_format *report_export_format(const char *word);

/* Prepare the samples of export, and print them. */
void report_export(FILE *out, const struct export_format *format, struct export *export,
		   struct export_print *print);

/*
 * What no field of a format says, a line each: what was profiled, what is missing, and what was
 * merged.
 */
void report_export_remarks(const struct export_print *print,
			   void (*take)(void *ctx, const char *line), void *ctx);

/* A process or a thread in words: "work (7)", "vCPU 0". Returns text. */
#define EXPORT_WHO_TEXT 2200u
const char *report_export_process(const struct export_print *print, const struct export_who *who,
				  char text[EXPORT_WHO_TEXT]);
const char *report_export_thread(const struct export_who *who, char text[EXPORT_WHO_TEXT]);

/* A data source's name or number: "0x4d". Returns text, or static storage. */
#define EXPORT_SOURCE_TEXT 16u
const char *report_export_source(const struct export_source *source, char text[EXPORT_SOURCE_TEXT]);

/* The path of a function's file, of any bytes; "" if it is not known. */
const char *report_export_object(const struct export_print *print,
				 const struct export_function *function);

/* The formats. */
void report_print_pprof(FILE *out, const struct export_print *print);
void report_print_speedscope(FILE *out, const struct export_print *print);
void report_print_firefox(FILE *out, const struct export_print *print);

#endif
