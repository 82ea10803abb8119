/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path that a mispredicted branch was predicted to take. It follows the words in memory for as
 * long as the core's L1I has their lines: lines from further away would come too late. It has no
 * effect on the guest, the caches, the TLBs or the predictor.
 */
#include "soft/model/wrong_path.h"

#include <string.h>

#include "a64/a64.h"
#include "soft/mem/regime.h"

/* Where it has come to. */
struct path {
	struct soft_cpu *cpu;
	const struct model_core *core;
	uint64_t pc;
	uint64_t page, pa; /* of the last instruction's page; page 0: none */
};

/* The word at path->pc. false: it is not available. */
static bool fetch_word(struct path *path, uint32_t *word)
{
	struct soft_cpu *cpu = path->cpu;
	const unsigned int el = cpu->sys.pstate.el;
	const uint64_t page = (path->pc & SOFT_PAGE_MASK) | 1;
	const uint8_t *at;
	uint64_t pa;

	if (path->pc & 3)
		return false;
	if (page != path->page) {
		struct arm_regime regime = soft_regime_of(cpu, el);
		struct arm_translation t;

		regime.keep = true;
		if (!arm_translate(&regime, path->pc & SOFT_PAGE_MASK, ARM_EXECUTE, el, &t))
			return false;
		path->page = page;
		path->pa = t.pa;
	}
	pa = path->pa + (path->pc & ~(uint64_t)SOFT_PAGE_MASK);
	at = soft_memory(cpu->vm, pa, sizeof(*word));
	if (!at || !model_cache_find(&path->core->l1i, pa))
		return false;
	memcpy(word, at, sizeof(*word));
	return true;
}

/* Continue after insn as the predictor says. false: the path waits there. */
static bool go_on(struct path *path, const struct a64_insn *insn, uint32_t word)
{
	uint64_t target;

	if (!insn || insn->group == A64_GROUP_EXCEPTION || insn->id == A64_ISB ||
	    insn->operation == A64_OP_BRANCH_REG || insn->operation == A64_OP_CALL_REG ||
	    insn->operation == A64_OP_RETURN)
		return false;
	if (a64_branch_target(insn, word, path->pc, &target) &&
	    (insn->operation != A64_OP_BRANCH_COND ||
	     model_branch_foresees(&path->core->branch, path->pc)))
		path->pc = target;
	else
		path->pc += 4;
	return true;
}

/* The beginning of the path. false: there was no prediction. */
static bool first_place(const struct soft_seen *seen, struct path *path)
{
	const struct spe_op *r = &seen->sample.record;
	const struct model_branch *branch = &path->core->branch;

	if (seen->flow != A64_FLOW_CONDITIONAL) {
		path->pc = branch->guess;
		return branch->guessed;
	}
	path->pc = r->pc + 4;
	return r->flags & SPE_OP_TAKEN ||
	       a64_branch_target(soft_decode(seen->word), seen->word, r->pc, &path->pc);
}

/*
 * Count a member of the population that is dispatched in a cycle. done: when the branch is done,
 * and the path ends.
 */
static void count_member(const struct path *path, const struct a64_insn *insn, uint32_t word,
			 uint64_t cycle, uint64_t done)
{
	struct soft_cpu *cpu = path->cpu;
	struct spe_op r;

	if (spe_advance(cpu->sys.spe, 1) != SPE_SELECTED)
		return;
	if (soft_model_collides(cpu, cycle, 0)) {
		spe_collide(cpu->sys.spe);
		return;
	}
	soft_sample_wrong(cpu, path->pc, insn, word, &r);
	r.issue_latency = r.total_latency = (uint16_t)(done - cycle);
	soft_model_fly(cpu, cycle, &r);
	spe_sample(cpu->sys.spe, &r);
}

void soft_wrong_path(struct soft_cpu *cpu, const struct soft_seen *seen)
{
	const struct model *machine = cpu->vm->model->machine;
	const struct spe_op *r = &seen->sample.record;
	const uint64_t done = seen->dispatched + r->total_latency;
	struct path path = {.cpu = cpu, .core = &machine->cores[cpu->index]};
	struct a64_micro_op micro[A64_MICRO_OPS_MAX] = {{A64_MICRO_OP_WHOLE, 0}};
	uint32_t left, word;

	if (!(r->events & SPE_EVENT_MISPREDICTED) || cpu->vm->model->mode != MODEL_FULL ||
	    !spe_enabled(cpu->sys.spe) || !spe_member(cpu->sys.spe, SPE_OP_MISSPECULATED) ||
	    !first_place(seen, &path))
		return;
	left = model_core_wrong_count(&machine->config, seen->dispatched, done);
	for (uint32_t n = 0; n < left && fetch_word(&path, &word); n++) {
		const struct a64_insn *insn = soft_decode(word);
		const unsigned int count = cpu->sampling.micro_ops ? a64_micro_ops(insn, micro) : 1;
		const uint64_t cycle =
			model_core_wrong_cycle(&machine->config, seen->dispatched, n);

		for (unsigned int m = 0; m < count; m++)
			count_member(&path, micro[m].kind == A64_MICRO_OP_ADDRESS ? NULL : insn,
				     word, cycle, done);
		if (!go_on(&path, insn, word))
			break;
	}
}
