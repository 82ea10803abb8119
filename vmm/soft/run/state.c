/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a vCPU between two calls of soft_run(), for the image of a machine: everything that
 * its future, and so its samples, depend on.
 *
 * Decoded blocks, jump caches and the links between blocks follow from memory, which they were
 * decoded from, and are made anew. The contents of the TLBs are state: translations in them are
 * used until software invalidates them, walks update the tables, and a sample says whether there
 * was one. Host addresses are not state: a page of RAM is saved as its physical address.
 */
#include "soft/run/state.h"
#include "soft/mem/code.h"
#include "soft/flags.h"
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/mem/memory.h"
#include "soft/model/model.h"
#include "soft/sys/sys_private.h"
#include "soft/mem/tlb.h"

#include <inttypes.h>
#include <string.h>

/* A new field must be described here, or declared not to be state. */
_Static_assert(sizeof(struct soft_pstate) == 11, "pstate_state()");
_Static_assert(sizeof(struct soft_sys) == 1184, "sys_state()");
_Static_assert(sizeof(struct soft_pmu) == 712, "pmu_state()");
_Static_assert(offsetof(struct soft_cpu, sys) == 16224, "core_state()");

/* A page in the data-side TLB: its address, and these bits below it. */
#define ENTRY_READ   (UINT64_C(1) << 0)
#define ENTRY_WRITE  (UINT64_C(1) << 1)
#define ENTRY_DEVICE (UINT64_C(1) << 2)
#define ENTRY_STAGE2 (UINT64_C(1) << 3) /* of older files: stage 2 made it Device memory */
#define ENTRY_VICTIM (UINT64_C(1) << 4) /* it is among soft_tlb.victims */
#define ENTRY_BITS   (ENTRY_READ | ENTRY_WRITE | ENTRY_DEVICE | ENTRY_STAGE2 | ENTRY_VICTIM)

static void pstate_state(struct state *state, struct soft_sys *sys)
{
	struct soft_pstate *pstate = &sys->pstate;

	STATE_UP_TO(state, pstate->el, sys->levels.start);
	STATE_UP_TO(state, pstate->sp, 1);
	STATE_UP_TO(state, pstate->daif, 0xf);
	STATE_FIELD(state, pstate->il);
	STATE_FIELD(state, pstate->ss);
	STATE_FIELD(state, pstate->pan);
	STATE_FIELD(state, pstate->pm);
	if (pstate->sp && pstate->el == 0)
		state_refuse(state, "SP_EL1 at EL0");
	sys->controls.el = pstate->el;
}

/* The registers of sys_registers.def, and those that share places with them. */
static void registers_state(struct state *state, struct soft_sys *sys)
{
	STATE_ARRAY(state, sys->sp);
	STATE_ARRAY(state, sys->elr);
	STATE_ARRAY(state, sys->spsr);
	STATE_ARRAY(state, sys->esr);
	STATE_ARRAY(state, sys->far);
	STATE_ARRAY(state, sys->sctlr);
	STATE_ARRAY(state, sys->tcr);
	STATE_ARRAY(state, sys->ttbr0);
	STATE_ARRAY(state, sys->ttbr1);
	STATE_ARRAY(state, sys->mair);
	STATE_ARRAY(state, sys->vbar);
	STATE_ARRAY(state, sys->contextidr);
	STATE_ARRAY(state, sys->tpidr);
	STATE_FIELD(state, sys->par_el1);
	STATE_FIELD(state, sys->cpacr_el1);
	STATE_FIELD(state, sys->tpidrro_el0);
	STATE_FIELD(state, sys->cntkctl_el1);
	STATE_FIELD(state, sys->csselr_el1);
	STATE_FIELD(state, sys->rvbar);
	STATE_FIELD(state, sys->cptr_el2);
	STATE_FIELD(state, sys->hpfar_el2);
	STATE_FIELD(state, sys->vtcr_el2);
	STATE_FIELD(state, sys->vttbr_el2);
	STATE_FIELD(state, sys->vncr_el2);
	STATE_FIELD(state, sys->vpidr_el2);
	STATE_FIELD(state, sys->vmpidr_el2);
	STATE_FIELD(state, sys->cnthctl_el2);
	STATE_FIELD(state, sys->cntvoff_el2);
	STATE_FIELD(state, sys->cntpoff_el2);
	STATE_FIELD(state, sys->hfgrtr_el2);
	STATE_FIELD(state, sys->hfgwtr_el2);
	STATE_FIELD(state, sys->hfgitr_el2);
	STATE_FIELD(state, sys->cptr_el3);
	STATE_FIELD(state, sys->gptbr_el3);
	STATE_FIELD(state, sys->gpccr_el3);
	STATE_FIELD(state, sys->mfar_el3);
	STATE_FIELD(state, sys->vstcr_el2);
	STATE_FIELD(state, sys->vsttbr_el2);
	STATE_FIELD(state, sys->ich_hcr_el2);
}

