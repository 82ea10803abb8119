/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction is to SPE: the Operation Type packet of each row of D18.2.7 that has
 * general-purpose registers, the address of each addressing mode, and the targets of direct
 * branches. The words are GNU as's.
 */
#include <vspe/spe.h>
#include "../compare.h"
#include "a64/a64.h"

/*
 * RULE("D18.2.7/header") RULE("D18.2.7/extended") RULE("D18.2.7/branch")
 * RULE("D18.2.7/other")
 */
/*
 * RULE("DDSNMB"), RULE("D17.5.1/st"), RULE("D17.5.1/ld"), RULE("D17.5.1/b"),
 * RULE("D17.5.1/isb"), RULE("IZWMZT"), RULE("D17.6.3/branch"),
 * RULE("D17.6.3/link"), RULE("D17.6.4/type"), RULE("D17.6.5/choice"),
 * RULE("D17.6.8/maintenance")
 */
Test(a64_classify, operation_type)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint8_t header, payload, payload_crr; /* without and with FEAT_SPE_CRR */
		uint32_t flags;
	} rows[] = {
		{"add x1, x2, x3", 0x8b030041, 0x48, 0x00, 0x00, 0},
		{"udiv w1, w2, w3", 0x1ac30841, 0x48, 0x00, 0x00, 0},
		{"isb", 0xd5033fdf, 0x48, 0x00, 0x00, 0},
		{"nop", 0xd503201f, 0x48, 0x00, 0x00, 0},
		{"mrs x0, nzcv", 0xd53b4200, 0x48, 0x00, 0x00, 0},
		{"msr nzcv, x0", 0xd51b4200, 0x48, 0x00, 0x00, 0},
		{"svc #1", 0xd4000021, 0x48, 0x00, 0x00, 0},
		{"dc civac, x0", 0xd50b7e20, 0x48, 0x00, 0x00, 0},
		{"at s1e1r, x0", 0xd5087800, 0x48, 0x00, 0x00, 0},
		{"prfm pldl1keep, [x1]", 0xf9800020, 0x48, 0x00, 0x00, 0},
		{"csel x0, x1, x2, eq", 0x9a820020, 0x48, 0x01, 0x01, 0},
		{"csinc w0, w1, w2, ne", 0x1a821420, 0x48, 0x01, 0x01, 0},
		{"csinv x0, x1, x2, lt", 0xda82b020, 0x48, 0x01, 0x01, 0},
		{"csneg x0, x1, x2, hi", 0xda828420, 0x48, 0x01, 0x01, 0},
		{"ccmp x0, #3, #4, eq", 0xfa430804, 0x48, 0x01, 0x01, 0},
		{"ccmn w0, w1, #4, ne", 0x3a411004, 0x48, 0x01, 0x01, 0},
		{"ldr x0, [x1]", 0xf9400020, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldrsh w0, [x1, x2]", 0x78e26820, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldurb w0, [x1, #-1]", 0x385ff020, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldtr x0, [x1]", 0xf8400820, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldp x0, x1, [x2], #16", 0xa8c10440, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldnp w0, w1, [x2]", 0x28400440, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldr w0, .+8", 0x18000040, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"strb w0, [x1], #1", 0x38001420, 0x49, 0x01, 0x01, SPE_OP_STORE},
		{"stp x0, x1, [x2]", 0xa9000440, 0x49, 0x01, 0x01, SPE_OP_STORE},
		{"sttrh w0, [x1]", 0x78000820, 0x49, 0x01, 0x01, SPE_OP_STORE},
		{"ldxr x0, [x1]", 0xc85f7c20, 0x49, 0x0a, 0x0a, SPE_OP_LOAD},
		{"ldaxrb w0, [x1]", 0x085ffc20, 0x49, 0x1a, 0x1a, SPE_OP_LOAD},
		{"ldxp x0, x1, [x2]", 0xc87f0440, 0x49, 0x0a, 0x0a, SPE_OP_LOAD},
		{"ldaxp w0, w1, [x2]", 0x887f8440, 0x49, 0x1a, 0x1a, SPE_OP_LOAD},
		{"stxr w3, x0, [x1]", 0xc8037c20, 0x49, 0x0b, 0x0b, SPE_OP_STORE},
		{"stlxrh w3, w0, [x1]", 0x4803fc20, 0x49, 0x1b, 0x1b, SPE_OP_STORE},
		{"stxp w3, x0, x1, [x2]", 0xc8230440, 0x49, 0x0b, 0x0b, SPE_OP_STORE},
		{"stlxp w3, w0, w1, [x2]", 0x88238440, 0x49, 0x1b, 0x1b, SPE_OP_STORE},
		{"ldar x0, [x1]", 0xc8dffc20, 0x49, 0x12, 0x12, SPE_OP_LOAD},
		{"ldlarb w0, [x1]", 0x08df7c20, 0x49, 0x12, 0x12, SPE_OP_LOAD},
		{"stlrh w0, [x1]", 0x489ffc20, 0x49, 0x13, 0x13, SPE_OP_STORE},
		{"stllr x0, [x1]", 0xc89f7c20, 0x49, 0x13, 0x13, SPE_OP_STORE},
		{"ldadd x0, x1, [x2]", 0xf8200041, 0x49, 0x06, 0x06, SPE_OP_LOAD | SPE_OP_STORE},
		{"ldadda w0, w1, [x2]", 0xb8a00041, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"ldsetl x0, x1, [x2]", 0xf8603041, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"lduminalb w0, w1, [x2]", 0x38e07041, 0x49, 0x16, 0x16,
		 SPE_OP_LOAD | SPE_OP_STORE},
		{"stadd x0, [x2]", 0xf820005f, 0x49, 0x07, 0x07, SPE_OP_STORE},
		{"stsmaxlh w0, [x2]", 0x7860405f, 0x49, 0x17, 0x17, SPE_OP_STORE},
		{"ldadda x0, xzr, [x2]", 0xf8a0005f, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"swp x0, x1, [x2]", 0xf8208041, 0x49, 0x06, 0x06, SPE_OP_LOAD | SPE_OP_STORE},
		{"swp x0, xzr, [x2]", 0xf820805f, 0x49, 0x06, 0x06, SPE_OP_LOAD | SPE_OP_STORE},
		{"swpal x0, x1, [x2]", 0xf8e08041, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"cas x0, x1, [x2]", 0xc8a07c41, 0x49, 0x06, 0x06, SPE_OP_LOAD | SPE_OP_STORE},
		{"casab w0, w1, [x2]", 0x08e07c41, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"casl x0, x1, [x2]", 0xc8a0fc41, 0x49, 0x16, 0x16, SPE_OP_LOAD | SPE_OP_STORE},
		{"casp x0, x1, x2, x3, [x4]", 0x48207c82, 0x49, 0x06, 0x06,
		 SPE_OP_LOAD | SPE_OP_STORE},
		{"caspa w0, w1, w2, w3, [x4]", 0x08607c82, 0x49, 0x16, 0x16,
		 SPE_OP_LOAD | SPE_OP_STORE},
		{"b .+8", 0x14000002, 0x4a, 0x00, 0x18, SPE_OP_BRANCH},
		{"bl .+8", 0x94000002, 0x4a, 0x00, 0x08, SPE_OP_BRANCH},
		{"b.eq .+8", 0x54000040, 0x4a, 0x01, 0x19, SPE_OP_BRANCH},
		{"cbz x0, .+8", 0xb4000040, 0x4a, 0x01, 0x19, SPE_OP_BRANCH},
		{"cbnz w0, .+8", 0x35000040, 0x4a, 0x01, 0x19, SPE_OP_BRANCH},
		{"tbz x0, #33, .+8", 0xb6080040, 0x4a, 0x01, 0x19, SPE_OP_BRANCH},
		{"tbnz w0, #3, .+8", 0x37180040, 0x4a, 0x01, 0x19, SPE_OP_BRANCH},
		{"br x0", 0xd61f0000, 0x4a, 0x02, 0x1a, SPE_OP_BRANCH},
		{"blr x0", 0xd63f0000, 0x4a, 0x02, 0x0a, SPE_OP_BRANCH},
		{"ret", 0xd65f03c0, 0x4a, 0x02, 0x12, SPE_OP_BRANCH},
		{"eret", 0xd69f03e0, 0x4a, 0x02, 0x1a, SPE_OP_BRANCH},
		{"braa x0, x1", 0xd71f0801, 0x4a, 0x02, 0x1a, SPE_OP_BRANCH},
		{"brabz x0", 0xd61f0c1f, 0x4a, 0x02, 0x1a, SPE_OP_BRANCH},
		{"blrab x0, x1", 0xd73f0c01, 0x4a, 0x02, 0x0a, SPE_OP_BRANCH},
		{"blraaz x0", 0xd63f081f, 0x4a, 0x02, 0x0a, SPE_OP_BRANCH},
		{"retaa", 0xd65f0bff, 0x4a, 0x02, 0x12, SPE_OP_BRANCH},
		{"retab", 0xd65f0fff, 0x4a, 0x02, 0x12, SPE_OP_BRANCH},
		{"eretaa", 0xd69f0bff, 0x4a, 0x02, 0x1a, SPE_OP_BRANCH},
		{"ldraa x0, [x1, #8]", 0xf8201420, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"ldrab x0, [x1, #-8]!", 0xf8fffc20, 0x49, 0x00, 0x00, SPE_OP_LOAD},
		{"pacia x0, x1", 0xdac10020, 0x48, 0x00, 0x00, 0},
		{"cfp rctx, x0", 0xd50b7380, 0x48, 0x00, 0x00, 0},
		{"dvp rctx, x0", 0xd50b73a0, 0x48, 0x00, 0x00, 0},
		{"cpp rctx, x0", 0xd50b73e0, 0x48, 0x00, 0x00, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct a64_insn *insn = a64_decode(rows[i].word);
		struct a64_operation type = a64_operation_type(insn, rows[i].word, 0);
		struct a64_operation crr = a64_operation_type(insn, rows[i].word, A64_TYPE_CRR);

		cr_assert_not_null(insn, "%s", rows[i].text);
		cr_expect_eq(type.header, rows[i].header, "%s: %x", rows[i].text, type.header);
		cr_expect_eq(type.payload, rows[i].payload, "%s: %x", rows[i].text, type.payload);
		cr_expect_eq(type.flags, rows[i].flags, "%s: %x", rows[i].text, type.flags);
		cr_expect_eq(crr.header, rows[i].header, "%s", rows[i].text);
		cr_expect_eq(crr.payload, rows[i].payload_crr, "%s: %x", rows[i].text, crr.payload);
	}
}

