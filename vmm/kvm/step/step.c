/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executing one instruction of the guest at a time (Arm ARM D2.12, software step), so that counts
 * and samples are exact. An instruction that KVM would answer wrongly is emulated before it is
 * reached.
 */
#include "a64/a64.h"
#include "kvm/pe/pe.h"
#include "kvm/step/step.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

/* Instructions of the system space, which includes all that change a translation regime. */
static bool is_system(uint32_t word)
{
	return a64_group(word) == A64_GROUP_SYSTEM;
}

/*
 * With a perf event only the last few operations before the selected one are stepped. No interrupt
 * may be taken in between: all of its handler would be stepped, at an Exception level that may not
 * even be profiled, and for longer than the guest's timer allows. An instruction that neither reads
 * nor writes PSTATE cannot notice; if it takes an exception, SPSR_EL1 is corrected. The
 * architecture does not promise when an interrupt is taken (Arm ARM D1.3.6).
 */
static void mask_interrupts(struct vspe_kvm_vcpu *vcpu, uint32_t word)
{
	const bool generates_exception = a64_group(word) == A64_GROUP_EXCEPTION;

	vcpu->masked = false;
	if (!vcpu->sampler.perf || is_system(word) || generates_exception ||
	    (vcpu->known.pstate & (SPSR_ELx_I | SPSR_ELx_F)) == (SPSR_ELx_I | SPSR_ELx_F) ||
	    spe_budget(vcpu->spe) == UINT64_MAX)
		return;
	vcpu->masked = true;
	vcpu->unmasked = vcpu->known.pstate & (SPSR_ELx_I | SPSR_ELx_F);
	kvm_place(vcpu);
	kvm_go(vcpu, vcpu->known.pc, vcpu->known.pstate | (SPSR_ELx_I | SPSR_ELx_F));
}

/* Show the operation at code to the watcher; for a BRK of vspe, the access that it stands for. */
static void show_watcher(struct vspe_kvm_vcpu *vcpu, const uint8_t *code, uint32_t word,
			 bool selected)
{
	struct kvm_access access;
	uint16_t imm;

	if (kvm_is_brk(word, &imm) && kvm_own_brk(vcpu->vm, imm, &access))
		word = kvm_access_word(&access);
	kvm_sample_before(vcpu, word, true, selected);
	vcpu->vm->watcher->before(vcpu, code);
	vcpu->selected.shown = true;
}

bool kvm_step_before(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_access access;
	unsigned int el;
	uint32_t word = 0;
	const uint8_t *code;
	bool fetched, selected;

	/* The instruction at a vector is executed now. */
	vcpu->vectors.over = false;
	vcpu->selected.shown = false;
	kvm_rough_place(vcpu);
	if (kvm_own_step_before(vcpu))
		return false;
	el = PSTATE_EL(vcpu->known.pstate);
	code = vcpu->known.pstate & SPSR_ELx_nRW ? NULL
						 : kvm_fetch(vcpu, vcpu->known.pc, el, &word);
	fetched = code != NULL;
	if (vcpu->controls.el != el) {
		vcpu->controls.el = (uint8_t)el;
		spe_update(vcpu->spe, &vcpu->controls);
	}
	selected = spe_budget(vcpu->spe) == 1;
	if (fetched && vcpu->vm->watcher)
		show_watcher(vcpu, code, word, selected);
	if (fetched && !(vcpu->known.pstate & SPSR_ELx_IL) &&
	    (kvm_access_decode(word, &access) ||
	     (kvm_access_decode_debug(word, &access) && access.debug == KVM_DEBUG_MDSCR))) {
		kvm_emulate(vcpu, &access);
		return false;
	}
	if (selected && !vcpu->selected.shown)
		kvm_sample_before(vcpu, word, fetched, true);
	vcpu->selected.word = word;
	vcpu->selected.op.pc = vcpu->known.pc;
	vcpu->selected.op.el = (uint8_t)el;
	kvm_own_step_at(vcpu, word);
	if (fetched && kvm_exclusive(vcpu, word)) {
		kvm_own_step_after(vcpu, word, false);
		kvm_operation(vcpu, vcpu->known.pc != vcpu->selected.op.pc + 4);
		return false;
	}
	if (fetched && !selected && !vcpu->selected.shown && !(vcpu->known.pstate & SPSR_ELx_IL) &&
	    kvm_block_before(vcpu, code))
		return true;
	/* The next walk must see what this instruction does to the regime. */
	if (!fetched || is_system(word))
		vcpu->known.regime = false;
	if (fetched)
		mask_interrupts(vcpu, word);
	return true;
}

