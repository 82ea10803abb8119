/* SPDX-License-Identifier: BSD-2-Clause */
/* The TLBs of the machine model: sizes, regimes, contexts, maintenance, and the image. */

#include "../compare.h"
#include "arm/model_state.h"
#include "support.h"

#define SETS 4
#define WAYS 4
#define PAGE (UINT64_C(1) << 12)

#define GLOBAL MODEL_TLB_GLOBAL

/* Enough for what the tests make. */
static uint64_t memory[256];

static bool use(struct model_tlb *tlb, unsigned int regime, uint64_t context, uint64_t va)
{
	const struct model_tlb_key key = {.regime = regime, .context = context, .va = va};
	uint64_t page;

	return model_tlb_use(tlb, &key, &page);
}

static void insert(struct model_tlb *tlb, unsigned int regime, uint64_t context, uint64_t va,
		   unsigned int shift, uint64_t attributes)
{
	const struct model_tlb_key key = {.regime = regime, .context = context, .va = va};

	model_tlb_insert(tlb, &key, shift, attributes);
}

Test(model_tlb, sizes_and_regimes)
{
	const struct model_tlb_key first = {.va = 6 * PAGE - 1},
				   second = {.regime = 1, .va = 0x200000};
	struct model_tlb tlb;
	uint64_t page;

	cr_assert_eq(model_tlb_init(&tlb, SETS * WAYS, WAYS, false, memory),
		     memory + model_tlb_words(SETS * WAYS, WAYS));
	insert(&tlb, 0, 0, 5 * PAGE + 4, 12, MODEL_TLB_UNCACHED);
	insert(&tlb, 1, 0, UINT64_C(0x3fffff), 21, 0);
	cr_expect(model_tlb_use(&tlb, &first, &page));
	cr_expect_eq(model_tlb_shift(page), 12);
	cr_expect(page & MODEL_TLB_UNCACHED);
	cr_expect_not(use(&tlb, 0, 0, 6 * PAGE));
	cr_expect_not(use(&tlb, 1, 0, 5 * PAGE), "of another regime");
	cr_expect(model_tlb_use(&tlb, &second, &page));
	cr_expect_eq(model_tlb_shift(page), 21);
	cr_expect_not(page & MODEL_TLB_UNCACHED);
	cr_expect_not(use(&tlb, 1, 0, UINT64_C(0x400000)));
}

/* One address in two ASIDs, two VMIDs and two Security states: each finds its own. */
Test(model_tlb, contexts)
{
	const uint64_t contexts[] = {model_context(1, 0, 0), model_context(2, 0, 0),
				     model_context(1, 1, 0), model_context(1, 0, 1),
				     model_context(1, 0xff00, 3)};
	struct model_tlb tlb;

	for (unsigned int n = 0; n < 5; n++) {
		for (unsigned int global = 0; global < 2; global++) {
			model_tlb_init(&tlb, SETS * WAYS, WAYS, false, memory);
			insert(&tlb, 0, contexts[n], PAGE, 12, global ? GLOBAL : 0);
			for (unsigned int other = 0; other < 5; other++)
				cr_expect_eq(use(&tlb, 0, contexts[other], PAGE),
					     other == n || (global && n < 2 && other < 2),
					     "%u in %u, global %u", n, other, global);
		}
	}
	/* None is taken for another. */
	model_tlb_init(&tlb, SETS * WAYS, WAYS, false, memory);
	for (unsigned int n = 0; n < 4; n++)
		insert(&tlb, 0, contexts[n], PAGE, 12, 0);
	for (unsigned int n = 0; n < 4; n++)
		cr_expect(use(&tlb, 0, contexts[n], PAGE), "%u", n);
}

