/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of instructions: see plan.h. Encodings: Arm ARM C4.1. */
#include "kvm/step/plan.h"
#include "a64/a64.h"
#include "kvm/trap/access.h"

#define LINK 30u /* the number of the register */

enum kind {
	PLAIN,	/* the next instruction follows it, or an exception is taken */
	BRANCH, /* direct, or RET: it is known where to */
	APART,	/* to be looked at by itself */
};

/*
 * MRS of registers that no unit answers; maintenance; barriers; NOP and the hints that do not wait.
 */
static enum kind system_kind(uint32_t word)
{
	const struct a64_system f = a64_get_system(word);
	const uint32_t hint = f.crm << 3 | f.op2;
	struct kvm_access access;

	if (f.read)
		return f.op0 < 2 || kvm_access_decode(word, &access) ? APART : PLAIN;
	/* Caches and TLBs, and AT: they do not change how the guest runs. */
	if (f.op0 == 1)
		return f.crn == 7 || f.crn == 8 ? PLAIN : APART;
	if (f.op0 != 0 || f.op1 != 3 || f.rt != 31)
		return APART;
	/* Not YIELD, WFE, WFI, SEV and SEVL; CLREX is a barrier by its encoding. */
	if (f.crn == 2)
		return hint == 0 || hint > 5 ? PLAIN : APART;
	return f.crn == 3 ? PLAIN : APART;
}

static bool is_return_by_link(const struct a64_insn *insn, uint32_t word)
{
	return insn && insn->id == A64_RET && a64_rn(word) == LINK;
}

static enum kind kind_of(const struct a64_insn *insn, uint32_t word)
{
	struct kvm_access access;

	if (kvm_access_decode(word, &access))
		return APART;
	switch (a64_group(word)) {
	case A64_GROUP_EXCEPTION: return APART;
	case A64_GROUP_SYSTEM: return system_kind(word);
	case A64_GROUP_BRANCH:
		return is_return_by_link(insn, word) || (insn && insn->target == A64_TARGET_OFFSET)
			       ? BRANCH
			       : APART;
	case A64_GROUP_EXCLUSIVE:
		return insn && insn->operation != A64_OP_LOAD_EXCLUSIVE &&
				       insn->operation != A64_OP_STORE_EXCLUSIVE
			       ? PLAIN
			       : APART;
	default: return PLAIN;
	}
}

/* A plan that is being made. */
struct draft {
	struct kvm_plan *plan;
	const struct kvm_plan_guest *guest;
	unsigned int ends; /* at most */
	bool link_known;   /* what X30 is, after the path so far */
	bool link_read;
	uint64_t link;
};

static bool is_on_path(const struct kvm_plan *plan, uint64_t va)
{
	for (unsigned int i = 0; i < plan->segments; i++)
		if (va - plan->segment[i].start < UINT64_C(4) * plan->segment[i].count)
			return true;
	return false;
}

bool kvm_plan_is_end(const struct kvm_plan *plan, uint64_t pc)
{
	for (unsigned int i = 0; i < plan->ends; i++)
		if (plan->end[i].va == pc)
			return true;
	return false;
}

static bool is_kept_out(const struct kvm_plan_guest *guest, uint64_t va)
{
	for (size_t i = 0; i < guest->keep_outs; i++)
		if (guest->keep_out[i] == va)
			return true;
	return false;
}

/*
 * May an instruction that is not a branch write X30? Then its number is in Rd or Rt, or, for loads
 * and stores, in Rn, Rt2 or Rs.
 */
static bool may_write_link(uint32_t word)
{
	const enum a64_group group = a64_group(word);
	const bool load_or_store = group == A64_GROUP_EXCLUSIVE || group == A64_GROUP_LOAD_STORE ||
				   group == A64_GROUP_ORDERED ||
				   group == A64_GROUP_VECTOR_LOAD_STORE;

	return a64_rt(word) == LINK ||
	       (load_or_store &&
		(a64_rn(word) == LINK || a64_rt2(word) == LINK || a64_rs(word) == LINK));
}

