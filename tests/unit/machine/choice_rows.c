/* SPDX-License-Identifier: BSD-2-Clause */
/* The choices of a machine: what is saved comes back, and each difference is reported. */
#include "../../array.h"
#include "../compare.h"

#include <stdlib.h>
#include <string.h>

#include "machine/choice_rows.h"
#include "machine/machine.h"
#include "machine/numa_option.h"
#include "machine/state_file.h"

/* A machine with SPE and without firmware, as vspe run makes it by default. */
static struct choices plain(void)
{
	struct choices choices = choices_default(&engine_soft);

	choices.kernel = "guest";
	choices.levels = (struct engine_levels){.start = 1};
	choices.seeded = true;
	spe_config_defaults(&choices.spe_config, SPE_VERSION_DEFAULT);
	return choices;
}

static void change_cpus(struct choices *choices)
{
	choices->cpus = 3;
}

static void change_mem(struct choices *choices)
{
	choices->ram_size = UINT64_C(512) << 20;
}

static void change_levels(struct choices *choices)
{
	choices->levels = (struct engine_levels){
		.start = 2, .el2 = true, .el3 = true, .sel2 = true, .security = ENGINE_SECURE};
}

static void change_core(struct choices *choices)
{
	choices->core = spe_core_find("neoverse-n1");
}

static void change_pmu(struct choices *choices)
{
	choices->pmu = PMU_V3P7;
}

static void change_seed(struct choices *choices)
{
	choices->seed = 7;
}

static void change_rtc(struct choices *choices)
{
	choices->rtc = 8;
}

static void change_cntfrq(struct choices *choices)
{
	choices->counter_hz = 2000000;
}

static void change_params(struct choices *choices)
{
	choices->params = "quiet";
}

static void change_acpi(struct choices *choices)
{
	choices->firmware = "firmware";
	choices->acpi = !choices->acpi;
}

static void change_numa(struct choices *choices)
{
	char why[256];

	cr_assert_eq(numa_option_parse("cpus=0,56M:latency=300", &choices->numa, why, sizeof(why)),
		     0);
	cr_assert_eq(numa_option_complete(&choices->numa, choices->cpus, choices->ram_size, why,
					  sizeof(why)),
		     0);
}

static void change_numa_of_firmware(struct choices *choices)
{
	change_acpi(choices);
	change_numa(choices);
}

/* Each choice that is compared with a saved machine: a change of it, and the message. */
static const struct {
	enum choice_id id;
	void (*change)(struct choices *choices);
	const char *option, *value, *has;
} rows[] = {
	{CHOICE_CPUS, change_cpus, "cpus", "1", "has 3"},
	{CHOICE_MEM, change_mem, "mem", "256", "has 512"},
	{CHOICE_EL, change_levels, "el", "1", "starts at EL2 in Secure state"},
	{CHOICE_CPU, change_core, "cpu", "generic", "has neoverse-n1"},
	{CHOICE_PMU, change_pmu, "pmu", "off", "has v3p7"},
	{CHOICE_SEED, change_seed, "seed", "0", "has 7"},
	{CHOICE_RTC, change_rtc, "rtc", "1767225600", "has 8"},
	{CHOICE_CNTFRQ, change_cntfrq, "cntfrq", "1000000000", "has 2000000"},
	{CHOICE_NUMA, change_numa, "numa", "no nodes", "has 200M:cpus=0,56M:latency=300"},
	{CHOICE_PARAMS, change_params, "params", "", "has others"},
};

static void save(struct state *state, const struct choices *choices)
{
	struct choices copy = *choices;

	state_save(state, "choices");
	choices_state(state, &copy, STATE_FILE_VERSION);
	cr_assert(!state->failed, "%s", state->why);
}

/* size bytes of a saved machine, as a file of that version has them. */
static struct choices load(const struct state *from, size_t size, uint32_t version)
{
	struct choices choices = {.engine = &engine_soft};
	struct state state;

	state_load(&state, "choices", from->bytes, size);
	choices_state(&state, &choices, version);
	cr_assert(state_end(&state), "%s", state.why);
	return choices;
}

Test(choice_rows, what_is_given_and_another_is_told)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct choices mine = plain(), saved = mine;
		bool given[CHOICES] = {false};
		enum choice_id id = 0;
		char *value, *has;

		rows[i].change(&saved);
		cr_assert(!choices_conflict(given, &mine, &saved, &id), "%s is not given",
			  rows[i].option);
		given[rows[i].id] = true;
		id = 0;
		cr_assert(!choices_conflict(given, &mine, &mine, &id), "%s is the same",
			  rows[i].option);
		id = 0;
		cr_assert(choices_conflict(given, &mine, &saved, &id), "%s", rows[i].option);
		cr_assert_eq(id, rows[i].id);
		value = choices_value(id, &mine);
		has = choices_has(id, &saved);
		cr_assert_str_eq(choices_option(id), rows[i].option);
		cr_assert_str_eq(value, rows[i].value);
		cr_assert_str_eq(has, rows[i].has);
		free(value);
		free(has);
	}
}

