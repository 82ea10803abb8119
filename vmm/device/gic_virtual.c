/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3: the virtual CPU interface (IHI 0069, chapter 6), with the list registers that a hypervisor
 * fills (ICH_*_EL2) and the registers that its guest sees as ICC_*_EL1 (ICV_*_EL1). There is no
 * direct injection (GICv4), so everything here only changes through the vCPU's own accesses.
 */
#include "arm/registers.h"
#include "device/gic.h"

enum ich_register {
	ICH_AP0R0 = SYSREG_ENCODING(3, 4, 12, 8, 0),
	ICH_AP1R0 = SYSREG_ENCODING(3, 4, 12, 9, 0),
	ICH_HCR = SYSREG_ENCODING(3, 4, 12, 11, 0),
	ICH_VTR = SYSREG_ENCODING(3, 4, 12, 11, 1),
	ICH_MISR = SYSREG_ENCODING(3, 4, 12, 11, 2),
	ICH_EISR = SYSREG_ENCODING(3, 4, 12, 11, 3),
	ICH_ELRSR = SYSREG_ENCODING(3, 4, 12, 11, 5),
	ICH_VMCR = SYSREG_ENCODING(3, 4, 12, 11, 7),
	ICH_LR0 = SYSREG_ENCODING(3, 4, 12, 12, 0),
};

#define ICH_HCR_MASK                                                                         \
	(0xffu | ICH_HCR_EL2_TC | ICH_HCR_EL2_TALL0 | ICH_HCR_EL2_TALL1 | ICH_HCR_EL2_TDIR | \
	 ICH_HCR_EL2_EOIcount)

/* ICH_VTR_EL2: all priority bits preempt; INTIDs of 16 bits; nV4; TDS. */
#define VTR_VALUE                                                                                \
	((GIC_PRIORITY_BITS - 1u) << 29 | (GIC_PRIORITY_BITS - 1u) << 26 | 1u << 20 | 1u << 19 | \
	 (GIC_LIST_REGISTERS - 1u))

#define LR_PENDING ARM_VALUE(ICH_LR_EL2_State, 1)
#define LR_ACTIVE  ARM_VALUE(ICH_LR_EL2_State, 2)
#define LR_MASK                                                                                    \
	(ICH_LR_EL2_State | ICH_LR_EL2_HW | ICH_LR_EL2_Group |                                     \
	 ARM_VALUE(ICH_LR_EL2_Priority, GIC_PRIORITY_MASK) | ARM_VALUE(ICH_LR_EL2_pINTID, 0x3ff) | \
	 0xffff)

#define VINTID_MASK 0xffffu
#define VINTID_LPI  8192
/* 1020 to 1023 identify no interrupt. */
#define VINTID_IS_SPECIAL(intid) ((intid) >= 1020 && (intid) <= 1023)

static unsigned int lr_intid(uint64_t lr)
{
	return lr & VINTID_MASK;
}

static uint8_t lr_priority(uint64_t lr)
{
	return (uint8_t)arm_field(lr, ICH_LR_EL2_Priority);
}

static enum gic_group lr_group(uint64_t lr)
{
	return lr & ICH_LR_EL2_Group ? GIC_GROUP1 : GIC_GROUP0;
}

void gic_virtual_reset(struct gic_virtual *virt)
{
	gic_interface_reset(&virt->iface);
	virt->hcr = 0;
	for (unsigned int i = 0; i < GIC_LIST_REGISTERS; i++)
		virt->lr[i] = 0;
}

/* The list register with the highest priority pending interrupt of an enabled group, or -1. */
static int virtual_highest(const struct gic_virtual *virt)
{
	int best = -1;

	for (int i = 0; i < GIC_LIST_REGISTERS; i++) {
		uint64_t lr = virt->lr[i];

		if ((lr & ICH_LR_EL2_State) == LR_PENDING && virt->iface.enable[lr_group(lr)] &&
		    (best < 0 || lr_priority(lr) < lr_priority(virt->lr[best])))
			best = i;
	}
	return best;
}

