/* SPDX-License-Identifier: BSD-2-Clause */
/* SPE's registers and the PMU's, with their statements and a subject's answers. */
#include "conform/subject.h"
#include "conform/pmu_statement.h"

#include <inttypes.h>
#include <string.h>

static enum pmu_register pmu_of(unsigned int reg)
{
	return (enum pmu_register)(reg - SUBJECT_PMU);
}

const char *subject_name(unsigned int reg)
{
	if (subject_is_pmu(reg))
		return pmu_register_name(pmu_of(reg));
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
		enum pmu_register reg;
	} arrays[] = {
		{"PMEVCNTR<m>_EL0", PMU_PMEVCNTR0_EL0},
		{"PMEVCNTR_EL0", PMU_PMEVCNTR0_EL0},
		{"PMEVTYPER<m>_EL0", PMU_PMEVTYPER0_EL0},
		{"PMEVTYPER_EL0", PMU_PMEVTYPER0_EL0},
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
	const enum pmu_register pmu = pmu_find(encoding);

	if (spe != SYSREG_COUNT)
		return spe;
	return pmu == PMU_REGISTERS ? SUBJECT_NONE : SUBJECT_PMU + pmu;
}

uint32_t subject_stated_encoding(unsigned int reg)
{
	if (subject_is_pmu(reg))
		return pmu_statement_encoding(pmu_of(reg));
	return reg < SYSREG_COUNT ? statement_facts[reg].encoding : UINT32_MAX;
}

bool subject_has(unsigned int reg, bool write)
{
	if (subject_is_pmu(reg))
		return pmu_statement_has(pmu_of(reg), write);
	return reg < SYSREG_COUNT && statement_has((enum sysreg_id)reg, write);
}

struct outcome subject_state(struct world *w, unsigned int reg, bool write)
{
	if (subject_is_pmu(reg))
		return pmu_statement(w, pmu_of(reg), write);
	return statement(w, (enum sysreg_id)reg, write);
}

/* ESR_ELx.ISS of a trapped access. */
static uint32_t stated_iss(unsigned int reg, bool write, uint8_t rt)
{
	const uint32_t encoding = subject_stated_encoding(reg);

	if (!subject_is_pmu(reg))
		return statement_iss((enum sysreg_id)reg, write, rt);
	return (encoding >> 14) << 20 | (encoding & 7) << 17 | (encoding >> 11 & 7) << 14 |
	       (encoding >> 7 & 15) << 10 | (uint32_t)rt << 5 | (encoding >> 3 & 15) << 1 | !write;
}

struct vspe_subject_outcome subject_expected(struct outcome outcome, unsigned int reg, bool write,
					     uint8_t rt)
{
	switch ((unsigned int)outcome.kind) {
	case SYSREG_DIRECT:
		return (struct vspe_subject_outcome){.kind = VSPE_SUBJECT_DIRECT,
						     .encoding =
							     subject_stated_encoding(outcome.reg)};
	case SYSREG_UNDEFINED: return (struct vspe_subject_outcome){.kind = VSPE_SUBJECT_UNDEFINED};
	case SYSREG_TRAP:
		return (struct vspe_subject_outcome){.kind = VSPE_SUBJECT_TRAP,
						     .target_el = outcome.target_el,
						     .ec = 0x18,
						     .iss = stated_iss(reg, write, rt)};
	case SYSREG_NVMEM:
		return (struct vspe_subject_outcome){.kind = VSPE_SUBJECT_MEMORY,
						     .offset = outcome.offset};
	case SYSREG_RAZ_WI: return (struct vspe_subject_outcome){.kind = VSPE_SUBJECT_RAZ_WI};
	case OUTCOME_CONSTRAINED:
		return (struct vspe_subject_outcome){.kind = EXPECTED_CONSTRAINED};
	default: return (struct vspe_subject_outcome){.kind = EXPECTED_NOTHING};
	}
}

subject_access_fn *subject_router(const struct vspe_subject *subject, unsigned int reg)
{
	return subject_is_pmu(reg) ? subject->pmu_access : subject->spe_access;
}

struct vspe_subject_outcome subject_ask(const struct vspe_subject *subject, unsigned int reg,
					const union world_controls *u,
					struct vspe_subject_access access)
{
	struct vspe_subject_outcome outcome = {.kind = VSPE_SUBJECT_NO_ANSWER};

	subject_router(subject, reg)(subject->ctx, &u->pe, &access, &outcome);
	return outcome;
}

