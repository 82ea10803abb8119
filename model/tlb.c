/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets of a TLB of the machine model. */
#include "tlb.h"

#include "../sysreg/assertion.h"

#define REGIME_SHIFT 6
#define PAGE_SHIFT   12u
#define SHIFT_MAX    47u

_Static_assert(sizeof(struct model_tlb_entry) % sizeof(uint64_t) == 0 &&
		       _Alignof(struct model_tlb_entry) <= _Alignof(uint64_t),
	       "entries are in memory of words");
_Static_assert(MODEL_TLB_WAYS_MAX <= UINT8_MAX + 1, "the number of a way is a byte");

/* An entry of no context. */
static const struct model_tlb_entry none = {.page = 0, .context = UINT64_MAX};

/* Bytes of tags, before, after and first. */
static size_t ring_bytes(uint32_t count, uint32_t ways)
{
	return 3 * (size_t)count + count / ways;
}

size_t model_tlb_words(uint32_t count, uint32_t ways)
{
	return ((size_t)count + 1) * sizeof(struct model_tlb_entry) / sizeof(uint64_t) +
	       (ring_bytes(count, ways) + 7) / 8;
}

/* From now on nothing is found without a search. */
static void forget_found(struct model_tlb *tlb)
{
	for (unsigned int n = 0; n < MODEL_TLB_FOUND; n++)
		tlb->found[n] = tlb->sets * tlb->ways;
}

uint64_t *model_tlb_init(struct model_tlb *tlb, uint32_t count, uint32_t ways, bool refers,
			 uint64_t *memory)
{
	struct model_tlb_entry *entries = (struct model_tlb_entry *)memory;
	uint8_t *bytes = (uint8_t *)(entries + count + 1);

	*tlb = (struct model_tlb){
		.entries = entries,
		.tags = bytes,
		.before = bytes + count,
		.after = bytes + 2 * (size_t)count,
		.first = bytes + 3 * (size_t)count,
		.sets = count / ways,
		.ways = ways,
		.refers = refers,
	};
	vspe_assert_of(ways <= MODEL_TLB_WAYS_MAX && tlb->sets && !(tlb->sets & (tlb->sets - 1)),
		       count, ways);
	__builtin_memset(bytes, 0, ring_bytes(count, ways));
	for (uint32_t n = 0; n <= count; n++)
		entries[n] = none;
	for (uint32_t n = 0; n < count; n++) {
		tlb->before[n] = (uint8_t)((n + ways - 1) % ways);
		tlb->after[n] = (uint8_t)((n + 1) % ways);
	}
	forget_found(tlb);
	return memory + model_tlb_words(count, ways);
}

/* The set where pages of 1 << shift bytes are. */
static uint32_t set_of(const struct model_tlb *tlb, uint64_t va, unsigned int shift)
{
	return (uint32_t)(va >> shift) & (tlb->sets - 1);
}

/* The byte that a set is searched for. */
static uint8_t tag_of(uint64_t va, unsigned int shift, unsigned int regime)
{
	const uint64_t page = va >> shift;

	return (uint8_t)((page ^ page >> 8 ^ regime << 6) | 0x80);
}

static unsigned int regime_of(uint64_t page)
{
	return (unsigned int)((page & MODEL_TLB_REGIME) >> REGIME_SHIFT);
}

static bool has(uint64_t page, uint64_t va)
{
	return (page ^ va) >> model_tlb_shift(page) == 0;
}

static inline bool matches(const struct model_tlb_entry *entry, const struct model_tlb_key *key)
{
	const uint64_t other = entry->context ^ key->context;

	return has(entry->page, key->va) && regime_of(entry->page) == key->regime &&
	       !(entry->page & MODEL_TLB_GLOBAL ? other & ~MODEL_CONTEXT_ASID : other);
}

/* Move a way of a set that is not the first to the end of the ring, before the first. */
static void move_last(struct model_tlb *tlb, uint32_t set, uint8_t way)
{
	uint8_t *before = tlb->before + (size_t)set * tlb->ways;
	uint8_t *after = tlb->after + (size_t)set * tlb->ways;
	const uint8_t first = tlb->first[set], last = before[first];

	if (way == last)
		return;
	after[before[way]] = after[way];
	before[after[way]] = before[way];
	before[way] = last;
	after[way] = first;
	after[last] = before[first] = way;
}

