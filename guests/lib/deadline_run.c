/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a test with a time limit: see deadline.h.
 *
 * The timer's interrupt has a higher priority than all others, so that an interrupt that returns
 * for ever does not keep it away. Its handler returns to deadline_leave() in place of the
 * interrupted code.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"
#include "lower.h"
#include "platform.h"
#include "spe.h"
#include "string.h"

#define PRIORITY_HIGH 0x80
#define CTL_ENABLE    1u
#define SPSR_HANDLER  UINT64_C(0x3c1) /* ELxh; D, A, I and F masked */

enum deadline_end deadline_enter(void (*test)(void));

static bool timer_is_set;

static uint32_t timer_intid(void)
{
	static const struct {
		enum platform_interrupt which;
		uint32_t usual;
	} timers[] = {
		/* by the level of main */
		[1] = {PLATFORM_TIMER_PHYSICAL, 30},
		[2] = {PLATFORM_TIMER_HYP, 26},
		[3] = {PLATFORM_TIMER_SECURE, 29},
	};
	static uint32_t intid; /* once known: a walk of a device tree is long */

	if (intid == 0)
		intid = platform_interrupt(timers[boot_info.el].which);
	if (intid < 16 || intid >= 32)
		intid = timers[boot_info.el].usual;
	return intid;
}

static void set_timer(uint64_t ticks)
{
	uint64_t ctl = ticks ? CTL_ENABLE : 0;

	switch (boot_info.el) {
	case 1:
		if (ticks)
			write_sysreg(cntp_cval_el0, read_sysreg(cntpct_el0) + ticks);
		write_sysreg(cntp_ctl_el0, ctl);
		break;
	case 2:
		write_sysreg(cnthp_cval_el2, read_sysreg(cntpct_el0) + ticks);
		write_sysreg(cnthp_ctl_el2, ctl);
		break;
	default:
		write_sysreg(cntps_cval_el1, read_sysreg(cntpct_el0) + ticks);
		write_sysreg(cntps_ctl_el1, ctl);
		break;
	}
	isb();
}

static enum exc_return time_is_over(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	set_timer(0);
	frame->x[0] = DEADLINE_OVER;
	frame->elr = (uintptr_t)deadline_leave;
	frame->spsr = SPSR_HANDLER | boot_info.el << 2;
	return EXC_RETURN;
}

/* Registers of EL2 that tests change under themselves; HCR_EL2 is what el2_set_host() makes it. */
#define EL2_REGISTERS(X) X(cptr_el2) X(cnthctl_el2) X(sctlr_el2) X(mdcr_el2) X(cntvoff_el2)
#define COUNT_EL2(reg)	 +1
#define EL2_COUNT	 (0 EL2_REGISTERS(COUNT_EL2))

/* What a test that does not end may leave changed. */
struct left {
	enum exc_return (*hooks[VEC_COUNT])(struct exc_frame *frame, enum exc_vector vector);
	uint64_t el2[EL2_COUNT], scr;
};

static void keep(struct left *left)
{
	memcpy(left->hooks, exc_hooks, sizeof(left->hooks));
#if GUEST_EL >= 2
	if (boot_info.el == 2) {
		uint64_t *value = left->el2;

#define KEEP_EL2(reg) *value++ = read_sysreg(reg);
		EL2_REGISTERS(KEEP_EL2)
	}
#endif
#if GUEST_EL >= 3
	if (boot_info.el == 3)
		left->scr = read_sysreg(scr_el3);
#endif
}

/* TPIDR_ELx is the context that a lower level runs in, of which there is none any more. */
static void tidy_up(const struct left *left)
{
	memcpy(exc_hooks, left->hooks, sizeof(left->hooks));
	(void)expect_end();
#if GUEST_EL >= 2
	if (boot_info.el == 2) {
		const uint64_t *value = left->el2;

		write_sysreg(tpidr_el2, 0);
		el2_set_host(false);
#define RESTORE_EL2(reg) write_sysreg(reg, *value++);
		EL2_REGISTERS(RESTORE_EL2)
	}
#endif
#if GUEST_EL >= 3
	if (boot_info.el == 3) {
		write_sysreg(tpidr_el3, 0);
		write_sysreg(scr_el3, left->scr);
	}
#endif
	isb();
	expect_begin();
	if (!needs_spe())
		spe_disable();
	(void)expect_end();
}

void deadline_release_timer(void)
{
	if (!timer_is_set)
		return;
	timer_is_set = false;
	set_timer(0);
	gic_enable(timer_intid(), NULL);
	gic_set_priority(timer_intid(), GIC_PRIORITY);
}

enum deadline_end deadline_run(void (*test)(void))
{
	struct left left;
	enum deadline_end how;

	keep(&left);
	expect_begin();
	set_timer(deadline_begin());
	timer_is_set = expect_end().count == 0; /* a hypervisor may keep it */
	if (timer_is_set) {
		gic_set_priority(timer_intid(), PRIORITY_HIGH);
		gic_enable(timer_intid(), time_is_over);
	}
	how = deadline_enter(test);
	deadline_end();
	if (how != DEADLINE_RETURNED)
		tidy_up(&left);
	deadline_release_timer();
	return how;
}
