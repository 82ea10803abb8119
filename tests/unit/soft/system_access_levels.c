/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of EL2 and EL3: at which levels they are, what they keep, which of them the names
 * of EL1 mean in a host; and SPE's with traps and levels.
 */
#include <stdio.h>

#include "../compare.h"
#include "soft/sys/isa.h"
#include "system_access.h"

#define ALL ~UINT64_C(0)

TestSuite(system_access_levels, .init = fixture_reset);

/*
 * After MSR of all ones, and of zero, at EL3: whatever HCR_EL2.E2H is, for bits that are there with
 * one value of it are kept for it (SCTLR_EL2, CPTR_EL2, TCR_EL2, TTBR0_EL2, CNTHCTL_EL2).
 */
static const struct {
	const char *name;
	uint32_t word;
	uint64_t ones, zero;
} bits[] = {
	{"VPIDR_EL2", REG(3, 4, 0, 0, 0), 0xffffffff, 0},
	{"VMPIDR_EL2", REG(3, 4, 0, 0, 5), UINT64_C(0xffc1ffffff), 0x80000000},
	{"SCTLR_EL2", REG(3, 4, 1, 0, 0), 0x34ddd9bf, 0x30400800},
	{"ACTLR_EL2", REG(3, 4, 1, 0, 1), 0, 0},
	{"HCR_EL2", REG(3, 4, 1, 1, 0), UINT64_C(0xd73c0fdfff7fff), 0x80000000},
	{"MDCR_EL2", REG(3, 4, 1, 1, 1), 0x8000f00, 0},
	{"CPTR_EL2", REG(3, 4, 1, 1, 2), 0x803037ff, 0},
	{"HSTR_EL2", REG(3, 4, 1, 1, 3), 0, 0},
	{"HACR_EL2", REG(3, 4, 1, 1, 7), 0, 0},
	{"TTBR0_EL2", REG(3, 4, 2, 0, 0), ALL << 1, 0},
	{"TTBR1_EL2", REG(3, 4, 2, 0, 1), ALL << 1, 0},
	{"TCR_EL2", REG(3, 4, 2, 0, 2), UINT64_C(0x018007f7ffffffbf), 0},
	{"VTTBR_EL2", REG(3, 4, 2, 1, 0), UINT64_C(0xfffffffffffffe), 0},
	{"VTCR_EL2", REG(3, 4, 2, 1, 2), 0xe067ffff, 0x80000000},
	{"VNCR_EL2", REG(3, 4, 2, 2, 0), ALL << 12, 0},
	{"SPSR_EL2", REG(3, 4, 4, 0, 0), 0xf07003df, 0},
	{"ELR_EL2", REG(3, 4, 4, 0, 1), ALL, 0},
	{"SP_EL1", REG(3, 4, 4, 1, 0), ALL, 0},
	{"SP_EL2", REG(3, 6, 4, 1, 0), ALL, 0},
	{"AFSR0_EL2", REG(3, 4, 5, 1, 0), 0, 0},
	{"ESR_EL2", REG(3, 4, 5, 2, 0), 0xffffffff, 0},
	{"FAR_EL2", REG(3, 4, 6, 0, 0), ALL, 0},
	{"HPFAR_EL2", REG(3, 4, 6, 0, 4), UINT64_C(0x80000000fffffff0), 0},
	{"MAIR_EL2", REG(3, 4, 10, 2, 0), ALL, 0},
	{"AMAIR_EL2", REG(3, 4, 10, 3, 0), 0, 0},
	{"VBAR_EL2", REG(3, 4, 12, 0, 0), ALL << 11, 0},
	{"CONTEXTIDR_EL2", REG(3, 4, 13, 0, 1), 0xffffffff, 0},
	{"TPIDR_EL2", REG(3, 4, 13, 0, 2), ALL, 0},
	{"CNTVOFF_EL2", REG(3, 4, 14, 0, 3), ALL, 0},
	{"CNTPOFF_EL2", REG(3, 4, 14, 0, 6), ALL, 0},
	{"CNTHCTL_EL2", REG(3, 4, 14, 1, 0), 0x3ffff, 0},
	{"HFGRTR_EL2", REG(3, 4, 1, 1, 4), UINT64_C(0xff3ffffe0f), 0},
	{"HFGWTR_EL2", REG(3, 4, 1, 1, 5), UINT64_C(0xff29db380b), 0},
	{"HFGITR_EL2", REG(3, 4, 1, 1, 6), UINT64_C(0x78fc03f003fcff), 0},
	{"HDFGRTR_EL2", REG(3, 4, 3, 1, 4), 0xeff, 0},
	{"HDFGWTR_EL2", REG(3, 4, 3, 1, 5), 0xdbf, 0},
	{"HDFGRTR2_EL2", REG(3, 4, 3, 1, 0), 0, 0},
	{"HFGITR2_EL2", REG(3, 4, 3, 1, 7), 0, 0},
	{"SCTLR_EL3", REG(3, 6, 1, 0, 0), 0x30cd183f, 0x30c50830},
	{"SCR_EL3", REG(3, 6, 1, 1, 0), UINT64_C(0x4801000018047fbf), 0x430},
	{"CPTR_EL3", REG(3, 6, 1, 1, 2), 0x80000400, 0},
	{"MDCR_EL3", REG(3, 6, 1, 3, 1), 0x8110600, 0},
	{"TTBR0_EL3", REG(3, 6, 2, 0, 0), UINT64_C(0xfffffffffffe), 0},
	{"TCR_EL3", REG(3, 6, 2, 0, 2), 0x81f7ff3f, 0x80800000},
	{"GPTBR_EL3", REG(3, 6, 2, 1, 4), UINT64_C(0xffffffffff), 0},
	{"GPCCR_EL3", REG(3, 6, 2, 1, 6), 0x2ff07, 0},
	{"MFAR_EL3", REG(3, 6, 6, 0, 5), UINT64_C(0xc000fffffffff000), 0},
	{"SPSR_EL3", REG(3, 6, 4, 0, 0), 0xf07003df, 0},
	{"ELR_EL3", REG(3, 6, 4, 0, 1), ALL, 0},
	{"ESR_EL3", REG(3, 6, 5, 2, 0), 0xffffffff, 0},
	{"FAR_EL3", REG(3, 6, 6, 0, 0), ALL, 0},
	{"MAIR_EL3", REG(3, 6, 10, 2, 0), ALL, 0},
	{"VBAR_EL3", REG(3, 6, 12, 0, 0), ALL << 11, 0},
	{"TPIDR_EL3", REG(3, 6, 13, 0, 2), ALL, 0},
};

