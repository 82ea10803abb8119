/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: stage 1 and stage 2 together: walks of stage 1 through stage 2, whose fault it is,
 * address translation instructions, VMIDs, TLB maintenance, and other starts of stage 2 (Arm ARM
 * D8.2, D8.15, D8.17).
 */
#include "arch.h"
#include "boot.h"
#include "levels_stage2.h"

#define TEST_VA UINT64_C(0x700000000000)

extern char lower_vectors_hvc[];

/* Stage 1 with the code at its PA, executable at EL1 and EL0. */
static struct stage stage1_begin(void)
{
	struct stage s1 = stage1_new();

	map_code(&s1, S1_NORMAL | S1_RO | S1_EL0);
	return s1;
}

/* All RAM is there for stage 2, in blocks: stage 1's tables are where they are. */
static struct stage stage2_with_ram(unsigned int vmid)
{
	struct stage s2 = stage2_new();

	stage_map_level(&s2, boot_info.image_pa & ~(GIGABYTE - 1),
			boot_info.image_pa & ~(GIGABYTE - 1), 1, S2_NORMAL | S2_RW);
	stage2_use(&s2, vmid);
	stage_flush();
	return s2;
}

static void use_stage1(unsigned int el, const struct stage *s1, uint64_t x1)
{
	stage2_context(el, x1);
	c.ttbr0_el1 = s1->root;
	c.tcr_el1 = STAGE1_TCR;
	c.mair_el1 = STAGE_MAIR;
	c.sctlr_el1 |= SCTLR_ON;
}

void both_stages(void)
{
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	uint64_t pa = pattern_page(0x5000);

	stage_map(&s1, TEST_VA, TEST_IPA, 2 * PAGE_SIZE, S1_NORMAL | S1_EL0);
	stage_map(&s2, TEST_IPA, pa, PAGE_SIZE, S2_NORMAL | S2_RW);
	for (unsigned int el = 0; el < 2; el++) {
		use_stage1(el, &s1, TEST_VA + 0x20);
		c.sctlr_el1 |= 1 << 14; /* DZE */
		completes(LOAD, "LDR");
		CHECK(c.x[5] == 0x5004, "EL%u: 0x%lx", el, c.x[5]);
		/* Not in stage 2: FAR is the VA, HPFAR the IPA. */
		c.x[1] = TEST_VA + PAGE_SIZE + 0x20;
		aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_TRANSLATION + 3)), c.x[1],
		       TEST_IPA + PAGE_SIZE, "stage 2");
		/* Not in stage 1: EL1's own. */
		aborts(A64_SYS(3, 7, 4, 1, 1), ESR(EC_DATA_LOWER, ISS_WNR | (FSC_TRANSLATION + 3)),
		       c.x[1], TEST_IPA + PAGE_SIZE, "DC ZVA");
		c.x[1] = TEST_VA + 2 * PAGE_SIZE + 0x20;
		reflected(LOAD, el ? VEC_SPX_SYNC : VEC_EL0_SYNC,
			  ESR(el ? EC_DATA_SAME : EC_DATA_LOWER, FSC_TRANSLATION + 3), 0,
			  "stage 1");
		CHECK(c.far_el1 == c.x[1], "FAR_EL1 0x%lx", c.far_el1);
	}
}

