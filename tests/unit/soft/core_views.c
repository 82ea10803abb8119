/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software TLB's views of the Exception levels: which changes empty which, and what does not;
 * and the accesses that have a separate view: FEAT_NV2's and the profiling buffer's.
 */
#include "../compare.h"
#include "core_regimes.h"

#include "../../../spe/unit.h"
#include "soft/mem/code.h"
#include "soft/mem/profile.h"
#include "soft/run/block.h"

/* EL0 may only access the third GB. */
static uint64_t va_of(unsigned int view)
{
	return view == SOFT_VIEW_EL0 ? DATA + 0x40000000 : DATA;
}

static void fill_all(struct core_machine *m)
{
	struct soft_place place;

	for (unsigned int view = 0; view < SOFT_VIEWS; view++)
		cr_assert(soft_tlb_resolve(soft(m), (enum soft_view)view, va_of(view), ARM_READ,
					   false, &place),
			  "view %u: %#x", view, place.failed.fsc);
}

/* The views that still have the page: a walk would be counted. */
static unsigned int kept(struct core_machine *m)
{
	unsigned int views = 0;

	for (unsigned int view = 0; view < SOFT_VIEWS; view++) {
		const uint64_t before = soft(m)->sampling.walks;
		struct soft_place place;

		(void)soft_tlb_resolve(soft(m), (enum soft_view)view, va_of(view), ARM_READ, false,
				       &place);
		if (soft(m)->sampling.walks == before)
			views |= 1u << view;
	}
	return views;
}

#define VIEW(name) (1u << SOFT_VIEW_##name)
#define V_EL0	   VIEW(EL0)
#define V_EL1	   (VIEW(EL1) | VIEW(EL1_PAN))
#define V_EL2	   (VIEW(EL2) | VIEW(EL2_PAN))
#define V_EL3	   VIEW(EL3)
#define V_ALL	   (V_EL0 | V_EL1 | V_EL2 | V_EL3)

/* A register changes at EL3: exactly these views are emptied. */
Test(core_views, what_a_register_empties)
{
#define AT(field) offsetof(struct soft_sys, field)
	static const struct {
		const char *name;
		size_t offset;
		uint64_t flip, hcr; /* hcr: before */
		unsigned int lost;
	} rows[] = {
		{"nothing", AT(vttbr_el2), 0, HCR_VM, 0},
		{"TTBR0_EL1", AT(ttbr0[1]), BIT(48), 0, V_EL0 | V_EL1},
		{"TTBR1_EL1", AT(ttbr1[1]), BIT(48), 0, V_EL0 | V_EL1},
		{"TCR_EL1", AT(tcr[1]), BIT(37), 0, V_EL0 | V_EL1},
		{"SCTLR_EL1", AT(sctlr[1]), BIT(19), 0, V_EL0 | V_EL1},
		{"MAIR_EL1", AT(mair[1]), BIT(8), 0, V_EL0 | V_EL1},
		{"TTBR0_EL2", AT(ttbr0[2]), BIT(48), 0, V_EL2},
		{"SCTLR_EL2", AT(sctlr[2]), BIT(19), 0, V_EL2},
		{"TCR_EL3", AT(tcr[3]), BIT(20), 0, V_EL3},
		{"VTTBR_EL2 without VM", AT(vttbr_el2), BIT(48), 0, 0},
		{"VTTBR_EL2", AT(vttbr_el2), BIT(48), HCR_VM, V_EL0 | V_EL1},
		{"VTCR_EL2", AT(vtcr_el2), BIT(21), HCR_VM, V_EL0 | V_EL1},
		{"HCR_EL2.VM", AT(controls.hcr_el2), HCR_VM, 0, V_EL0 | V_EL1},
		{"HCR_EL2.VI", AT(controls.hcr_el2), BIT(7), HCR_VM, 0},
		{"HCR_EL2.TGE", AT(controls.hcr_el2), HCR_TGE, HCR_VM, V_EL0 | V_EL1},
		{"HCR_EL2.E2H", AT(controls.hcr_el2), HCR_E2H, HCR_VM, V_EL2},
		{"guest to host", AT(controls.hcr_el2), HCR_TGE, HCR_E2H | HCR_VM, V_EL0},
		{"TTBR0_EL1 in a host", AT(ttbr0[1]), BIT(48), HCR_TGE | HCR_E2H, 0},
		{"TTBR0_EL2 in a host", AT(ttbr0[2]), BIT(48), HCR_TGE | HCR_E2H, V_EL0 | V_EL2},
		{"SCR_EL3.NS", AT(controls.scr_el3), 1, 0, V_EL0 | V_EL1 | V_EL2},
		{"SCR_EL3.IRQ", AT(controls.scr_el3), 2, 0, 0},
	};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_regimes(rows[n].hcr);
		unsigned int views;

		soft(m)->sys.pstate.el = 3;
		fill_all(m);
		*(uint64_t *)((char *)&soft(m)->sys + rows[n].offset) ^= rows[n].flip;
		soft_tlb_registers_written(soft(m));
		views = kept(m);
		cr_expect_eq(views, V_ALL & ~rows[n].lost, "%s: %#x", rows[n].name, views);
		core_free(m);
	}
}

