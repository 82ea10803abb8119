/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's code in the memory of this process, found with as few registers as possible. */
#include "kvm/pe/pe.h"

#define TTBR1_HALF(va) ((va) >> 55 & 1)

void kvm_know_code(struct vspe_kvm_vcpu *vcpu, uint64_t va)
{
	struct kvm_known *known = &vcpu->known;

	known->sctlr = kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1));
	known->tcr = kvm_get(vcpu, KVM_SYSREG(TCR_EL1));
	if (TTBR1_HALF(va))
		known->ttbr1 = kvm_get(vcpu, KVM_SYSREG(TTBR1_EL1));
	else
		known->ttbr0 = kvm_get(vcpu, KVM_SYSREG(TTBR0_EL1));
}

uint8_t *kvm_code(struct vspe_kvm_vcpu *vcpu, uint64_t va, unsigned int el)
{
	const bool regime = vcpu->known.regime;
	struct arm_translation t;
	bool found;

	vcpu->known.regime = true;
	found = va % 4 == 0 && kvm_translate(vcpu, va, ARM_EXECUTE, el, &t);
	vcpu->known.regime = regime;
	return found ? kvm_ram(vcpu->vm, t.pa, 4) : NULL;
}
