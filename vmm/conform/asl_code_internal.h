/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of asl_code.h share: the tree, and what names stand for. */
#ifndef VSPE_CONFORM_ASL_CODE_INTERNAL_H
#define VSPE_CONFORM_ASL_CODE_INTERNAL_H

#include "conform/asl_code.h"
#include "conform/asl_internal.h"

#define CODE_NODES_MAX	 (1u << 22)
#define CODE_SYMBOLS_MAX (1u << 17)
#define CODE_TYPES_MAX	 8192u
#define CODE_LOCALS_MAX	 200u
#define CODE_CALLS_MAX	 64u	    /* nested */
#define CODE_DEPTH_MAX	 1500u	    /* nested evaluations */
#define CODE_ARENA	 (1u << 17) /* values of one call */
#define CODE_POOL	 (1u << 17) /* values in variables */
#define CODE_STEPS	 2000000u
#define CODE_FILES_MAX	 255u
#define PLACE_LINE_BITS	 24 /* of node.place; above: the file */

enum node_kind {
	NODE_NONE,
	NODE_VALUE,   /* constants[a] */
	NODE_MASK,    /* constants[a] under constants[b]: '1x0' */
	NODE_NAME,    /* symbol; slot, or c, once linked */
	NODE_CALL,    /* symbol; a: arguments; b: in braces */
	NODE_BRACKET, /* a[b]: an element, a slice, a getter or a setter */
	NODE_ANGLE,   /* a<b> */
	NODE_RANGE,   /* how: enum range_kind; a, b */
	NODE_FIELD,   /* a.symbol */
	NODE_FIELDS,  /* a.<b> */
	NODE_WORD,    /* symbol, of lists; a: its value or type */
	NODE_UNARY,   /* how: enum code_operator; a */
	NODE_BINARY,  /* how; a, b */
	NODE_CHOICE,  /* if a then b else c */
	NODE_IN,      /* a in the list b; how: not */
	NODE_SPAN,    /* a..b in a list */
	NODE_TUPLE,   /* list a */
	NODE_RECORD,  /* symbol: the type; a: NODE_WORDs */
	NODE_UNKNOWN, /* a: type */
	NODE_DEFINED, /* a: type; b: constant with the text */
	NODE_IGNORED, /* "-" among targets */
	NODE_TYPE,    /* how: enum type_kind; a, b; symbol */
	NODE_DECLARE, /* symbol; a: type or 0; b: value or 0 */
	NODE_ASSIGN,  /* a = b */
	NODE_DO,      /* the call a */
	NODE_IF,      /* a: NODE_ARMs */
	NODE_CASE,    /* a: value; b: NODE_ARMs */
	NODE_ARM,     /* a: condition or patterns, 0 for else; b: block; c: where */
	NODE_FOR,     /* symbol from a to b: c; how: down */
	NODE_WHILE,   /* a: condition, c: block */
	NODE_REPEAT,  /* c: block, a: condition */
	NODE_RETURN,  /* a or 0 */
	NODE_ASSERT,  /* a */
	NODE_STOP,    /* constant a says what: UNDEFINED and the like */
};

enum range_kind { RANGE_ONE, RANGE_DOWN, RANGE_PLUS, RANGE_TIMES };

enum type_kind {
	TYPE_BOOLEAN,
	TYPE_INTEGER,
	TYPE_BITS, /* a: width */
	TYPE_STRING,
	TYPE_NAMED, /* symbol */
	TYPE_ARRAY, /* b: element; from 0, a: the last, or c: how many */
	TYPE_TUPLE, /* list a */
};

enum code_operator {
	OPERATOR_NOT, /* of booleans */
	OPERATOR_INVERT,
	OPERATOR_MINUS,
	OPERATOR_OR_ELSE,
	OPERATOR_AND_THEN,
	OPERATOR_IMPLIES,
	OPERATOR_EQUAL,
	OPERATOR_NOT_EQUAL,
	OPERATOR_LESS,
	OPERATOR_LESS_EQUAL,
	OPERATOR_GREATER,
	OPERATOR_GREATER_EQUAL,
	OPERATOR_CONCAT,
	OPERATOR_ADD,
	OPERATOR_SUBTRACT,
	OPERATOR_AND,
	OPERATOR_OR,
	OPERATOR_EOR,
	OPERATOR_MULTIPLY,
	OPERATOR_DIVIDE, /* exact, or an error */
	OPERATOR_DIV,	 /* rounds down */
	OPERATOR_MOD,
	OPERATOR_LEFT,
	OPERATOR_RIGHT,
	OPERATOR_POWER,
};

