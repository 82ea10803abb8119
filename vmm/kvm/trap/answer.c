/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer to an access, wherever it was caught, and how it counts for the unit. */
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

/* What an MSR writes. */
static uint64_t written_value(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access)
{
	return access->rt == 31 ? 0 : kvm_x(vcpu, access->rt);
}

static bool access_unit(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access)
{
	const struct sysreg_access wanted = {
		.reg = access->reg, .write = access->write, .rt = access->rt};
	uint64_t value = access->write ? written_value(vcpu, access) : 0;

	/* A PE without EL2 and EL3 cannot trap to them. */
	if (spe_access(vcpu->spe, &vcpu->controls, wanted, &value).kind != SYSREG_DIRECT)
		return false;
	if (!access->write)
		kvm_set_x(vcpu, access->rt, value);
	return true;
}

/* false: it is UNDEFINED. */
static bool access_at(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access, unsigned int el)
{
	if (el == 0)
		return false;
	switch (access->kind) {
	case KVM_ACCESS_ID: kvm_set_x(vcpu, access->rt, vcpu->id[access->id]); return true;
	case KVM_ACCESS_VBAR: kvm_vectors_set(vcpu, written_value(vcpu, access)); return true;
	case KVM_ACCESS_DEBUG:
		kvm_debug_write(vcpu, access->debug, written_value(vcpu, access));
		return true;
	default: return access_unit(vcpu, access);
	}
}

bool kvm_answer(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access, unsigned int el,
		bool *selected)
{
	vcpu->ops++;
	if (vcpu->controls.el != el) {
		vcpu->controls.el = (uint8_t)el;
		spe_update(vcpu->spe, &vcpu->controls);
	}
	if (spe_budget(vcpu->spe) == 1 && !vcpu->selected.shown)
		kvm_sample_before(vcpu, 0, false, true);
	*selected = spe_advance(vcpu->spe, 1) == SPE_SELECTED;
	return access_at(vcpu, access, el);
}

void kvm_answered(struct vspe_kvm_vcpu *vcpu, bool done, bool selected)
{
	if (selected || vcpu->selected.shown)
		kvm_sample_after(vcpu, !done, selected);
	vcpu->selected.collected = vcpu->selected.shown = false;
	kvm_spe_changed(vcpu);
}

void kvm_emulate(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access)
{
	bool selected, done;

	kvm_place(vcpu);
	done = kvm_answer(vcpu, access, PSTATE_EL(vcpu->known.pstate), &selected);
	if (done)
		kvm_go(vcpu, vcpu->known.pc + 4,
		       vcpu->known.pstate & ~(SPSR_ELx_BTYPE | SPSR_ELx_SS));
	else
		kvm_take_exception(vcpu, ARM_EC_UNKNOWN, 0);
	kvm_answered(vcpu, done, selected);
	if (done)
		kvm_own_step_after(vcpu, 0, false);
}
