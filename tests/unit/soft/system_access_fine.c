/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fine-grained traps: which bit of which register traps what, and what switches them off; and
 * the traps of EL3 that are neither of debug nor of FP (the pages of HFGRTR_EL2 and so on,
 * SCR_EL3).
 */
#include <stdio.h>

#include "../compare.h"
#include "system_access.h"

TestSuite(system_access_fine, .init = fixture_reset);

enum where { HFG, HDFG, HFGI };

#define BOTH  (-1)
#define NEVER (-2)

static const struct {
	const char *name;
	uint32_t word;
	int read, write; /* bit; NEVER: there is no such access */
	enum where where;
} rows[] = {
	{"AFSR0_EL1", REG(3, 0, 5, 1, 0), 0, 0, HFG},
	{"AFSR1_EL1", REG(3, 0, 5, 1, 1), 1, 1, HFG},
	{"AIDR_EL1", REG(3, 1, 0, 0, 7), 2, NEVER, HFG},
	{"AMAIR_EL1", REG(3, 0, 10, 3, 0), 3, 3, HFG},
	{"CCSIDR_EL1", REG(3, 1, 0, 0, 0), 9, NEVER, HFG},
	{"CLIDR_EL1", REG(3, 1, 0, 0, 1), 10, NEVER, HFG},
	{"CONTEXTIDR_EL1", REG(3, 0, 13, 0, 1), 11, 11, HFG},
	{"CPACR_EL1", REG(3, 0, 1, 0, 2), 12, 12, HFG},
	{"CSSELR_EL1", REG(3, 2, 0, 0, 0), 13, 13, HFG},
	{"CTR_EL0", REG(3, 3, 0, 0, 1), 14, NEVER, HFG},
	{"DCZID_EL0", REG(3, 3, 0, 0, 7), 15, NEVER, HFG},
	{"ESR_EL1", REG(3, 0, 5, 2, 0), 16, 16, HFG},
	{"FAR_EL1", REG(3, 0, 6, 0, 0), 17, 17, HFG},
	{"ISR_EL1", REG(3, 0, 12, 1, 0), 18, NEVER, HFG},
	{"LORC_EL1", REG(3, 0, 10, 4, 3), 19, 19, HFG},
	{"LOREA_EL1", REG(3, 0, 10, 4, 1), 20, 20, HFG},
	{"LORID_EL1", REG(3, 0, 10, 4, 7), 21, NEVER, HFG},
	{"LORN_EL1", REG(3, 0, 10, 4, 2), 22, 22, HFG},
	{"LORSA_EL1", REG(3, 0, 10, 4, 0), 23, 23, HFG},
	{"MAIR_EL1", REG(3, 0, 10, 2, 0), 24, 24, HFG},
	{"MIDR_EL1", REG(3, 0, 0, 0, 0), 25, NEVER, HFG},
	{"MPIDR_EL1", REG(3, 0, 0, 0, 5), 26, NEVER, HFG},
	{"PAR_EL1", REG(3, 0, 7, 4, 0), 27, 27, HFG},
	{"REVIDR_EL1", REG(3, 0, 0, 0, 6), 28, NEVER, HFG},
	{"SCTLR_EL1", REG(3, 0, 1, 0, 0), 29, 29, HFG},
	{"TCR_EL1", REG(3, 0, 2, 0, 2), 32, 32, HFG},
	{"TPIDR_EL1", REG(3, 0, 13, 0, 4), 33, 33, HFG},
	{"TPIDRRO_EL0", REG(3, 3, 13, 0, 3), 34, 34, HFG},
	{"TPIDR_EL0", REG(3, 3, 13, 0, 2), 35, 35, HFG},
	{"TTBR0_EL1", REG(3, 0, 2, 0, 0), 36, 36, HFG},
	{"TTBR1_EL1", REG(3, 0, 2, 0, 1), 37, 37, HFG},
	{"VBAR_EL1", REG(3, 0, 12, 0, 0), 38, 38, HFG},
	{"ICC_IGRPEN0_EL1", REG(3, 0, 12, 12, 6), 39, 39, HFG},
	{"ICC_IGRPEN1_EL1", REG(3, 0, 12, 12, 7), 39, 39, HFG},
	{"ACTLR_EL1", REG(3, 0, 1, 0, 1), BOTH, BOTH, HFG},
	{"ELR_EL1", REG(3, 0, 4, 0, 1), BOTH, BOTH, HFG},
	{"ICC_PMR_EL1", REG(3, 0, 4, 6, 0), BOTH, BOTH, HFG},
	{"CNTKCTL_EL1", REG(3, 0, 14, 1, 0), BOTH, BOTH, HFG},
	{"DBGBCR0_EL1", REG(2, 0, 0, 0, 5), 0, 0, HDFG},
	{"DBGBVR1_EL1", REG(2, 0, 0, 1, 4), 1, 1, HDFG},
	{"DBGWCR0_EL1", REG(2, 0, 0, 0, 7), 2, 2, HDFG},
	{"DBGWVR1_EL1", REG(2, 0, 0, 1, 6), 3, 3, HDFG},
	{"MDSCR_EL1", REG(2, 0, 0, 2, 2), 4, 4, HDFG},
	{"DBGCLAIMSET_EL1", REG(2, 0, 7, 8, 6), 5, 5, HDFG},
	{"DBGCLAIMCLR_EL1", REG(2, 0, 7, 9, 6), 5, 5, HDFG},
	{"DBGAUTHSTATUS_EL1", REG(2, 0, 7, 14, 6), 6, NEVER, HDFG},
	{"DBGPRCR_EL1", REG(2, 0, 1, 4, 4), 7, 7, HDFG},
	{"OSLAR_EL1", REG(2, 0, 1, 0, 4), NEVER, 8, HDFG},
	{"OSLSR_EL1", REG(2, 0, 1, 1, 4), 9, NEVER, HDFG},
	{"OSECCR_EL1", REG(2, 0, 0, 6, 2), 10, 10, HDFG},
	{"OSDLR_EL1", REG(2, 0, 1, 3, 4), 11, 11, HDFG},
	{"MDRAR_EL1", REG(2, 0, 1, 0, 0), BOTH, NEVER, HDFG},
	{"MDCCINT_EL1", REG(2, 0, 0, 2, 0), BOTH, BOTH, HDFG},
	{"IC IALLUIS", REG(1, 0, 7, 1, 0), NEVER, 0, HFGI},
	{"IC IALLU", REG(1, 0, 7, 5, 0), NEVER, 1, HFGI},
	{"IC IVAU", REG(1, 3, 7, 5, 1), NEVER, 2, HFGI},
	{"DC IVAC", REG(1, 0, 7, 6, 1), NEVER, 3, HFGI},
	{"DC ISW", REG(1, 0, 7, 6, 2), NEVER, 4, HFGI},
	{"DC CSW", REG(1, 0, 7, 10, 2), NEVER, 5, HFGI},
	{"DC CISW", REG(1, 0, 7, 14, 2), NEVER, 6, HFGI},
	{"DC CVAU", REG(1, 3, 7, 11, 1), NEVER, 7, HFGI},
	{"DC CIVAC", REG(1, 3, 7, 14, 1), NEVER, 10, HFGI},
	{"AT S1E1R", REG(1, 0, 7, 8, 0), NEVER, 12, HFGI},
	{"AT S1E1W", REG(1, 0, 7, 8, 1), NEVER, 13, HFGI},
	{"AT S1E0R", REG(1, 0, 7, 8, 2), NEVER, 14, HFGI},
	{"AT S1E0W", REG(1, 0, 7, 8, 3), NEVER, 15, HFGI},
	{"AT S1E1RP", REG(1, 0, 7, 9, 0), NEVER, 16, HFGI},
	{"AT S1E1WP", REG(1, 0, 7, 9, 1), NEVER, 17, HFGI},
	{"TLBI VMALLE1IS", REG(1, 0, 8, 3, 0), NEVER, 28, HFGI},
	{"TLBI VAE1IS", REG(1, 0, 8, 3, 1), NEVER, 29, HFGI},
	{"TLBI ASIDE1IS", REG(1, 0, 8, 3, 2), NEVER, 30, HFGI},
	{"TLBI VAAE1IS", REG(1, 0, 8, 3, 3), NEVER, 31, HFGI},
	{"TLBI VALE1IS", REG(1, 0, 8, 3, 5), NEVER, 32, HFGI},
	{"TLBI VAALE1IS", REG(1, 0, 8, 3, 7), NEVER, 33, HFGI},
	{"TLBI VMALLE1", REG(1, 0, 8, 7, 0), NEVER, 42, HFGI},
	{"TLBI VAE1", REG(1, 0, 8, 7, 1), NEVER, 43, HFGI},
	{"TLBI ASIDE1", REG(1, 0, 8, 7, 2), NEVER, 44, HFGI},
	{"TLBI VAAE1", REG(1, 0, 8, 7, 3), NEVER, 45, HFGI},
	{"TLBI VALE1", REG(1, 0, 8, 7, 5), NEVER, 46, HFGI},
	{"TLBI VAALE1", REG(1, 0, 8, 7, 7), NEVER, 47, HFGI},
	{"DC CVAC", REG(1, 3, 7, 10, 1), NEVER, 54, HFGI},
};

