/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A synchronous exception to EL1 (Arm ARM D1.3, AArch64.TakeException): for a BRK that is the
 * guest's own, and an access that is UNDEFINED.
 */
#include "kvm/kvm.h"

#define REG(op0, op1, crn, crm, op2) ARM64_SYS_REG(op0, op1, crn, crm, op2)

#define SCTLR_SPAN  (UINT64_C(1) << 23)
#define SCTLR_DSSBS (UINT64_C(1) << 44)
#define PSTATE_KEPT \
	(UINT64_C(0xf1000000) | UINT64_C(1) << 22) /* NZCV, DIT and PAN, as an SPSR has them */
#define PSTATE_SSBS (UINT64_C(1) << 12)
#define PSTATE_PAN  (UINT64_C(1) << 22)
#define PSTATE_TCO  (UINT64_C(1) << 25)
#define PSTATE_DAIF (UINT64_C(0xf) << 6)
#define PSTATE_EL1H UINT64_C(5)

static uint64_t vector(uint64_t pstate)
{
	if (PSTATE_EL(pstate) == 1)
		return pstate & PSTATE_SP ? 0x200 : 0;
	return pstate & PSTATE_AARCH32 ? 0x600 : 0x400;
}

void kvm_take_exception(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	const uint64_t sctlr = kvm_get(vcpu, REG(3, 0, 1, 0, 0));
	uint64_t pstate, from;

	kvm_place(vcpu);
	from = vcpu->known.pstate & ~PSTATE_SS;
	if (vcpu->own.ss && vcpu->own.active && vcpu->own.pstate_ss)
		from |= PSTATE_SS;
	vcpu->own.pstate_ss = false;
	pstate = (from & PSTATE_KEPT) | PSTATE_DAIF | PSTATE_EL1H;
	if (vcpu->has_pan && !(sctlr & SCTLR_SPAN))
		pstate |= PSTATE_PAN;
	if (vcpu->has_mte)
		pstate |= PSTATE_TCO;
	if (sctlr & SCTLR_DSSBS)
		pstate |= PSTATE_SSBS;
	kvm_set(vcpu, KVM_CORE(elr_el1), vcpu->known.pc);
	kvm_set(vcpu, KVM_CORE(spsr[0]), from);
	kvm_set(vcpu, REG(3, 0, 5, 2, 0), arm_esr(ec, iss));
	kvm_go(vcpu, kvm_get(vcpu, REG(3, 0, 12, 0, 0)) + vector(from), pstate);
	kvm_vectors_entered(vcpu);
}
