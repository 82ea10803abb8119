/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting. A block subtracts its instructions when it is entered. If the next selection is in it,
 * or if it follows something unpredictable, it calls back first. Instructions that a block did not
 * reach, because of an exception or an access to a device, are added again (docs/decisions/qemu.md,
 * QEMU-3).
 */
#include "qemu/count.h"

#include "arm/syndrome.h"
#include "qemu/level.h"
#include "qemu/line.h"
#include "qemu/watch.h"

/* If nothing will be selected, after how many instructions a block calls back all the same. */
#define FAR (UINT64_C(1) << 26)

/* n members have executed without a sample among them. */
static void advance(struct vcpu *v, uint64_t n)
{
	while (n && spe_enabled(&v->unit)) {
		const uint64_t budget = spe_budget(&v->unit);
		const uint64_t part = n < budget ? n : budget;

		if (spe_advance(&v->unit, part) == SPE_SELECTED) {
			spe_abandon(&v->unit);
			v->missed++;
		}
		n -= part;
	}
}

void count_settle(struct vcpu *v, uint64_t rest, const struct outcome *end)
{
	struct plan *plan = &v->plan;
	const uint64_t n = v->base - v->score->left - rest;
	bool selected;

	v->base = v->score->left + rest;
	v->quiet += n;
	if (!plan->any || n < plan->ahead) {
		plan->ahead -= plan->any ? n : 0;
		advance(v, n);
		return;
	}
	/*
	 * Its record is made when all of the block has been counted: an interrupt that it causes is
	 * taken after the block, and no operation between the two is lost.
	 */
	selected = spe_advance(&v->unit, plan->ahead) == SPE_SELECTED;
	advance(v, n - plan->ahead);
	plan->any = false;
	if (selected)
		operation_finish(v, end);
}

uint64_t count_rest(const struct vcpu *v, const struct place *place)
{
	return v->score->block == (uintptr_t)place->block ? place->block->count - 1 - place->index
							  : 0;
}

void count_soon(struct vcpu *v)
{
	v->base -= v->score->left;
	v->score->left = 0;
}

void count_leave(struct vcpu *v)
{
	v->plan.any = false;
	v->score->target = NO_TARGET;
	v->score->block = v->score->branch = 0;
	v->base = v->score->left = 0;
}

/* A selected operation is at index i of the block, which has not begun. */
static void select_at(struct vcpu *v, const struct block *block, uint64_t i)
{
	const struct place *first = &block->at[0], *place = &block->at[i];

	v->base = v->score->left = block->count; /* so that the next one calls back */
	if (place->armed)
		v->score->target = i;
	else
		operation_plan(v, place, place_pc(v, first) + (place->va - first->va), i + 1);
}

/* QEMU is slow to provide the PC: get it only for a branch, or for what is planned. */
static struct outcome outcome_at(const struct vcpu *v, const struct place *place)
{
	const bool branch = v->plan.any && v->plan.op.flags & SPE_OP_BRANCH;

	return (struct outcome){
		.pc = branch ? place_pc(v, place) : 0,
		.el = v->stale ? level_now(v) : v->controls.el,
	};
}

void count_block(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct outcome end = outcome_at(v, place);
	uint64_t budget;

	count_settle(v, 0, &end);
	if (v->stale)
		level_update(v);
	v->score->target = NO_TARGET;
	budget = spe_budget(&v->unit);
	if (line_update(v)) {
		/* Take it here, and not after the block. */
		count_leave(v);
		qemu_plugin_set_pc(place_pc(v, place));
	}
	if (budget == UINT64_MAX)
		watch_idle(v);
	if (budget <= place->block->count)
		select_at(v, place->block, budget - 1);
	else
		v->base = v->score->left = budget < FAR ? budget : FAR;
}

void count_target(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const uint64_t rest = place->block->count - place->index; /* with this one */
	const uint64_t pc = place_pc(v, place);
	uint64_t budget;

	count_settle(v, rest, &(struct outcome){pc, v->controls.el});
	v->score->target = NO_TARGET;
	budget = spe_budget(&v->unit);
	if (budget == 1 && !v->plan.any)
		operation_plan(v, place, pc, 1);
	if (v->plan.any)
		budget = 2; /* what follows may have to finish it */
	if (budget <= rest && place[budget - 1].armed)
		v->score->target = place->index + budget - 1;
}

/* The class of the exception that was just taken, without its level: ESR_ELx.EC. */
static unsigned int class_taken(const struct vcpu *v)
{
	static const enum register_id esr[] = {QEMU_ESR_EL1, QEMU_ESR_EL1, QEMU_ESR_EL2,
					       QEMU_ESR_EL3};

	return arm_ec_of(register_get(&v->registers, esr[level_now(v)]));
}

/* Is it an exception that no instruction of a block takes? */
static bool is_outside(unsigned int class)
{
	switch (class & ~ARM_EC_SAME_EL) {
	case ARM_EC_FETCH_ABORT:
	case ARM_EC_PC_ALIGNMENT:
	case ARM_EC_BREAKPOINT:
	case ARM_EC_STEP: return true;
	default: return false;
	}
}

/* Does QEMU report that it was taken at the next instruction, which it returns to? */
static bool is_call(unsigned int class)
{
	return class == ARM_EC_SVC || class == ARM_EC_HVC || class == ARM_EC_SMC;
}

/*
 * The index of the block's instruction at pc, at whatever virtual address the block runs; count if
 * there is none.
 */
static uint32_t index_of(const struct block *block, uint64_t pc)
{
	uint32_t i = 0;

	while (i < block->count && (block->at[i].va & 0xfff) != (pc & 0xfff))
		i++;
	return i;
}

/* How many instructions the block had already counted after the one at pc, where it was left. */
static uint64_t rest_behind(const struct vcpu *v, uint64_t pc)
{
	const struct block *block = (const struct block *)(uintptr_t)v->score->block;
	const uint32_t i = block ? index_of(block, pc) : 0;

	return block && i < block->count ? block->count - 1 - i : 0;
}

/* An interrupt is taken between two blocks; for other exceptions the registers tell where. */
void count_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from,
			 uint64_t to, void *ctx)
{
	struct vcpu *v = &plugin.vcpus[index];
	const struct outcome end = {from, v->controls.el};
	uint64_t rest = 0;

	(void)to;
	(void)ctx;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		const unsigned int class = class_taken(v);
		const uint64_t pc = is_call(class) ? from - 4 : from;

		rest = is_outside(class) ? 0 : rest_behind(v, pc);
		v->plan.excepted = !is_outside(class) && pc == v->plan.op.pc;
		v->plan.aborted = (class & ~ARM_EC_SAME_EL) == ARM_EC_DATA_ABORT;
	}
	count_settle(v, rest, &end);
	v->stale = true;
	v->switches++;
	count_leave(v);
}

/*
 * QEMU leaves a block at an instruction that accesses a device, and executes that alone, without
 * the callbacks of a block. That is the case if the last block that was entered is another one.
 */
void count_lone_access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t va, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct block *block = (const struct block *)(uintptr_t)v->score->block;
	uint32_t i;

	(void)info;
	(void)va;
	if (!block || block == place->block)
		return;
	i = index_of(block, place->va);
	if (i < block->count && block->at[i].word == place->word) {
		/* It has not finished: the next block shows its outcome. */
		v->base -= block->count - 1 - i;
		v->plan.any = v->plan.any && v->plan.ahead <= v->base - v->score->left;
	}
	v->score->block = 0;
	v->score->target = NO_TARGET;
	count_soon(v);
}
