/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3's virtual CPU interface (IHI 0069, chapter 6 and 12.4): list registers and their states,
 * priorities, ends of interrupts, maintenance interrupts, and the registers of EL2 and EL3.
 */
#include <string.h>
#include <vspe/sysreg.h>

#include "../compare.h"
#include "engine.h"
#include "device/gic.h"
#include "device_fixture.h"

#define ICC(op0, op1, crn, crm, op2) SYSREG_ENCODING(op0, op1, crn, crm, op2)
#define ICV(op0, op1, crn, crm, op2) (ICC(op0, op1, crn, crm, op2) | ENGINE_SYSREG_VIRTUAL)

#define PMR	ICV(3, 0, 4, 6, 0)
#define IAR0	ICV(3, 0, 12, 8, 0)
#define EOIR0	ICV(3, 0, 12, 8, 1)
#define HPPIR0	ICV(3, 0, 12, 8, 2)
#define BPR0	ICV(3, 0, 12, 8, 3)
#define AP0R0	ICV(3, 0, 12, 8, 4)
#define AP1R0	ICV(3, 0, 12, 9, 0)
#define DIR	ICV(3, 0, 12, 11, 1)
#define RPR	ICV(3, 0, 12, 11, 3)
#define SGI1R	ICV(3, 0, 12, 11, 5)
#define IAR1	ICV(3, 0, 12, 12, 0)
#define EOIR1	ICV(3, 0, 12, 12, 1)
#define HPPIR1	ICV(3, 0, 12, 12, 2)
#define BPR1	ICV(3, 0, 12, 12, 3)
#define CTLR	ICV(3, 0, 12, 12, 4)
#define SRE	ICV(3, 0, 12, 12, 5)
#define IGRPEN0 ICV(3, 0, 12, 12, 6)
#define IGRPEN1 ICV(3, 0, 12, 12, 7)

#define ICH_AP0R0 SYSREG_ENCODING(3, 4, 12, 8, 0)
#define ICH_AP1R0 SYSREG_ENCODING(3, 4, 12, 9, 0)
#define ICH_HCR	  SYSREG_ENCODING(3, 4, 12, 11, 0)
#define ICH_VTR	  SYSREG_ENCODING(3, 4, 12, 11, 1)
#define ICH_MISR  SYSREG_ENCODING(3, 4, 12, 11, 2)
#define ICH_EISR  SYSREG_ENCODING(3, 4, 12, 11, 3)
#define ICH_ELRSR SYSREG_ENCODING(3, 4, 12, 11, 5)
#define ICH_VMCR  SYSREG_ENCODING(3, 4, 12, 11, 7)
#define ICH_LR(n) SYSREG_ENCODING(3, 4, 12, 12 + (n) / 8, (n) % 8)

#define ICC_PMR	    ICC(3, 0, 4, 6, 0)
#define ICC_IAR1    ICC(3, 0, 12, 12, 0)
#define ICC_EOIR1   ICC(3, 0, 12, 12, 1)
#define ICC_CTLR    ICC(3, 0, 12, 12, 4)
#define ICC_IGRPEN1 ICC(3, 0, 12, 12, 7)

#define HCR_EN	     1u
#define EOICOUNT(n)  ((uint64_t)(n) << 27)
#define CTLR_CBPR    1u
#define CTLR_EOIMODE 2u

#define PENDING	     (UINT64_C(1) << 62)
#define ACTIVE	     (UINT64_C(2) << 62)
#define BOTH	     (UINT64_C(3) << 62)
#define HW(intid)    (UINT64_C(1) << 61 | (uint64_t)(intid) << 32)
#define EOI	     (UINT64_C(1) << 41)
#define G1	     (UINT64_C(1) << 60)
#define PRIO(value)  ((uint64_t)(value) << 48)
#define STATE(value) ((value) >> 62)

#define SGI_FRAME UINT64_C(0x10000)
#define SPURIOUS  1023

static struct gic *gic;

