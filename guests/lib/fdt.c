/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device tree: see fdt.h.
 */
#include "boot.h"
#include "fdt.h"
#include "string.h"

#define FDT_MAGIC      0xd00dfeedu
#define FDT_BEGIN_NODE 1u
#define FDT_END_NODE   2u
#define FDT_PROP       3u
#define FDT_NOP	       4u

#define MAX_SIZE  (UINT32_C(2) << 20)
#define MAX_DEPTH 16

static struct {
	const uint8_t *header, *structure, *strings;
	uint32_t structure_size, strings_size, size;
} tree;

/* p is aligned: everything in a tree is, except text. */
static uint32_t load32(const uint8_t *p)
{
	return __builtin_bswap32(*(const uint32_t *)p);
}

static bool block_fits(uint32_t offset, uint32_t size)
{
	return offset <= tree.size && size <= tree.size - offset;
}

uint64_t fdt_check(const void *header)
{
	const uint32_t size = load32((const uint8_t *)header + 4);

	return load32(header) == FDT_MAGIC && size >= FDT_HEADER_SIZE && size <= MAX_SIZE ? size
											  : 0;
}

bool fdt_open(const void *whole)
{
	const uint8_t *blob = whole;

	tree.header = blob;
	tree.size = load32(blob + 4);
	tree.structure_size = load32(blob + 36);
	tree.strings_size = load32(blob + 32);
	if (!block_fits(load32(blob + 8), tree.structure_size) ||
	    !block_fits(load32(blob + 12), tree.strings_size))
		return false;
	tree.structure = blob + load32(blob + 8);
	tree.strings = blob + load32(blob + 12);
	if ((uintptr_t)tree.structure & 3)
		return false;
	/*
	 * A walk of the tree looks for a name's end without a limit: drop what follows the last
	 * NUL.
	 */
	while (tree.strings_size > 0 && tree.strings[tree.strings_size - 1] != '\0')
		tree.strings_size--;
	return true;
}

uint64_t fdt_size(void)
{
	return tree.size;
}

/* One token of the structure block. */
struct token {
	uint32_t kind;
	const char *name; /* of a node or property */
	struct fdt_prop prop;
};

/* The name of the node at this offset, or NULL if it does not end in the structure block. */
static const char *node_name(uint32_t offset, uint32_t *length)
{
	for (uint32_t at = offset; at < tree.structure_size; at++)
		if (tree.structure[at] == '\0') {
			*length = at - offset;
			return (const char *)tree.structure + offset;
		}
	return NULL;
}

/* The name of a property, or NULL. */
static const char *property_name(uint32_t offset)
{
	return offset < tree.strings_size ? (const char *)tree.strings + offset : NULL;
}

/* Read the token at *offset and move past it. False at the end and in a broken tree. */
static bool next_token(uint32_t *offset, struct token *token)
{
	uint32_t at = *offset, length;

	do {
		if (at > tree.structure_size || tree.structure_size - at < 4)
			return false;
		token->kind = load32(tree.structure + at);
		at += 4;
	} while (token->kind == FDT_NOP);
	if (token->kind == FDT_BEGIN_NODE) {
		token->name = node_name(at, &length);
		if (!token->name)
			return false;
		at += length + 1;
	} else if (token->kind == FDT_PROP) {
		if (tree.structure_size - at < 8)
			return false;
		token->prop.length = load32(tree.structure + at);
		token->name = property_name(load32(tree.structure + at + 4));
		at += 8;
		if (!token->name || token->prop.length > tree.structure_size - at)
			return false;
		token->prop.data = tree.structure + at;
		at += token->prop.length;
	} else if (token->kind != FDT_END_NODE) {
		return false;
	}
	*offset = (at + 3) & ~UINT32_C(3);
	return true;
}

bool fdt_get(const struct fdt_node *node, const char *name, struct fdt_prop *prop)
{
	uint32_t offset = node->offset;
	struct token token;

	/* Properties come before subnodes. */
	while (next_token(&offset, &token) && token.kind == FDT_PROP)
		if (strcmp(token.name, name) == 0) {
			*prop = token.prop;
			return true;
		}
	return false;
}

