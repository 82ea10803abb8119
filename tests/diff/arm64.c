/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembles every form of the translator's assembler for arm64, with many operands, by GNU
 * objdump without aliases: its text must be the request.
 *
 * Usage: diff_arm64. Exit: 0 agreed, 1 differed, 77 no objdump.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../array.h"
#include "assembler.h"
#include "soft/run/jit/arm64/arm64.h"

#define OBJDUMP "aarch64-linux-gnu-objdump"

/* How objdump writes a form: its operands, by the letters of put_operands(). */
static const struct {
	const char *mnemonic, *operands;
} rows[ARM64_FORMS] = {
#define SHIFTED(name)		  [ARM64_##name] = {#name, "dnmS"}
#define EXTENDED(name)		  [ARM64_##name##_extended] = {#name, "DNE"}
#define IMM12(name, d)		  [ARM64_##name##_imm] = {#name, d "NI"}
#define BITMASK(name, d)	  [ARM64_##name##_imm] = {#name, d "nB"}
#define LONG(name)		  [ARM64_##name] = {#name, "xwva"}
#define MEMORY(form, name, reg)	  [ARM64_##form] = {name, reg "M"}
#define AT(form, name, reg, unit) [ARM64_##form##_at] = {name, reg unit}
	SHIFTED(add),
	SHIFTED(adds),
	SHIFTED(sub),
	SHIFTED(subs),
	SHIFTED(and),
	SHIFTED(bic),
	SHIFTED(orr),
	SHIFTED(orn),
	SHIFTED(eor),
	SHIFTED(eon),
	SHIFTED(ands),
	SHIFTED(bics),
	[ARM64_adc] = {"adc", "dnm"},
	[ARM64_sbc] = {"sbc", "dnm"},
	EXTENDED(add),
	[ARM64_adds_extended] = {"adds", "dNE"},
	EXTENDED(sub),
	[ARM64_subs_extended] = {"subs", "dNE"},
	IMM12(add, "D"),
	IMM12(adds, "d"),
	IMM12(sub, "D"),
	IMM12(subs, "d"),
	BITMASK(and, "D"),
	BITMASK(orr, "D"),
	BITMASK(eor, "D"),
	BITMASK(ands, "d"),
	[ARM64_sbfm] = {"sbfm", "dnF"},
	[ARM64_bfm] = {"bfm", "dnF"},
	[ARM64_ubfm] = {"ubfm", "dnF"},
	[ARM64_extr] = {"extr", "dnmL"},
	[ARM64_lslv] = {"lslv", "dnm"},
	[ARM64_lsrv] = {"lsrv", "dnm"},
	[ARM64_asrv] = {"asrv", "dnm"},
	[ARM64_rorv] = {"rorv", "dnm"},
	[ARM64_madd] = {"madd", "dnmr"},
	[ARM64_msub] = {"msub", "dnmr"},
	LONG(smaddl),
	LONG(smsubl),
	LONG(umaddl),
	LONG(umsubl),
	[ARM64_udiv] = {"udiv", "dnm"},
	[ARM64_sdiv] = {"sdiv", "dnm"},
	[ARM64_smulh] = {"smulh", "xyz"},
	[ARM64_umulh] = {"umulh", "xyz"},
	[ARM64_clz] = {"clz", "dn"},
	[ARM64_rev16] = {"rev16", "dn"},
	[ARM64_rev32] = {"rev", "tw"},
	[ARM64_rev32_x] = {"rev32", "xy"},
	[ARM64_rev64] = {"rev", "xy"},
	[ARM64_movn] = {"movn", "dW"},
	[ARM64_movz] = {"movz", "dW"},
	[ARM64_movk] = {"movk", "dW"},
	[ARM64_csel] = {"csel", "dnmC"},
	[ARM64_csinc] = {"csinc", "dnmC"},
	[ARM64_csinv] = {"csinv", "dnmC"},
	[ARM64_csneg] = {"csneg", "dnmC"},
	[ARM64_ccmn] = {"ccmn", "nmfC"},
	[ARM64_ccmp] = {"ccmp", "nmfC"},
	[ARM64_ccmn_imm] = {"ccmn", "nifC"},
	[ARM64_ccmp_imm] = {"ccmp", "nifC"},
	MEMORY(ldr_x, "ldr", "x"),
	MEMORY(ldr_w, "ldr", "t"),
	MEMORY(ldrh, "ldrh", "t"),
	MEMORY(ldrb, "ldrb", "t"),
	MEMORY(ldrsw, "ldrsw", "x"),
	MEMORY(ldrsh_x, "ldrsh", "x"),
	MEMORY(ldrsh_w, "ldrsh", "t"),
	MEMORY(ldrsb_x, "ldrsb", "x"),
	MEMORY(ldrsb_w, "ldrsb", "t"),
	MEMORY(str_x, "str", "x"),
	MEMORY(str_w, "str", "t"),
	MEMORY(strh, "strh", "t"),
	MEMORY(strb, "strb", "t"),
	MEMORY(ldr_s, "ldr", "s"),
	MEMORY(ldr_d, "ldr", "e"),
	MEMORY(ldr_q, "ldr", "q"),
	MEMORY(str_s, "str", "s"),
	MEMORY(str_d, "str", "e"),
	MEMORY(str_q, "str", "q"),
	AT(ldr_x, "ldr", "x", "8"),
	AT(ldr_w, "ldr", "t", "4"),
	AT(ldrb, "ldrb", "t", "1"),
	AT(strb, "strb", "t", "1"),
	AT(str_x, "str", "x", "8"),
	AT(str_w, "str", "t", "4"),
	AT(ldr_q, "ldr", "q", "6"),
	AT(str_q, "str", "q", "6"),
	[ARM64_ldp] = {"ldp", "xzP"},
	[ARM64_stp] = {"stp", "xzP"},
	[ARM64_ldp_post] = {"ldp", "xzO"},
	[ARM64_stp_pre] = {"stp", "xz!"},
	[ARM64_ldp_d] = {"ldp", "egP"},
	[ARM64_stp_d] = {"stp", "egP"},
	[ARM64_br] = {"br", "y"},
	[ARM64_blr] = {"blr", "y"},
	[ARM64_ret] = {"ret", "y"},
	[ARM64_msr_nzcv] = {"msr", "Zx"},
	[ARM64_mrs_nzcv] = {"mrs", "xZ"},
};

