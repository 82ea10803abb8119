/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded blocks by the memory that they were decoded from. They belong to the virtual machine, are
 * found by virtual and physical address, never cross a page, and live in an arena, all of which is
 * emptied when it is full. A block that is dropped earlier keeps its place until then.
 *
 * Jump caches and instruction TLBs belong to an Exception level of a vCPU. Links between blocks
 * stay within a page, so changes of translations cannot invalidate them. Jump caches cross pages:
 * TLB maintenance empties them.
 */
#include "soft/mem/code.h"
#include "base/assertion.h"

#include "soft/jit.h"
#include "soft/jitgdb.h"

static struct soft_block **hash_slot(const struct soft_vm *vm, uint64_t va, uint64_t pa)
{
	const uint64_t h = (va ^ pa << 16 ^ pa >> 10) * UINT64_C(0x9e3779b97f4a7c15);

	return &vm->hash[h >> 48];
}

static struct soft_code_page *page_of(const struct soft_vm *vm, uint64_t pa)
{
	vspe_assert_of(pa >= vm->pages_base && pa < vm->host.ram.base + vm->host.ram.size, pa,
		       vm->pages_base);
	return &vm->pages[(pa - vm->pages_base) >> SOFT_PAGE_SHIFT];
}

bool soft_code_page(const struct soft_vm *vm, uint64_t pa)
{
	return page_of(vm, pa)->blocks;
}

/* The 64-byte lines of a page that size bytes at pa touch. */
static uint64_t lines_of(uint64_t pa, uint64_t size)
{
	const unsigned int first = pa >> 6 & 63, last = (pa + size - 1) >> 6 & 63;

	vspe_assert_of(size && (pa ^ (pa + size - 1)) < SOFT_PAGE_SIZE, pa, size);
	return ~UINT64_C(0) >> (63 - (last - first)) << first;
}

struct soft_block *soft_code_find(const struct soft_vm *vm, uint64_t va, uint64_t pa)
{
	struct soft_block *block = *hash_slot(vm, va, pa);

	while (block && (block->va != va || block->pa != pa))
		block = block->hash_next;
	return block;
}

void soft_code_add(struct soft_vm *vm, struct soft_block *block)
{
	struct soft_block **slot = hash_slot(vm, block->va, block->pa);
	struct soft_code_page *page = page_of(vm, block->pa);

	page->lines |= lines_of(block->pa, 4 * (uint64_t)block->count);
	block->page_next = page->blocks;
	page->blocks = block;
	block->hash_next = *slot;
	block->hash_at = slot;
	if (*slot)
		(*slot)->hash_at = &block->hash_next;
	*slot = block;
}

static void drop_block(struct soft_vm *vm, struct soft_block *block)
{
	vspe_assert_of(*block->hash_at == block && !block->stale, block->va, block->pa);
	*block->hash_at = block->hash_next;
	if (block->hash_next)
		block->hash_next->hash_at = block->hash_at;
	block->stale = true;
	if (block->links)
		block->links->next[0] = block->links->next[1] = NULL;
	block->page_next = vm->dropped;
	vm->dropped = block;
}

void soft_code_written(struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	struct soft_code_page *page = page_of(vm, pa);
	struct soft_block *block = page->blocks;

	if (!(page->lines & lines_of(pa, size)))
		return;
	*page = (struct soft_code_page){0};
	while (block) {
		struct soft_block *next = block->page_next;

		drop_block(vm, block);
		block = next;
	}
	for (unsigned int n = 0; n < vm->count; n++) {
		if (vm->cpus[n])
			vm->cpus[n]->attention |= SOFT_ATTENTION_CODE;
	}
}

/*
 * An empty entry has an address that belongs to another place, so that no target finds it. Address
 * 0 will do for all places but its own: memory of zeros is empty but for that place.
 */
static uint64_t no_target(uint64_t n)
{
	return n == soft_jump_index(0) ? 4 : 0;
}

static void forget_jumps(struct soft_code_view *view)
{
	if (view->fills <= SOFT_JUMP_LOG) {
		for (unsigned int n = 0; n < view->fills; n++)
			view->jumps[view->filled[n]].pc = no_target(view->filled[n]);
	} else {
		for (unsigned int n = 0; n < SOFT_JUMPS; n++)
			view->jumps[n].pc = no_target(n);
	}
	view->fills = 0;
}

/* Forget their targets too: the blocks are gone. */
static void forget_targets(struct soft_code_view *view)
{
	forget_jumps(view);
	for (unsigned int n = 0; view->leads && n < SOFT_JUMPS; n++)
		view->jumps[n].op = NULL;
	view->leads = false;
}

