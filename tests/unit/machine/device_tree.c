/* SPDX-License-Identifier: BSD-2-Clause */
/* The device tree, read back with libfdt: what a guest finds in it. */
#include <libfdt.h>
#include <string.h>

#include "../compare.h"
#include "machine/device_tree.h"

static uint8_t tree[0x10000];

static void build(const struct device_tree_config *config)
{
	int size = device_tree_build(config, tree, sizeof(tree));

	cr_assert_gt(size, 0);
	cr_assert_eq(fdt_check_full(tree, (size_t)size), 0);
}

static uint32_t cell(const char *path, const char *name, int index)
{
	int size = 0;
	const fdt32_t *cells = fdt_getprop(tree, fdt_path_offset(tree, path), name, &size);

	cr_assert_not_null(cells, "%s: %s", path, name);
	cr_assert_gt(size, index * 4, "%s: %s has %d bytes", path, name, size);
	return fdt32_to_cpu(cells[index]);
}

static uint64_t two_cells(const char *path, const char *name, int index)
{
	return (uint64_t)cell(path, name, index) << 32 | cell(path, name, index + 1);
}

static const char *string(const char *path, const char *name)
{
	const char *text = fdt_getprop(tree, fdt_path_offset(tree, path), name, NULL);

	cr_assert_not_null(text, "%s: %s", path, name);
	return text;
}

static bool has(const char *path)
{
	return fdt_path_offset(tree, path) >= 0;
}

static const struct device_tree_config plain = {
	.device.choices = {
		.cpus = 2, .levels = {.start = 1}, .spe = true, .ram_size = UINT64_C(6) << 30}};

/* The same of a guest that starts at EL2 or EL3. */
static void build_at(uint8_t el)
{
	struct device_tree_config config = plain;

	config.device.choices.levels.start = el;
	config.device.choices.levels.el2 = true;
	config.device.choices.levels.el3 = el == 3;
	build(&config);
}

Test(device_tree, memory_and_cpus)
{
	build(&plain);
	cr_assert_eq(two_cells("/memory@40000000", "reg", 0), 0x40000000);
	cr_assert_eq(two_cells("/memory@40000000", "reg", 2), UINT64_C(6) << 30);
	cr_assert_eq(cell("/cpus/cpu@0", "reg", 0), 0);
	cr_assert_eq(cell("/cpus/cpu@1", "reg", 0), 1);
	cr_assert_str_eq(string("/cpus/cpu@1", "enable-method"), "psci");
	cr_assert_not(has("/cpus/cpu@2"));
	cr_assert_str_eq(string("/psci", "method"), "hvc");
}

/* Nodes: their memory, their vCPUs, and how far they are from each other. */
Test(device_tree, nodes)
{
	struct device_tree_config config = plain;

	config.device.choices.numa =
		(struct model_nodes){.count = 3,
				     .node = {{.size = UINT64_C(4) << 30, .cores = 2},
					      {.size = UINT64_C(1) << 30, .cores = 1},
					      {.size = UINT64_C(1) << 30, .latency = 400}}};
	build(&config);
	cr_assert_eq(two_cells("/memory@40000000", "reg", 2), UINT64_C(4) << 30);
	cr_assert_eq(cell("/memory@40000000", "numa-node-id", 0), 0);
	cr_assert_eq(two_cells("/memory@140000000", "reg", 0), UINT64_C(0x140000000));
	cr_assert_eq(cell("/memory@140000000", "numa-node-id", 0), 1);
	cr_assert_eq(cell("/memory@180000000", "numa-node-id", 0), 2);
	cr_assert_eq(cell("/cpus/cpu@0", "numa-node-id", 0), 1);
	cr_assert_eq(cell("/cpus/cpu@1", "numa-node-id", 0), 0);
	cr_assert_str_eq(string("/distance-map", "compatible"), "numa-distance-map-v1");
	for (int n = 0; n < 9; n++) {
		static const uint32_t distances[] = {10, 15, 20, 15, 10, 20, 20, 20, 10};

		cr_assert_eq(cell("/distance-map", "distance-matrix", 3 * n), n / 3);
		cr_assert_eq(cell("/distance-map", "distance-matrix", 3 * n + 1), n % 3);
		cr_assert_eq(cell("/distance-map", "distance-matrix", 3 * n + 2), distances[n]);
	}
	build(&plain);
	cr_assert_not(has("/distance-map"));
	cr_assert_null(
		fdt_getprop(tree, fdt_path_offset(tree, "/cpus/cpu@0"), "numa-node-id", NULL));
}

