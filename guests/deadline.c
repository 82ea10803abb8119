/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deadline: the guests' own time limits (lib/deadline.h). Each test "never: ..." waits for what
 * does not come, as on a machine that loses it, and fails. Each test "next: ..." after it passes.
 * It says nothing about a machine, so it is in no list.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"
#include "lower.h"
#include "platform.h"
#include "tap.h"

#define SGI   3u
#define A64_B 0x14000000u /* to itself */

static volatile unsigned int irqs;
static uint64_t daif;
static uint32_t timer;

static enum exc_return count_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	irqs += intid == SGI;
	return EXC_RETURN;
}

static enum exc_return count_nothing(struct exc_frame *frame, enum exc_vector vector)
{
	(void)frame;
	(void)vector;
	return EXC_RETURN;
}

static void wait_for_interrupt(void)
{
	irqs = 0;
	gic_enable(SGI, count_irq);
	irq_enable();
}

/* Nobody sends it. */
static void never_by_poll(void)
{
	exc_hooks[VEC_SPX_SERROR] = count_nothing;
	wait_for_interrupt();
	wait_while(irqs == 0);
}

static void never_by_wfi(void)
{
	wait_for_interrupt();
	while (irqs == 0)
		wfi();
}

static void never_by_loop(void)
{
	wait_for_interrupt();
	while (irqs == 0)
		;
}

/* Masked, so that the poll alone ends it. */
static void never_masked(void)
{
	wait_for_interrupt();
	irq_disable();
	wait_while(irqs == 0);
}

/* Where main is above EL1, EL0 has no mapping of it. */
static const char *needs_el0(void)
{
	return boot_info.el == 1 ? NULL : "main is not at EL1";
}

uint64_t user_spin(uint64_t va);

static void never_at_el0(void)
{
	user_call(user_address(user_spin), (uintptr_t)user_data_alloc(1), 0, 0);
}

/* The handler does not lower the timer's level. */
static enum exc_return leave_pending(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	return EXC_RETURN;
}

static void never_in_a_storm(void)
{
	gic_enable(timer, leave_pending);
	write_sysreg(cntv_cval_el0, 0);
	write_sysreg(cntv_ctl_el0, 1);
	wait_for_interrupt();
	while (irqs == 0)
		;
}

static void never_back_from_below(void)
{
	struct lower_context c;

	lower_init(&c, 1, 0);
	while (!lower_insn(&c, A64_B))
		;
}

static void unexpected(void)
{
	__asm__ volatile(".inst 0"); /* UDF #0 */
}

static void test_next(void)
{
	uint64_t masked = read_sysreg(daif);

	write_sysreg(cntv_ctl_el0, 0);
	gic_enable(timer, NULL);
	CHECK(masked == daif, "DAIF is 0x%lx, not 0x%lx", masked, daif);
	CHECK(current_el() == boot_info.el, "EL%u", current_el());
	CHECK(exc_hooks[VEC_SPX_SERROR] == NULL, "the last test's handler is there");
	wait_for_interrupt();
	gic_send_sgi(SGI, read_sysreg(mpidr_el1));
	(void)comes(irqs != 0);
	irq_disable();
	gic_enable(SGI, NULL);
	CHECK(irqs == 1, "an SGI was taken %u times", irqs);
}

#define NEVER_IF(what, function, skip)         \
	{"never: " what, function, skip},      \
	{                                      \
		"next: " what, test_next, NULL \
	}
#define NEVER(what, function) NEVER_IF(what, function, NULL)

static const struct test tests[] = {
	NEVER("a poll", never_by_poll),
	NEVER("WFI", never_by_wfi),
	NEVER("a loop", never_by_loop),
	NEVER("a poll with interrupts masked", never_masked),
	NEVER_IF("a loop at EL0", never_at_el0, needs_el0),
	NEVER("an interrupt that returns for ever", never_in_a_storm),
	NEVER_IF("a loop at a lower level", never_back_from_below, needs_el2),
	NEVER("an exception that nobody expects", unexpected),
};

void guest_main(void)
{
	daif = read_sysreg(daif);
	timer = platform_interrupt(PLATFORM_TIMER_VIRTUAL);
	tap_run("deadline", tests, sizeof(tests) / sizeof(tests[0]));
}
