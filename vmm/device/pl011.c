/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PrimeCell UART (PL011, Arm DDI 0183), revision r1p4, without DMA: the console. Its modem lines
 * are only connected in loopback mode, to each other. The line is infinitely fast: a byte written
 * is sent at once, and input that has arrived is a complete burst. Input waits on the host's side
 * until the receiver is on.
 */
#include "device/acpi.h"
#include "device/tree.h"

#define PL011_BASE  UINT64_C(0x09000000)
#define PL011_PATH  "/pl011@9000000"
#define PL011_SIZE  0x1000
#define PL011_INTID 33
#define PL011_FIFO  DEVICE_CONSOLE_ROOM

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

#define DR_BE	   (1u << 10) /* the same error's bit in UARTRSR is DR_ERRORS lower */
#define DR_OE	   (1u << 11)
#define DR_ERRORS  8
#define FR_CTS	   (1u << 0)
#define FR_DSR	   (1u << 1)
#define FR_DCD	   (1u << 2)
#define FR_RXFE	   (1u << 4)
#define FR_RXFF	   (1u << 6)
#define FR_TXFE	   (1u << 7)
#define FR_RI	   (1u << 8)
#define LCR_H_BRK  (1u << 0)
#define LCR_H_FEN  (1u << 4)
#define CR_UARTEN  (1u << 0)
#define CR_LBE	   (1u << 7)
#define CR_RXE	   (1u << 9)
#define CR_DTR	   (1u << 10)
#define CR_RTS	   (1u << 11)
#define CR_OUT1	   (1u << 12)
#define CR_OUT2	   (1u << 13)
#define CR_RESET   0x300u /* RXE and TXE */
#define IFLS_RESET 0x12u
#define INT_RI	   (1u << 0)
#define INT_CTS	   (1u << 1)
#define INT_DCD	   (1u << 2)
#define INT_DSR	   (1u << 3)
#define INT_RX	   (1u << 4)
#define INT_TX	   (1u << 5)
#define INT_RT	   (1u << 6)
#define INT_BE	   (1u << 9)
#define INT_OE	   (1u << 10)
#define INT_ALL	   0x7ffu

