/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features: what optional features of the system do, as the ID registers announce them. Tests of a
 * missing feature are skipped; a separate test checks that its registers are UNDEFINED.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "exception.h"
#include "features_later.h"
#include "platform.h"
#include "psci.h"
#include "tap.h"

#define ID_PFR0	 S3_0_C0_C4_0
#define ID_PFR1	 S3_0_C0_C4_1
#define ID_ISAR0 S3_0_C0_C6_0
#define ID_ISAR1 S3_0_C0_C6_1
#define ID_ISAR2 S3_0_C0_C6_2
#define ID_MMFR2 S3_0_C0_C7_2

#define HAS(id, shift) (read_sysreg(id) >> (shift)&0xf)

#define UAO  S3_0_C4_C2_4
#define DIT  S3_3_C4_C2_5
#define SSBS S3_3_C4_C2_6

#define APIAKEYLO S3_0_C2_C1_0
#define APIAKEYHI S3_0_C2_C1_1

#define PSTATE_SSBS  (UINT64_C(1) << 12)
#define PSTATE_UAO   (UINT64_C(1) << 23)
#define PSTATE_DIT   (UINT64_C(1) << 24)
#define SCTLR_nAA    (UINT64_C(1) << 6)
#define SCTLR_EnIA   (UINT64_C(1) << 31)
#define PSTATE_BTYPE (UINT64_C(3) << 10)
#define SCTLR_BT1    (UINT64_C(1) << 36)
#define SCTLR_DSSBS  (UINT64_C(1) << 44)
#define TCR_E0PD1    (UINT64_C(1) << 56)
#define GRANULE	     2048 /* bytes of the largest that a monitor may have */

/* A watched word, and in another granule the places of the two PEs. */
static struct {
	volatile uint64_t word;
	uint64_t rest[GRANULE / 8 - 1];
	volatile uint64_t step;
} __attribute__((aligned(GRANULE))) shared;

static void change_and_restore(unsigned int cpu)
{
	(void)cpu;
	wait_while(shared.step != 1);
	shared.word = 2;
	dsb();
	shared.word = 1;
	dsb();
	shared.step = 2;
}

static const char *needs_second_cpu(void)
{
	uint64_t mpidr;

	return platform_cpu(1, &mpidr) ? NULL : "one CPU";
}

static uint32_t exclusive_after(uint64_t first, uint64_t until)
{
	uint32_t failed;
	uint64_t value, step;

	__asm__ volatile("ldxr	%1, [%3]\n"
			 "str	%5, [%4]\n"
			 "1:	ldr	%2, [%4]\n"
			 "cmp	%2, %6\n"
			 "b.ne	1b\n"
			 "stxr	%w0, %7, [%3]"
			 : "=&r"(failed), "=&r"(value), "=&r"(step)
			 : "r"(&shared.word), "r"(&shared.step), "r"(first), "r"(until),
			   "r"(UINT64_C(3))
			 : "memory", "cc");
	return failed;
}

static void changed_and_restored(void)
{
	unsigned int tries = 0;
	uint64_t mpidr = 0;

	shared.word = 1;
	/* A possible one may fail all the same, but not for ever. */
	while (exclusive_after(5, 5) != 0 && ++tries < 1000)
		;
	CHECK(tries < 1000 && shared.word == 3, "alone, the store leaves %lu", shared.word);
	shared.word = 1;
	platform_cpu(1, &mpidr);
	CHECK(psci_cpu_on(mpidr, 1, change_and_restore) == PSCI_SUCCESS, "CPU 1 does not start");
	CHECK(exclusive_after(1, 2) == 1 && shared.word == 1, "the store is done, and leaves %lu",
	      shared.word);
}

/* By any algorithm: APA, API, APA3. */
static bool has_pauth(void)
{
	return HAS(ID_ISAR1, 4) || HAS(ID_ISAR1, 8) || HAS(ID_ISAR2, 12);
}

