/* SPDX-License-Identifier: BSD-2-Clause */
/* An operation, as the unit counts it; and the consequences of a change of the unit. */
#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/unit/unit.h"

static void tell_irq(struct vspe_kvm_vcpu *vcpu, bool level)
{
	const struct vspe_kvm *vm = vcpu->vm;

	if (vm->callbacks.irq)
		vm->callbacks.irq(vm->ctx, vcpu->index, level);
	else if (kvm_set_line(vm->fd, vcpu->index, vm->intid, level) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_IRQ_LINE");
}

void kvm_spe_changed(struct vspe_kvm_vcpu *vcpu)
{
	const bool irq = spe_irq_level(vcpu->spe);

	/*
	 * A mere change of Exception level may enable profiling: then everything is stepped, or
	 * kvm_count_before() decides what is.
	 */
	vcpu->profiling =
		spe_read(vcpu->spe, SYSREG_PMSCR_EL1) & (PMSCR_EL1_E0SPE | PMSCR_EL1_E1SPE) &&
		spe_read(vcpu->spe, SYSREG_PMBLIMITR_EL1) & PMBLIMITR_EL1_E;
	vcpu->stepping =
		vcpu->step_always || vcpu->own.ss || (vcpu->profiling && !vcpu->sampler.perf);
	kvm_power_watch(vcpu);
	if (irq == vcpu->irq)
		return;
	vcpu->irq = irq;
	tell_irq(vcpu, irq);
}

void kvm_operation(struct vspe_kvm_vcpu *vcpu, bool excepted)
{
	bool selected;

	vcpu->ops++;
	selected = spe_advance(vcpu->spe, 1) == SPE_SELECTED;
	if (selected || vcpu->selected.shown)
		kvm_sample_after(vcpu, excepted, selected);
	if (selected)
		kvm_spe_changed(vcpu);
	vcpu->selected.collected = vcpu->selected.shown = false;
}
