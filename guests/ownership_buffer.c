/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owning translation regime of the profiling buffer, and which level gets its faults (Arm ARM
 * D17.5, D17.7; PMBSR_EL1, PMBSR_EL2, PMBSR_EL3).
 */
#include "ownership.h"
#include "boot.h"
#include "exception.h"
#include "spe.h"
#include "tap.h"

#define EC_FULL	     0x00
#define EC_STAGE1    0x24
#define EC_STAGE2    0x25
#define EC_PROFILING 0x3d
#define ISS_SPE	     2

/* Secure state has a separate root of stage 2; start level and T0SZ are those of VTCR_EL2. */
#define VSTTBR_EL2   S3_4_C2_C6_0
#define VSTCR_EL2    S3_4_C2_C6_2
#define STAGE2_VSTCR (STAGE2_VTCR & 0xff)

#define PERMISSION  0x0c /* plus the level */
#define TRANSLATION 0x04

#define RAM_BLOCKS 128u
#define BLOCK	   UINT64_C(0x200000)
#define IPA	   UINT64_C(0x200000000) /* nothing is there but what stage2_on() maps */

#define E1 PMSCR_ENABLE
#define E2 PMSCR_ENABLE

static struct stage stage2;

/*
 * Secure state has a separate stage 2 root, in registers that exist only with Secure EL2: set it
 * for a main at EL2 that is Secure.
 */
static void secure_stage2(void)
{
	uint64_t scr = access_level == 3 ? read_sysreg(scr_el3) : 0;

	if (access_level == 3 && !access_machine.sel2)
		return;
	if (access_level == 3)
		write_sysreg(scr_el3, (scr & ~(SCR_NS | SCR_NSE)) | SCR_EEL2);
	expect_begin();
	write_sysreg(VSTCR_EL2, STAGE2_VSTCR);
	write_sysreg(VSTTBR_EL2, stage2.root);
	expect_end();
	if (access_level == 3)
		write_sysreg(scr_el3, scr);
	isb();
}

/* Stage 2: RAM at its own addresses, and what tests add. */
static void stage2_on(struct access_controls *c)
{
	uint64_t base = boot_info.image_pa & ~(BLOCK * RAM_BLOCKS - 1);

	if (!stage2.root) {
		stage2 = stage2_new();
		for (unsigned int i = 0; i < RAM_BLOCKS; i++)
			stage_map_level(&stage2, base + i * BLOCK, base + i * BLOCK, 2,
					S2_NORMAL | S2_RW);
	}
	c->hcr_el2 |= HCR_VM;
	secure_stage2();
	if (access_level == 3) {
		access_context.vtcr_el2 = STAGE2_VTCR;
		access_context.vttbr_el2 = stage2.root;
		return;
	}
	write_sysreg(vtcr_el2, STAGE2_VTCR);
	write_sysreg(vttbr_el2, stage2.root);
	isb();
}

static void stage2_page(uint64_t ipa, uint64_t pa, uint64_t attributes)
{
	*stage_entry(&stage2, ipa, 3) = pa ? pa | S2_NORMAL | attributes | 3 : 0;
	dsb();
	stage_flush();
}

/* EL1's own again. */
static void plain_pages(void)
{
	for (unsigned int i = 0; i < BUFFER_PAGES; i++)
		own_map1(OWN_VA1 + i * PAGE_SIZE, own_pa[i]);
}

static void check_records(const struct record *records, unsigned int count, unsigned int el)
{
	access_count += count;
	CHECK(count >= own_records(), "%u records", count);
	for (unsigned int i = 0; i < count; i++)
		CHECK(records[i].el == el && records[i].has & RECORD_PC, "record %u: packets 0x%x",
		      i, records[i].has);
}