static void set(enum where where, bool write, uint64_t value)
{
	switch (where) {
	case HFG: *(write ? &cpu.sys.hfgwtr_el2 : &cpu.sys.hfgrtr_el2) = value; break;
	case HDFG:
		*(write ? &cpu.sys.controls.hdfgwtr_el2 : &cpu.sys.controls.hdfgrtr_el2) = value;
		break;
	case HFGI: cpu.sys.hfgitr_el2 = value; break;
	}
}

/* One bit traps: of the register for this direction, at EL1 alone, with SCR_EL3.FGTEn 1. */
Test(system_access_fine, every_bit)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int write = 0; write < 2; write++) {
			int bit = write ? rows[i].write : rows[i].read;
			uint64_t mask = bit >= 0 ? UINT64_C(1) << bit : 0;
			uint32_t word = rows[i].word | (write ? 0 : READ);

			if (bit == NEVER)
				continue;
			pe_el2();
			cpu.x[5] = RAM_BASE;
			set(rows[i].where, write, ~mask);
			set(rows[i].where, !write, rows[i].where == HFGI ? ~mask : ~UINT64_C(0));
			at(1);
			expect_ending(word, DONE, "%s, write %u: all other bits", rows[i].name,
				      write);
			if (!mask)
				continue;
			set(rows[i].where, write, mask);
			at(1);
			expect_ending(word, TO_EL2, "%s, write %u", rows[i].name, write);
			at(2);
			expect_ending(word, DONE, "%s at EL2, write %u", rows[i].name, write);
			pe_el3();
			cpu.x[5] = RAM_BASE;
			set(rows[i].where, write, mask);
			at(1);
			expect_ending(word, TO_EL2, "%s, FGTEn 1", rows[i].name);
			cpu.sys.controls.scr_el3 &= ~SCR_EL3_FGTEn;
			at(1);
			expect_ending(word, DONE, "%s, FGTEn 0", rows[i].name);
		}
	}
}

