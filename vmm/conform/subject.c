// SPDX-License-Identifier: BSD-2-Clause
/* SPE's registers and the PMU's, each with its library and its statement: see subject.h. */
#include "conform/subject.h"
#include "conform/pmu_statement.h"

#include <string.h>

static enum arm_pmu_register pmu_of(unsigned int reg)
{
	return (enum arm_pmu_register)(reg - SUBJECT_PMU);
}

const char *subject_name(unsigned int reg)
{
	if (subject_is_pmu(reg))
		return arm_pmu_name(pmu_of(reg));
	return sysreg_name((enum sysreg_id)reg);
}

static bool same_text(const char *name, size_t length, const char *text)
{
	return strlen(text) == length && !memcmp(name, text, length);
}

unsigned int subject_find(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum arm_pmu_register reg;
	} arrays[] = {
		{"PMEVCNTR<m>_EL0", ARM_PMEVCNTR0_EL0},
		{"PMEVCNTR_EL0", ARM_PMEVCNTR0_EL0},
		{"PMEVTYPER<m>_EL0", ARM_PMEVTYPER0_EL0},
		{"PMEVTYPER_EL0", ARM_PMEVTYPER0_EL0},
	};

	for (unsigned int reg = 0; reg < SUBJECT_COUNT; reg++)
		if (reg != SUBJECT_NONE && same_text(name, length, subject_name(reg)))
			return reg;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		if (same_text(name, length, arrays[i].name))
			return SUBJECT_PMU + arrays[i].reg;
	return SUBJECT_NONE;
}

unsigned int subject_of_encoding(uint32_t encoding)
{
	const enum sysreg_id spe = sysreg_find(encoding);
	const enum arm_pmu_register pmu = arm_pmu_find(encoding);

	if (spe != SYSREG_COUNT)
		return spe;
	return pmu == ARM_PMU_REGISTERS ? SUBJECT_NONE : SUBJECT_PMU + pmu;
}

uint32_t subject_encoding(unsigned int reg)
{
	if (subject_is_pmu(reg))
		return arm_pmu_encoding(pmu_of(reg));
	return sysreg_encoding((enum sysreg_id)reg);
}

uint32_t subject_stated_encoding(unsigned int reg)
{
	if (subject_is_pmu(reg))
		return pmu_statement_encoding(pmu_of(reg));
	return statement_facts[reg].encoding;
}

bool subject_has(unsigned int reg, bool write)
{
	if (subject_is_pmu(reg))
		return pmu_statement_has(pmu_of(reg), write);
	return reg < SYSREG_COUNT && statement_has((enum sysreg_id)reg, write);
}

bool subject_library_has(unsigned int reg, bool write)
{
	if (subject_is_pmu(reg))
		return arm_pmu_has(pmu_of(reg), write);
	return !write || sysreg_writable((enum sysreg_id)reg);
}

struct outcome subject_state(struct world *w, unsigned int reg, bool write)
{
	if (subject_is_pmu(reg))
		return pmu_statement(w, pmu_of(reg), write);
	return statement(w, (enum sysreg_id)reg, write);
}

/* ESR_ELx.ISS of a trapped access to a register of the PMU. */
static uint32_t pmu_iss(unsigned int reg, bool write, uint8_t rt)
{
	const uint32_t encoding = subject_stated_encoding(reg);

	return (encoding >> 14) << 20 | (encoding & 7) << 17 | (encoding >> 11 & 7) << 14 |
	       (encoding >> 7 & 15) << 10 | (uint32_t)rt << 5 | (encoding >> 3 & 15) << 1 | !write;
}

struct sysreg_route subject_route(const union world_controls *u, unsigned int reg, bool write,
				  uint8_t rt)
{
	struct sysreg_route route = {.reg = (enum sysreg_id)reg};
	struct arm_pmu_route pmu;

	if (!subject_is_pmu(reg))
		return sysreg_route(&u->c, (struct sysreg_access){(enum sysreg_id)reg, write, rt});
	pmu = arm_pmu_route(&u->c, &u->pmu, pmu_of(reg), write);
	switch (pmu.kind) {
	case ARM_PMU_DIRECT:
		route.kind = SYSREG_DIRECT;
		route.reg = (enum sysreg_id)(SUBJECT_PMU + pmu.reg);
		break;
	case ARM_PMU_UNDEFINED: route.kind = SYSREG_UNDEFINED; break;
	case ARM_PMU_TRAP:
		route.kind = SYSREG_TRAP;
		route.target_el = pmu.target_el;
		route.syndrome = pmu_iss(reg, write, rt);
		break;
	case ARM_PMU_RAZ_WI: route.kind = (enum sysreg_route_kind)OUTCOME_RAZ_WI; break;
	}
	return route;
}

struct sysreg_route subject_expected(struct outcome outcome, unsigned int reg, bool write,
				     uint8_t rt)
{
	struct sysreg_route route;

	if (!subject_is_pmu(reg))
		return outcome_route(outcome, (enum sysreg_id)reg, write, rt);
	route = (struct sysreg_route){.kind = outcome.kind, .reg = (enum sysreg_id)reg};
	if (outcome.kind == SYSREG_DIRECT) {
		route.reg = outcome.reg;
	} else if (outcome.kind == SYSREG_TRAP) {
		route.target_el = outcome.target_el;
		route.syndrome = pmu_iss(reg, write, rt);
	}
	return route;
}

bool subject_agrees(struct sysreg_route got, struct sysreg_route expected)
{
	if ((unsigned int)expected.kind == OUTCOME_CONSTRAINED)
		return got.kind == SYSREG_UNDEFINED || (unsigned int)got.kind == OUTCOME_RAZ_WI ||
		       (got.kind == SYSREG_TRAP && got.target_el == 2);
	return got.kind == expected.kind && got.reg == expected.reg &&
	       got.target_el == expected.target_el && got.syndrome == expected.syndrome &&
	       got.nvmem_offset == expected.nvmem_offset;
}

void subject_print_route(struct sysreg_route route, FILE *out)
{
	switch ((unsigned int)route.kind) {
	case OUTCOME_RAZ_WI: fputs("reads as zero, ignores writes", out); break;
	case OUTCOME_CONSTRAINED: fputs("UNDEFINED, RAZ/WI or a trap to EL2", out); break;
	case SYSREG_DIRECT: fprintf(out, "access to %s", subject_name(route.reg)); break;
	default: route_print(route, out);
	}
}

void subject_print_state(const union world_controls *u, unsigned int reg, bool write, uint8_t rt,
			 FILE *out)
{
	if (subject_is_pmu(reg))
		world_print_state(u, out);
	else
		world_print_command(&u->c, (enum sysreg_id)reg, write, rt, out);
}
