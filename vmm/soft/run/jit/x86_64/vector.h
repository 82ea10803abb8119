/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * V registers in translated code of x86-64: each is loaded, computed with and stored, by as many
 * host instructions as that takes.
 */
#ifndef VSPE_SOFT_RUN_JIT_X86_64_VECTOR_H
#define VSPE_SOFT_RUN_JIT_X86_64_VECTOR_H

#include "soft/run/jit/x86_64/operands.h"

/* Vector registers, for one operation. */
enum { XMM0, XMM1, XMM2, XMM3 };
/* ... and those that only SVE uses: what was found so far, and the results. */
enum { MARKS = 4, FIRST_RESULT };

#define NO_FORM X86_FORMS /* the host has no such instruction */

/* A byte of a guest's V register. */
static inline struct x86_operand v_at(unsigned int n, unsigned int byte)
{
	return x86_at(RBP, (int32_t)(offsetof(struct soft_cpu, v) + n * sizeof(union soft_vector) +
				     byte));
}

static inline void v_op(struct translator *t, enum x86_form form, unsigned int xmm,
			unsigned int from)
{
	x86_emit(&t->code, form, 32, xmm, x86_reg(from), 0);
}

static inline void v_op_imm(struct translator *t, enum x86_form form, unsigned int xmm,
			    unsigned int from, unsigned int imm)
{
	x86_emit(&t->code, form, 32, xmm, x86_reg(from), (int32_t)imm);
}

/* A shift by an immediate. */
static inline void v_shift(struct translator *t, enum x86_form form, unsigned int xmm,
			   unsigned int by)
{
	x86_emit(&t->code, form, 32, 0, x86_reg(xmm), (int32_t)by);
}

static inline void v_put_result(struct translator *t, unsigned int d)
{
	x86_emit(&t->code, X86_movups_to, 32, XMM0, v_at(d, 0), 0);
}

static inline void v_zero(struct translator *t, unsigned int xmm)
{
	v_op(t, X86_pxor, xmm, xmm);
}

/* xmm = the lowest bytes of v[n]: 4, 8 or 16; and store XMM0 to v[d], with 0 above its bytes. */
void v_load(struct translator *t, unsigned int xmm, unsigned int n, unsigned int bytes);
void v_store(struct translator *t, unsigned int d, unsigned int bytes);
/* All elements of xmm, of 1 << size bytes, become the one at a place in memory. */
void v_broadcast(struct translator *t, unsigned int xmm, unsigned int size,
		 struct x86_operand from);
/* The place of the element of Vm that an instruction by element names. */
struct x86_operand v_element_at(const struct soft_op *op, unsigned int size);

/* Shifts by an immediate, by the size of an element. */
extern const uint8_t v_left[4], v_right[4];
/* a = the even elements of a and then of b, or the odd ones; b changes. */
void v_put_half(struct translator *t, unsigned int size, bool odd, unsigned int a, unsigned int b);
/* XMM1 and XMM2 = Vn and Vm; of 8 bytes, both registers have Vn followed by Vm. */
void v_load_halves(struct translator *t, const struct soft_op *op, unsigned int bytes);

/*
 * Moves of elements, and integer computations. False: the host has no instructions for it, and
 * nothing was generated.
 */
bool v_put_move(struct translator *t, const struct soft_op *op);
bool v_put_shape(struct translator *t, const struct soft_op *op);
/* One row of lanes.def on all integers of Vn and Vm, and of Vd, if the host has it. */
bool v_has_lane(unsigned int lane, unsigned int size);
void v_put_lane(struct translator *t, unsigned int lane, unsigned int size, unsigned int d,
		unsigned int n, unsigned int m);

#endif