Test(a64_classify, an_undefined_word_is_other)
{
	struct a64_operation type = a64_operation_type(NULL, 0, A64_TYPE_UNSPECIFIED);

	cr_expect_eq(type.header, 0x48);
	cr_expect_eq(type.payload, 0);
	cr_expect_eq(type.flags, 0);
}

/* FEAT_MOPS: packets of FEAT_SPEv1p3, before that unspecified registers, and before that other. */
Test(a64_classify, memory_copy_and_set)
{
	static const struct {
		uint32_t word;
		uint8_t packet, earlier;
		uint32_t flags;
	} rows[] = {
		{0x19010440, 0x20, 0x10, SPE_OP_LOAD},	/* cpyfp [x0]!, [x1]!, x2! */
		{0x1d81f440, 0x20, 0x10, SPE_OP_LOAD},	/* cpyetn [x0]!, [x1]!, x2! */
		{0x19c14440, 0x25, 0x11, SPE_OP_STORE}, /* setm [x0]!, x2!, x1 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct a64_insn *insn = a64_decode(rows[i].word);
		const unsigned int all = A64_TYPE_UNSPECIFIED | A64_TYPE_COPY;
		const struct a64_operation now = a64_operation_type(insn, rows[i].word, all);
		const struct a64_operation earlier =
			a64_operation_type(insn, rows[i].word, A64_TYPE_UNSPECIFIED);
		const struct a64_operation first = a64_operation_type(insn, rows[i].word, 0);

		cr_assert(a64_moves_memory(insn));
		cr_expect_eq(now.header, 0x49);
		cr_expect_eq(now.payload, rows[i].packet);
		cr_expect_eq(now.flags, rows[i].flags);
		cr_expect_eq(earlier.flags, rows[i].flags);
		cr_expect_eq(earlier.header, 0x49);
		cr_expect_eq(earlier.payload, rows[i].earlier);
		cr_expect_eq(first.header, 0x48);
		cr_expect_eq(first.payload, 0);
		cr_expect_eq(first.flags, 0);
		cr_expect_eq(a64_copy_store(now).payload, rows[i].packet | 1);
		cr_expect_eq(a64_copy_store(now).flags, SPE_OP_STORE);
		cr_expect_eq(a64_copy_store(first).header, 0x48);
	}
}

/* RULE("D17.6.4/zero") */
Test(a64_classify, dc_zva_stores_unspecified_registers_from_v1p1_on)
{
	const uint32_t word = 0xd50b7420;
	const struct a64_insn *insn = a64_decode(word);
	struct a64_operation type = a64_operation_type(insn, word, A64_TYPE_UNSPECIFIED);

	cr_expect_eq(type.header, 0x49);
	cr_expect_eq(type.payload, 0x11);
	cr_expect_eq(type.flags, SPE_OP_STORE);

	type = a64_operation_type(insn, word, 0);
	cr_expect_eq(type.header, 0x48);
	cr_expect_eq(type.payload, 0);
	cr_expect_eq(type.flags, 0);
}

/* X1, X2 and SP of the addresses below. */
#define X1 UINT64_C(0x0000400000001000)
#define X2 UINT64_C(0xfffffffff0000010)
#define SP UINT64_C(0x0000700000000ff0)
#define PC UINT64_C(0x0000000040080000)

static uint64_t read_register(const void *ctx, unsigned int n)
{
	const uint64_t *sp = ctx;

	cr_assert_leq(n, 31);
	return n == 1 ? X1 : n == 2 ? X2 : n == 31 ? *sp : 0xdead;
}

/* RULE("D17.6.4/parts") */
Test(a64_classify, data_address)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t va;
		unsigned int size;
	} rows[] = {
		{"ldr x0, [x1, #32760]", 0xf97ffc20, X1 + 32760, 8},
		{"strb w0, [sp, #5]", 0x390017e0, SP + 5, 1},
		{"ldrsw x0, [x1, #-16]!", 0xb89f0c20, X1 - 16, 4},
		{"ldr x0, [x1], #8", 0xf8408420, X1, 8},
		{"ldur w0, [x1, #-256]", 0xb8500020, X1 - 256, 4},
		{"ldtrh w0, [x1, #255]", 0x784ff820, X1 + 255, 2},
		{"ldr x0, [x1, x2, lsl #3]", 0xf8627820, X1 + (X2 << 3), 8},
		{"ldr x0, [x1, x2]", 0xf8626820, X1 + X2, 8},
		{"ldrh w0, [x1, w2, uxtw #1]", 0x78625820, X1 + 0x1e0000020, 2},
		{"ldr w0, [x1, w2, sxtw]", 0xb862c820, X1 - 0x0ffffff0, 4},
		{"strb w0, [x1, x2, sxtx]", 0x3822e820, X1 + X2, 1},
		{"ldr x0, [x1, xzr, lsl #3]", 0xf87f7820, X1, 8},
		{"ldrb w0, [x1, x2, lsl #0]", 0x38627820, X1 + X2, 1},
		{"ldp x0, x3, [x1, #-512]", 0xa9600c20, X1 - 512, 16},
		{"stp w0, w3, [x1, #252]!", 0x299f8c20, X1 + 252, 8},
		{"ldpsw x0, x3, [x1], #-8", 0x68ff0c20, X1, 8},
		{"ldnp x0, x3, [x1, #504]", 0xa85f8c20, X1 + 504, 16},
		{"ldr x0, .-16", 0x58ffff80, PC - 16, 8},
		{"ldrsw x0, .+1048572", 0x987fffe0, PC + 1048572, 4},
		{"prfm pldl1keep, [x1, #16]", 0xf9800820, X1 + 16, 8},
		{"ldxr w0, [x1]", 0x885f7c20, X1, 4},
		{"stxp w3, x0, x4, [x1]", 0xc8231020, X1, 16},
		{"ldaxp w0, w4, [x1]", 0x887f9020, X1, 8},
		{"casp x2, x3, x4, x5, [x1]", 0x48227c24, X1, 16},
		{"casp w2, w3, w4, w5, [x1]", 0x08227c24, X1, 8},
		{"casb w2, w4, [sp]", 0x08a27fe4, SP, 1},
		{"ldaddh w2, w4, [x1]", 0x78220024, X1, 2},
		{"swp x2, x4, [x1]", 0xf8228024, X1, 8},
		{"stlr x2, [x1]", 0xc89ffc22, X1, 8},
		{"add x0, x1, x2", 0x8b020020, 0, 0},
		{"dc zva, x1", 0xd50b7421, 0, 0},
	};
	const uint64_t sp = SP;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct a64_insn *insn = a64_decode(rows[i].word);
		unsigned int size = 0;
		uint64_t va = 0;
		bool access;

		cr_assert_not_null(insn, "%s", rows[i].text);
		access = a64_data_address(insn, rows[i].word, PC, read_register, &sp, &va, &size);
		cr_expect_eq(access, rows[i].size != 0, "%s", rows[i].text);
		cr_expect_eq(va, rows[i].va, "%s: %lx", rows[i].text, (unsigned long)va);
		cr_expect_eq(size, rows[i].size, "%s: %u", rows[i].text, size);
	}
}

