/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: the Virtualization Host Extensions (Arm ARM D8.17.2 HCR_EL2.E2H, D24.2): EL1's names at
 * EL2, the EL12 and EL02 names, the EL2&0 regime with its upper half, EL0 under a host, and guests
 * of a host.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "levels.h"
#include "stage.h"

#define UPPER_VA UINT64_C(0xffff000000400000)
#define HOLE_VA	 (USER_TEXT_VA + 0x100000) /* nothing is there, but a table of level 3 */

const char *needs_vhe(void)
{
	if (needs_el2())
		return needs_el2();
	return field(read_sysreg(id_aa64mmfr1_el1), 11, 8) == 0 ? "no FEAT_VHE" : NULL;
}

/* Registers that main can change for a moment. The names of EL1 are macros with their encodings. */
#define FAR_EL1		S3_0_C6_C0_0
#define FAR_EL2		S3_4_C6_C0_0
#define FAR_EL12	S3_5_C6_C0_0
#define AFSR0_EL1	S3_0_C5_C1_0
#define AFSR0_EL2	S3_4_C5_C1_0
#define ESR_EL1		S3_0_C5_C2_0
#define ESR_EL2		S3_4_C5_C2_0
#define ESR_EL12	S3_5_C5_C2_0
#define SPSR_EL1_REG	S3_0_C4_C0_0
#define SPSR_EL2_REG	S3_4_C4_C0_0
#define SPSR_EL12_REG	S3_5_C4_C0_0
#define ELR_EL1		S3_0_C4_C0_1
#define ELR_EL2		S3_4_C4_C0_1
#define ELR_EL12	S3_5_C4_C0_1
#define CONTEXTIDR_EL1	S3_0_C13_C0_1
#define CONTEXTIDR_EL2	S3_4_C13_C0_1
#define CONTEXTIDR_EL12 S3_5_C13_C0_1
#define TTBR1_EL1	S3_0_C2_C0_1
#define TTBR1_EL2	S3_4_C2_C0_1
#define TTBR1_EL12	S3_5_C2_C0_1
#define MAIR_EL1	S3_0_C10_C2_0
#define MAIR_EL2	S3_4_C10_C2_0
#define MAIR_EL12	S3_5_C10_C2_0
#define SCTLR_EL12	S3_5_C1_C0_0
#define CPACR_EL12	S3_5_C1_C0_2
#define VBAR_EL1	S3_0_C12_C0_0
#define VBAR_EL12	S3_5_C12_C0_0
#define TCR_EL1		S3_0_C2_C0_2
#define TCR_EL12	S3_5_C2_C0_2
#define CNTKCTL_EL1	S3_0_C14_C1_0
#define CNTKCTL_EL12	S3_5_C14_C1_0

