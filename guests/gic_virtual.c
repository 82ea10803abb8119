/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gic: the virtual CPU interface (Arm IHI 0069, chapter 6), from EL2. EL2 fills list registers, and
 * EL1's accesses to ICC_* reach ICV_*, one instruction at a time.
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "gic_tests.h"
#include "lower.h"

#define ICH_HCR_EL2   S3_4_C12_C11_0
#define ICH_VTR_EL2   S3_4_C12_C11_1
#define ICH_VMCR_EL2  S3_4_C12_C11_7
#define ICH_AP0R0_EL2 S3_4_C12_C8_0
#define ICH_AP1R0_EL2 S3_4_C12_C9_0
#define ICH_LR0_EL2   S3_4_C12_C12_0
#define ICH_LR1_EL2   S3_4_C12_C12_1
#define ICC_SRE_EL2   S3_4_C12_C9_5

#define HCR_EN UINT64_C(1)

#define VMCR_VENG(group) (UINT64_C(1) << (group))
#define VMCR_VCBPR	 (UINT64_C(1) << 4)
#define VMCR_VEOIM	 (UINT64_C(1) << 9)
#define VMCR_VBPR1(n)	 ((uint64_t)(n) << 18)
#define VMCR_VBPR0(n)	 ((uint64_t)(n) << 21)
#define VMCR_VPMR(n)	 ((uint64_t)(n) << 24)
#define VMCR_BOTH	 (VMCR_VENG(0) | VMCR_VENG(1) | VMCR_VPMR(0xff))

#define LR_PENDING     (UINT64_C(1) << 62)
#define LR_ACTIVE      (UINT64_C(2) << 62)
#define LR_GROUP(n)    ((uint64_t)(n) << 60)
#define LR_PRIORITY(n) ((uint64_t)(n) << 48)
#define LR_STATE(lr)   ((lr)&LR_PENDING * 3)

#define ICC_PMR	      A64_SYSREG(3, 0, 4, 6, 0)
#define ICC_DIR	      A64_SYSREG(3, 0, 12, 11, 1)
#define ICC_RPR	      A64_SYSREG(3, 0, 12, 11, 3)
#define ICC_CTLR      A64_SYSREG(3, 0, 12, 12, 4)
#define ISR_EL1	      A64_SYSREG(3, 0, 12, 1, 0)
#define ICC_IAR(n)    A64_SYSREG(3, 0, 12, 8 + 4 * (n), 0)
#define ICC_EOIR(n)   A64_SYSREG(3, 0, 12, 8 + 4 * (n), 1)
#define ICC_HPPIR(n)  A64_SYSREG(3, 0, 12, 8 + 4 * (n), 2)
#define ICC_BPR(n)    A64_SYSREG(3, 0, 12, 8 + 4 * (n), 3)
#define ICC_IGRPEN(n) A64_SYSREG(3, 0, 12, 12, 6 + (n))

#define ONE   37u
#define OTHER 38u

static struct lower_context guest;

const char *needs_virtual(void)
{
	const char *why = needs_el2();

	return why ? why : gic_private() ? NULL : "the machine has no GICv3";
}

static uint64_t get(uint32_t sysreg)
{
	guest.x[5] = UINT64_C(0xdeadbeef);
	CHECK(lower_insn(&guest, A64_MRS(sysreg, 5)), "MRS 0x%x: ESR_EL2 0x%lx", sysreg,
	      guest.exit.esr);
	return guest.x[5];
}

static void set(uint32_t sysreg, uint64_t value)
{
	guest.x[5] = value;
	CHECK(lower_insn(&guest, A64_MSR(sysreg, 5)), "MSR 0x%x: ESR_EL2 0x%lx", sysreg,
	      guest.exit.esr);
}

static void lr(unsigned int n, uint64_t value)
{
	if (n)
		write_sysreg(ICH_LR1_EL2, value);
	else
		write_sysreg(ICH_LR0_EL2, value);
	isb();
}

static uint64_t state(unsigned int n)
{
	isb();
	return LR_STATE(n ? read_sysreg(ICH_LR1_EL2) : read_sysreg(ICH_LR0_EL2));
}

static uint64_t pending(unsigned int group, unsigned int priority, unsigned int intid)
{
	return LR_PENDING | LR_GROUP(group) | LR_PRIORITY(priority) | intid;
}

static void begin(uint64_t vmcr)
{
	write_sysreg(ICC_SRE_EL2, read_sysreg(ICC_SRE_EL2) | 9); /* SRE, Enable */
	isb();
	lr(0, 0);
	lr(1, 0);
	write_sysreg(ICH_AP0R0_EL2, 0);
	write_sysreg(ICH_AP1R0_EL2, 0);
	write_sysreg(ICH_VMCR_EL2, vmcr);
	write_sysreg(ICH_HCR_EL2, HCR_EN);
	isb();
	lower_init(&guest, 1, 0);
}

