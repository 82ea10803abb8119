/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_NV and FEAT_NV2: what each register's name reaches at EL1, for every value of
 * HCR_EL2.{NV2,NV1,NV}; the offsets are those of Arm ARM D8.11 and of the register pages.
 */
#include <stdio.h>

#include "../compare.h"
#include "soft/sys/isa.h"
#include "system_access.h"

TestSuite(system_access_nested, .init = fixture_reset);

/* NV2:NV1:NV as a number; NV1 and NV2 do nothing without NV. */
static void nv(unsigned int nvx)
{
	pe_el2();
	cpu.sys.vncr_el2 = 0x40005000;
	cpu.sys.controls.hcr_el2 |= (nvx & 1 ? HCR_EL2_NV : 0) | (nvx & 2 ? HCR_EL2_NV1 : 0) |
				    (nvx & 4 ? HCR_EL2_NV2 : 0);
	at(1);
}

enum when {
	W111, /* a register of EL1's: memory while the guest hypervisor is in its own EL1&0 */
	W1X1,
	W101, /* an EL12 or EL02 name */
	EL2,  /* the same as W1X1, and otherwise a name of EL2's */
};

static const struct {
	const char *name;
	uint32_t word;
	uint16_t offset;
	enum when when;
} memory[] = {
	{"VTTBR_EL2", REG(3, 4, 2, 1, 0), 0x020, EL2},
	{"VTCR_EL2", REG(3, 4, 2, 1, 2), 0x040, EL2},
	{"VMPIDR_EL2", REG(3, 4, 0, 0, 5), 0x050, EL2},
	{"CNTVOFF_EL2", REG(3, 4, 14, 0, 3), 0x060, EL2},
	{"HCR_EL2", REG(3, 4, 1, 1, 0), 0x078, EL2},
	{"HSTR_EL2", REG(3, 4, 1, 1, 3), 0x080, EL2},
	{"VPIDR_EL2", REG(3, 4, 0, 0, 0), 0x088, EL2},
	{"TPIDR_EL2", REG(3, 4, 13, 0, 2), 0x090, EL2},
	{"VNCR_EL2", REG(3, 4, 2, 2, 0), 0x0b0, EL2},
	{"CPACR_EL1", REG(3, 0, 1, 0, 2), 0x100, W111},
	{"CONTEXTIDR_EL1", REG(3, 0, 13, 0, 1), 0x108, W111},
	{"SCTLR_EL1", REG(3, 0, 1, 0, 0), 0x110, W111},
	{"ACTLR_EL1", REG(3, 0, 1, 0, 1), 0x118, W1X1},
	{"TCR_EL1", REG(3, 0, 2, 0, 2), 0x120, W111},
	{"AFSR0_EL1", REG(3, 0, 5, 1, 0), 0x128, W111},
	{"AFSR1_EL1", REG(3, 0, 5, 1, 1), 0x130, W111},
	{"ESR_EL1", REG(3, 0, 5, 2, 0), 0x138, W111},
	{"MAIR_EL1", REG(3, 0, 10, 2, 0), 0x140, W111},
	{"AMAIR_EL1", REG(3, 0, 10, 3, 0), 0x148, W111},
	{"MDSCR_EL1", REG(2, 0, 0, 2, 2), 0x158, W1X1},
	{"SPSR_EL1", REG(3, 0, 4, 0, 0), 0x160, W111},
	{"CNTV_CVAL_EL0", REG(3, 3, 14, 3, 2), 0x168, W111},
	{"CNTV_CTL_EL0", REG(3, 3, 14, 3, 1), 0x170, W111},
	{"CNTP_CVAL_EL0", REG(3, 3, 14, 2, 2), 0x178, W111},
	{"CNTP_CTL_EL0", REG(3, 3, 14, 2, 1), 0x180, W111},
	{"HDFGRTR2_EL2", REG(3, 4, 3, 1, 0), 0x1a0, EL2},
	{"CNTPOFF_EL2", REG(3, 4, 14, 0, 6), 0x1a8, EL2},
	{"HDFGWTR2_EL2", REG(3, 4, 3, 1, 1), 0x1b0, EL2},
	{"HFGRTR_EL2", REG(3, 4, 1, 1, 4), 0x1b8, EL2},
	{"HFGWTR_EL2", REG(3, 4, 1, 1, 5), 0x1c0, EL2},
	{"HFGITR_EL2", REG(3, 4, 1, 1, 6), 0x1c8, EL2},
	{"HDFGRTR_EL2", REG(3, 4, 3, 1, 4), 0x1d0, EL2},
	{"HDFGWTR_EL2", REG(3, 4, 3, 1, 5), 0x1d8, EL2},
	{"TTBR0_EL1", REG(3, 0, 2, 0, 0), 0x200, W111},
	{"TTBR1_EL1", REG(3, 0, 2, 0, 1), 0x210, W111},
	{"FAR_EL1", REG(3, 0, 6, 0, 0), 0x220, W111},
	{"ELR_EL1", REG(3, 0, 4, 0, 1), 0x230, W111},
	{"SP_EL1", REG(3, 4, 4, 1, 0), 0x240, EL2},
	{"VBAR_EL1", REG(3, 0, 12, 0, 0), 0x250, W111},
	{"HFGRTR2_EL2", REG(3, 4, 3, 1, 2), 0x2c0, EL2},
	{"HFGWTR2_EL2", REG(3, 4, 3, 1, 3), 0x2c8, EL2},
	{"HFGITR2_EL2", REG(3, 4, 3, 1, 7), 0x310, EL2},
	{"ICH_LR0_EL2", REG(3, 4, 12, 12, 0), 0x400, EL2},
	{"ICH_LR3_EL2", REG(3, 4, 12, 12, 3), 0x418, EL2},
	{"ICH_LR7_EL2", REG(3, 4, 12, 12, 7), 0x438, EL2},
	{"ICH_LR8_EL2", REG(3, 4, 12, 13, 0), 0x440, EL2},
	{"ICH_LR15_EL2", REG(3, 4, 12, 13, 7), 0x478, EL2},
	{"ICH_AP0R0_EL2", REG(3, 4, 12, 8, 0), 0x480, EL2},
	{"ICH_AP0R3_EL2", REG(3, 4, 12, 8, 3), 0x498, EL2},
	{"ICH_AP1R0_EL2", REG(3, 4, 12, 9, 0), 0x4a0, EL2},
	{"ICH_AP1R3_EL2", REG(3, 4, 12, 9, 3), 0x4b8, EL2},
	{"ICH_HCR_EL2", REG(3, 4, 12, 11, 0), 0x4c0, EL2},
	{"ICH_VMCR_EL2", REG(3, 4, 12, 11, 7), 0x4c8, EL2},
	/* The names for a host's guest. */
	{"CPACR_EL12", REG(3, 5, 1, 0, 2), 0x100, W101},
	{"CONTEXTIDR_EL12", REG(3, 5, 13, 0, 1), 0x108, W101},
	{"SCTLR_EL12", REG(3, 5, 1, 0, 0), 0x110, W101},
	{"ACTLR_EL12", REG(3, 5, 1, 0, 1), 0x118, W101},
	{"TCR_EL12", REG(3, 5, 2, 0, 2), 0x120, W101},
	{"AFSR0_EL12", REG(3, 5, 5, 1, 0), 0x128, W101},
	{"AFSR1_EL12", REG(3, 5, 5, 1, 1), 0x130, W101},
	{"ESR_EL12", REG(3, 5, 5, 2, 0), 0x138, W101},
	{"MAIR_EL12", REG(3, 5, 10, 2, 0), 0x140, W101},
	{"AMAIR_EL12", REG(3, 5, 10, 3, 0), 0x148, W101},
	{"SPSR_EL12", REG(3, 5, 4, 0, 0), 0x160, W101},
	{"CNTV_CVAL_EL02", REG(3, 5, 14, 3, 2), 0x168, W101},
	{"CNTV_CTL_EL02", REG(3, 5, 14, 3, 1), 0x170, W101},
	{"CNTP_CVAL_EL02", REG(3, 5, 14, 2, 2), 0x178, W101},
	{"CNTP_CTL_EL02", REG(3, 5, 14, 2, 1), 0x180, W101},
	{"TTBR0_EL12", REG(3, 5, 2, 0, 0), 0x200, W101},
	{"TTBR1_EL12", REG(3, 5, 2, 0, 1), 0x210, W101},
	{"FAR_EL12", REG(3, 5, 6, 0, 0), 0x220, W101},
	{"ELR_EL12", REG(3, 5, 4, 0, 1), 0x230, W101},
	{"VBAR_EL12", REG(3, 5, 12, 0, 0), 0x250, W101},
};