static void expect_kept(unsigned int row, bool e2h, uint64_t written, uint64_t kept)
{
	pe_el3();
	at(3);
	cpu.sys.controls.hcr_el2 = HCR_EL2_RW | (e2h ? HCR_EL2_E2H : 0);
	cpu.x[5] = written;
	expect_ending(bits[row].word, DONE, "%s", bits[row].name);
	expect_ending(bits[row].word | READ, DONE, "%s", bits[row].name);
	cr_expect_eq(cpu.x[6], kept, "%s, E2H %d: %#lx of %#lx, not %#lx", bits[row].name, e2h,
		     cpu.x[6], written, kept);
}

Test(system_access_levels, res0_and_res1_bits)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		for (unsigned int e2h = 0; e2h < 2; e2h++) {
			/* HCR_EL2 itself changes it. */
			if (e2h && bits[i].word == REG(3, 4, 1, 1, 0))
				continue;
			expect_kept(i, e2h, ALL, bits[i].ones);
			expect_kept(i, e2h, 0, bits[i].zero);
		}
	}
}

/* Where features or levels decide: HCR_EL2.HCD and GPF, SCR_EL3.{EEL2,NSE,GPF}, SPE's bits. */
Test(system_access_levels, bits_of_features)
{
	static const struct {
		enum spe_version version;
		uint64_t mdcr_el2, mdcr_el3, hdfgrtr, hdfgwtr, hdfgrtr2, spsr, hfgitr;
	} rows[] = {
		{SPE_V1P0, 0x8007f00, 0x8113e00, UINT64_C(0x80000001ff800eff),
		 UINT64_C(0x1bf800dbf), 0, 0xf07003df, 0},
		{SPE_V1P2, 0x8007f00, UINT64_C(0x1008113e00), UINT64_C(0xc0000001ff800eff),
		 UINT64_C(0x40000001bf800dbf), 0, 0xf07003df, 0},
		{SPE_V1P5, 0x8007f00, UINT64_C(0x98041008113e00), UINT64_C(0xc0000001ff800eff),
		 UINT64_C(0x40000001bf800dbf), 0x1080000, UINT64_C(0x1f07003df), UINT64_C(1) << 63},
	};

	for (unsigned int i = 0; i < 3; i++) {
		const struct {
			uint32_t word;
			uint64_t kept;
		} regs[] = {
			{REG(3, 4, 1, 1, 1), rows[i].mdcr_el2},
			{REG(3, 6, 1, 3, 1), rows[i].mdcr_el3},
			{REG(3, 4, 3, 1, 4), rows[i].hdfgrtr},
			{REG(3, 4, 3, 1, 5), rows[i].hdfgwtr},
			{REG(3, 4, 3, 1, 0), rows[i].hdfgrtr2},
			{REG(3, 4, 3, 1, 1), rows[i].hdfgrtr2},
			{REG(3, 0, 4, 0, 0), rows[i].spsr},
			{REG(3, 6, 4, 0, 0), rows[i].spsr},
			{REG(3, 4, 1, 1, 6), rows[i].hfgitr | UINT64_C(0x78fc03f003fcff)},
		};

		for (unsigned int r = 0; r < ARRAY_SIZE(regs); r++) {
			fixture_reset_spe_version(rows[i].version);
			soft_sys_reset(&cpu.sys,
				       &(struct engine_vcpu_config){.levels = {.start = 3,
									       .el2 = true,
									       .el3 = true,
									       .sel2 = true,
									       .rme = true}});
			at(3);
			cpu.x[5] = ALL;
			expect_ending(regs[r].word, DONE, "%u", r);
			expect_ending(regs[r].word | READ, DONE, "%u", r);
			cr_expect_eq(cpu.x[6], regs[r].kept, "version %u, %u: %#lx, not %#lx", i, r,
				     cpu.x[6], regs[r].kept);
		}
	}
	/* No EL3: HVC can be disabled; no granule protection faults. */
	pe_el2();
	at(2);
	cpu.x[5] = ALL;
	expect_ending(REG(3, 4, 1, 1, 0), DONE, "HCR_EL2");
	expect_ending(REG(3, 4, 1, 1, 0) | READ, DONE, "HCR_EL2");
	cr_expect_eq(cpu.x[6], UINT64_C(0xd63c0fffff7fff));
	pe((struct engine_levels){.start = 3, .el2 = true, .el3 = true}, false);
	at(3);
	cpu.x[5] = ALL;
	expect_ending(REG(3, 6, 1, 1, 0), DONE, "SCR_EL3");
	expect_ending(REG(3, 6, 1, 1, 0) | READ, DONE, "SCR_EL3");
	cr_expect_eq(cpu.x[6], UINT64_C(0x0800000018007fbf));
}