static void make_gic(unsigned int cpus)
{
	if (gic)
		device_free(&gic->device);
	gic = (struct gic *)make_device(&device_gic, cpus);
}

static uint64_t get(uint32_t reg)
{
	uint64_t value = 0;

	cr_assert(gic_sysreg_read(&gic->device, 0, reg, &value), "%x", reg);
	return value;
}

static void set(uint32_t reg, uint64_t value)
{
	cr_assert(gic_sysreg_write(&gic->device, 0, reg, value), "%x", reg);
}

/* A guest that takes everything, and physical interrupts of Group 1 at priority 0xa0. */
static void setup(void)
{
	make_gic(2);
	gic_dist_write(&gic->device, 0, 0, 4, 3);
	gic_redist_write(&gic->device, 0, 0x14, 4, 0);
	gic_redist_write(&gic->device, 0, SGI_FRAME + 0x80, 4, UINT32_MAX);
	gic_redist_write(&gic->device, 0, SGI_FRAME + 0x100, 4, UINT32_MAX);
	for (unsigned int n = 0; n < GIC_PRIVATE; n += 4)
		gic_redist_write(&gic->device, 0, SGI_FRAME + 0x400 + n, 4, 0xa0a0a0a0);
	set(ICC_PMR, 0xff);
	set(ICC_IGRPEN1, 1);
	set(ICH_HCR, HCR_EN);
	set(PMR, 0xff);
	set(IGRPEN0, 1);
	set(IGRPEN1, 1);
}

static bool pending(unsigned int intid)
{
	return gic_redist_read(&gic->device, 0, SGI_FRAME + 0x200, 4) >> intid & 1;
}

static bool active(unsigned int intid)
{
	return gic_redist_read(&gic->device, 0, SGI_FRAME + 0x300, 4) >> intid & 1;
}

TestSuite(gic_virtual, .init = setup);

Test(gic_virtual, what_there_is)
{
	uint64_t vtr = get(ICH_VTR), value;

	cr_assert_eq(vtr & 0x1f, GIC_LIST_REGISTERS - 1, "ListRegs");
	cr_assert_eq(vtr >> 26 & 7, 4, "PREbits: 5");
	cr_assert_eq(vtr >> 29 & 7, 4, "PRIbits: 5");
	cr_assert_eq(vtr >> 23 & 7, 0, "IDbits: 16");
	cr_assert_eq(vtr >> 20 & 1, 1, "nV4: no direct injection");
	cr_assert_eq(vtr >> 19 & 1, 1, "TDS: ICH_HCR_EL2.TDIR is there");
	for (unsigned int n = 0; n < 16; n++)
		cr_assert_eq(gic_sysreg_read(&gic->device, 0, ICH_LR(n), &value),
			     n < GIC_LIST_REGISTERS, "%u", n);
	cr_assert_not(gic_sysreg_read(&gic->device, 0, ICH_AP1R0 + 1, &value),
		      "one register of 32 levels");
}

Test(gic_virtual, read_only_and_write_only_registers)
{
	static const uint32_t read_only[] = {ICH_VTR, ICH_MISR, ICH_EISR, ICH_ELRSR, IAR0,
					     IAR1,    HPPIR0,	HPPIR1,	  RPR};
	static const uint32_t write_only[] = {EOIR0, EOIR1, DIR};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(read_only); i++)
		cr_assert_not(gic_sysreg_write(&gic->device, 0, read_only[i], 0), "%x",
			      read_only[i]);
	for (size_t i = 0; i < ARRAY_SIZE(write_only); i++)
		cr_assert_not(gic_sysreg_read(&gic->device, 0, write_only[i], &value), "%x",
			      write_only[i]);
	cr_assert_not(gic_sysreg_write(&gic->device, 0, SGI1R, 0), "SGIs have no virtual register");
	cr_assert_not(gic_sysreg_read(&gic->device, 0, SRE, &value), "nor has ICC_SRE_EL1");
}

