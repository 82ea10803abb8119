// SPDX-License-Identifier: BSD-2-Clause
/* The device tree: see device_tree.h. It is written in the order in which it reads. */
#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>

#include "machine/device_tree.h"
#include "device/gic.h"
#include "machine/memory_map.h"
#include "device/pl061.h"
#include "device/timer.h"

/* Phandles. */
#define TREE_INTC  1
#define TREE_CLOCK 2
#define TREE_GPIO  3

/* Cells of an interrupt: kind, number within the kind, flags. */
#define TREE_SPI	0
#define TREE_PPI	1
#define TREE_LEVEL_HIGH 4

#define UART_CLOCK_HZ 24000000

/* The frames of a GICv2 (Arm IHI 0048, 4.1 and 4.1.4). */
#define GICV2_DIST_SIZE 0x1000
#define GICV2_CPU_SIZE	0x2000

/* A tree being written; after the first error nothing more happens. */
struct tree {
	void *buffer;
	int error;
};

static void tree_check(struct tree *tree, int error)
{
	if (!tree->error)
		tree->error = error;
}

static void tree_begin(struct tree *tree, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tree_begin(struct tree *tree, const char *format, ...)
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

static void tree_end(struct tree *tree)
{
	if (!tree->error)
		tree_check(tree, fdt_end_node(tree->buffer));
}

static void tree_flag(struct tree *tree, const char *name)
{
	if (!tree->error)
		tree_check(tree, fdt_property(tree->buffer, name, NULL, 0));
}

static void tree_string(struct tree *tree, const char *name, const char *value)
{
	if (!tree->error)
		tree_check(tree, fdt_property_string(tree->buffer, name, value));
}

/* A list of strings: value holds them one after the other, each with its NUL. */
static void tree_strings(struct tree *tree, const char *name, const char *value, size_t size)
{
	if (!tree->error)
		tree_check(tree, fdt_property(tree->buffer, name, value, (int)size));
}

#define tree_list(tree, name, value) tree_strings(tree, name, value, sizeof(value))

static void tree_u64(struct tree *tree, const char *name, uint64_t value)
{
	if (!tree->error)
		tree_check(tree, fdt_property_u64(tree->buffer, name, value));
}

static void tree_cells_of(struct tree *tree, const char *name, const uint32_t *cells, size_t count)
{
	fdt32_t data[16];

	for (size_t i = 0; i < count; i++)
		data[i] = cpu_to_fdt32(cells[i]);
	if (!tree->error)
		tree_check(tree,
			   fdt_property(tree->buffer, name, data, (int)(count * sizeof(data[0]))));
}

#define tree_cells(tree, name, ...)                                \
	tree_cells_of(tree, name, (const uint32_t[]){__VA_ARGS__}, \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* An address or a size of two cells. */
#define TWO_CELLS(value) (uint32_t)((uint64_t)(value) >> 32), (uint32_t)(value)

#define PPI(intid, mask) TREE_PPI, (intid)-16, TREE_LEVEL_HIGH | (mask)
#define SPI(intid)	 TREE_SPI, (intid)-32, TREE_LEVEL_HIGH

static void tree_chosen(struct tree *tree, const struct device_tree_config *config)
{
	tree_begin(tree, "chosen");
	if (config->bootargs)
		tree_string(tree, "bootargs", config->bootargs);
	tree_string(tree, "stdout-path", "/pl011@9000000");
	if (config->initrd_end > config->initrd_start) {
		tree_u64(tree, "linux,initrd-start", config->initrd_start);
		tree_u64(tree, "linux,initrd-end", config->initrd_end);
	}
	tree_end(tree);
}

/* How the guest calls the machine: NULL where EL3, which would answer, is the guest's own. */
static const char *tree_psci_method(const struct engine_levels *levels)
{
	switch (levels->start) {
	case 3: return NULL;
	case 2: return "smc";
	default: return "hvc";
	}
}

static void tree_cpus(struct tree *tree, const struct device_tree_config *config, bool psci)
{
	tree_begin(tree, "cpus");
	tree_cells(tree, "#address-cells", 1);
	tree_cells(tree, "#size-cells", 0);
	for (unsigned int i = 0; i < config->cpus; i++) {
		const unsigned int cluster = config->cluster ? config->cluster : config->cpus;
		const unsigned int mpidr = i / cluster << 8 | i % cluster;

		tree_begin(tree, "cpu@%x", mpidr);
		tree_string(tree, "device_type", "cpu");
		tree_string(tree, "compatible", "arm,armv8");
		if (psci)
			tree_string(tree, "enable-method", "psci");
		tree_cells(tree, "reg", mpidr);
		tree_end(tree);
	}
	tree_end(tree);
}

static void tree_psci(struct tree *tree, const char *method)
{
	tree_begin(tree, "psci");
	tree_list(tree, "compatible", "arm,psci-1.0\0arm,psci-0.2");
	tree_string(tree, "method", method);
	tree_end(tree);
}

/*
 * The binding orders the interrupts: secure physical, physical, virtual, hypervisor physical and,
 * with FEAT_VHE, hypervisor virtual.
 */
static void tree_timer(struct tree *tree, bool hypervisor, uint32_t mask)
{
	const uint32_t interrupts[] = {
		PPI(timer_intid(TIMER_SECURE), mask), PPI(timer_intid(TIMER_PHYSICAL), mask),
		PPI(timer_intid(TIMER_VIRTUAL), mask), PPI(timer_intid(TIMER_HYP_PHYSICAL), mask),
		PPI(timer_intid(TIMER_HYP_VIRTUAL), mask)};

	tree_begin(tree, "timer");
	tree_string(tree, "compatible", "arm,armv8-timer");
	tree_flag(tree, "always-on");
	tree_cells_of(tree, "interrupts", interrupts, hypervisor ? 15 : 12);
	tree_end(tree);
}

/* Bits 15:8 of a PPI's flags say which CPU interfaces of a GICv2 have it (arm,gic.yaml). */
static uint32_t tree_ppi_mask(const struct device_tree_config *config)
{
	return config->gic == ENGINE_GIC_V2 ? ((UINT32_C(1) << config->cpus) - 1) << 8 : 0;
}

static void tree_gicv2(struct tree *tree)
{
	tree_begin(tree, "intc@%llx", (unsigned long long)MAP_GIC_DIST);
	tree_string(tree, "compatible", "arm,cortex-a15-gic");
	tree_flag(tree, "interrupt-controller");
	tree_cells(tree, "#interrupt-cells", 3);
	tree_cells(tree, "#address-cells", 2);
	tree_cells(tree, "#size-cells", 2);
	tree_flag(tree, "ranges");
	tree_cells(tree, "reg", TWO_CELLS(MAP_GIC_DIST), TWO_CELLS(GICV2_DIST_SIZE),
		   TWO_CELLS(MAP_GIC_CPU), TWO_CELLS(GICV2_CPU_SIZE));
	tree_cells(tree, "phandle", TREE_INTC);
	tree_end(tree);
}

static void tree_gicv3(struct tree *tree, unsigned int cpus, bool hypervisor)
{
	tree_begin(tree, "intc@%llx", (unsigned long long)MAP_GIC_DIST);
	tree_string(tree, "compatible", "arm,gic-v3");
	tree_flag(tree, "interrupt-controller");
	tree_cells(tree, "#interrupt-cells", 3);
	tree_cells(tree, "#address-cells", 2);
	tree_cells(tree, "#size-cells", 2);
	tree_flag(tree, "ranges");
	tree_cells(tree, "#redistributor-regions", 1);
	tree_cells(tree, "reg", TWO_CELLS(MAP_GIC_DIST), TWO_CELLS(GIC_DIST_SIZE),
		   TWO_CELLS(MAP_GIC_REDIST), TWO_CELLS(cpus * GIC_REDIST_STRIDE));
	if (hypervisor)
		tree_cells(tree, "interrupts", PPI(GIC_MAINTENANCE_INTID, 0));
	tree_cells(tree, "phandle", TREE_INTC);
	tree_end(tree);
}

static void tree_uart(struct tree *tree)
{
	tree_begin(tree, "apb-pclk");
	tree_string(tree, "compatible", "fixed-clock");
	tree_cells(tree, "#clock-cells", 0);
	tree_cells(tree, "clock-frequency", UART_CLOCK_HZ);
	tree_string(tree, "clock-output-names", "clk24mhz");
	tree_cells(tree, "phandle", TREE_CLOCK);
	tree_end(tree);

	tree_begin(tree, "pl011@%llx", (unsigned long long)MAP_UART);
	tree_list(tree, "compatible", "arm,pl011\0arm,primecell");
	tree_cells(tree, "reg", TWO_CELLS(MAP_UART), TWO_CELLS(0x1000));
	tree_cells(tree, "interrupts", SPI(MAP_UART_INTID));
	tree_cells(tree, "clocks", TREE_CLOCK, TREE_CLOCK);
	tree_list(tree, "clock-names", "uartclk\0apb_pclk");
	tree_end(tree);
}

/*
 * The power switch of a guest that starts at EL3, with the status that QEMU's "virt" board gives
 * it: firmware's, not that of what it starts.
 */
static void tree_gpio(struct tree *tree)
{
	static const struct {
		const char *node;
		uint32_t line;
	} keys[] = {{"gpio-poweroff", PL061_LINE_POWER_OFF}, {"gpio-restart", PL061_LINE_RESTART}};

	tree_begin(tree, "pl061@%llx", (unsigned long long)MAP_GPIO);
	tree_list(tree, "compatible", "arm,pl061\0arm,primecell");
	tree_cells(tree, "reg", TWO_CELLS(MAP_GPIO), TWO_CELLS(PL061_SIZE));
	tree_flag(tree, "gpio-controller");
	tree_cells(tree, "#gpio-cells", 2);
	tree_cells(tree, "interrupts", SPI(MAP_GPIO_INTID));
	tree_cells(tree, "clocks", TREE_CLOCK);
	tree_string(tree, "clock-names", "apb_pclk");
	tree_string(tree, "status", "disabled");
	tree_string(tree, "secure-status", "okay");
	tree_cells(tree, "phandle", TREE_GPIO);
	tree_end(tree);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		tree_begin(tree, "%s", keys[i].node);
		tree_string(tree, "compatible", keys[i].node);
		tree_cells(tree, "gpios", TREE_GPIO, keys[i].line, 0);
		tree_string(tree, "status", "disabled");
		tree_string(tree, "secure-status", "okay");
		tree_end(tree);
	}
}

static void tree_root(struct tree *tree, const struct device_tree_config *config)
{
	const char *method = tree_psci_method(&config->levels);
	bool hypervisor = config->levels.start >= 2;

	tree_begin(tree, "%s", "");
	tree_string(tree, "model", "vspe");
	tree_string(tree, "compatible", "linux,dummy-virt");
	tree_cells(tree, "#address-cells", 2);
	tree_cells(tree, "#size-cells", 2);
	tree_cells(tree, "interrupt-parent", TREE_INTC);

	tree_chosen(tree, config);

	tree_begin(tree, "memory@%llx", (unsigned long long)MAP_RAM);
	tree_string(tree, "device_type", "memory");
	tree_cells(tree, "reg", TWO_CELLS(MAP_RAM), TWO_CELLS(config->ram_size));
	tree_end(tree);

	tree_cpus(tree, config, method != NULL);
	if (method)
		tree_psci(tree, method);
	tree_timer(tree, hypervisor, tree_ppi_mask(config));
	if (config->gic == ENGINE_GIC_V2)
		tree_gicv2(tree);
	else
		tree_gicv3(tree, config->cpus, hypervisor);
	tree_uart(tree);
	if (config->levels.start == 3)
		tree_gpio(tree);

	if (config->spe) {
		tree_begin(tree, "spe-pmu");
		tree_string(tree, "compatible", "arm,statistical-profiling-extension-v1");
		tree_cells(tree, "interrupts", PPI(MAP_SPE_INTID, tree_ppi_mask(config)));
		tree_end(tree);
	}
	tree_end(tree);
}

int device_tree_build(const struct device_tree_config *config, void *buffer, size_t size)
{
	struct tree tree = {.buffer = buffer};

	tree_check(&tree, fdt_create(buffer, (int)size));
	if (!tree.error)
		tree_check(&tree, fdt_finish_reservemap(buffer));
	tree_root(&tree, config);
	if (!tree.error)
		tree_check(&tree, fdt_finish(buffer));
	return tree.error ? tree.error : (int)fdt_totalsize(buffer);
}
