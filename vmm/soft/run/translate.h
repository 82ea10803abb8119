/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by translate.c and translate_vector.c, which has the rows of floating-point and Advanced
 * SIMD.
 */
#ifndef VSPE_SOFT_TRANSLATE_H
#define VSPE_SOFT_TRANSLATE_H

#include "soft/kinds.h"
#include "soft/run/system.h"

/* What an instruction means for the rest of its block. */
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
	bool draws;		  /* soft_vm.unknown */
	unsigned int kind, other; /* operations of ops.def that the row names; SOFT_nop: none */
};

/*
 * How a row of a64.table is translated: exec=NAME is translate_NAME(). If an operation has two
 * widths, the table names the one of 32 bits, so that sf can be added.
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

/*
 * The address of an access of 1 << scale bytes, by its row: sets the operation's offset or the
 * extension of its index. Returns the enum soft_form to add to a kind.
 */
static inline unsigned int address_form(struct translation *t, unsigned int scale)
{
	const struct a64_register_offset f = a64_get_register_offset(t->word);
	unsigned int form = SOFT_FORM_OFF;

	switch (t->insn->address) {
	case A64_ADDR_IMM12: t->op->imm = (uint64_t)a64_imm12(t->word) << scale; break;
	case A64_ADDR_REGISTER:
		t->op->ra = (uint8_t)f.option;
		t->op->aux = (uint16_t)(f.s ? scale : 0);
		form = (f.option & 3) == 3 ? SOFT_FORM_LSL : SOFT_FORM_EXT;
		break;
	default: t->op->imm = (uint64_t)(int64_t)a64_imm9(t->word); break;
	}
	if (t->insn->address == A64_ADDR_POST9)
		form = SOFT_FORM_POST;
	else if (t->insn->address == A64_ADDR_PRE9)
		form = SOFT_FORM_PRE;
	return form + (t->op->rn == SOFT_X_SP ? SOFT_FORM_SP : 0);
}

/* The same of a pair, of two times bytes bytes. */
static inline unsigned int pair_form(struct translation *t, int bytes)
{
	unsigned int form = SOFT_FORM_OFF;

	t->op->imm = (uint64_t)((int64_t)a64_get_pair(t->word).imm7 * bytes);
	if (t->insn->address == A64_ADDR_PAIR_POST)
		form = SOFT_FORM_POST;
	else if (t->insn->address == A64_ADDR_PAIR_PRE)
		form = SOFT_FORM_PRE;
	return form + (t->op->rn == SOFT_X_SP ? SOFT_PAIR_FORM_SP : 0);
}

static inline enum flow by_function(struct translation *t, soft_function *function)
{
	t->op->imm = (uintptr_t)function;
	return set_kind(t, SOFT_call);
}

/*
 * The run loop executes it: imm is the id, A64_COUNT for a word that is UNDEFINED (insn NULL); or
 * the fast loop, by aux.
 */
static inline enum flow translate_system(struct translation *t)
{
	t->op->imm = t->insn ? t->insn->id : A64_COUNT;
	t->op->aux = t->insn ? (uint16_t)soft_repeat_of(t->insn, t->word) : SOFT_REPEAT_NOT;
	t->op->kind = SOFT_system;
	return t->op->aux == SOFT_REPEAT_NOT ? FLOW_END : FLOW_NEXT;
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

/* translate_later.c */
translator translate_extreme_immediate, translate_load_written, translate_store_written,
	translate_load_pair_ordered, translate_store_pair_ordered, translate_ordered_vector,
	translate_ordered_structure, translate_atomic_pair;

/* translate_sve.c */
translator translate_sve, translate_sve_memory;

#endif
