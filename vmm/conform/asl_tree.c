/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of a program of the pseudocode, its symbols, and the words that the parsers take. */
#include "conform/asl_code_internal.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define HASH_SIZE 4096u

void *code_grow(void *at, size_t *count, size_t *room, size_t size)
{
	if (*count >= *room) {
		const size_t more = *room ? 2 * *room : 64;

		at = memory_need(realloc(at, more * size));
		memset((char *)at + *room * size, 0, (more - *room) * size);
		*room = more;
	}
	(*count)++;
	return at;
}

char *code_text(const char *text, size_t length)
{
	char *copy = memory_need(malloc(length + 1));

	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

static uint32_t hash_of(const char *name, size_t length)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h % HASH_SIZE;
}

uint32_t code_find(const struct asl_code *code, const char *name, size_t length)
{
	uint32_t s = code->hash[hash_of(name, length)];

	for (; s; s = code->symbols.at[s].next)
		if (!strncmp(code->symbols.at[s].name, name, length) &&
		    !code->symbols.at[s].name[length])
			return s;
	return 0;
}

uint32_t code_symbol(struct asl_code *code, const char *name, size_t length)
{
	uint32_t s = code_find(code, name, length), *hash;
	struct symbol *symbol;

	if (s)
		return s;
	CODE_GROW(code->symbols);
	s = (uint32_t)code->symbols.count - 1;
	symbol = &code->symbols.at[s];
	symbol->name = code_text(name, length);
	hash = &code->hash[hash_of(name, length)];
	symbol->next = *hash;
	*hash = s;
	for (size_t i = 0; i < code->host->hook_count; i++)
		if (!strcmp(code->host->hooks[i].name, symbol->name))
			symbol->hook = (uint16_t)(i + 1);
	return s;
}

uint32_t code_constant(struct asl_code *code, struct asl_value value)
{
	CODE_GROW(code->constants);
	code->constants.at[code->constants.count - 1] = value;
	return (uint32_t)code->constants.count - 1;
}

uint32_t code_node(struct code_parser *c, enum node_kind kind, const struct token *at)
{
	struct asl_code *code = c->code;
	struct node *n;

	if (code->nodes.count >= CODE_NODES_MAX)
		asl_fail(&c->p, "too long");
	CODE_GROW(code->nodes);
	n = &code->nodes.at[code->nodes.count - 1];
	n->kind = (uint8_t)kind;
	n->place = code->file_count << PLACE_LINE_BITS | (at->line & 0xffffff);
	return (uint32_t)code->nodes.count - 1;
}

bool asl_code_fail(struct asl_code *code, const char *format, ...)
{
	const char *file = code->files[code->place >> PLACE_LINE_BITS];
	va_list args;
	int n;

	if (code->failed)
		return false;
	code->failed = true;
	n = snprintf(code->error, sizeof(code->error), "%.80s:%u: ", file ? file : "",
		     (unsigned int)(code->place & 0xffffff));
	va_start(args, format);
	vsnprintf(code->error + n, sizeof(code->error) - (size_t)n, format, args);
	va_end(args);
	return false;
}

bool code_enter(struct code_parser *c)
{
	if (++c->p.depth > ASL_DEPTH_MAX)
		asl_fail(&c->p, "nested too deeply");
	return !c->p.failed;
}

void code_leave(struct code_parser *c)
{
	c->p.depth--;
}

static const struct token *ahead_of(const struct code_parser *c, size_t ahead)
{
	const struct token *t = asl_token(&c->p);

	for (; ahead && t->kind != TOKEN_END; ahead--)
		t++;
	return t;
}

bool code_next_is(const struct code_parser *c, size_t ahead, const char *text)
{
	const struct token *t = ahead_of(c, ahead);

	return (t->kind == TOKEN_NAME || t->kind == TOKEN_SYMBOL) && t->length == strlen(text) &&
	       !memcmp(t->text, text, t->length);
}

enum token_kind code_next_kind(const struct code_parser *c, size_t ahead)
{
	return ahead_of(c, ahead)->kind;
}

uint32_t code_name(struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);

	if (t->kind != TOKEN_NAME)
		return asl_fail(&c->p, "a name expected");
	c->p.at++;
	return code_symbol(c->code, t->text, t->length);
}

/* AArch64.Name is one name. */
uint32_t code_dotted_name(struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);

	if (t->kind == TOKEN_NAME && t->length == 7 && !memcmp(t->text, "AArch", 5) &&
	    code_next_is(c, 1, ".") && t[2].kind == TOKEN_NAME) {
		c->p.at += 3;
		return code_symbol(c->code, t->text, (size_t)(t[2].text - t->text) + t[2].length);
	}
	return code_name(c);
}

void code_append(struct code_parser *c, uint32_t *first, uint32_t *last, uint32_t node)
{
	if (!node)
		return;
	if (*last)
		code_at(c->code, *last)->next = node;
	else
		*first = node;
	*last = node;
}
