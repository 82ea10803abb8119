/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a pointer chase, in an order that no prefetcher of strides foretells. */
#ifndef NODES_H
#define NODES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Map size bytes, a multiple of 2 MiB, in blocks of 2 MiB, so that TLBs do not hide the caches.
 * *area is where. False: there is not so much memory.
 */
bool nodes_map(uint64_t size, uint64_t *area);

/*
 * The place of node n of so many, which are a cycle: every 64 of them in the order of their
 * reversed bits, so that no step is as long as the one before. The first is at 0.
 */
uint64_t nodes_place(uint64_t n, uint64_t nodes);

/* Make the nodes at area, stride bytes apart, a cycle: the first word of each is the next's
 * address. */
void nodes_link(uint64_t area, uint64_t nodes, uint64_t stride);

#endif