/* The target of the branch at pc. false: it is not known. */
static bool find_target(struct draft *draft, uint64_t pc, const struct a64_insn *insn,
			uint32_t word, uint64_t *target)
{
	if (insn->id != A64_RET)
		return a64_branch_target(insn, word, pc, target);
	if (!draft->link_known)
		return false;
	if (!draft->link_read)
		draft->link = draft->guest->link(draft->guest->ctx);
	draft->link_read = true;
	*target = draft->link;
	/* It must have no tag, whatever TCR_EL1 says of it, and no pointer authentication code. */
	return *target % 4 == 0 && (uint64_t)((int64_t)(*target << 8) >> 8) == *target;
}

/* May the path continue at va, from an instruction at pc that is not on it yet? */
static bool may_lead_to(const struct draft *draft, uint64_t pc, uint64_t va)
{
	return va != pc && !is_on_path(draft->plan, va) && !is_kept_out(draft->guest, va);
}

/* Put the instruction at pc on the path, which continues at next. */
static void append_instruction(struct draft *draft, uint64_t pc, uint64_t next)
{
	struct kvm_plan *plan = draft->plan;

	plan->segment[plan->segments - 1].count++;
	plan->length++;
	if (next == pc + 4)
		return;
	plan->segment[plan->segments++] =
		(struct kvm_plan_segment){.start = next, .first = plan->length};
}

/* The same for a branch, if possible. *next: where the path continues. */
static bool append_branch(struct draft *draft, uint64_t pc, const struct a64_insn *insn,
			  uint32_t word, uint64_t *next)
{
	struct kvm_plan *plan = draft->plan;
	const bool conditional = insn->when != A64_WHEN_ALWAYS;
	uint64_t target, other;

	if (plan->segments == KVM_PLAN_SEGMENTS || !find_target(draft, pc, insn, word, &target))
		return false;
	/* The likely way and the other one. */
	*next = conditional && target > pc ? pc + 4 : target;
	other = *next == target ? pc + 4 : target;
	/* The path's own end needs a breakpoint, too. */
	if (conditional && (plan->ends + 2 > draft->ends || !may_lead_to(draft, pc, other) ||
			    other == *next || kvm_plan_is_end(plan, other)))
		return false;
	if (!may_lead_to(draft, pc, *next) || kvm_plan_is_end(plan, *next))
		return false;
	append_instruction(draft, pc, *next);
	if (conditional)
		plan->end[plan->ends++] =
			(struct kvm_plan_end){.va = other, .executed = plan->length};
	if (insn->id == A64_BL) {
		draft->link_known = draft->link_read = true;
		draft->link = pc + 4;
	}
	return true;
}

void kvm_plan(struct kvm_plan *plan, uint64_t pc, uint64_t most, unsigned int ends,
	      const struct kvm_plan_guest *guest)
{
	struct draft draft = {.plan = plan, .guest = guest, .ends = ends, .link_known = true};
	uint64_t next;
	uint32_t word;

	plan->length = plan->ends = 0;
	plan->segments = 1;
	plan->segment[0] = (struct kvm_plan_segment){.start = pc};
	if (is_kept_out(guest, pc))
		most = 0;
	if (most > KVM_PLAN_MOST)
		most = KVM_PLAN_MOST;
	for (; plan->length < most && guest->fetch(guest->ctx, pc, &word); pc = next) {
		const struct a64_insn *insn = a64_decode(word);
		const enum kind kind = kind_of(insn, word);

		next = pc + 4;
		if (kind == APART ||
		    (kind == BRANCH && !append_branch(&draft, pc, insn, word, &next)))
			break;
		if (kind == BRANCH)
			continue;
		if (!may_lead_to(&draft, pc, next) || kvm_plan_is_end(plan, next))
			break;
		append_instruction(&draft, pc, next);
		draft.link_known = draft.link_known && !may_write_link(word);
	}
	plan->end[plan->ends++] = (struct kvm_plan_end){.va = pc, .executed = plan->length};
}

unsigned int kvm_plan_executed(const struct kvm_plan *plan, uint64_t pc)
{
	for (unsigned int i = 0; i < plan->ends; i++)
		if (plan->end[i].va == pc)
			return plan->end[i].executed;
	for (unsigned int i = 0; i < plan->segments; i++) {
		const uint64_t offset = pc - plan->segment[i].start;

		if (offset % 4 == 0 && offset / 4 < plan->segment[i].count)
			return plan->segment[i].first + (unsigned int)(offset / 4);
	}
	return plan->length + 1;
}
