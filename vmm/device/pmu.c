/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU as a device of the machine: its overflow interrupt, the PPI of Arm's Base System
 * Architecture, and its node. The unit itself belongs to the engine, which sets the line and saves
 * its state.
 */
#include "device/acpi.h"
#include "device/tree.h"

#define PMU_INTID 23

static bool pmu_exists(const struct device_config *config)
{
	return config->choices.pmu != PMU_NONE;
}

static void pmu_node(struct tree *tree, const struct device_config *config)
{
	tree_begin(tree, "pmu");
	tree_string(tree, "compatible", "arm,armv8-pmuv3");
	tree_cells(tree, "interrupts", TREE_PPI(PMU_INTID, tree_ppi_mask(config)));
	tree_end(tree);
}

static void pmu_gicc(struct acpi *acpi, size_t at)
{
	acpi_patch(acpi, at + ACPI_GICC_PERFORMANCE, PMU_INTID, 4);
}

const struct device_type device_pmu = {
	.name = "pmu",
	.exists = pmu_exists,
	.interrupts = {PMU_INTID},
	.node = pmu_node,
	.gicc = pmu_gicc,
};
