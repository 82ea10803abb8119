/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of the PrimeCells, at 24 MHz: only a node, for the drivers of Linux that look for one.
 */
#include "device/tree.h"

#define APB_CLOCK_HZ 24000000

static void apb_clock_node(struct tree *tree, const struct device_config *config)
{
	(void)config;
	tree_begin(tree, "apb-pclk");
	tree_string(tree, "compatible", "fixed-clock");
	tree_cells(tree, "#clock-cells", 0);
	tree_cells(tree, "clock-frequency", APB_CLOCK_HZ);
	tree_string(tree, "clock-output-names", "clk24mhz");
	tree_cells(tree, "phandle", TREE_CLOCK);
	tree_end(tree);
}

const struct device_type device_apb_clock = {
	.name = "apb-clock",
	.node = apb_clock_node,
};
