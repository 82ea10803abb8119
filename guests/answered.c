/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answered: the population has every operation once (Arm ARM D17.3), also those that a hypervisor
 * answers: accesses to the interrupt controller, and calls. In code that is full of them the number
 * of samples and the place of each are exactly those that the interval gives; and what EL1 does
 * while only EL0 is profiled is not in it.
 *
 * Boot arguments: laps=N, of the code; late=N, the operations by which a sample may come late, with
 * no effect on the next one: 0 if not given.
 */
#include "answered.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "platform.h"
#include "record.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define INTERVAL   1
#define GICD_TYPER 4
#define PAGES	   16

extern char kernel_answered[], kernel_answered_lap[], user_answered[], user_answered_lap[];

static volatile uint32_t *device;
static uint64_t laps, late;

static volatile uint32_t *find_device(void)
{
	struct platform_gic gic;

	return platform_gic(&gic)
		       ? (volatile uint32_t *)device_map(gic.base, PAGE_SIZE) + GICD_TYPER / 4
		       : NULL;
}

static const char *needs_calls(void)
{
	const char *method = platform_psci();

	if (!method || strcmp(method, "hvc") != 0)
		return "HVC is no call to the firmware here";
	return device ? needs_exact() : "no interrupt controller is known";
}

static const char *needs_device(void)
{
	return device ? needs_exact() : "no interrupt controller is known";
}

static uint64_t start_profile(void)
{
	const uint64_t size = spe_space(PAGES);
	const uint64_t buffer = (uintptr_t)data_alloc(size / PAGE_SIZE);
	const struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + size,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	spe_program(&setup);
	return buffer;
}

/* Records from buffer on, of code whose first lap begins at operation first. */
static void check_records(uint64_t buffer, uintptr_t lap, uint64_t first, uint64_t last, bool el1)
{
	const uint8_t *at = (const uint8_t *)buffer;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	const uint64_t spacing = spe_spacing(INTERVAL);
	uint64_t expected = 0, most = 0, samples = 0;
	unsigned int windows = 0;

	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);
		uint64_t position;
		bool early;

		if (!CHECK(size >= 0, "the buffer does not parse"))
			return;
		if (size == 0)
			break;
		at += size;
		/* The returns from windows of the buffer are members of EL1's. */
		for (; el1 && windows < spe_windows_before((uintptr_t)at - 1); windows++)
			first++;
		position = first + (r.pc - lap) / 4;
		/* The first one is a spacing from the start, or one operation less (D17.3.3). */
		if (samples++ == 0)
			expected = position < spacing ? spacing - 1 : spacing;
		else
			expected += spacing;
		if (!CHECK(r.pc >= lap && r.pc < lap + ANSWERED_LAP * 4, "the PC 0x%lx", r.pc))
			return;
		/* By the PC, it is as many laps further on as bring it nearest to that. */
		early = samples > 1 && spe_loads_when_enabled();
		expected -= early;
		while (position < expected)
			position += ANSWERED_LAP;
		expected += early && position > expected;
		if (position - expected > most)
			most = position - expected;
		CHECK(position - expected <= late, "sample %lu is %lu operations late", samples,
		      position - expected);
	}
	last += el1 ? spe_windows_before((uintptr_t)end) : 0;
	CHECK(spe_is_count(samples, last, INTERVAL), "%lu samples of %lu operations", samples,
	      last);
	CHECK(!(read_sysreg(PMBSR_EL1) & (PMBSR_S | PMBSR_COLL)), "PMBSR_EL1 is 0x%lx",
	      read_sysreg(PMBSR_EL1));
	tap_note("%lu samples, the latest by %lu operations", samples, most);
}

static void at_el1(void)
{
	const uint64_t buffer = start_profile();

	irq_enable();
	spe_run_el1(PMSCR_E1SPE, user_address(kernel_answered), laps, (uintptr_t)device);
	irq_disable();
	spe_disable();
	check_records(buffer, user_address(kernel_answered_lap), SPE_RUN_EL1_EXTRA + ANSWERED_BEGIN,
		      SPE_RUN_EL1_EXTRA + ANSWERED_BEGIN + laps * ANSWERED_LAP + 1, true);
}

static unsigned int calls;

static enum exc_return watch_exception(struct exc_frame *frame, enum exc_vector vector)
{
	if (field(frame->esr, 31, 26) != EC_SVC64 || field(frame->esr, 15, 0) != 1) {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	calls++;
	for (unsigned int i = 0; i < ANSWERED_READS; i++)
		(void)*device;
	return EXC_RETURN;
}

static void at_el0(void)
{
	const uint64_t buffer = start_profile();

	calls = 0;
	exc_hooks[VEC_EL0_SYNC] = watch_exception;
	irq_enable();
	spe_run_el0(PMSCR_E0SPE, user_address(user_answered), laps, 0);
	irq_disable();
	exc_hooks[VEC_EL0_SYNC] = NULL;
	spe_disable();
	CHECK(calls == laps * ANSWERED_PARTS, "%u calls", calls);
	check_records(buffer, user_address(user_answered_lap), 1 + ANSWERED_BEGIN,
		      ANSWERED_BEGIN + laps * ANSWERED_LAP + 1 + SPE_RUN_EL0_EXTRA, false);
}

static const struct test tests[] = {
	{"accesses to devices and calls are operations of EL1", at_el1, needs_calls},
	{"what EL1 does for EL0 is none of EL0's", at_el0, needs_device},
};

void guest_main(void)
{
	device = find_device();
	laps = bootarg("laps", 200);
	late = bootarg("late", 0);
	tap_run("answered", tests, sizeof(tests) / sizeof(tests[0]));
}
