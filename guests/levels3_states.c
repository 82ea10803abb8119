/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels3: returns, translation and interrupts below EL3, and the Security states (Arm ARM D1.3,
 * D24.2 SCR_EL3).
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "levels3.h"
#include "stage.h"

#define TEST_IPA	UINT64_C(0x200000000)
#define ISS_INSTRUCTION UINT64_C(0x1ffc000) /* ISV to AR */
#define ISS_X5		(UINT64_C(1) << 24 | UINT64_C(3) << 22 | UINT64_C(5) << 16 | UINT64_C(1) << 15)

static const uint32_t load = A64_LDR(5, 1);

void init_state(unsigned int el, uint64_t state)
{
	lower_init(&c, el, 0);
	c.scr_el3 = (c.scr_el3 & ~(SCR_NS | SCR_NSE | SCR_EEL2)) | state;
}

/* EL2 returns to where ELR_EL2 and SPSR_EL2 say, which is an SMC in the same page. */
static void return_to(uint64_t spsr)
{
	uint32_t words[] = {A64_ERET, A64_NOP, A64_SMC(0x55)};

	lower_init(&c, 2, 0);
	c.elr_el2 = lower_code_page() + 8;
	c.spsr_el2 = SPSR_DAIF | spsr;
	lower_code(&c, words, 3);
}

void el3_return_through_el2(void)
{
	return_to(SPSR_EL1H);
	CHECK(c.exit.esr == ESR(EC_SMC64, 0x55) && SPSR_EL(c.exit.spsr) == 1,
	      "ESR 0x%lx SPSR 0x%lx", c.exit.esr, c.exit.spsr);
	return_to(SPSR_EL2H);
	CHECK(c.exit.esr == ESR(EC_SMC64, 0x55) && SPSR_EL(c.exit.spsr) == 2,
	      "ESR 0x%lx SPSR 0x%lx", c.exit.esr, c.exit.spsr);
	return_to(SPSR_EL0T); /* SMC is UNDEFINED there: EL1's */
	CHECK(lower_vector(&c, NULL) == VEC_EL0_SYNC && c.elr_el1 == lower_code_page() + 8,
	      "vector %d ELR_EL1 0x%lx", lower_vector(&c, NULL), c.elr_el1);
	return_to(0xd); /* EL3: illegal */
	CHECK(lower_vector(&c, NULL) == VEC_SPX_SYNC && c.esr_el2 == ESR(EC_ILLEGAL, 0) &&
		      c.elr_el2 == lower_code_page() + 8,
	      "vector %d ESR_EL2 0x%lx ELR_EL2 0x%lx", lower_vector(&c, NULL), c.esr_el2,
	      c.elr_el2);
}

extern char lower_vectors_el1_smc[], lower_vectors_el2_smc[];

/* The page of the vectors and that of the code, where they are. */
static void map_code(const struct stage *s, uint64_t attributes)
{
	uint64_t vectors = lower_address(lower_vectors_el1_smc) & ~UINT64_C(0xfff);

	stage_map(s, vectors, vectors, 2 * PAGE_SIZE, attributes);
	stage_map(s, lower_code_page(), lower_code_page(), PAGE_SIZE, attributes);
}

/* EL2 has a separate page at TEST_IPA, and none after it. */
static void map_el2(void)
{
	struct stage s = stage1_new();
	uint64_t pa = phys_alloc(1);

	map_code(&s, S1_NORMAL | S1_RO | S1_EL0); /* AP[1] is RES1 */
	stage_map(&s, TEST_IPA, pa, PAGE_SIZE, S1_NORMAL | S1_EL0 | S1_UXN);
	*(uint64_t *)linear(pa) = 0x4321;
	lower_init(&c, 2, 0);
	c.ttbr0_el2 = s.root;
	c.tcr_el2 = STAGE1_TCR_EL2;
	c.mair_el2 = STAGE_MAIR;
	c.sctlr_el2 |= SCTLR_ON;
}

void el3_el2_stage1(void)
{
	map_el2();
	c.x[1] = TEST_IPA;
	completes(load, "LDR at EL2");
	CHECK(c.x[5] == 0x4321, "0x%lx", c.x[5]);
	c.x[1] = TEST_IPA + PAGE_SIZE;
	CHECK(!lower_insn(&c, load) && lower_vector(&c, NULL) == VEC_SPX_SYNC &&
		      (c.esr_el2 | ISS_INSTRUCTION) ==
			      ESR(EC_DATA_SAME, FSC_TRANSLATION_L3 | ISS_INSTRUCTION) &&
		      c.far_el2 == c.x[1] && c.elr_el2 == lower_code_page(),
	      "not mapped: ESR_EL2 0x%lx FAR_EL2 0x%lx ELR_EL2 0x%lx", c.esr_el2, c.far_el2,
	      c.elr_el2);
	/* XN */
	c.pc = TEST_IPA;
	lower_run(&c);
	CHECK(lower_vector(&c, NULL) == VEC_SPX_SYNC &&
		      c.esr_el2 == ESR(EC_INSN_SAME, FSC_PERMISSION_L3) && c.elr_el2 == TEST_IPA,
	      "fetch: ESR_EL2 0x%lx ELR_EL2 0x%lx", c.esr_el2, c.elr_el2);
}

