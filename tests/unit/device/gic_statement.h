/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second statement of a GICv3's CPU interfaces, physical and virtual (Arm IHI 0069, chapters 4
 * and 6, and the pages of ICC_*, ICV_* and ICH_*). It shares nothing with vmm/device, and knows a
 * few interrupts and numbers only: there are 5 bits of priority, one Security state, and the
 * choices that docs/decisions/machine.md names.
 */
#ifndef VSPE_TESTS_GIC_STATEMENT_H
#define VSPE_TESTS_GIC_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

#define STATED_IRQS 4
#define STATED_NONE 1023
#define STATED_IDLE 0xff

/* An interrupt, or what a list register says of a virtual one. */
struct stated_irq {
	unsigned int intid;
	unsigned int group; /* 0 or 1 */
	unsigned int priority;
	bool pending, active;
	bool forwarded; /* enabled, and so is its group in the distributor; a list register's is */
	/* Of a list register. */
	bool hardware, tells; /* HW, EOI */
	unsigned int physical;
};

/* What ICC_* or ICV_* hold. */
struct stated_interface {
	unsigned int pmr, bpr[2];
	bool cbpr, eoimode, enable[2];
	uint32_t active[2]; /* a bit a priority of 8 */
};

struct stated {
	bool virt;
	bool on; /* ICH_HCR_EL2.En; a physical one is */
	struct stated_interface iface;
	unsigned int irqs;
	struct stated_irq irq[STATED_IRQS];
	/* Of a virtual one. */
	unsigned int ends;	  /* ICH_HCR_EL2.EOIcount */
	unsigned int deactivated; /* the physical interrupt that an end has deactivated, or NONE */
};

/* What is signalled: 0, 1 (Group 0, FIQ) or 2 (Group 1, IRQ). */
unsigned int stated_signal(const struct stated *s);
/* ICC_HPPIRn_EL1. */
unsigned int stated_pending(const struct stated *s, unsigned int group);
/* ICC_RPR_EL1. */
unsigned int stated_running(const struct stated *s);
/* ICC_BPRn_EL1, as it is read. */
unsigned int stated_binary_point(const struct stated *s, unsigned int group);
/* What a write to ICC_BPRn_EL1 leaves. */
void stated_set_binary_point(struct stated *s, unsigned int group, unsigned int value);
/* A read of ICC_IARn_EL1: what it returns, and what becomes of it. */
unsigned int stated_acknowledge(struct stated *s, unsigned int group);
/* A write to ICC_EOIRn_EL1, and to ICC_DIR_EL1. */
void stated_end(struct stated *s, unsigned int group, unsigned int intid);
void stated_deactivate(struct stated *s, unsigned int intid);
/* ICH_EISR_EL2, ICH_ELRSR_EL2, and ICH_MISR_EL2 with the enables of ICH_HCR_EL2. */
unsigned int stated_eisr(const struct stated *s);
unsigned int stated_elrsr(const struct stated *s);
unsigned int stated_misr(const struct stated *s, unsigned int hcr);

#endif
