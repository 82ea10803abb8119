/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks that a guest has chosen the addresses of, so that all have one place in the table of
 * blocks: a store to their page is one instruction, and takes a time that grows as their number.
 */
#include <stdlib.h>
#include <time.h>

#include "../compare.h"
#include "soft/mem/code.h"

#define BLOCKS	60000 /* of each of two pages; squared, they would take half a minute */
#define SECONDS 5
#define BASE	UINT64_C(0x40000000)

/* The inverse of an odd number modulo 2^64 (Newton). */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned int n = 0; n < 6; n++)
		x *= 2 - odd * x;
	return x;
}

static struct soft_block *add(struct soft_vm *vm, struct soft_block *block, uint64_t pa, uint64_t n)
{
	const uint64_t hashed = n * inverse(UINT64_C(0x9e3779b97f4a7c15));

	*block = (struct soft_block){.va = hashed ^ pa << 16 ^ pa >> 10, .pa = pa, .count = 1};
	soft_code_add(vm, block);
	return block;
}

Test(code, a_store_to_colliding_blocks)
{
	struct soft_code_page *pages = calloc(2, sizeof(*pages));
	struct soft_block **hash = calloc(SOFT_BLOCK_HASH, sizeof(struct soft_block *));
	struct soft_block *blocks = calloc(2 * BLOCKS, sizeof(*blocks));
	struct soft_vm *vm = calloc(1, sizeof(*vm));
	const clock_t begin = clock();

	cr_assert(pages);
	cr_assert(hash);
	cr_assert(blocks);
	cr_assert(vm);
	vm->pages = pages;
	vm->pages_base = BASE;
	vm->host.ram.base = BASE;
	vm->host.ram.size = 2 * SOFT_PAGE_SIZE;
	vm->hash = hash;
	for (uint64_t n = 0; n < 2 * BLOCKS; n++)
		(void)add(vm, &blocks[n], BASE + (n < BLOCKS ? 0 : SOFT_PAGE_SIZE), n);
	for (uint64_t n = 1; n < SOFT_BLOCK_HASH; n++)
		cr_assert_null(hash[n], "they do not collide");
	soft_code_written(vm, BASE, 64);
	for (uint64_t n = 0; n < 2 * BLOCKS; n++)
		cr_assert_eq(blocks[n].stale, n < BLOCKS);
	for (uint64_t n = 0; n < 2 * BLOCKS; n += BLOCKS / 8) {
		struct soft_block *found = soft_code_find(vm, blocks[n].va, blocks[n].pa);

		cr_expect_eq(found, n < BLOCKS ? NULL : &blocks[n]);
	}
	soft_code_written(vm, BASE + SOFT_PAGE_SIZE, 64);
	cr_expect_null(hash[0]);
	cr_expect_lt(clock() - begin, SECONDS * CLOCKS_PER_SEC);
	free(vm);
	free(blocks);
	free(hash);
	free(pages);
}