static const char *const conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
					 "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};

/* The operands of one instruction. */
struct operands {
	unsigned int width, rd, rn, rm, imm;
};

static void put_register(char *text, size_t size, char kind, unsigned int n, bool sp)
{
	if (n < 31 || (kind != 'x' && kind != 'w'))
		(void)snprintf(text, size, "%c%u", kind, n);
	else if (sp)
		(void)snprintf(text, size, kind == 'x' ? "sp" : "wsp");
	else
		(void)snprintf(text, size, "%czr", kind);
}

/* The value of a bitmask immediate (Arm ARM, DecodeBitMasks()). */
static uint64_t bitmask(unsigned int imm, unsigned int width)
{
	const unsigned int n = imm >> 12, immr = imm >> 6 & 63, imms = imm & 63;
	const unsigned int length = 31 - (unsigned int)__builtin_clz(n << 6 | (~imms & 63));
	const unsigned int size = 1u << length, ones = (imms & (size - 1)) + 1,
			   by = immr & (size - 1);
	const uint64_t low = ones == 64 ? UINT64_MAX : (UINT64_C(1) << ones) - 1;
	const uint64_t mask = size == 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
	uint64_t value = by ? (low >> by | low << (size - by)) & mask : low;

	for (unsigned int bits = size; bits < width; bits *= 2)
		value |= value << bits;
	return value;
}

