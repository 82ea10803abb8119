/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an access is routed, and why: the "Accessing" sections of the register pages, by the rules
 * of rules.h. sysreg_route() and sysreg_explain() make the same decision; the latter keeps the
 * terms.
 */
#include "rules.h"
#include "assertion.h"

/* A register's words in the terms that differ by register; words.inc is made of registers.def. */
struct words {
	const char *missing;
	const char *fgt_on;
	const char *fgt_bit[2]; /* [write] */
	const char *coarse;
	const char *control;
	const char *nv_pattern;
};

#include "words.inc"

static const char *term_text(enum term term, struct sysreg_access access)
{
	static const char *const texts[TERM_COUNT] = {
#define TERM(term, text) [TERM_##term] = (text),
#define STEP(step, outcome, a, b, c, d)
#include "steps.def"
#undef TERM
#undef STEP
	};
	const struct words *own = &words[access.reg];

	switch (term) {
	case TERM_MISSING: return own->missing;
	case TERM_FGT_ON: return own->fgt_on;
	case TERM_FGT_BIT: return own->fgt_bit[access.write];
	case TERM_COARSE: return own->coarse;
	case TERM_CONTROL_OFF: return own->control;
	case TERM_NV_PATTERN: return own->nv_pattern;
	default: return texts[term];
	}
}

static struct sysreg_step describe_step(enum step step, struct sysreg_access access, uint32_t terms)
{
	static const uint8_t parts[STEP_COUNT][SYSREG_TERMS_MAX] = {
#define TERM(term, text)
#define STEP(step, outcome, a, b, c, d) [STEP_##step] = {TERM_##a, TERM_##b, TERM_##c, TERM_##d},
#include "steps.def"
#undef TERM
#undef STEP
	};
	const struct sysreg_route *then =
		&sysreg_rules[access.reg][access.write].routes[sysreg_conclusions[step]];
	struct sysreg_step s = {
		.value = true,
		.kind = then->kind,
		.target_el = then->target_el,
	};

	for (size_t i = 0; i < SYSREG_TERMS_MAX; i++) {
		const enum term term = (enum term)parts[step][i];

		/* YES is filler; show it only if there is no other term. */
		if (term == TERM_YES && i > 0)
			break;
		s.terms[i].text = term_text(term, access);
		s.terms[i].value = terms >> term & 1u;
		s.value = s.value && s.terms[i].value;
		s.count++;
	}
	return s;
}

/* The condition inside a trap to EL3, which the accessors test last. */
static struct sysreg_step describe_sdd(uint32_t terms)
{
	const bool value = terms >> TERM_SDD_UNDEF & 1u;

	return (struct sysreg_step){
		.terms = {{term_text(TERM_SDD_UNDEF, (struct sysreg_access){0}), value}},
		.count = 1,
		.value = value,
		.kind = SYSREG_UNDEFINED,
	};
}

/* Not a register of SPE's table: no page, so no accessor. */
static struct sysreg_route unallocated_route(struct sysreg_access access)
{
	return (struct sysreg_route){.kind = SYSREG_UNDEFINED, .reg = (uint16_t)access.reg};
}

/* A separate function, so that rule is in a register: if inlined, gcc computes it at every use. */
static __attribute__((noinline)) struct sysreg_route
decide_route(const struct sysreg_rule *rule, const struct sysreg_controls *controls,
	     struct sysreg_access access)
{
	return rule_conclude(rule, controls, access,
			     rule_decider(rule_holding(rule, controls, NULL)));
}

struct sysreg_route sysreg_route(const struct sysreg_controls *controls,
				 struct sysreg_access access)
{
	if ((unsigned int)access.reg >= SYSREG_COUNT)
		return unallocated_route(access);
	return decide_route(&sysreg_rules[access.reg][access.write], controls, access);
}

struct sysreg_route sysreg_explain(const struct sysreg_controls *controls,
				   struct sysreg_access access, struct sysreg_step *steps,
				   size_t max, size_t *count)
{
	const struct sysreg_rule *rule;
	uint32_t terms = 0, asked;
	enum step decider;

	*count = 0;
	if ((unsigned int)access.reg >= SYSREG_COUNT)
		return unallocated_route(access);
	rule = &sysreg_rules[access.reg][access.write];
	asked = rule->steps[controls->el & 3u];
	decider = rule_decider(rule_holding(rule, controls, &terms));
	vspe_assert_of(decider < STEP_COUNT && asked >> decider & 1u, decider, asked);
	for (unsigned int step = 0; step <= (unsigned int)decider; step++) {
		if (!(asked >> step & 1u))
			continue;
		if (*count < max)
			steps[*count] = describe_step((enum step)step, access, terms);
		++*count;
	}
	if (sysreg_conclusions[decider] == CONCLUSION_TRAP_EL3) {
		if (*count < max)
			steps[*count] = describe_sdd(terms);
		++*count;
	}
	return rule_conclude(rule, controls, access, decider);
}
