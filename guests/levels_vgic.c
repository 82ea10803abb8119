/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: the virtual CPU interface of the GICv3 (Arm IHI 0069, chapter 6): list registers,
 * priorities, end of interrupt, maintenance interrupts, traps.
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "levels.h"
#include "platform.h"

#define ICH_HCR_EL2   S3_4_C12_C11_0
#define ICH_VTR_EL2   S3_4_C12_C11_1
#define ICH_MISR_EL2  S3_4_C12_C11_2
#define ICH_EISR_EL2  S3_4_C12_C11_3
#define ICH_ELRSR_EL2 S3_4_C12_C11_5
#define ICH_VMCR_EL2  S3_4_C12_C11_7
#define ICH_AP0R0_EL2 S3_4_C12_C8_0
#define ICH_AP1R0_EL2 S3_4_C12_C9_0
#define ICH_LR0_EL2   S3_4_C12_C12_0
#define ICH_LR1_EL2   S3_4_C12_C12_1
#define ICC_SRE_EL2   S3_4_C12_C9_5

#define ICH_HCR_EN	 1u
#define ICH_HCR_UIE	 (1u << 1)
#define ICH_HCR_LRENPIE	 (1u << 2)
#define ICH_HCR_NPIE	 (1u << 3)
#define ICH_HCR_VGRP1EIE (1u << 6)
#define ICH_HCR_VGRP1DIE (1u << 7)
#define ICH_HCR_TC	 (1u << 10)
#define ICH_HCR_TALL0	 (1u << 11)
#define ICH_HCR_TALL1	 (1u << 12)
#define ICH_HCR_TDIR	 (1u << 14)

#define VMCR_VENG0  (1u << 0)
#define VMCR_VENG1  (1u << 1)
#define VMCR_VEOIM  (1u << 9)
#define VMCR_PMR(p) ((uint64_t)(p) << 24)

#define LR_PENDING     (UINT64_C(1) << 62)
#define LR_ACTIVE      (UINT64_C(2) << 62)
#define LR_HW	       (UINT64_C(1) << 61)
#define LR_GROUP1      (UINT64_C(1) << 60)
#define LR_PRIORITY(p) ((uint64_t)(p) << 48)
#define LR_PINTID(n)   ((uint64_t)(n) << 32)
#define LR_EOI	       (UINT64_C(1) << 41)
#define LR_STATE(lr)   ((lr)&LR_PENDING * 3)

#define ICC_PMR	    A64_SYSREG(3, 0, 4, 6, 0)
#define ICC_IAR0    A64_SYSREG(3, 0, 12, 8, 0)
#define ICC_EOIR0   A64_SYSREG(3, 0, 12, 8, 1)
#define ICC_DIR	    A64_SYSREG(3, 0, 12, 11, 1)
#define ICC_RPR	    A64_SYSREG(3, 0, 12, 11, 3)
#define ICC_SGI1R   A64_SYSREG(3, 0, 12, 11, 5)
#define ICC_IAR1    A64_SYSREG(3, 0, 12, 12, 0)
#define ICC_EOIR1   A64_SYSREG(3, 0, 12, 12, 1)
#define ICC_HPPIR1  A64_SYSREG(3, 0, 12, 12, 2)
#define ICC_CTLR    A64_SYSREG(3, 0, 12, 12, 4)
#define ICC_SRE	    A64_SYSREG(3, 0, 12, 12, 5)
#define ICC_IGRPEN1 A64_SYSREG(3, 0, 12, 12, 7)

#define VINTID	 37u
#define SPURIOUS 1023u

static void begin_guest(void)
{
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN);
	write_sysreg(ICH_VMCR_EL2, VMCR_PMR(0xff) | VMCR_VENG1);
	write_sysreg(ICH_LR0_EL2, 0);
	write_sysreg(ICH_LR1_EL2, 0);
	write_sysreg(ICH_AP0R0_EL2, 0);
	write_sysreg(ICH_AP1R0_EL2, 0);
	isb();
	lower_init(&c, 1, 0);
}

