/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe conform: compares a subject with Arm's words, and with models that take no short cuts. */
#include "cli/conform.h"

#include "base/number.h"
#include "base/sandbox.h"
#include "cli/options.h"
#include "conform/report.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARDS_MOST	1000000
#define OPERATIONS	100000 /* of each version */
#define OPERATIONS_MOST UINT64_C(1000000000000)

static struct conform_request *request_of(const struct cli_parser *parser)
{
	return parser->request;
}

/* "vspe conform: OPTION: 'VALUE': WHAT". CLI_USAGE. */
static int refuse_value(const struct cli_parser *parser, const char *option, const char *value,
			const char *what)
{
	return cli_refuse_line(parser, "%s: '%s': %s", option, value, what);
}

static int take_asl(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct conform_request *r = request_of(parser);
	const char **paths = realloc(r->asl_paths, (r->asl_count + 1) * sizeof(*paths));

	if (!paths)
		return cli_refuse(parser, option, value, strerror(ENOMEM));
	paths[r->asl_count++] = value;
	r->asl_paths = paths;
	r->asl = true;
	return CLI_GO_ON;
}

static int take_functions(struct cli_parser *parser, const struct cli_option *option,
			  const char *value)
{
	struct conform_request *r = request_of(parser);
	const char **paths = realloc(r->functions_paths, (r->functions_count + 1) * sizeof(*paths));

	if (!paths)
		return cli_refuse(parser, option, value, strerror(ENOMEM));
	paths[r->functions_count++] = value;
	r->functions_paths = paths;
	return CLI_GO_ON;
}

static int take_operations(struct cli_parser *parser, const struct cli_option *option,
			   const char *value)
{
	(void)option;
	if (!number_read(value, OPERATIONS_MOST, &request_of(parser)->operations) ||
	    request_of(parser)->operations == 0)
		return refuse_value(parser, "--operations", value, "not a number from 1 to 10^12");
	return CLI_GO_ON;
}

static int take_shard(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const size_t length = strcspn(value, "/");
	uint64_t shard, shards;
	char first[24];

	(void)option;
	(void)snprintf(first, sizeof(first), "%.*s", (int)length, value);
	if (!value[length] || !number_read(value + length + 1, SHARDS_MOST, &shards) ||
	    !number_read(first, shards, &shard) || shard == 0)
		return refuse_value(parser, "--shard", value, "not I/N with I from 1 to N");
	request_of(parser)->shard = shard;
	request_of(parser)->shards = shards;
	return CLI_GO_ON;
}

static int take_guests(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	(void)option;
	request_of(parser)->guests = true;
	request_of(parser)->guest_list = value;
	return CLI_GO_ON;
}

static int take_qemu(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	(void)option;
	request_of(parser)->qemu = true;
	request_of(parser)->qemu_name = value;
	return CLI_GO_ON;
}

static int take_machine(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	struct conform_request *r = request_of(parser);

	if (r->machine_count == KNOWN_MACHINES_MOST)
		return cli_refuse(parser, option, value,
				  "one machine too many; give those of which the lists speak");
	if (!known_machine_parse(&r->machines[r->machine_count], value))
		return refuse_value(parser, "--machine", value,
				    "not NAME,VERSION, such as qemu,10.0.13");
	r->machine_count++;
	return CLI_GO_ON;
}

#include "conform_rows.h"

static int read_page(const struct cli_parser *parser, struct page_set *pages, const char *path)
{
	const size_t found = pages->count + pages->problem_count, files = pages->files,
		     lacking = pages->lacking_count;

	if (page_add(pages, path, parser->messages))
		return CLI_USAGE;
	if (pages->count + pages->problem_count > found || pages->lacking_count > lacking)
		return CLI_GO_ON;
	return cli_refuse_line(parser, "--asl %s: %s", path,
			       pages->files == files
				       ? "no .xml and no .txt file in this folder"
				       : "no accessor of a register of this machine in it");
}

/* Of others: what is read in the sandbox. */
static bool has_text(const struct conform_request *r)
{
	return r->asl || r->functions_count;
}

/* What the suite needs of the system: the points of a subject run in processes. */
static unsigned int sandbox_needs(const struct conform_request *r)
{
	return SANDBOX_THREADS | (r->subject_path ? SANDBOX_PROCESSES : 0);
}

static int read_functions(const struct cli_parser *parser, struct conform_request *r)
{
	char why[300] = "";

	for (size_t i = 0; i < r->functions_count; i++) {
		const int error = functions_add(&r->functions, r->functions_paths[i]);

		if (error)
			return cli_refuse_line(parser, "--asl-functions %s: %s",
					       r->functions_paths[i], strerror(-error));
	}
	r->functions.operations = r->operations;
	if (functions_check(&r->functions, why, sizeof(why)))
		return CLI_GO_ON;
	return cli_refuse_line(parser, "--asl-functions: %s", why);
}