/* What EL0 may do is trapped of it too, but not in a host. */
Test(system_access_fine, from_el0)
{
	static const struct {
		uint32_t word;
		enum where where;
		unsigned int bit;
	} el0[] = {
		{REG(3, 3, 0, 0, 1) | READ, HFG, 14},  {REG(3, 3, 0, 0, 7) | READ, HFG, 15},
		{REG(3, 3, 13, 0, 3) | READ, HFG, 34}, {REG(3, 3, 13, 0, 2) | READ, HFG, 35},
		{REG(1, 3, 7, 10, 1), HFGI, 54},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(el0); i++) {
		pe_el2();
		cpu.x[5] = RAM_BASE;
		cpu.sys.sctlr[2] = 1 << 15 | 1 << 26;
		set(el0[i].where, false, UINT64_C(1) << el0[i].bit);
		at(0);
		expect_ending(el0[i].word, TO_EL2, "%u", i);
		cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE | HCR_EL2_E2H;
		at(0);
		expect_ending(el0[i].word, DONE, "%u in a host", i);
	}
}

/* SCR_EL3 keeps EL2 from the registers of an extension. */
Test(system_access_fine, scr_el3_enables)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t enable;
	} regs[] = {
		{"HFGRTR_EL2", REG(3, 4, 1, 1, 4), SCR_EL3_FGTEn},
		{"HFGWTR_EL2", REG(3, 4, 1, 1, 5), SCR_EL3_FGTEn},
		{"HFGITR_EL2", REG(3, 4, 1, 1, 6), SCR_EL3_FGTEn},
		{"HDFGRTR_EL2", REG(3, 4, 3, 1, 4), SCR_EL3_FGTEn},
		{"HDFGWTR_EL2", REG(3, 4, 3, 1, 5), SCR_EL3_FGTEn},
		{"HDFGRTR2_EL2", REG(3, 4, 3, 1, 0), SCR_EL3_FGTEn2},
		{"HDFGWTR2_EL2", REG(3, 4, 3, 1, 1), SCR_EL3_FGTEn2},
		{"HFGRTR2_EL2", REG(3, 4, 3, 1, 2), SCR_EL3_FGTEn2},
		{"HFGWTR2_EL2", REG(3, 4, 3, 1, 3), SCR_EL3_FGTEn2},
		{"HFGITR2_EL2", REG(3, 4, 3, 1, 7), SCR_EL3_FGTEn2},
		{"CNTPOFF_EL2", REG(3, 4, 14, 0, 6), SCR_EL3_ECVEn},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(regs); i++) {
		for (unsigned int el = 1; el < 4; el++) {
			static const enum ending off[] = {0, UNDEFINED, TO_EL3, DONE};

			pe_el3();
			cpu.sys.controls.scr_el3 = SCR_EL3_NS | SCR_EL3_RW | regs[i].enable;
			at(el);
			expect_ending(regs[i].word, el == 1 ? UNDEFINED : DONE, "%s at EL%u",
				      regs[i].name, el);
			cpu.sys.controls.scr_el3 =
				SCR_EL3_NS | SCR_EL3_RW |
				((SCR_EL3_FGTEn | SCR_EL3_FGTEn2 | SCR_EL3_ECVEn) &
				 ~regs[i].enable);
			at(el);
			expect_ending(regs[i].word | READ, off[el], "%s at EL%u", regs[i].name, el);
		}
	}
}

