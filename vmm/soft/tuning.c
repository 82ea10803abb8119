/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the software CPU: see engine.h. */
#include "soft/tuning.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arm/model_state.h"
#include "arm/pmu_words.h"
#include "base/nearest.h"
#include "base/number.h"
#include "soft/cpu.h"
#include "soft/code_memory.h"
#include "soft/jitdump.h"
#include "soft/jitgdb.h"
#include "soft/sys/isa.h"

const struct engine_tuning soft_tuning_default;

/* NOLINTNEXTLINE(readability-non-const-parameter): as every taker is. */
static int take_single_step(struct engine_tuning *tuning, const char *value, char *what,
			    size_t size)
{
	(void)value, (void)what, (void)size;
	tuning->single_step = true;
	return 0;
}

/* A sandbox, which is entered after the options, lets no memory become code. */
static int take_jit(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	static const char *const words[] = {
		[SOFT_JIT_AUTO] = "auto", [SOFT_JIT_ON] = "on", [SOFT_JIT_OFF] = "off"};
	enum soft_jit_wish wish = SOFT_JIT_AUTO;
	int error;

	while (wish <= SOFT_JIT_OFF && strcmp(value, words[wish]) != 0)
		wish++;
	if (wish > SOFT_JIT_OFF) {
		(void)snprintf(what, size, "none of auto, on and off");
		return -1;
	}
	tuning->jit = wish;
	error = wish == SOFT_JIT_ON ? soft_code_memory_reserve() : 0;
	if (error == -ENOSYS)
		(void)snprintf(what, size, "this build has no translator for this host");
	else if (error)
		(void)snprintf(what, size, "no memory for code: %s", strerror(-error));
	return error ? -1 : 0;
}

static int take_jitdump(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	const int error = SOFT_JIT ? soft_jitdump_open() : -ENOSYS;

	(void)tuning, (void)value;
	if (error == -ENOSYS)
		(void)snprintf(what, size, "this build has no translator for this host");
	else if (error)
		(void)snprintf(what, size, "jit-PID.dump in this folder: %s", strerror(-error));
	return error ? -1 : 0;
}

static int take_jit_gdb(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	(void)tuning, (void)value;
	if (!SOFT_JIT) {
		(void)snprintf(what, size, "this build has no translator for this host");
		return -1;
	}
	soft_jitgdb_begin();
	return 0;
}

const char *soft_tuning_endless(void)
{
	return soft_jitdump_is_open() ? "--jitdump writes as long as code is made" : NULL;
}

void soft_tuning_reserve(const struct engine_tuning *tuning)
{
	if (tuning->jit == SOFT_JIT_AUTO && !tuning->single_step)
		(void)soft_code_memory_reserve();
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* One word of --isa. If the first has no sign, the set begins empty instead of with the core's. */
static bool take_isa_word(struct engine_tuning *tuning, const char *text, size_t length, bool first)
{
	const bool remove = *text == '-', plain = !remove && *text != '+';
	const char *word = plain ? text : text + 1;
	uint64_t bits;

	length -= (size_t)(word - text);
	if (plain && first)
		tuning->isa_kept = 0;
	if (plain && first && is_word(word, length, "none"))
		return true;
	bits = is_word(word, length, "all") ? SOFT_ISA_ALL : soft_isa_find(word, length);
	tuning->isa_kept &= ~bits;
	if (remove)
		tuning->isa_added &= ~bits;
	else
		tuning->isa_added |= bits;
	return bits != 0;
}

static int refuse_isa(const char *text, size_t length, char *what, size_t size)
{
	char words[SOFT_ISA_WORDS], wanted[NEAREST_MOST], name[NEAREST_MOST];
	char hint[2 * NEAREST_MOST];
	struct nearest nearest = {.text = wanted, .distance = SIZE_MAX};

	(void)snprintf(wanted, sizeof(wanted), "%.*s", (int)length, text);
	nearest.text += strspn(wanted, "+-");
	soft_isa_words(SOFT_ISA_ALL, words, sizeof(words));
	for (const char *word = words; *word; word += strspn(word, ",")) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, ","), word);
		nearest_try(&nearest, name);
		word += strcspn(word, ",");
	}
	(void)snprintf(what, size, "\"%.*s\" is none of none,all,%s%s", (int)length, text, words,
		       nearest_hint(&nearest, "", "", hint, sizeof(hint)));
	return -1;
}

