/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels3: calls, traps to EL3 and what stays EL2's (Arm ARM D1.3, D24.2 SCR_EL3, CPTR_EL3,
 * MDCR_EL3).
 */
#include "arch.h"
#include "boot.h"
#include "levels3.h"
#include "stage.h"

bool to_el2(uint32_t word, enum exc_vector vector, uint64_t esr, unsigned int after,
	    const char *what)
{
	/* Of IRQ and FIQ there is no syndrome: what ran below has made it UNKNOWN. */
	const bool interrupt = (vector & 3) == 1 || (vector & 3) == 2;
	uint64_t spsr = c.spsr;
	unsigned int el = 0;
	int got;

	if (lower_insn(&c, word))
		return not_taken(word, what);
	got = lower_vector(&c, &el);
	c.spsr = spsr;
	if (got != (int)vector || el != 2 || (c.esr_el2 != esr && !interrupt) ||
	    c.elr_el2 != lower_code_page() + after || c.spsr_el2 != spsr)
		return tap_fail("%s: exit ESR 0x%lx ELR 0x%lx: vector %d of EL%u, ESR_EL2 0x%lx "
				"ELR_EL2 0x%lx "
				"SPSR_EL2 0x%lx; not vector %u of EL2, 0x%lx, 0x%lx, 0x%lx",
				what, c.exit.esr, c.exit.elr, got, el, c.esr_el2, c.elr_el2,
				c.spsr_el2, (unsigned int)vector, esr, lower_code_page() + after,
				spsr);
	return true;
}

void el3_calls(void)
{
	for (unsigned int el = 1; el < 3; el++) {
		lower_init(&c, el, 0);
		CHECK(lower_read(REG_CURRENTEL) == el << 2, "CurrentEL 0x%lx", c.x[5]);
		taken(A64_SMC(0), ESR(EC_SMC64, 0), 4, "SMC #0");
		taken(A64_SMC(0xffff), ESR(EC_SMC64, 0xffff), 4, "SMC #0xffff");
	}
	lower_init(&c, 0, 0);
	reflected(A64_SMC(1), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "SMC at EL0");
	lower_init(&c, 1, 0);
	reflected(A64_SVC(2), VEC_SPX_SYNC, ESR(EC_SVC64, 2), 4, "SVC at EL1");
	lower_init(&c, 2, 0);
	to_el2(A64_SVC(3), VEC_SPX_SYNC, ESR(EC_SVC64, 3), 4, "SVC at EL2");
	to_el2(A64_HVC(4), VEC_SPX_SYNC, ESR(EC_HVC64, 4), 4, "HVC at EL2");
	to_el2(0, VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "UDF at EL2");
	c.spsr = SPSR_DAIF | SPSR_EL2T;
	to_el2(A64_SVC(5), VEC_SP0_SYNC, ESR(EC_SVC64, 5), 4, "SVC at EL2t");
}

void el3_spsr(void)
{
	static const uint64_t modes[] = {SPSR_EL1H, SPSR_EL1T, SPSR_EL2H, SPSR_EL2T};

	for (unsigned int i = 0; i < 4; i++)
		for (uint64_t flags = 0; flags < 16; flags++) {
			uint64_t spsr = modes[i] | flags << 28 | (flags ^ 9) << 6;

			lower_init(&c, 1, 0);
			c.spsr = spsr;
			c.sp_el0 = 0x1110;
			c.sp_el1 = 0x2220;
			c.sp_el2 = 0x3330;
			completes(0x910003e5u, "MOV X5, SP");
			CHECK(c.x[5] == (modes[i] & 1 ? (SPSR_EL(spsr) == 2 ? 0x3330u : 0x2220u)
						      : 0x1110u),
			      "SP is 0x%lx", c.x[5]);
			CHECK(c.exit.spsr == spsr, "SPSR 0x%lx, not 0x%lx", c.exit.spsr, spsr);
		}
}