/* EL2's registers are of EL2 and EL3, EL3's of EL3; without the level they are UNDEFINED. */
Test(system_access_levels, lowest_level)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		unsigned int lowest = (bits[i].word >> 16 & 7) == 6 ? 3 : 2;

		for (unsigned int el = 0; el < 4; el++) {
			pe_el3();
			cpu.sys.controls.mdcr_el3 = cpu.sys.cptr_el3 = 0;
			at(el);
			expect_ending(bits[i].word, el < lowest ? UNDEFINED : DONE, "%s at EL%u",
				      bits[i].name, el);
			if (el == 3)
				continue;
			pe_el2();
			at(el);
			expect_ending(bits[i].word | READ, el < lowest ? UNDEFINED : DONE,
				      "%s at EL%u without EL3", bits[i].name, el);
		}
		fixture_reset();
		cr_expect_eq(mrs(bits[i].word | READ), SOFT_EXCEPTION, "%s", bits[i].name);
		expect_exception(0, 0, bits[i].name);
	}
}

/* With E2H the names of EL1 are EL2's at EL2; EL12 is for EL1's, at EL2 and EL3. */
Test(system_access_levels, names_of_a_host)
{
	static const struct {
		const char *name;
		unsigned int crn, crm, op2, el2_op2;
	} rows[] = {
		{"SCTLR", 1, 0, 0, 0},	  {"CPACR", 1, 0, 2, 0}, {"TTBR0", 2, 0, 0, 0},
		{"TTBR1", 2, 0, 1, 1},	  {"TCR", 2, 0, 2, 2},	 {"SPSR", 4, 0, 0, 0},
		{"ELR", 4, 0, 1, 1},	  {"ESR", 5, 2, 0, 0},	 {"FAR", 6, 0, 0, 0},
		{"MAIR", 10, 2, 0, 0},	  {"VBAR", 12, 0, 0, 0}, {"CONTEXTIDR", 13, 0, 1, 1},
		{"CNTKCTL", 14, 1, 0, 0},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint32_t el1 = REG(3, 0, rows[i].crn, rows[i].crm, rows[i].op2);
		const uint32_t el12 = el1 | 5 << 16;
		uint32_t el2 = REG(3, 4, rows[i].crn, rows[i].crm, rows[i].el2_op2);
		uint64_t in_el1, in_el2;

		if (i == 1)
			el2 = REG(3, 4, 1, 1, 2); /* CPTR_EL2 */
		for (unsigned int e2h = 0; e2h < 2; e2h++) {
			for (unsigned int el = 1; el < 4; el++) {
				bool to_el2 = e2h && el == 2;

				pe_el3();
				cpu.sys.controls.hcr_el2 |= e2h ? HCR_EL2_E2H : 0;
				/* Something that every one of them can keep. */
				at(3);
				cpu.x[5] = 0;
				expect_ending(el1, DONE, "%s_EL1", rows[i].name);
				expect_ending(el2, DONE, "%s_EL2", rows[i].name);
				expect_ending(el1 | READ, DONE, "%s_EL1", rows[i].name);
				in_el1 = cpu.x[6];
				expect_ending(el2 | READ, DONE, "%s_EL2", rows[i].name);
				in_el2 = cpu.x[6];
				at(el);
				cpu.x[5] = ALL;
				expect_ending(el1, DONE, "%s_EL1 at EL%u", rows[i].name, el);
				at(3);
				expect_ending(el1 | READ, DONE, "%s_EL1", rows[i].name);
				cr_expect_eq(cpu.x[6] == in_el1, to_el2, "%s_EL1, E2H %u EL%u",
					     rows[i].name, e2h, el);
				expect_ending(el2 | READ, DONE, "%s_EL2", rows[i].name);
				cr_expect_eq(cpu.x[6] != in_el2, to_el2, "%s_EL2, E2H %u EL%u",
					     rows[i].name, e2h, el);
				/* EL12 */
				at(3);
				cpu.x[5] = 0;
				expect_ending(el1, DONE, "%s_EL1", rows[i].name);
				expect_ending(el2, DONE, "%s_EL2", rows[i].name);
				cpu.x[5] = ALL;
				at(el);
				expect_ending(el12, e2h && el > 1 ? DONE : UNDEFINED,
					      "%s_EL12, E2H %u EL%u", rows[i].name, e2h, el);
				if (!e2h || el == 1)
					continue;
				at(3);
				expect_ending(el1 | READ, DONE, "%s_EL1", rows[i].name);
				cr_expect_neq(cpu.x[6], in_el1, "%s_EL12", rows[i].name);
				expect_ending(el2 | READ, DONE, "%s_EL2", rows[i].name);
				cr_expect_eq(cpu.x[6], in_el2, "%s_EL12", rows[i].name);
			}
		}
	}
	/* Others of EL1's are the same at EL2 in a host. */
	pe_el3();
	cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H;
	at(2);
	cpu.x[5] = 0x55;
	expect_ending(REG(3, 0, 13, 0, 4), DONE, "TPIDR_EL1");
	cr_expect_eq(cpu.sys.tpidr[1], 0x55);
	cr_expect_eq(cpu.sys.tpidr[2], 0);
}