/* UARTPeriphID0 to 3: part 0x011, designer Arm, r1p4; UARTPCellID0 to 3. */
static const uint8_t pl011_ids[8] = {0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

struct pl011 {
	struct device device;
	uint8_t fifo[PL011_FIFO]; /* received, a ring */
	unsigned int head, count;
	uint16_t breaks;   /* which of them are breaks, a bit each */
	uint16_t overruns; /* and before which of them some were lost */
	bool overrun;	   /* the FIFO was full, and nothing was put in it since */
	uint8_t rsr;	   /* UARTRSR: the errors of the last byte read */
	uint32_t ilpr, ibrd, fbrd, lcr, cr, ifls, imsc, ris, dmacr;
	bool line; /* the interrupt, as last reported */
};

_Static_assert(offsetof(struct pl011, device) == 0, "one is cast to the other");

static void pl011_reset(struct device *device)
{
	struct pl011 *uart = (struct pl011 *)device;

	uart->cr = CR_RESET;
	uart->ifls = IFLS_RESET;
}

/*
 * UARTRIS. The receive timeout's mask is also its enable, so its raw status equals its masked one
 * (3.3.11).
 */
static uint32_t pl011_raw(const struct pl011 *uart)
{
	return uart->ris & (uart->imsc | ~INT_RT);
}

static void pl011_update(struct pl011 *uart)
{
	const struct device_host *host = uart->device.host;
	bool level = (uart->ris & uart->imsc) != 0;

	if (level != uart->line) {
		uart->line = level;
		host->set_line(host->ctx, 0, PL011_INTID, level);
	}
}

/* The capacity of the FIFO: one byte when UARTLCR_H.FEN is 0. */
static unsigned int pl011_depth(const struct pl011 *uart)
{
	return uart->lcr & LCR_H_FEN ? PL011_FIFO : 1;
}

/* The number of bytes that raises the receive interrupt: UARTIFLS.RXIFLSEL. */
static unsigned int pl011_trigger(const struct pl011 *uart)
{
	static const uint8_t levels[8] = {2, 4, 8, 12, 14, 14, 14, 14};

	return uart->lcr & LCR_H_FEN ? levels[uart->ifls >> 3 & 7] : 1;
}

/* Free places of the FIFO, whether or not the receiver is on. */
static unsigned int pl011_free(const struct pl011 *uart)
{
	unsigned int depth = pl011_depth(uart);

	return uart->count < depth ? depth - uart->count : 0;
}

/* Does the receiver take input? */
static bool pl011_listens(const struct pl011 *uart)
{
	return (uart->cr & CR_UARTEN) && (uart->cr & CR_RXE);
}

/* In loopback mode the line from outside is disconnected. */
static size_t pl011_room(const struct device *device)
{
	const struct pl011 *uart = (const struct pl011 *)device;

	return pl011_listens(uart) && !(uart->cr & CR_LBE) ? pl011_free(uart) : 0;
}

static bool pl011_wants_input(const struct device *device)
{
	const struct pl011 *uart = (const struct pl011 *)device;

	return (uart->imsc & (INT_RX | INT_RT)) != 0 && pl011_room(device) > 0;
}

/*
 * Put a byte, with its errors, into the FIFO. If that is full the byte is lost, and the overrun
 * noted.
 */
static void pl011_put(struct pl011 *uart, uint8_t byte, bool is_break)
{
	const unsigned int slot = (uart->head + uart->count) % PL011_FIFO, bit = 1u << slot;

	if (pl011_free(uart) == 0) {
		uart->overrun = true;
		uart->rsr |= DR_OE >> DR_ERRORS;
		uart->ris |= INT_OE;
		return;
	}
	uart->fifo[slot] = byte;
	uart->breaks = (uint16_t)((uart->breaks & ~bit) | (is_break ? bit : 0));
	uart->overruns = (uint16_t)((uart->overruns & ~bit) | (uart->overrun ? bit : 0));
	uart->overrun = false;
	uart->count++;
	if (is_break)
		uart->ris |= INT_BE;
}

/* Input has arrived. */
static void pl011_arrived(struct pl011 *uart)
{
	if (uart->count >= pl011_trigger(uart))
		uart->ris |= INT_RX;
	/* The burst is over: the receive timeout has expired for whatever is left. */
	uart->ris |= INT_RT;
	pl011_update(uart);
}

static void pl011_receive(struct device *device, const uint8_t *bytes, size_t count)
{
	struct pl011 *uart = (struct pl011 *)device;

	for (size_t i = 0; i < count && pl011_room(device) > 0; i++) {
		pl011_put(uart, bytes[i], false);
		pl011_arrived(uart);
	}
}

/* The line is low for longer than a byte, which makes a marked byte of 0. */
static void pl011_receive_break(struct device *device)
{
	struct pl011 *uart = (struct pl011 *)device;

	if (pl011_room(device) == 0)
		return;
	pl011_put(uart, 0, true);
	pl011_arrived(uart);
}

static uint32_t pl011_take(struct pl011 *uart)
{
	uint32_t data = 0;

	if (uart->count > 0) {
		data = uart->fifo[uart->head] | (uart->breaks >> uart->head & 1 ? DR_BE : 0) |
		       (uart->overruns >> uart->head & 1 ? DR_OE : 0);
		/* Report an overrun at once, and until it is cleared. */
		uart->rsr =
			(uint8_t)((uart->rsr & DR_OE >> DR_ERRORS) | (data & DR_BE) >> DR_ERRORS);
		uart->head = (uart->head + 1) % PL011_FIFO;
		uart->count--;
	}
	if (uart->count < pl011_trigger(uart))
		uart->ris &= ~INT_RX;
	if (uart->count == 0)
		uart->ris &= ~INT_RT;
	pl011_update(uart);
	return data;
}

/* The modem lines of UARTFR: those of UARTCR in loopback mode, otherwise none. */
static uint32_t pl011_modem(const struct pl011 *uart)
{
	const uint32_t cr = uart->cr & CR_LBE ? uart->cr : 0;

	return (cr & CR_RTS ? FR_CTS : 0) | (cr & CR_DTR ? FR_DSR : 0) |
	       (cr & CR_OUT1 ? FR_DCD : 0) | (cr & CR_OUT2 ? FR_RI : 0);
}

static uint64_t pl011_read(struct device *device, unsigned int cpu, uint64_t offset,
			   unsigned int bytes)
{
	struct pl011 *uart = (struct pl011 *)device;

	(void)cpu;
	(void)bytes;
	if (offset >= UARTIDS)
		return (offset & 3) == 0 ? pl011_ids[(offset - UARTIDS) / 4] : 0;
	switch (offset) {
	case UARTDR: return pl011_take(uart);
	case UARTRSR: return uart->rsr;
	case UARTFR:
		return pl011_modem(uart) | FR_TXFE | (uart->count == 0 ? FR_RXFE : 0) |
		       (pl011_free(uart) == 0 ? FR_RXFF : 0);
	case UARTILPR: return uart->ilpr;
	case UARTIBRD: return uart->ibrd;
	case UARTFBRD: return uart->fbrd;
	case UARTLCR_H: return uart->lcr;
	case UARTCR: return uart->cr;
	case UARTIFLS: return uart->ifls;
	case UARTIMSC: return uart->imsc;
	case UARTRIS: return pl011_raw(uart);
	case UARTMIS: return uart->ris & uart->imsc;
	case UARTDMACR: return uart->dmacr;
	default: return 0;
	}
}

/* Loopback: receive what is sent, if the receiver is on. */
static void pl011_loop(struct pl011 *uart, uint8_t byte, bool is_break)
{
	if (!pl011_listens(uart))
		return;
	pl011_put(uart, byte, is_break);
	pl011_arrived(uart);
}

static void pl011_send(struct pl011 *uart, uint8_t byte)
{
	const struct device_host *host = uart->device.host;

	if (uart->cr & CR_LBE)
		pl011_loop(uart, byte, false);
	else
		host->transmit(host->ctx, byte);
	/* The byte left at once, and so the transmit FIFO passed its trigger level. */
	uart->ris |= INT_TX;
}

/* Turning the FIFO on or off empties it; BRK is a break on the line. */
static void pl011_line_control(struct pl011 *uart, uint32_t value)
{
	const uint32_t changed = uart->lcr ^ value;

	uart->lcr = value & 0xff;
	if (changed & LCR_H_FEN) {
		uart->count = 0;
		uart->overrun = false;
		uart->ris &= ~(INT_RX | INT_RT);
	}
	if (changed & value & LCR_H_BRK && uart->cr & CR_LBE)
		pl011_loop(uart, 0, true);
}

/* A change of a modem line raises its interrupt. */
static void pl011_control(struct pl011 *uart, uint32_t value)
{
	const uint32_t before = pl011_modem(uart);
	uint32_t changed;

	uart->cr = value & 0xff87;
	changed = pl011_modem(uart) ^ before;
	uart->ris |= (changed & FR_CTS ? INT_CTS : 0) | (changed & FR_DSR ? INT_DSR : 0) |
		     (changed & FR_DCD ? INT_DCD : 0) | (changed & FR_RI ? INT_RI : 0);
}

static void pl011_write(struct device *device, unsigned int cpu, uint64_t offset,
			unsigned int bytes, uint64_t value)
{
	struct pl011 *uart = (struct pl011 *)device;

	(void)cpu;
	(void)bytes;
	switch (offset) {
	case UARTDR: pl011_send(uart, (uint8_t)value); break;
	case UARTRSR: uart->rsr = 0; break; /* UARTECR: with any value */
	case UARTILPR: uart->ilpr = value & 0xff; break;
	case UARTIBRD: uart->ibrd = value & 0xffff; break;
	case UARTFBRD: uart->fbrd = value & 0x3f; break;
	case UARTLCR_H: pl011_line_control(uart, (uint32_t)value); break;
	case UARTCR: pl011_control(uart, (uint32_t)value); break;
	case UARTIFLS: uart->ifls = value & 0x3f; break;
	case UARTIMSC: uart->imsc = value & INT_ALL; break;
	case UARTICR: uart->ris &= ~(uint32_t)(value & INT_ALL); break;
	case UARTDMACR: uart->dmacr = value & 7; break;
	default: return;
	}
	pl011_update(uart);
}

static void pl011_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct pl011 *uart = (struct pl011 *)device;

	(void)cpu;
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
	/* Machines saved before there were breaks lack these. */
	if (state->loading && state->at == state->size)
		return;
	STATE_FIELD(state, uart->breaks);
	STATE_UP_TO(state, uart->rsr, (DR_BE | DR_OE) >> DR_ERRORS);
	/* Nor was anything ever lost. */
	if (state->loading && state->at == state->size)
		return;
	STATE_FIELD(state, uart->overruns);
	STATE_FIELD(state, uart->overrun);
}