static void absent_registers(void)
{
	unsigned int absent = 0;
	struct expected e;

	absent += !HAS(ID_MMFR2, 4);
	absent += !HAS(ID_PFR0, 48);
	absent += HAS(ID_PFR1, 4) < 2;
	absent += !HAS(ID_ISAR0, 56);
	absent += HAS(ID_ISAR0, 56) < 2;
	absent += !has_pauth();
	absent += !HAS(ID_ISAR1, 40);
	expect_begin();
	if (!HAS(ID_MMFR2, 4))
		(void)read_sysreg(UAO);
	if (!HAS(ID_PFR0, 48))
		(void)read_sysreg(DIT);
	if (HAS(ID_PFR1, 4) < 2)
		(void)read_sysreg(SSBS);
	if (!HAS(ID_ISAR0, 56))
		__asm__ volatile("sys #0, c8, c1, #1, xzr" ::: "memory");
	if (HAS(ID_ISAR0, 56) < 2)
		__asm__ volatile("sys #0, c8, c2, #1, xzr" ::: "memory");
	if (!has_pauth())
		(void)read_sysreg(APIAKEYLO);
	if (!HAS(ID_ISAR1, 40))
		__asm__ volatile("sys #3, c7, c3, #4, xzr" ::: "memory");
	absent += later_absent();
	e = expect_end();
	CHECK(e.count == absent, "%u exceptions, not %u", e.count, absent);
	CHECK(e.count == 0 || field(e.esr, 31, 26) == EC_UNKNOWN, "ESR 0x%lx", e.esr);
}

/* PSTATE as an exception to EL1 saves and changes it. */
static uint64_t saved_pstate, handler_bits;

static enum exc_return note_pstate(struct exc_frame *frame, enum exc_vector vector)
{
	(void)vector;
	saved_pstate = frame->spsr;
	if (HAS(ID_MMFR2, 4))
		handler_bits |= read_sysreg(UAO);
	if (HAS(ID_PFR0, 48))
		handler_bits |= read_sysreg(DIT);
	if (HAS(ID_PFR1, 4) >= 2)
		handler_bits |= read_sysreg(SSBS);
	return EXC_RETURN;
}

static void take_exception(void)
{
	handler_bits = 0;
	exc_hooks[VEC_SPX_SYNC] = note_pstate;
	__asm__ volatile("svc #1" ::: "memory");
	exc_hooks[VEC_SPX_SYNC] = NULL;
}

static const char *needs_uao(void)
{
	return HAS(ID_MMFR2, 4) ? NULL : "no FEAT_UAO";
}

static uint64_t load_unprivileged(const uint64_t *at)
{
	uint64_t value = 0;

	__asm__ volatile("ldtr %0, [%1]" : "+r"(value) : "r"(at) : "memory");
	return value;
}

static void access_override(void)
{
	uint64_t *kernel = data_alloc(1);
	struct expected e;

	*kernel = 7;
	expect_begin();
	load_unprivileged(kernel);
	e = expect_end();
	CHECK(e.count == 1 && (e.esr & 0x3f) == FSC_PERMISSION_L3, "%u exceptions, ESR 0x%lx",
	      e.count, e.esr);
	__asm__ volatile(".inst 0xd500417f"); /* msr uao, #1 */
	CHECK(read_sysreg(UAO) == PSTATE_UAO, "UAO is 0x%lx", read_sysreg(UAO));
	CHECK(load_unprivileged(kernel) == 7, "LDTR does not load");
	take_exception();
	CHECK(saved_pstate & PSTATE_UAO, "SPSR 0x%lx", saved_pstate);
	CHECK(!(handler_bits & PSTATE_UAO), "UAO is 1 in the handler");
	CHECK(read_sysreg(UAO) == PSTATE_UAO, "UAO is 0 behind the return");
	write_sysreg(UAO, UINT64_C(0));
	CHECK(read_sysreg(UAO) == 0, "UAO is 0x%lx", read_sysreg(UAO));
}

static const char *needs_dit(void)
{
	return HAS(ID_PFR0, 48) ? NULL : "no FEAT_DIT";
}

