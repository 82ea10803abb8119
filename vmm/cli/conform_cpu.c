/* SPDX-License-Identifier: BSD-2-Clause */
/* The software CPU as a subject of vspe conform --asl. */
#include "cli/conform.h"

#include <stdlib.h>
#include <string.h>

#include "soft/explain.h"

static const struct {
	const char *name;
	size_t offset; /* in struct soft_explain */
} controls[] = {
#define CONTROL(name, member)                                    \
	{                                                        \
#name, offsetof(struct soft_explain, sys.member) \
	}
	CONTROL(HCR_EL2, controls.hcr_el2),
	CONTROL(MDCR_EL2, controls.mdcr_el2),
	CONTROL(MDCR_EL3, controls.mdcr_el3),
	CONTROL(SCR_EL3, controls.scr_el3),
	CONTROL(HDFGRTR_EL2, controls.hdfgrtr_el2),
	CONTROL(HDFGWTR_EL2, controls.hdfgwtr_el2),
	CONTROL(HDFGRTR2_EL2, controls.hdfgrtr2_el2),
	CONTROL(HDFGWTR2_EL2, controls.hdfgwtr2_el2),
	CONTROL(HFGRTR_EL2, hfgrtr_el2),
	CONTROL(HFGWTR_EL2, hfgwtr_el2),
	CONTROL(HFGITR_EL2, hfgitr_el2),
	CONTROL(HCRX_EL2, hcrx_el2),
	CONTROL(SCTLR_EL1, sctlr[1]),
	CONTROL(SCTLR_EL2, sctlr[2]),
	CONTROL(CPACR_EL1, cpacr_el1),
	CONTROL(CPTR_EL2, cptr_el2),
	CONTROL(CPTR_EL3, cptr_el3),
	CONTROL(MDSCR_EL1, mdscr_el1),
	CONTROL(CNTKCTL_EL1, cntkctl_el1),
	CONTROL(CNTHCTL_EL2, cnthctl_el2),
	CONTROL(ICH_HCR_EL2, ich_hcr_el2),
};

/* The features of struct sysreg_controls; those that come with EL2 are set with it. */
static const struct {
	const char *name;
	uint32_t features;
} levels[] = {
	{"EL2", SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE | SYSREG_FEAT_NV | SYSREG_FEAT_NV2 |
			SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2},
	{"EL3", SYSREG_FEAT_EL3},
	{"SEL2", SYSREG_FEAT_SEL2},
	{"RME", SYSREG_FEAT_RME},
};

static const char *register_name(unsigned int reg, uint32_t *encoding)
{
	if (!soft_explain_name(reg) || !soft_explain_is_sys(reg))
		return NULL;
	*encoding = soft_explain_encoding(reg);
	return soft_explain_name(reg);
}

static void *create_pe(void)
{
	return calloc(1, sizeof(struct soft_explain));
}

static uint64_t *find_control(void *pe, const char *reg)
{
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (!strcmp(controls[i].name, reg))
			return (uint64_t *)(void *)((char *)pe + controls[i].offset);
	return NULL;
}

static void set_feature(void *pe, const char *name, bool on)
{
	struct soft_explain *e = pe;
	uint32_t *features = &e->sys.controls.features;
	const char *feature;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(levels[i].name, name))
			*features = on ? *features | levels[i].features
				       : *features & ~levels[i].features;
	for (unsigned int n = 0; (feature = soft_explain_feature(n)); n++)
		if (!strcmp(feature, name))
			soft_explain_set_feature(e, n, on);
}

static void settle(void *pe)
{
	soft_explain_settle(pe);
}

static struct cpu_answer route(void *pe, uint8_t el, uint32_t encoding, bool write, uint8_t rt,
			       char *name, size_t size)
{
	struct soft_explain *e = pe;
	struct sysreg_route r;

	e->sys.pstate.el = el;
	e->sys.controls.el = el;
	r = soft_explain_access(e, encoding, write, rt, name, size);
	return (struct cpu_answer){.outcome = {.kind = r.kind,
					       .target_el = r.target_el,
					       .offset = r.nvmem_offset,
					       .ec = r.ec,
					       .name = *name ? name : NULL},
				   .iss = r.syndrome};
}

const struct cpu_subject conform_cpu = {
	.has = soft_explain_decides,
	.name = register_name,
	.create = create_pe,
	.destroy = free,
	.control = find_control,
	.set_feature = set_feature,
	.settle = settle,
	.route = route,
};
