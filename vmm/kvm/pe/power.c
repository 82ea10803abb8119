/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel does to a vCPU without notice: PSCI CPU_ON (Arm DEN 0022, 5.6) of one that was
 * off is a Warm reset, which clears PMBLIMITR_EL1.E. It happens inside KVM_RUN.
 *
 * DBGVCR32_EL2 reveals it. KVM keeps the register for every vCPU and resets it with the others. A
 * guest without EL2 that is AArch64 at EL1 cannot access it, and it is never loaded into the PE for
 * one. So it is set when the buffer is enabled, and is 0 again if there was a reset since. Only
 * events that come back to vspe depend on the reset: an access to the unit, a single step, and an
 * event's count.
 */
#include "a64/a64.h"
#include "kvm/pe/pe.h"
#include "kvm/unit/unit.h"

/* HVC and SMC, whatever their immediate: a step over a reset began at one. */
static bool is_call(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && (insn->id == A64_HVC || insn->id == A64_SMC);
}

bool kvm_power_can(struct vspe_kvm_vcpu *vcpu)
{
	return vcpu->vm->cpus == 1 || kvm_has(vcpu, KVM_SYSREG(DBGVCR32_EL2));
}

void kvm_power_watch(struct vspe_kvm_vcpu *vcpu)
{
	const bool enabled = spe_read(vcpu->spe, SYSREG_PMBLIMITR_EL1) & PMBLIMITR_EL1_E;

	/* If the only vCPU is turned off, it stays off. */
	if (vcpu->vm->cpus == 1 || vcpu->watched == enabled)
		return;
	vcpu->watched = enabled;
	if (enabled)
		kvm_set(vcpu, KVM_SYSREG(DBGVCR32_EL2), 1);
}

void kvm_power_reset(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->watched = false;
	vcpu->mid_step = vcpu->masked = false;
	vcpu->block.plan.length = 0;
	vcpu->vectors.over = vcpu->aside = false;
	vcpu->selected.collected = vcpu->selected.shown = false;
	if (vcpu->vm->watcher)
		vcpu->vm->watcher->reset(vcpu);
	vcpu->monitor.set = vcpu->own.live = vcpu->own.ss = false;
	vcpu->own.stale = true;
	vcpu->counter.counting = false;
	vcpu->counter.trapped = vcpu->counter.owed = 0;
	kvm_forget(vcpu, true);
	spe_reset(vcpu->spe);
	vcpu->controls.el = 1;
	spe_update(vcpu->spe, &vcpu->controls);
}

bool kvm_power_look(struct vspe_kvm_vcpu *vcpu)
{
	const bool matters = vcpu->run->exit_reason == KVM_EXIT_DEBUG || vcpu->counter.counting;

	if (!vcpu->watched || !matters ||
	    (vcpu->mid_step && vcpu->selected.word && !is_call(vcpu->selected.word)))
		return false;
	if (kvm_get(vcpu, KVM_SYSREG(DBGVCR32_EL2)) != 0)
		return false;
	kvm_power_reset(vcpu);
	return true;
}
