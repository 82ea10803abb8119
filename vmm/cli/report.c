/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report: where a program spends its time, from its sample records. vmm/trace counts, and the
 * report_*.c files print. vspe-report(1) describes the output.
 */
#include "base/output.h"
#include "base/sandbox.h"
#include "cli/records.h"
#include "cli/report_export.h"
#include "cli/report_names.h"
#include "cli/report_output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT	      20u
#define PROGRESS_STEP (UINT64_C(16) << 20) /* bytes */

/* The request of a command line. */
struct request {
	const char *html;
	struct sample_filter filter;
	struct cli_symbols symbols;
	struct report_choice choice;
	const char *symfs, *by, *annotate;
	const struct export_format *export;
	enum report_order order;
	unsigned int limit;
	uint32_t midr; /* --core, or 0 */
	bool json, folded, bolt, brstack;
	enum cli_sandbox_mode sandbox;
};

struct reporter {
	const struct request *request;
	struct report *report;
	struct report_names *names;
	struct annotation *annotation; /* --annotate, or NULL */
	struct export *export;	       /* or NULL */
	bool terminal;		       /* standard error is a terminal: show progress */
	uint64_t size, shown;	       /* bytes of the input, 0: not known; of the last line */
	uint64_t passed;	       /* records */
	uint64_t skipped;	       /* ... that filters left out */
	uint64_t left;		       /* branches that --brstack cannot print */
};

/* The core whose data sources these are, from --core or from the file. */
static enum source_set set_of(const struct request *request, uint32_t midr)
{
	if (request->midr)
		midr = request->midr;
	return midr ? source_set(midr) : SOURCE_UNSAID;
}

static void export_record(struct reporter *reporter, const struct input_record *record,
			  const struct threads_life *life, const struct sample *sample)
{
	uint64_t time = sample->time;
	const bool timed = sample->has & SAMPLE_HAS_TIME;

	(void)perf_clock_time(&reporter->names->clock, sample->time, &time);
	export_add(reporter->export, record->origin, life, set_of(reporter->request, record->midr),
		   sample, timed ? &time : NULL);
}

/* Prefer the recorded address to an offset in a file whose addresses are not known. */
static uint64_t known(const struct report_names *names, uint64_t place, uint64_t recorded)
{
	uint64_t own;
	uint32_t dso;

	return names->dsos && dsos_has(place, &dso, &own) && !dsos_is_read(names->dsos, dso)
		       ? recorded
		       : place;
}

/* Use addresses that an optimiser finds: the file's or the process's (TRACE-51). */
static void place_branch(const struct report_names *names, struct sample *sample,
			 const struct sample *recorded)
{
	sample->pc = known(names, sample->pc, recorded->pc);
	sample->target = known(names, sample->target, recorded->target);
	sample->previous_target = known(names, sample->previous_target, recorded->previous_target);
}

static void take_record(void *ctx, const struct input_record *record)
{
	struct reporter *reporter = ctx;
	struct threads_who who = {THREADS_UNKNOWN, UINT64_MAX};
	const struct threads_life *alive = NULL;
	struct threads_life life;
	struct sample recorded, sample;

	if (!record->size)
		return;
	sample_read(record->decoded, &recorded);
	sample = recorded;
	if (reporter->names->threads)
		who = report_names_place(reporter->names, record->origin, &sample);
	if (!sample_passes(&reporter->request->filter, record->origin.cpu, &sample) ||
	    !report_names_pass(reporter->names, &reporter->request->choice, who, &sample)) {
		report_skip(reporter->report);
		reporter->skipped++;
		return;
	}
	if (reporter->request->brstack || reporter->request->bolt)
		place_branch(reporter->names, &sample, &recorded);
	if (who.life != THREADS_UNKNOWN) {
		life = threads_life(reporter->names->threads, who.life);
		alive = &life;
	}
	report_add(reporter->report, record->origin, alive,
		   set_of(reporter->request, record->midr ? record->midr : reporter->names->midr),
		   &sample);
	if (reporter->annotation)
		annotation_add(reporter->annotation, &sample);
	reporter->passed++;
	if (reporter->export)
		export_record(reporter, record, alive, &sample);
	if (reporter->request->brstack && sample.class == RECORD_BRANCH &&
	    sample.has & SAMPLE_HAS_OPERATION)
		reporter->left += !report_print_brstack(stdout, reporter->names->symbols, &sample);
}

