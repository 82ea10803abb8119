/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 table: every row is found by the decision tree, as by a search, and reserved field values
 * are unallocated. tests/diff/a64_objdump.c compares the table with a
 * disassembler.
 */
#include "../compare.h"
#include "a64/a64.h"

static uint32_t next_random(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 32);
}

/* What the decision tree has to find, without a tree: first the rows that are no rest. */
static const struct a64_insn *look_through(uint32_t word)
{
	for (int rest = 0; rest <= 1; rest++)
		for (unsigned int id = 0; id < A64_COUNT; id++) {
			const struct a64_insn *row = &a64_table[id];

			if (row->rest == rest && (word & row->mask) == row->value &&
			    a64_allocated(row, word))
				return row;
		}
	return NULL;
}

Test(a64_table, the_tree_finds_what_a_search_finds)
{
	for (int i = 0; i < 400000; i++) {
		const struct a64_insn *row = &a64_table[next_random() % A64_COUNT];
		uint32_t word = next_random();

		/* Every second one near a row: one bit may be another. */
		if (i % 2)
			word = (word & ~row->mask) | row->value;
		if (i % 4 == 3)
			word ^= UINT32_C(1) << next_random() % 32;
		cr_expect_eq(a64_decode(word), look_through(word), "%08x", word);
	}
}

Test(a64_table, each_row_is_found_by_its_words)
{
	for (unsigned int id = 0; id < A64_COUNT; id++) {
		const struct a64_insn *row = &a64_table[id];
		unsigned int found = 0;

		cr_expect_eq(row->id, id);
		cr_expect_eq(row->value & ~row->mask, 0, "%s", a64_name(row));
		for (int i = 0; i < 2000; i++) {
			uint32_t word = (next_random() & ~row->mask) | row->value;
			const struct a64_insn *insn = a64_decode(word);

			found += insn == row;
			if (insn && insn != row && a64_allocated(row, word))
				cr_expect(row->rest || insn->rest, "%08x of %s is decoded as %s",
					  word, a64_name(row), a64_name(insn));
		}
		cr_expect_gt(found, 0, "%s is never decoded", a64_name(row));
	}
}

Test(a64_table, fields_are_where_the_manual_has_them)
{
	/* SUBS w3, w7, #0xabc, LSL #12; STP x1, x2, [sp, #-16]!; MRS x5, PMSICR_EL1 */
	const struct a64_add_sub_imm add = a64_get_add_sub_imm(0x716af0e3);
	const struct a64_pair pair = a64_get_pair(0xa9bf0be1);
	const struct a64_system system = a64_get_system(0xd5389945);

	cr_expect_not(add.sf);
	cr_assert(add.op);
	cr_assert(add.s);
	cr_assert(add.sh);
	cr_expect_eq(add.imm12, 0xabc);
	cr_expect_eq(add.rn, 7);
	cr_expect_eq(add.rd, 3);
	cr_assert(pair.sf);
	cr_expect_not(pair.l);
	cr_expect_eq(pair.imm7, -2);
	cr_expect_eq(pair.rt2, 2);
	cr_expect_eq(pair.rn, 31);
	cr_expect_eq(pair.rt, 1);
	cr_assert(system.read);
	cr_expect_eq(system.op0, 3);
	cr_expect_eq(system.op1, 0);
	cr_expect_eq(system.crn, 9);
	cr_expect_eq(system.crm, 9);
	cr_expect_eq(system.op2, 2);
	cr_expect_eq(system.rt, 5);
	cr_expect_eq(a64_encoding(0xd5389945), 0xc4ca);
	cr_expect_eq(A64_WORD_BRK | a64_put_imm16(0x1234), 0xd4224680);
}

struct sample {
	const char *text;
	uint32_t word;
};

