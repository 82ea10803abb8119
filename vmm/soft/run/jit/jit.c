/* SPDX-License-Identifier: BSD-2-Clause */
/* The way into generated code, and which blocks are worth it: see jit.h. */
#include "soft/run/jit/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "soft/code_memory.h"
#include "soft/jitgdb.h"
#include "soft/mem/tlb.h"
#include "soft/run/jit/host.h"
#include "soft/run/block.h"

#if SOFT_JIT

#ifdef __clang__
#define TAIL __attribute__((musttail)) return
#else
#define TAIL return
#endif

/* Executions after which a block is translated: as many more make up for the translation. */
#define HOT	 48
#define HOT_WARM 8 /* --model warm: telling costs the interpreter more */
/* One of so many translations asks how memory is mapped. */
#define LOOK 16

static void put_entry(struct soft_jit *jit)
{
	struct jit_code code = {jit->writable, jit->writable + SOFT_JIT_CODE, jit->writable};
	uint8_t *leave;

	host_put_entry(&code);
	jit->by_run = jit->executable + (code.at - code.from);
	leave = host_spend_rest(&code);
	host_run(&code);
	host_here(&code, leave);
	host_go_to(&code, soft_ends.block);
	host_put_unaligned(&code, jit);
	host_written(jit->executable, (size_t)(code.at - code.from));
	jit->first = jit->used = ((size_t)(code.at - code.from) + 63) & ~(size_t)63;
	jit->enter = (void (*)(struct soft_cpu *, const struct soft_op *, int64_t))(
			     uintptr_t)jit->executable;
}

int soft_jit_create(struct soft_vm *vm, bool at_once)
{
	struct soft_jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return -ENOMEM;
	jit->memory = soft_code_memory_take();
	if (!jit->memory) {
		free(jit);
		return -errno;
	}
	jit->writable = jit->memory->writable;
	jit->executable = jit->memory->executable;
	host_probe(jit);
	jit->warm = vm->model && vm->model->mode == MODEL_WARM;
	jit->scalable = vm->sve_vl > 16;
	jit->vl = vm->sve_vl <= 32 ? (uint8_t)vm->sve_vl : 0;
	jit->ram_base = vm->host.ram.base;
	jit->hot = at_once ? 0 : jit->warm ? HOT_WARM : HOT;
	put_entry(jit);
	vm->jit = jit;
	return 0;
}

void soft_jit_destroy(struct soft_vm *vm)
{
	soft_jitgdb_drop();
	if (vm->jit)
		soft_code_memory_give_back(vm->jit->memory);
	free(vm->jit);
	vm->jit = NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct soft_block *block_at(const struct soft_op *op)
{
	return (struct soft_block *)(uintptr_t)((const char *)op -
						offsetof(struct soft_block, ops));
}

/* If there is no room for its code, all code is dropped before the next lookup. */
__attribute__((noinline)) static const struct soft_op *
translate(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	struct soft_block *block = block_at(op);
	const uint64_t begin = now_ns();
	soft_handler *run = block->cold;

	if (!cpu->stop.op && !block->stale) {
		if (cpu->vm->jit->blocks % LOOK == 0)
			cpu->vm->jit->flat = soft_tlb_is_flat(cpu);
		if (soft_jit_translate(cpu->vm, block, cpu->flag_kind))
			run = block->entries[0].run;
		else
			cpu->vm->drop_all = true;
		cpu->vm->jit->nanoseconds += now_ns() - begin;
	}
	TAIL run(cpu, op, budget);
}

/* The handler of a block's first operation until the block is translated. */
static const struct soft_op *warm_up(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	struct soft_block *block = block_at(op);

	if (block->heat >= cpu->vm->jit->hot)
		TAIL translate(cpu, op, budget);
	block->heat++;
	TAIL block->cold(cpu, op, budget);
}

void soft_jit_watch(const struct soft_vm *vm, struct soft_block *block)
{
	const struct soft_jit *jit = vm->jit;

	block->heat = 0;
	block->chained = NULL;
	block->found = jit->by_run;
	block->sites = NULL;
	block->cold = block->ops[0].run;
	/* Lines outside RAM have no byte in a filter. */
	if (!jit->warm || soft_ram(vm, block->pa, 4 * (uint64_t)block->count))
		block->ops[0].run = warm_up;
}

#else

int soft_jit_create(struct soft_vm *vm, bool at_once)
{
	(void)vm, (void)at_once;
	return -ENOSYS;
}

void soft_jit_destroy(struct soft_vm *vm)
{
	(void)vm;
}

void soft_jit_watch(const struct soft_vm *vm, struct soft_block *block)
{
	(void)vm, (void)block;
}

soft_handler *soft_jit_sampled(struct soft_vm *vm, const struct soft_op *op, uint32_t flag_kind)
{
	(void)vm, (void)op, (void)flag_kind;
	return NULL;
}

#endif
