/* SPDX-License-Identifier: BSD-2-Clause */
/* guests/lib/platform_tree.c: what the guests find in device trees of boards. */
#include <libfdt.h>

#include "../compare.h"
#include "memory.h"

#define PA    UINT64_C(0x48000000)
#define IMAGE UINT64_C(0x40400000)

static char tree[16384];

static void begin_tree(void)
{
	cr_assert_eq(fdt_create(tree, sizeof(tree)), 0);
}

static void begin_root(void)
{
	cr_assert_eq(fdt_finish_reservemap(tree), 0);
	cr_assert_eq(fdt_begin_node(tree, ""), 0);
	fdt_property_u32(tree, "#address-cells", 2);
	fdt_property_u32(tree, "#size-cells", 2);
	fdt_property_u32(tree, "interrupt-parent", 1);
}

static void regions(const uint64_t *numbers, size_t count)
{
	fdt64_t cells[16];

	for (size_t i = 0; i < count; i++)
		cells[i] = cpu_to_fdt64(numbers[i]);
	fdt_property(tree, "reg", cells, (int)(count * sizeof(cells[0])));
}
#define REGIONS(...) regions((const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

static void node(const char *name, const char *compatible)
{
	fdt_begin_node(tree, name);
	if (compatible)
		fdt_property_string(tree, "compatible", compatible);
}

static void cpu(const char *name, uint32_t mpidr)
{
	fdt_begin_node(tree, name);
	fdt_property_string(tree, "device_type", "cpu");
	fdt_property_u32(tree, "reg", mpidr);
	fdt_end_node(tree);
}

static void cpus(void)
{
	fdt_begin_node(tree, "cpus");
	fdt_property_u32(tree, "#address-cells", 1);
	fdt_property_u32(tree, "#size-cells", 0);
	fdt_begin_node(tree, "cpu-map");
	fdt_end_node(tree);
	cpu("cpu@0", 0);
	cpu("cpu@100", 0x100);
	cpu("cpu@20300", 0x20300);
	fdt_end_node(tree);
}

static void memory(void)
{
	node("memory@40000000", NULL);
	fdt_property_string(tree, "device_type", "memory");
	REGIONS(0x40000000, 0x10000000, 0x880000000, 0x80000000);
	fdt_end_node(tree);
}

static const struct platform_source *end_tree(void)
{
	cr_assert_eq(fdt_end_node(tree), 0);
	cr_assert_eq(fdt_finish(tree), 0);
	guest_memory = (const uint8_t *)tree;
	guest_memory_pa = PA;
	guest_memory_size = sizeof(tree);
	return platform_tree(PA);
}

TestSuite(platform_tree, .init = begin_tree, .fini = guest_memory_free);

Test(platform_tree, cpus_by_affinity)
{
	static const uint64_t mpidrs[] = {0, 0x100, 0x20300};
	const struct platform_source *source;
	uint64_t mpidr;

	begin_root();
	cpus();
	source = end_tree();
	cr_assert(source);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 3; i++) {
			cr_assert(source->cpu(i, &mpidr), "CPU %u", i);
			cr_expect_eq(mpidr, mpidrs[i], "CPU %u", i);
		}
		cr_expect_not(source->cpu(3, &mpidr));
		cr_expect_not(source->cpu(9, &mpidr));
	}
	cr_assert(source->cpu(2, &mpidr));
	cr_expect_eq(mpidr, 0x20300);
	cr_assert(source->cpu(1, &mpidr));
	cr_expect_eq(mpidr, 0x100);
}

/* As GRUB makes one on a machine that has ACPI tables. */
Test(platform_tree, of_a_boot_loader)
{
	begin_root();
	node("chosen", NULL);
	fdt_property_string(tree, "bootargs", "iterations=2");
	fdt_end_node(tree);
	cr_expect_null(end_tree());
	cr_expect_null(platform_tree(0));
	cr_expect_null(platform_tree(PA + 4));
	cr_expect_null(platform_tree(PA + 8));
}

