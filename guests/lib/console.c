/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console output through a PL011 (Arm DDI 0183, 3.3) or an 8250, polled, and a small printf.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "psci.h"
#include "string.h"

static const struct uart_registers {
	uint8_t data, status; /* numbers of registers */
	uint8_t mask, ready;  /* of status, when a byte can be written */
	uint8_t control;      /* another, if it is not 0 */
	uint16_t enable;      /* what is written there first */
} kinds[] = {
	/* DR, FR.TXFF, CR.{RXE,TXE,UARTEN} */
	[UART_PL011] = {0x00, 0x18, 1 << 5, 0, .control = 0x30, .enable = 0x301},
	[UART_SBSA] = {0x00, 0x18, 1 << 5, 0},
	/* THR, LSR.THRE. Speed and format are as the firmware left them. */
	[UART_8250] = {0, 5, 1 << 5, 1 << 5},
};

static struct platform_uart uart;
static const struct uart_registers *kind;
static volatile uint8_t *uart_registers;

static uint32_t read_uart(unsigned int number)
{
	volatile uint8_t *at = uart_registers + ((size_t)number << uart.shift);

	return uart.io_width == 4 ? *(volatile uint32_t *)at : *at;
}

static void write_uart(unsigned int number, uint32_t value)
{
	volatile uint8_t *at = uart_registers + ((size_t)number << uart.shift);

	if (uart.io_width == 4)
		*(volatile uint32_t *)at = value;
	else
		*at = (uint8_t)value;
}

void console_init(const struct platform_uart *which, volatile void *registers)
{
	uart = *which;
	kind = &kinds[uart.kind];
	uart_registers = registers;
	if (kind->control)
		write_uart(kind->control, kind->enable);
}

void console_putc(char c)
{
	if (!uart_registers)
		return;
	while ((read_uart(kind->status) & kind->mask) != kind->ready)
		;
	write_uart(kind->data, (unsigned char)c);
}

struct conversion {
	bool left, zero, wide;
	unsigned int width;
};

static void put_padded(const char *text, size_t length, const struct conversion *c)
{
	char pad = c->zero && !c->left ? '0' : ' ';

	for (size_t i = length; !c->left && i < c->width; i++)
		console_putc(pad);
	for (size_t i = 0; i < length; i++)
		console_putc(text[i]);
	for (size_t i = length; c->left && i < c->width; i++)
		console_putc(' ');
}

static void put_number(uint64_t value, unsigned int base, bool negative, const struct conversion *c)
{
	char text[24];
	size_t at = sizeof(text);

	do {
		text[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	if (negative)
		text[--at] = '-';
	put_padded(text + at, sizeof(text) - at, c);
}

static const char *parse_flags(const char *format, struct conversion *c)
{
	for (;; format++) {
		if (*format == '-')
			c->left = true;
		else if (*format == '0')
			c->zero = true;
		else
			break;
	}
	while (*format >= '0' && *format <= '9')
		c->width = c->width * 10 + (unsigned int)(*format++ - '0');
	while (*format == 'l' || *format == 'z') {
		c->wide = true;
		format++;
	}
	return format;
}

void vprintf(const char *format, va_list args)
{
	for (; *format != '\0'; format++) {
		struct conversion c = {0};
		const char *text;
		int64_t number;
		char one;

		if (*format != '%') {
			console_putc(*format);
			continue;
		}
		format = parse_flags(format + 1, &c);
		switch (*format) {
		case 'd':
			number = c.wide ? va_arg(args, long) : va_arg(args, int);
			put_number(number < 0 ? -(uint64_t)number : (uint64_t)number, 10,
				   number < 0, &c);
			break;
		case 'u':
		case 'x':
			put_number(c.wide ? va_arg(args, unsigned long)
					  : va_arg(args, unsigned int),
				   *format == 'u' ? 10 : 16, false, &c);
			break;
		case 'p':
			console_putc('0');
			console_putc('x');
			put_number((uintptr_t)va_arg(args, void *), 16, false, &c);
			break;
		case 's':
			text = va_arg(args, const char *);
			put_padded(text, strlen(text), &c);
			break;
		case 'c':
			one = (char)va_arg(args, int);
			put_padded(&one, 1, &c);
			break;
		case '\0': return;
		default: console_putc(*format); break;
		}
	}
}

void printf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

void panic(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	console_putc('\n');
	psci_system_off();
}
