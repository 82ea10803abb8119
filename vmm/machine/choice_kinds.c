/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of choices: see choice_kinds.h. */
#include "machine/choice_kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arm/pmu_words.h"
#include "machine/numa_option.h"
#include "machine/spe_option.h"

#define TEXT_MAX 65536 /* of a path or the guest's command line */
#define SPE_MAX	 4096  /* of the words of --spe */
#define MIB	 (UINT64_C(1) << 20)

static const void *member_in(const struct choice *choice, const struct choices *choices)
{
	return (const char *)choices + choice->member.offset;
}

/* Numbers, of 1, 4 or 8 bytes */

static uint64_t number_of(const struct choice *choice, const struct choices *choices)
{
	const void *at = member_in(choice, choices);

	switch (choice->member.size) {
	case sizeof(bool): return *(const bool *)at;
	case sizeof(uint32_t): return *(const uint32_t *)at;
	default: return *(const uint64_t *)at;
	}
}

static void number_in_range(struct state *state, const struct choice *choice,
			    const struct choices *choices, uint64_t unit)
{
	const uint64_t value = number_of(choice, choices);

	if (value / unit < choice->min || value % unit != 0)
		state_refuse(state, "impossible --%s", choice->word);
}

static void number_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	const size_t size = choice->member.size;

	state_number(state, choice->word, choice_member(choice, choices), size,
		     choice->max ? choice->max : UINT64_MAX >> (64 - 8 * size));
	number_in_range(state, choice, choices, 1);
}

static void number_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	fprintf(to, "%" PRIu64, number_of(choice, choices));
}

static bool number_same(const struct choice *choice, const struct choices *mine,
			const struct choices *saved)
{
	return number_of(choice, mine) == number_of(choice, saved);
}

const struct choice_kind kind_number = {
	.state = number_state, .tell = number_tell, .same = number_same};

/* Not saved. */
const struct choice_kind kind_flag = {.tell = number_tell};

/* Bytes, spelled in MiB */

static void mib_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	state_number(state, choice->word, choice_member(choice, choices), choice->member.size,
		     choice->max * MIB);
	number_in_range(state, choice, choices, MIB);
}

static void mib_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	fprintf(to, "%" PRIu64 " MiB", number_of(choice, choices) / MIB);
}

static void mib_value(const struct choice *choice, const struct choices *choices, FILE *to)
{
	fprintf(to, "%" PRIu64, number_of(choice, choices) / MIB);
}

static void mib_has(const struct choice *choice, const struct choices *choices, FILE *to)
{
	fprintf(to, "has ");
	mib_value(choice, choices, to);
}

const struct choice_kind kind_mib = {.state = mib_state,
				     .tell = mib_tell,
				     .same = number_same,
				     .value = mib_value,
				     .has = mib_has};

/* The seed, which a machine may not have */

static void seed_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	(void)choice;
	STATE_FIELD(state, choices->seeded);
	STATE_FIELD(state, choices->seed);
}

static void seed_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fprintf(to, "%" PRIu64, choices->seeded ? choices->seed : 0);
}

static bool seed_same(const struct choice *choice, const struct choices *mine,
		      const struct choices *saved)
{
	(void)choice;
	return !saved->seeded || mine->seed == saved->seed;
}

const struct choice_kind kind_seed = {.state = seed_state, .tell = seed_tell, .same = seed_same};

/* Texts */

/* A text of at most `most` bytes, or NULL. When loaded, it is malloc'ed. */
static void text_bytes(struct state *state, char **text, uint32_t most)
{
	uint32_t length = *text ? (uint32_t)strlen(*text) : 0;
	bool there = *text;

	if (length > most)
		state_refuse(state, "a text of %" PRIu32 " bytes, at most %" PRIu32, length, most);
	STATE_FIELD(state, there);
	STATE_UP_TO(state, length, most);
	if (state->failed || !there)
		return;
	if (state->loading)
		*text = calloc(1, (size_t)length + 1);
	if (!*text) {
		state_refuse(state, "no memory");
		return;
	}
	state_bytes(state, *text, length);
	if (strlen(*text) != length)
		state_refuse(state, "a text with a zero byte in it");
}