static void controls_state(struct state *state, struct sysreg_controls *controls)
{
	STATE_FIELD(state, controls->hcr_el2);
	STATE_FIELD(state, controls->mdcr_el2);
	STATE_FIELD(state, controls->mdcr_el3);
	STATE_FIELD(state, controls->scr_el3);
	STATE_FIELD(state, controls->hdfgrtr_el2);
	STATE_FIELD(state, controls->hdfgwtr_el2);
	STATE_FIELD(state, controls->hdfgrtr2_el2);
	STATE_FIELD(state, controls->hdfgwtr2_el2);
	STATE_FIELD(state, controls->pmscr_el1);
	STATE_FIELD(state, controls->pmscr_el2);
}

#define FIRST_DEBUG 2 /* breakpoints and watchpoints in version 7 of the format */

/* Breakpoints from first up to breakpoints, and watchpoints. */
static void debug_registers_state(struct state *state, struct soft_sys *sys, unsigned int first,
				  unsigned int breakpoints, unsigned int watchpoints)
{
	for (unsigned int n = first; n < breakpoints; n++)
		STATE_FIELD(state, sys->dbgbvr[n]);
	for (unsigned int n = first; n < breakpoints; n++)
		STATE_FIELD(state, sys->dbgbcr[n]);
	for (unsigned int n = first; n < watchpoints; n++)
		STATE_FIELD(state, sys->dbgwvr[n]);
	for (unsigned int n = first; n < watchpoints; n++)
		STATE_FIELD(state, sys->dbgwcr[n]);
}

static void debug_state(struct state *state, struct soft_sys *sys)
{
	STATE_FIELD(state, sys->mdscr_el1);
	STATE_FIELD(state, sys->mdccint_el1);
	STATE_FIELD(state, sys->osdlr_el1);
	STATE_FIELD(state, sys->dbgprcr_el1);
	STATE_FIELD(state, sys->claim_tags);
	STATE_FIELD(state, sys->oseccr_el1);
	debug_registers_state(state, sys, 0, FIRST_DEBUG, FIRST_DEBUG);
	STATE_FIELD(state, sys->os_lock);
}

static void check_registers(struct state *state, const struct soft_sys *sys,
			    const struct soft_sys *fresh)
{
	uint32_t encoding;

	if (state->loading && !sys_registers_possible(sys, fresh, &encoding))
		state_refuse(state, "S%u_%u_C%u_C%u_%u has bits that it cannot have",
			     encoding >> 14, encoding >> 11 & 7, encoding >> 7 & 0xf,
			     encoding >> 3 & 0xf, encoding & 7);
}

/* Images from before there were more end here. */
static void more_debug_state(struct state *state, struct soft_sys *sys)
{
	const struct soft_sys fresh = *sys;

	if (state->loading && state->at == state->size)
		return;
	debug_registers_state(state, sys, FIRST_DEBUG, SOFT_BREAKPOINTS, SOFT_WATCHPOINTS);
	check_registers(state, sys, &fresh);
}

/*
 * Not described: mpidr, midr, levels and controls.features follow from the configuration, nvmem
 * belongs to one instruction, and the rest of controls is constant here.
 */
static void sys_state(struct state *state, struct soft_sys *sys)
{
	const struct soft_sys fresh = *sys;

	pstate_state(state, sys);
	registers_state(state, sys);
	controls_state(state, &sys->controls);
	debug_state(state, sys);
	STATE_FIELD(state, sys->serror);
	STATE_FIELD(state, sys->irq_level);
	STATE_FIELD(state, sys->fiq_level);
	STATE_FIELD(state, sys->virq_level);
	STATE_FIELD(state, sys->vfiq_level);
	STATE_FIELD(state, sys->sent_voff);
	STATE_FIELD(state, sys->sent_poff);
	check_registers(state, sys, &fresh);
}

