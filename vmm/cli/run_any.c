/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --spe any and --pmu any: a PE drawn by the seed of --unknown or, without that, of --seed; and the
 * line that lets a user spell the same machine.
 */
#include "cli/cli.h"
#include "cli/run.h"
#include "arm/pmu_words.h"
#include "base/splitmix.h"
#include "machine/spe_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Keep these numbers apart from those of SPE's words. */
#define PMU_SEED (~UINT64_C(0))

/* FEAT_SPE_DPFZS needs FEAT_PMUv3p7; FEAT_PMUv3p9 with FEAT_SPEv1p4 needs FEAT_SPE_DPFZS. */
static void any_freeze(const struct run_options *options, uint64_t *state, char *text, size_t size)
{
	const struct spe_config *spe = &options->choices.spe_config;
	const bool may = options->choices.pmu >= PMU_V3P7 && options->choices.pmu <= PMU_V3P9 &&
			 spe->version >= SPE_V1P2;
	const bool must = spe->version >= SPE_V1P4 && options->choices.pmu >= PMU_V3P9;
	const size_t used = strlen(text);

	if (may && (splitmix_next(state) & 1 || must) && !strstr(text, ",dpfzs"))
		(void)snprintf(text + used, size - used, ",dpfzs");
}

static void any_pmu(struct run_options *options, uint64_t *state)
{
	static const enum pmu_version versions[] = {
		PMU_NONE, PMU_V3P1, PMU_V3P4, PMU_V3P5, PMU_V3P7, PMU_V3P8, PMU_V3P9,
	};

	options->choices.pmu =
		versions[splitmix_next(state) % (sizeof(versions) / sizeof(versions[0]))];
}

int run_any(struct run_options *options, uint64_t seed, char *why, size_t size)
{
	static char drawn[RUN_SPE_WORDS];
	const char *text = options->spe_text;
	uint64_t state = seed ^ PMU_SEED;

	if (options->pmu_any)
		any_pmu(options, &state);
	options->spe_text = spe_option_any(text, options->choices.core, options->choices.engine,
					   seed, drawn, sizeof(drawn));
	options->spe_any = options->spe_text != text;
	if (!options->spe_any)
		return 0;
	if (spe_option_parse(options->spe_text, options->choices.core, options->choices.engine,
			     &options->choices.spe_config, why, size) < 0)
		return -1;
	any_freeze(options, &state, drawn, sizeof(drawn));
	return 0;
}

void run_any_say(const struct run_options *options)
{
	uint64_t seed = options->choices.seed;
	const bool unknown =
		options->choices.engine->tuning_seed &&
		options->choices.engine->tuning_seed((const void *)&options->tuning, &seed);

	if (unknown || options->spe_any || options->pmu_any)
		cli_message(stderr, "vspe run: --%s %" PRIu64 ":%s%s%s%s%s",
			    unknown ? "unknown" : "seed", seed,
			    unknown ? " registers after a reset, and results" : "",
			    options->spe_any ? " --spe " : "",
			    options->spe_any ? options->spe_text : "",
			    options->pmu_any ? " --pmu " : "",
			    options->pmu_any ? arm_pmu_word(options->choices.pmu) : "");
}
