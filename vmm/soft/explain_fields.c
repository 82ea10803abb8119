/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control registers that vspe explain adds to those of struct sysreg_controls, and their
 * fields.
 */
#include <stddef.h>
#include <string.h>

#include "pmu/unit.h"
#include "soft/explain_why.h"

/* The registers that routes depend on, and that struct sysreg_controls does not have. */
static const struct {
	const char *name;
	uint16_t offset; /* in struct soft_explain */
} looked_at[] = {
#define LOOKED_AT(name, member)                              \
	{                                                    \
#name, offsetof(struct soft_explain, member) \
	}
	LOOKED_AT(SCTLR_EL1, sys.sctlr[1]),	 LOOKED_AT(SCTLR_EL2, sys.sctlr[2]),
	LOOKED_AT(CPACR_EL1, sys.cpacr_el1),	 LOOKED_AT(MDSCR_EL1, sys.mdscr_el1),
	LOOKED_AT(CNTKCTL_EL1, sys.cntkctl_el1), LOOKED_AT(CNTHCTL_EL2, sys.cnthctl_el2),
	LOOKED_AT(CPTR_EL2, sys.cptr_el2),	 LOOKED_AT(CPTR_EL3, sys.cptr_el3),
	LOOKED_AT(ICH_HCR_EL2, sys.ich_hcr_el2), LOOKED_AT(HFGRTR_EL2, sys.hfgrtr_el2),
	LOOKED_AT(HFGWTR_EL2, sys.hfgwtr_el2),	 LOOKED_AT(PMUSERENR_EL0, pmu.pmuserenr),
	LOOKED_AT(PMUACR_EL1, pmu.pmuacr),	 LOOKED_AT(PMSELR_EL0, pmu.pmselr),
};

#define LOOKED_AT_COUNT (sizeof(looked_at) / sizeof(looked_at[0]))

/* The fields of vmm/arm/registers.def; those of *_ELx belong to each level. */
static const struct soft_field named[] = {
#define FIELD(reg, field, lsb, width) {#reg, #field, lsb, width},
#define LIBRARY(reg, field) \
	{#reg, #field, SYSREG_##reg##_##field##_LSB, SYSREG_##reg##_##field##_WIDTH},
#define ENCODING(...)
#include "arm/registers.def"
#undef FIELD
#undef LIBRARY
#undef ENCODING
#define USER(field)                                                                \
	{                                                                          \
		"PMUSERENR_EL0", #field, __builtin_ctzll(PMU_PMUSERENR_##field), 1 \
	}
	USER(EN),  USER(SW), USER(CR),	USER(ER),
	USER(UEN), USER(IR), USER(TID), {"PMSELR_EL0", "SEL", 0, 5},
};

#define NAMED (sizeof(named) / sizeof(named[0]))

/* Does a row named CPTR_ELx apply to CPTR_EL2? */
static bool is_of(const char *row, const char *reg)
{
	const size_t length = strlen(row);

	if (length == 0 || row[length - 1] != 'x')
		return strcmp(row, reg) == 0;
	return strlen(reg) == length && strncmp(row, reg, length - 1) == 0;
}

const char *soft_explain_bit(const char *reg, unsigned int bit)
{
	for (unsigned int n = 0; n < NAMED; n++)
		if (named[n].width == 1 && named[n].lsb == bit && is_of(named[n].reg, reg))
			return named[n].name;
	return NULL;
}

/* The control registers by number: those of looked_at, then those of struct sysreg_controls. */
static const char *control_name(unsigned int n)
{
	size_t count;
	const struct sysreg_field *fields = sysreg_fields(&count);

	if (n < LOOKED_AT_COUNT)
		return looked_at[n].name;
	n -= LOOKED_AT_COUNT;
	for (size_t i = 0; i < count; i++)
		if (!fields[i].name && n-- == 0)
			return fields[i].reg;
	return NULL;
}

struct soft_field soft_explain_field(unsigned int field)
{
	const char *reg;

	for (unsigned int n = 0; (reg = control_name(n)); n++) {
		if (n < LOOKED_AT_COUNT && field-- == 0)
			return (struct soft_field){reg, NULL, 0, 64};
		for (unsigned int i = 0; i < NAMED; i++)
			if (is_of(named[i].reg, reg) && field-- == 0)
				return (struct soft_field){reg, named[i].name, named[i].lsb,
							   named[i].width};
	}
	return (struct soft_field){NULL, NULL, 0, 0};
}

uint64_t *soft_explain_control(struct soft_explain *e, const char *reg)
{
	for (unsigned int n = 0; n < LOOKED_AT_COUNT; n++)
		if (strcmp(looked_at[n].name, reg) == 0)
			return (uint64_t *)(void *)((char *)e + looked_at[n].offset);
	return NULL;
}
