/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults: one access and all that is wrong with it, made of tables, registers and an address.
 *
 * Below EL2 the code is in the upper half (TTBR1_EL1), so every table of the lower half may be
 * spoilt. Each table has its own IPA, so that stage 2 can be spoilt for it, too. At EL2 the tables
 * are main's own, except those for addresses from FAULTS_VA.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "faults.h"

#define TABLE	    UINT64_C(3) /* or a page */
#define UPPER	    UINT64_C(0xffff000000000000)
#define GIGABYTE    (UINT64_C(1) << 30)
#define TABLE_IPA   UINT64_C(0x4000000000) /* of level 0's table; the others a gigabyte further */
#define ATTRIBUTES  UINT64_C(0xfff0000000000fff)
#define TOO_LARGE   (UINT64_C(1) << 47) /* an output of 40 bits cannot have that */
#define SCTLR_A	    (UINT64_C(1) << 1)
#define SCTLR_DZE   (UINT64_C(1) << 14)
#define SPSR_PAN    (UINT64_C(1) << 22)
#define TCR_EPD1    (UINT64_C(1) << 23)
#define TCR_WALKS1  (UINT64_C(0x35) << 24) /* as those of TTBR0 */
#define TCR_EL2_PS  (UINT64_C(7) << 16)
#define MDCR_TDE    (UINT64_C(1) << 8)
#define MDSCR_DEBUG (UINT64_C(5) << 13) /* KDE, MDE */

#define VSTCR_EL2    S3_4_C2_C6_2
#define VSTTBR_EL2   S3_4_C2_C6_0
#define VSTCR_FIELDS UINT64_C(0x8000c0ff) /* T0SZ, SL0, TG0, RES1 */

/*
 * Where no device should answer: high enough for RAM, and low enough for 38 bits. If one does, the
 * tests that need it are skipped.
 */
#define NOWHERE UINT64_C(0x3ffff00000)

/* DBGWCR0_EL1: all levels, loads and stores, eight bytes. E, PAC, LSC, BAS, HMC. */
#define WATCH_ALL (UINT64_C(1) | 3 << 1 | 3 << 3 | 0xff << 5 | 1 << 13)

struct lower_context c;

#define ONE ESR_ISV_SF
const struct access_kind accesses[ACCESSES] = {
	[LOAD] = {"LDR", true, false, false, false, false, ONE},
	[STORE] = {"STR", false, true, false, false, false, ONE},
	[LOAD_PAIR] = {"LDP", true, false, false, false, false, 0},
	[STORE_PAIR] = {"STP", false, true, false, false, false, 0},
	[LOAD_UNPRIVILEGED] = {"LDTR", true, false, false, false, true, ONE},
	[STORE_UNPRIVILEGED] = {"STTR", false, true, false, false, true, ONE},
	[LOAD_ACQUIRE] = {"LDAR", true, false, true, false, false, ONE | ESR_AR},
	[STORE_RELEASE] = {"STLR", false, true, true, false, false, ONE | ESR_AR},
	[LOAD_EXCLUSIVE] = {"LDXR", true, false, true, true, false, 0},
	[STORE_EXCLUSIVE] = {"STXR", false, true, true, true, false, 0},
	[ATOMIC] = {"LDADD", true, true, true, true, false, 0},
	[ZERO_BLOCK] = {"DC ZVA", false, true, false, false, false, 0},
	[FETCH] = {"fetch", false, false, false, false, false, 0},
};

extern uint32_t faults_code[];
uint64_t faults_call(uintptr_t code, uint64_t x1);
extern char lower_vectors_hvc[];

/* Tables of stage 1 for FAULTS_VA, by who uses them, and the entries that lead to the page. */
enum { BELOW, AT_EL2 };
static struct {
	volatile uint64_t *entry[4];
	uint64_t good[3];
} one[2];

static struct {
	volatile uint64_t *entry[4]; /* [1] to [3], of the page */
	uint64_t good[3];
	volatile uint64_t *tables[4]; /* of the page of stage 1's table of each level */
} two;

static uint64_t target, tables[4], upper_root, code_pa;

