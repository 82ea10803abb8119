/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: what EL2 traps of EL1 and EL0 (Arm ARM D24.2 HCR_EL2, MDCR_EL2, CPTR_EL2, CNTHCTL_EL2).
 * Each instruction runs without the control, where it must complete, and with it. Then main checks
 * the syndrome, and that nothing changed.
 */
#include "arch.h"
#include "boot.h"
#include "levels.h"

enum condition { ALWAYS, ZVA, DPB, TLBIOS, TLBIRANGE, EVT, EVT_TTLB, LOR, NV };

struct row {
	uint64_t bits;
	enum condition condition;
	const char *name;
	uint32_t word;
};

static const struct row rows[] = {
#define TRAP(bits, condition, name, word) {bits, condition, name, word},
#include "levels_traps.def"
#undef TRAP
};

static bool condition_exists(enum condition condition)
{
	switch (condition) {
	case ALWAYS:
	case ZVA: return true;
	case DPB: return field(read_sysreg(id_aa64isar1_el1), 3, 0) != 0;
	case TLBIOS: return field(read_sysreg(id_aa64isar0_el1), 59, 56) >= 1;
	case TLBIRANGE: return field(read_sysreg(id_aa64isar0_el1), 59, 56) >= 2;
	case EVT: return field(read_sysreg(id_aa64mmfr2_el1), 59, 56) >= 1;
	case EVT_TTLB: return field(read_sysreg(id_aa64mmfr2_el1), 59, 56) >= 2;
	case LOR: return field(read_sysreg(id_aa64mmfr1_el1), 19, 16) != 0;
	case NV: return field(read_sysreg(id_aa64mmfr2_el1), 27, 24) != 0;
	}
	return false;
}

/* X5 suits all of them: the address of memory to clean or to zero, a set and way, a page. */
static void set_up(unsigned int el, uint32_t word)
{
	lower_init(&c, el, 0);
	c.x[5] = lower_code_page() + 0x800;
	if ((word & A64_SYSREG(3, 7, 15, 15, 7)) == REG_SCTLR_EL1)
		c.x[5] = SCTLR_EL1_OFF;
	c.sctlr_el1 |= UINT64_C(1) << 26 | 1 << 15 | 1 << 14; /* UCI, UCT, DZE: EL0 may */
}

static void trap_and_compare(const struct row *row, unsigned int el)
{
	uint64_t before;

	set_up(el, row->word);
	if (row->condition != ZVA && !completes(row->word, row->name))
		return;
	set_up(el, row->word);
	before = c.x[5];
	c.hcr_el2 |= row->bits;
	if (!taken(row->word, ESR(EC_SYSREG, sysreg_iss(row->word)), 0, row->name))
		return;
	CHECK(c.x[5] == before, "%s: X5 became 0x%lx", row->name, c.x[5]);
	/* Emulated: X5 gets a value, and EL1 continues after the instruction. */
	c.x[5] = 0x1234;
	lower_skip(&c);
	lower_run(&c);
	CHECK(field(c.exit.esr, 31, 26) != EC_SYSREG && c.x[5] == 0x1234, "%s: after: ESR 0x%lx",
	      row->name, c.exit.esr);
}

static void trap_all(uint64_t bits, unsigned int el)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].bits == bits && condition_exists(rows[i].condition)) {
			trap_and_compare(&rows[i], el);
			count++;
		}
	CHECK(count != 0, "no rows");
}

void trap_tvm(void)
{
	trap_all(HCR_TVM, 1);
}

void trap_trvm(void)
{
	trap_all(HCR_TRVM, 1);
}

void trap_tid(void)
{
	trap_all(HCR_TID1, 1);
	trap_all(HCR_TID2, 1);
	trap_all(HCR_TID3, 1);
}

void trap_tacr(void)
{
	trap_all(HCR_TACR, 1);
}

void trap_cache(void)
{
	trap_all(HCR_TSW, 1);
	trap_all(HCR_TPCP, 1);
	trap_all(HCR_TPU, 1);
	trap_all(HCR_TDZ, 1);
}

void trap_ttlb(void)
{
	trap_all(HCR_TTLB, 1);
}

const char *needs_evt(void)
{
	if (needs_el2())
		return needs_el2();
	return condition_exists(EVT_TTLB) ? NULL : "no FEAT_EVT: ID_AA64MMFR2_EL1.EVT is not 2";
}

void trap_evt(void)
{
	trap_all(HCR_TID4, 1);
	trap_all(HCR_TOCU, 1);
	trap_all(HCR_TICAB, 1);
	trap_all(HCR_TTLBIS, 1);
}

const char *needs_lor(void)
{
	if (needs_el2())
		return needs_el2();
	if (secure_el2())
		return "LORegions are not for Secure state";
	return condition_exists(LOR) ? NULL : "no FEAT_LOR";
}

