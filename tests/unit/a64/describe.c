/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What embedders get: struct spe_op filled in from a word and registers. That words are classified
 * as they should be is tested in classify.c and simd.c. The words are GNU as's.
 */
#include <string.h>
#include <vspe/a64.h>

#include "../compare.h"

#define PC   UINT64_C(0x40080000)
#define COND 0x01
#define N    8
#define Z    4

/* Xn is 0x1000 * n, but X3 is 0; SP is 0x31000. */
static uint64_t read_register(const void *ctx, unsigned int n)
{
	cr_assert_leq(n, 31);
	cr_assert_str_eq(ctx, "context");
	return n == 3 ? 0 : UINT64_C(0x1000) * n;
}

static bool describe(uint32_t word, uint8_t nzcv, struct spe_op *op, struct a64_access *access)
{
	const struct a64_registers registers = {
		.read = read_register, .ctx = "context", .nzcv = nzcv};
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	*op = (struct spe_op){.pc = PC, .el = 1, .ns = true, .timestamp = 42};
	return a64_describe(op, access, word, &config, &registers);
}

Test(a64_describe, branches)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint8_t nzcv;
		uint32_t flags;
		uint64_t target;
	} rows[] = {
		{"b .+8", 0x14000002, 0, SPE_OP_TAKEN, PC + 8},
		{"bl .-4", 0x97ffffff, 0, SPE_OP_TAKEN, PC - 4},
		{"b.eq .+8", 0x54000040, Z, SPE_OP_TAKEN, PC + 8},
		{"b.eq .+8", 0x54000040, N, SPE_OP_NOT_TAKEN, 0},
		{"b.al .+8", 0x5400004e, 0, SPE_OP_TAKEN, PC + 8},
		{"cbz x3, .+8", 0xb4000043, 0, SPE_OP_TAKEN, PC + 8},
		{"cbz x4, .+8", 0xb4000044, 0, SPE_OP_NOT_TAKEN, 0},
		{"cbz xzr, .+8", 0xb400005f, 0, SPE_OP_TAKEN, PC + 8},
		{"cbnz w4, .+8", 0x35000044, 0, SPE_OP_TAKEN, PC + 8},
		{"tbz x1, #12, .+8", 0x36600041, 0, SPE_OP_NOT_TAKEN, 0},
		{"tbnz x1, #12, .+8", 0x37600041, 0, SPE_OP_TAKEN, PC + 8},
		{"tbnz x1, #44, .+8", 0xb7600041, 0, SPE_OP_NOT_TAKEN, 0},
		{"bc.ne .+8", 0x54000051, N, SPE_OP_TAKEN, PC + 8},
		{"bc.eq .+8", 0x54000050, N, SPE_OP_NOT_TAKEN, 0},
		{"cbgt x2, x1, .-8", 0xf4013fc2, 0, SPE_OP_TAKEN, PC - 8},
		{"cbgt x1, x2, .+8", 0xf4020041, 0, SPE_OP_NOT_TAKEN, 0},
		{"cbge x3, xzr, .+8", 0xf43f0043, 0, SPE_OP_TAKEN, PC + 8},
		{"cbhi w1, w2, .+8", 0x74420041, 0, SPE_OP_NOT_TAKEN, 0},
		{"cbhs w2, w2, .+8", 0x74620042, 0, SPE_OP_TAKEN, PC + 8},
		{"cbeq x3, xzr, .+8", 0xf4df0043, 0, SPE_OP_TAKEN, PC + 8},
		{"cbne x3, xzr, .+8", 0xf4ff0043, 0, SPE_OP_NOT_TAKEN, 0},
		/* bytes of 0x1000 and 0x2000 are equal, their halfwords are not */
		{"cbbeq w1, w2, .+8", 0x74c28041, 0, SPE_OP_TAKEN, PC + 8},
		{"cbheq w1, w2, .+8", 0x74c2c041, 0, SPE_OP_NOT_TAKEN, 0},
		/* as halfwords with a sign, 0x8000 is less */
		{"cbhgt w8, w1, .+8", 0x7401c048, 0, SPE_OP_NOT_TAKEN, 0},
		{"cbhhi w8, w1, .+8", 0x7441c048, 0, SPE_OP_TAKEN, PC + 8},
		{"cbgt x1, #63, .+8", 0xf51f8041, 0, SPE_OP_TAKEN, PC + 8},
		{"cblt x3, #1, .+8", 0xf5208043, 0, SPE_OP_TAKEN, PC + 8},
		{"cblo w1, #63, .+8", 0x757f8041, 0, SPE_OP_NOT_TAKEN, 0},
		{"br x5", 0xd61f00a0, 0, SPE_OP_TAKEN, 0x5000},
		{"blr x6", 0xd63f00c0, 0, SPE_OP_TAKEN, 0x6000},
		{"ret", 0xd65f03c0, 0, SPE_OP_TAKEN, 0x1e000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool taken = rows[i].flags & SPE_OP_TAKEN;
		struct a64_access access;
		struct spe_op op;

		cr_expect(describe(rows[i].word, rows[i].nzcv, &op, &access), "%s", rows[i].text);
		cr_expect_eq(op.type_header, SPE_TYPE_BRANCH, "%s", rows[i].text);
		cr_expect_eq(op.flags, SPE_OP_BRANCH | rows[i].flags, "%s: %x", rows[i].text,
			     op.flags);
		cr_expect_eq(op.target, rows[i].target, "%s", rows[i].text);
		cr_expect_eq(op.target_el, taken, "%s", rows[i].text);
		cr_expect_eq(op.target_ns, taken, "%s", rows[i].text);
		cr_expect_eq(op.pc, PC, "%s", rows[i].text);
		cr_expect_eq(op.timestamp, 42, "%s", rows[i].text);
		cr_expect_eq(access.size, 0, "%s", rows[i].text);
	}
}