Test(gic_virtual, res0_bits)
{
	set(ICH_LR(0), UINT64_MAX);
	cr_assert_eq(get(ICH_LR(0)), UINT64_C(0xf0f803ff0000ffff));
	set(ICH_HCR, UINT64_MAX);
	cr_assert_eq(get(ICH_HCR), 0xf8005cff);
	set(ICH_VMCR, UINT64_MAX);
	cr_assert_eq(get(ICH_VMCR), 0xf8fc021b);
	set(ICH_VMCR, 0);
	cr_assert_eq(get(ICH_VMCR), 2u << 21 | 3u << 18 | 8u, "the least binary points; VFIQEn");
}

Test(gic_virtual, group_chooses_the_output)
{
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 40);
	cr_assert(host_input[0][DEVICE_VIRQ]);
	cr_assert_not(host_input[0][DEVICE_VFIQ]);
	set(ICH_LR(0), PENDING | PRIO(0x80) | 40);
	cr_assert_not(host_input[0][DEVICE_VIRQ]);
	cr_assert(host_input[0][DEVICE_VFIQ]);
	cr_assert_not(host_input[0][DEVICE_IRQ]);
	cr_assert_not(host_input[0][DEVICE_FIQ]);
	cr_assert_not(device_gic.controller->signalled(&gic->device, 0),
		      "only what is physical wakes");
}

/* Which states, enables and masks let a list register be signalled. */
static const struct {
	uint64_t lr;
	uint32_t hcr, pmr, enable0, enable1;
	bool virq, vfiq;
} signals[] = {
	{PENDING | G1 | PRIO(0x80), HCR_EN, 0xff, 1, 1, true, false},
	{ACTIVE | G1 | PRIO(0x80), HCR_EN, 0xff, 1, 1, false, false},
	{BOTH | G1 | PRIO(0x80), HCR_EN, 0xff, 1, 1, false, false},
	{G1 | PRIO(0x80), HCR_EN, 0xff, 1, 1, false, false},
	{PENDING | G1 | PRIO(0x80), 0, 0xff, 1, 1, false, false},
	{PENDING | G1 | PRIO(0x80), HCR_EN, 0x80, 1, 1, false, false},
	{PENDING | G1 | PRIO(0x80), HCR_EN, 0x88, 1, 1, true, false},
	{PENDING | G1 | PRIO(0x80), HCR_EN, 0xff, 1, 0, false, false},
	{PENDING | G1 | PRIO(0x80), HCR_EN, 0xff, 0, 1, true, false},
	{PENDING | PRIO(0x80), HCR_EN, 0xff, 1, 0, false, true},
	{PENDING | PRIO(0x80), HCR_EN, 0xff, 0, 1, false, false},
};

Test(gic_virtual, what_is_signalled)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		setup();
		set(ICH_HCR, signals[i].hcr);
		set(PMR, signals[i].pmr);
		set(IGRPEN0, signals[i].enable0);
		set(IGRPEN1, signals[i].enable1);
		set(ICH_LR(1), signals[i].lr | 50);
		cr_assert_eq(host_input[0][DEVICE_VIRQ], signals[i].virq, "row %zu", i);
		cr_assert_eq(host_input[0][DEVICE_VFIQ], signals[i].vfiq, "row %zu", i);
		cr_assert_eq(get(IAR1), signals[i].virq ? 50 : SPURIOUS, "row %zu", i);
		cr_assert_eq(get(IAR0), signals[i].vfiq ? 50 : SPURIOUS, "row %zu", i);
	}
}

