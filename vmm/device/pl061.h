/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PrimeCell GPIO (PL061, Arm DDI 0190), revision r1p0, whose lines 0 and 1 are the power switch
 * of a machine without PSCI: power off and restart. No line is driven from outside; all are pulled
 * low.
 */
#ifndef VSPE_PL061_H
#define VSPE_PL061_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"

#define PL061_SIZE 0x1000

/* As on QEMU's "virt" board with secure=on. */
#define PL061_LINE_POWER_OFF 0
#define PL061_LINE_RESTART   1

struct pl061 {
	uint8_t data; /* what the outputs drive */
	uint8_t dir;  /* 1: an output */
	uint8_t is, ibe, iev, ie, afsel;
	uint8_t latched; /* edges that were seen and not cleared */
	bool line;	 /* the interrupt, as last reported */
	void *ctx;
	/* Output number line went from low to high. */
	void (*rise)(void *ctx, unsigned int line);
	void (*interrupt)(void *ctx, bool level);
};

void pl061_init(struct pl061 *gpio, void *ctx, void (*rise)(void *ctx, unsigned int line),
		void (*interrupt)(void *ctx, bool level));

/* To be saved or loaded. */
void pl061_state(struct pl061 *gpio, struct state *state);

/* For struct bus_device; ctx is the struct pl061. */
uint64_t pl061_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes);
void pl061_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes, uint64_t value);

#endif
