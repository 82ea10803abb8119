// SPDX-License-Identifier: BSD-2-Clause
/* The PL011 UART: see pl011.h. */
#include <string.h>

#include "device/pl011.h"

#define UARTDR	  0x000
#define UARTRSR	  0x004
#define UARTFR	  0x018
#define UARTILPR  0x020
#define UARTIBRD  0x024
#define UARTFBRD  0x028
#define UARTLCR_H 0x02c
#define UARTCR	  0x030
#define UARTIFLS  0x034
#define UARTIMSC  0x038
#define UARTRIS	  0x03c
#define UARTMIS	  0x040
#define UARTICR	  0x044
#define UARTDMACR 0x048
#define UARTIDS	  0xfe0

#define FR_RXFE	   (1u << 4)
#define FR_RXFF	   (1u << 6)
#define FR_TXFE	   (1u << 7)
#define LCR_H_FEN  (1u << 4)
#define CR_LBE	   (1u << 7)
#define CR_RESET   0x300u /* RXE and TXE */
#define IFLS_RESET 0x12u
#define INT_RX	   (1u << 4)
#define INT_TX	   (1u << 5)
#define INT_RT	   (1u << 6)
#define INT_ALL	   0x7ffu

/* UARTPeriphID0 to 3: part 0x011, designer Arm, r1p4; UARTPCellID0 to 3. */
static const uint8_t pl011_ids[8] = {0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

void pl011_init(struct pl011 *uart, void *ctx, void (*transmit)(void *ctx, uint8_t byte),
		void (*interrupt)(void *ctx, bool level))
{
	memset(uart, 0, sizeof(*uart));
	uart->cr = CR_RESET;
	uart->ifls = IFLS_RESET;
	uart->ctx = ctx;
	uart->transmit = transmit;
	uart->interrupt = interrupt;
}

static void pl011_update(struct pl011 *uart)
{
	bool level = (uart->ris & uart->imsc) != 0;

	if (level != uart->line) {
		uart->line = level;
		uart->interrupt(uart->ctx, level);
	}
}

/* Bytes the FIFO holds: one when UARTLCR_H.FEN is 0. */
static unsigned int pl011_depth(const struct pl011 *uart)
{
	return uart->lcr & LCR_H_FEN ? PL011_FIFO : 1;
}

/* Bytes at which the receive interrupt is raised: UARTIFLS.RXIFLSEL. */
static unsigned int pl011_trigger(const struct pl011 *uart)
{
	static const uint8_t levels[8] = {2, 4, 8, 12, 14, 14, 14, 14};

	return uart->lcr & LCR_H_FEN ? levels[uart->ifls >> 3 & 7] : 1;
}

size_t pl011_room(const struct pl011 *uart)
{
	unsigned int depth = pl011_depth(uart);

	return uart->count < depth ? depth - uart->count : 0;
}

bool pl011_wants_input(const struct pl011 *uart)
{
	return (uart->imsc & (INT_RX | INT_RT)) != 0 && pl011_room(uart) > 0;
}

void pl011_receive(struct pl011 *uart, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count && pl011_room(uart) > 0; i++) {
		uart->fifo[(uart->head + uart->count) % PL011_FIFO] = bytes[i];
		uart->count++;
	}
	if (count == 0)
		return;
	if (uart->count >= pl011_trigger(uart))
		uart->ris |= INT_RX;
	/* The burst is over: the receive timeout has run out for whatever is left. */
	uart->ris |= INT_RT;
	pl011_update(uart);
}

static uint8_t pl011_take(struct pl011 *uart)
{
	uint8_t byte = 0;

	if (uart->count > 0) {
		byte = uart->fifo[uart->head];
		uart->head = (uart->head + 1) % PL011_FIFO;
		uart->count--;
	}
	if (uart->count < pl011_trigger(uart))
		uart->ris &= ~INT_RX;
	if (uart->count == 0)
		uart->ris &= ~INT_RT;
	pl011_update(uart);
	return byte;
}

uint64_t pl011_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes)
{
	struct pl011 *uart = ctx;

	(void)cpu;
	(void)bytes;
	if (offset >= UARTIDS)
		return (offset & 3) == 0 ? pl011_ids[(offset - UARTIDS) / 4] : 0;
	switch (offset) {
	case UARTDR: return pl011_take(uart);
	case UARTFR:
		return FR_TXFE | (uart->count == 0 ? FR_RXFE : 0) |
		       (pl011_room(uart) == 0 ? FR_RXFF : 0);
	case UARTILPR: return uart->ilpr;
	case UARTIBRD: return uart->ibrd;
	case UARTFBRD: return uart->fbrd;
	case UARTLCR_H: return uart->lcr;
	case UARTCR: return uart->cr;
	case UARTIFLS: return uart->ifls;
	case UARTIMSC: return uart->imsc;
	case UARTRIS: return uart->ris;
	case UARTMIS: return uart->ris & uart->imsc;
	case UARTDMACR: return uart->dmacr;
	default: return 0; /* UARTRSR: no error ever happens on this line */
	}
}

static void pl011_send(struct pl011 *uart, uint8_t byte)
{
	if (uart->cr & CR_LBE) {
		if (pl011_room(uart) > 0)
			pl011_receive(uart, &byte, 1);
	} else {
		uart->transmit(uart->ctx, byte);
	}
	/* The byte has left at once, through the trigger level of the transmit FIFO. */
	uart->ris |= INT_TX;
}

void pl011_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes, uint64_t value)
{
	struct pl011 *uart = ctx;

	(void)cpu;
	(void)bytes;
	switch (offset) {
	case UARTDR: pl011_send(uart, (uint8_t)value); break;
	case UARTILPR: uart->ilpr = value & 0xff; break;
	case UARTIBRD: uart->ibrd = value & 0xffff; break;
	case UARTFBRD: uart->fbrd = value & 0x3f; break;
	case UARTLCR_H:
		/* Turning the FIFO on or off empties it. */
		if ((uart->lcr ^ value) & LCR_H_FEN) {
			uart->count = 0;
			uart->ris &= ~(INT_RX | INT_RT);
		}
		uart->lcr = value & 0xff;
		break;
	case UARTCR: uart->cr = value & 0xff87; break;
	case UARTIFLS: uart->ifls = value & 0x3f; break;
	case UARTIMSC: uart->imsc = value & INT_ALL; break;
	case UARTICR: uart->ris &= ~(uint32_t)(value & INT_ALL); break;
	case UARTDMACR: uart->dmacr = value & 7; break;
	default: return;
	}
	pl011_update(uart);
}

void pl011_state(struct pl011 *uart, struct state *state)
{
	STATE_ARRAY(state, uart->fifo);
	STATE_UP_TO(state, uart->head, PL011_FIFO - 1);
	STATE_UP_TO(state, uart->count, PL011_FIFO);
	STATE_UP_TO(state, uart->ilpr, 0xff);
	STATE_UP_TO(state, uart->ibrd, 0xffff);
	STATE_UP_TO(state, uart->fbrd, 0x3f);
	STATE_UP_TO(state, uart->lcr, 0xff);
	STATE_UP_TO(state, uart->cr, 0xffff);
	STATE_UP_TO(state, uart->ifls, 0x3f);
	STATE_UP_TO(state, uart->imsc, INT_ALL);
	STATE_UP_TO(state, uart->ris, INT_ALL);
	STATE_UP_TO(state, uart->dmacr, 7);
	STATE_FIELD(state, uart->line);
}
