/* SPDX-License-Identifier: BSD-2-Clause */
/* The PL061 (DDI 0190): masked data, directions, interrupts, identification, the power switch. */

#include "../compare.h"
#include "device_fixture.h"

#define DATA(mask) ((uint64_t)(mask) << 2)
#define DIR	   0x400
#define IS	   0x404
#define IBE	   0x408
#define IEV	   0x40c
#define IE	   0x410
#define RIS	   0x414
#define MIS	   0x418
#define IC	   0x41c
#define AFSEL	   0x420

#define INTID	  39
#define POWER_OFF 0x01 /* lines of the power switch */
#define RESTART	  0x02

static struct device *gpio;

static uint32_t get(uint64_t offset)
{
	return (uint32_t)window_get(gpio, offset, 4);
}

static void set(uint64_t offset, uint32_t value)
{
	window_set(gpio, offset, 4, value);
}

static bool line(void)
{
	return host_line[0][INTID];
}

static void setup(void)
{
	gpio = make_device(&device_pl061, 1);
}

TestSuite(pl061, .init = setup);

Test(pl061, identification_registers)
{
	static const uint8_t ids[8] = {0x61, 0x10, 0x04, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(get(0xfe0 + 4 * i), ids[i], "%u", i);
}

Test(pl061, the_address_masks_the_data)
{
	set(DIR, 0xff);
	set(DATA(0xff), 0xa5);
	cr_assert_eq(get(DATA(0xff)), 0xa5);
	cr_assert_eq(get(DATA(0x0f)), 0x05);
	set(DATA(0x0f), 0xff);
	cr_assert_eq(get(DATA(0xff)), 0xaf, "the other lines stay");
	set(DATA(0), 0);
	cr_assert_eq(get(DATA(0xff)), 0xaf);
}

Test(pl061, an_input_takes_no_value_and_reads_low)
{
	set(DATA(0xff), 0xff);
	cr_assert_eq(get(DATA(0xff)), 0);
	set(DIR, 0xff);
	cr_assert_eq(get(DATA(0xff)), 0, "what was written to an input is gone");
	set(DATA(0x02), 0x02);
	set(DIR, 0xfd);
	cr_assert_eq(get(DATA(0xff)), 0);
}

Test(pl061, a_rising_output_is_told_once)
{
	set(DATA(POWER_OFF), 0xff);
	cr_assert_eq(host_power[DEVICE_POWER_OFF], 0, "not an output");
	set(DIR, 0x03);
	set(DATA(POWER_OFF), 0xff);
	cr_assert_eq(host_power[DEVICE_POWER_OFF], 1);
	cr_assert_eq(host_power[DEVICE_RESTART], 0);
	set(DATA(0xff), 0x01);
	cr_assert_eq(host_power[DEVICE_POWER_OFF], 1, "it is high already");
	set(DATA(0xff), 0x00);
	set(DATA(0xff), 0x03);
	cr_assert_eq(host_power[DEVICE_POWER_OFF], 2);
	cr_assert_eq(host_power[DEVICE_RESTART], 1);
}

Test(pl061, level_interrupts_follow_the_pin)
{
	set(IS, 0xff);
	cr_assert_eq(get(RIS), 0xff, "all low, and IEV 0 is active low");
	cr_assert_not(line(), "masked");
	set(IE, 0x01);
	cr_assert_eq(get(MIS), 0x01);
	cr_assert(line());
	set(IC, 0xff);
	cr_assert(line(), "a level cannot be cleared");
	set(IEV, 0x01);
	cr_assert_not(line());
	set(DIR, 0x01);
	set(DATA(0x01), 0x01);
	cr_assert(line(), "active high");
}

Test(pl061, edge_interrupts_are_latched)
{
	set(DIR, 0xff);
	set(IE, 0xff);
	set(IEV, 0x01); /* line 0 rising, line 1 falling, line 2 both */
	set(IBE, 0x04);
	set(DATA(0x07), 0x07);
	cr_assert_eq(get(RIS), 0x05);
	set(IC, 0x05);
	cr_assert_not(line());
	set(DATA(0x07), 0x00);
	cr_assert_eq(get(RIS), 0x06);
	cr_assert(line());
	set(IE, 0);
	cr_assert_not(line());
	cr_assert_eq(get(MIS), 0);
	cr_assert_eq(get(RIS), 0x06, "as it was");
}

Test(pl061, other_offsets_and_sizes_read_as_zero)
{
	set(AFSEL, 0x12);
	cr_assert_eq(get(AFSEL), 0x12);
	cr_assert_eq(get(0x424), 0);
	cr_assert_eq(window_get(gpio, AFSEL, 8), 0);
	cr_assert_eq(window_get(gpio, AFSEL + 1, 1), 0);
	window_set(gpio, DIR, 8, 0xff);
	set(RIS, 0xff);
	set(0xffc, 0xff);
	cr_assert_eq(get(DIR), 0);
	cr_assert_eq(get(RIS), 0);
}