static void end_guest(void)
{
	begin_guest();
	write_sysreg(ICH_HCR_EL2, 0);
	isb();
}

static void set_lr0(uint64_t value)
{
	write_sysreg(ICH_LR0_EL2, value);
	isb();
}

static uint64_t group1(unsigned int priority, unsigned int intid)
{
	return LR_PENDING | LR_GROUP1 | LR_PRIORITY(priority) | intid;
}

/* Does EL1 take a virtual interrupt, with PSTATE.{I,F} 0? The number of the vector, -1 if none. */
static int pending_at_el1(void)
{
	int vector = -1;

	c.spsr = (SPSR_DAIF & ~(SPSR_I | SPSR_F)) | SPSR_EL1H;
	if (!lower_insn(&c, A64_NOP))
		vector = lower_vector(&c, NULL);
	c.spsr = SPSR_DAIF | SPSR_EL1H;
	return vector;
}

void vgic_life_of_an_interrupt(void)
{
	begin_guest();
	CHECK(pending_at_el1() == -1, "there is one without a list register");
	set_lr0(group1(0x80, VINTID));
	CHECK(lower_read(REG_ISR_EL1) == 0x80, "ISR_EL1 0x%lx", c.x[5]);
	CHECK(pending_at_el1() == VEC_SPX_IRQ, "not taken");
	CHECK(lower_read(ICC_HPPIR1) == VINTID, "ICC_HPPIR1_EL1 gave %lu", c.x[5]);
	CHECK(lower_read(ICC_RPR) == 0xff, "ICC_RPR_EL1 0x%lx while idle", c.x[5]);
	CHECK(lower_read(ICC_IAR1) == VINTID, "ICC_IAR1_EL1 gave %lu", c.x[5]);
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == LR_ACTIVE, "LR0 0x%lx",
	      read_sysreg(ICH_LR0_EL2));
	CHECK(read_sysreg(ICH_AP1R0_EL2) != 0, "no active priority");
	CHECK(lower_read(ICC_RPR) == 0x80, "ICC_RPR_EL1 0x%lx", c.x[5]);
	CHECK(lower_read(ICC_IAR1) == SPURIOUS, "ICC_IAR1_EL1 gave %lu again", c.x[5]);
	CHECK(pending_at_el1() == -1, "taken while active");
	lower_write(ICC_EOIR1, VINTID);
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == 0, "LR0 0x%lx after EOI",
	      read_sysreg(ICH_LR0_EL2));
	CHECK(read_sysreg(ICH_AP1R0_EL2) == 0, "a priority is still active");
	CHECK(read_sysreg(ICH_ELRSR_EL2) & 1, "ICH_ELRSR_EL2 0x%lx", read_sysreg(ICH_ELRSR_EL2));
	end_guest();
}

/* At EL0 too, with the vector of EL0. */
void vgic_from_el0(void)
{
	begin_guest();
	lower_init(&c, 0, 0);
	set_lr0(group1(0x80, VINTID));
	c.spsr = SPSR_DAIF & ~SPSR_I;
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == VEC_EL0_IRQ, "vector %d",
	      lower_vector(&c, NULL));
	end_guest();
}

/* Enables and masks: En, VENG1, VPMR, IMO; what EL1 writes shows in ICH_VMCR_EL2. */
void vgic_masks(void)
{
	begin_guest();
	set_lr0(group1(0x80, VINTID));
	write_sysreg(ICH_HCR_EL2, 0);
	CHECK(pending_at_el1() == -1, "taken with ICH_HCR_EL2.En 0");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN);
	lower_write(ICC_IGRPEN1, 0);
	CHECK(!(read_sysreg(ICH_VMCR_EL2) & VMCR_VENG1), "ICH_VMCR_EL2 0x%lx",
	      read_sysreg(ICH_VMCR_EL2));
	CHECK(pending_at_el1() == -1, "taken with the group disabled");
	lower_write(ICC_IGRPEN1, 1);
	lower_write(ICC_PMR, 0x80);
	CHECK(field(read_sysreg(ICH_VMCR_EL2), 31, 24) == 0x80, "ICH_VMCR_EL2 0x%lx",
	      read_sysreg(ICH_VMCR_EL2));
	CHECK(pending_at_el1() == -1, "taken at the priority of the mask");
	lower_write(ICC_PMR, 0x90);
	CHECK(pending_at_el1() == VEC_SPX_IRQ, "not taken above the mask");
	c.hcr_el2 &= ~HCR_IMO;
	CHECK(pending_at_el1() == -1, "taken with HCR_EL2.IMO 0");
	end_guest();
}