Test(gic_virtual, acknowledge_and_end)
{
	set(ICH_LR(2), PENDING | G1 | PRIO(0x80) | 40);
	cr_assert_eq(get(HPPIR1), 40);
	cr_assert_eq(get(HPPIR0), SPURIOUS);
	cr_assert_eq(get(IAR0), SPURIOUS, "not of Group 0");
	cr_assert_eq(get(IAR1), 40);
	cr_assert_eq(STATE(get(ICH_LR(2))), 2, "active");
	cr_assert_not(host_input[0][DEVICE_VIRQ]);
	cr_assert_eq(get(RPR), 0x80);
	cr_assert_eq(get(AP1R0), 1u << (0x80 >> 3));
	cr_assert_eq(get(ICH_AP1R0), 1u << (0x80 >> 3));
	cr_assert_eq(get(HPPIR1), SPURIOUS);
	set(EOIR1, 40);
	cr_assert_eq(STATE(get(ICH_LR(2))), 0, "invalid");
	cr_assert_eq(get(RPR), 0xff);
	cr_assert_eq(get(ICH_HCR), HCR_EN, "no end was without a list register");
}

Test(gic_virtual, made_pending_again_while_active)
{
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 40);
	cr_assert_eq(get(IAR1), 40);
	set(ICH_LR(0), BOTH | G1 | PRIO(0x80) | 40);
	cr_assert_not(host_input[0][DEVICE_VIRQ]);
	set(EOIR1, 40);
	cr_assert_eq(STATE(get(ICH_LR(0))), 1, "pending");
	cr_assert(host_input[0][DEVICE_VIRQ]);
}

Test(gic_virtual, highest_priority_first_and_preemption)
{
	set(ICH_LR(0), PENDING | G1 | PRIO(0xa0) | 40);
	set(ICH_LR(1), PENDING | G1 | PRIO(0x90) | 41);
	set(ICH_LR(2), PENDING | G1 | PRIO(0x90) | 42);
	cr_assert_eq(get(IAR1), 41, "the first of equals");
	cr_assert_not(host_input[0][DEVICE_VIRQ], "its equal does not preempt");
	set(ICH_LR(3), PENDING | PRIO(0x40) | 43);
	cr_assert(host_input[0][DEVICE_VFIQ], "Group 0 preempts Group 1");
	cr_assert_eq(get(IAR0), 43);
	cr_assert_eq(get(RPR), 0x40);
	set(EOIR1, 41);
	cr_assert_eq(get(RPR), 0x40, "ends come in the reverse order");
	set(EOIR0, 43);
	set(EOIR1, 41);
	cr_assert_eq(get(RPR), 0xff);
	cr_assert_eq(get(IAR1), 42);
}

Test(gic_virtual, binary_points)
{
	set(BPR1, 6);
	set(ICH_LR(0), PENDING | G1 | PRIO(0x78) | 40);
	set(ICH_LR(1), PENDING | G1 | PRIO(0x48) | 41);
	set(ICH_LR(2), PENDING | G1 | PRIO(0x38) | 42);
	cr_assert_eq(get(IAR1), 42);
	cr_assert_eq(get(RPR), 0, "the group priority");
	set(EOIR1, 42);
	set(ICH_LR(1), 0);
	cr_assert_eq(get(IAR1), 40);
	cr_assert_eq(get(RPR), 0x40);
	set(ICH_LR(1), PENDING | G1 | PRIO(0x48) | 41);
	cr_assert_not(host_input[0][DEVICE_VIRQ], "same group priority");
	set(BPR0, 0);
	cr_assert_eq(get(BPR0), 2);
	set(BPR1, 0);
	cr_assert_eq(get(BPR1), 3);
	set(BPR0, 4);
	set(CTLR, CTLR_CBPR);
	cr_assert_eq(get(BPR1), 5);
	cr_assert_eq(get(ICH_VMCR) >> 18 & 0x3f, 4u << 3 | 3, "both are kept");
}

