/* SPDX-License-Identifier: BSD-2-Clause */
/* The PL011 (DDI 0183): data, flags, FIFO, interrupts, identification. */
#include <string.h>

#include "../compare.h"
#include "device_fixture.h"

#define DR   0x00
#define RSR  0x04
#define FR   0x18
#define LCR  0x2c
#define CR   0x30
#define IFLS 0x34
#define IMSC 0x38
#define RIS  0x3c
#define MIS  0x40
#define ICR  0x44

#define CR_UARTEN 0x1
#define CR_LBE	  0x80
#define CR_TXE	  0x100
#define CR_RXE	  0x200
#define CR_ON	  (CR_UARTEN | CR_TXE | CR_RXE)

#define FIFO  16
#define INTID 33

static struct device *uart;

static uint32_t get(uint64_t offset)
{
	return (uint32_t)window_get(uart, offset, 4);
}

static void set(uint64_t offset, uint32_t value)
{
	window_set(uart, offset, 4, value);
}

static bool line(void)
{
	return host_line[0][INTID];
}

static size_t room(void)
{
	return device_pl011.console->room(uart);
}

static void receive(const void *bytes, size_t count)
{
	device_pl011.console->receive(uart, bytes, count);
}

static bool wants_input(void)
{
	return device_pl011.console->wants_input(uart);
}

/* As a driver leaves it: on. */
static void setup(void)
{
	uart = make_device(&device_pl011, 1);
	set(CR, CR_UARTEN | CR_TXE | CR_RXE);
}

TestSuite(pl011, .init = setup);

Test(pl011, prime_cell_identification)
{
	static const uint8_t ids[8] = {0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(get(0xfe0 + 4 * i), ids[i]);
}

Test(pl011, transmits_at_once_and_says_so)
{
	set(IMSC, 1u << 5);
	set(DR, 'a');
	set(DR, 'b');
	cr_assert_arr_eq(host_sent, "ab", 2);
	cr_assert_eq(get(FR) & 0xa0, 0x80, "TXFE, not TXFF");
	cr_assert(line());
	set(ICR, 1u << 5);
	cr_assert_not(line());
}

Test(pl011, receives_into_one_byte_without_fifos)
{
	cr_assert_eq(get(FR) & 0x50, 0x10, "RXFE");
	cr_assert_eq(room(), 1);
	receive("x", 1);
	cr_assert_eq(get(FR) & 0x50, 0x40, "RXFF");
	cr_assert_eq(room(), 0);
	cr_assert_eq(get(DR), 'x');
	cr_assert_eq(get(FR) & 0x50, 0x10);
}

Test(pl011, fifo_keeps_order_over_its_end)
{
	uint8_t bytes[FIFO];

	set(LCR, 1u << 4);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 11; i++)
			bytes[i] = (uint8_t)(round * 16 + i);
		receive(bytes, 11);
		for (unsigned int i = 0; i < 11; i++)
			cr_assert_eq(get(DR), round * 16 + i);
	}
	receive(bytes, FIFO);
	cr_assert_eq(room(), 0);
	cr_assert_eq(get(FR) & 0x40, 0x40);
	set(LCR, 0);
	cr_assert_eq(get(FR) & 0x10, 0x10, "turning the FIFO off empties it");
}

Test(pl011, receive_interrupt_at_the_trigger_level)
{
	const uint8_t bytes[16] = {0};

	set(LCR, 1u << 4);
	set(IFLS, 2u << 3); /* one half */
	set(IMSC, 1u << 4);
	receive(bytes, 7);
	cr_assert_not(line());
	receive(bytes, 1);
	cr_assert(line());
	cr_assert_eq(get(MIS), 1u << 4);
	get(DR);
	cr_assert_not(line(), "below the level again");
}

Test(pl011, receive_timeout_until_the_fifo_is_empty)
{
	const uint8_t bytes[2] = {0};

	set(LCR, 1u << 4);
	set(IMSC, 1u << 6);
	cr_assert(wants_input());
	receive(bytes, 2);
	cr_assert(line());
	get(DR);
	cr_assert(line());
	get(DR);
	cr_assert_not(line());
	set(IMSC, 0);
	cr_assert_not(wants_input(), "input would not be noticed");
}

/* 3.3.8: UARTEN and RXE. Input stays where it is until both are 1. */
Test(pl011, takes_nothing_while_the_receiver_is_off)
{
	static const uint32_t off[] = {0, CR_UARTEN, CR_RXE, CR_TXE | CR_RXE, CR_UARTEN | CR_TXE};

	cr_assert_eq(window_get(make_device(&device_pl011, 1), CR, 4), CR_TXE | CR_RXE);
	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		setup();
		set(LCR, 1u << 4);
		set(IMSC, 0x7ff);
		set(CR, off[i]);
		cr_assert_eq(room(), 0, "UARTCR 0x%x", off[i]);
		cr_assert_not(wants_input(), "UARTCR 0x%x", off[i]);
		receive("x", 1);
		device_pl011.console->receive_break(uart);
		cr_assert_eq(get(FR) & 0x50, 0x10, "UARTCR 0x%x: RXFE, not RXFF", off[i]);
		cr_assert_not(line());
		set(CR, CR_ON);
		cr_assert_eq(room(), FIFO);
		receive("x", 1);
		set(CR, off[i]);
		cr_assert_eq(get(DR), 'x', "what was received before stays");
	}
}

