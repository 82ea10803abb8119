/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the physical and the virtual CPU interface of a GICv3 have in common (IHI 0069, 4.8 and
 * 6.3): priorities, binary points and masks, and the registers that show them. Only for the files
 * of the GIC.
 */
#ifndef VSPE_GIC_INTERFACE_H
#define VSPE_GIC_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

#include "arm/registers.h"
#include "base/state.h"

#define GIC_PRIORITY_BITS 5 /* and as many of them preempt */
#define GIC_PRIORITY_MASK 0xf8u
#define GIC_PRIORITY_IDLE 0xffu
#define GIC_SPURIOUS	  1023
#define GIC_INTID_MASK	  0xffffffu /* of ICC_EOIRn_EL1 and ICC_DIR_EL1 */

enum gic_group { GIC_GROUP0, GIC_GROUP1, GIC_GROUPS };

struct gic_interface {
	bool cbpr, eoimode;	 /* ICC_CTLR_EL1 */
	bool enable[GIC_GROUPS]; /* ICC_IGRPENn_EL1 */
	uint8_t pmr;
	uint8_t bpr[GIC_GROUPS];
	uint32_t active[GIC_GROUPS]; /* ICC_APnR0_EL1: a bit for each priority level */
};

/* Their encodings. Those of the virtual interface, ICV_*, have ENGINE_SYSREG_VIRTUAL set too. */
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

/* What ICC_CTLR_EL1 and ICC_CTLR_EL3 say about the implementation. */
#define ICC_CTLR_PRIBITS ARM_VALUE(ICC_CTLR_EL1_PRIbits, GIC_PRIORITY_BITS - 1)

void gic_interface_reset(struct gic_interface *iface);

/* The group priority field of a priority in a group, by BPR and CBPR. */
uint8_t gic_group_priority(const struct gic_interface *iface, enum gic_group group,
			   uint8_t priority);

/* ICC_RPR_EL1: the highest active priority, or GIC_PRIORITY_IDLE. */
uint8_t gic_running_priority(const struct gic_interface *iface);

/* May a pending interrupt be signalled: group enabled, above the mask and the running priority? */
bool gic_preempts(const struct gic_interface *iface, enum gic_group group, uint8_t priority);

/* An acknowledge: the group priority becomes the running priority. */
void gic_raise_priority(struct gic_interface *iface, enum gic_group group, uint8_t priority);

/*
 * The priority drop at the end of an interrupt. Clears the highest active priority if it belongs to
 * this group, as ends come in the reverse order of acknowledges. Returns what it cleared, or
 * GIC_PRIORITY_IDLE.
 */
uint8_t gic_drop_priority(struct gic_interface *iface, enum gic_group group);

/* A value for a binary point, a field of 3 bits. Values below the minimum set the minimum. */
uint8_t gic_binary_point(enum gic_group group, uint64_t value);

/* To be saved or loaded. */
void gic_interface_state(struct gic_interface *iface, struct state *state);

/* Registers that are plain state of the interface. False for any other. */
bool gic_interface_read(const struct gic_interface *iface, uint32_t encoding, uint64_t *value);
bool gic_interface_write(struct gic_interface *iface, uint32_t encoding, uint64_t value);

#endif
