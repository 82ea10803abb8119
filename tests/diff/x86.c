/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembles every form of the translator's assembler, with many operands, by GNU objdump: its
 * text must be the request.
 *
 * Usage: diff_x86. Exit: 0 agreed, 1 differed, 77 no objdump.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../array.h"
#include "assembler.h"
#include "soft/run/jit/x86_64/x86.h"

static const char *const names64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const names32[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
				      "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
static const char *const names16[] = {"ax",  "cx",  "dx",   "bx",   "sp",   "bp",   "si",   "di",
				      "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"};
static const char *const names8[] = {"al",  "cl",  "dl",   "bl",   "spl",  "bpl",  "sil",  "dil",
				     "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"};

/*
 * How objdump writes a form: bits of the register and of the operand, 0: as requested; V: a vector;
 * R: it is a register; X: one of 32 bits, if it is one.
 */
enum { V = 128, R = 256, X = 512, NO_REG = 1 };
static const struct {
	enum x86_form form;
	const char *mnemonic;
	unsigned int reg, operand; /* bits */
	bool operand_first, immediate;
} rows[] = {
#define TO(n)                                       \
	{                                           \
		X86_##n##_to, #n, 0, 0, true, false \
	}
#define FROM(n)                                 \
	{                                       \
		X86_##n, #n, 0, 0, false, false \
	}
#define IMM(n)                                             \
	{X86_##n##_imm8, #n, NO_REG, 0, true, true},       \
	{                                                  \
		X86_##n##_imm32, #n, NO_REG, 0, true, true \
	}
#define BY(n)                                             \
	{                                                 \
		X86_##n##_imm8, #n, NO_REG, 0, true, true \
	}
#define ALONE(f, n)                                \
	{                                          \
		X86_##f, n, NO_REG, 0, true, false \
	}
#define VECTORS(n)                      \
	{                               \
		X86_##n, #n, V, V, 0, 0 \
	}
#define HALVES(n)                            \
	{                                    \
		X86_##n, #n, V, 64 | V, 0, 0 \
	}
#define BY_IMM(n)                       \
	{                               \
		X86_##n, #n, V, V, 0, 1 \
	}
#define SHIFT(n)                                 \
	{                                        \
		X86_##n, #n, NO_REG, V | R, 1, 1 \
	}
#define FLOATS(n)                                                                         \
	{X86_##n##ss, #n "ss", V, 32 | V, 0, 0}, {X86_##n##sd, #n "sd", V, 64 | V, 0, 0}, \
		{X86_##n##ps, #n "ps", V, V, 0, 0},                                       \
	{                                                                                 \
		X86_##n##pd, #n "pd", V, V, 0, 0                                          \
	}
	TO(add),
	TO(adc),
	TO(sbb),
	TO(or),
	TO(and),
	TO(sub),
	TO(xor),
	TO(cmp),
	TO(test),
	TO(bt),
	TO(mov),
	{X86_mov_to16, "mov", 16, 16, true, false},
	{X86_mov_to8, "mov", 8, 8, true, false},
	{X86_movups_to, "movups", V, V, true, false},
	{X86_movq_to, "movq", V, 64 | V, true, false},
	{X86_movd_to, "movd", V, 32, true, false},
	FROM(mov),
	FROM(add),
	FROM(sub),
	FROM(cmp),
	FROM(and),
	FROM(lea),
	FROM(imul),
	{X86_imul_imm32, "imul", 0, 0, false, true},
	{X86_movzx8, "movzx", 0, 8, false, false},
	{X86_movzx16, "movzx", 32, 16, false, false},
	{X86_movsx8, "movsx", 0, 8, false, false},
	{X86_movsx16, "movsx", 0, 16, false, false},
	{X86_movsxd, "movsxd", 64, 32, false, false},
	FROM(lzcnt),
	{X86_movups, "movups", V, V, false, false},
	{X86_movq, "movq", V, 64 | V, false, false},
	{X86_movd, "movd", V, 32, false, false},
	IMM(add),
	IMM(or),
	IMM(and),
	IMM(sub),
	IMM(xor),
	IMM(cmp),
	{X86_mov_imm32, "mov", NO_REG, 0, true, true},
	{X86_cmp8_imm8, "cmp", NO_REG, 8, true, true},
	{X86_adc8_imm8, "adc", NO_REG, 8, true, true},
	{X86_sub8_imm8, "sub", NO_REG, 8, true, true},
	BY(ror),
	BY(shl),
	BY(shr),
	BY(sar),
	{X86_bt_imm8, "bt", NO_REG, 0, true, true},
	{X86_ror_cl, "ror", 8, 0, true, false},
	{X86_shl_cl, "shl", 8, 0, true, false},
	{X86_shr_cl, "shr", 8, 0, true, false},
	{X86_sar_cl, "sar", 8, 0, true, false},
	ALONE(not, "not"),
	ALONE(neg, "neg"),
	ALONE(mul, "mul"),
	ALONE(imul_high, "imul"),
	ALONE(div, "div"),
	ALONE(idiv, "idiv"),
	{X86_call, "call", NO_REG, 64, true, false},
	{X86_jmp, "jmp", NO_REG, 64, true, false},
	{X86_movq_from_x, "movq", V, 64, false, false},
	{X86_movq_to_x, "movq", V, 64, true, false},
	VECTORS(pand),
	VECTORS(pandn),
	VECTORS(por),
	VECTORS(pxor),
	VECTORS(paddb),
	VECTORS(paddw),
	VECTORS(paddd),
	VECTORS(paddq),
	VECTORS(psubb),
	VECTORS(psubw),
	VECTORS(psubd),
	VECTORS(psubq),
	VECTORS(pmullw),
	VECTORS(pmulld),
	VECTORS(pmuldq),
	VECTORS(pmuludq),
	VECTORS(pcmpeqb),
	VECTORS(pcmpeqw),
	VECTORS(pcmpeqd),
	VECTORS(pcmpeqq),
	VECTORS(pcmpgtb),
	VECTORS(pcmpgtw),
	VECTORS(pcmpgtd),
	VECTORS(pcmpgtq),
	VECTORS(pmaxub),
	VECTORS(pmaxuw),
	VECTORS(pmaxud),
	VECTORS(pminub),
	VECTORS(pminuw),
	VECTORS(pminud),
	VECTORS(pmaxsb),
	VECTORS(pmaxsw),
	VECTORS(pmaxsd),
	VECTORS(pminsb),
	VECTORS(pminsw),
	VECTORS(pminsd),
	VECTORS(pavgb),
	VECTORS(pavgw),
	VECTORS(pabsb),
	VECTORS(pabsw),
	VECTORS(pabsd),
	VECTORS(ptest),
	VECTORS(psadbw),
	VECTORS(pshufb),
	VECTORS(punpcklbw),
	VECTORS(punpcklwd),
	VECTORS(punpckldq),
	VECTORS(punpcklqdq),
	VECTORS(punpckhbw),
	VECTORS(punpckhwd),
	VECTORS(punpckhdq),
	VECTORS(punpckhqdq),
	VECTORS(packuswb),
	VECTORS(packusdw),
	HALVES(pmovsxbw),
	HALVES(pmovsxwd),
	HALVES(pmovsxdq),
	HALVES(pmovzxbw),
	HALVES(pmovzxwd),
	HALVES(pmovzxdq),
	BY_IMM(pshufd),
	BY_IMM(pshuflw),
	BY_IMM(shufps),
	BY_IMM(palignr),
	{X86_pinsrb, "pinsrb", V, 8 | X, false, true},
	{X86_pinsrw, "pinsrw", V, 16 | X, false, true},
	{X86_pinsrd, "pinsrd", V, 32, false, true},
	{X86_pinsrq, "pinsrq", V, 64, false, true},
	SHIFT(psrlw),
	SHIFT(psraw),
	SHIFT(psllw),
	SHIFT(psrld),
	SHIFT(psrad),
	SHIFT(pslld),
	SHIFT(psrlq),
	SHIFT(psllq),
	SHIFT(psrldq),
	SHIFT(pslldq),
	FLOATS(add),
	FLOATS(sub),
	FLOATS(mul),
	FLOATS(div),
	FLOATS(sqrt),
	{X86_cvtss2sd, "cvtss2sd", V, 32 | V, false, false},
	{X86_cvtsd2ss, "cvtsd2ss", V, 64 | V, false, false},
	{X86_cvtsi2ss, "cvtsi2ss", V, 0, false, false},
	{X86_cvtsi2sd, "cvtsi2sd", V, 0, false, false},
	{X86_cvttss2si, "cvttss2si", 0, 32 | V, false, false},
	{X86_cvttsd2si, "cvttsd2si", 0, 64 | V, false, false},
	{X86_ucomiss, "ucomiss", V, 32 | V, false, false},
	{X86_ucomisd, "ucomisd", V, 64 | V, false, false},
};

static const char *register_name(unsigned int bits, unsigned int n)
{
	static char vector[2][8];
	static unsigned int turn;

	if (bits & V) {
		turn ^= 1;
		(void)snprintf(vector[turn], sizeof(vector[turn]), "xmm%u", n);
		return vector[turn];
	}
	if (bits & X)
		return names32[n];
	return (bits == 8 ? names8 : bits == 16 ? names16 : bits == 32 ? names32 : names64)[n];
}

static const char *memory_name(unsigned int bits)
{
	switch (bits & 0x7f) {
	case 8: return "BYTE PTR ";
	case 16: return "WORD PTR ";
	case 32: return "DWORD PTR ";
	case 64: return "QWORD PTR ";
	default: return "XMMWORD PTR ";
	}
}

static void describe_operand(char *text, size_t size, unsigned int bits, struct x86_operand operand,
			     bool address)
{
	char index[16] = "", disp[24] = "";

	if (!operand.memory) {
		(void)snprintf(text, size, "%s", register_name(bits, operand.base));
		return;
	}
	if (operand.indexed)
		(void)snprintf(index, sizeof(index), "+%s*%u", names64[operand.index],
			       1u << operand.scale);
	if (operand.disp || (operand.base & 7) == RBP)
		(void)snprintf(disp, sizeof(disp), "%c0x%x", operand.disp < 0 ? '-' : '+',
			       operand.disp < 0 ? 0u - (uint32_t)operand.disp
						: (uint32_t)operand.disp);
	(void)snprintf(text, size, "%s[%s%s%s]", address ? "" : memory_name(bits),
		       names64[operand.base], index, disp);
}

static void one(struct jit_code *code, size_t row, unsigned int width, unsigned int reg,
		struct x86_operand operand, int32_t imm)
{
	const unsigned int bits = rows[row].operand ? rows[row].operand : width;
	const bool alone = rows[row].reg == NO_REG;
	char operand_text[64], other[32] = "", line[160];

	describe_operand(operand_text, sizeof(operand_text), bits, operand,
			 rows[row].form == X86_lea);
	if (rows[row].immediate) {
		const uint64_t value = (uint64_t)(int64_t)imm;
		const uint64_t mask = bits & V	   ? 0xff
				      : bits == 64 ? UINT64_MAX
						   : (UINT64_C(1) << (bits & 0x7f)) - 1;

		(void)snprintf(other, sizeof(other), "0x%" PRIx64, value & mask);
	} else if (rows[row].operand_first && rows[row].reg == 8 && rows[row].form != X86_mov_to8) {
		(void)snprintf(other, sizeof(other), "cl");
	} else if (!alone) {
		(void)snprintf(other, sizeof(other), "%s",
			       register_name(rows[row].reg ? rows[row].reg : width, reg));
	}
	if (rows[row].immediate && !alone)
		(void)snprintf(line, sizeof(line), "%s %s,%s,%s", rows[row].mnemonic,
			       register_name(rows[row].reg ? rows[row].reg : width, reg),
			       operand_text, other);
	else if (!other[0])
		(void)snprintf(line, sizeof(line), "%s %s", rows[row].mnemonic, operand_text);
	else if (rows[row].operand_first)
		(void)snprintf(line, sizeof(line), "%s %s,%s", rows[row].mnemonic, operand_text,
			       other);
	else
		(void)snprintf(line, sizeof(line), "%s %s,%s", rows[row].mnemonic, other,
			       operand_text);
	expect(line);
	x86_emit(code, rows[row].form, width, reg, operand, imm);
}

/* Each form with each register, and with memory of each base, some indices and displacements. */
static void all_forms(struct jit_code *code)
{
	static const int32_t disps[] = {0, 8, -128, 127, 128, 0x12345};
	static const int32_t imms[] = {1, 31, 0x7f};

	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		for (unsigned int n = 0; n < 512; n++) {
			const unsigned int width = n & 256 ? 64 : 32, reg = n >> 4 & 15,
					   base = n & 15;
			const int32_t imm = imms[n % 3];
			struct x86_operand operand = x86_at(base, disps[n % 6]);

			if (rows[row].form != X86_lea)
				one(code, row, width, reg, x86_reg(base), imm);
			if (rows[row].operand & R)
				continue;
			one(code, row, width, reg, operand, imm);
			if (reg == RSP)
				continue;
			operand = x86_indexed(base, reg, disps[n % 5]);
			one(code, row, width, n % 13, operand, imm);
			one(code, row, width, n % 11, x86_scaled(base, reg, n % 4), imm);
		}
	}
}

static void others(struct jit_code *code)
{
	static const uint64_t values[] = {
		0, 1, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX, UINT64_C(0xffffffff80000000)};
	static const char *const conditions[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
						 "s", "ns", "p", "np", "l", "ge", "le", "g"};
	static const char *const fused[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub"};
	char line[64];

	for (unsigned int n = 0; n < 16; n++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			const uint64_t v = values[i];

			(void)snprintf(line, sizeof(line), "%s %s,0x%" PRIx64,
				       v >> 32 && (int64_t)v != (int32_t)v ? "movabs" : "mov",
				       v >> 32 ? names64[n] : names32[n], v);
			expect(line);
			x86_move(code, n, v);
		}
		(void)snprintf(line, sizeof(line), "bswap %s", names64[n]);
		expect(line);
		x86_bswap(code, 64, n);
		(void)snprintf(line, sizeof(line), "bswap %s", names32[n]);
		expect(line);
		x86_bswap(code, 32, n);
		expect("nop");
		x86_nop(code, 1);
		expect("xchg ax,ax");
		x86_nop(code, 2);
		expect("nop DWORD PTR [rax]");
		x86_nop(code, 3);
		(void)snprintf(line, sizeof(line), "push %s", names64[n]);
		expect(line);
		x86_push(code, n);
		(void)snprintf(line, sizeof(line), "pop %s", names64[n]);
		expect(line);
		x86_pop(code, n);
		for (unsigned int reg = 0; reg < 16; reg++) {
			(void)snprintf(line, sizeof(line), "set%s %s", conditions[n], names8[reg]);
			expect(line);
			x86_set(code, (enum x86_condition)n, reg);
			(void)snprintf(line, sizeof(line), "cmov%s %s,%s", conditions[n],
				       names64[reg], names64[15 - reg]);
			expect(line);
			x86_cmov(code, (enum x86_condition)n, 64, reg, x86_reg(15 - reg));
			(void)snprintf(line, sizeof(line), "rorx %s,%s,0x%x",
				       n & 1 ? names64[reg] : names32[reg],
				       n & 1 ? names64[n] : names32[n], 1 + reg);
			expect(line);
			x86_rorx(code, n & 1 ? 64 : 32, reg, n, 1 + reg);
			(void)snprintf(line, sizeof(line), "andn %s,%s,%s",
				       (n & 1 ? names64 : names32)[reg],
				       (n & 1 ? names64 : names32)[15 - reg],
				       (n & 1 ? names64 : names32)[n]);
			expect(line);
			x86_andn(code, n & 1 ? 64 : 32, reg, 15 - reg, n);
			(void)snprintf(line, sizeof(line), "%s231%c%c xmm%u,xmm%u,xmm%u",
				       fused[n >> 1 & 3], n & 1 ? 's' : 'p', n & 8 ? 'd' : 's', reg,
				       15 - reg, n);
			expect(line);
			x86_multiply_add(code, n & 7, n & 8 ? 64 : 32, reg, 15 - reg, n);
		}
		(void)snprintf(line, sizeof(line), "j%s 0x%tx", conditions[n],
			       code->at - code->from + 6);
		expect(line);
		x86_here(code, x86_jump_if(code, (enum x86_condition)n));
	}
	(void)snprintf(line, sizeof(line), "jmp 0x%tx", code->at - code->from + 5);
	expect(line);
	x86_here(code, x86_jump(code));
	expect("lahf");
	x86_lahf(code);
	expect("cmc");
	x86_cmc(code);
	expect("ret");
	x86_ret(code);
}

static void write_all(struct jit_code *code)
{
	all_forms(code);
	others(code);
}

_Static_assert(ARRAY_SIZE(rows) == X86_FORMS, "a row a form");

int main(void)
{
	static const struct assembler x86 = {
		.there = "objdump --info 2>/dev/null | grep -q x86-64",
		.missing = "no objdump for x86-64 (Debian: binutils)",
		.objdump = "objdump -D -b binary -m i386:x86-64 -M intel -w",
		.comment = "#",
		.forms = X86_FORMS,
		.write = write_all,
	};

	return compare_with_objdump(&x86);
}