static void show_progress(void *ctx, uint64_t bytes)
{
	struct reporter *reporter = ctx;

	if (bytes == UINT64_MAX && reporter->shown)
		fputs("\r\033[K", stderr);
	if (!reporter->terminal || bytes == UINT64_MAX || bytes - reporter->shown < PROGRESS_STEP)
		return;
	reporter->shown = bytes;
	fprintf(stderr, "\rvspe report: %" PRIu64 " MiB", bytes >> 20);
	if (reporter->size)
		fprintf(stderr, " of %" PRIu64, reporter->size >> 20);
	fflush(stderr);
}

static uint64_t size_of(FILE *file)
{
	struct stat status;

	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode))
		return 0;
	return (uint64_t)status.st_size;
}

static void tell_left(uint64_t left, const char *why)
{
	if (left)
		cli_message(stderr, "vspe report: %" PRIu64 " records of branches left out: %s",
			    left, why);
}

static void print_export(struct reporter *reporter, const struct report_print *print)
{
	struct export *export = reporter->export;
	struct export_print to = {.print = print,
				  .clocked = reporter->names->clock.there,
				  .skipped = reporter->skipped};

	report_export(stdout, reporter->request->export, export, &to);
	if (export->unnamed)
		cli_message(stderr,
			    "vspe report: %" PRIu64 " records without their thread, place or data "
			    "source: the table was full",
			    export->unnamed);
	if (export->dropped)
		cli_message(stderr, "vspe report: %" PRIu64 " records left out: the table was full",
			    export->dropped);
}

static void print_lines(struct reporter *reporter, const struct report_print *print)
{
	const struct request *request = reporter->request;

	if (reporter->export) {
		print_export(reporter, print);
	} else if (request->json) {
		report_print_json(stdout, print);
	} else if (request->folded) {
		report_print_folded(stdout, print);
	} else if (request->bolt) {
		tell_left(report_print_bolt(stdout, print),
			  "not taken, not retired, or without a target");
	} else if (request->brstack) {
		tell_left(reporter->left, "not retired, or without a target");
	} else {
		report_print_text(stdout, print);
	}
}

/* All files are open, and the symbols are read. */
static int report_input(FILE *file, const char *name, const struct request *request,
			struct report_names *names, struct annotation *annotation,
			struct output *html)
{
	struct reporter reporter = {
		.request = request,
		.report = report_new(&report_usual_bounds),
		.terminal = isatty(STDERR_FILENO),
		.size = size_of(file),
		.names = names,
		.annotation = annotation,
	};
	const struct input_sink sink = {
		.ctx = &reporter, .record = take_record, .progress = show_progress};
	struct report_view view = {.symbols = names->symbols,
				   .dsos = names->dsos,
				   .threads = names->threads,
				   .annotation = annotation,
				   .order = request->order,
				   .limit = request->limit,
				   .unsaid = SOURCE_UNSAID};
	const struct report_print print = {reporter.report, &view, name,
					   annotation ? "annotation" : request->by};
	struct cli_found found = {.refuse_others = true};
	int error, code;

	if (request->export)
		reporter.export = export_new(&export_usual_bounds, request->export->timed);
	code = cli_read_records("report", file, name, &sink, stderr, &found);
	if (code == CLI_USAGE) {
		report_free(reporter.report);
		export_free(reporter.export);
		return code;
	}
	report_missing(reporter.report, &found.result);
	view.unsaid = set_of(request, found.result.midr);
	if (found.result.records && !reporter.passed)
		cli_message(stderr, "vspe report: %s: no record in it passes the filters", name);
	print_lines(&reporter, &print);
	if (request->html)
		report_print_html(html->file, &print);
	/* Source lines are read while printing. */
	error = lines_error(symbols_lines(names->symbols));
	if (error) {
		cli_message(stderr, "vspe report: debug information cannot be read: %s",
			    strerror(-error));
		code = CLI_USAGE;
	} else if (request->html) {
		error = output_commit(html, false);
		if (error)
			code = cli_unwritten(stderr, "report", request->html, error);
	}
	report_free(reporter.report);
	export_free(reporter.export);
	return code;
}

/* Find the function of --annotate. CLI_GO_ON, or the exit code. */
static int find_annotation(const struct request *request, const struct report_names *names,
			   struct annotation **annotation)
{
	const int error = request->annotate
				  ? annotation_find(annotation, request->annotate, names->symbols,
						    names->dsos, request->symfs)
				  : 0;

