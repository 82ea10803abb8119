/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: what run_options.c reads from the command line, before run_check.c checks it. */
#ifndef VSPE_CLI_RUN_REQUEST_H
#define VSPE_CLI_RUN_REQUEST_H

#include "cli/engines.h"
#include "cli/options.h"
#include "cli/run.h"

#define RUN_TUNINGS 32 /* options of all engines */
#define RUN_SHARED  4  /* ... that more than one of them has */

/* What was read, and what run_check() must complete because other options change its meaning. */
struct run_request {
	struct run_options options;
	struct run_tuning tunings[CLI_ENGINES]; /* of the engines in their order */
	const char *tuned[CLI_ENGINES];		/* the first given option that only it has */
	struct run_shared {
		const struct cli_option *option;
		const char *value;
	} shared[RUN_SHARED]; /* given ones that several engines have, for the chosen one */
	bool given[CHOICES];
	const char *seed;
	unsigned int el;
	bool secure, realm;
};

/*
 * run_tunings.c: the rows of all engines, of which rows has room for RUN_TUNINGS, and each tuning's
 * initial values. Returns how many rows there are.
 */
size_t run_tunings_prepare(struct run_request *request, struct cli_option *rows);
/*
 * Take the tuning of the chosen engine, and refuse the options of others. CLI_GO_ON, or the exit
 * code.
 */
int run_tunings_check(struct cli_parser *parser, struct run_request *request);
/* The seed that the engine draws by, if it draws; otherwise seed. */
uint64_t run_tunings_seed(const struct run_request *request, uint64_t seed);
/* Let the engine take what it needs of the host before there is a sandbox. */
void run_tunings_reserve(const struct run_request *request);

/* run_check.c: refuse options that do not go together. CLI_GO_ON, or the exit code. */
int run_check(struct cli_parser *parser, struct run_request *request);

#endif
