/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operation types and addresses of SIMD and floating-point instructions: Arm ARM D18.2.7. An
 * assembler made the words from the text in each row.
 */

#include <string.h>

#include "../compare.h"
#include "a64/a64.h"
#include <vspe/spe.h>

#define FP    SPE_OP_FP
#define SIMD  SPE_OP_SIMD
#define LOAD  SPE_OP_LOAD
#define STORE SPE_OP_STORE

static const struct {
	uint32_t word;
	const char *text;
	uint8_t header, payload;
	uint32_t flags;
} types[] = {
	{0x1e622820, "fadd d0, d1, d2", 0x48, 0x02, FP},
	{0x9e670020, "fmov d0, x1", 0x48, 0x02, FP},
	{0x1e2e1000, "fmov s0, #1.0", 0x48, 0x02, FP},
	{0x9e620020, "scvtf d0, x1", 0x48, 0x02, FP},
	{0x9e780020, "fcvtzs x0, d1", 0x48, 0x02, FP},
	{0x1f420c20, "fmadd d0, d1, d2, d3", 0x48, 0x02, FP},
	{0x1e602008, "fcmp d0, #0.0", 0x48, 0x02, FP},
	{0x1e644020, "frintn d0, d1", 0x48, 0x02, FP},
	{0x1e624020, "fcvt s0, d1", 0x48, 0x02, FP},
	{0x1e604020, "fmov d0, d1", 0x48, 0x02, FP},
	{0x1ee22820, "fadd h0, h1, h2", 0x48, 0x02, FP},
	{0x1e621c20, "fcsel d0, d1, d2, ne", 0x48, 0x03, FP},
	{0x1e62b424, "fccmp d1, d2, #4, lt", 0x48, 0x03, FP},
	{0x4e22d420, "fadd v0.4s, v1.4s, v2.4s", 0x48, 0x06, SIMD | FP},
	{0x4e62cc20, "fmla v0.2d, v1.2d, v2.2d", 0x48, 0x06, SIMD | FP},
	{0x4fa29020, "fmul v0.4s, v1.4s, v2.s[1]", 0x48, 0x06, SIMD | FP},
	{0x4e420c20, "fmla v0.8h, v1.8h, v2.8h", 0x48, 0x06, SIMD | FP},
	{0x4e421420, "fadd v0.8h, v1.8h, v2.8h", 0x48, 0x06, SIMD | FP},
	{0x4ea0f820, "fabs v0.4s, v1.4s", 0x48, 0x06, SIMD | FP},
	{0x4ea0c820, "fcmgt v0.4s, v1.4s, #0.0", 0x48, 0x06, SIMD | FP},
	{0x4e21d820, "scvtf v0.4s, v1.4s", 0x48, 0x06, SIMD | FP},
	{0x0e617820, "fcvtl v0.2d, v1.2s", 0x48, 0x06, SIMD | FP},
	{0x0e616820, "fcvtn v0.2s, v1.2d", 0x48, 0x06, SIMD | FP},
	{0x6e30f820, "fmaxv s0, v1.4s", 0x48, 0x06, SIMD | FP},
	{0x4f03f600, "fmov v0.4s, #1.0", 0x48, 0x06, SIMD | FP},
	{0x6f03f600, "fmov v0.2d, #1.0", 0x48, 0x06, SIMD | FP},
	{0x4f3de420, "scvtf v0.4s, v1.4s, #3", 0x48, 0x06, SIMD | FP},
	{0x4f3dfc20, "fcvtzs v0.4s, v1.4s, #3", 0x48, 0x06, SIMD | FP},
	{0x6ea1f820, "fsqrt v0.4s, v1.4s", 0x48, 0x06, SIMD | FP},
	{0x4ea1d820, "frecpe v0.4s, v1.4s", 0x48, 0x06, SIMD | FP},
	{0x7e30d820, "faddp s0, v1.2s", 0x48, 0x06, SIMD | FP},
	{0x4e22dc20, "fmulx v0.4s, v1.4s, v2.4s", 0x48, 0x06, SIMD | FP},
	{0x5e62e420, "fcmeq d0, d1, d2", 0x48, 0x06, SIMD | FP},
	{0x4e22ec20, "fmlal v0.4s, v1.4h, v2.4h", 0x48, 0x06, SIMD | FP},
	{0x4f920020, "fmlal v0.4s, v1.4h, v2.h[1]", 0x48, 0x06, SIMD | FP},
	{0x4ef8f820, "fabs v0.8h, v1.8h", 0x48, 0x06, SIMD | FP},
	{0x7fc29820, "fmulx d0, d1, v2.d[1]", 0x48, 0x06, SIMD | FP},
	{0x4ea28420, "add v0.4s, v1.4s, v2.4s", 0x48, 0x04, SIMD},
	{0x6e221c20, "eor v0.16b, v1.16b, v2.16b", 0x48, 0x04, SIMD},
	{0x4ea29c20, "mul v0.4s, v1.4s, v2.4s", 0x48, 0x04, SIMD},
	{0x4f000420, "movi v0.4s, #1", 0x48, 0x04, SIMD},
	{0x4f001420, "orr v0.4s, #1", 0x48, 0x04, SIMD},
	{0x4f3d0420, "sshr v0.4s, v1.4s, #3", 0x48, 0x04, SIMD},
	{0x4e0c1c20, "mov v0.s[1], w1", 0x48, 0x04, SIMD},
	{0x4e040c20, "dup v0.4s, w1", 0x48, 0x04, SIMD},
	{0x0e0c3c20, "umov w0, v1.s[1]", 0x48, 0x04, SIMD},
	{0x4e284820, "aese v0.16b, v1.16b", 0x48, 0x04, SIMD},
	{0x5e024020, "sha256h q0, q1, v2.4s", 0x48, 0x04, SIMD},
	{0x4e020020, "tbl v0.16b, {v1.16b}, v2.16b", 0x48, 0x04, SIMD},
	{0x4eb1b820, "addv s0, v1.4s", 0x48, 0x04, SIMD},
	{0x6eb0a820, "umaxv s0, v1.4s", 0x48, 0x04, SIMD},
	{0x4e205820, "cnt v0.16b, v1.16b", 0x48, 0x04, SIMD},
	{0x4ea1c820, "urecpe v0.4s, v1.4s", 0x48, 0x04, SIMD},
	{0x4fa28020, "mul v0.4s, v1.4s, v2.s[1]", 0x48, 0x04, SIMD},
	{0x0e628020, "smlal v0.4s, v1.4h, v2.4h", 0x48, 0x04, SIMD},
	{0x5ef1b820, "addp d0, v1.2d", 0x48, 0x04, SIMD},
	{0x4ea08820, "cmgt v0.4s, v1.4s, #0", 0x48, 0x04, SIMD},
	{0x4ea0b820, "abs v0.4s, v1.4s", 0x48, 0x04, SIMD},
	{0x0e22e020, "pmull v0.8h, v1.8b, v2.8b", 0x48, 0x04, SIMD},
	{0x5f435420, "shl d0, d1, #3", 0x48, 0x04, SIMD},
	{0x0f522020, "smlal v0.4s, v1.4h, v2.h[1]", 0x48, 0x04, SIMD},
	{0x6e021820, "ext v0.16b, v1.16b, v2.16b, #3", 0x48, 0x04, SIMD},
	{0x4e823820, "zip1 v0.4s, v1.4s, v2.4s", 0x48, 0x04, SIMD},
	{0xfd400020, "ldr d0, [x1]", 0x49, 0x04, FP | LOAD},
	{0x3dc00420, "ldr q0, [x1, #16]", 0x49, 0x04, SIMD | LOAD},
	{0x3c401420, "ldr b0, [x1], #1", 0x49, 0x04, FP | LOAD},
	{0x7c402c20, "ldr h0, [x1, #2]!", 0x49, 0x04, FP | LOAD},
	{0xbc626820, "ldr s0, [x1, x2]", 0x49, 0x04, FP | LOAD},
	{0x6d400440, "ldp d0, d1, [x2]", 0x49, 0x04, FP | LOAD},
	{0xac400440, "ldnp q0, q1, [x2]", 0x49, 0x04, SIMD | LOAD},
	{0x3cc03020, "ldur q0, [x1, #3]", 0x49, 0x04, SIMD | LOAD},
	{0x5c000000, "ldr d0, .", 0x49, 0x04, FP | LOAD},
	{0xfd000020, "str d0, [x1]", 0x49, 0x05, FP | STORE},
	{0x3d800420, "str q0, [x1, #16]", 0x49, 0x05, SIMD | STORE},
	{0x2c810440, "stp s0, s1, [x2], #8", 0x49, 0x05, FP | STORE},
	{0xadbf0440, "stp q0, q1, [x2, #-32]!", 0x49, 0x05, SIMD | STORE},
	{0x3c003020, "stur b0, [x1, #3]", 0x49, 0x05, FP | STORE},
	{0x3ca25820, "str q0, [x1, w2, uxtw #4]", 0x49, 0x05, SIMD | STORE},
	{0x4c407820, "ld1 {v0.4s}, [x1]", 0x49, 0x04, SIMD | LOAD},
	{0x4cdf0020, "ld4 {v0.16b-v3.16b}, [x1], #64", 0x49, 0x04, SIMD | LOAD},
	{0x0d409020, "ld1 {v0.s}[1], [x1]", 0x49, 0x04, SIMD | LOAD},
	{0x4d40c820, "ld1r {v0.4s}, [x1]", 0x49, 0x04, SIMD | LOAD},
	{0x0dc26820, "ld3 {v0.h-v2.h}[1], [x1], x2", 0x49, 0x04, SIMD | LOAD},
	{0x4c007820, "st1 {v0.4s}, [x1]", 0x49, 0x05, SIMD | STORE},
	{0x4c828820, "st2 {v0.4s, v1.4s}, [x1], x2", 0x49, 0x05, SIMD | STORE},
	{0x4d9f8420, "st1 {v0.d}[1], [x1], #8", 0x49, 0x05, SIMD | STORE},
	{0x9c000000, "ldr q0, .", 0x49, 0x04, SIMD | LOAD},
	{0xf8bfc020, "ldapr x0, [x1]", 0x49, 0x12, LOAD},
	{0x38bfc020, "ldaprb w0, [x1]", 0x49, 0x12, LOAD},
	{0xd9403020, "ldapur x0, [x1, #3]", 0x49, 0x12, LOAD},
	{0x99804020, "ldapursw x0, [x1, #4]", 0x49, 0x12, LOAD},
	{0xd9003020, "stlur x0, [x1, #3]", 0x49, 0x13, STORE},
	{0x59000020, "stlurh w0, [x1]", 0x49, 0x13, STORE},
};

