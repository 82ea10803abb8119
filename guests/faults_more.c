/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults: orders that are no pair of faults.def: accesses to two pages, hardware's updates of
 * descriptors, no stage 1, address translation and maintenance instructions.
 */
#include "arch.h"
#include "boot.h"
#include "faults.h"

#define AF	   (UINT64_C(1) << 10)
#define DBM	   (UINT64_C(1) << 51)
#define TCR_HA	   (UINT64_C(1) << 39)
#define TCR_HD	   (UINT64_C(1) << 40)
#define PAR_F	   UINT64_C(1)
#define PAR_S	   (UINT64_C(1) << 9)
#define PAR_FST(p) ((unsigned int)((p) >> 1 & 0x3f))
#define FSC_ACCESS 0x08
#define FSC_PERMIT 0x0c
#define LEVEL3	   3u

const char *needs_atomic(void)
{
	return needs_too(needs_el2(), !needs_el2() && scene_can(ATOMIC, 1, CAUSE_TRANSLATION),
			 "no FEAT_LSE");
}

const char *needs_device(void)
{
	return needs_too(needs_el2(), !needs_el2() && scene_reports(LOAD, 1, CAUSE_MEMORY_TYPE),
			 "unaligned accesses to Device memory are made");
}

const char *needs_stage2_device(void)
{
	return needs_too(needs_el2(), !needs_el2() && scene_reports(LOAD, 1, CAUSE_S2_MEMORY_TYPE),
			 "unaligned accesses to Device memory are made");
}

const char *needs_update(void)
{
	return needs_too(needs_el2(), field(read_sysreg(id_aa64mmfr1_el1), 3, 0) >= 2,
			 "no FEAT_HAFDBS with dirty state");
}

void pc_alignment(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int other = 0; other < CAUSES; other++) {
			struct scene scene = {.access = FETCH, .el = el};
			unsigned int first, last;

			if (other != CAUSE_ALIGNMENT &&
			    !scene_reports(FETCH, el, (enum cause)other))
				continue;
			scene_levels((enum cause)other, &first, &last);
			for (unsigned int level = first; level <= last; level++) {
				scene_add(&scene, (enum cause)other, level);
				scene_add(&scene, CAUSE_ALIGNMENT, 0);
				scene_try(&scene);
			}
		}
}

/* Arm ARM D8.15.5.1, R_LTQNW: both are looked at together in each step. */
void atomic_permissions(void)
{
	static const enum cause kinds[] = {CAUSE_PERMISSION, CAUSE_S2_PERMISSION};

	for (unsigned int el = 0; el < 3; el++)
		for (unsigned int k = 0; k < (el == 2 ? 1 : 2); k++)
			for (unsigned int other = 0; other < CAUSES; other++) {
				struct scene scene = {
					.access = ATOMIC, .el = el, .read_only = true};
				unsigned int first, last;

				if (!scene_reports(ATOMIC, el, (enum cause)other) &&
				    other != (unsigned int)kinds[k])
					continue;
				scene_levels((enum cause)other, &first, &last);
				scene_add(&scene, kinds[k], LEVEL3);
				scene_add(&scene, (enum cause)other, last);
				scene_try(&scene);
			}
}

void walk_level(void)
{
	for (unsigned int access = 0; access < ACCESSES; access++)
		for (unsigned int level = 0; level < 4; level++) {
			struct scene scene = {.access = (enum access)access, .el = 1};
			struct outcome o;

			if (!scene_can(scene.access, 1, CAUSE_WALK_STAGE2))
				continue;
			scene_add(&scene, CAUSE_WALK_STAGE2, level);
			o = scene_run(&scene);
			if (o.taken == TAKEN_NONE && access == STORE_EXCLUSIVE)
				continue;
			CHECK(o.taken == TAKEN_EL2 && ESR_FSC(o.esr) == FSC_TRANSLATION_L3,
			      "%s, table of level %u: ESR 0x%lx", accesses[access].name, level,
			      o.esr);
		}
}

void no_isv(void)
{
	for (unsigned int el = 0; el < 3; el++) {
		struct scene scene = {.access = LOAD, .el = el};
		struct outcome o;

		scene_add(&scene, CAUSE_TRANSLATION, LEVEL3);
		o = scene_run(&scene);
		CHECK(o.taken && field(o.esr, 24, 8) == 0, "EL%u: ESR 0x%lx", el, o.esr);
	}
}

