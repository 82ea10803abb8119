/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of templates: which of them generates which operation of ops.def. Operations that are
 * not in it are left to their handlers.
 */
#include "soft/run/jit/templates.h"
#include "soft/run/system.h"

#if SOFT_JIT

#define BOTH(name, fn, arg) \
	[SOFT_##name##_32] = {fn, arg, 32, false}, [SOFT_##name##_64] = {fn, arg, 64, false}
#define ONE(name, fn, arg) [SOFT_##name] = {fn, arg, 64, false}
#define SHIFTED(name, fn, arg)                                          \
	BOTH(name##_reg, fn, arg), BOTH(name##_lsl, fn, (arg) | T_LSL), \
		BOTH(name##_lsr, fn, (arg) | T_LSR), BOTH(name##_asr, fn, (arg) | T_ASR)
#define ROTATED(name, fn, arg)		   SHIFTED(name, fn, arg), BOTH(name##_ror, fn, (arg) | T_ROR)
#define SELECT_ROWS(c, mask, e, name, how) BOTH(name##_##c, t_put_select, T_CONDITION_##c | (how)),
#define COMPARE_ROWS(c, mask, e, name, how) \
	BOTH(name##_##c, t_put_compare_if, T_CONDITION_##c | (how) << 8),
#define FORMS(name, fn, arg, w) [SOFT_##name##_off... SOFT_##name##_ext_sp] = {fn, arg, w, false}
#define PAIR_FORMS(name, fn, arg, w) \
	[SOFT_##name##_off... SOFT_##name##_post_sp] = {fn, arg, w, false}
#define END(name, fn, arg, w)		 [SOFT_##name] = {fn, arg, w, true}
#define END_BOTH(name, fn, arg)		 END(name##_32, fn, arg, 32), END(name##_64, fn, arg, 64)
#define BRANCH_ROW(c, mask, e, name, fn) END(name##_##c, fn, T_CONDITION_##c, 64),
#define FUSED_ROW(c, mask, e, name, fn)	 END_BOTH(name##_##c, fn, T_CONDITION_##c),

/* clang-format off: a row a line */
static const struct template_row rows[SOFT_KINDS] = {
	BOTH(add_imm, t_put_imm, T_ADD),
	SHIFTED(add, t_put_reg, T_ADD),
	BOTH(add_ext, t_put_extended, T_ADD),
	BOTH(sub_imm, t_put_imm, T_SUB),
	SHIFTED(sub, t_put_reg, T_SUB),
	BOTH(sub_ext, t_put_extended, T_SUB),
	BOTH(and_imm, t_put_imm, T_AND),
	ROTATED(and, t_put_reg, T_AND),
	ROTATED(bic, t_put_reg, T_AND | T_NOT),
	BOTH(orr_imm, t_put_imm, T_OR),
	ROTATED(orr, t_put_reg, T_OR),
	ROTATED(orn, t_put_reg, T_OR | T_NOT),
	BOTH(eor_imm, t_put_imm, T_XOR),
	ROTATED(eor, t_put_reg, T_XOR),
	ROTATED(eon, t_put_reg, T_XOR | T_NOT),
	BOTH(mov_reg, t_put_move, 0),
	BOTH(mvn_reg, t_put_move, 1),
	ONE(mov_imm, t_put_move_imm, 0),
	BOTH(movk, t_put_move_keep, 0),
	BOTH(lsl_imm, t_put_shift, T_LSL),
	BOTH(lsr_imm, t_put_shift, T_LSR),
	BOTH(asr_imm, t_put_shift, T_ASR),
	BOTH(ror_imm, t_put_shift, T_ROR),
	BOTH(lslv, t_put_shift_by, T_LSL),
	BOTH(lsrv, t_put_shift_by, T_LSR),
	BOTH(asrv, t_put_shift_by, T_ASR),
	BOTH(rorv, t_put_shift_by, T_ROR),
	BOTH(ubfm, t_put_field, T_LSR),
	BOTH(sbfm, t_put_field, T_ASR),
	BOTH(bfm, t_put_insert, 0),
	BOTH(extr, t_put_extract, 0),
	BOTH(mul, t_put_multiply, T_TIMES),
	BOTH(madd, t_put_multiply, T_PLUS),
	BOTH(msub, t_put_multiply, T_MINUS),
	ONE(smaddl, t_put_multiply_long, T_PLUS | T_SIGNED),
	ONE(smsubl, t_put_multiply_long, T_MINUS | T_SIGNED),
	ONE(umaddl, t_put_multiply_long, T_PLUS),
	ONE(umsubl, t_put_multiply_long, T_MINUS),
	ONE(smulh, t_put_multiply_high, T_SIGNED),
	ONE(umulh, t_put_multiply_high, 0),
	BOTH(udiv, t_put_divide, 0),
	BOTH(sdiv, t_put_divide, T_SIGNED),
	BOTH(clz, t_put_clz, 0),
	BOTH(rev, t_put_rev, T_REV),
	BOTH(rev16, t_put_rev, T_REV16),
	ONE(rev32, t_put_rev, T_REV32),
	ONE(nop, t_put_nothing, 0),
	BOTH(adds_imm, t_put_flags_imm, T_ADDS),
	SHIFTED(adds, t_put_flags, T_ADDS),
	BOTH(adds_ext, t_put_flags_extended, T_ADDS),
	BOTH(subs_imm, t_put_flags_imm, T_SUBS),
	SHIFTED(subs, t_put_flags, T_SUBS),
	BOTH(subs_ext, t_put_flags_extended, T_SUBS),
	BOTH(cmp_imm, t_put_flags_imm, T_CMP),
	BOTH(cmp_reg, t_put_flags, T_CMP),
	BOTH(ands_imm, t_put_logic_imm, 0),
	ROTATED(ands, t_put_logic, 0),
	ROTATED(bics, t_put_logic, T_NOT),
	BOTH(adc, t_put_carry, T_ADDS),
	BOTH(sbc, t_put_carry, T_SUBS),
	SOFT_CONDITIONS(COMPARE_ROWS, ccmp_reg, T_SUBS) SOFT_CONDITIONS(COMPARE_ROWS, ccmp_imm,
									T_SUBS | T_IMMEDIATE)
		SOFT_CONDITIONS(COMPARE_ROWS, ccmn_reg, T_ADDS)
			SOFT_CONDITIONS(COMPARE_ROWS, ccmn_imm,
					T_ADDS | T_IMMEDIATE) SOFT_CONDITIONS(SELECT_ROWS, csel, 0)
				SOFT_CONDITIONS(SELECT_ROWS, csinc, T_INCREMENT)
					SOFT_CONDITIONS(SELECT_ROWS, csinv, T_INVERT)
						SOFT_CONDITIONS(SELECT_ROWS, csneg, T_NEGATE)
							END(b, t_put_branch, 0, 64),
	END(bl, t_put_branch, 1, 64),
	END(br, t_put_jump, 0, 64),
	END(blr, t_put_jump, 1, 64),
	SOFT_CONDITIONS(BRANCH_ROW, b, t_put_branch_if)
		END_BOTH(cbz, t_put_compare_zero, T_CONDITION_eq),
	END_BOTH(cbnz, t_put_compare_zero, T_CONDITION_ne),
	END(tbz, t_put_test_bit, T_CONDITION_eq, 64),
	END(tbnz, t_put_test_bit, T_CONDITION_ne, 64),
	SOFT_CONDITIONS(FUSED_ROW, cmp_imm_b, t_put_compare_imm_branch)
		SOFT_CONDITIONS(FUSED_ROW, cmp_reg_b, t_put_compare_branch)
			SOFT_CONDITIONS(FUSED_ROW, subs_imm_b, t_put_subtract_branch)
				END_BOTH(ands_imm_b_eq, t_put_logic_imm_branch, T_CONDITION_eq),
	END_BOTH(ands_imm_b_ne, t_put_logic_imm_branch, T_CONDITION_ne),
	END_BOTH(ands_reg_b_eq, t_put_logic_branch, T_CONDITION_eq),
	END_BOTH(ands_reg_b_ne, t_put_logic_branch, T_CONDITION_ne),
	ONE(system, t_put_read_system, 0),
	ONE(vector, t_put_vector, 0),
	ONE(sve, t_put_sve, 0),
	ONE(vector_immediate, t_put_vector_immediate, 0),
	FORMS(ldr_s, t_put_vector_load, 4, 64),
	FORMS(ldr_d, t_put_vector_load, 8, 64),
	FORMS(ldr_q, t_put_vector_load, 16, 64),
	FORMS(str_s, t_put_vector_store, 4, 64),
	FORMS(str_d, t_put_vector_store, 8, 64),
	FORMS(str_q, t_put_vector_store, 16, 64),
	PAIR_FORMS(ldp_s, t_put_vector_load, 4 | T_TWO, 64),
	PAIR_FORMS(ldp_d, t_put_vector_load, 8 | T_TWO, 64),
	PAIR_FORMS(ldp_q, t_put_vector_load, 16 | T_TWO, 64),
	PAIR_FORMS(stp_s, t_put_vector_store, 4 | T_TWO, 64),
	PAIR_FORMS(stp_d, t_put_vector_store, 8 | T_TWO, 64),
	PAIR_FORMS(stp_q, t_put_vector_store, 16 | T_TWO, 64),
	FORMS(ldr64, t_put_load, 8, 64),
	FORMS(ldr32, t_put_load, 4, 32),
	FORMS(ldrh, t_put_load, 2, 32),
	FORMS(ldrb, t_put_load, 1, 32),
	FORMS(ldrsw, t_put_load, 4 | T_SIGNED_ACCESS, 64),
	FORMS(ldrsh64, t_put_load, 2 | T_SIGNED_ACCESS, 64),
	FORMS(ldrsh32, t_put_load, 2 | T_SIGNED_ACCESS, 32),
	FORMS(ldrsb64, t_put_load, 1 | T_SIGNED_ACCESS, 64),
	FORMS(ldrsb32, t_put_load, 1 | T_SIGNED_ACCESS, 32),
	FORMS(str64, t_put_store, 8, 64),
	FORMS(str32, t_put_store, 4, 32),
	FORMS(strh, t_put_store, 2, 32),
	FORMS(strb, t_put_store, 1, 32),
	PAIR_FORMS(ldp64, t_put_load_pair, 8, 64),
	PAIR_FORMS(ldp32, t_put_load_pair, 4, 32),
	PAIR_FORMS(ldpsw, t_put_load_pair, 4 | T_SIGNED_ACCESS, 64),
	PAIR_FORMS(stp64, t_put_store_pair, 8, 64),
	PAIR_FORMS(stp32, t_put_store_pair, 4, 32),
};
/* clang-format on */

const struct template_row *soft_template_of(const struct soft_op *op)
{
	if (op->kind == SOFT_call)
		return t_sve_row(op) ? t_sve_row(op) : t_atomic_row(op);
	if (op->kind == SOFT_system && op->aux < SOFT_REPEAT_READ)
		return NULL;
	return rows[op->kind].emit ? &rows[op->kind] : NULL;
}

#endif
