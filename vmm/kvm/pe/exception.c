/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A synchronous exception to EL1 (Arm ARM D1.3, AArch64.TakeException): for a BRK that belongs to
 * the guest, and for an access that is UNDEFINED.
 */
#include "arm/exception.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"

void kvm_take_exception(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	struct arm_exception exception = {
		.vector = ARM_VECTOR_SYNC,
		.target = 1,
		.sets_pan = vcpu->has_pan,
		.mte = vcpu->has_mte,
	};
	struct arm_entry entry;

	kvm_place(vcpu);
	exception.pstate = vcpu->known.pstate & ~SPSR_ELx_SS;
	if (vcpu->own.ss && vcpu->own.active && vcpu->own.pstate_ss)
		exception.pstate |= SPSR_ELx_SS;
	vcpu->own.pstate_ss = false;
	exception.sctlr = kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1));
	exception.vbar = kvm_get(vcpu, KVM_SYSREG(VBAR_EL1));
	entry = arm_enter_exception(&exception);
	kvm_set(vcpu, KVM_CORE(elr_el1), vcpu->known.pc);
	kvm_set(vcpu, KVM_CORE(spsr[0]), entry.spsr);
	kvm_set(vcpu, KVM_SYSREG(ESR_EL1),
		arm_esr(arm_reported_ec(ec, iss, PSTATE_EL(exception.pstate), 1), iss));
	kvm_go(vcpu, entry.pc, entry.pstate);
	kvm_vectors_entered(vcpu);
}

bool kvm_fetch_aborted(struct vspe_kvm_vcpu *vcpu)
{
	const uint32_t class = arm_ec_of(kvm_get(vcpu, KVM_SYSREG(ESR_EL1)));

	return (class & ~ARM_EC_SAME_EL) == ARM_EC_FETCH_ABORT || class == ARM_EC_PC_ALIGNMENT;
}
