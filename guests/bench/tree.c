/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walking a binary search tree with calls: unpredictable branches, dependent loads, a stack. One
 * iteration is one lookup and an update of what it found; every so often the whole tree is summed
 * recursively.
 */
#include "bench.h"

#define NODES	 4096
#define NOINLINE __attribute__((noinline))

struct node {
	struct node *child[2];
	uint32_t key, hits;
	uint64_t value;
};

static inline uint32_t next_key(uint32_t *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 13 & 0x1fff;
}

static NOINLINE struct node *lookup_key(struct node *node, uint32_t key)
{
	while (node && node->key != key)
		node = node->child[key > node->key];
	return node;
}

static NOINLINE uint64_t visit_node(struct node *node, uint64_t add)
{
	if (!node)
		return add >> 1;
	node->hits++;
	node->value += add;
	return node->value & 2 ? node->value : node->value ^ add;
}

static NOINLINE uint64_t total_of(const struct node *node)
{
	if (!node)
		return 0;
	return node->value + total_of(node->child[0]) + total_of(node->child[1]);
}

static NOINLINE void insert_node(struct node **place, struct node *node)
{
	while (*place) {
		if ((*place)->key == node->key)
			return;
		place = &(*place)->child[node->key > (*place)->key];
	}
	*place = node;
}

static uint64_t run_tree(void *data, uint64_t iterations)
{
	struct node *nodes = data, *root = NULL;
	uint32_t state = 20260601;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NODES; i++) {
		nodes[i] = (struct node){.key = next_key(&state), .value = i};
		insert_node(&root, &nodes[i]);
	}
	for (uint64_t i = 0; i < iterations; i++) {
		sum = visit_node(lookup_key(root, next_key(&state)), sum + i);
		if (i % 8192 == 0)
			sum += total_of(root);
	}
	return sum ^ total_of(root);
}

const struct bench bench = {
	.pages = NODES * sizeof(struct node) / 4096 + 1, .iterations = 4000000, .run = run_tree};
