/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An assembler for what the translator generates on x86-64: the forms of x86.def and a few others.
 */
#ifndef VSPE_SOFT_RUN_JIT_X86_64_X86_H
#define VSPE_SOFT_RUN_JIT_X86_64_X86_H

#include "soft/run/jit/code.h"

enum x86_register {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
};

enum x86_condition {
	X86_O,
	X86_NO,
	X86_B,
	X86_AE,
	X86_E,
	X86_NE,
	X86_BE,
	X86_A,
	X86_S,
	X86_NS,
	X86_P,
	X86_NP,
	X86_L,
	X86_GE,
	X86_LE,
	X86_G,
};

enum x86_form {
#define X86(name, ...) X86_##name,
#include "soft/run/jit/x86_64/x86.def"
	X86_FORMS
};

/*
 * A register, or memory at base + (index << scale) + disp; base and index are values of enum
 * x86_register.
 */
struct x86_operand {
	bool memory, indexed;
	uint8_t base, index; /* base: the register, of one. No index is RSP. */
	uint8_t scale;	     /* 0 to 3 */
	int32_t disp;
};

static inline struct x86_operand x86_reg(unsigned int reg)
{
	return (struct x86_operand){.base = (uint8_t)reg};
}

static inline struct x86_operand x86_at(unsigned int base, int32_t disp)
{
	return (struct x86_operand){.memory = true, .base = (uint8_t)base, .disp = disp};
}

static inline struct x86_operand x86_indexed(unsigned int base, unsigned int index, int32_t disp)
{
	return (struct x86_operand){.memory = true,
				    .indexed = true,
				    .base = (uint8_t)base,
				    .index = (uint8_t)index,
				    .disp = disp};
}

static inline struct x86_operand x86_scaled(unsigned int base, unsigned int index,
					    unsigned int scale)
{
	struct x86_operand operand = x86_indexed(base, index, 0);

	operand.scale = (uint8_t)scale;
	return operand;
}

/* width: 32 or 64, if the form has either; imm: if it has one. */
void x86_emit(struct jit_code *code, enum x86_form form, unsigned int width, unsigned int reg,
	      struct x86_operand operand, int32_t imm);

/*
 * Move the operand to reg if the condition holds. With 32 bits, the upper half becomes 0 in any
 * case.
 */
void x86_cmov(struct jit_code *code, enum x86_condition condition, unsigned int width,
	      unsigned int reg, struct x86_operand operand);

/* The lowest byte of reg becomes 1 if the condition holds, 0 otherwise. */
void x86_set(struct jit_code *code, enum x86_condition condition, unsigned int reg);

/* The shortest way to put value into reg; flags stay. */
void x86_move(struct jit_code *code, unsigned int reg, uint64_t value);
/* reg = from, rotated to the right; no flag changes. BMI2. */
void x86_rorx(struct jit_code *code, unsigned int width, unsigned int reg, unsigned int from,
	      unsigned int by);
/* reg = not first, and second. BMI1. */
void x86_andn(struct jit_code *code, unsigned int width, unsigned int reg, unsigned int first,
	      unsigned int second);
/*
 * reg = first * second, with reg added or subtracted, or the product's sign changed, by how; for
 * all elements of single or double precision, or for one. FMA3.
 */
enum { X86_PLUS = 0, X86_MINUS = 2, X86_NEGATIVE = 4, X86_ALL = 0, X86_ONE = 1 };
void x86_multiply_add(struct jit_code *code, unsigned int how, unsigned int width, unsigned int reg,
		      unsigned int first, unsigned int second);
/* Reverse the bytes of reg; width 32 or 64. */
void x86_bswap(struct jit_code *code, unsigned int width, unsigned int reg);
/* AH = the flags S, Z and C in its bits 7, 6 and 0; C is inverted. */
void x86_lahf(struct jit_code *code);
void x86_cmc(struct jit_code *code);
void x86_push(struct jit_code *code, unsigned int reg);
void x86_pop(struct jit_code *code, unsigned int reg);
void x86_ret(struct jit_code *code);
/* A call of existing code, at most 2 GB away. */
void x86_call(struct jit_code *code, const uint8_t *to);
/* One instruction of 1 to 3 bytes that does nothing. */
void x86_nop(struct jit_code *code, unsigned int bytes);

/* A jump whose target x86_here() will set; returns its place. */
uint8_t *x86_jump(struct jit_code *code);
uint8_t *x86_jump_if(struct jit_code *code, enum x86_condition condition);
void x86_here(struct jit_code *code, uint8_t *jump);
/* Set the target of a jump that was generated long ago. */
void x86_set_jump(uint8_t *jump, const uint8_t *to);
/* Invert the condition of a jump. */
void x86_invert(uint8_t *jump);
/* A jump back to existing code. */
void x86_jump_back(struct jit_code *code, const uint8_t *to);

#endif
