/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.def as data, and the one function that tests the conditions of steps.def on it. Private
 * to sysreg/.
 *
 * Conditions are bits in the order of steps.def. An accessor starts with its own conditions. Every
 * term that does not hold removes the conditions that need it, and the lowest remaining one
 * decides.
 */
#ifndef SYSREG_RULES_H
#define SYSREG_RULES_H

#include <vspe/sysreg.h>

#include "levels.h"

enum term {
#define TERM(term, text) TERM_##term,
#define STEP(step, outcome, a, b, c, d)
#include "steps.def"
#undef TERM
#undef STEP
	TERM_COUNT,
};

enum step {
#define TERM(term, text)
#define STEP(step, outcome, a, b, c, d) STEP_##step,
#include "steps.def"
#undef TERM
#undef STEP
	STEP_COUNT,
};

/* What follows when a condition holds: which of a rule's routes. */
enum conclusion {
	CONCLUSION_UNDEFINED,
	CONCLUSION_TRAP_EL2,
	CONCLUSION_TRAP_EL3, /* UNDEFINED instead when EL3SDDUndef() */
	CONCLUSION_NVMEM,
	CONCLUSION_DIRECT,
	CONCLUSION_HOST, /* the register that stands in for this one under E2H */
	CONCLUSION_COUNT,
};

_Static_assert(TERM_COUNT <= 32 && STEP_COUNT <= 32, "terms and steps are bits of a uint32_t");

/* A row of registers.def, for one direction. */
struct sysreg_rule {
	uint32_t steps[4]; /* [EL]: the accessor's conditions, bit n is enum step n */
	uint64_t control;  /* the field of MDCR_EL3 that traps to EL3 when 0 */
	uint64_t fgt_mask; /* HDFGxTR(2)_EL2 & fgt_mask == fgt_traps: fine-grained trap */
	uint64_t fgt_traps;
	uint64_t fgt_enable;  /* the bit of SCR_EL3 without which ... */
	uint64_t coarse_mask; /* MDCR_EL2 & coarse_mask == coarse_traps: trap to EL2 */
	uint64_t coarse_traps;
	uint32_t exists;	/* SYSREG_FEAT_*, all needed */
	uint32_t fgt_feature;	/* SYSREG_FEAT_* */
	uint16_t fgt_offset;	/* of HDFGxTR(2)_EL2 in struct sysreg_controls */
	bool fgt_disabled_is_0; /* ... the HDFGxTR bit counts as 0 (true) or never traps (false) */
	uint8_t nv_mask;	/* {NV2,NV1,NV} & nv_mask == nv_match: redirect to memory */
	uint8_t nv_match;
	struct sysreg_route routes[CONCLUSION_COUNT]; /* with Rt 0 */
};

extern const struct sysreg_rule sysreg_rules[SYSREG_COUNT][2]; /* [register][write] */
extern const uint8_t sysreg_conclusions[STEP_COUNT];	       /* enum conclusion */

/*
 * The decision is one function that is compiled twice, with and without keeping the terms. Without
 * the attribute gcc calls it, and sysreg_route() takes half as long again.
 */
#define RULE_INLINE static inline __attribute__((always_inline))

/*
 * Usually constant for as long as a machine runs: a branch. Conditions that vary by access get
 * none.
 */
#define RARELY(condition)  __builtin_expect_with_probability(!!(condition), 0, 1.0)
#define USUALLY(condition) __builtin_expect_with_probability(!!(condition), 1, 1.0)

/* EL3SDDUndef() */
RULE_INLINE bool rule_sdd_undef(const struct sysreg_controls *c)
{
	return c->halted && c->edscr_sdd;
}

/* EffectivePMSCR_EL2_EE() */
RULE_INLINE uint32_t rule_ee2(const struct sysreg_controls *c, bool el2_enabled)
{
	if (!(c->features & SYSREG_FEAT_SPE_EXC))
		return 0;
	if ((c->features & SYSREG_FEAT_EL3) && SYSREG_FIELD(c->mdcr_el3, MDCR_EL3, PMSEE) == 0)
		return 0;
	return sysreg_el2_has_ee(c, el2_enabled) ? SYSREG_FIELD(c->pmscr_el2, PMSCR_EL2, EE) : 1;
}

/*
 * CheckMDCR_EL3_NSPBTrap(). EL3 must exist. NSPB[0] lets accesses pass; NSPB[1] and, with FEAT_RME,
 * NSPBE name the Security state that may. Reserved values trap as the formula gives.
 */
RULE_INLINE bool rule_nspb_trap(const struct sysreg_controls *c)
{
	const uint32_t ns = SYSREG_FIELD(c->scr_el3, SCR_EL3, NS);

	return (SYSREG_FIELD(c->mdcr_el3, MDCR_EL3, NSPB) != 2 * ns + 1) |
	       (RARELY(c->features & SYSREG_FEAT_RME) &&
		SYSREG_FIELD(c->mdcr_el3, MDCR_EL3, NSPBE) !=
			SYSREG_FIELD(c->scr_el3, SCR_EL3, NSE));
}