/* Only aborts of stage 2 have an instruction syndrome. */
void el3_el2_no_syndrome(void)
{
	map_el2();
	c.x[1] = TEST_IPA + PAGE_SIZE;
	to_el2(load, VEC_SPX_SYNC, ESR(EC_DATA_SAME, FSC_TRANSLATION_L3), 0, "not mapped");
}

void el3_stage2(void)
{
	struct stage s = stage2_new();

	map_code(&s, S2_NORMAL | S2_RW);
	stage_flush();
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_VM;
	c.vtcr_el2 = STAGE2_VTCR;
	c.vttbr_el2 = s.root | UINT64_C(1) << 48;
	c.x[1] = TEST_IPA + 0x18;
	to_el2(load, VEC_EL0_SYNC, ESR(EC_DATA_LOWER, ISS_X5 | 5), 0, "LDR");
	CHECK(c.far_el2 == TEST_IPA + 0x18 && c.hpfar_el2 == TEST_IPA >> 12 << 4,
	      "FAR_EL2 0x%lx HPFAR_EL2 0x%lx", c.far_el2, c.hpfar_el2);
}

static void take_interrupt(void)
{
	sgi_take();
	CHECK(sgi_count == 1, "taken %u times at EL3", sgi_count);
}

void el3_sgi(void)
{
	sgi_send();
	CHECK(sgi_count == 0, "taken although masked");
	take_interrupt();
}

/* A Non-secure interrupt in Non-secure state is an IRQ. */
void el3_irq_routes(void)
{
	for (unsigned int el = 0; el < 3; el++) {
		sgi_send();
		lower_init(&c, el, 0);
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) < 0 &&
			      c.exit.kind == LOWER_IRQ,
		      "EL%u, SCR_EL3.IRQ: kind %u ESR 0x%lx", el, (unsigned int)c.exit.kind,
		      c.exit.esr);
		lower_init(&c, el, 0);
		c.scr_el3 &= ~SCR_IRQ;
		c.spsr &= ~SPSR_I;
		to_el2(A64_NOP, el == 2 ? VEC_SPX_IRQ : VEC_EL0_IRQ, c.esr_el2, 0, "HCR_EL2.IMO");
		if (el < 2) {
			c.hcr_el2 &= ~HCR_IMO;
			CHECK(!lower_insn(&c, A64_NOP) &&
				      lower_vector(&c, NULL) == (el ? VEC_SPX_IRQ : VEC_EL0_IRQ) &&
				      c.elr_el1 == lower_code_page(),
			      "EL%u: vector %d", el, lower_vector(&c, NULL));
			c.spsr = SPSR_DAIF | (el ? SPSR_EL1H : SPSR_EL0T);
			completes(A64_NOP, "masked");
		} else {
			c.spsr |= SPSR_I;
			completes(A64_NOP, "masked at EL2");
		}
		take_interrupt();
	}
}

const char *needs_two_states(void)
{
	if (needs_el3())
		return needs_el3();
	return gic_two_states() ? NULL : "the GIC has one Security state";
}

/* The same interrupt in Secure state is a FIQ. */
void el3_fiq_routes(void)
{
	sgi_send();
	init_state(1, 0);
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) < 0 && c.exit.kind == LOWER_FIQ,
	      "SCR_EL3.FIQ: kind %u ESR 0x%lx", (unsigned int)c.exit.kind, c.exit.esr);
	init_state(1, 0);
	c.scr_el3 &= ~SCR_FIQ;
	c.spsr &= ~SPSR_F;
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == VEC_SPX_FIQ, "vector %d",
	      lower_vector(&c, NULL));
	c.spsr = SPSR_DAIF | SPSR_EL1H;
	completes(A64_NOP, "masked");
	take_interrupt();
}

/* Nothing is at that PA. */
#define NO_PA UINT64_C(0x0d000000)

void el3_external_abort(void)
{
	lower_init(&c, 1, 0);
	c.x[1] = NO_PA;
	CHECK(!lower_insn(&c, load) && lower_vector(&c, NULL) < 0 &&
		      field(c.exit.esr, 31, 26) == EC_DATA_LOWER && (c.exit.esr & 0x3f) == 0x10 &&
		      c.exit.elr == lower_code_page(),
	      "ESR 0x%lx ELR 0x%lx", c.exit.esr, c.exit.elr);
}

