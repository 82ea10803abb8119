/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: stage 2 of EL1&0: faults by type and level, permissions, syndromes (Arm ARM D8.2, D8.15,
 * D24.2 ESR_EL2, HPFAR_EL2).
 */
#include "arch.h"
#include "boot.h"
#include "levels_stage2.h"

extern char lower_vectors_hvc[];

void map_code(const struct stage *s, uint64_t attributes)
{
	uint64_t vectors = lower_address(lower_vectors_hvc) & ~UINT64_C(0xfff);

	stage_map(s, lower_code_page(), lower_code_page(), PAGE_SIZE, attributes);
	stage_map(s, vectors, vectors, PAGE_SIZE, attributes);
}

#define VSTCR_EL2 S3_4_C2_C6_2

/* T0SZ, SL0, TG0 and RES1 of VSTCR_EL2 are as in VTCR_EL2; SW and SA 0: tables and memory are
 * Secure. */
#define VSTCR_FIELDS UINT64_C(0x8000c0ff)

void stage2_set(uint64_t vtcr, uint64_t root, unsigned int vmid)
{
	write_sysreg(vtcr_el2, vtcr);
	write_sysreg(vttbr_el2, root | (uint64_t)vmid << 48);
	if (secure_el2()) { /* Secure IPAs have their own */
		write_sysreg(VSTCR_EL2, vtcr & VSTCR_FIELDS);
		write_sysreg(VSTTBR_EL2, root);
	}
	isb();
}

void stage2_use(const struct stage *s, unsigned int vmid)
{
	stage2_set(STAGE2_VTCR, s->root, vmid);
}

struct stage stage2_begin(unsigned int vmid)
{
	struct stage s = stage2_new();

	map_code(&s, S2_NORMAL | S2_RW);
	stage2_use(&s, vmid);
	stage_flush();
	return s;
}

void stage2_context(unsigned int el, uint64_t x1)
{
	lower_init(&c, el, 0);
	c.hcr_el2 |= HCR_VM;
	c.x[1] = x1;
}

bool aborts(uint32_t word, uint64_t esr, uint64_t far, uint64_t ipa, const char *what)
{
	return taken(word, esr, 0, what) &&
	       CHECK(c.exit.far == far && c.exit.hpfar == HPFAR(ipa),
		     "%s: FAR 0x%lx, not 0x%lx; HPFAR 0x%lx, not 0x%lx", what, c.exit.far, far,
		     c.exit.hpfar, HPFAR(ipa));
}

uint64_t pattern_page(uint64_t value)
{
	uint64_t pa = phys_alloc(1);
	uint64_t *words = linear(pa);

	for (unsigned int i = 0; i < PAGE_SIZE / 8; i++)
		words[i] = value + i;
	dsb();
	/* EL1's accesses are Device ones with its MMU off. */
	for (unsigned int i = 0; i < PAGE_SIZE; i += 16)
		__asm__ volatile("dc civac, %0" ::"r"((uintptr_t)words + i) : "memory");
	dsb();
	return pa;
}

static const char *level_name(unsigned int level)
{
	static const char *const names[] = {"level 0", "level 1", "level 2", "level 3"};

	return names[level];
}

/* Instruction fetch from ipa. */
static void fetch_aborts(uint64_t ipa, uint64_t fsc, const char *what)
{
	struct lower_exit e;

	c.pc = ipa;
	e = lower_run(&c);
	CHECK(e.kind == LOWER_SYNC && e.esr == ESR(EC_INSN_LOWER, fsc) && e.far == ipa &&
		      e.elr == ipa && e.hpfar == HPFAR(ipa),
	      "fetch, %s: ESR 0x%lx FAR 0x%lx ELR 0x%lx HPFAR 0x%lx", what, e.esr, e.far, e.elr,
	      e.hpfar);
}

void stage2_identity(void)
{
	struct stage s = stage2_begin(1);
	uint64_t pa = pattern_page(0x1000);

	for (unsigned int el = 0; el < 2; el++) {
		stage_map(&s, TEST_IPA + el * PAGE_SIZE, pa, PAGE_SIZE, S2_NORMAL | S2_RW);
		stage2_context(el, TEST_IPA + el * PAGE_SIZE + 16);
		completes(LOAD, "LDR");
		CHECK(c.x[5] == 0x1002 + el, "EL%u: 0x%lx", el, c.x[5]);
		c.x[5]++;
		completes(STORE, "STR");
		completes(LOAD, "LDR");
		CHECK(c.x[5] == 0x1003 + el, "EL%u: 0x%lx after the store", el, c.x[5]);
	}
}

