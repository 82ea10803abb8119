/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a vCPU, read and written one at a time, and only when they are needed. */

#include "kvm/pe/pe.h"

uint64_t kvm_get(struct vspe_kvm_vcpu *vcpu, uint64_t id)
{
	return kvm_calls_get(&vcpu->calls, id);
}

void kvm_set(struct vspe_kvm_vcpu *vcpu, uint64_t id, uint64_t value)
{
	kvm_calls_set(&vcpu->calls, id, value);
}

bool kvm_try_set(struct vspe_kvm_vcpu *vcpu, uint64_t id, uint64_t value)
{
	return kvm_write_one(vcpu->calls.fd, id, value);
}

bool kvm_has(struct vspe_kvm_vcpu *vcpu, uint64_t id)
{
	uint64_t value;

	return kvm_read_one(vcpu->calls.fd, id, &value);
}

uint64_t kvm_get_if_there(struct vspe_kvm_vcpu *vcpu, uint64_t id)
{
	uint64_t value;

	return kvm_read_one(vcpu->calls.fd, id, &value) ? value : 0;
}

uint64_t kvm_x(struct vspe_kvm_vcpu *vcpu, unsigned int n)
{
	if (n < 31)
		return kvm_get(vcpu, KVM_X(n));
	kvm_rough_place(vcpu);
	if (PSTATE_EL(vcpu->known.pstate) == 1 && vcpu->known.pstate & SPSR_ELx_SP)
		return kvm_get(vcpu, KVM_CORE(sp_el1));
	return kvm_get(vcpu, KVM_CORE(regs.sp));
}

uint64_t kvm_read_register(const void *ctx, unsigned int n)
{
	return kvm_x((struct vspe_kvm_vcpu *)(uintptr_t)ctx, n);
}

void kvm_set_x(struct vspe_kvm_vcpu *vcpu, unsigned int n, uint64_t value)
{
	if (n < 31)
		kvm_set(vcpu, KVM_X(n), value);
}

void kvm_place(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_known *known = &vcpu->known;

	if (known->place && !known->rough)
		return;
	if (!known->place)
		known->pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	known->pstate = kvm_get(vcpu, KVM_CORE(regs.pstate));
	known->place = true;
	known->rough = false;
}

void kvm_rough_place(struct vspe_kvm_vcpu *vcpu)
{
	if (!vcpu->known.place)
		kvm_place(vcpu);
}

void kvm_go(struct vspe_kvm_vcpu *vcpu, uint64_t pc, uint64_t pstate)
{
	kvm_place(vcpu);
	if (vcpu->known.pc != pc)
		kvm_set(vcpu, KVM_CORE(regs.pc), pc);
	if (vcpu->known.pstate != pstate)
		kvm_set(vcpu, KVM_CORE(regs.pstate), pstate);
	vcpu->known.pc = pc;
	vcpu->known.pstate = pstate;
}

void kvm_forget(struct vspe_kvm_vcpu *vcpu, bool regime)
{
	vcpu->known.place = false;
	if (regime)
		vcpu->known.regime = false;
}