void trap_tlor(void)
{
	trap_all(HCR_TLOR, 1);
}

const char *needs_nv(void)
{
	if (needs_el2())
		return needs_el2();
	return condition_exists(NV) ? NULL : "no FEAT_NV";
}

void trap_at(void)
{
	trap_all(HCR_AT, 1);
}

/* The space for IMPLEMENTATION DEFINED registers, whatever it has. */
void trap_tidcp(void)
{
	static const uint32_t words[] = {
		A64_MRS(A64_SYSREG(3, 0, 11, 0, 0), 5),
		A64_MSR(A64_SYSREG(3, 1, 15, 2, 3), 5),
		A64_MRS(A64_SYSREG(3, 3, 15, 15, 7), 5),
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		lower_init(&c, 1, 0);
		c.hcr_el2 |= HCR_TIDCP;
		taken(words[i], ESR(EC_SYSREG, sysreg_iss(words[i])), 0, "TIDCP");
	}
}

/* A trap writes nothing: the register keeps its value when the write is trapped. */
void trapped_write_has_no_effect(void)
{
	lower_init(&c, 1, 0);
	c.contextidr_el1 = 0x55;
	c.hcr_el2 |= HCR_TVM;
	c.x[5] = 0xaa;
	taken(A64_MSR(REG_CONTEXTIDR_EL1, 5),
	      ESR(EC_SYSREG, sysreg_iss(A64_MSR(REG_CONTEXTIDR_EL1, 5))), 0, "MSR CONTEXTIDR_EL1");
	CHECK(c.contextidr_el1 == 0x55, "it became 0x%lx", c.contextidr_el1);
	CHECK(lower_read(REG_CONTEXTIDR_EL1) == 0x55, "TVM trapped the read");
	c.hcr_el2 = (c.hcr_el2 & ~HCR_TVM) | HCR_TRVM;
	lower_write(REG_CONTEXTIDR_EL1, 0xbb);
	CHECK(c.contextidr_el1 == 0xbb, "not written, but 0x%lx", c.contextidr_el1);
}

/* Registers that EL0 may use are trapped there, too; X31 in Rt is reported as 31. */
void trap_from_el0(void)
{
	static const struct row el0[] = {
		{HCR_TID2, ALWAYS, "MRS CTR_EL0", A64_MRS(REG_CTR_EL0, 5)},
		{HCR_TPCP, ALWAYS, "DC CVAC", A64_SYS(3, 7, 10, 1, 5)},
		{HCR_TPCP, ALWAYS, "DC CIVAC", A64_SYS(3, 7, 14, 1, 5)},
		{HCR_TPU, ALWAYS, "IC IVAU", A64_SYS(3, 7, 5, 1, 5)},
		{HCR_TPU, ALWAYS, "DC CVAU", A64_SYS(3, 7, 11, 1, 5)},
		{HCR_TDZ, ZVA, "DC ZVA", A64_SYS(3, 7, 4, 1, 5)},
	};

	for (unsigned int i = 0; i < sizeof(el0) / sizeof(el0[0]); i++)
		trap_and_compare(&el0[i], 0);
	lower_init(&c, 0, 0);
	c.sctlr_el1 |= 1 << 15;
	c.hcr_el2 |= HCR_TID2;
	taken(A64_MRS(REG_CTR_EL0, 31), ESR(EC_SYSREG, sysreg_iss(A64_MRS(REG_CTR_EL0, 31))), 0,
	      "MRS XZR, CTR_EL0");
	/* EL1's own trap comes first. */
	c.sctlr_el1 &= ~(UINT64_C(1) << 15);
	reflected(A64_MRS(REG_CTR_EL0, 5), VEC_EL0_SYNC,
		  ESR(EC_SYSREG, sysreg_iss(A64_MRS(REG_CTR_EL0, 5))), 0, "SCTLR_EL1.UCT");
}

void tdz_is_seen(void)
{
	lower_init(&c, 1, 0);
	CHECK(!(lower_read(REG_DCZID_EL0) & 16), "DCZID_EL0 0x%lx", c.x[5]);
	c.hcr_el2 |= HCR_TDZ;
	CHECK(lower_read(REG_DCZID_EL0) & 16, "DCZID_EL0.DZP is 0 with HCR_EL2.TDZ");
}

/* ISS of a WFx: CV, COND 0xe, TI. */
#define WFX(ti) ESR(EC_WFX, UINT64_C(0x1e00000) | (ti))

void trap_wfi(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		c.sctlr_el1 |= 1 << 16; /* nTWI */
		c.hcr_el2 |= HCR_TWI;
		taken(A64_WFI, WFX(0), 0, "WFI");
		if (el == 0) { /* EL1's trap comes first */
			c.sctlr_el1 &= ~(UINT64_C(1) << 16);
			reflected(A64_WFI, VEC_EL0_SYNC, WFX(0), 0, "WFI with nTWI 0");
		}
	}
}

