/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: EL2's timers, offsets, their names in a host (Arm ARM D12), and PSCI by SMC from EL2 and
 * EL1.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "gic.h"
#include "levels.h"
#include "platform.h"
#include "psci.h"

#define CNTHV_CTL_EL2	S3_4_C14_C3_1
#define CNTHV_CVAL_EL2	S3_4_C14_C3_2
#define CNTHVS_CVAL_EL2 S3_4_C14_C4_2
#define CNTHPS_CVAL_EL2 S3_4_C14_C5_2
#define CNTP_CVAL_EL02	S3_5_C14_C2_2
#define CNTV_CTL_EL02	S3_5_C14_C3_1
#define CNTV_CVAL_EL02	S3_5_C14_C3_2
#define CNTPOFF_EL2	S3_4_C14_C0_6

#define CTL_ENABLE  1u
#define CTL_IMASK   2u
#define CTL_ISTATUS 4u

static volatile uint32_t taken_intid;

static enum exc_return hyp_timer_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	taken_intid = intid;
	write_sysreg(cnthp_ctl_el2, 0);
	isb();
	return EXC_RETURN;
}

void timer_of_el2(void)
{
	uint32_t intid = platform_interrupt(PLATFORM_TIMER_HYP);
	uint64_t until = read_sysreg(cntpct_el0) + 2000;

	deadline_release_timer();
	if (!CHECK(intid != 0, "no hypervisor's timer in the %s", platform_source()))
		return;
	taken_intid = 0;
	gic_enable(intid, hyp_timer_irq);
	write_sysreg(cnthp_cval_el2, until);
	write_sysreg(cnthp_ctl_el2, CTL_ENABLE);
	isb();
	wait_while(!gic_pending(intid));
	irq_enable();
	(void)comes(taken_intid != 0);
	irq_disable();
	CHECK(taken_intid == intid, "INTID %u, not %u", taken_intid, intid);
	CHECK(read_sysreg(cntpct_el0) >= until, "early");
	/* It interrupts EL1. */
	write_sysreg(cnthp_cval_el2, read_sysreg(cntpct_el0));
	write_sysreg(cnthp_ctl_el2, CTL_ENABLE);
	lower_init(&c, 1, 0);
	CHECK(!lower_insn(&c, A64_NOP) && c.exit.kind == LOWER_IRQ, "EL1 runs on");
	write_sysreg(cnthp_ctl_el2, CTL_ENABLE | CTL_IMASK);
	isb();
	CHECK(read_sysreg(cnthp_ctl_el2) & CTL_ISTATUS, "CNTHP_CTL_EL2 0x%lx",
	      read_sysreg(cnthp_ctl_el2));
	CHECK(!gic_pending(intid), "pending while IMASK is 1");
	write_sysreg(cnthp_ctl_el2, 0);
	gic_enable(intid, NULL);
}

/* value is between the values read before and after. */
static void expect_between(uint64_t low, uint64_t value, uint64_t high, const char *what)
{
	CHECK(value - low <= high - low, "%s: 0x%lx is not between 0x%lx and 0x%lx", what, value,
	      low, high);
}

static uint64_t physical_count(void)
{
	isb();
	return read_sysreg(cntpct_el0);
}

void virtual_offset(void)
{
	uint64_t offset = UINT64_C(0x123456789a), low, high, value;

	write_sysreg(cntvoff_el2, offset);
	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		c.cntkctl_el1 = 3;
		low = physical_count();
		lower_read(REG_CNTVCT_EL0);
		high = physical_count();
		expect_between(low - offset, c.x[5], high - offset, "CNTVCT_EL0 below");
		low = physical_count();
		lower_read(REG_CNTPCT_EL0);
		high = physical_count();
		expect_between(low, c.x[5], high, "CNTPCT_EL0 below");
	}
	low = physical_count();
	value = counter();
	high = physical_count();
	expect_between(low - offset, value, high - offset, "CNTVCT_EL0 at EL2");
	write_sysreg(cntvoff_el2, 0);
}

