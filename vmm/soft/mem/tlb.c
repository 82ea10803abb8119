/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software TLB. An entry says which page may be read and which written without further checks,
 * and what to add to a virtual address to get the host's. Pages with decoded code, and those of
 * another vCPU's exclusive monitor, are never writable in it, so that stores to them are noticed.
 * Devices are never in it.
 */
#include "soft/mem/tlb.h"
#include "model/core.h"
#include "base/assertion.h"
#include "soft/mem/code.h"
#include "soft/mem/memory.h"
#include "soft/mem/monitor.h"
#include "soft/mem/regime.h"

#include <string.h>

const struct soft_tlb_entry soft_tlb_nothing[SOFT_TLB_SIZE] = {
	[0 ... SOFT_TLB_SIZE - 1] = {.read = SOFT_NO_PAGE, .write = SOFT_NO_PAGE}};

_Static_assert(offsetof(struct soft_tlb, entries) == 0, "soft_cpu.tlb is one of both");

static struct soft_tlb_entry *entry_of(struct soft_tlb *tlb, uint64_t va)
{
	return &tlb->entries[(va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE];
}

struct soft_tlb_entry *soft_tlb_victim(struct soft_tlb *tlb, uint64_t va)
{
	const uint64_t page = va << 8 >> (8 + SOFT_PAGE_SHIFT);