Test(a64_table, reserved_values_and_later_instructions_are_unallocated)
{
	static const struct sample undefined[] = {
		{"udf #0", 0x00000000},
		{"add w0, w1, w2, lsl #32", 0x0b028020},
		{"add x0, x1, x2, ror #1", 0x8bc20420},
		{"and w0, w1, w2, lsl #32", 0x0a028020},
		{"add x0, x1, w2, uxtw #5", 0x8b225420},
		{"movz w0, #1, lsl #32", 0x52c00020},
		{"move wide with opc 01", 0xb2800020},
		{"and w0, w1 with N", 0x12400020},
		{"and x0, x1 with imms all ones", 0x9240fc20},
		{"and w0, w1 with imms 0b111110", 0x1200f820},
		{"sbfm w0, w1 with N", 0x13400020},
		{"sbfm x0, x1 without N", 0x93000020},
		{"ubfm w0, w1, #32, #0", 0x53200020},
		{"ubfm w0, w1, #0, #32", 0x53008020},
		{"extr w0, w1, w2, #32", 0x13828020},
		{"extr x0, x1, x2 without N", 0x93820020},
		{"rcwcasp x1, x2, ...", 0x19210c40},
		{"ldclrp with xzr", 0x193f1040},
		{"ld64b x24, [x0]", 0xf83fd018},
		{"mrrs x1, x2, ...", 0xd5780001},
		{"ldr x0, [x1, x2] with option 000", 0xf8620820},
		{"casp x1, ...", 0x48217c80},
		{"casp ..., x1", 0x48207c81},
		{"cas with Rt2 0", 0xc8a00041},
		{"paciza x0 with Rn 1", 0xdac12020},
		{"xpaci x0 with Rn 1", 0xdac14020},
		{"braaz x0 with Rm 1", 0xd61f0801},
		{"retaa with Rn 30", 0xd65f0bdf},
		{"cfinv with CRm 1", 0xd500411f},
		{"setf8 w1 with sf", 0xba00082d},
		{"sdiv z0.b, p0/m, z0.b, z0.b", 0x04140000},
		{"fdiv z0.b, p0/m, z0.b, z0.b", 0x650d8000},
		{"ld1b z0.b, p0/z, [x0, xzr]", 0xa41f4000},
		{"rev64 of a W register", 0x5ac00c20},
		{"ccmp without S", 0xda430804},
		{"crc32x with W", 0x1ac24c20},
		{"ldrsw to 32 bits", 0xb9c00020},
	};

	for (size_t i = 0; i < ARRAY_SIZE(undefined); i++)
		cr_expect_null(a64_decode(undefined[i].word), "%s", undefined[i].text);
}

Test(a64_table, hints_of_later_architectures_are_nops)
{
	static const struct {
		struct sample sample;
		enum a64_id id;
	} hints[] = {
		{{"nop", 0xd503201f}, A64_HINT},	{{"yield", 0xd503203f}, A64_YIELD},
		{{"wfe", 0xd503205f}, A64_WFE},		{{"wfi", 0xd503207f}, A64_WFI},
		{{"sev", 0xd503209f}, A64_SEV},		{{"sevl", 0xd50320bf}, A64_SEVL},
		{{"esb", 0xd503221f}, A64_HINT},	{{"psb csync", 0xd503223f}, A64_PSB_CSYNC},
		{{"tsb csync", 0xd503225f}, A64_HINT},	{{"paciasp", 0xd503233f}, A64_PAC_LR},
		{{"bti c", 0xd503245f}, A64_HINT},	{{"autib1716", 0xd50321df}, A64_PAC_1716},
		{{"xpaclri", 0xd50320ff}, A64_XPACLRI}, {{"hint #9", 0xd503213f}, A64_HINT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		const struct a64_insn *insn = a64_decode(hints[i].sample.word);

		cr_assert_not_null(insn, "%s", hints[i].sample.text);
		cr_expect_eq(insn->id, hints[i].id, "%s is %s", hints[i].sample.text,
			     a64_name(insn));
	}
}

Test(a64_table, each_row_names_the_feature_that_adds_it)
{
	static const struct {
		struct sample sample;
		enum a64_feature feature;
	} features[] = {
		{{"add x0, x1, x2", 0x8b020020}, A64_FEAT_BASE},
		{{"ldxr w0, [x1]", 0x885f7c20}, A64_FEAT_BASE},
		{{"crc32w w0, w1, w2", 0x1ac24820}, A64_FEAT_CRC32},
		{{"ldadd x0, x1, [x2]", 0xf8200041}, A64_FEAT_LSE},
		{{"casb w2, w4, [sp]", 0x08a27fe4}, A64_FEAT_LSE},
		{{"ldlarb w0, [x1]", 0x08df7c20}, A64_FEAT_LOR},
		{{"stllr x0, [x1]", 0xc89f7c20}, A64_FEAT_LOR},
		{{"msr pan, #1", 0xd500419f}, A64_FEAT_PAN},
		{{"msr pm, #1", 0xd501431f}, A64_FEAT_SPE_EXC},
		{{"ldapr x0, [x1]", 0xf8bfc020}, A64_FEAT_LRCPC},
		{{"cfinv", 0xd500401f}, A64_FEAT_FLAGM},
		{{"rmif x0, #1, #1", 0xba008401}, A64_FEAT_FLAGM},
		{{"axflag", 0xd500405f}, A64_FEAT_FLAGM2},
		{{"ldr q0, [x0]", 0x3dc00000}, A64_FEAT_FP},
		{{"ld1 {v0.16b}, [x0]", 0x4c407000}, A64_FEAT_SIMD},
		{{"add z0.b, z0.b, z0.b", 0x04200000}, A64_FEAT_SVE},
		{{"trn1 z0.q, z0.q, z0.q", 0x05a01800}, A64_FEAT_F64MM},
	};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct a64_insn *insn = a64_decode(features[i].sample.word);

		cr_assert_not_null(insn, "%s", features[i].sample.text);
		cr_expect_eq(insn->feature, features[i].feature, "%s", features[i].sample.text);
	}
}

