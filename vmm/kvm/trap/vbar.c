/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the guest's vectors are: VBAR_EL1, which it may write unnoticed. */
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"

/* Exits between two looks at VBAR_EL1: at first, and after it has been unchanged for so many. */
#define LOOK_OFTEN  1u
#define LOOK_SELDOM 64u

static void know_vbar(struct vspe_kvm_vcpu *vcpu, uint64_t vbar)
{
	vcpu->vectors.vbar = vbar & VBAR_ELx_VBA;
	vcpu->vectors.period = vcpu->vectors.look = LOOK_OFTEN;
	if (vcpu->vm->breakpoints && vcpu->vectors.scanned != vcpu->vectors.vbar) {
		vcpu->vectors.scanned = vcpu->vectors.vbar;
		kvm_patch_vectors(vcpu, vcpu->vectors.vbar);
	}
}

unsigned int kvm_vectors_wanted(struct vspe_kvm_vcpu *vcpu)
{
	if (kvm_vectors_counting(vcpu)) {
		/* The guest has just been trapped here: these are its own tables. */
		if (vcpu->vectors.count != KVM_VECTORS_COUNTED) {
			know_vbar(vcpu, kvm_get(vcpu, KVM_SYSREG(VBAR_EL1)));
			kvm_debug_look(vcpu);
		}
		return KVM_VECTORS_COUNTED;
	}
	return vcpu->vm->breakpoints ? KVM_VECTORS_OWN : 0;
}

void kvm_vectors_set(struct vspe_kvm_vcpu *vcpu, uint64_t vbar)
{
	kvm_set(vcpu, KVM_SYSREG(VBAR_EL1), vbar);
	know_vbar(vcpu, vbar);
}

/*
 * Code that has not been patched writes VBAR_EL1 and MDSCR_EL1 without a trap. A look at them costs
 * a good part of an exit, so looks become rarer while nothing changes. EL0 may run with another
 * table (Linux's kpti), which the guest leaves on its way to EL1.
 */
void kvm_vectors_follow(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_vectors *vectors = &vcpu->vectors;
	uint64_t vbar;

	if (vcpu->vectors.count == 0 || --vectors->look > 0)
		return;
	vectors->period = vectors->period < LOOK_SELDOM ? vectors->period + 1 : LOOK_SELDOM;
	vectors->look = vectors->period;
	kvm_debug_look(vcpu);
	vbar = kvm_get(vcpu, KVM_SYSREG(VBAR_EL1));
	if ((vbar & VBAR_ELx_VBA) != vectors->vbar &&
	    PSTATE_EL(kvm_get(vcpu, KVM_CORE(regs.pstate))) == 1)
		know_vbar(vcpu, vbar);
}
