/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines. */
#include "cli/engines.h"

#include <string.h>

const struct engine *const cli_engines[CLI_ENGINES] = {&engine_soft, &engine_kvm};

const struct engine *cli_find_engine(const char *name)
{
	for (size_t i = 0; i < CLI_ENGINES; i++)
		if (!name || strcmp(name, cli_engines[i]->name) == 0)
			return cli_engines[i];
	return NULL;
}

const char *cli_engine_names(void)
{
	return "no such engine; there are: soft, kvm";
}
