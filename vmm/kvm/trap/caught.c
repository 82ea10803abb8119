/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints at the vectors to which EL1 takes its own synchronous exceptions. KVM makes an access
 * to SPE UNDEFINED: the guest enters its vector, and the breakpoint there (Arm ARM D2.8) exits to
 * vspe before the guest has executed anything. By then KVM has put the address of the access into
 * ELR_EL1, PSTATE into SPSR_EL1, and the UNDEFINED exception into ESR_EL1; the guest's old values
 * are lost. The access becomes a BRK, so that this happens only once.
 *
 * Other exceptions from EL1 to EL1 hit the breakpoint, too. A single step takes them past it.
 */
#include "a64/a64.h"
#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"

static uint32_t word_of(const uint8_t *at)
{
	return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/*
 * The access at va, or NULL. It may already be a BRK, if this PE has executed what it had fetched
 * before another vCPU put that there.
 */
static uint8_t *find_access(struct vspe_kvm_vcpu *vcpu, uint64_t va, uint32_t *word,
			    struct kvm_access *access)
{
	uint8_t *at = kvm_code(vcpu, va, 1);
	uint16_t imm;

	if (!at)
		return NULL;
	*word = word_of(at);
	if (kvm_access_decode(*word, access) ||
	    (kvm_is_brk(*word, &imm) && kvm_own_brk(vcpu->vm, imm, access)))
		return access->kind == KVM_ACCESS_SPE ? at : NULL;
	return NULL;
}

/* Of a regime's registers, those that point to its tables change most often. */
static bool same_tables(struct vspe_kvm_vcpu *vcpu, uint64_t va)
{
	if (va >> 55 & 1)
		return vcpu->known.ttbr1 == kvm_get(vcpu, KVM_SYSREG(TTBR1_EL1));
	return vcpu->known.ttbr0 == kvm_get(vcpu, KVM_SYSREG(TTBR0_EL1));
}

/*
 * Execute the instruction that most vectors begin with; they are in EL1h, wherever they were
 * entered from. The registers of the regime have just been read.
 */
static bool first_instruction(struct vspe_kvm_vcpu *vcpu)
{
	const uint64_t pc = kvm_get(vcpu, KVM_CORE(regs.pc));
	const uint8_t *at = kvm_code(vcpu, pc, 1);
	const uint32_t word = at ? word_of(at) : 0;
	const struct a64_insn *insn = a64_decode(word);
	const struct a64_add_sub_imm f = a64_get_add_sub_imm(word);
	uint64_t target;

	/* SUB SP, SP, #imm12{, LSL #12} */
	if (insn && insn->id == A64_SUB_IMM && f.sf && f.rn == 31 && f.rd == 31) {
		kvm_set(vcpu, KVM_CORE(sp_el1),
			kvm_get(vcpu, KVM_CORE(sp_el1)) - ((uint64_t)f.imm12 << (f.sh ? 12 : 0)));
		kvm_set(vcpu, KVM_CORE(regs.pc), pc + 4);
		return true;
	}
	if (insn && insn->id == A64_B && a64_branch_target(insn, word, pc, &target)) {
		kvm_set(vcpu, KVM_CORE(regs.pc), target);
		return true;
	}
	return false;
}

/* The exception is the guest's own. */
static void pass_on(struct vspe_kvm_vcpu *vcpu, bool code_is_known)
{
	if (code_is_known && !vcpu->profiling && first_instruction(vcpu))
		vcpu->ops++;
	else
		vcpu->vectors.over = true;
}

static void emulate_caught(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access, uint64_t pc,
			   uint64_t pstate)
{
	bool selected, done;

	/* Where the guest would be if KVM had not moved it. */
	vcpu->known.pc = pc;
	vcpu->known.pstate = pstate;
	vcpu->known.place = true;
	vcpu->known.rough = false;
	kvm_count_answered(vcpu);
	done = kvm_answer(vcpu, access, 1, &selected);
	if (done) {
		kvm_set(vcpu, KVM_CORE(regs.pc), pc + 4);
		kvm_set(vcpu, KVM_CORE(regs.pstate), pstate & ~(SPSR_ELx_BTYPE | SPSR_ELx_SS));
	} else {
		pass_on(vcpu, false);
	}
	kvm_forget(vcpu, false);
	kvm_answered(vcpu, done, selected);
}

void kvm_vectors_hit(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_access access;
	uint32_t word;
	uint64_t pc, pstate;
	uint8_t *at;
	const uint32_t ec = arm_ec_of(kvm_get(vcpu, KVM_SYSREG(ESR_EL1)));

	if (vcpu->counter.counting)
		kvm_count_exception(vcpu, ec,
				    kvm_get(vcpu, KVM_CORE(regs.pc)) - vcpu->vectors.vbar < 0x400);
	if (ec != ARM_EC_UNKNOWN || !vcpu->vm->breakpoints) {
		pass_on(vcpu, false);
		return;
	}
	pc = kvm_get(vcpu, KVM_CORE(elr_el1));
	at = same_tables(vcpu, pc) ? find_access(vcpu, pc, &word, &access) : NULL;
	if (!at) {
		kvm_know_code(vcpu, pc);
		at = find_access(vcpu, pc, &word, &access);
	}
	pstate = at ? kvm_get(vcpu, KVM_CORE(spsr[0])) : 0;
	if (PSTATE_EL(pstate) != 1) {
		pass_on(vcpu, true);
		return;
	}
	emulate_caught(vcpu, &access, pc, pstate);
	kvm_patch_met(vcpu, at, word, &access);
}
