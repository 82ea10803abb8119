/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of x86-64: see x86.h. */
#include "soft/run/jit/x86_64/x86.h"

#include <string.h>

/* The kind of a form: the digit that extends the opcode, or REG, and what follows the operands. */
enum { REG = 8, NONE = 0, BYTE = 16, WORD = 32, DIGIT = 7 };
enum form_width { EITHER, W32, W64, TO8, FROM8 };

static const struct form {
	uint8_t prefix, map, opcode, kind, width;
} forms[X86_FORMS] = {
#define X86(name, prefix, map, opcode, kind, width) {prefix, map, opcode, kind, width},
#include "soft/run/jit/x86_64/x86.def"
};

static void put(struct jit_code *code, uint8_t byte)
{
	if (code->at < code->end)
		*code->at++ = byte;
}

static void put_bytes(struct jit_code *code, uint64_t value, unsigned int count)
{
	for (; count > 0; count--, value >>= 8)
		put(code, (uint8_t)value);
}

static bool is_byte(int32_t value)
{
	return value == (int8_t)value;
}

static void put_modrm(struct jit_code *code, unsigned int reg, struct x86_operand operand)
{
	const unsigned int low = operand.base & 7, field = (reg & 7) << 3;
	unsigned int mod = 0x80;

	if (!operand.memory) {
		put(code, (uint8_t)(0xc0 | field | low));
		return;
	}
	/* Without displacement RBP and R13 would mean something else. */
	if (operand.disp == 0 && low != RBP)
		mod = 0;
	else if (is_byte(operand.disp))
		mod = 0x40;
	if (operand.indexed || low == RSP) {
		put(code, (uint8_t)(mod | field | 4));
		put(code, (uint8_t)(operand.scale << 6 |
				    (operand.indexed ? operand.index & 7u : 4u) << 3 | low));
	} else {
		put(code, (uint8_t)(mod | field | low));
	}
	if (mod)
		put_bytes(code, (uint32_t)operand.disp, mod == 0x40 ? 1 : 4);
}

static void encode(struct jit_code *code, const struct form *form, unsigned int width,
		   unsigned int reg, struct x86_operand operand, int32_t imm)
{
	const unsigned int kind = form->kind, how = form->width;
	const bool wide = how == W64 || ((how == EITHER || how == FROM8) && width == 64);
	unsigned int rex = wide ? 0x48 : 0;

	if (!(kind & REG))
		reg = kind & DIGIT;
	if (form->prefix)
		put(code, form->prefix);
	rex |= (reg & 8 ? 0x44u : 0) | (operand.base & 8 ? 0x41u : 0) |
	       (operand.indexed && operand.index & 8 ? 0x42u : 0);
	/* SPL to DIL, not AH to BH. */
	if ((how == TO8 && kind & REG && reg >= 4) ||
	    ((how == TO8 || how == FROM8) && !operand.memory && operand.base >= 4))
		rex |= 0x40;
	if (rex)
		put(code, (uint8_t)rex);
	if (form->map)
		put(code, 0x0f);
	if (form->map & 0x30)
		put(code, form->map);
	put(code, form->opcode);
	put_modrm(code, reg, operand);
	if (kind & (BYTE | WORD))
		put_bytes(code, (uint32_t)imm, kind & BYTE ? 1 : 4);
}

void x86_emit(struct jit_code *code, enum x86_form form, unsigned int width, unsigned int reg,
	      struct x86_operand operand, int32_t imm)
{
	encode(code, &forms[form], width, reg, operand, imm);
}

void x86_cmov(struct jit_code *code, enum x86_condition condition, unsigned int width,
	      unsigned int reg, struct x86_operand operand)
{
	const struct form form = {0, 0x0f, (uint8_t)(0x40 | condition), REG, EITHER};

	encode(code, &form, width, reg, operand, 0);
}

void x86_set(struct jit_code *code, enum x86_condition condition, unsigned int reg)
{
	const struct form form = {0, 0x0f, (uint8_t)(0x90 | condition), 0 | NONE, TO8};

	encode(code, &form, 32, 0, x86_reg(reg), 0);
}