/* In the last bytes of the page of FAULTS_VA and the first ones of the next, which is the same. */
#define BOTH_VA (FAULTS_VA + PAGE_SIZE - 3)

/*
 * A load or store to both, of which one or both have the cause. The fault is one of them that has
 * it, and the address in that page; an implementation may have the access's own.
 */
static void try_two(enum access access, unsigned int el, enum cause cause)
{
	for (unsigned int bad = 1; bad < 4; bad++) {
		struct scene scene = {.access = access, .el = el}, good = scene;
		volatile uint64_t *entry = scene_entry(el, LEVEL3);
		struct outcome o;
		uint64_t page, spoilt;

		scene_make(&good);
		page = *entry;
		scene_add(&scene, cause, LEVEL3);
		scene_make(&scene);
		spoilt = *entry;
		entry[0] = bad & 1 ? spoilt : page;
		entry[1] = bad & 2 ? spoilt : page;
		stage_flush();
		if (el == 2)
			__asm__ volatile("tlbi alle2\n\tdsb nsh\n\tisb" ::: "memory");
		o = scene_go_at(&scene, BOTH_VA);
		CHECK(o.taken == (el == 2 ? TAKEN_EL2 : TAKEN_EL1) &&
			      ESR_FSC(o.esr) == scene_fsc(&scene, cause),
		      "%s at EL%u, pages %u: %u, ESR 0x%lx", accesses[access].name, el, bad,
		      (unsigned int)o.taken, o.esr);
		CHECK(o.far == BOTH_VA || o.far == FAULTS_VA + PAGE_SIZE,
		      "%s at EL%u, pages %u: FAR 0x%lx", accesses[access].name, el, bad, o.far);
	}
}

static void try_two_pages(enum cause cause)
{
	static const enum access kinds[] = {LOAD, STORE};

	for (unsigned int k = 0; k < 2; k++)
		for (unsigned int el = 0; el < 3; el++)
			if (scene_reports(kinds[k], el, cause))
				try_two(kinds[k], el, cause);
}

void two_pages(void)
{
	try_two_pages(CAUSE_TRANSLATION);
	try_two_pages(CAUSE_ADDRESS_SIZE);
	try_two_pages(CAUSE_ACCESS_FLAG);
	try_two_pages(CAUSE_PERMISSION);
}

void two_pages_device(void)
{
	try_two_pages(CAUSE_MEMORY_TYPE);
}

/* With TCR_EL1.{HA,HD}: a scene, of which the leaf is changed. */
static struct outcome go_updating(const struct scene *scene, uint64_t clear, uint64_t set)
{
	volatile uint64_t *entry = scene_entry(scene->el, LEVEL3);

	scene_make(scene);
	*entry = (*entry & ~clear) | set;
	stage_flush();
	c.tcr_el1 |= TCR_HA | TCR_HD;
	return scene_go(scene);
}

void access_flag_update(void)
{
	struct scene scene = {.access = STORE, .el = 1};
	volatile uint64_t *entry = scene_entry(1, LEVEL3);
	struct outcome o;

	o = go_updating(&scene, AF, S1_RO | DBM);
	CHECK(o.taken == TAKEN_NONE && (*entry & AF) && !(*entry & S1_RO),
	      "a store: ESR 0x%lx, entry 0x%lx", o.esr, *entry);
	scene.access = LOAD;
	o = go_updating(&scene, AF, S1_RO | DBM);
	CHECK(o.taken == TAKEN_NONE && (*entry & AF) && (*entry & S1_RO),
	      "a load: ESR 0x%lx, entry 0x%lx", o.esr, *entry);
	/* Not writable: no access flag fault. Whether the flag is set is open. */
	scene.access = STORE;
	o = go_updating(&scene, AF, S1_RO);
	CHECK(o.taken == TAKEN_EL1 && ESR_FSC(o.esr) == FSC_PERMIT + LEVEL3 && (*entry & S1_RO),
	      "a store, read-only: ESR 0x%lx", o.esr);
	if (!scene_reports(STORE, 1, CAUSE_MEMORY_TYPE))
		return;
	scene_add(&scene, CAUSE_MEMORY_TYPE, 0);
	o = go_updating(&scene, AF, S1_RO | DBM);
	CHECK(o.taken == TAKEN_EL1 && ESR_FSC(o.esr) == FSC_ALIGNMENT,
	      "an unaligned store: ESR 0x%lx", o.esr);
	o = go_updating(&scene, AF, S1_RO);
	CHECK(o.taken == TAKEN_EL1 && ESR_FSC(o.esr) == FSC_ALIGNMENT,
	      "an unaligned store, read-only: ESR 0x%lx", o.esr);
}

