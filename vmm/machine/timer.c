// SPDX-License-Identifier: BSD-2-Clause
/* The generic timers: see timer.h. */
#include <string.h>
#include <vspe/sysreg.h>

#include "machine/timer.h"

enum timer_register {
	CNTFRQ = SYSREG_ENCODING(3, 3, 14, 0, 0),
	CNTPCT = SYSREG_ENCODING(3, 3, 14, 0, 1),
	CNTVCT = SYSREG_ENCODING(3, 3, 14, 0, 2),
	CNTP_TVAL = SYSREG_ENCODING(3, 3, 14, 2, 0),
	CNTP_CTL = SYSREG_ENCODING(3, 3, 14, 2, 1),
	CNTP_CVAL = SYSREG_ENCODING(3, 3, 14, 2, 2),
	CNTV_TVAL = SYSREG_ENCODING(3, 3, 14, 3, 0),
	CNTV_CTL = SYSREG_ENCODING(3, 3, 14, 3, 1),
	CNTV_CVAL = SYSREG_ENCODING(3, 3, 14, 3, 2),
};

#define CNT_CTL_ENABLE	(1u << 0)
#define CNT_CTL_IMASK	(1u << 1)
#define CNT_CTL_ISTATUS (1u << 2)

void timer_reset(struct timer_cpu *cpu)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->frequency = TIMER_FREQUENCY;
}

/* ISTATUS is UNKNOWN while disabled: zero here. */
static bool timer_condition(const struct timer *timer, uint64_t now)
{
	return timer->enable && now >= timer->cval;
}

bool timer_level(const struct timer *timer, uint64_t now)
{
	return timer_condition(timer, now) && !timer->imask;
}

uint64_t timer_deadline(const struct timer_cpu *cpu, uint64_t now)
{
	uint64_t deadline = TIMER_NEVER;

	for (unsigned int i = 0; i < TIMER_KINDS; i++) {
		const struct timer *timer = &cpu->timer[i];

		if (timer->enable && !timer->imask && timer->cval > now && timer->cval < deadline)
			deadline = timer->cval;
	}
	return deadline;
}

/* CNTx_CTL and friends of one timer by their place in the group: 0 TVAL, 1 CTL, 2 CVAL. */
static uint64_t timer_read_one(const struct timer *timer, unsigned int place, uint64_t now)
{
	switch (place) {
	case 0: return (timer->cval - now) & 0xffffffff;
	case 1:
		return (timer->enable ? CNT_CTL_ENABLE : 0) | (timer->imask ? CNT_CTL_IMASK : 0) |
		       (timer_condition(timer, now) ? CNT_CTL_ISTATUS : 0);
	default: return timer->cval;
	}
}

static void timer_write_one(struct timer *timer, unsigned int place, uint64_t now, uint64_t value)
{
	switch (place) {
	case 0: timer->cval = now + (uint64_t)(int64_t)(int32_t)value; break;
	case 1:
		timer->enable = value & CNT_CTL_ENABLE;
		timer->imask = value & CNT_CTL_IMASK;
		break;
	default: timer->cval = value; break;
	}
}

bool timer_read(const struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t *value)
{
	switch (encoding) {
	case CNTFRQ: *value = cpu->frequency; break;
	case CNTPCT:
	case CNTVCT: *value = now; break;
	case CNTP_TVAL:
	case CNTP_CTL:
	case CNTP_CVAL:
		*value = timer_read_one(&cpu->timer[TIMER_PHYSICAL], encoding - CNTP_TVAL, now);
		break;
	case CNTV_TVAL:
	case CNTV_CTL:
	case CNTV_CVAL:
		*value = timer_read_one(&cpu->timer[TIMER_VIRTUAL], encoding - CNTV_TVAL, now);
		break;
	default: return false;
	}
	return true;
}

bool timer_write(struct timer_cpu *cpu, uint32_t encoding, uint64_t now, uint64_t value)
{
	switch (encoding) {
	case CNTFRQ: cpu->frequency = value & 0xffffffff; break;
	case CNTP_TVAL:
	case CNTP_CTL:
	case CNTP_CVAL:
		timer_write_one(&cpu->timer[TIMER_PHYSICAL], encoding - CNTP_TVAL, now, value);
		break;
	case CNTV_TVAL:
	case CNTV_CTL:
	case CNTV_CVAL:
		timer_write_one(&cpu->timer[TIMER_VIRTUAL], encoding - CNTV_TVAL, now, value);
		break;
	default: return false;
	}
	return true;
}
