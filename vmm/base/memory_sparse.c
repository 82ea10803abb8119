/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that only costs what is touched: see memory.h. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE ((size_t)64 << 10) /* bytes */
#define ALIGN ((size_t)64)	 /* of the memory: a cache line */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The bytes of whole pages for that size. One more page after them is inaccessible. */
static size_t sparse_pages(size_t size)
{
	return (size + page_size() - 1) / page_size() * page_size();
}

/*
 * How far from the start of its pages the memory is: it ends where they end, except for alignment.
 */
static size_t sparse_before(size_t size)
{
	return (sparse_pages(size) - size) / ALIGN * ALIGN;
}

void *memory_sparse(size_t size)
{
	const size_t pages = sparse_pages(size);
	uint8_t *at;

	if (size < LARGE)
		return calloc(1, size);
	if (size > SIZE_MAX / 2)
		return NULL;
	at = mmap(NULL, pages + page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		  -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	if (mprotect(at, pages, PROT_READ | PROT_WRITE) < 0) {
		(void)munmap(at, pages + page_size());
		return NULL;
	}
	return at + sparse_before(size);
}

void memory_sparse_free(void *memory, size_t size)
{
	if (size < LARGE)
		free(memory);
	else if (memory)
		(void)munmap((uint8_t *)memory - sparse_before(size),
			     sparse_pages(size) + page_size());
}
