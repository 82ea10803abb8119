/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the pseudocode reader share: tokens, and the tree. */
#ifndef VSPE_CONFORM_ASL_INTERNAL_H
#define VSPE_CONFORM_ASL_INTERNAL_H

#include "conform/asl.h"

#define ASL_TOKENS_MAX	    20000u
#define ASL_CODE_TOKENS_MAX 400000u
#define ASL_DEPTH_MAX	    48u	 /* of nested blocks and brackets */
#define ASL_CHAIN_MAX	    256u /* parts of a condition joined by && or || */

enum token_kind {
	TOKEN_END, /* of the text */
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_BITS,   /* '01x', without the quotes */
	TOKEN_STRING, /* "...", without the quotes */
	TOKEN_SYMBOL, /* up to three characters */
};

struct token {
	enum token_kind kind;
	const char *text;
	size_t length;
	unsigned int line;
	int column;
	bool first; /* on its line */
};

/* An accessor needs fewer operators than all the language has. */
enum asl_scope { ASL_SCOPE_ACCESSOR, ASL_SCOPE_CODE };

/* Returns tokens, the last one TOKEN_END, which the caller frees; or NULL, and *error. */
struct token *asl_scan(const char *text, size_t size, unsigned int first_line, enum asl_scope scope,
		       size_t *count, struct asl_error *error);

enum expr_kind {
	EXPR_CONSTANT, /* value */
	EXPR_BITS,     /* width bits of the world from first on */
	EXPR_EL,       /* PSTATE.EL */
	EXPR_FUNCTION, /* first: enum asl_function */
	EXPR_NOT,
	EXPR_AND,
	EXPR_OR,
	EXPR_EQUAL,
	EXPR_NOT_EQUAL,
	EXPR_IN,       /* a; b: the first of a list of EXPR_PATTERN */
	EXPR_PATTERN,  /* value under mask; b: the next, or 0 */
	EXPR_CONCAT,   /* a above b */
	EXPR_SLICE,    /* width bits of a from first on */
	EXPR_INTEGER,  /* UInt(a) */
	EXPR_M,	       /* the m of PMEVCNTR<m>_EL0 */
	EXPR_AT,       /* bit number a, an integer, of the world's width bits from first on */
	EXPR_NOT_LESS, /* a >= b, integers */
	EXPR_LACKING,  /* what world.def lacks: the name at first in names */
};

enum asl_function {
	FUNCTION_SDD_UNDEF,
	FUNCTION_SDD_PRIORITY,
	FUNCTION_NSPB_TRAP,
	FUNCTION_EL2_ENABLED,
	FUNCTION_NVX,
	FUNCTION_IN_HOST,
	FUNCTION_PMSCR_EL2_EE,
	FUNCTION_EL0_IN_HOST,
	FUNCTION_COUNTERS,   /* GetNumEventCountersSelfHosted() */
	FUNCTION_ACCESSIBLE, /* GetNumEventCountersAccessible() */
	FUNCTION_HCRX,	     /* IsHCRXEL2Enabled() */
	FUNCTION_HIGHEST,    /* IsHighestEL(a) */
	FUNCTION_VALID,	     /* ValidSecurityStateAtEL(a) */
	FUNCTION_SECURE,     /* IsCurrentSecurityState(SS_Secure) */
};

/* The width of integers. */
#define ASL_INTEGER 255
/* Of EXPR_LACKING: fits every other. */
#define ASL_ANY 254

struct expr {
	enum expr_kind kind;
	uint8_t width; /* 0: boolean */
	uint16_t first;
	unsigned int a, b;
	uint64_t value, mask;
};

enum statement_kind { STATEMENT_OUTCOME, STATEMENT_IF };

struct asl_statement {
	enum statement_kind kind;
	struct outcome outcome;
	unsigned int index; /* an integer: which register of an array; or 0 */
	unsigned int step;  /* SYSREG_NVMEM of an array: bytes from one register's to the next */
	unsigned int condition;		     /* index of an expr */
	unsigned int then_first, else_first; /* statements; 0 is none */
	unsigned int next;		     /* 0: the last of its block */
};

/* Index 0 of both arrays is not used. */
struct asl_program {
	struct expr *exprs;
	struct asl_statement *statements;
	unsigned int expr_count, statement_count, capacity, first;
	char *names; /* of EXPR_LACKING and outcome.name, one after the other */
	size_t names_size, names_room;
};

/* The parser's position. */
struct asl_parser {
	struct asl_program *program;
	struct token *tokens;
	size_t at;
	struct asl_error *error;
	bool write, failed;
	/* With asl_parse_cpu(), else NULL: asl_cpu_name() */
	unsigned int (*cpu_name)(struct asl_parser *p);
	enum { BLOCKS_END, BLOCKS_INDENTED, BLOCKS_FLAT } blocks;
	unsigned int depth;
};

static inline const struct token *asl_token(const struct asl_parser *p)
{
	return &p->tokens[p->at];
}

/* Note an error in one line at the current token; only the first is kept. Returns 0. */
unsigned int asl_fail(struct asl_parser *p, const char *what);
bool asl_is(const struct asl_parser *p, const char *text);
/* Take the token if it is text. */
bool asl_take(struct asl_parser *p, const char *text);
/* The same; an error if it is not. */
bool asl_expect(struct asl_parser *p, const char *text);
/* A boolean expression; 0 and an error if there is none. */
unsigned int asl_condition(struct asl_parser *p);
/* The same of an integer. */
unsigned int asl_integer(struct asl_parser *p);
/* The same of what stands on one side of a comparison. */
unsigned int asl_operand(struct asl_parser *p);
/* Append an expression. */
unsigned int asl_add(struct asl_parser *p, struct expr e);
/* Do two widths fit? */
static inline bool asl_fits(unsigned int a, unsigned int b)
{
	return a == b || a == ASL_ANY || b == ASL_ANY;
}

/*
 * With cpu (asl_cpu.c). asl_cpu_name: an operand that begins with a name, which the rest of the
 * parser need not know; 0 without an error: that has to parse it. asl_cpu_outcome: a statement that
 * is no if, up to its semicolon.
 */
unsigned int asl_cpu_name(struct asl_parser *p);
bool asl_cpu_outcome(struct asl_parser *p, struct asl_statement *s);
/* The value of the functions from FUNCTION_HCRX on, of the level a. */
bool asl_cpu_call(enum asl_function function, unsigned int a, struct world *w);

#endif