static void independent_timing(void)
{
	__asm__ volatile(".inst 0xd503415f"); /* msr dit, #1 */
	CHECK(read_sysreg(DIT) == PSTATE_DIT, "DIT is 0x%lx", read_sysreg(DIT));
	take_exception();
	CHECK(saved_pstate & PSTATE_DIT, "SPSR 0x%lx", saved_pstate);
	CHECK(handler_bits & PSTATE_DIT, "DIT is 0 in the handler");
	write_sysreg(DIT, UINT64_C(0));
	take_exception();
	CHECK(!(saved_pstate & PSTATE_DIT), "SPSR 0x%lx", saved_pstate);
}

static const char *needs_ssbs(void)
{
	return HAS(ID_PFR1, 4) >= 2 ? NULL : "no FEAT_SSBS2";
}

static void store_bypass(void)
{
	const uint64_t sctlr = read_sysreg(sctlr_el1);

	__asm__ volatile(".inst 0xd503413f"); /* msr ssbs, #1 */
	CHECK(read_sysreg(SSBS) == PSTATE_SSBS, "SSBS is 0x%lx", read_sysreg(SSBS));
	write_sysreg(sctlr_el1, sctlr & ~SCTLR_DSSBS);
	isb();
	take_exception();
	CHECK(saved_pstate & PSTATE_SSBS, "SPSR 0x%lx", saved_pstate);
	CHECK(!(handler_bits & PSTATE_SSBS), "SSBS is 1 in the handler");
	write_sysreg(SSBS, UINT64_C(0));
	write_sysreg(sctlr_el1, sctlr | SCTLR_DSSBS);
	isb();
	take_exception();
	CHECK(handler_bits & PSTATE_SSBS, "SSBS is 0 in the handler, with SCTLR_EL1.DSSBS");
	write_sysreg(sctlr_el1, sctlr);
	isb();
}

static uint64_t add_atomically(uint8_t *at, uint64_t value)
{
	uint64_t old = 0;

	__asm__ volatile(".arch_extension lse\nldadd %2, %0, [%1]"
			 : "+r"(old)
			 : "r"(at), "r"(value)
			 : "memory");
	return old;
}

static uint64_t load_acquire(const uint8_t *at)
{
	uint64_t value = 0;

	__asm__ volatile("ldar %0, [%1]" : "+r"(value) : "r"(at) : "memory");
	return value;
}

/* Both accesses at at: how many of them fault for its alignment. */
static unsigned int misaligned_faults(uint8_t *at)
{
	struct expected e;

	expect_begin();
	add_atomically(at, 1);
	load_acquire(at);
	e = expect_end();
	CHECK(e.count == 0 || (e.esr & 0x3f) == FSC_ALIGNMENT, "ESR 0x%lx", e.esr);
	return e.count;
}

static const char *needs_lse2(void)
{
	return HAS(ID_MMFR2, 32) ? NULL : "no FEAT_LSE2";
}

static void unaligned_atomics(void)
{
	uint8_t *data = data_alloc(1);
	const uint64_t sctlr = read_sysreg(sctlr_el1);
	unsigned int faults;

	CHECK(misaligned_faults(data + 8) == 0, "faults where it is aligned");
	faults = misaligned_faults(data + 19);
	CHECK(faults == 0, "%u faults within 16 bytes", faults);
	CHECK(data[19] == 1 && load_acquire(data + 19) == 1, "LDADD leaves %u", data[19]);
	faults = misaligned_faults(data + 41);
	CHECK(faults == 2, "%u faults, not 2, across 16 bytes", faults);
	write_sysreg(sctlr_el1, sctlr | SCTLR_nAA);
	isb();
	faults = misaligned_faults(data + 41);
	CHECK(faults == 1, "%u faults, not 1, across 16 bytes with SCTLR_EL1.nAA", faults);
	write_sysreg(sctlr_el1, sctlr);
	isb();
}

