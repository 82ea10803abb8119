/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cracking of A64 instructions into micro-ops, for profiling without FEAT_SPE_ArchInst. How a
 * PE cracks is IMPLEMENTATION DEFINED (Arm ARM D17.2); docs/records.md has the list for users.
 *
 * A load or store of one or two registers (no exclusive, no atomic: those are one access) is a
 * transfer for each register; if it writes its base back, an address micro-op follows. All else is
 * one micro-op.
 */
#include "a64/a64.h"

/* How a load's or store's address mode cracks. */
struct cracking {
	uint8_t transfers;
	/* the base is written back: always, or where the field of two bits at lsb holds 0b11 */
	bool post;
	uint8_t pre_lsb; /* 0: never */
};

static const struct cracking crackings[] = {
	[A64_ADDR_IMM9] = {.transfers = 1, .pre_lsb = 10},
	[A64_ADDR_POST9] = {.transfers = 1, .post = true},
	[A64_ADDR_PAIR] = {.transfers = 2, .pre_lsb = 23},
	[A64_ADDR_PAIR_POST] = {.transfers = 2, .post = true},
};

static struct cracking crack(const struct a64_insn *insn)
{
	if (!insn || (insn->operation != A64_OP_LOAD && insn->operation != A64_OP_STORE) ||
	    insn->address >= sizeof(crackings) / sizeof(crackings[0]))
		return (struct cracking){0};
	return crackings[insn->address];
}

unsigned int a64_micro_ops(const struct a64_insn *insn, uint32_t word,
			   struct a64_micro_op ops[A64_MICRO_OPS_MAX])
{
	const struct cracking c = crack(insn);
	unsigned int n = 0;

	for (; n < c.transfers; n++)
		ops[n] = (struct a64_micro_op){A64_MICRO_OP_TRANSFER, (uint8_t)n};
	if (n == 0)
		ops[n++] = (struct a64_micro_op){A64_MICRO_OP_WHOLE, 0};
	if (c.post || (c.pre_lsb && a64_field(word, c.pre_lsb, 2) == 3))
		ops[n++] = (struct a64_micro_op){A64_MICRO_OP_ADDRESS, 0};
	return n;
}
