// SPDX-License-Identifier: BSD-2-Clause
/* vspe conform: the library beside Arm's words, and beside models that take no short cuts. */
#include "cli/conform.h"

#include "base/number.h"
#include "cli/options.h"
#include "conform/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARDS_MOST 1000000

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
	(void)option;
	request_of(parser)->asl = true;
	return page_add(&request_of(parser)->pages, value, parser->messages) ? CLI_USAGE
									     : CLI_GO_ON;
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

#include "conform_rows.h"

/* What the options must be together. */
static int check_request(const struct cli_parser *parser, const struct conform_request *r)
{
	if (r->guests && r->asl)
		return refuse_value(parser, "--asl", "--guests", "pages say nothing of guests");
	if (r->guests && r->qemu && r->engine_name)
		return refuse_value(parser, "--engine", r->engine_name,
				    "QEMU has engines of its own");
	if (!r->guests && r->guest_dir)
		return refuse_value(parser, "--guest-dir", r->guest_dir, "only with --guests");
	if (!r->guests && r->engine_name)
		return refuse_value(parser, "--engine", r->engine_name, "only with --guests");
	if (!r->guests && r->qemu)
		return refuse_value(parser, "--qemu", r->qemu_name ? r->qemu_name : "",
				    "only with --guests");
	if (r->asl && r->pages.count == 0 && r->pages.problem_count == 0) {
		return cli_refuse_line(parser,
				       "--asl: no accessor of a register of SPE in %zu file%s",
				       r->pages.files, r->pages.files == 1 ? "" : "s");
	}
	return CLI_GO_ON;
}

static int parse_request(struct conform_request *r, int argc, char **argv)
{
	struct cli_parser parser = {
		.command = "conform",
		.help = conform_help,
		.lists = {{conform_rows, sizeof(conform_rows) / sizeof(conform_rows[0])}},
		.request = r,
		.messages = stderr,
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
	return check_request(&parser, r);
}

static enum cli_exit run_suite(struct conform_request *r)
{
	struct suite suite;
	struct report report = {.out = stdout};
	enum cli_exit code = CLI_OK;

	suite_build(&suite, r->asl ? &r->pages : NULL, r->strict);
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
	if (ferror(stdout)) {
		cli_message(stderr, "vspe conform: output: %s", strerror(errno));
		code = CLI_FAILED;
	}
	if (r->junit && report_junit(&suite, r->junit)) {
		cli_message(stderr, "vspe conform: --junit: %s: %s", r->junit, strerror(errno));
		code = CLI_USAGE;
	}
	suite_free(&suite);
	return code;
}

int cmd_conform(int argc, char **argv)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct conform_request r = {
		.shard = 1,
		.shards = 1,
		.jobs = processors > 0 && processors < 256 ? (unsigned int)processors : 1};
	int code = parse_request(&r, argc, argv);

	if (code < 0)
		code = (int)(r.guests ? conform_guests(&r) : run_suite(&r));
	page_free(&r.pages);
	return code;
}
