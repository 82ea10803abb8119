/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt controller as a device: a GICv3 here, or the one of a concurrent engine, which may
 * be a GICv2. For the latter this file only has the node.
 */
#include "device/gic.h"
#include "arm/affinity.h"
#include "device/acpi.h"
#include "device/memory_map.h"
#include "device/tree.h"

/* The frames of a GICv2 (Arm IHI 0048, 4.1 and 4.1.4). */
#define GICV2_DIST_SIZE 0x1000
#define GICV2_CPU_SIZE	0x2000

static void gic_reset_cpu(struct device *device, unsigned int cpu, bool cold)
{
	struct gic *gic = (struct gic *)device;

	/* The redistributor is in another power domain than the CPU interfaces. */
	(void)cold;
	gic_interface_reset(&gic->cpu[cpu].iface);
	gic_virtual_reset(&gic->cpu[cpu].virt);
	gic_update(gic);
}

static void gic_reset(struct device *device)
{
	struct gic *gic = (struct gic *)device;

	gic->cpus = device->config->choices.cpus;
	for (unsigned int i = 0; i < gic->cpus; i++) {
		/* If the machine starts below EL3, firmware has already woken it. */
		gic->cpu[i].asleep = device->config->choices.levels.start == 3;
		for (unsigned int n = 0; n < 16; n++)
			gic->cpu[i].irq[n].edge = true;
		gic_reset_cpu(device, i, true);
	}
}

static bool gic_signalled(const struct device *device, unsigned int cpu)
{
	const struct gic *gic = (const struct gic *)device;

	return gic->cpu[cpu].output[DEVICE_FIQ] || gic->cpu[cpu].output[DEVICE_IRQ];
}

static void gic_irq_state(struct gic_irq *irq, struct state *state)
{
	STATE_FIELD(state, irq->enabled);
	STATE_FIELD(state, irq->latch);
	STATE_FIELD(state, irq->line);
	STATE_FIELD(state, irq->active);
	STATE_FIELD(state, irq->edge);
	STATE_FIELD(state, irq->group1);
	STATE_FIELD(state, irq->priority);
	STATE_UP_TO(state, irq->router, GIC_ROUTER_VALID);
	if (irq->priority & ~GIC_PRIORITY_MASK)
		state_refuse(state, "priority 0x%x", irq->priority);
}

static void gic_cpu_state(struct gic_cpu *cpu, struct state *state)
{
	for (unsigned int i = 0; i < GIC_PRIVATE; i++)
		gic_irq_state(&cpu->irq[i], state);
	STATE_FIELD(state, cpu->asleep);
	gic_interface_state(&cpu->iface, state);
	gic_virtual_state(&cpu->virt, state);
	STATE_ARRAY(state, cpu->output);
}

/* Loading does not report the outputs again. */
static void gic_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct gic *gic = (struct gic *)device;

	(void)cpu;
	STATE_ARRAY(state, gic->enable);
	for (unsigned int i = 0; i < GIC_SPIS; i++)
		gic_irq_state(&gic->spi[i], state);
	for (unsigned int i = 0; i < device->config->choices.cpus; i++)
		gic_cpu_state(&gic->cpu[i], state);
}

static void gic_node_v2(struct tree *tree)
{
	tree_string(tree, "compatible", "arm,cortex-a15-gic");
	tree_flag(tree, "interrupt-controller");
	tree_cells(tree, "#interrupt-cells", 3);
	tree_cells(tree, "#address-cells", 2);
	tree_cells(tree, "#size-cells", 2);
	tree_flag(tree, "ranges");
	tree_cells(tree, "reg", TREE_TWO_CELLS(MAP_GIC_DIST), TREE_TWO_CELLS(GICV2_DIST_SIZE),
		   TREE_TWO_CELLS(MAP_GIC_CPU), TREE_TWO_CELLS(GICV2_CPU_SIZE));
}

