/* SPDX-License-Identifier: BSD-2-Clause */
/* Preparations for KVM_RUN, and its exits. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/step/step.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

/* DBGBCR<n>_EL1: E, PMC of EL1, BAS of a whole instruction; an unlinked address match. */
#define BREAKPOINT_EL1 (DBGBCR_EL1_E | ARM_VALUE(DBGBCR_EL1_PMC, 1) | DBGBCR_EL1_BAS)

/* Single-step or not, by vcpu->stepping; software breakpoints exit to vspe. */
static void set_debug(struct vspe_kvm_vcpu *vcpu)
{
	const bool step = vcpu->stepping || vcpu->vectors.over || vcpu->aside;
	const bool block = vcpu->stepping && !vcpu->aside && vcpu->block.plan.length > 0;
	struct kvm_guest_debug debug = {.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP};
	uint64_t armed = KVM_UNARMED, at[KVM_ARM_MAX_DBG_REGS];
	unsigned int vectors = 0;

	if (block)
		kvm_block_arm(vcpu, &debug);
	else if (step)
		debug.control |= KVM_GUESTDBG_SINGLESTEP | (vcpu->aside ? KVM_GUESTDBG_USE_HW : 0);
	else
		vectors = kvm_vectors_wanted(vcpu);
	if (vectors > 0)
		armed = vcpu->vectors.vbar;
	/* The ends of a block differ each time. */
	if (!block && debug.control == vcpu->debug && armed == vcpu->vectors.armed &&
	    vectors == vcpu->vectors.count && !(vectors > 0 && vcpu->own.stale))
		return;
	vcpu->debug = debug.control;
	vcpu->vectors.armed = armed;
	vcpu->vectors.count = vectors;
	for (unsigned int n = 0; n < vectors; n++)
		at[n] = armed + n * UINT64_C(0x200);
	if (vectors > 0) {
		debug.control |= KVM_GUESTDBG_USE_HW;
		kvm_debug_fill(vcpu, &debug, at, vectors, BREAKPOINT_EL1);
	}
	if (ioctl(vcpu->calls.fd, KVM_SET_GUEST_DEBUG, &debug) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_GUEST_DEBUG");
}

/* KVM completes an access to a device when the guest runs again; here it only enters. */
static void complete_access(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->run->immediate_exit = 1;
	if (ioctl(vcpu->calls.fd, KVM_RUN, 0) < 0 && errno != EINTR && errno != EAGAIN)
		kvm_calls_fail(&vcpu->calls, "KVM_RUN");
	vcpu->run->immediate_exit = 0;
	vcpu->completing = false;
	kvm_forget(vcpu, false);
}

/* The result of a call, unless something has failed. */
static int come_to(struct vspe_kvm_vcpu *vcpu, int result)
{
	if (!vcpu->calls.error)
		return result;
	(void)snprintf(vcpu->why, sizeof(vcpu->why), "%s: %s", vcpu->calls.failed,
		       strerror(vcpu->calls.error));
	return -VSPE_KVM_ECALL;
}

static void prepare(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->prepared = true;
	if (!vcpu->sampler.signal_is_set_up &&
	    kvm_signal_set_up(vcpu->calls.fd, vcpu->sampler.signal) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_SIGNAL_MASK");
}

int vspe_kvm_before_run(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->sampler.perf) {
		if (!vcpu->prepared)
			prepare(vcpu);
		if (!vcpu->mid_step)
			kvm_count_before(vcpu);
	}
	if (vcpu->stepping && !vcpu->mid_step) {
		if (vcpu->completing)
			complete_access(vcpu);
		if (!kvm_step_before(vcpu))
			return come_to(vcpu, VSPE_KVM_AGAIN);
		vcpu->mid_step = true;
	}
	set_debug(vcpu);
	kvm_forget(vcpu, !vcpu->stepping);
	vcpu->completing = false;
	return come_to(vcpu, VSPE_KVM_RUN);
}

int vspe_kvm_after_run(struct vspe_kvm_vcpu *vcpu, int error)
{
	if (error == EINTR && vcpu->sampler.perf) {
		kvm_count_overflow(vcpu, kvm_signal_drain(vcpu->sampler.signal));
	} else if (error && error != EINTR && error != EAGAIN) {
		errno = error;
		kvm_calls_fail(&vcpu->calls, "KVM_RUN");
	}
	if (vcpu->watched && kvm_power_look(vcpu))
		kvm_spe_changed(vcpu);
	if (vcpu->sampler.perf)
		kvm_count_after(vcpu, error == 0);
	if (error)
		return come_to(vcpu, VSPE_KVM_YOURS);
	kvm_vectors_follow(vcpu);
	switch (vcpu->run->exit_reason) {
	case KVM_EXIT_MMIO:
		kvm_count_trapped(vcpu);
		vcpu->completing = true;
		return come_to(vcpu, VSPE_KVM_YOURS);
	case KVM_EXIT_DEBUG: kvm_trap(vcpu); return come_to(vcpu, VSPE_KVM_AGAIN);
	default: return come_to(vcpu, VSPE_KVM_YOURS);
	}
}

const char *vspe_kvm_why(const struct vspe_kvm_vcpu *vcpu)
{
	return vcpu->why;
}

void vspe_kvm_vcpu_changed(struct vspe_kvm_vcpu *vcpu)
{
	kvm_forget(vcpu, true);
	vcpu->own.stale = true;
}

void vspe_kvm_vcpu_reset(struct vspe_kvm_vcpu *vcpu)
{
	kvm_power_reset(vcpu);
	kvm_spe_changed(vcpu);
}

struct spe_unit *vspe_kvm_unit(struct vspe_kvm_vcpu *vcpu)
{
	return vcpu->spe;
}

uint64_t vspe_kvm_operations(const struct vspe_kvm_vcpu *vcpu)
{
	return vcpu->ops;
}

void vspe_kvm_stats(const struct vspe_kvm_vcpu *vcpu, struct vspe_kvm_stats *stats)
{
	*stats = (struct vspe_kvm_stats){
		.operations = vcpu->ops,
		.skid = vcpu->skid,
		.interrupts = vcpu->counter.overflows,
		.in_vain = vcpu->counter.in_vain,
		.displaced = vcpu->displaced,
	};
}
