/* SPDX-License-Identifier: BSD-2-Clause */
/* An operation, as the unit counts it; and what follows from a change of the unit. */
#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/unit/unit.h"

void kvm_spe_changed(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	const bool irq = spe_irq_level(vcpu->spe);

	/*
	 * Profiling may become enabled by a mere change of Exception level: all is stepped then,
	 * or kvm_count_before() says what is.
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
	host->spe_irq(host->ctx, vcpu->index, irq);
}

void kvm_operation(struct engine_vcpu *vcpu, bool excepted)
{
	bool selected;

	vcpu->ops++;
	selected = vcpu->spe && spe_advance(vcpu->spe, 1) == SPE_SELECTED;
	if (selected || vcpu->selected.shown)
		kvm_sample_after(vcpu, excepted, selected);
	if (selected)
		kvm_spe_changed(vcpu);
	vcpu->selected.collected = vcpu->selected.shown = false;
}