/* Maintenance of eight entries: a row says which stay. */
Test(model_tlb, maintenance)
{
	static const struct {
		unsigned int regime;
		uint16_t asid, vmid;
		unsigned int security;
		uint64_t va, attributes;
	} entries[8] = {
		{0, 1, 0, 0, PAGE, 0},	   {0, 2, 0, 0, PAGE, 0},
		{0, 1, 0, 0, 2 * PAGE, 0}, {0, 1, 0, 0, 3 * PAGE, GLOBAL},
		{0, 1, 7, 0, PAGE, 0},	   {0, 1, 0, 1, PAGE, 0},
		{1, 1, 0, 0, PAGE, 0},	   {2, 0, 0, 0, PAGE, GLOBAL},
	};
	const uint64_t one = model_context(1, 0, 0), seven = model_context(1, 7, 0);
	const struct {
		const char *name;
		struct model_tlbi tlbi;
		unsigned int lost;
	} rows[] = {
		{"VMALLE1", {.regimes = 1, .context = one}, 0x0f},
		{"VMALLE1 of VMID 7", {.regimes = 1, .context = seven}, 0x10},
		{"ALLE1", {.regimes = 1, .context = one, .any_vmid = true}, 0x1f},
		{"... of Secure state",
		 {.regimes = 1, .context = model_context(0, 0, 1), .any_vmid = true},
		 0x20},
		{"ASIDE1", {.regimes = 1, .context = one, .by_asid = true}, 0x05},
		{"VAE1",
		 {.regimes = 1, .context = one, .by_asid = true, .by_va = true, .va = PAGE + 8},
		 0x01},
		{"VAE1 of a global one",
		 {.regimes = 1,
		  .context = model_context(9, 0, 0),
		  .by_asid = true,
		  .by_va = true,
		  .va = 3 * PAGE},
		 0x08},
		{"VAAE1", {.regimes = 1, .context = one, .by_va = true, .va = PAGE}, 0x03},
		{"ALLE2 of a host", {.regimes = 2, .context = one}, 0x40},
		{"VAE2", {.regimes = 4, .by_asid = true, .by_va = true, .va = PAGE}, 0x80},
		{"nothing that is here", {.regimes = 8}, 0},
	};

	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		struct model_tlb tlb;

		model_tlb_init(&tlb, SETS * WAYS, SETS * WAYS, false, memory);
		for (unsigned int n = 0; n < 8; n++)
			insert(&tlb, entries[n].regime,
			       model_context(entries[n].asid, entries[n].vmid, entries[n].security),
			       entries[n].va, 12, entries[n].attributes);
		model_tlb_drop(&tlb, &rows[row].tlbi);
		for (unsigned int n = 0; n < 8; n++)
			cr_expect_eq(use(&tlb, entries[n].regime,
					 model_context(entries[n].asid, entries[n].vmid,
						       entries[n].security),
					 entries[n].va),
				     !(rows[row].lost >> n & 1), "%s: entry %u", rows[row].name, n);
	}
}

Test(model_tlb, dropped)
{
	const struct model_tlbi second = {.regimes = 1, .by_va = true, .va = 2 * PAGE + 12};
	struct model_tlb tlb;

	model_tlb_init(&tlb, WAYS, WAYS, false, memory);
	for (uint64_t n = 0; n < WAYS; n++)
		insert(&tlb, n % 2, 0, n * PAGE, 12, 0);
	model_tlb_drop(&tlb, &second);
	cr_expect_not(use(&tlb, 0, 0, 2 * PAGE));
	/* A free place is used before an entry is replaced. */
	insert(&tlb, 0, 0, 9 * PAGE, 12, 0);
	cr_expect(use(&tlb, 1, 0, PAGE));
	cr_expect(use(&tlb, 0, 0, 0));
	model_tlb_drop(&tlb, NULL);
	for (uint64_t n = 0; n < 10; n++)
		cr_expect_not(use(&tlb, n % 2, 0, n * PAGE));
}

/* Entries in the order of their use, by the simplest implementation. */
#define MANY 48u
struct plain_tlb {
	unsigned int count;
	uint64_t pages[MANY];
};

static bool plain_use(struct plain_tlb *tlb, uint64_t page)
{
	unsigned int n = 0;

	while (n < tlb->count && tlb->pages[n] != page)
		n++;
	if (n == tlb->count)
		return false;
	for (; n > 0; n--)
		tlb->pages[n] = tlb->pages[n - 1];
	tlb->pages[0] = page;
	return true;
}

static void plain_insert(struct plain_tlb *tlb, uint64_t page)
{
	tlb->count += tlb->count < MANY;
	for (unsigned int n = tlb->count - 1; n > 0; n--)
		tlb->pages[n] = tlb->pages[n - 1];
	tlb->pages[0] = page;
}

static void plain_drop(struct plain_tlb *tlb, uint64_t page)
{
	unsigned int kept = 0;

	for (unsigned int n = 0; n < tlb->count; n++)
		if (tlb->pages[n] != page)
			tlb->pages[kept++] = tlb->pages[n];
	tlb->count = kept;
}

/* The same entries in the same order; loading may move them to other places. */
static void reload(struct model_tlb *tlb, const struct plain_tlb *plain)
{
	struct model_tlb_entry list[MANY];
	const uint32_t count = model_tlb_list(tlb, 0, list);

	cr_assert_eq(count, plain->count);
	model_tlb_init(tlb, MANY, MANY, false, memory);
	for (uint32_t n = 0; n < count; n++) {
		cr_assert_eq(list[n].page >> 12, plain->pages[n]);
		cr_assert(model_tlb_load(tlb, &list[n]));
	}
	if (count == MANY)
		cr_assert_not(model_tlb_load(tlb, &list[0]), "it is full");
}

