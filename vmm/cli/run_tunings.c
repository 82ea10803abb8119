/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: the options of engines. The chosen engine gets its own. */
#include <stdlib.h>
#include <string.h>

#include "cli/run_request.h"

/* The row of an engine's option of that name, or NULL. */
static const struct engine_option *find_row(const struct engine *engine, const char *name)
{
	const struct engine_option *row = engine->options;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

/* Take an option that several engines have; of repeated ones the last counts. */
static int take_shared(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_request *request = parser->request;
	size_t n = 0;

	while (n < RUN_SHARED && request->shared[n].option && request->shared[n].option != option)
		n++;
	if (n == RUN_SHARED)
		abort();
	request->shared[n] = (struct run_shared){option, value};
	return CLI_GO_ON;
}

/* Take an option that only one engine has: option->of is its row there, and offset the engine. */
static int take_tuning(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	const struct engine_option *row = option->of;
	struct run_request *request = parser->request;
	void *tuning = &request->tunings[option->offset];
	char what[512];

	if (!request->tuned[option->offset])
		request->tuned[option->offset] = option->name;
	if (row->take(tuning, value, what, sizeof(what)) == 0)
		return CLI_GO_ON;
	return cli_refuse(parser, option, value, what);
}

/* Does another engine have this option, too? */
static bool is_shared(size_t engine, const char *name, bool before)
{
	for (size_t i = before ? 0 : engine + 1; i < (before ? engine : CLI_ENGINES); i++)
		if (find_row(cli_engines[i], name))
			return true;
	return false;
}

size_t run_tunings_prepare(struct run_request *request, struct cli_option *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < CLI_ENGINES; i++) {
		const struct engine *engine = cli_engines[i];
		const struct engine_option *option = engine->options;

		if (engine->tuning_size > sizeof(request->tunings[i]))
			abort();
		memcpy(&request->tunings[i], engine->tuning_default, engine->tuning_size);
		for (; option->name && count < RUN_TUNINGS; option++) {
			if (is_shared(i, option->name, true))
				continue;
			rows[count++] = (struct cli_option){
				.name = option->name,
				.argument = option->has_value ? CLI_VALUE : CLI_NO_VALUE,
				.take = is_shared(i, option->name, false) ? take_shared
									  : take_tuning,
				.offset = i,
				.of = option,
			};
		}
	}
	return count;
}

/* Give the options that several engines have to the chosen engine. */
static int take_all_shared(struct cli_parser *parser, struct run_request *request)
{
	void *tuning = &request->options.tuning;
	char what[512];

	for (size_t n = 0; n < RUN_SHARED && request->shared[n].option; n++) {
		const struct run_shared *given = &request->shared[n];
		const struct engine_option *row =
			find_row(request->options.choices.engine, given->option->name);

		if (!row)
			return cli_refuse_line(parser, "--%s: not with --engine %s",
					       given->option->name,
					       request->options.choices.engine->name);
		if (row->take(tuning, given->value, what, sizeof(what)) < 0)
			return cli_refuse(parser, given->option, given->value, what);
	}
	return CLI_GO_ON;
}

int run_tunings_check(struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	const struct engine *chosen = options->choices.engine;
	char why[512];
	int code;

	for (size_t i = 0; i < CLI_ENGINES; i++) {
		if (cli_engines[i] == chosen)
			options->tuning = request->tunings[i];
		else if (request->tuned[i])
			return cli_refuse_line(
				parser, "--%s: only with --engine %s, and this is %s",
				request->tuned[i], cli_engines[i]->name, chosen->name);
	}
	code = take_all_shared(parser, request);
	if (code >= 0)
		return code;
	if (chosen->tuning_core &&
	    chosen->tuning_core((struct engine_tuning *)&options->tuning,
				options->choices.core->name, why, sizeof(why)) < 0)
		return cli_refuse_line(parser, "%s", why);
	return CLI_GO_ON;
}

uint64_t run_tunings_seed(const struct run_request *request, uint64_t seed)
{
	for (size_t i = 0; i < CLI_ENGINES; i++)
		if (cli_engines[i] == request->options.choices.engine &&
		    cli_engines[i]->tuning_seed)
			(void)cli_engines[i]->tuning_seed((const void *)&request->tunings[i],
							  &seed);
	return seed;
}

void run_tunings_reserve(const struct run_request *request)
{
	for (size_t i = 0; i < CLI_ENGINES; i++)
		if (cli_engines[i] == request->options.choices.engine && cli_engines[i]->reserve)
			cli_engines[i]->reserve((const void *)&request->tunings[i]);
}