/* RULE("RTDHBH") */
void buffer_stage2(void)
{
	unsigned long before = access_count;

	for (enum state_id state = 0; state < STATES; state++) {
		struct access_controls c = state_controls(state);
		struct record records[16];

		if (state_lacks(state) || !access_el2_enabled(&access_machine, &c))
			continue;
		stage2_on(&c);
		/* The pages change places twice: IPAs descend, and are not the PAs. */
		for (unsigned int i = 0; i < BUFFER_PAGES; i++) {
			stage2_page(IPA + i * PAGE_SIZE, own_pa[BUFFER_PAGES - 1 - i], S2_RW);
			own_map1(OWN_VA1 + (BUFFER_PAGES - 1 - i) * PAGE_SIZE, IPA + i * PAGE_SIZE);
		}
		access_set(&c);
		check_records(records, own_profile(OWN_VA1, 1, E1, 0, records, 16), 1);
		plain_pages();
	}
	own_done(before, "records");
}

static struct event {
	uint64_t pmbsr[4]; /* by Exception level */
	uint64_t pointer;
	bool stopped; /* OWN_LOAD did not complete, because of: */
	struct access_seen seen;
} event;

/*
 * Profile at EL1 until the first page is full. The next page cannot be written, or is past the end.
 * Remember the report. If no buffer may be so large, it begins at the next page.
 */
static void run_into(uint64_t pointer, uint64_t size, uint64_t pmscr_el1, uint64_t pmscr_el2)
{
	const bool full = size == PAGE_SIZE;

	if (spe_window(size) < size && spe_window(size) < 2 * PAGE_SIZE)
		pointer += PAGE_SIZE;
	size = spe_window(size);
	event = (struct event){0};
	access_count++;
	own_program(pointer, size);
	own_start(pmscr_el1, pmscr_el2);
	event.stopped = !own_run(1, OWN_LOAD, 20000, own_data, &event.seen);
	psb_csync();
	isb();
	/* RULE("RTHGCR") A fault may have waited for that. */
	if (!event.stopped && !full && spe_caps.version >= PMSVER_V1P5)
		event.stopped = !own_run(1, OWN_IDLE, 1, own_data, &event.seen);
	/* With EE not 0 the names at EL2 mean other registers: restore it first. */
	own_stop();
	event.pointer = access_get(SYSREG_PMBPTR_EL1);
	event.pmbsr[1] = access_get(SYSREG_PMBSR_EL1);
	if (access_machine.exc) {
		event.pmbsr[2] = access_get(SYSREG_PMBSR_EL2);
		event.pmbsr[3] = access_level == 3 ? access_get(SYSREG_PMBSR_EL3) : 0;
	}
	own_program(0, 0);
}

/* Reported to the EL1 register alone, at pointer, with nothing lost. */
static void check_event(const char *what, unsigned int ec, unsigned int fsc, uint64_t pointer)
{
	uint64_t expect = (uint64_t)ec << 26 | PMBSR_S | fsc;

	CHECK(!event.stopped, "%s: exception to EL%u, ESR 0x%lx", what, event.seen.el,
	      event.seen.esr);
	CHECK((event.pmbsr[1] & ~PMBSR_DL) == expect, "%s: PMBSR_EL1 0x%lx, not 0x%lx", what,
	      event.pmbsr[1], expect);
	CHECK(event.pmbsr[2] == 0 && event.pmbsr[3] == 0, "%s: PMBSR_EL2 0x%lx, PMBSR_EL3 0x%lx",
	      what, event.pmbsr[2], event.pmbsr[3]);
	CHECK(event.pointer <= pointer && event.pointer > pointer - spe_caps.max_record,
	      "%s: PMBPTR_EL1 0x%lx, the fault is at 0x%lx", what, event.pointer, pointer);
	/* If part of a record was written, the pointer is where the rest would have gone. */
	CHECK(!(event.pmbsr[1] & PMBSR_DL) || event.pointer == pointer,
	      "%s: DL with PMBPTR_EL1 0x%lx", what, event.pointer);
}

/* The last page before a boundary of the level in IPAs, where the entry after is invalid. */
static void translation_level(unsigned int level)
{
	uint64_t boundary = IPA + (UINT64_C(1) << (12 + 9 * (3 - level))) * (level < 3);
	uint64_t first = boundary - PAGE_SIZE;
	struct access_controls c = access_open();

	if (level == 3) {
		first = IPA;
		boundary = IPA + PAGE_SIZE;
	}
	stage2_on(&c);
	stage2_page(first, own_pa[0], S2_RW);
	if (level == 3)
		stage2_page(boundary, 0, 0);
	own_map1(OWN_VA1, first);
	own_map1(OWN_VA1 + PAGE_SIZE, boundary);
	access_set(&c);
	run_into(OWN_VA1, BUFFER_SIZE, E1, 0);
	check_event("stage 2 translation fault", EC_STAGE2, TRANSLATION + level,
		    OWN_VA1 + PAGE_SIZE);
	stage2_page(first, 0, 0);
}

