/* SPDX-License-Identifier: BSD-2-Clause */
/* --time parallel: the clock of each vCPU, and the one counter that they all read. */
#include "../compare.h"
#include "machine_fixture.h"

TestSuite(clocks, .init = machine_fixture_begin, .fini = machine_fixture_end);

#define CPU_ON	  0xc4000003u
#define SGI1R	  SYSREG_ENCODING(3, 0, 12, 11, 5)
#define CNTV_TVAL SYSREG_ENCODING(3, 3, 14, 3, 0)
#define CNTPCT	  SYSREG_ENCODING(3, 3, 14, 0, 1)
#define WINDOW	  1000u
#define MOST	  8u

static unsigned int cpus;
static uint64_t loop;

static enum machine_end run_window(unsigned int count, uint32_t window,
				   int (*code)(struct engine_vcpu *))
{
	struct machine_config c = config(count);

	cpus = count;
	c.choices.window = window;
	fake_guest = code;
	fake_trace_count = 0;
	return run_config(&c);
}

/* vCPU 0 starts the others in its first operations. True: it has. */
static bool all_on(struct engine_vcpu *vcpu, int *reason)
{
	if (vcpu->index > 0 || vcpu->step >= cpus - 1)
		return true;
	*reason = psci(vcpu, CPU_ON, vcpu->step + 1, 0x40080000, 0);
	return false;
}

/* Each executes as many operations. The last one to end powers off. */
static int guest_works(struct engine_vcpu *vcpu)
{
	static unsigned int working;
	int reason;

	if (vcpu->index == 0 && vcpu->step == 0)
		working = cpus;
	if (!all_on(vcpu, &reason))
		return reason;
	if (vcpu->step < loop)
		return GO_ON;
	if (vcpu->step == loop && --working == 0)
		return power_off(vcpu);
	return ENGINE_EXIT_WFI;
}

Test(clocks, so_many_vcpus_take_the_time_of_one)
{
	static const unsigned int counts[] = {2, 3, 4, MOST};

	loop = 100000;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		cr_assert_eq(run_window(counts[i], WINDOW, guest_works), MACHINE_POWER_OFF, "%s",
			     why);
		/* vCPU 0 has started the last one, which then begins. */
		cr_expect_geq(stats.time, loop, "%u vCPUs", counts[i]);
		cr_expect_leq(stats.time, loop + counts[i] + 1, "%u vCPUs", counts[i]);
		machine_destroy(machine);
	}
}

Test(clocks, serial_time_is_that_of_all_operations)
{
	loop = 100000;
	cr_assert_eq(run_window(4, 0, guest_works), MACHINE_POWER_OFF);
	cr_expect_geq(stats.time, 4 * loop);
	machine_destroy(machine);
}

/* No vCPU begins a window before all have ended the last one. */
Test(clocks, no_vcpu_is_more_than_a_window_ahead)
{
	uint64_t done[MOST] = {0};

	loop = 20000;
	cr_assert_eq(run_window(3, WINDOW, guest_works), MACHINE_POWER_OFF);
	for (size_t i = 0; i < fake_trace_count; i++) {
		uint64_t least = UINT64_MAX;

		done[fake_trace[i]]++;
		for (unsigned int n = 0; n < cpus; n++)
			least = done[n] < least ? done[n] : least;
		/* 2: the operations that start the others. */
		cr_assert_leq(done[fake_trace[i]], least + WINDOW + 2, "vCPU %u", fake_trace[i]);
	}
	machine_destroy(machine);
}

/* What any vCPU has read last, and how often another one then read the same. */
static uint64_t latest, agreed;

static int guest_reads(struct engine_vcpu *vcpu)
{
	uint64_t now;
	int reason;

	if (!all_on(vcpu, &reason))
		return reason;
	if (vcpu->step == 20000)
		return power_off(vcpu);
	if (vcpu->step * 7919 % (300 + 100 * vcpu->index) >= 3)
		return GO_ON;
	now = read_sysreg(vcpu, vcpu->step % 2 ? CNTPCT : CNTVCT);
	cr_assert_geq(now, latest, "vCPU %u at its operation %llu", vcpu->index,
		      (unsigned long long)vcpu->ops);
	agreed += now == latest;
	latest = now;
	return GO_ON;
}

Test(clocks, no_vcpu_reads_less_than_another_has_read)
{
	latest = agreed = 0;
	cr_assert_eq(run_window(3, WINDOW, guest_reads), MACHINE_POWER_OFF, "%s", why);
	cr_expect_gt(agreed, 0, "one that waited");
	machine_destroy(machine);
}

/* Each sets its own timer again and again, and sees it when it is due, not before or later. */
static int guest_timers(struct engine_vcpu *vcpu)
{
	static uint64_t due[MOST];
	static unsigned int taken;
	const unsigned int n = vcpu->index;
	int reason;

	if (!all_on(vcpu, &reason))
		return reason;
	if (n == 0 && vcpu->step == cpus - 1)
		taken = 0;
	if (vcpu->step <= cpus) {
		open_gic(vcpu);
	} else if (vcpu->irq) {
		cr_assert_eq(read_sysreg(vcpu, CNTVCT), due[n], "vCPU %u", n);
		cr_assert_eq(read_sysreg(vcpu, CNTV_CTL), 5, "ENABLE and ISTATUS");
		write_sysreg(vcpu, CNTV_CTL, 0);
		write_sysreg(vcpu, EOIR1, read_sysreg(vcpu, IAR1));
		if (++taken == 300)
			return power_off(vcpu);
		due[n] = 0;
	} else if (!due[n]) {
		due[n] = read_sysreg(vcpu, CNTVCT) + 100 + 211 * (n + vcpu->step % 17);
		write_sysreg(vcpu, CNTV_CVAL, due[n]);
		write_sysreg(vcpu, CNTV_CTL, 1);
	} else {
		/* All but vCPU 0 sleep until then, sometimes. */
		return n > 0 && vcpu->step % 3 == 0 ? ENGINE_EXIT_WFI : GO_ON;
	}
	return GO_ON;
}