/* Save the word of an object, or NULL; a loaded word needs free(). */
static void word_save(struct state *state, const char *word, uint32_t most)
{
	char *text = (char *)(uintptr_t)word;

	text_bytes(state, &text, most);
}

static char *word_load(struct state *state, uint32_t most)
{
	char *text = NULL;

	text_bytes(state, &text, most);
	return text;
}

static void text_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	text_bytes(state, choice_member(choice, choices), TEXT_MAX);
}

static const char *text_of(const struct choice *choice, const struct choices *choices)
{
	const char *const *text = member_in(choice, choices);

	return *text ? *text : "";
}

static void text_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	fputs(text_of(choice, choices), to);
}

static bool text_same(const struct choice *choice, const struct choices *mine,
		      const struct choices *saved)
{
	const char *const *a = member_in(choice, mine), *const *b = member_in(choice, saved);

	return *a && *b ? strcmp(*a, *b) == 0 : *a == *b;
}

static void text_has(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice, (void)choices;
	fputs("has others", to);
}

const struct choice_kind kind_text = {
	.state = text_state, .tell = text_tell, .same = text_same, .has = text_has, .text = true};

/* The path of a file that the machine is made with. */
const struct choice_kind kind_file = {.state = text_state, .text = true};

/* The last ones in CONF, only in machines that start with firmware, or have nodes or windows */

static bool has_windows(const struct choices *choices)
{
	return choices->cpus > 1 && choices->window > 0;
}

static void firmware_state(struct state *state, const struct choice *choice,
			   struct choices *choices)
{
	if (state->loading
		    ? state->at < state->size
		    : choices->firmware != NULL || choices->numa.count > 0 || has_windows(choices))
		text_state(state, choice, choices);
}

const struct choice_kind kind_firmware = {.state = firmware_state, .text = true};

static void acpi_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	(void)choice;
	if (choices->firmware)
		STATE_FIELD(state, choices->acpi);
}

static void acpi_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fprintf(to, "%d", choices->firmware && choices->acpi);
}

static bool acpi_same(const struct choice *choice, const struct choices *mine,
		      const struct choices *saved)
{
	(void)choice;
	return mine->acpi || !saved->acpi;
}

static void acpi_value(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice, (void)choices, (void)to;
}

static void acpi_has(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice, (void)choices;
	fputs("has ACPI tables", to);
}

const struct choice_kind kind_acpi = {.state = acpi_state,
				      .tell = acpi_tell,
				      .same = acpi_same,
				      .value = acpi_value,
				      .has = acpi_has};

/* Nodes of memory. Machines without any are saved as before there were nodes. */

static void numa_check(struct state *state, const struct choices *choices)
{
	struct model_nodes nodes = choices->numa;
	char why[256];

	if (numa_option_complete(&nodes, choices->cpus, choices->ram_size, why, sizeof(why)) < 0 ||
	    !numa_option_same(&nodes, &choices->numa))
		state_refuse(state, "impossible --numa");
}

static void numa_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	struct model_nodes *nodes = &choices->numa;

	(void)choice;
	if (state->loading ? state->at >= state->size : !nodes->count && !has_windows(choices))
		return;
	STATE_UP_TO(state, nodes->count, MODEL_NODES);
	for (uint32_t n = 0; !state->failed && n < nodes->count; n++) {
		STATE_UP_TO(state, nodes->node[n].size, choices->ram_size);
		STATE_FIELD(state, nodes->node[n].cores);
		STATE_UP_TO(state, nodes->node[n].latency, NUMA_CYCLES_MOST);
		STATE_UP_TO(state, nodes->node[n].remote, NUMA_CYCLES_MOST);
	}
	if (!state->failed && nodes->count)
		numa_check(state, choices);
}

static void numa_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	char text[NUMA_OPTION_TEXT] = "no nodes";

	(void)choice;
	if (choices->numa.count)
		numa_option_print(&choices->numa, text, sizeof(text));
	fputs(text, to);
}

