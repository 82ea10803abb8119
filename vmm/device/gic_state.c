// SPDX-License-Identifier: BSD-2-Clause
/* GICv3: its state, to be saved and loaded. */
#include "device/gic.h"

static void irq_state(struct gic_irq *irq, struct state *state)
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

static void cpu_state(struct gic_cpu *cpu, struct state *state)
{
	for (unsigned int i = 0; i < GIC_PRIVATE; i++)
		irq_state(&cpu->irq[i], state);
	STATE_FIELD(state, cpu->asleep);
	gic_interface_state(&cpu->iface, state);
	gic_virtual_state(&cpu->virt, state);
	STATE_ARRAY(state, cpu->output);
}

void gic_state(struct gic *gic, struct state *state)
{
	STATE_ARRAY(state, gic->enable);
	for (unsigned int i = 0; i < GIC_SPIS; i++)
		irq_state(&gic->spi[i], state);
	for (unsigned int i = 0; i < gic->cpus; i++)
		cpu_state(&gic->cpu[i], state);
}