static const void *rng_seed(uint64_t seed)
{
	struct device_tree_config config = plain;
	const void *bytes;
	int size;

	config.device.choices.seeded = true;
	config.device.choices.seed = seed;
	build(&config);
	bytes = fdt_getprop(tree, fdt_path_offset(tree, "/chosen"), "rng-seed", &size);
	cr_assert_not_null(bytes);
	cr_assert_eq(size, 32, "256 bits, for which Linux waits");
	return bytes;
}

Test(device_tree, seeds)
{
	uint8_t first[32];
	uint64_t kaslr;

	memcpy(first, rng_seed(1), sizeof(first));
	kaslr = two_cells("/chosen", "kaslr-seed", 0);
	cr_assert_arr_eq(first, rng_seed(1), sizeof(first), "the same of the same");
	cr_assert_eq(kaslr, two_cells("/chosen", "kaslr-seed", 0));
	cr_assert_arr_neq(first, rng_seed(2), sizeof(first));
	cr_assert_neq(kaslr, two_cells("/chosen", "kaslr-seed", 0));
	build(&plain);
	cr_assert_null(fdt_getprop(tree, fdt_path_offset(tree, "/chosen"), "rng-seed", NULL));
	cr_assert_null(fdt_getprop(tree, fdt_path_offset(tree, "/chosen"), "kaslr-seed", NULL));
}

Test(device_tree, real_time_clock)
{
	build(&plain);
	cr_assert_str_eq(string("/pl031@9010000", "compatible"), "arm,pl031");
	cr_assert_eq(two_cells("/pl031@9010000", "reg", 0), 0x09010000);
	cr_assert_eq(cell("/pl031@9010000", "interrupts", 0), 0, "an SPI");
	cr_assert_eq(cell("/pl031@9010000", "interrupts", 1), 2);
}

/* 16 vCPUs share an Aff1, with either engine. */
/* Each vCPU's caches are in the tree, as CCSIDR_EL1 has them; a host's CPU reports its own. */
Test(device_tree, caches)
{
	struct device_tree_config config = plain;

	config.device.midr = spe_core_find("neoverse-n1")->midr;
	build(&config);
	cr_assert_eq(cell("/cpus/cpu@1", "i-cache-size", 0), 64 << 10);
	cr_assert_eq(cell("/cpus/cpu@1", "i-cache-sets", 0), 256);
	cr_assert_eq(cell("/cpus/cpu@1", "d-cache-size", 0), 64 << 10);
	cr_assert_eq(cell("/cpus/cpu@1", "d-cache-line-size", 0), 64);
	cr_assert_eq(cell("/cpus/cpu@1/l2-cache", "cache-size", 0), 1 << 20);
	cr_assert_eq(cell("/cpus/cpu@1/l2-cache", "cache-sets", 0), 2048);
	cr_assert_eq(cell("/cpus/cpu@1/l2-cache", "cache-level", 0), 2);
	for (unsigned int i = 0; i < 2; i++) {
		const char *const of[] = {"/cpus/cpu@0", "/cpus/cpu@1"};
		const char *const l2[] = {"/cpus/cpu@0/l2-cache", "/cpus/cpu@1/l2-cache"};

		cr_assert_eq(cell(of[i], "next-level-cache", 0), cell(l2[i], "phandle", 0));
	}
	cr_assert_neq(cell("/cpus/cpu@0", "next-level-cache", 0),
		      cell("/cpus/cpu@1", "next-level-cache", 0));
	config.device.concurrent = true;
	build(&config);
	cr_assert_not(has("/cpus/cpu@1/l2-cache"));
}

Test(device_tree, cpus_are_in_clusters)
{
	struct device_tree_config config = plain;

	config.device.choices.cpus = 17;
	build(&config);
	cr_assert_eq(cell("/cpus/cpu@f", "reg", 0), 0xf);
	cr_assert_eq(cell("/cpus/cpu@100", "reg", 0), 0x100);
	cr_assert_not(has("/cpus/cpu@10"));
}

Test(device_tree, devices_are_coherent)
{
	build(&plain);
	cr_assert_not_null(fdt_getprop(tree, 0, "dma-coherent", NULL));
}

