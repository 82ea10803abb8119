/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system instructions: dispatch, MSR (immediate), and their exceptions (Arm ARM C5, D19); and
 * reset (D1.6).
 */
#include <string.h>

#include "a64/a64.h"
#include "soft/sys/sys_private.h"

/* MSR (immediate): op1:op2 selects the field of PSTATE, CRm is the value. */
#define PSTATE_FIELD(op1, op2) ((op1) << 3 | (op2))

static enum sys_result pstate_immediate(struct soft_cpu *cpu, uint32_t word, uint32_t *after)
{
	const struct a64_pstate f = a64_get_pstate(word);
	struct soft_sys *sys = soft_sys(cpu);
	const uint8_t imm = (uint8_t)f.crm;
	const unsigned int field = PSTATE_FIELD(f.op1, f.op2);

	switch (field) {
	case PSTATE_FIELD(0, 4): /* PAN */
		if (sys->pstate.el == 0)
			return SYS_UNDEFINED;
		sys->pstate.pan = imm & 1;
		*after |= SOFT_AFTER_CONTEXT;
		return SYS_OK;
	case PSTATE_FIELD(1, 0): /* CRm of 0b001x is PM, of 0b000x ALLINT */
		if (sys->pstate.el == 0 || imm >> 1 != 1 ||
		    !(sys->controls.features & SYSREG_FEAT_SPE_EXC))
			return SYS_UNDEFINED;
		sys->pstate.pm = imm & 1;
		*after |= SOFT_AFTER_IRQ;
		return SYS_OK;
	case PSTATE_FIELD(0, 5): /* SPSel */
		if (sys->pstate.el == 0)
			return SYS_UNDEFINED;
		soft_set_mode(cpu, sys->pstate.el, imm & 1);
		*after |= SOFT_AFTER_CONTEXT;
		return SYS_OK;
	case PSTATE_FIELD(3, 6): /* DAIFSet */
	case PSTATE_FIELD(3, 7): /* DAIFClr */
		if (sys_trapped(sys, SYS_TRAP_UMA))
			return SYS_TRAPPED;
		if (field == PSTATE_FIELD(3, 6))
			sys->pstate.daif |= imm;
		else
			sys->pstate.daif &= (uint8_t)~imm;
		*after |= SOFT_AFTER_IRQ | (imm & 8 ? SOFT_AFTER_CONTEXT : 0);
		return SYS_OK;
	default: return SYS_UNDEFINED;
	}
}

static enum sys_result dispatch(struct soft_cpu *cpu, uint32_t word, struct sys_instruction *in)
{
	const unsigned int rt = in->rt;
	enum sys_result result;

	if (!in->read && rt != 31)
		in->value = *soft_x(cpu, rt);
	switch (a64_op0(word)) {
	case 0:
		/* MSR (immediate) has Rt of 31 and L of 0. */
		if (in->read || rt != 31 || a64_crn(word) != 4)
			return SYS_UNDEFINED;
		return pstate_immediate(cpu, word, in->after);
	case 1: return sys_operation(cpu, in);
	default:
		result = sys_register(cpu, in);
		if (result == SYS_OK && in->read && rt != 31)
			*soft_x(cpu, rt) = in->value;
		return result;
	}
}

/* The ISS of EC 0x18. */
static uint32_t trap_iss(uint32_t word)
{
	const struct a64_system f = a64_get_system(word);

	return f.op0 << 20 | f.op2 << 17 | f.op1 << 14 | f.crn << 10 | f.rt << 5 | f.crm << 1 |
	       f.read;
}

enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word, uint32_t *after)
{
	struct soft_exception exception = {.ec = ARM_EC_UNKNOWN};
	struct sys_instruction in = {
		.encoding = (uint16_t)a64_encoding(word),
		.read = a64_read(word),
		.rt = (uint8_t)a64_rt(word),
		.after = after,
	};

	*after = 0;
	switch (dispatch(cpu, word, &in)) {
	case SYS_OK: return SOFT_DONE;
	case SYS_UNDEFINED: break;
	case SYS_TRAPPED:
		exception.ec = ARM_EC_SYSREG;
		exception.target_el = in.trap_el;
		exception.iss = in.trap_iss ? in.trap_iss : trap_iss(word);
		break;
	case SYS_TAKEN: return SOFT_EXCEPTION;
	}
	soft_take_exception(cpu, &exception, soft_get_pc(cpu));
	return SOFT_EXCEPTION;
}

/* What sysreg_route() is to know of the PE. */
static uint32_t features(const struct engine_levels *levels, const struct spe_unit *spe)
{
	uint32_t bits = 0;

	if (spe)
		bits |= SYSREG_FEAT_SPE | spe_config_features(spe_unit_config(spe));
	if (levels->el2)
		bits |= SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE | SYSREG_FEAT_NV | SYSREG_FEAT_NV2 |
			SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2;
	if (levels->el3)
		bits |= SYSREG_FEAT_EL3;
	if (levels->sel2)
		bits |= SYSREG_FEAT_SEL2;
	if (levels->rme)
		bits |= SYSREG_FEAT_RME;
	return bits;
}

void soft_sys_reset(struct soft_sys *sys, const struct engine_vcpu_config *config)
{
	struct soft_sys fresh = {
		.pstate = {.el = config->levels.start, .sp = 1, .daif = 0xf},
		.os_lock = true,
		.irq_level = sys->irq_level,
		.fiq_level = sys->fiq_level,
		.virq_level = sys->virq_level,
		.vfiq_level = sys->vfiq_level,
		.midr = config->midr,
		.mpidr = UINT64_C(1) << 31 | (config->index & 0xff), /* bit 31 is RES1 */
		.levels = config->levels,
		.sent_voff = sys->sent_voff,
		.sent_poff = sys->sent_poff,
		.controls = {.el = config->levels.start},
		.spe = sys->spe,
	};

	sys_registers_reset(&fresh);
	fresh.controls.features = features(&fresh.levels, fresh.spe);
	soft_hand_down(&fresh);
	if (fresh.spe) {
		fresh.controls.pmscr_el1 = spe_read(fresh.spe, SYSREG_PMSCR_EL1);
		fresh.controls.pmscr_el2 = spe_read(fresh.spe, SYSREG_PMSCR_EL2);
		spe_update(fresh.spe, &fresh.controls);
	}
	fresh.pstate.pm = fresh.controls.features & SYSREG_FEAT_SPE_EXC;
	*sys = fresh;
}
