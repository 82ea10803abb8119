/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine model is told of an operation: all that a record would have, where its
 * instruction is fetched from, and which descriptors are read for a page that no TLB has.
 */
#include "soft/run/model.h"

#include <stdlib.h>
#include <string.h>

#include "arm/model.h"
#include "arm/model_state.h"
#include "soft/mem/regime.h"
#include "soft/run/block.h"

bool soft_model_create(struct soft_vm *vm, const struct engine_tuning *tuning)
{
	struct soft_model *model;

	if (vm->model || !tuning || tuning->model_mode == SOFT_MODEL_OFF)
		return true;
	model = calloc(1, sizeof(*model));
	if (!model)
		return false;
	model->memory = malloc(model_size(&tuning->model, vm->count));
	if (!model->memory) {
		free(model);
		return false;
	}
	model->mode = tuning->model_mode;
	model->window = tuning->model_window;
	model->machine = model_init(model->memory, &tuning->model, vm->count);
	vm->model = model;
	return true;
}

void soft_model_destroy(struct soft_vm *vm)
{
	if (vm->model)
		free(vm->model->memory);
	free(vm->model);
	vm->model = NULL;
}

uint64_t soft_model_ahead(const struct soft_cpu *cpu, uint64_t budget)
{
	const struct soft_model *model = cpu->vm->model;

	if (model->mode == SOFT_MODEL_FULL || budget <= (uint64_t)model->window + 1)
		return 0;
	return budget == UINT64_MAX ? budget : budget - 1 - model->window;
}

bool soft_model_timed(const struct soft_cpu *cpu, uint64_t budget)
{
	return cpu->vm->model->mode == SOFT_MODEL_FULL || budget == 1;
}

enum model_flow soft_model_flow(unsigned int id)
{
	const struct a64_insn *insn = id == A64_COUNT ? NULL : &a64_table[id];

	switch (insn ? insn->operation : A64_OP_OTHER) {
	case A64_OP_BRANCH: return MODEL_FLOW_DIRECT;
	case A64_OP_BRANCH_LINK: return MODEL_FLOW_CALL;
	case A64_OP_BRANCH_COND: return MODEL_FLOW_CONDITIONAL;
	case A64_OP_BRANCH_REG:
		return insn->target == A64_TARGET_ERET ? MODEL_FLOW_EXCEPTION_RETURN
						       : MODEL_FLOW_INDIRECT;
	case A64_OP_CALL_REG: return MODEL_FLOW_INDIRECT_CALL;
	case A64_OP_RETURN: return MODEL_FLOW_RETURN;
	default: return MODEL_FLOW_NONE;
	}
}

static bool note_descriptor(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	const struct soft_walker *walker = ctx;
	const uint8_t *at = soft_ram(walker->cpu->vm, pa, sizeof(*descriptor));

	if (!at)
		return false;
	if (walker->walk->count < MODEL_WALK_MAX)
		walker->walk->descriptors[walker->walk->count++] = pa;
	memcpy(descriptor, at, sizeof(*descriptor));
	return true;
}

static void keep_descriptor(void *ctx, uint64_t pa, uint64_t descriptor)
{
	(void)ctx, (void)pa, (void)descriptor;
}

void soft_model_walk(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	struct soft_walker *walker = ctx;
	const unsigned int el = data ? walker->data_el : walker->fetch_el;
	const enum arm_access access = !data ? ARM_EXECUTE : walker->write ? ARM_WRITE : ARM_READ;
	struct arm_regime regime = soft_regime_of(walker->cpu, el);
	struct arm_translation t;

	walker->walk = walk;
	regime.keep = true;
	regime.ctx = walker;
	regime.read = note_descriptor;
	regime.write = keep_descriptor;
	if (arm_translate(&regime, va, access, el, &t))
		walk->shift = 64u - (unsigned int)__builtin_clzll(t.page_mask);
}

