/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generic timers of every vCPU on one system counter (Arm ARM, chapter D12). The counter is the
 * machine's virtual time, at a nominal 1 GHz: machine/clocks.c says how it advances.
 *
 * The engine decides which registers exist at an Exception level, and which of two a name means
 * there (engine.h). Here all of them exist.
 */
#include "device/timer.h"

#include <string.h>

#include "arm/registers.h"
#include "base/assertion.h"
#include "device/device.h"
#include "device/acpi.h"
#include "device/tree.h"

enum timer_kind {
	TIMER_PHYSICAL,		   /* CNTP_*_EL0 */
	TIMER_VIRTUAL,		   /* CNTV_*_EL0 */
	TIMER_HYP_PHYSICAL,	   /* CNTHP_*_EL2 */
	TIMER_HYP_VIRTUAL,	   /* CNTHV_*_EL2 */
	TIMER_SECURE,		   /* CNTPS_*_EL1, EL3's */
	TIMER_HYP_SECURE_PHYSICAL, /* CNTHPS_*_EL2 */
	TIMER_HYP_SECURE_VIRTUAL,  /* CNTHVS_*_EL2 */
	TIMER_KINDS
};

/* A line as it was last set. It is only set when it changes. */
enum timer_line { TIMER_LOW, TIMER_HIGH, TIMER_UNKNOWN };

struct timer {
	uint64_t cval;
	/*
	 * How far its count lags the system counter: the effective CNTVOFF_EL2 and CNTPOFF_EL2 for
	 * the EL1 timers, zero for the others.
	 */
	uint64_t offset;
	bool enable, imask;
	uint8_t line; /* enum timer_line; not saved */
};

struct timer_cpu {
	uint64_t frequency; /* CNTFRQ_EL0: software's value; changes nothing */
	struct timer timer[TIMER_KINDS];
};

struct timers {
	struct device device;
	struct timer_cpu cpu[DEVICE_MAX_CPUS];
};

_Static_assert(offsetof(struct timers, device) == 0, "one is cast to the other");

enum timer_register {
	CNTFRQ = SYSREG_ENCODING(3, 3, 14, 0, 0),
	CNTPCT = SYSREG_ENCODING(3, 3, 14, 0, 1),
	CNTVCT = SYSREG_ENCODING(3, 3, 14, 0, 2),
	CNTPCTSS = SYSREG_ENCODING(3, 3, 14, 0, 5),
	CNTVCTSS = SYSREG_ENCODING(3, 3, 14, 0, 6),
	CNTVOFF = SYSREG_ENCODING(3, 4, 14, 0, 3),
	CNTPOFF = SYSREG_ENCODING(3, 4, 14, 0, 6),
};

/* A timer's three registers have consecutive encodings. */
enum timer_place { TIMER_TVAL, TIMER_CTL, TIMER_CVAL, TIMER_PLACES };

/* The encoding of the first register of each timer. */
static const uint16_t timer_tval[TIMER_KINDS] = {
	[TIMER_PHYSICAL] = SYSREG_ENCODING(3, 3, 14, 2, 0),
	[TIMER_VIRTUAL] = SYSREG_ENCODING(3, 3, 14, 3, 0),
	[TIMER_HYP_PHYSICAL] = SYSREG_ENCODING(3, 4, 14, 2, 0),
	[TIMER_HYP_VIRTUAL] = SYSREG_ENCODING(3, 4, 14, 3, 0),
	[TIMER_SECURE] = SYSREG_ENCODING(3, 7, 14, 2, 0),
	[TIMER_HYP_SECURE_PHYSICAL] = SYSREG_ENCODING(3, 4, 14, 5, 0),
	[TIMER_HYP_SECURE_VIRTUAL] = SYSREG_ENCODING(3, 4, 14, 4, 0),
};

/* ISTATUS is UNKNOWN while disabled: here it is zero. The counts are unsigned and wrap. */
static bool timer_condition(const struct timer *timer, uint64_t now)
{
	return timer->enable && now - timer->offset >= timer->cval;
}

static bool timer_level(const struct timer *timer, uint64_t now)
{
	return timer_condition(timer, now) && !timer->imask;
}

/*
 * When the line changes next, above now, or DEVICE_NEVER. It rises when the timer's count reaches
 * cval. With an offset above the counter the count is just below 2^64, and the line may be high
 * until the count wraps.
 */
static uint64_t timer_next(const struct timer *timer, uint64_t now)
{
	const uint64_t met = timer->offset + timer->cval;
	uint64_t next = DEVICE_NEVER;

	if (!timer->enable || timer->imask)
		return next;
	if (met > now)
		next = met;
	if (timer->offset > now && timer->offset < next)
		next = timer->offset;
	return next;
}