/* A host that enters its guest and returns only loses EL0's view; a new TTBR0_EL1 counts. */
Test(core_views, guest_to_host_and_back)
{
	for (unsigned int moved = 0; moved < 2; moved++) {
		struct core_machine *m = core_regimes(HCR_E2H | HCR_VM);
		struct soft_sys *sys = &soft(m)->sys;

		sys->pstate.el = 2;
		fill_all(m);
		sys->controls.hcr_el2 = HCR_E2H | HCR_TGE;
		soft_tlb_registers_written(soft(m));
		if (moved) {
			sys->ttbr0[1] ^= BIT(48);
			soft_tlb_registers_written(soft(m));
		}
		sys->controls.hcr_el2 = HCR_E2H | HCR_VM;
		soft_tlb_registers_written(soft(m));
		cr_expect_eq(kept(m), (moved ? 0 : V_EL1) | V_EL2 | V_EL3);
		core_free(m);
	}
}

/* At EL1 a write to any register of its regime empties it, even of the same value. */
Test(core_views, writes_at_el1)
{
	struct core_machine *m = core_regimes(0);

	fill_all(m);
	soft(m)->sys.pstate.el = 1;
	soft_tlb_registers_written(soft(m));
	cr_expect_eq(kept(m), V_EL2 | V_EL3);
	core_free(m);
}

/* RULE("D17.7.8/tlb") */
Test(core_views, what_tlb_maintenance_empties)
{
	static const struct {
		enum arm_regime_kind regime;
		unsigned int lost;
	} rows[] = {
		{ARM_REGIME_EL10, V_EL0 | V_EL1},
		{ARM_REGIME_EL2, V_EL2 | V_EL0}, /* EL0's may be of either: that does no harm */
		{ARM_REGIME_EL20, V_EL0 | V_EL2},
		{ARM_REGIME_EL3, V_EL3},
	};

	for (unsigned int n = 0; n < 8; n++) {
		struct core_machine *m = core_regimes(HCR_VM);
		struct soft_tlbi tlbi = {
			.regimes = (uint8_t)(1u << rows[n / 2].regime),
			.all = !(n & 1),
			.by_va = n & 1,
			.va = DATA,
		};

		fill_all(m);
		soft_tlb_invalidate(soft(m), &tlbi);
		if (n & 1) {
			tlbi.va = va_of(SOFT_VIEW_EL0);
			soft_tlb_invalidate(soft(m), &tlbi);
		}
		cr_expect_eq(kept(m), V_ALL & ~rows[n / 2].lost, "row %u", n);
		core_free(m);
	}
}

/*
 * A block that is larger than a page is entered page by page. TLB maintenance of any address in it
 * drops all of it, although it names addresses without the tags of the accesses.
 */
Test(core_views, blocks_seen_through_tags)
{
	for (unsigned int tag = 0; tag < 256; tag += 85) {
		struct core_machine *m = core_regimes(0);
		const uint64_t va = DATA | (uint64_t)tag << 56;
		struct soft_tlbi tlbi = {
			.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = RAM_BASE + 0x3000};
		struct soft_place place;
		uint64_t before;

		soft(m)->sys.tcr[1] |= BIT(37); /* TBI0 */
		soft_tlb_flush(soft(m));
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, ARM_WRITE, false, &place));
		before = soft(m)->sampling.walks;
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, ARM_WRITE, false, &place));
		cr_assert_eq(soft(m)->sampling.walks, before, "the page is there, tag %#x", tag);
		core_write(m, TABLE(1) + 8, 0);
		soft_tlb_invalidate(soft(m), &tlbi);
		cr_expect_not(
			soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, ARM_WRITE, false, &place),
			"tag %#x: still there", tag);
		core_free(m);
	}
}

