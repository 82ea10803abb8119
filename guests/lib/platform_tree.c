/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device tree says of the machine, by Linux' bindings: see platform.h.
 */
#include "boot.h"
#include "fdt.h"
#include "platform.h"
#include "string.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct uart_row {
	char compatible[20];
	enum uart_kind kind;
	uint32_t io_width; /* unless reg-io-width is there, in bytes */
} uarts[] = {
	{"arm,pl011", UART_PL011, 4},
	{"arm,sbsa-uart", UART_SBSA, 4},
	{"ns16550a", UART_8250, 1},
	{"snps,dw-apb-uart", UART_8250, 1},
};

static const struct uart_row *uart_row(const struct fdt_node *node)
{
	for (size_t i = 0; i < COUNT(uarts); i++)
		if (fdt_is_compatible(node, uarts[i].compatible))
			return &uarts[i];
	return NULL;
}

/* The one that /chosen/stdout-path names, or the first one in the order of the rows. */
static const struct uart_row *find_uart(struct fdt_node *node)
{
	const struct uart_row *row;
	const char *path = NULL;

	if (fdt_find_path(node, "/chosen"))
		path = fdt_string(node, "stdout-path");
	if (path && fdt_find_path(node, path) && (row = uart_row(node)))
		return row;
	for (size_t i = 0; i < COUNT(uarts); i++) {
		node->name = NULL;
		if (fdt_next_compatible(node, uarts[i].compatible))
			return uart_row(node);
	}
	return NULL;
}

static bool tree_uart(struct platform_uart *uart)
{
	struct fdt_node node = {0};
	const struct uart_row *row = find_uart(&node);

	if (!row)
		return false;
	*uart = (struct platform_uart){.kind = row->kind, .io_width = row->io_width};
	fdt_cell(&node, "reg-shift", 0, &uart->shift);
	fdt_cell(&node, "reg-io-width", 0, &uart->io_width);
	return uart->shift <= 3 && fdt_reg(&node, 0, &uart->base, &uart->size);
}

static const char *tree_psci(void)
{
	static const char *const compatible[] = {"arm,psci-1.0", "arm,psci-0.2"};

	for (size_t i = 0; i < COUNT(compatible); i++) {
		struct fdt_node node = {0};

		if (fdt_next_compatible(&node, compatible[i]))
			return fdt_string(&node, "method");
	}
	return NULL;
}

static bool gic_v2(struct platform_gic *gic)
{
	static const char *const compatible[] = {"arm,cortex-a15-gic", "arm,gic-400"};

	for (size_t i = 0; i < COUNT(compatible); i++) {
		struct fdt_node node = {0};

		gic->version = 2;
		if (fdt_next_compatible(&node, compatible[i]))
			return fdt_reg(&node, 0, &gic->base, &gic->size) &&
			       fdt_reg(&node, 1, &gic->cpu_base, &gic->cpu_size);
	}
	return false;
}

static bool tree_gic(struct platform_gic *gic)
{
	struct fdt_node node = {0};
	uint32_t regions = 1;

	if (gic_v2(gic))
		return true;
	gic->version = 3;
	if (!fdt_next_compatible(&node, "arm,gic-v3") || !fdt_reg(&node, 0, &gic->base, &gic->size))
		return false;
	fdt_cell(&node, "#redistributor-regions", 0, &regions);
	while (gic->regions < regions && gic->regions < PLATFORM_REGIONS &&
	       fdt_reg(&node, gic->regions + 1, &gic->region[gic->regions].base,
		       &gic->region[gic->regions].size))
		gic->regions++;
	return gic->regions > 0;
}

struct range {
	uint64_t base, size;
};

/* What is left of RAM around pa without a part that is reserved; all, if pa is in that. */
static void leave_out(struct range *ram, uint64_t pa, const struct range *part)
{
	const uint64_t part_end = part->base + part->size, end = ram->base + ram->size;

	if (part->size == 0 || part_end <= ram->base || part->base >= end)
		return;
	if (part->base > pa) {
		ram->size = part->base - ram->base;
	} else if (part_end <= pa) {
		ram->base = part_end;
		ram->size = end - part_end;
	}
}

