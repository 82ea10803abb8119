/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a path of instructions (plan.h) at once. There are breakpoints (Arm ARM D2.8) where it
 * ends, and at the vectors of EL1 that an exception would lead to.
 */
#include <string.h>

#include "kvm/pe/pe.h"
#include "kvm/step/step.h"
#include "kvm/trap/trap.h"

/* DBGBCR<n>_EL1: E, PMC of EL1 and EL0, BAS of a whole instruction; an unlinked address match. */
#define BREAKPOINT (DBGBCR_EL1_E | DBGBCR_EL1_PMC | DBGBCR_EL1_BAS)

#define PAGE 4096u

/* Not worth it for less: arming costs about as much as reading a register. */
#define SHORTEST 2

/*
 * The vectors that an exception would lead to: a synchronous one, and those that PSTATE does not
 * mask, which no instruction on the path changes (Arm ARM D1.3.6).
 */
static void know_vectors(struct vspe_kvm_vcpu *vcpu)
{
	static const uint64_t masks[] = {0, SPSR_ELx_I, SPSR_ELx_F, SPSR_ELx_A};
	const uint64_t pstate = vcpu->known.pstate;
	struct kvm_block *block = &vcpu->block;
	uint64_t vector = vcpu->known.vbar & VBAR_ELx_VBA;

	if (PSTATE_EL(pstate) == 0)
		vector += 0x400;
	else if (pstate & SPSR_ELx_SP)
		vector += 0x200;
	block->vectors = 0;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++, vector += 0x80)
		if (!(pstate & masks[i]))
			block->vector[block->vectors++] = vector;
}

static bool fetch_word(void *ctx, uint64_t va, uint32_t *word)
{
	struct vspe_kvm_vcpu *vcpu = ctx;
	struct kvm_block *block = &vcpu->block;

	if (!block->code || (va ^ block->code_va) / PAGE != 0) {
		block->code = kvm_fetch(vcpu, va, PSTATE_EL(vcpu->known.pstate), word);
		block->code_va = va;
		return block->code != NULL;
	}
	memcpy(word, block->code + (int64_t)(va - block->code_va), sizeof(*word));
	return true;
}

static uint64_t link_register(void *ctx)
{
	return kvm_x(ctx, 30);
}

bool kvm_block_before(struct vspe_kvm_vcpu *vcpu, const uint8_t *code)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t budget = spe_budget(vcpu->spe);
	struct kvm_plan_guest guest = {
		.ctx = vcpu, .fetch = fetch_word, .link = link_register, .keep_out = block->vector};
	unsigned int ends;

	block->plan.length = 0;
	know_vectors(vcpu);
	/* The guest's breakpoints cannot be there at the same time. */
	if (vcpu->own.breakpoints <= block->vectors || vcpu->known.mdscr & MDSCR_EL1_MDE ||
	    vcpu->own.ss)
		return false;
	guest.keep_outs = block->vectors;
	ends = vcpu->own.breakpoints - block->vectors;
	block->code = code;
	block->code_va = vcpu->known.pc;
	kvm_plan(&block->plan, vcpu->known.pc, budget - 1,
		 ends < KVM_PLAN_ENDS ? ends : KVM_PLAN_ENDS, &guest);
	if (block->plan.length < SHORTEST)
		block->plan.length = 0;
	return block->plan.length > 0;
}

void kvm_block_arm(const struct vspe_kvm_vcpu *vcpu, struct kvm_guest_debug *debug)
{
	const struct kvm_block *block = &vcpu->block;
	unsigned int n = 0;

	for (unsigned int i = 0; i < block->vectors; i++)
		debug->arch.dbg_bvr[n++] = block->vector[i];
	for (unsigned int i = 0; i < block->plan.ends; i++)
		debug->arch.dbg_bvr[n++] = block->plan.end[i].va;
	for (unsigned int i = 0; i < n; i++)
		debug->arch.dbg_bcr[i] = BREAKPOINT;
	debug->control |= KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_HW;
}

static void pass_block(struct vspe_kvm_vcpu *vcpu, uint64_t n)
{
	vcpu->ops += n;
	if (n > 0)
		(void)spe_advance(vcpu->spe, n);
}

/* At the vector of an exception. An aborted fetch is not an operation. */
static void block_excepted(struct vspe_kvm_vcpu *vcpu, uint64_t pc)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t link = kvm_get(vcpu, KVM_CORE(elr_el1));
	const bool synchronous = pc == block->vector[0];
	const unsigned int executed = kvm_plan_executed(&block->plan, link);
	/* Nothing is executed at an end: only a fetch can have failed there. */
	const bool operation = synchronous && !kvm_plan_is_end(&block->plan, link);

	if (executed > block->plan.length)
		vcpu->skid++;
	else
		pass_block(vcpu, executed + (uint64_t)(operation && !kvm_fetch_aborted(vcpu)));
}

void kvm_block_after(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_block *block = &vcpu->block;
	const uint64_t pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	bool at_vector = false;

	for (unsigned int i = 0; i < block->vectors; i++)
		at_vector = at_vector || pc == block->vector[i];
	vcpu->mid_step = false;
	if (at_vector) {
		block_excepted(vcpu, pc);
		kvm_vectors_entered(vcpu);
	} else {
		/* Nothing on the path has changed more of PSTATE than its flags. */
		vcpu->known.pc = pc;
		vcpu->known.place = vcpu->known.rough = true;
		pass_block(vcpu, kvm_plan_executed(&block->plan, pc));
	}
	block->plan.length = 0;
}

void kvm_block_stop(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_block *block = &vcpu->block;
	unsigned int executed;

	if (block->plan.length == 0)
		return;
	kvm_place(vcpu);
	executed = kvm_plan_executed(&block->plan, vcpu->known.pc);
	if (executed > block->plan.length)
		vcpu->skid++;
	else
		pass_block(vcpu, executed);
	block->plan.length = 0;
}
