/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's own breakpoints, watchpoints (Arm ARM D2.8, D2.9) and software step. KVM makes their
 * exceptions exit to vspe, whatever the guest has enabled. Those that the guest would have taken
 * are given to it; it is stepped past the others with its breakpoints disabled.
 *
 * If vspe has breakpoints at the vectors, KVM loads vspe's set instead of the guest's, so that set
 * must include the guest's. Writes of their controls and of MDSCR_EL1 are patched (access.h); other
 * writes are noticed when VBAR_EL1 is checked.
 */
#include <string.h>
#include <sys/ioctl.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/trap/selfhosted.h"

#define REG(op0, op1, crn, crm, op2) ARM64_SYS_REG(op0, op1, crn, crm, op2)
#define DBGBVR_EL1(n)		     REG(2, 0, 0, n, 4)
#define DBGBCR_EL1(n)		     REG(2, 0, 0, n, 5)
#define DBGWVR_EL1(n)		     REG(2, 0, 0, n, 6)
#define DBGWCR_EL1(n)		     REG(2, 0, 0, n, 7)

static unsigned int number_of(const struct vspe_kvm *vm, unsigned long extension)
{
	const int n = ioctl(vm->kvm, KVM_CHECK_EXTENSION, extension);

	if (n <= 0)
		return 0;
	return n < KVM_ARM_MAX_DBG_REGS ? (unsigned int)n : KVM_ARM_MAX_DBG_REGS;
}

void kvm_debug_init(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->own = (struct kvm_own_debug){
		.breakpoints = number_of(vcpu->vm, KVM_CAP_GUEST_DEBUG_HW_BPS),
		.watchpoints = number_of(vcpu->vm, KVM_CAP_GUEST_DEBUG_HW_WPS),
	};
}

void kvm_debug_write(struct vspe_kvm_vcpu *vcpu, unsigned int debug, uint64_t value)
{
	const unsigned int n = debug % KVM_DEBUG_EACH;

	if (debug == KVM_DEBUG_MDSCR) {
		kvm_set(vcpu, KVM_SYSREG(MDSCR_EL1), value);
		vcpu->own.live = value & MDSCR_EL1_MDE;
		vcpu->own.ss = value & MDSCR_EL1_SS;
		vcpu->known.regime = false;
	} else {
		kvm_set(vcpu, debug < KVM_DEBUG_WCR ? DBGBCR_EL1(n) : DBGWCR_EL1(n), value);
	}
	vcpu->own.stale = true;
}

void kvm_debug_look(struct vspe_kvm_vcpu *vcpu)
{
	const bool before = vcpu->own.live;

	vcpu->own.live = kvm_get(vcpu, KVM_SYSREG(MDSCR_EL1)) & MDSCR_EL1_MDE;
	if (before || vcpu->own.live)
		vcpu->own.stale = true;
}

/* true: they have changed. */
static bool read_own(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_own_debug before = vcpu->own;
	struct kvm_own_debug *own = &vcpu->own;

	own->stale = false;
	for (unsigned int n = 0; own->live && n < own->breakpoints; n++) {
		own->bcr[n] = kvm_get(vcpu, DBGBCR_EL1(n));
		if (own->bcr[n] & DBGBCR_EL1_E)
			own->bvr[n] = kvm_get(vcpu, DBGBVR_EL1(n));
	}
	for (unsigned int n = 0; own->live && n < own->watchpoints; n++) {
		own->wcr[n] = kvm_get(vcpu, DBGWCR_EL1(n));
		if (own->wcr[n] & DBGBCR_EL1_E)
			own->wvr[n] = kvm_get(vcpu, DBGWVR_EL1(n));
	}
	return memcmp(before.bvr, own->bvr, sizeof(own->bvr)) != 0 ||
	       memcmp(before.bcr, own->bcr, sizeof(own->bcr)) != 0 ||
	       memcmp(before.wvr, own->wvr, sizeof(own->wvr)) != 0 ||
	       memcmp(before.wcr, own->wcr, sizeof(own->wcr)) != 0;
}