static void test_permission(void)
{
	struct access_controls c = access_open();

	stage2_on(&c);
	stage2_page(IPA, own_pa[0], S2_RW);
	stage2_page(IPA + PAGE_SIZE, own_pa[1], S2_R);
	own_map1(OWN_VA1, IPA);
	own_map1(OWN_VA1 + PAGE_SIZE, IPA + PAGE_SIZE);
	access_set(&c);
	run_into(OWN_VA1, BUFFER_SIZE, E1, 0);
	check_event("stage 2 permission fault", EC_STAGE2, PERMISSION + 3, OWN_VA1 + PAGE_SIZE);
}

/* Stage 2 does not map EL1's table of level 3: a stage 2 fault on the walk of stage 1. */
static void on_walk(void)
{
	uint64_t far = OWN_VA1 + BLOCK, table;
	struct access_controls c = access_open();
	volatile uint64_t *entry;

	stage2_on(&c);
	own_map1(far - PAGE_SIZE, own_pa[0]);
	own_map1(far, own_pa[1]);
	entry = stage_entry(&own_stage1, far, 2);
	table = *entry;
	*entry = IPA + 16 * BLOCK + 3;
	dsb();
	stage_flush();
	access_set(&c);
	run_into(far - PAGE_SIZE, BUFFER_SIZE, E1, 0);
	*entry = table;
	check_event("stage 2 fault on the walk", EC_STAGE2, TRANSLATION + 2, far);
	own_map1(far - PAGE_SIZE, 0);
	own_map1(far, 0);
}

/* RULE("RDQTTB") */
void stage2_faults(void)
{
	unsigned long before = access_count;

	for (unsigned int level = 1; level <= 3; level++)
		translation_level(level);
	test_permission();
	on_walk();
	plain_pages();
	own_done(before, "events");
}

void stage1_fault(void)
{
	unsigned long before = access_count;

	for (unsigned int nested = 0; nested < 2; nested++) {
		struct access_controls c = access_open();

		if (nested)
			stage2_on(&c);
		own_map1(OWN_VA1 + PAGE_SIZE, 0);
		access_set(&c);
		run_into(OWN_VA1, BUFFER_SIZE, E1, 0);
		check_event("stage 1 fault", EC_STAGE1, TRANSLATION + 3, OWN_VA1 + PAGE_SIZE);
		plain_pages();
	}
	own_done(before, "events");
}

/*
 * RULE("RKRVDC")
 * EL1 is profiled; its own regime does not map the buffer, and stage 2 plays no part.
 */
void buffer_el2(void)
{
	unsigned long before = access_count;

	for (enum state_id state = 0; state < STATES; state++)
		for (unsigned int i = 0; i < 4 && !state_lacks(state); i++) {
			struct access_controls c = state_controls(state);
			struct record records[16];

			if (!access_el2_enabled(&access_machine, &c) ||
			    (i & 1 && !access_machine.vhe))
				continue;
			set_e2pb(&c, 0);
			c.hcr_el2 |= i & 1 ? HCR_E2H : 0;
			if (i >> 1)
				stage2_on(&c);
			access_set(&c);
			check_records(records, own_profile(OWN_VA2, 1, E1, 0, records, 16), 1);
			check_records(records, own_profile(OWN_VA2, 2, 0, E2, records, 16), 2);
		}
	own_done(before, "records");
}

