// SPDX-License-Identifier: BSD-2-Clause
/* The generic timers: see timer.h. */
#include <string.h>
#include <vspe/sysreg.h>

#include "arm/encoding.h"
#include "device/timer.h"

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

static const struct {
	uint16_t tval; /* encoding */
	uint8_t intid;
} timer_kinds[TIMER_KINDS] = {
	[TIMER_PHYSICAL] = {SYSREG_ENCODING(3, 3, 14, 2, 0), 30},
	[TIMER_VIRTUAL] = {SYSREG_ENCODING(3, 3, 14, 3, 0), 27},
	[TIMER_HYP_PHYSICAL] = {SYSREG_ENCODING(3, 4, 14, 2, 0), 26},
	[TIMER_HYP_VIRTUAL] = {SYSREG_ENCODING(3, 4, 14, 3, 0), 28},
	[TIMER_SECURE] = {SYSREG_ENCODING(3, 7, 14, 2, 0), 29},
	[TIMER_HYP_SECURE_PHYSICAL] = {SYSREG_ENCODING(3, 4, 14, 5, 0), 20},
	[TIMER_HYP_SECURE_VIRTUAL] = {SYSREG_ENCODING(3, 4, 14, 4, 0), 19},
};

#define CNT_CTL_ENABLE	(1u << 0)
#define CNT_CTL_IMASK	(1u << 1)
#define CNT_CTL_ISTATUS (1u << 2)

void timer_reset(struct timer_cpu *cpu)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->frequency = TIMER_FREQUENCY;
}

void timer_reset_offsets(struct timer_cpu *cpu)
{
	for (unsigned int i = 0; i < TIMER_KINDS; i++)
		cpu->timer[i].offset = 0;
}

unsigned int timer_intid(enum timer_kind kind)
{
	return timer_kinds[kind].intid;
}

/* ISTATUS is UNKNOWN while disabled: zero here. The counts are unsigned and wrap. */
static bool timer_condition(const struct timer *timer, uint64_t now)
{
	return timer->enable && now - timer->offset >= timer->cval;
}

bool timer_level(const struct timer *timer, uint64_t now)
{
	return timer_condition(timer, now) && !timer->imask;
}

/*
 * A line rises when the timer's count reaches cval. With an offset above the counter the count is
 * just below 2^64, and the line may be high until it wraps.
 */
uint64_t timer_deadline(const struct timer_cpu *cpu, uint64_t now)
{
	uint64_t deadline = TIMER_NEVER;

	for (unsigned int i = 0; i < TIMER_KINDS; i++) {
		const struct timer *timer = &cpu->timer[i];
		uint64_t met = timer->offset + timer->cval;

		if (!timer->enable || timer->imask)
			continue;
		if (met > now && met < deadline)
			deadline = met;
		if (timer->offset > now && timer->offset < deadline)
			deadline = timer->offset;
	}
	return deadline;
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
		uint32_t distance = encoding - timer_kinds[kind].tval;

		if (distance < TIMER_PLACES) {
			*place = (enum timer_place)distance;
			break;
		}
	}
	return (enum timer_kind)kind;
}

bool timer_read(const struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t *value)
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

bool timer_write(struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t value)
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

void timer_state(struct timer_cpu *cpu, struct state *state)
{
	STATE_UP_TO(state, cpu->frequency, UINT32_MAX);
	for (unsigned int i = 0; i < TIMER_KINDS; i++) {
		struct timer *timer = &cpu->timer[i];

		STATE_FIELD(state, timer->cval);
		STATE_FIELD(state, timer->offset);
		STATE_FIELD(state, timer->enable);
		STATE_FIELD(state, timer->imask);
	}
}