/* RULE("DDSNMB"), RULE("D17.5.1/fp"), RULE("D17.5.1/simd") */
Test(simd, types)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct a64_insn *insn = a64_decode(types[i].word);
		const struct a64_operation type = a64_operation_type(insn, types[i].word, 0);

		cr_assert_not_null(insn, "%s", types[i].text);
		cr_expect_eq(type.header, types[i].header, "%s: 0x%x 0x%x, flags 0x%x",
			     types[i].text, type.header, type.payload, type.flags);
		cr_expect_eq(type.payload, types[i].payload, "%s: 0x%x 0x%x, flags 0x%x",
			     types[i].text, type.header, type.payload, type.flags);
		cr_expect_eq(type.flags, types[i].flags, "%s: 0x%x 0x%x, flags 0x%x", types[i].text,
			     type.header, type.payload, type.flags);
	}
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/*
 * Every row that processes data of SIMD and floating-point registers: the names of Arm's
 * instructions on floating-point numbers begin with F or BF, but for two conversions. Rows of what
 * is unallocated are guesses, and have no such names.
 *
 * RULE("D17.5.1/fp")
 */
Test(simd, the_name_of_each_row_says_whether_it_is_floating_point)
{
	unsigned int rows = 0;

	for (unsigned int id = 0; id < A64_COUNT; id++) {
		const struct a64_insn *insn = &a64_table[id];
		const struct a64_operation type = a64_operation_type(insn, insn->value, 0);
		const char *name = a64_name(insn);
		const bool fp = begins(name, "F") || begins(name, "BF") || begins(name, "SCVTF") ||
				begins(name, "UCVTF");

		if (insn->operation < A64_OP_FP || insn->operation > A64_OP_SIMD_FP || insn->rest)
			continue;
		rows++;
		cr_expect_eq((type.flags & FP) != 0, fp, "%s", name);
	}
	cr_expect_gt(rows, 400);
}

