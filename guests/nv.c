/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nv: nested virtualization, FEAT_NV and FEAT_NV2. EL1 takes itself for EL2; HCR_EL2.{NV,NV1,NV2}
 * and VNCR_EL2 decide which of its accesses go to memory, and which are trapped. Each register of
 * SPE that has a place there, and each of the others (nv.def): the place has the value and the
 * register keeps its own (Arm ARM D8.11, D24).
 *
 * {NV,NV1} = {0,1} is not tested: what the PE then takes them for is CONSTRAINED UNPREDICTABLE.
 */
#include "access_run.h"
#include "boot.h"
#include "nv_code.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define VNCR_EL2 S3_4_C2_C2_0

#define PATTERN(i) ((i)*UINT64_C(0x100000001))

#define EC_DATA_VNCR	EC_DATA_SAME /* of EL2's own translation regime, though taken from EL1 */
#define ISS_VNCR	(UINT64_C(1) << 13)
#define ISS_WNR		(UINT64_C(1) << 6)
#define ESR_IL		(UINT64_C(1) << 25)
#define TYPE_NV2(write) (0x30u | (write))

enum nv_kind { KIND_EL2, KIND_EL12, KIND_EL1, KIND_EL1T, KIND_ANY };
enum nv_needs { NEEDS_NV2, NEEDS_FGT, NEEDS_FGT2, NEEDS_ECV, NEEDS_HCX, NEEDS_GIC };