/* SCR_EL3.TLOR; and FEAT_LOR has nothing but LORID_EL1 in Secure state. */
Test(system_access_fine, lor)
{
	for (unsigned int op2 = 0; op2 < 8; op2++) {
		bool id = op2 == 7;

		if (op2 > 3 && !id)
			continue;
		for (unsigned int el = 1; el < 4; el++) {
			uint32_t word = REG(3, 0, 10, 4, op2) | READ;

			pe_el3();
			cpu.sys.controls.scr_el3 |= SCR_EL3_TLOR;
			at(el);
			expect_ending(word, el < 3 ? TO_EL3 : DONE, "%u at EL%u", op2, el);
			cpu.sys.controls.scr_el3 = SCR_EL3_RW | SCR_EL3_EEL2;
			at(el);
			expect_ending(word, id ? DONE : UNDEFINED, "Secure, %u at EL%u", op2, el);
		}
	}
}

/* The Secure physical timer belongs to EL3, which can lend it to Secure EL1. */
Test(system_access_fine, secure_timer)
{
	const uint32_t word = REG(3, 7, 14, 2, 1);

	pe_el2();
	at(2);
	expect_ending(word, UNDEFINED, "no EL3");
	for (unsigned int i = 0; i < 8; i++) {
		bool ns = i & 1, eel2 = i & 2, st = i & 4;
		enum ending el1 = ns || eel2 ? UNDEFINED : st ? DONE : TO_EL3;

		for (unsigned int el = 0; el < 4; el++) {
			if (el == 2 && !ns && !eel2)
				continue;
			pe_el3();
			cpu.sys.controls.scr_el3 = (ns ? SCR_EL3_NS : 0) |
						   (eel2 ? SCR_EL3_EEL2 : 0) |
						   (st ? SCR_EL3_ST : 0);
			at(el);
			expect_ending(word,
				      el == 3	? DONE
				      : el == 1 ? el1
						: UNDEFINED,
				      "SCR_EL3 %u, EL%u", i, el);
		}
	}
}
