// SPDX-License-Identifier: BSD-2-Clause
/* The memory of generated code, the way into it, and which blocks are worth it: see jit.h. */
#define _GNU_SOURCE /* memfd_create() */
#include "soft/jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "soft/jit/x86.h"
#include "soft/run/block.h"

#if SOFT_JIT

#ifdef __clang__
#define TAIL __attribute__((musttail)) return
#else
#define TAIL return
#endif

/* Executions after which a block is translated: the time that this takes is made good in as many.
 */
#define HOT 48

/* Two views of one piece of memory, of a size that nobody can change. */
struct soft_jit_memory {
	uint8_t *writable, *executable; /* NULL: there is none yet */
	bool taken;
};

/* What soft_jit_reserve() made, of the process. */
static struct soft_jit_memory reserve;

static uint8_t *map(int fd, int protection)
{
	uint8_t *at = mmap(NULL, SOFT_JIT_CODE, protection, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(struct soft_jit_memory *memory)
{
	if (memory->writable)
		(void)munmap(memory->writable, SOFT_JIT_CODE);
	if (memory->executable)
		(void)munmap(memory->executable, SOFT_JIT_CODE);
	*memory = (struct soft_jit_memory){0};
}

static int map_code(struct soft_jit_memory *memory)
{
	struct rlimit largest;
	int fd, error = 0;

	/* It counts for this file too, and would be a signal. */
	if (getrlimit(RLIMIT_FSIZE, &largest) < 0 || largest.rlim_cur < SOFT_JIT_CODE)
		return -EFBIG;
	fd = memfd_create("vspe-jit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)SOFT_JIT_CODE) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		memory->writable = map(fd, PROT_READ | PROT_WRITE);
		memory->executable = memory->writable ? map(fd, PROT_READ | PROT_EXEC) : NULL;
	}
	if (!memory->executable) {
		error = -errno;
		unmap(memory);
	}
	(void)close(fd);
	return error;
}

int soft_jit_reserve(void)
{
	return reserve.executable ? 0 : map_code(&reserve);
}

bool soft_jit_reserved(void)
{
	return reserve.executable && !reserve.taken;
}

/* The reserve, or memory of its own. NULL: errno says why. */
static struct soft_jit_memory *take_memory(void)
{
	struct soft_jit_memory *memory;
	int error;

	if (soft_jit_reserved()) {
		reserve.taken = true;
		return &reserve;
	}
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return NULL;
	error = map_code(memory);
	if (!error)
		return memory;
	free(memory);
	errno = -error;
	return NULL;
}

static void give_memory_back(struct soft_jit_memory *memory)
{
	if (memory == &reserve) {
		reserve.taken = false;
		return;
	}
	if (memory)
		unmap(memory);
	free(memory);
}

/* Handlers leave RBP and the like as they are, and generated code has its own uses for them. */
static void put_entry(struct soft_jit *jit)
{
	static const uint8_t kept[] = {RBX, RBP, R12, R13, R14, R15};
	const size_t count = sizeof(kept) / sizeof(kept[0]);
	struct x86_code code = {jit->writable, jit->writable + SOFT_JIT_CODE, jit->writable};

	for (size_t n = 0; n < count; n++)
		x86_push(&code, kept[n]);
	x86_emit(&code, X86_sub_imm8, 64, 0, x86_reg(RSP), 8);
	x86_emit(&code, X86_mov_to, 64, RDI, x86_reg(RBP), 0);
	x86_emit(&code, X86_call, 64, 0, x86_at(RSI, offsetof(struct soft_op, run)), 0);
	x86_emit(&code, X86_add_imm8, 64, 0, x86_reg(RSP), 8);
	for (size_t n = count; n > 0; n--)
		x86_pop(&code, kept[n - 1]);
	x86_ret(&code);
	jit->first = jit->used = ((size_t)(code.at - code.from) + 63) & ~(size_t)63;
	jit->enter = (void (*)(struct soft_cpu *, const struct soft_op *, int64_t))(
			     uintptr_t)jit->executable;
}

int soft_jit_create(struct soft_vm *vm, bool at_once)
{
	struct soft_jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return -ENOMEM;
	jit->memory = take_memory();
	if (!jit->memory) {
		free(jit);
		return -errno;
	}
	jit->writable = jit->memory->writable;
	jit->executable = jit->memory->executable;
	jit->lzcnt = __builtin_cpu_supports("lzcnt");
	jit->hot = at_once ? 0 : HOT;
	put_entry(jit);
	vm->jit = jit;
	return 0;
}

void soft_jit_destroy(struct soft_vm *vm)
{
	if (vm->jit)
		give_memory_back(vm->jit->memory);
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

/* Without room for its code all is dropped, before the next lookup. */
__attribute__((noinline)) static const struct soft_op *
translate(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	struct soft_block *block = block_at(op);
	const uint64_t begin = now_ns();
	soft_handler *run = block->cold;

	if (!cpu->stop_op && !block->stale) {
		if (soft_jit_translate(cpu->vm, block))
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

void soft_jit_watch(struct soft_block *block)
{
	block->heat = 0;
	block->cold = block->ops[0].run;
	block->ops[0].run = warm_up;
}

#else

int soft_jit_reserve(void)
{
	return -ENOSYS;
}

bool soft_jit_reserved(void)
{
	return false;
}

int soft_jit_create(struct soft_vm *vm, bool at_once)
{
	(void)vm, (void)at_once;
	return -ENOSYS;
}

void soft_jit_destroy(struct soft_vm *vm)
{
	(void)vm;
}

void soft_jit_watch(struct soft_block *block)
{
	(void)block;
}

#endif
