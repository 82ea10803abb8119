/* SPDX-License-Identifier: BSD-2-Clause */
/* Which registers an instruction reads and writes. The words are GNU as's. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "a64/a64.h"

/* "x1 sp v31" and so on; base has those after '!', flags is nzcv. */
static void read_text(const char *text, uint64_t *set, uint64_t *base, bool *flags)
{
	char copy[64], *save = NULL;

	strncpy(copy, text, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const bool based = *word == '!';
		const char *name = word + based;
		const unsigned int n = (unsigned int)atoi(name + 1);
		const uint64_t bit = *name == 'x'   ? A64_SET_X(n)
				     : *name == 'v' ? A64_SET_V(n)
				     : *name == 's' ? A64_SET_SP
						    : 0;

		*set |= bit;
		*base |= based ? bit : 0;
		*flags |= *name == 'n';
	}
}

Test(a64_register_sets, by_instruction)
{
	static const struct {
		const char *text;
		uint32_t word;
		const char *reads, *writes;
	} rows[] = {
		{"add x0, x1, x2", 0x8b020020, "x1 x2", "x0"},
		{"add sp, sp, #16", 0x910043ff, "s", "s"},
		{"cmp sp, #16", 0xf10043ff, "s", "n"},
		{"cmp x3, x4", 0xeb04007f, "x3 x4", "n"},
		{"mov x5, xzr", 0xaa1f03e5, "", "x5"},
		{"and sp, x1, #0xf0", 0x927c0c3f, "x1", "s"},
		{"adc x0, x1, x2", 0x9a020020, "x1 x2 n", "x0"},
		{"csel x0, x1, x2, eq", 0x9a820020, "x1 x2 n", "x0"},
		{"ccmp x1, x2, #0, eq", 0xfa420020, "x1 x2 n", "n"},
		{"b.eq .", 0x54000000, "n", ""},
		{"cbz x7, .", 0xb4000007, "x7", ""},
		{"bl .", 0x94000000, "", "x30"},
		{"blr x9", 0xd63f0120, "x9", "x30"},
		{"ret", 0xd65f03c0, "x30", ""},
		{"eret", 0xd69f03e0, "", ""},
		{"madd x0, x1, x2, x3", 0x9b020c20, "x1 x2 x3", "x0"},
		{"movz x6, #1", 0xd2800026, "", "x6"},
		{"movk x6, #1", 0xf2800026, "x6", "x6"},
		{"bfi x6, x7, #4, #4", 0xb37c0ce6, "x6 x7", "x6"},
		{"adr x8, .", 0x10000008, "", "x8"},
		{"mrs x3, pmccntr_el0", 0xd53b9d03, "", "x3"},
		{"msr pmcr_el0, x3", 0xd51b9c03, "x3", ""},
		{"ldr x1, [x2]", 0xf9400041, "x2", "x1"},
		{"ldr xzr, [sp]", 0xf94003ff, "s", ""},
		{"ldr x1, [x2], #8", 0xf8408441, "x2", "x1 !x2"},
		{"str x1, [x2, #-8]!", 0xf81f8c41, "x1 x2", "!x2"},
		{"ldr x1, [x2, x3]", 0xf8636841, "x2 x3", "x1"},
		{"ldr x1, .", 0x58000001, "", "x1"},
		{"ldp x1, x2, [sp], #16", 0xa8c10be1, "s", "x1 x2 !s"},
		{"stp x1, x2, [x3]", 0xa9000861, "x1 x2 x3", ""},
		{"prfm pldl1keep, [x2]", 0xf9800040, "x2", ""},
		{"ldxr x1, [x2]", 0xc85f7c41, "x2", "x1"},
		{"stxr w0, x1, [x2]", 0xc8007c41, "x1 x2", "x0"},
		{"ldxp x1, x3, [x2]", 0xc87f0c41, "x2", "x1 x3"},
		{"stxp w0, x1, x3, [x2]", 0xc8200c41, "x1 x2 x3", "x0"},
		{"ldar x1, [x2]", 0xc8dffc41, "x2", "x1"},
		{"ldadd x1, x2, [x3]", 0xf8210062, "x1 x3", "x2"},
		{"swp x1, x2, [x3]", 0xf8218062, "x1 x3", "x2"},
		{"cas x1, x2, [x3]", 0xc8a17c62, "x1 x2 x3", "x1"},
		{"casp x4, x5, x6, x7, [x3]", 0x48247c66, "x3 x4 x5 x6 x7", "x4 x5"},
		{"ldr q1, [x2]", 0x3dc00041, "x2", "v1"},
		{"ldr d1, [x2, x3]", 0xfc636841, "x2 x3", "v1"},
		{"stp q1, q2, [x3, #-32]!", 0xadbf0861, "v1 v2 x3", "!x3"},
		{"fadd d1, d2, d31", 0x1e7f2841, "v2 v31", "v1"},
		{"fmadd d1, d2, d3, d4", 0x1f431041, "v2 v3 v4", "v1"},
		{"fcmp d1, d2", 0x1e622020, "v1 v2", "n"},
		{"fcsel d1, d2, d3, eq", 0x1e630c41, "v2 v3 n", "v1"},
		{"scvtf d1, x2", 0x9e620041, "x2", "v1"},
		{"fcvtzs x1, d2", 0x9e780041, "v2", "x1"},
		{"fmov x1, d2", 0x9e660041, "v2", "x1"},
		{"fmov d1, x2", 0x9e670041, "x2", "v1"},
		{"dup v1.2d, x2", 0x4e080c41, "x2", "v1"},
		{"umov x1, v2.d[0]", 0x4e083c41, "v2", "x1"},
		{"add v1.2d, v2.2d, v3.2d", 0x4ee38441, "v2 v3", "v1"},
		{"ld2 {v31.16b, v0.16b}, [x2]", 0x4c40805f, "x2", "v31 v0"},
		{"ld1 {v1.16b}, [x2], x3", 0x4cc37041, "x2 x3", "v1 !x2"},
		{"st1 {v1.16b}, [x2], #16", 0x4c9f7041, "v1 x2", "!x2"},
		{"fmla z0.h, z1.h, z7.h[6]", 0x64770020, "v0 v1 v7", "v0"},
		{"fmla z0.d, z1.d, z15.d[1]", 0x64ff0020, "v0 v1 v15", "v0"},
		{"mla z0.s, p1/m, z2.s, z3.s", 0x04834440, "v0 v2 v3", "v0"},
		{"saddv d0, p1, z1.s", 0x04802420, "v1", "v0"},
		{"ext z0.b, {z1.b, z2.b}, #3", 0x05600c20, "v1 v2", "v0"},
		{"tbl z0.b, {z31.b, z0.b}, z2.b", 0x05222be0, "v31 v0 v2", "v0"},
		{"splice z0.b, p1, {z1.b, z2.b}", 0x052d8420, "v1 v2", "v0"},
		{"tbx z0.b, z1.b, z2.b", 0x05222c20, "v0 v1 v2", "v0"},
		{"uqxtnb z0.s, z1.d", 0x45604820, "v1", "v0"},
		{"uqxtnt z0.s, z1.d", 0x45604c20, "v0 v1", "v0"},
		{"fcvtnt z0.h, p1/m, z1.s", 0x6488a420, "v0 v1", "v0"},
		{"aese z0.b, z0.b, z1.b", 0x4522e020, "v0 v1", "v0"},
		{"ldnt1d {z0.d}, p0/z, [z1.d, x7]", 0xc587c020, "v1 x7", "v0"},
		{"insr z0.s, w3", 0x05a43860, "v0 x3", "v0"},
		{"index z0.s, w1, w2", 0x04a24c20, "x1 x2", "v0"},
		{"incb x0", 0x0430e3e0, "x0", "x0"},
		{"addvl sp, sp, #1", 0x043f503f, "sp", "sp"},
		{"clasta w0, p1, w0, z2.s", 0x05b0a440, "x0 v2", "x0"},
		{"ld2b {z31.b, z0.b}, p1/z, [sp, x3]", 0xa423c7ff, "sp x3", "v31 v0"},
		{"st1d {z0.d}, p1, [x2, z5.d, lsl #3]", 0xe5a5a440, "x2 v0 v5", ""},
		{"ld1w {z0.s}, p1/z, [z5.s, #124]", 0x853fc4a0, "v5", "v0"},
		{"cmpgt p0.b, p1/z, z1.b, z2.b", 0x24028430, "v1 v2", "n"},
		{"swpp x0, x1, [x2]", 0x19218040, "x0 x1 x2", "x0 x1"},
		{"ldclrp x0, x1, [x2]", 0x19211040, "x0 x1 x2", "x0 x1"},
		{"casp x2, x3, x4, x5, [x6]", 0x48227cc4, "x2 x3 x4 x5 x6", "x2 x3"},
		{"rcwcasp x2, x3, x4, x5, [x6]", 0x19220cc4, "x2 x3 x4 x5 x6", "x2 x3"},
		{"st64bv x0, x2, [x1]", 0xf820b022, "x1 x2 x3 x4 x5 x6 x7 x8 x9", "x0"},
		{"ld64b x2, [x1]", 0xf83fd022, "x1", "x2 x3 x4 x5 x6 x7 x8 x9"},
		{"stilp w0, w1, [x2, #-8]!", 0x99010840, "x0 x1 x2", "!x2"},
		{"ldiapp x0, x1, [x2], #16", 0xd9410840, "x2", "x0 x1 !x2"},
		{"ldg x0, [x1, #-16]", 0xd97ff020, "x0 x1", "x0"},
		{"stz2g sp, [x1, #32]!", 0xd9e02c3f, "sp x1", "!x1"},
		{"stgp x0, x1, [x2, #-32]", 0x693f0440, "x0 x1 x2", ""},
		{"irg sp, x1, x2", 0x9ac2103f, "x1 x2", "sp"},
		{"subps xzr, sp, x1", 0xbac103ff, "sp x1", "n"},
		{"mrrs x2, x3, ...", 0xd5780002, "", "x2 x3"},
		{"autiasppc .", 0xf380001f, "x30 sp", "x30"},
		{"pacibsppc", 0xdac1a7fe, "x30 sp", "x30"},
		{"udf", 0, "", ""},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct a64_register_sets got =
			a64_register_sets(a64_decode(rows[i].word), rows[i].word);
		struct a64_register_sets want = {0};
		uint64_t none = 0;

		read_text(rows[i].reads, &want.reads, &none, &want.reads_flags);
		read_text(rows[i].writes, &want.writes, &want.base, &want.writes_flags);
		cr_expect_eq(got.reads, want.reads, "%s: reads 0x%lx", rows[i].text, got.reads);
		cr_expect_eq(got.writes, want.writes, "%s: writes 0x%lx", rows[i].text, got.writes);
		cr_expect_eq(got.base, want.base, "%s: base 0x%lx", rows[i].text, got.base);
		cr_expect_eq(got.reads_flags, want.reads_flags, "%s", rows[i].text);
		cr_expect_eq(got.writes_flags, want.writes_flags, "%s", rows[i].text);
	}
}
