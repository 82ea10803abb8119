/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a vCPU in an image: that no register is forgotten, that the TLBs are in it, and that
 * nothing is loaded that the guest could not have made.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "soft/sys/pmu.h"
#include "base/state.h"

#include <string.h>

static struct soft_cpu *cpu_of(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* its first member */
}

static void save(const struct core_machine *m, struct state *state)
{
	state_save(state, "vCPU");
	engine_soft.vcpu_state(m->cpu[0], state);
	cr_assert(state_end(state), "%s", state->why);
}

/* Does the image depend on this byte of the vCPU? */
static bool described(const struct core_machine *m, void *byte)
{
	struct state before, after;
	bool differs;

	save(m, &before);
	*(uint8_t *)byte ^= 1;
	save(m, &after);
	*(uint8_t *)byte ^= 1;
	differs = before.at != after.at || memcmp(before.bytes, after.bytes, after.at) != 0;
	state_free(&before);
	state_free(&after);
	return differs;
}

/* What follows from the configuration, is about one instruction, or is a copy. */
static bool is_no_state(size_t at)
{
	static const struct {
		size_t first, end;
	} places[] = {
		{offsetof(struct soft_sys, mpidr), offsetof(struct soft_sys, rvbar)},
		{offsetof(struct soft_sys, nvmem), offsetof(struct soft_sys, controls.hcr_el2)},
		{offsetof(struct soft_sys, spe), sizeof(struct soft_sys)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (at >= places[i].first && at < places[i].end)
			return true;
	return false;
}

/* With all optional features. */
static const struct engine_tuning everything = {.isa = SOFT_ISA_ALL, .sve_vl = 64};

Test(core_state, no_system_register_is_forgotten)
{
	struct core_machine *m = core_new((struct core_options){
		.levels = {.start = 3, .el2 = true, .el3 = true}, .model = &everything});
	uint8_t *sys = (uint8_t *)&cpu_of(m)->sys;

	for (size_t at = 0; at < sizeof(struct soft_sys); at += 8)
		cr_assert(is_no_state(at) || described(m, sys + at),
			  "offset %zu of struct soft_sys", at);
	core_free(m);
}

Test(core_state, no_flag_is_forgotten)
{
	struct core_machine *m = core_new((struct core_options){.model = &everything});
	struct soft_cpu *cpu = cpu_of(m);
	struct soft_sys *sys = &cpu->sys;
	bool *const flags[] = {
		&sys->pstate.il,    &sys->pstate.ss,
		&sys->pstate.pan,   &sys->pstate.pm,
		&sys->os_lock,	    &sys->serror,
		&sys->irq_level,    &sys->fiq_level,
		&sys->virq_level,   &sys->vfiq_level,
		&cpu->loop.event,   &cpu->sampling.irq,
		&cpu->loop.stepped, &cpu->loop.stepped_exclusive,
		&cpu->monitor.set,  &cpu->views.host,
		&sys->pstate.uao,   &sys->pstate.dit,
		&sys->pstate.ssbs,
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		cr_assert(described(m, flags[i]), "flag %zu", i);
	cr_assert(described(m, &sys->pstate.daif));
	cr_assert(described(m, &sys->pstate.sp));
	cr_assert(described(m, &sys->pstate.btype));
	for (unsigned int n = 0; n < 31; n++)
		cr_assert(described(m, &cpu->x[n]), "X%u", n);
	cr_assert(described(m, &cpu->x[SOFT_X_SP]));
	cr_assert_not(described(m, &cpu->x[SOFT_X_SINK]));
	cr_assert(described(m, &cpu->pc));
	cr_assert(described(m, &cpu->ops));
	cr_assert(described(m, &cpu->monitor.pa));
	cr_assert(described(m, &cpu->monitor.value[1]));
	cr_assert(described(m, &cpu->end.stuck));
	cr_assert(described(m, &cpu->end.stuck_ops));
	core_free(m);
}

/* The random numbers of FEAT_RNG go on where they were. */
Test(core_state, random_numbers)
{
	struct core_machine *m = core_new((struct core_options){0});
	struct soft_cpu *cpu = cpu_of(m);
	struct state saved, loaded;

	cr_assert_not(described(m, &cpu->sys.random), "none without it");
	cpu->sys.isa = SOFT_ISA(RNG);
	cr_assert(described(m, &cpu->sys.random));
	cpu->sys.random = 5;
	save(m, &saved);
	cpu->sys.random = 6;
	state_load(&loaded, "vCPU", saved.bytes, saved.at);
	engine_soft.vcpu_state(m->cpu[0], &loaded);
	cr_assert(state_end(&loaded), "%s", loaded.why);
	cr_assert_eq(cpu->sys.random, 5);
	state_free(&saved);
	core_free(m);
}

/* ldr x0, [x20]; b .-4 */
static const uint32_t program_load[] = {0xf9400280, 0x17ffffff};

/* A translation that was used goes on to be, until software invalidates it. */
Test(core_state, a_stale_translation_stays)
{
	for (int renewed = 0; renewed < 2; renewed++) {
		struct core_machine *m = core_new((struct core_options){0});

		core_map(m, RAM_BASE);
		CORE_LOAD(m, CODE, program_mmu_on);
		core_run(m, sizeof(program_mmu_on) / 4);
		CORE_LOAD(m, CODE + 0x800, program_load);
		core_set(m, PC, CODE + 0x800);
		core_set(m, 20, DATA);
		core_write(m, DATA, 77);
		core_run(m, 2);
		cr_assert_eq(core_get(m, 0), 77);
		/* Neither the data nor the code is mapped any more. */
		core_write(m, TABLES + 0x2000 + 8 * ((DATA - RAM_BASE) >> 12), 0);
		core_write(m, TABLES + 0x2000 + 8 * ((CODE - RAM_BASE) >> 12), 0);
		core_write(m, DATA, 78);
		if (renewed)
			core_renew(m);
		core_run(m, 2);
		cr_assert_eq(core_get(m, 0), 78, "%s", renewed ? "renewed" : "not renewed");
		core_free(m);
	}
}

/* The image with bytes changed that were found by what changing value does to it. */
static void refuses(struct core_machine *m, void *value, size_t size, const void *wrong,
		    const char *why)
{
	struct state before, after, loaded;
	uint8_t right[8];
	struct core_machine *other = core_new(m->options);

	save(m, &before);
	memcpy(right, value, size);
	memcpy(value, wrong, size);
	save(m, &after);
	memcpy(value, right, size);
	state_load(&loaded, "vCPU", after.bytes, after.at);
	engine_soft.vcpu_state(other->cpu[0], &loaded);
	cr_assert_not(state_end(&loaded), "loaded, instead of: %s", why);
	cr_assert_str_has(loaded.why, why, "no '%s' in: %s", why, loaded.why);
	state_free(&before);
	state_free(&after);
	core_free(other);
}

Test(core_state, what_no_guest_can_do_is_refused)
{
	struct core_machine *m = core_new((struct core_options){.spe = true});
	struct soft_sys *sys = &cpu_of(m)->sys;
	const uint8_t el2 = 2;
	const uint64_t all = UINT64_MAX;
	const uint8_t daif = 0x10;

	refuses(m, &sys->pstate.el, 1, &el2, "pstate->el is 0x2, at most 0x1");
	refuses(m, &sys->pstate.daif, 1, &daif, "daif is 0x10");
	/* Bits that are RES0, and registers of the machine's own levels. */
	refuses(m, &sys->tcr[1], 8, &all, "S3_0_C2_C0_2");
	refuses(m, &sys->controls.scr_el3, 8, &all, "S3_6_C1_C1_0");
	/* The unit has to be where the PE is. */
	refuses(m, (uint64_t *)&spe_unit_controls(sys->spe)->mdcr_el2, 8, &all,
		"SPE: other controls");
	core_free(m);
}

/* Neither side of the TLBs may lead out of memory. */
Test(core_state, the_pmu_is_in_it)
{
	struct core_machine *m = core_new((struct core_options){.spe = true, .pmu = PMU_V3P7});
	struct soft_pmu *pmu = cpu_of(m)->sys.pmu;
	struct pmu *unit = &pmu->unit;
	const uint64_t all = UINT64_MAX, selected = 32;
	const uint32_t counters = 0x40;

	for (unsigned int n = 0; n <= PMU_COUNTERS; n++) {
		cr_expect(described(m, &unit->counter[n]), "counter %u", n);
		refuses(m, &unit->type[n], 8, &all, "PMEVTYPERn_EL0");
	}
	cr_assert(described(m, &unit->pmcr));
	cr_expect(described(m, &unit->pmselr));
	cr_assert(described(m, &unit->pmuserenr));
	cr_expect(described(m, &unit->enabled));
	cr_assert(described(m, &unit->interrupts));
	cr_expect(described(m, &unit->overflowed));
	refuses(m, &unit->pmcr, 8, &all, "PMCR_EL0");
	refuses(m, &unit->pmselr, 8, &selected, "pmselr is 0x20");
	refuses(m, &unit->pmuserenr, 8, &selected, "pmuserenr is 0x20");
	refuses(m, &unit->enabled, 4, &counters, "a counter that there is not");
	refuses(m, &unit->interrupts, 4, &counters, "a counter that there is not");
	refuses(m, &unit->overflowed, 4, &counters, "a counter that there is not");
	core_free(m);
	/* A counter of 32 bits. */
	m = core_new((struct core_options){.pmu = PMU_V3P4});
	refuses(m, &cpu_of(m)->sys.pmu->unit.counter[2], 8, &all, "PMEVCNTRn_EL0");
	core_free(m);
}

Test(core_state, translations_to_nowhere_are_refused)
{
	struct core_machine *m = core_new((struct core_options){0});
	struct soft_cpu *cpu = cpu_of(m);
	const uint64_t outside = RAM_BASE + RAM_SIZE, odd = RAM_BASE + 8;
	struct soft_tlb_entry *entry;

	CORE_LOAD(m, CODE, program_load);
	core_set(m, PC, CODE);
	core_set(m, 20, DATA);
	core_run(m, 2);
	entry = &cpu->views.tlbs[SOFT_VIEW_EL1].entries[(DATA >> 12) % SOFT_TLB_SIZE];
	cr_assert_eq(entry->read, DATA);
	for (int past = 0; past < 2; past++) {
		const uintptr_t add = entry->add + (past ? RAM_SIZE : 8);

		refuses(m, &entry->add, sizeof(add), &add, "no page of memory");
	}
	cr_assert_eq(cpu->views.code[1].page_count, 1);
	refuses(m, &cpu->views.code[1].itlb[cpu->views.code[1].pages[0]].pa, 8, &outside,
		"impossible fetches");
	refuses(m, &cpu->views.code[1].itlb[cpu->views.code[1].pages[0]].pa, 8, &odd,
		"impossible fetches");
	core_free(m);
}

/* All vCPUs of a machine, in another one. */
static struct core_machine *loaded_from(struct core_machine *m)
{
	struct core_machine *other = core_new(m->options);
	struct state saved, loaded;

	memcpy(other->ram, m->ram, RAM_SIZE);
	for (unsigned int n = 0; n < m->options.cpus; n++) {
		state_save(&saved, "vCPU");
		engine_soft.vcpu_state(m->cpu[n], &saved);
		cr_assert(state_end(&saved), "%s", saved.why);
		state_load(&loaded, "vCPU", saved.bytes, saved.at);
		engine_soft.vcpu_state(other->cpu[n], &loaded);
		cr_assert(state_end(&loaded), "%s", loaded.why);
		state_free(&saved);
	}
	core_free(m);
	return other;
}

/* The cache of a vCPU writes back when another takes its line: also before it runs again. */
Test(core_state, events_of_a_vcpu_that_stands)
{
	const struct engine_tuning tuning = {.model.mode = MODEL_FULL, .machine = model_default};
	static const uint32_t counting[] = {
		0xd51bec02, /* msr pmevtyper0_el0, x2 */
		0xd51b9c23, /* msr pmcntenset_el0, x3 */
		0xd51b9c03, /* msr pmcr_el0, x3 */
		0xf9000020, /* str x0, [x1] */
		0xd53be805, /* mrs x5, pmevcntr0_el0 */
	};

	for (int loaded = 0; loaded < 2; loaded++) {
		struct engine_exit exit;
		struct core_machine *m = core_new(
			(struct core_options){.cpus = 2, .pmu = PMU_V3P4, .model = &tuning});

		core_map(m, RAM_BASE);
		core_set(m, 4, core_get(m, 4) | SCTLR_ELx_C);
		for (unsigned int n = 1; n < 5; n++)
			engine_soft.vcpu_set(m->cpu[1], n, core_get(m, n));
		CORE_LOAD(m, CODE, program_mmu_on);
		CORE_LOAD(m, CODE + 0x800, counting);
		core_run(m, ARRAY_SIZE(program_mmu_on));
		core_set(m, PC, CODE + 0x80c); /* the store */
		core_set(m, 1, DATA);
		engine_soft.vcpu_set(m->cpu[1], PC, CODE);
		engine_soft.vcpu_run(m->cpu[1], ARRAY_SIZE(program_mmu_on), &exit);
		engine_soft.vcpu_set(m->cpu[1], PC, CODE + 0x800);
		engine_soft.vcpu_set(m->cpu[1], 1, DATA);
		engine_soft.vcpu_set(m->cpu[1], 2, PMU_L1D_CACHE_WB);
		engine_soft.vcpu_set(m->cpu[1], 3, 1);
		engine_soft.vcpu_run(m->cpu[1], 4, &exit);
		if (loaded)
			m = loaded_from(m);
		core_run(m, 1);
		engine_soft.vcpu_run(m->cpu[1], 1, &exit);
		cr_assert_eq(engine_soft.vcpu_get(m->cpu[1], PC), CODE + 0x814);
		cr_expect_eq(engine_soft.vcpu_get(m->cpu[1], 5), 1, "%s",
			     loaded ? "loaded" : "not loaded");
		core_free(m);
	}
}
