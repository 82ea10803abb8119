/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why an access ends as it does: which bits of which register decided. The bits come from the row
 * of the accessed register or of the control (sys_traps.def), and from their present values.
 */
#include "soft/explain_why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Append "REG.FIELD == 1", or "REG[12] == 1" for a bit without a name. */
static void add_bit(char *text, size_t size, const char *reg, unsigned int bit, bool value)
{
	const char *name = soft_explain_bit(reg, bit);
	const size_t at = strlen(text);
	const char *and = at ? " and " : "";

	if (name)
		snprintf(text + at, size - at, "%s%s.%s == %d", and, reg, name, value);
	else
		snprintf(text + at, size - at, "%s%s[%u] == %d", and, reg, bit, value);
}

static void add_bits(char *text, size_t size, const char *reg, uint64_t bits, bool value)
{
	for (; bits; bits &= bits - 1)
		add_bit(text, size, reg, (unsigned int)__builtin_ctzll(bits), value);
}

static void say_nvx(const struct soft_sys *sys, char *text, size_t size)
{
	const unsigned int nvx = arm_nvx(&sys->controls);

	snprintf(text, size, "effective HCR_EL2.{NV2,NV1,NV} is %u%u%u", nvx >> 2, nvx >> 1 & 1,
		 nvx & 1);
}

/* The first of them that traps. */
static void say_controls(const struct soft_sys *sys, struct sys_controls controls, char *text,
			 size_t size)
{
	const struct sys_control *c = controls.of[0];
	uint64_t bits;

	if (!sys_control_traps(sys, c))
		c = controls.of[1];
	bits = sys_control_bits(sys, c);
	switch ((enum sys_when)c->when) {
	case SYS_WHEN_ANY:
		bits &= *(const uint64_t *)((const char *)sys + c->offset);
		add_bits(text, size, c->reg, bits, true);
		break;
	case SYS_WHEN_ALL: add_bits(text, size, c->reg, bits, true); break;
	case SYS_WHEN_NONE:
	case SYS_WHEN_TIMER: add_bits(text, size, c->reg, bits, false); break;
	case SYS_WHEN_ALWAYS: snprintf(text, size, "HCR_EL2.{E2H,TGE} == 11"); break;
	case SYS_WHEN_NV_011:
	case SYS_WHEN_NV_XX1: say_nvx(sys, text, size); break;
	case SYS_WHEN_NEVER: break;
	}
}

static void say_missing(const struct sys_rule *rule, char *text, size_t size)
{
	static const char *const words[] = {
		[SYS_EXISTS_EL2] = "not HaveEL(EL2)",
		[SYS_EXISTS_EL3] = "not HaveEL(EL3)",
		[SYS_EXISTS_EL2_ON] = "not EL2Enabled()",
		[SYS_EXISTS_EL23] = "not HaveEL(EL2) or not HaveEL(EL3)",
		[SYS_EXISTS_SEL2] = "not FEAT_SEL2 or not Secure state",
		[SYS_EXISTS_RME] = "not FEAT_RME",
		[SYS_EXISTS_EXC] = "not FEAT_SPE_EXC",
		[SYS_EXISTS_EL2_HCX] = "not FEAT_HCX or not HaveEL(EL2)",
		[SYS_EXISTS_HIGHEST] = "another Exception level is the highest",
#define ISA(name, word, id, shift, value) [SYS_EXISTS_##name] = "not FEAT_" #name,
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
	};

	snprintf(text, size, "%s", words[rule->exists]);
}

/* The part of the Security state in which there is no such register. */
static void say_secure(const struct soft_sys *sys, const struct sys_rule *rule, char *text,
		       size_t size)
{
	if (rule->el3 == SYS_EL3_LOR)
		add_bits(text, size, "SCR_EL3", SCR_EL3_NS, false);
	else if (!sys->levels.el3)
		snprintf(text, size, "not HaveEL(EL3)");
	else if (sys->pstate.el != 1)
		snprintf(text, size, "PSTATE.EL == EL%u", sys->pstate.el);
	else if (!sysreg_secure(&sys->controls))
		add_bits(text, size, "SCR_EL3", SCR_EL3_NS, true);
	else
		add_bits(text, size, "SCR_EL3", SCR_EL3_EEL2, true);
}

