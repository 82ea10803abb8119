/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of operations in a block, from run/ops.def. */
#ifndef VSPE_SOFT_KINDS_H
#define VSPE_SOFT_KINDS_H

#include "a64/a64.h"
#include "soft/cpu.h"

/*
 * The conditions in the order of their encoding: row(name, mask, e, ...). Bit nzcv of mask says
 * whether the condition holds. e says it after a comparison of a with b, unsigned values of WIDTH
 * bits.
 */
#define SOFT_CONDITIONS(row, ...)                                                                  \
	row(eq, 0xf0f0, a == b, __VA_ARGS__) row(ne, 0x0f0f, a != b, __VA_ARGS__)                  \
		row(cs, 0xcccc, a >= b, __VA_ARGS__) row(cc, 0x3333, a < b, __VA_ARGS__) row(      \
			mi, 0xff00, (S)(T)(a - b) < 0,                                             \
			__VA_ARGS__) row(pl, 0x00ff, (S)(T)(a - b) >= 0, __VA_ARGS__)              \
			row(vs, 0xaaaa, (S)((a ^ b) & (a ^ (T)(a - b))) < 0,                       \
			    __VA_ARGS__) row(vc, 0x5555, (S)((a ^ b) & (a ^ (T)(a - b))) >= 0,     \
					     __VA_ARGS__) row(hi, 0x0c0c, a > b, __VA_ARGS__)      \
				row(ls, 0xf3f3, a <= b, __VA_ARGS__) row(ge, 0xaa55, (S)a >= (S)b, \
									 __VA_ARGS__)              \
					row(lt, 0x55aa, (S)a < (S)b, __VA_ARGS__)                  \
						row(gt, 0x0a05, (S)a > (S)b, __VA_ARGS__)          \
							row(le, 0xf5fa, (S)a <= (S)b, __VA_ARGS__)

#define SOFT_CONDITION_COUNT 14 /* the last two of 16 always hold */

/* Addressing forms of the memory operations, then the same with the stack pointer as base. */
#define SOFT_FORMS(row, ...)                                                                     \
	row(off, __VA_ARGS__) row(pre, __VA_ARGS__) row(post, __VA_ARGS__) row(lsl, __VA_ARGS__) \
		row(ext, __VA_ARGS__) row(off_sp, __VA_ARGS__) row(pre_sp, __VA_ARGS__)          \
			row(post_sp, __VA_ARGS__) row(lsl_sp, __VA_ARGS__)                       \
				row(ext_sp, __VA_ARGS__)

#define SOFT_PAIR_FORMS(row, ...)                                          \
	row(off, __VA_ARGS__) row(pre, __VA_ARGS__) row(post, __VA_ARGS__) \
		row(off_sp, __VA_ARGS__) row(pre_sp, __VA_ARGS__) row(post_sp, __VA_ARGS__)

enum soft_form {
	SOFT_FORM_OFF,	/* Rn + imm */
	SOFT_FORM_PRE,	/* the same, written back */
	SOFT_FORM_POST, /* Rn, then Rn + imm written back */
	SOFT_FORM_LSL,	/* Rn + (Rm << aux) */
	SOFT_FORM_EXT,	/* Rn + (extended Rm << aux) */
};

#define SOFT_FORM_SP	  5 /* added for the stack pointer */
#define SOFT_PAIR_FORM_SP 3

#define NAME(name) SOFT_##name,
enum soft_kind {
#include "soft/op_names.def"
	SOFT_KINDS
};

#define SOFT_MEMORY_FIRST  SOFT_ldr64_off
#define SOFT_MEMORY_VECTOR SOFT_ldr_b_off /* from here on of vector registers */

/* What SOFT_call calls, in op->imm: false if the operation generated cpu->fault. */
typedef bool soft_function(struct soft_cpu *cpu, const struct soft_op *op);

/* The row of an instruction that this CPU executes. NULL: the word is UNDEFINED here. */
static inline const struct a64_insn *soft_decode(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && insn->executed ? insn : NULL;
}

#endif