/*
 * DecodeBitMasks() the slow way: an element of 2 to 64 bits is ones times a 1, rotated right.
 * Counts the distinct values, of which the Arm ARM has 5334 for 64 bits and 1302 for 32.
 */
Test(a64_table, logical_immediates)
{
	for (int sf = 0; sf <= 1; sf++) {
		unsigned int count = 0;

		for (unsigned int size = 2; size <= (sf ? 64u : 32u); size *= 2)
			for (unsigned int ones = 1; ones < size; ones++)
				for (unsigned int rotate = 0; rotate < size; rotate++) {
					unsigned int imms = (0x3fu & ~(2 * size - 1)) | (ones - 1);
					unsigned int width = sf ? 64 : 32;
					uint64_t want = 0, value = 0;

					for (unsigned int bit = 0; bit < width; bit++)
						if ((bit + rotate) % size < ones)
							want |= UINT64_C(1) << bit;
					cr_assert(a64_logical_immediate(sf, size == 64, rotate,
									imms, &value));
					cr_expect_eq(value, want, "size %u, %u ones, rotate %u",
						     size, ones, rotate);
					count++;
				}
		cr_expect_eq(count, sf ? 5334u : 1302u);
	}
}

Test(a64_table, logical_immediate_leaves_the_value_alone_when_reserved)
{
	uint64_t value = 42;

	cr_expect_not(a64_logical_immediate(false, 1, 0, 0, &value));
	cr_expect_not(a64_logical_immediate(true, 1, 0, 63, &value));
	cr_expect_not(a64_logical_immediate(true, 0, 0, 63, &value));
	cr_expect_not(a64_logical_immediate(true, 0, 0, 62, &value));
	cr_expect_not(a64_logical_immediate(true, 0, 0, 61, &value));
	cr_expect_not(a64_logical_immediate(true, 0, 0, 31, &value));
	cr_expect_eq(value, 42);
}

Test(a64_table, conditions)
{
	/* For each condition the 16 values of NZCV as a set: bit v is set if it holds with NZCV =
	 * v. */
	static const uint16_t holds[16] = {
		0xf0f0, 0x0f0f, 0xcccc, 0x3333, 0xff00, 0x00ff, 0xaaaa, 0x5555,
		0x0c0c, 0xf3f3, 0xaa55, 0x55aa, 0x0a05, 0xf5fa, 0xffff, 0xffff,
	};

	for (unsigned int cond = 0; cond < 16; cond++)
		for (unsigned int nzcv = 0; nzcv < 16; nzcv++)
			cr_expect_eq(a64_condition_holds(cond, nzcv), (holds[cond] >> nzcv) & 1,
				     "cond %u, nzcv %u", cond, nzcv);
}