static void put_bracket(char *text, size_t size, const struct operands *o, unsigned int unit)
{
	char base[8];

	put_register(base, sizeof(base), 'x', o->rn, true);
	if (o->imm)
		(void)snprintf(text, size, "[%s, #%d]", base, (int)(o->imm * unit));
	else
		(void)snprintf(text, size, "[%s]", base);
}

static void put_operand(char *text, size_t size, char letter, const struct operands *o)
{
	static const char *const shifts[] = {"lsl", "lsr", "asr", "ror"};
	static const char *const extends[] = {"uxtb", "uxth", "uxtw", "uxtx",
					      "sxtb", "sxth", "sxtw", "sxtx"};
	const char reg = o->width == 64 ? 'x' : 'w';
	char base[8], index[8];

	text[0] = '\0';
	switch (letter) {
	case 'd': put_register(text, size, reg, o->rd, false); break;
	case 'n': put_register(text, size, reg, o->rn, false); break;
	case 'm': put_register(text, size, reg, o->rm, false); break;
	case 'r': put_register(text, size, reg, o->imm, false); break;
	case 'D': put_register(text, size, reg, o->rd, true); break;
	case 'N': put_register(text, size, reg, o->rn, true); break;
	case 'x': put_register(text, size, 'x', o->rd, false); break;
	case 'y': put_register(text, size, 'x', o->rn, false); break;
	case 'z': put_register(text, size, 'x', o->rm, false); break;
	case 'a': put_register(text, size, 'x', o->imm, false); break;
	case 't': put_register(text, size, 'w', o->rd, false); break;
	case 'w': put_register(text, size, 'w', o->rn, false); break;
	case 'v': put_register(text, size, 'w', o->rm, false); break;
	case 's': put_register(text, size, 's', o->rd, false); break;
	case 'e': put_register(text, size, 'd', o->rd, false); break;
	case 'g': put_register(text, size, 'd', o->rm, false); break;
	case 'q': put_register(text, size, 'q', o->rd, false); break;
	case 'f': (void)snprintf(text, size, "#0x%x", o->rd); break;
	case 'i': (void)snprintf(text, size, "#0x%x", o->rm); break;
	case 'S':
		if (o->imm)
			(void)snprintf(text, size, "%s #%u", shifts[o->imm >> 6], o->imm & 63);
		break;
	case 'E':
		put_register(index, sizeof(index),
			     o->width == 64 && (o->imm >> 3 & 3) == 3 ? 'x' : 'w', o->rm, false);
		(void)snprintf(text, size, o->imm & 7 ? "%s, %s #%u" : "%s, %s", index,
			       extends[o->imm >> 3], o->imm & 7);
		break;
	case 'I':
		(void)snprintf(text, size, o->imm >> 12 ? "#0x%x, lsl #12" : "#0x%x",
			       o->imm & 4095);
		break;
	case 'B': (void)snprintf(text, size, "#0x%" PRIx64, bitmask(o->imm, o->width)); break;
	case 'F': (void)snprintf(text, size, "#%u, #%u", o->imm >> 6, o->imm & 63); break;
	case 'L': (void)snprintf(text, size, "#%u", o->imm); break;
	case 'W':
		(void)snprintf(text, size, o->imm >> 16 ? "#0x%x, lsl #%u" : "#0x%x",
			       o->imm & 0xffff, o->imm >> 16 << 4);
		break;
	case 'C': (void)snprintf(text, size, "%s", conditions[o->imm]); break;
	case 'M':
		put_register(base, sizeof(base), 'x', o->rn, true);
		put_register(index, sizeof(index), 'x', o->rm, false);
		(void)snprintf(text, size, "[%s, %s]", base, index);
		break;
	case '1':
	case '4':
	case '8': put_bracket(text, size, o, (unsigned int)(letter - '0')); break;
	case '6': put_bracket(text, size, o, 16); break;
	case 'P': put_bracket(text, size, o, 8); break;
	case 'O':
		put_register(base, sizeof(base), 'x', o->rn, true);
		(void)snprintf(text, size, "[%s], #%d", base, (int)(o->imm * 8));
		break;
	case '!':
		put_register(base, sizeof(base), 'x', o->rn, true);
		(void)snprintf(text, size, "[%s, #%d]!", base, (int)(o->imm * 8));
		break;
	default: (void)snprintf(text, size, "nzcv"); break;
	}
}

