/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine model (model/core.h) with KVM: what it learns of the operations that are stepped.
 * Their tables and registers are read before and after each, as KVM has them. vCPUs that run at the
 * same time reach it in the host's order.
 */
#include <pthread.h>
#include <stdlib.h>

#include "arm/model.h"
#include "arm/model_counts.h"
#include "arm/model_facts.h"
#include "model/upkeep.h"
#include "kvm/pe/pe.h"
#include "kvm/model/model.h"

/* An operation, from before it executes until it has. */
struct shown {
	uint32_t word;			/* not our BRK, but what that stands for */
	struct model_prefetch prefetch; /* of a PRFM: va is 0 if it asks for nothing */
	uint64_t xt;			/* of a SYS */
	uint32_t held;			/* model_core_fetch() */
	uint64_t dispatched;		/* in that cycle */
};

/* The machine model of a VM: vspe_kvm.watching. */
struct kvm_model {
	struct model *machine;
	void *memory; /* in which it is */
	pthread_mutex_t lock;
	struct shown shown[]; /* of each vCPU */
};

/* A walk for the model: model_facts.walk and .ctx. */
struct walker {
	struct vspe_kvm_vcpu *vcpu;
	unsigned int el;
	bool write;
};

static struct shown *shown_of(const struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_model *model = vcpu->vm->watching;

	return &model->shown[vcpu->index];
}

/* Get the machine for this vCPU alone, until unlock(). */
static struct model *lock(const struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_model *model = vcpu->vm->watching;

	(void)pthread_mutex_lock(&model->lock);
	return model->machine;
}

static void unlock(const struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_model *model = vcpu->vm->watching;

	(void)pthread_mutex_unlock(&model->lock);
}

static void walk_tables(void *ctx, uint64_t va, bool data, struct model_walk *noted)
{
	const struct walker *walker = ctx;
	const enum arm_access access = !data ? ARM_EXECUTE : walker->write ? ARM_WRITE : ARM_READ;
	struct arm_translation t;

	if (!kvm_note_walk(walker->vcpu, va, access, walker->el, &t, noted))
		return;
	noted->shift = 64u - (unsigned int)__builtin_clzll(t.page_mask);
	noted->uncached = !model_cacheable(t.attr);
	noted->global = t.global;
}

/* Bytes of a block of DC ZVA: DCZID_EL0 is the host's for a guest, too. */
static uint64_t zero_block(void)
{
	uint64_t dczid;

	__asm__("mrs %0, dczid_el0" : "=r"(dczid));
	return UINT64_C(4) << (dczid & 15);
}

static bool is_sys(const struct kvm_selected *s)
{
	return s->insn && s->insn->id == A64_SYS;
}

/* Note the registers before the operation changes them. */
static void note_registers(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_selected *s = &vcpu->selected;
	struct shown *shown = shown_of(vcpu);
	unsigned int size;

	shown->prefetch.va = 0;
	if (model_prefetches(s->insn) && model_prefetch_of(s->word, &shown->prefetch))
		(void)a64_data_address(s->insn, s->word, s->op.pc, kvm_read_register, vcpu,
				       &shown->prefetch.va, &size);
	shown->xt = is_sys(s) && a64_rt(s->word) != 31 ? kvm_x(vcpu, a64_rt(s->word)) : 0;
}