/* Index 0 of every array is not used: 0 is none. */
struct node {
	uint8_t kind, how;
	uint16_t slot;	/* a local, plus 1 */
	uint32_t place; /* file and line */
	uint32_t symbol, a, b, c, next;
};

struct symbol {
	char *name;
	uint32_t global, type, function, next; /* next: of its hash */
	uint32_t slot;			       /* plus 1, in the function that is being linked */
	uint16_t hook, builtin;		       /* plus 1 */
};

enum function_kind { FUNCTION_PLAIN, FUNCTION_GETTER, FUNCTION_SETTER };

struct function {
	enum function_kind kind;
	uint32_t symbol, next; /* next: of the same name */
	uint32_t place;
	uint32_t parameters, braces; /* NODE_WORDs, a: type; a setter's value is the last one */
	unsigned int parameter_count;
	uint32_t result; /* type or 0 */
	uint32_t body;
	bool has_body;
	uint32_t first, last; /* its nodes */
	unsigned int slots;
};

struct global {
	uint32_t symbol, type, init; /* nodes, or 0 */
	enum { GLOBAL_NEW, GLOBAL_BEING_SET, GLOBAL_SET } state;
	bool member; /* value is there from the start */
	struct asl_value value;
};

enum declared_kind { DECLARED_MEMBERS, DECLARED_RECORD, DECLARED_ALIAS };

struct declared {
	enum declared_kind kind;
	uint32_t symbol;
	uint32_t list; /* members or parts: NODE_WORDs; fields of an alias: a: NODE_RANGEs */
	uint32_t type; /* of an alias */
	unsigned int count;
};

/* A growing array: count of room are used, element 0 is not. */
#define CODE_LIST(type)             \
	struct {                    \
		type *at;           \
		size_t count, room; \
	}

struct asl_code {
	const struct asl_host *host;
	CODE_LIST(struct node) nodes;
	CODE_LIST(struct symbol) symbols;
	CODE_LIST(struct asl_value) constants;
	CODE_LIST(struct function) functions;
	CODE_LIST(struct global) globals;
	CODE_LIST(struct declared) types;
	uint32_t hash[4096];
	const char *files[CODE_FILES_MAX + 1];
	unsigned int file_count;
	/* The call that runs. */
	struct asl_value *arena, *pool;
	size_t arena_used, pool_used;
	struct asl_value *frame; /* its locals */
	unsigned int calls, depth;
	uint64_t steps, step_limit;
	bool failed;
	uint32_t place;
	char error[256];
	/* Files above those that use them: code_eval() and code_call(). */
	struct asl_value (*eval)(struct asl_code *code, uint32_t node);
	struct asl_value (*call)(struct asl_code *code, uint32_t symbol, bool setter,
				 const struct asl_value *arguments, unsigned int count,
				 const struct asl_value *braces, unsigned int brace_count);
};

/* The parser of a file. */
struct code_parser {
	struct asl_parser p; /* tokens, position, error */
	struct asl_code *code;
	/* The same: code_expression() and code_sum(). */
	uint32_t (*expression)(struct code_parser *c);
	uint32_t (*sum)(struct code_parser *c);
	bool ends; /* ASL1 */
	bool weak;
	unsigned int angles; /* > ends a slice there */
	unsigned int chain;
};

void *code_grow(void *at, size_t *count, size_t *room, size_t size);
/* One more element of a list, which is zero. */
#define CODE_GROW(list) \
	((list).at = code_grow((list).at, &(list).count, &(list).room, sizeof(*(list).at)))

uint32_t code_symbol(struct asl_code *code, const char *name, size_t length);
/* 0 if there is none. */
uint32_t code_find(const struct asl_code *code, const char *name, size_t length);
uint32_t code_constant(struct asl_code *code, struct asl_value value);
uint32_t code_node(struct code_parser *c, enum node_kind kind, const struct token *at);
/* Also NULL for a string. */
char *code_text(const char *text, size_t length);

static inline struct node *code_at(const struct asl_code *code, uint32_t node)
{
	return &code->nodes.at[node];
}

