/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints at EL1's vectors: are any possible, and is the guest at one? */
#include <sys/ioctl.h>

#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"

bool kvm_vectors_can_count(const struct vspe_kvm *vm)
{
	return ioctl(vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_GUEST_DEBUG_HW_BPS) >=
	       KVM_VECTORS_COUNTED;
}

bool kvm_vectors_can(const struct vspe_kvm *vm, unsigned int *breakpoints)
{
	const int n = ioctl(vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_GUEST_DEBUG_HW_BPS);

	*breakpoints = n > 0 ? (unsigned int)n : 0;
	return *breakpoints >= KVM_VECTORS_OWN;
}

void kvm_vectors_entered(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->vm->breakpoints || vcpu->vm->costs.vectors)
		vcpu->vectors.over = true;
}

bool kvm_vectors_exit(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_vectors *vectors = &vcpu->vectors;
	uint64_t offset;

	if (arm_ec_of(vcpu->run->debug.arch.hsr) != ARM_EC_BREAKPOINT ||
	    vectors->armed == KVM_UNARMED)
		return false;
	if (!vcpu->own.live)
		return true;
	kvm_place(vcpu);
	offset = vcpu->known.pc - vectors->armed;
	return offset % 0x200 == 0 && offset / 0x200 < vectors->count;
}

/* Are there exceptions of the guest that the perf event leaves out? */
static bool are_left_out(const struct kvm_costs *costs)
{
	return costs->multiplier > 0 && costs->vectors &&
	       !(costs->svc && costs->undefined && costs->abort);
}

bool kvm_vectors_counting(const struct vspe_kvm_vcpu *vcpu)
{
	return vcpu->counter.counting && are_left_out(&vcpu->vm->costs);
}

bool kvm_vectors_may(const struct vspe_kvm *vm)
{
	return vm->breakpoints || are_left_out(&vm->costs);
}
