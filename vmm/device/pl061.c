// SPDX-License-Identifier: BSD-2-Clause
/* The PL061 GPIO: see pl061.h. */
#include <string.h>

#include "device/pl061.h"

#define GPIODATA_END 0x400 /* bits [9:2] of the offset choose the lines */
#define GPIODIR	     0x400
#define GPIOIS	     0x404
#define GPIOIBE	     0x408
#define GPIOIEV	     0x40c
#define GPIOIE	     0x410
#define GPIORIS	     0x414
#define GPIOMIS	     0x418
#define GPIOIC	     0x41c
#define GPIOAFSEL    0x420
#define GPIOIDS	     0xfe0

/* GPIOPeriphID0 to 3: part 0x061, designer Arm, r1p0; GPIOPCellID0 to 3. */
static const uint8_t pl061_ids[8] = {0x61, 0x10, 0x04, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

void pl061_init(struct pl061 *gpio, void *ctx, void (*rise)(void *ctx, unsigned int line),
		void (*interrupt)(void *ctx, bool level))
{
	memset(gpio, 0, sizeof(*gpio));
	gpio->ctx = ctx;
	gpio->rise = rise;
	gpio->interrupt = interrupt;
}

/* The levels of the pins: inputs are pulled low. */
static uint8_t pl061_pins(const struct pl061 *gpio)
{
	return gpio->data & gpio->dir;
}

/* GPIORIS: edges that were latched, and levels as they are. */
static uint8_t pl061_raw(const struct pl061 *gpio)
{
	uint8_t active = (uint8_t) ~(pl061_pins(gpio) ^ gpio->iev);

	return (gpio->latched & (uint8_t)~gpio->is) | (active & gpio->is);
}

/* After a change; before: the pins that were high. */
static void pl061_update(struct pl061 *gpio, uint8_t before)
{
	uint8_t pins = pl061_pins(gpio);
	uint8_t rising = pins & (uint8_t)~before, falling = before & (uint8_t)~pins;
	bool level;

	gpio->latched |= (uint8_t)((rising & (gpio->ibe | gpio->iev)) |
				   (falling & (gpio->ibe | (uint8_t)~gpio->iev)));
	for (unsigned int line = 0; line < 8; line++)
		if (rising >> line & 1)
			gpio->rise(gpio->ctx, line);
	level = (pl061_raw(gpio) & gpio->ie) != 0;
	if (level != gpio->line) {
		gpio->line = level;
		gpio->interrupt(gpio->ctx, level);
	}
}

/* The registers that are read as they were written, or NULL. */
static uint8_t *pl061_plain(struct pl061 *gpio, uint64_t offset)
{
	switch (offset) {
	case GPIODIR: return &gpio->dir;
	case GPIOIS: return &gpio->is;
	case GPIOIBE: return &gpio->ibe;
	case GPIOIEV: return &gpio->iev;
	case GPIOIE: return &gpio->ie;
	case GPIOAFSEL: return &gpio->afsel;
	default: return NULL;
	}
}

uint64_t pl061_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes)
{
	struct pl061 *gpio = ctx;
	const uint8_t *state = pl061_plain(gpio, offset);

	(void)cpu;
	if (bytes > 4 || (offset & 3) != 0)
		return 0;
	if (state)
		return *state;
	if (offset < GPIODATA_END)
		return pl061_pins(gpio) & offset >> 2;
	if (offset >= GPIOIDS)
		return pl061_ids[(offset - GPIOIDS) / 4];
	switch (offset) {
	case GPIORIS: return pl061_raw(gpio);
	case GPIOMIS: return pl061_raw(gpio) & gpio->ie;
	default: return 0;
	}
}

void pl061_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes, uint64_t value)
{
	struct pl061 *gpio = ctx;
	uint8_t *state = pl061_plain(gpio, offset);
	uint8_t before = pl061_pins(gpio);

	(void)cpu;
	if (bytes > 4 || (offset & 3) != 0)
		return;
	if (state)
		*state = (uint8_t)value;
	else if (offset == GPIOIC)
		gpio->latched &= (uint8_t)~value;
	else if (offset < GPIODATA_END) {
		/* A line that is an input does not take a value. */
		uint8_t mask = (uint8_t)(offset >> 2) & gpio->dir;

		gpio->data = (gpio->data & (uint8_t)~mask) | ((uint8_t)value & mask);
	}
	pl061_update(gpio, before);
}

void pl061_state(struct pl061 *gpio, struct state *state)
{
	STATE_FIELD(state, gpio->data);
	STATE_FIELD(state, gpio->dir);
	STATE_FIELD(state, gpio->is);
	STATE_FIELD(state, gpio->ibe);
	STATE_FIELD(state, gpio->iev);
	STATE_FIELD(state, gpio->ie);
	STATE_FIELD(state, gpio->afsel);
	STATE_FIELD(state, gpio->latched);
	STATE_FIELD(state, gpio->line);
}
