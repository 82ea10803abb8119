/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the block at PC, and decoding it if there is none yet. The look-up checks that a block
 * may be executed at its address.
 */
#include "soft/run/block.h"
#include "base/assertion.h"
#include "soft/run/counted.h"
#include "soft/mem/code.h"
#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/run/join.h"
#include "soft/run/jit/jit.h"

#include <string.h>

/* The most space that a block can take: its operations, SOFT_fall, the links, and the classes. */
#define BLOCK_MAX                                                                    \
	(sizeof(struct soft_block) + (SOFT_BLOCK_OPS + 2) * sizeof(struct soft_op) + \
	 SOFT_BLOCK_OPS * sizeof(struct soft_class))

_Static_assert(sizeof(struct soft_op) == 32, "an operation is half a cache line");
_Static_assert(sizeof(struct soft_links) == sizeof(struct soft_op),
	       "links take an operation's place");

static struct soft_block *make_block(struct soft_vm *vm, uint64_t va, uint64_t pa)
{
	struct soft_block *block = (struct soft_block *)(vm->arena + vm->arena_used);
	unsigned int n = (unsigned int)((SOFT_PAGE_SIZE - (pa & ~SOFT_PAGE_MASK)) / 4);
	struct soft_op *end;

	vspe_assert_of(vm->arena_used + BLOCK_MAX <= SOFT_ARENA, vm->arena_used, pa);
	block->va = va;
	block->pa = pa;
	block->stale = false;
	block->counted = NULL;
	block->entry_count = 0;
	if (n > SOFT_BLOCK_OPS)
		n = SOFT_BLOCK_OPS;
	soft_translate_block(block, soft_memory(vm, pa, 4 * n), n, vm->isa, vm->unknown.drawn);
	if (SOFT_UNLIKELY(vm->model && vm->model->mode == MODEL_WARM))
		soft_join_told(block);
	end = block->links ? (struct soft_op *)(block->links + 1) : &block->ops[block->count];
	block->classes = (struct soft_class *)end;
	memset(block->classes, 0, block->count * sizeof(struct soft_class));
	vm->arena_used = ((uint64_t)((uint8_t *)(block->classes + block->count) - vm->arena) + 63) &
			 ~UINT64_C(63);

	vspe_assert_of(block->count && block->count <= n && vm->arena_used <= SOFT_ARENA,
		       block->count, vm->arena_used);
	if (!soft_code_page(vm, pa))
		soft_tlb_protect(vm, pa);
	soft_code_add(vm, block);
	if (vm->jit)
		soft_jit_watch(vm, block);
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
	struct arm_translation t;

	if (cpu->pc & 3)
		return fetch_fault(cpu, ARM_EC_PC_ALIGNMENT, 0);
	if (soft_code_page_find(&cpu->views.code[el], page, pa)) {
		*pa = (*pa & SOFT_PAGE_MASK) | (cpu->pc & ~SOFT_PAGE_MASK);
		return true;
	}
	if (!soft_translate(cpu, cpu->pc, ARM_EXECUTE, el, &t)) {
		cpu->fault = soft_abort(&t, ARM_EC_FETCH_ABORT, cpu->pc, false);
		return false;
	}
	if (!soft_memory(cpu->vm, t.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE))
		return fetch_fault(cpu, ARM_EC_FETCH_ABORT, ARM_FSC_EXTERNAL);
	(void)soft_code_page_add(&cpu->views.code[el], page,
				 (t.pa & SOFT_PAGE_MASK) |
					 SOFT_MAPS(64 - __builtin_clzll(t.page_mask)) |
					 (t.guarded ? SOFT_GUARDED : 0));
	cpu->guarded = cpu->views.code[el].guarded;
	*pa = t.pa;
	return true;
}

bool soft_block_drops(const struct soft_vm *vm)
{
	return vm->drop_all || vm->arena_used + BLOCK_MAX > SOFT_ARENA;
}

/*
 * The target that the jump cache had for key, perhaps forgotten since, if it is still the block at
 * va and pa.
 */
static const struct soft_op *led_before(const struct soft_cpu *cpu, uint64_t key, uint64_t va,
					uint64_t pa)
{
	const struct soft_op *op =
		cpu->views.code[cpu->sys.pstate.el].jumps[soft_jump_index(key)].op;
	const struct soft_block *block = op ? soft_block_of(op) : NULL;

	return block && block->va == va && block->pa == pa && !block->stale ? op : NULL;
}

static const struct soft_op *find_or_make(struct soft_cpu *cpu, uint64_t va, uint64_t pa)
{
	struct soft_block *block = soft_code_find(cpu->vm, va, pa);

	if (block)
		return block->ops;
	block = make_block(cpu->vm, va, pa);
	if (SOFT_UNLIKELY(cpu->vm->counted))
		soft_count_tally(cpu, block);
	return block->ops;
}

/* A block that is executed has this address, and its words are those in memory. */
static void block_holds(const struct soft_cpu *cpu, const struct soft_op *op, uint64_t pa)
{
	const struct soft_block *block;
	const uint8_t *code;
	uint32_t word;

	if (!VSPE_ASSERT)
		return;
	block = soft_block_of(op);
	code = soft_memory(cpu->vm, pa, 4 * (uint64_t)block->count);
	vspe_assert_of(block->va == cpu->pc && block->pa == pa, block->va, block->pa);
	vspe_assert_of(!block->stale && op->index == 0, block->va, op->index);
	vspe_assert_of(block->count && (block->va & ~SOFT_PAGE_MASK) + 4 * (uint64_t)block->count <=
					       SOFT_PAGE_SIZE,
		       block->va, block->count);
	for (unsigned int n = 0; n < block->count; n++) {
		memcpy(&word, code + 4 * (size_t)n, sizeof(word));
		vspe_assert_of(block->ops[n].word == word, block->va + 4 * (uint64_t)n, word);
	}
}

const struct soft_op *soft_block_find(struct soft_cpu *cpu)
{
	struct soft_vm *vm = cpu->vm;
	const uint64_t key = cpu->pc;
	const struct soft_op *op;
	uint64_t pa;

	cpu->pc = soft_branch_address(&cpu->sys, key);
	if (!fetch_address(cpu, &pa))
		return NULL;
	if (soft_block_drops(vm))
		soft_code_drop_all(vm);
	op = led_before(cpu, key, cpu->pc, pa);
	if (!op)
		op = find_or_make(cpu, cpu->pc, pa);
	block_holds(cpu, op, pa);
	if (cpu->slot)
		*cpu->slot = op;
	else
		soft_code_jump_add(&cpu->views.code[cpu->sys.pstate.el], key, op);
	cpu->slot = NULL;
	return op;
}
