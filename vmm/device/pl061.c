/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PrimeCell GPIO (PL061, Arm DDI 0190), revision r1p0. Its lines 0 and 1 are the power switch of
 * a machine without PSCI, as on QEMU's "virt" board with secure=on: power off and restart. No line
 * is driven from outside; all are pulled low.
 */
#include "device/tree.h"

#define PL061_BASE  UINT64_C(0x090b0000)
#define PL061_SIZE  0x1000
#define PL061_INTID 39

#define PL061_LINE_POWER_OFF 0
#define PL061_LINE_RESTART   1

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

struct pl061 {
	struct device device;
	uint8_t data; /* what the outputs drive */
	uint8_t dir;  /* 1: an output */
	uint8_t is, ibe, iev, ie, afsel;
	uint8_t latched; /* edges that were seen and not cleared */
	bool line;	 /* the interrupt, as last reported */
};

_Static_assert(offsetof(struct pl061, device) == 0, "one is cast to the other");

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

/* After a change. before: the pins that were high. */
static void pl061_update(struct pl061 *gpio, uint8_t before)
{
	uint8_t pins = pl061_pins(gpio);
	uint8_t rising = pins & (uint8_t)~before, falling = before & (uint8_t)~pins;
	const struct device_host *host = gpio->device.host;
	bool level;

	gpio->latched |= (uint8_t)((rising & (gpio->ibe | gpio->iev)) |
				   (falling & (gpio->ibe | (uint8_t)~gpio->iev)));
	if (rising >> PL061_LINE_POWER_OFF & 1)
		host->power(host->ctx, DEVICE_POWER_OFF);
	if (rising >> PL061_LINE_RESTART & 1)
		host->power(host->ctx, DEVICE_RESTART);
	level = (pl061_raw(gpio) & gpio->ie) != 0;
	if (level != gpio->line) {
		gpio->line = level;
		host->set_line(host->ctx, 0, PL061_INTID, level);
	}
}

/* Registers that read as written, or NULL. */
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

static uint64_t pl061_read(struct device *device, unsigned int cpu, uint64_t offset,
			   unsigned int bytes)
{
	struct pl061 *gpio = (struct pl061 *)device;
	const uint8_t *plain = pl061_plain(gpio, offset);

	(void)cpu;
	if (bytes > 4 || (offset & 3) != 0)
		return 0;
	if (plain)
		return *plain;
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

static void pl061_write(struct device *device, unsigned int cpu, uint64_t offset,
			unsigned int bytes, uint64_t value)
{
	struct pl061 *gpio = (struct pl061 *)device;
	uint8_t *plain = pl061_plain(gpio, offset);
	uint8_t before = pl061_pins(gpio);

	(void)cpu;
	if (bytes > 4 || (offset & 3) != 0)
		return;
	if (plain)
		*plain = (uint8_t)value;
	else if (offset == GPIOIC)
		gpio->latched &= (uint8_t)~value;
	else if (offset < GPIODATA_END) {
		/* An input line does not take a value. */
		uint8_t mask = (uint8_t)(offset >> 2) & gpio->dir;

		gpio->data = (gpio->data & (uint8_t)~mask) | ((uint8_t)value & mask);
	}
	pl061_update(gpio, before);
}

static void pl061_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct pl061 *gpio = (struct pl061 *)device;

	(void)cpu;
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

static bool pl061_exists(const struct device_config *config)
{
	return config->choices.levels.start == 3;
}

/* With the same status as on QEMU's "virt" board: for the firmware, not for what that starts. */
static void pl061_node(struct tree *tree, const struct device_config *config)
{
	static const struct {
		const char *node;
		uint32_t line;
	} keys[] = {{"gpio-poweroff", PL061_LINE_POWER_OFF}, {"gpio-restart", PL061_LINE_RESTART}};

	(void)config;
	tree_begin(tree, "pl061@%llx", (unsigned long long)PL061_BASE);
	tree_list(tree, "compatible", "arm,pl061\0arm,primecell");
	tree_cells(tree, "reg", TREE_TWO_CELLS(PL061_BASE), TREE_TWO_CELLS(PL061_SIZE));
	tree_flag(tree, "gpio-controller");
	tree_cells(tree, "#gpio-cells", 2);
	tree_cells(tree, "interrupts", TREE_SPI(PL061_INTID));
	tree_cells(tree, "clocks", TREE_CLOCK);
	tree_string(tree, "clock-names", "apb_pclk");
	tree_string(tree, "status", "disabled");
	tree_string(tree, "secure-status", "okay");
	tree_cells(tree, "phandle", TREE_GPIO);
	tree_end(tree);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		tree_begin(tree, "%s", keys[i].node);
		tree_string(tree, "compatible", keys[i].node);
		tree_cells(tree, "gpios", TREE_GPIO, keys[i].line, 0);
		tree_string(tree, "status", "disabled");
		tree_string(tree, "secure-status", "okay");
		tree_end(tree);
	}
}

const struct device_type device_pl061 = {
	.name = "pl061",
	.size = sizeof(struct pl061),
	.exists = pl061_exists,
	.windows = {{PL061_BASE, PL061_SIZE, false, pl061_read, pl061_write}},
	.interrupts = {PL061_INTID},
	.section = "GPIO",
	.part = "GPIO",
	.state = pl061_state,
	.node = pl061_node,
};