/* Registers, and the run loop's state between operations. */
static void core_state(struct state *state, struct soft_cpu *cpu)
{
	uint32_t nzcv = soft_flags(cpu), attention = cpu->attention & SOFT_ATTENTION_EXIT;

	for (unsigned int n = 0; n < 31; n++)
		STATE_FIELD(state, cpu->x[n]);
	STATE_FIELD(state, cpu->x[SOFT_X_SP]);
	STATE_FIELD(state, cpu->pc);
	STATE_UP_TO(state, nzcv, 0xf);
	STATE_FIELD(state, cpu->ops);
	STATE_FIELD(state, cpu->monitor.set);
	STATE_UP_TO(state, cpu->monitor.size, 16);
	STATE_FIELD(state, cpu->monitor.pa);
	STATE_ARRAY(state, cpu->monitor.value);
	STATE_FIELD(state, cpu->loop.event);
	STATE_FIELD(state, cpu->sampling.irq);
	STATE_FIELD(state, cpu->loop.stepped);
	STATE_FIELD(state, cpu->loop.stepped_exclusive);
	STATE_FIELD(state, cpu->end.stuck_ops);
	STATE_FIELD(state, cpu->end.stuck);
	STATE_UP_TO(state, attention, SOFT_ATTENTION_EXIT);
	if (!state->loading)
		return;
	cpu->monitor.watched = false;
	soft_set_flags(cpu, nzcv);
	/* The next operation will be preceded by a check for pending interrupts. */
	cpu->attention = (attention & SOFT_ATTENTION_EXIT) | SOFT_ATTENTION_IRQ;
}

