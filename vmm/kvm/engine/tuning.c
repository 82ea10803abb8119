/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the KVM engine, and its report of a run. Built on every host: see engine.h. */
#include "kvm/engine/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arm/model_counts.h"
#include "base/number.h"

const struct engine_tuning kvm_tuning_default = {
	.multiplier = 1,
	.margin = VSPE_KVM_MARGIN_MEASURED,
};

static int refuse_value(char *what, size_t size, const char *text)
{
	(void)snprintf(what, size, "%s", text);
	return -1;
}

static int take_trap(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	static const char *const names[] = {[VSPE_KVM_TRAP_AUTO] = "auto",
					    [VSPE_KVM_TRAP_PATCH] = "patch",
					    [VSPE_KVM_TRAP_BREAKPOINT] = "breakpoint",
					    [VSPE_KVM_TRAP_STEP] = "step"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			tuning->trap = (enum vspe_kvm_trap)i;
			return 0;
		}
	}
	return refuse_value(what, size, "none of auto, patch, breakpoint and step");
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as every taker is. */
static int take_patch_modules(struct engine_tuning *tuning, const char *value, char *what,
			      size_t size)
{
	(void)value, (void)what, (void)size;
	tuning->patch_modules = true;
	return 0;
}

static int take_sampler(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	const bool perf = strcmp(value, "perf") == 0;

	tuning->sampler = perf ? VSPE_KVM_SAMPLER_PERF : VSPE_KVM_SAMPLER_STEP;
	if (perf || strcmp(value, "step") == 0)
		return 0;
	return refuse_value(what, size, "neither perf nor step");
}

/* instructions or cycles, perhaps followed by :N, how many of them make an instruction. */
static int take_event(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	const size_t name = strcspn(value, ":");
	const bool cycles = name == 6 && strncmp(value, "cycles", name) == 0;
	uint64_t multiplier = 1;

	tuning->event = cycles ? VSPE_KVM_EVENT_CYCLES : VSPE_KVM_EVENT_INSTRUCTIONS;
	if (!cycles && (name != 12 || strncmp(value, "instructions", name) != 0))
		return refuse_value(what, size, "neither instructions nor cycles");
	if (value[name] == ':' &&
	    (!number_read(value + name + 1, VSPE_KVM_MULTIPLIER_MAX, &multiplier) || !multiplier))
		return refuse_value(what, size, "what follows : is no number from 1 to 1000");
	tuning->multiplier = (unsigned int)multiplier;
	return 0;
}

static int take_margin(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	uint64_t margin;

	if (!number_read(value, VSPE_KVM_MARGIN_MAX, &margin))
		return refuse_value(what, size, "not a number from 0 to 1000000");
	tuning->margin = (unsigned int)margin;
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as every taker is. */
static int take_sites(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	(void)value, (void)what, (void)size;
	tuning->list_sites = true;
	return 0;
}

static int take_model(struct engine_tuning *tuning, const char *value, char *what, size_t size)
{
	return model_wish_read(value, &tuning->model, what, size);
}

#include "kvm_rows.h"

int kvm_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size)
{
	return model_wish_core(&tuning->model, core, &tuning->machine, why, size);
}

bool kvm_tuning_models(const struct engine_tuning *tuning)
{
	return tuning->model.mode != MODEL_OFF;
}

/* Operations that a model sees must be stepped, every one of them. */
static const char *model_lacks(const struct engine_tuning *tuning, const struct spe_config *spe)
{
	if (tuning->model.mode == MODEL_WARM)
		return "--engine kvm shows the model all that it steps: --model full";
	if (tuning->sampler == VSPE_KVM_SAMPLER_PERF)
		return "not with --kvm-sampler perf, which lets most operations pass unseen";
	if (!spe)
		return "without SPE --engine kvm steps nothing that a model could see";
	if (spe->misspeculated.member)
		return "not with --spe misspec: the KVM engine follows no wrong path";
	return NULL;
}