/* Where stage 1 says no it is EL1's; else what stage 2 says. */
void combined_permissions(void)
{
	static const uint64_t one[] = {S1_NORMAL, S1_NORMAL | S1_RO};
	static const uint64_t two[] = {S2_NORMAL | S2_RW, S2_NORMAL | S2_R, S2_NORMAL};
	uint64_t pa = pattern_page(0x6000);

	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int j = 0; j < 3; j++) {
			struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);

			stage_map(&s1, TEST_VA, TEST_IPA, PAGE_SIZE, one[i]);
			stage_map(&s2, TEST_IPA, pa, PAGE_SIZE, two[j]);
			use_stage1(1, &s1, TEST_VA + 8);
			if (two[j] & S2_R)
				completes(LOAD, "LDR");
			else
				aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_PERMISSION + 3)),
				       TEST_VA + 8, TEST_IPA, "LDR");
			if (one[i] & S1_RO)
				reflected(STORE, VEC_SPX_SYNC,
					  ESR(EC_DATA_SAME, ISS_WNR | (FSC_PERMISSION + 3)), 0,
					  "STR");
			else if (two[j] & S2_W)
				completes(STORE, "STR");
			else
				aborts(STORE,
				       ESR(EC_DATA_LOWER, ISS_X5 | ISS_WNR | (FSC_PERMISSION + 3)),
				       TEST_VA + 8, TEST_IPA, "STR");
			/* EL0 has no access in stage 1. */
			c.spsr = SPSR_DAIF;
			reflected(LOAD, VEC_EL0_SYNC, ESR(EC_DATA_LOWER, FSC_PERMISSION + 3), 0,
				  "LDR at EL0");
		}
}

/* A table of stage 1 that stage 2 does not let be read. */
void stage1_walk_aborts(void)
{
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	uint64_t table = phys_alloc(1), iss = ISS_S1PTW;

	/* Level 1 of stage 1, for TEST_VA, at an IPA that is not there: index 5 of it. */
	*stage_entry(&s1, TEST_VA, 0) = (TEST_IPA + 3 * PAGE_SIZE) | 3;
	use_stage1(1, &s1, TEST_VA + 5 * GIGABYTE + 0x18);
	aborts(LOAD, ESR(EC_DATA_LOWER, iss | (FSC_TRANSLATION + 1)), c.x[1],
	       TEST_IPA + 3 * PAGE_SIZE, "not mapped, LDR");
	aborts(STORE, ESR(EC_DATA_LOWER, iss | ISS_WNR | (FSC_TRANSLATION + 1)), c.x[1],
	       TEST_IPA + 3 * PAGE_SIZE, "not mapped, STR");
	c.pc = TEST_VA + 5 * GIGABYTE;
	lower_run(&c);
	CHECK(c.exit.esr == ESR(EC_INSN_LOWER, iss | (FSC_TRANSLATION + 1)) &&
		      c.exit.far == TEST_VA + 5 * GIGABYTE &&
		      c.exit.hpfar == HPFAR(TEST_IPA + 3 * PAGE_SIZE),
	      "fetch: ESR 0x%lx FAR 0x%lx HPFAR 0x%lx", c.exit.esr, c.exit.far, c.exit.hpfar);
	/* Readable, but Device memory: only HCR_EL2.PTW minds. */
	stage_map(&s2, TEST_IPA + 3 * PAGE_SIZE, table, PAGE_SIZE, S2_DEVICE | S2_RW);
	stage_flush();
	use_stage1(1, &s1, TEST_VA + 5 * GIGABYTE + 0x18);
	reflected(LOAD, VEC_SPX_SYNC, ESR(EC_DATA_SAME, FSC_TRANSLATION + 1), 0, "Device");
}

/* The level in the syndrome of a stage 2 fault on a walk of stage 1 is that of stage 2's lookup. */
void stage1_walk_levels(void)
{
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	uint64_t table = phys_alloc(1), ipa = TEST_IPA + 3 * PAGE_SIZE;
	uint64_t esr = ESR(EC_DATA_LOWER, ISS_S1PTW | (FSC_PERMISSION + 3));

	*stage_entry(&s1, TEST_VA, 0) = ipa | 3;
	stage_map(&s2, ipa, table, PAGE_SIZE, S2_NORMAL | S2_W);
	stage_flush();
	use_stage1(1, &s1, TEST_VA + 5 * GIGABYTE + 0x18);
	aborts(LOAD, esr, c.x[1], ipa, "not readable");
	stage_map(&s2, ipa, table, PAGE_SIZE, S2_DEVICE | S2_RW);
	stage_flush();
	use_stage1(1, &s1, TEST_VA + 5 * GIGABYTE + 0x18);
	c.hcr_el2 |= HCR_PTW;
	aborts(LOAD, esr, c.x[1], ipa, "Device with HCR_EL2.PTW");
}