/* Exchange the translations of two pages, and tell the TLBs with op. */
static void exchange_pages(uint8_t *pages, void (*op)(uint64_t page))
{
	const uint64_t page = (uintptr_t)pages / PAGE_SIZE;
	volatile uint64_t *table =
		(volatile uint64_t *)device_map(mmu_table((uintptr_t)pages), PAGE_SIZE);
	const unsigned int n = page % 512;
	const uint64_t first = table[n];
	volatile uint8_t *bytes = pages;

	bytes[0] = 1;
	bytes[PAGE_SIZE] = 2;
	table[n] = table[n + 1];
	table[n + 1] = first;
	dsb();
	op(page);
	dsb();
	isb();
	CHECK(bytes[0] == 2 && bytes[PAGE_SIZE] == 1, "the pages read as %u, %u", bytes[0],
	      bytes[PAGE_SIZE]);
}

/* Two pages that one table of the last level maps. */
static uint8_t *two_pages(void)
{
	uint8_t *pages = data_alloc(3);

	return (uintptr_t)pages / PAGE_SIZE % 512 == 511 ? pages + PAGE_SIZE : pages;
}

#define TLBI(crm, op2, value) \
	__asm__ volatile("sys #0, c8, " crm ", #" op2 ", %0" ::"r"(value) : "memory")

#define PAGE_BITS	    0xfffffffffff
#define RANGE_4K	    (UINT64_C(1) << 46)
#define RANGE_NUM(n, scale) ((uint64_t)(n) << 39 | (uint64_t)(scale) << 44)

static void by_address_outer(uint64_t page)
{
	TLBI("c1", "3", page & PAGE_BITS);	 /* VAAE1OS */
	TLBI("c1", "7", (page + 1) & PAGE_BITS); /* VAALE1OS */
}

static void by_address_level(uint64_t page)
{
	const uint64_t ttl = UINT64_C(7) << 44; /* 4 KB, level 3 */

	TLBI("c3", "3", (page & PAGE_BITS) | ttl); /* VAAE1IS */
	TLBI("c7", "7", ((page + 1) & PAGE_BITS) | ttl);
}

static void by_range(uint64_t page)
{
	TLBI("c2", "3", (page & 0x1fffffffff) | RANGE_4K); /* RVAAE1IS: 2 pages */
}

static void by_large_range(uint64_t page)
{
	TLBI("c6", "7", (page & 0x1fffffffff) | RANGE_4K | RANGE_NUM(2, 2)); /* RVAALE1 */
}

static const char *needs_ttl(void)
{
	return HAS(ID_MMFR2, 48) ? NULL : "no FEAT_TTL";
}

static void level_hint(void)
{
	exchange_pages(two_pages(), by_address_level);
}

static const char *needs_tlbios(void)
{
	return HAS(ID_ISAR0, 56) ? NULL : "no FEAT_TLBIOS";
}

static void outer_shareable(void)
{
	exchange_pages(two_pages(), by_address_outer);
}

static const char *needs_tlbirange(void)
{
	return HAS(ID_ISAR0, 56) >= 2 ? NULL : "no FEAT_TLBIRANGE";
}

static void ranges(void)
{
	exchange_pages(two_pages(), by_range);
	exchange_pages(two_pages(), by_large_range);
}

static const char *needs_e0pd(void)
{
	return HAS(ID_MMFR2, 60) ? NULL : "no FEAT_E0PD";
}

static void upper_half_hidden(void)
{
	uint64_t *kernel = data_alloc(1), *user = user_data_alloc(1);
	const uint64_t tcr = read_sysreg(tcr_el1);
	struct expected e;

	write_sysreg(tcr_el1, tcr | TCR_E0PD1);
	isb();
	expect_begin();
	user_call(user_address(user_load), (uintptr_t)kernel, 0, 0);
	e = expect_end();
	CHECK(e.count == 1 && (e.esr & 0x3f) == FSC_TRANSLATION_L0, "%u exceptions, ESR 0x%lx",
	      e.count, e.esr);
	*user = 5;
	CHECK(user_call(user_address(user_load), (uintptr_t)user, 0, 0) == 5,
	      "EL0 does not load from the lower half");
	write_sysreg(tcr_el1, tcr);
	isb();
	expect_begin();
	user_call(user_address(user_load), (uintptr_t)kernel, 0, 0);
	e = expect_end();
	CHECK(e.count == 1 && (e.esr & 0x3f) == FSC_PERMISSION_L3, "%u exceptions, ESR 0x%lx",
	      e.count, e.esr);
}

