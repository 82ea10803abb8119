/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets of a TLB of the machine model. */
#include "arm/model_tlb.h"

#include <stddef.h>

#define REGIME_SHIFT 6
#define PAGE_SHIFT   12u
#define SHIFT_MAX    47u

uint64_t *model_tlb_init(struct model_tlb *tlb, uint32_t count, uint32_t ways, uint64_t *entries)
{
	*tlb = (struct model_tlb){.entries = entries, .sets = count / ways, .ways = ways};
	for (uint32_t n = 0; n < count; n++)
		entries[n] = 0;
	return entries + count;
}

static uint64_t *set_of(const struct model_tlb *tlb, uint64_t va, unsigned int shift)
{
	return tlb->entries + ((va >> shift) & (tlb->sets - 1)) * tlb->ways;
}

static unsigned int regime_of(uint64_t entry)
{
	return (unsigned int)((entry & MODEL_TLB_REGIME) >> REGIME_SHIFT);
}

static bool matches(uint64_t entry, unsigned int regime, uint64_t va)
{
	return regime_of(entry) == regime && (entry ^ va) >> model_tlb_shift(entry) == 0;
}

/* In the set where pages of 1 << shift bytes are. */
static bool use_set(uint64_t *set, uint32_t ways, unsigned int regime, uint64_t va)
{
	uint32_t way = 0;
	uint64_t entry;

	while (way < ways && set[way] && !matches(set[way], regime, va))
		way++;
	if (way == ways || !set[way])
		return false;
	entry = set[way];
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = entry;
	return true;
}

bool model_tlb_use(struct model_tlb *tlb, unsigned int regime, uint64_t va, uint64_t *entry)
{
	for (uint64_t sizes = tlb->sizes; sizes; sizes &= sizes - 1) {
		uint64_t *set = set_of(tlb, va, (unsigned int)__builtin_ctzll(sizes));

		if (use_set(set, tlb->ways, regime, va)) {
			*entry = *set;
			return true;
		}
		if (tlb->sets == 1)
			break;
	}
	return false;
}

void model_tlb_insert(struct model_tlb *tlb, unsigned int regime, uint64_t va, unsigned int shift,
		      uint64_t attributes)
{
	uint64_t *set;

	shift = shift < PAGE_SHIFT ? PAGE_SHIFT : shift > SHIFT_MAX ? SHIFT_MAX : shift;
	set = set_of(tlb, va, shift);
	for (uint32_t way = tlb->ways - 1; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = va >> shift << shift | regime << REGIME_SHIFT | attributes | shift;
	tlb->sizes |= UINT64_C(1) << shift;
}

void model_tlb_drop(struct model_tlb *tlb, unsigned int regimes, const uint64_t *va)
{
	for (uint32_t n = 0; n < tlb->sets; n++) {
		uint64_t *set = tlb->entries + (size_t)n * tlb->ways;
		uint32_t kept = 0;

		for (uint32_t way = 0; way < tlb->ways && set[way]; way++) {
			const uint64_t entry = set[way];

			set[way] = 0;
			if (!(regimes >> regime_of(entry) & 1) ||
			    (va && !matches(entry, regime_of(entry), *va)))
				set[kept++] = entry;
		}
	}
}
