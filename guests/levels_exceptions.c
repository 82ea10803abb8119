/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: exceptions between EL0, EL1 and EL2: where they go and their syndromes (Arm ARM D1.3,
 * D24.2 ESR_ELx).
 */
#include "arch.h"
#include "boot.h"
#include "levels.h"

#define UDF 0x00000000u

extern char lower_vectors_el1_smc[];

void registers_survive(void)
{
	uint32_t words[31];

	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		for (unsigned int i = 0; i < 31; i++) {
			c.x[i] = UINT64_C(0x0101010101010101) * (i + 1);
			words[i] = 0x91000400u | i << 5 | i; /* ADD Xi, Xi, #1 */
		}
		c.sp_el0 = 0x1230;
		c.sp_el1 = 0x4560;
		c.tpidr_el0 = 77;
		CHECK(lower_code(&c, words, 31), "EL%u: ESR 0x%lx", el, c.exit.esr);
		for (unsigned int i = 0; i < 31; i++)
			CHECK(c.x[i] == UINT64_C(0x0101010101010101) * (i + 1) + 1,
			      "EL%u: X%u is 0x%lx", el, i, c.x[i]);
		CHECK(c.sp_el0 == 0x1230 && c.sp_el1 == 0x4560, "EL%u: SP_EL0 0x%lx SP_EL1 0x%lx",
		      el, c.sp_el0, c.sp_el1);
		CHECK(lower_read(REG_TPIDR_EL0) == 77, "EL%u: TPIDR_EL0", el);
	}
}

void current_el_and_spsr(void)
{
	static const uint64_t modes[] = {SPSR_EL1H, SPSR_EL1T};

	lower_init(&c, 1, 0);
	CHECK(lower_read(REG_CURRENTEL) == 1 << 2, "CurrentEL 0x%lx", c.x[5]);
	for (unsigned int i = 0; i < 2; i++)
		for (uint64_t flags = 0; flags < 16; flags++) {
			uint64_t spsr = modes[i] | flags << 28 | (flags ^ 5) << 6;

			c.spsr = spsr;
			CHECK(!lower_insn(&c, A64_HVC(flags)) && c.exit.spsr == spsr,
			      "SPSR 0x%lx, not 0x%lx", c.exit.spsr, spsr);
		}
	/* SPSel selects the stack pointer. */
	lower_init(&c, 1, 0);
	c.sp_el0 = 0x1110;
	c.sp_el1 = 0x2220;
	completes(0x910003e5u, "MOV X5, SP");
	CHECK(c.x[5] == 0x2220, "SP at EL1h is 0x%lx", c.x[5]);
	c.spsr = SPSR_DAIF | SPSR_EL1T;
	completes(0x910003e5u, "MOV X5, SP");
	CHECK(c.x[5] == 0x1110, "SP at EL1t is 0x%lx", c.x[5]);
}

/*
 * PSTATE at a vector: masked, SPSel 1, and PAN if SCTLR_EL1.SPAN is 0. The flags may be anything.
 */
void state_at_the_vector(void)
{
	const uint64_t pan = UINT64_C(1) << 22, span = UINT64_C(1) << 23;
	const uint64_t known = pan | SPSR_IL | UINT64_C(1) << 21 | SPSR_DAIF | 0x1f;
	bool has_pan = field(read_sysreg(id_aa64mmfr1_el1), 23, 20) != 0;

	for (unsigned int i = 0; i < 32; i++) {
		uint64_t flags = (uint64_t)(i & 15) << 28;
		uint64_t want = SPSR_DAIF | SPSR_EL1H | (has_pan && i < 16 ? pan : 0);

		lower_init(&c, i & 1, 0);
		c.spsr = flags | (i & 1 ? (i & 2 ? SPSR_EL1H : SPSR_EL1T) : SPSR_EL0T);
		c.sctlr_el1 = i < 16 ? c.sctlr_el1 & ~span : c.sctlr_el1 | span;
		CHECK(!lower_insn(&c, A64_SVC(1)) && lower_vector(&c, NULL) >= 0, "ESR 0x%lx",
		      c.exit.esr);
		CHECK((c.exit.spsr & known) == want, "PSTATE 0x%lx, not 0x%lx", c.exit.spsr & known,
		      want);
	}
}