static bool fetched(struct core_machine *m, uint64_t va)
{
	soft(m)->pc = va;
	soft(m)->slot = NULL;
	return soft_block_find(soft(m));
}

/* The same for code; an address outside of the block leaves it. */
Test(core_views, blocks_of_code)
{
	static const struct {
		uint64_t asked;
		bool kept;
	} rows[] = {{DATA, false},	  {RAM_BASE + 0x3000, false}, {0x7ffff000, false},
		    {RAM_BASE - 1, true}, {0x80000000, true},	      {UINT64_MAX - 0xfff, true}};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_regimes(0);
		struct soft_tlbi tlbi = {
			.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = rows[n].asked};

		soft(m)->sys.pstate.el = 1;
		soft_context_changed(soft(m));
		cr_assert(fetched(m, DATA));
		core_write(m, TABLE(1) + 8, 0);
		soft_tlb_invalidate(soft(m), &tlbi);
		cr_expect_eq(fetched(m, DATA), rows[n].kept, "row %u", n);
		core_free(m);
	}
}

/* A page stays, in a saved machine, too, until its own address is invalidated. */
Test(core_views, pages_of_code)
{
	struct core_machine *m = core_new((struct core_options){0});
	struct soft_tlbi tlbi = {.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = DATA};
	const uint64_t ops = sizeof(program_mmu_on) / 4;
	uint64_t pa;

	CORE_LOAD(m, CODE, program_mmu_on);
	core_load(m, CODE + 4 * ops, &(uint32_t){0xd503201f /* nop */}, 1);
	core_map(m, 0);
	cr_assert_eq(core_run(m, ops + 1), ENGINE_EXIT_BUDGET);
	core_renew(m);
	soft_tlb_invalidate(soft(m), &tlbi);
	cr_expect(soft_code_page_find(&soft(m)->views.code[1], CODE, &pa));
	tlbi.va = CODE;
	soft_tlb_invalidate(soft(m), &tlbi);
	cr_expect_not(soft_code_page_find(&soft(m)->views.code[1], CODE, &pa));
	core_free(m);
}

/*
 * A page that another one replaced is still there, although the next access counts as a walk, in a
 * saved machine, too. TLB maintenance of its address (without the tag), or of everything, drops it.
 */
Test(core_views, pages_that_lost_their_places)
{
	static const struct soft_tlbi rows[] = {
		{.regimes = 1u << ARM_REGIME_EL3, .all = true},
		{.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = DATA + 0x1000},
		{.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = DATA},
		{.regimes = 1u << ARM_REGIME_EL10, .all = true},
	};
	const uint64_t lost = DATA | UINT64_C(0x55) << 56;

	for (unsigned int n = 0; n < 2 * ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_new((struct core_options){0});
		const bool stays = n < 4;
		struct soft_place first, again;
		uint64_t walks;

		CORE_LOAD(m, CODE, program_mmu_on);
		core_map(m, 0);
		core_set(m, 2, core_get(m, 2) | BIT(37)); /* TBI0 */
		cr_assert_eq(core_run(m, sizeof(program_mmu_on) / 4), ENGINE_EXIT_BUDGET);
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, lost, ARM_WRITE, false, &first));
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, DATA, ARM_WRITE, false, &again));
		core_write(m, TABLES + 0x2000 + ((DATA - RAM_BASE) >> 9), 0);
		if (n & 1)
			core_renew(m);
		soft_tlb_invalidate(soft(m), &rows[n / 2]);
		walks = soft(m)->sampling.walks;
		cr_expect_eq(
			soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, lost, ARM_WRITE, false, &again),
			stays, "row %u", n);
		cr_expect_eq(soft(m)->sampling.walks, walks + 1);
		if (stays) {
			cr_expect_eq(again.pa, first.pa);
			cr_expect(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, lost, ARM_WRITE, false,
						   &again));
			cr_expect_eq(soft(m)->sampling.walks, walks + 1, "it has its place again");
		}
		core_free(m);
	}
}

/* An empty entry of the jump cache matches no branch target. */
Test(core_views, empty_jumps)
{
	struct core_machine *m = core_new((struct core_options){0});

	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int n = 0; n < SOFT_JUMPS; n++)
			cr_assert_neq(soft_jump_index(soft(m)->views.code[el].jumps[n].pc), n);
	core_free(m);
}