/* imm of a shape, from the number of a turn. False: invalid, as a bitmask of all ones. */
static bool next_imm(enum arm64_form form, unsigned int turn, struct operands *o)
{
	const char *operands = rows[form].operands;
	const unsigned int bits = o->width == 64 ? 63 : 31;
	const char last = operands[strlen(operands) - 1];

	o->imm = 0;
	switch (last) {
	case 'S':
		o->imm = ARM64_SHIFT(turn >> 6 & 3, turn & bits);
		/* Only logical instructions have ROR. */
		return (form >= ARM64_and && form <= ARM64_bics) || o->imm >> 6 != 3;
	case 'E':
		o->imm = ARM64_EXTEND(turn & 7, turn / 8 % 5);
		/* With SP, objdump calls it LSL. */
		return o->rn != 31 && o->rd != 31;
	case 'I': o->imm = turn * 97 % 8192; return true;
	case 'B':
		o->imm = turn * 31 % 8192;
		if (o->width == 32 && o->imm >> 12)
			return false;
		/* All ones are invalid, and rotations beyond the size are redundant. */
		for (unsigned int size = 64; size >= 2; size /= 2) {
			const unsigned int prefix = size == 64 ? 0 : 64 - 2 * size;

			if (size == 64 ? o->imm >> 12
				       : !(o->imm >> 12) && (o->imm & 63 & (64 - size)) == prefix)
				return (o->imm & (size - 1)) != size - 1 &&
				       (o->imm >> 6 & 63) < size;
		}
		return false;
	case 'F': o->imm = ARM64_FIELD_OF(turn >> 3 & bits, turn * 5 & bits); return true;
	case 'L': o->imm = turn & bits; return true;
	case 'r':
	case 'a': o->imm = turn * 7 & 31; return true;
	case 'W':
		o->imm = (turn * 9973 & 0xffff) | (turn & (o->width == 64 ? 3 : 1)) << 16;
		return (o->imm & 0xffff) != 0 || o->imm >> 16 == 0;
	case 'C': o->imm = turn & 15; return true;
	case '1':
	case '4':
	case '8':
	case '6': o->imm = turn * 61 % 4096; return true;
	case 'P':
		o->imm = turn % 128 - 64;
		return form == ARM64_stp || form == ARM64_stp_d || o->rd != o->rm;
	case 'O':
	case '!':
		o->imm = turn % 128 - 64;
		/* Others are UNPREDICTABLE. */
		return o->rd != o->rm && (o->rn == 31 || (o->rd != o->rn && o->rm != o->rn));
	default: return form != ARM64_ret || o->rn != 30; /* which is not written */
	}
}

static void one(struct jit_code *code, enum arm64_form form, const struct operands *o)
{
	char line[128], text[64];
	size_t length = (size_t)snprintf(line, sizeof(line), "%s", rows[form].mnemonic);

	for (const char *at = rows[form].operands; *at; at++) {
		put_operand(text, sizeof(text), *at, o);
		if (text[0])
			length += (size_t)snprintf(line + length, sizeof(line) - length, "%s%s",
						   at == rows[form].operands ? " " : ", ", text);
	}
	expect(line);
	arm64_emit(code, form, o->width, o->rd, o->rn, o->rm, o->imm);
}

static bool has(enum arm64_form form, const char *letters)
{
	return strpbrk(rows[form].operands, letters) != NULL;
}