	if (!error)
		return CLI_GO_ON;
	cli_message(stderr, "vspe report: --annotate %s: %s", request->annotate,
		    error == -ENOENT ? "no file of --symbols or --symfs has a function of that name"
				     : "no file has its code; of a kernel vmlinux has it");
	return CLI_USAGE;
}

static int report_files(FILE *file, const char *name, const struct request *request,
			struct output *html)
{
	const char *const outputs[] = {request->html};
	struct annotation *annotation = NULL;
	struct report_names names = {0};
	int code = cli_load_symbols("report", &request->symbols, request->html, &names.symbols,
				    stderr);

	if (code == CLI_GO_ON)
		code = report_names_load(&names, file, name, request->symfs, &request->choice);
	if (code == CLI_GO_ON)
		code = find_annotation(request, &names, &annotation);
	if (code == CLI_GO_ON)
		code = cli_sandbox("vspe report", request->sandbox,
				   SANDBOX_DWARF | (request->html ? SANDBOX_NAMES : 0), outputs, 1);
	if (code == CLI_GO_ON)
		code = report_input(file, name, request, &names, annotation, html);
	annotation_free(annotation);
	report_names_free(&names);
	return code;
}

/* The input is open. */
static int report_request(FILE *file, const char *name, void *ctx)
{
	const struct request *request = ctx;
	struct output html = {0};
	int error, code = cli_sandbox("vspe report", request->sandbox, SANDBOX_FILES, NULL, 0);

	if (code >= 0)
		return code;
	error = request->html ? output_open(&html, request->html, OUTPUT_FILE) : 0;
	if (error) {
		cli_message(stderr, "vspe report: --html %s: %s", request->html,
			    output_error(error));
		return CLI_USAGE;
	}
	code = report_files(file, name, request, &html);
	output_abandon(&html);
	return code;
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

	return cli_take_core(parser, option, value, &request->midr);
}

static int take_by(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	static const struct {
		const char *word, *section;
	} rows[] = {
		{"process", "processes"}, {"thread", "threads"},	{"function", "functions"},
		{"object", "objects"},	  {"instruction", "addresses"}, {"line", "source_lines"},
		{"page", "pages"},	  {"cache-line", "lines"},	{"sharing", "sharing"},
	};
	struct request *request = parser->request;

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(value, rows[i].word) == 0) {
			request->by = rows[i].section;
			return CLI_GO_ON;
		}
	}
	return cli_refuse(
		parser, option, value,
		"not process, thread, function, line, instruction, object, page, cache-line or "
		"sharing");
}

static int take_heatmap(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	struct request *request = parser->request;

	(void)option, (void)value;
	request->by = "heatmap";
	return CLI_GO_ON;
}

static int take_export(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct request *request = parser->request;

	request->export = report_export_format(value);
	if (!request->export)
		return cli_refuse(parser, option, value, "not speedscope, firefox or pprof");
	if (request->export->binary && isatty(STDOUT_FILENO))
		return cli_refuse(parser, option, value,
				  "is binary, which no terminal shows; write it to a file with >");
	return CLI_GO_ON;
}

static int take_time(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct request *request = parser->request;

	return report_choice_time(&request->choice, value)
		       ? CLI_GO_ON
		       : cli_refuse(parser, option, value,
				    "not START,END: seconds as perf script prints them");
}

static int take_sort(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	static const char *const words[] = {
		[REPORT_BY_SAMPLES] = "samples",
		[REPORT_BY_LATENCY] = "latency",
		[REPORT_BY_MISPREDICTED] = "mispredicted",
		[REPORT_BY_ADDRESS] = "address",
	};
	struct request *request = parser->request;

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(value, words[i]) == 0) {
			request->order = (enum report_order)i;
			return CLI_GO_ON;
		}
	}
	return cli_refuse(parser, option, value, "not samples, latency, mispredicted or address");
}

#include "report_rows.h"

int cmd_report(int argc, char **argv)
{
	struct request request = {.limit = LIMIT};
	struct cli_parser parser = {
		.command = "report",
		.help = report_help,
		.lists = {{report_rows, sizeof(report_rows) / sizeof(report_rows[0])}},
		.request = &request,
		.messages = stderr,
		.operands = CLI_FILE_INPUT,
	};

	return cli_run_on_records(&parser, argc, argv, report_request);
}