void soft_model_before(struct soft_cpu *cpu, const struct soft_op *op, uint64_t budget,
		       struct soft_seen *seen)
{
	const struct soft_sys *sys = &cpu->sys;
	const struct soft_block *block = soft_block_of(op);
	const unsigned int el = sys->pstate.el;
	struct soft_walker walker = {.cpu = cpu, .fetch_el = el};
	const struct model_facts facts = {
		.fetch_pa = block->pa + 4 * (uint64_t)op->index,
		.regime = (uint8_t)arm_regime_at(&sys->controls, el),
		.tables = soft_has_tables(sys, el),
		.ctx = &walker,
		.walk = soft_model_walk,
	};

	seen->timed = soft_model_timed(cpu, budget);
	if (seen->timed && cpu->vm->model->mode == SOFT_MODEL_SAMPLED)
		model_core_rest(cpu->vm->model->machine, cpu->index);
	seen->sample.status = 31;
	seen->sample.element = 0;
	seen->sample.last = 0;
	seen->sample.data_el = 0;
	seen->sample.wrote = false;
	seen->waits = !soft_sample_known(cpu, op, &seen->sample);
	seen->flow = soft_model_flow(block->classes[op->index].id);
	seen->held = model_core_fetch(cpu->vm->model->machine, cpu->index, soft_op_pc(op), &facts);
}

static enum model_place place_of(const struct soft_cpu *cpu, const struct soft_sample *s,
				 bool excepted)
{
	const struct spe_op *r = &s->record;

	if (excepted || !(r->flags & SPE_OP_PA_VALID))
		return MODEL_NOWHERE;
	if (r->events & SPE_EVENT_L1D_ACCESS)
		return MODEL_RAM;
	return s->status != 31 && cpu->x[s->status] != 0 ? MODEL_UNACCESSED : MODEL_DEVICE;
}

void soft_model_after(struct soft_cpu *cpu, struct soft_seen *seen, bool excepted)
{
	const struct soft_sys *sys = &cpu->sys;
	struct soft_sample *s = &seen->sample;
	struct spe_op *r = &s->record;
	struct soft_walker walker = {.cpu = cpu, .write = s->wrote};
	struct model_facts facts = {
		.flow = seen->flow,
		.excepted = excepted,
		.flush = excepted || seen->flow == MODEL_FLOW_EXCEPTION_RETURN,
		.ctx = &walker,
		.walk = soft_model_walk,
	};

	if (seen->waits)
		soft_sample_after(cpu, s, excepted);
	walker.data_el = s->data_el;
	facts.place = place_of(cpu, s, excepted);
	facts.data_regime = (uint8_t)arm_regime_at(&sys->controls, s->data_el);
	facts.data_tables = soft_has_tables(sys, s->data_el);
	facts.size = sys->nvmem.accessed ? 8 : (uint32_t)(s->last - r->data_va) + s->element;
	if (seen->timed)
		model_core_execute(cpu->vm->model->machine, cpu->index, &facts, seen->held, r);
	else
		model_core_warm(cpu->vm->model->machine, cpu->index, &facts, r);
}

void soft_model_show(const struct soft_seen *seen, enum a64_micro_op_kind kind, struct spe_op *op)
{
	const struct spe_op *r = &seen->sample.record;

	op->issue_latency = r->issue_latency;
	if (kind == A64_MICRO_OP_ADDRESS) {
		op->total_latency = (uint16_t)(op->issue_latency + ARM_MODEL_SIMPLE);
		return;
	}
	op->events = (r->events & ~ARM_MODEL_MISALIGNED) | (op->events & ARM_MODEL_MISALIGNED);
	op->total_latency = r->total_latency;
	op->translation_latency = r->translation_latency;
	op->data_source = r->data_source;
}

void soft_model_state(struct soft_cpu *cpu, struct state *state)
{
	struct model *machine = cpu->vm->model->machine;

	if (cpu->index == 0)
		model_shared_state(machine, state);
	model_core_state(&machine->cores[cpu->index], state);
}