static const struct nv_fact {
	const char *name;
	uint32_t sysreg; /* A64_SYSREG() */
	uint16_t offset;
	enum nv_kind kind;
	enum nv_needs needs;
	uint64_t value;
} facts[] = {
#define NV(name, op0, op1, crn, crm, op2, offset, kind, needs, value) \
	{#name, A64_SYSREG(op0, op1, crn, crm, op2), offset, KIND_##kind, NEEDS_##needs, value},
#include "nv.def"
#undef NV
};

#define FACTS (sizeof(facts) / sizeof(facts[0]))

extern char nv_own[], nv_sled[];

static volatile uint64_t *page; /* VNCR_EL2's */
static struct lower_context lower;

/* {NV2,NV1,NV} as bits 2 to 0. */
static const unsigned int nvx_values[] = {0, 4, 1, 3, 5, 7};
#define NVX_VALUES (sizeof(nvx_values) / sizeof(nvx_values[0]))

static uint64_t hcr_of(unsigned int nvx)
{
	return (nvx & 1 ? HCR_NV : 0) | (nvx & 2 ? HCR_NV1 : 0) | (nvx & 4 ? HCR_NV2 : 0);
}

static const char *needs_nv2(void)
{
	const char *why = needs_el2();

	return !why && !access_machine.nv2 ? "no FEAT_NV2" : why;
}

static const char *needs_nv2_spe(void)
{
	const char *why = needs_nv2();

	return why ? why : needs_spe();
}

static const char *needs_nv2_exc(void)
{
	const char *why = needs_nv2_spe();

	return !why && !access_machine.exc ? "no FEAT_SPE_EXC" : why;
}

static const char *needs_nv2_host(void)
{
	const char *why = needs_nv2_spe();

	return !why && !access_machine.vhe ? "no FEAT_VHE" : why;
}

static const char *needs_nv2_samples(void)
{
	const char *why = needs_nv2();

	return why ? why : access_needs_samples();
}

static void report_done(unsigned long before)
{
	struct access_controls c = access_open();

	access_vncr = NULL;
	access_set(&c);
	tap_note("%lu accesses", access_count - before);
}

/* The two that FEAT_NV2 is known for with SPE, by themselves. */
static void interval_registers(void)
{
	unsigned long before = access_count;

	access_vncr = page;
	CHECK(statement_facts[SYSREG_PMSICR_EL1].offset == 0x838, "PMSICR_EL1");
	CHECK(statement_facts[SYSREG_PMSIRR_EL1].offset == 0x840, "PMSIRR_EL1");
	for (unsigned int nvx = 5; nvx <= 7; nvx += 2)
		for (unsigned int i = 0; i < 4 * ACCESS_RT_COUNT; i++) {
			struct access_controls c = access_open();

			c.hcr_el2 |= hcr_of(nvx);
			access_set(&c);
			access_check(&c, 1, i & 1 ? SYSREG_PMSIRR_EL1 : SYSREG_PMSICR_EL1,
				     i >> 1 & 1, i >> 2);
		}
	report_done(before);
}

/* Every combination, and what EL2 traps instead. */
static void all_combinations(uint64_t hcr)
{
	unsigned long before = access_count;

	access_vncr = page;
	for (unsigned int i = 0; i < NVX_VALUES * 6; i++) {
		struct access_controls c = access_open();
		unsigned int trap = i / NVX_VALUES;

		c.hcr_el2 |= hcr | hcr_of(nvx_values[i % NVX_VALUES]);
		c.mdcr_el2 |= trap == 1 ? MDCR2_TPMS : 0;
		if (trap == 2 || trap == 3)
			c.mdcr_el2 = (c.mdcr_el2 & ~MDCR2_E2PB(3)) | MDCR2_E2PB(trap == 2 ? 0 : 2);
		for (unsigned int j = 0; j < 4 && trap >= 4; j++)
			if ((j & 1) == (trap & 1))
				c.fgt[j >> 1][j & 1] = access_fgt_closed(j >> 1, j & 1);
		access_set(&c);
		access_check_all(&c, 1, trap == 0);
	}
	report_done(before);
}

static void test_combinations(void)
{
	all_combinations(0);
}

static void combinations_e2h(void)
{
	all_combinations(HCR_E2H);
}

/* Where both PMSCR_ELx.EE are in force, NV1 decides whether EL1 has PMBSR_EL1 itself. */
static void exceptions_enabled(void)
{
	unsigned long before = access_count;

	access_vncr = page;
	for (unsigned int i = 0; i < NVX_VALUES * 8; i++) {
		struct access_controls c = access_open();

		c.hcr_el2 |= hcr_of(nvx_values[i % NVX_VALUES]);
		c.pmscr_el2 = (uint64_t)(i / NVX_VALUES & 3) << 8;
		c.pmscr_el1 = i / NVX_VALUES & 4 ? UINT64_C(3) << 8 : 0;
		access_set(&c);
		access_check_all(&c, 1, false);
	}
	report_done(before);
}

static bool is_present(enum nv_needs needs)
{
	switch (needs) {
	case NEEDS_FGT: return access_machine.fgt;
	case NEEDS_FGT2: return access_machine.fgt2;
	case NEEDS_ECV: return field(read_sysreg(id_aa64mmfr0_el1), 63, 60) >= 2;
	case NEEDS_HCX: return field(read_sysreg(id_aa64mmfr1_el1), 43, 40);
	case NEEDS_GIC: return field(read_sysreg(id_aa64pfr0_el1), 27, 24);
	case NEEDS_NV2: break;
	}
	return true;
}

static enum access_outcome expected_outcome(enum nv_kind kind, unsigned int nvx)
{
	switch (kind) {
	case KIND_EL2:
	case KIND_EL12:
		if ((nvx & 5) == 5 && (kind == KIND_EL2 || nvx == 5))
			return OUTCOME_MEMORY;
		return nvx & 1 ? OUTCOME_TRAP_EL2 : OUTCOME_UNDEFINED;
	case KIND_EL1: return nvx == 7 ? OUTCOME_MEMORY : OUTCOME_REGISTER;
	case KIND_EL1T:
		if (nvx == 7)
			return OUTCOME_MEMORY;
		return nvx == 3 ? OUTCOME_TRAP_EL2 : OUTCOME_REGISTER;
	case KIND_ANY: return (nvx & 5) == 5 ? OUTCOME_MEMORY : OUTCOME_REGISTER;
	}
	return OUTCOME_UNDEFINED;
}

/* The register at EL2, of an EL12 name by the other one. A timer's ISTATUS is not looked at. */
static uint64_t own_value(const struct nv_fact *f, bool write, uint64_t value)
{
	uintptr_t code;

	for (unsigned int i = 0; f->kind == KIND_EL12 && i < FACTS; i++)
		if (facts[i].offset == f->offset && facts[i].kind != KIND_EL12)
			f = &facts[i];
	code = (uintptr_t)nv_own + (uintptr_t)(f - facts) * 16 + (write ? 8 : 0);
	value = ((uint64_t(*)(uint64_t))code)(value);
	isb();
	return f->offset == 0x170 || f->offset == 0x180 ? value & 3 : value;
}

static enum access_outcome outcome_seen(void)
{
	unsigned int el;

	if (lower_vector(&lower, &el) >= 0)
		return OUTCOME_UNDEFINED;
	return OUTCOME_TRAP_EL2;
}

/* ESR_EL1, SPSR_EL1, ELR_EL1: what is UNDEFINED at EL1 changes them. */
static bool describes_exception(uint16_t offset)
{
	return offset == 0x138 || offset == 0x160 || offset == 0x230;
}

static void check_other(const struct nv_fact *f, unsigned int nvx, bool write)
{
	enum access_outcome expect = expected_outcome(f->kind, nvx), outcome;
	uint32_t word = write ? A64_MSR(f->sysreg, 5) : A64_MRS(f->sysreg, 5);
	unsigned int at = f->offset / 8;
	uint64_t before, after, stored = 0;

	access_count++;
	lower_init(&lower, 1, 0);
	if (expect == OUTCOME_REGISTER) {
		before = own_value(f, false, 0);
		own_value(f, true, f->value);
		stored = own_value(f, false, 0);
		own_value(f, true, before);
	}
	lower_insn(&lower, A64_NOP);
	before = own_value(f, false, 0);
	for (unsigned int i = 0; i < PAGE_SIZE / 8; i++)
		page[i] = PATTERN(i);
	lower.hcr_el2 |= hcr_of(nvx);
	lower.x[5] = f->value;
	outcome = lower_insn(&lower, word) ? OUTCOME_REGISTER : outcome_seen();
	after = own_value(f, false, 0);
	if (outcome == OUTCOME_REGISTER && expect == OUTCOME_MEMORY)
		outcome = expect;
#define TEST(condition, what, value)                                                             \
	CHECK(condition, "%s of %s, {NV2,NV1,NV} %u%u%u: " what " 0x%lx", write ? "MSR" : "MRS", \
	      f->name, nvx >> 2, nvx >> 1 & 1, nvx & 1, (uint64_t)(value))
	if (!CHECK(outcome == expect, "%s of %s, {NV2,NV1,NV} %u%u%u: %s, not %s",
		   write ? "MSR" : "MRS", f->name, nvx >> 2, nvx >> 1 & 1, nvx & 1,
		   access_outcome_name(outcome), access_outcome_name(expect)))
		return;
	for (unsigned int i = 0; i < PAGE_SIZE / 8; i++)
		if (expect == OUTCOME_MEMORY && i == at && write)
			TEST(page[i] == f->value, "memory has", page[i]);
		else if (!TEST(page[i] == PATTERN(i), "memory changed at", i * 8))
			break;
	if (expect == OUTCOME_REGISTER && write)
		TEST(after == stored, "the register has", after);
	else if (outcome != OUTCOME_UNDEFINED || !describes_exception(f->offset))
		TEST(after == before, "the register changed to", after);
	if (expect == OUTCOME_MEMORY && !write)
		TEST(lower.x[5] == PATTERN(at), "Xt is", lower.x[5]);
	if (expect == OUTCOME_REGISTER && !write && f->offset != 0x170 && f->offset != 0x180)
		TEST(lower.x[5] == before, "Xt is", lower.x[5]);
	if (expect == OUTCOME_TRAP_EL2)
		TEST(lower.exit.esr == ((uint64_t)EC_SYSREG << 26 | ESR_IL |
					lower_sysreg_iss(f->sysreg, 5, !write)),
		     "ESR_EL2 is", lower.exit.esr);
#undef TEST
}

static void other_registers(void)
{
	unsigned long before = access_count;
	unsigned int absent = 0;

	for (unsigned int i = 0; i < FACTS; i++) {
		if (!is_present(facts[i].needs)) {
			absent++;
			continue;
		}
		for (unsigned int j = 0; j < NVX_VALUES * 2; j++)
			check_other(&facts[i], nvx_values[j >> 1], j & 1);
	}
	tap_note("%u of %lu registers are not implemented", absent, FACTS);
	report_done(before);
}

/* Registers with a place, with every NV1: one that needs no SPE, and SPE's. */
static const struct placed {
	uint32_t sysreg;
	uint16_t offset;
	bool spe;
	enum sysreg_id reg;
} placed[] = {
	{A64_SYSREG(3, 4, 13, 0, 2), 0x090, false, 0}, /* TPIDR_EL2 */
	{A64_SYSREG(3, 0, 9, 9, 2), 0x838, true, SYSREG_PMSICR_EL1},
	{A64_SYSREG(3, 0, 9, 9, 3), 0x840, true, SYSREG_PMSIRR_EL1},
	{A64_SYSREG(3, 0, 9, 10, 0), 0x800, true, SYSREG_PMBLIMITR_EL1},
};

/* How VNCR_EL2's page is mapped at EL2. */
enum vncr_page { PAGE_ABSENT, PAGE_READ_ONLY };

/* EL1 accesses a register whose place cannot be reached; EL2 mends that, and EL1 goes on. */
static void check_fault(const struct placed *r, uint64_t hcr, enum vncr_page how, bool write)
{
	uint64_t va = (uintptr_t)page, pa = mmu_translate(va), entry = mmu_unmap(va);
	uint64_t fsc = how == PAGE_ABSENT ? FSC_TRANSLATION_L3 : FSC_PERMISSION_L3;
	uint64_t esr =
		(uint64_t)EC_DATA_VNCR << 26 | ESR_IL | ISS_VNCR | (write ? ISS_WNR : 0) | fsc;
	uint64_t before = r->spe ? access_get(r->reg) : 0, given = 0x1234;
	volatile uint64_t *place = &page[r->offset / 8];
	bool completed;

	access_count++;
	if (how == PAGE_READ_ONLY)
		map_page(va, pa, MAP_RODATA);
	lower_init(&lower, 1, 0);
	lower.hcr_el2 |= hcr;
	lower.x[5] = given;
	completed = lower_insn(&lower, write ? A64_MSR(r->sysreg, 5) : A64_MRS(r->sysreg, 5));
	mmu_unmap(va);
	mmu_restore(va, entry);
#define TEST(condition, what, value)                                                              \
	CHECK(condition, "%s of 0x%x, page %u: " what " 0x%lx", write ? "MSR" : "MRS", r->offset, \
	      (unsigned int)how, (uint64_t)(value))
	if (how == PAGE_READ_ONLY && !write) {
		TEST(completed, "read of a page that EL2 may read: ESR_EL2", lower.exit.esr);
		return;
	}
	if (!TEST(!completed && lower_vector(&lower, NULL) < 0, "no fault, ESR_EL2",
		  lower.exit.esr))
		return;
	TEST(lower.exit.kind == LOWER_SYNC && lower.exit.esr == esr, "ESR_EL2", lower.exit.esr);
	TEST(lower.exit.far == va + r->offset, "FAR_EL2", lower.exit.far);
	TEST(lower.exit.elr == lower_code_page(), "ELR_EL2", lower.exit.elr);
	TEST(lower.x[5] == given, "Xt", lower.x[5]);
	TEST(*place == PATTERN(r->offset / 8), "memory", *place);
	lower_run(&lower);
	TEST((write ? *place : lower.x[5]) == (write ? given : PATTERN(r->offset / 8)),
	     "again: memory", *place);
	if (r->spe)
		TEST(access_get(r->reg) == before, "the register changed to", access_get(r->reg));
#undef TEST
	*place = PATTERN(r->offset / 8);
}

static void test_faults(void)
{
	unsigned long before = access_count;
	unsigned int count = sizeof(placed) / sizeof(placed[0]);

	for (unsigned int i = 0; i < PAGE_SIZE / 8; i++)
		page[i] = PATTERN(i);
	for (unsigned int i = 0; i < count * 16; i++) {
		const struct placed *r = &placed[i / 16];
		struct access_controls c = access_open();

		if (r->spe && needs_spe())
			continue;
		c.hcr_el2 |= i & 8 && access_machine.vhe ? HCR_E2H : 0;
		access_set(&c);
		check_fault(r, HCR_NV | HCR_NV2 | (i & 4 ? HCR_NV1 : 0),
			    i & 2 ? PAGE_READ_ONLY : PAGE_ABSENT, i & 1);
	}
	report_done(before);
}

/*
 * Accesses that became memory accesses are sampled as such (Arm ARM D18.2.7, operation type
 * packet). Their addresses, which are EL2's, are in the record only if EL2 is profiled.
 */
static void sampled_by(bool el2)
{
	const size_t pages = spe_space(4) / PAGE_SIZE;
	uint64_t pa = phys_alloc(pages), start = lower_address(nv_sled), va = (uintptr_t)page;
	const uint8_t *bytes = linear(pa);
	uint64_t pointer = el2 ? (uintptr_t)bytes : pa, used;
	struct access_controls c = access_open();
	struct spe_setup setup = {
		.pointer = pointer,
		.limit = pointer + pages * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(1),
	};
	struct record r;
	unsigned int samples = 0;
	long size;

	c.hcr_el2 |= HCR_NV | HCR_NV2;
	c.mdcr_el2 &= el2 ? ~MDCR2_E2PB(3) : ~UINT64_C(0);
	access_set(&c);
	spe_program(&setup);
	write_sysreg(PMSCR_EL2, PMSCR_PA | PMSCR_PCT_PHYSICAL | (el2 ? PMSCR_E1SPE : 0));
	write_sysreg(PMSCR_EL1, PMSCR_E1SPE | PMSCR_PA | PMSCR_PCT_PHYSICAL);
	isb();
	access_run(1, start, 31, 0);
	write_sysreg(PMSCR_EL2, PMSCR_PA | PMSCR_PCT_PHYSICAL);
	spe_disable();
	used = read_sysreg(PMBPTR_EL1) - pointer;
	CHECK(read_sysreg(PMBSR_EL1) == 0, "PMBSR_EL1 0x%lx", read_sysreg(PMBSR_EL1));
	for (uint64_t at = 0; at < used && (size = record_parse(bytes + at, used - at, &r)) != 0;
	     at += (uint64_t)size) {
		uint64_t word = (r.pc - start) / 4;

		if (!CHECK(size > 0, "damaged record at 0x%lx", at))
			break;
		if (r.el != 1 || word >= NV_SLED_PAIRS * 2)
			continue;
		samples++;
		CHECK(r.type_header == TYPE_MEMORY && r.type == TYPE_NV2(word & 1),
		      "operation type 0x%x 0x%x at word %lu", r.type_header, r.type, word);
		CHECK(!(r.has & RECORD_VA) == !el2 && !(r.has & RECORD_PA) == !el2,
		      "packets 0x%x, owner EL%d", r.has, el2 ? 2 : 1);
		if (el2)
			CHECK((r.va & 0xffffffffffff) == va + 0x840 &&
				      r.pa == mmu_translate(va) + 0x840,
			      "VA 0x%lx PA 0x%lx", r.va, r.pa);
	}
	CHECK(samples >= NV_SLED_PAIRS * 2 / 257, "%u samples", samples);
	tap_note("%u samples, owner EL%d", samples, el2 ? 2 : 1);
}

/* RULE("D17.6.4.2/nv2") */
static void test_sampled(void)
{
	struct access_controls c = access_open();

	sampled_by(false);
	sampled_by(true);
	access_set(&c);
}

static const struct test tests[] = {
	{"PMSICR_EL1 at 0x838, PMSIRR_EL1 at 0x840", interval_registers, needs_nv2_spe},
	{"SPE's registers, every HCR_EL2.{NV2,NV1,NV}, and what is trapped instead",
	 test_combinations, needs_nv2_spe},
	{"the same with HCR_EL2.E2H", combinations_e2h, needs_nv2_host},
	{"PMBSR_EL1 by PMSCR_EL1.EE and PMSCR_EL2.EE", exceptions_enabled, needs_nv2_exc},
	{"other registers, every HCR_EL2.{NV2,NV1,NV}", other_registers, needs_nv2},
	{"a page of VNCR_EL2 that faults", test_faults, needs_nv2},
	{"redirected accesses are sampled as loads and stores", test_sampled, needs_nv2_samples},
};

void guest_main(void)
{
	if (!needs_el2())
		access_init();
	if (!needs_nv2()) {
		page = data_alloc(1);
		write_sysreg(VNCR_EL2, (uintptr_t)page);
	}
	tap_run("nv", tests, sizeof(tests) / sizeof(tests[0]));
}
