/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu-model: whose entries a TLB has. A switch of the ASID alone keeps all of them, and finds those
 * of the new one and the global ones; maintenance takes what it names, and leaves the rest (Arm ARM
 * D8.16, D8.17).
 */
#include "arch.h"
#include "boot.h"
#include "pmu_model.h"
#include "pmu_regs.h"
#include "tap.h"

#define ASID_SHIFT 48
#define ASID_A	   UINT64_C(0x52)
#define ASID_B	   UINT64_C(0x53)

/* Two pages: one of EL0, which has nG, and a global one. Each has its own address at its begin. */
static uint64_t own, global;

static void set_asid(uint64_t asid)
{
	const uint64_t root = read_sysreg(ttbr0_el1) & ~(UINT64_MAX << ASID_SHIFT);

	write_sysreg(ttbr0_el1, root | asid << ASID_SHIFT);
	isb();
}

/* Is the page at va in no TLB of the PE? It is in one then. */
static uint64_t walks(uint64_t va)
{
	pmu_clear(0);
	pmu_count(0, EVENT_DTLB_WALK, 0);
	(void)watched_run(0, PMCR_E, user_address(load_run), 1, va);
	return pmu_read_counter(0);
}

#define TLBI(operation, value)                                                    \
	__asm__ volatile("dsb nshst\n\ttlbi " #operation ", %0\n\tdsb nsh\n\tisb" \
			 :                                                        \
			 : "r"(value)                                             \
			 : "memory")

/* Both ASIDs have entries of both pages. */
static void enter_both(void)
{
	for (uint64_t asid = ASID_A; asid <= ASID_B; asid++) {
		set_asid(asid);
		(void)walks(own);
		(void)walks(global);
	}
}

static const struct {
	const char *name;
	uint64_t a, b, global; /* walks for the page of each ASID, and for the global one */
} expected[] = {
	{"nothing", 0, 0, 0},
	{"ASIDE1 of A", 1, 0, 0},
	{"VAE1 of A", 1, 0, 0},
	{"VAAE1", 1, 1, 0},
	{"VAE1 of another ASID", 0, 0, 0},
	{"VAE1 of the global page", 0, 0, 1},
	{"ASIDE1 of another", 0, 0, 0},
};

static void invalidate(unsigned int row)
{
	const uint64_t page = own >> PAGE_SHIFT, other = UINT64_C(0x54) << ASID_SHIFT;
	const uint64_t all = global << 8 >> 8 >> PAGE_SHIFT; /* VA[55:12] */

	switch (row) {
	case 1: TLBI(aside1, ASID_A << ASID_SHIFT); break;
	case 2: TLBI(vae1, ASID_A << ASID_SHIFT | page); break;
	case 3: TLBI(vaae1, page); break;
	case 4: TLBI(vae1, other | page); break;
	case 5: TLBI(vae1, other | all); break;
	case 6: TLBI(aside1, other); break;
	default: break;
	}
}

void share_tlbs(uint64_t user_page)
{
	const uint64_t before = read_sysreg(ttbr0_el1);

	own = user_page;
	global = (uintptr_t)data_alloc(1);
	*(volatile uint64_t *)own = own;
	*(volatile uint64_t *)global = global;
	set_asid(ASID_A);
	__asm__ volatile("tlbi vmalle1\n\tdsb nsh\n\tisb" ::: "memory");
	CHECK(walks(own) == 1 && walks(global) == 1, "no walks after VMALLE1");
	set_asid(ASID_B);
	CHECK(walks(own) == 1, "the page of another ASID is found");
	CHECK(walks(global) == 0, "a global page is not found");
	for (unsigned int row = 0; row < sizeof(expected) / sizeof(expected[0]); row++) {
		uint64_t a, b, c;

		enter_both();
		invalidate(row);
		c = walks(global);
		b = walks(own);
		set_asid(ASID_A);
		a = walks(own);
		CHECK(a == expected[row].a && b == expected[row].b && c == expected[row].global,
		      "%s: walks for A's page %lu, for B's %lu, for the global one %lu",
		      expected[row].name, a, b, c);
	}
	write_sysreg(ttbr0_el1, before);
	isb();
	pmu_clear(0);
}