void calls_from_el1(void)
{
	lower_init(&c, 1, 0);
	taken(A64_HVC(0), ESR(EC_HVC64, 0), 4, "HVC #0");
	taken(A64_HVC(0xffff), ESR(EC_HVC64, 0xffff), 4, "HVC #0xffff");
	reflected(A64_SVC(0xabcd), VEC_SPX_SYNC, ESR(EC_SVC64, 0xabcd), 4, "SVC");
	c.spsr = SPSR_DAIF | SPSR_EL1T;
	reflected(A64_SVC(1), VEC_SP0_SYNC, ESR(EC_SVC64, 1), 4, "SVC at EL1t");
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_TSC;
	taken(A64_SMC(0x1234), ESR(EC_SMC64, 0x1234), 0, "SMC with HCR_EL2.TSC");
}

void calls_from_el0(void)
{
	lower_init(&c, 0, 0);
	reflected(A64_SVC(0x42), VEC_EL0_SYNC, ESR(EC_SVC64, 0x42), 4, "SVC");
	reflected(A64_HVC(0x42), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "HVC");
	reflected(A64_SMC(0x42), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "SMC");
	c.hcr_el2 |= HCR_TSC;
	reflected(A64_SMC(0x42), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "SMC with HCR_EL2.TSC");
}

/* HCD exists only without EL3. */
void hvc_disabled(void)
{
	bool el3 = field(read_sysreg(id_aa64pfr0_el1), 15, 12) != 0;

	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_HCD | HCR_TSC;
	c.pc = lower_code_page();
	if (el3) {
		taken(A64_HVC(9), ESR(EC_HVC64, 9), 4, "HVC, HCD is RES0");
		return;
	}
	/*
	 * The vectors of EL1 cannot reflect by HVC: with TSC an SMC does it, two instructions
	 * later.
	 */
	c.vbar_el1 = lower_address(lower_vectors_el1_smc);
	CHECK(!lower_insn(&c, A64_HVC(9)), "HVC completed");
	CHECK(field(c.exit.esr, 31, 26) == EC_SMC64 &&
		      (c.exit.esr & 0xffff) == LOWER_VECTOR_EL1 + VEC_SPX_SYNC,
	      "ESR 0x%lx", c.exit.esr);
	CHECK(c.esr_el1 == ESR(EC_UNKNOWN, 0) && c.elr_el1 == lower_code_page(),
	      "ESR_EL1 0x%lx ELR_EL1 0x%lx", c.esr_el1, c.elr_el1);
}