void soft_code_drop_all(struct soft_vm *vm)
{
	for (unsigned int n = 0; n < SOFT_BLOCK_HASH; n++) {
		for (struct soft_block *block = vm->hash[n]; block; block = block->hash_next)
			*page_of(vm, block->pa) = (struct soft_code_page){0};
		vm->hash[n] = NULL;
	}
	for (unsigned int n = 0; n < vm->count; n++) {
		struct soft_cpu *cpu = vm->cpus[n];

		if (!cpu)
			continue;
		cpu->at = NULL;
		cpu->slot = NULL;
		for (unsigned int el = 0; el < 4; el++)
			forget_targets(&cpu->views.code[el]);
	}
	vm->arena_used = 0;
	if (vm->jit) {
		vm->jit->used = vm->jit->first;
		soft_jitgdb_drop();
	}
	vm->dropped = NULL;
	vm->drop_all = false;
}

void soft_code_view_start(struct soft_code_view *view)
{
	const unsigned int n = soft_jump_index(0);

	if (view->jumps[n].pc == 0 && !view->leads)
		view->jumps[n].pc = no_target(n);
	view->page_count = 0;
}

void soft_code_jump_add(struct soft_code_view *view, uint64_t pc, const struct soft_op *op)
{
	const uint64_t n = soft_jump_index(pc);

	if (view->jumps[n].pc == no_target(n)) {
		if (view->fills < SOFT_JUMP_LOG)
			view->filled[view->fills] = (uint16_t)n;
		if (view->fills <= SOFT_JUMP_LOG)
			view->fills++;
	}
	vspe_assert_of(!soft_block_of(op)->stale && op->index == 0, pc, op->index);
	view->jumps[n] = (struct soft_jump){pc, op};
	view->leads = true;
}

/* The place of a page in the hash table: its own, or the free one for it. */
static unsigned int page_slot(const struct soft_code_view *view, uint64_t page)
{
	uint64_t n = (page * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	while (view->itlb[n % SOFT_ITLB_SLOTS].va != page &&
	       view->itlb[n % SOFT_ITLB_SLOTS].va != SOFT_NO_PAGE)
		n++;
	return n % SOFT_ITLB_SLOTS;
}

bool soft_code_page_find(const struct soft_code_view *view, uint64_t page, uint64_t *pa)
{
	const struct soft_code_page_map *map = &view->itlb[page_slot(view, page)];

	*pa = map->pa;
	return map->va == page;
}

bool soft_code_page_add(struct soft_code_view *view, uint64_t page, uint64_t pa)
{
	unsigned int slot = page_slot(view, page);

	if (view->itlb[slot].va == page)
		return false;
	if (view->page_count == SOFT_ITLB_PAGES) {
		soft_code_view_reset(view);
		slot = page_slot(view, page);
	}
	view->itlb[slot] = (struct soft_code_page_map){page, pa};
	view->guarded = view->guarded || pa & SOFT_GUARDED;
	soft_large_add(&view->large, page,
		       SOFT_MAPPED(pa) ? (UINT64_C(1) << SOFT_MAPPED(pa)) - 1 : UINT64_MAX);
	vspe_assert_of(view->page_count < SOFT_ITLB_PAGES, view->page_count, page);
	view->pages[view->page_count++] = (uint16_t)slot;
	return true;
}

void soft_code_view_reset(struct soft_code_view *view)
{
	forget_jumps(view);
	for (unsigned int n = 0; n < view->page_count; n++)
		view->itlb[view->pages[n]].va = SOFT_NO_PAGE;
	view->page_count = 0;
	view->guarded = false;
	view->large = SOFT_LARGE_NONE;
}

/* The instruction TLB has the pages of all targets in the jump cache. */
void soft_code_view_drop(struct soft_code_view *view, uint64_t va)
{
	uint64_t pa;

	if (soft_large_has(&view->large, va) || soft_code_page_find(view, va & SOFT_PAGE_MASK, &pa))
		soft_code_view_reset(view);
}

void soft_large_add(struct soft_large *large, uint64_t va, uint64_t page_mask)
{
	const uint64_t address = (uint64_t)((int64_t)(va << 8) >> 8);
	const uint64_t low = address & ~page_mask, high = address | page_mask;

	if (page_mask < SOFT_PAGE_SIZE)
		return;
	large->low = low < large->low ? low : large->low;
	large->high = high > large->high ? high : large->high;
}
