/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of QEMU's command line that people type, as words of vspe run. */
#ifndef VSPE_CLI_RUN_QEMU_H
#define VSPE_CLI_RUN_QEMU_H

#include <stddef.h>

#include "cli/options.h"

#define QEMU_MORE 2 /* a word of QEMU's becomes so many, at most */

/*
 * Translate argv, whose first word is the subcommand, into words, which has room for QEMU_MORE
 * times argc and one more. Words of the parser's own, their values, and what is behind "--" stay as
 * they are. How many words, and a NULL behind them; or -1, and in why what has no word here, or the
 * right one. They point to what argv does, and to static storage.
 */
int run_qemu_words(const struct cli_parser *parser, int argc, char **argv, char **words, char *why,
		   size_t size);

#endif
