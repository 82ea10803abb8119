/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of --spe: v1p2[,feature|,no-feature|,key=value...].
 */
#ifndef VSPE_MACHINE_SPE_OPTION_H
#define VSPE_MACHINE_SPE_OPTION_H

#include <stdio.h>
#include <vspe/spe.h>

/*
 * Read text into *config, which is given its version's defaults first. The version, if any, comes
 * first; it is SPE_VERSION_DEFAULT otherwise. Later words win. Returns 0; or -1 with one line in
 * why[size], without newline, that has the word and what is wrong with it, and *config undefined.
 */
int spe_option_parse(const char *text, struct spe_config *config, char *why, size_t size);

/* All words, with their defaults, a line each. */
void spe_option_help(FILE *out);

#endif
