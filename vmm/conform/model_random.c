/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Randomness of the sample interval. A chi-square test checks that the unit's generator is uniform,
 * and the mean interval of each form must be what Arm ARM D17.3.4 says. Seeds are fixed, so the
 * result is always the same.
 */
#include "conform/model.h"
#include "conform/unit.h"

#include <inttypes.h>
#include <math.h>

#define BINS   256
#define DRAWS  (BINS * 400)
#define SEEDS  8
#define SIGMAS 5.0 /* how far a correct unit may deviate: 1 in 1.7 million does more */

/* Does the unit have the requested form, and draw its own numbers? */
static bool has_form(const struct unit_bench *bench, bool ernd, enum spe_reload reload,
		     struct model_run *run)
{
	if (!bench->random_own)
		run->skipped = "the subject has no random numbers of its own";
	else if (bench->config.ernd != ernd || (ernd && bench->config.reload != reload))
		run->skipped = "the subject has not each form of the interval";
	return !run->skipped;
}

/*
 * Collect intervals between selections, in members. False if the unit does not select, or is
 * skipped.
 */
static bool collect_intervals(struct unit_bench *bench, uint64_t pmsirr, uint64_t seed,
			      struct model_run *run, void (*take)(void *ctx, uint64_t interval),
			      void *ctx)
{
	const struct spe_config asked = bench->config;

	bench->config.seed = seed;
	if (!unit_start(bench, pmsirr, run->why) || !has_form(bench, asked.ernd, asked.reload, run))
		return false;
	/* The first one begins where profiling was enabled. */
	for (unsigned int i = 0; i <= DRAWS; i++) {
		const uint64_t interval = unit_select(bench);

		if (interval == 0) {
			fputs("the unit does not select\n", run->why);
			return false;
		}
		unit_abandon(bench);
		if (i > 0)
			take(ctx, interval);
	}
	return true;
}

/* Histograms of values 0 to 255, and of pairs of the high digits of consecutive values. */
struct histogram {
	uint64_t single[BINS], pair[BINS];
	unsigned int last;
	uint64_t outside;
};

static void take_value(void *ctx, uint64_t interval)
{
	struct histogram *h = ctx;
	const uint64_t value = interval - 257; /* INTERVAL of 1, and the loading member */

	if (value >= BINS) {
		h->outside++;
		return;
	}
	h->single[value]++;
	h->pair[h->last << 4 | (unsigned int)(value >> 4)]++;
	h->last = (unsigned int)(value >> 4);
}

/* The sum of squares over the expected value, with 255 degrees of freedom. */
static double chi_square(const uint64_t *bins)
{
	const double expected = (double)DRAWS / BINS;
	double sum = 0;

	for (unsigned int i = 0; i < BINS; i++)
		sum += ((double)bins[i] - expected) * ((double)bins[i] - expected) / expected;
	return sum;
}

/* Of one seed. */
static bool is_uniform(const struct histogram *h, uint64_t seed, FILE *why)
{
	const double freedom = BINS - 1, sigma = sqrt(2 * freedom);
	const double single = chi_square(h->single), pair = chi_square(h->pair);

	if (h->outside == 0 && fabs(single - freedom) < SIGMAS * sigma &&
	    fabs(pair - freedom) < SIGMAS * sigma)
		return true;
	fprintf(why,
		"seed %" PRIu64 ": chi-square of %d bytes %.1f, of pairs %.1f, expected "
		"%.0f +- %.0f; %" PRIu64 " intervals out of range\n",
		seed, DRAWS, single, pair, freedom, SIGMAS * sigma, h->outside);
	return false;
}

static bool check_uniform(struct model_run *run)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct unit_bench bench;
		struct histogram h = {.outside = 0};
		bool right;

		unit_prepare(&bench, run->subject, SPE_V1P2);
		bench.config.ernd = false;
		right = collect_intervals(&bench, 1 << 8 | 1, seed, run, take_value, &h);
		unit_end(&bench);
		if (run->skipped)
			return true;
		if (!right || !is_uniform(&h, seed, run->why))
			return false;
		run->cases += DRAWS;
	}
	return true;
}

static void take_sum(void *ctx, uint64_t interval)
{
	*(uint64_t *)ctx += interval;
}

static bool check_means(struct model_run *run)
{
	/*
	 * INTERVAL of 1. A uniform byte has mean 127.5. With ERnd and the reload before the tail
	 * the tails cancel out. With the reload after the tail, each tail lengthens its interval.
	 */
	static const struct {
		const char *what;
		bool rnd, ernd;
		enum spe_reload reload;
		double mean, deviation;
	} forms[] = {
		{"RND 0", false, true, SPE_RELOAD_BEFORE_TAIL, 257, 0},
		{"RND 1 without ERnd", true, false, SPE_RELOAD_BEFORE_TAIL, 384.5, 73.9},
		/* Only the first and the last tail remain, over all draws. */
		{"RND 1 with ERnd, reload before the tail", true, true, SPE_RELOAD_BEFORE_TAIL, 257,
		 104.5 / 320},
		{"RND 1 with ERnd, reload after the tail", true, true, SPE_RELOAD_AFTER_TAIL, 384.5,
		 73.9},
	};

	const char *lacking = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct unit_bench bench;
		uint64_t sum = 0;
		double mean;
		bool right;

		unit_prepare(&bench, run->subject, SPE_V1P2);
		bench.config.ernd = forms[i].ernd;
		bench.config.reload = forms[i].reload;
		right = collect_intervals(&bench, 1 << 8 | forms[i].rnd, 2026, run, take_sum, &sum);
		unit_end(&bench);
		if (run->skipped) {
			lacking = run->skipped;
			run->skipped = NULL;
			continue;
		}
		if (!right) {
			fprintf(run->why, "%s\n", forms[i].what);
			return false;
		}
		mean = (double)sum / DRAWS;
		run->cases += DRAWS;
		if (fabs(mean - forms[i].mean) <= SIGMAS * forms[i].deviation / sqrt(DRAWS))
			continue;
		fprintf(run->why, "%s: mean interval %.4f, expected %.4f +- %.4f\n", forms[i].what,
			mean, forms[i].mean, SIGMAS * forms[i].deviation / sqrt(DRAWS));
		return false;
	}
	run->skipped = run->cases ? NULL : lacking;
	return true;
}

const struct model models_random[] = {
	{"random: bytes are uniform (chi-square, single and pairs)", check_uniform, MODEL_UNIT},
	{"random: mean interval of each form", check_means, MODEL_UNIT},
	{0},
};