/* Two list registers: the higher priority first, and it preempts. */
void vgic_priorities(void)
{
	begin_guest();
	set_lr0(group1(0x90, VINTID));
	CHECK(lower_read(ICC_IAR1) == VINTID, "ICC_IAR1_EL1 gave %lu", c.x[5]);
	write_sysreg(ICH_LR1_EL2, group1(0xa0, VINTID + 1));
	CHECK(pending_at_el1() == -1, "a lower priority preempts");
	write_sysreg(ICH_LR1_EL2, group1(0x40, VINTID + 1));
	CHECK(pending_at_el1() == VEC_SPX_IRQ, "a higher priority does not preempt");
	CHECK(lower_read(ICC_IAR1) == VINTID + 1, "ICC_IAR1_EL1 gave %lu", c.x[5]);
	CHECK(lower_read(ICC_RPR) == 0x40, "ICC_RPR_EL1 0x%lx", c.x[5]);
	lower_write(ICC_EOIR1, VINTID + 1);
	CHECK(lower_read(ICC_RPR) == 0x90, "ICC_RPR_EL1 0x%lx", c.x[5]);
	lower_write(ICC_EOIR1, VINTID);
	set_lr0(group1(0x90, VINTID));
	write_sysreg(ICH_LR1_EL2, group1(0x40, VINTID + 1));
	CHECK(lower_read(ICC_HPPIR1) == VINTID + 1, "ICC_HPPIR1_EL1 gave %lu", c.x[5]);
	end_guest();
}

void vgic_group0(void)
{
	begin_guest();
	write_sysreg(ICH_VMCR_EL2, VMCR_PMR(0xff) | VMCR_VENG0 | VMCR_VENG1);
	set_lr0(LR_PENDING | LR_PRIORITY(0x80) | VINTID);
	CHECK(lower_read(REG_ISR_EL1) == 0x40, "ISR_EL1 0x%lx", c.x[5]);
	CHECK(pending_at_el1() == VEC_SPX_FIQ, "no virtual FIQ");
	CHECK(lower_read(ICC_IAR0) == VINTID, "ICC_IAR0_EL1 gave %lu", c.x[5]);
	lower_write(ICC_EOIR0, VINTID);
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == 0, "LR0 0x%lx", read_sysreg(ICH_LR0_EL2));
	end_guest();
}

/* EOImode 1: EOIR drops the priority, DIR deactivates. */
void vgic_split_eoi(void)
{
	begin_guest();
	set_lr0(group1(0x80, VINTID));
	lower_write(ICC_CTLR, 1 << 1);
	CHECK(read_sysreg(ICH_VMCR_EL2) & VMCR_VEOIM, "ICH_VMCR_EL2 0x%lx",
	      read_sysreg(ICH_VMCR_EL2));
	CHECK(lower_read(ICC_IAR1) == VINTID, "ICC_IAR1_EL1 gave %lu", c.x[5]);
	lower_write(ICC_EOIR1, VINTID);
	CHECK(read_sysreg(ICH_AP1R0_EL2) == 0, "EOIR did not drop the priority");
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == LR_ACTIVE, "EOIR deactivated");
	lower_write(ICC_DIR, VINTID);
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == 0, "DIR did not deactivate");
	end_guest();
}