static uint64_t timer_read_one(const struct timer *timer, enum timer_place place, uint64_t now)
{
	switch (place) {
	case TIMER_TVAL: return (timer->cval - (now - timer->offset)) & 0xffffffff;
	case TIMER_CTL:
		return (timer->enable ? CNT_CTL_ENABLE : 0) | (timer->imask ? CNT_CTL_IMASK : 0) |
		       (timer_condition(timer, now) ? CNT_CTL_ISTATUS : 0);
	default: return timer->cval;
	}
}

static void timer_write_one(struct timer *timer, enum timer_place place, uint64_t now,
			    uint64_t value)
{
	switch (place) {
	case TIMER_TVAL:
		timer->cval = now - timer->offset + (uint64_t)(int64_t)(int32_t)value;
		break;
	case TIMER_CTL:
		timer->enable = value & CNT_CTL_ENABLE;
		timer->imask = value & CNT_CTL_IMASK;
		break;
	default: timer->cval = value; break;
	}
}

/* The timer that a register belongs to, and its place there; TIMER_KINDS for none. */
static enum timer_kind timer_find(uint32_t encoding, enum timer_place *place)
{
	unsigned int kind;

	for (kind = 0; kind < TIMER_KINDS; kind++) {
		uint32_t distance = encoding - timer_tval[kind];

		if (distance < TIMER_PLACES) {
			*place = (enum timer_place)distance;
			break;
		}
	}
	return (enum timer_kind)kind;
}

/* The CNT* registers of a vCPU at counter value now. False: no such register. */
static bool timer_read(const struct timer_cpu *cpu, uint32_t encoding, uint64_t now,
		       uint64_t *value)
{
	enum timer_place place = TIMER_CVAL;
	enum timer_kind kind;

	switch (encoding) {
	case CNTFRQ: *value = cpu->frequency; break;
	case CNTPCT:
	case CNTPCTSS: *value = now; break;
	case CNTVCT:
	case CNTVCTSS: *value = now - cpu->timer[TIMER_VIRTUAL].offset; break;
	case CNTVOFF: *value = cpu->timer[TIMER_VIRTUAL].offset; break;
	case CNTPOFF: *value = cpu->timer[TIMER_PHYSICAL].offset; break;
	default:
		kind = timer_find(encoding, &place);
		if (kind == TIMER_KINDS)
			return false;
		*value = timer_read_one(&cpu->timer[kind], place, now);
		break;
	}
	return true;
}

static bool timer_write(struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t value)
{
	enum timer_place place = TIMER_CVAL;
	enum timer_kind kind;

	switch (encoding) {
	case CNTFRQ: cpu->frequency = value & 0xffffffff; break;
	case CNTVOFF: cpu->timer[TIMER_VIRTUAL].offset = value; break;
	case CNTPOFF: cpu->timer[TIMER_PHYSICAL].offset = value; break;
	default:
		kind = timer_find(encoding, &place);
		if (kind == TIMER_KINDS)
			return false;
		timer_write_one(&cpu->timer[kind], place, now, value);
		break;
	}
	return true;
}

static void timer_update(struct device *device, unsigned int cpu, uint64_t now)
{
	struct timer_cpu *timers = &((struct timers *)device)->cpu[cpu];
	const struct device_host *host = device->host;

	for (unsigned int kind = 0; kind < TIMER_KINDS; kind++) {
		struct timer *timer = &timers->timer[kind];
		const bool level = timer_level(timer, now);

		if (timer->line == (level ? TIMER_HIGH : TIMER_LOW))
			continue;
		timer->line = level ? TIMER_HIGH : TIMER_LOW;
		host->set_line(host->ctx, cpu, device_timer.interrupts[kind], level);
	}
}

static uint64_t timer_deadline(const struct device *device, unsigned int cpu, uint64_t now)
{
	const struct timer_cpu *timers = &((const struct timers *)device)->cpu[cpu];
	uint64_t deadline = DEVICE_NEVER;

	for (unsigned int kind = 0; kind < TIMER_KINDS; kind++) {
		const uint64_t next = timer_next(&timers->timer[kind], now);

		vspe_assert_of(next > now, next, now);
		if (next < deadline)
			deadline = next;
	}
	return deadline;
}

static bool timer_sysreg_read(struct device *device, unsigned int cpu, uint32_t encoding,
			      uint64_t *value)
{
	const struct timers *timers = (const struct timers *)device;
	const struct device_host *host = device->host;

	return timer_read(&timers->cpu[cpu], encoding, host->read_counter(host->ctx, cpu), value);
}

static bool timer_sysreg_write(struct device *device, unsigned int cpu, uint32_t encoding,
			       uint64_t value)
{
	struct timers *timers = (struct timers *)device;
	const struct device_host *host = device->host;
	const uint64_t now = host->read_counter(host->ctx, cpu);

	if (!timer_write(&timers->cpu[cpu], encoding, now, value))
		return false;
	timer_update(device, cpu, now);
	host->reschedule(host->ctx, cpu);
	return true;
}