static void finish(void)
{
	begin(0);
	write_sysreg(ICH_HCR_EL2, 0);
	isb();
}

/* What is signalled, and what both HPPIRs name. */
static void expect(uint64_t isr, uint64_t hppir0, uint64_t hppir1, const char *what)
{
	uint64_t got = get(ISR_EL1) & (ISR_FIQ | ISR_IRQ);

	CHECK(got == isr, "%s: ISR_EL1 0x%lx, not 0x%lx", what, got, isr);
	got = get(ICC_HPPIR(0));
	CHECK(got == hppir0, "%s: ICC_HPPIR0_EL1 %lu, not %lu", what, got, hppir0);
	got = get(ICC_HPPIR(1));
	CHECK(got == hppir1, "%s: ICC_HPPIR1_EL1 %lu, not %lu", what, got, hppir1);
}

static void expect_acknowledge(unsigned int group, uint64_t intid)
{
	uint64_t got = get(ICC_IAR(group));

	CHECK(got == intid, "ICC_IAR%u_EL1 gave %lu, not %lu", group, got, intid);
}

static void expect_running(uint64_t priority)
{
	uint64_t got = get(ICC_RPR);

	CHECK(got == priority, "ICC_RPR_EL1 0x%lx, not 0x%lx", got, priority);
}

void virtual_hppir_names(void)
{
	begin(VMCR_BOTH);
	expect(0, SPURIOUS, SPURIOUS, "none");
	lr(0, pending(1, 0x80, ONE));
	expect(ISR_IRQ, SPURIOUS, ONE, "Group 1");
	lr(0, pending(0, 0x80, ONE));
	expect(ISR_FIQ, ONE, SPURIOUS, "Group 0");
	expect_acknowledge(1, SPURIOUS);
	expect_acknowledge(0, ONE);
	expect(0, SPURIOUS, SPURIOUS, "active");
	lr(0, (pending(0, 0x80, ONE) & ~LR_PENDING) | LR_ACTIVE | LR_PENDING);
	expect(0, SPURIOUS, SPURIOUS, "active and pending");
	finish();
}

void virtual_hppir_disabled(void)
{
	for (unsigned int group = 0; group < 2; group++) {
		begin(VMCR_BOTH & ~VMCR_VENG(group));
		lr(0, pending(group, 0x80, ONE));
		expect(0, SPURIOUS, SPURIOUS, group ? "VENG1 0" : "VENG0 0");
		expect_acknowledge(group, SPURIOUS);
		set(ICC_IGRPEN(group), 1);
		expect(group ? ISR_IRQ : ISR_FIQ, group ? SPURIOUS : ONE, group ? ONE : SPURIOUS,
		       "enabled");
	}
	finish();
}

/* Only list registers of enabled groups count. */
void virtual_disabled_hides_nothing(void)
{
	for (unsigned int group = 0; group < 2; group++) {
		begin(VMCR_BOTH & ~VMCR_VENG(group));
		lr(0, pending(group, 0x40, ONE));
		lr(1, pending(!group, 0x80, OTHER));
		expect(group ? ISR_FIQ : ISR_IRQ, group ? OTHER : SPURIOUS,
		       group ? SPURIOUS : OTHER, "behind one of a disabled group");
		expect_acknowledge(!group, OTHER);
	}
	finish();
}

void virtual_masks(void)
{
	begin(VMCR_BOTH);
	lr(0, pending(1, 0x80, ONE));
	set(ICC_PMR, 0x80);
	expect(0, SPURIOUS, ONE, "at the mask");
	expect_acknowledge(1, SPURIOUS);
	set(ICC_PMR, 0x88);
	expect(ISR_IRQ, SPURIOUS, ONE, "above the mask");
	write_sysreg(ICH_HCR_EL2, 0);
	isb();
	CHECK(!(get(ISR_EL1) & ISR_IRQ), "signalled with ICH_HCR_EL2.En 0");
	expect_acknowledge(1, SPURIOUS);
	finish();
}

void virtual_order(void)
{
	begin(VMCR_BOTH);
	lr(0, pending(1, 0x80, ONE));
	lr(1, pending(1, 0x40, OTHER));
	expect(ISR_IRQ, SPURIOUS, OTHER, "both of Group 1");
	lr(1, pending(0, 0x40, OTHER));
	expect(ISR_FIQ, OTHER, SPURIOUS, "Group 0 first");
	expect_acknowledge(1, SPURIOUS);
	lr(1, pending(0, 0xa0, OTHER));
	expect(ISR_IRQ, SPURIOUS, ONE, "Group 1 first");
	expect_acknowledge(0, SPURIOUS);
	expect_acknowledge(1, ONE);
	finish();
}

