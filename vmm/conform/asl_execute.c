/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes statements of the pseudocode, and calls its functions. */
#include "conform/asl_code_internal.h"

#include <string.h>

static const struct asl_value nothing;

enum flow { FLOW_ON, FLOW_RETURN };

static enum flow execute_block(struct asl_code *code, uint32_t first, struct asl_value *result);

static enum flow run_if(struct asl_code *code, const struct node *n, struct asl_value *result)
{
	for (uint32_t a = n->a; a && !code->failed; a = code_at(code, a)->next) {
		const struct node *arm = code_at(code, a);

		if (!arm->a || code_condition(code, arm->a))
			return code->failed ? FLOW_ON : execute_block(code, arm->b, result);
	}
	return FLOW_ON;
}

static enum flow run_case(struct asl_code *code, const struct node *n, struct asl_value *result)
{
	const struct asl_value v = code_eval(code, n->a);

	for (uint32_t a = n->b; a && !code->failed; a = code_at(code, a)->next) {
		const struct node *arm = code_at(code, a);

		if ((!arm->a || code_matches(code, &v, arm->a)) &&
		    (!arm->c || code_condition(code, arm->c)))
			return code->failed ? FLOW_ON : execute_block(code, arm->b, result);
	}
	return FLOW_ON;
}

static enum flow run_for(struct asl_code *code, const struct node *n, struct asl_value *result)
{
	const struct asl_value from = code_eval(code, n->a), to = code_eval(code, n->b);
	asl_int128 i, left;

	if (code->failed)
		return FLOW_ON;
	if (from.kind != ASL_NUMBER || to.kind != ASL_NUMBER || !code->frame) {
		asl_code_fail(code, "a loop has integers");
		return FLOW_ON;
	}
	i = from.u.integer;
	if (__builtin_sub_overflow(n->how ? i : to.u.integer, n->how ? to.u.integer : i, &left)) {
		asl_code_fail(code, "too long a loop");
		return FLOW_ON;
	}
	for (; left >= 0 && code_step(code, n->place); left--) {
		code->frame[n->slot - 1] = asl_number(i);
		if (execute_block(code, n->c, result) == FLOW_RETURN)
			return FLOW_RETURN;
		if (left)
			i += n->how ? -1 : 1;
	}
	return FLOW_ON;
}

static enum flow run_loop(struct asl_code *code, const struct node *n, struct asl_value *result)
{
	const bool repeat = n->kind == NODE_REPEAT;

	for (;;) {
		if (!repeat && (!code_condition(code, n->a) || code->failed))
			return FLOW_ON;
		if (execute_block(code, n->c, result) == FLOW_RETURN)
			return FLOW_RETURN;
		if (!code_step(code, n->place))
			return FLOW_ON;
		if (repeat && (code_condition(code, n->a) || code->failed))
			return FLOW_ON;
	}
}

static void declare(struct asl_code *code, const struct node *n)
{
	struct asl_value *to, value;

	if (!n->slot || !code->frame) {
		asl_code_fail(code, "a variable outside of a function");
		return;
	}
	to = &code->frame[n->slot - 1];
	if (!n->b) {
		*to = code_default(code, n->a, false, true);
		return;
	}
	value = code_eval(code, n->b);
	*to = n->a ? code_default(code, n->a, false, false) : nothing;
	code_store(code, to, &value);
}

static enum flow execute(struct asl_code *code, const struct node *n, struct asl_value *result)
{
	struct asl_value v;

	switch ((enum node_kind)n->kind) {
	case NODE_IF: return run_if(code, n, result);
	case NODE_CASE: return run_case(code, n, result);
	case NODE_FOR: return run_for(code, n, result);
	case NODE_WHILE:
	case NODE_REPEAT: return run_loop(code, n, result);
	case NODE_DECLARE: declare(code, n); return FLOW_ON;
	case NODE_ASSIGN:
		v = code_eval(code, n->b);
		code_assign(code, n->a, &v);
		return FLOW_ON;
	case NODE_DO: code_eval(code, n->a); return FLOW_ON;
	case NODE_RETURN: *result = n->a ? code_eval(code, n->a) : nothing; return FLOW_RETURN;
	case NODE_ASSERT:
		if (!code_condition(code, n->a))
			asl_code_fail(code, "an assertion is false");
		return FLOW_ON;
	case NODE_STOP:
		asl_code_fail(code, "%.80s", code->constants.at[n->a].u.string);
		return FLOW_ON;
	default: asl_code_fail(code, "no statement"); return FLOW_ON;
	}
}

static enum flow execute_block(struct asl_code *code, uint32_t first, struct asl_value *result)
{
	enum flow flow = FLOW_ON;

	if (++code->depth > CODE_DEPTH_MAX)
		asl_code_fail(code, "nested too deeply");
	for (uint32_t s = first; s && flow == FLOW_ON; s = code_at(code, s)->next) {
		if (!code_step(code, code_at(code, s)->place))
			break;
		flow = execute(code, code_at(code, s), result);
	}
	code->depth--;
	return flow;
}

/* ---- calls */

/* bits(N): N is the argument's width. */
static bool bind_width(struct asl_code *code, const struct node *type, const struct asl_value *v)
{
	const struct node *width;
	struct asl_value *n;

	if (type->how != TYPE_BITS || v->kind != ASL_BITS)
		return true;
	width = code_at(code, type->a);
	if (width->kind != NODE_NAME || !width->slot)
		return true;
	n = &code->frame[width->slot - 1];
	if (n->kind == ASL_NOTHING)
		*n = asl_number(v->width);
	return n->kind == ASL_NUMBER && n->u.integer == v->width;
}