/* The second stage of Secure state, and its timers. */
Test(system_access_levels, secure_el2)
{
	static const uint32_t words[] = {REG(3, 4, 2, 6, 0), REG(3, 4, 2, 6, 2),
					 REG(3, 4, 14, 4, 1), REG(3, 4, 14, 5, 2) | READ};

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		for (unsigned int ns = 0; ns < 2; ns++) {
			for (unsigned int eel2 = 0; eel2 < 2; eel2++) {
				for (unsigned int el = 1; el < 4; el++) {
					bool there = el == 3 ? eel2 : el == 2 && !ns;

					if (el == 2 && !ns && !eel2)
						continue;
					pe_el3();
					cpu.sys.controls.scr_el3 =
						(ns ? SCR_EL3_NS : 0) | (eel2 ? SCR_EL3_EEL2 : 0);
					at(el);
					expect_ending(words[i], there ? DONE : UNDEFINED,
						      "%u, NS %u EEL2 %u EL%u", i, ns, eel2, el);
				}
			}
		}
		pe_el2();
		at(2);
		expect_ending(words[i], UNDEFINED, "%u without FEAT_SEL2", i);
	}
}

/* FEAT_HCX: HCRX_EL2 has no bit, and is EL2's; EL3 lets it have it. */
Test(system_access_levels, hcrx)
{
	const uint32_t hcrx = REG(3, 4, 1, 2, 2), mmfr1 = REG(3, 0, 0, 7, 1) | READ;

	pe_el3();
	at(2);
	expect_ending(hcrx, UNDEFINED, "HCRX_EL2 without FEAT_HCX");
	at(2);
	cpu.sys.isa = SOFT_ISA(HCX);
	expect_ending(mmfr1, DONE, "ID_AA64MMFR1_EL1");
	cr_expect_eq(cpu.x[6] >> 40 & 0xf, 1);
	expect_ending(hcrx, TO_EL3, "HCRX_EL2 with SCR_EL3.HXEn 0");
	at(3);
	cpu.x[5] = ALL;
	expect_ending(REG(3, 6, 1, 1, 0), DONE, "SCR_EL3");
	expect_ending(hcrx, DONE, "HCRX_EL2 at EL3");
	expect_ending(hcrx | READ, DONE, "HCRX_EL2 at EL3");
	cr_expect_eq(cpu.x[6], 0);
	at(2);
	expect_ending(hcrx, DONE, "HCRX_EL2 with SCR_EL3.HXEn 1");
	pe((struct engine_levels){.start = 1}, false);
	at(1);
	cpu.sys.isa = SOFT_ISA(HCX);
	expect_ending(mmfr1, DONE, "ID_AA64MMFR1_EL1");
	cr_expect_eq(cpu.x[6] >> 40 & 0xf, 0, "without EL2");
}