static bool is_memory(enum when when, unsigned int nvx)
{
	switch (when) {
	case W111: return nvx == 7;
	case W1X1:
	case EL2: return nvx == 7 || nvx == 5;
	default: return nvx == 5;
	}
}

/* SPSR_EL1, ELR_EL1 and VBAR_EL1 trap where there is no memory for them. */
static bool nv1_traps(uint32_t word)
{
	return word == REG(3, 0, 4, 0, 0) || word == REG(3, 0, 4, 0, 1) ||
	       word == REG(3, 0, 12, 0, 0);
}

static enum ending expected(unsigned int row, unsigned int nvx)
{
	bool own = memory[row].when == W111 || memory[row].when == W1X1;

	if (is_memory(memory[row].when, nvx))
		return DONE;
	if (!own)
		return nvx & 1 ? TO_EL2 : UNDEFINED;
	return nvx == 3 && nv1_traps(memory[row].word) ? TO_EL2 : DONE;
}

Test(system_access_nested, memory_of_every_register)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(memory); i++) {
		for (unsigned int nvx = 0; nvx < 8; nvx++) {
			bool redirected = is_memory(memory[i].when, nvx);
			const uint64_t value = 0x123456789abcdef + i;

			nv(nvx);
			cpu.x[5] = value;
			expect_ending(memory[i].word, expected(i, nvx), "write of %s, NVx %u",
				      memory[i].name, nvx);
			cr_expect_eq(heard.nv_calls, redirected, "%s, NVx %u", memory[i].name, nvx);
			cr_expect_eq(cpu.sys.nvmem.accessed, redirected);
			if (redirected) {
				/* All 64 bits, and none in the register. */
				cr_assert(heard.nv_write);
				cr_expect_eq(heard.nv_offset, memory[i].offset);
				cr_expect_eq(heard.nv_page[memory[i].offset / 8], value);
				cr_expect(cpu.sys.nvmem.write);
				cr_expect_eq(cpu.sys.nvmem.va, 0x40005000 + memory[i].offset);
				at(2);
				cr_expect_eq(run(memory[i].word | READ),
					     memory[i].when == W101 ? UNDEFINED : DONE);
				cr_expect_neq(cpu.x[6], value, "%s", memory[i].name);
			}
			nv(nvx);
			heard.nv_page[memory[i].offset / 8] = ~value;
			expect_ending(memory[i].word | READ, expected(i, nvx), "read of %s, NVx %u",
				      memory[i].name, nvx);
			cr_expect_eq(heard.nv_calls, redirected, "%s, NVx %u", memory[i].name, nvx);
			if (redirected) {
				cr_expect_not(heard.nv_write);
				cr_expect_eq(heard.nv_offset, memory[i].offset);
				cr_expect_eq(cpu.x[6], ~value);
			}
		}
	}
}

