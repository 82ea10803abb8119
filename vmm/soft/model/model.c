/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine model learns of an operation: all that a record would have, where its
 * instruction is fetched from, and which descriptors are read for a page that is in no TLB.
 */
#include "soft/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "arm/model.h"
#include "arm/model_counts.h"
#include "arm/model_facts.h"
#include "arm/model_state.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"
#include "soft/model/filter.h"
#include "soft/sys/pmu.h"

/* The needs of an operation depend only on its word: cache those of recent words, by a hash. */
#define NEEDS_BITS 6

struct soft_needs {
	uint32_t word;
	bool known;
	struct model_needs needs;
};

/* With --model warm each L1 has a filter of RAM's lines. They are mostly never touched. */
static bool set_filters(struct soft_vm *vm)
{
	const struct engine_ram *ram = &vm->host.ram;
	const uint64_t lines = ram->size >> MODEL_LINE_SHIFT;

	vm->model->filters = calloc(2 * (size_t)vm->count, lines);
	if (!vm->model->filters)
		return false;
	for (unsigned int n = 0; n < 2 * vm->count; n++) {
		struct model_core *core = &vm->model->machine->cores[n / 2];
		struct model_cache *cache = n % 2 ? &core->l1i : &core->l1d;

		cache->filter = vm->model->filters + n * lines;
		cache->filter_base = ram->base;
		cache->filter_lines = lines;
	}
	return true;
}

bool soft_model_create(struct soft_vm *vm, const struct engine_tuning *tuning)
{
	const struct model_ram ram = {.base = vm->host.ram.base, .nodes = vm->host.nodes};
	struct soft_model *model;

	if (vm->model || !tuning || tuning->model.mode == MODEL_OFF)
		return true;
	model = calloc(1, sizeof(*model));
	if (!model)
		return false;
	model->memory = calloc(1, model_size(&tuning->machine, vm->count, &ram));
	model->needs = calloc(1u << NEEDS_BITS, sizeof(*model->needs));
	model->observers = calloc(vm->count, sizeof(*model->observers));
	if (!model->memory || !model->needs || !model->observers) {
		free(model->observers);
		free(model->needs);
		free(model->memory);
		free(model);
		return false;
	}
	model->mode = tuning->model.mode;
	model->begins = tuning->model_begins;
	model->machine = model_init(model->memory, &tuning->machine, vm->count, &ram);
	vm->model = model;
	if (model->mode == MODEL_WARM && !set_filters(vm)) {
		soft_model_destroy(vm);
		return false;
	}
	return true;
}

void soft_model_destroy(struct soft_vm *vm)
{
	if (vm->model) {
		free(vm->model->filters);
		free(vm->model->observers);
		free(vm->model->needs);
		free(vm->model->memory);
	}
	free(vm->model);
	vm->model = NULL;
}

/* How the operation here is shown, with budget operations up to the next selected one. */
static enum soft_shown shown_as(const struct soft_cpu *cpu, uint64_t budget)
{
	return soft_model_ahead(cpu, budget) ? SOFT_SEEN_WARM : SOFT_SEEN_IN_ORDER;
}