/*
 * The pages come from others, so they are read inside the sandbox, and everything later runs there.
 */
static int read_pages(const struct cli_parser *parser, struct conform_request *r)
{
	int code;

	/* With an arena for each thread, glibc opens a file of /proc when it makes one smaller. */
	(void)mallopt(M_ARENA_MAX, 1);
	code = cli_sandbox("vspe conform", r->sandbox, SANDBOX_FILES | sandbox_needs(r), NULL, 0);

	r->pages.cpu = r->subject_path ? NULL : &conform_cpu;
	for (size_t i = 0; code < 0 && i < r->asl_count; i++)
		code = read_page(parser, &r->pages, r->asl_paths[i]);
	if (code < 0 && r->functions_count)
		code = read_functions(parser, r);
	return code;
}

static int parse_request(struct conform_request *r, int argc, char **argv)
{
	struct cli_parser parser = {
		.command = "conform",
		.help = conform_help,
		.lists = {{conform_rows, sizeof(conform_rows) / sizeof(conform_rows[0])}},
		.request = r,
		.messages = stderr,
		.operands = CLI_FILE_INPUT,
	};
	int operand, code = cli_parse(&parser, argc, argv, &operand);

	if (code >= 0)
		return code;
	if (r->guests && !r->guest_list && operand < argc)
		r->guest_list = argv[operand++];
	if (operand < argc)
		return refuse_value(&parser, "argument", argv[operand],
				    r->guests ? "there is a list already"
					      : "none is taken; a page follows --asl");
	/*
	 * Load the subject before the sandbox in which pages are read: inside it nothing can become
	 * code.
	 */
	if (r->subject_path && !conform_load_subject(r))
		return CLI_USAGE;
	return has_text(r) ? read_pages(&parser, r) : CLI_GO_ON;
}

static enum cli_exit run_suite(struct conform_request *r)
{
	const struct suite_subject subject = {
		.is = r->subject_path ? &r->subject : &subject_libvspe, .path = r->subject_path};
	struct suite suite = {.subject = &subject, .strict = r->strict};
	struct report report = {.out = stdout};
	enum cli_exit code = CLI_OK;

	if (r->asl || !r->functions_count)
		suite_build(&suite, &subject, r->asl ? &r->pages : NULL, r->strict);
	if (r->functions_count)
		suite_add_functions(&suite, &r->functions);
	if (r->only)
		suite_match(&suite, r->only);
	suite_shard(&suite, r->shard, r->shards);
	if (r->list) {
		for (size_t i = 0; i < suite.count; i++)
			printf("%s %s\n", suite.points[i].group, suite.points[i].name);
		suite_free(&suite);
		return CLI_OK;
	}
	if (r->only && suite.count == 0 && r->shards == 1) {
		cli_message(stderr,
			    "vspe conform: --only: '%s': no point has it in its name; see --list",
			    r->only);
		suite_free(&suite);
		return CLI_USAGE;
	}
	report_begin(&report, &suite);
	suite_run(&suite, r->jobs, report_point, &report, isatty(STDERR_FILENO) ? stderr : NULL);
	report_summary(&report, &suite);
	if (report.failed)
		code = CLI_FAILED;
	if (r->junit_out.file)
		report_junit(&suite, r->junit_out.file);
	suite_free(&suite);
	return code;
}

/* Run the request, with the file of --junit open. */
static int run_request(struct conform_request *r)
{
	int error =
		r->junit && !r->list ? output_open(&r->junit_out, r->junit, OUTPUT_ANYTHING) : 0;
	int code;

	if (error) {
		(void)cli_unwritten(stderr, "conform: --junit", r->junit, error);
		return CLI_USAGE;
	}
	/* All inputs are read, and all outputs are open. */
	code = has_text(r) ? cli_sandbox("vspe conform", r->sandbox,
					 sandbox_needs(r) | (r->junit_out.file ? SANDBOX_NAMES : 0),
					 &r->junit, 1)
			   : CLI_GO_ON;
	if (code < 0)
		code = (int)(r->guests ? conform_guests(r) : run_suite(r));
	if (!r->junit_out.file || code == CLI_USAGE || code == CLI_ENGINE) {
		output_abandon(&r->junit_out);
		return code;
	}
	error = output_commit(&r->junit_out, false);
	if (!error)
		return code;
	output_abandon(&r->junit_out);
	return cli_unwritten(stderr, "conform: --junit", r->junit, error);
}

int cmd_conform(int argc, char **argv)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct conform_request r = {
		.shard = 1,
		.shards = 1,
		.operations = OPERATIONS,
		.jobs = processors > 0 && processors < 256 ? (unsigned int)processors : 1};
	int code = parse_request(&r, argc, argv);

	if (code < 0)
		code = run_request(&r);
	page_free(&r.pages);
	free(r.asl_paths);
	functions_free(&r.functions);
	free(r.functions_paths);
	return code;
}