/* A page that faults: a data abort to EL2, and the register keeps its value. */
Test(system_access_nested, faults)
{
	nv(7);
	heard.nv_fault = true;
	cpu.sys.tcr[1] = 0x1234;
	cpu.x[5] = ~UINT64_C(0);
	expect_ending(REG(3, 0, 2, 0, 2), ABORTED, "TCR_EL1");
	cr_expect_eq(cpu.sys.pstate.el, 2);
	cr_expect_eq(cpu.sys.esr[2] >> 26, 0x25, "from the current level, which EL1 stands for");
	cr_expect_eq(cpu.sys.esr[2] & 1 << 13, 1 << 13, "VNCR");
	cr_expect_eq(cpu.sys.far[2], 0x40005120);
	cr_expect_eq(cpu.sys.tcr[1], 0x1234);
}

/* BADDR is bits 52:12, and those above are bit 52. */
Test(system_access_nested, vncr_el2)
{
	pe_el2();
	at(2);
	cpu.x[5] = ~UINT64_C(0);
	expect_ending(REG(3, 4, 2, 2, 0), DONE, "VNCR_EL2");
	cr_expect_eq(cpu.sys.vncr_el2, ~UINT64_C(0xfff));
	cpu.sys.vncr_el2 = UINT64_C(0x0010000000005000);
	cpu.sys.controls.hcr_el2 |= HCR_EL2_NV | HCR_EL2_NV2;
	at(1);
	expect_ending(REG(3, 4, 1, 1, 0), DONE, "HCR_EL2");
	cr_expect_eq(cpu.sys.nvmem.va, UINT64_C(0xfff0000000005078));
}