static const char *needs_bti(void)
{
	return HAS(ID_PFR1, 0) ? NULL : "no FEAT_BTI";
}

extern const uint8_t landings[];
uint64_t jump_guarded(uintptr_t to);
uint64_t jump_unguarded(uintptr_t to);
uint64_t jump_by_x16(uintptr_t to);
uint64_t call_by_register(uintptr_t to);

static struct {
	unsigned int count;
	uint64_t esr, elr, btype;
} branch_target;

static enum exc_return note_branch_target(struct exc_frame *frame, enum exc_vector vector)
{
	if (field(frame->esr, 31, 26) != EC_BRANCH_TARGET)
		return exc_dispatch(frame, vector);
	branch_target.count++;
	branch_target.esr = frame->esr;
	branch_target.elr = frame->elr;
	branch_target.btype = field(frame->spsr, 11, 10);
	frame->spsr &= ~PSTATE_BTYPE;
	return EXC_RETURN;
}

/* GP of the page of landings. */
static void guard_landings(bool guarded)
{
	const uint64_t page = (uintptr_t)landings / PAGE_SIZE;
	volatile uint64_t *table =
		(volatile uint64_t *)device_map(mmu_table((uintptr_t)landings), PAGE_SIZE);
	const uint64_t gp = UINT64_C(1) << 50;

	table[page % 512] = (table[page % 512] & ~gp) | (guarded ? gp : 0);
	dsb();
	TLBI("c7", "3", page & PAGE_BITS);
	dsb();
	isb();
}

/* Land at number n by a branch of this type: does it fault if, and only if, it should? */
static void land(uint64_t (*branch)(uintptr_t to), unsigned int btype, unsigned int n, bool faults)
{
	const uintptr_t to = (uintptr_t)landings + 16 * (uint64_t)n;
	uint64_t landed;

	branch_target.count = 0;
	landed = branch(to);
	CHECK(landed == n + 1, "type %u, landing %u: at %lu", btype, n, landed);
	if (!CHECK(branch_target.count == (unsigned int)faults,
		   "type %u, landing %u: %u exceptions", btype, n, branch_target.count) ||
	    !faults)
		return;
	CHECK(branch_target.esr == (UINT64_C(EC_BRANCH_TARGET) << 26 | UINT64_C(1) << 25 | btype),
	      "type %u, landing %u: ESR 0x%lx", btype, n, branch_target.esr);
	CHECK(branch_target.elr == to && branch_target.btype == btype,
	      "type %u, landing %u: ELR 0x%lx, SPSR.BTYPE %lu", btype, n, branch_target.elr,
	      branch_target.btype);
}

static void branch_targets(void)
{
	static const struct {
		uint64_t (*branch)(uintptr_t to);
		uint8_t btype;
		uint8_t faults; /* a bit for each landing */
	} branches[] = {
		{jump_by_x16, 1, 0x10},
		{jump_unguarded, 1, 0x10},
		{call_by_register, 2, 0x12},
		{jump_guarded, 3, 0x19},
	};
	const uint64_t sctlr = read_sysreg(sctlr_el1);

	exc_hooks[VEC_SPX_SYNC] = note_branch_target;
	write_sysreg(sctlr_el1, sctlr | SCTLR_BT1);
	guard_landings(true);
	/* The second time the targets are known. */
	for (unsigned int i = 0; i < 2 * 4 * 5; i++)
		land(branches[i / 5 % 4].branch, branches[i / 5 % 4].btype, i % 5,
		     branches[i / 5 % 4].faults >> i % 5 & 1);
	write_sysreg(sctlr_el1, sctlr & ~SCTLR_BT1);
	isb();
	land(jump_guarded, 3, 3, false);
	write_sysreg(sctlr_el1, sctlr);
	guard_landings(false);
	for (unsigned int i = 0; i < 4 * 5; i++)
		land(branches[i / 5].branch, branches[i / 5].btype, i % 5, false);
	exc_hooks[VEC_SPX_SYNC] = NULL;
}