/* Xn is 0x10000 * n + n; SP is 0x310000. */
static uint64_t read_register(const void *ctx, unsigned int n)
{
	(void)ctx;
	return n == 31 ? 0x310000 : UINT64_C(0x10001) * n;
}

static const struct {
	uint32_t word;
	const char *text;
	uint64_t va;
	unsigned int element;
} addresses[] = {
	{0xfd400020, "ldr d0, [x1]", 0x10001, 8},
	{0x3dc00820, "ldr q0, [x1, #32]", 0x10021, 16},
	{0x3c401420, "ldr b0, [x1], #1", 0x10001, 1},
	{0x7c002c20, "str h0, [x1, #2]!", 0x10003, 2},
	{0xbc627820, "ldr s0, [x1, x2, lsl #2]", 0x90009, 4},
	{0x3ce25820, "ldr q0, [x1, w2, uxtw #4]", 0x210021, 16},
	{0xfc7f6820, "ldr d0, [x1, xzr]", 0x10001, 8},
	{0xfc62c820, "ldr d0, [x1, w2, sxtw]", 0x30003, 8},
	{0x6d410440, "ldp d0, d1, [x2, #16]", 0x20012, 8},
	{0x2cc10440, "ldp s0, s1, [x2], #8", 0x20002, 4},
	{0xadbf0440, "stp q0, q1, [x2, #-32]!", 0x1ffe2, 16},
	{0xac410440, "ldnp q0, q1, [x2, #32]", 0x20022, 16},
	{0x3cdfd020, "ldur q0, [x1, #-3]", 0xfffe, 16},
	{0x9c000200, "ldr q0, . + 64", 0x8040, 16},
	{0x1cffffc0, "ldr s0, . - 8", 0x7ff8, 4},
	{0xfd4007e0, "ldr d0, [sp, #8]", 0x310008, 8},
	{0x4c407820, "ld1 {v0.4s}, [x1]", 0x10001, 4},
	{0x4cdf0020, "ld4 {v0.16b-v3.16b}, [x1], #64", 0x10001, 1},
	{0x4d9f8420, "st1 {v0.d}[1], [x1], #8", 0x10001, 8},
	{0x0d409020, "ld1 {v0.s}[1], [x1]", 0x10001, 4},
	{0x0d404820, "ld1 {v0.h}[1], [x1]", 0x10001, 2},
	{0x0d400420, "ld1 {v0.b}[1], [x1]", 0x10001, 1},
	{0x4d40cc20, "ld1r {v0.2d}, [x1]", 0x10001, 8},
	{0xf8bfc020, "ldapr x0, [x1]", 0x10001, 8},
	{0x995fc020, "ldapur w0, [x1, #-4]", 0xfffd, 4},
	{0x19005020, "stlurb w0, [x1, #5]", 0x10006, 1},
	{0x19805020, "ldapursb x0, [x1, #5]", 0x10006, 1},
};

