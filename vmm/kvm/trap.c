/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM_EXIT_DEBUG: a BRK that stands for an access (access.h), a BRK or BKPT of the guest's own, or
 * a single step.
 */
#include "kvm/kvm.h"

#define EC_SOFTWARE_STEP_LOWER 0x32u

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
	vcpu->stepping = vcpu->step_always || (vcpu->profiling && !vcpu->sampler.perf);
	kvm_power_watch(vcpu);
	if (irq == vcpu->irq)
		return;
	vcpu->irq = irq;
	host->spe_irq(host->ctx, vcpu->index, irq);
}

static bool access_unit(struct engine_vcpu *vcpu, const struct kvm_access *access)
{
	const struct sysreg_access wanted = {
		.reg = access->reg, .write = access->write, .rt = access->rt};
	const struct sysreg_route route = sysreg_route(&vcpu->controls, wanted);

	/* A PE without EL2 and EL3 has nobody to trap to. */
	if (route.kind != SYSREG_DIRECT)
		return false;
	if (!access->write)
		kvm_set_x(vcpu, access->rt, spe_read(vcpu->spe, route.reg));
	else
		spe_write(vcpu->spe, route.reg, access->rt == 31 ? 0 : kvm_x(vcpu, access->rt));
	return true;
}

/* false: it is UNDEFINED. */
static bool access_at(struct engine_vcpu *vcpu, const struct kvm_access *access, unsigned int el)
{
	if (el == 0)
		return false;
	if (access->is_id) {
		kvm_set_x(vcpu, access->rt, vcpu->id[access->id]);
		return true;
	}
	return access_unit(vcpu, access);
}

void kvm_emulate(struct engine_vcpu *vcpu, const struct kvm_access *access)
{
	unsigned int el;
	bool selected = false, done;

	kvm_place(vcpu);
	el = PSTATE_EL(vcpu->known.pstate);
	vcpu->ops++;
	vcpu->controls.el = (uint8_t)el;
	spe_update(vcpu->spe, &vcpu->controls);
	if (spe_budget(vcpu->spe) == 1)
		kvm_sample_before(vcpu, 0, false);
	selected = spe_advance(vcpu->spe, 1) == SPE_SELECTED;
	done = access_at(vcpu, access, el);
	if (done)
		kvm_go(vcpu, vcpu->known.pc + 4, vcpu->known.pstate & ~(PSTATE_BTYPE | PSTATE_SS));
	else
		kvm_take_exception(vcpu, KVM_EC_UNKNOWN, 0);
	if (selected)
		kvm_sample_after(vcpu, !done);
	vcpu->selected.collected = false;
	kvm_spe_changed(vcpu);
}

static void breakpoint(struct engine_vcpu *vcpu, uint32_t ec, uint16_t imm)
{
	struct kvm_access access;

	vcpu->mid_step = false;
	if (ec == KVM_EC_BRK && kvm_access_of_brk(imm, &access)) {
		kvm_emulate(vcpu, &access);
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
	const uint32_t ec = syndrome >> 26;

	if (ec == KVM_EC_BRK || ec == KVM_EC_BKPT)
		breakpoint(vcpu, ec, syndrome & 0xffff);
	else if (ec == EC_SOFTWARE_STEP_LOWER && vcpu->mid_step)
		kvm_step_after(vcpu);
}
