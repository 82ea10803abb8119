/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a device tree: see tree.h. */
#include "device/tree.h"

#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>

static void tree_check(struct tree *tree, int error)
{
	if (!tree->error)
		tree->error = error;
}

void tree_create(struct tree *tree, void *buffer, size_t size)
{
	*tree = (struct tree){.buffer = buffer};
	tree_check(tree, fdt_create(buffer, (int)size));
	if (!tree->error)
		tree_check(tree, fdt_finish_reservemap(buffer));
}

int tree_finish(struct tree *tree)
{
	if (!tree->error)
		tree_check(tree, fdt_finish(tree->buffer));
	return tree->error ? tree->error : (int)fdt_totalsize(tree->buffer);
}

void tree_begin(struct tree *tree, const char *format, ...)
{
	char name[32];
	va_list arguments;

	if (tree->error)
		return;
	va_start(arguments, format);
	(void)vsnprintf(name, sizeof(name), format, arguments);
	va_end(arguments);
	tree_check(tree, fdt_begin_node(tree->buffer, name));
}

void tree_end(struct tree *tree)
{
	if (!tree->error)
		tree_check(tree, fdt_end_node(tree->buffer));
}

void tree_flag(struct tree *tree, const char *name)
{
	if (!tree->error)
		tree_check(tree, fdt_property(tree->buffer, name, NULL, 0));
}

void tree_string(struct tree *tree, const char *name, const char *value)
{
	if (!tree->error)
		tree_check(tree, fdt_property_string(tree->buffer, name, value));
}

void tree_strings(struct tree *tree, const char *name, const char *value, size_t size)
{
	if (!tree->error)
		tree_check(tree, fdt_property(tree->buffer, name, value, (int)size));
}

void tree_bytes(struct tree *tree, const char *name, const uint8_t *bytes, size_t size)
{
	if (!tree->error)
		tree_check(tree, fdt_property(tree->buffer, name, bytes, (int)size));
}

void tree_u64(struct tree *tree, const char *name, uint64_t value)
{
	if (!tree->error)
		tree_check(tree, fdt_property_u64(tree->buffer, name, value));
}

void tree_cells_of(struct tree *tree, const char *name, const uint32_t *cells, size_t count)
{
	fdt32_t data[16];

	for (size_t i = 0; i < count; i++)
		data[i] = cpu_to_fdt32(cells[i]);
	if (!tree->error)
		tree_check(tree,
			   fdt_property(tree->buffer, name, data, (int)(count * sizeof(data[0]))));
}

/* Bits 15:8 of the flags of a PPI. */
uint32_t tree_ppi_mask(const struct device_config *config)
{
	return config->choices.gic == ENGINE_GIC_V2
		       ? ((UINT32_C(1) << config->choices.cpus) - 1) << 8
		       : 0;
}