/* FEAT_TLBIOS and FEAT_TLBIRANGE, and who traps them. */
Test(system_access_levels, tlb_maintenance)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t isa, hcr, hfgitr; /* that trap it at EL1; 0: of EL2 */
	} rows[] = {
		{"TLBI VAE1OS", REG(1, 0, 8, 1, 1), SOFT_ISA(TLBIOS), UINT64_C(1) << 55,
		 UINT64_C(1) << 19},
		{"TLBI VMALLE1OS", REG(1, 0, 8, 1, 0), SOFT_ISA(TLBIOS), 1 << 25,
		 UINT64_C(1) << 18},
		{"TLBI VAE2OS", REG(1, 4, 8, 1, 1), SOFT_ISA(TLBIOS), 0, 0},
		{"TLBI RVAE1IS", REG(1, 0, 8, 2, 1), SOFT_ISA(TLBIRANGE), UINT64_C(1) << 54,
		 UINT64_C(1) << 34},
		{"TLBI RVAALE1OS", REG(1, 0, 8, 5, 7), SOFT_ISA(TLBIRANGE), UINT64_C(1) << 55,
		 UINT64_C(1) << 27},
		{"TLBI RVAE1", REG(1, 0, 8, 6, 1), SOFT_ISA(TLBIRANGE), 1 << 25, UINT64_C(1) << 38},
		{"TLBI RIPAS2LE1IS", REG(1, 4, 8, 0, 6), SOFT_ISA(TLBIRANGE), 0, 0},
		{"TLBI RVALE2", REG(1, 4, 8, 6, 5), SOFT_ISA(TLBIRANGE), 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned int lowest = rows[i].hcr ? 1 : 2;

		pe_el2();
		at(lowest);
		expect_ending(rows[i].word, UNDEFINED, "%s without the feature", rows[i].name);
		cpu.sys.isa = rows[i].isa;
		expect_ending(rows[i].word, DONE, "%s", rows[i].name);
		at(lowest - 1);
		expect_ending(rows[i].word, UNDEFINED, "%s below its level", rows[i].name);
		if (!rows[i].hcr)
			continue;
		at(1);
		cpu.sys.controls.hcr_el2 |= rows[i].hcr;
		expect_ending(rows[i].word, TO_EL2, "%s by HCR_EL2", rows[i].name);
		at(1);
		cpu.sys.controls.hcr_el2 &= ~rows[i].hcr;
		cpu.sys.hfgitr_el2 = rows[i].hfgitr;
		expect_ending(rows[i].word, TO_EL2, "%s by HFGITR_EL2", rows[i].name);
	}
}

