// SPDX-License-Identifier: BSD-2-Clause
/* The sandbox of a subcommand. */
#include <string.h>

#include "base/sandbox.h"
#include "cli/options.h"

int cli_sandbox(const char *command, bool off, unsigned int needs, const char *const *outputs,
		size_t count)
{
	const struct sandbox sandbox = {
		.command = command,
		.needs = needs,
		.outputs = outputs,
		.output_count = count,
	};

	return cli_sandbox_enter(&sandbox, off);
}

int cli_sandbox_enter(const struct sandbox *sandbox, bool off)
{
	struct sandbox inside = *sandbox;
	const char *what;
	int error;

	inside.exit_code = CLI_STOPPED;
	error = off ? 0 : sandbox_enter(&inside, &what);

	if (error == 0)
		return CLI_GO_ON;
	cli_message(stderr, "%s: no sandbox here: %s: %s; --no-sandbox goes without",
		    sandbox->command, what, strerror(-error));
	return CLI_ENGINE;
}