bool fdt_cell(const struct fdt_node *node, const char *name, unsigned int n, uint32_t *value)
{
	struct fdt_prop prop;

	if (!fdt_get(node, name, &prop) || prop.length / 4 <= n)
		return false;
	*value = load32(prop.data + (size_t)n * 4);
	return true;
}

const char *fdt_string(const struct fdt_node *node, const char *name)
{
	struct fdt_prop prop;

	if (!fdt_get(node, name, &prop) || prop.length == 0 || prop.data[prop.length - 1] != '\0')
		return NULL;
	return (const char *)prop.data;
}

/* A search: the kind of criterion, and its value. */
struct query {
	enum { BY_COMPATIBLE, BY_PATH, BY_PHANDLE, BY_TYPE, BY_PARENT } by;
	const char *text;
	uint32_t phandle;
	uint32_t after; /* only nodes after this offset */
};

static bool list_has(const struct fdt_prop *prop, const char *text)
{
	uint32_t start = 0;

	for (uint32_t at = 0; at < prop->length; at++)
		if (prop->data[at] == '\0') {
			if (strcmp((const char *)prop->data + start, text) == 0)
				return true;
			start = at + 1;
		}
	return false;
}

bool fdt_is_compatible(const struct fdt_node *node, const char *compatible)
{
	struct fdt_prop prop;

	return fdt_get(node, "compatible", &prop) && list_has(&prop, compatible);
}

/* Compare an element of a path with a node's name; the unit address may be left out. */
static bool element_is(const char *name, const char *element, size_t length)
{
	size_t base = 0;

	if (strncmp(name, element, length) == 0 && name[length] == '\0')
		return true;
	while (name[base] != '\0' && name[base] != '@')
		base++;
	return base == length && strncmp(name, element, length) == 0;
}

/* Does the chain of names from the root (excluded) to depth match all elements of a path? */
static bool path_is(const char *path, const char *const *names, unsigned int depth)
{
	for (unsigned int i = 1; i <= depth; i++) {
		size_t length = 0;

		if (*path++ != '/')
			return false;
		while (path[length] != '\0' && path[length] != '/' && path[length] != ':')
			length++;
		if (!element_is(names[i], path, length))
			return false;
		path += length;
	}
	return *path == '\0' || *path == ':' || (depth == 0 && strcmp(path, "/") == 0);
}

static bool node_matches(const struct fdt_node *node, const struct query *query,
			 const char *const *names, unsigned int depth)
{
	const char *type;
	uint32_t phandle;

	switch (query->by) {
	case BY_COMPATIBLE:
		return node->offset > query->after && fdt_is_compatible(node, query->text);
	case BY_PATH: return path_is(query->text, names, depth);
	case BY_PHANDLE: return fdt_cell(node, "phandle", 0, &phandle) && phandle == query->phandle;
	case BY_TYPE:
		type = fdt_string(node, "device_type");
		return node->offset > query->after && type && strcmp(type, query->text) == 0;
	case BY_PARENT:
		return node->offset > query->after && depth == 2 &&
		       element_is(names[1], query->text, strlen(query->text));
	}
	return false;
}

/* What a node's children inherit, or need to know of it. */
struct inherited {
	uint8_t address_cells, size_cells;
	uint32_t interrupt_parent;
};

static void inherit_cells(struct inherited *level, const struct token *token)
{
	uint32_t cells;

	if ((token->name[0] != '#' && token->name[0] != 'i') || token->prop.length < 4)
		return;
	cells = load32(token->prop.data);
	if (strcmp(token->name, "#address-cells") == 0)
		level->address_cells = (uint8_t)cells;
	else if (strcmp(token->name, "#size-cells") == 0)
		level->size_cells = (uint8_t)cells;
	else if (strcmp(token->name, "interrupt-parent") == 0)
		level->interrupt_parent = cells;
}

