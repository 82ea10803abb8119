/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of instructions: see plan.h. Encodings: Arm ARM C4.1. */
#include "kvm/plan.h"
#include "a64/a64.h"
#include "kvm/access.h"

enum kind {
	PLAIN,	/* the next instruction is behind it, or an exception is taken */
	BRANCH, /* direct: it is known where to */
	APART,	/* to be looked at by itself */
};

/* MRS of what no unit answers; barriers; NOP and the hints that do not wait. */
static enum kind system_kind(uint32_t word)
{
	const uint32_t hint = a64_field(word, 5, 7);
	struct kvm_access access;

	if ((word & 0xfff00000) == 0xd5300000)
		return kvm_access_decode(word, &access) ? APART : PLAIN;
	if ((word & 0xfffff01f) == 0xd503301f)
		return PLAIN;
	/* Not YIELD, WFE, WFI, SEV and SEVL; CLREX is a barrier by its encoding. */
	if ((word & 0xfffff01f) == 0xd503201f)
		return hint == 0 || hint > 5 ? PLAIN : APART;
	return APART;
}

static enum kind kind_of(uint32_t word)
{
	const struct a64_insn *insn;
	struct kvm_access access;

	if (word >> 24 == 0xd4 || kvm_access_decode(word, &access))
		return APART;
	if (word >> 22 == 0x354)
		return system_kind(word);
	switch (word >> 26 & 0x1f) {
	case 0x05:		  /* B, BL */
	case 0x0d: return BRANCH; /* CBZ, CBNZ, TBZ, TBNZ */
	case 0x15: return word >> 24 == 0x54 ? BRANCH : APART;
	default: break;
	}
	/* Others of the group of branches and system instructions. */
	if ((word >> 26 & 7) == 5)
		return APART;
	/* Exclusives, among loads and stores that are ordered. */
	if ((word & 0x3f000000) != 0x08000000)
		return PLAIN;
	insn = a64_decode(word);
	return insn && insn->operation != A64_OP_LOAD_EXCLUSIVE &&
			       insn->operation != A64_OP_STORE_EXCLUSIVE
		       ? PLAIN
		       : APART;
}

static bool is_kept_out(uint64_t va, const uint64_t *keep_out, size_t keep_outs)
{
	for (size_t i = 0; i < keep_outs; i++)
		if (keep_out[i] == va)
			return true;
	return false;
}

/* Those of B.cond with the condition AL always branch; nobody writes them. */
static bool is_conditional(uint32_t word)
{
	return (word >> 26 & 0x1f) != 0x05;
}

/* The branch at pc, which is instruction plan->length, ends the plan, behind it or before it. */
static void end_with_branch(struct kvm_plan *plan, uint64_t start, uint64_t pc, uint32_t word,
			    unsigned int ends, const uint64_t *keep_out, size_t keep_outs)
{
	const unsigned int wanted = is_conditional(word) ? 2 : 1;
	uint64_t target;

	/* A breakpoint within the plan would be met before its end. */
	if (wanted > ends || !a64_branch_target(a64_decode(word), word, pc, &target) ||
	    (target >= start && target <= pc) || is_kept_out(target, keep_out, keep_outs) ||
	    (wanted == 2 && is_kept_out(pc + 4, keep_out, keep_outs)))
		return;
	plan->length++;
	plan->end[0] = target;
	plan->end[1] = pc + 4;
	plan->ends = wanted;
}

struct kvm_plan kvm_plan(uint64_t pc, const uint32_t *words, size_t count, uint64_t most,
			 unsigned int ends, const uint64_t *keep_out, size_t keep_outs)
{
	struct kvm_plan plan = {.ends = 1};
	enum kind kind = PLAIN;
	uint64_t at = pc;

	if (most < count)
		count = (size_t)most;
	if (is_kept_out(pc, keep_out, keep_outs))
		return plan;
	while (plan.length < count) {
		kind = kind_of(words[plan.length]);
		if (kind != PLAIN || is_kept_out(at + 4, keep_out, keep_outs))
			break;
		plan.length++;
		at += 4;
	}
	plan.end[0] = at;
	if (kind == BRANCH && plan.length < count)
		end_with_branch(&plan, pc, at, words[plan.length], ends, keep_out, keep_outs);
	return plan;
}

unsigned int kvm_plan_executed(const struct kvm_plan *plan, uint64_t start, uint64_t pc)
{
	for (unsigned int i = 0; i < plan->ends; i++)
		if (plan->end[i] == pc)
			return plan->length;
	if (pc >= start && pc % 4 == 0 && (pc - start) / 4 < plan->length)
		return (unsigned int)((pc - start) / 4);
	return plan->length + 1;
}