Test(gic_virtual, vmcr_is_another_view)
{
	static const struct {
		uint32_t reg;
		uint64_t value, vmcr;
	} rows[] = {
		{PMR, 0xf8, UINT64_C(0xf8) << 24},
		{BPR0, 5, 5u << 21 | 3u << 18},
		{BPR1, 6, 2u << 21 | 6u << 18},
		{IGRPEN0, 1, 1},
		{IGRPEN1, 1, 2},
		{CTLR, CTLR_CBPR, 1u << 4},
		{CTLR, CTLR_EOIMODE, 1u << 9},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t bpr = rows[i].reg == BPR0 || rows[i].reg == BPR1 ? 0 : 2u << 21 | 3u << 18;
		uint64_t vmcr = rows[i].vmcr | bpr | 8;

		set(ICH_VMCR, 0);
		set(rows[i].reg, rows[i].value);
		cr_assert_eq(get(ICH_VMCR), vmcr, "row %zu: %llx", i,
			     (unsigned long long)get(ICH_VMCR));
		set(ICH_VMCR, 0);
		set(ICH_VMCR, vmcr);
		cr_assert_eq(get(rows[i].reg) & rows[i].value, rows[i].value, "row %zu", i);
	}
	cr_assert_eq(get(CTLR) >> 8 & 7, 4, "PRIbits");
}

Test(gic_virtual, eoi_mode_1)
{
	set(CTLR, CTLR_EOIMODE);
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 40);
	cr_assert_eq(get(IAR1), 40);
	set(EOIR1, 40);
	cr_assert_eq(get(RPR), 0xff);
	cr_assert_eq(STATE(get(ICH_LR(0))), 2, "still active");
	set(DIR, 40);
	cr_assert_eq(STATE(get(ICH_LR(0))), 0);
	cr_assert_eq(get(ICH_HCR), HCR_EN);
}

Test(gic_virtual, dir_is_ignored_in_eoi_mode_0)
{
	set(ICH_LR(0), ACTIVE | G1 | PRIO(0x80) | 40);
	set(DIR, 40);
	set(DIR, 41);
	cr_assert_eq(STATE(get(ICH_LR(0))), 2);
	cr_assert_eq(get(ICH_HCR), HCR_EN);
}

Test(gic_virtual, an_lpi_is_deactivated_by_its_end_in_both_modes)
{
	for (unsigned int mode = 0; mode <= CTLR_EOIMODE; mode += CTLR_EOIMODE) {
		setup();
		set(CTLR, mode);
		set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 8192);
		cr_assert_eq(get(IAR1), 8192);
		cr_assert_eq(STATE(get(ICH_LR(0))), 2);
		set(EOIR1, 8192);
		cr_assert_eq(STATE(get(ICH_LR(0))), 0, "mode %u", mode);
	}
}

Test(gic_virtual, hardware_interrupts_are_deactivated_with_it)
{
	for (unsigned int mode = 0; mode <= CTLR_EOIMODE; mode += CTLR_EOIMODE) {
		setup();
		set(CTLR, mode);
		set(ICC_CTLR, CTLR_EOIMODE);
		gic_set_line(&gic->device, 0, 27, true);
		cr_assert_eq(get(ICC_IAR1), 27);
		set(ICC_EOIR1, 27);
		cr_assert(active(27), "the hypervisor drops the priority alone");
		set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | HW(27) | 40);
		cr_assert_eq(get(IAR1), 40);
		gic_set_line(&gic->device, 0, 27, false);
		set(EOIR1, 40);
		if (mode) {
			cr_assert(active(27));
			set(DIR, 40);
		}
		cr_assert_not(active(27), "mode %u", mode);
		cr_assert_eq(STATE(get(ICH_LR(0))), 0);
		gic_set_line(&gic->device, 0, 27, true);
		cr_assert(host_input[0][DEVICE_IRQ], "it can come again");
	}
}

Test(gic_virtual, an_end_without_hw_leaves_the_physical_interrupt_alone)
{
	gic_redist_write(&gic->device, 0, SGI_FRAME + 0x300, 4, 1u << 27);
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 27);
	cr_assert_eq(get(IAR1), 27);
	set(EOIR1, 27);
	cr_assert(active(27));
	/* A physical INTID that does not exist does no harm. */
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | HW(1000) | 27);
	cr_assert_eq(get(IAR1), 27);
	set(EOIR1, 27);
	cr_assert(active(27));
}

