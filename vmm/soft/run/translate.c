/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From instructions to the operations of a block: which row of ops.def executes an instruction of
 * the A64 table, with which operands. Nothing here depends on the state of a PE, so that blocks are
 * shared by all vCPUs and exception levels.
 */
#include "a64/a64.h"
#include "soft/mem/atomic.h"
#include "soft/run/block.h"
#include "soft/run/join.h"
#include "soft/fp/vector.h"
#include "soft/sve/memory.h"
#include "soft/sve/sve.h"
#include "soft/run/translate.h"
#include "soft/mem/memory.h"
#include "soft/mem/mops.h"
#include "soft/run/landing.h"
#include "soft/mem/pauth.h"
#include "soft/sys/isa.h"

#include <string.h>

static uint8_t destination_slot(unsigned int r)
{
	return r == 31 ? SOFT_X_SINK : (uint8_t)r;
}

static enum flow set_constant(struct translation *t, uint64_t value)
{
	t->op->imm = value;
	return set_kind(t, SOFT_mov_imm);
}

static enum flow translate_plain(struct translation *t)
{
	return set_kind(t, t->kind);
}

static enum flow translate_width(struct translation *t)
{
	return set_kind(t, t->kind + a64_sf(t->word));
}

/* Data processing, immediate */

static uint64_t pc_offset(const struct translation *t)
{
	const struct a64_pc_relative f = a64_get_pc_relative(t->word);

	return (uint64_t)((int64_t)f.immhi * 4 + f.immlo);
}

static enum flow translate_address(struct translation *t)
{
	return set_constant(t, t->pc + pc_offset(t));
}

static enum flow translate_page(struct translation *t)
{
	return set_constant(t, (t->pc & SOFT_PAGE_MASK) + pc_offset(t) * SOFT_PAGE_SIZE);
}

static enum flow translate_add_immediate(struct translation *t)
{
	const struct a64_add_sub_imm f = a64_get_add_sub_imm(t->word);

	t->op->rn = or_sp(f.rn);
	if (!f.s)
		t->op->rd = or_sp(f.rd);
	t->op->imm = (uint64_t)f.imm12 << (f.sh ? 12 : 0);
	if (t->kind == SOFT_subs_imm_32 && t->op->rd == SOFT_X_SINK)
		t->kind = SOFT_cmp_imm_32;
	return set_kind(t, t->kind + f.sf);
}

static enum flow translate_logical_immediate(struct translation *t)
{
	const struct a64_logical_imm f = a64_get_logical_imm(t->word);
	uint64_t mask = 0;

	a64_logical_immediate(f.sf, f.n, f.immr, f.imms, &mask);
	if (t->kind != SOFT_ands_imm_32)
		t->op->rd = or_sp(f.rd);
	if (t->kind == SOFT_orr_imm_32 && t->op->rn == SOFT_X_ZERO)
		return set_constant(t, mask);
	t->op->imm = mask;
	return set_kind(t, t->kind + f.sf);
}

static uint64_t wide_immediate(const struct a64_move_wide *f)
{
	return (uint64_t)f->imm16 << (f->hw * 16);
}

static enum flow translate_move_not(struct translation *t)
{
	const struct a64_move_wide f = a64_get_move_wide(t->word);
	const uint64_t value = ~wide_immediate(&f);

	return set_constant(t, f.sf ? value : (uint32_t)value);
}

static enum flow translate_move_zero(struct translation *t)
{
	const struct a64_move_wide f = a64_get_move_wide(t->word);

	return set_constant(t, wide_immediate(&f));
}

static enum flow translate_move_keep(struct translation *t)
{
	const struct a64_move_wide f = a64_get_move_wide(t->word);

	t->op->imm = wide_immediate(&f);
	t->op->aux = (uint16_t)(f.hw * 16);
	return set_kind(t, t->kind + f.sf);
}