	return &tlb->victims[page * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

static void clear_entry(struct soft_tlb_entry *entry)
{
	*entry = (struct soft_tlb_entry){.read = SOFT_NO_PAGE, .write = SOFT_NO_PAGE};
}

static void clear_victims(struct soft_tlb *tlb)
{
	for (unsigned int n = 0; tlb->evicted && n < SOFT_VICTIMS; n++)
		clear_entry(&tlb->victims[n]);
	tlb->evicted = false;
}

static void reset_tlb(struct soft_tlb *tlb)
{
	if (tlb->fills <= SOFT_TLB_LOG) {
		for (unsigned int n = 0; n < tlb->fills; n++)
			clear_entry(&tlb->entries[tlb->filled[n]]);
	} else {
		memcpy(tlb->entries, soft_tlb_nothing, sizeof(tlb->entries));
	}
	tlb->fills = 0;
	clear_victims(tlb);
	tlb->large = SOFT_LARGE_NONE;
}

/* Which views and code views belong to a regime, as sets of bits. */
#define VIEW(name) (1u << SOFT_VIEW_##name)
#define VIEWS_EL10 (VIEW(EL1) | VIEW(EL1_PAN))
#define VIEWS_EL2  (VIEW(EL2) | VIEW(EL2_PAN))
#define ALL	   0xfu

/* By Exception level, which for code views is also the number of the bit. */
static const uint8_t views_of[4] = {VIEW(EL0), VIEWS_EL10, VIEWS_EL2, VIEW(EL3)};

unsigned int soft_view_level(enum soft_view view)
{
	unsigned int el = 0;

	while (!(views_of[el] & 1u << view))
		el++;
	return el;
}

/* Only EL1&0 has VMIDs, if EL2 is enabled; only regimes with two ranges of addresses have ASIDs. */
static uint64_t context_of(const struct soft_sys *sys, enum arm_regime_kind kind)
{
	const struct sysreg_controls *controls = &sys->controls;
	const unsigned int owner = arm_regime_owner(kind);
	uint16_t asid = 0, vmid = 0;

	if (kind == ARM_REGIME_EL10 || kind == ARM_REGIME_EL20)
		asid = arm_asid(sys->tcr[owner], sys->ttbr0[owner], sys->ttbr1[owner]);
	if (kind == ARM_REGIME_EL10 && sys->levels.el2 && sysreg_el2_enabled(controls))
		vmid = (uint16_t)(sys->vttbr_el2 >> 48) &
		       (sys->vtcr_el2 & VTCR_EL2_VS ? 0xffff : 0xff);
	return model_context(asid, vmid, arm_security_of(controls, kind));
}

void soft_tlb_contexts(const struct soft_cpu *cpu)
{
	if (!cpu->vm->model)
		return;
	for (unsigned int kind = 0; kind <= ARM_REGIME_EL3; kind++)
		model_core_context(cpu->vm->model->machine, cpu->index, kind,
				   context_of(&cpu->sys, (enum arm_regime_kind)kind));
}

/* The machine model's TLBs have entries of other contexts, too. cpu requests, target forgets. */
static void forget_in_model(const struct soft_cpu *cpu, const struct soft_cpu *target,
			    const struct soft_tlbi *tlbi)
{
	const unsigned int kind = (unsigned int)__builtin_ctz(tlbi->regimes);
	const uint64_t context = context_of(&cpu->sys, (enum arm_regime_kind)kind);
	const struct model_tlbi asked = {
		.regimes = tlbi->regimes,
		.context = (context & ~MODEL_CONTEXT_ASID) | tlbi->asid,
		.any_vmid = tlbi->any_vmid,
		.by_asid = tlbi->by_asid,
		.by_va = tlbi->by_va,
		.va = tlbi->va,
	};

	if (!tlbi->stage2_alone)
		model_core_forget(cpu->vm->model->machine, target->index, &asked);
}

/* els: a set of Exception levels. */
static void flush_levels(struct soft_cpu *cpu, unsigned int els)
{
	unsigned int views = 0;

	for (unsigned int el = 0; el < 4; el++) {
		if (!(els & 1u << el))
			continue;
		views |= views_of[el];
		soft_code_view_reset(&cpu->views.code[el]);
	}
	for (unsigned int view = 0; view < SOFT_VIEWS; view++) {
		if (views & 1u << view)
			reset_tlb(&cpu->views.tlbs[view]);
	}
	cpu->at = NULL;
}

/*
 * The entries of Exception levels that are not implemented are never used: leave their memory
 * alone.
 */
void soft_tlb_reset(struct soft_cpu *cpu)
{
	const struct engine_levels *levels = &cpu->sys.levels;
	const bool there[4] = {true, true, levels->el2, levels->el3};

	for (unsigned int el = 0; el < 4; el++) {
		soft_code_view_start(&cpu->views.code[el]);
		for (unsigned int n = 0; there[el] && n < SOFT_ITLB_SLOTS; n++)
			cpu->views.code[el].itlb[n].va = SOFT_NO_PAGE;
		for (unsigned int view = 0; view < SOFT_VIEWS; view++) {
			if (!(views_of[el] & 1u << view))
				continue;
			cpu->views.tlbs[view].fills = there[el] ? SOFT_TLB_LOG + 1 : 0;
			cpu->views.tlbs[view].evicted = there[el];
		}
	}
	soft_tlb_flush(cpu);
}

void soft_tlb_flush(struct soft_cpu *cpu)
{
	flush_levels(cpu, ALL);
	if (cpu->vm->model)
		model_core_forget(cpu->vm->model->machine, cpu->index, NULL);
	soft_tlb_contexts(cpu);
	for (unsigned int el = 1; el < 4; el++)
		cpu->views.regimes[el] = soft_regime_key_of(&cpu->sys, el);
	cpu->views.host = sysreg_el0_host(&cpu->sys.controls);
}

void soft_tlb_forget(struct soft_cpu *cpu)
{
	for (unsigned int view = 0; view < SOFT_VIEWS; view++)
		reset_tlb(&cpu->views.tlbs[view]);
}

void soft_tlb_drop(struct soft_cpu *cpu, enum soft_view view, uint64_t page)
{
	struct soft_tlb *tlb = &cpu->views.tlbs[view];

	if (soft_tlb_page(entry_of(tlb, page)) == page)
		clear_entry(entry_of(tlb, page));
	if (tlb->evicted && soft_tlb_page(soft_tlb_victim(tlb, page)) == page)
		clear_entry(soft_tlb_victim(tlb, page));
}

void soft_tlb_cached(struct soft_cpu *cpu, enum soft_view view, uint64_t page)
{
	struct soft_tlb_entry *entry = entry_of(&cpu->views.tlbs[view], page);

	entry->cached = soft_tlb_page(entry) == page;
}

/*
 * EL0's translations are those of the level above it. A host leaves EL1's alone until it stops
 * being a host.
 */
void soft_tlb_registers_written(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = &cpu->sys;
	const bool host = sysreg_el0_host(&sys->controls);
	unsigned int changed = sys->pstate.el == 1 ? 1u << 1 : 0;

	for (unsigned int el = host ? 2 : 1; el < 4; el++) {
		const struct soft_regime_key key = soft_regime_key_of(sys, el);

		if (memcmp(&key, &cpu->views.regimes[el], sizeof(key)) == 0)
			continue;
		cpu->views.regimes[el] = key;
		changed |= 1u << el;
	}
	if (host != cpu->views.host || changed & 1u << (host ? 2 : 1))
		changed |= 1;
	cpu->views.host = host;
	flush_levels(cpu, changed);
	soft_tlb_contexts(cpu);
}

static void drop_page(struct soft_tlb *tlb, uint64_t va)
{
	if (soft_large_has(&tlb->large, va)) {
		reset_tlb(tlb);
		return;
	}
	clear_entry(entry_of(tlb, va));
	if (tlb->evicted)
		clear_entry(soft_tlb_victim(tlb, va));
}

/* The Exception levels whose translations belong to these regimes; EL0's may belong to either. */
static unsigned int levels_of(unsigned int regimes)
{
	const unsigned int el10 = 1u << ARM_REGIME_EL10, el3 = 1u << ARM_REGIME_EL3;
	unsigned int els = 0;

	if (regimes & el10)
		els |= 1u << 0 | 1u << 1;
	if (regimes & ~(el10 | el3))
		els |= 1u << 0 | 1u << 2;
	return regimes & el3 ? els | 1u << 3 : els;
}

static void drop_address(struct soft_cpu *cpu, unsigned int els, uint64_t va)
{
	for (unsigned int el = 0; el < 4; el++) {
		if (!(els & 1u << el))
			continue;
		for (unsigned int view = 0; view < SOFT_VIEWS; view++) {
			if (views_of[el] & 1u << view)
				drop_page(&cpu->views.tlbs[view], va);
		}
		soft_code_view_drop(&cpu->views.code[el], va);
	}
	cpu->at = NULL;
}

void soft_tlb_invalidate(struct soft_cpu *cpu, const struct soft_tlbi *tlbi)
{
	const struct soft_vm *vm = cpu->vm;
	const unsigned int els = levels_of(tlbi->regimes);

	for (unsigned int n = 0; n < vm->count; n++) {
		struct soft_cpu *target = vm->cpus[n];

		if (!target || (target != cpu && !tlbi->all_cpus))
			continue;
		if (SOFT_UNLIKELY(vm->model)) {
			forget_in_model(cpu, target, tlbi);
			target->model.observed = false;
		}
		if (tlbi->by_va)
			drop_address(target, els, tlbi->va);
		else
			flush_levels(target, els);
	}
}

void soft_tlb_filled(struct soft_tlb *tlb, const struct soft_tlb_entry *entry)
{
	vspe_assert_of(entry >= tlb->entries && entry < tlb->entries + SOFT_TLB_SIZE, entry->read,
		       entry->write);
	if (tlb->fills < SOFT_TLB_LOG)
		tlb->filled[tlb->fills] = (uint16_t)(entry - tlb->entries);
	if (tlb->fills <= SOFT_TLB_LOG)
		tlb->fills++;
}

#define FEW_PIECES 4

/* A hash distinguishes the pieces: some may count as one. */
bool soft_tlb_is_flat(const struct soft_cpu *cpu)
{
	const struct soft_tlb *tlb = (const struct soft_tlb *)cpu->tlb;
	uint64_t seen[8] = {0};
	unsigned int fills, pages = 0, pieces = 0;

	if (cpu->tlb == soft_tlb_nothing) /* which is entries alone */
		return false;
	fills = tlb->fills < SOFT_TLB_LOG ? tlb->fills : SOFT_TLB_LOG;
	for (unsigned int i = 0; i < fills; i++) {
		const struct soft_tlb_entry *entry = &tlb->entries[tlb->filled[i]];
		const unsigned int hash = (unsigned int)((entry->add >> SOFT_PAGE_SHIFT) *
								 UINT64_C(0x9e3779b97f4a7c15) >>
							 55);

		if (soft_tlb_page(entry) == SOFT_NO_PAGE)
			continue;
		pages++;
		pieces += !(seen[hash / 64] >> hash % 64 & 1);
		seen[hash / 64] |= UINT64_C(1) << hash % 64;
	}
	return pieces <= FEW_PIECES || (cpu->sys.pstate.el > 0 && 2 * pieces <= pages);
}

uint64_t soft_tlb_page(const struct soft_tlb_entry *entry)
{
	if (entry->read != SOFT_NO_PAGE || entry->write == SOFT_NO_PAGE)
		return entry->read;
	return entry->write & ~SOFT_WATCHED;
}

/*
 * The entry for va. If it has another page, that becomes a victim; a victim of this page is
 * removed.
 */
static struct soft_tlb_entry *make_place(struct soft_tlb *tlb, uint64_t va)
{
	struct soft_tlb_entry *entry = entry_of(tlb, va), *victim = soft_tlb_victim(tlb, va);
	const uint64_t page = va & SOFT_PAGE_MASK, other = soft_tlb_page(entry);

	if (tlb->evicted && soft_tlb_page(victim) == page)
		clear_entry(victim);
	if (other == SOFT_NO_PAGE) {
		soft_tlb_filled(tlb, entry);
	} else if (other != page) {
		*soft_tlb_victim(tlb, other) = *entry;
		tlb->evicted = true;
	}
	return entry;
}

/* With --model warm: for soft_warm_settle(), which drops it unless the model has the page. */
static void note_fill(struct soft_cpu *cpu, enum soft_view view, uint64_t page)
{
	if (cpu->warm.fills < SOFT_WARM_FILLS)
		cpu->warm.filled[cpu->warm.fills++] = page;
	else
		cpu->warm.fills = SOFT_WARM_FILLS + 1;
	cpu->warm.view = (uint8_t)view;
}

static void fill_entry(struct soft_tlb *tlb, uint64_t va, enum soft_view view,
		       const struct arm_translation *t, const struct soft_place *place)
{
	struct soft_tlb_entry *entry = make_place(tlb, va);
	const uint64_t page = va & SOFT_PAGE_MASK;
	const bool readable = view == SOFT_VIEW_EL0 ? t->readable_el0 : t->readable_el1;
	const bool writable =
		(view == SOFT_VIEW_EL0 ? t->writable_el0 : t->writable_el1) && !place->rom;

	entry->read = readable ? page : SOFT_NO_PAGE;
	entry->write = writable ? page | (place->watched ? SOFT_WATCHED : 0) : SOFT_NO_PAGE;
	entry->device = t->device;
	entry->cached = false;
	entry->add = (uintptr_t)place->host - (uintptr_t)va;
	vspe_assert_of(entry == entry_of(tlb, page) && soft_tlb_victim(tlb, page) != entry, page,
		       va);
	vspe_assert_of(tlb->fills, page, tlb->fills);
	soft_large_add(&tlb->large, va, t->page_mask);
}

/* Is it the entry of an access without a fault? */
static bool has_entry(const struct soft_tlb_entry *entry, uint64_t page, enum arm_access access,
		      bool unaligned)
{
	if (unaligned && entry->device)
		return false;
	return (access == ARM_WRITE || entry->read == page) &&
	       (access == ARM_READ || soft_tlb_writes(entry, page));
}

static bool hit_entry(struct soft_cpu *cpu, struct soft_tlb_entry *entry, uint64_t va,
		      enum arm_access access, bool unaligned, struct soft_place *place)
{
	const struct engine_ram *ram = &cpu->vm->host.ram;
	const uint64_t page = va & SOFT_PAGE_MASK;

	if (!has_entry(entry, page, access, unaligned))
		return false;
	place->host = (uint8_t *)((uintptr_t)va + entry->add);
	vspe_assert_of(entry->write == SOFT_NO_PAGE ||
			       (place->host >= ram->host &&
				(uint64_t)(place->host - ram->host) < ram->size),
		       va, entry->add);
	place->pa = ram->base + (uint64_t)(place->host - ram->host);
	place->watched = access != ARM_READ && entry->write != page;
	if (place->watched && !soft_page_watched(cpu, place->pa)) {
		place->watched = false;
		entry->write = page;
	}
	return true;
}

/* Move a victim back to its place. Victims do not get updates of what is known of a page. */
static bool hit_victim(struct soft_cpu *cpu, struct soft_tlb *tlb, uint64_t va,
		       enum arm_access access, bool unaligned, struct soft_place *place)
{
	const struct soft_tlb_entry victim = *soft_tlb_victim(tlb, va);
	const uint64_t page = va & SOFT_PAGE_MASK;
	struct soft_tlb_entry *entry;

	if (!tlb->evicted || !has_entry(&victim, page, access, unaligned))
		return false;
	entry = make_place(tlb, va);
	*entry = victim;
	if (entry->write != SOFT_NO_PAGE)
		entry->write = page | SOFT_WATCHED;
	return hit_entry(cpu, entry, va, access, unaligned, place);
}

bool soft_tlb_resolve(struct soft_cpu *cpu, enum soft_view view, uint64_t va,
		      enum arm_access access, bool unaligned, struct soft_place *place)
{
	static const struct {
		uint8_t el;
		bool pan;
	} rows[SOFT_VIEWS] = {
		[SOFT_VIEW_EL1] = {1, false}, [SOFT_VIEW_EL1_PAN] = {1, true},
		[SOFT_VIEW_EL2] = {2, false}, [SOFT_VIEW_EL2_PAN] = {2, true},
		[SOFT_VIEW_EL3] = {3, false},
	};
	const struct soft_access as = {access, rows[view].el, rows[view].pan, unaligned};
	struct soft_tlb *tlb = &cpu->views.tlbs[view];
	struct arm_translation t;

	if (hit_entry(cpu, entry_of(tlb, va), va, access, unaligned, place))
		return true;
	cpu->sampling.walks++;
	cpu->sampling.walked |= cpu->sampling.deferred && cpu->left == 0;
	/* Foretold samples may rely on an entry that is removed: back to the run loop. */
	if (SOFT_UNLIKELY(cpu->sampling.foretold && cpu->run - cpu->left < cpu->sampling.foretold))
		cpu->attention |= SOFT_ATTENTION_CODE;
	if (hit_victim(cpu, tlb, va, access, unaligned, place))
		return true;
	if (!soft_translate_as(cpu, va, &as, &t)) {
		place->failed = t;
		return false;
	}
	place->pa = t.pa;
	place->host = soft_ram(cpu->vm, t.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE);
	place->rom = !place->host && access == ARM_READ;
	if (place->rom) /* which nobody writes through it */
		place->host =
			soft_within(&cpu->vm->host.rom, t.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE);
	place->watched = false;
	if (!place->host)
		return true;
	place->host += t.pa & ~SOFT_PAGE_MASK;
	place->watched = soft_page_watched(cpu, t.pa);
	if (SOFT_UNLIKELY(cpu->warm.lines)) {
		if (place->rom) /* whose lines have no byte in a filter */
			return true;
		note_fill(cpu, view, va & SOFT_PAGE_MASK);
	}
	fill_entry(tlb, va, view, &t, place);
	return true;
}

void soft_tlb_protect(struct soft_vm *vm, uint64_t pa)
{
	const uintptr_t host = (uintptr_t)soft_ram(vm, pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE);

	for (unsigned int n = 0; n < vm->count * SOFT_VIEWS; n++) {
		struct soft_cpu *cpu = vm->cpus[n / SOFT_VIEWS];
		struct soft_tlb *tlb = cpu ? &cpu->views.tlbs[n % SOFT_VIEWS] : NULL;
		const bool logged = tlb && tlb->fills <= SOFT_TLB_LOG;
		const unsigned int count = !tlb ? 0 : logged ? tlb->fills : SOFT_TLB_SIZE;

		for (unsigned int i = 0; i < count; i++) {
			struct soft_tlb_entry *entry = &tlb->entries[logged ? tlb->filled[i] : i];

			if (entry->write == SOFT_NO_PAGE || entry->write + entry->add != host)
				continue;
			entry->write |= SOFT_WATCHED;
		}
	}
}