Test(clocks, a_timer_is_due_at_its_own_vcpus_time)
{
	cr_assert_eq(run_window(4, WINDOW, guest_timers), MACHINE_POWER_OFF, "%s", why);
	machine_destroy(machine);
}

/* The timer is due when its vCPU has read so, which may be more than its operations. */
static int guest_agrees(struct engine_vcpu *vcpu)
{
	static uint64_t due[MOST], both[2];
	static bool owed[MOST];
	const unsigned int n = vcpu->index;
	uint64_t now, control;
	int reason;

	if (!all_on(vcpu, &reason))
		return reason;
	if (vcpu->step == 60000) {
		cr_expect_gt(both[0], 100);
		cr_expect_gt(both[1], 100);
		return power_off(vcpu);
	}
	if (vcpu->step == (n > 0 ? 0 : cpus - 1)) {
		due[n] = owed[n] = 0;
		open_gic(vcpu);
		return GO_ON;
	}
	if (owed[n])
		cr_assert(vcpu->irq, "vCPU %u", n);
	owed[n] = false;
	if (vcpu->step % (97 + n) != 0)
		return GO_ON;
	if (vcpu->step % 5 == 0) {
		due[n] = read_sysreg(vcpu, CNTVCT) + vcpu->step * 31 % 700;
		write_sysreg(vcpu, CNTV_CVAL, due[n]);
		write_sysreg(vcpu, CNTV_CTL, 1);
	}
	now = read_sysreg(vcpu, CNTVCT);
	control = read_sysreg(vcpu, CNTV_CTL);
	if (due[n])
		cr_assert_eq(control, now >= due[n] ? 5 : 1, "vCPU %u at %llu", n,
			     (unsigned long long)now);
	both[now >= due[n]]++;
	owed[n] = due[n] && now >= due[n];
	return GO_ON;
}

Test(clocks, a_timer_is_due_when_its_vcpu_has_read_so)
{
	cr_assert_eq(run_window(3, WINDOW, guest_agrees), MACHINE_POWER_OFF, "%s", why);
	machine_destroy(machine);
}

/* vCPU 1 sleeps. vCPU 0, whose operations are its time, wakes it. */
static uint64_t sent, woken;

static int guest_wakes(struct engine_vcpu *vcpu)
{
	int reason;

	if (!all_on(vcpu, &reason))
		return reason;
	if (vcpu->index == 0) {
		if (vcpu->step != loop)
			return GO_ON;
		sent = vcpu->ops;
		write_sysreg(vcpu, SGI1R, 2 | UINT64_C(3) << 24); /* SGI 3 to vCPU 1 */
		return GO_ON;
	}
	if (vcpu->step == 0)
		open_gic(vcpu);
	if (!vcpu->irq)
		return ENGINE_EXIT_WFI;
	woken = read_sysreg(vcpu, CNTVCT);
	return power_off(vcpu);
}

/* Wherever in a window that is: not a window later. */
Test(clocks, who_is_woken_goes_on_when_the_interrupt_was_sent)
{
	for (loop = 3 * WINDOW; loop < 4 * WINDOW; loop += 97) {
		cr_assert_eq(run_window(2, WINDOW, guest_wakes), MACHINE_POWER_OFF, "%s", why);
		cr_expect_geq(woken, sent);
		cr_expect_leq(woken, sent + 2, "operation %llu", (unsigned long long)loop);
		machine_destroy(machine);
	}
}

/* vCPU 1 waits for vCPU 0 by WFE: it sees a thing at most a short window after it was done. */
static int guest_waits(struct engine_vcpu *vcpu)
{
	int reason;

	if (!all_on(vcpu, &reason))
		return reason;
	if (vcpu->index == 0) {
		if (vcpu->step == loop)
			sent = vcpu->ops;
		return GO_ON;
	}
	if (sent == 0)
		return vcpu->step % 3 == 2 ? ENGINE_EXIT_WFE : GO_ON;
	woken = read_sysreg(vcpu, CNTVCT);
	return power_off(vcpu);
}

Test(clocks, windows_are_short_while_one_waits_for_another)
{
	static const uint32_t windows[] = {2000, 16384, 1 << 20};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		sent = 0;
		loop = 2 * (uint64_t)windows[i] + 5000;
		cr_assert_eq(run_window(2, windows[i], guest_waits), MACHINE_POWER_OFF, "%s", why);
		cr_expect_leq(woken - sent, 1024 + 3, "windows of %u", windows[i]);
		machine_destroy(machine);
	}
}

/* One vCPU needs no window. */
Test(clocks, of_one_vcpu_are_the_counter)
{
	loop = 100000;
	cr_assert_eq(run_window(1, 128, guest_works), MACHINE_POWER_OFF);
	cr_expect_eq(stats.time, loop + 1);
	cr_expect_eq(stats.vcpu[0].exits[ENGINE_EXIT_BUDGET], 0);
	machine_destroy(machine);
}