void el2_fault(void)
{
	unsigned long before = access_count;

	for (unsigned int i = 0; i < 2; i++) {
		struct access_controls c = access_open();

		if (i && !access_machine.vhe)
			break;
		set_e2pb(&c, 0);
		c.hcr_el2 |= i ? HCR_E2H : 0;
		own_map2(OWN_VA2 + PAGE_SIZE, 0);
		access_set(&c);
		run_into(OWN_VA2, BUFFER_SIZE, E1, 0);
		check_event("fault in EL2's regime", EC_STAGE1, TRANSLATION + 3,
			    OWN_VA2 + PAGE_SIZE);
		own_map2(OWN_VA2 + PAGE_SIZE, own_pa[1]);
	}
	own_done(before, "events");
}

enum event_kind { KIND_FULL, KIND_STAGE1, KIND_STAGE1_EL2, KIND_STAGE2, KINDS };

/* FEAT_SPE_EXC: which PMBSR_ELx. 0b10 delegates events of the next level. */
static unsigned int target_level(enum event_kind kind, unsigned int pmsee, unsigned int ee2)
{
	if (pmsee == 3)
		return 3;
	if (pmsee == 0 || ee2 < 2)
		return 1;
	return ee2 == 3 || kind == KIND_STAGE1_EL2 || kind == KIND_STAGE2 ? 2 : 1;
}

static void fault_target(enum event_kind kind, unsigned int pmsee, unsigned int ee2,
			 unsigned int ee1)
{
	static const unsigned int classes[] = {EC_FULL, EC_STAGE1, EC_STAGE1, EC_STAGE2};
	uint64_t status = (uint64_t)classes[kind] << 26 | PMBSR_S | (kind == KIND_FULL ? 1 : 7);
	struct access_controls c = access_open();
	unsigned int to = target_level(kind, pmsee, ee2);
	uint64_t pointer = kind == KIND_STAGE1_EL2 ? OWN_VA2 : OWN_VA1;
	/* Taken at EL1 if it is for a higher level, or unmasked by PMSCR_EL1.KE, which is 0. */
	bool taken = to > 1;

	if (access_level == 3)
		c.mdcr_el3 = (c.mdcr_el3 & ~MDCR3_PMSEE(3)) | MDCR3_PMSEE(pmsee);
	if (kind == KIND_STAGE1_EL2)
		set_e2pb(&c, 0);
	stage2_on(&c);
	stage2_page(IPA, own_pa[0], S2_RW);
	stage2_page(IPA + PAGE_SIZE, 0, 0);
	own_map1(OWN_VA1, kind == KIND_STAGE2 ? IPA : own_pa[0]);
	own_map1(OWN_VA1 + PAGE_SIZE, kind == KIND_STAGE2 ? IPA + PAGE_SIZE : 0);
	own_map2(OWN_VA2 + PAGE_SIZE, 0);
	access_set(&c);
	run_into(pointer, kind == KIND_FULL ? PAGE_SIZE : BUFFER_SIZE, E1 | (uint64_t)ee1 << 8,
		 (uint64_t)ee2 << 8);
	for (unsigned int el = 1; el <= 3; el++)
		CHECK((event.pmbsr[el] & ~PMBSR_DL) == (el == to ? status : 0),
		      "event %u, PMSEE %u EE2 %u EE1 %u: PMBSR_EL%u 0x%lx", (unsigned int)kind,
		      pmsee, ee2, ee1, el, event.pmbsr[el]);
	CHECK(event.stopped == taken, "event %u, PMSEE %u EE2 %u EE1 %u: %s Profiling exception",
	      (unsigned int)kind, pmsee, ee2, ee1, event.stopped ? "a" : "no");
	if (taken)
		CHECK(event.seen.el == to && event.seen.esr == ((uint64_t)EC_PROFILING << 26 |
								UINT64_C(1) << 25 | ISS_SPE),
		      "event %u, PMSEE %u EE2 %u EE1 %u: to EL%u, ESR 0x%lx", (unsigned int)kind,
		      pmsee, ee2, ee1, event.seen.el, event.seen.esr);
	own_map2(OWN_VA2 + PAGE_SIZE, own_pa[1]);
}

void fault_targets(void)
{
	unsigned long before = access_count;

	for (enum event_kind kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < 4 * 4 * 2; i++)
			if (access_level == 3 || (i & 3) == 1)
				fault_target(kind, i & 3, i >> 2 & 3, i >> 4 ? 3 : 0);
	plain_pages();
	own_done(before, "events");
}
