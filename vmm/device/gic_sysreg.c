/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3: the physical CPU interface, ICC_* (IHI 0069, 12.2). System register access is always on
 * (ICC_SRE_ELx.SRE is RAO/WI), and there is one Security state.
 */
#include "arm/affinity.h"
#include "base/assertion.h"
#include "device/gic.h"

/* Of EL2 and EL3. */
enum icc_high_register {
	ICC_SRE_EL2 = SYSREG_ENCODING(3, 4, 12, 9, 5),
	ICC_CTLR_EL3 = SYSREG_ENCODING(3, 6, 12, 12, 4),
	ICC_SRE_EL3 = SYSREG_ENCODING(3, 6, 12, 12, 5),
	ICC_IGRPEN1_EL3 = SYSREG_ENCODING(3, 6, 12, 12, 7),
};

#define ICC_SRE_VALUE	   7  /* SRE, and neither FIQ nor IRQ bypass */
#define ICC_SRE_HIGH_VALUE 15 /* with Enable: lower levels have their ICC_SRE_ELx */

/* The fields of the only Security state, which the registers of EL3 call Non-secure. */

static enum gic_group icc_group(const struct gic_irq *irq)
{
	return irq->group1 ? GIC_GROUP1 : GIC_GROUP0;
}

/* Any change of what is signalled to a vCPU must have updated its inputs. */
static void outputs_hold(const struct gic *gic, unsigned int cpu)
{
	const struct gic_cpu *to;
	unsigned int intid;
	enum device_input input;

	if (!VSPE_ASSERT)
		return;
	to = &gic->cpu[cpu];
	intid = gic_highest_pending(gic, cpu);
	input = intid < GIC_INTIDS && gic_irq((struct gic *)gic, cpu, intid)->group1 ? DEVICE_IRQ
										     : DEVICE_FIQ;
	vspe_assert_of(to->output[DEVICE_IRQ] ==
			       (gic_can_signal(gic, cpu, intid) && input == DEVICE_IRQ),
		       cpu, intid);
	vspe_assert_of(to->output[DEVICE_FIQ] ==
			       (gic_can_signal(gic, cpu, intid) && input == DEVICE_FIQ),
		       cpu, intid);
}

/* ICC_IARn_EL1: pending becomes active, and its group priority becomes the running priority. */
static uint64_t icc_acknowledge(struct gic *gic, unsigned int cpu, enum gic_group group)
{
	unsigned int intid = gic_highest_pending(gic, cpu);
	struct gic_irq *irq = gic_irq(gic, cpu, intid);

	outputs_hold(gic, cpu);
	if (!irq || icc_group(irq) != group || !gic_can_signal(gic, cpu, intid))
		return GIC_SPURIOUS;
	irq->active = true;
	irq->latch = false;
	gic_raise_priority(&gic->cpu[cpu].iface, group, irq->priority);
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
	struct gic_irq *irq = gic_irq(gic, cpu, (unsigned int)(value & GIC_INTID_MASK));

	if (irq)
		irq->active = false;
	gic_update(gic);
}

/*
 * ICC_EOIRn_EL1. Ignores an INTID that cannot be active. Also ignores an end that finds no priority
 * of its group to drop, as it does not belong to the last acknowledge.
 */
static void icc_end(struct gic *gic, unsigned int cpu, enum gic_group group, uint64_t value)
{
	const struct gic_irq *irq = gic_irq(gic, cpu, (unsigned int)(value & GIC_INTID_MASK));

	if (!irq || icc_group(irq) != group ||
	    gic_drop_priority(&gic->cpu[cpu].iface, group) == GIC_PRIORITY_IDLE)
		return;
	if (!gic->cpu[cpu].iface.eoimode)
		icc_deactivate(gic, cpu, value);
	else
		gic_update(gic);
}

/*
 * Does ICC_SGInR_EL1 name a vCPU? TargetList [15:0] has a bit for each Aff0 of the 16 from RS
 * [47:44] on. Aff3 [55:48], Aff2 [39:32] and Aff1 [23:16] are as in MPIDR_EL1.
 */
static bool icc_names(uint64_t value, unsigned int cpu)
{
	const uint64_t affinity = arm_affinity(cpu), aff0 = affinity & 0xff;
	const uint64_t others =
		(value >> 48 & 0xff) << 32 | (value >> 32 & 0xff) << 16 | (value >> 16 & 0xff) << 8;

	return others == affinity - aff0 && aff0 / 16 == (value >> 44 & 15) &&
	       (value >> aff0 % 16 & 1);
}

/*
 * ICC_SGInR_EL1. INTID [27:24], IRM [40]: all except the writer. A write to SGI1R reaches
 * interrupts of either group, the others only those of Group 0: with one Security state "the other"
 * state's Group 1 has no interrupts.
 */
