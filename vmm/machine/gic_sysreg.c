// SPDX-License-Identifier: BSD-2-Clause
/*
 * GICv3: the CPU interface, ICC_*_EL1 (IHI 0069, 12.2). System register access is always on
 * (ICC_SRE_EL1 is RAO/WI); there is no other Security state and no virtual interface.
 */
#include <vspe/sysreg.h>

#include "machine/gic.h"

enum icc_register {
	ICC_PMR = SYSREG_ENCODING(3, 0, 4, 6, 0),
	ICC_IAR0 = SYSREG_ENCODING(3, 0, 12, 8, 0),
	ICC_EOIR0 = SYSREG_ENCODING(3, 0, 12, 8, 1),
	ICC_HPPIR0 = SYSREG_ENCODING(3, 0, 12, 8, 2),
	ICC_BPR0 = SYSREG_ENCODING(3, 0, 12, 8, 3),
	ICC_AP0R0 = SYSREG_ENCODING(3, 0, 12, 8, 4),
	ICC_AP1R0 = SYSREG_ENCODING(3, 0, 12, 9, 0),
	ICC_DIR = SYSREG_ENCODING(3, 0, 12, 11, 1),
	ICC_RPR = SYSREG_ENCODING(3, 0, 12, 11, 3),
	ICC_SGI1R = SYSREG_ENCODING(3, 0, 12, 11, 5),
	ICC_ASGI1R = SYSREG_ENCODING(3, 0, 12, 11, 6),
	ICC_SGI0R = SYSREG_ENCODING(3, 0, 12, 11, 7),
	ICC_IAR1 = SYSREG_ENCODING(3, 0, 12, 12, 0),
	ICC_EOIR1 = SYSREG_ENCODING(3, 0, 12, 12, 1),
	ICC_HPPIR1 = SYSREG_ENCODING(3, 0, 12, 12, 2),
	ICC_BPR1 = SYSREG_ENCODING(3, 0, 12, 12, 3),
	ICC_CTLR = SYSREG_ENCODING(3, 0, 12, 12, 4),
	ICC_SRE = SYSREG_ENCODING(3, 0, 12, 12, 5),
	ICC_IGRPEN0 = SYSREG_ENCODING(3, 0, 12, 12, 6),
	ICC_IGRPEN1 = SYSREG_ENCODING(3, 0, 12, 12, 7),
};

#define ICC_CTLR_CBPR	 (1u << 0)
#define ICC_CTLR_EOIMODE (1u << 1)
#define ICC_CTLR_PRIBITS ((GIC_PRIORITY_BITS - 1u) << 8)
#define ICC_CTLR_RSS	 (1u << 18)
#define ICC_SRE_VALUE	 7 /* SRE, and neither FIQ nor IRQ bypass */
#define ICC_INTID_MASK	 0xffffffu
#define ICC_BPR0_MIN	 (7 - GIC_PRIORITY_BITS)

static enum gic_group icc_group(const struct gic_irq *irq)
{
	return irq->group1 ? GIC_GROUP1 : GIC_GROUP0;
}

/* ICC_IARn_EL1: pending becomes active, its group priority becomes the running priority. */
static uint64_t icc_acknowledge(struct gic *gic, unsigned int cpu, enum gic_group group)
{
	struct gic_cpu *iface = &gic->cpu[cpu];
	unsigned int intid = gic_highest_pending(gic, cpu);
	struct gic_irq *irq = gic_irq(gic, cpu, intid);

	if (!irq || icc_group(irq) != group || !gic_can_signal(gic, cpu, intid))
		return GIC_SPURIOUS;
	irq->active = true;
	irq->latch = false;
	iface->active[group] |=
		1u << (gic_group_priority(iface, group, irq->priority) >> (8 - GIC_PRIORITY_BITS));
	gic_update(gic);
	return intid;
}

static uint64_t icc_highest(struct gic *gic, unsigned int cpu, enum gic_group group)
{
	unsigned int intid = gic_highest_pending(gic, cpu);
	const struct gic_irq *irq = gic_irq(gic, cpu, intid);

	return irq && icc_group(irq) == group ? intid : GIC_SPURIOUS;
}

static void icc_deactivate(struct gic *gic, unsigned int cpu, uint64_t value)
{
	struct gic_irq *irq = gic_irq(gic, cpu, (unsigned int)(value & ICC_INTID_MASK));

	if (irq)
		irq->active = false;
	gic_update(gic);
}

/*
 * ICC_EOIRn_EL1: the priority drop clears the highest active priority, if it is of this group: ends
 * come in the reverse order of acknowledges. An INTID that cannot be active is ignored altogether.
 */
static void icc_end(struct gic *gic, unsigned int cpu, enum gic_group group, uint64_t value)
{
	struct gic_cpu *iface = &gic->cpu[cpu];
	uint32_t mine = iface->active[group];
	uint32_t other = iface->active[group == GIC_GROUP0 ? GIC_GROUP1 : GIC_GROUP0];
	const struct gic_irq *irq = gic_irq(gic, cpu, (unsigned int)(value & ICC_INTID_MASK));

	if (!irq || icc_group(irq) != group)
		return;
	if (mine && (!other || __builtin_ctz(mine) <= __builtin_ctz(other)))
		iface->active[group] = mine & (mine - 1);
	if (!iface->eoimode)
		icc_deactivate(gic, cpu, value);
	else
		gic_update(gic);
}