/* The list register that is signalled, or -1. */
static int virtual_signalled(const struct gic_virtual *virt)
{
	int i = virt->hcr & ICH_HCR_EL2_En ? virtual_highest(virt) : -1;

	if (i >= 0 && gic_preempts(&virt->iface, lr_group(virt->lr[i]), lr_priority(virt->lr[i])))
		return i;
	return -1;
}

bool gic_virtual_signals(const struct gic_virtual *virt, enum gic_group group)
{
	int i = virtual_signalled(virt);

	return i >= 0 && lr_group(virt->lr[i]) == group;
}

static uint32_t virtual_eisr(const struct gic_virtual *virt)
{
	uint32_t eisr = 0;

	for (unsigned int i = 0; i < GIC_LIST_REGISTERS; i++)
		if ((virt->lr[i] & (ICH_LR_EL2_State | ICH_LR_EL2_HW | ICH_LR_EL2_EOI)) ==
		    ICH_LR_EL2_EOI)
			eisr |= 1u << i;
	return eisr;
}

/* Empty: invalid, and without an end that the hypervisor must learn of. */
static uint32_t virtual_elrsr(const struct gic_virtual *virt)
{
	uint32_t elrsr = 0;

	for (unsigned int i = 0; i < GIC_LIST_REGISTERS; i++)
		if (!(virt->lr[i] & ICH_LR_EL2_State) &&
		    ((virt->lr[i] & ICH_LR_EL2_HW) || !(virt->lr[i] & ICH_LR_EL2_EOI)))
			elrsr |= 1u << i;
	return elrsr;
}

static uint32_t virtual_misr(const struct gic_virtual *virt)
{
	const bool *enable = virt->iface.enable;
	unsigned int valid = 0, pending = 0;
	uint32_t misr = virtual_eisr(virt) ? ICH_MISR_EL2_EOI : 0;

	for (unsigned int i = 0; i < GIC_LIST_REGISTERS; i++) {
		valid += (virt->lr[i] & ICH_LR_EL2_State) != 0;
		pending += (virt->lr[i] & ICH_LR_EL2_State) == LR_PENDING;
	}
	if ((virt->hcr & ICH_HCR_EL2_UIE) && valid <= 1)
		misr |= ICH_MISR_EL2_U;
	if ((virt->hcr & ICH_HCR_EL2_LRENPIE) && (virt->hcr & ICH_HCR_EL2_EOIcount))
		misr |= ICH_MISR_EL2_LRENP;
	if ((virt->hcr & ICH_HCR_EL2_NPIE) && pending == 0)
		misr |= ICH_MISR_EL2_NP;
	if ((virt->hcr & ICH_HCR_EL2_VGrp0EIE) && enable[GIC_GROUP0])
		misr |= ICH_MISR_EL2_VGrp0E;
	if ((virt->hcr & ICH_HCR_EL2_VGrp0DIE) && !enable[GIC_GROUP0])
		misr |= ICH_MISR_EL2_VGrp0D;
	if ((virt->hcr & ICH_HCR_EL2_VGrp1EIE) && enable[GIC_GROUP1])
		misr |= ICH_MISR_EL2_VGrp1E;
	if ((virt->hcr & ICH_HCR_EL2_VGrp1DIE) && !enable[GIC_GROUP1])
		misr |= ICH_MISR_EL2_VGrp1D;
	return misr;
}

bool gic_virtual_maintenance(const struct gic_virtual *virt)
{
	return (virt->hcr & ICH_HCR_EL2_En) && virtual_misr(virt) != 0;
}

/* ICV_IARn_EL1. A list register with an INTID that identifies no interrupt ends at once. */
static uint64_t virtual_acknowledge(struct gic_virtual *virt, enum gic_group group)
{
	int i = virtual_signalled(virt);
	uint64_t *lr;

	if (i < 0 || lr_group(virt->lr[i]) != group)
		return GIC_SPURIOUS;
	lr = &virt->lr[i];
	*lr &= ~ICH_LR_EL2_State;
	if (!VINTID_IS_SPECIAL(lr_intid(*lr))) {
		*lr |= LR_ACTIVE;
		gic_raise_priority(&virt->iface, group, lr_priority(*lr));
	}
	return lr_intid(*lr);
}

