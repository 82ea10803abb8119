// SPDX-License-Identifier: BSD-2-Clause
/* The generic timers (Arm ARM D12): compare values, conditions, masks and deadlines. */
#include <criterion/criterion.h>
#include <vspe/sysreg.h>

#include "machine/timer.h"

#define CNTFRQ	  SYSREG_ENCODING(3, 3, 14, 0, 0)
#define CNTPCT	  SYSREG_ENCODING(3, 3, 14, 0, 1)
#define CNTVCT	  SYSREG_ENCODING(3, 3, 14, 0, 2)
#define CNTP_TVAL SYSREG_ENCODING(3, 3, 14, 2, 0)
#define CNTP_CTL  SYSREG_ENCODING(3, 3, 14, 2, 1)
#define CNTP_CVAL SYSREG_ENCODING(3, 3, 14, 2, 2)
#define CNTV_TVAL SYSREG_ENCODING(3, 3, 14, 3, 0)
#define CNTV_CTL  SYSREG_ENCODING(3, 3, 14, 3, 1)
#define CNTV_CVAL SYSREG_ENCODING(3, 3, 14, 3, 2)

static struct timer_cpu cpu;

static uint64_t get(uint32_t reg, uint64_t now)
{
	uint64_t value = 0;

	cr_assert(timer_read(&cpu, reg, now, &value));
	return value;
}

static void set(uint32_t reg, uint64_t now, uint64_t value)
{
	cr_assert(timer_write(&cpu, reg, now, value));
}

static void setup(void)
{
	timer_reset(&cpu);
}

TestSuite(timer, .init = setup);

Test(timer, counters_are_the_time_and_read_only)
{
	cr_assert_eq(get(CNTPCT, 123456), 123456);
	cr_assert_eq(get(CNTVCT, 123456), 123456);
	cr_assert_eq(get(CNTFRQ, 0), 1000000000);
	cr_assert_not(timer_write(&cpu, CNTPCT, 0, 0));
	cr_assert_not(timer_write(&cpu, CNTVCT, 0, 0));
}

Test(timer, tval_is_the_signed_distance_to_cval)
{
	set(CNTP_TVAL, 1000, 50);
	cr_assert_eq(get(CNTP_CVAL, 1000), 1050);
	cr_assert_eq(get(CNTP_TVAL, 1060), 0xfffffff6, "32 bits of -10");
	set(CNTP_TVAL, 1000, 0xffffffff);
	cr_assert_eq(get(CNTP_CVAL, 1000), 999, "a TVAL is signed");
	set(CNTV_TVAL, 0, 7);
	cr_assert_eq(get(CNTV_CVAL, 0), 7);
	cr_assert_eq(get(CNTP_CVAL, 0), 999, "timers are separate");
}

Test(timer, istatus_from_the_compare_value_on)
{
	set(CNTP_CVAL, 0, 100);
	cr_assert_eq(get(CNTP_CTL, 200), 0, "disabled");
	set(CNTP_CTL, 0, 1);
	cr_assert_eq(get(CNTP_CTL, 99), 1);
	cr_assert_eq(get(CNTP_CTL, 100), 5);
	set(CNTP_CTL, 0, 7);
	cr_assert_eq(get(CNTP_CTL, 99), 3, "ISTATUS is read-only");
	cr_assert_eq(get(CNTP_CTL, 100), 7, "IMASK does not hide it");
}

Test(timer, level_needs_enable_condition_and_no_mask)
{
	set(CNTV_CVAL, 0, 100);
	cr_assert_not(timer_level(&cpu.timer[TIMER_VIRTUAL], 100));
	set(CNTV_CTL, 0, 1);
	cr_assert(timer_level(&cpu.timer[TIMER_VIRTUAL], 100));
	cr_assert_not(timer_level(&cpu.timer[TIMER_VIRTUAL], 99));
	cr_assert_not(timer_level(&cpu.timer[TIMER_PHYSICAL], 100));
	set(CNTV_CTL, 0, 3);
	cr_assert_not(timer_level(&cpu.timer[TIMER_VIRTUAL], 100));
}

Test(timer, deadline_is_the_next_rising_line)
{
	cr_assert_eq(timer_deadline(&cpu, 0), TIMER_NEVER);
	set(CNTP_CVAL, 0, 300);
	set(CNTP_CTL, 0, 1);
	set(CNTV_CVAL, 0, 200);
	set(CNTV_CTL, 0, 1);
	cr_assert_eq(timer_deadline(&cpu, 100), 200);
	cr_assert_eq(timer_deadline(&cpu, 200), 300, "what has risen is no deadline");
	cr_assert_eq(timer_deadline(&cpu, 300), TIMER_NEVER);
	set(CNTP_CTL, 0, 3);
	cr_assert_eq(timer_deadline(&cpu, 200), TIMER_NEVER, "masked");
}

Test(timer, unknown_registers)
{
	uint64_t value;

	cr_assert_not(timer_read(&cpu, SYSREG_ENCODING(3, 3, 14, 0, 5), 0, &value), "no FEAT_ECV");
	cr_assert_not(timer_write(&cpu, SYSREG_ENCODING(3, 7, 14, 2, 0), 0, 0), "no CNTPS");
}
