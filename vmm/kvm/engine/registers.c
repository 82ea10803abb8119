/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a vCPU, for what is not SPE's. */
#include <errno.h>

#include "kvm/engine/engine_kvm.h"

void kvm_vcpu_fail(struct engine_vcpu *vcpu, const char *what)
{
	if (vcpu->error)
		return;
	vcpu->error = errno;
	vcpu->failed = what;
}

uint64_t kvm_vcpu_get(struct engine_vcpu *vcpu, uint64_t id)
{
	uint64_t value = 0;

	if (!kvm_read_one(vcpu->fd, id, &value))
		kvm_vcpu_fail(vcpu, "KVM_GET_ONE_REG");
	return value;
}

void kvm_vcpu_set(struct engine_vcpu *vcpu, uint64_t id, uint64_t value)
{
	if (!kvm_write_one(vcpu->fd, id, value))
		kvm_vcpu_fail(vcpu, "KVM_SET_ONE_REG");
}

uint64_t kvm_vcpu_x(struct engine_vcpu *vcpu, unsigned int n)
{
	return kvm_vcpu_get(vcpu, KVM_CORE(regs.regs[0]) + 2 * n);
}

void kvm_vcpu_set_x(struct engine_vcpu *vcpu, unsigned int n, uint64_t value)
{
	kvm_vcpu_set(vcpu, KVM_CORE(regs.regs[0]) + 2 * n, value);
}
