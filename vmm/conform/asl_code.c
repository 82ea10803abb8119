/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of the pseudocode: their files, their names, and calls from outside. */
#include "conform/asl_code_internal.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct asl_code *asl_code_new(const struct asl_host *host)
{
	struct asl_code *code = memory_need(calloc(1, sizeof(*code)));

	code->host = host;
	/* Number 0 of each is none. */
	CODE_GROW(code->nodes);
	CODE_GROW(code->symbols);
	CODE_GROW(code->constants);
	CODE_GROW(code->functions);
	CODE_GROW(code->globals);
	CODE_GROW(code->types);
	code->arena = memory_need(calloc(CODE_ARENA, sizeof(*code->arena)));
	code->pool = memory_need(calloc(CODE_POOL, sizeof(*code->pool)));
	code->step_limit = CODE_STEPS;
	code->eval = code_eval;
	code->call = code_call;
	return code;
}

void asl_code_free(struct asl_code *code)
{
	if (!code)
		return;
	for (size_t i = 1; i < code->symbols.count; i++)
		free(code->symbols.at[i].name);
	for (size_t i = 1; i < code->constants.count; i++)
		if (code->constants.at[i].kind == ASL_STRING)
			free((char *)code->constants.at[i].u.string);
	free(code->nodes.at);
	free(code->symbols.at);
	free(code->constants.at);
	free(code->functions.at);
	free(code->globals.at);
	free(code->types.at);
	free(code->arena);
	free(code->pool);
	free(code);
}

/* ASL1 has functions with begin; ASL0 has neither word. */
static bool has_ends(const struct token *tokens, size_t count)
{
	static const char *const words[] = {"func", "begin", "end", "var", "let"};

	for (size_t i = 0; i < count; i++)
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			if (tokens[i].kind == TOKEN_NAME && tokens[i].first &&
			    tokens[i].length == strlen(words[w]) &&
			    !memcmp(tokens[i].text, words[w], tokens[i].length))
				return true;
	/* Types alone: ASL1 declares them with "of". */
	for (size_t i = 0; i + 2 < count; i++)
		if (tokens[i].first && tokens[i].length == 4 &&
		    !memcmp(tokens[i].text, "type", 4) && tokens[i + 2].length == 2 &&
		    !memcmp(tokens[i + 2].text, "of", 2))
			return true;
	return false;
}

bool asl_code_read(struct asl_code *code, const char *name, const char *text, size_t size,
		   bool weak, struct asl_error *error)
{
	struct code_parser c = {
		.p = {.error = error},
		.code = code,
		.weak = weak,
		.expression = code_expression,
		.sum = code_sum,
	};
	size_t count;

	*error = (struct asl_error){0};
	if (code->file_count == CODE_FILES_MAX) {
		snprintf(error->text, sizeof(error->text), "more than %u files", CODE_FILES_MAX);
		return false;
	}
	code->files[++code->file_count] = name;
	c.p.tokens = asl_scan(text, size, 1, ASL_SCOPE_CODE, &count, error);
	if (!c.p.tokens)
		return false;
	c.ends = has_ends(c.p.tokens, count);
	code_declarations(&c);
	free(c.p.tokens);
	return !c.p.failed;
}

/* ---- links */

static bool link_failed(struct asl_code *code, struct asl_error *error, uint32_t place,
			const char *what, uint32_t symbol)
{
	error->line = place & 0xffffff;
	snprintf(error->text, sizeof(error->text), "%.80s %s", code->symbols.at[symbol].name, what);
	return false;
}

/* Give a name a place among the locals of the function that is being linked. */
static bool add_local(struct asl_code *code, struct function *f, uint32_t symbol)
{
	if (code->symbols.at[symbol].slot)
		return true;
	if (f->slots == CODE_LOCALS_MAX)
		return false;
	code->symbols.at[symbol].slot = ++f->slots;
	return true;
}

/* N of bits(N), unless a constant has that name. */
static bool add_width(struct asl_code *code, struct function *f, uint32_t type)
{
	const struct node *t = code_at(code, type), *width;

	if (!type || t->how != TYPE_BITS)
		return true;
	width = code_at(code, t->a);
	return width->kind != NODE_NAME || code->symbols.at[width->symbol].global ||
	       add_local(code, f, width->symbol);
}

static bool add_parameters(struct asl_code *code, struct function *f)
{
	bool fits = true;

	for (uint32_t w = f->parameters; w; w = code_at(code, w)->next)
		fits = fits && add_local(code, f, code_at(code, w)->symbol);
	for (uint32_t w = f->braces; w; w = code_at(code, w)->next)
		fits = fits && add_local(code, f, code_at(code, w)->symbol);
	for (uint32_t w = f->parameters; w; w = code_at(code, w)->next)
		fits = fits && add_width(code, f, code_at(code, w)->a);
	return fits;
}