static inline void move_first(struct model_tlb *tlb, uint32_t set, uint8_t way)
{
	if (tlb->first[set] == way)
		return;
	move_last(tlb, set, way);
	tlb->first[set] = way;
}

/* The next byte of value from at on, or end; eight at a time, as a set may have 256 of them. */
static const uint8_t *find_byte(const uint8_t *at, const uint8_t *end, uint8_t value)
{
	const uint64_t ones = UINT64_MAX / UINT8_MAX;

	for (; end - at >= 8; at += 8) {
		uint64_t bytes;

		__builtin_memcpy(&bytes, at, sizeof(bytes));
		bytes ^= value * ones;
		if ((bytes - ones) & ~bytes & ones << 7) /* one of them is 0 now */
			break;
	}
	while (at < end && *at != value)
		at++;
	return at;
}

/* The number of key's entry, or of the empty entry: pages of the smallest size come first. */
static uint32_t search(const struct model_tlb *tlb, const struct model_tlb_key *key)
{
	for (uint64_t sizes = tlb->sizes; sizes; sizes &= sizes - 1) {
		const unsigned int shift = (unsigned int)__builtin_ctzll(sizes);
		const uint8_t tag = tag_of(key->va, shift, key->regime);
		const uint8_t *at = tlb->tags + (size_t)set_of(tlb, key->va, shift) * tlb->ways;
		const uint8_t *end = at + tlb->ways;

		for (at = find_byte(at, end, tag); at < end; at = find_byte(at + 1, end, tag)) {
			if (matches(&tlb->entries[at - tlb->tags], key))
				return (uint32_t)(at - tlb->tags);
		}
	}
	return tlb->sets * tlb->ways;
}

/* Where the number of the entry that an address was found in last is. */
static unsigned int found_place(uint64_t va)
{
	const uint64_t page = va >> PAGE_SHIFT;

	return (unsigned int)((page ^ page >> 6) % MODEL_TLB_FOUND);
}

/* The number of key's entry, or of the empty entry. */
static uint32_t find(struct model_tlb *tlb, const struct model_tlb_key *key)
{
	uint32_t *found = &tlb->found[found_place(key->va)];

	if (!matches(&tlb->entries[*found], key))
		*found = search(tlb, key);
	return *found;
}

bool model_tlb_use(struct model_tlb *tlb, const struct model_tlb_key *key, uint64_t *page)
{
	const uint32_t n = find(tlb, key);
	struct model_tlb_entry *entry = &tlb->entries[n];
	uint32_t set = 0;

	if (!entry->page)
		return false;
	*page = entry->page;
	if (tlb->sets > 1)
		set = set_of(tlb, key->va, model_tlb_shift(entry->page));
	vspe_assert_of(n / tlb->ways == set, n, set);
	if (tlb->refers)
		entry->page |= MODEL_TLB_REFERENCED;
	else
		move_first(tlb, set, (uint8_t)(n - set * tlb->ways));
	return true;
}

uint64_t model_tlb_referenced(struct model_tlb *tlb, const struct model_tlb_key *key)
{
	const uint64_t page = tlb->entries[find(tlb, key)].page;

	return page & MODEL_TLB_REFERENCED ? page : 0;
}

static void put(struct model_tlb *tlb, size_t n, const struct model_tlb_entry *entry)
{
	const unsigned int shift = model_tlb_shift(entry->page);

	tlb->entries[n] = *entry;
	tlb->tags[n] = tag_of(entry->page, shift, regime_of(entry->page));
	tlb->sizes |= UINT64_C(1) << shift;
}

/*
 * The way of a set that a new entry takes, and which becomes the first: a free one, else the oldest
 * one that was not referenced, else the oldest one.
 */
static uint8_t oldest_of(struct model_tlb *tlb, uint32_t set)
{
	const size_t base = (size_t)set * tlb->ways;
	const uint8_t last = tlb->before[base + tlb->first[set]];
	uint8_t way = last;

	if (!tlb->refers || !tlb->tags[base + last])
		return last;
	while (tlb->entries[base + way].page & MODEL_TLB_REFERENCED) {
		way = tlb->before[base + way];
		if (way == last)
			break;
	}
	return way;
}

