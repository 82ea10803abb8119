/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluates an accessor. The depth of the recursion is that of the text's brackets and blocks,
 * which the parser has limited, plus that of chains of && and ||, which nest on their left.
 */
#include "conform/asl_internal.h"
#include "conform/pmu_statement.h"

static uint64_t value_of(const struct asl_program *program, unsigned int index, struct world *w);

static uint64_t call_function(enum asl_function function, unsigned int level, struct world *w)
{
	switch (function) {
	case FUNCTION_SDD_UNDEF: return world_sdd_undef(w);
	case FUNCTION_SDD_PRIORITY: return world_sdd_undef_priority(w);
	case FUNCTION_NSPB_TRAP: return world_nspb_trap(w);
	case FUNCTION_EL2_ENABLED: return world_el2_enabled(w);
	case FUNCTION_NVX: return world_nvx(w);
	case FUNCTION_IN_HOST: return world_el_is_in_host_el2(w);
	case FUNCTION_PMSCR_EL2_EE: return world_pmscr_el2_ee(w);
	case FUNCTION_EL0_IN_HOST: return pmu_stated_host(w);
	case FUNCTION_COUNTERS: return PMU_STATED_COUNTERS;
	case FUNCTION_ACCESSIBLE: return pmu_stated_accessible(w);
	case FUNCTION_HCRX:
	case FUNCTION_HIGHEST:
	case FUNCTION_VALID:
	case FUNCTION_SECURE: return asl_cpu_call(function, level, w);
	}
	return 0;
}

/* The bits of a constant that count: all except its x. */
static uint64_t mask_of(const struct expr *e)
{
	return e->kind == EXPR_CONSTANT && e->width ? e->mask : UINT64_MAX;
}

static bool are_equal(const struct asl_program *program, const struct expr *e, struct world *w)
{
	const struct expr *a = &program->exprs[e->a], *b = &program->exprs[e->b];
	const uint64_t left = value_of(program, e->a, w), right = value_of(program, e->b, w);

	return ((left ^ right) & mask_of(a) & mask_of(b)) == 0;
}

/* Query only the bits that a pattern names. */
static bool matches_pattern(const struct asl_program *program, const struct expr *of,
			    const struct expr *pattern, struct world *w)
{
	if (of->kind != EXPR_BITS)
		return ((value_of(program, (unsigned int)(of - program->exprs), w) ^
			 pattern->value) &
			pattern->mask) == 0;
	for (unsigned int i = 0; i < of->width; i++)
		if ((pattern->mask >> i & 1) &&
		    world_is(w, of->first + i) != (pattern->value >> i & 1))
			return false;
	return true;
}

static bool in_list(const struct asl_program *program, const struct expr *e, struct world *w)
{
	for (unsigned int i = e->b; i; i = program->exprs[i].b)
		if (matches_pattern(program, &program->exprs[e->a], &program->exprs[i], w))
			return true;
	return false;
}

static uint64_t slice_of(const struct asl_program *program, const struct expr *e, struct world *w)
{
	const struct expr *of = &program->exprs[e->a];

	if (of->kind == EXPR_BITS)
		return world_field(w, of->first + e->first, e->width);
	return value_of(program, e->a, w) >> e->first & (UINT64_MAX >> (64 - e->width));
}

/* No index reaches beyond the register. */
static uint64_t bit_at(const struct asl_program *program, const struct expr *e, struct world *w)
{
	const uint64_t n = value_of(program, e->a, w);

	return n < e->value && world_is(w, e->first + (unsigned int)n);
}

static uint64_t value_of(const struct asl_program *program, unsigned int index, struct world *w)
{
	const struct expr *e = &program->exprs[index];

	switch (e->kind) {
	case EXPR_CONSTANT: return e->value;
	case EXPR_BITS: return world_field(w, e->first, e->width ? e->width : 1);
	case EXPR_EL: return w->el;
	case EXPR_FUNCTION:
		return call_function((enum asl_function)e->first,
				     e->a ? (unsigned int)value_of(program, e->a, w) : 0, w);
	case EXPR_NOT: return !value_of(program, e->a, w);
	case EXPR_AND: return value_of(program, e->a, w) && value_of(program, e->b, w);
	case EXPR_OR: return value_of(program, e->a, w) || value_of(program, e->b, w);
	case EXPR_EQUAL: return are_equal(program, e, w);
	case EXPR_NOT_EQUAL: return !are_equal(program, e, w);
	case EXPR_IN: return in_list(program, e, w);
	case EXPR_PATTERN: return e->value;
	case EXPR_CONCAT:
		return value_of(program, e->a, w) << program->exprs[e->b].width |
		       value_of(program, e->b, w);
	case EXPR_SLICE: return slice_of(program, e, w);
	case EXPR_INTEGER: return value_of(program, e->a, w);
	case EXPR_M: return w->m;
	case EXPR_AT: return bit_at(program, e, w);
	case EXPR_NOT_LESS: return value_of(program, e->a, w) >= value_of(program, e->b, w);
	case EXPR_LACKING:
		if (!w->lacks)
			w->lacks = program->names + e->first;
		return 0;
	}
	return 0;
}

/* For an array of registers, the selected one: the parser only knows arrays of 31. */
static struct outcome outcome_of(const struct asl_program *program, const struct asl_statement *s,
				 struct world *w)
{
	struct outcome outcome = s->outcome;

	outcome.offset = (uint16_t)(outcome.offset + s->step * w->m);
	if (s->index)
		outcome.reg = (enum sysreg_id)(outcome.reg + value_of(program, s->index, w) % 31);
	return outcome;
}

/* Run the statements of a block; *found: an outcome was reached. */
static struct outcome run_block(const struct asl_program *program, unsigned int index,
				struct world *w, bool *found)
{
	struct outcome outcome = {0};

	*found = false;
	while (index && !*found) {
		const struct asl_statement *s = &program->statements[index];

		if (s->kind == STATEMENT_OUTCOME) {
			*found = true;
			return outcome_of(program, s, w);
		}
		/* A loop, so that a chain of elsif needs no recursion. */
		if (value_of(program, s->condition, w)) {
			outcome = run_block(program, s->then_first, w, found);
			index = s->next;
		} else if (s->else_first && !s->next) {
			index = s->else_first;
		} else {
			outcome = run_block(program, s->else_first, w, found);
			index = s->next;
		}
		/* An unknown bit was queried: the caller will run it again. */
		if (w->asked >= 0 || w->lacks)
			return outcome;
	}
	return outcome;
}

struct outcome asl_run(const struct asl_program *program, struct world *w)
{
	bool found;
	struct outcome outcome = run_block(program, program->first, w, &found);

	if (!found && w->asked < 0)
		outcome.kind = (enum sysreg_route_kind)ASL_NO_OUTCOME;
	return outcome;
}
