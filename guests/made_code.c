/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that is made while the guest runs: see made_code.h. */
#include "made_code.h"
#include "arch.h"
#include "console.h"

#define EL1_VA (KERNEL_VA + (UINT64_C(1) << 32)) /* far above the image */
#define EL0_VA (USER_TEXT_VA + (UINT64_C(1) << 32))

struct made_code made_code_alloc(bool user)
{
	static uint64_t next[2] = {EL1_VA, EL0_VA};
	volatile uint32_t *words = data_alloc(1);
	const uint64_t va = next[user];

	next[user] += 2 * PAGE_SIZE;
	if (!map_page(va, mmu_translate((uintptr_t)words), user ? MAP_USER_TEXT : MAP_TEXT))
		panic("out of translation tables");
	dsb();
	isb();
	return (struct made_code){.words = words, .entry = va};
}

/* The lines of both addresses: an instruction cache may be one of virtual addresses. */
void made_code_sync(const struct made_code *code, unsigned int first, unsigned int count)
{
	const uint64_t ctr = read_sysreg(ctr_el0);
	const uint64_t data = UINT64_C(4) << field(ctr, 19, 16), insn = UINT64_C(4)
									<< field(ctr, 3, 0);
	const uintptr_t from = first * 4u, to = (first + count) * 4u;

	for (uintptr_t at = from & ~(data - 1); at < to; at += data)
		__asm__ volatile("dc cvau, %0" ::"r"((uintptr_t)code->words + at) : "memory");
	__asm__ volatile("dsb ish" ::: "memory");
	for (uintptr_t at = from & ~(insn - 1); at < to; at += insn)
		__asm__ volatile("ic ivau, %0" ::"r"(code->entry + at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

void made_code_put(const struct made_code *code, unsigned int index, uint32_t word)
{
	code->words[index] = word;
	made_code_sync(code, index, 1);
}