void undefined_stays(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		enum exc_vector vector = el ? VEC_SPX_SYNC : VEC_EL0_SYNC;

		lower_init(&c, el, 0);
		reflected(UDF, vector, ESR(EC_UNKNOWN, 0), 0, "UDF");
		reflected(A64_MRS(REG_HCR_EL2, 5), vector, ESR(EC_UNKNOWN, 0), 0, "MRS HCR_EL2");
		reflected(A64_MSR(REG_HCR_EL2, 5), vector, ESR(EC_UNKNOWN, 0), 0, "MSR HCR_EL2");
		reflected(A64_MRS(REG_VTTBR_EL2, 5), vector, ESR(EC_UNKNOWN, 0), 0,
			  "MRS VTTBR_EL2");
		reflected(A64_MRS(REG_SCR_EL3, 5), vector, ESR(EC_UNKNOWN, 0), 0, "MRS SCR_EL3");
		reflected(A64_MRS(A64_SYSREG(3, 5, 1, 0, 0), 5), vector, ESR(EC_UNKNOWN, 0), 0,
			  "MRS SCTLR_EL12");
		reflected(A64_SYS(4, 8, 7, 0, 31), vector, ESR(EC_UNKNOWN, 0), 0, "TLBI ALLE2");
		reflected(A64_SYS(4, 7, 8, 0, 5), vector, ESR(EC_UNKNOWN, 0), 0, "AT S1E2R");
	}
	lower_init(&c, 0, 0);
	reflected(A64_MRS(REG_CURRENTEL, 5), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0,
		  "CurrentEL at EL0");
	reflected(A64_ERET, VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "ERET at EL0");
	/* UNDEFINED at EL0 has priority over EL2's traps. */
	c.hcr_el2 |= HCR_TVM | HCR_TRVM | HCR_TACR | HCR_TTLB | HCR_TSW;
	reflected(A64_MSR(REG_TTBR0_EL1, 5), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "TVM at EL0");
	reflected(A64_MRS(REG_SCTLR_EL1, 5), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "TRVM at EL0");
	reflected(A64_MRS(REG_ACTLR_EL1, 5), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "TACR at EL0");
	reflected(A64_SYS(0, 8, 7, 0, 31), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "TTLB at EL0");
	reflected(A64_SYS(0, 7, 6, 2, 5), VEC_EL0_SYNC, ESR(EC_UNKNOWN, 0), 0, "TSW at EL0");
}

void alignment_faults(void)
{
	lower_init(&c, 1, lower_code_page() + 2);
	lower_run(&c);
	CHECK(lower_vector(&c, NULL) == VEC_SPX_SYNC && c.esr_el1 == ESR(EC_PC_ALIGN, 0) &&
		      c.far_el1 == lower_code_page() + 2 && c.elr_el1 == lower_code_page() + 2,
	      "PC: ESR_EL1 0x%lx FAR_EL1 0x%lx ELR_EL1 0x%lx", c.esr_el1, c.far_el1, c.elr_el1);
	lower_init(&c, 1, 0);
	c.sctlr_el1 |= 1 << 1; /* A */
	c.x[1] = lower_code_page() + 0x801;
	if (CHECK(!lower_insn(&c, A64_LDR(5, 1)), "unaligned load completed"))
		CHECK(lower_vector(&c, NULL) == VEC_SPX_SYNC &&
			      c.esr_el1 == ESR(EC_DATA_SAME, FSC_ALIGNMENT) && c.far_el1 == c.x[1],
		      "ESR_EL1 0x%lx FAR_EL1 0x%lx", c.esr_el1, c.far_el1);
}

void sp_alignment_fault(void)
{
	lower_init(&c, 1, 0);
	c.sctlr_el1 |= 1 << 3; /* SA */
	c.sp_el1 = lower_code_page() + 0x808;
	reflected(0xf94003e5u, VEC_SPX_SYNC, ESR(EC_SP_ALIGN, 0), 0, "LDR X5, [SP]");
}

void breakpoint_instruction(void)
{
	uint64_t mdcr = read_sysreg(mdcr_el2);

	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		reflected(0xd4200000u | 0x77 << 5, el ? VEC_SPX_SYNC : VEC_EL0_SYNC,
			  ESR(EC_BRK64, 0x77), 0, "BRK");
		write_sysreg(mdcr_el2, mdcr | 1 << 8 | 7 << 9); /* TDE, and what it implies */
		taken(0xd4200000u | 0x77 << 5, ESR(EC_BRK64, 0x77), 0, "BRK with MDCR_EL2.TDE");
		write_sysreg(mdcr_el2, mdcr);
	}
}

