/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of --spe: v1p2[,feature|,no-feature|,key=value...].
 */
#ifndef VSPE_MACHINE_SPE_OPTION_H
#define VSPE_MACHINE_SPE_OPTION_H

#include <stdio.h>
#include <vspe/spe.h>

#include "engine.h"

/*
 * The defaults of a version for a guest of engine: spe_config_defaults() less what the engine
 * cannot honour. NULL: of the library, with nothing left out.
 */
void spe_option_defaults(struct spe_config *config, enum spe_version version,
			 const struct engine *engine);

/* All cores that --cpu has, a line each. */
void spe_option_cores(FILE *out);

/*
 * Read text into *config, which is given the choices of core on its version's defaults first. The
 * version, if any, comes first; it is the core's otherwise. Later words win. What engine cannot
 * honour is refused; NULL: nothing is. text may be NULL: there are no words. Returns 0; or -1 with
 * one line in why[size], without newline, that has the word and what is wrong with it, and *config
 * undefined.
 */
int spe_option_parse(const char *text, const struct spe_core *core, const struct engine *engine,
		     struct spe_config *config, char *why, size_t size);

/*
 * A text that begins with the word "any" asks for any PE that the architecture permits and engine
 * can be. Its words by seed, in place of "any", are written to drawn, of size bytes. What is not
 * SPE's alone to choose stays as it is by default. Returns drawn, or text if it is none such.
 */
const char *spe_option_any(const char *text, const struct spe_core *core,
			   const struct engine *engine, uint64_t seed, char *drawn, size_t size);

/*
 * The words that spe_option_parse() makes *config of, every one that there is; cut off to size,
 * NUL included.
 */
void spe_option_print(const struct spe_config *config, char *text, size_t size);

/* All words, with their defaults for engine (or NULL), a line each. */
void spe_option_help(FILE *out, const struct engine *engine);

#endif
