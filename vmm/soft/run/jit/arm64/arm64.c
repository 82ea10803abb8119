/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of A64: see arm64.h. */
#include "soft/run/jit/arm64/arm64.h"

#include <stddef.h>
#include <string.h>

enum form_width { FIXED, EITHER, FIELDS };

static const struct form {
	uint32_t word;
	uint8_t shape, width;
} forms[ARM64_FORMS] = {
#define A64(name, word, shape, width) {word, ARM64_##shape, width},
#include "soft/run/jit/arm64/arm64.def"
};

/* The place of imm in each shape: two fields, the lower one first; and whether there is Rm. */
static const struct {
	uint8_t place, bits, upper_place, upper_bits;
	bool rm;
} shapes[] = {
	[ARM64_SHIFTED] = {10, 6, 22, 2, true},	  [ARM64_EXTENDED] = {10, 6, 0, 0, true},
	[ARM64_IMM12] = {10, 12, 22, 1, false},	  [ARM64_BITMASK] = {10, 13, 0, 0, false},
	[ARM64_FIELD] = {10, 12, 0, 0, false},	  [ARM64_THIRD] = {10, 6, 0, 0, true},
	[ARM64_THREE] = {0, 0, 0, 0, true},	  [ARM64_TWO] = {0, 0, 0, 0, false},
	[ARM64_WIDE] = {5, 16, 21, 2, false},	  [ARM64_SELECT] = {12, 4, 0, 0, true},
	[ARM64_UNSIGNED] = {10, 12, 0, 0, false}, [ARM64_PAIR] = {15, 7, 0, 0, false},
};

static void put(struct jit_code *code, uint32_t word)
{
	if (code->end - code->at < (ptrdiff_t)sizeof(word)) {
		code->at = code->end;
		return;
	}
	memcpy(code->at, &word, sizeof(word));
	code->at += sizeof(word);
}

static uint32_t field(uint32_t value, unsigned int bits, unsigned int place)
{
	return (value & ((UINT32_C(1) << bits) - 1)) << place;
}

void arm64_word(struct jit_code *code, uint32_t word)
{
	put(code, word);
}

void arm64_emit(struct jit_code *code, enum arm64_form form, unsigned int width, unsigned int rd,
		unsigned int rn, unsigned int rm, unsigned int imm)
{
	const struct form *f = &forms[form];
	uint32_t word = f->word | rd | rn << 5;

	if (f->width != FIXED && width == 64)
		word |= f->width == FIELDS ? 0x80400000 : 0x80000000;
	if (shapes[f->shape].rm)
		word |= rm << 16;
	else if (f->shape == ARM64_PAIR)
		word |= rm << 10;
	word |= field(imm, shapes[f->shape].bits, shapes[f->shape].place);
	word |= field(imm >> shapes[f->shape].bits, shapes[f->shape].upper_bits,
		      shapes[f->shape].upper_place);
	put(code, word);
}

/* How many of the 16-bit pieces of value differ from what. */
static unsigned int pieces(uint64_t value, uint16_t what)
{
	unsigned int count = 0;

	for (unsigned int n = 0; n < 4; n++)
		count += (uint16_t)(value >> 16 * n) != what;
	return count;
}

void arm64_move(struct jit_code *code, unsigned int reg, uint64_t value)
{
	const bool inverted = pieces(value, 0xffff) < pieces(value, 0);
	const uint16_t rest = inverted ? 0xffff : 0;
	enum arm64_form form = inverted ? ARM64_movn : ARM64_movz;

	if (pieces(value, rest) == 0)
		arm64_emit(code, form, 64, reg, 0, 0, 0);
	for (unsigned int n = 0; n < 4; n++) {
		const uint16_t piece = (uint16_t)(value >> 16 * n);

		if (piece == rest)
			continue;
		arm64_emit(code, form, 64, reg, 0, 0,
			   n << 16 | (form == ARM64_movn ? (uint16_t)~piece : piece));
		form = ARM64_movk;
	}
}

static uint8_t *put_jump(struct jit_code *code, uint32_t word)
{
	uint8_t *jump = code->at;

	put(code, word);
	return jump;
}

uint8_t *arm64_jump(struct jit_code *code)
{
	return put_jump(code, 0x14000000);
}

uint8_t *arm64_jump_if(struct jit_code *code, unsigned int condition)
{
	return put_jump(code, 0x54000000 | condition);
}

uint8_t *arm64_jump_zero(struct jit_code *code, unsigned int width, unsigned int reg, bool is_zero)
{
	return put_jump(code, (is_zero ? 0x34000000u : 0x35000000u) |
				      (width == 64 ? 0x80000000u : 0) | reg);
}

uint8_t *arm64_jump_bit(struct jit_code *code, unsigned int reg, unsigned int bit, bool is_zero)
{
	return put_jump(code, (is_zero ? 0x36000000u : 0x37000000u) | reg | (bit & 31) << 19 |
				      (bit >> 5) << 31);
}

/* B has 26 bits of distance, TBZ and TBNZ 14, all others 19. */
void arm64_set_jump(uint8_t *jump, const uint8_t *to)
{
	const uint32_t distance = (uint32_t)((to - jump) / 4);
	uint32_t word;

	memcpy(&word, jump, sizeof(word));
	if ((word & 0x7c000000) == 0x14000000)
		word = (word & 0xfc000000) | field(distance, 26, 0);
	else if ((word & 0x7e000000) == 0x36000000)
		word = (word & 0xfff8001f) | field(distance, 14, 5);
	else
		word = (word & 0xff00001f) | field(distance, 19, 5);
	/* At once: it may be executed. */
	__atomic_store_n((uint32_t *)(void *)jump, word, __ATOMIC_RELAXED);
}

/* B.cond has its condition in the lowest bits, CBZ and TBZ theirs above the distance. */
void arm64_invert(uint8_t *jump)
{
	uint32_t word;

	memcpy(&word, jump, sizeof(word));
	word ^= (word & 0xff000000) == 0x54000000 ? 1 : 0x01000000;
	memcpy(jump, &word, sizeof(word));
}

void arm64_here(struct jit_code *code, uint8_t *jump)
{
	if (!jit_full(code))
		arm64_set_jump(jump, code->at);
}