void subject_limit(const struct vspe_subject *subject, union world_controls *u)
{
	u->pe.features |= subject->features_always;
	u->pe.features &= ~subject->features_never;
	u->pe.pmu_features |= subject->pmu_features_always;
	u->pe.pmu_features &= ~subject->pmu_features_never;
	if (subject->limits & VSPE_SUBJECT_NO_DEBUG_STATE)
		u->pe.halted = false;
}

union world_controls subject_open_pe(const struct vspe_subject *subject)
{
	union world_controls u;

	memset(&u, 0, sizeof(u));
	u.pe.features = ((VSPE_SUBJECT_SECURE << 1) - 1) & ~VSPE_SUBJECT_SECURE;
	u.pe.pmu_features = (VSPE_SUBJECT_FEAT_PMUv3_ICNTR << 1) - 1;
	subject_limit(subject, &u);
	u.pe.el = 3;
	if (!(u.pe.features & VSPE_SUBJECT_EL3))
		u.pe.el = u.pe.features & VSPE_SUBJECT_EL2 ? 2 : 1;
	u.pe.pmu_counters = 31;
	u.pe.hcr_el2 =
		u.pe.features & VSPE_SUBJECT_FEAT_VHE ? UINT64_C(1) << WORLD_HCR_EL2_E2H_LSB : 0;
	u.pe.mdcr_el2 = (UINT64_C(3) << WORLD_MDCR_EL2_E2PB_LSB) | 31;
	u.pe.mdcr_el3 =
		UINT64_C(3) << WORLD_MDCR_EL3_NSPB_LSB | UINT64_C(1) << WORLD_MDCR_EL3_EnPMSN_LSB |
		UINT64_C(1) << WORLD_MDCR_EL3_EnPMS3_LSB | UINT64_C(3) << WORLD_MDCR_EL3_PMSEE_LSB |
		UINT64_C(1) << WORLD_MDCR_EL3_EnPMS4_LSB;
	u.pe.scr_el3 = UINT64_C(1) << WORLD_SCR_EL3_NS_LSB;
	return u;
}

const char *subject_cannot_route(const struct vspe_subject *subject, unsigned int reg)
{
	const union world_controls u = subject_open_pe(subject);
	const struct vspe_subject_access access = {.encoding = subject_stated_encoding(reg)};
	struct vspe_subject_outcome outcome;

	if (!subject_router(subject, reg))
		return subject_is_pmu(reg) ? "the subject has no pmu_access"
					   : "the subject has no spe_access";
	outcome = subject_ask(subject, reg, &u, access);
	return outcome.kind == VSPE_SUBJECT_NOT_ROUTED ? "the subject does not route this register"
						       : NULL;
}

/* For an encoding without a register, what an assembler accepts for it. */
static void print_register(uint32_t encoding, FILE *out)
{
	for (unsigned int reg = 0; reg < SUBJECT_COUNT; reg++)
		if (reg != SUBJECT_NONE && subject_stated_encoding(reg) == encoding) {
			fputs(subject_name(reg), out);
			return;
		}
	fprintf(out, "S%" PRIu32 "_%u_C%u_C%u_%u", encoding >> 14, encoding >> 11 & 7,
		encoding >> 7 & 15, encoding >> 3 & 15, encoding & 7);
}

void subject_print_outcome(struct vspe_subject_outcome outcome, FILE *out)
{
	switch (outcome.kind) {
	case VSPE_SUBJECT_DIRECT:
		fputs("access to ", out);
		print_register(outcome.encoding, out);
		break;
	case VSPE_SUBJECT_UNDEFINED: fputs("UNDEFINED", out); break;
	case VSPE_SUBJECT_TRAP:
		fprintf(out, "exception to EL%" PRIu32 ", EC 0x%02" PRIx32 ", ISS 0x%06" PRIx32,
			outcome.target_el, outcome.ec, outcome.iss);
		break;
	case VSPE_SUBJECT_MEMORY:
		fprintf(out, "memory at VNCR_EL2.BADDR + 0x%03" PRIx32, outcome.offset);
		break;
	case VSPE_SUBJECT_RAZ_WI: fputs("reads as zero, ignores writes", out); break;
	case EXPECTED_CONSTRAINED: fputs("UNDEFINED, RAZ/WI or a trap to EL2", out); break;
	case EXPECTED_NOTHING: fputs("nothing, the pseudocode comes to no outcome", out); break;
	default: fprintf(out, "no outcome: kind %" PRIu32, outcome.kind);
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