#define PAR_F	(UINT64_C(1) << 0)
#define PAR_PTW (UINT64_C(1) << 8)
#define PAR_S	(UINT64_C(1) << 9)
#define PAR_PA	UINT64_C(0x0000fffffffff000)

#define PAR_FST(par) ((unsigned int)((par) >> 1 & 0x3f))

/* AT at EL2, of the context that c has left in EL1's registers. */
#define at_el2(operation, va)                                                         \
	({                                                                            \
		uint64_t hcr_ = read_sysreg(hcr_el2), par_;                           \
		write_sysreg(hcr_el2, c.hcr_el2);                                     \
		isb();                                                                \
		__asm__ volatile("at " operation ", %0\n\tisb" ::"r"(va) : "memory"); \
		par_ = read_sysreg(par_el1);                                          \
		write_sysreg(hcr_el2, hcr_);                                          \
		isb();                                                                \
		par_;                                                                 \
	})

void at_from_el2(void)
{
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	uint64_t pa = pattern_page(0), par;

	stage_map(&s1, TEST_VA, TEST_IPA, 4 * PAGE_SIZE, S1_NORMAL);
	stage_map(&s1, TEST_VA + 4 * PAGE_SIZE, TEST_IPA, PAGE_SIZE, S1_NORMAL | S1_RO);
	stage_map(&s2, TEST_IPA, pa, PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&s2, TEST_IPA + PAGE_SIZE, pa, PAGE_SIZE, S2_NORMAL | S2_R);
	use_stage1(1, &s1, TEST_VA);
	completes(LOAD, "LDR");

	par = at_el2("s12e1r", TEST_VA + 0x123);
	CHECK(!(par & PAR_F) && (par & PAR_PA) == pa, "S12E1R: 0x%lx", par);
	par = at_el2("s12e1w", TEST_VA);
	CHECK(!(par & PAR_F) && (par & PAR_PA) == pa, "S12E1W: 0x%lx", par);
	par = at_el2("s1e1r", TEST_VA);
	CHECK(!(par & PAR_F) && (par & PAR_PA) == TEST_IPA, "S1E1R: 0x%lx", par);
	par = at_el2("s12e1w", TEST_VA + PAGE_SIZE);
	CHECK((par & PAR_F) && (par & PAR_S) && !(par & PAR_PTW) &&
		      PAR_FST(par) == FSC_PERMISSION + 3,
	      "S12E1W, read-only in stage 2: 0x%lx", par);
	par = at_el2("s12e1r", TEST_VA + 2 * PAGE_SIZE);
	CHECK((par & PAR_F) && (par & PAR_S) && !(par & PAR_PTW) &&
		      PAR_FST(par) == FSC_TRANSLATION + 3,
	      "S12E1R, not in stage 2: 0x%lx", par);
	par = at_el2("s12e1w", TEST_VA + 4 * PAGE_SIZE);
	CHECK((par & PAR_F) && !(par & PAR_S) && PAR_FST(par) == FSC_PERMISSION + 3,
	      "S12E1W, read-only in stage 1: 0x%lx", par);
	par = at_el2("s12e0r", TEST_VA);
	CHECK((par & PAR_F) && !(par & PAR_S) && PAR_FST(par) == FSC_PERMISSION + 3,
	      "S12E0R, EL1's in stage 1: 0x%lx", par);
	par = at_el2("s12e1r", TEST_VA + 8 * PAGE_SIZE);
	CHECK((par & PAR_F) && !(par & PAR_S) && PAR_FST(par) == FSC_TRANSLATION + 3,
	      "S12E1R, not in stage 1: 0x%lx", par);
}

/* Stage 1 has its table of level 2 where stage 2 has nothing at its level 3: a fault to AT at EL2,
 * and an abort at EL1. */
