/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the guests' reader of device trees, and their queries, on any bytes. It reads nothing
 * outside of them. In a tree that libfdt considers valid, it finds what libfdt finds.
 */
#include "../array.h"
#include "input.h"

#include <libfdt.h>
#include <string.h>

/* libfdt has a function of this name, too: CMakeLists.txt. */
#define fdt_string guest_string
#include "lib/boot.h"
#include "lib/fdt.h"
#include "lib/platform.h"

#define DEPTH 16
#define PA    0x1000u

#define MOST_TEXT (UINT32_C(2) << 20) /* no tree is larger */

static const char *const paths[] = {"/", "/chosen", "/cpus/cpu@0", "/memory", "/psci", "/intc"};

/* What libfdt finds must be found. If two nodes have the same name, libfdt looks no further. */
static void compare_path(const void *tree, const char *path, bool found,
			 const struct fdt_node *node)
{
	const int offset = fdt_path_offset(tree, path);
	const char *name;

	if (offset < 0)
		return;
	require(found);
	name = fdt_get_name(tree, offset, NULL);
	require(name && strcmp(name, node->name) == 0);
}

/*
 * Does the tree end as it should, no deeper than the guests' reader goes, with all names present?
 * fdt_check_full() of libfdt 1.6 is not used: some broken trees crash it.
 */
static bool is_whole(const void *tree)
{
	int depth = 0, next = 0;

	if (fdt_check_header(tree) != 0 || !fdt_get_name(tree, 0, NULL))
		return false;
	for (int at = 0; depth >= 0 && depth < DEPTH; at = next) {
		const uint32_t tag = fdt_next_tag(tree, at, &next);
		const struct fdt_property *property;

		if (next < 0 || tag == FDT_END)
			return next >= 0 && depth == 0;
		if (tag == FDT_BEGIN_NODE)
			depth++;
		else if (tag == FDT_END_NODE)
			depth--;
		property = tag == FDT_PROP ? fdt_offset_ptr(tree, at, sizeof(*property)) : NULL;
		if (property && !fdt_get_string(tree, (int)fdt32_to_cpu(property->nameoff), NULL))
			return false;
	}
	return false;
}

static void ask_node(const struct fdt_node *node)
{
	uint64_t base, size;
	uint32_t value;
	struct fdt_prop prop;

	(void)fdt_reg(node, 0, &base, &size);
	(void)fdt_reg(node, 3, &base, &size);
	(void)fdt_interrupt(node, 0, &value);
	(void)fdt_interrupt(node, 2, &value);
	(void)fdt_string(node, "method");
	if (fdt_get(node, "reg", &prop))
		for (uint32_t i = 0; i < prop.length; i++)
			(void)*(volatile const uint8_t *)(prop.data + i);
}

static void ask(const uint8_t *tree)
{
	const bool whole = is_whole(tree);
	struct fdt_node node = {0};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		const bool found = fdt_find_path(&node, paths[i]);

		if (whole)
			compare_path(tree, paths[i], found, &node);
		if (found)
			ask_node(&node);
	}
	node = (struct fdt_node){0};
	while (fdt_next_type(&node, "memory"))
		ask_node(&node);
	node = (struct fdt_node){0};
	/* It comes to an end: each is after the one before. */
	for (uint32_t before = 0; fdt_next_compatible(&node, "arm,gic-v3"); before = node.offset) {
		require(node.offset > before);
		ask_node(&node);
	}
}

static const uint8_t *mapped; /* at PA */

const void *rodata_map(uint64_t pa, uint64_t size)
{
	(void)size;
	require(pa == PA);
	return mapped;
}

static void ask_platform(const struct platform_source *source)
{
	struct platform_uart uart;
	struct platform_gic gic = {0};
	uint64_t base, size;
	const char *text;

	(void)source->uart(&uart);
	text = source->psci();
	require(!text || strlen(text) < MOST_TEXT);
	text = source->arguments();
	require(!text || strlen(text) < MOST_TEXT);
	if (source->gic(&gic))
		require(gic.version == 2 || (gic.regions > 0 && gic.regions <= PLATFORM_REGIONS));
	if (source->memory(UINT64_C(0x40200000), &base, &size))
		require(UINT64_C(0x40200000) - base < size);
	for (unsigned int i = 0; i <= PLATFORM_MAINTENANCE; i++) {
		const uint32_t intid = source->interrupt((enum platform_interrupt)i, 0x100);

		require(intid == 0 || (intid >= 16 && intid < 1020));
	}
	/* Any CPU may be requested, in any order. */
	for (unsigned int i = 0; source->cpu(i, &base); i++)
		;
	(void)source->cpu(3, &base);
	(void)source->cpu(1, &base);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* At least a header, and nothing after the end. */
	uint8_t *tree;
	uint64_t claimed;

	if (size < FDT_HEADER_SIZE)
		return 0;
	tree = malloc(size);
	require(tree != NULL);
	memcpy(tree, bytes, size);
	claimed = fdt_check(tree);
	if (claimed && claimed <= size && fdt_open(tree) && fdt_size() == claimed) {
		const struct platform_source *source;

		ask(tree);
		mapped = tree;
		source = platform_tree(PA);
		if (source)
			ask_platform(source);
	}
	free(tree);
	return 0;
}