/*
 * FEAT_SPECRES: EL0 by SCTLR_EL1.EnRCTX, in a host SCTLR_EL2.EnRCTX; EL0 and EL1 by HFGITR_EL2. The
 * bit is there with the feature, and not at EL3.
 */
Test(system_access_levels, prediction_restriction)
{
	static const uint32_t words[] = {REG(1, 3, 7, 3, 4), REG(1, 3, 7, 3, 5),
					 REG(1, 3, 7, 3, 7)};

	for (unsigned int i = 0; i < 3; i++) {
		pe_el2();
		at(0);
		cpu.sys.sctlr[1] = cpu.sys.sctlr[2] = SCTLR_ELx_EnRCTX;
		expect_ending(words[i], UNDEFINED, "%u without the feature", i);
		for (unsigned int row = 0; row < 16; row++) {
			const bool enabled = row & 1, fine = row & 2, tge = row & 4, host = row & 8;
			const enum ending at_el0 = !enabled	   ? (tge ? TO_EL2 : TO_EL1)
						   : fine && !host ? TO_EL2
								   : DONE;

			if (host && !tge)
				continue;
			pe_el2();
			cpu.sys.isa = SOFT_ISA(SPECRES);
			cpu.sys.controls.hcr_el2 =
				HCR_EL2_RW | (tge ? HCR_EL2_TGE : 0) | (host ? HCR_EL2_E2H : 0);
			/* the other level's bit says the contrary */
			cpu.sys.sctlr[1] = enabled != host ? SCTLR_ELx_EnRCTX : 0;
			cpu.sys.sctlr[2] = enabled == host ? SCTLR_ELx_EnRCTX : 0;
			cpu.sys.hfgitr_el2 = fine ? UINT64_C(1) << (i == 2 ? 50 : 48 + i) : 0;
			at(0);
			expect_ending(words[i], at_el0, "%u at EL0, row %u", i, row);
			at(2);
			expect_ending(words[i], DONE, "%u at EL2, row %u", i, row);
			if (tge)
				continue;
			at(1);
			expect_ending(words[i], fine ? TO_EL2 : DONE, "%u at EL1, row %u", i, row);
			at(1);
			expect_ending(words[i] | READ, UNDEFINED, "%u as SYSL", i);
		}
	}
}

Test(system_access_levels, prediction_restriction_bit)
{
	static const struct {
		uint32_t word;
		bool there;
	} rows[] = {{REG(3, 0, 1, 0, 0), true},
		    {REG(3, 4, 1, 0, 0), true},
		    {REG(3, 6, 1, 0, 0), false}};

	for (unsigned int i = 0; i < 2 * 3; i++) {
		const bool with = i % 2;

		pe_el3();
		cpu.sys.isa = with ? SOFT_ISA(SPECRES) : 0;
		at(3);
		cpu.x[5] = SCTLR_ELx_EnRCTX;
		expect_ending(rows[i / 2].word, DONE, "SCTLR, row %u", i);
		expect_ending(rows[i / 2].word | READ, DONE, "SCTLR, row %u", i);
		cr_expect_eq((bool)(cpu.x[6] & SCTLR_ELx_EnRCTX), with && rows[i / 2].there,
			     "row %u", i);
	}
}

