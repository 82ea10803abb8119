/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of timers and of the GIC at several Exception levels: what traps them, which
 * register of the machine they reach, and the offsets of the counters (Arm ARM D12; GICv3 chapter
 * 6).
 */
#include <stdio.h>

#include "../compare.h"
#include "system_access.h"

TestSuite(system_access_devices, .init = fixture_reset);

#define ENC(op1, crn, crm, op2) SYSREG_ENCODING(3, op1, crn, crm, op2)

static uint64_t counted(uint32_t word)
{
	expect_ending(word | READ, DONE, "%#x", word);
	return cpu.x[6];
}

/* What a completed access requested of the machine. */
static uint32_t machine_asked(uint32_t word)
{
	heard.device_encoding = 0;
	expect_ending(word, DONE, "%#x", word);
	return heard.device_encoding;
}

#define CNTPCT		REG(3, 3, 14, 0, 1)
#define CNTVCT		REG(3, 3, 14, 0, 2)
#define CNTPCTSS	REG(3, 3, 14, 0, 5)
#define CNTVCTSS	REG(3, 3, 14, 0, 6)
#define TIMER(crm, op2) REG(3, 3, 14, crm, op2)

/* CNTHCTL_EL2's bits, where E2H puts them; all other bits have the opposite value. */
Test(system_access_devices, cnthctl_el2)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t bit[2]; /* by HCR_EL2.E2H */
		bool allows;
	} rows[] = {
		{"CNTPCT_EL0", CNTPCT | READ, {1 << 0, 1 << 10}, true},
		{"CNTPCTSS_EL0", CNTPCTSS | READ, {1 << 0, 1 << 10}, true},
		{"CNTP_TVAL_EL0", TIMER(2, 0), {1 << 1, 1 << 11}, true},
		{"CNTP_CTL_EL0", TIMER(2, 1), {1 << 1, 1 << 11}, true},
		{"CNTP_CVAL_EL0", TIMER(2, 2) | READ, {1 << 1, 1 << 11}, true},
		{"CNTVCT_EL0", CNTVCT | READ, {1 << 14, 1 << 14}, false},
		{"CNTVCTSS_EL0", CNTVCTSS | READ, {1 << 14, 1 << 14}, false},
		{"CNTV_TVAL_EL0", TIMER(3, 0), {1 << 13, 1 << 13}, false},
		{"CNTV_CTL_EL0", TIMER(3, 1) | READ, {1 << 13, 1 << 13}, false},
		{"CNTV_CVAL_EL0", TIMER(3, 2), {1 << 13, 1 << 13}, false},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int e2h = 0; e2h < 2; e2h++) {
			for (unsigned int el = 0; el < 3; el++) {
				uint64_t bit = rows[i].bit[e2h];

				pe_el2();
				cpu.sys.controls.hcr_el2 |= e2h ? HCR_EL2_E2H : 0;
				cpu.sys.cnthctl_el2 = rows[i].allows ? bit : ~bit;
				at(el);
				expect_ending(rows[i].word, DONE, "%s at EL%u, E2H %u",
					      rows[i].name, el, e2h);
				cpu.sys.cnthctl_el2 = rows[i].allows ? ~bit : bit;
				at(el);
				expect_ending(rows[i].word, el == 2 ? DONE : TO_EL2,
					      "%s at EL%u, E2H %u, trapped", rows[i].name, el, e2h);
			}
		}
	}
}

/* In a host CNTHCTL_EL2 has the bits of CNTKCTL_EL1; with TGE alone EL1's traps go to EL2. */
Test(system_access_devices, el0)
{
	static const struct {
		uint32_t word;
		uint64_t allow;
	} rows[] = {
		{CNTPCT | READ, 1 << 0},	 {CNTPCTSS | READ, 1 << 0}, {CNTVCT | READ, 1 << 1},
		{CNTVCTSS | READ, 1 << 1},	 {TIMER(3, 1), 1 << 8},	    {TIMER(2, 2), 1 << 9},
		{REG(3, 3, 14, 0, 0) | READ, 3},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		pe_el2();
		cpu.sys.cntkctl_el1 = ~rows[i].allow;
		at(0);
		expect_ending(rows[i].word, TO_EL1, "%u", i);
		cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%u, TGE", i);
		cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H;
		cpu.sys.cnthctl_el2 = rows[i].allow;
		at(0);
		expect_ending(rows[i].word, DONE, "%u in a host", i);
		cpu.sys.cnthctl_el2 = 0xffffffff & ~rows[i].allow;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%u in a host, not allowed", i);
	}
}