void external_abort_to_el1(void)
{
	lower_init(&c, 1, 0);
	c.x[1] = NO_PA;
	c.scr_el3 &= ~SCR_EA;
	CHECK(!lower_insn(&c, load) && lower_vector(&c, NULL) == VEC_SPX_SYNC &&
		      field(c.esr_el1, 31, 26) == EC_DATA_SAME && (c.esr_el1 & 0x3f) == 0x10,
	      "to EL1: vector %d ESR_EL1 0x%lx", lower_vector(&c, NULL), c.esr_el1);
}

void el3_virtual_interrupts(void)
{
	static const struct {
		uint64_t bit, mask;
		enum exc_vector vector;
	} rows[] = {{HCR_VI, SPSR_I, VEC_SPX_IRQ},
		    {HCR_VF, SPSR_F, VEC_SPX_FIQ},
		    {HCR_VSE, SPSR_A, VEC_SPX_SERROR}};

	for (unsigned int i = 0; i < 3; i++) {
		lower_init(&c, 1, 0);
		c.hcr_el2 |= rows[i].bit;
		completes(A64_NOP, "masked");
		c.spsr &= ~rows[i].mask;
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == (int)rows[i].vector,
		      "vector %d, not %u", lower_vector(&c, NULL), (unsigned int)rows[i].vector);
		/* Not in Secure state without EEL2. */
		init_state(1, 0);
		c.hcr_el2 |= rows[i].bit;
		c.spsr &= ~rows[i].mask;
		completes(A64_NOP, "Secure");
	}
}

void secure_without_el2(void)
{
	uint32_t tvm = A64_MSR(REG_CONTEXTIDR_EL1, 5);

	init_state(1, 0);
	CHECK(lower_read(REG_CURRENTEL) == 1 << 2, "CurrentEL 0x%lx", c.x[5]);
	c.hcr_el2 |= HCR_TVM | HCR_TRVM | HCR_TSC | HCR_TWI | HCR_VM;
	completes(tvm, "HCR_EL2.TVM");
	completes(A64_MRS(REG_TTBR0_EL1, 5), "HCR_EL2.TRVM");
	taken(A64_SMC(7), ESR(EC_SMC64, 7), 4, "SMC with HCR_EL2.TSC");
	reflected(A64_SVC(7), VEC_SPX_SYNC, ESR(EC_SVC64, 7), 4, "SVC");
	c.spsr = SPSR_DAIF;
	c.hcr_el2 |= HCR_TGE;
	reflected(A64_SVC(8), VEC_EL0_SYNC, ESR(EC_SVC64, 8), 4, "SVC at EL0 with TGE");
	init_state(1, 0);
	CHECK(lower_read(REG_MIDR_EL1) == read_sysreg(midr_el1), "MIDR_EL1 is VPIDR_EL2: 0x%lx",
	      c.x[5]);
}

void secure_hvc(void)
{
	init_state(1, 0);
	reflected(A64_HVC(7), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "HVC");
}

/* Illegal: EL3 itself takes the Illegal Execution state exception. */
static unsigned int illegal_with(uint64_t scr, uint64_t spsr)
{
	uint64_t old = read_sysreg(scr_el3);
	struct expected e;

	write_sysreg(scr_el3, (old & ~(SCR_NS | SCR_NSE | SCR_EEL2)) | scr);
	isb();
	expect_begin();
	levels_eret(SPSR_DAIF | spsr);
	e = expect_end();
	write_sysreg(scr_el3, old);
	isb();
	return e.count == 1 && e.esr == ESR(EC_ILLEGAL, 0);
}

void secure_no_el2_return(void)
{
	CHECK(illegal_with(0, SPSR_EL2H), "EL2h");
	CHECK(illegal_with(0, SPSR_EL2T), "EL2t");
}

void secure_timer(void)
{
	uint32_t ctl = A64_MRS(A64_SYSREG(3, 7, 14, 2, 1), 5); /* CNTPS_CTL_EL1 */

	init_state(1, 0);
	taken(ctl, ESR(EC_SYSREG, sysreg_iss(ctl)), 0, "CNTPS_CTL_EL1 without ST");
	c.scr_el3 |= SCR_ST;
	completes(ctl, "CNTPS_CTL_EL1 with ST");
	lower_init(&c, 1, 0);
	c.scr_el3 |= SCR_ST;
	reflected(ctl, VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "CNTPS_CTL_EL1 in Non-secure state");
}

const char *needs_sel2(void)
{
	if (needs_el3())
		return needs_el3();
	return field(read_sysreg(id_aa64pfr0_el1), 39, 36) == 0 ? "no FEAT_SEL2" : NULL;
}