static uint32_t maintenance_status(void)
{
	return platform_interrupt(PLATFORM_MAINTENANCE);
}

static enum exc_return no_handler(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	return EXC_RETURN;
}

static void expect_maintenance(uint64_t misr, const char *what)
{
	uint32_t intid = maintenance_status();

	isb();
	CHECK(read_sysreg(ICH_MISR_EL2) == misr, "%s: ICH_MISR_EL2 0x%lx, not 0x%lx", what,
	      read_sysreg(ICH_MISR_EL2), misr);
	CHECK(gic_pending(intid) == (misr != 0), "%s: the interrupt is %spending", what,
	      misr ? "not " : "");
	if (misr && CHECK(!lower_insn(&c, A64_NOP), "%s: EL1 is not interrupted", what))
		CHECK(c.exit.kind == LOWER_IRQ, "%s: ESR 0x%lx", what, c.exit.esr);
	c.spsr = SPSR_DAIF | SPSR_EL1H;
}

void vgic_maintenance(void)
{
	uint32_t intid = maintenance_status();

	if (!CHECK(intid != 0, "the GIC's node has no maintenance interrupt"))
		return;
	begin_guest();
	gic_enable(intid, no_handler);
	expect_maintenance(0, "nothing enabled");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_UIE);
	expect_maintenance(1 << 1, "underflow");
	set_lr0(group1(0x80, VINTID));
	write_sysreg(ICH_LR1_EL2, group1(0x80, VINTID + 1));
	expect_maintenance(0, "two valid list registers");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_NPIE);
	expect_maintenance(0, "pending ones");
	set_lr0(0);
	write_sysreg(ICH_LR1_EL2, 0);
	expect_maintenance(1 << 3, "no pending one");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_VGRP1EIE);
	expect_maintenance(1 << 6, "group 1 enabled");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_VGRP1DIE);
	expect_maintenance(0, "group 1 not disabled");
	write_sysreg(ICH_VMCR_EL2, VMCR_PMR(0xff));
	expect_maintenance(1 << 7, "group 1 disabled");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_UIE | ICH_HCR_VGRP1DIE);
	isb();
	CHECK(!gic_pending(intid), "a maintenance interrupt with ICH_HCR_EL2.En 0");
	/* The end of an interrupt that asks for it, and of one that no list register has. */
	begin_guest();
	set_lr0(group1(0x80, VINTID) | LR_EOI);
	lower_read(ICC_IAR1);
	expect_maintenance(0, "active");
	c.x[5] = VINTID;
	lower_insn(&c, A64_MSR(ICC_EOIR1, 5)); /* interrupted or not */
	CHECK(read_sysreg(ICH_EISR_EL2) == 1, "ICH_EISR_EL2 0x%lx", read_sysreg(ICH_EISR_EL2));
	expect_maintenance(1, "EOI");
	set_lr0(0);
	expect_maintenance(0, "list register written");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_LRENPIE);
	write_sysreg(ICH_AP1R0_EL2, UINT64_C(1) << 16);
	c.spsr = SPSR_DAIF | SPSR_EL1H;
	c.x[5] = VINTID + 5;
	lower_insn(&c, A64_MSR(ICC_EOIR1, 5));
	CHECK(field(read_sysreg(ICH_HCR_EL2), 31, 27) == 1, "EOIcount: ICH_HCR_EL2 0x%lx",
	      read_sysreg(ICH_HCR_EL2));
	expect_maintenance(1 << 2, "EOI of none");
	gic_enable(intid, NULL);
	end_guest();
}

