/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.def as data, and the one function that tests the conditions of steps.def on it. Private
 * to sysreg/.
 *
 * All conditions are computed at once and without branches, as bits in the order of steps.def:
 * every term that does not hold takes away the steps that need it. Those steps that the accessor
 * has are picked by a mask, and the lowest that is left decides.
 */
#ifndef SYSREG_RULES_H
#define SYSREG_RULES_H

#include <vspe/sysreg.h>

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

/* What follows when a condition holds. */
struct sysreg_conclusion {
	uint32_t syndrome_mask; /* all ones where there is a syndrome */
	uint8_t kind;		/* enum sysreg_route_kind */
	uint8_t target_el; /* of SYSREG_TRAP; a trap to EL3 is UNDEFINED instead when EL3SDDUndef()
			    */
	uint8_t reach;	   /* which of sysreg_rule.reach */
	uint8_t nvmem;	   /* 1: with the memory offset */
};

enum { REACH_NOTHING, REACH_DIRECT, REACH_HOST, REACH_COUNT };

_Static_assert(TERM_COUNT <= 32 && STEP_COUNT <= 32, "terms and steps are bits of a uint32_t");

/* A row of registers.def, for one direction. */
struct sysreg_rule {
	uint32_t steps[4];    /* [EL]: the accessor's conditions, bit n is enum step n */
	uint64_t control;     /* the field of MDCR_EL3 that traps to EL3 when 0 */
	uint32_t exists;      /* SYSREG_FEAT_*, all needed */
	uint32_t iss;	      /* with Rt 0 */
	uint32_t fgt_feature; /* SYSREG_FEAT_* */
	uint16_t fgt_offset;  /* of HDFGxTR(2)_EL2 in struct sysreg_controls */
	uint16_t nv_offset;
	uint8_t fgt_bit;	    /* bit number there */
	uint8_t fgt_negative;	    /* 1: 0 traps */
	uint8_t fgt_enable;	    /* bit of SCR_EL3 ... */
	uint8_t fgt_disabled_is_0;  /* 1: without it the bit counts as 0; 0: without it no trap */
	uint8_t coarse_bit;	    /* bit of MDCR_EL2 ... */
	uint8_t coarse_negative;    /* ... and 1 if 0 traps */
	uint8_t nv_mask, nv_match;  /* {NV2,NV1,NV} & nv_mask == nv_match: redirect to memory */
	uint8_t reach[REACH_COUNT]; /* enum sysreg_id; REACH_NOTHING: the register itself */
};

extern const struct sysreg_rule sysreg_rules[SYSREG_COUNT][2]; /* [register][write] */
extern const struct sysreg_conclusion sysreg_conclusions[STEP_COUNT];

/*
 * The decision is one function that is compiled twice, with and without keeping the terms. Without
 * the attribute gcc calls it, and sysreg_route() takes half as long again.
 */
#define RULE_INLINE static inline __attribute__((always_inline))

#define RULE_LSB(reg, field) SYSREG_##reg##_##field##_LSB

RULE_INLINE uint32_t rule_has(uint32_t features, uint32_t feature)
{
	return (features & feature) != 0;
}

RULE_INLINE uint32_t rule_bit(uint64_t value, unsigned int n)
{
	return (uint32_t)(value >> n) & 1u;
}

/* The quantities that several conditions share, each 0 or 1 unless said otherwise. */
struct sysreg_effective {
	uint32_t have_el3;
	uint32_t el2_enabled;
	uint32_t in_host;      /* ELIsInHost(EL2) */
	uint32_t nvx;	       /* EffectiveHCR_EL2_NVx(), 3 bits */
	uint32_t nspb_trap;    /* CheckMDCR_EL3_NSPBTrap() */
	uint32_t sdd_undef;    /* EL3SDDUndef() */
	uint32_t sdd_priority; /* EL3SDDUndefPriority() */
	uint32_t ee2;	       /* EffectivePMSCR_EL2_EE(), 2 bits */
};

/*
 * Fields of registers whose feature or EL is absent are ignored here and nowhere else. Reserved
 * values of {NSPBE,NSPB} trap as the formula gives. NV1 without NV is taken as 000.
 * docs/decisions.md says why.
 */
