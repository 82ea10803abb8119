/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between translate.c and translate_vector.c, which has the rows of floating-point and Advanced
 * SIMD.
 */
#ifndef VSPE_SOFT_TRANSLATE_H
#define VSPE_SOFT_TRANSLATE_H

#include "soft/kinds.h"

/* What translating an instruction means for the block. */
enum flow {
	FLOW_NEXT,
	FLOW_BRANCH, /* ends the block with links */
	FLOW_END,    /* ends it without: the target is not known, or the run loop goes on */
};

struct translation {
	struct soft_op *op;
	const struct a64_insn *insn;
	uint32_t word;
	uint64_t pc;
	uint64_t target;	  /* of the taken side */
	uint64_t isa;		  /* the machine's: sys/isa.h */
	unsigned int kind, other; /* operations of ops.def that the row names; SOFT_nop: none */
};

/*
 * How a row of a64.table is translated: exec=NAME is translate_NAME(). Of an operation of two
 * widths the table names that of 32 bits, so that sf can be added.
 */
typedef enum flow translator(struct translation *t);

static inline uint8_t or_sp(unsigned int r)
{
	return r == 31 ? SOFT_X_SP : (uint8_t)r;
}

static inline enum flow set_kind(struct translation *t, unsigned int kind)
{
	t->op->kind = (uint16_t)kind;
	return FLOW_NEXT;
}

static inline enum flow by_function(struct translation *t, soft_function *function)
{
	t->op->imm = (uintptr_t)function;
	return set_kind(t, SOFT_call);
}

/* The run loop executes it: imm is the id, A64_COUNT for a word that is UNDEFINED (insn NULL). */
static inline enum flow translate_system(struct translation *t)
{
	t->op->imm = t->insn ? t->insn->id : A64_COUNT;
	t->op->kind = SOFT_system;
	return FLOW_END;
}

/* translate_vector.c; the operation that a row names is one of lanes.def, or of
 * functions.def */
translator translate_same, translate_same_float, translate_bits, translate_two, translate_two_float,
	translate_two_bytes, translate_pair, translate_pair_float, translate_pair_scalar,
	translate_pair_scalar_float, translate_pair_long, translate_element,
	translate_element_float, translate_element_words, translate_long, translate_long_element,
	translate_wide, translate_narrow, translate_shift_right, translate_shift_right_float,
	translate_shift_left, translate_shift_narrow, translate_shift_long, translate_shift_whole,
	translate_across, translate_across_long, translate_across_float, translate_float,
	translate_function, translate_vector_immediate, translate_vector_immediate_not,
	translate_float_immediate, translate_vector_access, translate_vector_literal,
	translate_vector_pair, translate_structures, translate_structure;

#endif
