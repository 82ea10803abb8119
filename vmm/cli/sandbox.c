/* SPDX-License-Identifier: BSD-2-Clause */
/* The sandbox of a subcommand. */
#include <string.h>

#include "base/descriptors.h"
#include "base/privileges.h"
#include "base/protections.h"
#include "base/sandbox.h"
#include "cli/options.h"

static enum cli_sandbox_mode *mode_of(const struct cli_parser *parser,
				      const struct cli_option *option)
{
	return (void *)((char *)parser->request + option->offset);
}

int cli_take_sandbox(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	static const char *const words[] = {[CLI_SANDBOX_ON] = "on",
					    [CLI_SANDBOX_OFF] = "off",
					    [CLI_SANDBOX_STRICT] = "strict"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) == 0) {
			*mode_of(parser, option) = (enum cli_sandbox_mode)i;
			return CLI_GO_ON;
		}
	}
	return cli_refuse(parser, option, value, "none of off, on and strict");
}

int cli_take_no_sandbox(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	(void)value;
	*mode_of(parser, option) = CLI_SANDBOX_OFF;
	return CLI_GO_ON;
}

struct protections *cli_protections(void)
{
	static struct protections protections; /* of the process, as its sandbox is */

	return &protections;
}

int cli_sandbox(const char *command, enum cli_sandbox_mode mode, unsigned int needs,
		const char *const *outputs, size_t count)
{
	const struct sandbox sandbox = {
		.command = command,
		.needs = needs,
		.outputs = outputs,
		.output_count = count,
		.namespaces = PRIVILEGES_ALL,
	};

	return cli_sandbox_enter(&sandbox, mode);
}

int cli_sandbox_enter(const struct sandbox *sandbox, enum cli_sandbox_mode mode)
{
	struct sandbox inside = *sandbox;
	enum protection missing;
	const char *what;
	int error;

	if (!(inside.needs & SANDBOX_FILES))
		descriptors_close_named();
	if (mode == CLI_SANDBOX_OFF)
		return CLI_GO_ON;
	inside.exit_code = CLI_STOPPED;
	inside.protections = cli_protections();
	error = sandbox_enter(&inside, &what);
	if (error < 0) {
		cli_message(stderr, "%s: no sandbox here: %s: %s; --sandbox off goes without",
			    sandbox->command, what, strerror(-error));
		return CLI_ENGINE;
	}
	missing = protections_missing(inside.protections);
	if (mode != CLI_SANDBOX_STRICT || missing == PROTECTION_COUNT)
		return CLI_GO_ON;
	cli_message(stderr, "%s: --sandbox strict: no %s: %s; --sandbox on goes without",
		    sandbox->command, protection_name(missing),
		    inside.protections->lack[missing].why);
	return CLI_ENGINE;
}