/* Firmware's own, of EL3 perhaps, which answers to nobody here. */
static void leave_out_reserved(struct range *ram, uint64_t pa)
{
	struct fdt_node node = {0};
	struct range part;

	for (unsigned int i = 0; fdt_reserved(i, &part.base, &part.size); i++)
		leave_out(ram, pa, &part);
	while (fdt_next_child(&node, "reserved-memory"))
		for (unsigned int i = 0; fdt_reg(&node, i, &part.base, &part.size); i++)
			leave_out(ram, pa, &part);
}

static bool tree_memory(uint64_t pa, uint64_t *base, uint64_t *size)
{
	struct fdt_node node = {0};
	struct range ram;

	while (fdt_next_type(&node, "memory"))
		for (unsigned int i = 0; fdt_reg(&node, i, &ram.base, &ram.size); i++)
			if (pa >= ram.base && pa - ram.base < ram.size) {
				leave_out_reserved(&ram, pa);
				*base = ram.base;
				*size = ram.size;
				return true;
			}
	return false;
}

static uint32_t tree_interrupt(enum platform_interrupt which, uint64_t mpidr)
{
	static const struct {
		char compatible[40];
		unsigned int number; /* of the node's interrupts */
	} rows[] = {
		[PLATFORM_TIMER_SECURE] = {"arm,armv8-timer", 0},
		[PLATFORM_TIMER_PHYSICAL] = {"arm,armv8-timer", 1},
		[PLATFORM_TIMER_VIRTUAL] = {"arm,armv8-timer", 2},
		[PLATFORM_TIMER_HYP] = {"arm,armv8-timer", 3},
		[PLATFORM_TIMER_HYP_VIRTUAL] = {"arm,armv8-timer", 4},
		[PLATFORM_SPE] = {"arm,statistical-profiling-extension-v1", 0},
		[PLATFORM_PMU] = {"arm,armv8-pmuv3", 0},
		[PLATFORM_MAINTENANCE] = {"arm,gic-v3", 0},
	};
	struct fdt_node node = {0};
	uint32_t intid;

	(void)mpidr; /* a node has one number for all */
	return fdt_next_compatible(&node, rows[which].compatible) &&
			       fdt_interrupt(&node, rows[which].number, &intid)
		       ? intid
		       : 0;
}

/* Asked in a row, each goes on from the one before. */
static bool tree_cpu(unsigned int n, uint64_t *mpidr)
{
	static struct fdt_node node;
	static unsigned int next; /* whose node is the one after it */
	uint64_t size;

	if (n < next) {
		node = (struct fdt_node){0};
		next = 0;
	}
	for (; next <= n; next++)
		if (!fdt_next_type(&node, "cpu")) {
			node = (struct fdt_node){0};
			next = 0;
			return false;
		}
	return fdt_reg(&node, 0, mpidr, &size);
}

static const char *tree_arguments(void)
{
	struct fdt_node chosen;

	return fdt_find_path(&chosen, "/chosen") ? fdt_string(&chosen, "bootargs") : NULL;
}

static const struct platform_source tree = {
	.name = "device tree",
	.uart = tree_uart,
	.psci = tree_psci,
	.gic = tree_gic,
	.memory = tree_memory,
	.interrupt = tree_interrupt,
	.cpu = tree_cpu,
	.arguments = tree_arguments,
};

/*
 * A tree without CPUs describes no machine: a boot loader has made it on a machine with ACPI, to
 * hand over its own /chosen.
 */
const struct platform_source *platform_tree(uint64_t pa)
{
	struct fdt_node cpus;
	uint64_t size;

	if (pa == 0 || pa & 7)
		return NULL;
	size = fdt_check(rodata_map(pa, FDT_HEADER_SIZE));
	return size && fdt_open(rodata_map(pa, size)) && fdt_find_path(&cpus, "/cpus") ? &tree
										       : NULL;
}
