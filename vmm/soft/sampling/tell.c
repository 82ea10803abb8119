/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the profiling unit learns of a run of the fast loop: operations, and the samples that have
 * waited. It learns of an operation before the operation's effects on the system are carried out.
 */
#include "soft/sampling/tell.h"
#include "base/assertion.h"
#include "soft/sampling/sample.h"
#include "soft/sys/pmu.h"

void soft_configure_samples(struct soft_cpu *cpu, const struct spe_config *config)
{
	struct soft_sampling *s = &cpu->sampling;

	s->micro_ops = !config->arch_inst;
	s->follows_isb = config->pbt_isb;
	s->record_max = config->max_size;
	for (unsigned int n = 0; n <= SOFT_SAMPLES; n++)
		s->records[n] = &s->samples[n].record;
	s->types = a64_types(config);
}

void soft_begin_samples(struct soft_cpu *cpu, int64_t told, int64_t limit)
{
	const struct engine_host *host = &cpu->vm->host;

	cpu->sampling.told = told;
	cpu->sampling.run_limit = limit;
	if (limit == 0)
		return;
	cpu->sampling.spacing = spe_spacing_fixed(cpu->sys.spe);
	soft_sample_begin_run(cpu);
	cpu->sampling.begin = host->counter(host->ctx, cpu->index) - soft_sample_offset(cpu);
}

void soft_update_spe_irq(struct soft_cpu *cpu)
{
	const struct engine_host *host = &cpu->vm->host;
	const bool level = cpu->sys.spe && spe_irq_level(cpu->sys.spe);

	if (cpu->sys.pmu && cpu->sys.spe && cpu->sys.pmu->stepwise &&
	    cpu->sys.pmu->unit.context.frozen !=
		    spe_pmu_frozen(cpu->sys.spe, cpu->sys.pmu->unit.pmcr))
		soft_pmu_refresh(cpu);
	if (cpu->sys.controls.features & SYSREG_FEAT_SPE_EXC &&
	    soft_interrupt_target(&cpu->sys, SOFT_INTERRUPT_PROFILING) != 0)
		cpu->attention |= SOFT_ATTENTION_IRQ;
	if (level == cpu->sampling.irq)
		return;
	cpu->sampling.irq = level;
	host->spe_irq(host->ctx, cpu->index, level);
}

/*
 * Waiting samples belong to operations of the run that the unit does not know of yet, and are
 * spacing apart: the first and the last position determine all.
 */
static void samples_hold(const struct soft_cpu *cpu, int64_t count)
{
	const struct soft_sampling *s;
	int64_t first, last;

	if (!VSPE_ASSERT || !cpu->sampling.waiting)
		return;
	s = &cpu->sampling;
	vspe_assert_of(s->waiting <= SOFT_SAMPLES + 1, s->waiting, SOFT_SAMPLES);
	first = s->samples[0].position;
	last = s->samples[s->waiting - 1].position;
	vspe_assert_of(first >= s->told && last < count, first, last);
	vspe_assert_of(s->waiting == 1 ||
			       (uint64_t)(last - first) ==
				       (s->waiting - 1) * spe_spacing_fixed(cpu->sys.spe),
		       first, last);
}

static void advance_unit(struct soft_cpu *cpu, int64_t to)
{
	vspe_assert_of(to < cpu->sampling.told ||
			       (uint64_t)(to - cpu->sampling.told) <= spe_budget(cpu->sys.spe),
		       to, cpu->sampling.told);
	if (to > cpu->sampling.told)
		(void)spe_advance(cpu->sys.spe, (uint64_t)(to - cpu->sampling.told));
	cpu->sampling.told = to;
}

void soft_tell_unit(struct soft_cpu *cpu, int64_t count)
{
	struct spe_unit *spe = cpu->sys.spe;

	if (cpu->sampling.deferred && count > cpu->run)
		soft_sample_deferred(cpu, cpu->sampling.deferred,
				     cpu->leave == SOFT_LEAVE_FAULT && count - 1 == cpu->run);
	cpu->sampling.deferred = NULL;
	if (cpu->sampling.waiting &&
	    cpu->sampling.samples[cpu->sampling.waiting - 1].position >= count)
		cpu->sampling.waiting--; /* foretold, but the run ends before it */
	cpu->sampling.foretold = 0;
	samples_hold(cpu, count);
	if (cpu->sampling.waiting) {
		spe_sample_spaced(
			spe, (uint64_t)(cpu->sampling.samples[0].position + 1 - cpu->sampling.told),
			cpu->sampling.records, cpu->sampling.waiting);
		cpu->sampling.told = cpu->sampling.samples[cpu->sampling.waiting - 1].position + 1;
		soft_update_spe_irq(cpu);
	}
	cpu->sampling.waiting = 0;
	advance_unit(cpu, count);
}

int64_t soft_record_deferred(struct soft_cpu *cpu, const struct soft_op *op, int64_t left)
{
	const int64_t count = cpu->run - left;
	uint64_t next;

	cpu->left = left;
	cpu->pc = soft_op_pc(op);
	soft_sample_deferred(cpu, cpu->sampling.deferred, false);
	if (cpu->sampling.spacing && cpu->sampling.waiting <= SOFT_SAMPLES) {
		next = cpu->sampling.spacing + (uint64_t)left;
	} else {
		soft_tell_unit(cpu, count);
		next = spe_budget(cpu->sys.spe) - 1;
	}
	if (cpu->attention || count >= cpu->sampling.run_limit ||
	    next >= (uint64_t)(cpu->sampling.run_limit - count)) {
		cpu->run = count;
		return -1;
	}
	cpu->run = count + (int64_t)next;
	return (int64_t)next;
}