Test(a64_classify, branch_target)
{
	static const struct {
		const char *text;
		uint32_t word;
		bool direct;
		int64_t offset;
	} rows[] = {
		{"b .-134217728", 0x16000000, true, -134217728},
		{"bl .+134217724", 0x95ffffff, true, 134217724},
		{"b.ne .-1048576", 0x54800001, true, -1048576},
		{"cbz x0, .+1048572", 0xb47fffe0, true, 1048572},
		{"cbnz w0, .+8", 0x35000040, true, 8},
		{"tbz x0, #63, .-32768", 0xb6fc0000, true, -32768},
		{"tbnz w0, #0, .+32764", 0x3703ffe0, true, 32764},
		{"br x0", 0xd61f0000, false, 0},
		{"ret", 0xd65f03c0, false, 0},
		{"nop", 0xd503201f, false, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct a64_insn *insn = a64_decode(rows[i].word);
		uint64_t target = 0;

		cr_assert_not_null(insn, "%s", rows[i].text);
		cr_expect_eq(a64_branch_target(insn, rows[i].word, PC, &target), rows[i].direct,
			     "%s", rows[i].text);
		if (rows[i].direct)
			cr_expect_eq(target, PC + (uint64_t)rows[i].offset, "%s", rows[i].text);
	}
}

/* What changes the flow of a program, and how: of each row that is a branch, and of some that are
 * none. */
Test(a64_classify, flow)
{
	static const struct {
		const char *text;
		uint32_t word;
		enum a64_flow flow;
		bool immediate;
	} rows[] = {
		{"b .+8", 0x14000002, A64_FLOW_DIRECT, true},
		{"bl .+8", 0x94000002, A64_FLOW_CALL, true},
		{"b.eq .+8", 0x54000040, A64_FLOW_CONDITIONAL, true},
		{"cbz x0, .+8", 0xb4000040, A64_FLOW_CONDITIONAL, true},
		{"cbnz w0, .+8", 0x35000040, A64_FLOW_CONDITIONAL, true},
		{"tbz x0, #3, .+8", 0x36180040, A64_FLOW_CONDITIONAL, true},
		{"tbnz x0, #3, .+8", 0x37180040, A64_FLOW_CONDITIONAL, true},
		{"br x1", 0xd61f0020, A64_FLOW_INDIRECT, false},
		{"blr x1", 0xd63f0020, A64_FLOW_INDIRECT_CALL, false},
		{"ret", 0xd65f03c0, A64_FLOW_RETURN, false},
		{"eret", 0xd69f03e0, A64_FLOW_EXCEPTION_RETURN, false},
		{"braa x1, x2", 0xd71f0822, A64_FLOW_INDIRECT, false},
		{"brabz x1", 0xd61f0c3f, A64_FLOW_INDIRECT, false},
		{"blraa x1, sp", 0xd73f083f, A64_FLOW_INDIRECT_CALL, false},
		{"blrabz x1", 0xd63f0c3f, A64_FLOW_INDIRECT_CALL, false},
		{"retab", 0xd65f0fff, A64_FLOW_RETURN, false},
		{"eretaa", 0xd69f0bff, A64_FLOW_EXCEPTION_RETURN, false},
		{"bc.eq .+8", 0x54000050, A64_FLOW_CONDITIONAL, true},
		{"cbgt x0, x1, .+8", 0xf4010040, A64_FLOW_CONDITIONAL, true},
		{"cbeq x0, x1, .+8", 0xf4c10040, A64_FLOW_CONDITIONAL, true},
		{"cbgt x0, #1, .+8", 0xf5008040, A64_FLOW_CONDITIONAL, true},
		{"cbeq x0, #1, .+8", 0xf5c08040, A64_FLOW_CONDITIONAL, true},
		{"cbbgt w0, w1, .+8", 0x74018040, A64_FLOW_CONDITIONAL, true},
		{"cbhne w0, w1, .+8", 0x74e1c040, A64_FLOW_CONDITIONAL, true},
		{"retaasppc .-4", 0x5500003f, A64_FLOW_RETURN, false},
		{"retabsppc .-4", 0x5520003f, A64_FLOW_RETURN, false},
		{"retaasppcr x1", 0xd65f0be1, A64_FLOW_RETURN, false},
		{"retabsppcr x1", 0xd65f0fe1, A64_FLOW_RETURN, false},
		{"csel x0, x1, x2, eq", 0x9a820020, A64_FLOW_NONE, false},
		{"svc #1", 0xd4000021, A64_FLOW_NONE, false},
		{"ldr x0, [x1]", 0xf9400020, A64_FLOW_NONE, false},
	};
	unsigned int branches = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const enum a64_flow flow = a64_flow(a64_decode(rows[i].word));

		cr_expect_eq(flow, rows[i].flow, "%s", rows[i].text);
		cr_expect_eq(a64_flow_immediate(flow), rows[i].immediate, "%s", rows[i].text);
		branches += flow != A64_FLOW_NONE;
	}
	/* No row of the table is a branch besides. */
	for (unsigned int id = 0; id < A64_COUNT; id++)
		branches -= a64_flow(&a64_table[id]) != A64_FLOW_NONE;
	cr_expect_eq(branches, 0);
	cr_expect_eq(a64_flow(NULL), A64_FLOW_NONE);
}