static uint64_t virtual_hppir(const struct gic_virtual *virt, enum gic_group group)
{
	int i = virtual_highest(virt);

	return i >= 0 && lr_group(virt->lr[i]) == group ? lr_intid(virt->lr[i]) : GIC_SPURIOUS;
}

static int virtual_find_active(const struct gic_virtual *virt, uint64_t intid)
{
	for (int i = 0; i < GIC_LIST_REGISTERS; i++)
		if ((virt->lr[i] & LR_ACTIVE) && lr_intid(virt->lr[i]) == intid)
			return i;
	return -1;
}

/* Count the end of an interrupt that is active in no list register: software keeps it elsewhere. */
static void virtual_count_end(struct gic_virtual *virt)
{
	virt->hcr += ARM_VALUE(ICH_HCR_EL2_EOIcount, 1); /* wraps from 31 to 0 */
}

/* With HW the physical interrupt ends with it. */
static void virtual_deactivate(struct gic *gic, unsigned int cpu, int i)
{
	uint64_t *lr = &gic->cpu[cpu].virt.lr[i];
	struct gic_irq *irq = NULL;

	*lr &= ~LR_ACTIVE;
	if (*lr & ICH_LR_EL2_HW)
		irq = gic_irq(gic, cpu, arm_field(*lr, ICH_LR_EL2_pINTID) & 0x3ff);
	if (irq)
		irq->active = false;
}

/*
 * ICV_EOIRn_EL1. Deactivates only a list register of this group and of the priority that was
 * dropped. LPIs have no separate deactivation, and their ends are not counted. Neither is an end
 * that dropped no priority, which ICH_HCR_EL2.EOIcount leaves open.
 */
static void virtual_end(struct gic *gic, unsigned int cpu, enum gic_group group, uint64_t value)
{
	struct gic_virtual *virt = &gic->cpu[cpu].virt;
	uint64_t intid = value & GIC_INTID_MASK;
	bool lpi = intid >= VINTID_LPI;
	uint8_t dropped;
	int i;

	if (VINTID_IS_SPECIAL(intid))
		return;
	dropped = gic_drop_priority(&virt->iface, group);
	if (dropped == GIC_PRIORITY_IDLE || (virt->iface.eoimode && !lpi))
		return;
	i = virtual_find_active(virt, intid);
	if (i < 0 && !lpi)
		virtual_count_end(virt);
	else if (i >= 0 && lr_group(virt->lr[i]) == group &&
		 gic_group_priority(&virt->iface, group, lr_priority(virt->lr[i])) == dropped)
		virtual_deactivate(gic, cpu, i);
}

/* ICV_DIR_EL1. UNPREDICTABLE without EOImode; ignored here. */
static void virtual_dir(struct gic *gic, unsigned int cpu, uint64_t value)
{
	struct gic_virtual *virt = &gic->cpu[cpu].virt;
	uint64_t intid = value & GIC_INTID_MASK;
	int i = virtual_find_active(virt, intid);

	if (!virt->iface.eoimode || VINTID_IS_SPECIAL(intid) || intid >= VINTID_LPI)
		return;
	if (i < 0)
		virtual_count_end(virt);
	else
		virtual_deactivate(gic, cpu, i);
}

bool gic_icv_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value)
{
	struct gic_virtual *virt = &gic->cpu[cpu].virt;

	switch (encoding) {
	case ICC_IAR0: *value = virtual_acknowledge(virt, GIC_GROUP0); return true;
	case ICC_IAR1: *value = virtual_acknowledge(virt, GIC_GROUP1); return true;
	case ICC_HPPIR0: *value = virtual_hppir(virt, GIC_GROUP0); return true;
	case ICC_HPPIR1: *value = virtual_hppir(virt, GIC_GROUP1); return true;
	default: return gic_interface_read(&virt->iface, encoding, value);
	}
}

bool gic_icv_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value)
{
	switch (encoding) {
	case ICC_EOIR0: virtual_end(gic, cpu, GIC_GROUP0, value); break;
	case ICC_EOIR1: virtual_end(gic, cpu, GIC_GROUP1, value); break;
	case ICC_DIR: virtual_dir(gic, cpu, value); break;
	default: return gic_interface_write(&gic->cpu[cpu].virt.iface, encoding, value);
	}
	return true;
}