void trap_wfe(void)
{
	static const uint32_t words[] = {0xd50320bfu /* SEVL */, A64_WFE, A64_WFE};

	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_TWE;
	if (lower_code(&c, words, 3)) /* as it may */
		return;
	CHECK(c.exit.esr == WFX(1) && c.exit.elr == lower_code_page() + 8,
	      "ESR 0x%lx ELR 0x%lx, not 0x%lx", c.exit.esr, c.exit.elr, lower_code_page() + 8);
}

/* A trap of EL1 by a bit of a live control register of EL2. */
static void trap_by(uint32_t word, uint64_t esr, const char *what)
{
	set_up(1, word);
	taken(word, esr, 0, what);
}

static void mdcr_trap(uint64_t bits, const uint32_t *words, unsigned int count)
{
	uint64_t mdcr = read_sysreg(mdcr_el2);

	for (unsigned int i = 0; i < count; i++) {
		set_up(1, words[i]);
		c.x[5] = 0;
		completes(words[i], "MDCR_EL2 does not trap");
		write_sysreg(mdcr_el2, mdcr | bits);
		trap_by(words[i], ESR(EC_SYSREG, sysreg_iss(words[i])), "MDCR_EL2 traps");
		write_sysreg(mdcr_el2, mdcr);
	}
}

/*
 * TDE requires TDRA, TDOSA and TDA, or implies them; each of these alone traps its own registers.
 */
void trap_debug(void)
{
	static const uint32_t tda[] = {
		A64_MRS(REG_MDSCR_EL1, 5),
		A64_MSR(REG_MDSCR_EL1, 5),
		A64_MRS(A64_SYSREG(2, 0, 0, 0, 4), 5), /* DBGBVR0_EL1 */
		A64_MSR(A64_SYSREG(2, 0, 0, 0, 5), 5), /* DBGBCR0_EL1 */
		A64_MRS(A64_SYSREG(2, 0, 0, 0, 6), 5), /* DBGWVR0_EL1 */
		A64_MSR(A64_SYSREG(2, 0, 0, 0, 7), 5), /* DBGWCR0_EL1 */
	};
	static const uint32_t tdosa[] = {
		A64_MSR(REG_OSLAR_EL1, 5),
		A64_MRS(REG_OSLSR_EL1, 5),
		A64_MRS(A64_SYSREG(2, 0, 1, 3, 4), 5), /* OSDLR_EL1 */
		A64_MSR(A64_SYSREG(2, 0, 1, 3, 4), 5),
	};
	static const uint32_t tdra[] = {A64_MRS(A64_SYSREG(2, 0, 1, 0, 0), 5)}; /* MDRAR_EL1 */
	const unsigned int count = sizeof(tdosa) / sizeof(tdosa[0]);

	mdcr_trap(1 << 9, tda, sizeof(tda) / sizeof(tda[0]));
	mdcr_trap(1 << 10, tdosa, count);
	mdcr_trap(1 << 11, tdra, 1);
	mdcr_trap(15 << 8, tda, sizeof(tda) / sizeof(tda[0]));
	mdcr_trap(15 << 8, tdosa, count);
}

void trap_power_down(void)
{
	const uint32_t dbgprcr = A64_MRS(A64_SYSREG(2, 0, 1, 4, 4), 5); /* DBGPRCR_EL1 */

	mdcr_trap(1 << 10, &dbgprcr, 1); /* TDOSA */
}

const char *needs_pmu(void)
{
	uint64_t version = field(read_sysreg(id_aa64dfr0_el1), 11, 8);

	if (needs_el2())
		return needs_el2();
	return version == 0 || version == 15 ? "no PMU: ID_AA64DFR0_EL1.PMUVer is 0" : NULL;
}

void trap_pmu(void)
{
	static const uint32_t tpm[] = {
		A64_MRS(A64_SYSREG(3, 3, 9, 12, 0), 5), /* PMCR_EL0 */
		A64_MRS(A64_SYSREG(3, 3, 9, 12, 1), 5), /* PMCNTENSET_EL0 */
		A64_MSR(A64_SYSREG(3, 3, 9, 12, 2), 5), /* PMCNTENCLR_EL0 */
		A64_MRS(A64_SYSREG(3, 3, 9, 13, 0), 5), /* PMCCNTR_EL0 */
		A64_MSR(A64_SYSREG(3, 0, 9, 14, 2), 5), /* PMINTENCLR_EL1 */
	};

	mdcr_trap(1 << 6, tpm, sizeof(tpm) / sizeof(tpm[0])); /* TPM */
}

