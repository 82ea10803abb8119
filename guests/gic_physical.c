/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gic: the CPU interface of a GICv3 (Arm IHI 0069, chapters 4 and 6): which interrupt is the
 * highest priority pending one, which is signalled and acknowledged, and what an end does, by
 * enables, groups, priorities, masks and binary points. Two SGIs of one PE are made pending, and
 * never taken: PSTATE masks them, and ISR_EL1 tells what is signalled. Where main runs at EL2, the
 * virtual CPU interface too. Needs no SPE.
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "gic_tests.h"

#define ICC_PMR	    S3_0_C4_C6_0
#define ICC_IAR0    S3_0_C12_C8_0
#define ICC_EOIR0   S3_0_C12_C8_1
#define ICC_HPPIR0  S3_0_C12_C8_2
#define ICC_BPR0    S3_0_C12_C8_3
#define ICC_DIR	    S3_0_C12_C11_1
#define ICC_RPR	    S3_0_C12_C11_3
#define ICC_IAR1    S3_0_C12_C12_0
#define ICC_EOIR1   S3_0_C12_C12_1
#define ICC_HPPIR1  S3_0_C12_C12_2
#define ICC_BPR1    S3_0_C12_C12_3
#define ICC_CTLR    S3_0_C12_C12_4
#define ICC_IGRPEN0 S3_0_C12_C12_6
#define ICC_IGRPEN1 S3_0_C12_C12_7

#define CTLR_CBPR    1u
#define CTLR_EOIMODE 2u

/* Of gic_private(), in words. */
#define ISENABLER  (0x100 / 4)
#define ICENABLER  (0x180 / 4)
#define ISPENDR	   (0x200 / 4)
#define ICPENDR	   (0x280 / 4)
#define ISACTIVER  (0x300 / 4)
#define ICACTIVER  (0x380 / 4)
#define IGROUPR	   (0x080 / 4)
#define IPRIORITYR (0x400 / 4)

/* Two SGIs; of different priorities the first has the higher one. */
#define ONE    8u
#define OTHER  9u
#define BIT(n) (UINT32_C(1) << (n))

static volatile uint32_t *frame;
static unsigned int step; /* of priorities: 8 with five bits of them */

/* Priorities that are far apart, and a step apart; whole ones, whatever bits there are. */
static unsigned int high, low;

static void set_priority(unsigned int intid, unsigned int priority)
{
	((volatile uint8_t *)(frame + IPRIORITYR))[intid] = (uint8_t)priority;
}

static void set_group(unsigned int intid, unsigned int group)
{
	uint32_t groups = frame[IGROUPR];

	frame[IGROUPR] = group ? groups | BIT(intid) : groups & ~BIT(intid);
}

/* The effect of what was written has come to the CPU interface: what is signalled in the end. */
static unsigned int signalled(void)
{
	unsigned int isr = 0;

	dsb();
	(void)frame[ISPENDR];
	for (unsigned int i = 0; i < 200; i++) {
		isb();
		isr = (unsigned int)read_sysreg(isr_el1) & (ISR_FIQ | ISR_IRQ);
	}
	return isr;
}

static void set_pending(unsigned int intid)
{
	frame[ISPENDR] = BIT(intid);
	(void)signalled();
}

static unsigned int hppir(unsigned int group)
{
	isb();
	return (unsigned int)(group ? read_sysreg(ICC_HPPIR1) : read_sysreg(ICC_HPPIR0));
}

static unsigned int acknowledge(unsigned int group)
{
	unsigned int intid = (unsigned int)(group ? read_sysreg(ICC_IAR1) : read_sysreg(ICC_IAR0));

	dsb();
	isb();
	return intid;
}

static void end(unsigned int group, unsigned int intid)
{
	if (group)
		write_sysreg(ICC_EOIR1, intid);
	else
		write_sysreg(ICC_EOIR0, intid);
	dsb();
	isb();
}

static bool active(unsigned int intid)
{
	dsb();
	return frame[ISACTIVER] & BIT(intid);
}

static unsigned int running(void)
{
	isb();
	return (unsigned int)read_sysreg(ICC_RPR) & 0xff;
}

