/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYS instructions by the table in sys_operations.def (Arm ARM C5.3 to C5.5). There are no caches:
 * maintenance by address only checks the address; IC tells the interpreter that code changed.
 */
#include "soft/sys/debug.h"
#include "soft/mem/regime.h"
#include "soft/sys/sys_private.h"

/* Privileged; the access is a write; PSTATE.PAN counts; through both stages; EL2's, EL3's regime.
 */
#define AT_EL1	  (1u << 0)
#define AT_WRITE  (1u << 1)
#define AT_PAN	  (1u << 2)
#define AT_STAGE2 (1u << 3)
#define AT_EL2	  (1u << 4)
#define AT_EL3	  (1u << 5)

/* What to drop, and of which regime; without the last two that of EL1 or, in a host, of EL2&0. */
#define TLBI_ALL    (1u << 0)
#define TLBI_VA	    (1u << 1)
#define TLBI_ASID   (1u << 2)
#define TLBI_SHARED (1u << 3)
#define TLBI_GUEST  (1u << 4) /* EL1&0 in any case */
#define TLBI_EL2    (1u << 5)
#define TLBI_EL3    (1u << 6)

enum operation_kind {
	OP_NOTHING, /* maintenance by set and way */
	OP_IC_ALL,
	OP_IC_VA,
	OP_DC_VA, /* argument: what has to be permitted */
	OP_DC_ZVA,
	OP_AT,
	OP_TLBI,
};

struct operation {
	uint16_t encoding; /* SYSREG_ENCODING() */
	struct sys_rule rule;
	uint8_t kind; /* enum operation_kind */
	uint8_t argument;
};

static const struct operation operations[] = {
#define FGT_NONE    .fgt = SYS_FGT_NONE
#define FGT_HFGI(b) .fgt = SYS_FGT_HFGI, .bit = (b)
#define OPERATION(name, op1, crn, crm, op2, el, e0, e2, f, kind, argument)             \
	{SYSREG_ENCODING(1, op1, crn, crm, op2),                                       \
	 {.lowest = {SYS_NO, el}, .el0 = SYS_TRAP_##e0, .el2 = SYS_EL2_##e2, FGT_##f}, \
	 OP_##kind,                                                                    \
	 argument},
#include "soft/sys/sys_operations.def"
#undef OPERATION
};

static const struct operation *find(uint32_t encoding)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (operations[i].encoding == encoding)
			return &operations[i];
	}
	return NULL;
}

/* cm: maintenance or AT, which report themselves as writes. */
static enum sys_result take_abort(struct soft_cpu *cpu, const struct arm_translation *t,
				  uint64_t va, bool cm)
{
	struct soft_exception abort = soft_abort(t, ARM_EC_DATA_ABORT, va, true);

	if (cm)
		abort.iss |= ARM_ISS_CM | ARM_ISS_WNR;
	soft_take_exception(cpu, &abort, soft_get_pc(cpu));
	return SYS_TAKEN;
}

static bool is_permission(const struct arm_translation *t)
{
	return arm_fsc_kind(t->fsc) == ARM_FSC_PERMISSION;
}

/*
 * Maintenance by address translates it. EL0 needs read permission, DC IVAC write permission; EL1's
 * other instructions need none.
 */
static enum sys_result maintain(struct soft_cpu *cpu, uint64_t va, enum arm_access need)
{
	unsigned int el = soft_sys(cpu)->pstate.el;
	struct arm_regime regime = soft_regime_of(cpu, el);
	struct arm_translation t;

	regime.pan = false; /* of the DC instructions only ZVA is subject to it */
	regime.keep = true; /* no access: the descriptor stays as it is */
	if (arm_translate(&regime, va, need, el, &t))
		return SYS_OK;
	if (el != 0 && need == ARM_READ && is_permission(&t))
		return SYS_OK;
	return take_abort(cpu, &t, va, true);
}

/*
 * DC ZVA and DC IVAC at va count as a store to its whole block, of 64 bytes for both. Is that
 * watched? Then the Watchpoint exception was taken; that of DC IVAC has its own address.
 */
static bool watched(struct soft_cpu *cpu, uint64_t va, bool maintenance)
{
	const struct soft_sys *sys = soft_sys(cpu);
	const struct soft_watched access = {
		.va = va & ~(uint64_t)(SOFT_ZVA_SIZE - 1),
		.size = SOFT_ZVA_SIZE,
		.el = sys->pstate.el,
		.write = true,
	};
	struct soft_exception exception;

	if (!soft_debug_monitored(sys) || !soft_debug_active(sys) ||
	    !soft_watchpoint_matches(sys, &access, &exception))
		return false;
	if (maintenance) {
		exception.iss |= ARM_ISS_CM;
		exception.far = va;
	}
	soft_take_exception(cpu, &exception, soft_get_pc(cpu));
	return true;
}

static enum sys_result zero(struct soft_cpu *cpu, uint64_t va)
{
	const struct engine_ram *ram = &soft_host(cpu)->ram;
	uint64_t block = va & ~(uint64_t)(SOFT_ZVA_SIZE - 1);
	struct arm_translation t;

	if (!soft_translate(cpu, block, ARM_WRITE, soft_sys(cpu)->pstate.el, &t))
		return take_abort(cpu, &t, va, false);
	if (t.device) {
		t.fsc = ARM_FSC_ALIGNMENT;
		t.stage2 = t.stage2_device;
		return take_abort(cpu, &t, va, false);
	}
	if (watched(cpu, va, false))
		return SYS_TAKEN;
	if (t.pa < ram->base || t.pa - ram->base > ram->size - SOFT_ZVA_SIZE) {
		t.fsc = ARM_FSC_EXTERNAL;
		return take_abort(cpu, &t, va, false);
	}
	soft_zero_block(cpu, block, t.pa);
	return SYS_OK;
}