/* EL2's exception registers reach EL1's, and trap without FEAT_NV2. */
Test(system_access_nested, registers_that_are_el1s)
{
	static const struct {
		const char *name;
		uint32_t word;
	} rows[] = {
		{"SPSR_EL2", REG(3, 4, 4, 0, 0)},
		{"ELR_EL2", REG(3, 4, 4, 0, 1)},
		{"ESR_EL2", REG(3, 4, 5, 2, 0)},
		{"FAR_EL2", REG(3, 4, 6, 0, 0)},
	};

	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int nvx = 0; nvx < 8; nvx++) {
			bool to = nvx == 5 || nvx == 7;
			uint64_t *el1, *el2;

			nv(nvx);
			el1 = i == 0   ? &cpu.sys.spsr[1]
			      : i == 1 ? &cpu.sys.elr[1]
			      : i == 2 ? &cpu.sys.esr[1]
				       : &cpu.sys.far[1];
			el2 = el1 + 1;
			*el1 = *el2 = 0;
			cpu.x[5] = 0x300003c5;
			expect_ending(rows[i].word,
				      to	? DONE
				      : nvx & 1 ? TO_EL2
						: UNDEFINED,
				      "%s, NVx %u", rows[i].name, nvx);
			cr_expect_eq(heard.nv_calls, 0);
			if (!to)
				continue;
			cr_expect_eq(*el1, 0x300003c5, "%s", rows[i].name);
			cr_expect_eq(*el2, 0, "%s", rows[i].name);
			expect_ending(rows[i].word | READ, DONE, "%s", rows[i].name);
			cr_expect_eq(cpu.x[6], 0x300003c5);
		}
	}
}