Test(platform_tree, redistributors_in_regions)
{
	struct platform_gic gic = {0};

	begin_root();
	cpus();
	node("interrupt-controller@8000000", "arm,gic-v3");
	fdt_property_u32(tree, "phandle", 1);
	fdt_property_u32(tree, "#interrupt-cells", 3);
	fdt_property_u32(tree, "#redistributor-regions", 2);
	REGIONS(0x8000000, 0x10000, 0x8100000, 0x40000, 0x9100000, 0x40000, 0x2c000000, 0x2000);
	fdt_end_node(tree);
	cr_assert(end_tree()->gic(&gic));
	cr_expect_eq(gic.version, 3);
	cr_expect_eq(gic.base, 0x8000000);
	cr_expect_eq(gic.regions, 2);
	cr_expect_eq(gic.region[0].base, 0x8100000);
	cr_expect_eq(gic.region[1].base, 0x9100000);
}

static void expect_memory(uint64_t pa, uint64_t base, uint64_t end)
{
	uint64_t found = 0, size = 0;

	cr_assert(platform_tree(PA)->memory(pa, &found, &size));
	cr_expect_eq(found, base, "0x%llx to 0x%llx", (unsigned long long)found,
		     (unsigned long long)(found + size));
	cr_expect_eq(found + size, end, "0x%llx to 0x%llx", (unsigned long long)found,
		     (unsigned long long)(found + size));
}

Test(platform_tree, memory_around_the_image)
{
	uint64_t base, size;

	begin_root();
	cpus();
	memory();
	cr_assert(end_tree());
	expect_memory(IMAGE, 0x40000000, 0x50000000);
	expect_memory(0x880200000, 0x880000000, 0x900000000);
	cr_expect_not(platform_tree(PA)->memory(0x50000000, &base, &size));
}

/* Whatever says so: the block in front of the tree, or a node. What has the image itself is its
 * loader's. */
Test(platform_tree, memory_that_is_reserved)
{
	fdt_add_reservemap_entry(tree, 0x4f000000, 0x1000);
	fdt_add_reservemap_entry(tree, 0x40000000, 0x80000);
	fdt_add_reservemap_entry(tree, IMAGE, 0x200000);
	begin_root();
	cpus();
	memory();
	node("reserved-memory", NULL);
	fdt_property_u32(tree, "#address-cells", 2);
	fdt_property_u32(tree, "#size-cells", 2);
	node("secure@4e000000", NULL);
	REGIONS(0x4e000000, 0x100000);
	fdt_end_node(tree);
	node("low@40100000", NULL);
	REGIONS(0x40100000, 0x40000, 0x60000000, 0x1000);
	fdt_end_node(tree);
	node("pool", "shared-dma-pool"); /* where it likes */
	fdt_end_node(tree);
	fdt_end_node(tree);
	cr_assert(end_tree());
	expect_memory(IMAGE, 0x40140000, 0x4e000000);
	expect_memory(0x880200000, 0x880000000, 0x900000000);
}

Test(platform_tree, kinds_of_ports)
{
	struct platform_uart uart;

	begin_root();
	cpus();
	node("chosen", NULL);
	fdt_property_string(tree, "stdout-path", "/serial@a0000000:115200n8");
	fdt_end_node(tree);
	node("serial@90000000", "arm,pl011");
	REGIONS(0x90000000, 0x1000);
	fdt_end_node(tree);
	node("serial@a0000000", "snps,dw-apb-uart");
	fdt_property_u32(tree, "reg-shift", 2);
	fdt_property_u32(tree, "reg-io-width", 4);
	REGIONS(0xa0000000, 0x100);
	fdt_end_node(tree);
	cr_assert(end_tree()->uart(&uart));
	cr_expect_eq(uart.kind, UART_8250);
	cr_expect_eq(uart.base, 0xa0000000);
	cr_expect_eq(uart.shift, 2);
	cr_expect_eq(uart.io_width, 4);
}
