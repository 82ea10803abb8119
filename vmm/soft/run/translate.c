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
#include "soft/mem/memory.h"

#include <string.h>

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
	uint64_t target; /* of the taken side */
};

static uint8_t destination(unsigned int r)
{
	return r == 31 ? SOFT_X_SINK : (uint8_t)r;
}

static uint8_t or_sp(unsigned int r)
{
	return r == 31 ? SOFT_X_SP : (uint8_t)r;
}

static unsigned int bits(const struct translation *t, unsigned int lsb, unsigned int width)
{
	return a64_field(t->word, lsb, width);
}

static unsigned int sf(const struct translation *t)
{
	return t->word >> 31;
}

static enum flow done(struct translation *t, unsigned int kind)
{
	t->op->kind = (uint16_t)kind;
	return FLOW_NEXT;
}

/* The run loop executes it: imm is the id, A64_COUNT for an undefined word. */
static enum flow by_run_loop(struct translation *t)
{
	t->op->imm = t->insn ? t->insn->id : A64_COUNT;
	t->op->kind = SOFT_system;
	return FLOW_END;
}

static enum flow by_function(struct translation *t, soft_function *function)
{
	t->op->imm = (uintptr_t)function;
	return done(t, SOFT_call);
}

static enum flow constant(struct translation *t, uint64_t value)
{
	t->op->imm = value;
	return done(t, SOFT_mov_imm);
}

/* Data processing, immediate */

static enum flow add_immediate(struct translation *t, unsigned int kind)
{
	const bool flags = bits(t, 29, 1);

	t->op->rn = or_sp(a64_rn(t->word));
	if (!flags)
		t->op->rd = or_sp(a64_rd(t->word));
	t->op->imm = (uint64_t)bits(t, 10, 12) << (bits(t, 22, 1) ? 12 : 0);
	if (kind == SOFT_subs_imm_32 && t->op->rd == SOFT_X_SINK)
		kind = SOFT_cmp_imm_32;
	return done(t, kind + sf(t));
}

static enum flow logical_immediate(struct translation *t, unsigned int kind)
{
	uint64_t mask = 0;

	a64_logical_immediate(sf(t), bits(t, 22, 1), bits(t, 16, 6), bits(t, 10, 6), &mask);
	if (kind != SOFT_ands_imm_32)
		t->op->rd = or_sp(a64_rd(t->word));
	if (kind == SOFT_orr_imm_32 && t->op->rn == SOFT_X_ZERO)
		return constant(t, mask);
	t->op->imm = mask;
	return done(t, kind + sf(t));
}

static enum flow move_wide(struct translation *t)
{
	const unsigned int shift = bits(t, 21, 2) * 16;
	const uint64_t value = (uint64_t)bits(t, 5, 16) << shift;

	switch (t->insn->id) {
	case A64_MOVN: return constant(t, sf(t) ? ~value : (uint32_t)~value);
	case A64_MOVZ: return constant(t, value);
	default: break;
	}
	t->op->imm = value;
	t->op->aux = (uint16_t)shift;
	return done(t, SOFT_movk_32 + sf(t));
}

