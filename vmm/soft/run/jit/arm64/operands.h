/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of code on arm64:
 *
 *	X0, X28  the vCPU; called functions preserve X28
 *	X1	 the first operation of the block
 *	X2	 the budget, as handlers have it
 *	X30	 where handlers return to
 *	X16	 the target; with X14, X15 and X17, for one operation
 */
#ifndef VSPE_SOFT_RUN_JIT_ARM64_OPERANDS_H
#define VSPE_SOFT_RUN_JIT_ARM64_OPERANDS_H

#include "soft/run/jit/templates.h"
#include "soft/run/jit/arm64/arm64.h"

enum {
	A_CPU = 0,
	A_OP = 1,
	A_BUDGET = 2,
	A_THIRD = 14,
	A_SECOND = 15,
	A_TARGET = 16, /* or an address */
	A_FIRST = 17,
	A_CPU_KEPT = 28,
	A_RETURN = 30,
	A_SP = 31,
};

/* Conditions of the host, not of the guest. */
enum { A_EQ = 0, A_NE = 1, A_CS = 2, A_MI = 4, A_VS = 6, A_HI = 8, A_LT = 11 };

/* A member of the vCPU, of 8 bytes, and similar loads and stores. */
static inline void a_load_cpu(struct jit_code *code, unsigned int reg, size_t offset)
{
	arm64_emit(code, ARM64_ldr_x_at, 64, reg, A_CPU, 0, (unsigned int)(offset / 8));
}

static inline void a_store_cpu(struct jit_code *code, unsigned int reg, size_t offset)
{
	arm64_emit(code, ARM64_str_x_at, 64, reg, A_CPU, 0, (unsigned int)(offset / 8));
}

static inline void a_copy(struct jit_code *code, unsigned int width, unsigned int to,
			  unsigned int from)
{
	arm64_emit(code, ARM64_orr, width, to, ARM64_ZR, from, 0);
}

/* The mask of an address's page and of its bits below bytes, as encoded in an immediate. */
static inline unsigned int page_mask(unsigned int bytes)
{
	const unsigned int ones = 64 - SOFT_PAGE_SHIFT + (unsigned int)__builtin_ctz(bytes);

	return 1 << 12 | (64 - SOFT_PAGE_SHIFT) << 6 | (ones - 1);
}

/* The offset of an element of soft_cpu.adds in the vCPU. */
static inline size_t last_add(unsigned int place)
{
	return offsetof(struct soft_cpu, adds) + 8 * (size_t)place;
}

/* reg = op's immediate, of width bits. */
void a_load_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int reg);
/* How Rm is shifted, by arg; and the immediate of a logical instruction, if op is one. */
unsigned int a_shift(const struct soft_op *op, unsigned int arg);
bool a_bitmask(const struct soft_op *op, unsigned int *imm);
/* Put the guest's flags into the host's. False: it is not known how the guest's are held. */
bool a_put_condition(struct translator *t, const struct soft_op *op);
/* Make the guest's flags those of the host, explicitly. */
void a_explicit_flags(struct translator *t);

#endif
