/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What EL2 and EL3 trap: each control with everything it traps, and nothing else that it traps
 * (the register pages of HCR_EL2, MDCR_EL2, MDCR_EL3, CPTR_EL2, CPTR_EL3, CNTHCTL_EL2, HFG*,
 * SCR_EL3).
 */
#include <stdio.h>

#include "../compare.h"
#include "system_access.h"

#define ALL ~UINT64_C(0)

TestSuite(system_access_traps, .init = fixture_reset);

/* The traps of HCR_EL2 that are looked at here. */
#define HCR_TRAPS                                                                                  \
	(HCR_EL2_TID1 | HCR_EL2_TID2 | HCR_EL2_TID3 | HCR_EL2_TIDCP | HCR_EL2_TACR | HCR_EL2_TSW | \
	 HCR_EL2_TPCP | HCR_EL2_TPU | HCR_EL2_TTLB | HCR_EL2_TVM | HCR_EL2_TDZ | HCR_EL2_TRVM |    \
	 HCR_EL2_TLOR | HCR_EL2_AT | HCR_EL2_TID4 | HCR_EL2_TICAB | HCR_EL2_TOCU |                 \
	 HCR_EL2_TTLBIS | HCR_EL2_TTLBOS)

#define VM			(HCR_EL2_TVM | HCR_EL2_TRVM)
#define CACHE_TID		(HCR_EL2_TID2 | HCR_EL2_TID4)
#define SYS(op1, crn, crm, op2) REG(1, op1, crn, crm, op2)