void stage2_translation_faults(void)
{
	struct stage s = stage2_begin(1);

	for (unsigned int level = 1; level <= 3; level++) {
		uint64_t ipa = TEST_IPA + level * GIGABYTE;

		*stage_entry(&s, ipa, level) = 0; /* with the tables above */
		for (unsigned int el = 0; el < 2; el++) {
			stage2_context(el, ipa + 0x128);
			aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_TRANSLATION + level)),
			       ipa + 0x128, ipa, level_name(level));
			aborts(STORE,
			       ESR(EC_DATA_LOWER, ISS_X5 | ISS_WNR | (FSC_TRANSLATION + level)),
			       ipa + 0x128, ipa, level_name(level));
			fetch_aborts(ipa + 0x40, FSC_TRANSLATION + level, level_name(level));
		}
	}
	/* Beyond the input size. */
	stage2_context(1, (UINT64_C(1) << STAGE2_BITS) + 8);
	aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | FSC_TRANSLATION), c.x[1], c.x[1], "out of range");
}

/* What a block or page of each level maps of a page of RAM. */
static uint64_t ipa_of(uint64_t pa, unsigned int level)
{
	uint64_t size = UINT64_C(1) << (12 + (3 - level) * 9);

	return TEST_IPA + (4 + level) * GIGABYTE + (pa & (size - 1));
}

static void map_at_level(const struct stage *s, uint64_t pa, unsigned int level,
			 uint64_t attributes)
{
	uint64_t size = UINT64_C(1) << (12 + (3 - level) * 9);

	stage_map_level(s, ipa_of(pa, level) & ~(size - 1), pa & ~(size - 1), level, attributes);
}

void stage2_permission_faults(void)
{
	static const struct {
		uint64_t attributes;
		bool load, store;
		const char *name;
	} cases[] = {
		{S2_NORMAL | S2_RW, true, true, "read and write"},
		{S2_NORMAL | S2_R, true, false, "read-only"},
		{S2_NORMAL | S2_W, false, true, "write-only"},
		{S2_NORMAL, false, false, "no access"},
	};
	uint64_t pa = pattern_page(0x2000);

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s = stage2_begin(1);

		for (unsigned int level = 1; level <= 3; level++) {
			uint64_t ipa = ipa_of(pa, level);

			map_at_level(&s, pa, level, cases[i].attributes);
			stage2_context(1, ipa + 24);
			if (cases[i].load) {
				completes(LOAD, cases[i].name);
				CHECK(c.x[5] == 0x2003, "%s: 0x%lx", cases[i].name, c.x[5]);
			} else {
				aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_PERMISSION + level)),
				       ipa + 24, ipa, cases[i].name);
			}
			c.x[5] = 0x2003;
			if (cases[i].store)
				completes(STORE, cases[i].name);
			else
				aborts(STORE,
				       ESR(EC_DATA_LOWER,
					   ISS_X5 | ISS_WNR | (FSC_PERMISSION + level)),
				       ipa + 24, ipa, cases[i].name);
		}
	}
}

void stage2_execute_never(void)
{
	uint64_t pa = pattern_page(0);
	uint32_t *code = linear(pa);

	code[0] = A64_HVC(0x321);
	dsb();
	__asm__ volatile("dc civac, %0\n\tdsb sy\n\tic ialluis\n\tdsb ish\n\tisb" ::"r"(code)
			 : "memory");
	for (unsigned int level = 1; level <= 3; level++) {
		struct stage s = stage2_begin(1);
		uint64_t ipa = ipa_of(pa, level);

		map_at_level(&s, pa, level, S2_NORMAL | S2_RW);
		stage2_context(1, 0);
		c.pc = ipa;
		lower_run(&c);
		CHECK(c.exit.esr == ESR(EC_HVC64, 0x321), "executable: ESR 0x%lx", c.exit.esr);
		s = stage2_begin(1);
		map_at_level(&s, pa, level, S2_NORMAL | S2_RW | S2_XN);
		fetch_aborts(ipa, FSC_PERMISSION + level, "XN");
		c.x[1] = ipa;
		completes(LOAD, "a load where nothing is executed");
	}
}

void stage2_access_flag(void)
{
	uint64_t pa = pattern_page(0);

	for (unsigned int level = 1; level <= 3; level++) {
		struct stage s = stage2_begin(1);
		uint64_t ipa = ipa_of(pa, level);

		map_at_level(&s, pa, level, (S2_NORMAL | S2_RW) & ~(UINT64_C(1) << 10));
		stage2_context(1, ipa);
		aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_ACCESS + level)), ipa, ipa,
		       level_name(level));
		fetch_aborts(ipa, FSC_ACCESS + level, level_name(level));
	}
}

