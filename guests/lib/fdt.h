/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader of flattened device trees (Devicetree Specification 0.4, chapter 5), bounds-checked: a
 * broken tree gives "not found", never a stray access.
 */
#ifndef GUEST_FDT_H
#define GUEST_FDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fdt_node {
	uint32_t offset;       /* of its first token in the structure block, after the name */
	const char *name;      /* with the unit address */
	uint8_t address_cells; /* the parent's: of this node's reg */
	uint8_t size_cells;
	uint32_t interrupt_parent; /* its own or inherited phandle; 0: none */
};

struct fdt_prop {
	const uint8_t *data;
	uint32_t length;
};

#define FDT_HEADER_SIZE 40

/* The size of the tree with this header; 0 if it is not one. */
uint64_t fdt_check(const void *header);
/* Read this tree, of the size that fdt_check() said; false if it is broken. There is one tree. */
bool fdt_open(const void *whole);
uint64_t fdt_size(void);

/* The next node after *node that has this string in compatible; from the start if node->name is
 * NULL. */
bool fdt_next_compatible(struct fdt_node *node, const char *compatible);
/* The same by device_type. */
bool fdt_next_type(struct fdt_node *node, const char *type);
/* The next child of this child of the root. */
bool fdt_next_child(struct fdt_node *node, const char *parent);
bool fdt_is_compatible(const struct fdt_node *node, const char *compatible);
/* By path, absolute or an alias. */
bool fdt_find_path(struct fdt_node *node, const char *path);
bool fdt_find_phandle(struct fdt_node *node, uint32_t phandle);

bool fdt_get(const struct fdt_node *node, const char *name, struct fdt_prop *prop);
/* A property that is a string, or NULL. */
const char *fdt_string(const struct fdt_node *node, const char *name);
/* Cell n of a property. */
bool fdt_cell(const struct fdt_node *node, const char *name, unsigned int n, uint32_t *value);
/* Region n of reg. Assumes that parents' ranges are identities. */
bool fdt_reg(const struct fdt_node *node, unsigned int n, uint64_t *base, uint64_t *size);
/* Entry n of the memory reservation block; false at its end. */
bool fdt_reserved(unsigned int n, uint64_t *base, uint64_t *size);
/*
 * Interrupt n as a GIC INTID (Linux' arm,gic-v3 binding: type, number, flags); the interrupt parent
 * has the number of cells. False if there is none, or if it is neither SPI nor PPI.
 */
bool fdt_interrupt(const struct fdt_node *node, unsigned int n, uint32_t *intid);

#endif