/* Every register and instruction that one of them traps, with all that do; W: writes alone. */
static const struct {
	const char *name;
	uint32_t word;
	uint64_t read, write; /* 0: there is no such access */
} hcr_traps[] = {
	{"SCTLR_EL1", REG(3, 0, 1, 0, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"TTBR0_EL1", REG(3, 0, 2, 0, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"TTBR1_EL1", REG(3, 0, 2, 0, 1), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"TCR_EL1", REG(3, 0, 2, 0, 2), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"ESR_EL1", REG(3, 0, 5, 2, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"FAR_EL1", REG(3, 0, 6, 0, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"AFSR0_EL1", REG(3, 0, 5, 1, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"AFSR1_EL1", REG(3, 0, 5, 1, 1), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"MAIR_EL1", REG(3, 0, 10, 2, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"AMAIR_EL1", REG(3, 0, 10, 3, 0), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"CONTEXTIDR_EL1", REG(3, 0, 13, 0, 1), HCR_EL2_TRVM, HCR_EL2_TVM},
	{"ACTLR_EL1", REG(3, 0, 1, 0, 1), HCR_EL2_TACR, HCR_EL2_TACR},
	{"REVIDR_EL1", REG(3, 0, 0, 0, 6), HCR_EL2_TID1, 0},
	{"AIDR_EL1", REG(3, 1, 0, 0, 7), HCR_EL2_TID1, 0},
	{"CTR_EL0", REG(3, 3, 0, 0, 1), HCR_EL2_TID2, 0},
	{"CCSIDR_EL1", REG(3, 1, 0, 0, 0), CACHE_TID, 0},
	{"CLIDR_EL1", REG(3, 1, 0, 0, 1), CACHE_TID, 0},
	{"CSSELR_EL1", REG(3, 2, 0, 0, 0), CACHE_TID, CACHE_TID},
	{"ID_PFR0_EL1", REG(3, 0, 0, 1, 0), HCR_EL2_TID3, 0},
	{"MVFR0_EL1", REG(3, 0, 0, 3, 0), HCR_EL2_TID3, 0},
	{"ID_AA64PFR0_EL1", REG(3, 0, 0, 4, 0), HCR_EL2_TID3, 0},
	{"ID_AA64MMFR0_EL1", REG(3, 0, 0, 7, 0), HCR_EL2_TID3, 0},
	{"an unallocated ID register", REG(3, 0, 0, 7, 7), HCR_EL2_TID3, 0},
	{"LORSA_EL1", REG(3, 0, 10, 4, 0), HCR_EL2_TLOR, HCR_EL2_TLOR},
	{"LOREA_EL1", REG(3, 0, 10, 4, 1), HCR_EL2_TLOR, HCR_EL2_TLOR},
	{"LORN_EL1", REG(3, 0, 10, 4, 2), HCR_EL2_TLOR, HCR_EL2_TLOR},
	{"LORC_EL1", REG(3, 0, 10, 4, 3), HCR_EL2_TLOR, HCR_EL2_TLOR},
	{"LORID_EL1", REG(3, 0, 10, 4, 7), HCR_EL2_TLOR, 0},
	/* Not trapped by any of them */
	{"MIDR_EL1", REG(3, 0, 0, 0, 0), 0, 0},
	{"CPACR_EL1", REG(3, 0, 1, 0, 2), 0, 0},
	{"TPIDR_EL1", REG(3, 0, 13, 0, 4), 0, 0},
	{"PAR_EL1", REG(3, 0, 7, 4, 0), 0, 0},
	{"SPSR_EL1", REG(3, 0, 4, 0, 0), 0, 0},
	{"DCZID_EL0", REG(3, 3, 0, 0, 7), 0, 0},
	/* Instructions */
	{"IC IALLUIS", SYS(0, 7, 1, 0), 0, HCR_EL2_TPU | HCR_EL2_TICAB},
	{"IC IALLU", SYS(0, 7, 5, 0), 0, HCR_EL2_TPU | HCR_EL2_TOCU},
	{"IC IVAU", SYS(3, 7, 5, 1), 0, HCR_EL2_TPU | HCR_EL2_TOCU},
	{"DC CVAU", SYS(3, 7, 11, 1), 0, HCR_EL2_TPU | HCR_EL2_TOCU},
	{"DC IVAC", SYS(0, 7, 6, 1), 0, HCR_EL2_TPCP},
	{"DC CVAC", SYS(3, 7, 10, 1), 0, HCR_EL2_TPCP},
	{"DC CIVAC", SYS(3, 7, 14, 1), 0, HCR_EL2_TPCP},
	{"DC ISW", SYS(0, 7, 6, 2), 0, HCR_EL2_TSW},
	{"DC CSW", SYS(0, 7, 10, 2), 0, HCR_EL2_TSW},
	{"DC CISW", SYS(0, 7, 14, 2), 0, HCR_EL2_TSW},
	{"AT S1E1R", SYS(0, 7, 8, 0), 0, HCR_EL2_AT},
	{"AT S1E0W", SYS(0, 7, 8, 3), 0, HCR_EL2_AT},
	{"AT S1E1WP", SYS(0, 7, 9, 1), 0, HCR_EL2_AT},
	{"TLBI VMALLE1", SYS(0, 8, 7, 0), 0, HCR_EL2_TTLB},
	{"TLBI VAALE1", SYS(0, 8, 7, 7), 0, HCR_EL2_TTLB},
	{"TLBI VMALLE1IS", SYS(0, 8, 3, 0), 0, HCR_EL2_TTLB | HCR_EL2_TTLBIS},
	{"TLBI VAE1IS", SYS(0, 8, 3, 1), 0, HCR_EL2_TTLB | HCR_EL2_TTLBIS},
};

Test(system_access_traps, hcr_el2)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(hcr_traps); i++) {
		const char *name = hcr_traps[i].name;
		bool instruction = (hcr_traps[i].word >> 19 & 3) == 1;

		for (unsigned int write = 0; write < 2; write++) {
			uint32_t word = hcr_traps[i].word | (write ? 0 : READ);
			uint64_t trap = write ? hcr_traps[i].write : hcr_traps[i].read;

			if (!trap && (write || instruction))
				continue;
			pe_el2();
			cpu.x[5] = RAM_BASE;
			for (unsigned int bit = 0; bit < 64; bit++) {
				if (!(trap >> bit & 1))
					continue;
				cpu.sys.controls.hcr_el2 = HCR_EL2_RW | UINT64_C(1) << bit;
				at(1);
				expect_ending(word, TO_EL2, "%s, write %u, bit %u", name, write,
					      bit);
				at(2);
				expect_ending(word, DONE, "%s at EL2, bit %u", name, bit);
			}
			/* All the others. */
			cpu.sys.controls.hcr_el2 = HCR_EL2_RW | (HCR_TRAPS & ~trap);
			at(1);
			expect_ending(word, DONE, "%s, write %u, no trap", name, write);
			/* EL2 that is not enabled traps nothing. */
			pe_el3();
			cpu.x[5] = RAM_BASE;
			cpu.sys.controls.scr_el3 = SCR_EL3_RW;
			cpu.sys.controls.hcr_el2 = HCR_TRAPS;
			at(1);
			expect_ending(word,
				      trap == HCR_EL2_TLOR && word != (REG(3, 0, 10, 4, 7) | READ)
					      ? UNDEFINED
					      : DONE,
				      "%s, write %u, no Secure EL2", name, write);
		}
	}
}

/* IMPLEMENTATION DEFINED registers and instructions: none is here, but the trap comes first. */
Test(system_access_traps, hcr_tidcp)
{
	static const uint32_t words[] = {REG(3, 0, 15, 0, 0), REG(3, 7, 11, 15, 7),
					 REG(3, 3, 15, 2, 1) | READ, REG(1, 0, 11, 0, 0),
					 REG(1, 5, 15, 3, 4)};

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		for (unsigned int el = 0; el < 3; el++) {
			pe_el2();
			at(el);
			expect_ending(words[i], UNDEFINED, "%u", i);
			pe_el2();
			cpu.sys.controls.hcr_el2 |= HCR_EL2_TIDCP;
			at(el);
			expect_ending(words[i], el == 1 ? TO_EL2 : UNDEFINED, "%u at EL%u", i, el);
		}
	}
}

/* EL0's accesses, trapped with TGE or not, but not in a host. */
Test(system_access_traps, from_el0)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t trap;
	} rows[] = {
		{"CTR_EL0", REG(3, 3, 0, 0, 1) | READ, HCR_EL2_TID2},
		{"DC CVAC", SYS(3, 7, 10, 1), HCR_EL2_TPCP},
		{"DC CVAU", SYS(3, 7, 11, 1), HCR_EL2_TPU},
		{"IC IVAU", SYS(3, 7, 5, 1), HCR_EL2_TOCU},
		{"DC ZVA", SYS(3, 7, 4, 1), HCR_EL2_TDZ},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		bool zva = rows[i].trap == HCR_EL2_TDZ;

		pe_el2();
		cpu.x[5] = RAM_BASE;
		cpu.sys.controls.hcr_el2 = HCR_EL2_RW | rows[i].trap;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%s", rows[i].name);
		cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%s, TGE", rows[i].name);
		/* In a host HCR_EL2 traps nothing, and SCTLR_EL2 does. */
		cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H;
		cpu.sys.sctlr[2] = 1 << 14 | 1 << 15 | 1 << 26;
		at(0);
		/* DC ZVA of Device memory is an alignment fault: it was not trapped. */
		expect_ending(rows[i].word, zva ? ABORTED : DONE, "%s in a host", rows[i].name);
		cpu.sys.sctlr[2] = 0;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%s, SCTLR_EL2", rows[i].name);
		/* SCTLR_EL1's trap comes first, and TGE makes it EL2's. */
		cpu.sys.controls.hcr_el2 = HCR_EL2_RW | rows[i].trap;
		cpu.sys.sctlr[1] = 0;
		at(0);
		expect_ending(rows[i].word, TO_EL1, "%s, SCTLR_EL1", rows[i].name);
		cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE;
		at(0);
		expect_ending(rows[i].word, TO_EL2, "%s, SCTLR_EL1 and TGE", rows[i].name);
	}
	/* There is no UMA in SCTLR_EL2. */
	pe_el2();
	cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H | HCR_EL2_TGE;
	cpu.sys.sctlr[2] = ALL;
	at(0);
	expect_ending(REG(3, 3, 4, 2, 1) | READ, TO_EL2, "DAIF in a host");
}

#define TDE   (UINT64_C(1) << 8)
#define TDA   (UINT64_C(1) << 9)
#define TDOSA (UINT64_C(1) << 10)
#define TDRA  (UINT64_C(1) << 11)
#define TDCC  (UINT64_C(1) << 27)

/* The debug registers, by what traps them at EL2, and at EL3. */
static const struct {
	const char *name;
	uint32_t word;
	uint64_t mdcr_el2, mdcr_el3;
} debug[] = {
	{"MDSCR_EL1", REG(2, 0, 0, 2, 2), TDE | TDA, TDA},
	{"OSECCR_EL1", REG(2, 0, 0, 6, 2), TDE | TDA, TDA},
	{"DBGBVR0_EL1", REG(2, 0, 0, 0, 4), TDE | TDA, TDA},
	{"DBGBCR1_EL1", REG(2, 0, 0, 1, 5), TDE | TDA, TDA},
	{"DBGWVR1_EL1", REG(2, 0, 0, 1, 6), TDE | TDA, TDA},
	{"DBGWCR0_EL1", REG(2, 0, 0, 0, 7), TDE | TDA, TDA},
	{"DBGCLAIMSET_EL1", REG(2, 0, 7, 8, 6), TDE | TDA, TDA},
	{"DBGCLAIMCLR_EL1", REG(2, 0, 7, 9, 6), TDE | TDA, TDA},
	{"DBGAUTHSTATUS_EL1", REG(2, 0, 7, 14, 6) | READ, TDE | TDA, TDA},
	{"MDRAR_EL1", REG(2, 0, 1, 0, 0) | READ, TDE | TDRA, TDA},
	{"OSLAR_EL1", REG(2, 0, 1, 0, 4), TDE | TDOSA, TDOSA},
	{"OSLSR_EL1", REG(2, 0, 1, 1, 4) | READ, TDE | TDOSA, TDOSA},
	{"OSDLR_EL1", REG(2, 0, 1, 3, 4), TDE | TDOSA, TDOSA},
	{"DBGPRCR_EL1", REG(2, 0, 1, 4, 4), TDE | TDOSA, TDOSA},
	{"MDCCINT_EL1", REG(2, 0, 0, 2, 0), TDE | TDA | TDCC, TDA | TDCC},
	{"OSDTRRX_EL1", REG(2, 0, 0, 0, 2), TDE | TDA | TDCC, TDA | TDCC},
	{"OSDTRTX_EL1", REG(2, 0, 0, 3, 2), TDE | TDA | TDCC, TDA | TDCC},
	{"MDCCSR_EL0", REG(2, 3, 0, 1, 0) | READ, TDE | TDA | TDCC, TDA | TDCC},
	{"DBGDTR_EL0", REG(2, 3, 0, 4, 0), TDE | TDA | TDCC, TDA | TDCC},
	{"DBGDTRTX_EL0", REG(2, 3, 0, 5, 0), TDE | TDA | TDCC, TDA | TDCC},
};

Test(system_access_traps, debug_registers)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(debug); i++) {
		for (unsigned int bit = 8; bit < 28; bit++) {
			uint64_t mdcr = UINT64_C(1) << bit;

			pe_el3();
			cpu.sys.controls.mdcr_el2 = mdcr;
			at(1);
			expect_ending(debug[i].word, debug[i].mdcr_el2 & mdcr ? TO_EL2 : DONE,
				      "%s, MDCR_EL2 bit %u", debug[i].name, bit);
			at(2);
			expect_ending(debug[i].word, DONE, "%s at EL2, MDCR_EL2 bit %u",
				      debug[i].name, bit);
			for (unsigned int el = 1; el < 4; el++) {
				pe_el3();
				cpu.sys.controls.mdcr_el3 = mdcr;
				at(el);
				expect_ending(debug[i].word,
					      el < 3 && (debug[i].mdcr_el3 & mdcr) ? TO_EL3 : DONE,
					      "%s at EL%u, MDCR_EL3 bit %u", debug[i].name, el,
					      bit);
			}
		}
		/* EL2 before EL3. */
		pe_el3();
		cpu.sys.controls.mdcr_el2 = cpu.sys.controls.mdcr_el3 = TDE | TDA | TDOSA;
		at(1);
		expect_ending(debug[i].word, TO_EL2, "%s", debug[i].name);
	}
	/* MDCR_EL2 itself. */
	for (unsigned int el = 2; el < 4; el++) {
		pe_el3();
		cpu.sys.controls.mdcr_el3 = TDA;
		at(el);
		expect_ending(REG(3, 4, 1, 1, 1), el == 2 ? TO_EL3 : DONE, "MDCR_EL2");
	}
	/* EL0's debug communications channel under TGE. */
	for (unsigned int host = 0; host < 2; host++) {
		pe_el2();
		cpu.sys.controls.hcr_el2 |= HCR_EL2_TGE | (host ? HCR_EL2_E2H : 0);
		at(0);
		expect_ending(REG(2, 3, 0, 1, 0) | READ, TO_EL2, "MDCCSR_EL0 at EL0");
	}
}