/*
 * The timers are always on. A warm reset of the PE only clears the offsets, which are registers of
 * its EL2.
 */
static void timer_reset_cpu(struct device *device, unsigned int index, bool cold)
{
	struct timer_cpu *cpu = &((struct timers *)device)->cpu[index];

	if (cold)
		cpu->frequency = device->config->choices.counter_hz;
	for (unsigned int kind = 0; kind < TIMER_KINDS; kind++) {
		struct timer *timer = &cpu->timer[kind];

		if (cold)
			*timer = (struct timer){.line = timer->line};
		timer->offset = 0;
	}
}

static void timer_reset(struct device *device)
{
	for (unsigned int i = 0; i < device->config->choices.cpus; i++)
		timer_reset_cpu(device, i, true);
}

static void timer_state(struct device *device, unsigned int index, struct state *state)
{
	struct timer_cpu *cpu = &((struct timers *)device)->cpu[index];

	STATE_UP_TO(state, cpu->frequency, UINT32_MAX);
	for (unsigned int i = 0; i < TIMER_KINDS; i++) {
		struct timer *timer = &cpu->timer[i];

		STATE_FIELD(state, timer->cval);
		STATE_FIELD(state, timer->offset);
		STATE_FIELD(state, timer->enable);
		STATE_FIELD(state, timer->imask);
		timer->line = TIMER_UNKNOWN;
	}
}

/*
 * The order of interrupts in the binding: secure physical, physical, virtual, hypervisor physical
 * and, with FEAT_VHE, hypervisor virtual.
 */
static void timer_node(struct tree *tree, const struct device_config *config)
{
	static const enum timer_kind order[] = {TIMER_SECURE, TIMER_PHYSICAL, TIMER_VIRTUAL,
						TIMER_HYP_PHYSICAL, TIMER_HYP_VIRTUAL};
	const size_t count = config->choices.levels.start >= 2 ? 5 : 4;
	uint32_t cells[5 * 3];

	for (size_t i = 0; i < count; i++) {
		const uint32_t interrupt[] = {
			TREE_PPI(device_timer.interrupts[order[i]], tree_ppi_mask(config))};

		memcpy(&cells[3 * i], interrupt, sizeof(interrupt));
	}
	tree_begin(tree, "timer");
	tree_string(tree, "compatible", "arm,armv8-timer");
	tree_flag(tree, "always-on");
	tree_cells_of(tree, "interrupts", cells, 3 * count);
	tree_end(tree);
}

#define GTDT_ALWAYS_ON	4u /* level-sensitive, active high */
#define GTDT_NO_ADDRESS UINT64_MAX

/* GTDT (ACPI 6.3, 5.2.24). It has those of EL2 if the device tree does. */
static void timer_gtdt(struct acpi *acpi, const struct device_config *config)
{
	static const enum timer_kind order[] = {TIMER_SECURE, TIMER_PHYSICAL, TIMER_VIRTUAL,
						TIMER_HYP_PHYSICAL};
	const uint16_t *intids = device_timer.interrupts;

	acpi_u64(acpi, GTDT_NO_ADDRESS);
	acpi_u32(acpi, 0);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		acpi_u32(acpi, intids[order[i]]);
		acpi_u32(acpi, GTDT_ALWAYS_ON);
	}
	acpi_u64(acpi, GTDT_NO_ADDRESS);
	acpi_u32(acpi, 0); /* platform timers, and their offset */
	acpi_u32(acpi, 0);
	acpi_u32(acpi, config->choices.levels.start >= 2 ? intids[TIMER_HYP_VIRTUAL] : 0);
	acpi_u32(acpi, GTDT_ALWAYS_ON);
}

const struct device_type device_timer = {
	.name = "timer",
	.size = sizeof(struct timers),
	.of_engine = true,
	.of_pe = true,
	/* The PPIs of Arm's Base System Architecture. */
	.interrupts = {[TIMER_PHYSICAL] = 30,
		       [TIMER_VIRTUAL] = 27,
		       [TIMER_HYP_PHYSICAL] = 26,
		       [TIMER_HYP_VIRTUAL] = 28,
		       [TIMER_SECURE] = 29,
		       [TIMER_HYP_SECURE_PHYSICAL] = 20,
		       [TIMER_HYP_SECURE_VIRTUAL] = 19},
	.sysregs = {{DEVICE_CRN_MASK | DEVICE_CRM_HIGH, SYSREG_ENCODING(0, 0, 14, 0, 0)}},
	.sysreg_read = timer_sysreg_read,
	.sysreg_write = timer_sysreg_write,
	.reset = timer_reset,
	.reset_cpu = timer_reset_cpu,
	.update_cpu = timer_update,
	.deadline_cpu = timer_deadline,
	.section = "TIME",
	.part = "timers",
	.state = timer_state,
	.node = timer_node,
	.table = {"GTDT", 3, timer_gtdt},
};