Test(system_access_levels, identification)
{
	const uint32_t midr = REG(3, 0, 0, 0, 0) | READ, mpidr = REG(3, 0, 0, 0, 5) | READ;

	/* At reset what EL1 sees is what is. */
	pe_el2();
	at(1);
	expect_ending(midr, DONE, "MIDR_EL1");
	cr_expect_eq(cpu.x[6], 0x410fd0f0);
	expect_ending(mpidr, DONE, "MPIDR_EL1");
	cr_expect_eq(cpu.x[6], 0x80000003);
	at(2);
	cpu.x[5] = 0x12345678;
	expect_ending(REG(3, 4, 0, 0, 0), DONE, "VPIDR_EL2");
	cpu.x[5] = 0x42;
	expect_ending(REG(3, 4, 0, 0, 5), DONE, "VMPIDR_EL2");
	expect_ending(midr, DONE, "MIDR_EL1 at EL2");
	cr_expect_eq(cpu.x[6], 0x410fd0f0);
	at(1);
	expect_ending(midr, DONE, "MIDR_EL1");
	cr_expect_eq(cpu.x[6], 0x12345678);
	expect_ending(mpidr, DONE, "MPIDR_EL1");
	cr_expect_eq(cpu.x[6], 0x80000042);

	at(1);
	expect_ending(REG(3, 0, 0, 4, 0) | READ, DONE, "ID_AA64PFR0_EL1");
	cr_expect_eq(cpu.x[6], 0x1000000001000111);
	expect_ending(REG(3, 0, 0, 5, 0) | READ, DONE, "ID_AA64DFR0_EL1");
	cr_expect_eq(cpu.x[6], 0x10305007);
	expect_ending(REG(3, 0, 0, 7, 0) | READ, DONE, "ID_AA64MMFR0_EL1");
	cr_expect_eq(cpu.x[6], UINT64_C(0x2200022200100022));
	expect_ending(REG(3, 0, 0, 7, 1) | READ, DONE, "ID_AA64MMFR1_EL1");
	cr_expect_eq(cpu.x[6], 0x00211102);
	expect_ending(REG(3, 0, 0, 7, 2) | READ, DONE, "ID_AA64MMFR2_EL1");
	cr_expect_eq(cpu.x[6], UINT64_C(0x1200000002000000));
	pe_el3();
	at(3);
	expect_ending(REG(3, 0, 0, 4, 0) | READ, DONE, "ID_AA64PFR0_EL1");
	cr_expect_eq(cpu.x[6], UINT64_C(0x1010001001001111));
	expect_ending(REG(3, 0, 0, 7, 0) | READ, DONE, "ID_AA64MMFR0_EL1");
	cr_expect_eq(cpu.x[6], UINT64_C(0x2200022200101022));
	pe((struct engine_levels){.start = 3, .el2 = true, .el3 = true}, false);
	at(3);
	expect_ending(REG(3, 6, 2, 1, 6), UNDEFINED, "GPCCR_EL3 without FEAT_RME");
	/* RVBAR is the highest level's. */
	for (unsigned int el = 1; el < 4; el++) {
		static const unsigned int op1[] = {0, 0, 4, 6};

		at(3);
		expect_ending(REG(3, op1[el], 12, 0, 1) | READ, el == 3 ? DONE : UNDEFINED,
			      "RVBAR_EL%u", el);
	}
	pe_el2();
	at(2);
	expect_ending(REG(3, 4, 12, 0, 1) | READ, DONE, "RVBAR_EL2");
	/* And so is the frequency. */
	for (unsigned int el = 0; el < 3; el++) {
		pe_el2();
		at(el);
		expect_ending(REG(3, 3, 14, 0, 0), el == 2 ? DONE : UNDEFINED, "CNTFRQ_EL0");
	}
}