/* Nothing pending or active, both SGIs of Group 1 and of the lower priority, all of it enabled. */
static void begin(void)
{
	frame[ICENABLER] = ~UINT32_C(0);
	frame[ICPENDR] = 0xffff;
	frame[ICACTIVER] = 0xffff;
	frame[IGROUPR] = ~UINT32_C(0);
	set_priority(ONE, low);
	set_priority(OTHER, low);
	frame[ISENABLER] = BIT(ONE) | BIT(OTHER);
	gic_forward(false, true);
	write_sysreg(ICC_PMR, 0xff);
	write_sysreg(ICC_CTLR, 0);
	write_sysreg(ICC_BPR0, 0);
	write_sysreg(ICC_BPR1, 0);
	write_sysreg(ICC_IGRPEN1, 1);
	(void)signalled();
}

/* The priority drops of what the test has left active, so that the next one begins idle. */
static void finish(void)
{
	write_sysreg(ICC_IGRPEN1, 1);
	write_sysreg(ICC_PMR, 0xff);
	for (unsigned int i = 0; i < 8 && running() != 0xff; i++) {
		end(1, OTHER);
		end(1, ONE);
	}
	begin();
	frame[ICENABLER] = ~UINT32_C(0);
	CHECK(running() == 0xff, "still running: 0x%x", running());
}

static void check_none(const char *what)
{
	unsigned int isr = signalled(), intid;

	CHECK(isr == 0, "%s: ISR_EL1 0x%x", what, isr);
	intid = acknowledge(1);
	CHECK(intid == SPURIOUS, "%s: ICC_IAR1_EL1 gave %u", what, intid);
}

static void hppir_names(void)
{
	begin();
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u when there is none", hppir(1));
	set_pending(OTHER);
	CHECK(hppir(1) == OTHER, "ICC_HPPIR1_EL1 is %u, not %u", hppir(1), OTHER);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x", signalled());
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u, which is active", hppir(1));
	end(1, OTHER);
	finish();
}

static void hppir_disabled(void)
{
	begin();
	write_sysreg(ICC_IGRPEN1, 0);
	set_pending(OTHER);
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u with ICC_IGRPEN1_EL1 0", hppir(1));
	finish();
}

static void group_disabled(void)
{
	begin();
	write_sysreg(ICC_IGRPEN1, 0);
	set_pending(OTHER);
	check_none("ICC_IGRPEN1_EL1 0");
	write_sysreg(ICC_IGRPEN1, 1);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x with ICC_IGRPEN1_EL1 1", signalled());
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	end(1, OTHER);
	finish();
}

static void not_forwarded(void)
{
	begin();
	set_pending(OTHER);
	gic_forward(false, false);
	check_none("GICD_CTLR.EnableGrp1 0");
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u with EnableGrp1 0", hppir(1));
	gic_forward(false, true);
	frame[ICENABLER] = BIT(OTHER);
	check_none("GICR_ICENABLER0");
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u of a disabled one", hppir(1));
	frame[ISENABLER] = BIT(OTHER);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x when enabled again", signalled());
	finish();
}

static void priority_mask(void)
{
	begin();
	set_pending(OTHER);
	write_sysreg(ICC_PMR, low);
	check_none("ICC_PMR_EL1 is the priority");
	CHECK(hppir(1) == OTHER, "ICC_HPPIR1_EL1 is %u behind the mask", hppir(1));
	write_sysreg(ICC_PMR, low + step);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x with a mask that is one step lower",
	      signalled());
	write_sysreg(ICC_PMR, 0);
	check_none("ICC_PMR_EL1 0");
	write_sysreg(ICC_PMR, 0xff);
	set_priority(OTHER, 0xff);
	if (((volatile uint8_t *)(frame + IPRIORITYR))[OTHER] == read_sysreg(ICC_PMR))
		check_none("the lowest priority");
	finish();
}