/* Each form with many registers and immediates, so that each bit of each field is 0 and 1. */
static void all_forms(struct jit_code *code)
{
	for (unsigned int form = 0; form < ARM64_FORMS; form++) {
		for (unsigned int n = 0; n < 1024; n++) {
			struct operands o = {
				.width = n & 1 ? 64 : 32,
				.rd = has(form, "dDxtseq") ? n * 11 / 2 & 31 : 0,
				.rn = has(form, "nNywM1486PO!") ? n * 13 / 2 & 31 : 0,
				.rm = has(form, "mzvgEMi") ? n * 7 / 2 & 31 : 0,
			};

			if (has(form, "f"))
				o.rd = n / 5 & 15;
			if (next_imm((enum arm64_form)form, n / 2, &o))
				one(code, (enum arm64_form)form, &o);
		}
	}
}

/* MOVZ or MOVN, then a MOVK for each 16 bits that differ from the rest. */
static void moves(struct jit_code *code)
{
	static const struct {
		uint64_t value;
		const char *text[3];
	} values[] = {
		{0, {"movz x3, #0x0"}},
		{UINT64_MAX, {"movn x3, #0x0"}},
		{0x1234, {"movz x3, #0x1234"}},
		{UINT64_C(0x12340000), {"movz x3, #0x1234, lsl #16"}},
		{UINT64_C(0x7f1200345678),
		 {"movz x3, #0x5678", "movk x3, #0x34, lsl #16", "movk x3, #0x7f12, lsl #32"}},
		{UINT64_C(0xffffffffffff8000), {"movn x3, #0x7fff"}},
		{UINT64_C(0xffff1234ffff8000), {"movn x3, #0x7fff", "movk x3, #0x1234, lsl #32"}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		for (unsigned int n = 0; n < 3 && values[i].text[n]; n++)
			expect(values[i].text[n]);
		arm64_move(code, 3, values[i].value);
	}
}

static void expect_jump(const struct jit_code *code, const char *what, int distance)
{
	char line[64];

	(void)snprintf(line, sizeof(line), "%s 0x%tx", what, code->at - code->from + distance);
	expect(line);
}

/* Forward over the next instruction, and back to the one before. */
static void jumps(struct jit_code *code)
{
	char text[32];

	for (unsigned int n = 0; n < 64; n++) {
		uint8_t *jump;

		(void)snprintf(text, sizeof(text), "b.%s", conditions[n % 16]);
		expect_jump(code, text, 4);
		arm64_here(code, arm64_jump_if(code, n % 16));
		(void)snprintf(text, sizeof(text), "cb%sz %c%u,", n & 1 ? "" : "n",
			       n & 2 ? 'x' : 'w', n % 31);
		expect_jump(code, text, 4);
		arm64_here(code, arm64_jump_zero(code, n & 2 ? 64 : 32, n % 31, n & 1));
		(void)snprintf(text, sizeof(text), "tb%sz %c%u, #%u,", n & 1 ? "" : "n",
			       n < 32 ? 'w' : 'x', n % 31, n);
		expect_jump(code, text, -4);
		jump = arm64_jump_bit(code, n % 31, n, n & 1);
		arm64_set_jump(jump, jump - 4);
		expect_jump(code, "b", n < 32 ? -4 : 4);
		jump = arm64_jump(code);
		arm64_set_jump(jump, jump + (n < 32 ? -4 : 4));
	}
}

static void write_all(struct jit_code *code)
{
	all_forms(code);
	moves(code);
	jumps(code);
}

int main(void)
{
	static const struct assembler arm64 = {
		.there = OBJDUMP " --version >/dev/null 2>&1",
		.missing = "no " OBJDUMP " (Debian: binutils-aarch64-linux-gnu)",
		.objdump = OBJDUMP " -D -b binary -m aarch64 -M no-aliases,no-notes -z",
		.comment = "//",
		.forms = ARM64_FORMS,
		.write = write_all,
	};

	return compare_with_objdump(&arm64);
}