Test(device_tree, interrupt_controller)
{
	build(&plain);
	cr_assert_str_eq(string("/intc@8000000", "compatible"), "arm,gic-v3");
	cr_assert_eq(two_cells("/intc@8000000", "reg", 0), 0x08000000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 2), 0x10000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 4), 0x080a0000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 6), 2 * 0x20000);
	cr_assert_eq(cell("/", "interrupt-parent", 0), cell("/intc@8000000", "phandle", 0));
	cr_assert_eq(cell("/intc@8000000", "#interrupt-cells", 0), 3);
}

/* The binding arm,gic: two frames, and the CPUs of a PPI in its flags. */
Test(device_tree, interrupt_controller_of_version_2)
{
	struct device_tree_config config = plain;

	config.device.choices.gic = ENGINE_GIC_V2;
	build(&config);
	cr_assert_str_eq(string("/intc@8000000", "compatible"), "arm,cortex-a15-gic");
	cr_assert_eq(two_cells("/intc@8000000", "reg", 0), 0x08000000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 2), 0x1000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 4), 0x08010000);
	cr_assert_eq(two_cells("/intc@8000000", "reg", 6), 0x2000);
	cr_assert_eq(cell("/", "interrupt-parent", 0), cell("/intc@8000000", "phandle", 0));
	cr_assert_eq(cell("/intc@8000000", "#interrupt-cells", 0), 3);
	cr_assert_eq(cell("/spe-pmu", "interrupts", 1), 5);
	cr_assert_eq(cell("/spe-pmu", "interrupts", 2), 0x304, "of both vCPUs");
	cr_assert_eq(cell("/timer", "interrupts", 2), 0x304);
	cr_assert_eq(cell("/pl011@9000000", "interrupts", 2), 4, "an SPI has no mask");
}

Test(device_tree, console)
{
	build(&plain);
	cr_assert_eq(fdt_node_check_compatible(tree, fdt_path_offset(tree, "/pl011@9000000"),
					       "arm,primecell"),
		     0);
	cr_assert_eq(two_cells("/pl011@9000000", "reg", 0), 0x09000000);
	cr_assert_eq(cell("/pl011@9000000", "interrupts", 0), 0, "SPI");
	cr_assert_eq(cell("/pl011@9000000", "interrupts", 1), 1);
	cr_assert_eq(cell("/pl011@9000000", "interrupts", 2), 4, "level, high");
	cr_assert_eq(cell("/pl011@9000000", "clocks", 0), cell("/apb-pclk", "phandle", 0));
	cr_assert_eq(fdt_path_offset(tree, string("/chosen", "stdout-path")),
		     fdt_path_offset(tree, "/pl011@9000000"));
}

Test(device_tree, timer_interrupts_in_the_order_of_the_binding)
{
	static const uint32_t ppis[4] = {13, 14, 11, 10};

	build(&plain);
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(cell("/timer", "interrupts", 3 * i), 1, "PPI");
		cr_assert_eq(cell("/timer", "interrupts", 3 * i + 1), ppis[i]);
		cr_assert_eq(cell("/timer", "interrupts", 3 * i + 2), 4);
	}
}

Test(device_tree, at_el2_psci_is_called_by_smc)
{
	build_at(2);
	cr_assert_str_eq(string("/psci", "method"), "smc");
	cr_assert_str_eq(string("/cpus/cpu@1", "enable-method"), "psci");
}

Test(device_tree, at_el3_nobody_answers_psci)
{
	build_at(3);
	cr_assert_not(has("/psci"));
	cr_assert_null(
		fdt_getprop(tree, fdt_path_offset(tree, "/cpus/cpu@1"), "enable-method", NULL));
}

Test(device_tree, el2_has_its_interrupts)
{
	int size;

	build(&plain);
	cr_assert_null(
		fdt_getprop(tree, fdt_path_offset(tree, "/intc@8000000"), "interrupts", NULL),
		"no virtual CPU interface for EL1 to use");
	(void)fdt_getprop(tree, fdt_path_offset(tree, "/timer"), "interrupts", &size);
	cr_assert_eq(size, 4 * 12);
	for (uint8_t el = 2; el <= 3; el++) {
		build_at(el);
		cr_assert_eq(cell("/intc@8000000", "interrupts", 0), 1, "PPI");
		cr_assert_eq(cell("/intc@8000000", "interrupts", 1), 9);
		cr_assert_eq(cell("/intc@8000000", "interrupts", 2), 4);
		cr_assert_eq(cell("/timer", "interrupts", 12), 1, "PPI");
		cr_assert_eq(cell("/timer", "interrupts", 13), 12, "EL2 virtual timer");
		cr_assert_eq(cell("/timer", "interrupts", 14), 4);
	}
}