/* The virtual timer's condition compares the virtual count. */
void virtual_timer_of_el1(void)
{
	uint32_t intid = platform_interrupt(PLATFORM_TIMER_VIRTUAL);
	uint64_t offset = UINT64_C(0x9876543210), until;

	write_sysreg(cntvoff_el2, offset);
	lower_init(&c, 1, 0);
	until = lower_read(REG_CNTVCT_EL0) + 20000;
	lower_write(REG_CNTV_CVAL_EL0, until);
	lower_write(REG_CNTV_CTL_EL0, CTL_ENABLE);
	CHECK(!(lower_read(REG_CNTV_CTL_EL0) & CTL_ISTATUS) || lower_read(REG_CNTVCT_EL0) >= until,
	      "early: CNTV_CTL_EL0 0x%lx", c.x[5]);
	while (lower_read(REG_CNTVCT_EL0) < until && physical_count() - offset < until + 100000)
		;
	/* In finite time: an emulator may have a separate clock for it. */
	(void)comes(gic_pending(intid));
	CHECK(lower_read(REG_CNTV_CTL_EL0) & CTL_ISTATUS, "CNTV_CTL_EL0 0x%lx after CVAL", c.x[5]);
	CHECK(gic_pending(intid), "not pending");
	lower_write(REG_CNTV_CTL_EL0, 0);
	CHECK(!gic_pending(intid), "still pending");
	write_sysreg(cntvoff_el2, 0);
}

const char *needs_ecv(void)
{
	if (needs_el2())
		return needs_el2();
	return field(read_sysreg(id_aa64mmfr0_el1), 63, 60) < 2
		       ? "no CNTPOFF_EL2: ID_AA64MMFR0_EL1.ECV"
		       : NULL;
}

void physical_offset(void)
{
	uint64_t offset = UINT64_C(0x5555555), low, high;

	write_sysreg(CNTPOFF_EL2, offset);
	lower_init(&c, 1, 0);
	low = physical_count();
	lower_read(REG_CNTPCT_EL0);
	high = physical_count();
	expect_between(low, c.x[5], high, "CNTPCT_EL0 without CNTHCTL_EL2.ECV");
	write_sysreg(cnthctl_el2, 1 << 12 | 3);
	low = physical_count();
	lower_read(REG_CNTPCT_EL0);
	high = physical_count();
	expect_between(low - offset, c.x[5], high - offset, "CNTPCT_EL0 with CNTHCTL_EL2.ECV");
	write_sysreg(cnthctl_el2, 3);
	write_sysreg(CNTPOFF_EL2, 0);
}

void host_timers(void)
{
	uint64_t offset = UINT64_C(0x7000000000), low, value, high;

	deadline_release_timer();
	el2_set_host(true);
	lower_init(&c, 1, 0);
	lower_write(REG_CNTV_CVAL_EL0, 0x1111);
	lower_write(REG_CNTP_CVAL_EL0, 0x2222);
	write_sysreg(S3_3_C14_C3_2,
		     0x3333); /* CNTV_CVAL_EL0: CNTHV_CVAL_EL2 or, Secure, CNTHVS_CVAL_EL2 */
	write_sysreg(S3_3_C14_C2_2, 0x4444); /* CNTP_CVAL_EL0: CNTHP_CVAL_EL2 */
	isb();
	value = secure_el2() ? read_sysreg(CNTHVS_CVAL_EL2) : read_sysreg(CNTHV_CVAL_EL2);
	CHECK(value == 0x3333, "CNTHV_CVAL_EL2 0x%lx", value);
	value = secure_el2() ? read_sysreg(CNTHPS_CVAL_EL2) : read_sysreg(cnthp_cval_el2);
	CHECK(value == 0x4444, "CNTHP_CVAL_EL2 0x%lx", value);
	CHECK(read_sysreg(CNTV_CVAL_EL02) == 0x1111, "CNTV_CVAL_EL02 0x%lx",
	      read_sysreg(CNTV_CVAL_EL02));
	CHECK(read_sysreg(CNTP_CVAL_EL02) == 0x2222, "CNTP_CVAL_EL02 0x%lx",
	      read_sysreg(CNTP_CVAL_EL02));
	write_sysreg(CNTV_CVAL_EL02, 0x5555);
	CHECK(lower_read(REG_CNTV_CVAL_EL0) == 0x5555, "CNTV_CVAL_EL0 at EL1 0x%lx", c.x[5]);
	/* The condition of CNTHV is met: its value is long past. */
	write_sysreg(CNTHV_CVAL_EL2, 0x3333);
	write_sysreg(CNTHV_CTL_EL2, CTL_ENABLE | CTL_IMASK);
	isb();
	CHECK(read_sysreg(CNTHV_CTL_EL2) == (CTL_ENABLE | CTL_IMASK | CTL_ISTATUS),
	      "CNTHV_CTL_EL2 0x%lx", read_sysreg(CNTHV_CTL_EL2));
	CHECK(read_sysreg(CNTV_CTL_EL02) == 0 || !(read_sysreg(CNTV_CTL_EL02) & CTL_ENABLE),
	      "CNTV_CTL_EL02 0x%lx", read_sysreg(CNTV_CTL_EL02));
	write_sysreg(CNTHV_CTL_EL2, 0);
	/* The host itself reads the virtual count without an offset. */
	write_sysreg(cntvoff_el2, offset);
	low = physical_count();
	value = counter();
	high = physical_count();
	expect_between(low, value, high, "CNTVCT_EL0 of a host");
	lower_init(&c, 1, 0);
	low = physical_count();
	lower_read(REG_CNTVCT_EL0);
	high = physical_count();
	expect_between(low - offset, c.x[5], high - offset, "CNTVCT_EL0 of its guest");
	write_sysreg(cntvoff_el2, 0);
	el2_set_host(false);
}

