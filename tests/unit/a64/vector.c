/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE, as embedders get it: the operation's class with its vector length and predicate, and the
 * address of its data access. The words are llvm-mc's.
 */
#include <vspe/a64.h>

#include "../compare.h"
#include "a64/a64.h"

#define P  0x04
#define FP 0x02
#define SG 0x80

/* What the registers of a test are: P1 has this, all other predicates are all true. */
struct context {
	uint64_t p1[4];
};

/* Xn is 0x10000 * n, but X4 is 4; SP is 0x1f0000. */
static uint64_t read_x(const void *ctx, unsigned int n)
{
	(void)ctx;
	return n == 4 ? 4 : UINT64_C(0x10000) * n;
}

/* Words of Zn are 0x10, 0xfffffff0, 0x110, 0xfffffff1, 0x210 ... */
static uint64_t read_sve(const void *ctx, unsigned int n, unsigned int index)
{
	const struct context *context = ctx;

	if (n < 32) {
		cr_assert_lt(index, 32);
		return (UINT64_C(0xfffffff0) + index) << 32 | (UINT64_C(0x100) * index + 0x10);
	}
	cr_assert_lt(index, 4);
	return n == 33 ? context->p1[index] : ~UINT64_C(0);
}

static const struct context all_true = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static bool describe_with(const struct a64_registers *registers, uint32_t word, struct spe_op *op,
			  struct a64_access *access)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	*op = (struct spe_op){.events = SPE_EVENT_RETIRED | SPE_EVENT_PARTIAL_PREDICATE};
	return a64_describe(op, access, word, &config, registers);
}

static bool describe(const struct context *context, unsigned int vl, uint32_t chosen, uint32_t word,
		     struct spe_op *op, struct a64_access *access)
{
	const struct a64_registers registers = {.read = read_x,
						.ctx = context,
						.vl = (uint16_t)vl,
						.chosen = chosen,
						.read_sve = read_sve};

	return describe_with(&registers, word, op, access);
}

struct operation {
	const char *text;
	uint32_t word;
	uint8_t payload; /* without bit 3 and EVL */
	uint32_t flags;
};