static void gic_node_v3(struct tree *tree, const struct device_config *config)
{
	tree_string(tree, "compatible", "arm,gic-v3");
	tree_flag(tree, "interrupt-controller");
	tree_cells(tree, "#interrupt-cells", 3);
	tree_cells(tree, "#address-cells", 2);
	tree_cells(tree, "#size-cells", 2);
	tree_flag(tree, "ranges");
	tree_cells(tree, "#redistributor-regions", 1);
	tree_cells(tree, "reg", TREE_TWO_CELLS(MAP_GIC_DIST), TREE_TWO_CELLS(GIC_DIST_SIZE),
		   TREE_TWO_CELLS(MAP_GIC_REDIST),
		   TREE_TWO_CELLS(config->choices.cpus * GIC_REDIST_STRIDE));
	/* Only a hypervisor uses its virtual CPU interface. */
	if (config->choices.levels.start >= 2)
		tree_cells(tree, "interrupts", TREE_PPI(GIC_MAINTENANCE_INTID, 0));
}

static void gic_node(struct tree *tree, const struct device_config *config)
{
	tree_begin(tree, "intc@%llx", (unsigned long long)MAP_GIC_DIST);
	if (config->choices.gic == ENGINE_GIC_V2)
		gic_node_v2(tree);
	else
		gic_node_v3(tree, config);
	tree_cells(tree, "phandle", TREE_INTC);
	tree_end(tree);
}

#define GICC	  0x0b
#define GICC_USED 1u
#define GICD	  0x0c
#define GICD_SIZE 24
#define GICR	  0x0e
#define GICR_SIZE 16

/* Each device fills in its own interrupts of a PE. */
static void gic_gicc(struct acpi *acpi, const struct device_config *config, unsigned int cpu)
{
	const size_t at = acpi->size;

	acpi_u8(acpi, GICC);
	acpi_u8(acpi, ACPI_GICC);
	acpi_u16(acpi, 0);
	acpi_u32(acpi, cpu);
	acpi_u32(acpi, cpu); /* its _UID */
	acpi_u32(acpi, GICC_USED);
	acpi_zeros(acpi, 40); /* no parking, and no memory-mapped part */
	acpi_u32(acpi, config->choices.levels.start >= 2 ? GIC_MAINTENANCE_INTID : 0);
	acpi_u64(acpi, 0); /* GICR structures tell */
	acpi_u64(acpi, arm_affinity(cpu));
	acpi_u32(acpi, 0); /* efficiency, SPE */
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		if (device_types[i]->gicc && device_exists(device_types[i], config))
			device_types[i]->gicc(acpi, at);
}

/* The MADT (ACPI 6.3, 5.2.12) of a GICv3. */
static void gic_madt(struct acpi *acpi, const struct device_config *config)
{
	acpi_u32(acpi, 0); /* no local interrupt controller in memory */
	acpi_u32(acpi, 0);
	acpi_u8(acpi, GICD);
	acpi_u8(acpi, GICD_SIZE);
	acpi_u16(acpi, 0);
	acpi_u32(acpi, 0); /* its number */
	acpi_u64(acpi, MAP_GIC_DIST);
	acpi_u32(acpi, 0);
	acpi_u32(acpi, 3); /* the architecture's version */
	for (unsigned int i = 0; i < config->choices.cpus; i++)
		gic_gicc(acpi, config, i);
	acpi_u8(acpi, GICR);
	acpi_u8(acpi, GICR_SIZE);
	acpi_u16(acpi, 0);
	acpi_u64(acpi, MAP_GIC_REDIST);
	acpi_u32(acpi, (uint32_t)(config->choices.cpus * GIC_REDIST_STRIDE));
}

static const struct device_controller gic_controller = {
	.set_line = gic_set_line,
	.signalled = gic_signalled,
};

const struct device_type device_gic = {
	.name = "gic",
	.size = sizeof(struct gic),
	.of_engine = true,
	.windows = {{MAP_GIC_DIST, GIC_DIST_SIZE, false, gic_dist_read, gic_dist_write},
		    {MAP_GIC_REDIST, GIC_REDIST_STRIDE, true, gic_redist_read, gic_redist_write}},
	.interrupts = {GIC_MAINTENANCE_INTID},
	.sysregs = {DEVICE_SYSREG(ICC_PMR),
		    {DEVICE_CRN_MASK | DEVICE_CRM_HIGH, SYSREG_ENCODING(0, 0, 12, 8, 0)}},
	.sysreg_read = gic_sysreg_read,
	.sysreg_write = gic_sysreg_write,
	.reset = gic_reset,
	.reset_cpu = gic_reset_cpu,
	.section = "GIC ",
	.part = "GIC",
	.state = gic_state,
	.node = gic_node,
	.table = {"APIC", 5, gic_madt},
	.controller = &gic_controller,
};
