/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where firmware starts and keeps its variables: two banks of NOR flash at the start of the memory
 * map, as on QEMU's "virt" board.
 */
#ifndef VSPE_FLASH_H
#define VSPE_FLASH_H

#include <stddef.h>
#include <stdint.h>

#define FLASH_BANK UINT64_C(0x4000000) /* bytes of each */

/* The contents, which survive a reset. The maker owns the memory. */
struct flash_store {
	/* The first bank, which is read-only: code_size bytes, followed by ones. */
	const uint8_t *code;
	size_t code_size; /* up to FLASH_BANK */
	/*
	 * The second bank, FLASH_BANK bytes, each inverted: 0 was never touched and reads as
	 * erased.
	 */
	uint8_t *variables;
	/* size bytes of them were written at offset. NULL: ignore it. */
	void (*wrote)(void *ctx, uint64_t offset, uint64_t size);
	void *ctx;
};

#endif
