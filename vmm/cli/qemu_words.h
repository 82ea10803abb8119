/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of vspe qemu: which are this command's and which QEMU's, and what QEMU's mean. */
#ifndef VSPE_CLI_QEMU_WORDS_H
#define VSPE_CLI_QEMU_WORDS_H

#include <vspe/spe.h>

#include "cli/options.h"
#include "cli/qemu_command.h"

/*
 * Sort the words of argv: first those of rows, then "--", then QEMU's. An option with two hyphens
 * that rows have is this command's anywhere before a "--". Everything else after the first option
 * with one hyphen is QEMU's. The caller frees the array, which ends with NULL. NULL: no memory.
 */
char **qemu_words_sort(const struct cli_rows *rows, int argc, char **argv);

/* The value of QEMU's last option of that name, or NULL: it is not there. */
const char *qemu_words_value(char *const *words, const char *name);

/* The core that QEMU's -cpu names, if its records are known; or NULL. */
const struct spe_core *qemu_words_core(const struct qemu_command *command);

/* Warn on standard error about what will keep SPE from the guest, and say how to fix it. */
void qemu_words_warn(const struct qemu_command *command);

#endif
