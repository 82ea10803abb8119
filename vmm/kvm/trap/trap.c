/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM_EXIT_DEBUG: a BRK that stands for an access (access.h), a BRK or BKPT of the guest's own, or
 * a single step.
 */
#include "kvm/kvm.h"

#define PAGE	       UINT64_C(4096)
#define PAGE_MASK      (~(PAGE - 1))
#define EL1_PAGE_TRAPS 255 /* until the tables are looked at again */
#define VBAR_WRITES    256 /* that are trapped; then VBAR_EL1 is looked at now and then */

#define PMSCR_E0SPE UINT64_C(1)
#define PMSCR_E1SPE UINT64_C(2)
#define PMBLIMITR_E UINT64_C(1)

void kvm_spe_changed(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	const bool irq = spe_irq_level(vcpu->spe);

	/*
	 * Profiling may become enabled by a mere change of Exception level: all is stepped then,
	 * or kvm_count_before() says what is.
	 */
	vcpu->profiling = spe_read(vcpu->spe, SYSREG_PMSCR_EL1) & (PMSCR_E0SPE | PMSCR_E1SPE) &&
			  spe_read(vcpu->spe, SYSREG_PMBLIMITR_EL1) & PMBLIMITR_E;
	vcpu->stepping =
		vcpu->step_always || vcpu->own.ss || (vcpu->profiling && !vcpu->sampler.perf);
	kvm_power_watch(vcpu);
	if (irq == vcpu->irq)
		return;
	vcpu->irq = irq;
	host->spe_irq(host->ctx, vcpu->index, irq);
}

/* What an MSR writes. */
static uint64_t written(struct engine_vcpu *vcpu, const struct kvm_access *access)
{
	return access->rt == 31 ? 0 : kvm_x(vcpu, access->rt);
}

static bool access_unit(struct engine_vcpu *vcpu, const struct kvm_access *access)
{
	const struct sysreg_access wanted = {
		.reg = access->reg, .write = access->write, .rt = access->rt};
	uint64_t value = access->write ? written(vcpu, access) : 0;

	/* A PE without EL2 and EL3 has nobody to trap to. */
	if (spe_access(vcpu->spe, &vcpu->controls, wanted, &value).kind != SYSREG_DIRECT)
		return false;
	if (!access->write)
		kvm_set_x(vcpu, access->rt, value);
	return true;
}

/* false: it is UNDEFINED. */
static bool access_at(struct engine_vcpu *vcpu, const struct kvm_access *access, unsigned int el)
{
	if (el == 0)
		return false;
	switch (access->kind) {
	case KVM_ACCESS_ID: kvm_set_x(vcpu, access->rt, vcpu->id[access->id]); return true;
	case KVM_ACCESS_VBAR: kvm_vectors_set(vcpu, written(vcpu, access)); return true;
	case KVM_ACCESS_DEBUG:
		kvm_debug_write(vcpu, access->debug, written(vcpu, access));
		return true;
	default: return access_unit(vcpu, access);
	}
}

bool kvm_answer(struct engine_vcpu *vcpu, const struct kvm_access *access, unsigned int el,
		bool *selected)
{
	vcpu->ops++;
	if (vcpu->controls.el != el) {
		vcpu->controls.el = (uint8_t)el;
		spe_update(vcpu->spe, &vcpu->controls);
	}
	if (spe_budget(vcpu->spe) == 1)
		kvm_sample_before(vcpu, 0, false);
	*selected = spe_advance(vcpu->spe, 1) == SPE_SELECTED;
	return access_at(vcpu, access, el);
}

void kvm_answered(struct engine_vcpu *vcpu, bool done, bool selected)
{
	if (selected)
		kvm_sample_after(vcpu, !done);
	vcpu->selected.collected = false;
	kvm_spe_changed(vcpu);
}

void kvm_emulate(struct engine_vcpu *vcpu, const struct kvm_access *access)
{
	bool selected, done;

	kvm_place(vcpu);
	done = kvm_answer(vcpu, access, PSTATE_EL(vcpu->known.pstate), &selected);
	if (done)
		kvm_go(vcpu, vcpu->known.pc + 4,
		       vcpu->known.pstate & ~(SPSR_ELx_BTYPE | SPSR_ELx_SS));
	else
		kvm_take_exception(vcpu, ARM_EC_UNKNOWN, 0);
	kvm_answered(vcpu, done, selected);
	if (done)
		kvm_own_step_after(vcpu, 0, false);
}

/*
 * Is the guest at EL1, to judge by its PC alone? Reading PSTATE costs a quarter of an exit. The
 * upper half is EL1's with every system that separates the two, and its tables have said so not
 * long ago; anything else reads PSTATE.
 */
static bool is_el1_page(uint64_t pc, const struct kvm_el1_page *known)
{
	return pc >> 55 & 1 && known->left > 0 && known->page == (pc & PAGE_MASK);
}

static void know_el1_page(struct engine_vcpu *vcpu, uint64_t pc, struct kvm_el1_page *known)
{
	known->left = 0;
	if (!(pc >> 55 & 1) || PSTATE_EL(vcpu->known.pstate) != 1)
		return;
	kvm_know_code(vcpu, pc);
	if (kvm_code(vcpu, pc, 1) && !kvm_code(vcpu, pc, 0))
		*known = (struct kvm_el1_page){.page = pc & PAGE_MASK, .left = EL1_PAGE_TRAPS};
}

/* Too many writes of VBAR_EL1 by one that is often executed, as with Linux's kpti. */
static void give_up_vbar(struct engine_vcpu *vcpu, uint64_t pc, const struct kvm_access *access)
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
static void patched(struct engine_vcpu *vcpu, const struct kvm_access *access)
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

static void breakpoint(struct engine_vcpu *vcpu, uint32_t ec, uint16_t imm)
{
	struct kvm_access access;

	vcpu->mid_step = false;
	if (ec == ARM_EC_BRK && kvm_own_brk(vcpu->vm, imm, &access)) {
		patched(vcpu, &access);
		return;
	}
	kvm_count_trapped(vcpu);
	kvm_take_exception(vcpu, ec, imm);
	if (vcpu->stepping)
		kvm_operation(vcpu, true);
}

void kvm_trap(struct engine_vcpu *vcpu)
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
	case ARM_EC_BKPT32: breakpoint(vcpu, ec, syndrome & 0xffff); break;
	case ARM_EC_BREAKPOINT:
		if (kvm_vectors_exit(vcpu))
			kvm_vectors_hit(vcpu);
		else
			kvm_own_debug_event(vcpu, ec, syndrome & ARM_ISS_MASK);
		break;
	case ARM_EC_WATCHPOINT: kvm_own_debug_event(vcpu, ec, syndrome & ARM_ISS_MASK); break;
	case ARM_EC_STEP:
		if (vcpu->mid_step)
			kvm_step_after(vcpu);
		break;
	default: break;
	}
}