/*
 * ICC_SGInR_EL1. INTID [27:24], IRM [40], RS [47:44], TargetList [15:0], Aff1 to Aff3, which are
 * zero for every vCPU here. A write to SGI1R reaches interrupts of either group, the others those
 * of Group 0 only: with one Security state "the other" state's Group 1 has no interrupts.
 */
static void icc_generate(struct gic *gic, unsigned int cpu, uint64_t value, bool group1)
{
	unsigned int intid = value >> 24 & 15;
	bool all_others = value >> 40 & 1;
	unsigned int first = (unsigned int)(value >> 44 & 15) * 16;
	bool affinity_matches = (value & UINT64_C(0x00ff00ff00ff0000)) == 0;

	for (unsigned int i = 0; i < gic->cpus; i++) {
		struct gic_irq *irq = &gic->cpu[i].irq[intid];
		bool target = all_others ? i != cpu
					 : affinity_matches && i >= first && i < first + 16 &&
						   (value >> (i - first) & 1);

		if (target && (group1 || !irq->group1))
			irq->latch = true;
	}
	gic_update(gic);
}

static uint8_t icc_bpr1(const struct gic_cpu *iface)
{
	if (!iface->cbpr)
		return iface->bpr[GIC_GROUP1];
	return iface->bpr[GIC_GROUP0] < 7 ? iface->bpr[GIC_GROUP0] + 1 : 7;
}

bool gic_sysreg_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value)
{
	struct gic_cpu *iface = &gic->cpu[cpu];

	switch (encoding) {
	case ICC_PMR: *value = iface->pmr; break;
	case ICC_IAR0: *value = icc_acknowledge(gic, cpu, GIC_GROUP0); break;
	case ICC_IAR1: *value = icc_acknowledge(gic, cpu, GIC_GROUP1); break;
	case ICC_HPPIR0: *value = icc_highest(gic, cpu, GIC_GROUP0); break;
	case ICC_HPPIR1: *value = icc_highest(gic, cpu, GIC_GROUP1); break;
	case ICC_BPR0: *value = iface->bpr[GIC_GROUP0]; break;
	case ICC_BPR1: *value = icc_bpr1(iface); break;
	case ICC_AP0R0: *value = iface->active[GIC_GROUP0]; break;
	case ICC_AP1R0: *value = iface->active[GIC_GROUP1]; break;
	case ICC_RPR: *value = gic_running_priority(iface); break;
	case ICC_CTLR:
		*value = ICC_CTLR_RSS | ICC_CTLR_PRIBITS | (iface->cbpr ? ICC_CTLR_CBPR : 0) |
			 (iface->eoimode ? ICC_CTLR_EOIMODE : 0);
		break;
	case ICC_SRE: *value = ICC_SRE_VALUE; break;
	case ICC_IGRPEN0: *value = iface->enable[GIC_GROUP0]; break;
	case ICC_IGRPEN1: *value = iface->enable[GIC_GROUP1]; break;
	default: return false;
	}
	return true;
}

/* The binary point is a field of 3 bits; a value below the minimum sets the minimum. */
static uint8_t icc_bpr_value(uint64_t value, unsigned int minimum)
{
	return (uint8_t)((value & 7) < minimum ? minimum : value & 7);
}

/* The registers that are plain state of the interface. */
static bool icc_write_state(struct gic_cpu *iface, uint32_t encoding, uint64_t value)
{
	switch (encoding) {
	case ICC_PMR: iface->pmr = value & GIC_PRIORITY_MASK; break;
	case ICC_BPR0: iface->bpr[GIC_GROUP0] = icc_bpr_value(value, ICC_BPR0_MIN); break;
	case ICC_BPR1:
		if (!iface->cbpr)
			iface->bpr[GIC_GROUP1] = icc_bpr_value(value, ICC_BPR0_MIN + 1);
		break;
	case ICC_AP0R0: iface->active[GIC_GROUP0] = (uint32_t)value; break;
	case ICC_AP1R0: iface->active[GIC_GROUP1] = (uint32_t)value; break;
	case ICC_CTLR:
		iface->cbpr = value & ICC_CTLR_CBPR;
		iface->eoimode = value & ICC_CTLR_EOIMODE;
		break;
	case ICC_SRE: break;
	case ICC_IGRPEN0: iface->enable[GIC_GROUP0] = value & 1; break;
	case ICC_IGRPEN1: iface->enable[GIC_GROUP1] = value & 1; break;
	default: return false;
	}
	return true;
}

bool gic_sysreg_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value)
{
	switch (encoding) {
	case ICC_EOIR0: icc_end(gic, cpu, GIC_GROUP0, value); return true;
	case ICC_EOIR1: icc_end(gic, cpu, GIC_GROUP1, value); return true;
	case ICC_DIR:
		/* UNPREDICTABLE without EOImode: ignored. */
		if (gic->cpu[cpu].eoimode)
			icc_deactivate(gic, cpu, value);
		return true;
	case ICC_SGI1R: icc_generate(gic, cpu, value, true); return true;
	case ICC_ASGI1R:
	case ICC_SGI0R: icc_generate(gic, cpu, value, false); return true;
	default:
		if (!icc_write_state(&gic->cpu[cpu], encoding, value))
			return false;
		gic_update(gic);
		return true;
	}
}