static uint64_t table_ipa(unsigned int level)
{
	return TABLE_IPA + level * GIGABYTE;
}

volatile uint64_t *scene_entry(unsigned int el, unsigned int level)
{
	return one[el == 2 ? AT_EL2 : BELOW].entry[level];
}

volatile uint64_t *scene_stage2(unsigned int level)
{
	return two.entry[level];
}

/* What the levels below execute: each access, and calls of main by EL0 and by EL1. */
static void make_code(void)
{
	struct stage upper = stage1_new();
	uint64_t vectors = lower_address(lower_vectors_hvc) & ~UINT64_C(0xfff);
	uint32_t *words;

	code_pa = phys_alloc(1);
	words = linear(code_pa);
	for (unsigned int n = 0; n <= ZERO_BLOCK; n++) {
		words[4 * n] = words[4 * n + 2] = faults_code[2 * n];
		words[4 * n + 1] = A64_SVC(LOWER_DONE);
		words[4 * n + 3] = A64_HVC(LOWER_DONE);
	}
	for (unsigned int at = 0; at < PAGE_SIZE; at += 16)
		__asm__ volatile("dc cvau, %0" ::"r"((uintptr_t)words + at) : "memory");
	__asm__ volatile("dsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
	upper_root = upper.root;
	stage_map(&upper, 0, code_pa, PAGE_SIZE, S1_NORMAL | S1_RO | S1_EL0);
	stage_map(&upper, PAGE_SIZE, vectors, PAGE_SIZE, S1_NORMAL | S1_RO);
}

static void make_stage1(void)
{
	static const unsigned int shift[4] = {39, 30, 21, 12};
	struct stage main = {read_sysreg(ttbr0_el2) & UINT64_C(0x0000fffffffff000), 0};

	for (unsigned int level = 0; level < 4; level++)
		tables[level] = phys_alloc(1);
	for (unsigned int level = 0; level < 4; level++) {
		uint64_t *words = linear(tables[level]);

		one[BELOW].entry[level] = &words[FAULTS_VA >> shift[level] & 511];
		one[AT_EL2].entry[level] = stage_entry(&main, FAULTS_VA, level);
		if (level == 3)
			break;
		one[BELOW].good[level] = table_ipa(level + 1) | TABLE;
		stage_entry(&main, FAULTS_VA, level + 1);
		one[AT_EL2].good[level] = *one[AT_EL2].entry[level];
	}
}

static void make_stage2(void)
{
	struct stage s = stage2_new();
	uint64_t block = boot_info.image_pa & ~(GIGABYTE - 1);

	stage_map_level(&s, block, block, 1, S2_NORMAL | S2_RW);
	for (unsigned int level = 0; level < 4; level++)
		two.tables[level] = stage_entry(&s, table_ipa(level), 3);
	for (unsigned int level = 1; level < 4; level++)
		two.entry[level] = stage_entry(&s, TARGET_IPA, level);
	two.good[1] = *two.entry[1];
	two.good[2] = *two.entry[2];
	write_sysreg(vtcr_el2, STAGE2_VTCR);
	write_sysreg(vttbr_el2, s.root | UINT64_C(1) << 48);
	/* At Secure EL2, the only level that has both registers, Secure IPAs have separate ones. */
	expect_begin();
	write_sysreg(VSTCR_EL2, STAGE2_VTCR & VSTCR_FIELDS);
	write_sysreg(VSTTBR_EL2, s.root);
	expect_end();
}

void scene_init(void)
{
	target = phys_alloc(1);
	make_code();
	make_stage1();
	make_stage2();
	/*
	 * 40 bits of output address for EL2, as for the others, so that the same address is too
	 * large.
	 */
	write_sysreg(tcr_el2, (read_sysreg(tcr_el2) & ~TCR_EL2_PS) | UINT64_C(2) << 16);
	write_sysreg(oslar_el1, 0);
	isb();
}

bool has_lse2(void)
{
	return field(read_sysreg(S3_0_C0_C7_2), 35, 32) != 0; /* ID_AA64MMFR2_EL1.AT */
}

static bool has_pan(void)
{
	return field(read_sysreg(id_aa64mmfr1_el1), 23, 20) != 0;
}

static bool has_access(enum access access, unsigned int el)
{
	switch (access) {
	case ATOMIC: return field(read_sysreg(id_aa64isar0_el1), 23, 20) >= 2;
	case ZERO_BLOCK: return !(read_sysreg(dczid_el0) & 16);
	case FETCH: return el < 2;
	default: return true;
	}
}

bool scene_can(enum access access, unsigned int el, enum cause cause)
{
	const struct access_kind *a = &accesses[access];
	const bool fetch = access == FETCH;

	if (!has_access(access, el))
		return false;
	switch (cause) {
	case CAUSE_ALIGNMENT: return access != ZERO_BLOCK && !fetch;
	case CAUSE_TABLE_BASE:
	case CAUSE_S2_TRANSLATION:
	case CAUSE_S2_ADDRESS_SIZE:
	case CAUSE_S2_ACCESS_FLAG:
	case CAUSE_WALK_STAGE2:
	case CAUSE_S2_PERMISSION: return el < 2;
	/*
	 * A fetch from there may do anything; without FEAT_LSE2 the memory type is not the cause.
	 */
	case CAUSE_S2_MEMORY_TYPE: return el < 2 && scene_can(access, el, CAUSE_MEMORY_TYPE);
	case CAUSE_MEMORY_TYPE: return !fetch && (!a->aligned || has_lse2());
	case CAUSE_WATCHPOINT:
		return !fetch && access != ATOMIC; /* has a separate test */
	/* PAN denies EL1 a read of what EL0 may read; EL2 may read everything. */
	case CAUSE_PERMISSION:
		return !a->read || el == 0 || (el == 1 && (a->unprivileged || has_pan()));
	default: return true;
	}
}

/* Is the missing permission the one to read? */
static bool unreadable(const struct scene *scene)
{
	return scene->causes[CAUSE_PERMISSION] && accesses[scene->access].read && !scene->read_only;
}

static bool as_el0(const struct scene *scene)
{
	return scene->el == 0 || (scene->el == 1 && accesses[scene->access].unprivileged);
}

bool scene_unaligned(const struct scene *scene)
{
	return scene->causes[CAUSE_ALIGNMENT] ||
	       (scene->access != ZERO_BLOCK &&
		(scene->causes[CAUSE_MEMORY_TYPE] || scene->causes[CAUSE_S2_MEMORY_TYPE]));
}

uint64_t scene_address(const struct scene *scene)
{
	return FAULTS_VA + FAULTS_AT + (scene_unaligned(scene) ? 1 : 0);
}

static uint64_t spoilt(const struct scene *scene, enum cause invalid, enum cause size,
		       unsigned int level, uint64_t entry)
{
	if (scene->causes[size] && scene->levels[size] == level)
		entry |= TOO_LARGE;
	if (scene->causes[invalid] && scene->levels[invalid] == level)
		entry &= ~UINT64_C(1);
	return entry;
}

static uint64_t leaf1(const struct scene *scene)
{
	const bool fetch = scene->access == FETCH;
	const bool lower = scene->el < 2, nowhere = scene->causes[CAUSE_EXTERNAL];
	uint64_t entry = lower ? TARGET_IPA : nowhere ? NOWHERE : target;

	entry |= (scene->causes[CAUSE_MEMORY_TYPE] ? S1_DEVICE : S1_NORMAL) | S1_EL0 | TABLE;
	if (fetch)
		entry |= S1_RO; /* EL1 executes nothing that EL0 writes */
	if (scene->causes[CAUSE_ACCESS_FLAG])
		entry &= ~(UINT64_C(1) << 10);
	if (!scene->causes[CAUSE_PERMISSION])
		return entry;
	if (fetch)
		return entry | S1_UXN | S1_PXN;
	if (!unreadable(scene))
		return entry | S1_RO;
	return as_el0(scene) ? entry & ~S1_EL0 : entry; /* or else PAN does it */
}

static uint64_t leaf2(const struct scene *scene)
{
	uint64_t entry = scene->causes[CAUSE_EXTERNAL] ? NOWHERE : target;

	entry |= (scene->causes[CAUSE_S2_MEMORY_TYPE] ? S2_DEVICE : S2_NORMAL) | TABLE;
	if (scene->causes[CAUSE_S2_ACCESS_FLAG])
		entry &= ~(UINT64_C(1) << 10);
	if (!scene->causes[CAUSE_S2_PERMISSION])
		return entry | S2_RW;
	if (scene->access == FETCH)
		return entry | S2_RW | S2_XN;
	if (scene->read_only || !accesses[scene->access].read)
		return entry | S2_R;
	return accesses[scene->access].write ? entry : entry | S2_W;
}

/* At which level the cause is, if the scene has it. */
#define NO_LEVEL 9
static unsigned int level_of(const struct scene *scene, enum cause cause)
{
	return scene->causes[cause] ? scene->levels[cause] : NO_LEVEL;
}

/* A missing table: by stage 2, or at EL2 by the entry of the level above. */
static void make_tables(const struct scene *scene)
{
	const bool lower = scene->el < 2;
	const unsigned int away = level_of(scene, CAUSE_WALK_EXTERNAL);

	for (unsigned int level = 0; level < 4; level++) {
		uint64_t entry = level == 3 ? leaf1(scene) : one[!lower].good[level];

		if (!lower && level + 1 == away)
			entry = NOWHERE | TABLE;
		*one[!lower].entry[level] =
			spoilt(scene, CAUSE_TRANSLATION, CAUSE_ADDRESS_SIZE, level, entry);
	}
	for (unsigned int level = 0; lower && level < 4; level++) {
		uint64_t entry = (level == away ? NOWHERE : tables[level]) | S2_NORMAL | S2_RW;

		*two.tables[level] =
			level == level_of(scene, CAUSE_WALK_STAGE2) ? 0 : entry | TABLE;
	}
	for (unsigned int level = 1; lower && level < 4; level++)
		*two.entry[level] = spoilt(scene, CAUSE_S2_TRANSLATION, CAUSE_S2_ADDRESS_SIZE,
					   level, level == 3 ? leaf2(scene) : two.good[level]);
}

static void make_context(const struct scene *scene)
{
	lower_init(&c, scene->el, 0);
	c.hcr_el2 |= HCR_VM;
	c.ttbr0_el1 = table_ipa(0) | (scene->causes[CAUSE_TABLE_BASE] ? TOO_LARGE : 0);
	c.ttbr1_el1 = upper_root;
	c.tcr_el1 = (STAGE1_TCR & ~TCR_EPD1) | TCR_WALKS1;
	c.mair_el1 = STAGE_MAIR;
	c.sctlr_el1 |= SCTLR_ON | SCTLR_DZE | (scene->causes[CAUSE_ALIGNMENT] ? SCTLR_A : 0);
	c.vbar_el1 = UPPER + PAGE_SIZE + (lower_address(lower_vectors_hvc) & 0xfff);
	if (unreadable(scene) && scene->el == 1 && !accesses[scene->access].unprivileged)
		c.spsr |= SPSR_PAN;
	if (scene->causes[CAUSE_WATCHPOINT])
		c.spsr &= ~SPSR_D;
}

/* What a fetch finds, if it finds anything. */
static void make_target(const struct scene *scene)
{
	uint32_t *words = linear(target);
	uintptr_t at = (uintptr_t)words + FAULTS_AT;

	words[FAULTS_AT / 4] = scene->el ? A64_HVC(LOWER_DONE) : A64_SVC(LOWER_DONE);
	__asm__ volatile("dc cvau, %0\n\tdsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::"r"(at)
			 : "memory");
}

void scene_make(const struct scene *scene)
{
	make_tables(scene);
	if (scene->access == FETCH)
		make_target(scene);
	stage_flush();
	if (scene->el == 2)
		__asm__ volatile("tlbi alle2\n\tdsb nsh\n\tisb" ::: "memory");
	else
		make_context(scene);
}

uint64_t scene_code(unsigned int el, uint32_t word)
{
	uint32_t *words = (uint32_t *)linear(code_pa) + 4 * ACCESSES;

	words[0] = word;
	words[1] = el ? A64_HVC(LOWER_DONE) : A64_SVC(LOWER_DONE);
	__asm__ volatile("dc cvau, %0\n\tdsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::"r"(words)
			 : "memory");
	return UPPER + 16 * ACCESSES;
}

uint64_t scene_code_pa(enum access access, unsigned int el)
{
	return code_pa + 16 * (unsigned int)access + (el ? 8 : 0);
}

uint64_t scene_vectors_pa(void)
{
	return lower_address(lower_vectors_hvc);
}

struct outcome scene_enter(uint64_t pc)
{
	const struct lower_exit *e = &c.exit;
	int vector;

	c.pc = pc;
	lower_run(&c);
	vector = lower_vector(&c, NULL);
	if (e->kind != LOWER_SYNC || (vector >= 0 && vector % 4 != VEC_SP0_SYNC))
		return (struct outcome){.taken = TAKEN_SERROR, .esr = e->esr};
	if (vector < 0 && ESR_EC(e->esr) == EC_HVC64)
		return (struct outcome){.taken = TAKEN_NONE, .status = c.x[7]};
	if (vector < 0)
		return (struct outcome){TAKEN_EL2, e->esr, e->far, e->hpfar, 0};
	if (ESR_EC(c.esr_el1) == EC_SVC64)
		return (struct outcome){.taken = TAKEN_NONE, .status = c.x[7]};
	return (struct outcome){.taken = TAKEN_EL1, .esr = c.esr_el1, .far = c.far_el1};
}

static struct outcome go_below(const struct scene *scene, uint64_t va)
{
	c.x[1] = va;
	if (scene->access == FETCH)
		return scene_enter(c.x[1]);
	return scene_enter(UPPER + 16 * (unsigned int)scene->access + (scene->el ? 8 : 0));
}

static struct outcome go_at_el2(const struct scene *scene, uint64_t va)
{
	const uint64_t sctlr = read_sysreg(sctlr_el2), mdcr = read_sysreg(mdcr_el2);
	const uintptr_t code = (uintptr_t)faults_code + 8 * (unsigned int)scene->access;
	struct expected e;
	uint64_t status;

	if (scene->causes[CAUSE_ALIGNMENT])
		write_sysreg(sctlr_el2, sctlr | SCTLR_A);
	expect_begin();
	if (scene->causes[CAUSE_WATCHPOINT]) {
		write_sysreg(mdcr_el2, mdcr | MDCR_TDE);
		__asm__ volatile("isb\n\tmsr daifclr, #8" ::: "memory");
	}
	status = faults_call(code, va);
	__asm__ volatile("msr daifset, #8" ::: "memory");
	write_sysreg(mdcr_el2, mdcr);
	e = expect_end();
	write_sysreg(sctlr_el2, sctlr);
	isb();
	if (e.count == 0)
		return (struct outcome){.taken = TAKEN_NONE, .status = status};
	return (struct outcome){.taken = TAKEN_EL2, .esr = e.esr, .far = e.far};
}

struct outcome scene_go_at(const struct scene *scene, uint64_t va)
{
	const bool watch = scene->causes[CAUSE_WATCHPOINT];
	struct outcome outcome;

	if (watch) {
		write_sysreg(dbgwvr0_el1, FAULTS_VA + FAULTS_AT);
		write_sysreg(dbgwcr0_el1, WATCH_ALL);
		write_sysreg(mdscr_el1, MDSCR_DEBUG);
		isb();
	}
	outcome = scene->el == 2 ? go_at_el2(scene, va) : go_below(scene, va);
	if (watch) {
		write_sysreg(mdscr_el1, 0);
		write_sysreg(dbgwcr0_el1, 0);
		isb();
	}
	return outcome;
}

struct outcome scene_go(const struct scene *scene)
{
	return scene_go_at(scene, scene_address(scene));
}

struct outcome scene_run(const struct scene *scene)
{
	scene_make(scene);
	return scene_go(scene);
}