void at_through_stage2(void)
{
	const uint32_t s1e1r = A64_SYS(0, 7, 8, 0, 1);
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	const uint64_t ipa = TEST_IPA + 8 * PAGE_SIZE;
	uint64_t par;

	stage_map(&s2, TEST_IPA, pattern_page(0), PAGE_SIZE, S2_NORMAL | S2_RW);
	*stage_entry(&s1, TEST_VA + 5 * GIGABYTE, 1) = ipa | 3;
	use_stage1(1, &s1, TEST_VA + 5 * GIGABYTE + 0x40);
	aborts(s1e1r, ESR(EC_DATA_LOWER, ISS_CM | ISS_S1PTW | ISS_WNR | (FSC_TRANSLATION + 3)),
	       c.x[1], ipa, "AT S1E1R at EL1");
	par = at_el2("s12e1r", c.x[1]);
	CHECK((par & PAR_F) && (par & PAR_S) && (par & PAR_PTW) &&
		      PAR_FST(par) == FSC_TRANSLATION + 3,
	      "S12E1R: 0x%lx", par);
}

void at_from_el1(void)
{
	struct stage s1 = stage1_begin(), s2 = stage2_with_ram(1);
	uint32_t s1e1r = A64_SYS(0, 7, 8, 0, 1);

	stage_map(&s2, TEST_IPA + PAGE_SIZE, pattern_page(0), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&s1, TEST_VA, TEST_IPA, PAGE_SIZE, S1_NORMAL);
	use_stage1(1, &s1, TEST_VA + 8);
	completes(s1e1r, "AT S1E1R"); /* stage 2 of the result is not looked at */
	CHECK(!(c.par_el1 & PAR_F) && (c.par_el1 & PAR_PA) == TEST_IPA, "PAR_EL1 0x%lx", c.par_el1);
	c.x[1] = TEST_VA + PAGE_SIZE;
	completes(s1e1r, "AT S1E1R, not in stage 1");
	CHECK((c.par_el1 & PAR_F) && !(c.par_el1 & PAR_S) &&
		      PAR_FST(c.par_el1) == FSC_TRANSLATION + 3,
	      "PAR_EL1 0x%lx", c.par_el1);
}