Test(system_access_traps, cptr)
{
	static const struct {
		uint32_t word;
		enum ending el2[4], el3[4]; /* CPTR_EL2.TCPAC, CPTR_EL3.TCPAC: by level */
	} rows[] = {
		{REG(3, 0, 1, 0, 2),
		 {UNDEFINED, TO_EL2, DONE, DONE},
		 {UNDEFINED, TO_EL3, TO_EL3, DONE}},
		{REG(3, 4, 1, 1, 2),
		 {UNDEFINED, UNDEFINED, DONE, DONE},
		 {UNDEFINED, UNDEFINED, TO_EL3, DONE}},
		{REG(3, 6, 1, 1, 2),
		 {UNDEFINED, UNDEFINED, UNDEFINED, DONE},
		 {UNDEFINED, UNDEFINED, UNDEFINED, DONE}},
	};

	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int el = 0; el < 4; el++) {
			pe_el3();
			cpu.sys.cptr_el2 = UINT64_C(1) << 31;
			at(el);
			expect_ending(rows[i].word | READ, rows[i].el2[el], "%u at EL%u", i, el);
			pe_el3();
			cpu.sys.cptr_el3 = UINT64_C(1) << 31;
			at(el);
			expect_ending(rows[i].word, rows[i].el3[el], "%u at EL%u", i, el);
		}
	}
}
