/* SPDX-License-Identifier: BSD-2-Clause */
/* See nodes.h. */
#include "nodes.h"

#include "arch.h"
#include "boot.h"
#include "platform.h"

#define BLOCK	(UINT64_C(2) << 20)
#define AREA_VA (DATA_VA + (UINT64_C(1) << 38)) /* after what data_alloc() gives */

bool nodes_map(uint64_t size, uint64_t *area)
{
	uint64_t base, all;

	if (!platform_memory(boot_info.image_pa, &base, &all) || all / 2 < size + BLOCK)
		return false;
	base = (base + all / 2 + BLOCK - 1) / BLOCK * BLOCK;
	for (uint64_t at = 0; at < size; at += BLOCK)
		if (!map_block(AREA_VA + at, base + at, MAP_DATA))
			return false;
	dsb();
	isb();
	*area = AREA_VA;
	return boot_info.dtb_pa < base || boot_info.dtb_pa >= base + size;
}

uint64_t nodes_place(uint64_t n, uint64_t nodes)
{
	uint64_t low = 0;

	n %= nodes;
	if ((n | 63) >= nodes)
		return n;
	for (unsigned int bit = 0; bit < 6; bit++)
		low |= (n >> bit & 1) << (5 - bit);
	return (n & ~UINT64_C(63)) | low;
}

void nodes_link(uint64_t area, uint64_t nodes, uint64_t stride)
{
	for (uint64_t n = 0; n < nodes; n++)
		*(volatile uint64_t *)(area + nodes_place(n, nodes) * stride) =
			area + nodes_place(n + 1, nodes) * stride;
}