/* EL1's name means EL2's register, the EL12 name EL1's. */
#define redirects(el1, el2, el12, a, b)                                                          \
	do {                                                                                     \
		uint64_t old_ = read_sysreg(el2);                                                \
		write_sysreg(el12, a);                                                           \
		write_sysreg(el1, b);                                                            \
		CHECK(read_sysreg(el2) == (uint64_t)(b), #el2 " is 0x%lx", read_sysreg(el2));    \
		CHECK(read_sysreg(el1) == (uint64_t)(b), #el1 " is 0x%lx", read_sysreg(el1));    \
		CHECK(read_sysreg(el12) == (uint64_t)(a), #el12 " is 0x%lx", read_sysreg(el12)); \
		write_sysreg(el2, old_);                                                         \
	} while (0)

void host_redirection(void)
{
	el2_set_host(true);
	redirects(FAR_EL1, FAR_EL2, FAR_EL12, 0x1000, 0x2000);
	redirects(ESR_EL1, ESR_EL2, ESR_EL12, 0x3000, 0x4000);
	redirects(ELR_EL1, ELR_EL2, ELR_EL12, 0x5000, 0x6000);
	redirects(SPSR_EL1_REG, SPSR_EL2_REG, SPSR_EL12_REG, 0x3c5, 0x3c9);
	redirects(CONTEXTIDR_EL1, CONTEXTIDR_EL2, CONTEXTIDR_EL12, 0x77, 0x88);
	redirects(TTBR1_EL1, TTBR1_EL2, TTBR1_EL12, 0x41000000, 0x42000000);
	redirects(MAIR_EL1, MAIR_EL2, MAIR_EL12, 0x44, read_sysreg(MAIR_EL2));
	CHECK(read_sysreg(VBAR_EL1) == read_sysreg(vbar_el2), "VBAR_EL1 is not VBAR_EL2");
	CHECK(read_sysreg(TCR_EL1) == read_sysreg(tcr_el2), "TCR_EL1 is not TCR_EL2");
	CHECK(read_sysreg(S3_0_C1_C0_0) == read_sysreg(sctlr_el2), "SCTLR_EL1 is not SCTLR_EL2");
	CHECK(read_sysreg(S3_0_C1_C0_2) == read_sysreg(cptr_el2), "CPACR_EL1 is not CPTR_EL2");
	CHECK(read_sysreg(CNTKCTL_EL1) == read_sysreg(cnthctl_el2),
	      "CNTKCTL_EL1 is not CNTHCTL_EL2");
	el2_set_host(false);
	/* Each where it belongs, as EL1's names say without E2H. */
	CHECK(read_sysreg(FAR_EL1) == 0x1000 && read_sysreg(ESR_EL1) == 0x3000 &&
		      read_sysreg(ELR_EL1) == 0x5000 && read_sysreg(SPSR_EL1_REG) == 0x3c5 &&
		      read_sysreg(CONTEXTIDR_EL1) == 0x77 && read_sysreg(TTBR1_EL1) == 0x41000000 &&
		      read_sysreg(MAIR_EL1) == 0x44,
	      "EL1's registers have other values without E2H");
}

/* The EL12 and EL02 names do not exist without E2H, */
void host_names_without_e2h(void)
{
	struct expected e;

#define undefined(reg)                                                    \
	do {                                                              \
		expect_begin();                                           \
		(void)read_sysreg(reg);                                   \
		e = expect_end();                                         \
		CHECK(e.count == 1 && e.esr == ESR(EC_UNKNOWN, 0),        \
		      #reg ": %u exceptions, ESR 0x%lx", e.count, e.esr); \
	} while (0)
	undefined(SCTLR_EL12);
	undefined(CPACR_EL12);
	undefined(VBAR_EL12);
	undefined(TCR_EL12);
	undefined(CNTKCTL_EL12);
	undefined(S3_5_C14_C2_1); /* CNTP_CTL_EL02 */
	undefined(S3_5_C14_C3_2); /* CNTV_CVAL_EL02 */
#undef undefined
}

/* nor below EL2. */
void host_names_below(void)
{
	el2_set_host(true);
	for (unsigned int el = 0; el < 2; el++) {
		enum exc_vector vector = el ? VEC_SPX_SYNC : VEC_EL0_SYNC;

		lower_init(&c, el, 0);
		reflected(A64_MRS(A64_SYSREG(3, 5, 1, 0, 0), 5), vector, ESR(EC_UNKNOWN, 0), 0,
			  "SCTLR_EL12");
		reflected(A64_MRS(A64_SYSREG(3, 5, 14, 2, 1), 5), vector, ESR(EC_UNKNOWN, 0), 0,
			  "CNTP_CTL_EL02");
		reflected(A64_MRS(A64_SYSREG(3, 5, 14, 3, 2), 5), vector, ESR(EC_UNKNOWN, 0), 0,
			  "CNTV_CVAL_EL02");
	}
	el2_set_host(false);
}

/* A guest of the host: EL1 and EL0 with TGE 0 are what they are without E2H. */
void host_guest(void)
{
	el2_set_host(true);
	lower_init(&c, 1, 0);
	c.contextidr_el1 = 0x99;
	CHECK(lower_read(REG_CONTEXTIDR_EL1) == 0x99, "CONTEXTIDR_EL1 0x%lx", c.x[5]);
	lower_write(REG_CONTEXTIDR_EL1, 0x9a);
	CHECK(c.contextidr_el1 == 0x9a, "CONTEXTIDR_EL12 0x%lx", c.contextidr_el1);
	taken(A64_HVC(3), ESR(EC_HVC64, 3), 4, "HVC");
	reflected(A64_SVC(3), VEC_SPX_SYNC, ESR(EC_SVC64, 3), 4, "SVC");
	c.hcr_el2 |= HCR_TVM;
	taken(A64_MSR(REG_TTBR0_EL1, 5), ESR(EC_SYSREG, sysreg_iss(A64_MSR(REG_TTBR0_EL1, 5))), 0,
	      "TVM");
	lower_init(&c, 0, 0);
	reflected(A64_SVC(4), VEC_EL0_SYNC, ESR(EC_SVC64, 4), 4, "SVC at EL0");
	el2_set_host(false);
}

/* EL0 under {E2H,TGE} {1,1}: main's own tables; its exceptions are EL2's. */
void host_el0(void)
{
	uint64_t *data, va;
	struct lower_exit e;

	el2_set_host(true);
	data = user_data_alloc(1);
	va = (uintptr_t)data;
	*data = 0x1122;
	CHECK(user_call(user_address(user_add), 40, 2, 0) == 42, "EL0 returned nonsense");
	CHECK(user_call(user_address(user_load), va, 0, 0) == 0x1122, "EL0 does not see 0x%lx", va);
	user_call(user_address(user_store), va, 0x3344, 0);
	CHECK(*data == 0x3344, "EL0's store left 0x%lx", *data);
	/* The same by a context, for its exceptions. */
	lower_init(&c, 0, user_address(user_load));
	c.hcr_el2 |= HCR_TGE;
	c.x[0] = HOLE_VA;
	e = lower_run(&c);
	CHECK(e.kind == LOWER_SYNC && e.esr == ESR(EC_DATA_LOWER, FSC_TRANSLATION_L0 + 3) &&
		      e.far == HOLE_VA && e.elr == user_address(user_load),
	      "abort: ESR 0x%lx FAR 0x%lx ELR 0x%lx", e.esr, e.far, e.elr);
	/* Stage 2 has no part in it. */
	lower_init(&c, 0, user_address(user_load));
	c.hcr_el2 |= HCR_TGE | HCR_VM;
	c.x[0] = va;
	c.x[30] = user_address(user_exit);
	e = lower_run(&c);
	CHECK(e.esr == ESR(EC_SVC64, 0) && c.x[0] == 0x3344, "with VM: ESR 0x%lx X0 0x%lx", e.esr,
	      c.x[0]);
	el2_set_host(false);
}

/* The upper half, by TTBR1_EL2, with ASIDs of TTBR0_EL2 or TTBR1_EL2. */
void host_upper_half(void)
{
	struct stage s = stage1_new();
	uint64_t pa = phys_alloc(1), tcr = read_sysreg(tcr_el2), value;
	struct expected e;

	*(uint64_t *)linear(pa) = 0x7788;
	stage_map(&s, UPPER_VA & UINT64_C(0xffffffffffff), pa, PAGE_SIZE,
		  S1_NORMAL | S1_PXN | S1_UXN);
	el2_set_host(true);
	write_sysreg(TTBR1_EL2, s.root);
	/* 48 bits, write-back walks, EPD1 0; the rest as it is. */
	write_sysreg(tcr_el2, (tcr & ~(UINT64_C(1) << 23)) | 16 << 16 | UINT64_C(0x35) << 24);
	isb();
	value = *(volatile uint64_t *)UPPER_VA;
	CHECK(value == 0x7788, "the upper half has 0x%lx", value);
	expect_begin();
	(void)*(volatile uint64_t *)(UPPER_VA + PAGE_SIZE);
	e = expect_end();
	CHECK(e.count == 1 && (e.esr >> 26) == EC_DATA_SAME &&
		      (e.esr & 0x3f) == FSC_TRANSLATION_L3 && e.far == UPPER_VA + PAGE_SIZE,
	      "not mapped: %u exceptions, ESR 0x%lx FAR 0x%lx", e.count, e.esr, e.far);
	/* EL1's maintenance by VA is the host's here. */
	stage_map(&s, UPPER_VA & UINT64_C(0xffffffffffff), phys_alloc(1), PAGE_SIZE,
		  S1_NORMAL | S1_PXN | S1_UXN);
	dsb();
	__asm__ volatile(
		"tlbi vaae1is, %0\n\tdsb ish\n\tisb" ::"r"(UPPER_VA >> 12 & UINT64_C(0xfffffffffff))
		: "memory");
	value = *(volatile uint64_t *)UPPER_VA;
	CHECK(value == 0, "after TLBI the upper half has 0x%lx", value);
	/* AT S1E1R as well. */
	__asm__ volatile("at s1e1r, %0\n\tisb" ::"r"(UPPER_VA + PAGE_SIZE) : "memory");
	CHECK(read_sysreg(par_el1) & 1, "AT S1E1R: PAR_EL1 0x%lx", read_sysreg(par_el1));
	__asm__ volatile("at s1e1r, %0\n\tisb" ::"r"((uintptr_t)&c) : "memory");
	CHECK(!(read_sysreg(par_el1) & 1) && (read_sysreg(par_el1) & UINT64_C(0xfffffffff000)) ==
						     (lower_address(&c) & ~UINT64_C(0xfff)),
	      "AT S1E1R of main's data: PAR_EL1 0x%lx", read_sysreg(par_el1));
	write_sysreg(tcr_el2, tcr);
	isb();
	__asm__ volatile("tlbi alle2\n\tdsb nsh\n\tisb" ::: "memory");
	el2_set_host(false);
}

/* What SCTLR_EL1 lets EL0 do SCTLR_EL2 lets EL0 of a host: UCT, DZE, UCI, nTWI. */
static const struct {
	const char *name;
	uint64_t bit;
	uint32_t word; /* of EC_SYSREG; 0: WFI */
} controls[] = {
	{"UCT", UINT64_C(1) << 15, A64_MRS(REG_CTR_EL0, 5)},
	{"DZE", UINT64_C(1) << 14, A64_SYS(3, 7, 4, 1, 1)},
	{"UCI", UINT64_C(1) << 26, A64_SYS(3, 7, 11, 1, 1)},
	{"nTWI", UINT64_C(1) << 16, 0},
};
#define CONTROLS_ALL (UINT64_C(1) << 26 | UINT64_C(7) << 14)

/* EL0 of a host runs levels_use_caches(), whose instruction i one bit of SCTLR_EL2 forbids. */
static void host_el0_forbidden(unsigned int i)
{
	const uint64_t sctlr = read_sysreg(sctlr_el2), at = user_address(levels_use_caches);
	const uint64_t esr = controls[i].word ? ESR(EC_SYSREG, sysreg_iss(controls[i].word))
					      : ESR(EC_WFX, UINT64_C(0x1e00000));

	el2_set_host(true);
	lower_init(&c, 0, 0);
	c.hcr_el2 |= HCR_TGE;
	c.x[1] = (uintptr_t)user_data_alloc(1);
	write_sysreg(sctlr_el2, (sctlr | CONTROLS_ALL) & ~controls[i].bit);
	isb();
	c.pc = at;
	c.sctlr_el1 = SCTLR_EL1_OFF | CONTROLS_ALL; /* EL1's say nothing here */
	lower_run(&c);
	/* WFI may complete, and go on to the SVC. */
	if (controls[i].word || field(c.exit.esr, 31, 26) != EC_SVC64)
		CHECK(c.exit.kind == LOWER_SYNC && c.exit.esr == esr && c.exit.elr == at + i * 4,
		      "%s: ESR 0x%lx ELR 0x%lx, not 0x%lx, 0x%lx", controls[i].name, c.exit.esr,
		      c.exit.elr, esr, at + i * 4);
	write_sysreg(sctlr_el2, sctlr);
	isb();
	el2_set_host(false);
}

void host_el0_controls(void)
{
	for (unsigned int i = 0; i < 3; i++)
		host_el0_forbidden(i);
}

void host_el0_wait(void)
{
	host_el0_forbidden(3);
}
