/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PrimeCell real-time clock (PL031, Arm DDI 0224), revision r1p0. It counts seconds of the
 * guest's time from --rtc on, so that the date is the same in every run. A reset starts again from
 * there.
 */
#include "device/timer.h"
#include "device/tree.h"

#define PL031_BASE  UINT64_C(0x09010000)
#define PL031_SIZE  0x1000
#define PL031_INTID 34

#define RTCDR	0x000
#define RTCMR	0x004
#define RTCLR	0x008
#define RTCCR	0x00c
#define RTCIMSC 0x010
#define RTCRIS	0x014
#define RTCMIS	0x018
#define RTCICR	0x01c
#define RTCIDS	0xfe0

#define CR_START 1u /* the clock runs after reset, and only a reset stops it */
#define INT_RTC	 1u

/* RTCPeriphID0 to 3: part 0x031, designer Arm, r1p0; RTCPCellID0 to 3. */
static const uint8_t pl031_ids[8] = {0x31, 0x10, 0x04, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

struct pl031 {
	struct device device;
	uint32_t offset; /* RTCDR when the system counter is 0 */
	uint32_t load, match;
	uint64_t alarm; /* of the system counter, when RTCDR equals match; or DEVICE_NEVER */
	bool mask, raw; /* RTCIMSC, RTCRIS */
	bool line;	/* the interrupt, as last reported */
};

_Static_assert(offsetof(struct pl031, device) == 0, "one is cast to the other");

static void pl031_reset(struct device *device)
{
	struct pl031 *rtc = (struct pl031 *)device;

	rtc->offset = rtc->load = device->config->choices.rtc;
	rtc->alarm = DEVICE_NEVER;
}

static uint32_t pl031_count(const struct pl031 *rtc, uint64_t now)
{
	return rtc->offset + (uint32_t)(now / rtc->device.config->choices.counter_hz);
}

static void pl031_update(struct device *device, uint64_t now)
{
	struct pl031 *rtc = (struct pl031 *)device;
	bool level;

	if (now >= rtc->alarm) {
		rtc->raw = true;
		rtc->alarm = DEVICE_NEVER;
	}
	level = rtc->raw && rtc->mask;
	if (level != rtc->line) {
		rtc->line = level;
		device->host->set_line(device->host->ctx, 0, PL031_INTID, level);
	}
}

/* A masked alarm needs no deadline: pl031_update() finds it later. */
static uint64_t pl031_deadline(const struct device *device, uint64_t now)
{
	const struct pl031 *rtc = (const struct pl031 *)device;

	return rtc->mask && rtc->alarm > now ? rtc->alarm : DEVICE_NEVER;
}

/* RTCMR or RTCLR was written: the interrupt comes when they are equal, which may be at once. */
static void pl031_set_alarm(struct pl031 *rtc, uint64_t now)
{
	const uint32_t seconds = rtc->match - pl031_count(rtc, now);
	const uint64_t hz = rtc->device.config->choices.counter_hz;

	rtc->alarm = seconds == 0 ? now : (now / hz + seconds) * hz;
}

static uint64_t pl031_read(struct device *device, unsigned int cpu, uint64_t offset,
			   unsigned int bytes)
{
	struct pl031 *rtc = (struct pl031 *)device;
	const uint64_t now = device->host->now(device->host->ctx);

	(void)cpu;
	if (bytes > 4 || (offset & 3) != 0)
		return 0;
	if (offset >= RTCIDS)
		return pl031_ids[(offset - RTCIDS) / 4];
	pl031_update(device, now);
	switch (offset) {
	case RTCDR: return pl031_count(rtc, now);
	case RTCMR: return rtc->match;
	case RTCLR: return rtc->load;
	case RTCCR: return CR_START;
	case RTCIMSC: return rtc->mask;
	case RTCRIS: return rtc->raw;
	case RTCMIS: return rtc->raw && rtc->mask;
	default: return 0;
	}
}

static void pl031_write(struct device *device, unsigned int cpu, uint64_t offset,
			unsigned int bytes, uint64_t value)
{
	struct pl031 *rtc = (struct pl031 *)device;
	const uint64_t now = device->host->now(device->host->ctx);

	if (bytes > 4 || (offset & 3) != 0)
		return;
	pl031_update(device, now);
	switch (offset) {
	case RTCMR:
		rtc->match = (uint32_t)value;
		pl031_set_alarm(rtc, now);
		break;
	case RTCLR:
		rtc->load = (uint32_t)value;
		rtc->offset += rtc->load - pl031_count(rtc, now);
		pl031_set_alarm(rtc, now);
		break;
	case RTCIMSC: rtc->mask = value & INT_RTC; break;
	case RTCICR:
		if (value & INT_RTC)
			rtc->raw = false;
		break;
	default: return;
	}
	pl031_update(device, now);
	device->host->reschedule(device->host->ctx, cpu);
}

static void pl031_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct pl031 *rtc = (struct pl031 *)device;

	(void)cpu;
	STATE_FIELD(state, rtc->offset);
	STATE_FIELD(state, rtc->load);
	STATE_FIELD(state, rtc->match);
	STATE_FIELD(state, rtc->alarm);
	STATE_FIELD(state, rtc->mask);
	STATE_FIELD(state, rtc->raw);
	STATE_FIELD(state, rtc->line);
}

static void pl031_node(struct tree *tree, const struct device_config *config)
{
	(void)config;
	tree_begin(tree, "pl031@%llx", (unsigned long long)PL031_BASE);
	tree_list(tree, "compatible", "arm,pl031\0arm,primecell");
	tree_cells(tree, "reg", TREE_TWO_CELLS(PL031_BASE), TREE_TWO_CELLS(PL031_SIZE));
	tree_cells(tree, "interrupts", TREE_SPI(PL031_INTID));
	tree_cells(tree, "clocks", TREE_CLOCK);
	tree_string(tree, "clock-names", "apb_pclk");
	tree_end(tree);
}

const struct device_type device_pl031 = {
	.name = "pl031",
	.size = sizeof(struct pl031),
	.windows = {{PL031_BASE, PL031_SIZE, false, pl031_read, pl031_write}},
	.interrupts = {PL031_INTID},
	.reset = pl031_reset,
	.update = pl031_update,
	.deadline = pl031_deadline,
	.section = "RTC ",
	.part = "real-time clock",
	.since = 4,
	.state = pl031_state,
	.node = pl031_node,
};
