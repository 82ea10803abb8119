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
#include "../sysreg/assertion.h"

/* How a load's or store's address mode cracks. */
struct cracking {
	uint8_t transfers;
	bool writes_back;
};

static struct cracking crack_access(const struct a64_insn *insn)
{
	if (!insn || (insn->operation != A64_OP_LOAD && insn->operation != A64_OP_STORE))
		return (struct cracking){0};
	switch (insn->address) {
	case A64_ADDR_OFFSET9:
	case A64_ADDR_UNPRIVILEGED:
	case A64_ADDR_AUTHENTICATED:
	case A64_ADDR_PAIR: return (struct cracking){insn->count, false};
	case A64_ADDR_PRE9:
	case A64_ADDR_POST9:
	case A64_ADDR_AUTHENTICATED_PRE:
	case A64_ADDR_PAIR_PRE:
	case A64_ADDR_PAIR_POST: return (struct cracking){insn->count, true};
	default: return (struct cracking){0};
	}
}

unsigned int a64_micro_ops(const struct a64_insn *insn, struct a64_micro_op ops[A64_MICRO_OPS_MAX])
{
	const struct cracking c = crack_access(insn);
	unsigned int n = 0;

	vspe_assert_of(c.transfers <= A64_MICRO_OPS_MAX - 1, c.transfers, c.writes_back);
	/* A pair is the most that is cracked; gcc -O3 needs the bound. */
	for (; n < c.transfers && n < A64_MICRO_OPS_MAX - 1; n++)
		ops[n] = (struct a64_micro_op){A64_MICRO_OP_TRANSFER, (uint8_t)n};
	if (n == 0)
		ops[n++] = (struct a64_micro_op){A64_MICRO_OP_WHOLE, 0};
	if (c.writes_back)
		ops[n++] = (struct a64_micro_op){A64_MICRO_OP_ADDRESS, 0};
	return n;
}
