/* SPDX-License-Identifier: BSD-2-Clause */
/* The object of a VM. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kvm/count/count.h"
#include "kvm/count/skid.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"

#define PAGE UINT64_C(4096)

int vspe_kvm_config_defaults(struct vspe_kvm_config *config, size_t size)
{
	if (size != sizeof(*config))
		return -VSPE_KVM_ESIZE;
	*config = (struct vspe_kvm_config){
		.size = sizeof(*config),
		.kvm = -1,
		.vm = -1,
		.cpus = 1,
		.multiplier = 1,
		.margin = VSPE_KVM_MARGIN_MEASURED,
		.signal = SIGUSR1,
		.intid = 21,
	};
	return 0;
}

/* The name of a value in the configuration that is out of range, or NULL. */
static const char *wrong_value(const struct vspe_kvm_config *config)
{
	const struct {
		bool wrong;
		const char *name;
	} rows[] = {
		{config->kvm < 0, "kvm"},
		{config->vm < 0, "vm"},
		{config->cpus < 1 || config->cpus > VSPE_KVM_CPUS_MAX, "cpus"},
		{config->region_count < 1 || !config->regions, "regions"},
		{(unsigned int)config->trap > VSPE_KVM_TRAP_STEP, "trap"},
		{(unsigned int)config->sampler > VSPE_KVM_SAMPLER_PERF, "sampler"},
		{(unsigned int)config->event > VSPE_KVM_EVENT_CYCLES, "event"},
		{config->multiplier < 1 || config->multiplier > VSPE_KVM_MULTIPLIER_MAX,
		 "multiplier"},
		{config->margin > VSPE_KVM_MARGIN_MAX && config->margin != VSPE_KVM_MARGIN_MEASURED,
		 "margin"},
		{config->signal < 1 || config->signal > SIGRTMAX, "signal"},
		{config->intid < 16 || config->intid > 31, "intid"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].wrong)
			return rows[i].name;
	for (size_t i = 0; i < config->region_count; i++) {
		const struct vspe_kvm_region *region = &config->regions[i];

		if (region->base % PAGE || region->size % PAGE || (uintptr_t)region->host % PAGE ||
		    !region->size || !region->host ||
		    region->base + region->size - 1 < region->base)
			return "regions";
	}
	return NULL;
}

static int refuse(int error, char *why, size_t size, const char *text)
{
	(void)snprintf(why, size, "%s", text);
	return -error;
}

/* Choose how accesses are trapped: as requested, if the host can do it. */
static int choose_trap(struct vspe_kvm *vm, enum vspe_kvm_trap trap, char *why, size_t size)
{
	unsigned int breakpoints;

	vm->trap = trap;
	if (trap != VSPE_KVM_TRAP_AUTO && trap != VSPE_KVM_TRAP_BREAKPOINT)
		return 0;
	vm->breakpoints = kvm_vectors_can(vm, &breakpoints);
	if (vm->breakpoints || trap == VSPE_KVM_TRAP_AUTO)
		return 0;
	(void)snprintf(why, size,
		       "the host's KVM has %u hardware breakpoints for guests, and 2 are needed",
		       breakpoints);
	return -VSPE_KVM_EBREAKPOINTS;
}

static struct vspe_kvm *allocate(const struct vspe_kvm_config *config)
{
	const size_t regions = config->region_count * sizeof(config->regions[0]);
	struct vspe_kvm *vm = calloc(1, sizeof(*vm));

	if (!vm)
		return NULL;
	vm->vcpu = calloc(config->cpus, sizeof(struct vspe_kvm_vcpu *));
	vm->regions = malloc(regions);
	if (!vm->vcpu || !vm->regions) {
		vspe_kvm_destroy(vm);
		return NULL;
	}
	memcpy(vm->regions, config->regions, regions);
	vm->region_count = config->region_count;
	vm->first = config->regions[0];
	vm->cpus = config->cpus;
	vm->kvm = config->kvm;
	vm->fd = config->vm;
	vm->intid = config->intid;
	vm->callbacks = config->callbacks;
	vm->ctx = config->ctx;
	vm->brk_base = KVM_BRK_BASE;
	vm->sampler = (struct kvm_sampler){
		.perf = config->sampler == VSPE_KVM_SAMPLER_PERF,
		.cycles = config->event == VSPE_KVM_EVENT_CYCLES,
		.multiplier = config->multiplier,
		.margin = config->margin,
		.signal = config->signal,
		.signal_is_set_up = config->signal_is_set_up,
	};
	return vm;
}

int vspe_kvm_create(struct vspe_kvm **made, const struct vspe_kvm_config *config, char *why,
		    size_t size)
{
	const char *wrong;
	struct vspe_kvm *vm;
	int error;

	*made = NULL;
	if (config->size != sizeof(*config))
		return refuse(VSPE_KVM_ESIZE, why, size, vspe_kvm_strerror(VSPE_KVM_ESIZE));
	wrong = wrong_value(config);
	if (wrong)
		return refuse(VSPE_KVM_EVALUE, why, size, wrong);
	vm = allocate(config);
	if (!vm)
		return refuse(VSPE_KVM_EMEMORY, why, size, vspe_kvm_strerror(VSPE_KVM_EMEMORY));
	error = choose_trap(vm, config->trap, why, size);
	if (!error && vm->sampler.perf &&
	    kvm_calibrate(vm->kvm, &vm->sampler, &vm->costs, why, size) < 0)
		error = -VSPE_KVM_EEVENT;
	if (error) {
		vspe_kvm_destroy(vm);
		return error;
	}
	if (vm->sampler.margin == VSPE_KVM_MARGIN_MEASURED)
		vm->sampler.margin = kvm_skid_margin(vm->costs.skid);
	*made = vm;
	return 0;
}

void vspe_kvm_destroy(struct vspe_kvm *vm)
{
	if (!vm)
		return;
	for (unsigned int i = 0; vm->vcpu && i < vm->cpus; i++)
		vspe_kvm_vcpu_destroy(vm->vcpu[i]);
	free(vm->vcpu);
	free(vm->regions);
	free(vm);
}

const char *vspe_kvm_trap_name(const struct vspe_kvm *vm)
{
	if (vm->trap == VSPE_KVM_TRAP_STEP)
		return "step";
	if (vm->trap == VSPE_KVM_TRAP_BREAKPOINT)
		return "breakpoint";
	return vm->breakpoints ? "patch and breakpoint" : "patch";
}
