/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers, fields and features that vspe explain knows in addition to SPE's, and the PE that
 * it starts from. explain_why.c has the reasons.
 */
#include "soft/explain.h"

#include <stdio.h>
#include <string.h>

#include "pmu/unit.h"
#include "soft/explain_why.h"
#include "soft/sys/isa.h"

/* Features: isa.def's, then the PMU's. */
static const struct {
	const char *name;
	uint64_t isa;
	uint32_t pmu;
} features[] = {
#define ISA(name, word, id, shift, value) {#name, SOFT_ISA(name), 0},
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
#define PMU_FEATURE(name)                 \
	{                                 \
#name, 0, PMU_FEAT_##name \
	}
	PMU_FEATURE(PMUv3),
	PMU_FEATURE(PMUv3p4),
	PMU_FEATURE(PMUv3p9),
	PMU_FEATURE(PMUv3_ICNTR),
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

const char *soft_explain_feature(unsigned int feature)
{
	return feature < FEATURES ? features[feature].name : NULL;
}

void soft_explain_set_feature(struct soft_explain *e, unsigned int feature, bool on)
{
	const uint64_t isa = features[feature].isa;
	const uint32_t pmu = features[feature].pmu;

	e->sys.isa = on ? e->sys.isa | isa : e->sys.isa & ~isa;
	e->pmu.features = on ? e->pmu.features | pmu : e->pmu.features & ~pmu;
}

/* Make EL1 and EL2 let EL0 pass, in a host too, for which CNTHCTL_EL2 has other bits. */
static void let_pass(struct soft_explain *e)
{
	const uint64_t sctlr =
		SCTLR_ELx_UMA | SCTLR_ELx_UCT | SCTLR_ELx_UCI | SCTLR_ELx_DZE | SCTLR_ELx_EnRCTX;

	e->sys.sctlr[1] |= sctlr;
	e->sys.sctlr[2] |= sctlr & ~SCTLR_ELx_UMA;
	e->sys.cpacr_el1 = CPACR_EL1_FPEN | CPACR_EL1_ZEN;
	e->sys.cptr_el2 = CPTR_EL2_FPEN | CPTR_EL2_ZEN;
	e->sys.cptr_el3 = CPTR_EL3_EZ;
	e->sys.cntkctl_el1 = CNTKCTL_EL1_EL0PCTEN | CNTKCTL_EL1_EL0VCTEN | CNTKCTL_EL1_EL0VTEN |
			     CNTKCTL_EL1_EL0PTEN;
	e->sys.cnthctl_el2 = e->sys.cntkctl_el1 | (CNTHCTL_EL2_EL1PCTEN | CNTHCTL_EL2_EL1PCEN)
							  << 10;
	e->pmu.pmuserenr = PMU_PMUSERENR_EN;
	e->pmu.pmuacr = UINT64_MAX;
}

void soft_explain_init(struct soft_explain *e)
{
	*e = (struct soft_explain){
		.sys.isa = SOFT_ISA_ALL,
		.pmu = {.counters = PMU_COUNTERS,
			.features = PMU_FEAT_PMUv3 | PMU_FEAT_PMUv3p4 | PMU_FEAT_PMUv3p9 |
				    PMU_FEAT_PMUv3_ICNTR},
	};
}

void soft_explain_open(struct soft_explain *e, struct sysreg_controls *controls)
{
	const struct engine_vcpu_config config = {
		.levels = {.start = 1, .el2 = true, .el3 = true, .sel2 = true}};
	const struct sysreg_controls *own = &e->sys.controls;

	soft_sys_reset(&e->sys, &config);
	let_pass(e);
	controls->hcr_el2 |= own->hcr_el2;
	controls->mdcr_el2 |= own->mdcr_el2 | e->pmu.counters;
	controls->mdcr_el3 |= MDCR_EL3_EnPM2;
	controls->scr_el3 |= own->scr_el3 & ~SCR_EL3_NS;
	controls->hdfgrtr2_el2 |= own->hdfgrtr2_el2;
	controls->hdfgwtr2_el2 |= own->hdfgwtr2_el2;
}

/* Registers: those of sys_registers.def, then the PMU's. */
const char *soft_explain_name(unsigned int reg)
{
	const unsigned int count = sys_register_count();

	if (reg < count)
		return sys_register_name(reg);
	return reg - count < PMU_REGISTERS ? pmu_register_name((enum pmu_register)(reg - count))
					   : NULL;
}

uint32_t soft_explain_encoding(unsigned int reg)
{
	const unsigned int count = sys_register_count();

	return reg < count ? sys_register_encoding(reg)
			   : pmu_encoding((enum pmu_register)(reg - count));
}

bool soft_explain_is_sys(unsigned int reg)
{
	return reg < sys_register_count();
}

bool soft_explain_has(unsigned int reg, bool write)
{
	const unsigned int count = sys_register_count();

	if (reg >= count)
		return pmu_has((enum pmu_register)(reg - count), write);
	return sys_register_rule(sys_register_encoding(reg))->lowest[write] != SYS_NO;
}

/* The levels that struct sysreg_controls says there are. */
static struct engine_levels levels_of(const struct sysreg_controls *c)
{
	return (struct engine_levels){
		.el2 = c->features & SYSREG_FEAT_EL2,
		.el3 = c->features & SYSREG_FEAT_EL3,
		.sel2 = c->features & SYSREG_FEAT_SEL2,
		.rme = c->features & SYSREG_FEAT_RME,
	};
}

bool soft_explain_decides(uint32_t encoding)
{
	const struct sys_rule *rule = sys_instruction_rule(encoding, true);

	return rule && (rule->el2 != SYS_EL2_TIDCP || sys_register_rule(encoding));
}

void soft_explain_settle(struct soft_explain *e)
{
	e->sys.levels = levels_of(&e->sys.controls);
	sys_registers_settle(&e->sys);
}

/* The name of a register that is reached: ICV_* is ICC_* but for that letter. */
static void put_reached(const struct sysreg_route *route, char *text, size_t size)
{
	const char *name = sys_register_name(route->reg & ~SYS_VIRTUAL);

	(void)snprintf(text, size, "%s%s", route->reg & SYS_VIRTUAL ? "ICV" : "",
		       route->reg & SYS_VIRTUAL ? name + 3 : name);
}

struct sysreg_route soft_explain_access(struct soft_explain *e, uint32_t encoding, bool write,
					uint8_t rt, char *reached, size_t size)
{
	const struct sys_rule *rule = sys_instruction_rule(encoding, !write);
	struct sysreg_route route = {.kind = SYSREG_UNDEFINED};

	*reached = 0;
	if (!rule)
		return route;
	e->sys.levels = levels_of(&e->sys.controls);
	route = sys_route(&e->sys, rule, encoding, write, rt);
	if (route.kind == SYSREG_DIRECT && sys_register_rule(encoding))
		put_reached(&route, reached, size);
	return route;
}

static struct sysreg_route route_sys(struct soft_explain *e, unsigned int reg, bool write,
				     uint8_t rt, struct soft_reason *reason)
{
	const uint32_t encoding = sys_register_encoding(reg);
	const struct sys_rule *rule = sys_register_rule(encoding);
	const struct sysreg_route route = sys_route(&e->sys, rule, encoding, write, rt);

	if (route.kind == SYSREG_DIRECT)
		put_reached(&route, reason->reached, sizeof(reason->reached));
	soft_why_sys(&e->sys, rule, write, &route, reason->text, sizeof(reason->text));
	return route;
}

struct sysreg_route soft_explain_route(struct soft_explain *e,
				       const struct sysreg_controls *controls, unsigned int reg,
				       bool write, uint8_t rt, struct soft_reason *reason)
{
	const unsigned int count = sys_register_count();
	const enum pmu_register pmu = (enum pmu_register)(reg - count);
	struct sysreg_route route;

	e->sys.controls = *controls;
	e->sys.pstate.el = controls->el;
	e->sys.levels = levels_of(controls);
	*reason = (struct soft_reason){0};
	if (reg < count)
		return route_sys(e, reg, write, rt, reason);
	route = pmu_route(controls, &e->pmu, pmu, write, rt);
	if (route.kind == SYSREG_DIRECT)
		snprintf(reason->reached, sizeof(reason->reached), "%s",
			 pmu_register_name((enum pmu_register)route.reg));
	soft_why_pmu(e, pmu, write, &route, reason->text, sizeof(reason->text));
	return route;
}
