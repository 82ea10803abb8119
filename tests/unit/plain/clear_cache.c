/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * __clear_cache() of libgcc (--wrap) for qemu-aarch64, which before 8.1 does not know that IC IVAU
 * changes what is executed, where that was written by another address.
 */
#include <stdint.h>
#include <sys/mman.h>

void __real___clear_cache(void *begin, void *end);
void __wrap___clear_cache(void *begin, void *end);

/* Code that becomes writable for a moment is forgotten. */
void __wrap___clear_cache(void *begin, void *end)
{
	const uintptr_t page = 4096, from = (uintptr_t)begin & ~(page - 1);
	const size_t size = ((uintptr_t)end - from + page - 1) & ~(page - 1);

	(void)mprotect((void *)from, size, PROT_READ | PROT_WRITE | PROT_EXEC);
	(void)mprotect((void *)from, size, PROT_READ | PROT_EXEC);
	__real___clear_cache(begin, end);
}