static void icc_generate(struct gic *gic, unsigned int cpu, uint64_t value, bool group1)
{
	unsigned int intid = value >> 24 & 15;
	bool all_others = value >> 40 & 1;

	for (unsigned int i = 0; i < gic->cpus; i++) {
		struct gic_irq *irq = &gic->cpu[i].irq[intid];
		bool target = all_others ? i != cpu : icc_names(value, i);

		if (target && (group1 || !irq->group1))
			irq->latch = true;
	}
	gic_update(gic);
}

/* Registers of EL2 and EL3 for the physical interface. */
static bool icc_high_read(const struct gic_interface *iface, uint32_t encoding, uint64_t *value)
{
	switch (encoding) {
	case ICC_SRE_EL2:
	case ICC_SRE_EL3: *value = ICC_SRE_HIGH_VALUE; break;
	case ICC_CTLR_EL3:
		*value = ICC_CTLR_EL1_RSS | ICC_CTLR_PRIBITS |
			 (iface->cbpr ? ICC_CTLR_EL3_CBPR_EL1NS : 0) |
			 (iface->eoimode ? ICC_CTLR_EL3_EOImode_EL1NS : 0);
		break;
	case ICC_IGRPEN1_EL3:
		*value = iface->enable[GIC_GROUP1] ? ICC_IGRPEN1_EL3_EnableGrp1NS : 0;
		break;
	default: return false;
	}
	return true;
}

static bool icc_high_write(struct gic_interface *iface, uint32_t encoding, uint64_t value)
{
	switch (encoding) {
	case ICC_SRE_EL2:
	case ICC_SRE_EL3: break;
	case ICC_CTLR_EL3:
		iface->cbpr = value & ICC_CTLR_EL3_CBPR_EL1NS;
		iface->eoimode = value & ICC_CTLR_EL3_EOImode_EL1NS;
		break;
	case ICC_IGRPEN1_EL3:
		iface->enable[GIC_GROUP1] = value & ICC_IGRPEN1_EL3_EnableGrp1NS;
		break;
	default: return false;
	}
	return true;
}

/* ICV_*_EL1: an acknowledge changes what is signalled. */
static bool icv_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value)
{
	const bool known = gic_icv_read(gic, cpu, encoding, value);

	if (encoding == ICC_IAR0 || encoding == ICC_IAR1)
		gic_update(gic);
	return known;
}

bool gic_sysreg_read(struct device *device, unsigned int cpu, uint32_t encoding, uint64_t *value)
{
	struct gic *gic = (struct gic *)device;
	const struct gic_interface *iface = &gic->cpu[cpu].iface;

	if (encoding & ENGINE_SYSREG_VIRTUAL)
		return icv_read(gic, cpu, encoding & ~ENGINE_SYSREG_VIRTUAL, value);
	switch (encoding) {
	case ICC_IAR0: *value = icc_acknowledge(gic, cpu, GIC_GROUP0); return true;
	case ICC_IAR1: *value = icc_acknowledge(gic, cpu, GIC_GROUP1); return true;
	case ICC_HPPIR0: *value = icc_highest(gic, cpu, GIC_GROUP0); return true;
	case ICC_HPPIR1: *value = icc_highest(gic, cpu, GIC_GROUP1); return true;
	case ICC_SRE: *value = ICC_SRE_VALUE; return true;
	default:
		return gic_interface_read(iface, encoding, value) ||
		       icc_high_read(iface, encoding, value) ||
		       gic_ich_read(gic, cpu, encoding, value);
	}
}

bool gic_sysreg_write(struct device *device, unsigned int cpu, uint32_t encoding, uint64_t value)
{
	struct gic *gic = (struct gic *)device;
	struct gic_interface *iface = &gic->cpu[cpu].iface;
	bool known;

	switch (encoding) {
	case ICC_EOIR0: icc_end(gic, cpu, GIC_GROUP0, value); return true;
	case ICC_EOIR1: icc_end(gic, cpu, GIC_GROUP1, value); return true;
	case ICC_DIR:
		/* UNPREDICTABLE without EOImode; ignored here. */
		if (iface->eoimode)
			icc_deactivate(gic, cpu, value);
		return true;
	case ICC_SGI1R: icc_generate(gic, cpu, value, true); return true;
	case ICC_ASGI1R:
	case ICC_SGI0R: icc_generate(gic, cpu, value, false); return true;
	case ICC_SRE: return true;
	default:
		known = encoding & ENGINE_SYSREG_VIRTUAL
				? gic_icv_write(gic, cpu, encoding & ~ENGINE_SYSREG_VIRTUAL, value)
				: gic_interface_write(iface, encoding, value) ||
					  icc_high_write(iface, encoding, value) ||
					  gic_ich_write(gic, cpu, encoding, value);
		if (known)
			gic_update(gic);
		return known;
	}
}
