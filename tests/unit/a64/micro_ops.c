/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cracking of instructions into micro-ops, as docs/records.md has it. The words are GNU as's.
 */
#include <string.h>
#include "../compare.h"
#include "a64/a64.h"

/* RULE("RLMHHC") */
Test(a64_micro_ops, cracking)
{
	static const struct {
		const char *text;
		uint32_t word;
		const char *ops; /* w whole, 0 and 1 transfer of that register, a address */
	} rows[] = {
		{"ldp x3, x4, [x2]", 0xa9401043, "01"},
		{"ldp x3, x4, [x2], #16", 0xa8c11043, "01a"},
		{"stp x3, x4, [x2, #-16]!", 0xa9bf1043, "01a"},
		{"ldpsw x3, x4, [x2, #8]!", 0x69c11043, "01a"},
		{"stp w3, w4, [x2], #8", 0x28811043, "01a"},
		{"ldnp x3, x4, [x2]", 0xa8401043, "01"},
		{"ldr x5, [x2], #8", 0xf8408445, "0a"},
		{"str x5, [x2, #-8]!", 0xf81f8c45, "0a"},
		{"ldrsb x3, [x2], #1", 0x38801443, "0a"},
		{"ldtr x3, [x2]", 0xf8400843, "0"},
		{"ldur x3, [x2, #1]", 0xf8401043, "0"},
		{"ldr x3, [x2, #8]", 0xf9400443, "w"},
		{"ldr x3, [x2, x1]", 0xf8616843, "w"},
		{"ldr x3, .+8", 0x58000043, "w"},
		{"prfum pldl1keep, [x2, #1]", 0xf8801040, "w"},
		{"ldxp x3, x4, [x2]", 0xc87f1043, "w"},
		{"casp x4, x5, x6, x7, [x2]", 0x48247c46, "w"},
		{"ldadd x3, x4, [x2]", 0xf8230044, "w"},
		{"ldar x3, [x2]", 0xc8dffc43, "w"},
		{"subs x9, x9, #1", 0xf1000529, "w"},
		{"b .+8", 0x14000002, "w"},
		{"eret", 0xd69f03e0, "w"},
		{"undefined", 0x00000000, "w"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_micro_op ops[A64_MICRO_OPS_MAX];
		const unsigned int count = a64_micro_ops(a64_decode(rows[i].word), ops);

		cr_assert_eq(count, strlen(rows[i].ops), "%s: %u", rows[i].text, count);
		for (unsigned int n = 0; n < count; n++) {
			char got = 'w';

			if (ops[n].kind == A64_MICRO_OP_ADDRESS)
				got = 'a';
			else if (ops[n].kind == A64_MICRO_OP_TRANSFER)
				got = (char)('0' + ops[n].part);
			cr_assert_eq(got, rows[i].ops[n], "%s: micro-op %u", rows[i].text, n);
		}
	}
}