static void load_entry(struct state *state, struct soft_cpu *cpu, struct soft_tlb *tlb,
		       uint64_t page, uint64_t pa)
{
	const uint64_t va = page & SOFT_PAGE_MASK, bits = page & ~SOFT_PAGE_MASK;
	const uint64_t n = (va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE;
	struct soft_tlb_entry *entry =
		bits & ENTRY_VICTIM ? soft_tlb_victim(tlb, va) : &tlb->entries[n];
	const uint8_t *host = soft_memory(cpu->vm, pa, SOFT_PAGE_SIZE);

	if (bits & ~ENTRY_BITS || !(bits & (ENTRY_READ | ENTRY_WRITE)) ||
	    entry->read != SOFT_NO_PAGE || entry->write != SOFT_NO_PAGE) {
		state_refuse(state, "impossible TLB entry 0x%" PRIx64, page);
		return;
	}
	if (!host || pa & ~SOFT_PAGE_MASK ||
	    ((bits & ENTRY_WRITE || cpu->warm.lines) && !soft_ram(cpu->vm, pa, SOFT_PAGE_SIZE))) {
		state_refuse(state, "TLB entry to 0x%" PRIx64 ", no page of memory", pa);
		return;
	}
	*entry = (struct soft_tlb_entry){
		.read = bits & ENTRY_READ ? va : SOFT_NO_PAGE,
		.write = bits & ENTRY_WRITE ? va : SOFT_NO_PAGE,
		.add = (uintptr_t)host - (uintptr_t)va,
		.device = bits & ENTRY_DEVICE,
	};
	if (bits & ENTRY_VICTIM)
		tlb->evicted = true;
	else
		soft_tlb_filled(tlb, entry);
}

static void save_entry(struct state *state, const struct soft_cpu *cpu,
		       const struct soft_tlb_entry *entry, uint64_t victim)
{
	const struct engine_ram *ram = &cpu->vm->host.ram;
	const bool reads = entry->read != SOFT_NO_PAGE, writes = entry->write != SOFT_NO_PAGE;
	const uint64_t va = soft_tlb_page(entry);
	uint64_t page = va | victim | (reads ? ENTRY_READ : 0) | (writes ? ENTRY_WRITE : 0) |
			(entry->device ? ENTRY_DEVICE : 0);
	uint64_t pa = ram->base + ((uintptr_t)va + entry->add - (uintptr_t)ram->host);

	STATE_FIELD(state, page);
	STATE_FIELD(state, pa);
}

/* Count these pages; saves: save them, too. */
static uint32_t save_entries(struct state *state, const struct soft_cpu *cpu, bool saves,
			     const struct soft_tlb_entry *entries, unsigned int size,
			     uint64_t victim)
{
	uint32_t count = 0;

	for (unsigned int n = 0; n < size; n++) {
		if (soft_tlb_page(&entries[n]) == SOFT_NO_PAGE)
			continue;
		count++;
		if (saves)
			save_entry(state, cpu, &entries[n], victim);
	}
	return count;
}

static uint32_t save_tlb(struct state *state, const struct soft_cpu *cpu, bool saves,
			 const struct soft_tlb *tlb)
{
	uint32_t count = save_entries(state, cpu, saves, tlb->entries, SOFT_TLB_SIZE, 0);

	if (tlb->evicted)
		count += save_entries(state, cpu, saves, tlb->victims, SOFT_VICTIMS, ENTRY_VICTIM);
	return count;
}

static void tlb_state(struct state *state, struct soft_cpu *cpu, struct soft_tlb *tlb)
{
	uint32_t count = state->loading ? 0 : save_tlb(state, cpu, false, tlb);

	STATE_FIELD(state, tlb->large.low);
	STATE_FIELD(state, tlb->large.high);
	STATE_UP_TO(state, count, SOFT_TLB_SIZE + SOFT_VICTIMS);
	if (!state->loading)
		(void)save_tlb(state, cpu, true, tlb);
	for (unsigned int n = 0; state->loading && !state->failed && n < count; n++) {
		uint64_t page = 0, pa = 0;

		STATE_FIELD(state, page);
		STATE_FIELD(state, pa);
		if (!state->failed)
			load_entry(state, cpu, tlb, page, pa);
	}
}

static void code_state(struct state *state, struct soft_cpu *cpu, struct soft_code_view *view)
{
	uint32_t count = view->page_count;

	STATE_UP_TO(state, count, SOFT_ITLB_PAGES);
	for (unsigned int n = 0; !state->failed && n < count; n++) {
		struct soft_code_page_map map = {0};

		if (!state->loading)
			map = view->itlb[view->pages[n]];
		STATE_FIELD(state, map.va);
		STATE_FIELD(state, map.pa);
		if (!state->loading || state->failed)
			continue;
		if (map.va & ~SOFT_PAGE_MASK || map.pa & ~(SOFT_PAGE_MASK | SOFT_MAP_BITS) ||
		    (SOFT_MAPPED(map.pa) && SOFT_MAPPED(map.pa) < SOFT_PAGE_SHIFT) ||
		    (map.pa & SOFT_GUARDED && !(cpu->sys.isa & SOFT_ISA(BTI))) ||
		    !soft_memory(cpu->vm, map.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE) ||
		    !soft_code_page_add(view, map.va, map.pa))
			state_refuse(state, "impossible fetches from 0x%" PRIx64, map.va);
	}
}

/* The views of the implemented levels, and the registers that they were filled under. */
static void translations_state(struct state *state, struct soft_cpu *cpu)
{
	const struct engine_levels *levels = &cpu->sys.levels;
	const bool there[4] = {true, true, levels->el2, levels->el3};

	for (unsigned int view = 0; view < SOFT_VIEWS; view++)
		if (there[soft_view_level((enum soft_view)view)])
			tlb_state(state, cpu, &cpu->views.tlbs[view]);
	for (unsigned int el = 0; el < 4; el++)
		if (there[el])
			code_state(state, cpu, &cpu->views.code[el]);
	for (unsigned int el = 1; el < 4; el++) {
		struct soft_regime_key *key = &cpu->views.regimes[el];

		STATE_FIELD(state, key->sctlr);
		STATE_FIELD(state, key->tcr);
		STATE_FIELD(state, key->ttbr0);
		STATE_FIELD(state, key->ttbr1);
		STATE_FIELD(state, key->mair);
		STATE_FIELD(state, key->hcr);
		STATE_FIELD(state, key->scr);
		STATE_FIELD(state, key->vtcr);
		STATE_FIELD(state, key->vttbr);
		STATE_FIELD(state, key->vstcr);
		STATE_FIELD(state, key->vsttbr);
	}
	STATE_FIELD(state, cpu->views.host);
}

/* Does the unit have the PE's controls? */
static bool same_controls(const struct sysreg_controls *a, const struct sysreg_controls *b)
{
	return a->features == b->features && a->el == b->el && a->aarch32 == b->aarch32 &&
	       a->halted == b->halted && a->edscr_sdd == b->edscr_sdd &&
	       a->el3_trap_has_priority_sdd == b->el3_trap_has_priority_sdd &&
	       a->hcr_el2 == b->hcr_el2 && a->mdcr_el2 == b->mdcr_el2 &&
	       a->mdcr_el3 == b->mdcr_el3 && a->scr_el3 == b->scr_el3 &&
	       a->hdfgrtr_el2 == b->hdfgrtr_el2 && a->hdfgwtr_el2 == b->hdfgwtr_el2 &&
	       a->hdfgrtr2_el2 == b->hdfgrtr2_el2 && a->hdfgwtr2_el2 == b->hdfgwtr2_el2 &&
	       a->pmscr_el1 == b->pmscr_el1 && a->pmscr_el2 == b->pmscr_el2;
}

/* libvspe makes the unit's image. */
static void spe_state(struct state *state, struct soft_cpu *cpu)
{
	uint8_t image[SPE_IMAGE_MAX];
	uint32_t size = 0;
	const char *field = NULL;
	int error;

	if (!cpu->sys.spe)
		return;
	if (!state->loading)
		size = (uint32_t)spe_save(cpu->sys.spe, image, sizeof(image));
	STATE_UP_TO(state, size, sizeof(image));
	if (!state->failed)
		state_bytes(state, image, size);
	if (!state->loading || state->failed)
		return;
	error = spe_restore(cpu->sys.spe, image, size, &field);
	if (error)
		state_refuse(state, "SPE: %s%s%s", field ? field : "", field ? ": " : "",
			     spe_strerror(error));
	else if (!same_controls(spe_unit_controls(cpu->sys.spe), &cpu->sys.controls))
		state_refuse(state, "SPE: other controls than the PE's");
}

/* The bits of a register that can be 1. */
static void bits_state(struct state *state, const char *name, uint64_t *value, uint64_t bits)
{
	state_number(state, name, value, sizeof(*value), UINT64_MAX);
	if (state->loading && *value & ~bits)
		state_refuse(state, "%s has bits that it cannot have", name);
}

/* A register with a bit for each counter: of 32 bits without an instruction counter. */
static void counters_state(struct state *state, const struct pmu *unit, uint64_t *bits)
{
	uint32_t narrow = (uint32_t)*bits;

	if (pmu_has_instruction_counter(&unit->config)) {
		state_number(state, "counters", bits, sizeof(*bits), UINT64_MAX);
	} else {
		state_number(state, "counters", &narrow, sizeof(narrow), UINT32_MAX);
		*bits = narrow;
	}
	if (state->loading && *bits & ~pmu_counter_bits(&unit->config)) {
		state_refuse(state, "a counter that there is not");
		*bits = 0;
	}
}

/* Registers; which counters count follows from them. The unit knows of all that was executed. */
static void pmu_state(struct state *state, struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	struct pmu *unit;
	unsigned int counters;
	uint64_t type_bits;

	if (!pmu)
		return;
	unit = &pmu->unit;
	type_bits = pmu_type_bits(&unit->config);
	counters = pmu_has_instruction_counter(&unit->config) ? PMU_ALL_COUNTERS
							      : PMU_CYCLE_COUNTER + 1;
	if (!state->loading)
		soft_pmu_refresh(cpu);
	for (unsigned int n = 0; n < counters; n++) {
		const bool fixed = n >= PMU_COUNTERS;
		const bool wide = fixed || unit->config.version >= PMU_V3P5;

		bits_state(state, "PMEVCNTRn_EL0", &unit->counter[n],
			   wide ? UINT64_MAX : UINT32_MAX);
		bits_state(state, "PMEVTYPERn_EL0", &unit->type[n],
			   fixed ? type_bits & ~UINT64_C(0xffff) : type_bits);
	}
	bits_state(state, "PMCR_EL0", &unit->pmcr, pmu_pmcr_bits(unit));
	STATE_UP_TO(state, unit->pmselr, 31);
	STATE_UP_TO(state, unit->pmuserenr, pmu_user_bits(&unit->config));
	counters_state(state, unit, &unit->enabled);
	counters_state(state, unit, &unit->interrupts);
	counters_state(state, unit, &unit->overflowed);
	if (unit->config.version >= PMU_V3P9)
		counters_state(state, unit, &unit->pmuacr);
	STATE_FIELD(state, pmu->irq);
	pmu->synced = cpu->ops;
}

/* Images from before there was any end here. */
static void fp_state(struct state *state, struct soft_cpu *cpu)
{
	if (state->loading && state->at == state->size)
		return;
	for (unsigned int n = 0; n < 32; n++)
		STATE_ARRAY(state, cpu->v[n].d);
	STATE_FIELD(state, cpu->sys.fp.fpcr);
	STATE_FIELD(state, cpu->sys.fp.fpsr);
	if (state->loading && ((cpu->sys.fp.fpcr & ~soft_fpcr_mask(cpu->sys.isa)) ||
			       (cpu->sys.fp.fpsr & ~FPSR_IMPLEMENTED)))
		state_refuse(state, "FPCR or FPSR has bits that it cannot have");
}

/*
 * SVE: the vectors beyond what fp_state() has, up to the longest that can be used, and the
 * predicates. An image is of a machine with the same sys.sve_vl: that is among its options.
 */
static void sve_state(struct state *state, struct soft_cpu *cpu)
{
	struct soft_sys *sys = &cpu->sys;

	const unsigned int segments = sys->sve_vl / 16;

	for (unsigned int c = 1; c < segments; c++)
		for (unsigned int n = 0; n < 32; n++)
			STATE_ARRAY(state, cpu->z[c][n].d);
	for (unsigned int n = 0; n < SOFT_PREDICATES; n++)
		for (unsigned int c = 0; c < segments; c++)
			STATE_FIELD(state, cpu->p[n].h[c]);
	for (unsigned int el = 0; el <= 3; el++)
		bits_state(state, "ZCR_ELx", &sys->zcr[el], ZCR_ELx_LEN);
	if (state->loading)
		memset(cpu->upper, sys->sve_vl > 16, sizeof(cpu->upper));
}

/* State of optional features: earlier in the image it is said which there are. */
static void features_state(struct state *state, struct soft_sys *sys)
{
	if (sys->isa & SOFT_ISA(UAO))
		STATE_FIELD(state, sys->pstate.uao);
	if (sys->isa & SOFT_ISA(DIT))
		STATE_FIELD(state, sys->pstate.dit);
	if (sys->isa & SOFT_ISA(SSBS2))
		STATE_FIELD(state, sys->pstate.ssbs);
	if (sys->isa & SOFT_ISA(BTI))
		STATE_UP_TO(state, sys->pstate.btype, 3);
	for (unsigned int n = 0; sys->isa & SOFT_ISA(PAuth) && n < SOFT_KEYS; n++) {
		STATE_FIELD(state, sys->keys[n].lo);
		STATE_FIELD(state, sys->keys[n].hi);
	}
	if (sys->isa & SOFT_ISA(MOPS))
		bits_state(state, "HCRX_EL2", &sys->hcrx_el2, HCRX_EL2_MSCEn | HCRX_EL2_MCE2);
}

/* The machine's options decide whether there is any of this. */
static void draws_state(struct state *state, struct soft_cpu *cpu)
{
	if (cpu->vm->unknown.drawn)
		STATE_FIELD(state, cpu->loop.draws);
}

void soft_cpu_state(struct soft_cpu *cpu, struct state *state)
{
	core_state(state, cpu);
	sys_state(state, &cpu->sys);
	translations_state(state, cpu);
	spe_state(state, cpu);
	pmu_state(state, cpu);
	if (cpu->vm->model && !state->failed)
		soft_model_state(cpu, state);
	if (!state->failed)
		fp_state(state, cpu);
	if (!state->failed && cpu->sys.isa & SOFT_ISA(RNG))
		STATE_FIELD(state, cpu->sys.random);
	if (!state->failed)
		features_state(state, &cpu->sys);
	if (!state->failed && cpu->sys.isa & SOFT_ISA(SVE))
		sve_state(state, cpu);
	if (!state->failed)
		more_debug_state(state, &cpu->sys);
	if (!state->failed)
		draws_state(state, cpu);
	if (!state->loading || state->failed)
		return;
	cpu->at = NULL;
	cpu->slot = NULL;
	soft_context_changed(cpu);
	/* Before another vCPU runs, whose accesses may make this one's caches write back. */
	if (cpu->sys.pmu)
		soft_pmu_refresh(cpu);
}
