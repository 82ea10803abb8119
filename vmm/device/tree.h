/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a device tree with libfdt, in the order of its text. After the first error nothing more is
 * written.
 */
#ifndef VSPE_TREE_H
#define VSPE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

/* Phandles. */
enum tree_phandle { TREE_INTC = 1, TREE_CLOCK, TREE_GPIO, TREE_CACHE /* and on: of each PE */ };

struct tree {
	void *buffer;
	int error; /* a negative FDT_ERR_* of libfdt, or 0 */
};

/* Begin a tree of at most size bytes. tree_finish() returns its size in bytes, or the error. */
void tree_create(struct tree *tree, void *buffer, size_t size);
int tree_finish(struct tree *tree);

void tree_begin(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tree_end(struct tree *tree);

/* Properties without a value, or with a string, 64 bits, or cells. */
void tree_flag(struct tree *tree, const char *name);
void tree_string(struct tree *tree, const char *name, const char *value);
void tree_u64(struct tree *tree, const char *name, uint64_t value);
/* At most 16. */
void tree_cells_of(struct tree *tree, const char *name, const uint32_t *cells, size_t count);

#define tree_cells(tree, name, ...)                                \
	tree_cells_of(tree, name, (const uint32_t[]){__VA_ARGS__}, \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Bytes as they are. */
void tree_bytes(struct tree *tree, const char *name, const uint8_t *bytes, size_t size);

/* A list of strings: value has them one after the other, each with its NUL. */
void tree_strings(struct tree *tree, const char *name, const char *value, size_t size);

#define tree_list(tree, name, value) tree_strings(tree, name, value, sizeof(value))

/* An address or a size of two cells. */
#define TREE_TWO_CELLS(value) (uint32_t)((uint64_t)(value) >> 32), (uint32_t)(value)

/*
 * The cells of an interrupt, level-sensitive and active high: kind, number within the kind, flags.
 */
#define TREE_SPI(intid)	      0, (intid)-32, 4
#define TREE_PPI(intid, mask) 1, (intid)-16, 4 | (mask)

/* The mask of every PPI: which CPU interfaces of a GICv2 have it (arm,gic.yaml). */
uint32_t tree_ppi_mask(const struct device_config *config);

#endif
