/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns words of QEMU's command line that people type into words of vspe run. */
#ifndef VSPE_CLI_RUN_QEMU_H
#define VSPE_CLI_RUN_QEMU_H

#include <stddef.h>

#include "cli/options.h"

#define QEMU_MORE 2 /* the most words that one of QEMU's becomes */

/*
 * Translate argv, whose first word is the subcommand, into words, which has room for QEMU_MORE
 * times argc and one more. The parser's options, their values, and everything after "--" stay as
 * they are. Returns how many words there are, with a NULL after them; or -1, and in why the word
 * that has no equivalent, or what to use instead. They point to what argv does, and to static
 * storage.
 */
int run_qemu_words(const struct cli_parser *parser, int argc, char **argv, char **words, char *why,
		   size_t size);

#endif