/* Output addresses beyond VTCR_EL2.PS, of blocks, pages and tables. */
void stage2_address_size(void)
{
	uint64_t beyond = UINT64_C(1) << 44;

	for (unsigned int level = 1; level <= 3; level++) {
		struct stage s = stage2_begin(1);
		uint64_t ipa = TEST_IPA + level * GIGABYTE;

		stage_map_level(&s, ipa, beyond, level, S2_NORMAL | S2_RW);
		stage2_context(1, ipa + 8);
		aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_ADDRESS_SIZE + level)), ipa + 8, ipa,
		       level_name(level));
		if (level == 3)
			continue;
		*stage_entry(&s, ipa, level) = beyond | 3;
		stage_flush();
		aborts(STORE, ESR(EC_DATA_LOWER, ISS_X5 | ISS_WNR | (FSC_ADDRESS_SIZE + level)),
		       ipa + 8, ipa, "table");
	}
}

/* The part of the ISS from which a hypervisor emulates a device. */
void stage2_instruction_syndrome(void)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t iss;
	} cases[] = {
		{"LDRB W5", 0x39400025, ISS_ISV | ISS_SAS(0) | ISS_SRT(5)},
		{"LDRH W5", 0x79400025, ISS_ISV | ISS_SAS(1) | ISS_SRT(5)},
		{"LDR W5", 0xb9400025, ISS_ISV | ISS_SAS(2) | ISS_SRT(5)},
		{"LDR X5", 0xf9400025, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF},
		{"LDR XZR", 0xf940003f, ISS_ISV | ISS_SAS(3) | ISS_SRT(31) | ISS_SF},
		{"LDR X5, [X1, X2]", 0xf8626825, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF},
		{"LDUR X5", 0xf8400025, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF},
		{"LDTR X5", 0xf8400825, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF},
		{"LDRSB X5", 0x39800025, ISS_ISV | ISS_SAS(0) | ISS_SSE | ISS_SRT(5) | ISS_SF},
		{"LDRSB W5", 0x39c00025, ISS_ISV | ISS_SAS(0) | ISS_SSE | ISS_SRT(5)},
		{"LDRSH X5", 0x79800025, ISS_ISV | ISS_SAS(1) | ISS_SSE | ISS_SRT(5) | ISS_SF},
		{"LDRSH W5", 0x79c00025, ISS_ISV | ISS_SAS(1) | ISS_SSE | ISS_SRT(5)},
		{"LDRSW X5", 0xb9800025, ISS_ISV | ISS_SAS(2) | ISS_SSE | ISS_SRT(5) | ISS_SF},
		{"LDAR X5", 0xc8dffc25, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF | ISS_AR},
		{"LDARB W5", 0x08dffc25, ISS_ISV | ISS_SAS(0) | ISS_SRT(5) | ISS_AR},
		{"STRB W5", 0x39000025, ISS_ISV | ISS_SAS(0) | ISS_SRT(5) | ISS_WNR},
		{"STRH W5", 0x79000025, ISS_ISV | ISS_SAS(1) | ISS_SRT(5) | ISS_WNR},
		{"STR W5", 0xb9000025, ISS_ISV | ISS_SAS(2) | ISS_SRT(5) | ISS_WNR},
		{"STR X5", 0xf9000025, ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF | ISS_WNR},
		{"STR XZR", 0xf900003f, ISS_ISV | ISS_SAS(3) | ISS_SRT(31) | ISS_SF | ISS_WNR},
		{"STLR X5", 0xc89ffc25,
		 ISS_ISV | ISS_SAS(3) | ISS_SRT(5) | ISS_SF | ISS_AR | ISS_WNR},
		/* None for more than one register, a base that changes, or exclusives. */
		{"LDR X5, [X1], #8", 0xf8408425, 0},
		{"LDR X5, [X1, #8]!", 0xf8408c25, 0},
		{"STR X5, [X1], #8", 0xf8008425, ISS_WNR},
		{"LDP X5, X6", 0xa9401825, 0},
		{"STP X5, X6", 0xa9001825, ISS_WNR},
		{"LDXR X5", 0xc85f7c25, 0},
	};

	stage2_begin(1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool pre = cases[i].word == 0xf8408c25;

		stage2_context(1, TEST_IPA + 0x80);
		c.x[2] = 0;
		c.x[5] = 55;
		aborts(cases[i].word, ESR(EC_DATA_LOWER, cases[i].iss | (FSC_TRANSLATION + 1)),
		       TEST_IPA + 0x80 + (pre ? 8 : 0), TEST_IPA, cases[i].name);
		CHECK(c.x[1] == TEST_IPA + 0x80 && c.x[5] == 55, "%s: X1 0x%lx X5 0x%lx",
		      cases[i].name, c.x[1], c.x[5]);
	}
}