/* The timer that the EL0 names reach at EL2 with E2H, and at EL0 in a host. */
Test(system_access_devices, timers_of_a_host)
{
	static const struct {
		unsigned int crm;
		uint32_t own, ns, secure; /* TVAL of each */
	} rows[] = {
		{2, ENC(3, 14, 2, 0), ENC(4, 14, 2, 0), ENC(4, 14, 5, 0)},
		{3, ENC(3, 14, 3, 0), ENC(4, 14, 3, 0), ENC(4, 14, 4, 0)},
	};

	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int op2 = 0; op2 < 3; op2++) {
			const uint32_t el0 = TIMER(rows[i].crm, op2);
			const uint32_t el02 = REG(3, 5, 14, rows[i].crm, op2);

			for (unsigned int el = 0; el < 4; el++) {
				pe_el3();
				at(el);
				cr_expect_eq(machine_asked(el0), rows[i].own + op2);
				cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H;
				cpu.sys.cnthctl_el2 = 0xf03;
				at(el);
				cr_expect_eq(machine_asked(el0),
					     (el == 2 ? rows[i].ns : rows[i].own) + op2, "EL%u",
					     el);
				if (el == 1)
					continue;
				cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE;
				at(el);
				cr_expect_eq(machine_asked(el0),
					     (el == 3 ? rows[i].own : rows[i].ns) + op2, "EL%u",
					     el);
				cpu.sys.controls.scr_el3 = SCR_EL3_RW | SCR_EL3_EEL2;
				at(el);
				cr_expect_eq(machine_asked(el0),
					     (el == 3 ? rows[i].own : rows[i].secure) + op2,
					     "Secure EL%u", el);
				if (el < 2)
					continue;
				at(el);
				cr_expect_eq(machine_asked(el02), rows[i].own + op2, "EL02 at EL%u",
					     el);
				cpu.sys.controls.hcr_el2 = HCR_EL2_RW;
				at(el);
				expect_ending(el02, UNDEFINED, "EL02 without E2H");
			}
		}
	}
}

/* CNTVOFF_EL2 and CNTPOFF_EL2, by who reads a counter. */
Test(system_access_devices, counters)
{
	const uint64_t now = 1000000, voff = 300, poff = 20;

	for (unsigned int i = 0; i < 4; i++) {
		bool e2h = i & 1, tge = i & 2;

		for (unsigned int el = 0; el < 4; el++) {
			bool host0 = el == 0 && e2h && tge, host2 = el == 2 && e2h;

			if (el == 1 && tge)
				continue;
			pe_el3();
			heard.device_value = now;
			cpu.sys.cntvoff_el2 = voff;
			cpu.sys.cntpoff_el2 = poff;
			cpu.sys.cnthctl_el2 = 0xf03 | 1 << 12; /* ECV */
			cpu.sys.controls.hcr_el2 =
				HCR_EL2_RW | (e2h ? HCR_EL2_E2H : 0) | (tge ? HCR_EL2_TGE : 0);
			at(el);
			cr_expect_eq(counted(CNTVCT), host0 || host2 ? now : now - voff,
				     "E2H %d TGE %d EL%u", e2h, tge, el);
			cr_expect_eq(heard.device_encoding, ENC(3, 14, 0, 1), "CNTPCT_EL0");
			at(el);
			cr_expect_eq(counted(CNTVCTSS), host0 || host2 ? now : now - voff);
			at(el);
			cr_expect_eq(counted(CNTPCT), el < 2 && !host0 ? now - poff : now,
				     "E2H %d TGE %d EL%u", e2h, tge, el);
			at(el);
			cr_expect_eq(counted(CNTPCTSS), el < 2 && !host0 ? now - poff : now);
			cpu.sys.cnthctl_el2 &= ~(UINT64_C(1) << 12);
			at(el);
			cr_expect_eq(counted(CNTPCT), now, "ECV 0");
			cpu.sys.cnthctl_el2 |= 1 << 12;
			cpu.sys.controls.scr_el3 &= ~SCR_EL3_ECVEn;
			at(el);
			cr_expect_eq(counted(CNTPCT), now, "ECVEn 0");
		}
	}
	/* There is no FEAT_ECV without EL2. */
	fixture_reset();
	expect_ending(CNTPCTSS | READ, UNDEFINED, "CNTPCTSS_EL0");
	fixture_reset();
	expect_ending(CNTVCTSS | READ, UNDEFINED, "CNTVCTSS_EL0");
}

