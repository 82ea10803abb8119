/* SPDX-License-Identifier: BSD-2-Clause */
/* The generic timers (Arm ARM D12): compare values, conditions, masks and deadlines. */

#include "../compare.h"
#include "arm/encoding.h"
#include "device_fixture.h"

#define CNTFRQ	  SYSREG_ENCODING(3, 3, 14, 0, 0)
#define CNTPCT	  SYSREG_ENCODING(3, 3, 14, 0, 1)
#define CNTVCT	  SYSREG_ENCODING(3, 3, 14, 0, 2)
#define CNTP_TVAL SYSREG_ENCODING(3, 3, 14, 2, 0)
#define CNTP_CTL  SYSREG_ENCODING(3, 3, 14, 2, 1)
#define CNTP_CVAL SYSREG_ENCODING(3, 3, 14, 2, 2)
#define CNTV_TVAL SYSREG_ENCODING(3, 3, 14, 3, 0)
#define CNTV_CTL  SYSREG_ENCODING(3, 3, 14, 3, 1)
#define CNTV_CVAL SYSREG_ENCODING(3, 3, 14, 3, 2)
#define CNTPCTSS  SYSREG_ENCODING(3, 3, 14, 0, 5)
#define CNTVCTSS  SYSREG_ENCODING(3, 3, 14, 0, 6)
#define CNTVOFF	  SYSREG_ENCODING(3, 4, 14, 0, 3)
#define CNTPOFF	  SYSREG_ENCODING(3, 4, 14, 0, 6)

#define PPI_PHYSICAL 30
#define PPI_VIRTUAL  27

static struct device *timer;

static bool read_register(uint32_t reg, uint64_t now, uint64_t *value)
{
	host_now = now;
	return device_timer.sysreg_read(timer, 0, reg, value);
}

static bool write_register(uint32_t reg, uint64_t now, uint64_t value)
{
	host_now = now;
	return device_timer.sysreg_write(timer, 0, reg, value);
}

static uint64_t get(uint32_t reg, uint64_t now)
{
	uint64_t value = 0;

	cr_assert(read_register(reg, now, &value));
	return value;
}

static void set(uint32_t reg, uint64_t now, uint64_t value)
{
	cr_assert(write_register(reg, now, value));
}

static bool level(unsigned int intid, uint64_t now)
{
	device_timer.update_cpu(timer, 0, now);
	return host_line[0][intid];
}

static uint64_t deadline(uint64_t now)
{
	return device_timer.deadline_cpu(timer, 0, now);
}

static void setup(void)
{
	device_free(timer);
	timer = make_device(&device_timer, 1);
}

TestSuite(timer, .init = setup);

Test(timer, counters_are_the_time_and_read_only)
{
	cr_assert_eq(get(CNTPCT, 123456), 123456);
	cr_assert_eq(get(CNTVCT, 123456), 123456);
	cr_assert_eq(get(CNTFRQ, 0), 1000000000);
	cr_assert_not(write_register(CNTPCT, 0, 0));
	cr_assert_not(write_register(CNTVCT, 0, 0));
}

Test(timer, the_frequency_is_the_machines)
{
	host_config.choices.counter_hz = 4000000000;
	setup();
	cr_assert_eq(get(CNTFRQ, 0), 4000000000);
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
	cr_assert_not(level(PPI_VIRTUAL, 100));
	set(CNTV_CTL, 0, 1);
	cr_assert(level(PPI_VIRTUAL, 100));
	cr_assert_not(level(PPI_VIRTUAL, 99));
	cr_assert_not(level(PPI_PHYSICAL, 100));
	set(CNTV_CTL, 0, 3);
	cr_assert_not(level(PPI_VIRTUAL, 100));
}

Test(timer, deadline_is_the_next_rising_line)
{
	cr_assert_eq(deadline(0), DEVICE_NEVER);
	set(CNTP_CVAL, 0, 300);
	set(CNTP_CTL, 0, 1);
	set(CNTV_CVAL, 0, 200);
	set(CNTV_CTL, 0, 1);
	cr_assert_eq(deadline(100), 200);
	cr_assert_eq(deadline(200), 300, "what has risen is no deadline");
	cr_assert_eq(deadline(300), DEVICE_NEVER);
	set(CNTP_CTL, 0, 3);
	cr_assert_eq(deadline(200), DEVICE_NEVER, "masked");
}

