/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statements of the pseudocode: if, and the outcomes that an accessor of an SPE register can have.
 *
 * There are three ways to tell where a block ends. If the text has end, by that. Without it by
 * indentation, as in the bundles up to 2024-12. And if such an accessor was put on one line, as in
 * text copied from a page, an else or elsif belongs to the nearest if that has no else yet.
 */
#include "arm/syndrome.h"
#include "conform/asl_internal.h"
#include "conform/subject.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Decimal or 0x, below 2^32. */
static bool parse_number(struct asl_parser *p, uint32_t *value)
{
	const struct token *t = asl_token(p);
	const bool hex = t->kind == TOKEN_NUMBER && t->length > 2 && t->text[1] == 'x';
	char digits[16], *end;

	if (t->kind != TOKEN_NUMBER || t->length > 10)
		return asl_fail(p, "a number expected");
	snprintf(digits, sizeof(digits), "%.*s", (int)t->length, t->text);
	*value = (uint32_t)strtoul(digits, &end, hex ? 16 : 10);
	if (*end)
		return asl_fail(p, "a number expected");
	p->at++;
	return true;
}

static unsigned int add_statement(struct asl_parser *p, struct asl_statement s)
{
	if (p->failed)
		return 0;
	if (p->program->statement_count >= p->program->capacity)
		return asl_fail(p, "the accessor is too large");
	p->program->statements[p->program->statement_count] = s;
	return p->program->statement_count++;
}

static struct asl_statement *statement_at(struct asl_parser *p, unsigned int index)
{
	return &p->program->statements[index];
}

/* One side of an assignment. */
struct side {
	enum { SIDE_X, SIDE_MEMORY, SIDE_REGISTER, SIDE_ZERO } kind;
	uint16_t offset;
	unsigned int reg;   /* of subject.h */
	unsigned int index; /* of an array of registers: an integer; or 0 */
};

/* X[t, 64], X[t], X{64}(t). */
static bool parse_x(struct asl_parser *p)
{
	const bool present = asl_take(p, "{");
	uint32_t width = 0;

	if (present && (!parse_number(p, &width) || !asl_expect(p, "}")))
		return false;
	if (present ? !asl_expect(p, "(") : !asl_expect(p, "["))
		return false;
	if (!asl_expect(p, "t"))
		return false;
	if (present)
		return width == 64 ? asl_expect(p, ")") : asl_fail(p, "X of other than 64 bits");
	if (asl_take(p, ",")) {
		if (!parse_number(p, &width))
			return false;
		if (width != 64)
			return asl_fail(p, "X of other than 64 bits");
	}
	return asl_expect(p, "]");
}

/* NVMem[0x828], NVMem(0x828). */
static bool parse_memory(struct asl_parser *p, struct side *side)
{
	const bool round = asl_is(p, "(");
	uint32_t offset = 0;

	if (round ? !asl_expect(p, "(") : !asl_expect(p, "["))
		return false;
	if (!parse_number(p, &offset))
		return false;
	if (offset >= 4096 || offset % 8)
		return asl_fail(p, "not the offset of 8 bytes in a page of 4 KB");
	side->offset = (uint16_t)offset;
	return round ? asl_expect(p, ")") : asl_expect(p, "]");
}

/* Zeros(64), Zeros{64}, Zeros{64}(). */
static bool parse_width(struct asl_parser *p)
{
	const bool braces = asl_take(p, "{");
	uint32_t width = 0;

	if ((!braces && !asl_expect(p, "(")) || !parse_number(p, &width))
		return false;
	if (width != 64)
		return asl_fail(p, "zeros of other than 64 bits");
	if (!braces)
		return asl_expect(p, ")");
	return asl_expect(p, "}") && (!asl_take(p, "(") || asl_expect(p, ")"));
}

/* PMEVCNTR_EL0[n], PMEVCNTR_EL0(n). */
static bool parse_array(struct asl_parser *p, struct side *side)
{
	const bool round = asl_take(p, "(");

	if (!round && !asl_expect(p, "["))
		return false;
	side->index = asl_integer(p);
	return side->index && asl_expect(p, round ? ")" : "]");
}

