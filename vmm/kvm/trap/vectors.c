/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints at the vectors to which EL1 takes its own synchronous exceptions. KVM makes an access
 * to SPE UNDEFINED: the guest enters its vector, and the breakpoint there (Arm ARM D2.8) brings it
 * to us before it has executed anything. KVM has then put the address of the access into ELR_EL1,
 * PSTATE into SPSR_EL1, and that it was UNDEFINED into ESR_EL1; what the guest had there is lost.
 * The access becomes a BRK, so that this happens once.
 *
 * Other exceptions from EL1 to EL1 meet the breakpoint too. They get over it by one single step.
 */
#include <string.h>
#include <sys/ioctl.h>

#include "a64/a64.h"
#include "kvm/kvm.h"

#define VBAR_MASK (~UINT64_C(0x7ff))

#define BREAKPOINTS 2 /* offsets 0x000 (SP_EL0) and 0x200 (SP_EL1) */
#define COUNTED	    4 /* ... and those from EL0: 0x400 (AArch64) and 0x600 (AArch32) */

/* Exits between two looks at VBAR_EL1: at first, and when it has stayed as it is for so many. */
#define LOOK_OFTEN  1u
#define LOOK_SELDOM 64u

#define TTBR1_HALF(va) ((va) >> 55 & 1)

bool kvm_vectors_can_count(const struct engine_vm *vm)
{
	return ioctl(vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_GUEST_DEBUG_HW_BPS) >= COUNTED;
}

bool kvm_vectors_can(const struct engine_vm *vm, unsigned int *breakpoints)
{
	const int n = ioctl(vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_GUEST_DEBUG_HW_BPS);

	*breakpoints = n > 0 ? (unsigned int)n : 0;
	return *breakpoints >= BREAKPOINTS;
}

void kvm_know_code(struct engine_vcpu *vcpu, uint64_t va)
{
	struct kvm_known *known = &vcpu->known;

	known->sctlr = kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1));
	known->tcr = kvm_get(vcpu, KVM_SYSREG(TCR_EL1));
	if (TTBR1_HALF(va))
		known->ttbr1 = kvm_get(vcpu, KVM_SYSREG(TTBR1_EL1));
	else
		known->ttbr0 = kvm_get(vcpu, KVM_SYSREG(TTBR0_EL1));
}

uint8_t *kvm_code(struct engine_vcpu *vcpu, uint64_t va, unsigned int el)
{
	const bool regime = vcpu->known.regime;
	struct arm_translation t;
	bool found;

	vcpu->known.regime = true;
	found = va % 4 == 0 && kvm_translate(vcpu, va, ARM_EXECUTE, el, &t);
	vcpu->known.regime = regime;
	return found ? kvm_ram(vcpu, t.pa, 4) : NULL;
}

static uint32_t word_of(const uint8_t *at)
{
	return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/*
 * The access at va, or NULL. It may be a BRK already, if this PE has executed what it had fetched
 * before another vCPU put that there.
 */
static uint8_t *find_access(struct engine_vcpu *vcpu, uint64_t va, uint32_t *word,
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

/* Of the registers of a regime, what changes most is where its tables are. */
static bool same_tables(struct engine_vcpu *vcpu, uint64_t va)
{
	if (TTBR1_HALF(va))
		return vcpu->known.ttbr1 == kvm_get(vcpu, KVM_SYSREG(TTBR1_EL1));
	return vcpu->known.ttbr0 == kvm_get(vcpu, KVM_SYSREG(TTBR0_EL1));
}

/*
 * Execute what most vectors begin with; they are in EL1h, whatever they were entered from. The
 * registers of the regime have just been read.
 */
static bool first_instruction(struct engine_vcpu *vcpu)
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
static void pass_on(struct engine_vcpu *vcpu, bool code_is_known)
{
	if (code_is_known && !vcpu->profiling && first_instruction(vcpu))
		vcpu->ops++;
	else
		vcpu->vectors.over = true;
}

static void emulate(struct engine_vcpu *vcpu, const struct kvm_access *access, uint64_t pc,
		    uint64_t pstate)
{
	bool selected, done;

	/* Where the guest would be had KVM not moved it. */
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

void kvm_vectors_entered(struct engine_vcpu *vcpu)
{
	if (vcpu->vm->breakpoints || vcpu->vm->costs.vectors)
		vcpu->vectors.over = true;
}

bool kvm_vectors_exit(struct engine_vcpu *vcpu)
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

void kvm_vectors_hit(struct engine_vcpu *vcpu)
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
	emulate(vcpu, &access, pc, pstate);
	kvm_patch_met(vcpu, at, word, &access);
}

static void know_vbar(struct engine_vcpu *vcpu, uint64_t vbar)
{
	vcpu->vectors.vbar = vbar & VBAR_MASK;
	vcpu->vectors.period = vcpu->vectors.look = LOOK_OFTEN;
	if (vcpu->vm->breakpoints && vcpu->vectors.scanned != vcpu->vectors.vbar) {
		vcpu->vectors.scanned = vcpu->vectors.vbar;
		kvm_patch_vectors(vcpu, vcpu->vectors.vbar);
	}
}

/* Are there exceptions of the guest's own that its event leaves out? */
static bool are_left_out(const struct kvm_costs *costs)
{
	return costs->multiplier > 0 && costs->vectors &&
	       !(costs->svc && costs->undefined && costs->abort);
}

bool kvm_vectors_counting(const struct engine_vcpu *vcpu)
{
	return vcpu->counter.counting && are_left_out(&vcpu->vm->costs);
}

bool kvm_vectors_may(const struct engine_vm *vm)
{
	return vm->breakpoints || are_left_out(&vm->costs);
}

unsigned int kvm_vectors_wanted(struct engine_vcpu *vcpu)
{
	if (kvm_vectors_counting(vcpu)) {
		/* The guest is where it has just been trapped: at its own tables. */
		if (vcpu->vectors.count != COUNTED) {
			know_vbar(vcpu, kvm_get(vcpu, KVM_SYSREG(VBAR_EL1)));
			kvm_debug_look(vcpu);
		}
		return COUNTED;
	}
	return vcpu->vm->breakpoints ? BREAKPOINTS : 0;
}

void kvm_vectors_set(struct engine_vcpu *vcpu, uint64_t vbar)
{
	kvm_set(vcpu, KVM_SYSREG(VBAR_EL1), vbar);
	know_vbar(vcpu, vbar);
}

/*
 * VBAR_EL1 and MDSCR_EL1 are written without a trap by code that has not been patched. A look at it
 * costs a good part of an exit, so that looks become rarer as nothing changes. What EL0 runs under
 * may be another table (Linux's kpti), which the guest leaves on its way to EL1.
 */
void kvm_vectors_follow(struct engine_vcpu *vcpu)
{
	struct kvm_vectors *vectors = &vcpu->vectors;
	uint64_t vbar;

	if (vcpu->vectors.count == 0 || --vectors->look > 0)
		return;
	vectors->period = vectors->period < LOOK_SELDOM ? vectors->period + 1 : LOOK_SELDOM;
	vectors->look = vectors->period;
	kvm_debug_look(vcpu);
	vbar = kvm_get(vcpu, KVM_SYSREG(VBAR_EL1));
	if ((vbar & VBAR_MASK) != vectors->vbar &&
	    PSTATE_EL(kvm_get(vcpu, KVM_CORE(regs.pstate))) == 1)
		know_vbar(vcpu, vbar);
}