Test(gic_virtual, a_special_intid_is_returned_and_never_active)
{
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 1022);
	cr_assert_eq(get(IAR1), 1022);
	cr_assert_eq(STATE(get(ICH_LR(0))), 0);
	cr_assert_eq(get(RPR), 0xff);
	set(ICH_AP1R0, 1);
	set(EOIR1, 1022);
	cr_assert_eq(get(ICH_AP1R0), 1, "no end either");
}

/* Which ends are counted: ICH_HCR_EL2.EOIcount. */
static const struct {
	uint32_t mode, reg, intid, ap0, ap1;
	uint64_t lr;
	unsigned int count;
} ends[] = {
	/* No list register. */
	{0, EOIR1, 40, 0, 1u << 16, 0, 1},
	{0, EOIR0, 40, 1u << 16, 0, 0, 1},
	{CTLR_EOIMODE, EOIR1, 40, 0, 1u << 16, 0, 0},
	{CTLR_EOIMODE, DIR, 40, 0, 0, 0, 1},
	{0, DIR, 40, 0, 0, 0, 0},
	/* LPIs are never counted. */
	{0, EOIR1, 8192, 0, 1u << 16, 0, 0},
	{CTLR_EOIMODE, EOIR1, 8192, 0, 1u << 16, 0, 0},
	{CTLR_EOIMODE, DIR, 8192, 0, 0, 0, 0},
	/* No active priority, or that of the other group. */
	{0, EOIR1, 40, 0, 0, 0, 0},
	{0, EOIR1, 40, 1u << 15, 1u << 16, 0, 0},
	{0, EOIR0, 40, 1u << 17, 1u << 16, 0, 0},
	/* Special INTIDs. */
	{0, EOIR1, 1023, 0, 1u << 16, 0, 0},
	{CTLR_EOIMODE, DIR, 1020, 0, 0, 0, 0},
	/* A list register that is not active, or another's. */
	{0, EOIR1, 40, 0, 1u << 16, PENDING | G1 | PRIO(0x80) | 40, 1},
	{0, EOIR1, 40, 0, 1u << 16, ACTIVE | G1 | PRIO(0x80) | 41, 1},
	/* One that is. */
	{0, EOIR1, 40, 0, 1u << 16, ACTIVE | G1 | PRIO(0x80) | 40, 0},
	{CTLR_EOIMODE, DIR, 40, 0, 0, ACTIVE | G1 | PRIO(0x80) | 40, 0},
};

Test(gic_virtual, which_ends_are_counted)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		setup();
		set(CTLR, ends[i].mode);
		set(ICH_AP0R0, ends[i].ap0);
		set(ICH_AP1R0, ends[i].ap1);
		set(ICH_LR(1), ends[i].lr);
		set(ends[i].reg, ends[i].intid);
		cr_assert_eq(get(ICH_HCR) >> 27, ends[i].count, "row %zu", i);
	}
}

Test(gic_virtual, the_count_of_ends_wraps)
{
	set(ICH_HCR, HCR_EN | EOICOUNT(31));
	set(CTLR, CTLR_EOIMODE);
	set(DIR, 40);
	cr_assert_eq(get(ICH_HCR), HCR_EN);
}

Test(gic_virtual, an_end_of_another_priority_or_group_deactivates_nothing)
{
	set(ICH_LR(0), ACTIVE | G1 | PRIO(0x80) | 40);
	set(ICH_AP1R0, 1u << 8);
	set(EOIR1, 40);
	cr_assert_eq(STATE(get(ICH_LR(0))), 2, "0x40 was dropped, not 0x80");
	set(ICH_AP0R0, 1u << 16);
	set(EOIR0, 40);
	cr_assert_eq(STATE(get(ICH_LR(0))), 2, "it is of Group 1");
	cr_assert_eq(get(ICH_HCR), HCR_EN);
}