static bool parse_side(struct asl_parser *p, struct side *side)
{
	const struct token *t = asl_token(p);

	if (t->kind != TOKEN_NAME)
		return asl_fail(p, "a statement that is not known");
	if (asl_take(p, "X")) {
		side->kind = SIDE_X;
		return parse_x(p);
	}
	if (asl_take(p, "NVMem")) {
		side->kind = SIDE_MEMORY;
		return parse_memory(p, side);
	}
	if (asl_take(p, "Zeros")) {
		side->kind = SIDE_ZERO;
		return parse_width(p);
	}
	side->kind = SIDE_REGISTER;
	side->reg = subject_find(t->text, t->length);
	if (side->reg == SUBJECT_NONE)
		return asl_fail(p, "a statement or a register that is not known");
	p->at++;
	if (subject_first(side->reg + 1) == side->reg)
		return parse_array(p, side);
	return !asl_take(p, "(") || asl_expect(p, ")");
}

static bool parse_assignment(struct asl_parser *p, struct asl_statement *s)
{
	struct outcome *outcome = &s->outcome;
	const struct token *start = asl_token(p);
	struct side left = {.kind = SIDE_X}, right = {.kind = SIDE_X};
	const struct side *other;

	if (!parse_side(p, &left) || !asl_expect(p, "=") || !parse_side(p, &right))
		return false;
	other = p->write ? &left : &right;
	if ((left.kind == SIDE_X) == (right.kind == SIDE_X) || other->kind == SIDE_X) {
		p->at = (size_t)(start - p->tokens);
		return asl_fail(p,
				p->write ? "MSR has to assign from X" : "MRS has to assign to X");
	}
	if (other->kind == SIDE_ZERO && p->write)
		return asl_fail(p, "MSR of zeros");
	s->index = other->index;
	if (other->kind == SIDE_ZERO)
		*outcome = (struct outcome){.kind = SYSREG_RAZ_WI};
	else if (other->kind == SIDE_MEMORY)
		*outcome = (struct outcome){.kind = SYSREG_NVMEM, .offset = other->offset};
	else
		*outcome =
			(struct outcome){.kind = SYSREG_DIRECT, .reg = (enum sysreg_id)other->reg};
	return true;
}

/* ZeroPMUCounters(X[t, 64]): the write of PMZR_EL0. */
static bool parse_zero(struct asl_parser *p, struct outcome *outcome)
{
	struct side side = {.kind = SIDE_REGISTER};

	*outcome = (struct outcome){.kind = SYSREG_DIRECT,
				    .reg = (enum sysreg_id)(SUBJECT_PMU + PMU_PMZR_EL0)};
	if (!p->write)
		return asl_fail(p, "an MRS that writes");
	if (!asl_expect(p, "(") || !parse_side(p, &side) || !asl_expect(p, ")"))
		return false;
	return side.kind == SIDE_X || asl_fail(p, "X expected");
}

/* ConstrainUnpredictableProcedure(Unpredictable_PMUEVENTCOUNTER): only that one is known. */
static bool parse_constrained(struct asl_parser *p, struct outcome *outcome)
{
	*outcome = (struct outcome){.kind = (enum sysreg_route_kind)OUTCOME_CONSTRAINED};
	return asl_expect(p, "(") && asl_expect(p, "Unpredictable_PMUEVENTCOUNTER") &&
	       asl_expect(p, ")");
}

/* AArch64.SystemAccessTrap(ELn, 0x18), with a dot or an underscore. */
static bool parse_trap(struct asl_parser *p, struct outcome *outcome)
{
	const struct token *el;
	uint32_t ec = 0;

	if (!asl_expect(p, "("))
		return false;
	el = asl_token(p);
	if (!asl_is(p, "EL1") && !asl_is(p, "EL2") && !asl_is(p, "EL3"))
		return asl_fail(p, "EL1, EL2 or EL3 expected");
	p->at++;
	if (!asl_expect(p, ",") || !parse_number(p, &ec))
		return false;
	if (ec != ARM_EC_SYSREG)
		return asl_fail(p, "an exception class other than 0x18");
	*outcome = (struct outcome){.kind = SYSREG_TRAP, .target_el = (uint8_t)(el->text[2] - '0')};
	return asl_expect(p, ")");
}

