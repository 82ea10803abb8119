/* SPDX-License-Identifier: BSD-2-Clause */
/* Which operation executes an instruction of later.table, with which operands. */
#include "soft/mem/atomic.h"
#include "soft/mem/memory.h"
#include "soft/mem/structures.h"
#include "soft/run/translate.h"

/* FEAT_CSSC: SMAX and SMIN extend the sign of the immediate. */
enum flow translate_extreme_immediate(struct translation *t)
{
	const struct a64_extreme_imm f = a64_get_extreme_imm(t->word);
	const bool is_signed = t->kind == SOFT_smax_imm_32 || t->kind == SOFT_smin_imm_32;

	t->op->imm = is_signed ? (uint64_t)(int64_t)(int8_t)f.imm8 : f.imm8;
	return set_kind(t, t->kind + f.sf);
}

/* FEAT_LRCPC3: of registers of 32 bits (kind) or 64 (other), ordered, the base perhaps written. */

static enum flow set_ordered(struct translation *t, unsigned int form_sp)
{
	const bool wide = t->word >> 30 & 1;
	const unsigned int bytes = a64_bytes_of(t->insn->bytes, t->word);
	unsigned int form = SOFT_FORM_OFF;

	t->op->rn = or_sp(a64_rn(t->word));
	t->op->aux = SOFT_AUX_ORDERED;
	if (t->insn->address == A64_ADDR_BEFORE) {
		t->op->imm = -(uint64_t)bytes;
		form = SOFT_FORM_PRE;
	} else if (t->insn->address == A64_ADDR_AFTER) {
		t->op->imm = bytes;
		form = SOFT_FORM_POST;
	}
	if (t->op->rn == SOFT_X_SP)
		form += form_sp;
	return set_kind(t, (wide ? t->other : t->kind) + form);
}

/* The slots of loaded registers: of translate_word(), but for the second. */
static uint8_t loaded_slot(unsigned int r)
{
	return r == 31 ? SOFT_X_SINK : (uint8_t)r;
}

enum flow translate_load_written(struct translation *t)
{
	return set_ordered(t, SOFT_FORM_SP);
}

enum flow translate_store_written(struct translation *t)
{
	t->op->rd = (uint8_t)a64_rt(t->word);
	return set_ordered(t, SOFT_FORM_SP);
}

enum flow translate_load_pair_ordered(struct translation *t)
{
	t->op->ra = loaded_slot(a64_get_ordered_pair(t->word).rt16);
	return set_ordered(t, SOFT_PAIR_FORM_SP);
}

enum flow translate_store_pair_ordered(struct translation *t)
{
	t->op->rd = (uint8_t)a64_rt(t->word);
	t->op->ra = (uint8_t)a64_get_ordered_pair(t->word).rt16;
	return set_ordered(t, SOFT_PAIR_FORM_SP);
}

static enum flow set_function(struct translation *t, soft_function *function)
{
	t->op->rd = (uint8_t)a64_rt(t->word);
	t->op->rn = or_sp(a64_rn(t->word));
	return by_function(t, function);
}

enum flow translate_ordered_vector(struct translation *t)
{
	return set_function(t, soft_op_ordered_vector);
}

enum flow translate_ordered_structure(struct translation *t)
{
	return set_function(t, soft_op_ordered_structure);
}

enum flow translate_atomic_pair(struct translation *t)
{
	return set_function(t, soft_op_atomic_pair);
}