Test(device_tree, el3_has_a_power_switch)
{
	static const char *const keys[2] = {"/gpio-poweroff", "/gpio-restart"};

	build_at(3);
	cr_assert_eq(fdt_node_check_compatible(tree, fdt_path_offset(tree, "/pl061@90b0000"),
					       "arm,pl061"),
		     0);
	cr_assert_eq(two_cells("/pl061@90b0000", "reg", 0), 0x090b0000);
	cr_assert_eq(two_cells("/pl061@90b0000", "reg", 2), 0x1000);
	cr_assert_eq(cell("/pl061@90b0000", "#gpio-cells", 0), 2);
	cr_assert_eq(cell("/pl061@90b0000", "interrupts", 1), 7);
	for (uint32_t i = 0; i < 2; i++) {
		cr_assert_str_eq(string(keys[i], "compatible"), keys[i] + 1);
		cr_assert_eq(cell(keys[i], "gpios", 0), cell("/pl061@90b0000", "phandle", 0));
		cr_assert_eq(cell(keys[i], "gpios", 1), i, "the line");
		cr_assert_eq(cell(keys[i], "gpios", 2), 0, "active high");
		cr_assert_str_eq(string(keys[i], "secure-status"), "okay");
	}
	build_at(2);
	cr_assert_not(has("/pl061@90b0000"));
	cr_assert_not(has("/gpio-poweroff"));
}

/* RULE("ISMLLS") */
Test(device_tree, spe_only_when_it_is_there)
{
	struct device_tree_config config = plain;

	build(&config);
	cr_assert_str_eq(string("/spe-pmu", "compatible"),
			 "arm,statistical-profiling-extension-v1");
	cr_assert_eq(cell("/spe-pmu", "interrupts", 0), 1, "PPI");
	cr_assert_eq(cell("/spe-pmu", "interrupts", 1), 5);
	cr_assert_eq(cell("/spe-pmu", "interrupts", 2), 4);
	config.device.choices.spe = false;
	build(&config);
	cr_assert_not(has("/spe-pmu"));
}

Test(device_tree, pmu_only_when_it_is_there)
{
	struct device_tree_config config = plain;

	build(&config);
	cr_assert_not(has("/pmu"));
	config.device.choices.pmu = PMU_V3P1;
	build(&config);
	cr_assert_str_eq(string("/pmu", "compatible"), "arm,armv8-pmuv3");
	cr_assert_eq(cell("/pmu", "interrupts", 0), 1, "PPI");
	cr_assert_eq(cell("/pmu", "interrupts", 1), 7);
	cr_assert_eq(cell("/pmu", "interrupts", 2), 4);
}

Test(device_tree, chosen)
{
	struct device_tree_config config = plain;
	int chosen;

	build(&config);
	chosen = fdt_path_offset(tree, "/chosen");
	cr_assert_null(fdt_getprop(tree, chosen, "bootargs", NULL));
	cr_assert_null(fdt_getprop(tree, chosen, "linux,initrd-start", NULL));
	config.device.choices.params = "a=b \"c\"";
	config.initrd_start = UINT64_C(0x140000000);
	config.initrd_end = config.initrd_start + 5;
	build(&config);
	cr_assert_str_eq(string("/chosen", "bootargs"), "a=b \"c\"");
	cr_assert_eq(two_cells("/chosen", "linux,initrd-start", 0), UINT64_C(0x140000000));
	cr_assert_eq(two_cells("/chosen", "linux,initrd-end", 0), UINT64_C(0x140000005));
}

Test(device_tree, all_cpus_fit_and_too_long_arguments_are_refused)
{
	static char arguments[0x10000];
	struct device_tree_config config = plain;

	config.device.choices.cpus = DEVICE_MAX_CPUS;
	build(&config);
	cr_assert(has("/cpus/cpu@30f"));
	memset(arguments, 'x', sizeof(arguments) - 1);
	config.device.choices.params = arguments;
	cr_assert_eq(device_tree_build(&config, tree, sizeof(tree)), -FDT_ERR_NOSPACE);
}
