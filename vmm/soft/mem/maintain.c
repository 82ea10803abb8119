/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SYS instructions, after the checks of whether they may be executed (Arm ARM C5.3 to C5.5).
 * There are no caches but those of the machine model, if there is one: maintenance by address only
 * checks the address, and shows it to the model; IC drops decoded code.
 */
#include "model/memory.h"
#include "model/upkeep.h"
#include "soft/mem/maintain.h"
#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"
#include "soft/sys/debug.h"
#include "soft/sys/isa.h"
#include "soft/sys/sys_operations.h"

/* Maintenance and AT report themselves as writes. Returns false, for the caller to pass on. */
static bool report_abort(const struct arm_translation *t, uint64_t va,
			 struct soft_exception *exception)
{
	*exception = soft_abort(t, ARM_EC_DATA_ABORT, va, true);
	exception->iss |= ARM_ISS_CM | ARM_ISS_WNR;
	return false;
}

static bool is_permission(const struct arm_translation *t)
{
	return arm_fsc_kind(t->fsc) == ARM_FSC_PERMISSION;
}

/* No cache has it. */
#define NO_PA UINT64_MAX

/*
 * Maintenance by address translates it. EL0 needs read permission, DC IVAC write permission; EL1's
 * other instructions need none.
 */
static bool maintain_address(struct soft_cpu *cpu, uint64_t va, enum arm_access need, uint64_t *pa,
			     struct soft_exception *exception)
{
	unsigned int el = soft_sys(cpu)->pstate.el;
	struct arm_regime regime = soft_regime_of(cpu, el);
	struct arm_translation t;

	regime.pan = false; /* of the DC instructions only ZVA is subject to it */
	regime.keep = true; /* no access: the descriptor stays as it is */
	*pa = NO_PA;
	if (arm_translate(&regime, va, need, el, &t))
		*pa = t.pa;
	else if (el == 0 || need != ARM_READ || !is_permission(&t))
		return report_abort(&t, va, exception);
	return true;
}

/* IC: forget code in the machine model's L1I, and with all_cpus in those of the other PEs. */
static void forget_code(struct soft_cpu *cpu, const uint64_t *pa, bool all_cpus)
{
	struct model *machine = cpu->vm->model ? cpu->vm->model->machine : NULL;

	for (uint32_t n = 0; machine && n < machine->count; n++)
		if (all_cpus || n == cpu->index)
			model_memory_forget_code(&machine->cores[n], pa);
}

/*
 * DC IVAC at va counts as a store to its whole block, of 64 bytes. If that is watched, *exception
 * is the Watchpoint exception, with the address that the instruction has.
 */
static bool invalidation_watched(const struct soft_cpu *cpu, uint64_t va,
				 struct soft_exception *exception)
{
	const struct soft_sys *sys = &cpu->sys;
	const struct soft_watched access = {
		.va = va & ~(uint64_t)(SOFT_ZVA_SIZE - 1),
		.size = SOFT_ZVA_SIZE,
		.el = sys->pstate.el,
		.write = true,
	};

	if (!soft_debug_monitored(sys) || !soft_debug_active(sys) ||
	    !soft_watchpoint_matches(sys, &access, exception))
		return false;
	exception->iss |= ARM_ISS_CM;
	exception->far = va;
	return true;
}

/* What the machine model has of a line. */
static void maintain_line(struct soft_cpu *cpu, uint64_t pa, unsigned int argument)
{
	if (cpu->vm->model)
		model_memory_maintain(cpu->vm->model->machine, pa,
				      (argument & DC_CLEAN ? MODEL_CLEAN : 0) |
					      (argument & DC_INVALIDATE ? MODEL_INVALIDATE : 0) |
					      (argument & DC_TO_MEMORY ? MODEL_TO_MEMORY : 0));
}

/* DC by address, but ZVA. */
static bool maintain_data(struct soft_cpu *cpu, uint64_t va, unsigned int argument,
			  struct soft_exception *exception)
{
	const bool writes = argument & DC_WRITES;
	uint64_t pa;

	if (!maintain_address(cpu, va, writes ? ARM_WRITE : ARM_READ, &pa, exception) ||
	    (writes && invalidation_watched(cpu, va, exception)))
		return false;
	maintain_line(cpu, pa, argument);
	return true;
}

static bool zero_memory(struct soft_cpu *cpu, uint64_t va, struct soft_exception *exception)
{
	if (soft_zero_block(cpu, va))
		return true;
	*exception = cpu->fault;
	return false;
}

static enum arm_regime_kind at_regime(const struct soft_sys *sys, unsigned int argument)
{
	if (argument & AT_EL3)
		return ARM_REGIME_EL3;
	return arm_regime_at(&sys->controls, (argument & AT_EL2) ? 2 : 0);
}

/* NSE has a meaning only for EL3's regime with FEAT_RME; otherwise the bit is RES1. */
static uint64_t par_space(const struct soft_sys *sys, const struct arm_translation *t)
{
	return (t->ns ? PAR_EL1_NS : 0) | (!sys->levels.rme || t->nse ? PAR_EL1_NSE : 0);
}

/*
 * AT: the result goes to PAR_EL1. Exceptions are taken only for external aborts on the walk and, at
 * EL1, for stage 2 faults on it, which the hypervisor handles.
 */
