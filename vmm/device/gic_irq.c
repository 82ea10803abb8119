/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3: the state of interrupts and which of them is signalled (IHI 0069, chapter 4). The
 * registers are in gic_mmio.c and gic_sysreg.c, and gic.c makes a device of all parts.
 */
#include "arm/affinity.h"
#include "base/assertion.h"
#include "device/gic.h"

#define GICD_IROUTER_IRM (UINT64_C(1) << 31)

bool gic_pending(const struct gic_irq *irq)
{
	return irq->latch || (!irq->edge && irq->line);
}

static enum gic_group gic_group_of(const struct gic_irq *irq)
{
	return irq->group1 ? GIC_GROUP1 : GIC_GROUP0;
}

/*
 * With IROUTER.IRM set any participating PE may be chosen: it is the first that takes the group.
 * Otherwise the affinity names one.
 */
int gic_spi_target(const struct gic *gic, const struct gic_irq *irq)
{
	if (irq->router & GICD_IROUTER_IRM) {
		for (unsigned int i = 0; i < gic->cpus; i++)
			if (!gic->cpu[i].asleep && gic->cpu[i].iface.enable[gic_group_of(irq)])
				return (int)i;
		return -1;
	}
	return arm_affinity_index(irq->router & ARM_AFFINITY_MASK, gic->cpus);
}

/*
 * Lower values are higher priorities. Among equals the lowest INTID wins; 4.8.2 leaves the choice
 * open. An interrupt of a group that ICC_IGRPENn_EL1 disables does not count, so it hides none of
 * the other group; 4.7.2 leaves that open for interrupts that target one PE.
 */
unsigned int gic_highest_pending(const struct gic *gic, unsigned int cpu)
{
	unsigned int best = GIC_SPURIOUS;
	unsigned int best_priority = 0x100;

	if (gic->cpu[cpu].asleep)
		return GIC_SPURIOUS;
	for (unsigned int intid = 0; intid < GIC_INTIDS; intid++) {
		const struct gic_irq *irq = intid < GIC_PRIVATE ? &gic->cpu[cpu].irq[intid]
								: &gic->spi[intid - GIC_PRIVATE];

		if (!irq->enabled || irq->active || irq->priority >= best_priority ||
		    !gic_pending(irq) || !gic->enable[gic_group_of(irq)] ||
		    !gic->cpu[cpu].iface.enable[gic_group_of(irq)])
			continue;
		if (intid >= GIC_PRIVATE && gic_spi_target(gic, irq) != (int)cpu)
			continue;
		best = intid;
		best_priority = irq->priority;
	}
	return best;
}

bool gic_can_signal(const struct gic *gic, unsigned int cpu, unsigned int intid)
{
	const struct gic_irq *irq;

	if (intid >= GIC_INTIDS)
		return false;
	irq = intid < GIC_PRIVATE ? &gic->cpu[cpu].irq[intid] : &gic->spi[intid - GIC_PRIVATE];
	return gic_preempts(&gic->cpu[cpu].iface, gic_group_of(irq), irq->priority);
}

/* Set an input's level. An edge is remembered. */
static void gic_drive(struct gic_irq *irq, bool level)
{
	if (irq->edge && level && !irq->line)
		irq->latch = true;
	irq->line = level;
}

void gic_update(struct gic *gic)
{
	const struct device_host *host = gic->device.host;

	for (unsigned int i = 0; i < gic->cpus; i++) {
		struct gic_cpu *cpu = &gic->cpu[i];
		bool level[DEVICE_INPUTS] = {
			[DEVICE_VFIQ] = gic_virtual_signals(&cpu->virt, GIC_GROUP0),
			[DEVICE_VIRQ] = gic_virtual_signals(&cpu->virt, GIC_GROUP1),
		};
		unsigned int intid;

		gic_drive(&cpu->irq[GIC_MAINTENANCE_INTID], gic_virtual_maintenance(&cpu->virt));
		intid = gic_highest_pending(gic, i);
		vspe_assert_of(intid < GIC_INTIDS || intid == GIC_SPURIOUS, intid, i);
		if (gic_can_signal(gic, i, intid))
			level[gic_irq(gic, i, intid)->group1 ? DEVICE_IRQ : DEVICE_FIQ] = true;
		for (unsigned int output = 0; output < DEVICE_INPUTS; output++) {
			if (cpu->output[output] == level[output])
				continue;
			cpu->output[output] = level[output];
			host->set_input(host->ctx, i, (enum device_input)output, level[output]);
		}
	}
}

void gic_set_line(struct device *device, unsigned int cpu, unsigned int intid, bool level)
{
	struct gic *gic = (struct gic *)device;
	struct gic_irq *irq = gic_irq(gic, cpu, intid);

	if (!irq || intid < 16 || irq->line == level)
		return;
	gic_drive(irq, level);
	gic_update(gic);
}