/* FPEN or TFP of the level that it is trapped to; of SVE, ZEN, TZ or EZ. */
static void say_fp(const struct soft_sys *sys, const struct sysreg_route *route, char *text,
		   size_t size)
{
	const bool host = arm_el2_host(&sys->controls), sve = route->rule == SYS_BY_SVE;
	const char *enable = sve ? "ZEN" : "FPEN";

	if (route->target_el == 1 || route->ec == ARM_EC_UNKNOWN)
		snprintf(text, size, "CPACR_EL1.%s == %u%s", enable,
			 (unsigned int)(sve ? ARM_GET(CPACR_EL1_ZEN, sys->cpacr_el1)
					    : ARM_GET(CPACR_EL1_FPEN, sys->cpacr_el1)),
			 route->target_el == 2 ? " and HCR_EL2.TGE == 1" : "");
	else if (route->target_el == 2 && host)
		snprintf(text, size, "CPTR_EL2.%s == %u", enable,
			 (unsigned int)(sve ? ARM_GET(CPTR_EL2_ZEN, sys->cptr_el2)
					    : ARM_GET(CPTR_EL2_FPEN, sys->cptr_el2)));
	else if (sve)
		snprintf(text, size, "%s",
			 route->target_el == 2 ? "CPTR_EL2.TZ == 1" : "CPTR_EL3.EZ == 0");
	else
		snprintf(text, size, "CPTR_EL%u.TFP == 1", route->target_el);
}

static void say_host(const struct soft_sys *sys, const struct sysreg_route *route, char *text,
		     size_t size)
{
	if (route->kind == SYSREG_UNDEFINED)
		snprintf(text, size, "not ELIsInHost(EL2): effective HCR_EL2.E2H == 0");
	else if (sys->pstate.el == 0)
		snprintf(text, size, "HCR_EL2.{E2H,TGE} == 11");
	else
		add_bits(text, size, "HCR_EL2", HCR_EL2_E2H, true);
}

void soft_why_sys(const struct soft_sys *sys, const struct sys_rule *rule, bool write,
		  const struct sysreg_route *route, char *text, size_t size)
{
	text[0] = '\0';
	switch ((enum sys_decider)route->rule) {
	case SYS_BY_NOTHING: snprintf(text, size, "otherwise"); break;
	case SYS_BY_ACCESSOR:
		snprintf(text, size, "the register has no %s accessor", write ? "MSR" : "MRS");
		break;
	case SYS_BY_EXISTS: say_missing(rule, text, size); break;
	case SYS_BY_LEVEL: snprintf(text, size, "PSTATE.EL == EL%u", sys->pstate.el); break;
	case SYS_BY_SECURE: say_secure(sys, rule, text, size); break;
	case SYS_BY_HOST: say_host(sys, route, text, size); break;
	case SYS_BY_FP:
	case SYS_BY_SVE: say_fp(sys, route, text, size); break;
	case SYS_BY_EL0:
		say_controls(sys, sys_el0_controls(sys, (enum sys_trap)rule->el0), text, size);
		break;
	case SYS_BY_TGE: add_bits(text, size, "HCR_EL2", HCR_EL2_TGE, true); break;
	case SYS_BY_EL2:
		say_controls(sys, sys_el2_controls((enum sys_el2_trap)rule->el2, write), text,
			     size);
		break;
	case SYS_BY_FGT:
		add_bit(text, size, sys_fgt_word((enum sys_fgt)rule->fgt, write)->reg, rule->bit,
			true);
		break;
	case SYS_BY_VIRTUAL:
		add_bits(text, size, "HCR_EL2",
			 sys_virtual_bits((enum sys_el2_trap)rule->el2) & sys->controls.hcr_el2,
			 true);
		break;
	case SYS_BY_EL3:
		say_controls(sys, sys_el3_controls((enum sys_el3_trap)rule->el3), text, size);
		break;
	case SYS_BY_NV: say_nvx(sys, text, size); break;
	}
}

