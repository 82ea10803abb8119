/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GICv3 with one Security state and without LPIs, after the GIC architecture specification IHI
 * 0069: GICD_CTLR.DS and ARE read as one, only affinity routing, Group 1 signalled as IRQ and Group
 * 0 as FIQ. SGIs and PPIs belong to a redistributor, SPIs to the distributor. The CPU interface is
 * the ICC_* system registers, the virtual one ICH_* and ICV_*. Only for the files of the GIC.
 */
#ifndef VSPE_GIC_H
#define VSPE_GIC_H

#include "device/device.h"
#include "device/gic_interface.h"

#define GIC_PRIVATE	      32 /* SGIs 0 to 15, PPIs 16 to 31 */
#define GIC_SPIS	      64 /* INTIDs 32 to 95 */
#define GIC_INTIDS	      (GIC_PRIVATE + GIC_SPIS)
#define GIC_MAINTENANCE_INTID 25 /* of the virtual CPU interface */
#define GIC_LIST_REGISTERS    4
#define GIC_ROUTER_VALID      UINT64_C(0xff80ffffff) /* bits of GICD_IROUTERn */
#define GIC_DIST_SIZE	      UINT64_C(0x10000)
#define GIC_REDIST_STRIDE     UINT64_C(0x20000) /* RD_base and SGI_base frames of one vCPU */

/* One interrupt of a distributor or a redistributor. */
struct gic_irq {
	bool enabled;
	bool latch; /* pending after an edge, an SGI or a write to IS/ICPENDR */
	bool line;  /* the level of its input */
	bool active;
	bool edge; /* xCFGR: edge-triggered, else level-sensitive */
	bool group1;
	uint8_t priority;
	uint64_t router; /* GICD_IROUTER, SPIs only */
};

/* The virtual CPU interface. */
struct gic_virtual {
	struct gic_interface iface; /* ICH_VMCR_EL2 and ICH_APnR0_EL2 */
	uint64_t lr[GIC_LIST_REGISTERS];
	uint32_t hcr; /* ICH_HCR_EL2 */
};

/* A redistributor with its CPU interfaces. */
struct gic_cpu {
	struct gic_irq irq[GIC_PRIVATE];
	bool asleep; /* GICR_WAKER.ProcessorSleep; ChildrenAsleep follows at once */
	struct gic_interface iface;
	struct gic_virtual virt;
	bool output[DEVICE_INPUTS]; /* of the PE, as last reported */
};

struct gic {
	struct device device;
	unsigned int cpus;
	bool enable[GIC_GROUPS]; /* GICD_CTLR.EnableGrpn */
	struct gic_irq spi[GIC_SPIS];
	struct gic_cpu cpu[DEVICE_MAX_CPUS];
};

_Static_assert(offsetof(struct gic, device) == 0, "one is cast to the other");

/* gic_sysreg.c: device_type.sysreg_read and sysreg_write. */
bool gic_sysreg_read(struct device *device, unsigned int cpu, uint32_t encoding, uint64_t *value);
bool gic_sysreg_write(struct device *device, unsigned int cpu, uint32_t encoding, uint64_t value);

/* gic_mmio.c: for struct device_window. Unknown registers are RAZ/WI. */
uint64_t gic_dist_read(struct device *device, unsigned int cpu, uint64_t offset,
		       unsigned int bytes);
void gic_dist_write(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		    uint64_t value);
uint64_t gic_redist_read(struct device *device, unsigned int cpu, uint64_t offset,
			 unsigned int bytes);
void gic_redist_write(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value);

/* gic_irq.c: device_controller.set_line. */
void gic_set_line(struct device *device, unsigned int cpu, unsigned int intid, bool level);
/* An interrupt as a vCPU sees it, or NULL if it has none with that INTID. */
static inline struct gic_irq *gic_irq(struct gic *gic, unsigned int cpu, unsigned int intid)
{
	if (intid < GIC_PRIVATE)
		return &gic->cpu[cpu].irq[intid];
	return intid < GIC_INTIDS ? &gic->spi[intid - GIC_PRIVATE] : NULL;
}

/* Pending: latched, or level-sensitive with its input asserted. */
bool gic_pending(const struct gic_irq *irq);
/* The current target vCPU of an SPI, or -1. */
int gic_spi_target(const struct gic *gic, const struct gic_irq *irq);
/*
 * The pending interrupt of highest priority for a vCPU, of a group that the distributor and its CPU
 * interface enable, or GIC_SPURIOUS.
 */
unsigned int gic_highest_pending(const struct gic *gic, unsigned int cpu);
/*
 * Can the highest pending interrupt be signalled: enabled, above PMR, above the running priority?
 */
bool gic_can_signal(const struct gic *gic, unsigned int cpu, unsigned int intid);
/* Report outputs that have changed. Call it after every change of state. */
void gic_update(struct gic *gic);

/*
 * gic_virtual.c: ICV_*_EL1, by the encodings of ICC_*_EL1, and ICH_*_EL2. The caller must call
 * gic_update() after every write and after a read that acknowledges.
 */
bool gic_icv_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value);
bool gic_icv_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value);
bool gic_ich_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value);
bool gic_ich_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value);
void gic_virtual_reset(struct gic_virtual *virt);
void gic_virtual_state(struct gic_virtual *virt, struct state *state);
/* Is a virtual interrupt of the group signalled? */
bool gic_virtual_signals(const struct gic_virtual *virt, enum gic_group group);
/* The level of the maintenance interrupt. */
bool gic_virtual_maintenance(const struct gic_virtual *virt);

#endif