void virtual_preemption(void)
{
	for (unsigned int n = 0; n < 4; n++) {
		unsigned int first = n & 1, second = n >> 1;

		begin(VMCR_BOTH);
		expect_running(0xff);
		lr(0, pending(first, 0x80, ONE));
		expect_acknowledge(first, ONE);
		expect_running(0x80);
		lr(1, pending(second, 0x80, OTHER));
		expect(0, second ? SPURIOUS : OTHER, second ? OTHER : SPURIOUS,
		       "of equal priority");
		expect_acknowledge(second, SPURIOUS);
		lr(1, pending(second, 0x40, OTHER));
		expect(second ? ISR_IRQ : ISR_FIQ, second ? SPURIOUS : OTHER,
		       second ? OTHER : SPURIOUS, "of higher priority");
		expect_acknowledge(second, OTHER);
		expect_running(0x40);
		set(ICC_EOIR(second), OTHER);
		expect_running(0x80);
		set(ICC_EOIR(first), ONE);
		expect_running(0xff);
		CHECK(state(0) == 0 && state(1) == 0, "groups %u and %u: a list register is valid",
		      first, second);
	}
	finish();
}

/* BPR0 6 and BPR1 7 leave one bit of group priority. */
void virtual_binary_points(void)
{
	for (unsigned int group = 0; group < 2; group++) {
		begin(VMCR_BOTH | VMCR_VBPR0(6) | VMCR_VBPR1(7));
		lr(0, pending(group, 0x48, ONE));
		expect_acknowledge(group, ONE);
		expect_running(0);
		lr(1, pending(group, 0x40, OTHER));
		expect(0, group ? SPURIOUS : OTHER, group ? OTHER : SPURIOUS, "of the same group");
		set(ICC_EOIR(group), ONE);
		CHECK(state(0) == 0, "Group %u: the end does not deactivate", group);
		expect_acknowledge(group, OTHER);
	}
	finish();
}

void virtual_common_binary_point(void)
{
	begin(VMCR_BOTH | VMCR_VCBPR | VMCR_VBPR1(3));
	for (uint64_t value = 4; value < 8; value++) {
		uint64_t want = value < 7 ? value + 1 : 7, got;

		set(ICC_BPR(0), value);
		set(ICC_BPR(1), 0);
		got = get(ICC_BPR(1));
		CHECK(got == want, "ICC_BPR1_EL1 %lu with ICC_BPR0_EL1 %lu", got, value);
	}
	lr(0, pending(1, 0x80, ONE));
	expect_acknowledge(1, ONE);
	lr(1, pending(1, 0x00, OTHER));
	expect(0, SPURIOUS, OTHER, "no bit of group priority");
	finish();
}

void virtual_eoi_mode(void)
{
	for (unsigned int group = 0; group < 2; group++) {
		begin(VMCR_BOTH | VMCR_VEOIM);
		lr(0, pending(group, 0x80, ONE));
		expect_acknowledge(group, ONE);
		set(ICC_EOIR(group), ONE);
		expect_running(0xff);
		CHECK(state(0) == LR_ACTIVE, "Group %u: the end deactivates", group);
		set(ICC_DIR, ONE);
		CHECK(state(0) == 0, "Group %u: ICC_DIR_EL1 does not deactivate", group);
	}
	finish();
}

/*
 * A list register with a special INTID: the INTID is read, and the list register becomes invalid.
 */
void virtual_special(void)
{
	for (unsigned int intid = 1020; intid < 1024; intid++) {
		begin(VMCR_BOTH);
		lr(0, pending(1, 0x80, intid));
		expect_acknowledge(1, intid);
		CHECK(state(0) == 0, "INTID %u: the list register is 0x%lx", intid, state(0));
		expect_running(0xff);
		set(ICC_EOIR(1), intid);
	}
	finish();
}

/* LPIs are not deactivated separately: in either mode they end with EOI, which is not counted. */
void virtual_lpi(void)
{
	for (unsigned int mode = 0; mode < 2; mode++) {
		begin(VMCR_BOTH | (mode ? VMCR_VEOIM : 0));
		lr(0, pending(1, 0x80, 8192));
		expect(ISR_IRQ, SPURIOUS, 8192, "an LPI");
		expect_acknowledge(1, 8192);
		expect_running(0x80);
		set(ICC_EOIR(1), 8192);
		expect_running(0xff);
		CHECK(state(0) == 0, "EOImode %u: the list register is 0x%lx", mode, state(0));
		CHECK(field(read_sysreg(ICH_HCR_EL2), 31, 27) == 0, "EOImode %u: EOIcount %lu",
		      mode, field(read_sysreg(ICH_HCR_EL2), 31, 27));
	}
	finish();
}