RULE_INLINE struct sysreg_effective rule_effective(const struct sysreg_controls *c)
{
	const uint32_t f = c->features;
	const uint64_t hcr = c->hcr_el2;
	const uint32_t have_el3 = rule_has(f, SYSREG_FEAT_EL3);
	const uint32_t ns = rule_bit(c->scr_el3, RULE_LSB(SCR_EL3, NS));
	const uint32_t nse = rule_bit(c->scr_el3, RULE_LSB(SCR_EL3, NSE));
	const uint32_t eel2 =
		rule_bit(c->scr_el3, RULE_LSB(SCR_EL3, EEL2)) & rule_has(f, SYSREG_FEAT_SEL2);
	const uint32_t nspb = (uint32_t)(c->mdcr_el3 >> RULE_LSB(MDCR_EL3, NSPB)) & 3u;
	const uint32_t nspbe = rule_bit(c->mdcr_el3, RULE_LSB(MDCR_EL3, NSPBE));
	const uint32_t el2 = rule_has(f, SYSREG_FEAT_EL2) & ((have_el3 ^ 1u) | ns | eel2);
	struct sysreg_effective e = {
		.have_el3 = have_el3,
		.el2_enabled = el2,
		.in_host =
			el2 & rule_has(f, SYSREG_FEAT_VHE) & rule_bit(hcr, RULE_LSB(HCR_EL2, E2H)),
		.nspb_trap = ((nspb ^ 1u) | ((nspb >> 1) ^ ns) |
			      (rule_has(f, SYSREG_FEAT_RME) & (nspbe ^ nse))) &
			     1u,
	};

	/* What follows is rare, the same for long, and so predicted. */
	if (c->halted && c->edscr_sdd) {
		e.sdd_undef = 1;
		e.sdd_priority = c->el3_trap_has_priority_sdd;
	}
	if (el2 && rule_has(f, SYSREG_FEAT_NV) && rule_bit(hcr, RULE_LSB(HCR_EL2, NV)))
		e.nvx = (rule_bit(hcr, RULE_LSB(HCR_EL2, NV2)) & rule_has(f, SYSREG_FEAT_NV2))
				<< 2 |
			rule_bit(hcr, RULE_LSB(HCR_EL2, NV1)) << 1 | 1u;
	if (f & SYSREG_FEAT_SPE_EXC) {
		const uint32_t pmsee = (uint32_t)(c->mdcr_el3 >> RULE_LSB(MDCR_EL3, PMSEE)) & 3u;

		if (!have_el3 || pmsee != 0)
			e.ee2 = el2 ? (uint32_t)(c->pmscr_el2 >> RULE_LSB(PMSCR_EL2, EE)) & 3u : 1;
	}
	return e;
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

/* What is left of steps when the term has this value, 0 or 1; the value is noted in *terms. */
RULE_INLINE uint32_t rule_filter(uint32_t steps, enum term term, uint32_t value, uint32_t *terms)
{
	if (terms)
		*terms |= value << term;
	return steps & ~(rule_needs(term) & (value - 1u));
}

/*
 * Which of the steps hold for an access by this rule: bit n is step n. If terms is not NULL, bit n
 * of *terms is the value of term n; the compiler drops that where it is.
 */
RULE_INLINE uint32_t rule_holding(const struct sysreg_rule *rule, const struct sysreg_controls *c,
				  const struct sysreg_effective *e, uint32_t *terms)
{
	const uint32_t fgt_enabled = rule_bit(c->scr_el3, rule->fgt_enable) | (e->have_el3 ^ 1u);
	uint32_t steps = rule->steps[c->el & 3u];
	uint64_t fgt;

	__builtin_memcpy(&fgt, (const char *)c + rule->fgt_offset, sizeof(fgt));
#define IS(term, value) (steps = rule_filter(steps, TERM_##term, (value), terms))
	IS(MISSING, (rule->exists & ~c->features) != 0);
	IS(AARCH32, c->aarch32);
	IS(HAVE_EL3, e->have_el3);
	IS(NSPB_TRAP, e->nspb_trap);
	IS(CONTROL_OFF, (c->mdcr_el3 & rule->control) == 0);
	IS(EL2_ENABLED, e->el2_enabled);
	IS(FGT_ON,
	   rule_has(c->features, rule->fgt_feature) & (fgt_enabled | rule->fgt_disabled_is_0));
	IS(FGT_BIT, (rule_bit(fgt, rule->fgt_bit) ^ rule->fgt_negative) |
			    (rule->fgt_disabled_is_0 & (fgt_enabled ^ 1u)));
	IS(COARSE, rule_bit(c->mdcr_el2, rule->coarse_bit) ^ rule->coarse_negative);
	IS(HOST, e->in_host);
	IS(NOT_HOST, e->in_host ^ 1u);
	/* All 0 mostly, and the same for long: a branch each instead of the terms. */
	if (terms || (e->sdd_priority | e->nvx | e->ee2)) {
		const uint32_t ee1 = (uint32_t)(c->pmscr_el1 >> RULE_LSB(PMSCR_EL1, EE)) & 3u;

		IS(SDD_PRIORITY, e->sdd_priority);
		IS(NV, e->nvx & 1u);
		IS(NV_PATTERN, (e->nvx & rule->nv_mask) == rule->nv_match);
		IS(NV_EE, (e->ee2 == 0) | (ee1 == 0) | (e->nvx == 7));
		IS(EE2, e->ee2 != 0);
	} else {
		IS(SDD_PRIORITY, 0);
		IS(NV, 0);
		IS(NV_PATTERN, 0);
		IS(EE2, 0);
	}
	if (terms) {
		IS(SDD_UNDEF, e->sdd_undef);
		/* No questions: only accessors that mean it have a step with one of these. */
		IS(YES, 1);
		IS(READ_ONLY, 1);
		IS(AT_EL0, 1);
	}
#undef IS
	return steps;
}

/* The condition that decides. There is one: every accessor ends with a condition that always holds.
 */
RULE_INLINE enum step rule_decider(uint32_t holding)
{
	return (enum step)__builtin_ctz(holding);
}

/* What follows from the condition that decides. */
RULE_INLINE struct sysreg_route rule_conclude(const struct sysreg_rule *rule,
					      struct sysreg_access access, enum step step,
					      uint32_t sdd_undef)
{
	const struct sysreg_conclusion *then = &sysreg_conclusions[step];

	if (sdd_undef && then->target_el == 3)
		return (struct sysreg_route){.kind = SYSREG_UNDEFINED, .reg = access.reg};
	return (struct sysreg_route){
		.kind = (enum sysreg_route_kind)then->kind,
		.reg = (enum sysreg_id)rule->reach[then->reach],
		.target_el = then->target_el,
		.syndrome = (rule->iss | (access.rt & 31u) << 5) & then->syndrome_mask,
		.nvmem_offset = (uint16_t)(rule->nv_offset & (0u - then->nvmem)),
	};
}

#endif