/* mine may leave to the machine what saved has. */
static bool numa_same(const struct choice *choice, const struct choices *mine,
		      const struct choices *saved)
{
	struct model_nodes nodes = mine->numa;
	char why[256];

	(void)choice;
	if (nodes.count &&
	    numa_option_complete(&nodes, saved->cpus, saved->ram_size, why, sizeof(why)) < 0)
		return false;
	return numa_option_same(&nodes, &saved->numa);
}

static bool numa_there(const struct choice *choice, const struct choices *choices)
{
	(void)choice;
	return choices->numa.count;
}

const struct choice_kind kind_numa = {
	.state = numa_state, .tell = numa_tell, .same = numa_same, .there = numa_there};

/* The windows of --time parallel, which one vCPU does not need */

static void window_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	if (state->loading ? state->at >= state->size : !has_windows(choices))
		return;
	state_number(state, choice->word, &choices->window, sizeof(choices->window), choice->max);
	if (choices->window < choice->min || choices->cpus == 1)
		state_refuse(state, "impossible --%s", choice->word);
}

static void window_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	if (has_windows(choices))
		fprintf(to, "parallel=%" PRIu32, choices->window);
	else
		fputs("serial", to);
}

static bool window_same(const struct choice *choice, const struct choices *mine,
			const struct choices *saved)
{
	(void)choice;
	return mine->window == saved->window || saved->cpus == 1;
}

static bool window_there(const struct choice *choice, const struct choices *choices)
{
	(void)choice;
	return has_windows(choices);
}

const struct choice_kind kind_window = {
	.state = window_state, .tell = window_tell, .same = window_same, .there = window_there};

/* The engine, which cannot change */

static void engine_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	const char *name = choices->engine->name;
	char *word;

	(void)choice;
	if (!state->loading) {
		word_save(state, name, TEXT_MAX);
		return;
	}
	word = word_load(state, TEXT_MAX);
	if (!state->failed && !word)
		state_refuse(state, "impossible machine");
	if (!state->failed && strcmp(word, name) != 0)
		state_refuse(state, "of another engine than %s", name);
	free(word);
}

static void engine_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fputs(choices->engine->name, to);
}

const struct choice_kind kind_engine = {.state = engine_state, .tell = engine_tell};

/* Exception levels */

/* Levels as vspe run has them; no vCPU can be at others. */
static void levels_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	struct engine_levels *levels = &choices->levels;

	(void)choice;
	STATE_UP_TO(state, levels->start, 3);
	STATE_FIELD(state, levels->el2);
	STATE_FIELD(state, levels->el3);
	STATE_FIELD(state, levels->sel2);
	STATE_FIELD(state, levels->rme);
	STATE_UP_TO(state, levels->security, ENGINE_REALM);
	if (levels->start == 0 || (levels->start >= 2 && !levels->el2) ||
	    (levels->start == 3 && !levels->el3) ||
	    (!levels->el3 && (levels->sel2 || levels->rme || levels->security)) ||
	    (!levels->el2 && (levels->sel2 || levels->rme)) ||
	    (levels->security == ENGINE_REALM && !levels->rme) ||
	    (levels->security == ENGINE_SECURE && levels->start == 2 && !levels->sel2))
		state_refuse(state, "impossible Exception levels");
}

static void levels_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	const struct engine_levels *levels = &choices->levels;

	(void)choice;
	fprintf(to, "%u %d%d%d%d %d", levels->start, levels->el2, levels->el3, levels->sel2,
		levels->rme, (int)levels->security);
}

static bool levels_same(const struct choice *choice, const struct choices *mine,
			const struct choices *saved)
{
	const struct engine_levels *a = &mine->levels, *b = &saved->levels;

	(void)choice;
	return a->start == b->start && a->el2 == b->el2 && a->el3 == b->el3 && a->sel2 == b->sel2 &&
	       a->rme == b->rme && a->security == b->security;
}

static void levels_value(const struct choice *choice, const struct choices *choices, FILE *to)
{
	static const char *const option[] = {"", " --secure", " --realm"};

	(void)choice;
	fprintf(to, "%u%s", choices->levels.start, option[choices->levels.security]);
}

