/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPE as a device of the machine: its interrupt, the PPI of Arm's Base System Architecture, its
 * node, and its part of ACPI. The unit itself belongs to the engine, which sets the line and saves
 * its state.
 */
#include "device/acpi.h"
#include "device/tree.h"

#define SPE_INTID 21

static bool spe_exists(const struct device_config *config)
{
	return config->choices.spe;
}

static void spe_node(struct tree *tree, const struct device_config *config)
{
	tree_begin(tree, "spe-pmu");
	tree_string(tree, "compatible", "arm,statistical-profiling-extension-v1");
	tree_cells(tree, "interrupts", TREE_PPI(SPE_INTID, tree_ppi_mask(config)));
	tree_end(tree);
}

static void spe_gicc(struct acpi *acpi, size_t at)
{
	acpi_patch(acpi, at + ACPI_GICC_SPE_OVERFLOW, SPE_INTID, 2);
}

const struct device_type device_spe = {
	.name = "spe",
	.exists = spe_exists,
	.interrupts = {SPE_INTID},
	.node = spe_node,
	.gicc = spe_gicc,
};
