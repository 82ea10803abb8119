/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GICv3 that the firmware names (Arm IHI 0069), Non-secure group 1 only, or its GICv2 (Arm IHI
 * 0048) as software sees it with one Security state: all interrupts are in group 0, and IRQs.
 *
 * The interrupts of a GICv3 are IRQs. With two Security states they are FIQs at EL3, and only
 * SCR_EL3.NS 1 lets software acknowledge them.
 */
#ifndef GUEST_GIC_H
#define GUEST_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "exception.h"

typedef enum exc_return gic_handler(struct exc_frame *frame, uint32_t intid);

#define GIC_SPURIOUS 1020 /* INTIDs from here on are special */

/*
 * Set up the distributor, this CPU's redistributor and its CPU interface. False: the firmware names
 * none.
 */
bool gic_init(void);
/* Set up the part of another CPU, after gic_init(). */
bool gic_init_cpu(void);
/* Enable an SGI or a PPI (INTID 0 to 31) of this CPU with its handler; NULL disables it. */
void gic_enable(uint32_t intid, gic_handler *handler);
/* Set the priority of an SGI or a PPI of this CPU, 0 the highest; GIC_PRIORITY by default. */
#define GIC_PRIORITY 0xa0u
void gic_set_priority(uint32_t intid, uint8_t priority);
/* Is a private interrupt pending? The state of the line, for a level-sensitive one. */
bool gic_pending(uint32_t intid);
/* Is it active: acknowledged, and not deactivated? */
bool gic_active(uint32_t intid);
/*
 * Put an SGI or a PPI into group 0, which is delivered as FIQ, or back into group 1. Its enable and
 * its handler do not change. False if the GIC keeps group 0 to another Security state.
 */
bool gic_set_group0(uint32_t intid, bool group0);
/* Does it have two Security states, as seen from a Secure access (GICD_CTLR.DS 0)? */
bool gic_two_states(void);
/* Send an SGI to the CPU of an MPIDR_EL1, whose Aff0 is its CPU interface of a GICv2. */
void gic_send_sgi(uint32_t intid, uint64_t mpidr);
/* The same of group 0. */
void gic_send_sgi_group0(uint32_t intid, uint64_t mpidr);
/* Acknowledge and end the highest pending interrupt of group 0; its INTID. */
uint32_t gic_take_group0(void);
/*
 * For guests that drive the GICv3 themselves: this CPU's second redistributor frame, with the
 * registers of its SGIs and PPIs, and which groups the distributor forwards. NULL and nothing
 * without a GICv3.
 */
volatile uint32_t *gic_private(void);
void gic_forward(bool group0, bool group1);
/* The IRQ vectors' handler. */
enum exc_return gic_dispatch(struct exc_frame *frame);

#endif