/* A machine saved without the sizes of what maps its code. */
Test(core_views, code_of_unknown_size)
{
	struct core_machine *m = core_regimes(0);
	struct soft_code_view *view = &soft(m)->views.code[1];
	struct soft_tlbi tlbi = {.regimes = 1u << ARM_REGIME_EL10, .by_va = true, .va = 0x1000};
	uint64_t pa;

	cr_assert(soft_code_page_add(view, DATA, DATA));
	soft_tlb_invalidate(soft(m), &tlbi);
	cr_expect_not(soft_code_page_find(view, DATA, &pa));
	core_free(m);
}

/* FEAT_E0PD: a half that is hidden from EL0, as if it had no tables, is visible to the others. */
Test(core_views, halves_hidden_from_el0)
{
	struct core_machine *m = core_regimes(0);
	struct soft_place place;

	soft(m)->sys.tcr[1] |= BIT(56); /* E0PD1: that of the upper half */
	soft_tlb_flush(soft(m));
	fill_all(m);
	soft(m)->sys.tcr[1] |= BIT(55); /* E0PD0 */
	soft_tlb_flush(soft(m));
	cr_assert_not(soft_tlb_resolve(soft(m), SOFT_VIEW_EL0, va_of(SOFT_VIEW_EL0), ARM_READ,
				       false, &place));
	cr_expect_eq(place.failed.fsc, 0x04, "a translation fault of level 0, not %#x",
		     place.failed.fsc);
	cr_expect_eq(kept(m) & V_EL0, 0);
	cr_expect(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, DATA, ARM_READ, false, &place));
	core_free(m);
}

/* The level that LDTR and STTR access memory as. */
Test(core_views, unprivileged_accesses)
{
	static const struct {
		unsigned int el;
		uint64_t hcr;
		unsigned int as;
	} rows[] = {
		{0, 0, 0},
		{1, 0, 0},
		{1, HCR_NV, 0},
		{1, HCR_NV1, 0},
		{1, HCR_NV | HCR_NV1, 1},
		{2, 0, 2},
		{2, HCR_E2H, 2},
		{2, HCR_TGE, 2},
		{2, HCR_E2H | HCR_TGE, 0},
		{3, HCR_E2H | HCR_TGE, 3},
	};
	struct core_machine *m = core_regimes(0);

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		soft(m)->sys.pstate.el = (uint8_t)rows[n].el;
		soft(m)->sys.controls.hcr_el2 = rows[n].hcr;
		cr_expect_eq(soft_unprivileged_el(&soft(m)->sys), rows[n].as, "row %zu", n);
	}
	core_free(m);
}

/*
 * FEAT_NV2's accesses: at VNCR_EL2.BADDR in EL2's regime, whatever EL1's is; PAN does not matter.
 */
Test(core_views, accesses_by_vncr)
{
	struct core_machine *m = core_regimes(0);
	struct soft_sys *sys = &soft(m)->sys;
	struct soft_exception fault;
	uint64_t value = UINT64_C(0x1122334455667788);

	core_write(m, TABLE(1) + 8, 0);
	sys->pstate.el = 1;
	sys->pstate.pan = true;
	sys->vncr_el2 = DATA;
	cr_assert(soft_nv_memory(soft(m), 0x838, true, &value, &fault));
	cr_expect_eq(core_read(m, DATA + 0x838), value);
	core_write(m, DATA + 0x840, 0x55aa);
	cr_assert(soft_nv_memory(soft(m), 0x840, false, &value, &fault));
	cr_expect_eq(value, 0x55aa);

	/* a data abort to EL2 with VNCR, WnR of the access, and its address */
	core_write(m, TABLE(2) + 8, BLOCK | RO);
	soft_tlb_flush(soft(m));
	cr_expect(soft_nv_memory(soft(m), 0x840, false, &value, &fault));
	cr_expect_not(soft_nv_memory(soft(m), 0x840, true, &value, &fault));
	cr_expect_eq(fault.ec & ~1, ARM_EC_DATA_ABORT);
	cr_expect_eq(fault.target_el, 2);
	cr_expect_eq(fault.iss, ARM_ISS_VNCR | ARM_ISS_WNR | 0x0d);
	cr_assert(fault.has_far);
	cr_expect_eq(fault.far, DATA + 0x840);
	cr_expect_not(fault.has_ipa);
	cr_expect_eq(core_read(m, DATA + 0x840), 0x55aa);

	/* bits 63 to 53 of the address repeat bit 52 */
	sys->vncr_el2 = UINT64_C(0x001ffffffffff000);
	cr_expect_not(soft_nv_memory(soft(m), 8, false, &value, &fault));
	cr_expect_eq(fault.far, UINT64_C(0xfffffffffffff008));
	core_free(m);
}