static bool parse_outcome(struct asl_parser *p, struct asl_statement *s)
{
	struct outcome *outcome = &s->outcome;

	if (p->cpu_name)
		return asl_cpu_outcome(p, s);
	*outcome = (struct outcome){.kind = SYSREG_UNDEFINED};
	if (asl_take(p, "UNDEFINED"))
		return asl_expect(p, ";");
	if (asl_take(p, "Undefined"))
		return asl_expect(p, "(") && asl_expect(p, ")") && asl_expect(p, ";");
	if (asl_take(p, "AArch64_SystemAccessTrap"))
		return parse_trap(p, outcome) && asl_expect(p, ";");
	if (asl_take(p, "AArch64"))
		return asl_expect(p, ".") && asl_expect(p, "SystemAccessTrap") &&
		       parse_trap(p, outcome) && asl_expect(p, ";");
	if (p->write && asl_take(p, "return")) {
		*outcome = (struct outcome){.kind = SYSREG_RAZ_WI};
		return asl_expect(p, ";");
	}
	if (asl_take(p, "ZeroPMUCounters"))
		return parse_zero(p, outcome) && asl_expect(p, ";");
	if (asl_take(p, "ConstrainUnpredictableProcedure"))
		return parse_constrained(p, outcome) && asl_expect(p, ";");
	return parse_assignment(p, s) && asl_expect(p, ";");
}

static unsigned int parse_block(struct asl_parser *p, int outside);

/* The column of the line with the current token. */
static int line_column(const struct asl_parser *p)
{
	size_t i = p->at;

	while (i > 0 && !p->tokens[i].first)
		i--;
	return p->tokens[i].column;
}

/* Does the elsif or else here belong to the if whose line begins in this column? */
static bool belongs_to_if(const struct asl_parser *p, int column)
{
	return p->blocks != BLOCKS_INDENTED || !asl_token(p)->first ||
	       asl_token(p)->column == column;
}

/*
 * The outermost condition of every accessor. Further in, it means that an elsif went to the wrong
 * if.
 */
static bool tests_level(const struct asl_parser *p, unsigned int condition)
{
	const struct expr *e = &p->program->exprs[condition];

	return e->kind == EXPR_EQUAL && p->program->exprs[e->a].kind == EXPR_EL;
}

/* Parse what follows if or elsif: the condition, its block, and the alternative. */
static unsigned int parse_if(struct asl_parser *p, int column)
{
	const struct asl_statement blank = {.kind = STATEMENT_IF};
	unsigned int first = 0, last = 0;
	bool more;

	do {
		struct asl_statement s = blank;
		unsigned int index;

		s.condition = asl_condition(p);
		if (!s.condition || !asl_expect(p, "then"))
			return 0;
		if (p->blocks == BLOCKS_FLAT && p->depth > 1 && tests_level(p, s.condition))
			return asl_fail(p, "PSTATE.EL within PSTATE.EL: to which if does this "
					   "belong? Blocks need end; or indentation");
		s.then_first = parse_block(p, column);
		index = add_statement(p, s);
		if (!index)
			return 0;
		if (last)
			statement_at(p, last)->else_first = index;
		else
			first = index;
		last = index;
		more = belongs_to_if(p, column) && asl_take(p, "elsif");
	} while (more);
	if (belongs_to_if(p, column) && asl_take(p, "else"))
		statement_at(p, last)->else_first = parse_block(p, column);
	if (p->blocks == BLOCKS_END) {
		if (!asl_expect(p, "end"))
			return 0;
		asl_take(p, "if");
		if (!asl_expect(p, ";"))
			return 0;
	}
	return p->failed ? 0 : first;
}

static unsigned int parse_statement(struct asl_parser *p)
{
	struct asl_statement s = {.kind = STATEMENT_OUTCOME};
	const int column = line_column(p);
	unsigned int result = 0;

	if (++p->depth > ASL_DEPTH_MAX)
		asl_fail(p, "nested too deeply");
	else if (asl_take(p, "if"))
		result = parse_if(p, column);
	else if (parse_outcome(p, &s))
		result = add_statement(p, s);
	p->depth--;
	return result;
}

/* Has the block ended that began at begin, inside one whose lines begin in column outside? */
static bool block_ends(struct asl_parser *p, const struct token *begin, int outside)
{
	const struct token *t = asl_token(p);

	if (p->failed || t->kind == TOKEN_END)
		return true;
	if (p->blocks != BLOCKS_INDENTED)
		return asl_is(p, "elsif") || asl_is(p, "else") || asl_is(p, "end");
	if (!begin->first) /* it is on the line of its then or else */
		return t->first || asl_is(p, "elsif") || asl_is(p, "else");
	if (!t->first || t->column == begin->column)
		return false;
	if (t->column <= outside)
		return true;
	asl_fail(p, "indented neither as this block nor as one around it");
	return true;
}