/* bits of an alias have its fields. */
static void take_type(const struct asl_code *code, uint32_t type, struct asl_value *v)
{
	const struct node *t = code_at(code, type);

	if (type && v->kind == ASL_BITS)
		v->type = t->how == TYPE_NAMED ? (uint16_t)code->symbols.at[t->symbol].type : 0;
}

static bool bind(struct asl_code *code, const struct function *f, const struct asl_value *arguments,
		 unsigned int count, const struct asl_value *braces, unsigned int brace_count)
{
	unsigned int slot = 0;
	uint32_t w;

	for (unsigned int i = 0; i < count; i++, slot++)
		code->frame[slot] = code_copy(code, &arguments[i]);
	for (w = f->braces; w; w = code_at(code, w)->next, slot++)
		if (slot - count < brace_count)
			code->frame[slot] = braces[slot - count];
	slot = 0;
	for (w = f->parameters; w && !code->failed; w = code_at(code, w)->next, slot++) {
		const uint32_t type = code_at(code, w)->a;

		if (type && (!bind_width(code, code_at(code, type), &arguments[slot]) ||
			     !code_fits(code, type, &arguments[slot])))
			return asl_code_fail(code, "%.60s: argument %u is %s of another type",
					     code->symbols.at[f->symbol].name, slot + 1,
					     code_kind_name(&arguments[slot]));
		take_type(code, type, &code->frame[slot]);
	}
	return !code->failed;
}

/* The value that a function returns, of the type that it says. */
static struct asl_value returned(struct asl_code *code, const struct function *f,
				 struct asl_value v)
{
	if (!f->result || code->failed)
		return code->failed ? nothing : v;
	if (v.kind == ASL_NOTHING || !code_fits(code, f->result, &v)) {
		asl_code_fail(code, "%.60s returns %s of another type",
			      code->symbols.at[f->symbol].name, code_kind_name(&v));
		return nothing;
	}
	take_type(code, f->result, &v);
	return v;
}

struct asl_value code_invoke(struct asl_code *code, const struct function *f,
			     const struct asl_value *arguments, unsigned int count,
			     const struct asl_value *braces, unsigned int brace_count)
{
	struct asl_value *const outer = code->frame;
	const uint32_t place = code->place;
	const size_t mark = code->arena_used;
	struct asl_value result = nothing, *frame;

	if (++code->calls > CODE_CALLS_MAX) {
		asl_code_fail(code, "more than %u nested calls", CODE_CALLS_MAX);
		return nothing;
	}
	frame = code_room(code, f->slots + 1);
	if (code->failed)
		return nothing;
	code->frame = frame;
	if (bind(code, f, arguments, count, braces, brace_count))
		execute_block(code, f->body, &result);
	result = returned(code, f, result);
	code->frame = outer;
	code->calls--;
	if (code->failed)
		return nothing;
	/* Parts are in the arena; a plain value is not. */
	if (result.kind < ASL_ARRAY)
		code->arena_used = mark;
	code->place = place;
	return result;
}

static bool all_fit(struct asl_code *code, const struct function *f,
		    const struct asl_value *arguments)
{
	unsigned int i = 0;

	for (uint32_t w = f->parameters; w; w = code_at(code, w)->next, i++)
		if (code_at(code, w)->a && !code_fits(code, code_at(code, w)->a, &arguments[i]))
			return false;
	return true;
}

static const struct function *choose(struct asl_code *code, uint32_t first, bool setter,
				     const struct asl_value *arguments, unsigned int count)
{
	const struct function *only = NULL;
	unsigned int candidates = 0;

	for (uint32_t i = first; i; i = code->functions.at[i].next) {
		const struct function *f = &code->functions.at[i];

		if ((f->kind == FUNCTION_SETTER) != setter || f->parameter_count != count)
			continue;
		only = f;
		candidates++;
	}
	if (candidates < 2)
		return only;
	for (uint32_t i = first; i; i = code->functions.at[i].next) {
		const struct function *f = &code->functions.at[i];

		if ((f->kind == FUNCTION_SETTER) == setter && f->parameter_count == count &&
		    all_fit(code, f, arguments))
			return f;
	}
	return NULL;
}

static struct asl_value call_hook(struct asl_code *code, unsigned int hook,
				  const struct asl_value *arguments, unsigned int count)
{
	const struct asl_host *host = code->host;
	struct asl_value result = nothing;

	if (!host->hooks[hook].call(host->ctx, code, arguments, count, &result))
		asl_code_fail(code, "%s cannot be called like this", host->hooks[hook].name);
	return code->failed ? nothing : result;
}

struct asl_value code_call(struct asl_code *code, uint32_t symbol, bool setter,
			   const struct asl_value *arguments, unsigned int count,
			   const struct asl_value *braces, unsigned int brace_count)
{
	const struct symbol *s = &code->symbols.at[symbol];
	struct asl_value both[ASL_ARGUMENTS];
	const struct function *f;

	if (code->failed)
		return nothing;
	if (s->hook && !setter)
		return call_hook(code, s->hook - 1u, arguments, count);
	f = choose(code, s->function, setter, arguments, count);
	if (f)
		return code_invoke(code, f, arguments, count, braces, brace_count);
	if (s->builtin && !setter) {
		/* Zeros{64}, ZeroExtend{64}(x): the width comes last, as in ASL0. */
		if (!brace_count)
			return code_call_builtin(code, s->builtin - 1u, arguments, count);
		if (count == ASL_ARGUMENTS) {
			asl_code_fail(code, "more than %u arguments", ASL_ARGUMENTS);
			return nothing;
		}
		memcpy(both, arguments, count * sizeof(*arguments));
		both[count] = braces[0];
		return code_call_builtin(code, s->builtin - 1u, both, count + 1);
	}
	asl_code_fail(code,
		      s->function ? "%.80s does not take these arguments" : "%.80s is not there",
		      s->name);
	return nothing;
}