/* ERET at EL1 to a state that SPSR_EL1 must not request: PSTATE.IL, and no change of level. */
void illegal_return_at_el1(void)
{
	static const uint64_t modes[] = {SPSR_EL2H, SPSR_EL2T, 0xd, 0xf, 1, 6};

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		lower_init(&c, 1, 0);
		c.elr_el1 = lower_code_page() + 0x20;
		c.spsr_el1 = SPSR_DAIF | modes[i];
		if (!CHECK(!lower_insn(&c, A64_ERET), "mode %lu: ERET completed", modes[i]))
			continue;
		CHECK(lower_vector(&c, NULL) == VEC_SPX_SYNC && c.esr_el1 == ESR(EC_ILLEGAL, 0) &&
			      c.elr_el1 == lower_code_page() + 0x20 && c.spsr_el1 & SPSR_IL &&
			      (c.spsr_el1 & 0xf) == SPSR_EL1H,
		      "mode %lu: vector %d ESR_EL1 0x%lx ELR_EL1 0x%lx SPSR_EL1 0x%lx", modes[i],
		      lower_vector(&c, NULL), c.esr_el1, c.elr_el1, c.spsr_el1);
	}
}

/* The same at main's level: the requested level does not exist, or is higher. */
void illegal_return_at_main(void)
{
	static const uint64_t modes[] = {1, 6, 0xd, 0x1f};

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct expected e;
		uint64_t after;

		if (boot_info.el == 3 && modes[i] == 0xd)
			continue;
		expect_begin();
		after = levels_eret(SPSR_DAIF | modes[i]);
		e = expect_end();
		CHECK(e.count == 1 && e.esr == ESR(EC_ILLEGAL, 0) && e.elr == after,
		      "mode 0x%lx: %u exceptions, ESR 0x%lx ELR 0x%lx, not 0x%lx", modes[i],
		      e.count, e.esr, e.elr, after);
	}
	/* A legal return carries PSTATE.IL along. */
	lower_init(&c, 1, 0);
	c.spsr |= SPSR_IL;
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == VEC_SPX_SYNC &&
		      c.esr_el1 == ESR(EC_ILLEGAL, 0),
	      "SPSR.IL: ESR_EL1 0x%lx", c.esr_el1);
}

/* HCR_EL2.TGE without E2H: EL0's exceptions to EL1 go to EL2. */
void tge_routes(void)
{
	lower_init(&c, 0, 0);
	c.hcr_el2 |= HCR_TGE;
	taken(A64_SVC(5), ESR(EC_SVC64, 5), 4, "SVC");
	taken(UDF, ESR(EC_UNKNOWN, 0), 0, "UDF");
	taken(A64_HVC(5), ESR(EC_UNKNOWN, 0), 0, "HVC");
	taken(A64_MRS(REG_TTBR0_EL1, 5), ESR(EC_UNKNOWN, 0), 0, "MRS TTBR0_EL1");
	taken(0xd4200000u | 0x55 << 5, ESR(EC_BRK64, 0x55), 0, "BRK");
	/* The traps of SCTLR_EL1 go to EL2, too: here SCTLR_EL1.{nTWI,UCI} are 0. */
	taken(A64_WFI, ESR(EC_WFX, UINT64_C(0x1e00000)), 0, "WFI");
	taken(A64_SYS(3, 7, 14, 1, 5), ESR(EC_SYSREG, sysreg_iss(A64_SYS(3, 7, 14, 1, 5))), 0,
	      "DC CIVAC");
	lower_init(&c, 0, lower_code_page() + 1);
	c.hcr_el2 |= HCR_TGE;
	lower_run(&c);
	CHECK(c.exit.esr == ESR(EC_PC_ALIGN, 0) && c.exit.far == lower_code_page() + 1,
	      "PC alignment: ESR 0x%lx FAR 0x%lx", c.exit.esr, c.exit.far);
}

/* SCTLR_EL1.M counts as 0 under TGE, whatever it says. */
void tge_stage1_off(void)
{
	lower_init(&c, 0, 0);
	c.hcr_el2 |= HCR_TGE;
	c.sctlr_el1 |= 1;
	c.ttbr0_el1 = 0;
	completes(A64_NOP, "NOP at EL0");
}