static enum arm_regime_kind at_regime(const struct soft_sys *sys, unsigned int argument)
{
	if (argument & AT_EL3)
		return ARM_REGIME_EL3;
	return arm_regime_at(&sys->controls, (argument & AT_EL2) ? 2 : 0);
}

/* NSE has a meaning for EL3's regime with FEAT_RME only; without that the bit is RES1. */
static uint64_t par_space(const struct soft_sys *sys, const struct arm_translation *t)
{
	return (t->ns ? PAR_EL1_NS : 0) | (!sys->levels.rme || t->nse ? PAR_EL1_NSE : 0);
}

/*
 * AT: the result goes to PAR_EL1. Taken are external aborts on the walk, and at EL1 the faults of
 * stage 2 on it: those are the hypervisor's business.
 */
static enum sys_result translate(struct soft_cpu *cpu, uint64_t va, unsigned int argument)
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
		sys->par_el1 = (uint64_t)t.attr << 56 | (t.pa & UINT64_C(0xfffffffff000)) |
			       par_space(sys, &t) | (uint64_t)t.sh << 7;
		return SYS_OK;
	}
	if (t.on_walk || (t.s1ptw && sys->pstate.el == 1))
		return take_abort(cpu, &t, va, true);
	sys->par_el1 = PAR_EL1_NSE | (t.stage2 ? PAR_EL1_S : 0) | (t.s1ptw ? PAR_EL1_PTW : 0) |
		       (uint64_t)t.fsc << 1 | PAR_EL1_F;
	return SYS_OK;
}

static enum arm_regime_kind tlbi_regime(const struct soft_sys *sys, unsigned int argument)
{
	if (argument & TLBI_EL3)
		return ARM_REGIME_EL3;
	if (argument & TLBI_EL2)
		return arm_regime_at(&sys->controls, 2);
	return (argument & TLBI_GUEST) ? ARM_REGIME_EL10 : arm_regime_at(&sys->controls, 0);
}

/*
 * Nothing is kept of other VMIDs than the current one, nor of stage 2 alone: what asks for either
 * drops the whole regime.
 */
static void invalidate(struct soft_cpu *cpu, uint64_t value, unsigned int argument)
{
	const struct soft_sys *sys = soft_sys(cpu);
	const enum arm_regime_kind regime = tlbi_regime(sys, argument);
	const bool wide = sys->tcr[regime == ARM_REGIME_EL10 ? 1 : 2] & TCR_EL1_AS;
	const bool forced = sys->pstate.el == 1 && (sysreg_hcr(&sys->controls) & HCR_EL2_FB);
	/* VA[55:12] is in bits [43:0]; the bits above repeat bit 55. */
	int64_t va = (int64_t)(value << 20) >> 8;
	struct soft_tlbi tlbi = {
		.regimes = (uint8_t)(1u << regime),
		.all = argument & TLBI_ALL,
		.by_va = argument & TLBI_VA,
		.by_asid = argument & TLBI_ASID,
		.va = (argument & TLBI_VA) ? (uint64_t)va : 0,
		.asid = (argument & TLBI_ASID) ? value >> 48 & (wide ? 0xffff : 0xff) : 0,
		.all_cpus = (argument & TLBI_SHARED) || forced,
	};

	soft_tlb_invalidate(cpu, &tlbi);
}

/* EL3's instructions for EL2 are UNDEFINED where there is no EL2 in the Security state. */
static bool absent(const struct soft_sys *sys, const struct operation *op)
{
	const bool el2 = (op->kind == OP_AT && (op->argument & AT_EL2)) ||
			 (op->kind == OP_TLBI && (op->argument & TLBI_EL2));

	return el2 && !sysreg_el2_enabled(&sys->controls);
}

enum sys_result sys_operation(struct soft_cpu *cpu, struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	enum sys_result result = SYS_OK;
	const struct operation *op = find(in->encoding);
	struct sys_route route;

	if (!op)
		return sys_implementation_defined(cpu, in);
	if (in->read || absent(sys, op))
		return SYS_UNDEFINED;
	route = sys_route(sys, &op->rule, true);
	if (route.kind == SYS_ROUTE_TRAP) {
		in->trap_el = route.target_el;
		return SYS_TRAPPED;
	}
	if (route.kind != SYS_ROUTE_DIRECT)
		return SYS_UNDEFINED;
	switch ((enum operation_kind)op->kind) {
	case OP_NOTHING: break;
	case OP_IC_ALL:
		soft_code_invalidate(cpu, 0, true);
		*in->after |= SOFT_AFTER_CONTEXT;
		break;
	case OP_IC_VA:
		result = maintain(cpu, in->value, ARM_READ);
		if (result == SYS_OK)
			soft_code_invalidate(cpu, in->value, false);
		*in->after |= SOFT_AFTER_CONTEXT;
		break;
	case OP_DC_VA:
		result = maintain(cpu, in->value, (enum arm_access)op->argument);
		if (result == SYS_OK && op->argument == ARM_WRITE && watched(cpu, in->value, true))
			result = SYS_TAKEN;
		break;
	case OP_DC_ZVA: return zero(cpu, in->value);
	case OP_AT: return translate(cpu, in->value, op->argument);
	case OP_TLBI:
		invalidate(cpu, in->value, op->argument);
		*in->after |= SOFT_AFTER_CONTEXT;
		break;
	}
	return result;
}