static int take_isa(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	tuning->isa_given = true;
	tuning->isa_kept = SOFT_ISA_ALL;
	tuning->isa_added = 0;
	for (const char *at = value;;) {
		const size_t length = strcspn(at, ",");

		if (!take_isa_word(tuning, at, length, at == value))
			return refuse_isa(at, length, what, size);
		at += length;
		if (!*at++)
			return 0;
	}
}

static int take_sve_vl(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	uint64_t bits;

	if (!number_read(value, 8 * SOFT_VL_MAX, &bits) || bits < 128 || bits & (bits - 1)) {
		(void)snprintf(what, size, "none of 128, 256, 512, 1024 and 2048");
		return -1;
	}
	tuning->sve_vl_given = (unsigned int)bits / 8;
	return 0;
}

static int take_model(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	tuning->model_given = true;
	return model_wish_read(value, &tuning->model, what, size);
}

static int take_unknown(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	if (!number_read(value, UINT64_MAX, &tuning->unknown.seed)) {
		(void)snprintf(what, size, "not a number from 0 to 0xffffffffffffffff");
		return -1;
	}
	tuning->unknown_given = tuning->unknown.drawn = true;
	return 0;
}

bool soft_tuning_seed(const struct engine_tuning *tuning, uint64_t *seed)
{
	if (tuning->unknown.drawn)
		*seed = tuning->unknown.seed;
	return tuning->unknown.drawn;
}

/*
 * The core's optional instructions. The file's keys change the model that the core has without a
 * file.
 */
int soft_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size)
{
	const char *one, *other;

	if (!tuning->isa_given)
		tuning->isa_kept = SOFT_ISA_ALL;
	tuning->isa = (soft_isa_of_core(core) & tuning->isa_kept) | tuning->isa_added;
	if (!soft_isa_possible(tuning->isa, &one, &other)) {
		(void)snprintf(why, size, "--isa: %s needs %s", one, other);
		return -1;
	}
	if (tuning->sve_vl_given && !(tuning->isa & SOFT_ISA(SVE))) {
		(void)snprintf(why, size,
			       "--sve-vl %u: %s has no SVE; add it with --isa +sve, or leave "
			       "--sve-vl out",
			       8 * tuning->sve_vl_given, core);
		return -1;
	}
	tuning->sve_vl = 0;
	if (tuning->isa & SOFT_ISA(SVE))
		tuning->sve_vl = tuning->sve_vl_given ? (uint16_t)tuning->sve_vl_given
						      : soft_isa_sve_vl(core);
	return model_wish_core(&tuning->model, core, &tuning->machine, why, size);
}

#include "soft_rows.h"

int soft_check_wish(const struct engine_wish *wish, char *why, size_t size)
{
	if (wish->pmu == ARM_PMU_HOST) {
		(void)snprintf(why, size, "--pmu kvm: only with --engine kvm, and this is soft");
		return -1;
	}
	if (wish->gic != ENGINE_GIC_V2)
		return 0;
	(void)snprintf(why, size,
		       "--irqchip gicv2: the software CPU has a GICv3; leave it "
		       "out, or give --engine kvm");
	return -1;
}

/* Above the number of keys that a model was saved with. Older images have something else there. */
#define SAVED_KEYS     UINT32_C(0x10000)
#define SAVED_KEYS_OLD 35u

static size_t saved_keys(uint32_t word)
{
	return word & SAVED_KEYS ? word & ~SAVED_KEYS : SAVED_KEYS_OLD;
}