Test(simd, addresses)
{
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		const uint32_t word = addresses[i].word;
		const struct a64_insn *insn = a64_decode(word);
		unsigned int size = 0;
		uint64_t va = 0;

		cr_assert_not_null(insn, "%s", addresses[i].text);
		cr_expect(a64_data_address(insn, word, 0x8000, read_register, NULL, &va, &size),
			  "%s", addresses[i].text);
		cr_expect_eq(va, addresses[i].va, "%s: 0x%lx", addresses[i].text, va);
		cr_expect_eq(a64_element_size(insn, word), addresses[i].element, "%s: 0x%lx",
			     addresses[i].text, va);
	}
}

Test(simd, sizes)
{
	static const struct {
		uint32_t word;
		unsigned int size;
	} sizes[] = {
		{0xfd400020, 8},  /* LDR D0 */
		{0xadbf0440, 32}, /* STP Q0, Q1 */
		{0x2cc10440, 8},  /* LDP S0, S1 */
		{0x4c407820, 16}, /* LD1 {V0.4S} */
		{0x4cdf0020, 64}, /* LD4 {V0.16B-V3.16B} */
		{0x0d409020, 4},  /* LD1 {V0.S}[1] */
		{0x0dc26820, 6},  /* LD3 {V0.H-V2.H}[1] */
		{0x4d40cc20, 8},  /* LD1R {V0.2D} */
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int size = 0;
		uint64_t va;

		cr_expect(a64_data_address(a64_decode(sizes[i].word), sizes[i].word, 0,
					   read_register, NULL, &va, &size));
		cr_expect_eq(size, sizes[i].size, "0x%08x: %u", sizes[i].word, size);
	}
}