/* A scene at EL1 without stage 1: addresses are IPAs, and the code where it is. */
static struct outcome go_flat(const struct scene *scene, uint64_t hcr)
{
	scene_make(scene);
	c.sctlr_el1 &= ~UINT64_C(1);
	c.vbar_el1 = scene_vectors_pa();
	c.hcr_el2 |= hcr;
	c.x[1] = TARGET_IPA + FAULTS_AT + (scene_unaligned(scene) ? 1 : 0);
	return scene_enter(scene_code_pa(scene->access, 1));
}

void stage1_off(void)
{
	for (unsigned int store = 0; store < 2; store++) {
		struct scene scene = {.access = store ? STORE : LOAD, .el = 1};
		struct outcome o = go_flat(&scene, 0);

		CHECK(o.taken == TAKEN_NONE, "aligned: ESR 0x%lx", o.esr);
		scene_add(&scene, CAUSE_MEMORY_TYPE, 0);
		for (unsigned int mapped = 0; mapped < 2; mapped++) {
			if (mapped)
				scene_add(&scene, CAUSE_S2_TRANSLATION, LEVEL3);
			o = go_flat(&scene, 0);
			CHECK(o.taken == TAKEN_EL1 && ESR_FSC(o.esr) == FSC_ALIGNMENT &&
				      !!(o.esr & ESR_WNR) == store && o.far == c.x[1],
			      "unaligned: %u, ESR 0x%lx FAR 0x%lx", (unsigned int)o.taken, o.esr,
			      o.far);
		}
	}
}

void default_cacheable(void)
{
	struct scene scene = {.access = LOAD, .el = 1};
	struct outcome o;

	scene_add(&scene, CAUSE_MEMORY_TYPE, 0); /* of a stage 1 that is not on */
	o = go_flat(&scene, HCR_DC);
	CHECK(o.taken == TAKEN_NONE, "unaligned: %u, ESR 0x%lx", (unsigned int)o.taken, o.esr);
	scene_add(&scene, CAUSE_S2_TRANSLATION, LEVEL3);
	o = go_flat(&scene, HCR_DC);
	CHECK(o.taken == TAKEN_EL2 && ESR_FSC(o.esr) == FSC_TRANSLATION_L3,
	      "not in stage 2: %u, ESR 0x%lx", (unsigned int)o.taken, o.esr);
}

void default_cacheable_device(void)
{
	struct scene scene = {.access = LOAD, .el = 1};
	struct outcome o;

	scene_add(&scene, CAUSE_S2_MEMORY_TYPE, 0);
	o = go_flat(&scene, HCR_DC);
	CHECK(o.taken == TAKEN_EL2 && ESR_FSC(o.esr) == FSC_ALIGNMENT, "%u, ESR 0x%lx",
	      (unsigned int)o.taken, o.esr);
}

/* An instruction of X1 at EL1, in a scene. */
static struct outcome go_word(const struct scene *scene, uint32_t word)
{
	scene_make(scene);
	c.x[1] = scene_address(scene);
	return scene_enter(scene_code(scene->el, word));
}

#define DC_CVAC	 A64_SYS(3, 7, 10, 1, 1)
#define DC_CVAU	 A64_SYS(3, 7, 11, 1, 1)
#define DC_CIVAC A64_SYS(3, 7, 14, 1, 1)
#define DC_ZVA	 A64_SYS(3, 7, 4, 1, 1)
#define IC_IVAU	 A64_SYS(3, 7, 5, 1, 1)

void maintenance_alignment(void)
{
	static const uint32_t words[] = {DC_CVAC, DC_CVAU, DC_CIVAC, IC_IVAU};
	struct scene scene = {.access = LOAD, .el = 1};

	scene_add(&scene, CAUSE_MEMORY_TYPE, 0);
	scene_add(&scene, CAUSE_ALIGNMENT, 0);
	for (unsigned int n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
		const struct outcome o = go_word(&scene, words[n]);

		CHECK(o.taken == TAKEN_NONE, "0x%08x: %u, ESR 0x%lx", words[n],
		      (unsigned int)o.taken, o.esr);
	}
}