/* A return to EL1 is illegal with TGE. */
void tge_illegal_el1(void)
{
	uint64_t hcr = read_sysreg(hcr_el2), after;
	struct expected e;

	write_sysreg(hcr_el2, hcr | HCR_TGE);
	isb();
	expect_begin();
	after = levels_eret(SPSR_DAIF | SPSR_EL1H);
	e = expect_end();
	write_sysreg(hcr_el2, hcr);
	isb();
	CHECK(e.count == 1 && e.esr == ESR(EC_ILLEGAL, 0) && e.elr == after,
	      "%u exceptions, ESR 0x%lx ELR 0x%lx", e.count, e.esr, e.elr);
}

/* VPIDR_EL2 and VMPIDR_EL2 are EL1's MIDR_EL1 and MPIDR_EL1. */
void virtual_ids(void)
{
	uint64_t midr = read_sysreg(midr_el1), mpidr = read_sysreg(mpidr_el1);

	write_sysreg(vpidr_el2, 0x12345678);
	write_sysreg(vmpidr_el2, UINT64_C(0x80000305));
	lower_init(&c, 1, 0);
	CHECK(lower_read(REG_MIDR_EL1) == 0x12345678, "MIDR_EL1 0x%lx", c.x[5]);
	CHECK(lower_read(REG_MPIDR_EL1) == UINT64_C(0x80000305), "MPIDR_EL1 0x%lx", c.x[5]);
	CHECK(read_sysreg(midr_el1) == midr && read_sysreg(mpidr_el1) == mpidr,
	      "EL2 sees them too");
	write_sysreg(vpidr_el2, midr);
	write_sysreg(vmpidr_el2, mpidr);
}

#define MDSCR_SS 1u
#define SPSR_SS	 (UINT64_C(1) << 21)
#define EC_STEP	 0x32

/* A hypervisor steps EL1 and EL0: MDCR_EL2.TDE takes the Software Step exception to EL2. */
void step_to_el2(void)
{
	static const uint32_t words[] = {0x910004a5u, 0x910004a5u,
					 0x910004a5u}; /* ADD X5, X5, #1 */
	uint64_t mdcr = read_sysreg(mdcr_el2), mdscr = read_sysreg(mdscr_el1);

	write_sysreg(oslar_el1, 0);
	for (unsigned int el = 0; el < 2; el++) {
		lower_init(&c, el, 0);
		c.spsr = (c.spsr & ~SPSR_D) | SPSR_SS;
		write_sysreg(mdcr_el2, mdcr | 15 << 8);
		write_sysreg(mdscr_el1, mdscr | MDSCR_SS);
		isb();
		lower_code(&c, words, 3);
		for (unsigned int i = 1; i <= 3; i++) {
			CHECK(c.exit.kind == LOWER_SYNC && field(c.exit.esr, 31, 26) == EC_STEP &&
				      (c.exit.esr & 0x3f) == 0x22 && (c.exit.esr & 1 << 24) &&
				      c.exit.elr == lower_code_page() + i * 4 && c.x[5] == i &&
				      !(c.exit.spsr & SPSR_SS),
			      "EL%u, step %u: ESR 0x%lx ELR 0x%lx SPSR 0x%lx X5 %lu", el, i,
			      c.exit.esr, c.exit.elr, c.exit.spsr, c.x[5]);
			c.spsr |= SPSR_SS;
			if (i < 3)
				lower_run(&c);
		}
		/* Without SS in SPSR the exception comes before the next instruction. */
		c.spsr &= ~SPSR_SS;
		lower_run(&c);
		CHECK(field(c.exit.esr, 31, 26) == EC_STEP && c.exit.elr == lower_code_page() + 12,
		      "EL%u, pending: ESR 0x%lx ELR 0x%lx", el, c.exit.esr, c.exit.elr);
		write_sysreg(mdscr_el1, mdscr);
		write_sysreg(mdcr_el2, mdcr);
		isb();
	}
}