/* A device that main plays: a load and a store that it emulates. */
void stage2_emulated_device(void)
{
	static const uint32_t words[] = {LOAD, 0x910004a5u /* ADD X5, X5, #1 */, STORE, A64_NOP};
	struct lower_exit e;

	stage2_begin(1);
	stage2_context(1, TEST_IPA + 0x10);
	CHECK(!lower_code(&c, words, 4) && c.exit.hpfar == HPFAR(TEST_IPA) &&
		      (c.exit.esr & ISS_ISV) && !(c.exit.esr & ISS_WNR),
	      "LDR: ESR 0x%lx", c.exit.esr);
	c.x[field(c.exit.esr, 20, 16)] = 41;
	lower_skip(&c);
	e = lower_run(&c);
	CHECK(e.elr == lower_code_page() + 8 && (e.esr & ISS_WNR) &&
		      c.x[field(e.esr, 20, 16)] == 42,
	      "STR: ESR 0x%lx ELR 0x%lx X5 %lu", e.esr, e.elr, c.x[5]);
	lower_skip(&c);
	e = lower_run(&c);
	CHECK(e.esr == ESR(EC_HVC64, LOWER_DONE), "end: ESR 0x%lx", e.esr);
}

/* HCR_EL2.DC: with stage 1 off EL1's memory is Normal, so that unaligned accesses work, and VM
 * counts as 1. */
void stage2_default_cacheable(void)
{
	uint64_t pa = pattern_page(0);
	struct stage s = stage2_begin(1);

	stage_map(&s, TEST_IPA, pa, PAGE_SIZE, S2_NORMAL | S2_RW);
	stage2_context(1, TEST_IPA + 4);
	c.hcr_el2 = (c.hcr_el2 & ~HCR_VM) | HCR_DC;
	completes(LOAD, "unaligned LDR");
	CHECK(c.x[5] == UINT64_C(1) << 32, "0x%lx", c.x[5]);
	c.x[1] = TEST_IPA + GIGABYTE;
	aborts(LOAD, ESR(EC_DATA_LOWER, ISS_X5 | (FSC_TRANSLATION + 1)), TEST_IPA + GIGABYTE,
	       TEST_IPA + GIGABYTE, "not mapped");
}

const char *needs_hafdbs(void)
{
	if (needs_el2())
		return needs_el2();
	return field(read_sysreg(id_aa64mmfr1_el1), 3, 0) < 2 ? "no FEAT_HAFDBS with dirty state"
							      : NULL;
}

/* VTCR_EL2.{HA,HD}: the walk sets AF, and S2AP[1] of what DBM says is writable. */
void stage2_hardware_update(void)
{
	const uint64_t af = UINT64_C(1) << 10, dbm = UINT64_C(1) << 51;
	uint64_t vtcr = STAGE2_VTCR | UINT64_C(1) << 21, pa = pattern_page(0x3000);
	struct stage s = stage2_begin(1);
	volatile uint64_t *entry = stage_entry(&s, TEST_IPA, 3);

	stage_map(&s, TEST_IPA, pa, PAGE_SIZE, ((S2_NORMAL | S2_R) & ~af) | dbm);
	stage2_set(vtcr, s.root, 1);
	stage_flush();
	stage2_context(1, TEST_IPA + 8);
	completes(LOAD, "LDR with HA");
	CHECK(c.x[5] == 0x3001 && (*entry & af), "0x%lx, entry 0x%lx", c.x[5], *entry);
	aborts(STORE, ESR(EC_DATA_LOWER, ISS_X5 | ISS_WNR | (FSC_PERMISSION + 3)), TEST_IPA + 8,
	       TEST_IPA, "STR without HD");
	CHECK(!(*entry & S2_W), "entry 0x%lx", *entry);
	stage2_set(vtcr | UINT64_C(1) << 22, s.root, 1);
	stage_flush();
	completes(STORE, "STR with HD");
	CHECK(*entry & S2_W, "entry 0x%lx after the store", *entry);
	/* Without DBM it stays read-only. */
	stage_map(&s, TEST_IPA, pa, PAGE_SIZE, S2_NORMAL | S2_R);
	stage_flush();
	aborts(STORE, ESR(EC_DATA_LOWER, ISS_X5 | ISS_WNR | (FSC_PERMISSION + 3)), TEST_IPA + 8,
	       TEST_IPA, "STR without DBM");
}