static const char *needs_pauth(void)
{
	return has_pauth() ? NULL : "no FEAT_PAuth";
}

/* PACIA, AUTIA and XPACI of value, with the modifier 5. */
#define CODED(name, word)                                             \
	static uint64_t name(uint64_t value)                          \
	{                                                             \
		register uint64_t x0 __asm__("x0") = value;           \
		register uint64_t x1 __asm__("x1") = 5;               \
                                                                      \
		__asm__ volatile(".inst " word : "+r"(x0) : "r"(x1)); \
		return x0;                                            \
	}
CODED(sign, "0xdac10020")
CODED(authenticate, "0xdac11020")
CODED(strip, "0xdac143e0")

static void pointer_codes(void)
{
	const uint64_t sctlr = read_sysreg(sctlr_el1), pointer = (uintptr_t)landings;
	uint64_t coded;

	write_sysreg(APIAKEYLO, UINT64_C(0x84be85ce9804e94b));
	write_sysreg(APIAKEYHI, UINT64_C(0xec2802d4e0a488e9));
	CHECK(read_sysreg(APIAKEYHI) == UINT64_C(0xec2802d4e0a488e9), "APIAKeyHi_EL1 is 0x%lx",
	      read_sysreg(APIAKEYHI));
	write_sysreg(sctlr_el1, sctlr & ~SCTLR_EnIA);
	isb();
	coded = sign(pointer);
	CHECK(coded == pointer, "without SCTLR_EL1.EnIA PACIA makes 0x%lx", coded);
	write_sysreg(sctlr_el1, sctlr | SCTLR_EnIA);
	isb();
	coded = sign(pointer);
	CHECK(coded != pointer, "PACIA leaves 0x%lx", coded);
	CHECK(strip(coded) == pointer, "XPACI makes 0x%lx", strip(coded));
	CHECK(authenticate(coded) == pointer, "AUTIA makes 0x%lx", authenticate(coded));
	write_sysreg(sctlr_el1, sctlr);
	isb();
}

void guest_main(void)
{
	static const struct test tests[] = {
		{"what is not there is UNDEFINED", absent_registers, NULL},
		{"a store-exclusive sees that a value was changed and restored",
		 changed_and_restored, needs_second_cpu},
		{"UAO lets LDTR load as EL1", access_override, needs_uao},
		{"DIT is kept by exceptions", independent_timing, needs_dit},
		{"SSBS becomes SCTLR_EL1.DSSBS", store_bypass, needs_ssbs},
		{"atomics need no alignment within 16 bytes", unaligned_atomics, needs_lse2},
		{"TLBI with a level", level_hint, needs_ttl},
		{"TLBI of the Outer Shareable domain", outer_shareable, needs_tlbios},
		{"TLBI by range", ranges, needs_tlbirange},
		{"indirect branches land at BTI in guarded pages", branch_targets, needs_bti},
		{"E0PD hides the upper half from EL0", upper_half_hidden, needs_e0pd},
		{"PACIA signs, AUTIA authenticates, XPACI strips", pointer_codes, needs_pauth},
		{"SCTLR_EL1.EnRCTX lets EL0 restrict predictions", prediction_restriction,
		 needs_specres},
		{"extremes, counts and absolute values of registers", extremes_and_counts,
		 needs_cssc},
		{"WFIT and WFET wait for a time", waits_until, needs_wfxt},
		{"atomics of 128 bits", wide_atomics, needs_lse128},
		{"ordered accesses of two registers, and with write-back", ordered_pairs,
		 needs_lrcpc3},
		{"BC.cond branches as B.cond does", consistent_branches, needs_hbc},
	};

	tap_run("features", tests, sizeof(tests) / sizeof(tests[0]));
}