Test(pl011, loopback)
{
	set(CR, CR_ON | CR_LBE);
	set(DR, 'q');
	cr_assert_eq(host_sent_count, 0);
	cr_assert_eq(room(), 0, "the line from outside is cut");
	receive("x", 1);
	cr_assert_eq(get(DR), 'q');
	cr_assert_eq(get(FR) & 0x10, 0x10, "that was all");
	set(LCR, 1);
	cr_assert_eq(get(DR), 1u << 10, "LCR_H.BRK is a break");
	set(CR, CR_UARTEN | CR_TXE | CR_LBE);
	set(DR, 'r');
	cr_assert_eq(get(FR) & 0x10, 0x10, "RXE is 0");
	cr_assert_eq(host_sent_count, 0);
}

/* 3.3.8, LBE: RTS, DTR, Out1 and Out2 are CTS, DSR, DCD and RI; 3.3.11: their interrupts. */
Test(pl011, loopback_of_modem_lines)
{
	static const struct {
		uint32_t cr, fr, interrupt;
	} lines[] = {{1u << 11, 1u << 0, 1u << 1},
		     {1u << 10, 1u << 1, 1u << 3},
		     {1u << 12, 1u << 2, 1u << 2},
		     {1u << 13, 1u << 8, 1u << 0}};
	const uint32_t all = 0x107;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		set(CR, CR_ON | lines[i].cr);
		cr_assert_eq(get(FR) & all, 0, "line %zu leads nowhere", i);
		cr_assert_eq(get(RIS), 0);
		set(CR, CR_ON | CR_LBE);
		set(CR, CR_ON | CR_LBE | lines[i].cr);
		cr_assert_eq(get(FR) & all, lines[i].fr, "line %zu", i);
		cr_assert_eq(get(RIS), lines[i].interrupt, "line %zu", i);
		set(ICR, 0x7ff);
		set(CR, CR_ON | CR_LBE);
		cr_assert_eq(get(FR) & all, 0, "line %zu", i);
		cr_assert_eq(get(RIS), lines[i].interrupt, "line %zu: off again", i);
		set(ICR, 0x7ff);
		set(CR, CR_ON);
	}
}

/* 2.4.3, 3.3.1 and 3.3.2: the FIFO keeps what it has, and the next one that fits is marked. */
Test(pl011, overrun)
{
	set(CR, CR_ON | CR_LBE);
	set(IMSC, 1u << 10);
	set(DR, 'a');
	cr_assert_not(line());
	set(DR, 'b');
	cr_assert(line(), "UARTOEINTR");
	cr_assert_eq(get(RSR), 1u << 3, "OE at once");
	cr_assert_eq(get(DR), 'a');
	cr_assert_eq(get(RSR), 1u << 3, "until UARTECR is written");
	set(RSR, 0);
	cr_assert_eq(get(RSR), 0);
	set(DR, 'c');
	cr_assert_eq(get(DR), 1u << 11 | 'c', "some were lost before");
	set(DR, 'd');
	cr_assert_eq(get(DR), 'd');
	set(ICR, 1u << 10);
	cr_assert_not(line());
}

/* 3.3.11: RTRIS cannot be set unless its mask is. */
Test(pl011, receive_timeout_has_no_raw_status_of_its_own)
{
	set(LCR, 1u << 4);
	receive("x", 1);
	cr_assert_eq(get(RIS), 0);
	set(IMSC, 1u << 6);
	cr_assert_eq(get(RIS), 1u << 6);
	cr_assert_eq(get(MIS), 1u << 6);
	cr_assert(line());
}

Test(pl011, masks_and_raw_status)
{
	set(IMSC, UINT32_MAX);
	cr_assert_eq(get(IMSC), 0x7ff);
	set(IMSC, 0);
	set(DR, 'z');
	cr_assert_eq(get(RIS), 1u << 5);
	cr_assert_eq(get(MIS), 0);
	cr_assert_not(line());
	set(IMSC, 1u << 5);
	cr_assert(line(), "unmasking a raised interrupt raises the line");
}

Test(pl011, break_is_a_marked_byte)
{
	const char byte = 'a';

	set(LCR, 1u << 4);
	set(IMSC, 1u << 9);
	receive(&byte, 1);
	cr_assert_not(line());
	device_pl011.console->receive_break(uart);
	receive(&byte, 1);
	cr_assert(line(), "UARTBEINTR");
	cr_assert_eq(get(DR), 'a');
	cr_assert_eq(get(RSR), 0);
	cr_assert_eq(get(DR), 1u << 10, "DR.BE");
	cr_assert_eq(get(RSR), 1u << 2);
	cr_assert_eq(get(DR), 'a', "where a break was, once more");
	cr_assert_eq(get(RSR), 0);
	set(ICR, 1u << 9);
	cr_assert_not(line());
}

Test(pl011, error_is_cleared_by_a_write)
{
	device_pl011.console->receive_break(uart);
	cr_assert_eq(get(DR), 1u << 10);
	set(RSR, 0);
	cr_assert_eq(get(RSR), 0);
	for (unsigned int i = 0; i < FIFO + 1; i++)
		device_pl011.console->receive_break(uart);
	cr_assert_eq(room(), 0, "more than there is room for is lost");
}