/* The machine's timers must know the offsets in effect, and each change. */
Test(system_access_devices, the_machine_is_told_of_offsets)
{
	const uint32_t cntvoff = REG(3, 4, 14, 0, 3), cntpoff = REG(3, 4, 14, 0, 6);
	const uint32_t cnthctl = REG(3, 4, 14, 1, 0), hcr = REG(3, 4, 1, 1, 0);

	pe_el2();
	at(2);
	cpu.x[5] = 7;
	cr_expect_eq(machine_asked(cntvoff), ENC(4, 14, 0, 3));
	cr_expect_eq(heard.device_value, 7);
	cr_expect_eq(counted(cntvoff), 7);
	cr_expect_eq(machine_asked(cntpoff), 0, "not in effect");
	cpu.x[5] = 3 | 1 << 12;
	cr_expect_eq(machine_asked(cnthctl), ENC(4, 14, 0, 6));
	cr_expect_eq(heard.device_value, 7);
	heard.device_calls = 0;
	cpu.x[5] = HCR_EL2_E2H;
	cr_expect_eq(machine_asked(hcr), 0, "E2H alone changes neither");
	cpu.x[5] = HCR_EL2_E2H | HCR_EL2_TGE;
	cr_expect_eq(machine_asked(hcr), ENC(4, 14, 0, 6), "in a host EL1 has no physical offset");
	cr_expect_eq(heard.device_value, 0);
	cr_expect_eq(heard.device_calls, 1);
	cpu.x[5] = HCR_EL2_E2H | HCR_EL2_TGE | HCR_EL2_TVM;
	cr_expect_eq(machine_asked(hcr), 0);
	/* A reset of the vCPU keeps what was reported. */
	cpu.x[5] = 0;
	machine_asked(hcr);
	soft_sys_reset(&cpu.sys, &(struct engine_vcpu_config){.index = 3,
							      .levels = {.start = 2, .el2 = true}});
	heard.device_calls = 0;
	soft_timer_offsets(&cpu);
	cr_expect_eq(heard.device_calls, 2);
	cr_expect_eq(heard.device_value, 0);
}

enum group { G0, G1, COMMON, DIR, SGI, NONE };

static const struct {
	const char *name;
	uint32_t word;
	enum group group;
} icc[] = {
	{"ICC_PMR_EL1", REG(3, 0, 4, 6, 0), COMMON},
	{"ICC_IAR0_EL1", REG(3, 0, 12, 8, 0) | READ, G0},
	{"ICC_EOIR0_EL1", REG(3, 0, 12, 8, 1), G0},
	{"ICC_HPPIR0_EL1", REG(3, 0, 12, 8, 2) | READ, G0},
	{"ICC_BPR0_EL1", REG(3, 0, 12, 8, 3), G0},
	{"ICC_AP0R0_EL1", REG(3, 0, 12, 8, 4), G0},
	{"ICC_AP1R0_EL1", REG(3, 0, 12, 9, 0), G1},
	{"ICC_DIR_EL1", REG(3, 0, 12, 11, 1), DIR},
	{"ICC_RPR_EL1", REG(3, 0, 12, 11, 3) | READ, COMMON},
	{"ICC_SGI1R_EL1", REG(3, 0, 12, 11, 5), SGI},
	{"ICC_ASGI1R_EL1", REG(3, 0, 12, 11, 6), SGI},
	{"ICC_SGI0R_EL1", REG(3, 0, 12, 11, 7), SGI},
	{"ICC_IAR1_EL1", REG(3, 0, 12, 12, 0) | READ, G1},
	{"ICC_EOIR1_EL1", REG(3, 0, 12, 12, 1), G1},
	{"ICC_HPPIR1_EL1", REG(3, 0, 12, 12, 2) | READ, G1},
	{"ICC_BPR1_EL1", REG(3, 0, 12, 12, 3), G1},
	{"ICC_CTLR_EL1", REG(3, 0, 12, 12, 4), COMMON},
	{"ICC_SRE_EL1", REG(3, 0, 12, 12, 5), NONE},
	{"ICC_IGRPEN0_EL1", REG(3, 0, 12, 12, 6), G0},
	{"ICC_IGRPEN1_EL1", REG(3, 0, 12, 12, 7), G1},
};