static void fetched(struct vspe_kvm_vcpu *vcpu, const uint8_t *code)
{
	const struct kvm_selected *s = &vcpu->selected;
	const struct kvm_known *known = &vcpu->known;
	struct shown *shown = shown_of(vcpu);
	struct walker walker = {.vcpu = vcpu, .el = s->op.el};
	struct model_facts facts = {
		.fetch_pa = kvm_ram_address(vcpu->vm, code),
		.regime = ARM_REGIME_EL10,
		.ctx = &walker,
		.walk = walk_tables,
	};
	struct model *machine;

	shown->word = s->word;
	note_registers(vcpu);
	kvm_know_regime(vcpu);
	facts.tables = known->sctlr & SCTLR_ELx_M;
	facts.uncached = model_bypassed(known->sctlr, 0, false);
	machine = lock(vcpu);
	model_core_context(
		machine, vcpu->index, ARM_REGIME_EL10,
		model_context(arm_asid(known->tcr, known->ttbr0, known->ttbr1), 0, ARM_NON_SECURE));
	shown->held = model_core_fetch(machine, vcpu->index, s->op.pc, &facts);
	shown->dispatched = model_core_dispatch(machine, vcpu->index, shown->held);
	unlock(vcpu);
}

/* TLBI: of this vCPU, or of all. */
static void forget_pages(const struct vspe_kvm_vcpu *vcpu, struct model *machine,
			 const struct model_upkeep *upkeep)
{
	struct model_tlbi tlbi;
	const uint64_t tcr = vcpu->known.tcr;
	const unsigned int pages = model_upkeep_tlbi(upkeep, shown_of(vcpu)->xt, tcr & TCR_EL1_AS,
						     tcr & TCR_EL1_DS, ARM_NON_SECURE, &tlbi);

	for (unsigned int n = 0; n < pages; n++, tlbi.va += 4096)
		for (uint32_t core = 0; core < machine->count; core++)
			if (upkeep->all_cores || core == vcpu->index)
				model_core_forget(machine, core, &tlbi);
}

static void forget_code(const struct vspe_kvm_vcpu *vcpu, struct model *machine,
			const struct model_upkeep *upkeep, const uint64_t *pa)
{
	for (uint32_t core = 0; core < machine->count; core++)
		if (upkeep->all_cores || core == vcpu->index)
			model_memory_forget_code(&machine->cores[core], pa);
}

/*
 * Show the maintenance that the operation did, after it was executed. DC ZVA counts as an access.
 */
static void maintain(struct vspe_kvm_vcpu *vcpu, struct model *machine, struct model_facts *facts)
{
	struct kvm_selected *s = &vcpu->selected;
	const struct shown *shown = shown_of(vcpu);
	const struct model_upkeep upkeep = model_upkeep_find(a64_encoding(shown->word));
	const uint64_t block = zero_block();
	struct arm_translation t;

	switch (upkeep.kind) {
	case MODEL_UPKEEP_NONE: break;
	case MODEL_UPKEEP_ZERO:
		s->op.data_va = shown->xt & ~(block - 1);
		if (!kvm_translate(vcpu, s->op.data_va, ARM_READ, s->op.el, &t))
			break;
		s->data_el = s->op.el;
		s->op.data_pa = t.pa;
		facts->place = MODEL_ZEROED;
		facts->size = (uint32_t)block;
		break;
	case MODEL_UPKEEP_DATA:
		if (kvm_translate(vcpu, shown->xt, ARM_READ, s->op.el, &t))
			model_memory_maintain(machine, t.pa, upkeep.what);
		break;
	case MODEL_UPKEEP_CODE:
		if (kvm_translate(vcpu, shown->xt, ARM_READ, s->op.el, &t))
			forget_code(vcpu, machine, &upkeep, &t.pa);
		break;
	case MODEL_UPKEEP_CODE_ALL: forget_code(vcpu, machine, &upkeep, NULL); break;
	case MODEL_UPKEEP_TLB: forget_pages(vcpu, machine, &upkeep); break;
	}
}

static enum model_place place_of(const struct kvm_selected *s, bool excepted)
{
	if (excepted || !(s->op.flags & SPE_OP_PA_VALID))
		return MODEL_NOWHERE;
	return s->ram ? MODEL_RAM : MODEL_DEVICE;
}

