/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options --kvm-* choose, and the words in which the engine accounts for a run. */
#ifndef VSPE_KVM_TUNING_H
#define VSPE_KVM_TUNING_H

#include "arm/model_mode.h"
#include "engine.h"

/* How the engine gets at accesses that KVM answers itself. */
enum kvm_trap_method {
	KVM_TRAP_AUTO,	     /* patch and breakpoint; without breakpoints of the host, patch */
	KVM_TRAP_PATCH,	     /* BRKs in their place, in the code that is loaded */
	KVM_TRAP_BREAKPOINT, /* breakpoints at EL1's vectors, where KVM makes the access UNDEFINED;
				BRKs for what KVM answers otherwise */
	KVM_TRAP_STEP,	     /* every instruction is stepped */
};

/* How operations are counted while profiling is enabled. */
struct kvm_sampler {
	bool perf;   /* a perf event, and single steps for the last of them; else all are stepped */
	bool cycles; /* the event is PERF_COUNT_HW_CPU_CYCLES, else PERF_COUNT_HW_INSTRUCTIONS */
	unsigned int multiplier;       /* events in an instruction, 1 or more */
	unsigned int margin;	       /* instructions that are stepped before a selected one */
#define KVM_MARGIN_MEASURED UINT32_MAX /* as many as the event's interrupt is found to need */
};

struct engine_tuning {
	enum kvm_trap_method trap;
	bool patch_modules; /* signed kernel modules too; they lose their signature */
	bool list_sites;    /* note what is patched, and what is not */
	struct kvm_sampler sampler;
	struct model_wish model;
	struct model_config machine;
};

extern const struct engine_tuning kvm_tuning_default;
extern const struct engine_option kvm_options[];

/* Of struct engine. */
int kvm_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size);
int kvm_check_wish(const struct engine_wish *wish, char *why, size_t size);
void kvm_tell(const struct engine_account *account, const struct engine_listener *to);

/* The words of struct engine_account. Its counts are of enum kvm_site_kind, then MODEL_COUNTS. */
enum kvm_account_word { KVM_ACCOUNT_TRAP, KVM_ACCOUNT_COUNTING, KVM_ACCOUNT_MODEL };

#endif