/* EISR and ELRSR of a list register (12.4). */
Test(gic_virtual, list_register_status)
{
	static const struct {
		uint64_t lr;
		bool eisr, elrsr;
	} rows[] = {
		{0, false, true},
		{EOI, true, false},
		{HW(30), false, true},
		{HW(0x200), false, true},
		{PENDING, false, false},
		{PENDING | EOI, false, false},
		{ACTIVE | EOI, false, false},
		{BOTH | EOI, false, false},
		{ACTIVE | HW(0x200), false, false},
	};

	for (unsigned int n = 0; n < GIC_LIST_REGISTERS; n++) {
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			setup();
			set(ICH_LR(n), rows[i].lr);
			cr_assert_eq(get(ICH_EISR), rows[i].eisr ? 1u << n : 0, "row %zu", i);
			cr_assert_eq(get(ICH_ELRSR) >> n & 1, rows[i].elrsr, "row %zu", i);
		}
	}
}

/* Every condition of ICH_MISR_EL2: its cause, and the bit. */
static const struct {
	uint32_t hcr;
	uint64_t lr[2];
	uint32_t enable0, enable1;
	uint32_t misr;
} maintenance[] = {
	{0, {0, 0}, 1, 1, 0},
	/* EOI: needs no separate enable. */
	{0, {EOI, 0}, 1, 1, 1},
	{0, {PENDING | EOI, 0}, 1, 1, 0},
	{0, {HW(0x200), 0}, 1, 1, 0},
	/* U: no or one valid entry. */
	{1u << 1, {0, 0}, 1, 1, 2},
	{1u << 1, {PENDING, 0}, 1, 1, 2},
	{1u << 1, {ACTIVE, 0}, 1, 1, 2},
	{1u << 1, {PENDING, ACTIVE}, 1, 1, 0},
	{1u << 1, {BOTH, BOTH}, 1, 1, 0},
	/* LRENP */
	{1u << 2, {0, 0}, 1, 1, 0},
	{1u << 2 | 1u << 27, {0, 0}, 1, 1, 4},
	{1u << 27, {0, 0}, 1, 1, 0},
	/* NP: no entry is pending, and active and pending is not pending. */
	{1u << 3, {0, 0}, 1, 1, 8},
	{1u << 3, {ACTIVE, BOTH}, 1, 1, 8},
	{1u << 3, {ACTIVE, PENDING}, 1, 1, 0},
	/* VGrp0E, VGrp0D, VGrp1E, VGrp1D */
	{1u << 4, {0, 0}, 1, 0, 1u << 4},
	{1u << 4, {0, 0}, 0, 1, 0},
	{1u << 5, {0, 0}, 0, 1, 1u << 5},
	{1u << 5, {0, 0}, 1, 0, 0},
	{1u << 6, {0, 0}, 0, 1, 1u << 6},
	{1u << 6, {0, 0}, 1, 0, 0},
	{1u << 7, {0, 0}, 1, 0, 1u << 7},
	{1u << 7, {0, 0}, 0, 1, 0},
	{0xfe | 1u << 27, {0, EOI}, 1, 0, 0x9f},
};

Test(gic_virtual, maintenance_interrupt_conditions)
{
	for (size_t i = 0; i < ARRAY_SIZE(maintenance); i++) {
		setup();
		set(IGRPEN0, maintenance[i].enable0);
		set(IGRPEN1, maintenance[i].enable1);
		/* At a priority that is never signalled. */
		for (unsigned int n = 0; n < 2; n++)
			set(ICH_LR(n), maintenance[i].lr[n] | PRIO(0xf8));
		set(ICH_HCR, maintenance[i].hcr);
		cr_assert_eq(get(ICH_MISR), maintenance[i].misr, "row %zu: %llx", i,
			     (unsigned long long)get(ICH_MISR));
		cr_assert_not(pending(GIC_MAINTENANCE_INTID), "row %zu: disabled", i);
		set(ICH_HCR, maintenance[i].hcr | HCR_EN);
		cr_assert_eq(pending(GIC_MAINTENANCE_INTID), maintenance[i].misr != 0, "row %zu",
			     i);
		cr_assert_eq(host_input[0][DEVICE_IRQ], maintenance[i].misr != 0, "row %zu", i);
	}
}