void prefetch(void)
{
	static const enum cause kinds[] = {CAUSE_TRANSLATION,	 CAUSE_ACCESS_FLAG,
					   CAUSE_S2_TRANSLATION, CAUSE_WALK_STAGE2,
					   CAUSE_ALIGNMENT,	 CAUSE_WATCHPOINT};

	for (unsigned int n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++) {
		struct scene scene = {.access = LOAD, .el = 1};
		struct outcome o;

		scene_add(&scene, kinds[n], LEVEL3);
		o = go_word(&scene, 0xf9800020); /* PRFM PLDL1KEEP, [X1] */
		CHECK(o.taken == TAKEN_NONE, "%u: %u, ESR 0x%lx", n, (unsigned int)o.taken, o.esr);
	}
}

/* AT S12E1W of EL2, in a scene of EL1. */
static uint64_t translate_both(const struct scene *scene)
{
	const uint64_t hcr = read_sysreg(hcr_el2);
	uint64_t par;

	scene_make(scene);
	(void)scene_go(scene); /* its registers stay */
	write_sysreg(hcr_el2, c.hcr_el2);
	isb();
	__asm__ volatile("at s12e1w, %0\n\tisb" ::"r"(scene_address(scene)) : "memory");
	par = read_sysreg(par_el1);
	write_sysreg(hcr_el2, hcr);
	isb();
	return par;
}

void at_order(void)
{
	static const struct {
		enum cause one, two;
		bool stage2;
		unsigned int fsc;
	} rows[] = {
		{CAUSE_TRANSLATION, CAUSE_S2_TRANSLATION, false, FSC_TRANSLATION_L3},
		{CAUSE_ACCESS_FLAG, CAUSE_PERMISSION, false, FSC_ACCESS + LEVEL3},
		{CAUSE_PERMISSION, CAUSE_S2_TRANSLATION, false, FSC_PERMIT + LEVEL3},
		{CAUSE_PERMISSION, CAUSE_MEMORY_TYPE, false, FSC_PERMIT + LEVEL3},
		{CAUSE_S2_TRANSLATION, CAUSE_MEMORY_TYPE, true, FSC_TRANSLATION_L3},
		{CAUSE_S2_ACCESS_FLAG, CAUSE_S2_PERMISSION, true, FSC_ACCESS + LEVEL3},
		{CAUSE_S2_PERMISSION, CAUSE_S2_MEMORY_TYPE, true, FSC_PERMIT + LEVEL3},
		{CAUSE_MEMORY_TYPE, CAUSE_S2_MEMORY_TYPE, false, 0},
	};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		struct scene scene = {.access = STORE, .el = 1};
		uint64_t par;

		scene_add(&scene, rows[n].one, LEVEL3);
		scene_add(&scene, rows[n].two, LEVEL3);
		par = translate_both(&scene);
		if (rows[n].fsc == 0)
			CHECK(!(par & PAR_F), "row %u: PAR_EL1 0x%lx", n, par);
		else
			CHECK((par & PAR_F) && !!(par & PAR_S) == rows[n].stage2 &&
				      PAR_FST(par) == rows[n].fsc,
			      "row %u: PAR_EL1 0x%lx", n, par);
	}
}

/* Not aligned is what the scene would have it: here the address is, and the memory is Device. */
void unsupported_atomic(void)
{
	static const enum access kinds[] = {ATOMIC, LOAD_EXCLUSIVE};

	for (unsigned int k = 0; k < 2; k++)
		for (unsigned int el = 0; el < 3; el++) {
			struct scene scene = {.access = kinds[k], .el = el};
			volatile uint64_t *entry = scene_entry(el, LEVEL3);
			struct outcome o;

			scene_make(&scene);
			*entry &= ~(UINT64_C(7) << 2);
			stage_flush();
			__asm__ volatile("tlbi alle2\n\tdsb nsh\n\tisb" ::: "memory");
			o = scene_go(&scene);
			CHECK(o.taken == TAKEN_NONE || o.taken == TAKEN_SERROR ||
				      ((ESR_EC(o.esr) & ~1u) == EC_DATA_LOWER &&
				       (ESR_FSC(o.esr) == FSC_UNSUPPORTED ||
					ESR_FSC(o.esr) == FSC_EXTERNAL)),
			      "%s at EL%u: ESR 0x%lx", accesses[kinds[k]].name, el, o.esr);
		}
}
