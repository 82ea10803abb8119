/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded blocks. They belong to the virtual machine, are found by virtual and physical address,
 * never cross a page, and live in an arena that is emptied as a whole when it is full. A block that
 * was dropped before that keeps its place, but whoever still comes to its start is sent away
 * (soft_stale).
 *
 * That a block may be executed at its address was checked when it was looked up. Links between
 * blocks stay within a page and so stay right whatever happens to translations; jump caches do not,
 * and are emptied by TLB maintenance.
 */
#include "soft/run/block.h"
#include "soft/mem/memory.h"
#include "soft/sys/regime.h"

#include <string.h>

/* The most that a block can take: its operations, SOFT_fall, the links, and the classes. */
#define BLOCK_MAX                                                                    \
	(sizeof(struct soft_block) + (SOFT_BLOCK_OPS + 2) * sizeof(struct soft_op) + \
	 SOFT_BLOCK_OPS * sizeof(struct soft_class))

_Static_assert(sizeof(struct soft_op) == 32, "an operation is half a cache line");
_Static_assert(sizeof(struct soft_links) == sizeof(struct soft_op),
	       "links take an operation's place");

static struct soft_block **hash_slot(const struct soft_vm *vm, uint64_t va, uint64_t pa)
{
	const uint64_t h = (va ^ pa << 16 ^ pa >> 10) * UINT64_C(0x9e3779b97f4a7c15);

	return &vm->hash[h >> 48];
}

static struct soft_code_page *page_of(const struct soft_vm *vm, uint64_t pa)
{
	return &vm->pages[(pa - vm->host.ram.base) >> SOFT_PAGE_SHIFT];
}

bool soft_code_page(const struct soft_vm *vm, uint64_t pa)
{
	return page_of(vm, pa)->blocks;
}

/* The 64-byte lines of a page that size bytes at pa touch. */
static uint64_t lines_of(uint64_t pa, uint64_t size)
{
	const unsigned int first = pa >> 6 & 63, last = (pa + size - 1) >> 6 & 63;

	return ~UINT64_C(0) >> (63 - (last - first)) << first;
}

/* An empty entry has an address that belongs into another place, so that no target ever finds it.
 */
static void clear_jump(struct soft_code_view *view, uint64_t n)
{
	view->jumps[n] = (struct soft_jump){.pc = 4 * (n + 1), .op = NULL};
}

static void forget_jumps(struct soft_code_view *view)
{
	if (view->fills <= SOFT_TLB_LOG) {
		for (unsigned int n = 0; n < view->fills; n++)
			clear_jump(view, view->filled[n]);
	} else {
		for (unsigned int n = 0; n < SOFT_JUMPS; n++)
			clear_jump(view, n);
	}
	view->fills = 0;
}

void soft_code_view_reset(struct soft_code_view *view)
{
	forget_jumps(view);
	for (unsigned int n = 0; n < view->page_count; n++)
		view->itlb[view->pages[n]].va = SOFT_NO_PAGE;
	view->page_count = 0;
}

/* The place of a page in the hash table: its own, or the free one where it belongs. */
static struct soft_code_page_map *code_page_slot(struct soft_code_view *view, uint64_t page)
{
	uint64_t n = (page * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	while (view->itlb[n % SOFT_ITLB_SLOTS].va != page &&
	       view->itlb[n % SOFT_ITLB_SLOTS].va != SOFT_NO_PAGE)
		n++;
	return &view->itlb[n % SOFT_ITLB_SLOTS];
}

bool soft_code_page_add(struct soft_code_view *view, uint64_t page, uint64_t pa)
{
	struct soft_code_page_map *map = code_page_slot(view, page);

	if (map->va == page)
		return false;
	if (view->page_count == SOFT_ITLB_PAGES) {
		soft_code_view_reset(view);
		map = code_page_slot(view, page);
	}
	*map = (struct soft_code_page_map){page, pa};
	view->pages[view->page_count++] = (uint16_t)(map - view->itlb);
	return true;
}

static void fill_jump(struct soft_cpu *cpu, uint64_t pc, const struct soft_op *op)
{
	struct soft_code_view *view = &cpu->code[cpu->sys.pstate.el];
	const uint64_t n = (pc >> 2) % SOFT_JUMPS;

	if (!view->jumps[n].op) {
		if (view->fills < SOFT_TLB_LOG)
			view->filled[view->fills] = (uint16_t)n;
		if (view->fills <= SOFT_TLB_LOG)
			view->fills++;
	}
	view->jumps[n] = (struct soft_jump){pc, op};
}

static void drop_block(struct soft_vm *vm, struct soft_block *block)
{
	struct soft_block **at = hash_slot(vm, block->va, block->pa);

	while (*at != block)
		at = &(*at)->hash_next;
	*at = block->hash_next;
	block->stale = true;
	block->ops[0].run = soft_stale;
	if (block->links)
		block->links->next[0] = block->links->next[1] = NULL;
}

void soft_code_written(struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	struct soft_code_page *page = page_of(vm, pa);

	if (!(page->lines & lines_of(pa, size)))
		return;
	for (struct soft_block *block = page->blocks; block; block = block->page_next)
		drop_block(vm, block);
	*page = (struct soft_code_page){0};
	for (unsigned int n = 0; n < vm->count; n++) {
		if (vm->cpus[n])
			vm->cpus[n]->attention |= SOFT_ATTENTION_CODE;
	}
}

/* Empty the arena. No vCPU may be in the fast loop. */
static void drop_all(struct soft_vm *vm)
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
			forget_jumps(&cpu->code[el]);
	}
	vm->arena_used = 0;
	vm->drop_all = false;
}