static bool translate_address(struct soft_cpu *cpu, uint64_t va, unsigned int argument,
			      struct soft_exception *exception)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct arm_regime regime = soft_regime_kind(cpu, at_regime(sys, argument));
	const bool user = !(argument & (AT_EL1 | AT_EL2 | AT_EL3));
	struct arm_translation t;

	regime.pan = (argument & AT_PAN) && sys->pstate.pan;
	regime.keep = true;
	regime.stage1_only = !(argument & AT_STAGE2);
	if (arm_translate(&regime, va, (argument & AT_WRITE) ? ARM_WRITE : ARM_READ, user ? 0 : 1,
			  &t)) {
		sys->par_el1 = (uint64_t)t.attr << 56 | (t.pa & UINT64_C(0xffffffffff000)) |
			       par_space(sys, &t) | (uint64_t)t.sh << 7;
		return true;
	}
	if (t.on_walk || (t.s1ptw && sys->pstate.el == 1))
		return report_abort(&t, va, exception);
	sys->par_el1 = PAR_EL1_NSE | (t.stage2 ? PAR_EL1_S : 0) | (t.s1ptw ? PAR_EL1_PTW : 0) |
		       (uint64_t)t.fsc << 1 | PAR_EL1_F;
	return true;
}

static enum arm_regime_kind tlbi_regime(const struct soft_sys *sys, unsigned int argument)
{
	if (argument & TLBI_EL3)
		return ARM_REGIME_EL3;
	if (argument & TLBI_EL2)
		return arm_regime_at(&sys->controls, 2);
	return (argument & TLBI_GUEST) ? ARM_REGIME_EL10 : arm_regime_at(&sys->controls, 0);
}

/* TCR_ELx.DS of a regime: with it ranges are in units of 64K, whatever the granule. */
static bool tlbi_ds(const struct soft_sys *sys, enum arm_regime_kind regime)
{
	const bool two = regime == ARM_REGIME_EL10 || regime == ARM_REGIME_EL20;

	/*
	 * In TCR_EL2 the bit means something else with E2H, and without the feature it is only
	 * kept.
	 */
	return sys->isa & SOFT_ISA(LPA2) &&
	       sys->tcr[arm_regime_owner(regime)] & (two ? TCR_EL1_DS : TCR_EL2_DS);
}

/*
 * Nothing is cached for VMIDs other than the current one, nor for stage 2 alone: maintenance of
 * either drops the whole regime. The level hint of FEAT_TTL is not used.
 */
static void invalidate_tlb(struct soft_cpu *cpu, uint64_t value, unsigned int argument)
{
	const struct soft_sys *sys = soft_sys(cpu);
	const enum arm_regime_kind regime = tlbi_regime(sys, argument);
	const bool wide = sys->tcr[regime == ARM_REGIME_EL10 ? 1 : 2] & TCR_EL1_AS;
	const bool forced = sys->pstate.el == 1 && (sysreg_hcr(&sys->controls) & HCR_EL2_FB);
	/* VA[55:12] is in bits [43:0]; the bits above repeat bit 55. */
	int64_t va = (int64_t)(value << 20) >> 8;
	unsigned int pages;
	struct soft_tlbi tlbi = {
		.regimes = (uint8_t)(1u << regime),
		.all = argument & TLBI_ALL,
		.by_va = argument & TLBI_VA,
		.by_asid = argument & TLBI_ASID,
		.va = (argument & TLBI_VA) ? (uint64_t)va : 0,
		.asid = (argument & TLBI_ASID) ? value >> 48 & (wide ? 0xffff : 0xff) : 0,
		.all_cpus = (argument & TLBI_SHARED) || forced,
		.any_vmid = argument & TLBI_VMIDS,
		.stage2_alone = argument & TLBI_IPA,
	};

	if (!(argument & TLBI_RANGE)) {
		soft_tlb_invalidate(cpu, &tlbi);
		return;
	}
	pages = model_upkeep_range(value, tlbi_ds(sys, regime), &tlbi.va);
	tlbi.by_va = pages > 0;
	tlbi.all = !tlbi.by_va;
	tlbi.by_asid = tlbi.by_asid && tlbi.by_va; /* or global entries would stay */
	for (unsigned int n = 0; n < (pages ? pages : 1); n++, tlbi.va += SOFT_PAGE_SIZE)
		soft_tlb_invalidate(cpu, &tlbi);
}

bool soft_maintain(struct soft_cpu *cpu, const struct sys_operation *operation, uint64_t value,
		   struct soft_exception *exception)
{
	const unsigned int argument = operation->argument;
	uint64_t pa;

	switch ((enum sys_operation_kind)operation->kind) {
	case SYS_NOTHING: break;
	case SYS_IC_ALL:
		soft_code_invalidate(cpu, 0, true);
		forget_code(cpu, NULL, argument);
		break;
	case SYS_IC_VA:
		if (!maintain_address(cpu, value, ARM_READ, &pa, exception))
			return false;
		soft_code_invalidate(cpu, value, false);
		forget_code(cpu, &pa, true);
		break;
	case SYS_DC_VA: return maintain_data(cpu, value, argument, exception);
	case SYS_DC_PA: /* bits 63 and 62 are the address space */
		maintain_line(cpu, value & ((UINT64_C(1) << 52) - 1), argument);
		break;
	case SYS_DC_ZVA: return zero_memory(cpu, value, exception);
	case SYS_AT: return translate_address(cpu, value, argument, exception);
	case SYS_TLBI: invalidate_tlb(cpu, value, argument); break;
	}
	return true;
}