Test(gic_virtual, the_maintenance_interrupt_is_a_level_ppi_of_its_pe)
{
	set(ICH_HCR, HCR_EN | 1u << 3);
	cr_assert_eq(get(ICC_IAR1), GIC_MAINTENANCE_INTID);
	set(ICC_EOIR1, GIC_MAINTENANCE_INTID);
	cr_assert(host_input[0][DEVICE_IRQ], "as long as the condition holds");
	set(ICH_LR(0), PENDING | G1 | PRIO(0xf8) | 40);
	cr_assert_not(host_input[0][DEVICE_IRQ]);
	cr_assert_eq(gic_redist_read(&gic->device, 0, GIC_REDIST_STRIDE + SGI_FRAME + 0x200, 4), 0,
		     "not of vCPU 1");
}

Test(gic_virtual, the_physical_interface_is_another)
{
	set(PMR, 0x10);
	set(ICH_AP1R0, 0xff);
	gic_set_line(&gic->device, 0, 27, true);
	cr_assert(host_input[0][DEVICE_IRQ]);
	cr_assert_eq(get(IAR1), SPURIOUS);
	cr_assert_eq(get(ICC_IAR1), 27);
	cr_assert_eq(get(RPR), 0);
	cr_assert_eq(get(ICC(3, 0, 12, 11, 3)), 0xa0);
}

Test(gic_virtual, warm_reset_clears_the_interface)
{
	set(ICH_LR(0), PENDING | G1 | PRIO(0x80) | 40);
	set(ICH_HCR, HCR_EN | 1u << 1);
	cr_assert(host_input[0][DEVICE_VIRQ]);
	cr_assert(pending(GIC_MAINTENANCE_INTID));
	device_gic.reset_cpu(&gic->device, 0, true);
	cr_assert_not(host_input[0][DEVICE_VIRQ]);
	cr_assert_not(pending(GIC_MAINTENANCE_INTID));
	cr_assert_eq(get(ICH_HCR), 0);
	cr_assert_eq(get(ICH_ELRSR), (1u << GIC_LIST_REGISTERS) - 1);
}

Test(gic_virtual, system_register_access_is_always_on_at_el2_and_el3)
{
	static const uint32_t sre[] = {ICC(3, 4, 12, 9, 5), ICC(3, 6, 12, 12, 5)};

	for (size_t i = 0; i < 2; i++) {
		set(sre[i], 0);
		cr_assert_eq(get(sre[i]), 0xf, "SRE, DFB, DIB and Enable");
	}
}

/*
 * GICD_CTLR.DS is 1: there is one state, and the Non-secure fields of EL3's registers are its
 * aliases.
 */
Test(gic_virtual, el3_sees_the_one_security_state)
{
	const uint32_t ctlr_el3 = ICC(3, 6, 12, 12, 4), igrpen1_el3 = ICC(3, 6, 12, 12, 7);

	cr_assert_eq(get(igrpen1_el3), 1, "as ICC_IGRPEN1_EL1");
	set(igrpen1_el3, 2);
	cr_assert_eq(get(igrpen1_el3), 0, "no Secure Group 1");
	cr_assert_eq(get(ICC_IGRPEN1), 0);
	set(igrpen1_el3, 3);
	cr_assert_eq(get(igrpen1_el3), 1);
	cr_assert_eq(get(ICC_IGRPEN1), 1);
	set(ctlr_el3, 0x12);
	cr_assert_eq(get(ICC_CTLR) & 3, CTLR_CBPR | CTLR_EOIMODE);
	cr_assert_eq(get(ctlr_el3), 1u << 18 | 4u << 8 | 0x12);
	set(ctlr_el3, 0x0d);
	cr_assert_eq(get(ICC_CTLR) & 3, 0);
	cr_assert_eq(get(ctlr_el3) & 0x7f, 0);
	set(ICC_CTLR, CTLR_EOIMODE);
	cr_assert_eq(get(ctlr_el3) & 0x7f, 0x10);
}