Test(a64_describe, an_exception_return_leads_where_the_caller_sees)
{
	struct spe_op op;

	cr_expect(describe(0xd69f03e0, 0, &op, NULL));
	cr_expect_eq(op.flags, SPE_OP_BRANCH | SPE_OP_TAKEN);
	cr_expect_eq(op.target, 0);
	cr_expect_eq(op.target_el, 0);
}

Test(a64_describe, accesses)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint32_t flags;
		uint64_t va;
		struct a64_access access;
	} rows[] = {
		{"ldr x0, [x1, #8]", 0xf9400420, SPE_OP_LOAD, 0x1008, {8, 8, false}},
		{"strb w0, [sp]", 0x390003e0, SPE_OP_STORE, 0x1f000, {1, 1, false}},
		{"stp x0, x1, [x2, #-16]!", 0xa9bf0440, SPE_OP_STORE, 0x1ff0, {16, 8, false}},
		{"ldtr w0, [x1]", 0xb8400820, SPE_OP_LOAD, 0x1000, {4, 4, true}},
		{"ldr x0, .-8", 0x58ffffc0, SPE_OP_LOAD, PC - 8, {8, 8, false}},
		{"swp x0, x1, [x2]", 0xf8208041, SPE_OP_LOAD | SPE_OP_STORE, 0x2000, {8, 8, false}},
		{"ldr q0, [x1]", 0x3dc00020, SPE_OP_LOAD | SPE_OP_SIMD, 0x1000, {16, 16, false}},
		{"stlr x0, [x1, #-8]!", 0xd9800820, SPE_OP_STORE, 0xff8, {8, 8, false}},
		{"stilp w0, w1, [x2, #-8]!", 0x99010840, SPE_OP_STORE, 0x1ff8, {8, 4, false}},
		{"ldiapp x0, x1, [x2], #16", 0xd9410840, SPE_OP_LOAD, 0x2000, {16, 8, false}},
		{"ldapur q0, [x1, #-1]",
		 0x1ddff820,
		 SPE_OP_LOAD | SPE_OP_SIMD,
		 0xfff,
		 {16, 16, false}},
		{"ldg x0, [x1, #-16]", 0xd97ff020, SPE_OP_LOAD, 0xff0, {16, 16, false}},
		{"stz2g x0, [x1, #32]!", 0xd9e02c20, SPE_OP_STORE, 0x1020, {32, 32, false}},
		{"st2g x0, [x1], #32", 0xd9a02420, SPE_OP_STORE, 0x1000, {32, 32, false}},
		{"stgp x0, x1, [x2, #-32]", 0x693f0440, SPE_OP_STORE, 0x1fe0, {16, 8, false}},
		{"gcsstr x0, [x1]", 0xd91f0c20, SPE_OP_STORE, 0x1000, {8, 8, false}},
		{"swpp x0, x1, [x2]",
		 0x19218040,
		 SPE_OP_LOAD | SPE_OP_STORE,
		 0x2000,
		 {16, 16, false}},
		{"ld64b x0, [x1]", 0xf83fd020, SPE_OP_LOAD, 0x1000, {64, 8, false}},
		{"ldfadd s0, s1, [x2]",
		 0xbc200041,
		 SPE_OP_LOAD | SPE_OP_STORE | SPE_OP_FP,
		 0x2000,
		 {4, 4, false}},
		{"ldtp x0, x1, [x2]", 0xe9400440, SPE_OP_LOAD, 0x2000, {16, 8, true}},
		{"ldtadd x0, x1, [x2]",
		 0x59200441,
		 SPE_OP_LOAD | SPE_OP_STORE,
		 0x2000,
		 {8, 8, true}},
		{"ld4 {v0.16b-v3.16b}, [x1], #64",
		 0x4cdf0020,
		 SPE_OP_LOAD | SPE_OP_SIMD,
		 0x1000,
		 {64, 1, false}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_access access;
		struct spe_op op;

		cr_expect(describe(rows[i].word, 0, &op, &access), "%s", rows[i].text);
		cr_expect_eq(op.type_header, SPE_TYPE_MEMORY, "%s", rows[i].text);
		cr_expect_eq(op.flags, SPE_OP_VA_VALID | rows[i].flags, "%s: %x", rows[i].text,
			     op.flags);
		cr_expect_eq(op.data_va, rows[i].va, "%s: %lx", rows[i].text,
			     (unsigned long)op.data_va);
		cr_expect_eq(access.size, rows[i].access.size, "%s: %u, %u", rows[i].text,
			     access.size, access.element);
		cr_expect_eq(access.element, rows[i].access.element, "%s: %u, %u", rows[i].text,
			     access.size, access.element);
		cr_expect_eq(access.unprivileged, rows[i].access.unprivileged, "%s: %u, %u",
			     rows[i].text, access.size, access.element);
	}
}

