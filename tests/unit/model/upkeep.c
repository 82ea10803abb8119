/* SPDX-License-Identifier: BSD-2-Clause */
/* Maintenance by its encodings, as a machine model receives it: its kind, and its request. */

#include "../compare.h"
#include "sysreg/encoding.h"
#include "model/memory.h"
#include "model/upkeep.h"

/* Of EL1: IC is CRn 7, TLBI CRn 8. */
#define TLBI(crm, op2) SYSREG_ENCODING(1, 0, 8, crm, op2)

static const struct {
	const char *name;
	uint32_t encoding;
	struct model_upkeep upkeep;
} rows[] = {
	{"IC IALLUIS",
	 SYSREG_ENCODING(1, 0, 7, 1, 0),
	 {.kind = MODEL_UPKEEP_CODE_ALL, .all_cores = true}},
	{"IC IALLU", SYSREG_ENCODING(1, 0, 7, 5, 0), {.kind = MODEL_UPKEEP_CODE_ALL}},
	{"IC IVAU", SYSREG_ENCODING(1, 3, 7, 5, 1), {.kind = MODEL_UPKEEP_CODE, .all_cores = true}},
	{"DC ZVA", SYSREG_ENCODING(1, 3, 7, 4, 1), {.kind = MODEL_UPKEEP_ZERO}},
	{"DC IVAC",
	 SYSREG_ENCODING(1, 0, 7, 6, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_INVALIDATE | MODEL_TO_MEMORY}},
	{"DC CVAC",
	 SYSREG_ENCODING(1, 3, 7, 10, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{"DC CVAU",
	 SYSREG_ENCODING(1, 3, 7, 11, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN}},
	{"DC CVAP",
	 SYSREG_ENCODING(1, 3, 7, 12, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{"DC CVADP",
	 SYSREG_ENCODING(1, 3, 7, 13, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{"DC CIVAC",
	 SYSREG_ENCODING(1, 3, 7, 14, 1),
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_INVALIDATE | MODEL_TO_MEMORY}},
	{"TLBI VMALLE1", TLBI(7, 0), {.kind = MODEL_UPKEEP_TLB}},
	{"TLBI VMALLE1IS", TLBI(3, 0), {.kind = MODEL_UPKEEP_TLB, .all_cores = true}},
	{"TLBI VMALLE1OS", TLBI(1, 0), {.kind = MODEL_UPKEEP_TLB, .all_cores = true}},
	{"TLBI VAE1", TLBI(7, 1), {.kind = MODEL_UPKEEP_TLB, .by_va = true, .by_asid = true}},
	{"TLBI VALE1IS",
	 TLBI(3, 5),
	 {.kind = MODEL_UPKEEP_TLB, .all_cores = true, .by_va = true, .by_asid = true}},
	{"TLBI ASIDE1", TLBI(7, 2), {.kind = MODEL_UPKEEP_TLB, .by_asid = true}},
	{"TLBI VAAE1", TLBI(7, 3), {.kind = MODEL_UPKEEP_TLB, .by_va = true}},
	{"TLBI VAALE1IS", TLBI(3, 7), {.kind = MODEL_UPKEEP_TLB, .all_cores = true, .by_va = true}},
	{"TLBI RVAE1",
	 TLBI(6, 1),
	 {.kind = MODEL_UPKEEP_TLB, .by_va = true, .by_asid = true, .range = true}},
	{"TLBI RVAAE1IS",
	 TLBI(2, 3),
	 {.kind = MODEL_UPKEEP_TLB, .all_cores = true, .by_va = true, .range = true}},
	{"TLBI RVAALE1OS",
	 TLBI(5, 7),
	 {.kind = MODEL_UPKEEP_TLB, .all_cores = true, .by_va = true, .range = true}},
	/*
	 * By set and way; EL2's; by range, of all or of an ASID; AT; and instructions that are none
	 * of these.
	 */
	{"DC CISW", SYSREG_ENCODING(1, 0, 7, 14, 2), {.kind = MODEL_UPKEEP_NONE}},
	{"TLBI VAE2", SYSREG_ENCODING(1, 4, 8, 7, 1), {.kind = MODEL_UPKEEP_NONE}},
	{"TLBI by range of nothing", TLBI(2, 0), {.kind = MODEL_UPKEEP_NONE}},
	{"TLBI by range of an ASID", TLBI(6, 2), {.kind = MODEL_UPKEEP_NONE}},
	{"TLBI of no CRm", TLBI(4, 1), {.kind = MODEL_UPKEEP_NONE}},
	{"TLBI of no op2", TLBI(7, 4), {.kind = MODEL_UPKEEP_NONE}},
	{"AT S1E1R", SYSREG_ENCODING(1, 0, 7, 8, 0), {.kind = MODEL_UPKEEP_NONE}},
	{"SCTLR_EL1", SYSREG_ENCODING(3, 0, 1, 0, 0), {.kind = MODEL_UPKEEP_NONE}},
};

Test(model_upkeep, by_encoding)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct model_upkeep found = model_upkeep_find(rows[i].encoding);

		cr_expect_eq(found.kind, rows[i].upkeep.kind, "%s", rows[i].name);
		cr_expect_eq(found.what, rows[i].upkeep.what, "%s", rows[i].name);
		cr_expect_eq(found.all_cores, rows[i].upkeep.all_cores, "%s", rows[i].name);
		cr_expect_eq(found.by_va, rows[i].upkeep.by_va, "%s", rows[i].name);
		cr_expect_eq(found.by_asid, rows[i].upkeep.by_asid, "%s", rows[i].name);
		cr_expect_eq(found.range, rows[i].upkeep.range, "%s", rows[i].name);
	}
}

static struct model_tlbi ask(uint32_t encoding, uint64_t value, bool as, unsigned int *pages)
{
	const struct model_upkeep upkeep = model_upkeep_find(encoding);
	struct model_tlbi tlbi;

	*pages = model_upkeep_tlbi(&upkeep, value, as, false, 1, &tlbi);
	cr_assert_eq(tlbi.regimes, 1u << MODEL_REGIME_EL10);
	cr_assert_not(tlbi.any_vmid);
	return tlbi;
}

/* An ASID in [63:48], and VA[55:12], of the upper half, in [43:0]. */
#define VALUE (UINT64_C(0x1234) << 48 | UINT64_C(0xff000012345))

Test(model_upkeep, addresses_and_asids)
{
	unsigned int pages;
	struct model_tlbi tlbi = ask(TLBI(7, 1), VALUE, true, &pages);

	cr_assert_eq(pages, 1);
	cr_assert(tlbi.by_va);
	cr_assert(tlbi.by_asid);
	cr_assert_eq(tlbi.va, UINT64_C(0xffff000012345000));
	cr_assert_eq(tlbi.context, model_context(0x1234, 0, 1));
	tlbi = ask(TLBI(7, 1), VALUE, false, &pages);
	cr_assert_eq(tlbi.context, model_context(0x34, 0, 1));
	tlbi = ask(TLBI(7, 3), VALUE, true, &pages);
	cr_assert(tlbi.by_va);
	cr_assert_not(tlbi.by_asid);
	cr_assert_eq(tlbi.context, model_context(0, 0, 1));
	tlbi = ask(TLBI(7, 0), VALUE, true, &pages);
	cr_assert_not(tlbi.by_va);
	cr_assert_not(tlbi.by_asid);
	cr_assert_eq(tlbi.va, 0);
}

/* TG in [47:46], SCALE in [45:44], NUM in [43:39], BaseADDR in [36:0]. */
static uint64_t range(unsigned int tg, unsigned int scale, unsigned int num, uint64_t base)
{
	return (uint64_t)tg << 46 | (uint64_t)scale << 44 | (uint64_t)num << 39 | base;
}

Test(model_upkeep, ranges)
{
	unsigned int pages;
	struct model_tlbi tlbi;
	uint64_t va;

	cr_assert_eq(model_upkeep_range(range(1, 0, 0, 0x40), false, &va), 2);
	cr_assert_eq(va, 0x40000);
	cr_assert_eq(model_upkeep_range(range(1, 0, 31, 0), false, &va), 64);
	cr_assert_eq(model_upkeep_range(range(1, 1, 0, 0), false, &va), 64);
	cr_assert_eq(model_upkeep_range(range(1, 1, 1, 0), false, &va), 0);
	cr_assert_eq(model_upkeep_range(range(2, 0, 1, 1), false, &va), 16);
	cr_assert_eq(va, 1 << 14);
	cr_assert_eq(model_upkeep_range(range(3, 0, 1, UINT64_C(1) << 36), false, &va), 64);
	cr_assert_eq(va, UINT64_MAX << 52);
	cr_assert_eq(model_upkeep_range(range(1, 0, 0, 0x40), true, &va), 2, "pages are of 4K");
	cr_assert_eq(va, 0x400000, "and the address is in units of 64K");
	cr_assert_eq(model_upkeep_range(range(2, 0, 1, UINT64_C(1) << 36), true, &va), 16);
	cr_assert_eq(va, UINT64_MAX << 52);
	cr_assert_eq(model_upkeep_range(range(0, 0, 0, 1), false, &va), 0);
	tlbi = ask(TLBI(6, 1), VALUE >> 48 << 48 | range(1, 0, 1, 0x40), true, &pages);
	cr_assert_eq(pages, 4);
	cr_assert(tlbi.by_va);
	cr_assert(tlbi.by_asid);
	cr_assert_eq(tlbi.va, 0x40000);
	/* If a range has too many pages, everything is dropped, including global entries. */
	tlbi = ask(TLBI(6, 1), VALUE >> 48 << 48 | range(1, 3, 31, 0x40), true, &pages);
	cr_assert_eq(pages, 1);
	cr_assert_not(tlbi.by_va);
	cr_assert_not(tlbi.by_asid);
}