void trap_pmcr(void)
{
	const uint32_t pmcr = A64_MRS(A64_SYSREG(3, 3, 9, 12, 0), 5); /* PMCR_EL0 */

	mdcr_trap(1 << 5, &pmcr, 1); /* TPMCR */
}

void trap_cpacr(void)
{
	uint64_t cptr = read_sysreg(cptr_el2);

	lower_init(&c, 1, 0);
	lower_write(REG_CPACR_EL1, 0);
	write_sysreg(cptr_el2, cptr | UINT64_C(1) << 31); /* TCPAC */
	trap_by(A64_MRS(REG_CPACR_EL1, 5), ESR(EC_SYSREG, sysreg_iss(A64_MRS(REG_CPACR_EL1, 5))),
		"MRS CPACR_EL1");
	trap_by(A64_MSR(REG_CPACR_EL1, 5), ESR(EC_SYSREG, sysreg_iss(A64_MSR(REG_CPACR_EL1, 5))),
		"MSR CPACR_EL1");
	write_sysreg(cptr_el2, cptr);
}

const char *needs_fp(void)
{
	if (needs_el2())
		return needs_el2();
	return field(read_sysreg(id_aa64pfr0_el1), 19, 16) == 15 ? "no FP: ID_AA64PFR0_EL1.FP"
								 : NULL;
}

void trap_fp(void)
{
	uint64_t cptr = read_sysreg(cptr_el2), esr = ESR(EC_FP, UINT64_C(0x1e00000));
	uint32_t fmov = 0x9e6703e0u; /* FMOV D0, XZR */

	lower_init(&c, 1, 0);
	c.cpacr_el1 = 3 << 20;
	completes(fmov, "FMOV");
	write_sysreg(cptr_el2, cptr | 1 << 10); /* TFP */
	taken(fmov, esr, 0, "FMOV with CPTR_EL2.TFP");
	c.cpacr_el1 = 0; /* EL1's trap comes first */
	reflected(fmov, VEC_SPX_SYNC, esr, 0, "FMOV with CPACR_EL1.FPEN 0");
	write_sysreg(cptr_el2, cptr);
}

void trap_counter_of_el0(void)
{
	const uint32_t word = A64_MRS(REG_CNTPCT_EL0, 5);

	lower_init(&c, 0, 0);
	c.cntkctl_el1 = 3; /* EL0PCTEN, EL0VCTEN */
	write_sysreg(cnthctl_el2, 2);
	taken(word, ESR(EC_SYSREG, sysreg_iss(word)), 0, "CNTPCT_EL0 without EL1PCTEN");
	write_sysreg(cnthctl_el2, 3);
}

/* EL1PCTEN and EL1PCEN; for EL0, CNTKCTL_EL1 comes first. */
void trap_counter(void)
{
	static const uint32_t timer[] = {
		A64_MRS(REG_CNTP_CTL_EL0, 5), A64_MSR(REG_CNTP_CTL_EL0, 5),
		A64_MRS(REG_CNTP_CVAL_EL0, 5),
		A64_MSR(A64_SYSREG(3, 3, 14, 2, 0), 5), /* CNTP_TVAL_EL0 */
	};
	uint32_t counter_word = A64_MRS(REG_CNTPCT_EL0, 5);
	uint64_t esr = ESR(EC_SYSREG, sysreg_iss(counter_word));

	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		c.cntkctl_el1 = 0x303; /* EL0PTEN, EL0VTEN, EL0PCTEN, EL0VCTEN */
		completes(counter_word, "MRS CNTPCT_EL0");
		write_sysreg(cnthctl_el2, 2);
		if (el == 1) /* EL0: trap_counter_of_el0() */
			taken(counter_word, esr, 0, "CNTPCT_EL0 without EL1PCTEN");
		completes(A64_MRS(REG_CNTVCT_EL0, 5), "CNTVCT_EL0 without EL1PCTEN");
		c.x[5] = 0;
		completes(timer[0], "CNTP_CTL_EL0 without EL1PCTEN");
		write_sysreg(cnthctl_el2, 1);
		for (unsigned int i = 0; i < sizeof(timer) / sizeof(timer[0]); i++)
			taken(timer[i], ESR(EC_SYSREG, sysreg_iss(timer[i])), 0,
			      "CNTP_* without EL1PCEN");
		completes(A64_MRS(REG_CNTV_CTL_EL0, 5), "CNTV_CTL_EL0 without EL1PCEN");
		write_sysreg(cnthctl_el2, 3);
	}
	c.cntkctl_el1 = 0;
	c.spsr = SPSR_DAIF;
	reflected(counter_word, VEC_EL0_SYNC, esr, 0, "CNTPCT_EL0 without EL0PCTEN");
}