Test(a64_describe, others)
{
	struct a64_access access;
	struct spe_op op;

	cr_expect(describe(0x9a820020, N, &op, &access), "csel x0, x1, x2, eq");
	cr_expect_eq(op.type_header, SPE_TYPE_OTHER);
	cr_expect_eq(op.type_payload, COND);
	cr_expect_eq(op.flags, SPE_OP_NOT_TAKEN);
	cr_assert(describe(0x9a820020, Z, &op, &access));
	cr_expect_eq(op.flags, 0);
	cr_expect(describe(0xf9800020, 0, &op, &access), "prfm pldl1keep, [x1]");
	cr_expect_eq(op.type_header, SPE_TYPE_OTHER);
	cr_expect_eq(op.flags, 0);
	cr_expect_eq(access.size, 0);
	cr_expect(describe(0xd50b7421, 0, &op, &access), "dc zva, x1");
	cr_expect_eq(op.type_header, SPE_TYPE_MEMORY);
	cr_expect_eq(op.flags, SPE_OP_STORE);
	cr_expect_eq(access.size, 0);
	/* Only the PE knows how much, and the table only that it is of SME. */
	cr_expect(describe(0xd9e00020, 0, &op, &access), "ldgm x0, [x1]");
	cr_expect_eq(op.flags, SPE_OP_LOAD);
	cr_expect(describe(0xe1000020, 0, &op, &access), "ldr za[w12, 0], [x1]");
	cr_expect_eq(op.flags, SPE_OP_SIMD);
	cr_expect_eq(op.type_payload, 0);
	cr_expect(describe(0x0d00c020, 0, &op, &access), "st1r, which does not exist");
	cr_expect_eq(op.flags, SPE_OP_STORE | SPE_OP_SIMD);
	cr_expect_not(describe(0, 0, &op, &access), "udf #0");
	cr_expect_eq(op.type_header, SPE_TYPE_OTHER);
	cr_expect_eq(op.type_payload, 0);
	cr_expect_eq(op.flags, 0);
	cr_expect_eq(access.size, 0);
}

Test(a64_describe, system_accesses)
{
	struct sysreg_access access = {0};

	cr_expect(a64_system_access(0xd5389945, &access), "mrs x5, pmsicr_el1");
	cr_expect_eq(access.reg, SYSREG_PMSICR_EL1);
	cr_expect_not(access.write);
	cr_expect_eq(access.rt, 5);
	cr_expect(a64_system_access(0xd51b9e1f, &access), "msr pmccfiltr... of no SPE");
	cr_expect_eq(access.reg, SYSREG_COUNT);
	cr_assert(access.write);
	cr_expect_eq(access.rt, 31);
	cr_expect_not(a64_system_access(0xd50b7421, &access), "dc zva, x1");
	cr_expect_not(a64_system_access(0xd5034fdf, &access), "msr daifset, #15");
	cr_expect_not(a64_system_access(0x8b020020, &access), "add x0, x1, x2");
	cr_expect_eq(access.reg, SYSREG_COUNT, "left alone");
	cr_expect_eq(access.rt, 31, "left alone");
}
