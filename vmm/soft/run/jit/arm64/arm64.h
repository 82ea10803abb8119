/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An assembler for what the translator generates on arm64: the forms of arm64.def, and branches
 * within the code.
 */
#ifndef VSPE_SOFT_RUN_JIT_ARM64_ARM64_H
#define VSPE_SOFT_RUN_JIT_ARM64_ARM64_H

#include "soft/run/jit/code.h"

#define ARM64_ZR 31 /* or SP, as the form has it */

enum arm64_form {
#define A64(name, ...) ARM64_##name,
#include "soft/run/jit/arm64/arm64.def"
	ARM64_FORMS
};

/* Shapes: what imm of arm64_emit() is, and whether there is Rm. */
enum arm64_shape {
	ARM64_SHIFTED,	/* Rm, ARM64_SHIFT(type, amount) */
	ARM64_EXTENDED, /* Rm, ARM64_EXTEND(option, amount) */
	ARM64_IMM12,	/* 12 bits; bit 12: shifted by as many */
	ARM64_BITMASK,	/* N:immr:imms */
	ARM64_FIELD,	/* immr:imms */
	ARM64_THIRD,	/* Rm, and Ra or the lowest bit, or ARM64_ZR */
	ARM64_THREE,	/* Rm; no imm */
	ARM64_TWO,	/* no imm */
	ARM64_WIDE,	/* 16 bits; no Rn. bits 16 and 17: shifted by so many times 16 */
	ARM64_SELECT,	/* Rm, a condition */
	ARM64_UNSIGNED, /* 12 bits */
	ARM64_PAIR,	/* Rm is the second; -64 to 63 */
};

#define ARM64_SHIFT(type, amount)    ((type) << 6 | (amount))
#define ARM64_EXTEND(option, amount) ((option) << 3 | (amount))
#define ARM64_FIELD_OF(immr, imms)   ((immr) << 6 | (imms))

/* width: 32 or 64, if the form has either. */
void arm64_emit(struct jit_code *code, enum arm64_form form, unsigned int width, unsigned int rd,
		unsigned int rn, unsigned int rm, unsigned int imm);

/* An instruction of the guest's that is the host's. */
void arm64_word(struct jit_code *code, uint32_t word);

/* Put value into reg by the shortest sequence of MOVZ or MOVN, and MOVK; flags stay. */
void arm64_move(struct jit_code *code, unsigned int reg, uint64_t value);

/*
 * Branches whose target arm64_here() will set; returns their place. By a condition as encoded; if a
 * register is 0, or is not; if a bit of a register is 0, or is not.
 */
uint8_t *arm64_jump(struct jit_code *code);
uint8_t *arm64_jump_if(struct jit_code *code, unsigned int condition);
uint8_t *arm64_jump_zero(struct jit_code *code, unsigned int width, unsigned int reg, bool is_zero);
uint8_t *arm64_jump_bit(struct jit_code *code, unsigned int reg, unsigned int bit, bool is_zero);
void arm64_here(struct jit_code *code, uint8_t *jump);
/* Invert the condition of a branch. */
void arm64_invert(uint8_t *jump);
/* Set the target of a branch that was generated long ago. */
void arm64_set_jump(uint8_t *jump, const uint8_t *to);

#endif
