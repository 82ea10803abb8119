/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What firmware starts in and keeps its variables in: two banks of NOR flash at the start of the
 * memory map, as QEMU's "virt" board has them.
 */
#ifndef VSPE_FLASH_H
#define VSPE_FLASH_H

#include <stddef.h>
#include <stdint.h>

#define FLASH_BANK UINT64_C(0x4000000) /* bytes of each */

/* The contents, which stay over a reset. The maker owns the memory. */
struct flash_store {
	/* The first bank, which nobody can write: so many bytes, and ones behind them. */
	const uint8_t *code;
	size_t code_size; /* up to FLASH_BANK */
	/*
	 * The second one, FLASH_BANK bytes, each inverted: what was never touched is 0 and means
	 * erased.
	 */
	uint8_t *variables;
	/* So many bytes of them were written at offset. NULL: nobody has to be told. */
	void (*wrote)(void *ctx, uint64_t offset, uint64_t size);
	void *ctx;
};

#endif
