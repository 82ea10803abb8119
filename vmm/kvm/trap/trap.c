/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM_EXIT_DEBUG: a BRK that stands for an access (access.h), a BRK or BKPT of the guest, or a
 * single step.
 */
#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/step/step.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

#define PAGE	       UINT64_C(4096)
#define PAGE_MASK      (~(PAGE - 1))
#define EL1_PAGE_TRAPS 255 /* until the tables are looked at again */
#define VBAR_WRITES    256 /* that are trapped; then VBAR_EL1 is looked at now and then */

/*
 * Is the guest at EL1, judging only by its PC? Reading PSTATE costs a quarter of an exit. The upper
 * half belongs to EL1 in every system that separates the two, and its tables have recently
 * confirmed that; otherwise read PSTATE.
 */
static bool is_el1_page(uint64_t pc, const struct kvm_el1_page *known)
{
	return pc >> 55 & 1 && known->left > 0 && known->page == (pc & PAGE_MASK);
}

static void know_el1_page(struct vspe_kvm_vcpu *vcpu, uint64_t pc, struct kvm_el1_page *known)
{
	known->left = 0;
	if (!(pc >> 55 & 1) || PSTATE_EL(vcpu->known.pstate) != 1)
		return;
	kvm_know_code(vcpu, pc);
	if (kvm_code(vcpu, pc, 1) && !kvm_code(vcpu, pc, 0))
		*known = (struct kvm_el1_page){.page = pc & PAGE_MASK, .left = EL1_PAGE_TRAPS};
}

/* Give up a write of VBAR_EL1 that is executed too often, as with Linux's kpti. */
static void give_up_vbar(struct vspe_kvm_vcpu *vcpu, uint64_t pc, const struct kvm_access *access)
{
	uint8_t *at;

	if (access->kind != KVM_ACCESS_VBAR ||
	    atomic_fetch_add(&vcpu->vm->vbar_writes, 1) < VBAR_WRITES)
		return;
	kvm_know_code(vcpu, pc);
	at = kvm_code(vcpu, pc, 1);
	if (at)
		kvm_patch_undo(vcpu, at, access);
}

/* A BRK that stands for an access. */
static void answer_patched(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access)
{
	const uint64_t pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	struct kvm_el1_page *known = &vcpu->el1_pages[pc / PAGE % KVM_EL1_PAGES];
	bool selected;

	if (vcpu->stepping || !is_el1_page(pc, known)) {
		kvm_place(vcpu);
		know_el1_page(vcpu, pc, known);
		kvm_emulate(vcpu, access);
	} else {
		known->left--;
		if (!kvm_answer(vcpu, access, 1, &selected)) {
			kvm_take_exception(vcpu, ARM_EC_UNKNOWN, 0);
			kvm_answered(vcpu, false, selected);
			return;
		}
		kvm_set(vcpu, KVM_CORE(regs.pc), pc + 4);
		kvm_answered(vcpu, true, selected);
	}
	give_up_vbar(vcpu, pc, access);
}

static void answer_brk(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint16_t imm)
{
	struct kvm_access access;

	vcpu->mid_step = false;
	if (ec == ARM_EC_BRK && kvm_own_brk(vcpu->vm, imm, &access)) {
		answer_patched(vcpu, &access);
		return;
	}
	kvm_count_trapped(vcpu);
	kvm_take_exception(vcpu, ec, imm);
	if (vcpu->stepping)
		kvm_operation(vcpu, true);
}

/* A breakpoint or watchpoint of the guest, as KVM reports it. */
static void own_debug_event(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	if (!kvm_own_debug_matches(vcpu))
		return;
	kvm_step_break(vcpu);
	kvm_own_debug_take(vcpu, ec, iss);
	if (vcpu->stepping && ec == ARM_EC_WATCHPOINT)
		kvm_operation(vcpu, true);
}

void kvm_trap(struct vspe_kvm_vcpu *vcpu)
{
	const uint32_t syndrome = vcpu->run->debug.arch.hsr;
	const uint32_t ec = arm_ec_of(syndrome);

	if (ec == ARM_EC_BREAKPOINT && vcpu->block.plan.length > 0) {
		kvm_block_after(vcpu);
		return;
	}
	kvm_block_stop(vcpu);
	vcpu->vectors.over = vcpu->aside = false;
	switch (ec) {
	case ARM_EC_BRK:
	case ARM_EC_BKPT32: answer_brk(vcpu, ec, syndrome & 0xffff); break;
	case ARM_EC_BREAKPOINT:
		if (kvm_vectors_exit(vcpu))
			kvm_vectors_hit(vcpu);
		else
			own_debug_event(vcpu, ec, syndrome & ARM_ISS_MASK);
		break;
	case ARM_EC_WATCHPOINT: own_debug_event(vcpu, ec, syndrome & ARM_ISS_MASK); break;
	case ARM_EC_STEP:
		if (vcpu->mid_step)
			kvm_step_after(vcpu);
		break;
	default: break;
	}
}