static void pl011_node(struct tree *tree, const struct device_config *config)
{
	(void)config;
	tree_begin(tree, "%s", &PL011_PATH[1]);
	tree_list(tree, "compatible", "arm,pl011\0arm,primecell");
	tree_cells(tree, "reg", TREE_TWO_CELLS(PL011_BASE), TREE_TWO_CELLS(PL011_SIZE));
	tree_cells(tree, "interrupts", TREE_SPI(PL011_INTID));
	tree_cells(tree, "clocks", TREE_CLOCK, TREE_CLOCK);
	tree_list(tree, "clock-names", "uartclk\0apb_pclk");
	tree_end(tree);
}

#define PL011_HID "ARMH0011"

static void pl011_aml(struct acpi *acpi, const struct device_config *config)
{
	(void)config;
	acpi_device(acpi, "COM0", PL011_HID, 0);
	acpi_resources(acpi, (uint32_t)PL011_BASE, PL011_SIZE, PL011_INTID);
	acpi_close(acpi);
}

#define SPCR_PL011   3
#define SPCR_ARM_GIC 8 /* where the interrupt goes */

/* SPCR (Microsoft's Serial Port Console Redirection Table), revision 2. */
static void pl011_spcr(struct acpi *acpi, const struct device_config *config)
{
	(void)config;
	acpi_u32(acpi, SPCR_PL011);
	acpi_address(acpi, PL011_BASE);
	acpi_u8(acpi, SPCR_ARM_GIC);
	acpi_u8(acpi, 0);
	acpi_u32(acpi, PL011_INTID);
	acpi_u8(acpi, 0); /* the rate stays as it is */
	acpi_u8(acpi, 0); /* no parity */
	acpi_u8(acpi, 1); /* one stop bit */
	acpi_u8(acpi, 0); /* no flow control */
	acpi_u8(acpi, 0); /* terminal: a VT100 */
	acpi_u8(acpi, 0);
	acpi_u32(acpi, UINT32_MAX); /* it is not on PCI */
	acpi_zeros(acpi, 12);
}

static const struct device_console pl011_console = {
	.path = PL011_PATH,
	.room = pl011_room,
	.receive = pl011_receive,
	.receive_break = pl011_receive_break,
	.wants_input = pl011_wants_input,
};

const struct device_type device_pl011 = {
	.name = "pl011",
	.size = sizeof(struct pl011),
	.windows = {{PL011_BASE, PL011_SIZE, false, pl011_read, pl011_write}},
	.interrupts = {PL011_INTID},
	.reset = pl011_reset,
	.section = "UART",
	.part = "UART",
	.state = pl011_state,
	.node = pl011_node,
	.aml = pl011_aml,
	.table = {"SPCR", 2, pl011_spcr},
	.console = &pl011_console,
};
