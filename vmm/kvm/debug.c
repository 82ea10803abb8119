/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's own breakpoints and watchpoints (Arm ARM D2.8, D2.9). KVM has their exceptions come
 * to us, whatever the guest has enabled: those that it would have had go to it, and it is stepped
 * over the others while its breakpoints are out of the way.
 */
#include "kvm/kvm.h"
#include "kvm/selfhosted.h"

#define REG(op0, op1, crn, crm, op2) ARM64_SYS_REG(op0, op1, crn, crm, op2)
#define FAR_EL1			     REG(3, 0, 6, 0, 0)
#define MDSCR_EL1		     REG(2, 0, 0, 2, 2)
#define OSLSR_EL1		     REG(2, 0, 1, 1, 4)

static bool is_enabled(struct engine_vcpu *vcpu)
{
	uint64_t oslsr;

	/* A KVM that does not know the register has no OS Lock (before Linux 5.18). */
	if (!kvm_try_get(vcpu, OSLSR_EL1, &oslsr))
		oslsr = 0;
	kvm_place(vcpu);
	return kvm_debug_enabled(kvm_get(vcpu, MDSCR_EL1), oslsr, vcpu->known.pstate);
}

void kvm_own_debug_event(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	const bool watchpoint = ec == KVM_EC_WATCHPOINT;
	bool at_el1;

	/* The instruction has not executed; a step of it goes on. */
	if (!is_enabled(vcpu)) {
		vcpu->aside = true;
		return;
	}
	kvm_step_break(vcpu);
	at_el1 = PSTATE_EL(vcpu->known.pstate) == 1;
	if (watchpoint) {
		kvm_set(vcpu, FAR_EL1, vcpu->run->debug.arch.far);
		if (vcpu->counter.counting)
			kvm_count_exception(vcpu, ec, at_el1);
	}
	/* KVM tells of them as from a lower Exception level, to itself. */
	kvm_take_exception(vcpu, at_el1 ? ec + 1 : ec, iss);
	if (vcpu->stepping && watchpoint)
		kvm_operation(vcpu, true);
}