/*
 * ICH_HCR_EL2.EOIcount: ends of interrupts that no list register has, whose priority was dropped.
 */
void virtual_unlisted(void)
{
	for (unsigned int group = 0; group < 2; group++) {
		begin(VMCR_BOTH);
		if (group)
			write_sysreg(ICH_AP1R0_EL2, 1u << 16);
		else
			write_sysreg(ICH_AP0R0_EL2, 1u << 16);
		isb();
		set(ICC_EOIR(group), OTHER);
		expect_running(0xff);
		CHECK(field(read_sysreg(ICH_HCR_EL2), 31, 27) == 1, "Group %u: EOIcount %lu", group,
		      field(read_sysreg(ICH_HCR_EL2), 31, 27));
	}
	begin(VMCR_BOTH | VMCR_VEOIM);
	set(ICC_DIR, OTHER);
	CHECK(field(read_sysreg(ICH_HCR_EL2), 31, 27) == 1, "ICC_DIR_EL1: EOIcount %lu",
	      field(read_sysreg(ICH_HCR_EL2), 31, 27));
	finish();
}

/*
 * The highest interrupt and what is signalled, by a separate model: two list registers, of groups,
 * priorities and states, with enables, masks, and a running priority.
 */
struct combination {
	unsigned int group[2], priority[2], enables, mask, running;
	bool waits[2];
};

static int highest(const struct combination *one)
{
	int found = -1;

	for (int n = 0; n < 2; n++)
		if (one->waits[n] && one->enables >> one->group[n] & 1 &&
		    (found < 0 || one->priority[n] < one->priority[found]))
			found = n;
	return found;
}

static void check_combination(const struct combination *one)
{
	static const unsigned int intids[2] = {ONE, OTHER};
	int first = highest(one);
	/* Of equal ones either may come first. */
	bool equal = first == 0 && one->waits[1] && one->enables >> one->group[1] & 1 &&
		     one->priority[0] == one->priority[1];
	bool signal = first >= 0 && one->priority[first] < one->mask &&
		      one->priority[first] < one->running;

	begin(VMCR_VPMR(one->mask) | one->enables);
	for (unsigned int n = 0; n < 2; n++)
		lr(n, one->waits[n] ? pending(one->group[n], one->priority[n], intids[n]) : 0);
	if (one->running < 0xff)
		write_sysreg(ICH_AP1R0_EL2, UINT64_C(1) << one->running / 8);
	isb();
	if (equal && one->group[0] == one->group[1])
		first = get(ICC_HPPIR(one->group[0])) == OTHER;
	else if (equal)
		first = get(ICC_HPPIR(one->group[1])) == OTHER;
	for (unsigned int group = 0; group < 2; group++) {
		uint64_t want = first >= 0 && one->group[first] == group ? intids[first] : SPURIOUS;
		uint64_t got = get(ICC_HPPIR(group));

		CHECK(got == want, "ICC_HPPIR%u_EL1 %lu, not %lu: %u/0x%x %u/0x%x, enables %u",
		      group, got, want, one->group[0], one->priority[0], one->group[1],
		      one->priority[1], one->enables);
	}
	for (unsigned int group = 0; group < 2; group++) {
		bool mine = signal && one->group[first] == group;
		uint64_t got = get(ISR_EL1) & (group ? ISR_IRQ : ISR_FIQ);

		CHECK(!got == !mine, "Group %u signalled %u: %u/0x%x %u/0x%x, mask 0x%x, runs 0x%x",
		      group, got != 0, one->group[0], one->priority[0], one->group[1],
		      one->priority[1], one->mask, one->running);
	}
	if (first >= 0)
		expect_acknowledge(one->group[first], signal ? intids[first] : SPURIOUS);
}

void virtual_sweep(void)
{
	static const unsigned int priorities[3] = {0x40, 0x80, 0x88}, masks[3] = {0x40, 0x88, 0xff},
				  runs[3] = {0xff, 0x80, 0x00};
	unsigned int count = 0;

	for (unsigned int n = 0; n < 7 * 7 * 4 * 9; n++) {
		const unsigned int kinds[2] = {n % 7, n / 7 % 7};
		struct combination one = {.enables = n / 49 % 4,
					  .mask = masks[n / 196 % 3],
					  .running = runs[n / 588]};

		for (unsigned int i = 0; i < 2; i++) {
			one.waits[i] = kinds[i] < 6;
			one.group[i] = kinds[i] & 1;
			one.priority[i] = priorities[kinds[i] / 2 % 3];
		}
		check_combination(&one);
		count++;
	}
	tap_note("%u combinations", count);
	finish();
}