/*
 * With HCR_EL2.E2H they are privileged accesses of EL2&0, which EL1's PSTATE.PAN does not affect.
 */
Test(core_views, accesses_by_vncr_in_el2_and_0)
{
	struct core_machine *m = core_regimes(HCR_E2H | HCR_NV);
	struct soft_exception fault;
	uint64_t value = 9;

	soft(m)->sys.pstate.el = 1;
	soft(m)->sys.pstate.pan = true;
	soft(m)->sys.vncr_el2 = va_of(SOFT_VIEW_EL0);
	cr_expect(soft_nv_memory(soft(m), 0x18, true, &value, &fault));
	cr_expect_eq(core_read(m, DATA + 0x18), 9);
	core_free(m);
}

/* They have no stage 2, not even EL1's. */
Test(core_views, accesses_by_vncr_have_no_stage_2)
{
	struct core_machine *m = core_regimes(HCR_VM);
	struct soft_exception fault;
	uint64_t value = 7;

	core_write(m, STAGE2 + 8, 0);
	soft(m)->sys.vncr_el2 = DATA;
	cr_expect(soft_nv_memory(soft(m), 0x10, true, &value, &fault));
	cr_expect_eq(core_read(m, DATA + 0x10), 7);
	core_free(m);
}

/* RULE("D17.8.3/faults") */
/*
 * RULE("RLWHSF"), RULE("RWWFKZ")
 * The profiling buffer: in EL1's regime with stage 2, or in EL2's; twice, by a walk and from the
 * TLB.
 */
Test(core_views, profiling_buffer_of_either_level)
{
	const uint8_t record[64] = {0x5a, 0xa5};

	for (unsigned int owner = 1; owner < 3; owner++) {
		struct core_machine *m = core_regimes(HCR_VM);
		struct spe_write_result result;

		soft(m)->sys.pstate.pan = true;
		core_write(m, TABLE(3 - owner) + 8, 0);
		if (owner == 2)
			core_write(m, STAGE2 + 8, 0);
		for (unsigned int n = 0; n < 2; n++) {
			result = soft_profile_write(soft(m), (uint8_t)owner, BUFFER + 64 * n,
						    record, sizeof(record));
			cr_expect_eq(result.status, SPE_WRITE_OK, "EL%u: %#x", owner, result.fsc);
			cr_expect_eq(core_read(m, BUFFER + 64 * n), 0xa55a);
		}
		unit_of(soft(m)->sys.spe)->owning_el = (uint8_t)owner;
		soft_context_changed(soft(m));
		cr_expect_eq(soft_profile_entry(soft(m), BUFFER)->write, BUFFER);
		unit_of(soft(m)->sys.spe)->owning_el = (uint8_t)(3 - owner);
		soft_context_changed(soft(m));
		cr_expect_neq(soft_profile_entry(soft(m), BUFFER)->write, BUFFER);
		core_free(m);
	}
}

/*
 * RULE("D17.7.6/privileged")
 * A page that EL0 has, too: records are privileged writes, and PSTATE.PAN does not matter.
 */
Test(core_views, profiling_buffer_and_pan)
{
	struct core_machine *m = core_regimes(0);
	const uint8_t record[64] = {0x33};
	struct spe_write_result result;

	soft(m)->sys.pstate.pan = true;
	result = soft_profile_write(soft(m), 1, va_of(SOFT_VIEW_EL0), record, sizeof(record));
	cr_expect_eq(result.status, SPE_WRITE_OK, "%#x", result.fsc);
	cr_expect_eq(core_read(m, DATA), 0x33);
	core_free(m);
}

/* RULE("RVGJHQ") With TCR_EL1.TBI0 the top byte of the pointer is no address. */
Test(core_views, profiling_buffer_with_a_tag)
{
	for (unsigned int tbi = 0; tbi < 2; tbi++) {
		struct core_machine *m = core_regimes(0);
		const uint8_t record[64] = {0x44};
		struct spe_write_result result;

		soft(m)->sys.tcr[1] |= tbi ? BIT(37) : 0;
		soft_tlb_flush(soft(m));
		for (unsigned int n = 0; n < 2; n++) {
			result = soft_profile_write(soft(m), 1,
						    (BUFFER + 64 * n) | UINT64_C(0x5a) << 56,
						    record, sizeof(record));
			cr_expect_eq(result.status, tbi ? SPE_WRITE_OK : SPE_WRITE_FAULT);
			cr_expect_eq(core_read(m, BUFFER + 64 * n), tbi ? 0x44 : 0);
		}
		core_free(m);
	}
}