void kvm_debug_fill(struct vspe_kvm_vcpu *vcpu, struct kvm_guest_debug *debug, const uint64_t *at,
		    unsigned int count, uint64_t bcr)
{
	const struct kvm_own_debug *own = &vcpu->own;
	uint64_t value[KVM_ARM_MAX_DBG_REGS] = {0}, control[KVM_ARM_MAX_DBG_REGS] = {0};

	if (own->stale)
		(void)read_own(vcpu);
	if (own->live) {
		memcpy(value, own->bvr, sizeof(value));
		memcpy(control, own->bcr, sizeof(control));
		for (unsigned int n = 0; n < own->watchpoints; n++) {
			debug->arch.dbg_wvr[n] = own->wvr[n];
			debug->arch.dbg_wcr[n] = own->wcr[n];
		}
	}
	vcpu->displaced += kvm_debug_place(value, control, own->breakpoints, at, count, bcr);
	for (unsigned int n = 0; n < own->breakpoints; n++) {
		debug->arch.dbg_bvr[n] = value[n];
		debug->arch.dbg_bcr[n] = control[n];
	}
}

/* A KVM that does not know the register has no OS Lock (before Linux 5.18). */
static uint64_t os_lock(struct vspe_kvm_vcpu *vcpu)
{
	return kvm_get_if_there(vcpu, KVM_SYSREG(OSLSR_EL1));
}

static bool is_enabled(struct vspe_kvm_vcpu *vcpu)
{
	kvm_place(vcpu);
	return kvm_debug_enabled(kvm_get(vcpu, KVM_SYSREG(MDSCR_EL1)), os_lock(vcpu),
				 vcpu->known.pstate);
}

static bool is_step_enabled(struct vspe_kvm_vcpu *vcpu)
{
	return kvm_step_enabled(kvm_get(vcpu, KVM_SYSREG(MDSCR_EL1)), os_lock(vcpu),
				vcpu->known.pstate);
}

/*
 * The guest's software step: vspe steps everything while MDSCR_EL1.SS is set, and keeps the guest's
 * PSTATE.SS here. An instruction in the active-not-pending state makes it 0, and in the
 * active-pending state the exception comes before the next one.
 */
bool kvm_own_step_before(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_own_debug *own = &vcpu->own;
	uint32_t iss;

	if (!own->ss)
		return false;
	own->active = is_step_enabled(vcpu);
	if (!own->active || own->pstate_ss)
		return false;
	iss = ARM_FSC_DEBUG | (own->executed ? ARM_ISS_ISV : 0) |
	      (own->executed && own->exclusive ? ARM_ISS_EX : 0);
	own->executed = false;
	kvm_take_exception(vcpu, ARM_EC_STEP, iss);
	return true;
}

void kvm_own_step_at(struct vspe_kvm_vcpu *vcpu, uint32_t word)
{
	if (vcpu->own.ss && kvm_is_eret(word))
		vcpu->own.eret_spsr = kvm_get(vcpu, KVM_CORE(spsr[KVM_SPSR_EL1]));
}

void kvm_own_step_after(struct vspe_kvm_vcpu *vcpu, uint32_t word, bool excepted)
{
	const uint64_t spsr_el1 = KVM_CORE(spsr[KVM_SPSR_EL1]);
	struct kvm_own_debug *own = &vcpu->own;

	if (!own->ss)
		return;
	own->executed = own->active && !excepted;
	own->exclusive = kvm_is_load_exclusive(word);
	/* PSTATE.SS was 1 for vspe's step, and the exception has saved it there. */
	if (excepted && !(own->active && own->pstate_ss))
		kvm_set(vcpu, spsr_el1, kvm_get(vcpu, spsr_el1) & ~SPSR_ELx_SS);
	own->pstate_ss = false;
	if (excepted || !kvm_is_eret(word))
		return;
	own->executed = false;
	own->pstate_ss = !own->active && own->eret_spsr & SPSR_ELx_SS && is_step_enabled(vcpu);
}

bool kvm_own_debug_matches(struct vspe_kvm_vcpu *vcpu)
{
	/* By the guest's registers at the last look: if they have changed, it tries again. */
	if (vcpu->vectors.armed != KVM_UNARMED) {
		kvm_debug_look(vcpu);
		if (read_own(vcpu)) {
			vcpu->own.stale = true;
			return false;
		}
	}
	/* The instruction has not executed; a step of it continues. */
	vcpu->aside = !is_enabled(vcpu);
	return !vcpu->aside;
}

void kvm_own_debug_take(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss)
{
	const bool at_el1 = PSTATE_EL(vcpu->known.pstate) == 1;

	if (ec == ARM_EC_WATCHPOINT) {
		kvm_set(vcpu, KVM_SYSREG(FAR_EL1), vcpu->run->debug.arch.far);
		if (vcpu->counter.counting)
			kvm_count_exception(vcpu, ec, at_el1);
	}
	/* KVM reports them as from a lower Exception level, to itself. */
	kvm_take_exception(vcpu, ec, iss);
}