static void check_el2_and_el1(uint64_t state, const char *what)
{
	uint32_t tvm = A64_MSR(REG_CONTEXTIDR_EL1, 5);

	init_state(2, state);
	CHECK(lower_read(REG_CURRENTEL) == 2 << 2, "%s: CurrentEL 0x%lx", what, c.x[5]);
	taken(A64_SMC(1), ESR(EC_SMC64, 1), 4, what);
	to_el2(A64_SVC(2), VEC_SPX_SYNC, ESR(EC_SVC64, 2), 4, what);
	init_state(1, state);
	CHECK(lower_read(REG_CURRENTEL) == 1 << 2, "%s: CurrentEL 0x%lx", what, c.x[5]);
	to_el2(A64_HVC(3), VEC_EL0_SYNC, ESR(EC_HVC64, 3), 4, what);
	reflected(A64_SVC(4), VEC_SPX_SYNC, ESR(EC_SVC64, 4), 4, what);
	c.hcr_el2 |= HCR_TVM;
	to_el2(tvm, VEC_EL0_SYNC, ESR(EC_SYSREG, sysreg_iss(tvm)), 0, what);
	init_state(1, state);
	c.hcr_el2 |= HCR_TSC;
	to_el2(A64_SMC(5), VEC_EL0_SYNC, ESR(EC_SMC64, 5), 0, what);
	init_state(0, state);
	c.hcr_el2 |= HCR_TGE;
	to_el2(A64_SVC(6), VEC_EL0_SYNC, ESR(EC_SVC64, 6), 4, what);
}

void secure_with_el2(void)
{
	check_el2_and_el1(SCR_EEL2, "Secure");
	check_el2_and_el1(SCR_NS, "Non-secure");
}

/* A register that is Secure EL2's alone. */
static void secure_register(uint32_t reg)
{
	init_state(2, SCR_EEL2);
	lower_read(reg);
	init_state(2, SCR_NS);
	to_el2(A64_MRS(reg, 5), VEC_SPX_SYNC, ESR(EC_UNKNOWN, 0), 0, "Non-secure state");
}

void secure_translation(void)
{
	secure_register(A64_SYSREG(3, 4, 2, 6, 0)); /* VSTTBR_EL2 */
	secure_register(A64_SYSREG(3, 4, 2, 6, 2)); /* VSTCR_EL2 */
}

void secure_timers(void)
{
	secure_register(A64_SYSREG(3, 4, 14, 4, 1)); /* CNTHVS_CTL_EL2 */
	secure_register(A64_SYSREG(3, 4, 14, 5, 2)); /* CNTHPS_CVAL_EL2 */
}

const char *needs_rme(void)
{
	if (needs_el3())
		return needs_el3();
	return field(read_sysreg(id_aa64pfr0_el1), 55, 52) == 0 ? "no FEAT_RME" : NULL;
}

void realm_levels(void)
{
	check_el2_and_el1(SCR_NSE | SCR_NS, "Realm");
	/* {NSE,NS} {1,0} is Root, which is EL3's alone. */
	CHECK(illegal_with(SCR_NSE, SPSR_EL1H), "a return to EL1 in Root state");
	CHECK(illegal_with(SCR_NSE, SPSR_EL2H), "a return to EL2 in Root state");
}

/* Group 0 is FIQs in every state: SCR_EL3.FIQ, then HCR_EL2.FMO. */
void el3_group0(void)
{
	for (unsigned int el = 0; el < 3; el++) {
		CHECK(sgi_send_group0(), "there is no group 0 at EL3");
		lower_init(&c, el, 0);
		c.scr_el3 &= ~SCR_IRQ;
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) < 0 &&
			      c.exit.kind == LOWER_FIQ,
		      "EL%u, SCR_EL3.FIQ: kind %u ESR 0x%lx", el, (unsigned int)c.exit.kind,
		      c.exit.esr);
		lower_init(&c, el, 0);
		c.scr_el3 &= ~SCR_FIQ;
		c.spsr &= ~SPSR_F;
		to_el2(A64_NOP, el == 2 ? VEC_SPX_FIQ : VEC_EL0_FIQ, c.esr_el2, 0, "HCR_EL2.FMO");
		if (el < 2) {
			c.hcr_el2 &= ~HCR_FMO;
			CHECK(!lower_insn(&c, A64_NOP) &&
				      lower_vector(&c, NULL) == (el ? VEC_SPX_FIQ : VEC_EL0_FIQ),
			      "EL%u: vector %d", el, lower_vector(&c, NULL));
		}
		CHECK(gic_take_group0() == SGI, "not acknowledged");
		gic_enable(SGI, NULL);
		gic_set_group0(SGI, false);
	}
}
