/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches, translation and PRFM of a core of the machine model. */
#include "translate.h"

#define PAGE_SHIFT 12

/* Of model_core.fetch_page. */
#define FETCH_PAGE_THERE    UINT64_C(1)
#define FETCH_PAGE_REGIME   1 /* the shift of two bits */
#define FETCH_PAGE_UNCACHED UINT64_C(8)

/* Of model_core.fetch_line. */
#define FETCH_LINE_THERE    UINT64_C(1)
#define FETCH_LINE_UNCACHED UINT64_C(2)

/* Cycles of a walk: each descriptor is read when the previous one has arrived. */
static uint32_t walk_tables(struct model *model, uint32_t core, const struct model_walk *walk)
{
	uint32_t cycles = 0;

	for (unsigned int n = 0; n < walk->count; n++)
		cycles += model_memory_latency(
			model, core,
			model_memory_access(model, core, walk->descriptors[n], MODEL_WALK),
			walk->descriptors[n]);
	return cycles;
}

uint32_t model_refill(struct model *model, uint32_t index, const struct model_facts *facts,
		      uint64_t va, bool data, bool *walked, uint64_t *page)
{
	struct model_core *core = &model->cores[index];
	struct model_tlb *first = data ? &core->dtlb : &core->itlb;
	const struct model_tlb_key key =
		model_key_of(core, data ? facts->data_regime : facts->regime, va);
	uint32_t cycles = model->config.tlb_latency;
	struct model_walk walk = {0};

	core->counts[data ? MODEL_L1D_TLB_REFILL : MODEL_L1I_TLB_REFILL]++;
	core->counts[MODEL_L2D_TLB]++;
	*walked = !model_tlb_use(&core->tlb, &key, page);
	if (!*walked) {
		model_tlb_insert(first, &key, model_tlb_shift(*page),
				 *page & (MODEL_TLB_UNCACHED | MODEL_TLB_GLOBAL));
		return cycles;
	}
	core->counts[MODEL_L2D_TLB_REFILL]++;
	core->counts[data ? MODEL_DTLB_WALK : MODEL_ITLB_WALK]++;
	facts->walk(facts->ctx, va, data, &walk);
	cycles += walk_tables(model, index, &walk);
	*page = (walk.uncached ? MODEL_TLB_UNCACHED : 0) | (walk.global ? MODEL_TLB_GLOBAL : 0);
	if (walk.shift) {
		model_tlb_insert(&core->tlb, &key, walk.shift, *page);
		model_tlb_insert(first, &key, walk.shift, *page);
	}
	return cycles;
}

uint32_t model_core_fetch(struct model *model, uint32_t index, uint64_t pc,
			  const struct model_facts *facts)
{
	struct model_core *core = &model->cores[index];
	const uint64_t va = model_untagged(pc);
	uint64_t line = model_line_pa(facts->fetch_pa) | FETCH_LINE_THERE;
	const uint64_t page = (va >> PAGE_SHIFT << PAGE_SHIFT) |
			      (uint64_t)facts->regime << FETCH_PAGE_REGIME | FETCH_PAGE_THERE;
	enum model_source source = MODEL_FROM_DRAM;
	uint32_t held = 0;
	uint64_t entry;
	bool walked;

	if (!facts->tables) {
		core->fetch_page = 0;
	} else if (page != (core->fetch_page & ~FETCH_PAGE_UNCACHED)) {
		const struct model_tlb_key key = model_key_of(core, facts->regime, va);

		if (!model_tlb_use(&core->itlb, &key, &entry))
			held = model_refill(model, index, facts, va, false, &walked, &entry);
		core->fetch_page = page | (entry & MODEL_TLB_UNCACHED ? FETCH_PAGE_UNCACHED : 0);
	}
	if (facts->uncached || core->fetch_page & FETCH_PAGE_UNCACHED)
		line |= FETCH_LINE_UNCACHED;
	if (line == core->fetch_line)
		return held;
	core->fetch_line = line;
	if (!(line & FETCH_LINE_UNCACHED))
		source = model_memory_access(model, index, facts->fetch_pa, MODEL_FETCH);
	if (source != MODEL_FROM_L1D)
		held += model_memory_latency(model, index, source, facts->fetch_pa);
	return held;
}

void model_core_context(struct model *model, uint32_t index, unsigned int regime, uint64_t context)
{
	struct model_core *core = &model->cores[index];

	if (core->contexts[regime] == context)
		return;
	core->contexts[regime] = context;
	core->fetch_page = 0;
	core->itlb.epoch++;
	core->dtlb.epoch++;
}

void model_core_forget(struct model *model, uint32_t index, const struct model_tlbi *tlbi)
{
	struct model_core *core = &model->cores[index];
	struct model_tlbi bare;

	if (tlbi) {
		bare = *tlbi;
		bare.va = model_untagged(bare.va);
		tlbi = &bare;
	}
	core->fetch_page = 0;
	model_tlb_drop(&core->itlb, tlbi);
	model_tlb_drop(&core->dtlb, tlbi);
	model_tlb_drop(&core->tlb, tlbi);
}

bool model_prefetch_of(uint32_t word, struct model_prefetch *wanted)
{
	const unsigned int what = word & 31; /* Rt: for what, into which level, and how */

	*wanted = (struct model_prefetch){.code = what >> 3 == 1, .level = (what >> 1 & 3) + 1};
	return what >> 3 != 3;
}

void model_core_prefetch(struct model *model, uint32_t index, const struct model_facts *facts,
			 const struct model_prefetch *prefetch)
{
	struct model_core *core = &model->cores[index];
	const struct model_tlb_key key =
		model_key_of(core, facts->data_regime, model_untagged(prefetch->va));
	uint64_t page;

	if (facts->data_uncached || !facts->data_tables)
		return;
	if (!model_tlb_use(&core->dtlb, &key, &page) && !model_tlb_use(&core->tlb, &key, &page))
		return;
	if (!(page & MODEL_TLB_UNCACHED))
		model_memory_prefetch(model, index, prefetch->pa, prefetch->level, prefetch->code);
}