/* The part of PMUSERENR_EL0 that keeps EL0 out: a bit that is 1, or bits all of which are 0. */
static void say_user(const struct pmu_controls *pmu, enum pmu_register reg, bool write, char *text,
		     size_t size)
{
	const uint64_t forbids = pmu_user_effective(pmu) & pmu_user_forbids(reg);
	uint64_t enables = pmu_user_enables(reg, write);

	/* Before v3p9 there is no UEN. */
	if (!(pmu->features & PMU_FEAT_PMUv3p9))
		enables &= ~PMU_PMUSERENR_UEN;
	add_bits(text, size, "PMUSERENR_EL0", forbids ? forbids : enables, forbids);
}

static void say_pmu_fgt(const struct soft_explain *e, enum pmu_register reg, bool write, char *text,
			size_t size)
{
	bool two;
	const int bit = pmu_fgt(reg, write, &two);
	const struct sysreg_controls *c = &e->sys.controls;

	if (two && c->features & SYSREG_FEAT_EL3 && !(c->scr_el3 & SCR_EL3_FGTEn2))
		add_bits(text, size, "SCR_EL3", SCR_EL3_FGTEn2, false);
	else
		add_bit(text, size,
			two ? (write ? "HDFGWTR2_EL2" : "HDFGRTR2_EL2")
			    : (write ? "HDFGWTR_EL2" : "HDFGRTR_EL2"),
			(unsigned int)bit, !two);
}

/* The counter, and the control that forbids the access. */
static void say_counter(const struct soft_explain *e, enum pmu_register reg, bool hpmn, char *text,
			size_t size)
{
	const unsigned int counter = pmu_counter_of(&e->pmu, reg);

	if (hpmn)
		snprintf(text, size, "counter %u, and MDCR_EL2.HPMN == %u", counter,
			 pmu_counters_accessible(&e->sys.controls, e->pmu.counters));
	else
		snprintf(text, size, "counter %u, and PMCR_EL0.N == %" PRIu32, counter,
			 e->pmu.counters);
}

void soft_why_pmu(const struct soft_explain *e, enum pmu_register reg, bool write,
		  const struct sysreg_route *route, char *text, size_t size)
{
	const unsigned int counter = pmu_counter_of(&e->pmu, reg);

	text[0] = '\0';
	switch ((enum pmu_decider)route->rule) {
	case PMU_BY_NOTHING: snprintf(text, size, "otherwise"); break;
	case PMU_BY_STATE: snprintf(text, size, "the PE is in AArch32 state"); break;
	case PMU_BY_ACCESSOR:
		snprintf(text, size, "the register has no %s accessor", write ? "MSR" : "MRS");
		break;
	case PMU_BY_FEATURE: snprintf(text, size, "not FEAT_%s", pmu_feature_of(reg)); break;
	case PMU_BY_COUNTER: say_counter(e, reg, false, text, size); break;
	case PMU_BY_LEVEL: snprintf(text, size, "PSTATE.EL == EL0"); break;
	case PMU_BY_SDD: snprintf(text, size, "EL3SDDUndef(): halted and EDSCR.SDD == 1"); break;
	case PMU_BY_USER: say_user(&e->pmu, reg, write, text, size); break;
	case PMU_BY_FGT: say_pmu_fgt(e, reg, write, text, size); break;
	case PMU_BY_TPM: add_bits(text, size, "MDCR_EL2", MDCR_ELx_TPM, true); break;
	case PMU_BY_TPMCR: add_bits(text, size, "MDCR_EL2", MDCR_ELx_TPMCR, true); break;
	case PMU_BY_HPMN: say_counter(e, reg, true, text, size); break;
	case PMU_BY_TPM3: add_bits(text, size, "MDCR_EL3", MDCR_ELx_TPM, true); break;
	case PMU_BY_ENPM2: add_bits(text, size, "MDCR_EL3", MDCR_EL3_EnPM2, false); break;
	case PMU_BY_PMUACR: add_bit(text, size, "PMUACR_EL1", counter, false); break;
	case PMU_BY_READ_ONLY:
		add_bits(text, size, "PMUSERENR_EL0", pmu_user_read_only(counter), true);
		break;
	}
}
