// SPDX-License-Identifier: BSD-2-Clause
/* vspe conform: the library beside Arm's words, and beside models that take no short cuts. */
#include "cli/conform.h"
#include "conform/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_id {
	OPTION_ASL = 256,
	OPTION_SHARD,
	OPTION_JUNIT,
	OPTION_ONLY,
	OPTION_STRICT,
	OPTION_GUESTS,
	OPTION_GUEST_DIR,
	OPTION_ENGINE,
	OPTION_QEMU,
};

static const struct option long_options[] = {
	{"asl", required_argument, NULL, OPTION_ASL},
	{"shard", required_argument, NULL, OPTION_SHARD},
	{"junit", required_argument, NULL, OPTION_JUNIT},
	{"only", required_argument, NULL, OPTION_ONLY},
	{"strict", no_argument, NULL, OPTION_STRICT},
	{"guests", optional_argument, NULL, OPTION_GUESTS},
	{"guest-dir", required_argument, NULL, OPTION_GUEST_DIR},
	{"engine", required_argument, NULL, OPTION_ENGINE},
	{"qemu", optional_argument, NULL, OPTION_QEMU},
	{"jobs", required_argument, NULL, 'j'},
	{"list", no_argument, NULL, 'l'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static const char help[] =
	"Usage: vspe conform [OPTION]...\n"
	"       vspe conform --guests [LIST] [OPTION]...\n"
	"\n"
	"Compare libvspe with the architecture, in TAP. Every access of every register of the\n"
	"Statistical Profiling Extension is decided in every combination of Exception level,\n"
	"features and control bits that it depends on, and compared with the rules stated a "
	"second\n"
	"time, or with Arm's own register pages. The interval counters, filters and records are\n"
	"compared with models that go one operation at a time.\n"
	"\n"
	"      --asl PAGE     compare accesses with the pseudocode of this register page of "
	"Arm's:\n"
	"                     XML, or the page's text; or with all pages of a folder. May be "
	"given\n"
	"                     several times. The models are not run then\n"
	"      --strict       what cannot be read in a page is a failure and not a skip\n"
	"      --shard I/N    run only the I-th of N parts, 1/N to N/N: together they are the "
	"whole\n"
	"      --only TEXT    run only the points whose name has TEXT in it\n"
	"      --junit FILE   write the results as JUnit XML too\n"
	"  -j, --jobs N       run N at once (as many as there are processors)\n"
	"  -l, --list         print the names of the points, and exit\n"
	"  -h, --help         print this text, and exit\n"
	"\n"
	"With --guests the points are guests that test the machine they run on: those of LIST, "
	"which\n"
	"has their arguments, time limits, and what of their tests may be skipped. Each is "
	"started by\n"
	"`vspe run --tap`; its own tests are a subtest.\n"
	"\n"
	"      --guests[=LIST]  run guests instead (guests.list of the folder)\n"
	"      --guest-dir DIR  the folder of the guests (those that came with vspe)\n"
	"      --engine soft    what executes them: the software CPU\n"
	"      --qemu[=PROGRAM] start the rows that are for QEMU instead, on qemu-system-aarch64\n"
	"      --strict         what a guest prints that is no TAP is a failure\n"
	"\n"
	"A failed point says what was expected, what the library answered, and the `vspe explain`\n"
	"command that shows this one case; a failed guest all it printed, and the `vspe run` "
	"command.\n"
	"\n"
	"Examples:\n"
	"  vspe conform\n"
	"  vspe conform --asl AArch64-pmsicr_el1.xml --asl PMSIRR_EL1.txt\n"
	"  vspe conform --asl SysReg_xml_A_profile-2024-12 --strict --junit conform.xml\n"
	"  vspe conform --shard $SLURM_ARRAY_TASK_ID/8 --jobs 1\n"
	"  vspe conform --only 'PMBSR_EL1 write'\n"
	"  vspe conform --guests --junit guests.xml\n"
	"  vspe conform --guests my.list --guest-dir my-guests --only hotspot -j 4\n"
	"\n"
	"Exit code: 0 if all points passed or were skipped, 1 if one failed, 2 for wrong options "
	"or\n"
	"input.\n";

int conform_complain(const char *option, const char *value, const char *what)
{
	cli_message(stderr, "vspe conform: %s: '%s': %s", option, value, what);
	return -1;
}

/* Digits only, from 1 to most. */
static bool parse_count(const char *text, size_t length, unsigned long most, unsigned long *value)
{
	*value = 0;
	if (length == 0 || length > 9)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*value = *value * 10 + (unsigned long)(text[i] - '0');
	}
	return *value >= 1 && *value <= most;
}

static int parse_shard(struct conform_request *r, const char *text)
{
	const char *slash = strchr(text, '/');
	unsigned long shard, shards;

	if (!slash || !parse_count(slash + 1, strlen(slash + 1), 1000000, &shards) ||
	    !parse_count(text, (size_t)(slash - text), shards, &shard))
		return conform_complain("--shard", text, "not I/N with I from 1 to N");
	r->shard = shard;
	r->shards = shards;
	return 0;
}

static int parse_option(struct conform_request *r, int option, const char *refused)
{
	switch (option) {
	case OPTION_ASL: r->asl = true; return page_add(&r->pages, optarg, stderr);
	case OPTION_SHARD: return parse_shard(r, optarg);
	case OPTION_JUNIT: r->junit = optarg; return 0;
	case OPTION_ONLY: r->only = optarg; return 0;
	case OPTION_STRICT: r->strict = true; return 0;
	case OPTION_GUESTS:
		r->guests = true;
		r->guest_list = optarg;
		return 0;
	case OPTION_GUEST_DIR: r->guest_dir = optarg; return 0;
	case OPTION_ENGINE: r->engine_name = optarg; return 0;
	case OPTION_QEMU:
		r->qemu = true;
		r->qemu_name = optarg;
		return 0;
	case 'j':
		if (!parse_count(optarg, strlen(optarg), 256, &r->jobs))
			return conform_complain("--jobs", optarg, "not a number from 1 to 256");
		return 0;
	case 'l': r->list = true; return 0;
	case ':': return conform_complain("option", refused, "needs a value; see --help");
	default: return conform_complain("option", refused, "there is no such option; see --help");
	}
}

/* What the options must be together. */
static int check(const struct conform_request *r)
{
	if (r->guests && r->asl)
		return conform_complain("--asl", "--guests", "pages say nothing of guests");
	if (r->guests && r->qemu && r->engine_name)
		return conform_complain("--engine", r->engine_name, "QEMU has engines of its own");
	if (!r->guests && r->guest_dir)
		return conform_complain("--guest-dir", r->guest_dir, "only with --guests");
	if (!r->guests && r->engine_name)
		return conform_complain("--engine", r->engine_name, "only with --guests");
	if (!r->guests && r->qemu)
		return conform_complain("--qemu", r->qemu_name ? r->qemu_name : "",
					"only with --guests");
	if (r->asl && r->pages.count == 0 && r->pages.problem_count == 0) {
		fprintf(stderr,
			"vspe conform: --asl: no accessor of a register of SPE in %zu file%s\n",
			r->pages.files, r->pages.files == 1 ? "" : "s");
		return -1;
	}
	return 0;
}

static int parse(struct conform_request *r, int argc, char **argv)
{
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":j:lh", long_options, NULL)) != -1)
		if (parse_option(r, option, argv[optind - 1]))
			return -1;
	if (r->guests && !r->guest_list && optind < argc)
		r->guest_list = argv[optind++];
	if (optind < argc)
		return conform_complain("argument", argv[optind],
					r->guests ? "there is a list already"
						  : "none is taken; a page follows --asl");
	return check(r);
}

static enum cli_exit run(struct conform_request *r)
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
		conform_complain("--only", r->only, "no point has it in its name; see --list");
		suite_free(&suite);
		return CLI_USAGE;
	}
	report_begin(&report, &suite);
	suite_run(&suite, (unsigned int)r->jobs, report_point, &report,
		  isatty(STDERR_FILENO) ? stderr : NULL);
	report_summary(&report, &suite);
	if (report.failed)
		code = CLI_FAILED;
	if (ferror(stdout)) {
		fprintf(stderr, "vspe conform: output: %s\n", strerror(errno));
		code = CLI_FAILED;
	}
	if (r->junit && report_junit(&suite, r->junit)) {
		fprintf(stderr, "vspe conform: --junit: %s: %s\n", r->junit, strerror(errno));
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
		.jobs = processors > 0 && processors < 256 ? (unsigned long)processors : 1};
	enum cli_exit code = CLI_USAGE;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(help, stdout);
			return CLI_OK;
		}
	if (parse(&r, argc, argv) == 0)
		code = r.guests ? conform_guests(&r) : run(&r);
	page_free(&r.pages);
	return code;
}