/* CNTHCTL_EL2's other format: EL1PCTEN, EL1PTEN for guests, EL0PCTEN, EL0VCTEN for the host. */
void host_counter_traps(void)
{
	uint32_t physical = A64_MRS(REG_CNTPCT_EL0, 5), timer = A64_MRS(REG_CNTP_CTL_EL0, 5);
	uint32_t virtual = A64_MRS(REG_CNTVCT_EL0, 5);
	uint64_t open;

	el2_set_host(true);
	open = read_sysreg(cnthctl_el2);
	lower_init(&c, 1, 0);
	completes(physical, "CNTPCT_EL0");
	write_sysreg(cnthctl_el2, open & ~(UINT64_C(1) << 10));
	taken(physical, ESR(EC_SYSREG, sysreg_iss(physical)), 0, "CNTPCT_EL0 without EL1PCTEN");
	write_sysreg(cnthctl_el2, open & ~(UINT64_C(1) << 11));
	taken(timer, ESR(EC_SYSREG, sysreg_iss(timer)), 0, "CNTP_CTL_EL0 without EL1PTEN");
	/* EL0 of the host has a separate page. */
	lower_init(&c, 0, user_address(levels_read_counters));
	c.hcr_el2 |= HCR_TGE;
	write_sysreg(cnthctl_el2, open);
	lower_run(&c);
	CHECK(c.exit.esr == ESR(EC_SVC64, 1), "counters: ESR 0x%lx ELR 0x%lx", c.exit.esr,
	      c.exit.elr);
	c.pc = user_address(levels_read_counters);
	write_sysreg(cnthctl_el2, open & ~UINT64_C(1));
	lower_run(&c);
	CHECK(c.exit.esr == ESR(EC_SYSREG, sysreg_iss(physical)), "EL0PCTEN: ESR 0x%lx",
	      c.exit.esr);
	c.pc = user_address(levels_read_counters) + 4;
	write_sysreg(cnthctl_el2, open & ~UINT64_C(2));
	lower_run(&c);
	CHECK(c.exit.esr == ESR(EC_SYSREG, sysreg_iss(virtual)), "EL0VCTEN: ESR 0x%lx", c.exit.esr);
	write_sysreg(cnthctl_el2, open);
	el2_set_host(false);
}

#define PSCI_VERSION 0x84000000u

void psci_from_el1(void)
{
	lower_init(&c, 1, 0);
	c.x[0] = PSCI_VERSION;
	completes(A64_SMC(0), "SMC at EL1");
	CHECK((uint32_t)c.x[0] == psci_version(), "EL1 gets 0x%lx, EL2 0x%x", c.x[0],
	      psci_version());
	c.x[0] = PSCI_VERSION;
	c.hcr_el2 |= HCR_TSC;
	taken(A64_SMC(0), ESR(EC_SMC64, 0), 0, "SMC with HCR_EL2.TSC");
	CHECK(c.x[0] == PSCI_VERSION, "the trapped SMC changed X0");
}

static volatile unsigned int secondary_level;

static void run_secondary(unsigned int cpu)
{
	(void)cpu;
	secondary_level = current_el();
	dsb();
}

const char *needs_two_cpus(void)
{
	uint64_t mpidr;

	if (needs_el2())
		return needs_el2();
	if (!platform_cpu(1, &mpidr))
		return "one CPU";
	return NULL;
}

void psci_cpu_on_at_el2(void)
{
	uint64_t mpidr = 0;

	platform_cpu(1, &mpidr);
	if (!CHECK(psci_cpu_on(mpidr, 1, run_secondary) == PSCI_SUCCESS, "CPU_ON failed"))
		return;
	wait_while(psci_affinity_info(mpidr) != 1 || secondary_level == 0);
	CHECK(secondary_level == 2, "it started at EL%u", secondary_level);
}
