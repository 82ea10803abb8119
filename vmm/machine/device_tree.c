/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device tree: see device_tree.h. It is written in the order of its text; devices write their
 * own nodes.
 */
#include "machine/device_tree.h"

#include <stdio.h>

#include "arm/affinity.h"
#include "arm/cache.h"
#include "base/splitmix.h"
#include "device/memory_map.h"
#include "device/tree.h"
#include "machine/numa_option.h"
#include "machine/psci.h"

/* The path of the console's node. */
static const char *tree_stdout(void)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		if (device_types[i]->console)
			return device_types[i]->console->path;
	return "";
}

#define RNG_SEED 32 /* bytes: the 256 bits that Linux needs before getrandom() returns */

/* dt-schema, chosen.yaml. */
static void tree_seeds(struct tree *tree, uint64_t seed)
{
	uint8_t bytes[RNG_SEED];

	for (size_t i = 0; i < RNG_SEED; i += 8) {
		const uint64_t number = splitmix_next(&seed);

		for (size_t j = 0; j < 8; j++)
			bytes[i + j] = (uint8_t)(number >> 8 * j);
	}
	tree_u64(tree, "kaslr-seed", splitmix_next(&seed));
	tree_bytes(tree, "rng-seed", bytes, sizeof(bytes));
}

static void tree_chosen(struct tree *tree, const struct device_tree_config *config)
{
	const struct choices *choices = &config->device.choices;

	tree_begin(tree, "chosen");
	if (choices->params)
		tree_string(tree, "bootargs", choices->params);
	tree_string(tree, "stdout-path", tree_stdout());
	if (choices->seeded)
		tree_seeds(tree, choices->seed);
	if (config->initrd_end > config->initrd_start) {
		tree_u64(tree, "linux,initrd-start", config->initrd_start);
		tree_u64(tree, "linux,initrd-end", config->initrd_end);
	}
	tree_end(tree);
}

/* Memory; node: its number, or NULL. */
static void tree_area(struct tree *tree, uint64_t base, uint64_t size, const uint32_t *node)
{
	tree_begin(tree, "memory@%llx", (unsigned long long)base);
	tree_string(tree, "device_type", "memory");
	tree_cells(tree, "reg", TREE_TWO_CELLS(base), TREE_TWO_CELLS(size));
	if (node)
		tree_cells(tree, "numa-node-id", *node);
	tree_end(tree);
}

/* Linux, Documentation/devicetree/bindings/numa.txt. */
static void tree_distances(struct tree *tree, const struct choices *choices)
{
	const uint32_t count = choices->numa.count;
	uint8_t bytes[12 * MODEL_NODES * MODEL_NODES] = {0};

	for (uint32_t n = 0; n < count * count; n++) {
		bytes[12 * n + 3] = (uint8_t)(n / count);
		bytes[12 * n + 7] = (uint8_t)(n % count);
		bytes[12 * n + 11] = (uint8_t)numa_distance(choices, n / count, n % count);
	}
	tree_begin(tree, "distance-map");
	tree_string(tree, "compatible", "numa-distance-map-v1");
	tree_bytes(tree, "distance-matrix", bytes, (size_t)12 * count * count);
	tree_end(tree);
}

static void tree_memory(struct tree *tree, const struct choices *choices)
{
	uint64_t base = MAP_RAM;

	if (!choices->numa.count) {
		tree_area(tree, base, choices->ram_size, NULL);
		return;
	}
	for (uint32_t n = 0; n < choices->numa.count; n++) {
		tree_area(tree, base, choices->numa.node[n].size, &n);
		base += choices->numa.node[n].size;
	}
	tree_distances(tree, choices);
}

/* One cache, in the words of the Devicetree Specification, 3.8. */
static void tree_cache(struct tree *tree, const char *kind, struct arm_cache cache)
{
	const struct {
		const char *what;
		uint32_t value;
	} rows[] = {{"size", cache.size}, {"line-size", ARM_CACHE_LINE}, {"sets", cache.sets}};
	char name[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(name, sizeof(name), "%scache-%s", kind, rows[i].what);
		tree_cells(tree, name, rows[i].value);
	}
}

/* The caches of a vCPU. A host's CPU describes its own, which are not known here. */
static void tree_caches(struct tree *tree, const struct device_config *config, unsigned int cpu)
{
	if (config->concurrent)
		return;
	tree_cache(tree, "i-", arm_cache_of(config->midr, ARM_CACHE_L1I));
	tree_cache(tree, "d-", arm_cache_of(config->midr, ARM_CACHE_L1D));
	tree_cells(tree, "next-level-cache", TREE_CACHE + cpu);
	tree_begin(tree, "l2-cache");
	tree_string(tree, "compatible", "cache");
	tree_cells(tree, "cache-level", 2);
	tree_flag(tree, "cache-unified");
	tree_cache(tree, "", arm_cache_of(config->midr, ARM_CACHE_L2));
	tree_cells(tree, "phandle", TREE_CACHE + cpu);
	tree_end(tree);
}

static void tree_cpus(struct tree *tree, const struct device_config *config)
{
	tree_begin(tree, "cpus");
	tree_cells(tree, "#address-cells", 1);
	tree_cells(tree, "#size-cells", 0);
	for (unsigned int i = 0; i < config->choices.cpus; i++) {
		const unsigned int mpidr = (unsigned int)arm_affinity(i);

		tree_begin(tree, "cpu@%x", mpidr);
		tree_string(tree, "device_type", "cpu");
		tree_string(tree, "compatible", "arm,armv8");
		if (psci_method(&config->choices.levels))
			tree_string(tree, "enable-method", "psci");
		tree_cells(tree, "reg", mpidr);
		if (config->choices.numa.count)
			tree_cells(tree, "numa-node-id", model_node_of(&config->choices.numa, i));
		tree_caches(tree, config, i);
		tree_end(tree);
	}
	tree_end(tree);
}

/* The nodes of the devices that are in PEs, or of the others. */
static void tree_devices(struct tree *tree, const struct device_config *config, bool of_pe)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_type *type = device_types[i];

		if (type->node && type->of_pe == of_pe && device_exists(type, config))
			type->node(tree, config);
	}
}

int device_tree_build(const struct device_tree_config *config, void *buffer, size_t size)
{
	struct tree tree;

	tree_create(&tree, buffer, size);
	tree_begin(&tree, "%s", "");
	tree_string(&tree, "model", "vspe");
	tree_string(&tree, "compatible", "linux,dummy-virt");
	tree_cells(&tree, "#address-cells", 2);
	tree_cells(&tree, "#size-cells", 2);
	tree_cells(&tree, "interrupt-parent", TREE_INTC);
	/*
	 * Devices see the contents of caches, as CLIDR_EL1 also says; Linux 7 warns if only one of
	 * them says it.
	 */
	tree_flag(&tree, "dma-coherent");
	tree_chosen(&tree, config);
	tree_memory(&tree, &config->device.choices);
	tree_cpus(&tree, &config->device);
	psci_node(&tree, &config->device.choices.levels);
	tree_devices(&tree, &config->device, true);
	tree_devices(&tree, &config->device, false);
	tree_end(&tree);
	return tree_finish(&tree);
}