/* PRFM: what may be read, and is RAM. */
static void prefetch(struct vspe_kvm_vcpu *vcpu, struct model *machine,
		     const struct model_facts *facts)
{
	struct shown *shown = shown_of(vcpu);
	struct arm_translation t;

	if (!kvm_translate(vcpu, shown->prefetch.va, ARM_READ, vcpu->selected.op.el, &t) ||
	    !kvm_ram(vcpu->vm, t.pa, 1))
		return;
	shown->prefetch.pa = t.pa;
	model_core_prefetch(machine, vcpu->index, facts, &shown->prefetch);
}

static void executed(struct vspe_kvm_vcpu *vcpu, bool excepted)
{
	struct kvm_selected *s = &vcpu->selected;
	const struct shown *shown = shown_of(vcpu);
	struct spe_op *op = &s->op;
	const enum a64_flow flow = a64_flow(s->insn);
	struct walker walker = {.vcpu = vcpu, .write = op->flags & SPE_OP_STORE};
	struct model_facts facts = {
		.needs = model_needs_of(s->insn, shown->word),
		.flow = flow,
		.place = s->failed ? MODEL_UNACCESSED : place_of(s, excepted),
		.size = s->size,
		.data_regime = ARM_REGIME_EL10,
		.excepted = excepted,
		.flush = excepted || flow == A64_FLOW_EXCEPTION_RETURN,
		.ctx = &walker,
		.walk = walk_tables,
	};
	struct model *machine;

	kvm_know_regime(vcpu);
	facts.data_tables = vcpu->known.sctlr & SCTLR_ELx_M;
	facts.data_uncached = model_bypassed(vcpu->known.sctlr, 0, true);
	machine = lock(vcpu);
	if (is_sys(s) && !excepted)
		maintain(vcpu, machine, &facts);
	walker.el = s->data_el;
	walker.write = walker.write || facts.place == MODEL_ZEROED;
	model_core_execute(machine, vcpu->index, &facts, shown->held, op);
	if (shown->prefetch.va && !excepted)
		prefetch(vcpu, machine, &facts);
	unlock(vcpu);
}

static bool is_colliding(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_selected *s = &vcpu->selected;
	const struct shown *shown = shown_of(vcpu);
	struct model_core *core = &lock(vcpu)->cores[vcpu->index];
	const bool collides = model_core_in_flight(core, shown->dispatched) >=
			      spe_unit_config(vcpu->spe)->in_flight;

	if (!collides)
		model_core_fly(core, shown->dispatched, shown->dispatched + s->op.total_latency);
	unlock(vcpu);
	return collides;
}

static void forget_all(struct vspe_kvm_vcpu *vcpu)
{
	model_core_forget(lock(vcpu), vcpu->index, NULL);
	unlock(vcpu);
}

static const struct kvm_watcher watcher = {
	.before = fetched,
	.after = executed,
	.collides = is_colliding,
	.reset = forget_all,
};

struct kvm_model *kvm_model_create(struct vspe_kvm *vm, const struct model_config *config,
				   const struct model_ram *ram)
{
	struct kvm_model *model = calloc(1, sizeof(*model) + vm->cpus * sizeof(model->shown[0]));

	if (!model)
		return NULL;
	model->memory = calloc(1, model_size(config, vm->cpus, ram));
	if (!model->memory || pthread_mutex_init(&model->lock, NULL) != 0) {
		free(model->memory);
		free(model);
		return NULL;
	}
	model->machine = model_init(model->memory, config, vm->cpus, ram);
	vm->watcher = &watcher;
	vm->watching = model;
	return model;
}

void kvm_model_destroy(struct kvm_model *model)
{
	if (!model)
		return;
	(void)pthread_mutex_destroy(&model->lock);
	free(model->memory);
	free(model);
}

void kvm_model_account(struct kvm_model *model, uint64_t *counts)
{
	(void)pthread_mutex_lock(&model->lock);
	model_counts_add(model->machine, counts);
	(void)pthread_mutex_unlock(&model->lock);
}