int kvm_check_wish(const struct engine_wish *wish, char *why, size_t size)
{
	const struct engine_tuning *tuning = wish->tuning ? wish->tuning : &kvm_tuning_default;

	if (tuning->patch_modules && tuning->trap == VSPE_KVM_TRAP_STEP)
		return refuse_value(why, size,
				    "--kvm-patch-modules with --kvm-trap step: nothing is patched; "
				    "give one of them");
	if (tuning->model.mode != MODEL_OFF) {
		const char *lack = model_lacks(tuning, wish->spe);

		if (lack) {
			(void)snprintf(why, size, "--model %s: %s", tuning->model.value, lack);
			return -1;
		}
	}
	if (wish->gic == ENGINE_GIC_V2 && wish->cpus > ENGINE_GICV2_CPUS)
		return refuse_value(why, size,
				    "--irqchip gicv2: a GICv2 has 8 CPU interfaces at most");
	if (wish->levels.start != 1 || wish->levels.el3)
		return refuse_value(why, size,
				    "--engine kvm: KVM's guests start at EL1 in Non-secure state; "
				    "--engine soft starts them in others");
	return 0;
}

/* In the order of the report. */
static const struct {
	enum vspe_kvm_site_kind kind;
	const char *name, *text;
} sites[] = {
	{VSPE_KVM_SITE_PATCHED, "patched", "patched before the start"},
	{VSPE_KVM_SITE_MET, "patched_later", "later"},
	{VSPE_KVM_SITE_DATA, "left", "left as data"},
	{VSPE_KVM_SITE_SIGNED, "left_signed", "left in signed modules"},
	{VSPE_KVM_SITE_COMPRESSED, "compressed", "compressed pieces not looked into"},
};

#define SITES (sizeof(sites) / sizeof(sites[0]))

/*
 * The part of records that no host provides: arm/model.h, or a machine model. All else is the
 * guest's.
 */
static const char *modelled(const struct engine_account *account)
{
	return account->words[KVM_ACCOUNT_MODEL][0]
		       ? "latencies, data source, events of caches, TLBs and branch prediction"
		       : "latencies, data source, events of caches and TLBs";
}

_Static_assert(VSPE_KVM_SITE_KINDS + MODEL_COUNTS <= ENGINE_COUNTS, "each count has a place");

static void tell_line(const struct engine_account *account, const struct engine_listener *to)
{
	char line[sizeof(account->words[0]) + 32], counts[MODEL_COUNTS_LINE];
	int at;

	if (account->words[KVM_ACCOUNT_TRAP][0]) {
		at = snprintf(line, sizeof(line), "accesses trapped by %s;",
			      account->words[KVM_ACCOUNT_TRAP]);
		for (size_t i = 0; i < SITES && at < (int)sizeof(line); i++)
			at += snprintf(line + at, sizeof(line) - (size_t)at, "%s %s %" PRIu64,
				       i ? "," : "", sites[i].text, account->counts[sites[i].kind]);
		to->line(to->ctx, line);
	}
	if (account->words[KVM_ACCOUNT_COUNTING][0]) {
		(void)snprintf(line, sizeof(line), "counting: %s",
			       account->words[KVM_ACCOUNT_COUNTING]);
		to->line(to->ctx, line);
	}
	if (account->words[KVM_ACCOUNT_TRAP][0]) {
		(void)snprintf(line, sizeof(line),
			       "modelled in records: %s; all else is the guest's own",
			       modelled(account));
		to->line(to->ctx, line);
	}
	if (account->words[KVM_ACCOUNT_MODEL][0]) {
		model_counts_line(account->counts + VSPE_KVM_SITE_KINDS,
				  account->words[KVM_ACCOUNT_MODEL], counts, sizeof(counts));
		to->line(to->ctx, counts);
	}
}

void kvm_tell(const struct engine_account *account, const struct engine_listener *to)
{
	static const char *const words[] = {
		[KVM_ACCOUNT_TRAP] = "trap",
		[KVM_ACCOUNT_COUNTING] = "counting",
		[KVM_ACCOUNT_MODEL] = "model",
	};

	if (to->line)
		tell_line(account, to);
	for (size_t i = 0; to->count && i < SITES; i++)
		to->count(to->ctx, sites[i].name, account->counts[sites[i].kind]);
	if (to->count && account->words[KVM_ACCOUNT_MODEL][0])
		model_counts_tell(account->counts + VSPE_KVM_SITE_KINDS,
				  account->words[KVM_ACCOUNT_MODEL], to->ctx, to->count);
	for (size_t i = 0; to->word && i < sizeof(words) / sizeof(words[0]); i++)
		if (account->words[i][0])
			to->word(to->ctx, words[i], account->words[i]);
	if (to->word && account->words[KVM_ACCOUNT_TRAP][0])
		to->word(to->ctx, "modelled", modelled(account));
}