/*
 * RULE("RDQTTB"), RULE("D17.8.3/faults")
 * A fault of the second page, by stage 1 or stage 2: what precedes it is written.
 */
Test(core_views, profiling_buffer_faults)
{
	const uint8_t record[64] = {0};
	static const struct {
		uint8_t owner;
		uint64_t table, descriptor;
		uint8_t fsc;
		bool stage2;
	} rows[] = {
		{1, TABLE(1) + 8, 0, 0x05, false},
		{1, TABLE(1) + 8, BLOCK | RO, 0x0d, false},
		{1, STAGE2 + 8, 0, 0x05, true}, /* on the walk of stage 1 */
		{1, STAGE2 + 8, BLOCK | 1 << 6, 0x0d, true},
		{1, STAGE2 + 8, S2_RW | RAM_BASE | 1, 0x09, true},
		{2, TABLE(2) + 8, 0, 0x05, false},
		{2, TABLE(2) + 8, BLOCK & ~AF, 0x09, false},
	};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_regimes(HCR_VM);
		struct spe_write_result result;

		core_write(m, rows[n].table, rows[n].descriptor);
		result = soft_profile_write(soft(m), rows[n].owner, BUFFER, record, sizeof(record));
		cr_expect_eq(result.status, SPE_WRITE_FAULT, "row %zu", n);
		cr_expect_eq(result.fsc, rows[n].fsc, "row %zu: %#x", n, result.fsc);
		cr_expect_eq(result.stage2, rows[n].stage2, "row %zu", n);
		cr_expect_eq(result.written, 0);
		core_free(m);
	}
}

/*
 * RULE("RRPSLW"), RULE("RDQTTB")
 * FEAT_SPE_nVM: a pointer to an intermediate physical address goes through stage 2 only.
 */
Test(core_views, profiling_buffer_at_an_intermediate_address)
{
	struct core_machine *m = core_regimes(HCR_VM);
	struct spe_untranslated to = {
		.address = BUFFER, .kind = SPE_ADDRESS_INTERMEDIATE, .owning_el = 1, .ns = true};
	const uint8_t record[64] = {0x77};
	struct spe_write_result result;

	core_write(m, TABLE(1) + 8, 0);
	core_write(m, STAGE2, BLOCK | S2_RW | 0xf << 2);
	to.address = BUFFER - 0x40000000;
	result = soft_profile_write_untranslated(soft(m), &to, record, sizeof(record));
	cr_expect_eq(result.status, SPE_WRITE_OK);
	cr_expect_eq(core_read(m, BUFFER), 0x77);
	core_write(m, STAGE2, BLOCK | 1 << 6);
	result = soft_profile_write_untranslated(soft(m), &to, record, sizeof(record));
	cr_expect_eq(result.status, SPE_WRITE_FAULT);
	cr_assert(result.stage2);
	cr_expect_eq(result.fsc, 0x0d);
	to.kind = SPE_ADDRESS_PHYSICAL; /* there is nothing at that address */
	result = soft_profile_write_untranslated(soft(m), &to, record, sizeof(record));
	cr_expect_eq(result.status, SPE_WRITE_EXTERNAL_ABORT);
	cr_expect_not(result.stage2);
	core_free(m);
}

/*
 * RULE("D17.8.3/faults") RULE("D17.8.3.1/flags")
 * Hardware marks what the unit writes like what the owner writes; with PMBIDR_EL1.F 0 never, in no
 * stage.
 */