static struct soft_block *make_block(struct soft_vm *vm, uint64_t va, uint64_t pa)
{
	struct soft_block *block = (struct soft_block *)(vm->arena + vm->arena_used);
	struct soft_block **slot = hash_slot(vm, va, pa);
	struct soft_code_page *page = page_of(vm, pa);
	unsigned int n = (unsigned int)((SOFT_PAGE_SIZE - (pa & ~SOFT_PAGE_MASK)) / 4);
	struct soft_op *end;

	block->va = va;
	block->pa = pa;
	block->stale = false;
	if (n > SOFT_BLOCK_OPS)
		n = SOFT_BLOCK_OPS;
	soft_translate_block(block, soft_ram(vm, pa, 4 * n), n);
	end = block->links ? (struct soft_op *)(block->links + 1) : &block->ops[block->count];
	block->classes = (struct soft_class *)end;
	memset(block->classes, 0, block->count * sizeof(struct soft_class));
	vm->arena_used = ((uint64_t)((uint8_t *)(block->classes + block->count) - vm->arena) + 63) &
			 ~UINT64_C(63);

	if (!page->blocks)
		soft_tlb_protect(vm, pa);
	page->lines |= lines_of(pa, 4 * (uint64_t)block->count);
	block->page_next = page->blocks;
	page->blocks = block;
	block->hash_next = *slot;
	*slot = block;
	return block;
}

static bool fetch_fault(struct soft_cpu *cpu, enum arm_ec ec, uint32_t iss)
{
	cpu->fault = (struct soft_exception){
		.ec = (uint8_t)ec, .has_far = true, .iss = iss, .far = cpu->pc};
	return false;
}

/* Translate cpu->pc for execution. */
static bool fetch_address(struct soft_cpu *cpu, uint64_t *pa)
{
	const unsigned int el = cpu->sys.pstate.el;
	const uint64_t page = cpu->pc & SOFT_PAGE_MASK;
	const struct soft_code_page_map *map;
	struct arm_translation t;

	if (cpu->pc & 3)
		return fetch_fault(cpu, ARM_EC_PC_ALIGNMENT, 0);
	map = code_page_slot(&cpu->code[el], page);
	if (map->va == page) {
		*pa = map->pa | (cpu->pc & ~SOFT_PAGE_MASK);
		return true;
	}
	if (!soft_translate(cpu, cpu->pc, ARM_EXECUTE, el, &t)) {
		cpu->fault = soft_abort(&t, ARM_EC_FETCH_ABORT, cpu->pc, false);
		return false;
	}
	if (!soft_ram(cpu->vm, t.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE))
		return fetch_fault(cpu, ARM_EC_FETCH_ABORT, ARM_FSC_EXTERNAL);
	(void)soft_code_page_add(&cpu->code[el], page, t.pa & SOFT_PAGE_MASK);
	*pa = t.pa;
	return true;
}

const struct soft_op *soft_block_find(struct soft_cpu *cpu)
{
	struct soft_vm *vm = cpu->vm;
	const uint64_t key = cpu->pc;
	struct soft_block *block;
	uint64_t pa;

	cpu->pc = soft_branch_address(&cpu->sys, key);
	if (!fetch_address(cpu, &pa))
		return NULL;
	if (vm->drop_all || vm->arena_used + BLOCK_MAX > SOFT_ARENA)
		drop_all(vm);
	for (block = *hash_slot(vm, cpu->pc, pa); block; block = block->hash_next) {
		if (block->va == cpu->pc && block->pa == pa)
			break;
	}
	if (!block)
		block = make_block(vm, cpu->pc, pa);
	if (cpu->slot)
		*cpu->slot = block->ops;
	else
		fill_jump(cpu, key, block->ops);
	cpu->slot = NULL;
	return block->ops;
}

/* op executes alone while there is a stop behind it. */
static void unfuse(struct soft_cpu *cpu, struct soft_op *op, unsigned int n)
{
	if (!op->joined || op->run == soft_stale)
		return;
	cpu->unfused_op[n] = op;
	cpu->unfused_run[n] = op->run;
	op->run = soft_lone_handler(op);
}

/* The handler of one before may reach over the stop: of a pair, whose second may be a fused
 * comparison. */
void soft_place_stop(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_op *stop = (struct soft_op *)(uintptr_t)op;

	cpu->stop_op = stop;
	cpu->stop_run = stop->run;
	stop->run = soft_stop;
	unfuse(cpu, stop - 1, 0);
	if (stop->index > 1)
		unfuse(cpu, stop - 2, 1);
}

void soft_remove_stop(struct soft_cpu *cpu)
{
	if (!cpu->stop_op)
		return;
	cpu->stop_op->run = cpu->stop_run;
	cpu->stop_op = NULL;
	for (unsigned int n = 0; n < 2; n++) {
		struct soft_op *op = cpu->unfused_op[n];

		/* the first operation of a block may have gone stale in the meantime */
		if (op && op->run != soft_stale)
			op->run = cpu->unfused_run[n];
		cpu->unfused_op[n] = NULL;
	}
}
