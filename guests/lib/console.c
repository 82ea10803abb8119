/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console output through a PL011 (Arm DDI 0183, 3.3), polled, and a small printf.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "fdt.h"
#include "psci.h"
#include "string.h"

#define UART_DR	     0x00
#define UART_FR	     0x18
#define UART_CR	     0x30
#define UART_FR_TXFF (1u << 5)

static volatile uint8_t *uart;

static volatile uint32_t *uart_reg(unsigned int offset)
{
	return (volatile uint32_t *)(uart + offset);
}

bool console_find(uint64_t *base, uint64_t *size)
{
	struct fdt_node chosen, node = {0};
	const char *path = NULL;

	if (fdt_find_path(&chosen, "/chosen"))
		path = fdt_string(&chosen, "stdout-path");
	if (!path || !fdt_find_path(&node, path) || !fdt_is_compatible(&node, "arm,pl011")) {
		node.name = NULL;
		if (!fdt_next_compatible(&node, "arm,pl011"))
			return false;
	}
	return fdt_reg(&node, 0, base, size);
}

void console_init(volatile void *registers)
{
	uart = registers;
	*uart_reg(UART_CR) = 0x301; /* UARTEN, TXE, RXE */
}

void console_putc(char c)
{
	if (!uart)
		return;
	while (*uart_reg(UART_FR) & UART_FR_TXFF)
		;
	*uart_reg(UART_DR) = (unsigned char)c;
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