/* No vector can reflect by SMC then: CPTR_EL3.TCPAC lets an MRS of CPACR_EL1 do it. */
void el3_smc_disabled(void)
{
	uint64_t page = phys_alloc(1);
	uint32_t *words = linear(page), word = A64_MRS(REG_CPACR_EL1, 5);

	for (unsigned int i = 0; i < PAGE_SIZE / 4; i++)
		words[i] = word;
	for (unsigned int i = 0; i < PAGE_SIZE; i += 16)
		__asm__ volatile("dc civac, %0" ::"r"((uintptr_t)words + i) : "memory");
	__asm__ volatile("dsb sy\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
	write_sysreg(cptr_el3, UINT64_C(1) << 31);
	for (unsigned int el = 1; el < 3; el++) {
		lower_init(&c, el, 0);
		c.scr_el3 |= SCR_SMD;
		c.vbar_el1 = c.vbar_el2 = page;
		CHECK(!lower_insn(&c, A64_SMC(1)), "SMC completed");
		CHECK(c.exit.esr == ESR(EC_SYSREG, sysreg_iss(word)) &&
			      c.exit.elr == page + VEC_SPX_SYNC * 128,
		      "EL%u: ESR 0x%lx ELR 0x%lx", el, c.exit.esr, c.exit.elr);
		CHECK((el == 1 ? c.esr_el1 : c.esr_el2) == ESR(EC_UNKNOWN, 0) &&
			      (el == 1 ? c.elr_el1 : c.elr_el2) == lower_code_page(),
		      "EL%u: ESR_EL1 0x%lx ESR_EL2 0x%lx", el, c.esr_el1, c.esr_el2);
	}
	write_sysreg(cptr_el3, 0);
}

void el3_hvc(void)
{
	lower_init(&c, 1, 0);
	to_el2(A64_HVC(0x77), VEC_EL0_SYNC, ESR(EC_HVC64, 0x77), 4, "HVC at EL1");
	c.scr_el3 &= ~SCR_HCE;
	reflected(A64_HVC(0x77), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "HVC at EL1 without HCE");
	lower_init(&c, 2, 0);
	c.scr_el3 &= ~SCR_HCE;
	to_el2(A64_HVC(0x77), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "HVC at EL2 without HCE");
	lower_init(&c, 0, 0);
	reflected(A64_HVC(0x77), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "HVC at EL0");
	/* HCR_EL2.HCD is RES0 where there is EL3. */
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_HCD;
	to_el2(A64_HVC(0x77), VEC_EL0_SYNC, ESR(EC_HVC64, 0x77), 4, "HVC at EL1 with HCD");
}

void el3_undefined_at_el2(void)
{
	lower_init(&c, 2, 0);
	lower_read(REG_HCR_EL2);
	lower_read(REG_VTTBR_EL2);
	lower_read(REG_TTBR0_EL1);
	to_el2(A64_MRS(REG_SCR_EL3, 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "MRS SCR_EL3");
	to_el2(A64_MSR(REG_SCR_EL3, 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "MSR SCR_EL3");
	to_el2(A64_MRS(A64_SYSREG(3, 6, 1, 3, 1), 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0,
	       "MRS MDCR_EL3");
	to_el2(A64_MRS(A64_SYSREG(3, 6, 1, 0, 0), 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0,
	       "MRS SCTLR_EL3");
	to_el2(A64_SYS(6, 8, 7, 0, 31), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "TLBI ALLE3");
	to_el2(A64_SYS(6, 7, 8, 0, 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "AT S1E3R");
	/* SP_EL2 is another's: the name is for EL3. */
	to_el2(A64_MRS(A64_SYSREG(3, 6, 4, 1, 0), 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0,
	       "MRS SP_EL2");
}

#define WFI_ISS UINT64_C(0x1e00000)

void el3_trap_wfi(void)
{
	for (unsigned int el = 0; el < 3; el++) {
		lower_init(&c, el, 0);
		c.sctlr_el1 |= 1 << 16; /* nTWI */
		c.scr_el3 |= SCR_TWI;
		taken(A64_WFI, ESR(EC_WFX, WFI_ISS), 0, "WFI");
	}
}

static void traps_to_el3(unsigned int from, uint32_t word, const char *what)
{
	lower_init(&c, from, 0);
	taken(word, ESR(EC_SYSREG, sysreg_iss(word)), 0, what);
}

static void expect_allowed(unsigned int from, uint32_t word, const char *what)
{
	lower_init(&c, from, 0);
	completes(word, what);
}

void el3_trap_cptr(void)
{
	expect_allowed(1, A64_MRS(REG_CPACR_EL1, 5), "MRS CPACR_EL1 at EL1");
	expect_allowed(2, A64_MRS(REG_CPTR_EL2, 5), "MRS CPTR_EL2 at EL2");
	write_sysreg(cptr_el3, UINT64_C(1) << 31); /* TCPAC */
	traps_to_el3(1, A64_MRS(REG_CPACR_EL1, 5), "MRS CPACR_EL1 at EL1");
	traps_to_el3(1, A64_MSR(REG_CPACR_EL1, 5), "MSR CPACR_EL1 at EL1");
	traps_to_el3(2, A64_MRS(REG_CPACR_EL1, 5), "MRS CPACR_EL1 at EL2");
	traps_to_el3(2, A64_MRS(REG_CPTR_EL2, 5), "MRS CPTR_EL2 at EL2");
	traps_to_el3(2, A64_MSR(REG_CPTR_EL2, 5), "MSR CPTR_EL2 at EL2");
	write_sysreg(cptr_el3, 0);
}

const char *needs_el3_fp(void)
{
	if (needs_el3())
		return needs_el3();
	return field(read_sysreg(id_aa64pfr0_el1), 19, 16) == 15 ? "no FP: ID_AA64PFR0_EL1.FP"
								 : NULL;
}

void el3_trap_fp(void)
{
	uint32_t fmov = 0x9e6703e0u; /* FMOV D0, XZR */

	write_sysreg(cptr_el3, 1 << 10); /* TFP */
	for (unsigned int el = 0; el < 3; el++) {
		lower_init(&c, el, 0);
		c.cpacr_el1 = 3 << 20;
		taken(fmov, ESR(EC_FP, WFI_ISS), 0, "FMOV");
	}
	write_sysreg(cptr_el3, 0);
}

void el3_trap_debug(void)
{
	static const uint32_t tda[] = {A64_MRS(REG_MDSCR_EL1, 5), A64_MSR(REG_MDSCR_EL1, 5),
				       A64_MRS(A64_SYSREG(2, 0, 0, 0, 4), 5)}; /* DBGBVR0_EL1 */
	static const uint32_t tdosa[] = {A64_MSR(REG_OSLAR_EL1, 5), A64_MRS(REG_OSLSR_EL1, 5)};
	uint64_t mdcr = read_sysreg(mdcr_el3);

	for (unsigned int el = 1; el < 3; el++) {
		for (unsigned int i = 0; i < 3; i++) {
			expect_allowed(el, tda[i], "TDA 0");
			write_sysreg(mdcr_el3, mdcr | 1 << 9);
			traps_to_el3(el, tda[i], "MDCR_EL3.TDA");
			write_sysreg(mdcr_el3, mdcr);
		}
		for (unsigned int i = 0; i < 2; i++) {
			expect_allowed(el, tdosa[i], "TDOSA 0");
			write_sysreg(mdcr_el3, mdcr | 1 << 10);
			traps_to_el3(el, tdosa[i], "MDCR_EL3.TDOSA");
			write_sysreg(mdcr_el3, mdcr);
		}
	}
	/* MDCR_EL2.TDA in this state is EL2's also, and goes before. */
	write_sysreg(mdcr_el3, mdcr | 1 << 9);
	lower_init(&c, 1, 0);
	c.mdcr_el2 |= 1 << 9;
	to_el2(tda[0], VEC_EL0_SYNC, ESR(EC_SYSREG, sysreg_iss(tda[0])), 0, "MDCR_EL2.TDA");
	write_sysreg(mdcr_el3, mdcr);
}

/* Registers of EL2 that EL3 has to enable. */
void el3_trap_features(void)
{
	static const struct {
		const char *name;
		uint64_t enable;
		uint32_t reg;
	} rows[] = {
		{"HFGRTR_EL2", SCR_FGTEN, A64_SYSREG(3, 4, 1, 1, 4)},
		{"HDFGWTR_EL2", SCR_FGTEN, A64_SYSREG(3, 4, 3, 1, 5)},
		{"CNTPOFF_EL2", SCR_ECVEN, A64_SYSREG(3, 4, 14, 0, 6)},
		{"HCRX_EL2", SCR_HXEN, A64_SYSREG(3, 4, 1, 2, 2)},
		{"HDFGRTR2_EL2", SCR_FGTEN2, A64_SYSREG(3, 4, 3, 1, 0)},
	};
	uint64_t mmfr0 = read_sysreg(id_aa64mmfr0_el1), mmfr1 = read_sysreg(id_aa64mmfr1_el1);
	bool exists[] = {field(mmfr0, 59, 56) >= 1, field(mmfr0, 59, 56) >= 1,
			 field(mmfr0, 63, 60) >= 2, field(mmfr1, 43, 40) >= 1,
			 field(mmfr0, 59, 56) >= 2};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t word = A64_MRS(rows[i].reg, 5);

		lower_init(&c, 2, 0);
		if (!exists[i]) {
			to_el2(word, VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, rows[i].name);
			continue;
		}
		completes(word, rows[i].name);
		lower_init(&c, 2, 0);
		c.scr_el3 &= ~rows[i].enable;
		taken(word, ESR(EC_SYSREG, sysreg_iss(word)), 0, rows[i].name);
	}
}

const char *needs_pauth(void)
{
	if (needs_el3())
		return needs_el3();
	return field(read_sysreg(id_aa64isar1_el1), 11, 4) == 0 ? "no FEAT_PAuth" : NULL;
}

void el3_trap_pauth(void)
{
	uint32_t pacia = 0xdac10025u, key = A64_MRS(A64_SYSREG(3, 0, 2, 1, 0), 5);

	for (unsigned int el = 1; el < 3; el++) {
		lower_init(&c, el, 0);
		c.hcr_el2 |= HCR_APK | HCR_API;
		c.sctlr_el1 |= UINT64_C(1) << 31; /* EnIA */
		c.sctlr_el2 |= UINT64_C(1) << 31;
		completes(pacia, "PACIA");
		completes(key, "MRS APIAKeyLo_EL1");
		c.scr_el3 &= ~SCR_API;
		taken(pacia, ESR(9, 0), 0, "PACIA without SCR_EL3.API");
		c.scr_el3 &= ~SCR_APK;
		taken(key, ESR(EC_SYSREG, sysreg_iss(key)), 0,
		      "MRS APIAKeyLo_EL1 without SCR_EL3.APK");
	}
}

void el3_el2_before_el3(void)
{
	uint32_t tvm = A64_MSR(REG_TTBR0_EL1, 5);

	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_TVM;
	to_el2(tvm, VEC_EL0_SYNC, ESR(EC_SYSREG, sysreg_iss(tvm)), 0, "TVM");
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_TSC;
	c.vbar_el1 = 0;
	to_el2(A64_SMC(0x11), VEC_EL0_SYNC, ESR(EC_SMC64, 0x11), 0, "TSC");
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_TWI;
	c.scr_el3 |= SCR_TWI;
	to_el2(A64_WFI, VEC_EL0_SYNC, ESR(EC_WFX, WFI_ISS), 0, "TWI");
	lower_init(&c, 0, 0);
	c.hcr_el2 |= HCR_TGE;
	to_el2(A64_SVC(9), VEC_EL0_SYNC, ESR(EC_SVC64, 9), 4, "SVC with TGE");
}