/* Depth first; properties come before subnodes. */
static bool search_nodes(const struct query *query, struct fdt_node *found)
{
	struct inherited level[MAX_DEPTH + 1] = {{2, 1, 0}};
	const char *names[MAX_DEPTH] = {NULL};
	unsigned int depth = 0; /* of the next node */
	uint32_t offset = 0, cells;
	struct token token;

	while (next_token(&offset, &token)) {
		struct fdt_node node;

		if (token.kind == FDT_END_NODE && depth-- == 0)
			return false;
		if (token.kind == FDT_PROP)
			inherit_cells(&level[depth], &token);
		if (token.kind != FDT_BEGIN_NODE)
			continue;
		if (depth == MAX_DEPTH)
			return false;
		node = (struct fdt_node){.offset = offset,
					 .name = token.name,
					 .address_cells = level[depth].address_cells,
					 .size_cells = level[depth].size_cells,
					 .interrupt_parent = level[depth].interrupt_parent};
		names[depth] = token.name;
		if (node_matches(&node, query, names, depth)) {
			*found = node;
			if (fdt_cell(&node, "interrupt-parent", 0, &cells))
				found->interrupt_parent = cells;
			return true;
		}
		depth++;
		level[depth] = (struct inherited){2, 1, node.interrupt_parent};
	}
	return false;
}

bool fdt_next_compatible(struct fdt_node *node, const char *compatible)
{
	struct query query = {
		.by = BY_COMPATIBLE, .text = compatible, .after = node->name ? node->offset : 0};

	return search_nodes(&query, node);
}

bool fdt_find_path(struct fdt_node *node, const char *path)
{
	struct query query = {.by = BY_PATH, .text = path};
	char alias[32];
	size_t length = 0;

	if (path[0] == '/')
		return search_nodes(&query, node);
	while (path[length] != '\0' && path[length] != ':' && length < sizeof(alias) - 1) {
		alias[length] = path[length];
		length++;
	}
	alias[length] = '\0';
	query.text = "/aliases";
	if (!search_nodes(&query, node))
		return false;
	query.text = fdt_string(node, alias);
	return query.text && query.text[0] == '/' && search_nodes(&query, node);
}

bool fdt_find_phandle(struct fdt_node *node, uint32_t phandle)
{
	struct query query = {.by = BY_PHANDLE, .phandle = phandle};

	return search_nodes(&query, node);
}

bool fdt_next_type(struct fdt_node *node, const char *type)
{
	struct query query = {.by = BY_TYPE, .text = type, .after = node->name ? node->offset : 0};

	return search_nodes(&query, node);
}

bool fdt_next_child(struct fdt_node *node, const char *parent)
{
	struct query query = {
		.by = BY_PARENT, .text = parent, .after = node->name ? node->offset : 0};

	return search_nodes(&query, node);
}

static uint64_t load_cells(const uint8_t *data, unsigned int cells)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < cells; i++)
		value = value << 32 | load32(data + (size_t)i * 4);
	return value;
}

bool fdt_reg(const struct fdt_node *node, unsigned int n, uint64_t *base, uint64_t *size)
{
	unsigned int entry = (unsigned int)(node->address_cells + node->size_cells) * 4;
	struct fdt_prop prop;

	if (node->address_cells < 1 || node->address_cells > 2 || node->size_cells > 2)
		return false;
	if (!fdt_get(node, "reg", &prop) || prop.length / entry <= n)
		return false;
	*base = load_cells(prop.data + (size_t)n * entry, node->address_cells);
	*size = load_cells(prop.data + (size_t)n * entry + node->address_cells * 4u,
			   node->size_cells);
	return true;
}

bool fdt_reserved(unsigned int n, uint64_t *base, uint64_t *size)
{
	uint32_t offset;

	if (!tree.structure || n >= MAX_SIZE / 16)
		return false;
	offset = load32(tree.header + 16);
	if ((offset & 7) || offset > tree.size || tree.size - offset < (n + 1) * 16)
		return false;
	*base = load_cells(tree.header + offset + n * 16, 2);
	*size = load_cells(tree.header + offset + n * 16 + 8, 2);
	return *base != 0 || *size != 0;
}

bool fdt_interrupt(const struct fdt_node *node, unsigned int n, uint32_t *intid)
{
	struct fdt_node parent;
	uint32_t cells, type, number;

	if (!fdt_find_phandle(&parent, node->interrupt_parent) ||
	    !fdt_cell(&parent, "#interrupt-cells", 0, &cells) || cells < 3 || cells > 8)
		return false;
	if (!fdt_cell(node, "interrupts", n * cells, &type) ||
	    !fdt_cell(node, "interrupts", n * cells + 1, &number))
		return false;
	if (type > 1 || number > (type == 0 ? 987u : 15u))
		return false;
	*intid = number + (type == 0 ? 32 : 16);
	return true;
}