/* The steps that need this term; a constant where term is one. */
RULE_INLINE uint32_t rule_needs(enum term term)
{
	return 0
#define TERM(term_, text)
#define STEP(step, outcome, a, b, c, d)                                                            \
	| (uint32_t)(TERM_##a == term || TERM_##b == term || TERM_##c == term || TERM_##d == term) \
			<< STEP_##step
#include "steps.def"
#undef TERM
#undef STEP
		;
}

/* A term that does not hold takes away the steps that need it. */
#define IS(term, value)                                            \
	do {                                                       \
		const bool value_ = (value);                       \
		if (terms)                                         \
			*terms |= (uint32_t)value_ << TERM_##term; \
		if (!value_)                                       \
			steps &= ~rule_needs(TERM_##term);         \
	} while (0)

/*
 * Which of the steps hold for an access by this rule: bit n is step n. With terms, bit n of *terms
 * is the value of term n; the compiler drops that where it is NULL. Fields of registers whose
 * feature or EL is absent are ignored.
 */
RULE_INLINE uint32_t rule_holding(const struct sysreg_rule *rule, const struct sysreg_controls *c,
				  uint32_t *terms)
{
	const uint32_t f = c->features;
	const bool el3 = f & SYSREG_FEAT_EL3;
	const bool el2 = sysreg_el2_enabled(c);
	const uint32_t nvx = sysreg_nvx(c, el2);
	const uint32_t ee2 = rule_ee2(c, el2);
	const bool host = sysreg_el2_host(c, el2);
	const bool fgt_off = el3 && !(c->scr_el3 & rule->fgt_enable);
	uint32_t steps = rule->steps[c->el & 3u];
	uint64_t fgt;

	__builtin_memcpy(&fgt, (const char *)c + rule->fgt_offset, sizeof(fgt));
	IS(CONTROL_OFF, (c->mdcr_el3 & rule->control) == 0);
	IS(COARSE, (c->mdcr_el2 & rule->coarse_mask) == rule->coarse_traps);
	if (terms || RARELY(fgt_off || !(f & rule->fgt_feature))) {
		IS(FGT_ON, (f & rule->fgt_feature) && (!fgt_off || rule->fgt_disabled_is_0));
		IS(FGT_BIT, (fgt & rule->fgt_mask) == rule->fgt_traps ||
				    (fgt_off && rule->fgt_disabled_is_0));
	} else {
		IS(FGT_BIT, (fgt & rule->fgt_mask) == rule->fgt_traps);
	}
	IS(EL2_ENABLED, USUALLY(el2));
	IS(HOST, host);
	IS(NOT_HOST, !host);
	IS(HAVE_EL3, USUALLY(el3));
	IS(NSPB_TRAP, rule_nspb_trap(c));
	if (terms || nvx) {
		IS(NV, nvx != 0);
		IS(NV_PATTERN, (nvx & rule->nv_mask) == rule->nv_match);
		IS(NV_EE, ee2 == 0 || nvx == 7 || SYSREG_FIELD(c->pmscr_el1, PMSCR_EL1, EE) == 0);
	} else {
		IS(NV, 0);
		IS(NV_PATTERN, 0);
	}
	IS(EE2, RARELY(ee2 != 0));
	IS(MISSING, RARELY(rule->exists & ~f));
	IS(AARCH32, RARELY(c->aarch32));
	IS(SDD_PRIORITY, RARELY(rule_sdd_undef(c)) && c->el3_trap_has_priority_sdd);
	if (terms) {
		IS(SDD_UNDEF, rule_sdd_undef(c));
		/* Always true: only accessors that mean it have a step with one of these. */
		IS(YES, 1);
		IS(READ_ONLY, 1);
		IS(AT_EL0, 1);
	}
	return steps;
}

/* The condition that decides. There is one: every accessor ends with one that always holds. */
RULE_INLINE enum step rule_decider(uint32_t holding)
{
	return (enum step)__builtin_ctz(holding);
}

/* What follows from the condition that decides. */
RULE_INLINE struct sysreg_route rule_conclude(const struct sysreg_rule *rule,
					      const struct sysreg_controls *c,
					      struct sysreg_access access, enum step step)
{
	const uint32_t rt = (uint32_t)(access.rt & 31u) << 5;
	uint8_t then = sysreg_conclusions[step];
	struct sysreg_route route;

	if (RARELY(rule_sdd_undef(c)) && then == CONCLUSION_TRAP_EL3)
		then = CONCLUSION_UNDEFINED;
	route = rule->routes[then];
	route.syndrome |= route.kind == SYSREG_TRAP ? rt : 0;
	return route;
}

#endif