Test(core_views, profiling_buffer_and_the_marks_of_hardware)
{
	const uint8_t record[64] = {0x5a};
	static const struct {
		uint64_t table, descriptor, marked;
		uint8_t fsc; /* with F of 0 */
		bool stage2;
	} rows[] = {
		{TABLE(1) + 8, BLOCK & ~AF, BLOCK, 0x09, false},
		{TABLE(1) + 8, BLOCK | RO | BIT(51), BLOCK | BIT(51), 0x0d, false},
		{STAGE2 + 8, (BLOCK & ~AF) | S2_RW | 0xf << 2, BLOCK | S2_RW | 0xf << 2, 0x09,
		 true},
		{STAGE2 + 8, BLOCK | BIT(6) | BIT(51) | 0xf << 2,
		 BLOCK | S2_RW | BIT(51) | 0xf << 2, 0x0d, true},
	};

	for (size_t n = 0; n < 2 * ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_regimes(HCR_VM);
		struct soft_sys *sys = &soft(m)->sys;
		const bool updates = n & 1;
		struct spe_untranslated to = {.address = BUFFER,
					      .kind = SPE_ADDRESS_INTERMEDIATE,
					      .owning_el = 1,
					      .ns = true};
		struct spe_write_result result;

		unit_of(sys->spe)->config.flag_update = updates;
		sys->tcr[1] |= BIT(39) | BIT(40); /* HA, HD */
		sys->vtcr_el2 |= BIT(21) | BIT(22);
		core_write(m, rows[n / 2].table, rows[n / 2].descriptor);
		for (int physical = 0; physical <= rows[n / 2].stage2; physical++) {
			core_write(m, rows[n / 2].table, rows[n / 2].descriptor);
			soft_tlb_reset(soft(m));
			result = physical
					 ? soft_profile_write_untranslated(soft(m), &to, record, 64)
					 : soft_profile_write(soft(m), 1, BUFFER, record, 64);
			cr_expect_eq(core_read(m, rows[n / 2].table),
				     updates ? rows[n / 2].marked : rows[n / 2].descriptor,
				     "row %zu", n);
			if (updates)
				cr_expect_eq(result.status, SPE_WRITE_OK, "row %zu", n);
			else {
				cr_expect_eq(result.status, SPE_WRITE_FAULT, "row %zu: %#x", n,
					     result.fsc);
				cr_expect_eq(result.fsc, rows[n / 2].fsc, "row %zu: %#x", n,
					     result.fsc);
				cr_expect_eq(result.stage2, rows[n / 2].stage2, "row %zu: %#x", n,
					     result.fsc);
			}
		}
		core_free(m);
	}
}

/*
 * RULE("D18.2.1/physical-space")
 * The data physical address is in the space that the tables give, which in Secure state may be the
 * Non-secure one.
 */
Test(core_views, samples_say_which_space_an_address_is_in)
{
	static const uint32_t program[] = {
		0xf9400025, /* ldr x5, [x1] */
		0x17ffffff, /* b -4 */
	};

	for (unsigned int n = 0; n < 4; n++) {
		const bool ns = n & 1, secure = n & 2;
		struct core_machine *m = core_regimes(0);
		struct soft_sys *sys = &soft(m)->sys;
		size_t at = 27; /* after three counters, the PC and the virtual address */

		sys->controls.scr_el3 = !secure;
		sys->controls.mdcr_el2 = BIT(12) | BIT(13);
		sys->controls.mdcr_el3 = secure ? 0 : BIT(12) | BIT(13);
		sys->controls.el = sys->pstate.el = 1;
		core_write(m, TABLE(1) + 8, BLOCK | (ns ? BIT(5) : 0));
		CORE_LOAD(m, CODE, program);
		core_set(m, 1, DATA);
		core_set(m, PC, CODE);
		spe_update(sys->spe, &sys->controls);
		core_profile(m, 256);
		spe_write(sys->spe, SYSREG_PMSCR_EL2, 1 << 4); /* PA */
		soft_tlb_flush(soft(m));
		soft_context_changed(soft(m));
		(void)core_run(m, 300);
		cr_assert_eq(m->record_bytes, 64, "%u", n);
		cr_assert_eq(m->records[at], 0xb3, "%u: %#x", n, m->records[at]);
		cr_expect_eq(m->records[at + 8], ns || !secure ? 0x80 : 0, "%u: %#x", n,
			     m->records[at + 8]);
		cr_expect_eq(m->records[17], secure ? 0x20 : 0xa0); /* the PC's state */
		core_free(m);
	}
}

/*
 * RULE("RTRDTK")
 * PSB CSYNC reports a fault that is still to be reported: what a program reads of PMBSR_EL1 before
 * and after.
 */