static void order(void)
{
	unsigned int first, second;

	begin();
	set_priority(ONE, high);
	set_pending(OTHER);
	set_pending(ONE);
	CHECK(hppir(1) == ONE, "ICC_HPPIR1_EL1 is %u, not the one of higher priority", hppir(1));
	first = acknowledge(1);
	CHECK(first == ONE, "ICC_IAR1_EL1 gave %u", first);
	check_none("a lower priority than what runs");
	CHECK(hppir(1) == OTHER, "ICC_HPPIR1_EL1 is %u behind what runs", hppir(1));
	end(1, ONE);
	CHECK(acknowledge(1) == OTHER, "the second is not acknowledged");
	end(1, OTHER);
	/* Of equal priority either may be the first; it does not preempt. */
	set_priority(ONE, low);
	set_pending(ONE);
	set_pending(OTHER);
	first = acknowledge(1);
	CHECK(first == ONE || first == OTHER, "of equal priority: %u", first);
	check_none("an equal priority");
	end(1, first);
	second = acknowledge(1);
	CHECK(first + second == ONE + OTHER, "of equal priority: %u, then %u", first, second);
	end(1, second);
	finish();
}

static void preemption(void)
{
	begin();
	set_priority(ONE, high);
	set_pending(OTHER);
	CHECK(running() == 0xff, "ICC_RPR_EL1 0x%x while idle", running());
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	CHECK(running() == low, "ICC_RPR_EL1 0x%x, not 0x%x", running(), low);
	set_pending(ONE);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x: it does not preempt", signalled());
	CHECK(acknowledge(1) == ONE, "it is not acknowledged");
	CHECK(running() == high, "ICC_RPR_EL1 0x%x, not 0x%x", running(), high);
	end(1, ONE);
	CHECK(running() == low, "ICC_RPR_EL1 0x%x, not 0x%x, after the end", running(), low);
	end(1, OTHER);
	CHECK(running() == 0xff, "ICC_RPR_EL1 0x%x after both ends", running());
	CHECK(!active(ONE) && !active(OTHER), "one is still active");
	finish();
}

/* With the largest ICC_BPR1_EL1 one bit is left that decides on preemption. */
static void binary_point(void)
{
	begin();
	write_sysreg(ICC_BPR1, 7);
	set_priority(OTHER, high + step);
	set_priority(ONE, high);
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	CHECK(running() == (high & 0x80), "ICC_RPR_EL1 0x%x is no group priority", running());
	set_pending(ONE);
	check_none("of the same group priority");
	end(1, OTHER);
	CHECK(acknowledge(1) == ONE, "it is not acknowledged when nothing runs");
	end(1, ONE);
	/* The subpriority decides which of those that are pending is first. */
	set_pending(OTHER);
	set_pending(ONE);
	CHECK(hppir(1) == ONE, "ICC_HPPIR1_EL1 is %u: subpriorities do not count", hppir(1));
	write_sysreg(ICC_BPR1, 0);
	frame[ICPENDR] = BIT(ONE);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	set_pending(ONE);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x: a step higher does not preempt", signalled());
	finish();
}

static void least_binary_point(void)
{
	uint64_t least;

	begin();
	write_sysreg(ICC_BPR1, 0);
	isb();
	least = read_sysreg(ICC_BPR1);
	CHECK(least <= 4, "the least ICC_BPR1_EL1 is %lu", least);
	for (uint64_t value = 0; value < 8; value++) {
		write_sysreg(ICC_BPR1, value);
		isb();
		CHECK(read_sysreg(ICC_BPR1) == (value < least ? least : value),
		      "ICC_BPR1_EL1 is %lu after %lu", read_sysreg(ICC_BPR1), value);
	}
	finish();
}

static const char *needs_cbpr(void)
{
	uint64_t cbpr;

	write_sysreg(ICC_CTLR, CTLR_CBPR);
	isb();
	cbpr = read_sysreg(ICC_CTLR) & CTLR_CBPR;
	write_sysreg(ICC_CTLR, 0);
	isb();
	return cbpr ? NULL : "ICC_CTLR_EL1.CBPR cannot be set";
}