Test(simd, conditions)
{
	/* FCSEL NE, FCCMP LT; FADD has none. nzcv: Z, then N. */
	static const struct {
		uint32_t word;
		bool with_z, with_n;
	} words[] = {
		{0x1e621c20, false, true}, {0x1e62b424, false, true}, {0x1e622820, true, true}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct a64_insn *insn = a64_decode(words[i].word);

		cr_expect_eq(a64_holds(insn, words[i].word, 4, read_register, NULL),
			     words[i].with_z);
		cr_expect_eq(a64_holds(insn, words[i].word, 8, read_register, NULL),
			     words[i].with_n);
	}
}

/* LDFADD of the size, with acquire and release bits, Rs, o3, opc; base X1, Rt. */
static uint32_t atomic_word(unsigned int size, unsigned int ar, unsigned int o3, unsigned int opc,
			    unsigned int rt)
{
	return UINT32_C(0x3c200020) | size << 30 | ar << 22 | 2u << 16 | o3 << 15 | opc << 12 | rt;
}

/*
 * FEAT_LSFE: every instruction of the encoding space (Arm ARM C4.1), and no other word of it. An
 * atomic operation, FP, of one element at the base; STF<op> returns nothing.
 */
Test(simd, atomic_floating_point)
{
	static const unsigned int opcs[] = {0, 4, 5, 6, 7}; /* ADD, MAX, MIN, MAXNM, MINNM */
	unsigned int found = 0;

	for (unsigned int n = 0; n < 4 * 4 * 2 * 8 * 2; n++) {
		const unsigned int size = n & 3, ar = n >> 2 & 3, o3 = n >> 4 & 1;
		const unsigned int opc = n >> 5 & 7, rt = n >> 8 ? 31 : 3;
		const uint32_t word = atomic_word(size, ar, o3, opc, rt);
		const struct a64_insn *insn = a64_decode(word);
		const bool there = (opc == 0 || opc >= 4) && (!o3 || (rt == 31 && ar < 2));
		struct a64_operation type;
		unsigned int bytes;
		uint64_t va;

		cr_assert_eq(insn != NULL, there, "0x%08x", word);
		if (!there)
			continue;
		found++;
		type = a64_operation_type(insn, word, 0);
		cr_expect_eq(type.header, SPE_TYPE_MEMORY, "0x%08x", word);
		cr_expect_eq(type.payload, (unsigned int)(0x06 | (ar ? 0x10 : 0) | o3), "0x%08x",
			     word);
		cr_expect_eq(type.flags, (unsigned int)(FP | STORE | (o3 ? 0 : LOAD)), "0x%08x",
			     word);
		cr_expect(a64_data_address(insn, word, 0x8000, read_register, NULL, &va, &bytes));
		cr_expect_eq(va, read_register(NULL, 1), "0x%08x", word);
		cr_expect_eq(bytes, size ? 1u << size : 2u, "0x%08x", word);
		cr_expect_eq(a64_element_size(insn, word), bytes, "0x%08x", word);
	}
	cr_expect_eq(found, (unsigned int)ARRAY_SIZE(opcs) * 4 * (4 * 2 + 2), "of both Rt");
}

/* What is left of the space of loads and stores by register offset is nothing that is known. */
Test(simd, no_guess_beside_register_offsets)
{
	static const uint32_t words[] = {0x3c200c00, 0x3c600400, 0xfc208800,
					 0x3ca00c00, 0x3ce08800, 0x7c201000};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		cr_expect_null(a64_decode(words[i]), "0x%08x", words[i]);
}