Test(choice_rows, acpi_tables_are_missed_if_they_were_there)
{
	bool given[CHOICES] = {[CHOICE_NO_ACPI] = true};
	struct choices with = plain(), without = with;
	enum choice_id id = 0;

	without.acpi = false;
	cr_assert(choices_conflict(given, &without, &with, &id));
	id = 0;
	cr_assert(!choices_conflict(given, &with, &without, &id));
}

Test(choice_rows, what_is_saved_comes_back)
{
	void (*const more[])(struct choices *) = {change_acpi, change_numa_of_firmware};

	for (size_t i = 0; i < ARRAY_SIZE(rows) + ARRAY_SIZE(more); i++) {
		struct choices one = plain(), back, adopted;
		struct state state, again;

		(i < ARRAY_SIZE(rows) ? rows[i].change : more[i - ARRAY_SIZE(rows)])(&one);
		save(&state, &one);
		back = load(&state, state.at, STATE_FILE_VERSION);
		adopted = plain();
		choices_adopt(&adopted, &back);
		save(&again, &adopted);
		cr_assert_eq(again.at, state.at);
		cr_assert_arr_eq(again.bytes, state.bytes, state.at, "row %zu", i);
		state_free(&state);
		state_free(&again);
		choices_free(&back);
	}
}

/* Version 4 has all choices except CNTFRQ_EL0, which is the last. */
Test(choice_rows, what_an_older_file_has_not_is_as_it_was_then)
{
	struct choices one = plain(), back;
	struct state state;

	one.counter_hz = 2000000;
	one.rtc = 9;
	save(&state, &one);
	back = load(&state, state.at - sizeof(one.counter_hz), 4);
	cr_assert_eq(back.counter_hz, 1000000000);
	cr_assert_eq(back.rtc, 9);
	choices_free(&back);
	/* Neither seed nor clock, of 1, 8 and 4 bytes. */
	back = load(&state, state.at - sizeof(one.counter_hz) - 13, 3);
	cr_assert_eq(back.rtc, 0);
	cr_assert_eq(back.seeded, false);
	cr_assert_str_eq(back.core->name, "generic");
	choices_free(&back);
	state_free(&state);
}

/* What was left out may be what the saved machine has. */
Test(choice_rows, nodes_that_are_shared_are_those_of_the_machine)
{
	bool given[CHOICES] = {[CHOICE_NUMA] = true};
	struct choices mine = plain(), saved = mine;
	enum choice_id id = 0;
	char why[256];

	saved.cpus = 4;
	saved.ram_size = UINT64_C(1) << 30;
	saved.numa.count = 2;
	cr_assert_eq(
		numa_option_complete(&saved.numa, saved.cpus, saved.ram_size, why, sizeof(why)), 0);
	mine.numa.count = 2;
	cr_assert(!choices_conflict(given, &mine, &saved, &id));
	mine.numa.count = 3;
	id = 0;
	cr_assert(choices_conflict(given, &mine, &saved, &id));
}

/* Recordings and saved machines of machines without nodes are as before there were any. */
Test(choice_rows, without_nodes_there_is_no_trace_of_them)
{
	struct choices one = plain();
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	choices_describe(&one, to);
	cr_assert_eq(fclose(to), 0);
	cr_assert_str_lacks(text, "numa");
	free(text);
	change_numa(&one);
	to = open_memstream(&text, &size);
	choices_describe(&one, to);
	cr_assert_eq(fclose(to), 0);
	cr_assert_str_has(text, "numa 200M:cpus=0,56M:latency=300\n");
	free(text);
}

static void nodes_without_memory(struct choices *choices)
{
	choices->numa = (struct model_nodes){.count = 1, .node = {{.cores = 1}}};
}

static void no_cpus(struct choices *choices)
{
	choices->cpus = 0;
}

static void half_a_mib(struct choices *choices)
{
	choices->ram_size = UINT64_C(3) << 19;
}

static void slow(struct choices *choices)
{
	choices->counter_hz = MACHINE_MIN_HZ - 1;
}

/* The message names the option. */
static void refuses(void (*change)(struct choices *choices), const char *why)
{
	struct choices one = plain();
	struct state state;

	change(&one);
	state_save(&state, "choices");
	choices_state(&state, &one, STATE_FILE_VERSION);
	cr_assert(state.failed);
	cr_assert_str_eq(state.why, why);
	state_free(&state);
}

Test(choice_rows, what_cannot_be_is_refused)
{
	refuses(no_cpus, "choices: impossible --cpus");
	refuses(half_a_mib, "choices: impossible --mem");
	refuses(slow, "choices: impossible --cntfrq");
	refuses(nodes_without_memory, "choices: impossible --numa");
}
