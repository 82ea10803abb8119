/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stepping over a run of instructions (plan.h) at once. Breakpoints (Arm ARM D2.8) are where it
 * ends, and at the vectors of EL1 to which an exception would lead from it.
 */
#include <string.h>
#include <sys/ioctl.h>

#include "kvm/kvm.h"

#define VECTORS 4 /* of one state that an exception comes from, each of 0x80 bytes */

/* DBGBCR<n>_EL1: E, PMC of EL1 and EL0, BAS of a whole instruction; an unlinked address match. */
#define BREAKPOINT (UINT64_C(1) | UINT64_C(3) << 1 | UINT64_C(0xf) << 5)

#define MDSCR_MDE (UINT64_C(1) << 15)
#define VBAR_MASK (~UINT64_C(0x7ff))

#define PAGE 4096u

/* Not worth it for less: arming costs about as much as reading a register. */
#define SHORTEST 2

void kvm_block_init(struct engine_vcpu *vcpu)
{
	const int n = ioctl(vcpu->vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_GUEST_DEBUG_HW_BPS);

	vcpu->block = (struct kvm_block){0};
	if (n > VECTORS)
		vcpu->block.can_end = n >= VECTORS + KVM_PLAN_ENDS ? KVM_PLAN_ENDS : 1;
}

static uint64_t first_vector(const struct engine_vcpu *vcpu)
{
	const uint64_t pstate = vcpu->known.pstate;
	const uint64_t base = vcpu->known.vbar & VBAR_MASK;

	if (PSTATE_EL(pstate) == 0)
		return base + 0x400;
	return base + (pstate & PSTATE_SP ? 0x200 : 0);
}

bool kvm_block_before(struct engine_vcpu *vcpu, const uint8_t *code)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t pc = vcpu->known.pc;
	const uint64_t budget = vcpu->spe ? spe_budget(vcpu->spe) : UINT64_MAX;
	uint32_t words[PAGE / 4];
	size_t count = (PAGE - pc % PAGE) / 4;

	block->plan.length = 0;
	/* Breakpoints of the guest's own cannot be there at the same time. */
	if (block->can_end == 0 || vcpu->known.mdscr & MDSCR_MDE)
		return false;
	if (count > KVM_BLOCK_MOST)
		count = KVM_BLOCK_MOST;
	memcpy(words, code, count * 4);
	for (unsigned int n = 0; n < VECTORS; n++)
		block->vector[n] = first_vector(vcpu) + n * UINT64_C(0x80);
	block->start = pc;
	block->plan =
		kvm_plan(pc, words, count, budget - 1, block->can_end, block->vector, VECTORS);
	if (block->plan.length < SHORTEST)
		block->plan.length = 0;
	return block->plan.length > 0;
}

void kvm_block_arm(const struct engine_vcpu *vcpu, struct kvm_guest_debug *debug)
{
	const struct kvm_block *block = &vcpu->block;
	unsigned int n = 0;

	for (unsigned int i = 0; i < VECTORS; i++)
		debug->arch.dbg_bvr[n++] = block->vector[i];
	for (unsigned int i = 0; i < block->plan.ends; i++)
		debug->arch.dbg_bvr[n++] = block->plan.end[i];
	for (unsigned int i = 0; i < n; i++)
		debug->arch.dbg_bcr[i] = BREAKPOINT;
	debug->control |= KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_HW;
}

static void pass(struct engine_vcpu *vcpu, uint64_t n)
{
	vcpu->ops += n;
	if (vcpu->spe && n > 0)
		(void)spe_advance(vcpu->spe, n);
}

/* At the vector that an exception has led to. An aborted fetch is no operation. */
static void excepted(struct engine_vcpu *vcpu, uint64_t pc)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t link = kvm_get(vcpu, KVM_CORE(elr_el1));
	const bool synchronous = pc == block->vector[0];
	const unsigned int executed = kvm_plan_executed(&block->plan, block->start, link);
	const uint64_t n = executed;

	if (executed > block->plan.length)
		vcpu->skid++;
	else
		pass(vcpu, n + (synchronous && executed < block->plan.length &&
				!kvm_fetch_aborted(vcpu)));
}

void kvm_block_after(struct engine_vcpu *vcpu)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	bool at_vector = false;

	for (unsigned int i = 0; i < VECTORS; i++)
		at_vector = at_vector || pc == block->vector[i];
	vcpu->mid_step = false;
	if (at_vector) {
		excepted(vcpu, pc);
		kvm_vectors_entered(vcpu);
	} else {
		/* Nothing there has changed PSTATE but for its flags. */
		vcpu->known.pc = pc;
		vcpu->known.place = vcpu->known.rough = true;
		pass(vcpu, kvm_plan_executed(&block->plan, block->start, pc));
	}
	block->plan.length = 0;
}

void kvm_block_stop(struct engine_vcpu *vcpu)
{
	struct kvm_block *block = &vcpu->block;
	unsigned int executed;

	if (block->plan.length == 0)
		return;
	kvm_place(vcpu);
	executed = kvm_plan_executed(&block->plan, block->start, vcpu->known.pc);
	if (executed > block->plan.length)
		vcpu->skid++;
	else
		pass(vcpu, executed);
	block->plan.length = 0;
}
