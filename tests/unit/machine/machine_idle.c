/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine that has nothing to do, and one that is not to start again. */
#include <time.h>

#include "../compare.h"
#include "machine_fixture.h"

TestSuite(machine_idle, .init = machine_fixture_begin, .fini = machine_fixture_end);

/* WFE, and a branch back to it. */
static int guest_parked(struct engine_vcpu *vcpu)
{
	return vcpu->step % 2 == 0 ? ENGINE_EXIT_WFE : GO_ON;
}

/* ... in which an instruction more could look at something. */
static int guest_looks(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 3000)
		return power_off(vcpu);
	return vcpu->step % 3 == 0 ? ENGINE_EXIT_WFE : GO_ON;
}

Test(machine_idle, nothing_wakes_those_that_are_parked_in_wfe)
{
	cr_assert_eq(run(1, guest_parked), MACHINE_STUCK);
	cr_assert_str_eq(why, "every vCPU waits, and no interrupt can ever come");
	machine_destroy(machine);
	cr_assert_eq(run(1, guest_looks), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

/* The virtual timer of a parked vCPU: it is waited for, in no more than a few operations. */
static int guest_parked_with_timer(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 0) {
		open_gic(vcpu);
		write_sysreg(vcpu, CNTV_CVAL, 500000000);
		write_sysreg(vcpu, CNTV_CTL, 1);
	}
	if (vcpu->irq)
		return power_off(vcpu);
	return vcpu->step % 2 == 1 ? ENGINE_EXIT_WFE : GO_ON;
}

Test(machine_idle, a_timer_wakes_one_that_is_parked_in_wfe)
{
	cr_assert_eq(run(1, guest_parked_with_timer), MACHINE_POWER_OFF, "%s", why);
	cr_assert_geq(stats.time, 500000000);
	machine_destroy(machine);
}

/* Only the ticks of a kernel, once in ten seconds of its time. */
#define DAY UINT64_C(86400000000000)

static uint64_t tick, day_ends;
static bool prints;

static int guest_ticks(struct engine_vcpu *vcpu)
{
	const uint64_t now = read_sysreg(vcpu, CNTVCT);

	if (vcpu->step == 0)
		open_gic(vcpu);
	if (now > day_ends + 100000000)
		return power_off(vcpu);
	if (prints && now > DAY / 2 && now < DAY / 2 + 2 * tick)
		write_mmio(vcpu, UART, '.');
	write_sysreg(vcpu, CNTV_CVAL, now + (now > day_ends ? 1000000 : tick));
	write_sysreg(vcpu, CNTV_CTL, 1);
	return ENGINE_EXIT_WFI;
}

Test(machine_idle, a_guest_that_sleeps_for_a_day_then_has_the_hosts_time)
{
	tick = UINT64_C(10000000000);
	day_ends = DAY + tick;
	prints = false;
	cr_assert_eq(run(1, guest_ticks), MACHINE_POWER_OFF, "%s", why);
	cr_expect_gt(waited_ms, 0);
	machine_destroy(machine);
}

/* It does if it says something now and then: it is not asleep after a day and a half. */
Test(machine_idle, a_guest_that_prints_is_awake)
{
	tick = UINT64_C(1000000000000);
	day_ends = DAY + DAY / 4;
	prints = true;
	cr_assert_eq(run(1, guest_ticks), MACHINE_POWER_OFF, "%s", why);
	cr_expect_eq(waited_ms, 0);
	machine_destroy(machine);
}

/* It waits for a timer at the end of what a counter can count. */
static int guest_waits_too_long(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 0) {
		open_gic(vcpu);
		write_sysreg(vcpu, CNTV_CVAL, UINT64_MAX - 1);
		write_sysreg(vcpu, CNTV_CTL, 1);
	}
	return vcpu->irq ? GO_ON : ENGINE_EXIT_WFI;
}

Test(machine_idle, no_guest_lives_to_the_end_of_time, .timeout = 60)
{
	cr_assert_eq(run(1, guest_waits_too_long), MACHINE_STUCK, "%s", why);
	cr_assert_str_eq(why, "every vCPU waits, and no interrupt can ever come");
	cr_assert_leq(stats.time, INT64_MAX);
	machine_destroy(machine);
}

static int guest_resets(struct engine_vcpu *vcpu)
{
	return psci(vcpu, 0x84000009, 0, 0, 0);
}

static int guest_resets_by_gpio(struct engine_vcpu *vcpu)
{
	write_mmio(vcpu, GPIO + 0x400, 2);
	write_mmio(vcpu, GPIO + 8, 2);
	return GO_ON;
}

Test(machine_idle, no_reboot_ends_at_a_reset)
{
	struct machine_config c = config(1);

	c.choices.no_reboot = true;
	fake_guest = guest_resets;
	cr_assert_eq(run_config(&c), MACHINE_NO_REBOOT);
	cr_assert_eq(stats.resets, 0);
	cr_assert_eq(stats.vcpu[0].operations, 1);
	cr_assert_str_eq(why, "ended by the guest's reset (--no-reboot)");
	machine_destroy(machine);
	c.choices.levels = (struct engine_levels){.start = 3, .el2 = true, .el3 = true};
	fake_guest = guest_resets_by_gpio;
	cr_assert_eq(run_config(&c), MACHINE_NO_REBOOT, "also by the power switch");
	machine_destroy(machine);
}

/* The host's clock goes on by as much as the guest's, at least: how much more is not looked at. */
Test(machine_idle, realtime_waits)
{
	struct machine_config c = config(1);
	struct timespec before, after;

	c.choices.realtime = true;
	fake_guest = guest_parked_with_timer;
	(void)clock_gettime(CLOCK_MONOTONIC, &before);
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF);
	(void)clock_gettime(CLOCK_MONOTONIC, &after);
	cr_assert_geq((after.tv_sec - before.tv_sec) * 1000 +
			      (after.tv_nsec - before.tv_nsec) / 1000000,
		      490);
	cr_assert_geq(stats.time, 500000000);
	machine_destroy(machine);
}