static bool note_descriptor(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	const struct soft_walker *walker = ctx;
	const uint8_t *at = soft_memory(walker->cpu->vm, pa, sizeof(*descriptor));

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

/* Do SCTLR_ELx and HCR_EL2 keep an access as el out of all caches? */
static bool bypasses(const struct soft_sys *sys, unsigned int el, bool data)
{
	const uint64_t sctlr = soft_sctlr_at(sys, el);
	const uint64_t hcr = arm_regime_at(&sys->controls, el) == ARM_REGIME_EL10
				     ? sysreg_hcr(&sys->controls)
				     : 0;

	return model_bypassed(sctlr, hcr, data);
}

/* Which of several accesses is to va? */
static const struct soft_touch *touched_at(const struct soft_walker *walker, uint64_t va)
{
	for (unsigned int n = 0; walker->touched && n < walker->touched->count; n++)
		if (model_untagged(walker->touched->at[n].va) == va)
			return &walker->touched->at[n];
	return NULL;
}

void soft_model_walk(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	struct soft_walker *walker = ctx;
	const struct soft_touch *touch = data ? touched_at(walker, va) : NULL;
	const unsigned int el = touch ? touch->el : data ? walker->data_el : walker->fetch_el;
	const bool write = touch ? touch->write : walker->write;
	const enum arm_access access = !data ? ARM_EXECUTE : write ? ARM_WRITE : ARM_READ;
	struct arm_regime regime = soft_regime_of(walker->cpu, el);
	struct arm_translation t;

	walker->walk = walk;
	regime.keep = true;
	regime.ctx = walker;
	regime.read = note_descriptor;
	regime.write = keep_descriptor;
	if (!arm_translate(&regime, va, access, el, &t))
		return;
	walk->shift = 64u - (unsigned int)__builtin_clzll(t.page_mask);
	walk->uncached = !model_cacheable(t.attr);
	walk->global = t.global;
}

/* Do its counts go to a PMU? */
static bool feeds_pmu(const struct soft_cpu *cpu)
{
	return cpu->sys.pmu && cpu->sys.pmu->unit.config.cycles;
}

static struct model_needs known_needs(struct soft_model *model, unsigned int id, uint32_t word)
{
	struct soft_needs *known = &model->needs[word * UINT32_C(0x9e3779b1) >> (32 - NEEDS_BITS)];

	if (SOFT_UNLIKELY(!known->known || known->word != word))
		*known = (struct soft_needs){
			word, true, model_needs_of(id < A64_COUNT ? &a64_table[id] : NULL, word)};
	return known->needs;
}

void soft_observer_renew(struct soft_cpu *cpu, struct soft_observer *o)
{
	const struct soft_sys *sys = &cpu->sys;
	const unsigned int el = sys->pstate.el;
	const uint8_t regime = (uint8_t)arm_regime_at(&sys->controls, el);
	const bool tables = soft_has_tables(sys, el);

	*o = (struct soft_observer){
		.machine = cpu->vm->model->machine,
		.core = &cpu->vm->model->machine->cores[cpu->index],
		.walker = {.cpu = cpu, .fetch_el = el, .data_el = el},
		.facts = {.regime = regime,
			  .data_regime = regime,
			  .tables = tables,
			  .data_tables = tables,
			  .uncached = bypasses(sys, el, false),
			  .data_uncached = bypasses(sys, el, true),
			  .ctx = &o->walker,
			  .walk = soft_model_walk},
	};
	cpu->model.observed = true;
}

void soft_model_before(struct soft_cpu *cpu, const struct soft_op *op, uint64_t budget,
		       struct soft_seen *seen)
{
	const struct soft_block *block = soft_block_of(op);
	struct soft_observer *o = soft_observer(cpu);
	struct model *machine = o->machine;

	seen->shown = shown_as(cpu, budget);
	seen->faulted = false;
	cpu->warm.on = false; /* until soft_model_after() */
	cpu->model.zeroed.done = false;
	cpu->model.touched.count = 0;
	seen->waits = !soft_sample_known(cpu, op, soft_classify(cpu, op), &seen->sample);
	seen->word = op->word;
	seen->prefetches = block->classes[op->index].prefetches;
	seen->flow = (enum a64_flow)block->classes[op->index].flow;
	o->facts.fetch_pa = block->pa + 4 * (uint64_t)op->index;
	seen->held = model_core_fetch(machine, cpu->index, soft_op_pc(op), &o->facts);
	if (seen->shown != SOFT_SEEN_IN_ORDER) {
		model_core_forget_fetch(o->core);
		return;
	}
	seen->needs = known_needs(cpu->vm->model, block->classes[op->index].id, op->word);
	seen->dispatched = model_core_dispatch(machine, cpu->index, seen->held);
	if (feeds_pmu(cpu))
		soft_pmu_fetched(cpu, seen->held, &seen->needs);
}

static enum model_place place_of(const struct soft_cpu *cpu, const struct soft_sample *s,
				 bool excepted)
{
	const struct spe_op *r = &s->record;

	if (excepted || !(r->flags & SPE_OP_PA_VALID))
		return MODEL_NOWHERE;
	if (s->ram)
		return MODEL_RAM;
	return s->status != 31 && cpu->x[s->status] != 0 ? MODEL_UNACCESSED : MODEL_DEVICE;
}

/* PRFM: what may be read, and is RAM. */
static void prefetch(struct soft_cpu *cpu, const struct soft_seen *seen,
		     const struct model_facts *facts)
{
	const unsigned int el = cpu->sys.pstate.el;
	struct model_prefetch wanted;
	struct arm_regime regime = soft_regime_of(cpu, el);
	struct arm_translation t;

	regime.keep = true;
	if (!model_prefetch_of(seen->word, &wanted) ||
	    !soft_data_address(cpu, seen->word, seen->sample.record.pc, &wanted.va) ||
	    !arm_translate(&regime, wanted.va, ARM_READ, el, &t) || !soft_memory(cpu->vm, t.pa, 1))
		return;
	wanted.pa = t.pa;
	model_core_prefetch(cpu->vm->model->machine, cpu->index, facts, &wanted);
}

/* DC ZVA: its record has no address, but the model needs one. */
static void show_zeroed(const struct soft_cpu *cpu, struct soft_sample *s,
			struct model_facts *facts)
{
	s->data_el = s->record.el;
	s->record.data_va = cpu->model.zeroed.va;
	s->record.data_pa = cpu->model.zeroed.pa;
	facts->place = MODEL_ZEROED;
	facts->size = SOFT_ZVA_SIZE;
}

/*
 * The context of el, if there is an access: the operation may have changed the Exception level
 * since.
 */
static void show_data_context(struct soft_cpu *cpu, bool accesses, unsigned int el,
			      struct model_facts *facts)
{
	const struct model_facts *here = &soft_observer(cpu)->facts;
	const struct soft_sys *sys = &cpu->sys;

	if (SOFT_LIKELY(el == sys->pstate.el || !accesses)) {
		facts->data_regime = here->regime;
		facts->data_tables = here->tables;
		facts->data_uncached = here->data_uncached;
		return;
	}
	facts->data_regime = (uint8_t)arm_regime_at(&sys->controls, el);
	facts->data_tables = soft_has_tables(sys, el);
	facts->data_uncached = bypasses(sys, el, true);
}

/* The accesses of an operation that makes several. Returns how many there are. */
static uint32_t show_touched(struct soft_cpu *cpu, struct model_piece pieces[SOFT_TOUCHED])
{
	const struct soft_touched *touched = &cpu->model.touched;
	uint32_t count = 0;

	for (unsigned int n = 0; n < touched->count; n++) {
		const struct soft_touch *touch = &touched->at[n];
		const struct soft_accessed at =
			soft_sample_place(cpu, touch->va, touch->write, touch->el);

		if (at.there)
			pieces[count++] = (struct model_piece){
				.va = touch->va,
				.pa = at.pa,
				.size = touch->size,
				.place = at.ram ? MODEL_RAM : MODEL_DEVICE,
				.store = touch->write,
				.holes = touch->holes,
			};
	}
	return count;
}

/* The next operation is shown by its accesses alone. */
static void end_window(struct model_core *core)
{
	model_core_drain(core);
	model_core_forget_fetch(core);
}

void soft_model_after(struct soft_cpu *cpu, struct soft_seen *seen, bool excepted)
{
	const struct soft_sys *sys = &cpu->sys;
	struct soft_sample *s = &seen->sample;
	struct spe_op *r = &s->record;
	struct soft_walker walker = {.cpu = cpu, .write = s->wrote || cpu->model.zeroed.done};
	struct model *machine = cpu->vm->model->machine;
	struct model_piece pieces[SOFT_TOUCHED];
	struct model_facts facts = {
		.flow = seen->flow,
		.excepted = excepted,
		.flush = excepted || seen->flow == A64_FLOW_EXCEPTION_RETURN,
		.ctx = &walker,
		.walk = soft_model_walk,
	};

	if (seen->waits)
		soft_sample_ended(cpu, s, excepted,
				  seen->faulted ? cpu->fault.ec
						: arm_ec_of(sys->esr[sys->pstate.el]));
	facts.place = place_of(cpu, s, excepted);
	facts.size = sys->nvmem.accessed ? 8 : (uint32_t)(s->last - r->data_va) + s->element;
	if (SOFT_UNLIKELY(cpu->model.zeroed.done))
		show_zeroed(cpu, s, &facts);
	else if (SOFT_UNLIKELY(seen->prefetches))
		s->data_el = r->el;
	walker.data_el = s->data_el;
	show_data_context(cpu,
			  r->flags & SPE_OP_VA_VALID || cpu->model.zeroed.done || seen->prefetches,
			  s->data_el, &facts);
	if (SOFT_UNLIKELY(cpu->model.touched.count)) {
		walker.touched = &cpu->model.touched;
		facts.piece_count = show_touched(cpu, pieces);
		facts.pieces = pieces;
		facts.gathers = cpu->model.touched.gathers;
	}
	if (seen->shown == SOFT_SEEN_WARM) {
		model_core_warm(machine, cpu->index, &facts, r);
	} else {
		facts.needs = seen->needs;
		model_core_execute(machine, cpu->index, &facts, seen->held, r);
	}
	if (seen->shown != SOFT_SEEN_WARM &&
	    soft_model_ahead(cpu, sys->spe ? spe_budget(sys->spe) : UINT64_MAX))
		end_window(&machine->cores[cpu->index]);
	if (SOFT_UNLIKELY(seen->prefetches) && !excepted)
		prefetch(cpu, seen, &facts);
	if (feeds_pmu(cpu))
		soft_pmu_modelled(cpu);
	soft_warm_settle(cpu);
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

bool soft_model_collides(const struct soft_cpu *cpu, uint64_t cycle, unsigned int selected)
{
	const struct soft_model *model = cpu->vm->model;
	const unsigned int most = spe_unit_config(cpu->sys.spe)->in_flight;

	return model->mode == MODEL_FULL &&
	       model_core_in_flight(&model->machine->cores[cpu->index], cycle) + selected >= most;
}

void soft_model_fly(struct soft_cpu *cpu, uint64_t cycle, const struct spe_op *op)
{
	struct soft_model *model = cpu->vm->model;

	if (model->mode == MODEL_FULL)
		model_core_fly(&model->machine->cores[cpu->index], cycle,
			       cycle + op->total_latency);
}

void soft_model_state(struct soft_cpu *cpu, struct state *state)
{
	struct model *machine = cpu->vm->model->machine;
	struct model_core *core = &machine->cores[cpu->index];

	soft_tlb_contexts(cpu);
	if (state->loading && cpu->vm->model->begins)
		return;
	/* How the fast loop went on must not show. */
	if (!state->loading && cpu->vm->model->mode == MODEL_WARM)
		model_counts_keep_misses(core);
	if (cpu->index == 0)
		model_shared_state(machine, state);
	model_core_state(machine, cpu->index, state);
	if (state->loading)
		soft_warm_restored(cpu);
}
