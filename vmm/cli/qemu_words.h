/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of vspe qemu: which are this command's and which QEMU's, and what QEMU's say. */
#ifndef VSPE_CLI_QEMU_WORDS_H
#define VSPE_CLI_QEMU_WORDS_H

#include <vspe/spe.h>

#include "cli/options.h"
#include "cli/qemu_command.h"

/*
 * The words of argv, with those of rows first, then "--", then QEMU's: an option of two hyphens
 * that rows have is this command's wherever it stands before a "--", and what else follows the
 * first option of one hyphen is QEMU's. The array is the caller's to free, and ends with NULL.
 * NULL: no memory.
 */
char **qemu_words_sort(const struct cli_rows *rows, int argc, char **argv);

/* The value of QEMU's last option of that name, or NULL: it is not there. */
const char *qemu_words_value(char *const *words, const char *name);

/* The core that QEMU's -cpu names, if its records are known; or NULL. */
const struct spe_core *qemu_words_core(const struct qemu_command *command);

/* Say on standard error what will keep the guest from SPE, and what mends it. */
void qemu_words_warn(const struct qemu_command *command);

#endif