enum step_outcome { STEP_EXECUTED, STEP_EXCEPTED, STEP_INTERRUPTED };

/*
 * Where the step has led. An interrupt that is taken before the instruction executes also ends the
 * step, at its vector and with ELR_EL1 at the instruction; a synchronous exception leads to another
 * vector.
 */
static enum step_outcome step_outcome(struct vspe_kvm_vcpu *vcpu)
{
	const uint64_t from = vcpu->selected.op.pc, pc = vcpu->known.pc;
	const bool entered = pc % 0x80 == 0 && PSTATE_EL(vcpu->known.pstate) == 1 &&
			     vcpu->known.pstate & SPSR_ELx_SP &&
			     (vcpu->known.pstate & SPSR_ELx_DAIF) == SPSR_ELx_DAIF;
	uint64_t offset, link;

	if (!entered || (pc == from + 4 && vcpu->selected.op.el == 1))
		return STEP_EXECUTED;
	offset = pc - kvm_get(vcpu, KVM_SYSREG(VBAR_EL1));
	if (offset >= 0x800)
		return STEP_EXECUTED;
	link = kvm_get(vcpu, KVM_CORE(elr_el1));
	if (offset % 0x200 != 0)
		return link == from ? STEP_INTERRUPTED : STEP_EXECUTED;
	return link == from || link == from + 4 ? STEP_EXCEPTED : STEP_EXECUTED;
}

/* Restore the masks from before the step at their present place: PSTATE, or SPSR_EL1. */
static void unmask_interrupts(struct vspe_kvm_vcpu *vcpu, enum step_outcome what)
{
	const uint64_t spsr_el1 = KVM_CORE(spsr[KVM_SPSR_EL1]);

	if (!vcpu->masked)
		return;
	vcpu->masked = false;
	kvm_place(vcpu);
	if (what == STEP_EXECUTED)
		kvm_go(vcpu, vcpu->known.pc,
		       (vcpu->known.pstate & ~(SPSR_ELx_I | SPSR_ELx_F)) | vcpu->unmasked);
	else
		kvm_set(vcpu, spsr_el1,
			(kvm_get(vcpu, spsr_el1) & ~(SPSR_ELx_I | SPSR_ELx_F)) | vcpu->unmasked);
}

/*
 * Learn PC; and PSTATE, if the instruction or an exception may have changed more of it than the
 * flags. A vector is at a multiple of 0x80.
 */
static void know_place(struct vspe_kvm_vcpu *vcpu, const struct a64_insn *insn)
{
	struct kvm_known *known = &vcpu->known;

	known->pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	known->place = known->rough = true;
	if (!insn || insn->target == A64_TARGET_ERET || is_system(vcpu->selected.word) ||
	    known->pc % 0x80 == 0 || PSTATE_EL(known->pstate) != vcpu->selected.op.el)
		kvm_place(vcpu);
}

void kvm_step_after(struct vspe_kvm_vcpu *vcpu)
{
	const struct a64_insn *insn = a64_decode(vcpu->selected.word);
	enum step_outcome what;

	vcpu->mid_step = false;
	know_place(vcpu, insn);
	what = step_outcome(vcpu);
	unmask_interrupts(vcpu, what);
	kvm_own_step_after(vcpu, vcpu->selected.word, what != STEP_EXECUTED);
	if (what != STEP_EXECUTED)
		kvm_vectors_entered(vcpu);
	/* ERET and CLREX clear the local monitor (Arm ARM B2.12). */
	if (insn && (insn->target == A64_TARGET_ERET || insn->id == A64_CLREX))
		vcpu->monitor.set = false;
	if (what == STEP_INTERRUPTED || (what == STEP_EXCEPTED && kvm_fetch_aborted(vcpu)))
		vcpu->selected.collected = vcpu->selected.shown = false;
	else
		kvm_operation(vcpu, what == STEP_EXCEPTED);
}

void kvm_step_break(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->mid_step = vcpu->selected.shown = false;
	unmask_interrupts(vcpu, STEP_EXECUTED);
}
