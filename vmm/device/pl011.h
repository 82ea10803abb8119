/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PrimeCell UART (PL011, Arm DDI 0183), revision r1p4, without modem lines and DMA. The line is
 * infinitely fast: a byte written is sent at once, and input that has arrived is a completed burst.
 */
#ifndef VSPE_PL011_H
#define VSPE_PL011_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state.h"

#define PL011_SIZE 0x1000
#define PL011_FIFO 16

struct pl011 {
	uint8_t fifo[PL011_FIFO]; /* received, a ring */
	unsigned int head, count;
	uint32_t ilpr, ibrd, fbrd, lcr, cr, ifls, imsc, ris, dmacr;
	bool line; /* the interrupt, as last reported */
	void *ctx;
	void (*transmit)(void *ctx, uint8_t byte);
	void (*interrupt)(void *ctx, bool level);
};

void pl011_init(struct pl011 *uart, void *ctx, void (*transmit)(void *ctx, uint8_t byte),
		void (*interrupt)(void *ctx, bool level));

/* How many bytes pl011_receive() can take now. */
size_t pl011_room(const struct pl011 *uart);
/* Input: count is at most pl011_room(). */
void pl011_receive(struct pl011 *uart, const uint8_t *bytes, size_t count);
/* Would input raise the interrupt? */
bool pl011_wants_input(const struct pl011 *uart);

/* To be saved or loaded. */
void pl011_state(struct pl011 *uart, struct state *state);

/* For struct bus_device; ctx is the struct pl011. */
uint64_t pl011_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes);
void pl011_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes, uint64_t value);

#endif