void x86_move(struct jit_code *code, unsigned int reg, uint64_t value)
{
	if (value >> 32 && (int64_t)value == (int32_t)value) {
		x86_emit(code, X86_mov_imm32, 64, 0, x86_reg(reg), (int32_t)value);
		return;
	}
	if (value >> 32 || reg & 8)
		put(code, (uint8_t)(0x40 | (value >> 32 ? 8 : 0) | (reg & 8 ? 1 : 0)));
	put(code, (uint8_t)(0xb8 | (reg & 7)));
	put_bytes(code, value, value >> 32 ? 8 : 4);
}

void x86_bswap(struct jit_code *code, unsigned int width, unsigned int reg)
{
	if (width == 64 || reg & 8)
		put(code, (uint8_t)(0x40 | (width == 64 ? 8 : 0) | (reg & 8 ? 1 : 0)));
	put(code, 0x0f);
	put(code, (uint8_t)(0xc8 | (reg & 7)));
}

/*
 * VEX of three bytes, for registers: the bits that extend them, and the second one, are inverted.
 */
static void put_vex(struct jit_code *code, unsigned int map, unsigned int prefix, uint8_t opcode,
		    unsigned int width, unsigned int reg, unsigned int second, unsigned int operand)
{
	put(code, 0xc4);
	put(code, (uint8_t)((0xe0 ^ (reg & 8 ? 0x80 : 0) ^ (operand & 8 ? 0x20 : 0)) | map));
	put(code, (uint8_t)((width == 64 ? 0x80 : 0) | (~second & 15) << 3 | prefix));
	put(code, opcode);
	put_modrm(code, reg, x86_reg(operand));
}

void x86_rorx(struct jit_code *code, unsigned int width, unsigned int reg, unsigned int from,
	      unsigned int by)
{
	put_vex(code, 3, 3, 0xf0, width, reg, 0, from);
	put(code, (uint8_t)by);
}

void x86_andn(struct jit_code *code, unsigned int width, unsigned int reg, unsigned int first,
	      unsigned int second)
{
	put_vex(code, 2, 0, 0xf2, width, reg, first, second);
}

void x86_multiply_add(struct jit_code *code, unsigned int how, unsigned int width, unsigned int reg,
		      unsigned int first, unsigned int second)
{
	put_vex(code, 2, 1, (uint8_t)(0xb8 | how), width, reg, first, second);
}

void x86_lahf(struct jit_code *code)
{
	put(code, 0x9f);
}

void x86_cmc(struct jit_code *code)
{
	put(code, 0xf5);
}

void x86_push(struct jit_code *code, unsigned int reg)
{
	if (reg & 8)
		put(code, 0x41);
	put(code, (uint8_t)(0x50 | (reg & 7)));
}

void x86_pop(struct jit_code *code, unsigned int reg)
{
	if (reg & 8)
		put(code, 0x41);
	put(code, (uint8_t)(0x58 | (reg & 7)));
}

void x86_ret(struct jit_code *code)
{
	put(code, 0xc3);
}

void x86_nop(struct jit_code *code, unsigned int bytes)
{
	static const uint32_t nops[] = {0, 0x90, 0x9066, 0x001f0f};

	put_bytes(code, nops[bytes], bytes);
}

static uint8_t *put_distance(struct jit_code *code)
{
	put_bytes(code, 0, 4);
	return code->at;
}

uint8_t *x86_jump(struct jit_code *code)
{
	put(code, 0xe9);
	return put_distance(code);
}

uint8_t *x86_jump_if(struct jit_code *code, enum x86_condition condition)
{
	put(code, 0x0f);
	put(code, (uint8_t)(0x80 | condition));
	return put_distance(code);
}

void x86_set_jump(uint8_t *jump, const uint8_t *to)
{
	const int32_t distance = (int32_t)(to - jump);

	memcpy(jump - sizeof(distance), &distance, sizeof(distance));
}

/* Conditions come in pairs, and are encoded before the distance. */
void x86_invert(uint8_t *jump)
{
	jump[-(int)sizeof(int32_t) - 1] ^= 1;
}

void x86_here(struct jit_code *code, uint8_t *jump)
{
	if (!jit_full(code))
		x86_set_jump(jump, code->at);
}

void x86_call(struct jit_code *code, const uint8_t *to)
{
	uint8_t *behind;

	put(code, 0xe8);
	behind = put_distance(code);
	if (!jit_full(code))
		x86_set_jump(behind, to);
}

void x86_jump_back(struct jit_code *code, const uint8_t *to)
{
	uint8_t *behind = x86_jump(code);

	if (!jit_full(code))
		x86_set_jump(behind, to);
}