/* Parsers; 0 and an error of c->p where there is no such thing. */
uint32_t code_expression(struct code_parser *c);
uint32_t code_sum(struct code_parser *c); /* without comparisons and concatenation */
uint32_t code_ranges(struct code_parser *c, const char *end);
uint32_t code_arguments(struct code_parser *c, const char *end);
uint32_t code_patterns(struct code_parser *c, const char *end); /* "{...}", or up to end */
uint32_t code_value(struct code_parser *c, struct asl_value value, const struct token *at);
uint32_t code_bits(struct code_parser *c);
uint32_t code_number(struct code_parser *c);
uint32_t code_string(struct code_parser *c);
uint32_t code_type(struct code_parser *c);
bool code_is_type_word(const struct code_parser *c);
bool code_begins_type(struct code_parser *c);
uint32_t code_block(struct code_parser *c, int column, unsigned int line);
void code_declarations(struct code_parser *c);
bool code_enter(struct code_parser *c);
void code_leave(struct code_parser *c);
bool code_next_is(const struct code_parser *c, size_t ahead, const char *text);
enum token_kind code_next_kind(const struct code_parser *c, size_t ahead);
/* The symbol of the name that is next. */
uint32_t code_name(struct code_parser *c);
uint32_t code_dotted_name(struct code_parser *c);
/* Append to a list. */
void code_append(struct code_parser *c, uint32_t *first, uint32_t *last, uint32_t node);

/* Values. */
struct asl_value *code_room(struct asl_code *code, unsigned int count);
struct asl_value code_copy(struct asl_code *code, const struct asl_value *value);
/* Into a variable that has its kind. */
bool code_store(struct asl_code *code, struct asl_value *to, const struct asl_value *from);
struct asl_value code_default(struct asl_code *code, uint32_t type, bool pool, bool unknown);
bool code_equal(struct asl_code *code, const struct asl_value *a, const struct asl_value *b);
bool code_as_bits(struct asl_code *code, const struct asl_value *v, asl_uint128 *bits,
		  unsigned int *width);
bool code_to_size(struct asl_code *code, const struct asl_value *v, unsigned int most,
		  unsigned int *size);
struct asl_value code_unary(struct asl_code *code, enum code_operator how,
			    const struct asl_value *a);
struct asl_value code_binary(struct asl_code *code, enum code_operator how,
			     const struct asl_value *a, const struct asl_value *b);
const char *code_kind_name(const struct asl_value *v);
/* The type that a name stands for in the end; NULL: none. */
const struct declared *code_declared(const struct asl_code *code, uint32_t type);
/* Does a value fit a parameter's type? */
bool code_fits(struct asl_code *code, uint32_t type, const struct asl_value *v);

struct slice {
	unsigned int low, width;
};
#define CODE_SLICES 16

/* Evaluation. An error is code->failed; then results mean nothing. */
struct asl_value code_eval(struct asl_code *code, uint32_t node);
bool code_condition(struct asl_code *code, uint32_t node);
bool code_matches(struct asl_code *code, const struct asl_value *value, uint32_t patterns);
unsigned int code_slices(struct asl_code *code, uint32_t ranges,
			 struct slice slices[static CODE_SLICES]);
struct asl_value code_take(struct asl_code *code, const struct asl_value *v,
			   const struct slice *slices, unsigned int count);
/* The slices of a named field of bits with a type. */
unsigned int code_field(struct asl_code *code, const struct asl_value *v, uint32_t symbol,
			struct slice slices[static CODE_SLICES]);
struct asl_value *code_variable(struct asl_code *code, const struct node *n);
struct asl_value *code_global(struct asl_code *code, uint32_t global);
void code_assign(struct asl_code *code, uint32_t target, const struct asl_value *value);
unsigned int code_evaluate_list(struct asl_code *code, uint32_t list,
				struct asl_value values[static ASL_ARGUMENTS]);
struct asl_value code_call(struct asl_code *code, uint32_t symbol, bool setter,
			   const struct asl_value *arguments, unsigned int count,
			   const struct asl_value *braces, unsigned int brace_count);
struct asl_value code_invoke(struct asl_code *code, const struct function *f,
			     const struct asl_value *arguments, unsigned int count,
			     const struct asl_value *braces, unsigned int brace_count);
struct asl_value code_defined(struct asl_code *code, const char *text, struct asl_value value);
/* The number of a builtin function plus 1, or 0. */
uint16_t code_builtin(const char *name);
struct asl_value code_call_builtin(struct asl_code *code, unsigned int builtin,
				   const struct asl_value *arguments, unsigned int count);
static inline bool code_step(struct asl_code *code, uint32_t place)
{
	if (code->failed)
		return false;
	code->place = place;
	return ++code->steps <= code->step_limit ||
	       asl_code_fail(code, "more than %llu steps", (unsigned long long)code->step_limit);
}

#endif
