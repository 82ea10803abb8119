/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of the options --kvm-*, and the words in which the engine accounts for a run. */
#ifndef VSPE_KVM_TUNING_H
#define VSPE_KVM_TUNING_H

#include <vspe/kvm.h>

#include "arm/model_mode.h"
#include "engine.h"

struct engine_tuning {
	enum vspe_kvm_trap trap;
	bool patch_modules; /* signed kernel modules too; they lose their signature */
	bool list_sites;    /* note what is patched, and what is not */
	enum vspe_kvm_sampler sampler;
	enum vspe_kvm_event event;
	unsigned int multiplier, margin; /* of struct vspe_kvm_config */
	struct model_wish model;
	struct model_config machine;
};

extern const struct engine_tuning kvm_tuning_default;
extern const struct engine_option kvm_options[];

/* Of struct engine. */
bool kvm_tuning_models(const struct engine_tuning *tuning);
int kvm_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size);
int kvm_check_wish(const struct engine_wish *wish, char *why, size_t size);
void kvm_tell(const struct engine_account *account, const struct engine_listener *to);

/* The words of struct engine_account; its counts are sites of vspe/kvm.h, then MODEL_COUNTS. */
enum kvm_account_word { KVM_ACCOUNT_TRAP, KVM_ACCOUNT_COUNTING, KVM_ACCOUNT_MODEL };

#endif