Test(a64_vector, data_processing)
{
	static const struct operation rows[] = {
		{"add z0.s, z1.s, z2.s", 0x04a20020, 0, 0},
		{"add z0.s, p1/m, z0.s, z2.s", 0x04800440, P, 0},
		{"fadd z0.d, z1.d, z2.d", 0x65c20020, FP, SPE_OP_FP},
		{"fmla z0.h, p1/m, z1.h, z2.h", 0x65620420, P | FP, SPE_OP_FP},
		{"cpy z0.b, p1/m, w2", 0x0528a440, P, 0},
		{"movprfx z0.s, p1/z, z1.s", 0x04902420, P, 0},
		{"fcvt z0.d, p1/m, z1.s", 0x65cba420, P | FP, SPE_OP_FP},
		{"asr z0.h, p1/m, z0.h, #3", 0x040087a0, P, 0},
		{"sqadd z0.d, p0/m, z0.d, z2.d", 0x44d88040, P, 0},
		{"saddlb z0.d, z2.s, z3.s", 0x45c30040, 0, 0},
		{"flogb z0.d, p0/m, z2.d", 0x651ea040, P | FP, SPE_OP_FP},
		{"fmlalb z0.s, z2.h, z3.h", 0x64a38040, FP, SPE_OP_FP},
		{"faddp z0.d, p0/m, z0.d, z2.d", 0x64d08040, P | FP, SPE_OP_FP},
		{"histcnt z0.d, p0/z, z2.d, z3.d", 0x45e3c040, P, 0},
		{"aese z0.b, z0.b, z2.b", 0x4522e040, 0, 0},
		/* What writes no vector, or has no governing predicate, is not predicated. */
		{"saddv d0, p1, z1.s", 0x04802420, 0, 0},
		{"cmpgt p0.b, p1/z, z1.b, z2.b", 0x24028430, 0, 0},
		{"match p3.b, p0/z, z2.b, z3.b", 0x45238043, 0, 0},
		{"fcmgt p0.s, p1/z, z1.s, z2.s", 0x65824430, FP, SPE_OP_FP},
		{"sel z0.b, p1, z1.b, z2.b", 0x0522c420, 0, 0},
		{"compact z0.s, p1, z1.s", 0x05a18420, 0, 0},
		{"cntp x0, p1, p2.b", 0x25208440, 0, 0},
		{"ptrue p0.b", 0x2518e3e0, 0, 0},
		{"lasta w0, p6, z8.s", 0x05a0b900, 0, 0},
		{"whilelo p0.s, x1, x2", 0x25a21c20, 0, 0},
		{"rdffr p0.b", 0x2519f000, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned int vl = 16, evl = 2; vl <= 256; vl *= 2, evl++) {
			struct a64_access access;
			struct spe_op op;

			cr_expect(describe(&all_true, vl, 0, rows[i].word, &op, &access), "%s",
				  rows[i].text);
			cr_expect_eq(op.type_header, SPE_TYPE_OTHER, "%s", rows[i].text);
			cr_expect_eq(op.type_payload, 0x08 | evl << 4 | rows[i].payload, "%s",
				     rows[i].text);
			cr_expect_eq(op.flags, SPE_OP_SIMD | rows[i].flags, "%s", rows[i].text);
			cr_expect_eq(op.events, SPE_EVENT_RETIRED, "%s", rows[i].text);
			cr_expect_eq(access.size, 0, "%s", rows[i].text);
		}
}

Test(a64_vector, what_has_neither_vector_nor_predicate_is_other)
{
	static const struct operation rows[] = {
		{"cntb x0", 0x0420e3e0, 0, 0},
		{"incb x0", 0x0430e3e0, 0, 0},
		{"rdvl x0, #1", 0x04bf5020, 0, 0},
		{"addvl x0, x1, #1", 0x04215020, 0, 0},
		{"prfb pldl1keep, p0, [x1]", 0x85c00020, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_access access;
		struct spe_op op;

		cr_expect(describe(&all_true, 32, 0, rows[i].word, &op, &access));
		cr_expect_eq(op.type_header, SPE_TYPE_OTHER, "%s", rows[i].text);
		cr_expect_eq(op.type_payload, 0, "%s", rows[i].text);
		cr_expect_eq(op.flags, 0, "%s", rows[i].text);
	}
}

Test(a64_vector, vector_lengths_are_rounded_up)
{
	static const struct {
		unsigned int bytes;
		uint8_t evl;
	} rows[] = {{1, 0},  {4, 0},  {5, 1},	{8, 1},	  {16, 2},
		    {17, 3}, {48, 4}, {256, 6}, {257, 7}, {1024, 7}};
	const struct a64_operation load = {SPE_TYPE_MEMORY, 0xfd, 0};
	const struct a64_operation general = {SPE_TYPE_MEMORY, 0x1e, 0};
	const struct a64_operation branch = {SPE_TYPE_BRANCH, 0x08, 0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cr_expect_eq(a64_with_length(load, rows[i].bytes).payload, 0x8d | rows[i].evl << 4,
			     "%u", rows[i].bytes);
		cr_expect_eq(a64_with_length(general, rows[i].bytes).payload, 0x1e);
		cr_expect_eq(a64_with_length(branch, rows[i].bytes).payload, 0x08);
	}
}

struct access {
	const char *text;
	uint32_t word;
	uint8_t payload; /* without bit 3 and EVL */
	uint64_t va;
	uint16_t size;
	uint8_t element;
};

static void expect_access(const struct access *row, const struct spe_op *op,
			  const struct a64_access *access)
{
	const uint32_t direction = row->payload & 1 ? SPE_OP_STORE : SPE_OP_LOAD;

	cr_expect_eq(op->type_header, SPE_TYPE_MEMORY, "%s", row->text);
	cr_expect_eq(op->type_payload, 0x38 | row->payload, "%s", row->text);
	cr_expect_eq(op->flags, SPE_OP_VA_VALID | SPE_OP_SIMD | direction, "%s", row->text);
	cr_expect_eq(op->data_va, row->va, "%s", row->text);
	cr_expect_eq(access->size, row->size, "%s", row->text);
	cr_expect_eq(access->element, row->element, "%s", row->text);
}

/* Vectors of 32 bytes. */
Test(a64_vector, addresses)
{
	static const struct access rows[] = {
		{"ldr z0, [x1, #-3, mul vl]", 0x85bf5420, 0, 0x10000 - 96, 32, 16},
		{"str z0, [sp, #255, mul vl]", 0xe59f5fe0, 1, 0x1f0000 + 255 * 32, 32, 16},
		{"ldr p0, [x1, #-256, mul vl]", 0x85a00020, 0, 0x10000 - 1024, 4, 2},
		{"str p3, [x1, #5, mul vl]", 0xe5801423, 1, 0x10000 + 20, 4, 2},
		{"ld1b {z0.b}, p1/z, [x2, x4]", 0xa4044440, P, 0x20004, 32, 1},
		{"ld1b {z0.d}, p1/z, [x2, #-8, mul vl]", 0xa468a440, P, 0x20000 - 32, 4, 1},
		{"ld1sw {z0.d}, p1/z, [x2, x4, lsl #2]", 0xa4844440, P, 0x20010, 16, 4},
		{"ldff1d {z0.d}, p1/z, [x2]", 0xa5ff6440, P, 0x20000, 32, 8},
		{"ldnf1h {z0.s}, p1/z, [x2, #7, mul vl]", 0xa4d7a440, P, 0x20000 + 112, 16, 2},
		{"ld4w {z0.s - z3.s}, p1/z, [x2, #-32, mul vl]", 0xa568e440, P, 0x20000 - 1024, 128,
		 4},
		{"st3d {z0.d - z2.d}, p1, [x2, x4, lsl #3]", 0xe5c46440, P | 1, 0x20020, 96, 8},
		{"st1h {z0.d}, p1, [x2, #1, mul vl]", 0xe4e1e440, P | 1, 0x20008, 8, 2},
		{"ld1rw {z0.d}, p1/z, [x2, #252]", 0x857fe440, P, 0x200fc, 4, 4},
		{"ld1rqh {z0.h}, p1/z, [x2, #-128]", 0xa4882440, P, 0x20000 - 128, 16, 2},
		{"ld1w {z0.q}, p1/z, [x2, #-1, mul vl]", 0xa51f2440, P, 0x20000 - 8, 8, 4},
		{"st4q {z0.q-z3.q}, p1, [x2, #4, mul vl]", 0xe4c10440, P | 1, 0x20000 + 128, 128,
		 16},
		{"ld1rod {z0.d}, p1/z, [x2, x4, lsl #3]", 0xa5a40440, P, 0x20020, 32, 8},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_access access;
		struct spe_op op;

		cr_expect(describe(&all_true, 32, 0, rows[i].word, &op, &access));
		expect_access(&rows[i], &op, &access);
		cr_expect_eq(op.events, SPE_EVENT_RETIRED, "%s", rows[i].text);
	}
}

/* The element that is chosen is the second one, or the third. */
Test(a64_vector, gathers_and_scatters)
{
	static const struct {
		struct access access;
		uint32_t chosen;
	} rows[] = {
		{{"ld1w {z0.s}, p1/z, [x2, z5.s, sxtw]", 0x85454440, SG | P, 0x20000 - 16, 4, 4},
		 1},
		{{"ld1w {z0.s}, p1/z, [x2, z5.s, sxtw]", 0x85454440, SG | P, 0x20110, 4, 4}, 2 + 8},
		{{"ld1w {z0.s}, p1/z, [x2, z5.s, uxtw #2]", 0x85254440, SG | P,
		  0x20000 + UINT64_C(0xfffffff0) * 4, 4, 4},
		 1},
		{{"ld1d {z0.d}, p1/z, [x2, z5.d]", 0xc5c5c440, SG | P,
		  0x20110 + (UINT64_C(0xfffffff1) << 32), 8, 8},
		 1 + 4},
		{{"ld1h {z0.d}, p1/z, [x2, z5.d, lsl #1]", 0xc4e5c440, SG | P,
		  0x20220 + (UINT64_C(0xfffffff1) << 33), 2, 2},
		 1},
		{{"ldff1sb {z0.d}, p1/z, [z5.d, #31]", 0xc43fa4a0, SG | P,
		  (UINT64_C(0xfffffff1) << 32) + 0x110 + 31, 1, 1},
		 1},
		{{"ld1w {z0.s}, p1/z, [z5.s, #124]", 0x853fc4a0, SG | P, 0x110 + 124, 4, 4}, 2},
		{{"st1w {z0.d}, p1, [x2, z5.d, sxtw #2]", 0xe525c440, SG | P | 1, 0x20440, 4, 4},
		 1},
		{{"st1b {z0.s}, p1, [x2, z5.s, uxtw]", 0xe4458440, SG | P | 1,
		  0x20000 + UINT64_C(0xfffffff0), 1, 1},
		 1},
		{{"st1d {z0.d}, p1, [z5.d, #248]", 0xe5dfa4a0, SG | P | 1,
		  (UINT64_C(0xfffffff1) << 32) + 0x110 + 248, 8, 8},
		 1},
		{{"ldnt1w {z0.s}, p1/z, [z5.s, x4]", 0x8504a4a0, SG | P, 0x114, 4, 4}, 2},
		{{"stnt1b {z0.d}, p1, [z5.d, xzr]", 0xe41f24a0, SG | P | 1,
		  (UINT64_C(0xfffffff1) << 32) + 0x110, 1, 1},
		 1},
		{{"ld1q {z0.q}, p1/z, [z5.d, x4]", 0xc404a4a0, SG | P,
		  (UINT64_C(0xfffffff2) << 32) + 0x214, 16, 16},
		 1},
		{{"st1d {z0.d}, p1, [x2, z5.d, lsl #3]", 0xe5a5a440, SG | P | 1,
		  0x20880 + (UINT64_C(0xfffffff1) << 35), 8, 8},
		 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_access access;
		struct spe_op op;

		cr_expect(
			describe(&all_true, 32, rows[i].chosen, rows[i].access.word, &op, &access));
		expect_access(&rows[i].access, &op, &access);
	}
}

/* Of a vector of 32 bytes. */
Test(a64_vector, predicates_choose_what_is_accessed)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t p1;
		uint32_t chosen;
		uint64_t events;
		uint64_t va; /* 0: none */
		uint16_t size;
	} rows[] = {
		{"ld1b {z0.b}, p1/z, [x2, x4]", 0xa4044440, 0x00000ff0, 0,
		 SPE_EVENT_PARTIAL_PREDICATE, 0x20008, 8},
		{"ld1b {z0.b}, p1/z, [x2, x4]", 0xa4044440, 0xffffffff, 0, 0, 0x20004, 32},
		{"ld1b {z0.b}, p1/z, [x2, x4]", 0xa4044440, UINT64_C(0xffffffff00000000), 0,
		 SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE, 0, 0},
		/* A bit of each lane counts. */
		{"ld1sw {z0.d}, p1/z, [x2, x4, lsl #2]", 0xa4844440, 0x01010101, 0, 0, 0x20010, 16},
		{"ld1sw {z0.d}, p1/z, [x2, x4, lsl #2]", 0xa4844440, 0xfefefefe, 0,
		 SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE, 0, 0},
		{"st3d {z0.d - z2.d}, p1, [x2, x4, lsl #3]", 0xe5c46440, 0x01000100, 0,
		 SPE_EVENT_PARTIAL_PREDICATE, 0x20020 + 24, 72},
		{"ld1rw {z0.d}, p1/z, [x2, #252]", 0x857fe440, 0x00010000, 0,
		 SPE_EVENT_PARTIAL_PREDICATE, 0x200fc, 4},
		/* 16 bytes are loaded. */
		{"ld1rqh {z0.h}, p1/z, [x2, #-128]", 0xa4882440, 0x00005555, 0, 0, 0x20000 - 128,
		 16},
		{"ld1rqh {z0.h}, p1/z, [x2, #-128]", 0xa4882440, 0xffff0000, 0,
		 SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE, 0, 0},
		/* The chosen element is inactive, or is the only one that is not. */
		{"ld1d {z0.d}, p1/z, [x2, z5.d]", 0xc5c5c440, 0x01010001, 1,
		 SPE_EVENT_PARTIAL_PREDICATE, 0, 0},
		{"ld1w {z0.s}, p1/z, [z5.s, #124]", 0x853fc4a0, 0x00000100, 2,
		 SPE_EVENT_PARTIAL_PREDICATE, 0x110 + 124, 4},
		{"add z0.s, p1/m, z0.s, z2.s", 0x04800440, 0x11111110, 0,
		 SPE_EVENT_PARTIAL_PREDICATE, 0, 0},
		{"asr z0.h, p1/m, z0.h, #3", 0x040087a0, 0x55555555, 0, 0, 0, 0},
		{"asr z0.d, p1/m, z0.d, #64", 0x04808400, 0x55555554, 0,
		 SPE_EVENT_PARTIAL_PREDICATE, 0, 0},
		{"fcvt z0.d, p1/m, z1.s", 0x65cba420, 0x01010101, 0, 0, 0, 0},
		{"compact z0.s, p1, z1.s", 0x05a18420, 0, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct context context = {{rows[i].p1}};
		struct a64_access access;
		struct spe_op op;

		cr_expect(describe(&context, 32, rows[i].chosen, rows[i].word, &op, &access));
		cr_expect_eq(op.events, SPE_EVENT_RETIRED | rows[i].events, "%s", rows[i].text);
		cr_expect_eq(!!(op.flags & SPE_OP_VA_VALID), rows[i].va != 0, "%s", rows[i].text);
		cr_expect_eq(op.data_va, rows[i].va, "%s", rows[i].text);
		cr_expect_eq(access.size, rows[i].size, "%s", rows[i].text);
	}
}

/* An embedder may have no SVE, a vector length and no more, or too large a one. */
Test(a64_vector, what_is_not_read)
{
	const struct a64_registers none = {.read = read_x}, length = {.read = read_x, .vl = 64};
	struct a64_access access;
	struct spe_op op;

	cr_expect(describe_with(&none, 0xa4044440, &op, &access), "ld1b {z0.b}, p1/z, [x2, x4]");
	cr_expect_eq(op.type_payload, 0x28 | P);
	cr_expect_eq(op.flags, SPE_OP_LOAD | SPE_OP_SIMD);
	cr_expect_eq(access.size, 0);
	cr_expect_eq(op.events, SPE_EVENT_RETIRED);
	cr_expect(describe_with(&length, 0xa4044440, &op, &access));
	cr_expect_eq(op.type_payload, 0x48 | P);
	cr_expect_eq(op.data_va, 0x20004);
	cr_expect_eq(access.size, 64);
	cr_expect_eq(op.events, SPE_EVENT_RETIRED);
	cr_expect(describe_with(&length, 0xc5c5c440, &op, &access),
		  "ld1d {z0.d}, p1/z, [x2, z5.d]");
	cr_expect_eq(op.flags, SPE_OP_LOAD | SPE_OP_SIMD);
	cr_expect(describe(&all_true, 65535, 0, 0xe5c46440, &op, &access), "st3d");
	cr_expect_eq(access.size, 768);
	cr_expect(describe(&all_true, 15, 0, 0x85a00020, &op, &access), "ldr p0");
	cr_expect_eq(access.size, 0);
}
