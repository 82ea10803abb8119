/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines, for the subcommands that let a user choose one. */
#ifndef VSPE_CLI_ENGINES_H
#define VSPE_CLI_ENGINES_H

#include "engine.h"

#define CLI_ENGINES 2

extern const struct engine *const cli_engines[CLI_ENGINES];

/* The engine of this name, or the first for NULL. NULL if there is none. */
const struct engine *cli_find_engine(const char *name);
/* Their names, for the message in that case. */
const char *cli_engine_names(void);

#endif