static bool add_target(struct asl_code *code, struct function *f, uint32_t target)
{
	const struct node *n = code_at(code, target);

	if (n->kind == NODE_TUPLE) {
		for (uint32_t t = n->a; t; t = code_at(code, t)->next)
			if (!add_target(code, f, t))
				return false;
		return true;
	}
	return n->kind != NODE_NAME || code->symbols.at[n->symbol].global ||
	       add_local(code, f, n->symbol);
}

static bool add_locals(struct asl_code *code, struct function *f)
{
	if (!add_parameters(code, f))
		return false;
	for (uint32_t i = f->first; i < f->last; i++) {
		const struct node *n = code_at(code, i);

		if ((n->kind == NODE_DECLARE || n->kind == NODE_FOR) &&
		    !add_local(code, f, n->symbol))
			return false;
		if (n->kind == NODE_ASSIGN && !add_target(code, f, n->a))
			return false;
	}
	return true;
}

/* A name that stands for itself. */
static bool is_word(const struct asl_code *code, const char *name)
{
	for (const char *const *w = code->host->words; w && *w; w++)
		if (!strncmp(name, *w, strlen(*w)))
			return true;
	return false;
}

static void link_name(struct asl_code *code, uint32_t node)
{
	const struct symbol *s = &code->symbols.at[code_at(code, node)->symbol];

	if (s->slot) {
		code_at(code, node)->slot = (uint16_t)s->slot;
	} else if (s->global) {
		code_at(code, node)->c = s->global;
	} else if (is_word(code, s->name)) {
		const struct asl_value word = {.kind = ASL_STRING,
					       .u.string = code_text(s->name, strlen(s->name))};
		const uint32_t constant = code_constant(code, word);

		code_at(code, node)->kind = NODE_VALUE;
		code_at(code, node)->a = constant;
	}
}

static void link_nodes(struct asl_code *code, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last; i++) {
		struct node *n = code_at(code, i);

		if (n->kind == NODE_NAME)
			link_name(code, i);
		else if (n->kind == NODE_DECLARE || n->kind == NODE_FOR)
			n->slot = (uint16_t)code->symbols.at[n->symbol].slot;
		else if (n->kind == NODE_CALL && !n->c)
			n->c = code->symbols.at[n->symbol].global;
	}
}

bool asl_code_link(struct asl_code *code, struct asl_error *error)
{
	uint32_t outside = 1;

	for (size_t i = 1; i < code->symbols.count; i++)
		code->symbols.at[i].builtin = code_builtin(code->symbols.at[i].name);
	for (size_t i = 1; i < code->functions.count; i++) {
		struct function *f = &code->functions.at[i];

		link_nodes(code, outside, f->first);
		outside = f->last;
		if (!add_locals(code, f))
			return link_failed(code, error, f->place, "has too many variables",
					   f->symbol);
		link_nodes(code, f->first, f->last);
		for (uint32_t n = f->first; n < f->last; n++)
			code->symbols.at[code_at(code, n)->symbol].slot = 0;
	}
	link_nodes(code, outside, (uint32_t)code->nodes.count);
	return true;
}

/* ---- calls */

const char *asl_code_error(const struct asl_code *code)
{
	return code->error;
}

void asl_code_limit(struct asl_code *code, uint64_t steps)
{
	code->step_limit = steps;
}

static void begin(struct asl_code *code)
{
	code->failed = false;
	code->error[0] = 0;
	code->steps = 0;
	code->arena_used = 0;
	code->calls = code->depth = 0;
	code->frame = NULL;
}

bool asl_code_start(struct asl_code *code)
{
	begin(code);
	code->pool_used = 0;
	for (uint32_t i = 1; i < code->globals.count; i++)
		if (!code->globals.at[i].member)
			code->globals.at[i].state = GLOBAL_NEW;
	for (uint32_t i = 1; i < code->globals.count && !code->failed; i++)
		code_global(code, i);
	return !code->failed;
}

int asl_code_function(const struct asl_code *code, const char *name)
{
	const uint32_t s = code_find(code, name, strlen(name));

	return s && code->symbols.at[s].function ? (int)s : -1;
}

bool asl_code_call(struct asl_code *code, int function, const struct asl_value *arguments,
		   unsigned int count, struct asl_value *result)
{
	struct asl_value value;

	begin(code);
	value = code_call(code, (uint32_t)function, false, arguments, count, NULL, 0);
	if (result && !code->failed)
		*result = value;
	return !code->failed;
}

struct asl_value *asl_code_variable(struct asl_code *code, const char *name)
{
	const uint32_t s = code_find(code, name, strlen(name));

	if (!s || !code->symbols.at[s].global)
		return NULL;
	return code_global(code, code->symbols.at[s].global);
}

const char *asl_code_member(const struct asl_code *code, const struct asl_value *value)
{
	uint32_t word, i = 0;

	if (value->kind != ASL_MEMBER)
		return "";
	word = code->types.at[value->type].list;
	for (; word && i < value->u.member; word = code_at(code, word)->next)
		i++;
	return word ? code->symbols.at[code_at(code, word)->symbol].name : "";
}