/* Without a model, optional instructions and drawn values there is nothing to save. */
void soft_tuning_state(struct engine_tuning *tuning, struct state *state)
{
	const char *one, *other;
	uint32_t keys = tuning->model.mode == MODEL_OFF ? 0 : SAVED_KEYS | MODEL_CONFIG_KEYS;

	if (!state->loading && tuning->model.mode == MODEL_OFF && !tuning->isa &&
	    !tuning->unknown.drawn)
		return;
	STATE_UP_TO(state, tuning->model.mode, MODEL_FULL);
	STATE_FIELD(state, keys);
	if (tuning->model.mode != MODEL_OFF)
		model_config_state(&tuning->machine, saved_keys(keys), state);
	/* Images from before there were any end here. */
	if (state->loading ? state->at < state->size : tuning->isa != 0 || tuning->unknown.drawn)
		STATE_UP_TO(state, tuning->isa, SOFT_ISA_ALL);
	if (tuning->isa & SOFT_ISA(SVE))
		STATE_FIELD(state, tuning->sve_vl);
	if (tuning->isa & SOFT_ISA(SVE) && (tuning->sve_vl < 16 || tuning->sve_vl > SOFT_VL_MAX ||
					    tuning->sve_vl & (tuning->sve_vl - 1)))
		state_refuse(state, "impossible length of SVE's vectors");
	if (state->loading ? state->at < state->size : tuning->unknown.drawn) {
		STATE_FIELD(state, tuning->unknown.seed);
		tuning->unknown.drawn = true;
	}
	if (!soft_isa_possible(tuning->isa, &one, &other))
		state_refuse(state, "optional instruction %s without %s", one, other);
	if (tuning->model.mode == MODEL_OFF && !tuning->isa && !tuning->unknown.drawn)
		state_refuse(state, "impossible mode of a model");
}

bool soft_tuning_models(const struct engine_tuning *tuning)
{
	return tuning->model.mode != MODEL_OFF;
}

int soft_tuning_adopt(struct engine_tuning *tuning, const struct engine_tuning *saved, char *given,
		      char *has, size_t size)
{
	const bool same = tuning->model.mode == saved->model.mode &&
			  (tuning->model.mode == MODEL_OFF ||
			   memcmp(&tuning->machine, &saved->machine, sizeof(tuning->machine)) == 0);
	char mine[SOFT_ISA_WORDS], theirs[SOFT_ISA_WORDS];

	if (tuning->isa_given && tuning->isa != saved->isa) {
		soft_isa_words(tuning->isa, mine, sizeof(mine));
		soft_isa_words(saved->isa, theirs, sizeof(theirs));
		(void)snprintf(given, size, "--isa %s", mine);
		(void)snprintf(has, size, "%s", theirs);
		return -1;
	}
	tuning->isa = saved->isa;
	if (tuning->sve_vl_given && tuning->sve_vl_given != saved->sve_vl) {
		(void)snprintf(given, size, "--sve-vl %u", 8 * tuning->sve_vl_given);
		(void)snprintf(has, size, "%u", 8u * saved->sve_vl);
		return -1;
	}
	tuning->sve_vl = saved->sve_vl;
	if (tuning->unknown_given &&
	    (!saved->unknown.drawn || tuning->unknown.seed != saved->unknown.seed)) {
		(void)snprintf(given, size, "--unknown %" PRIu64, tuning->unknown.seed);
		if (saved->unknown.drawn)
			(void)snprintf(has, size, "%" PRIu64, saved->unknown.seed);
		else
			(void)snprintf(has, size, "none");
		return -1;
	}
	tuning->unknown = saved->unknown;
	/* If there was no model, one that begins here loses nothing. */
	if (saved->model.mode == MODEL_OFF && tuning->model.mode != MODEL_OFF) {
		tuning->model_begins = true;
		return 0;
	}
	if (!tuning->model_given || same) {
		tuning->model = saved->model;
		tuning->machine = saved->machine;
		return 0;
	}
	(void)snprintf(given, size, "--model %s", model_mode_word(tuning->model.mode));
	(void)snprintf(has, size, "%s%s", model_mode_word(saved->model.mode),
		       tuning->model.mode == saved->model.mode ? " of another file" : "");
	return -1;
}