/* HW: the end of the virtual interrupt deactivates the physical one, here the virtual timer's. */
void vgic_hardware(void)
{
	const uint32_t intid = platform_interrupt(PLATFORM_TIMER_VIRTUAL);

	if (!CHECK(intid != 0, "no virtual timer in the %s", platform_source()))
		return;
	begin_guest();
	gic_enable(intid, no_handler);
	write_sysreg(S3_0_C12_C12_4, 2); /* ICC_CTLR_EL1.EOImode: main only drops the priority */
	write_sysreg(cntv_cval_el0, counter());
	write_sysreg(cntv_ctl_el0, 1);
	CHECK(!lower_insn(&c, A64_NOP) && c.exit.kind == LOWER_IRQ, "no timer interrupt");
	CHECK(read_sysreg(S3_0_C12_C12_0) == intid, "not the timer's");
	write_sysreg(S3_0_C12_C12_1, intid);
	isb();
	write_sysreg(cntv_ctl_el0, 0);
	CHECK(gic_active(intid), "not active");
	lower_init(&c, 1, 0);
	set_lr0(group1(0x80, VINTID) | LR_HW | LR_PINTID(intid));
	CHECK(lower_read(ICC_IAR1) == VINTID, "ICC_IAR1_EL1 gave %lu", c.x[5]);
	CHECK(gic_active(intid), "deactivated by the acknowledge");
	lower_write(ICC_EOIR1, VINTID);
	CHECK(!gic_active(intid), "still active after the virtual EOI");
	CHECK(LR_STATE(read_sysreg(ICH_LR0_EL2)) == 0, "LR0 0x%lx", read_sysreg(ICH_LR0_EL2));
	write_sysreg(S3_0_C12_C12_4, 0);
	gic_enable(intid, NULL);
	end_guest();
}

static void expect_trap(uint32_t word, const char *what)
{
	lower_init(&c, 1, 0);
	taken(word, ESR(EC_SYSREG, sysreg_iss(word)), 0, what);
}

/* SGIs always while EL1 has the virtual interface; the rest by ICH_HCR_EL2 and ICC_SRE_EL2. */
void vgic_traps(void)
{
	uint64_t sre = read_sysreg(ICC_SRE_EL2);

	begin_guest();
	expect_trap(A64_MSR(ICC_SGI1R, 5), "ICC_SGI1R_EL1");
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_TALL1);
	expect_trap(A64_MRS(ICC_IAR1, 5), "TALL1: ICC_IAR1_EL1");
	expect_trap(A64_MSR(ICC_EOIR1, 5), "TALL1: ICC_EOIR1_EL1");
	expect_trap(A64_MRS(ICC_IGRPEN1, 5), "TALL1: ICC_IGRPEN1_EL1");
	lower_init(&c, 1, 0);
	lower_read(ICC_PMR);
	lower_read(ICC_IAR0);
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_TALL0);
	expect_trap(A64_MRS(ICC_IAR0, 5), "TALL0: ICC_IAR0_EL1");
	lower_init(&c, 1, 0);
	lower_read(ICC_IAR1);
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_TC);
	expect_trap(A64_MRS(ICC_PMR, 5), "TC: ICC_PMR_EL1");
	expect_trap(A64_MRS(ICC_CTLR, 5), "TC: ICC_CTLR_EL1");
	expect_trap(A64_MRS(ICC_RPR, 5), "TC: ICC_RPR_EL1");
	expect_trap(A64_MSR(ICC_DIR, 5), "TC: ICC_DIR_EL1");
	if (read_sysreg(ICH_VTR_EL2) & 1 << 19) { /* TDS */
		write_sysreg(ICH_HCR_EL2, ICH_HCR_EN | ICH_HCR_TDIR);
		expect_trap(A64_MSR(ICC_DIR, 5), "TDIR: ICC_DIR_EL1");
	}
	write_sysreg(ICH_HCR_EL2, ICH_HCR_EN);
	write_sysreg(ICC_SRE_EL2, sre & ~UINT64_C(8));
	isb();
	if (!(read_sysreg(ICC_SRE_EL2) & 8)) /* may be RAO/WI */
		expect_trap(A64_MRS(ICC_SRE, 5), "ICC_SRE_EL2.Enable: ICC_SRE_EL1");
	write_sysreg(ICC_SRE_EL2, sre);
	end_guest();
}
