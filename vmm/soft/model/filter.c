/* SPDX-License-Identifier: BSD-2-Clause */
/* See filter.h. */
#include "soft/model/filter.h"

#include "arm/levels.h"
#include "soft/mem/tlb.h"

static struct model_core *core_of(const struct soft_cpu *cpu)
{
	return &cpu->vm->model->machine->cores[cpu->index];
}

/* No two vCPUs have the same number, as blocks are theirs together. */
static uint64_t code_epoch(const struct soft_cpu *cpu)
{
	return core_of(cpu)->itlb.epoch * cpu->vm->count + cpu->index + 1;
}

void soft_warm_restored(struct soft_cpu *cpu)
{
	cpu->warm.data_epoch = core_of(cpu)->dtlb.epoch;
}

/* The model's entry for a page of the last access's view, if it is referenced, or 0. */
static uint64_t referenced(const struct soft_cpu *cpu, uint64_t page)
{
	struct model_core *core = core_of(cpu);
	const unsigned int el = soft_view_level((enum soft_view)cpu->warm.view);
	const unsigned int regime = arm_regime_at(&cpu->sys.controls, el);

	return model_tlb_referenced(&core->dtlb, &(struct model_tlb_key){
							 .regime = regime,
							 .context = core->contexts[regime],
							 .va = model_untagged(page),
						 });
}

void soft_warm_check(struct soft_cpu *cpu)
{
	const enum soft_view view = (enum soft_view)cpu->warm.view;
	const unsigned int fills = cpu->warm.fills;

	cpu->warm.fills = 0;
	if (fills > SOFT_WARM_FILLS) {
		soft_tlb_forget(cpu);
		return;
	}
	for (unsigned int n = 0; n < fills; n++) {
		const uint64_t page = cpu->warm.filled[n], there = referenced(cpu, page);

		if (!there)
			soft_tlb_drop(cpu, view, page);
		else if (!(there & MODEL_TLB_UNCACHED))
			soft_tlb_cached(cpu, view, page);
	}
}

void soft_warm_settle(struct soft_cpu *cpu)
{
	uint64_t epoch;

	if (cpu->vm->model->mode != MODEL_WARM)
		return;
	epoch = core_of(cpu)->dtlb.epoch;
	cpu->warm.on = true;
	cpu->warm.code_epoch = code_epoch(cpu);
	if (cpu->warm.data_epoch != epoch) {
		cpu->warm.data_epoch = epoch;
		cpu->warm.fills = 0;
		soft_tlb_forget(cpu);
	} else if (cpu->warm.fills) {
		soft_warm_check(cpu);
	}
}