static uint64_t ones(unsigned int n)
{
	return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* The field goes up until its sign is at the top and down to its place, or is rotated under a mask.
 */
static enum flow bit_field(struct translation *t)
{
	const unsigned int width = sf(t) ? 64 : 32, r = bits(t, 16, 6), s = bits(t, 10, 6);
	const unsigned int up = width - 1 - s, down = s >= r ? up + r : r - s - 1;

	if (t->insn->id == A64_BFM) {
		t->op->imm = s >= r ? ones(s - r + 1) : ones(s + 1) << (width - r);
		t->op->aux = (uint16_t)r;
		return done(t, SOFT_bfm_32 + sf(t));
	}
	t->op->imm = up;
	t->op->aux = (uint16_t)down;
	if (t->insn->id == A64_SBFM)
		return done(t, (up ? SOFT_sbfm_32 : SOFT_asr_imm_32) + sf(t));
	if (up && !down) {
		t->op->aux = (uint16_t)up;
		return done(t, SOFT_lsl_imm_32 + sf(t));
	}
	return done(t, (up ? SOFT_ubfm_32 : SOFT_lsr_imm_32) + sf(t));
}

static enum flow extract(struct translation *t)
{
	t->op->aux = (uint16_t)bits(t, 10, 6);
	if (!t->op->aux)
		return done(t, SOFT_mov_reg_32 + sf(t));
	return done(t, (t->op->rn == t->op->rm ? SOFT_ror_imm_32 : SOFT_extr_32) + sf(t));
}

static enum flow immediate(struct translation *t)
{
	const int64_t offset = a64_signed_field(t->word, 5, 19) * 4 + bits(t, 29, 2);

	switch (t->insn->id) {
	case A64_ADR: return constant(t, t->pc + (uint64_t)offset);
	case A64_ADRP:
		return constant(t, (t->pc & SOFT_PAGE_MASK) + (uint64_t)offset * SOFT_PAGE_SIZE);
	case A64_ADD_IMM: return add_immediate(t, SOFT_add_imm_32);
	case A64_ADDS_IMM: return add_immediate(t, SOFT_adds_imm_32);
	case A64_SUB_IMM: return add_immediate(t, SOFT_sub_imm_32);
	case A64_SUBS_IMM: return add_immediate(t, SOFT_subs_imm_32);
	case A64_AND_IMM: return logical_immediate(t, SOFT_and_imm_32);
	case A64_ORR_IMM: return logical_immediate(t, SOFT_orr_imm_32);
	case A64_EOR_IMM: return logical_immediate(t, SOFT_eor_imm_32);
	case A64_ANDS_IMM: return logical_immediate(t, SOFT_ands_imm_32);
	case A64_MOVN:
	case A64_MOVZ:
	case A64_MOVK: return move_wide(t);
	case A64_SBFM:
	case A64_BFM:
	case A64_UBFM: return bit_field(t);
	case A64_EXTR: return extract(t);
	default: return by_run_loop(t);
	}
}

/* Data processing, register */

/* kind is the one without a shift; those of LSL, LSR, ASR (and ROR) follow it. */
static enum flow shifted(struct translation *t, unsigned int kind)
{
	const unsigned int amount = bits(t, 10, 6);

	t->op->aux = (uint16_t)amount;
	if (amount)
		return done(t, kind + 2 * (1 + bits(t, 22, 2)) + sf(t));
	if (t->op->rn == SOFT_X_ZERO && kind == SOFT_orr_reg_32)
		kind = SOFT_mov_reg_32;
	else if (t->op->rn == SOFT_X_ZERO && kind == SOFT_orn_reg_32)
		kind = SOFT_mvn_reg_32;
	else if (t->op->rd == SOFT_X_SINK && kind == SOFT_subs_reg_32)
		kind = SOFT_cmp_reg_32;
	return done(t, kind + sf(t));
}

/* reg is the kind with an unextended Rm; lsl the one with it shifted. */
static enum flow extended(struct translation *t, unsigned int ext, unsigned int reg,
			  unsigned int lsl)
{
	t->op->rn = or_sp(a64_rn(t->word));
	if (!bits(t, 29, 1))
		t->op->rd = or_sp(a64_rd(t->word));
	t->op->ra = (uint8_t)bits(t, 13, 3);
	t->op->aux = (uint16_t)bits(t, 10, 3);
	if ((t->op->ra & 3) == 3)
		ext = t->op->aux ? lsl : reg;
	return done(t, ext + sf(t));
}

static enum flow select(struct translation *t, unsigned int kind)
{
	const unsigned int c = bits(t, 12, 4);

	if (c >= SOFT_CONDITION_COUNT) {
		t->op->rm = t->op->rn;
		return done(t, SOFT_mov_reg_32 + sf(t));
	}
	return done(t, kind + 2 * c + sf(t));
}

static enum flow compare(struct translation *t, unsigned int kind, unsigned int always)
{
	const unsigned int c = bits(t, 12, 4);

	t->op->aux = (uint16_t)bits(t, 0, 4);
	if (c >= SOFT_CONDITION_COUNT) {
		t->op->imm = bits(t, 16, 5);
		t->op->rd = SOFT_X_SINK;
		return done(t, always + sf(t));
	}
	return done(t, kind + 2 * c + sf(t));
}

static enum flow multiply(struct translation *t)
{
	switch (t->insn->id) {
	case A64_MADD:
		return done(t, (t->op->ra == SOFT_X_ZERO ? SOFT_mul_32 : SOFT_madd_32) + sf(t));
	case A64_MSUB: return done(t, SOFT_msub_32 + sf(t));
	case A64_SMADDL: return done(t, SOFT_smaddl);
	case A64_SMSUBL: return done(t, SOFT_smsubl);
	case A64_SMULH: return done(t, SOFT_smulh);
	case A64_UMADDL: return done(t, SOFT_umaddl);
	case A64_UMSUBL: return done(t, SOFT_umsubl);
	case A64_UMULH: return done(t, SOFT_umulh);
	case A64_CRC32B:
	case A64_CRC32H:
	case A64_CRC32W:
	case A64_CRC32X: t->op->aux = (uint16_t)(1u << bits(t, 10, 2)); return done(t, SOFT_crc32);
	case A64_CRC32CB:
	case A64_CRC32CH:
	case A64_CRC32CW:
	case A64_CRC32CX:
		t->op->aux = (uint16_t)(1u << bits(t, 10, 2));
		return done(t, SOFT_crc32c);
	default: return by_run_loop(t);
	}
}

static enum flow one_or_two_sources(struct translation *t)
{
	switch (t->insn->id) {
	case A64_ADC: return done(t, SOFT_adc_32 + sf(t));
	case A64_ADCS: return done(t, SOFT_adcs_32 + sf(t));
	case A64_SBC: return done(t, SOFT_sbc_32 + sf(t));
	case A64_SBCS: return done(t, SOFT_sbcs_32 + sf(t));
	case A64_UDIV: return done(t, SOFT_udiv_32 + sf(t));
	case A64_SDIV: return done(t, SOFT_sdiv_32 + sf(t));
	case A64_LSLV: return done(t, SOFT_lslv_32 + sf(t));
	case A64_LSRV: return done(t, SOFT_lsrv_32 + sf(t));
	case A64_ASRV: return done(t, SOFT_asrv_32 + sf(t));
	case A64_RORV: return done(t, SOFT_rorv_32 + sf(t));
	case A64_RBIT: return done(t, SOFT_rbit_32 + sf(t));
	case A64_REV16: return done(t, SOFT_rev16_32 + sf(t));
	case A64_REV32: return done(t, sf(t) ? SOFT_rev32 : SOFT_rev_32);
	case A64_REV64: return done(t, SOFT_rev_64);
	case A64_CLZ: return done(t, SOFT_clz_32 + sf(t));
	case A64_CLS: return done(t, SOFT_cls_32 + sf(t));
	default: return multiply(t);
	}
}

static enum flow registers(struct translation *t)
{
	switch (t->insn->id) {
	case A64_AND: return shifted(t, SOFT_and_reg_32);
	case A64_BIC: return shifted(t, SOFT_bic_reg_32);
	case A64_ORR: return shifted(t, SOFT_orr_reg_32);
	case A64_ORN: return shifted(t, SOFT_orn_reg_32);
	case A64_EOR: return shifted(t, SOFT_eor_reg_32);
	case A64_EON: return shifted(t, SOFT_eon_reg_32);
	case A64_ANDS: return shifted(t, SOFT_ands_reg_32);
	case A64_BICS: return shifted(t, SOFT_bics_reg_32);
	case A64_ADD: return shifted(t, SOFT_add_reg_32);
	case A64_ADDS: return shifted(t, SOFT_adds_reg_32);
	case A64_SUB: return shifted(t, SOFT_sub_reg_32);
	case A64_SUBS: return shifted(t, SOFT_subs_reg_32);
	case A64_ADD_EXT: return extended(t, SOFT_add_ext_32, SOFT_add_reg_32, SOFT_add_lsl_32);
	case A64_ADDS_EXT: return extended(t, SOFT_adds_ext_32, SOFT_adds_reg_32, SOFT_adds_lsl_32);
	case A64_SUB_EXT: return extended(t, SOFT_sub_ext_32, SOFT_sub_reg_32, SOFT_sub_lsl_32);
	case A64_SUBS_EXT: return extended(t, SOFT_subs_ext_32, SOFT_subs_reg_32, SOFT_subs_lsl_32);
	case A64_CCMN_REG: return compare(t, SOFT_ccmn_reg_eq_32, SOFT_adds_reg_32);
	case A64_CCMN_IMM: return compare(t, SOFT_ccmn_imm_eq_32, SOFT_adds_imm_32);
	case A64_CCMP_REG: return compare(t, SOFT_ccmp_reg_eq_32, SOFT_cmp_reg_32);
	case A64_CCMP_IMM: return compare(t, SOFT_ccmp_imm_eq_32, SOFT_cmp_imm_32);
	case A64_CSEL: return select(t, SOFT_csel_eq_32);
	case A64_CSINC: return select(t, SOFT_csinc_eq_32);
	case A64_CSINV: return select(t, SOFT_csinv_eq_32);
	case A64_CSNEG: return select(t, SOFT_csneg_eq_32);
	default: return one_or_two_sources(t);
	}
}

/* Branches and the rest of their group */

static enum flow branch(struct translation *t)
{
	const unsigned int c = bits(t, 0, 4);

	a64_branch_target(t->insn, t->word, t->pc, &t->target);
	t->op->rn = (uint8_t)a64_rt(t->word);
	switch (t->insn->id) {
	case A64_BL:
		t->op->rd = 30;
		t->op->imm = t->pc + 4;
		t->op->kind = SOFT_bl;
		break;
	case A64_B_COND:
		t->op->kind = (uint16_t)(c < SOFT_CONDITION_COUNT ? SOFT_b_eq + c : SOFT_b);
		break;
	case A64_CBZ: t->op->kind = (uint16_t)(SOFT_cbz_32 + sf(t)); break;
	case A64_CBNZ: t->op->kind = (uint16_t)(SOFT_cbnz_32 + sf(t)); break;
	case A64_TBZ:
	case A64_TBNZ:
		t->op->aux = (uint16_t)(sf(t) << 5 | bits(t, 19, 5));
		t->op->kind = t->insn->id == A64_TBZ ? SOFT_tbz : SOFT_tbnz;
		break;
	default: t->op->kind = SOFT_b; break;
	}
	return FLOW_BRANCH;
}

static enum flow branches(struct translation *t)
{
	switch (t->insn->id) {
	case A64_B:
	case A64_BL:
	case A64_B_COND:
	case A64_CBZ:
	case A64_CBNZ:
	case A64_TBZ:
	case A64_TBNZ: return branch(t);
	case A64_BR:
	case A64_RET: t->op->kind = SOFT_br; return FLOW_END;
	case A64_BLR:
		t->op->rd = 30;
		t->op->imm = t->pc + 4;
		t->op->kind = SOFT_blr;
		return FLOW_END;
	case A64_YIELD:
	case A64_HINT:
	case A64_DSB:
	case A64_DMB:
	case A64_ISB: return done(t, SOFT_nop);
	case A64_CLREX: return by_function(t, soft_op_clrex);
	default: return by_run_loop(t);
	}
}

/* Loads and stores */

/* Kind of a single register's access in form SOFT_FORM_OFF. */
static unsigned int access_kind(const struct translation *t)
{
	static const uint16_t stores[] = {SOFT_strb_off, SOFT_strh_off, SOFT_str32_off,
					  SOFT_str64_off};
	static const uint16_t loads[] = {SOFT_ldrb_off, SOFT_ldrh_off, SOFT_ldr32_off,
					 SOFT_ldr64_off};
	static const uint16_t signed64[] = {SOFT_ldrsb64_off, SOFT_ldrsh64_off, SOFT_ldrsw_off};
	static const uint16_t signed32[] = {SOFT_ldrsb32_off, SOFT_ldrsh32_off};
	const unsigned int size = bits(t, 30, 2);

	switch (bits(t, 22, 2)) {
	case 0: return stores[size];
	case 1: return loads[size];
	case 2: return signed64[size];
	default: return signed32[size];
	}
}

static void access_registers(struct translation *t, bool load)
{
	t->op->rd = load ? destination(a64_rt(t->word)) : (uint8_t)a64_rt(t->word);
	t->op->rn = or_sp(a64_rn(t->word));
}

static enum flow single(struct translation *t)
{
	unsigned int kind = access_kind(t), form = SOFT_FORM_OFF;

	access_registers(t, bits(t, 22, 2));
	switch (t->insn->address) {
	case A64_ADDR_IMM12: t->op->imm = (uint64_t)bits(t, 10, 12) << bits(t, 30, 2); break;
	case A64_ADDR_REGISTER:
		t->op->ra = (uint8_t)bits(t, 13, 3);
		t->op->aux = (uint16_t)(bits(t, 12, 1) ? bits(t, 30, 2) : 0);
		form = (t->op->ra & 3) == 3 ? SOFT_FORM_LSL : SOFT_FORM_EXT;
		break;
	default: /* imm9: bits [11:10] are 0 unscaled, 1 post-indexed, 2 unprivileged, 3 pre-indexed
		  */
		t->op->imm = (uint64_t)a64_signed_field(t->word, 12, 9);
		if (bits(t, 10, 2) == 1)
			form = SOFT_FORM_POST;
		else if (bits(t, 10, 2) == 2)
			t->op->aux = SOFT_AUX_UNPRIVILEGED;
		else if (bits(t, 10, 2) == 3)
			form = SOFT_FORM_PRE;
		break;
	}
	if (t->op->rn == SOFT_X_SP)
		form += SOFT_FORM_SP;
	return done(t, kind + form);
}

static enum flow literal(struct translation *t, unsigned int kind)
{
	t->op->rd = destination(a64_rt(t->word));
	t->op->rn = SOFT_X_ZERO;
	t->op->imm = t->pc + (uint64_t)(a64_signed_field(t->word, 5, 19) * 4);
	return done(t, kind);
}

static enum flow ordered(struct translation *t, bool load)
{
	static const uint16_t stores[] = {SOFT_strb_off, SOFT_strh_off, SOFT_str32_off,
					  SOFT_str64_off};
	static const uint16_t loads[] = {SOFT_ldrb_off, SOFT_ldrh_off, SOFT_ldr32_off,
					 SOFT_ldr64_off};
	const unsigned int kind = (load ? loads : stores)[bits(t, 30, 2)];

	access_registers(t, load);
	t->op->aux = SOFT_AUX_ORDERED;
	return done(t, kind + (t->op->rn == SOFT_X_SP ? SOFT_FORM_SP : 0));
}

static enum flow pair(struct translation *t)
{
	const bool load = bits(t, 22, 1), word_signed = bits(t, 30, 1), wide = sf(t);
	unsigned int kind, form = SOFT_FORM_OFF;

	if (load)
		kind = wide ? SOFT_ldp64_off : word_signed ? SOFT_ldpsw_off : SOFT_ldp32_off;
	else
		kind = wide ? SOFT_stp64_off : SOFT_stp32_off;
	access_registers(t, load);
	t->op->ra = load ? destination(a64_ra(t->word)) : (uint8_t)a64_ra(t->word);
	t->op->imm = (uint64_t)a64_signed_field(t->word, 15, 7) * (wide ? 8 : 4);
	if (bits(t, 23, 2) == 1)
		form = SOFT_FORM_POST;
	else if (bits(t, 23, 2) == 3)
		form = SOFT_FORM_PRE;
	if (t->op->rn == SOFT_X_SP)
		form += SOFT_PAIR_FORM_SP;
	return done(t, kind + form);
}

/* The functions of atomic.c read the registers' slots: rm is Rs, rd is Rt, ra is Rt2, all as
 * sources. */
static enum flow exclusive(struct translation *t, soft_function *function)
{
	t->op->rd = (uint8_t)a64_rt(t->word);
	t->op->rn = or_sp(a64_rn(t->word));
	return by_function(t, function);
}

static enum flow loads_and_stores(struct translation *t)
{
	switch (t->insn->id) {
	case A64_STXR:
	case A64_STXP: return exclusive(t, soft_op_store_exclusive);
	case A64_LDXR:
	case A64_LDXP: return exclusive(t, soft_op_load_exclusive);
	case A64_CAS:
	case A64_CASP: return exclusive(t, soft_op_compare_and_swap);
	case A64_STLLR:
	case A64_STLR: return ordered(t, false);
	case A64_LDLAR:
	case A64_LDAR: return ordered(t, true);
	case A64_LDR_LIT: return literal(t, bits(t, 30, 1) ? SOFT_ldr64_off : SOFT_ldr32_off);
	case A64_LDRSW_LIT: return literal(t, SOFT_ldrsw_off);
	case A64_PRFM_LIT:
	case A64_PRFM_IMM:
	case A64_PRFUM:
	case A64_PRFM_REG: return done(t, SOFT_nop);
	default: break;
	}
	if (t->insn->id >= A64_LDADD && t->insn->id <= A64_SWP)
		return exclusive(t, soft_op_atomic);
	if (t->insn->address == A64_ADDR_PAIR || t->insn->address == A64_ADDR_PAIR_POST)
		return pair(t);
	return single(t);
}

static enum flow translate(struct translation *t)
{
	struct soft_op *op = t->op;

	memset(op, 0, sizeof(*op));
	op->word = t->word;
	op->rd = destination(a64_rd(t->word));
	op->rn = (uint8_t)a64_rn(t->word);
	op->rm = (uint8_t)a64_rm(t->word);
	op->ra = (uint8_t)a64_ra(t->word);
	t->insn = a64_decode(t->word);
	if (!t->insn)
		return by_run_loop(t);
	if (t->insn->address != A64_ADDR_NONE)
		return loads_and_stores(t);
	switch (bits(t, 26, 3)) {
	case 4: return immediate(t);
	case 5: return branches(t);
	default: return registers(t);
	}
}

void soft_translate_block(struct soft_block *block, const uint8_t *code, unsigned int n)
{
	struct translation t = {0};
	enum flow flow = FLOW_NEXT;
	struct soft_op *op = block->ops;

	for (block->count = 0; flow == FLOW_NEXT && block->count < n; block->count++, op++) {
		memcpy(&t.word, code + 4 * block->count, sizeof(t.word));
		t.pc = block->va + 4 * (uint64_t)block->count;
		t.op = op;
		flow = translate(&t);
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