static uint64_t mask_of_ones(unsigned int n)
{
	return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/*
 * Shift the field left until its sign is at the top, and right to its place; other is the kind of
 * those without a left shift.
 */
static enum flow translate_bit_field(struct translation *t)
{
	const struct a64_bitfield f = a64_get_bitfield(t->word);
	const unsigned int up = (f.sf ? 63 : 31) - f.imms;
	const unsigned int by = f.imms >= f.immr ? up + f.immr : f.immr - f.imms - 1;

	t->op->imm = up;
	t->op->aux = (uint16_t)by;
	if (up && !by && t->kind == SOFT_ubfm_32) {
		t->op->aux = (uint16_t)up;
		return set_kind(t, SOFT_lsl_imm_32 + f.sf);
	}
	return set_kind(t, (up ? t->kind : t->other) + f.sf);
}

/* The field is rotated under a mask. */
static enum flow translate_bit_field_insert(struct translation *t)
{
	const struct a64_bitfield f = a64_get_bitfield(t->word);
	const unsigned int width = f.sf ? 64 : 32;

	t->op->imm = f.imms >= f.immr ? mask_of_ones(f.imms - f.immr + 1)
				      : mask_of_ones(f.imms + 1) << (width - f.immr);
	t->op->aux = (uint16_t)f.immr;
	return set_kind(t, t->kind + f.sf);
}

static enum flow translate_extract(struct translation *t)
{
	const struct a64_extract f = a64_get_extract(t->word);

	t->op->aux = (uint16_t)f.imms;
	if (!f.imms)
		return set_kind(t, SOFT_mov_reg_32 + f.sf);
	return set_kind(t, (f.rn == f.rm ? SOFT_ror_imm_32 : SOFT_extr_32) + f.sf);
}

/* Data processing, register */

/*
 * Logical, add and subtract: kind is the one without a shift; those of LSL, LSR, ASR (and ROR)
 * follow it.
 */
static enum flow translate_shifted(struct translation *t)
{
	const struct a64_logical_shifted f = a64_get_logical_shifted(t->word);

	t->op->aux = (uint16_t)f.imm6;
	if (f.imm6)
		return set_kind(t, t->kind + 2 * (1 + f.shift) + f.sf);
	if (t->op->rn == SOFT_X_ZERO && t->kind == SOFT_orr_reg_32)
		t->kind = SOFT_mov_reg_32;
	else if (t->op->rn == SOFT_X_ZERO && t->kind == SOFT_orn_reg_32)
		t->kind = SOFT_mvn_reg_32;
	else if (t->op->rd == SOFT_X_SINK && t->kind == SOFT_subs_reg_32)
		t->kind = SOFT_cmp_reg_32;
	return set_kind(t, t->kind + f.sf);
}

/* other is the kind with an unextended Rm; the one with Rm shifted by LSL follows it. */
static enum flow translate_extended(struct translation *t)
{
	const struct a64_add_sub_extended f = a64_get_add_sub_extended(t->word);

	t->op->rn = or_sp(f.rn);
	if (!f.s)
		t->op->rd = or_sp(f.rd);
	t->op->ra = (uint8_t)f.option;
	t->op->aux = (uint16_t)f.imm3;
	if ((f.option & 3) == 3)
		t->kind = t->other + (f.imm3 ? 2 : 0);
	return set_kind(t, t->kind + f.sf);
}

static enum flow translate_select(struct translation *t)
{
	const struct a64_cond_select f = a64_get_cond_select(t->word);

	if (f.cond >= SOFT_CONDITION_COUNT) {
		t->op->rm = t->op->rn;
		return set_kind(t, SOFT_mov_reg_32 + f.sf);
	}
	return set_kind(t, t->kind + 2 * f.cond + f.sf);
}

static enum flow translate_compare(struct translation *t)
{
	const struct a64_cond_compare_imm f = a64_get_cond_compare_imm(t->word);

	t->op->aux = (uint16_t)f.nzcv_if_not;
	if (f.cond >= SOFT_CONDITION_COUNT) {
		t->op->imm = f.imm5;
		t->op->rd = SOFT_X_SINK;
		return set_kind(t, t->other + f.sf);
	}
	return set_kind(t, t->kind + 2 * f.cond + f.sf);
}

static enum flow translate_checksum(struct translation *t)
{
	t->op->aux = (uint16_t)(1u << a64_get_crc(t->word).sz);
	return set_kind(t, t->kind);
}

static enum flow translate_reverse_words(struct translation *t)
{
	return set_kind(t, a64_sf(t->word) ? t->other : t->kind);
}

static enum flow translate_multiply_add(struct translation *t)
{
	return set_kind(t, (t->op->ra == SOFT_X_ZERO ? t->other : t->kind) + a64_sf(t->word));
}

/* Branches */

static enum flow set_branch(struct translation *t, unsigned int kind)
{
	a64_branch_target(t->insn, t->word, t->pc, &t->target);
	t->op->rn = (uint8_t)a64_rt(t->word);
	t->op->kind = (uint16_t)kind;
	return FLOW_BRANCH;
}

static void link_register(struct translation *t)
{
	t->op->rd = 30;
	t->op->imm = t->pc + 4;
}

static enum flow translate_jump(struct translation *t)
{
	return set_branch(t, SOFT_b);
}

static enum flow translate_jump_link(struct translation *t)
{
	link_register(t);
	return set_branch(t, SOFT_bl);
}

static enum flow translate_jump_if(struct translation *t)
{
	const unsigned int c = a64_get_branch_cond(t->word).cond;

	return set_branch(t, c < SOFT_CONDITION_COUNT ? t->kind + c : SOFT_b);
}

static enum flow translate_jump_compare(struct translation *t)
{
	return set_branch(t, t->kind + a64_sf(t->word));
}

static enum flow translate_jump_test(struct translation *t)
{
	const struct a64_test_branch f = a64_get_test_branch(t->word);

	t->op->aux = (uint16_t)(f.b5 << 5 | f.b40);
	return set_branch(t, t->kind);
}

static enum flow translate_jump_register(struct translation *t)
{
	t->op->kind = SOFT_br;
	if (t->isa & SOFT_ISA(BTI) && t->insn->id == A64_BR) {
		t->op->kind = SOFT_br_typed;
		t->op->aux = t->op->rn == 16 || t->op->rn == 17 ? SOFT_BTYPE_JUMP_OR_CALL
								: SOFT_BTYPE_JUMP;
	}
	return FLOW_END;
}

static enum flow translate_jump_register_link(struct translation *t)
{
	link_register(t);
	t->op->kind = t->isa & SOFT_ISA(BTI) ? SOFT_blr_typed : SOFT_blr;
	t->op->aux = SOFT_BTYPE_CALL;
	return FLOW_END;
}

/* Pointer authentication: operands of run/pauth.c. */

/* The return type matters only for FEAT_BTI. */
static enum flow translate_jump_authenticated(struct translation *t)
{
	const struct a64_branch_authenticated f = a64_get_branch_authenticated(t->word);
	const bool typed = t->isa & SOFT_ISA(BTI) && t->insn->operation != A64_OP_RETURN;

	t->op->rn = t->insn->id == A64_RETAA ? 30 : (uint8_t)f.rn;
	t->op->rm = (uint8_t)f.modifier;
	if (t->insn->id != A64_BRAAZ && t->insn->id != A64_BLRAAZ)
		t->op->rm = or_sp(f.modifier);
	t->op->ra = (uint8_t)f.b;
	if (t->insn->operation == A64_OP_CALL_REG) {
		link_register(t);
		t->op->aux = typed ? SOFT_BTYPE_CALL : 0;
	} else if (typed) {
		t->op->aux = t->op->rn == 16 || t->op->rn == 17 ? SOFT_BTYPE_JUMP_OR_CALL
								: SOFT_BTYPE_JUMP;
	}
	t->op->kind = (uint16_t)t->kind;
	return FLOW_END;
}

static enum flow set_authenticate(struct translation *t, unsigned int pointer,
				  unsigned int modifier, unsigned int how)
{
	t->op->rd = destination_slot(pointer);
	t->op->rm = (uint8_t)pointer;
	t->op->rn = (uint8_t)modifier;
	t->op->aux = (uint16_t)how;
	return by_function(t, soft_op_authenticate);
}

static enum flow translate_authenticate(struct translation *t)
{
	const struct a64_authenticate f = a64_get_authenticate(t->word);

	return set_authenticate(t, f.rd, f.zero ? SOFT_X_ZERO : or_sp(f.rn),
				f.key | (f.authenticate ? SOFT_AUTHENTICATE : 0));
}

static enum flow translate_strip(struct translation *t)
{
	const struct a64_strip f = a64_get_strip(t->word);

	t->op->rm = (uint8_t)f.rd;
	t->op->aux = (uint16_t)f.data;
	return by_function(t, soft_op_strip);
}

static enum flow translate_authenticate_generic(struct translation *t)
{
	t->op->rm = or_sp(a64_rm(t->word));
	return by_function(t, soft_op_sign_generic);
}

/* For X30, or X17 and X16: NOP without FEAT_PAuth. op2 is authenticate, the B key, SP. */
static enum flow translate_hint_authenticate(struct translation *t)
{
	const struct a64_hint f = a64_get_hint(t->word);
	const unsigned int how = (f.op2 >> 1 & 1) | (f.op2 & 4 ? SOFT_AUTHENTICATE : 0);

	if (!(t->isa & SOFT_ISA(PAuth)))
		return set_kind(t, SOFT_nop);
	if (t->insn->id == A64_PAC_1716)
		return set_authenticate(t, 17, 16, how);
	return set_authenticate(t, 30, f.op2 & 1 ? SOFT_X_SP : SOFT_X_ZERO, how);
}

static enum flow translate_hint_strip(struct translation *t)
{
	if (!(t->isa & SOFT_ISA(PAuth)))
		return set_kind(t, SOFT_nop);
	t->op->rd = t->op->rm = 30;
	return by_function(t, soft_op_strip);
}

static enum flow translate_load_authenticated(struct translation *t)
{
	t->op->rd = destination_slot(a64_rt(t->word));
	t->op->rn = or_sp(a64_rn(t->word));
	return by_function(t, soft_op_load_authenticated);
}

/* Loads and stores */

/* Kinds of a single register's access in form SOFT_FORM_OFF, by the field size. */
static const uint16_t stores[] = {SOFT_strb_off, SOFT_strh_off, SOFT_str32_off, SOFT_str64_off};
static const uint16_t loads[] = {SOFT_ldrb_off, SOFT_ldrh_off, SOFT_ldr32_off, SOFT_ldr64_off};
static const uint16_t signed_loads[2][3] = {
	{SOFT_ldrsb64_off, SOFT_ldrsh64_off, SOFT_ldrsw_off},
	{SOFT_ldrsb32_off, SOFT_ldrsh32_off},
};

static void access_registers(struct translation *t, bool load)
{
	t->op->rd = load ? destination_slot(a64_rt(t->word)) : (uint8_t)a64_rt(t->word);
	t->op->rn = or_sp(a64_rn(t->word));
}

/* One register at the address that the row describes. */
static enum flow set_access(struct translation *t, unsigned int kind, bool load)
{
	access_registers(t, load);
	if (t->insn->address == A64_ADDR_UNPRIVILEGED)
		t->op->aux = SOFT_AUX_UNPRIVILEGED;
	return set_kind(t, kind + address_form(t, a64_get_register_offset(t->word).size));
}

static enum flow translate_store(struct translation *t)
{
	return set_access(t, stores[a64_get_register_offset(t->word).size], false);
}

static enum flow translate_load(struct translation *t)
{
	return set_access(t, loads[a64_get_register_offset(t->word).size], true);
}

/* opc is 10 for a destination of 64 bits, 11 for one of 32. */
static enum flow translate_load_signed(struct translation *t)
{
	const struct a64_register_offset f = a64_get_register_offset(t->word);

	return set_access(t, signed_loads[f.opc & 1][f.size], true);
}

static enum flow translate_load_literal(struct translation *t)
{
	const struct a64_literal f = a64_get_literal(t->word);

	t->op->rd = destination_slot(f.rt);
	t->op->rn = SOFT_X_ZERO;
	t->op->imm = t->pc + (uint64_t)((int64_t)f.imm19 * 4);
	return set_kind(t, f.opc == 1 ? t->other : t->kind);
}

/* Those of FEAT_LRCPC2 have an offset. */
static enum flow set_ordered(struct translation *t, const uint16_t *kinds, bool load)
{
	const unsigned int kind = kinds[a64_get_exclusive(t->word).size];

	access_registers(t, load);
	if (t->insn->address == A64_ADDR_OFFSET9)
		t->op->imm = (uint64_t)(int64_t)a64_imm9(t->word);
	t->op->aux = SOFT_AUX_ORDERED;
	return set_kind(t, kind + (t->op->rn == SOFT_X_SP ? SOFT_FORM_SP : 0));
}

static enum flow translate_store_ordered(struct translation *t)
{
	return set_ordered(t, stores, false);
}

static enum flow translate_load_ordered(struct translation *t)
{
	return set_ordered(t, loads, true);
}

static enum flow translate_load_signed_ordered(struct translation *t)
{
	return set_ordered(t, signed_loads[a64_get_ordered_offset9(t->word).opc & 1], true);
}

static enum flow set_pair(struct translation *t, unsigned int kind, bool load)
{
	const struct a64_pair f = a64_get_pair(t->word);

	access_registers(t, load);
	t->op->ra = load ? destination_slot(f.rt2) : (uint8_t)f.rt2;
	return set_kind(t, kind + pair_form(t, f.sf ? 8 : 4));
}

static enum flow translate_store_pair(struct translation *t)
{
	return set_pair(t, a64_sf(t->word) ? t->other : t->kind, false);
}

static enum flow translate_load_pair(struct translation *t)
{
	return set_pair(t, a64_sf(t->word) ? t->other : t->kind, true);
}

/* The functions of atomic.c read the registers' slots: rm is Rs, rd is Rt, ra is Rt2, all as
 * sources. */
static enum flow set_exclusive(struct translation *t, soft_function *function)
{
	t->op->rd = (uint8_t)a64_rt(t->word);
	t->op->rn = or_sp(a64_rn(t->word));
	return by_function(t, function);
}

static enum flow translate_store_exclusive(struct translation *t)
{
	return set_exclusive(t,
			     t->draws ? soft_op_store_exclusive_may_fail : soft_op_store_exclusive);
}

static enum flow translate_load_exclusive(struct translation *t)
{
	return set_exclusive(t, soft_op_load_exclusive);
}

static enum flow translate_compare_and_swap(struct translation *t)
{
	return set_exclusive(t, soft_op_compare_and_swap);
}

static enum flow translate_atomic(struct translation *t)
{
	return set_exclusive(t, soft_op_atomic);
}

static enum flow translate_memory_copy(struct translation *t)
{
	return by_function(t, soft_op_memory_copy);
}

static enum flow translate_memory_set(struct translation *t)
{
	return by_function(t, soft_op_memory_set);
}

static enum flow translate_clear_exclusive(struct translation *t)
{
	return by_function(t, soft_op_clrex);
}

static const struct {
	translator *how;
	uint16_t kind, other;
} translators[A64_COUNT] = {
#define A64_EXECUTE(id, how, kind, other) [A64_##id] = {translate_##how, SOFT_##kind, SOFT_##other},
#include "a64/execute.def"
#undef A64_EXECUTE
};

static enum flow translate_word(struct translation *t)
{
	struct soft_op *op = t->op;

	memset(op, 0, sizeof(*op));
	op->word = t->word;
	op->rd = destination_slot(a64_rt(t->word));
	op->rn = (uint8_t)a64_rn(t->word);
	op->rm = (uint8_t)a64_rm(t->word);
	op->ra = (uint8_t)a64_rt2(t->word);
	t->insn = soft_decode(t->word);
	if (t->insn && !soft_isa_has(t->isa, t->insn, t->word))
		t->insn = NULL;
	if (!t->insn)
		return translate_system(t);
	t->kind = translators[t->insn->id].kind;
	t->other = translators[t->insn->id].other;
	return translators[t->insn->id].how(t);
}

void soft_translate_block(struct soft_block *block, const uint8_t *code, unsigned int n,
			  uint64_t isa, bool draws)
{
	struct translation t = {.isa = isa, .draws = draws};
	enum flow flow = FLOW_NEXT;
	struct soft_op *op = block->ops;

	for (block->count = 0; flow == FLOW_NEXT && block->count < n; block->count++, op++) {
		memcpy(&t.word, code + 4 * block->count, sizeof(t.word));
		t.pc = block->va + 4 * (uint64_t)block->count;
		t.op = op;
		flow = translate_word(&t);
	}
	op->kind = SOFT_system; /* no fall unless set here */
	if (flow == FLOW_NEXT) {
		memset(op, 0, sizeof(*op));
		op->kind = SOFT_fall;
	} else if (flow == FLOW_BRANCH && block->count > 1) {
		soft_fuse(op - 2, op - 1);
	}
	soft_join(block);
	block->links = NULL;
	if (flow == FLOW_END)
		return;
	block->links = (struct soft_links *)(flow == FLOW_NEXT ? op + 1 : op);
	*block->links = (struct soft_links){
		.target = {block->va + 4 * (uint64_t)block->count, t.target},
	};
	if (flow == FLOW_BRANCH && (block->ops[block->count - 1].kind == SOFT_b ||
				    block->ops[block->count - 1].kind == SOFT_bl))
		block->links->target[0] = t.target;
}