static void common_binary_point(void)
{
	begin();
	write_sysreg(ICC_CTLR, CTLR_CBPR);
	for (uint64_t value = 4; value < 8; value++) {
		uint64_t want = value < 7 ? value + 1 : 7;

		write_sysreg(ICC_BPR0, value);
		isb();
		CHECK(read_sysreg(ICC_BPR1) == want, "ICC_BPR1_EL1 is %lu with ICC_BPR0_EL1 %lu",
		      read_sysreg(ICC_BPR1), value);
		write_sysreg(ICC_BPR1, 0);
		isb();
		CHECK(read_sysreg(ICC_BPR1) == want && read_sysreg(ICC_BPR0) == value,
		      "a write to ICC_BPR1_EL1 is not ignored");
	}
	/* ICC_BPR0_EL1 is 7: no bit is left, and nothing preempts. */
	set_priority(ONE, 0);
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	set_pending(ONE);
	check_none("there is one group priority");
	finish();
}

static void eoi_mode(void)
{
	begin();
	write_sysreg(ICC_CTLR, CTLR_EOIMODE);
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	end(1, OTHER);
	CHECK(running() == 0xff, "ICC_RPR_EL1 0x%x: the priority is not dropped", running());
	CHECK(active(OTHER), "the end deactivates");
	set_pending(OTHER);
	check_none("active and pending");
	CHECK(hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 is %u, which is active", hppir(1));
	write_sysreg(ICC_DIR, OTHER);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x after ICC_DIR_EL1", signalled());
	CHECK(!active(OTHER), "ICC_DIR_EL1 does not deactivate");
	finish();
}

static void pending_again(void)
{
	begin();
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	set_pending(OTHER);
	check_none("active and pending");
	end(1, OTHER);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x after the end", signalled());
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged again");
	end(1, OTHER);
	finish();
}

static void special_end(void)
{
	begin();
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	for (unsigned int intid = 1020; intid < 1024; intid++)
		end(1, intid);
	CHECK(running() == low && active(OTHER), "the end of a special INTID is one");
	end(1, OTHER);
	CHECK(running() == 0xff && !active(OTHER), "ICC_RPR_EL1 0x%x", running());
	finish();
}

/* Group 0: ONE, where it is of one Security state with Group 1. */
static void begin_groups(void)
{
	begin();
	set_group(ONE, 0);
	gic_forward(true, true);
	write_sysreg(ICC_IGRPEN0, 1);
	(void)signalled();
}

static void finish_groups(void)
{
	write_sysreg(ICC_IGRPEN0, 1);
	for (unsigned int i = 0; i < 4 && running() != 0xff; i++) {
		end(0, ONE);
		end(1, OTHER);
	}
	write_sysreg(ICC_IGRPEN0, 0);
	finish();
}

static const char *needs_group0(void)
{
	bool there;

	begin();
	set_group(ONE, 0);
	there = !(frame[IGROUPR] & BIT(ONE));
	set_group(ONE, 1);
	return there ? NULL : "Group 0 is of another Security state";
}

static void group0_is_fiq(void)
{
	begin_groups();
	set_pending(ONE);
	CHECK(signalled() == ISR_FIQ, "ISR_EL1 0x%x", signalled());
	CHECK(hppir(0) == ONE && hppir(1) == SPURIOUS, "ICC_HPPIR0_EL1 %u, ICC_HPPIR1_EL1 %u",
	      hppir(0), hppir(1));
	CHECK(acknowledge(1) == SPURIOUS, "ICC_IAR1_EL1 acknowledges it");
	CHECK(acknowledge(0) == ONE, "ICC_IAR0_EL1 does not acknowledge it");
	CHECK(running() == low, "ICC_RPR_EL1 0x%x", running());
	end(0, ONE);
	CHECK(running() == 0xff && !active(ONE), "ICC_RPR_EL1 0x%x after the end", running());
	finish_groups();
}

static void hppir0_disabled(void)
{
	begin_groups();
	write_sysreg(ICC_IGRPEN0, 0);
	set_pending(ONE);
	CHECK(hppir(0) == SPURIOUS, "ICC_HPPIR0_EL1 is %u with ICC_IGRPEN0_EL1 0", hppir(0));
	CHECK(signalled() == 0, "ISR_EL1 0x%x", signalled());
	CHECK(acknowledge(0) == SPURIOUS, "it is acknowledged");
	finish_groups();
}

/*
 * IMPLEMENTATION DEFINED (4.7.2): one of a disabled group hides lower ones of the other group, or
 * it does not; but ICC_HPPIR1_EL1, the signal and the acknowledge have to be of one mind.
 */
static void disabled_before_enabled(void)
{
	bool named, signal, taken;

	begin_groups();
	write_sysreg(ICC_IGRPEN0, 0);
	set_priority(ONE, high);
	set_pending(ONE);
	set_pending(OTHER);
	named = hppir(1) == OTHER;
	signal = signalled() == ISR_IRQ;
	CHECK(named || hppir(1) == SPURIOUS, "ICC_HPPIR1_EL1 %u", hppir(1));
	CHECK(hppir(0) == SPURIOUS, "ICC_HPPIR0_EL1 %u", hppir(0));
	taken = acknowledge(1) == OTHER;
	CHECK(named == signal && signal == taken, "named %u, signalled %u, acknowledged %u", named,
	      signal, taken);
	tap_note("a disabled Group 0 %s Group 1", named ? "does not hide" : "hides");
	finish_groups();
}

static void groups_preempt(void)
{
	begin_groups();
	set_priority(ONE, high);
	set_pending(OTHER);
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	set_pending(ONE);
	CHECK(signalled() == ISR_FIQ, "ISR_EL1 0x%x: Group 0 does not preempt", signalled());
	CHECK(acknowledge(0) == ONE, "it is not acknowledged");
	CHECK(running() == high, "ICC_RPR_EL1 0x%x", running());
	end(0, ONE);
	CHECK(running() == low, "ICC_RPR_EL1 0x%x after the end of Group 0", running());
	end(1, OTHER);
	/* And the other way. */
	set_priority(ONE, low);
	set_priority(OTHER, high);
	set_pending(ONE);
	CHECK(acknowledge(0) == ONE, "it is not acknowledged");
	set_pending(OTHER);
	CHECK(signalled() == ISR_IRQ, "ISR_EL1 0x%x: Group 1 does not preempt", signalled());
	CHECK(acknowledge(1) == OTHER, "it is not acknowledged");
	end(1, OTHER);
	CHECK(running() == low, "ICC_RPR_EL1 0x%x after the end of Group 1", running());
	end(0, ONE);
	CHECK(running() == 0xff, "ICC_RPR_EL1 0x%x", running());
	finish_groups();
}

/* The highest of both groups decides, and the mask is for both. */
static void groups_and_mask(void)
{
	begin_groups();
	set_priority(ONE, high);
	set_pending(ONE);
	set_pending(OTHER);
	CHECK(signalled() == ISR_FIQ, "ISR_EL1 0x%x with both pending", signalled());
	CHECK(hppir(0) == ONE && hppir(1) == SPURIOUS, "ICC_HPPIR0_EL1 %u, ICC_HPPIR1_EL1 %u",
	      hppir(0), hppir(1));
	write_sysreg(ICC_PMR, high);
	CHECK(signalled() == 0, "ISR_EL1 0x%x behind the mask", signalled());
	CHECK(acknowledge(0) == SPURIOUS && acknowledge(1) == SPURIOUS, "one is acknowledged");
	write_sysreg(ICC_PMR, low);
	CHECK(signalled() == ISR_FIQ, "ISR_EL1 0x%x with the mask between", signalled());
	CHECK(acknowledge(0) == ONE, "it is not acknowledged");
	end(0, ONE);
	CHECK(signalled() == 0, "ISR_EL1 0x%x: Group 1 is not masked", signalled());
	finish_groups();
}

/* Group 0 is split by ICC_BPR0_EL1. */
static void group0_binary_point(void)
{
	begin_groups();
	set_group(OTHER, 0);
	write_sysreg(ICC_BPR0, 6);
	set_priority(ONE, high);
	set_priority(OTHER, high + step);
	set_pending(OTHER);
	CHECK(acknowledge(0) == OTHER, "it is not acknowledged");
	CHECK(running() == (high & 0x80), "ICC_RPR_EL1 0x%x is no group priority", running());
	set_pending(ONE);
	CHECK(signalled() == 0, "ISR_EL1 0x%x: of the same group priority", signalled());
	write_sysreg(ICC_BPR0, 0);
	end(0, OTHER);
	CHECK(signalled() == ISR_FIQ, "ISR_EL1 0x%x", signalled());
	finish_groups();
}

static const char *needs_gicv3(void)
{
	return frame ? NULL : "the machine has no GICv3";
}

static const char *needs_both_groups(void)
{
	return frame ? needs_group0() : needs_gicv3();
}

static const char *needs_common(void)
{
	return frame ? needs_cbpr() : needs_gicv3();
}

static const struct test tests[] = {
	{"ICC_HPPIR1_EL1 names what is pending", hppir_names, needs_gicv3},
	{"ICC_HPPIR1_EL1 names none of a disabled group", hppir_disabled, needs_gicv3},
	{"ICC_IGRPEN1_EL1", group_disabled, needs_gicv3},
	{"what is not forwarded is not pending", not_forwarded, needs_gicv3},
	{"ICC_PMR_EL1", priority_mask, needs_gicv3},
	{"the higher priority is the first", order, needs_gicv3},
	{"preemption and the running priority", preemption, needs_gicv3},
	{"ICC_BPR1_EL1 groups priorities", binary_point, needs_gicv3},
	{"the least ICC_BPR1_EL1", least_binary_point, needs_gicv3},
	{"ICC_CTLR_EL1.CBPR", common_binary_point, needs_common},
	{"ICC_CTLR_EL1.EOImode", eoi_mode, needs_gicv3},
	{"active and pending", pending_again, needs_gicv3},
	{"the end of a special INTID", special_end, needs_gicv3},
	{"Group 0 is FIQ, and ICC_IAR0_EL1's", group0_is_fiq, needs_both_groups},
	{"ICC_HPPIR0_EL1 names none of a disabled group", hppir0_disabled, needs_both_groups},
	{"a disabled group before an enabled one", disabled_before_enabled, needs_both_groups},
	{"groups preempt each other", groups_preempt, needs_both_groups},
	{"both groups have one mask", groups_and_mask, needs_both_groups},
	{"ICC_BPR0_EL1 groups priorities", group0_binary_point, needs_both_groups},
	{"virtual: HPPIR names what is pending", virtual_hppir_names, needs_virtual},
	{"virtual: HPPIR names none of a disabled group", virtual_hppir_disabled, needs_virtual},
	{"virtual: a disabled group hides nothing", virtual_disabled_hides_nothing, needs_virtual},
	{"virtual: PMR", virtual_masks, needs_virtual},
	{"virtual: the higher priority is the first", virtual_order, needs_virtual},
	{"virtual: preemption and the running priority", virtual_preemption, needs_virtual},
	{"virtual: binary points group priorities", virtual_binary_points, needs_virtual},
	{"virtual: CBPR", virtual_common_binary_point, needs_virtual},
	{"virtual: EOImode", virtual_eoi_mode, needs_virtual},
	{"virtual: special INTIDs of list registers", virtual_special, needs_virtual},
	{"virtual: INTIDs of LPIs", virtual_lpi, needs_virtual},
	{"virtual: ends that no list register has", virtual_unlisted, needs_virtual},
	{"virtual: every combination of two interrupts", virtual_sweep, needs_virtual},
};

/* The bits of priorities that both the redistributor and ICC_PMR_EL1 have, and what is made of
 * them. */
static void find_priorities(void)
{
	unsigned int bits;

	set_priority(ONE, 0xff);
	write_sysreg(ICC_PMR, 0xff);
	isb();
	bits = ((volatile uint8_t *)(frame + IPRIORITYR))[ONE] & (unsigned int)read_sysreg(ICC_PMR);
	step = bits & -bits;
	high = 0x40;
	low = 0xa0;
}

void guest_main(void)
{
	frame = gic_private();
	if (frame) {
		find_priorities();
		tap_note("priorities in steps of 0x%x", step);
	}
	tap_run("gic", tests, sizeof(tests) / sizeof(tests[0]));
}