static void levels_has(const struct choice *choice, const struct choices *choices, FILE *to)
{
	static const char *const state[] = {"Non-secure", "Secure", "Realm"};
	const struct engine_levels *levels = &choices->levels;

	(void)choice;
	fprintf(to, "starts at EL%u in %s state", levels->start,
		levels->start == 3 ? "Root" : state[levels->security]);
}

const struct choice_kind kind_levels = {.state = levels_state,
					.tell = levels_tell,
					.same = levels_same,
					.value = levels_value,
					.has = levels_has};

/* The core */

static void core_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	char *word;

	(void)choice;
	if (!state->loading) {
		word_save(state, choices->core ? choices->core->name : NULL, TEXT_MAX);
		return;
	}
	word = word_load(state, TEXT_MAX);
	if (word && !state->failed) {
		choices->core = spe_core_find(word);
		if (!choices->core)
			state_refuse(state, "a core that this vspe does not know");
	}
	free(word);
}

static void core_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fputs(choices->core ? choices->core->name : "generic", to);
}

static bool core_same(const struct choice *choice, const struct choices *mine,
		      const struct choices *saved)
{
	(void)choice;
	return mine->core == saved->core;
}

const struct choice_kind kind_core = {.state = core_state, .tell = core_tell, .same = core_same};

/* The PMU */

static void pmu_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	(void)choice;
	STATE_UP_TO(state, choices->pmu, PMU_V3P9);
	if (choices->pmu && strcmp(arm_pmu_word(choices->pmu), "off") == 0)
		state_refuse(state, "PMU: no version %u", choices->pmu);
}

static void pmu_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fputs(choices->pmu ? arm_pmu_word(choices->pmu) : "none", to);
}

static bool pmu_same(const struct choice *choice, const struct choices *mine,
		     const struct choices *saved)
{
	(void)choice;
	return mine->pmu == saved->pmu;
}

static void pmu_value(const struct choice *choice, const struct choices *choices, FILE *to)
{
	(void)choice;
	fputs(arm_pmu_word(choices->pmu), to);
}

const struct choice_kind kind_pmu = {
	.state = pmu_state, .tell = pmu_tell, .same = pmu_same, .value = pmu_value};

/* SPE, in the words of --spe */

/*
 * A machine that was saved by a version without walk-ea may have two words that v1p3 and later do
 * not permit any more. libvspe restores the image of the unit without them, too.
 */
static void spe_parse(struct state *state, const char *text, struct choices *choices)
{
	const bool old = !strstr(text, "walk-ea") && strncmp(text, "v1p", 3) == 0 && text[3] >= '3';
	const bool reports = strstr(text, "abort=sync") || strstr(text, "abort=async");
	char words[SPE_MAX + 32], why[256];

	(void)snprintf(words, sizeof(words), "%s%s%s", text,
		       old && strstr(text, "no-flagupdate") ? ",flagupdate" : "",
		       old && reports ? ",abort=ignore" : "");
	if (spe_option_parse(words, spe_core(0), choices->engine, &choices->spe_config, why,
			     sizeof(why)) < 0)
		state_refuse(state, "SPE: %s", why);
}

static void spe_load(struct state *state, struct choices *choices)
{
	char *text = word_load(state, SPE_MAX);

	choices->spe = text != NULL;
	if (text && !state->failed)
		spe_parse(state, text, choices);
	free(text);
}

static void spe_state(struct state *state, const struct choice *choice, struct choices *choices)
{
	char words[SPE_MAX] = "";

	(void)choice;
	if (state->loading) {
		spe_load(state, choices);
		return;
	}
	if (choices->spe)
		spe_option_print(&choices->spe_config, words, sizeof(words));
	word_save(state, choices->spe ? words : NULL, SPE_MAX);
}

static void spe_tell(const struct choice *choice, const struct choices *choices, FILE *to)
{
	char words[SPE_MAX] = "off";

	(void)choice;
	if (choices->spe)
		spe_option_print(&choices->spe_config, words, sizeof(words));
	fputs(words, to);
}

const struct choice_kind kind_spe = {.state = spe_state, .tell = spe_tell};
