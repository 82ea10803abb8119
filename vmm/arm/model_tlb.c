/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets of a TLB of the machine model. */
#include "arm/model_tlb.h"

#include <stddef.h>
#include <string.h>

#define REGIME_SHIFT 6
#define PAGE_SHIFT   12u
#define SHIFT_MAX    47u

uint64_t *model_tlb_init(struct model_tlb *tlb, uint32_t count, uint32_t ways, uint64_t *memory)
{
	struct model_tlb_entry *entries = (struct model_tlb_entry *)memory;

	*tlb = (struct model_tlb){.entries = entries, .sets = count / ways, .ways = ways};
	for (uint32_t n = 0; n < count; n++)
		entries[n] = (struct model_tlb_entry){0};
	return (uint64_t *)(entries + count);
}

static struct model_tlb_entry *set_of(const struct model_tlb *tlb, uint64_t va, unsigned int shift)
{
	return tlb->entries + ((va >> shift) & (tlb->sets - 1)) * tlb->ways;
}

static unsigned int regime_of(uint64_t page)
{
	return (unsigned int)((page & MODEL_TLB_REGIME) >> REGIME_SHIFT);
}

static bool has(uint64_t page, uint64_t va)
{
	return (page ^ va) >> model_tlb_shift(page) == 0;
}

static bool matches(const struct model_tlb_entry *entry, const struct model_tlb_key *key)
{
	const uint64_t other = entry->context ^ key->context;

	return has(entry->page, key->va) && regime_of(entry->page) == key->regime &&
	       !(entry->page & MODEL_TLB_GLOBAL ? other & ~MODEL_CONTEXT_ASID : other);
}

/* In the set where pages of 1 << shift bytes are. */
static bool use_set(struct model_tlb_entry *set, uint32_t ways, const struct model_tlb_key *key)
{
	struct model_tlb_entry entry;
	uint32_t way = 0;

	while (way < ways && set[way].page && !matches(&set[way], key))
		way++;
	if (way == ways || !set[way].page)
		return false;
	if (way == 0)
		return true;
	entry = set[way];
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = entry;
	return true;
}

bool model_tlb_use(struct model_tlb *tlb, const struct model_tlb_key *key, uint64_t *page)
{
	for (uint64_t sizes = tlb->sizes; sizes; sizes &= sizes - 1) {
		const unsigned int shift = (unsigned int)__builtin_ctzll(sizes);
		struct model_tlb_entry *set = set_of(tlb, key->va, shift);

		if (use_set(set, tlb->ways, key)) {
			*page = set->page;
			return true;
		}
		if (tlb->sets == 1)
			break;
	}
	return false;
}

void model_tlb_insert(struct model_tlb *tlb, const struct model_tlb_key *key, unsigned int shift,
		      uint64_t attributes)
{
	struct model_tlb_entry *set;

	shift = shift < PAGE_SHIFT ? PAGE_SHIFT : shift > SHIFT_MAX ? SHIFT_MAX : shift;
	set = set_of(tlb, key->va, shift);
	for (uint32_t way = tlb->ways - 1; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = (struct model_tlb_entry){
		.page = key->va >> shift << shift | key->regime << REGIME_SHIFT | attributes |
			shift,
		.context = key->context,
	};
	tlb->sizes |= UINT64_C(1) << shift;
}

/* Arm ARM D8.17: what an instruction invalidates. */
static bool is_asked_for(const struct model_tlb_entry *entry, const struct model_tlbi *tlbi)
{
	const uint64_t other = entry->context ^ tlbi->context;
	uint64_t ignored = MODEL_CONTEXT_ASID;

	if (!(tlbi->regimes >> regime_of(entry->page) & 1))
		return false;
	if (tlbi->any_vmid)
		ignored |= MODEL_CONTEXT_VMID;
	if (other & ~ignored || (tlbi->by_va && !has(entry->page, tlbi->va)))
		return false;
	if (entry->page & MODEL_TLB_GLOBAL)
		return tlbi->by_va || !tlbi->by_asid;
	return !tlbi->by_asid || !(other & MODEL_CONTEXT_ASID);
}

void model_tlb_drop(struct model_tlb *tlb, const struct model_tlbi *tlbi)
{
	for (uint32_t n = 0; n < tlb->sets; n++) {
		struct model_tlb_entry *set = tlb->entries + (size_t)n * tlb->ways;
		uint32_t kept = 0;

		for (uint32_t way = 0; way < tlb->ways && set[way].page; way++) {
			const struct model_tlb_entry entry = set[way];

			set[way] = (struct model_tlb_entry){0};
			if (tlbi && !is_asked_for(&entry, tlbi))
				set[kept++] = entry;
		}
	}
}