/* Entry n of the set has arrived, referenced: if so are all others, they are it no longer. */
static void forget_references(struct model_tlb *tlb, uint32_t set, uint8_t way)
{
	struct model_tlb_entry *entries = tlb->entries + (size_t)set * tlb->ways;

	for (uint32_t n = 0; n < tlb->ways; n++)
		if (!(entries[n].page & MODEL_TLB_REFERENCED))
			return;
	for (uint32_t n = 0; n < tlb->ways; n++)
		if (n != way)
			entries[n].page &= ~MODEL_TLB_REFERENCED;
	tlb->epoch++;
}

void model_tlb_insert(struct model_tlb *tlb, const struct model_tlb_key *key, unsigned int shift,
		      uint64_t attributes)
{
	struct model_tlb_entry entry = {.context = key->context};
	uint32_t set;
	uint8_t way;

	shift = shift < PAGE_SHIFT ? PAGE_SHIFT : shift > SHIFT_MAX ? SHIFT_MAX : shift;
	entry.page = key->va >> shift << shift | key->regime << REGIME_SHIFT | attributes | shift;
	set = set_of(tlb, key->va, shift);
	way = oldest_of(tlb, set);
	vspe_assert_of(set < tlb->sets && way < tlb->ways, set, way);
	if (tlb->refers)
		entry.page |= MODEL_TLB_REFERENCED;
	put(tlb, (size_t)set * tlb->ways + way, &entry);
	move_first(tlb, set, way);
	if (tlb->refers)
		forget_references(tlb, set, way);
	/* What was found in the way matches no longer. A search may now find this page first. */
	if (shift == PAGE_SHIFT)
		tlb->found[found_place(key->va)] = (uint32_t)(set * tlb->ways + way);
	else
		forget_found(tlb);
}

uint32_t model_tlb_list(const struct model_tlb *tlb, uint32_t set, struct model_tlb_entry *list)
{
	const size_t base = (size_t)set * tlb->ways;
	uint8_t way = tlb->first[set];
	uint32_t count = 0;

	for (; count < tlb->ways && tlb->tags[base + way]; way = tlb->after[base + way])
		list[count++] = tlb->entries[base + way];
	return count;
}

bool model_tlb_load(struct model_tlb *tlb, const struct model_tlb_entry *entry)
{
	const uint32_t set = set_of(tlb, entry->page, model_tlb_shift(entry->page));
	const size_t base = (size_t)set * tlb->ways;
	uint8_t way = tlb->first[set];

	while (tlb->tags[base + way]) {
		way = tlb->after[base + way];
		if (way == tlb->first[set])
			return false;
	}
	put(tlb, base + way, entry);
	forget_found(tlb);
	return true;
}

/* Arm ARM D8.17: does an instruction invalidate the entry? */
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

/* Drop entries of a set; those that stay keep their order. */
static void drop_of_set(struct model_tlb *tlb, uint32_t set, const struct model_tlbi *tlbi)
{
	const size_t base = (size_t)set * tlb->ways;
	uint8_t way = tlb->first[set];

	for (uint32_t n = 0; n < tlb->ways && tlb->tags[base + way]; n++) {
		const uint8_t next = tlb->after[base + way];

		if (!tlbi || is_asked_for(&tlb->entries[base + way], tlbi)) {
			tlb->tags[base + way] = 0;
			tlb->entries[base + way] = none;
			tlb->epoch++;
			if (way == tlb->first[set])
				tlb->first[set] = next;
			else
				move_last(tlb, set, way);
		}
		way = next;
	}
}

void model_tlb_drop(struct model_tlb *tlb, const struct model_tlbi *tlbi)
{
	const bool all = !tlbi || !tlbi->by_va;

	for (uint32_t n = 0; all && n < tlb->sets; n++)
		drop_of_set(tlb, n, tlbi);
	/* An address is in one set for each page size in use. */
	for (uint64_t sizes = all ? 0 : tlb->sizes; sizes; sizes &= sizes - 1)
		drop_of_set(tlb, set_of(tlb, tlbi->va, (unsigned int)__builtin_ctzll(sizes)), tlbi);
}