static unsigned int parse_block(struct asl_parser *p, int outside)
{
	const struct token *begin = asl_token(p);
	unsigned int first = 0, last = 0;

	if (p->blocks == BLOCKS_INDENTED && begin->first && begin->column <= outside)
		return asl_fail(p, "a block without a statement");
	while (!block_ends(p, begin, outside)) {
		const unsigned int index = parse_statement(p);

		if (!index)
			return 0;
		if (last) {
			if (statement_at(p, last)->kind != STATEMENT_IF && !p->cpu_name)
				return asl_fail(p, "a statement behind one that ends the access");
			statement_at(p, last)->next = index;
		} else {
			first = index;
		}
		last = index;
	}
	return first ? first : asl_fail(p, "a block without a statement");
}

static void find_blocks(struct asl_parser *p, size_t count)
{
	p->blocks = BLOCKS_FLAT;
	for (size_t i = 0; i + 1 < count; i++) {
		const struct token *t = &p->tokens[i];

		if (t->kind == TOKEN_NAME && t->length == 3 && !memcmp(t->text, "end", 3)) {
			p->blocks = BLOCKS_END;
			return;
		}
		if (t->line != p->tokens[0].line)
			p->blocks = BLOCKS_INDENTED;
	}
}

/* integer m = UInt(CRm<1:0>:op2<2:0>); or with let. The world gives m instead. */
static bool skip_declaration(struct asl_parser *p)
{
	if (!asl_take(p, "integer") && !asl_take(p, "let"))
		return true;
	if (!p->cpu_name && !asl_expect(p, "m"))
		return false;
	while (!asl_is(p, ";") && asl_token(p)->kind != TOKEN_END)
		p->at++;
	return asl_expect(p, ";");
}

static void parse_all(struct asl_parser *p)
{
	const struct token *begin = asl_token(p);

	if (begin->kind == TOKEN_END) {
		asl_fail(p, "an accessor without a statement");
		return;
	}
	if (!skip_declaration(p))
		return;
	p->program->first = parse_block(p, -1); /* no block is outside */
	if (!p->failed && asl_token(p)->kind != TOKEN_END)
		asl_fail(p, "behind the end of the accessor");
}

static struct asl_program *allocate_program(size_t tokens)
{
	struct asl_program *program = memory_need(calloc(1, sizeof(*program)));

	/* No token makes more than one of either, and index 0 is not used. */
	program->capacity = (unsigned int)tokens + 2;
	program->exprs = memory_need(calloc(program->capacity, sizeof(*program->exprs)));
	program->statements = memory_need(calloc(program->capacity, sizeof(*program->statements)));
	program->expr_count = program->statement_count = 1;
	return program;
}

static struct asl_program *parse_text(const char *text, size_t size, unsigned int first_line,
				      bool write, bool cpu, struct asl_error *error)
{
	struct asl_parser p = {
		.error = error, .write = write, .cpu_name = cpu ? asl_cpu_name : NULL};
	size_t count;

	p.tokens = asl_scan(text, size, first_line, ASL_SCOPE_ACCESSOR, &count, error);
	if (!p.tokens)
		return NULL;
	p.program = allocate_program(count);
	if (cpu) {
		/* Each name is of words of the text, with one byte more for each. */
		p.program->names_room = 3 * size + 3 * count + 64;
		p.program->names = memory_need(calloc(1, p.program->names_room));
	}
	find_blocks(&p, count);
	parse_all(&p);
	if (p.failed) {
		asl_free(p.program);
		p.program = NULL;
	}
	free(p.tokens);
	return p.program;
}

struct asl_program *asl_parse(const char *text, size_t size, unsigned int first_line, bool write,
			      struct asl_error *error)
{
	return parse_text(text, size, first_line, write, false, error);
}

struct asl_program *asl_parse_cpu(const char *text, size_t size, unsigned int first_line,
				  bool write, struct asl_error *error)
{
	return parse_text(text, size, first_line, write, true, error);
}

void asl_free(struct asl_program *program)
{
	if (!program)
		return;
	free(program->exprs);
	free(program->statements);
	free(program->names);
	free(program);
}
