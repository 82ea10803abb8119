/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GICv3 with one Security state and without LPIs, after the GIC architecture specification IHI
 * 0069: GICD_CTLR.DS and ARE read as one, affinity routing only, Group 1 signalled as IRQ and Group
 * 0 as FIQ. SGIs and PPIs belong to a redistributor, SPIs to the distributor; the CPU interface is
 * the ICC_*_EL1 system registers.
 */
#ifndef VSPE_GIC_H
#define VSPE_GIC_H

#include <stdbool.h>
#include <stdint.h>

#define GIC_MAX_CPUS	      64
#define GIC_PRIVATE	      32 /* SGIs 0 to 15, PPIs 16 to 31 */
#define GIC_SPIS	      64 /* INTIDs 32 to 95 */
#define GIC_INTIDS	      (GIC_PRIVATE + GIC_SPIS)
#define GIC_SPURIOUS	      1023
#define GIC_MAINTENANCE_INTID 25 /* of the virtual CPU interface */
#define GIC_DIST_SIZE	      UINT64_C(0x10000)
#define GIC_REDIST_STRIDE     UINT64_C(0x20000) /* RD_base and SGI_base frames of one vCPU */
#define GIC_PRIORITY_BITS     5
#define GIC_PRIORITY_MASK     0xf8u
#define GIC_PRIORITY_IDLE     0xffu

enum gic_group { GIC_GROUP0, GIC_GROUP1, GIC_GROUPS };

/* One interrupt of a distributor or a redistributor. */
struct gic_irq {
	bool enabled;
	bool latch; /* pending by an edge, an SGI or a write to IS/ICPENDR */
	bool line;  /* the level of its input */
	bool active;
	bool edge; /* xCFGR: edge-triggered, else level-sensitive */
	bool group1;
	uint8_t priority;
	uint64_t router; /* GICD_IROUTER, SPIs only */
};

/* A redistributor with its CPU interface. */
struct gic_cpu {
	struct gic_irq irq[GIC_PRIVATE];
	bool asleep; /* GICR_WAKER.ProcessorSleep; ChildrenAsleep follows at once */
	bool cbpr, eoimode;
	bool enable[GIC_GROUPS]; /* ICC_IGRPENn_EL1 */
	uint8_t pmr;
	uint8_t bpr[GIC_GROUPS];
	uint32_t active[GIC_GROUPS]; /* ICC_APnR0_EL1: a bit a priority level */
	bool output[GIC_GROUPS];     /* [0] FIQ, [1] IRQ, as last reported */
};

struct gic {
	unsigned int cpus;
	bool enable[GIC_GROUPS]; /* GICD_CTLR.EnableGrpn */
	struct gic_irq spi[GIC_SPIS];
	struct gic_cpu cpu[GIC_MAX_CPUS];
	void *ctx;
	/* The IRQ (GIC_GROUP1) or FIQ (GIC_GROUP0) output to a vCPU changed. */
	void (*output)(void *ctx, unsigned int cpu, enum gic_group group, bool level);
};

/* Reset state. cpus is 1 to GIC_MAX_CPUS; output may be NULL. */
void gic_init(struct gic *gic, unsigned int cpus, void *ctx,
	      void (*output)(void *ctx, unsigned int cpu, enum gic_group group, bool level));

/* Warm reset of a vCPU: its ICC_* registers. Its redistributor is of another power domain. */
void gic_reset_interface(struct gic *gic, unsigned int index);

/* The input line of a PPI (intid 16 to 31) or of an SPI (32 to GIC_INTIDS - 1; cpu is ignored). */
void gic_set_line(struct gic *gic, unsigned int cpu, unsigned int intid, bool level);

/* The outputs to a vCPU: is an interrupt signalled to it now? */
bool gic_signalled(const struct gic *gic, unsigned int cpu);

/* System registers. false: no such register for reading (or writing), so the access is UNDEFINED.
 */
bool gic_sysreg_read(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t *value);
bool gic_sysreg_write(struct gic *gic, unsigned int cpu, uint32_t encoding, uint64_t value);

/* MMIO; for struct bus_device, ctx is the struct gic. Unknown registers are RAZ/WI. */
uint64_t gic_dist_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes);
void gic_dist_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes,
		    uint64_t value);
uint64_t gic_redist_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes);
void gic_redist_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value);

/* For the files of the GIC only. */

/* An interrupt as a vCPU sees it, or NULL when there is none of that INTID. */
struct gic_irq *gic_irq(struct gic *gic, unsigned int cpu, unsigned int intid);
/* Pending: latched, or level-sensitive with its input asserted. */
bool gic_pending(const struct gic_irq *irq);
/* The vCPU of an SPI now, or -1. */
int gic_spi_target(const struct gic *gic, const struct gic_irq *irq);
/* The highest priority pending interrupt of an enabled group for a vCPU, or GIC_SPURIOUS. */
unsigned int gic_highest_pending(const struct gic *gic, unsigned int cpu);
/* The group priority field of a priority in a group: BPR and CBPR applied. */
uint8_t gic_group_priority(const struct gic_cpu *cpu, enum gic_group group, uint8_t priority);
/* ICC_RPR_EL1. */
uint8_t gic_running_priority(const struct gic_cpu *cpu);
/* Can the highest pending interrupt be signalled: enabled, above PMR, above the running priority?
 */
bool gic_can_signal(const struct gic *gic, unsigned int cpu, unsigned int intid);
/* Report outputs that changed. Owed after every change of state. */
void gic_update(struct gic *gic);

#endif
