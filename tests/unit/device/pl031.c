/* SPDX-License-Identifier: BSD-2-Clause */
/* The PL031 (DDI 0224): it counts seconds of the guest's time, and signals when they match. */

#include "../compare.h"
#include "device_fixture.h"

#define DR   0x00
#define MR   0x04
#define LR   0x08
#define CR   0x0c
#define IMSC 0x10
#define RIS  0x14
#define MIS  0x18
#define ICR  0x1c

#define INTID  34
#define EPOCH  1000000000u
#define SECOND UINT64_C(1000000000)

static struct device *rtc;

static uint32_t get(uint64_t offset)
{
	return (uint32_t)window_get(rtc, offset, 4);
}

static void set(uint64_t offset, uint32_t value)
{
	window_set(rtc, offset, 4, value);
}

static uint64_t deadline(void)
{
	return rtc->type->deadline(rtc, host_now);
}

static void pass(uint64_t until)
{
	host_now = until;
	rtc->type->update(rtc, host_now);
}

static void setup(void)
{
	host_config.choices.rtc = EPOCH;
	host_now = 0;
	rtc = make_device(&device_pl031, 1);
}

TestSuite(pl031, .init = setup);

Test(pl031, identification_registers)
{
	static const uint8_t ids[8] = {0x31, 0x10, 0x04, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(get(0xfe0 + 4 * i), ids[i], "%u", i);
}

Test(pl031, a_second_is_as_many_counts_as_cntfrq_says)
{
	host_config.choices.counter_hz = 4000000000;
	pass(4000000000 - 1);
	cr_assert_eq(get(0), EPOCH);
	pass(4000000000);
	cr_assert_eq(get(0), EPOCH + 1);
}

Test(pl031, it_counts_seconds_from_the_epoch)
{
	cr_assert_eq(get(DR), EPOCH);
	cr_assert_eq(get(CR), 1, "it runs");
	set(CR, 0);
	cr_assert_eq(get(CR), 1, "... and nothing stops it");
	pass(SECOND - 1);
	cr_assert_eq(get(DR), EPOCH);
	pass(SECOND);
	cr_assert_eq(get(DR), EPOCH + 1);
	set(DR, 5);
	cr_assert_eq(get(DR), EPOCH + 1, "read-only");
	cr_assert_eq(deadline(), DEVICE_NEVER);
}

Test(pl031, it_is_set)
{
	pass(7 * SECOND + 5);
	set(LR, UINT32_MAX);
	cr_assert_eq(get(LR), UINT32_MAX);
	cr_assert_eq(get(DR), UINT32_MAX);
	pass(8 * SECOND);
	cr_assert_eq(get(DR), 0, "it wraps");
}

Test(pl031, the_alarm_comes_when_the_second_begins)
{
	pass(SECOND / 2);
	set(IMSC, 1);
	set(MR, EPOCH + 3);
	cr_assert_eq(deadline(), 3 * SECOND);
	pass(3 * SECOND - 1);
	cr_assert_not(host_line[0][INTID]);
	cr_assert_eq(get(RIS), 0);
	pass(3 * SECOND);
	cr_assert(host_line[0][INTID]);
	cr_assert_eq(get(RIS), 1);
	cr_assert_eq(get(MIS), 1);
	cr_assert_eq(deadline(), DEVICE_NEVER);
	set(ICR, 0);
	cr_assert(host_line[0][INTID]);
	set(ICR, 1);
	cr_assert_not(host_line[0][INTID]);
	cr_assert_eq(get(RIS), 0, "it is over, in the same second too");
}

Test(pl031, a_match_of_now_is_one)
{
	set(IMSC, 1);
	set(MR, EPOCH);
	cr_assert(host_line[0][INTID]);
	set(ICR, 1);
	pass(SECOND);
	set(LR, EPOCH);
	cr_assert(host_line[0][INTID], "the clock was set to the match");
}

/* A masked alarm ends no turn of the guest, but the guest finds it. */
Test(pl031, a_masked_alarm_is_latched)
{
	set(MR, EPOCH + 1);
	cr_assert_eq(deadline(), DEVICE_NEVER);
	host_now = 5 * SECOND;
	cr_assert_eq(get(RIS), 1);
	cr_assert_eq(get(MIS), 0);
	cr_assert_not(host_line[0][INTID]);
	set(IMSC, 1);
	cr_assert(host_line[0][INTID]);
	set(IMSC, 0);
	cr_assert_not(host_line[0][INTID]);
}

/* After a past match, the next one is in 136 years. */
Test(pl031, a_match_in_the_past_is_far_away)
{
	set(IMSC, 1);
	set(MR, EPOCH - 1);
	cr_assert_eq(deadline(), (uint64_t)UINT32_MAX * SECOND);
}

Test(pl031, other_sizes_and_addresses_do_nothing)
{
	window_set(rtc, MR, 8, EPOCH);
	cr_assert_eq(get(RIS), 0);
	cr_assert_eq(window_get(rtc, DR, 8), 0);
	cr_assert_eq(window_get(rtc, DR + 1, 1), 0);
	cr_assert_eq(get(0x20), 0);
}