/* Two virtual machines at the same IPAs, with no TLB maintenance between them. */
void vmids(void)
{
	struct stage a = stage2_begin(1), b = stage2_begin(2);

	stage_map(&a, TEST_IPA, pattern_page(0xa000), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&b, TEST_IPA, pattern_page(0xb000), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage2_context(1, TEST_IPA);
	for (unsigned int i = 0; i < 4; i++) {
		stage2_use(i & 1 ? &b : &a, i & 1 ? 2 : 1);
		completes(LOAD, "LDR");
		CHECK(c.x[5] == (i & 1 ? 0xb000u : 0xa000u), "VMID %u has 0x%lx", i & 1 ? 2 : 1,
		      c.x[5]);
	}
}

/* The forms that make a changed stage 2 visible, for VMID 2 at its turn. */
void tlb_maintenance(void)
{
	struct stage a = stage2_begin(1), b = stage2_begin(2);
	uint64_t page = TEST_IPA >> 12;

	stage_map(&a, TEST_IPA, pattern_page(0xa000), PAGE_SIZE, S2_NORMAL | S2_RW);
	for (unsigned int i = 0; i < 6; i++) {
		uint64_t value = 0x10000u * (i + 1);

		stage_map(&b, TEST_IPA, pattern_page(value), PAGE_SIZE, S2_NORMAL | S2_RW);
		stage2_use(&b, 2);
		switch (i) {
		case 1:
			__asm__ volatile("tlbi ipas2e1, %0\n\tdsb ish\n\ttlbi vmalle1" ::"r"(page));
			break;
		case 2:
			__asm__ volatile(
				"tlbi ipas2e1is, %0\n\tdsb ish\n\ttlbi vmalle1is" ::"r"(page));
			break;
		case 3: __asm__ volatile("tlbi vmalls12e1" ::: "memory"); break;
		case 4: __asm__ volatile("tlbi vmalls12e1is" ::: "memory"); break;
		case 5: __asm__ volatile("tlbi alle1" ::: "memory"); break;
		default: break; /* nothing was mapped */
		}
		dsb();
		isb();
		stage2_context(1, TEST_IPA);
		completes(LOAD, "LDR");
		CHECK(c.x[5] == value, "form %u: 0x%lx, not 0x%lx", i, c.x[5], value);
		stage2_use(&a, 1);
		completes(LOAD, "LDR of the other");
		CHECK(c.x[5] == 0xa000, "form %u: the other VMID has 0x%lx", i, c.x[5]);
	}
}

/* Root tables that are two, one after the other: 40 bits from level 1. */
void concatenated_root(void)
{
	struct stage high = {phys_alloc(2) + PAGE_SIZE, 1}, low = {high.root - PAGE_SIZE, 1};
	uint64_t root = low.root, far_ipa = (UINT64_C(1) << 39) + TEST_IPA;

	if (root & PAGE_SIZE) { /* the root has to be aligned to its size */
		high.root = phys_alloc(1);
		root = low.root = high.root - PAGE_SIZE;
	}
	stage_map_level(&low, boot_info.image_pa & ~(GIGABYTE - 1),
			boot_info.image_pa & ~(GIGABYTE - 1), 1, S2_NORMAL | S2_RW);
	stage_map(&high, TEST_IPA, pattern_page(0x7000), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&low, TEST_IPA, pattern_page(0x8000), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage2_set((STAGE2_VTCR & ~UINT64_C(0x3f)) | 24, root, 1);
	stage_flush();
	stage2_context(1, far_ipa);
	completes(LOAD, "LDR from the second table");
	CHECK(c.x[5] == 0x7000, "0x%lx", c.x[5]);
	c.x[1] = TEST_IPA;
	completes(LOAD, "LDR from the first table");
	CHECK(c.x[5] == 0x8000, "0x%lx", c.x[5]);
	c.x[1] = far_ipa + PAGE_SIZE;
	aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_TRANSLATION + 3)), c.x[1], c.x[1],
	       "not mapped");
}

/* 30 bits from level 2. The code is not where RAM is then. */
void start_at_level_2(void)
{
	struct stage s = {phys_alloc(1), 2};
	uint64_t vectors = lower_address(lower_vectors_hvc) & ~UINT64_C(0xfff), test = 0x30000000;

	stage_map(&s, 0x1000, lower_code_page(), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&s, 0x2000, vectors, PAGE_SIZE, S2_NORMAL | S2_RW);
	stage_map(&s, test, pattern_page(0x9000), PAGE_SIZE, S2_NORMAL | S2_RW);
	stage2_set((STAGE2_VTCR & ~UINT64_C(0xff)) | 34, s.root, 1);
	stage_flush();
	stage2_context(1, test + 8);
	c.code = 0x1000;
	c.vbar_el1 = 0x2000 + (lower_address(lower_vectors_hvc) & 0xfff);
	completes(LOAD, "LDR");
	CHECK(c.x[5] == 0x9001, "0x%lx", c.x[5]);
	c.x[1] = test + (1 << 21) + 8;
	CHECK(!lower_insn(&c, LOAD) &&
		      c.exit.esr == ESR(EC_DATA_LOWER, ISS_X5 | (FSC_TRANSLATION + 2)) &&
		      c.exit.elr == 0x1000 && c.exit.hpfar == HPFAR(test + (1 << 21)),
	      "ESR 0x%lx ELR 0x%lx HPFAR 0x%lx", c.exit.esr, c.exit.elr, c.exit.hpfar);
	c.x[1] = GIGABYTE;
	CHECK(!lower_insn(&c, LOAD) && c.exit.esr == ESR(EC_DATA_LOWER, ISS_X5 | FSC_TRANSLATION),
	      "out of range: ESR 0x%lx", c.exit.esr);
}