static uint32_t vmcr_read(const struct gic_interface *iface)
{
	return (iface->enable[GIC_GROUP0] ? ICH_VMCR_EL2_VENG0 : 0) |
	       (iface->enable[GIC_GROUP1] ? ICH_VMCR_EL2_VENG1 : 0) | ICH_VMCR_EL2_VFIQEn |
	       (iface->cbpr ? ICH_VMCR_EL2_VCBPR : 0) | (iface->eoimode ? ICH_VMCR_EL2_VEOIM : 0) |
	       ARM_VALUE(ICH_VMCR_EL2_VBPR1, iface->bpr[GIC_GROUP1]) |
	       ARM_VALUE(ICH_VMCR_EL2_VBPR0, iface->bpr[GIC_GROUP0]) |
	       ARM_VALUE(ICH_VMCR_EL2_VPMR, iface->pmr);
}

static void vmcr_write(struct gic_interface *iface, uint64_t value)
{
	iface->enable[GIC_GROUP0] = value & ICH_VMCR_EL2_VENG0;
	iface->enable[GIC_GROUP1] = value & ICH_VMCR_EL2_VENG1;
	iface->cbpr = value & ICH_VMCR_EL2_VCBPR;
	iface->eoimode = value & ICH_VMCR_EL2_VEOIM;
	iface->bpr[GIC_GROUP0] = gic_binary_point(GIC_GROUP0, arm_field(value, ICH_VMCR_EL2_VBPR0));
	iface->bpr[GIC_GROUP1] = gic_binary_point(GIC_GROUP1, arm_field(value, ICH_VMCR_EL2_VBPR1));
	iface->pmr = arm_field(value, ICH_VMCR_EL2_VPMR) & GIC_PRIORITY_MASK;
}

/* The list register with an encoding, or NULL. */
static uint64_t *virtual_lr(struct gic_virtual *virt, uint32_t encoding)
{
	uint32_t i = encoding - ICH_LR0;

	return i < GIC_LIST_REGISTERS ? &virt->lr[i] : NULL;
}

bool gic_ich_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value)
{
	struct gic_virtual *virt = &gic->cpu[cpu].virt;
	const uint64_t *lr = virtual_lr(virt, encoding);

	if (lr) {
		*value = *lr;
		return true;
	}
	switch (encoding) {
	case ICH_AP0R0: *value = virt->iface.active[GIC_GROUP0]; break;
	case ICH_AP1R0: *value = virt->iface.active[GIC_GROUP1]; break;
	case ICH_HCR: *value = virt->hcr; break;
	case ICH_VTR: *value = VTR_VALUE; break;
	case ICH_MISR: *value = virtual_misr(virt); break;
	case ICH_EISR: *value = virtual_eisr(virt); break;
	case ICH_ELRSR: *value = virtual_elrsr(virt); break;
	case ICH_VMCR: *value = vmcr_read(&virt->iface); break;
	default: return false;
	}
	return true;
}

bool gic_ich_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value)
{
	struct gic_virtual *virt = &gic->cpu[cpu].virt;
	uint64_t *lr = virtual_lr(virt, encoding);

	switch (encoding) {
	case ICH_AP0R0: virt->iface.active[GIC_GROUP0] = (uint32_t)value; break;
	case ICH_AP1R0: virt->iface.active[GIC_GROUP1] = (uint32_t)value; break;
	case ICH_HCR: virt->hcr = (uint32_t)value & ICH_HCR_MASK; break;
	case ICH_VMCR: vmcr_write(&virt->iface, value); break;
	default:
		if (!lr)
			return false;
		*lr = value & LR_MASK;
		break;
	}
	return true;
}

void gic_virtual_state(struct gic_virtual *virt, struct state *state)
{
	gic_interface_state(&virt->iface, state);
	STATE_ARRAY(state, virt->lr);
	STATE_UP_TO(state, virt->hcr, ICH_HCR_MASK);
	for (unsigned int i = 0; i < GIC_LIST_REGISTERS; i++)
		if (virt->lr[i] & ~LR_MASK)
			state_refuse(state, "ICH_LR%u_EL2 has bits that are RES0", i);
}