Test(model_tlb, least_recently_used)
{
	struct plain_tlb plain = {0};
	struct model_tlb tlb;
	uint64_t random = 1;
	unsigned int hits = 0;

	cr_assert_leq(model_tlb_words(MANY, MANY), ARRAY_SIZE(memory));
	model_tlb_init(&tlb, MANY, MANY, false, memory);
	for (unsigned int n = 0; n < 20000; n++) {
		uint64_t page;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		page = 1 + (random >> 33) % (n / 4000 % 2 ? 40 : 80);
		if (random >> 60 == 0) {
			const struct model_tlbi tlbi = {
				.regimes = 1, .by_va = true, .va = page * PAGE};

			model_tlb_drop(&tlb, &tlbi);
			plain_drop(&plain, page);
		}
		const bool there = plain_use(&plain, page);

		cr_assert_eq(use(&tlb, 0, 0, page * PAGE + n % PAGE), there, "access %u", n);
		hits += there;
		if (!there) {
			insert(&tlb, 0, 0, page * PAGE, 12, 0);
			plain_insert(&plain, page);
		}
		if (n % 1000 == 999)
			reload(&tlb, &plain);
	}
	cr_expect_gt(hits, 5000);
	cr_expect_lt(hits, 19000);
}

static bool walked(struct model *model, const struct model_facts *facts)
{
	return run_op(model, 0, SPE_OP_LOAD, *facts, DATA_PA).events & SPE_EVENT_TLB_REFILL;
}

/* Switching contexts back finds what was there, for fetches, too. */
Test(model_tlb, switches)
{
	const uint64_t one = model_context(1, 0, 0), two = model_context(2, 0, 0);
	struct model *model = model_new(&model_default, 1);
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();

	facts.tables = facts.data_tables = true;
	model_core_context(model, 0, 0, one);
	cr_expect(walked(model, &facts));
	model_core_context(model, 0, 0, two);
	cr_expect(walked(model, &facts));
	cr_expect_eq(counts[MODEL_ITLB_WALK], 2);
	for (unsigned int n = 0; n < 4; n++) {
		model_core_context(model, 0, 0, n % 2 ? two : one);
		cr_expect_not(walked(model, &facts), "switch %u", n);
	}
	cr_expect_eq(counts[MODEL_ITLB_WALK], 2);
	cr_expect_eq(counts[MODEL_L1I_TLB_REFILL], 2);
	free(model);
}

/* The saved state of a core, loaded into another one that has the same contexts. */
static struct model *renewed(const struct model *model, uint8_t *bytes, size_t size)
{
	struct model *other = model_new(&model->config, 1);
	struct state loading;

	for (unsigned int n = 0; n < 4; n++)
		model_core_context(other, 0, n, model->cores[0].contexts[n]);
	state_load(&loading, "model", bytes, size);
	model_core_state(other, 0, &loading);
	cr_assert(state_end(&loading), "%s", loading.why);
	return other;
}

Test(model_tlb, saved)
{
	const uint64_t one = model_context(1, 0x8001, 3), two = model_context(2, 0x8001, 3);
	struct model *model = model_new(&model_default, 1), *other;
	struct model_facts facts = plain_facts();
	struct state state;

	facts.data_tables = true;
	model_core_context(model, 0, 0, one);
	cr_expect(walked(model, &facts));
	model_core_context(model, 0, 0, two);
	cr_expect(walked(model, &facts));
	state_save(&state, "model");
	model_core_state(model, 0, &state);
	other = renewed(model, state.bytes, state.at);
	cr_expect_not(walked(other, &facts));
	model_core_context(other, 0, 0, one);
	cr_expect_not(walked(other, &facts));
	model_core_context(other, 0, 0, model_context(1, 1, 3));
	cr_expect(walked(other, &facts));
	state_free(&state);
	free(model);
	free(other);
}

/*
 * The image of a vspe whose entries had no contexts: the bit that announces one is clear, and none
 * follows. The entries get the context of the registers.
 */
Test(model_tlb, saved_without_contexts)
{
	static const uint8_t empty[12]; /* of L1I, L1D and L2: no lines */
	const uint64_t one = model_context(1, 0, 0), page = DATA_PA | 12;
	struct model *model = model_new(&model_default, 1), *other;
	struct model_facts facts = plain_facts();
	const uint32_t count = 1;
	struct state state;
	uint8_t *bytes;
	size_t size;

	facts.data_tables = true;
	model_core_context(model, 0, 0, one);
	state_save(&state, "model");
	model_core_state(model, 0, &state);
	/* The TLBs follow the caches, each with its count of 0; put an entry into the second. */
	size = state.at + sizeof(page);
	bytes = malloc(size);
	cr_assert(bytes);
	cr_assert_gt(state.at, 24);
	cr_assert_arr_eq(state.bytes, empty, sizeof(empty));
	memcpy(bytes, state.bytes, 16);
	memcpy(bytes + 16, &count, 4);
	memcpy(bytes + 20, &page, 8);
	memcpy(bytes + 28, state.bytes + 20, state.at - 20);
	other = renewed(model, bytes, size);
	cr_expect_not(walked(other, &facts));
	model_core_context(other, 0, 0, model_context(2, 0, 0));
	cr_expect(walked(other, &facts));
	free(bytes);
	state_free(&state);
	free(model);
	free(other);
}