/* Names of EL2's without memory trap with NV, for all NV1 and NV2. */
Test(system_access_nested, names_that_trap)
{
	static const struct {
		const char *name;
		uint32_t word;
	} rows[] = {
		{"SCTLR_EL2", REG(3, 4, 1, 0, 0)},
		{"ACTLR_EL2", REG(3, 4, 1, 0, 1)},
		{"MDCR_EL2", REG(3, 4, 1, 1, 1)},
		{"CPTR_EL2", REG(3, 4, 1, 1, 2)},
		{"HACR_EL2", REG(3, 4, 1, 1, 7)},
		{"TTBR0_EL2", REG(3, 4, 2, 0, 0)},
		{"TTBR1_EL2", REG(3, 4, 2, 0, 1)},
		{"TCR_EL2", REG(3, 4, 2, 0, 2)},
		{"HPFAR_EL2", REG(3, 4, 6, 0, 4)},
		{"MAIR_EL2", REG(3, 4, 10, 2, 0)},
		{"VBAR_EL2", REG(3, 4, 12, 0, 0)},
		{"RVBAR_EL2", REG(3, 4, 12, 0, 1) | READ},
		{"CONTEXTIDR_EL2", REG(3, 4, 13, 0, 1)},
		{"CNTHCTL_EL2", REG(3, 4, 14, 1, 0)},
		{"CNTHP_CTL_EL2", REG(3, 4, 14, 2, 1)},
		{"CNTHV_CVAL_EL2", REG(3, 4, 14, 3, 2)},
		{"ICC_SRE_EL2", REG(3, 4, 12, 9, 5)},
		{"ICH_VTR_EL2", REG(3, 4, 12, 11, 1) | READ},
		{"ICH_ELRSR_EL2", REG(3, 4, 12, 11, 5) | READ},
		{"CNTKCTL_EL12", REG(3, 5, 14, 1, 0)},
		{"CNTP_TVAL_EL02", REG(3, 5, 14, 2, 0)},
		{"CNTV_TVAL_EL02", REG(3, 5, 14, 3, 0)},
		{"AT S1E2R", REG(1, 4, 7, 8, 0)},
		{"AT S12E1W", REG(1, 4, 7, 8, 5)},
		{"TLBI ALLE2", REG(1, 4, 8, 7, 0)},
		{"TLBI VAE2IS", REG(1, 4, 8, 3, 1)},
		{"TLBI VMALLS12E1", REG(1, 4, 8, 7, 6)},
		{"TLBI IPAS2E1IS", REG(1, 4, 8, 0, 1)},
	};
	static const uint32_t never[] = {REG(3, 6, 1, 1, 0),   REG(3, 6, 4, 1, 0),
					 REG(3, 6, 12, 0, 0),  REG(1, 6, 8, 7, 0),
					 REG(3, 4, 12, 11, 1), REG(3, 4, 12, 0, 1),
					 REG(3, 4, 14, 5, 1),  REG(3, 4, 2, 6, 0) | READ};

	for (unsigned int nvx = 0; nvx < 8; nvx++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			nv(nvx);
			expect_ending(rows[i].word, nvx & 1 ? TO_EL2 : UNDEFINED, "%s, NVx %u",
				      rows[i].name, nvx);
			/* EL0 is not a hypervisor. */
			nv(nvx);
			at(0);
			expect_ending(rows[i].word, UNDEFINED, "%s at EL0", rows[i].name);
		}
		/* EL3's registers, read-only ones, and those of Secure state. */
		for (unsigned int i = 0; i < ARRAY_SIZE(never); i++) {
			nv(nvx);
			expect_ending(never[i], UNDEFINED, "%#x, NVx %u", never[i], nvx);
		}
	}
}

/* The traps of EL2 come before the memory. */
Test(system_access_nested, traps_come_first)
{
	nv(7);
	cpu.sys.controls.hcr_el2 |= HCR_EL2_TVM;
	expect_ending(REG(3, 0, 1, 0, 0), TO_EL2, "TVM");
	nv(7);
	cpu.sys.hfgrtr_el2 = UINT64_C(1) << 29;
	expect_ending(REG(3, 0, 1, 0, 0) | READ, TO_EL2, "HFGRTR_EL2.SCTLR_EL1");
	nv(7);
	cpu.sys.cptr_el2 = UINT64_C(1) << 31;
	expect_ending(REG(3, 0, 1, 0, 2), TO_EL2, "TCPAC");
	nv(7);
	cpu.sys.cnthctl_el2 = 0;
	expect_ending(REG(3, 3, 14, 2, 1), TO_EL2, "EL1PCEN");
	/* EL1NVPCT and EL1NVVCT are for the EL02 names. */
	for (unsigned int bit = 15; bit < 17; bit++) {
		nv(5);
		cpu.sys.cnthctl_el2 |= UINT64_C(1) << bit;
		expect_ending(REG(3, 5, 14, 2, 1), bit == 15 ? TO_EL2 : DONE, "CNTP_CTL_EL02");
		at(1);
		expect_ending(REG(3, 5, 14, 3, 2), bit == 16 ? TO_EL2 : DONE, "CNTV_CVAL_EL02");
	}
}