/* By group: HCR_EL2's bit that makes the register virtual, and ICH_HCR_EL2's that trap it. */
static const struct {
	uint64_t hcr, ich;
} groups[] = {
	[G0] = {HCR_EL2_FMO, 1 << 11},
	[G1] = {HCR_EL2_IMO, 1 << 12},
	[COMMON] = {HCR_EL2_FMO | HCR_EL2_IMO, 1 << 10},
	[DIR] = {HCR_EL2_FMO | HCR_EL2_IMO, 1 << 10 | 1 << 14},
	[SGI] = {0, 1 << 10},
	[NONE] = {0, 0},
};

Test(system_access_devices, virtual_cpu_interface)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(icc); i++) {
		const uint32_t encoding = icc[i].word >> 5 & 0xffff;
		const enum group group = icc[i].group;

		for (unsigned int mo = 0; mo < 4; mo++) {
			uint64_t hcr = (mo & 1 ? HCR_EL2_FMO : 0) | (mo & 2 ? HCR_EL2_IMO : 0);
			bool is_virtual = hcr & groups[group].hcr;

			pe_el2();
			cpu.sys.controls.hcr_el2 |= hcr;
			at(1);
			if (group == SGI && mo)
				expect_ending(icc[i].word, TO_EL2, "%s", icc[i].name);
			else
				cr_expect_eq(machine_asked(icc[i].word),
					     encoding | (is_virtual ? ENGINE_SYSREG_VIRTUAL : 0),
					     "%s, IMO:FMO %u", icc[i].name, mo);
			at(2);
			cr_expect_eq(machine_asked(icc[i].word), encoding, "%s at EL2",
				     icc[i].name);
		}
		for (unsigned int bit = 10; bit < 15; bit++) {
			uint32_t ich = UINT32_C(1) << bit;

			pe_el2();
			cpu.sys.controls.hcr_el2 |= groups[group].hcr;
			at(2);
			cpu.x[5] = ich;
			cr_expect_eq(machine_asked(REG(3, 4, 12, 11, 0)), ENC(4, 12, 11, 0));
			at(1);
			expect_ending(icc[i].word, groups[group].ich & ich ? TO_EL2 : DONE,
				      "%s, ICH_HCR_EL2 %#x", icc[i].name, ich);
		}
		/* A trap to EL3 is for the physical registers only. */
		for (unsigned int scr = 0; scr < 4; scr++) {
			bool fiq = scr & 1, irq = scr & 2;
			bool trapped = group == G0   ? fiq
				       : group == G1 ? irq
						     : group != NONE && fiq && irq;

			for (unsigned int el = 1; el < 4; el++) {
				pe_el3();
				cpu.sys.controls.scr_el3 |=
					(fiq ? SCR_EL3_FIQ : 0) | (irq ? SCR_EL3_IRQ : 0);
				at(el);
				expect_ending(icc[i].word, trapped && el < 3 ? TO_EL3 : DONE,
					      "%s at EL%u, SCR_EL3 %u", icc[i].name, el, scr);
			}
			pe_el3();
			cpu.sys.controls.scr_el3 |=
				(fiq ? SCR_EL3_FIQ : 0) | (irq ? SCR_EL3_IRQ : 0);
			cpu.sys.controls.hcr_el2 |= groups[group].hcr;
			at(1);
			if (groups[group].hcr)
				expect_ending(icc[i].word, DONE, "%s, virtual", icc[i].name);
		}
	}
}