/* What the TLB hears of, and the unit of profiling. */
Test(system_access_levels, after_a_write)
{
	static const struct {
		uint32_t word;
		unsigned int calls;
	} rows[] = {
		{REG(3, 4, 1, 1, 0), 1}, {REG(3, 6, 1, 1, 0), 1},  {REG(3, 4, 1, 1, 1), 0},
		{REG(3, 6, 1, 3, 1), 0}, {REG(3, 4, 1, 0, 0), 1},  {REG(3, 4, 2, 1, 0), 1},
		{REG(3, 6, 2, 0, 0), 1}, {REG(3, 4, 13, 0, 2), 0}, {REG(3, 4, 9, 9, 0), 0},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		pe(
			(struct engine_levels){
				.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
			true);
		at(3);
		cpu.x[5] = 0;
		cr_assert_eq(soft_system_instruction(&cpu, rows[i].word | 5), SOFT_DONE);
		cr_expect_eq(heard.translation_writes, rows[i].calls, "row %u", i);
	}
	/* Ownership goes to the unit at once. */
	at(3);
	cpu.x[5] = 3 << 12;
	expect_ending(REG(3, 4, 1, 1, 1), DONE, "MDCR_EL2");
	cr_expect_eq(spe_unit_controls(&unit)->mdcr_el2, 3 << 12);
	cpu.x[5] = SCR_EL3_NS;
	expect_ending(REG(3, 6, 1, 1, 0), DONE, "SCR_EL3");
	cr_expect_eq(spe_unit_controls(&unit)->scr_el3 & SCR_EL3_NS, SCR_EL3_NS);
}

/* MDCR_EL2.{TPMS,E2PB}, HDFG* and MDCR_EL3.NSPB, with the syndrome of any other trap. */
Test(system_access_levels, spe_traps)
{
	const uint32_t pmsicr = REG(3, 0, 9, 9, 2), pmbptr = REG(3, 0, 9, 10, 1);
	const uint32_t pmscr2 = REG(3, 4, 9, 9, 0);

	for (unsigned int el = 1; el < 3; el++) {
		pe((struct engine_levels){.start = 2, .el2 = true}, true);
		cpu.sys.controls.mdcr_el2 = 3 << 12;
		at(el);
		expect_ending(pmsicr, DONE, "PMSICR_EL1");
		cpu.sys.controls.mdcr_el2 = 3 << 12 | 1 << 14;
		at(el);
		expect_ending(pmsicr | READ, el == 1 ? TO_EL2 : DONE, "TPMS at EL%u", el);
		at(el);
		expect_ending(pmbptr, DONE, "PMBPTR_EL1 at EL%u", el);
		cpu.sys.controls.mdcr_el2 = 2 << 12;
		at(el);
		expect_ending(pmbptr, el == 1 ? TO_EL2 : DONE, "E2PB at EL%u", el);
		cpu.sys.controls.mdcr_el2 = 3 << 12;
		cpu.sys.controls.hdfgwtr_el2 = 1 << 29;
		at(el);
		expect_ending(pmsicr, el == 1 ? TO_EL2 : DONE, "HDFGWTR_EL2 at EL%u", el);
		at(el);
		expect_ending(pmsicr | READ, DONE, "HDFGWTR_EL2 at EL%u", el);
		at(el);
		expect_ending(pmscr2, el == 1 ? UNDEFINED : DONE, "PMSCR_EL2 at EL%u", el);
	}
	for (unsigned int el = 1; el < 4; el++) {
		pe(
			(struct engine_levels){
				.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
			true);
		cpu.sys.controls.scr_el3 = SCR_EL3_NS | SCR_EL3_RW;
		cpu.sys.controls.mdcr_el2 = 3 << 12;
		cpu.sys.controls.mdcr_el3 = 2 << 12;
		at(el);
		expect_ending(pmsicr, el < 3 ? TO_EL3 : DONE, "NSPB 10 at EL%u", el);
		cpu.sys.controls.mdcr_el3 = 3 << 12;
		at(el);
		expect_ending(pmsicr, DONE, "NSPB 11 at EL%u", el);
	}
}

/* Firmware and hypervisors that started the guest lower trap nothing and give it SPE. */
Test(system_access_levels, what_is_left_to_a_guest)
{
	static const struct engine_levels starts[] = {
		{.start = 1},
		{.start = 2, .el2 = true},
		{.start = 1, .el3 = true, .security = ENGINE_SECURE},
		{.start = 2, .el2 = true, .el3 = true, .sel2 = true, .security = ENGINE_SECURE},
		{.start = 1, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM},
		{.start = 2, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM},
	};
	static const uint32_t words[] = {
		REG(3, 0, 1, 0, 0),	    REG(3, 0, 1, 0, 2),		REG(2, 0, 0, 2, 2),
		REG(2, 0, 1, 0, 4),	    REG(3, 3, 14, 0, 1) | READ, REG(3, 3, 14, 2, 1),
		REG(3, 3, 14, 3, 1),	    REG(3, 0, 12, 12, 7),	REG(3, 0, 0, 0, 0) | READ,
		REG(3, 0, 9, 9, 2),	    REG(3, 0, 9, 9, 1),		REG(3, 0, 9, 10, 0),
		REG(3, 0, 9, 10, 4),	    REG(3, 0, 9, 10, 5),	REG(3, 0, 9, 10, 7) | READ,
		REG(3, 0, 10, 4, 7) | READ,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(starts); i++) {
		for (unsigned int w = 0; w < ARRAY_SIZE(words); w++) {
			fixture_reset_spe_version(SPE_V1P5);
			soft_sys_reset(&cpu.sys, &(struct engine_vcpu_config){.levels = starts[i]});
			cpu.pc = 0x40001000;
			cr_expect_eq(cpu.sys.pstate.el, starts[i].start);
			/* At EL2 what EL1 does is the guest's own business. */
			expect_ending(words[w], DONE, "start %u, register %u", i, w);
		}
	}
}