/* The timers by the encoding of CNTx_TVAL, and their PPIs (BSA, and the offsets of D12.2). */
static const struct {
	uint32_t tval;
	unsigned int intid;
	uint32_t offset; /* the register that sets its offset, or 0 */
} kinds[] = {
	{CNTP_TVAL, 30, CNTPOFF},
	{CNTV_TVAL, 27, CNTVOFF},
	{SYSREG_ENCODING(3, 4, 14, 2, 0), 26, 0},
	{SYSREG_ENCODING(3, 4, 14, 3, 0), 28, 0},
	{SYSREG_ENCODING(3, 4, 14, 4, 0), 19, 0},
	{SYSREG_ENCODING(3, 4, 14, 5, 0), 20, 0},
	{SYSREG_ENCODING(3, 7, 14, 2, 0), 29, 0},
};

#define KINDS ARRAY_SIZE(kinds)

Test(timer, every_timer_is_one_of_its_own)
{
	for (size_t i = 0; i < KINDS; i++) {
		setup();
		set(kinds[i].tval, 1000, 50);
		set(kinds[i].tval + 1, 1000, 1);
		cr_assert_eq(get(kinds[i].tval + 2, 1000), 1050);
		cr_assert_eq(deadline(1000), 1050);
		for (size_t j = 0; j < KINDS; j++) {
			cr_assert_eq(get(kinds[j].tval + 1, 1050), i == j ? 5 : 0, "%zu %zu", i, j);
			cr_assert_eq(level(kinds[j].intid, 1050), i == j);
		}
	}
}

Test(timer, offsets_are_of_the_el1_timers_alone)
{
	for (size_t i = 0; i < KINDS; i++) {
		uint64_t behind = kinds[i].offset ? 100 : 0;

		setup();
		set(CNTVOFF, 0, 100);
		set(CNTPOFF, 0, 100);
		set(kinds[i].tval, 1000, 50);
		cr_assert_eq(get(kinds[i].tval + 2, 0), 1050 - behind, "%zu", i);
		set(kinds[i].tval + 2, 0, 500);
		cr_assert_eq(get(kinds[i].tval, 300), 200 + behind);
		set(kinds[i].tval + 1, 0, 1);
		cr_assert_eq(deadline(200), 500 + behind);
		cr_assert_eq(get(kinds[i].tval + 1, 499 + behind), 1);
		cr_assert_eq(get(kinds[i].tval + 1, 500 + behind), 5);
	}
}

Test(timer, the_virtual_count_is_behind_by_its_offset)
{
	set(CNTVOFF, 0, 1000);
	cr_assert_eq(get(CNTVCT, 1500), 500);
	cr_assert_eq(get(CNTVCTSS, 1500), 500);
	cr_assert_eq(get(CNTPCT, 1500), 1500);
	cr_assert_eq(get(CNTPCTSS, 1500), 1500);
	cr_assert_eq(get(CNTVCT, 400), UINT64_MAX - 599, "it wraps");
	cr_assert_eq(get(CNTVOFF, 0), 1000);
	cr_assert_eq(get(CNTPOFF, 0), 0);
	set(CNTPOFF, 0, 7);
	cr_assert_eq(get(CNTPCT, 1500), 1500, "the engine adds CNTPOFF_EL2 where it applies");
}

Test(timer, a_count_that_has_yet_to_wrap_is_above_every_compare_value)
{
	set(CNTVOFF, 0, 1000);
	set(CNTV_CVAL, 0, 50);
	set(CNTV_CTL, 0, 1);
	cr_assert(level(PPI_VIRTUAL, 999));
	cr_assert_eq(deadline(900), 1000, "the line falls there");
	cr_assert_not(level(PPI_VIRTUAL, 1000));
	cr_assert_eq(deadline(1000), 1050);
	cr_assert(level(PPI_VIRTUAL, 1050));
	cr_assert_eq(deadline(1050), DEVICE_NEVER);
}

Test(timer, a_warm_reset_keeps_the_timers_but_not_the_offsets)
{
	set(CNTVOFF, 0, 100);
	set(CNTPOFF, 0, 100);
	set(CNTV_CVAL, 0, 50);
	set(CNTV_CTL, 0, 1);
	device_timer.reset_cpu(timer, 0, false);
	cr_assert_eq(get(CNTVOFF, 0), 0);
	cr_assert_eq(get(CNTPOFF, 0), 0);
	cr_assert_eq(get(CNTV_CTL, 60), 5);
}

Test(timer, unknown_registers)
{
	uint64_t value;

	cr_assert_not(read_register(SYSREG_ENCODING(3, 3, 14, 2, 3), 0, &value));
	cr_assert_not(write_register(SYSREG_ENCODING(3, 7, 14, 3, 0), 0, 0));
	cr_assert_not(write_register(SYSREG_ENCODING(3, 4, 14, 1, 0), 0, 0),
		      "CNTHCTL_EL2 is the engine's");
}
