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
		.exit_code = CLI_STOPPED,
		.outputs = outputs,
		.output_count = count,
	};
	const char *what;
	int error = off ? 0 : sandbox_enter(&sandbox, &what);

	if (error == 0)
		return CLI_GO_ON;
	cli_message(stderr, "%s: no sandbox here: %s: %s; --no-sandbox goes without", command, what,
		    strerror(-error));
	return CLI_ENGINE;
}
