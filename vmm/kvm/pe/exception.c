/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A synchronous exception to EL1 (Arm ARM D1.3, AArch64.TakeException): for a BRK that is the
 * guest's own, and an access that is UNDEFINED.
 */
#include "kvm/kvm.h"

#define PSTATE_KEPT (SPSR_ELx_NZCV | SPSR_ELx_DIT | SPSR_ELx_PAN)
#define PSTATE_EL1H (ARM_VALUE(SPSR_ELx_EL, 1) | SPSR_ELx_SP)

static uint64_t vector(uint64_t pstate)
{
	if (PSTATE_EL(pstate) == 1)
		return pstate & SPSR_ELx_SP ? 0x200 : 0;
	return pstate & SPSR_ELx_nRW ? 0x600 : 0x400;
}

void kvm_take_exception(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	const uint64_t sctlr = kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1));
	uint64_t pstate, from;

	kvm_place(vcpu);
	from = vcpu->known.pstate & ~SPSR_ELx_SS;
	if (vcpu->own.ss && vcpu->own.active && vcpu->own.pstate_ss)
		from |= SPSR_ELx_SS;
	vcpu->own.pstate_ss = false;
	pstate = (from & PSTATE_KEPT) | SPSR_ELx_DAIF | PSTATE_EL1H;
	if (vcpu->has_pan && !(sctlr & SCTLR_ELx_SPAN))
		pstate |= SPSR_ELx_PAN;
	if (vcpu->has_mte)
		pstate |= SPSR_ELx_TCO;
	if (sctlr & SCTLR_ELx_DSSBS)
		pstate |= SPSR_ELx_SSBS;
	kvm_set(vcpu, KVM_CORE(elr_el1), vcpu->known.pc);
	kvm_set(vcpu, KVM_CORE(spsr[0]), from);
	kvm_set(vcpu, KVM_SYSREG(ESR_EL1), arm_esr(ec, iss));
	kvm_go(vcpu, kvm_get(vcpu, KVM_SYSREG(VBAR_EL1)) + vector(from), pstate);
	kvm_vectors_entered(vcpu);
}

bool kvm_fetch_aborted(struct engine_vcpu *vcpu)
{
	const uint32_t class = arm_ec_of(kvm_get(vcpu, KVM_SYSREG(ESR_EL1)));

	return (class & ~ARM_EC_SAME_EL) == ARM_EC_FETCH_ABORT || class == ARM_EC_PC_ALIGNMENT;
}