Test(system_access_nested, currentel)
{
	const uint32_t word = REG(3, 0, 4, 2, 2) | READ;

	for (unsigned int nvx = 0; nvx < 8; nvx++) {
		nv(nvx);
		cr_expect_eq(run(word), DONE);
		cr_expect_eq(cpu.x[6], nvx & 1 ? 8 : 4, "NVx %u", nvx);
		at(2);
		cr_expect_eq(run(word), DONE);
		cr_expect_eq(cpu.x[6], 8);
		pe_el3();
		cpu.sys.controls.scr_el3 = SCR_EL3_RW;
		cpu.sys.controls.hcr_el2 |= HCR_EL2_NV;
		at(1);
		cr_expect_eq(run(word), DONE);
		cr_expect_eq(cpu.x[6], 4, "EL2 is not enabled");
	}
}

/* SPE's registers by the same page, decided by sysreg. */
Test(system_access_nested, spe)
{
	static const struct {
		uint32_t word;
		uint16_t offset;
		enum when when;
	} rows[] = {
		{REG(3, 0, 9, 10, 0), 0x800, W1X1}, {REG(3, 0, 9, 10, 1), 0x810, W1X1},
		{REG(3, 0, 9, 10, 3), 0x820, W1X1}, {REG(3, 0, 9, 9, 0), 0x828, W111},
		{REG(3, 0, 9, 9, 5), 0x830, W1X1},  {REG(3, 0, 9, 9, 2), 0x838, W1X1},
		{REG(3, 0, 9, 9, 3), 0x840, W1X1},  {REG(3, 0, 9, 9, 6), 0x848, W1X1},
		{REG(3, 5, 9, 9, 0), 0x828, W101},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int nvx = 0; nvx < 8; nvx++) {
			bool redirected = is_memory(rows[i].when, nvx);
			enum ending other = rows[i].when != W101 ? DONE
					    : nvx & 1		 ? TO_EL2
								 : UNDEFINED;

			pe((struct engine_levels){.start = 2, .el2 = true}, true);
			cpu.sys.vncr_el2 = 0x40005000;
			cpu.sys.controls.mdcr_el2 = 3 << 12;
			cpu.sys.controls.hcr_el2 |= (nvx & 1 ? HCR_EL2_NV : 0) |
						    (nvx & 2 ? HCR_EL2_NV1 : 0) |
						    (nvx & 4 ? HCR_EL2_NV2 : 0);
			at(1);
			cpu.x[5] = 0x40;
			expect_ending(rows[i].word, redirected ? DONE : other, "%u, NVx %u", i,
				      nvx);
			cr_expect_eq(heard.nv_calls, redirected);
			if (!redirected)
				continue;
			cr_expect_eq(heard.nv_page[rows[i].offset / 8], 0x40);
			cr_expect_eq(cpu.sys.nvmem.va, 0x40005000 + rows[i].offset);
		}
	}
}

/*
 * CFP, DVP and CPP RCTX trap at EL1 with an effective HCR_EL2.NV of 1, whatever NV1 and NV2 are,
 * and not at EL0 (their pages in C5.6).
 */
Test(system_access_nested, prediction_restriction)
{
	static const unsigned int op2s[] = {4, 5, 7};

	for (unsigned int nvx = 0; nvx < 8; nvx++) {
		for (size_t n = 0; n < ARRAY_SIZE(op2s); n++) {
			const uint32_t word = REG(1, 3, 7, 3, op2s[n]);

			nv(nvx);
			cpu.sys.isa |= SOFT_ISA(SPECRES);
			expect_ending(word, nvx & 1 ? TO_EL2 : DONE, "op2 %u, NVx %u", op2s[n],
				      nvx);
			nv(nvx);
			cpu.sys.isa |= SOFT_ISA(SPECRES);
			cpu.sys.sctlr[1] |= SCTLR_ELx_EnRCTX;
			at(0);
			expect_ending(word, DONE, "op2 %u at EL0, NVx %u", op2s[n], nvx);
			at(2);
			expect_ending(word, DONE, "op2 %u at EL2, NVx %u", op2s[n], nvx);
		}
	}
}
