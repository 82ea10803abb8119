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
 * The defaults of a version for a guest of engine: spe_config_defaults() without what the engine
 * cannot provide. NULL: the library's, with nothing left out.
 */
void spe_option_defaults(struct spe_config *config, enum spe_version version,
			 const struct engine *engine);

/* Print all cores that --cpu knows, a line each. */
void spe_option_cores(FILE *out);

/*
 * Parse text into *config, which first gets the choices of core over its version's defaults. The
 * version, if any, comes first; otherwise it is the core's. Later words win. What engine cannot
 * provide is refused; NULL refuses nothing. text may be NULL: there are no words. Returns 0; or -1
 * with *config undefined and one line in why[size], without newline, that has the word and what is
 * wrong with it.
 */
int spe_option_parse(const char *text, const struct spe_core *core, const struct engine *engine,
		     struct spe_config *config, char *why, size_t size);

/*
 * A text that begins with the word "any" stands for any PE that the architecture permits and the
 * engine can provide. Draws its words by seed and writes them, in place of "any", to drawn, of size
 * bytes. What SPE alone cannot decide keeps its default. Returns drawn, or text if it does not
 * begin with "any".
 */
const char *spe_option_any(const char *text, const struct spe_core *core,
			   const struct engine *engine, uint64_t seed, char *drawn, size_t size);

/* Has text, which may be NULL, the feature or key of this name? */
bool spe_option_has(const char *text, const char *name);

/* *config is of a PE without a machine model: without LDS, unless text has it (MODEL-15). */
void spe_option_unmodelled(const char *text, struct spe_config *config);

/*
 * Print all words from which spe_option_parse() makes *config; cut off to size bytes, with the NUL.
 */
void spe_option_print(const struct spe_config *config, char *text, size_t size);

/* Print all words, with their defaults for engine (or NULL), a line each. */
void spe_option_help(FILE *out, const struct engine *engine);

#endif