Test(core_views, psb_csync_waits_for_the_event)
{
	static const uint32_t program[] = {
		0xf1000442, /* subs x2, x2, #1 */
		0xb5ffffe2, /* cbnz x2, -4 */
		0xd5389a64, /* mrs x4, pmbsr_el1 */
		0xd503223f, /* psb csync */
		0xd5389a65, /* mrs x5, pmbsr_el1 */
		0x14000000, /* b . */
	};
	struct spe_config config;
	struct core_machine *m;
	struct spe_unit *unit;

	spe_config_defaults(&config, SPE_V1P5);
	config.fault_lag = 200;
	m = core_new((struct core_options){.spe = true, .config = &config});
	CORE_LOAD(m, CODE, program);
	core_set(m, 2, 200);
	core_set(m, PC, CODE);
	core_profile(m, 256);
	unit = soft(m)->sys.spe;
	spe_write(unit, SYSREG_PMBPTR_EL1, BIT(50)); /* an Address Size fault */
	spe_write(unit, SYSREG_PMBLIMITR_EL1, BIT(51) | 1);
	(void)core_run(m, 450);
	cr_expect_eq(core_get(m, 4), 0);
	cr_expect_eq(core_get(m, 5), UINT64_C(0x24) << 26 | BIT(17), "%#llx",
		     (unsigned long long)core_get(m, 5));
	cr_expect(spe_irq_level(unit));
	core_free(m);
}

/*
 * RULE("RQJNFT"), RULE("RXBFCM")
 * This PE has 40 address bits. An address with more is an Address Size fault of stage 1, even if it
 * is intermediate. Bits 63:48 may be ignored instead, as no PE without FEAT_LPA has them.
 */
Test(core_views, profiling_buffer_above_the_physical_addresses)
{
	static const struct {
		uint64_t high;
		bool ignored, fault;
	} rows[] = {
		{BIT(40), false, true}, {BIT(40), true, true},	{BIT(47), true, true},
		{BIT(48), false, true}, {BIT(48), true, false}, {BIT(63), false, true},
		{BIT(63), true, false}, {0, false, false},	{0, true, false},
	};

	for (unsigned int kind = 0; kind < 2; kind++) {
		for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
			struct core_machine *m = core_regimes(HCR_VM);
			const struct spe_untranslated to = {
				.address = (kind ? BUFFER : BUFFER - 0x40000000) | rows[n].high,
				.kind = kind ? SPE_ADDRESS_PHYSICAL : SPE_ADDRESS_INTERMEDIATE,
				.owning_el = 1,
				.ns = true,
				.high_ignored = rows[n].ignored,
			};
			const uint8_t record[64] = {0x77};
			struct spe_write_result result;

			core_write(m, STAGE2, BLOCK | S2_RW | 0xf << 2);
			result = soft_profile_write_untranslated(soft(m), &to, record,
								 sizeof(record));
			cr_expect_eq(result.status, rows[n].fault ? SPE_WRITE_FAULT : SPE_WRITE_OK,
				     "row %zu", n);
			cr_expect_eq(result.fsc, 0);
			cr_expect_not(result.stage2);
			cr_expect_eq(core_read(m, BUFFER), rows[n].fault ? 0 : 0x77, "row %zu", n);
			core_free(m);
		}
	}
}

/* A trap to EL2 and the return empty nothing: the second load finds what the first one entered. */
Test(core_views, a_call_of_the_hypervisor_keeps_all_views)
{
	static const uint32_t program[] = {
		0xf9400025, /* ldr x5, [x1] */
		0xd4000002, /* hvc #0 */
		0xf9400025, /* ldr x5, [x1] */
	};
	static const uint32_t eret = 0xd69f03e0;
	struct core_machine *m = core_regimes(HCR_VM | BIT(31));
	struct soft_sys *sys = &soft(m)->sys;
	uint64_t walks;

	sys->levels.start = 2;
	sys->controls.scr_el3 |= BIT(8) | BIT(10); /* HCE, RW */
	sys->vbar[2] = VECTORS;
	core_load(m, VECTORS + 0x400, &eret, 1);
	CORE_LOAD(m, CODE, program);
	soft_tlb_flush(soft(m));
	core_set(m, 1, DATA);
	core_set(m, PC, CODE);
	core_run(m, 1);
	walks = soft(m)->sampling.walks;
	cr_assert_gt(walks, 0);
	core_run(m, 1);
	cr_assert_eq(sys->pstate.el, 2, "EL%u, ESR_EL1 %#lx", sys->pstate.el, sys->esr[1]);
	core_run(m, 2);
	cr_assert_eq(sys->pstate.el, 1);
	cr_assert_eq(core_get(m, PC), CODE + 12);
	cr_expect_eq(soft(m)->sampling.walks, walks);
	core_free(m);
}
