/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software TLB's views of the Exception levels: which changes empty which, and what does not;
 * and the accesses that have a view of their own: FEAT_NV2's and the profiling buffer's. The vCPU's
 * registers are set by hand; it stands still but where a test lets it execute one instruction.
 */
#include "core_support.h"
#include "soft/memory.h"
#include "soft/profile.h"
#include "soft/tlb.h"

#include <criterion/criterion.h>
#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_VM	BIT(0)
#define HCR_DC	BIT(12)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)
#define HCR_NV	BIT(42)
#define HCR_NV1 BIT(43)

#define AF    BIT(10)
#define USER  BIT(6)
#define RO    BIT(7)
#define S2_RW (UINT64_C(3) << 6)
#define BLOCK (RAM_BASE | AF | 1) /* at level 1 of 4K granules: 1 GB */

/* Tables at level 1 of the regimes of EL1 to EL3 and of stage 2, which map RAM to itself. */
#define TABLE(el) (TABLES + 0x1000 * (el))
#define STAGE2	  TABLE(0)

static struct soft_cpu *soft(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* the first member of a struct engine_vcpu */
}

/* All regimes on, at EL1, with 39 bits of address and 1G blocks; stage 2 with 32. */
static struct core_machine *levels(uint64_t hcr)
{
	struct core_machine *m = core_new((struct core_options){.spe = true});
	struct soft_sys *sys = &soft(m)->sys;
	const bool e2h = hcr & HCR_E2H;

	sys->levels = (struct engine_levels){.el2 = true, .el3 = true, .start = 3};
	sys->controls.scr_el3 = 1;
	sys->controls.hcr_el2 = hcr;
	for (unsigned int el = 1; el < 4; el++) {
		const bool two = el == 1 || (el == 2 && e2h);

		sys->sctlr[el] = 1;
		sys->tcr[el] = 25 | (two ? UINT64_C(2) << 32 | BIT(23) : UINT64_C(2) << 16);
		sys->ttbr0[el] = TABLE(el);
		sys->mair[el] = 0xff;
		core_write(m, TABLE(el) + 8, BLOCK);
		core_write(m, TABLE(el) + 16, BLOCK | USER);
	}
	sys->vtcr_el2 = 2 << 16 | 1 << 6 | 32;
	sys->vttbr_el2 = STAGE2;
	core_write(m, STAGE2 + 8, BLOCK | S2_RW | 0xf << 2);
	soft_tlb_reset(soft(m));
	soft_context_changed(soft(m));
	return m;
}

/* The second GB is for privileged accesses, the third the same memory for all. */
static uint64_t va_of(unsigned int view)
{
	return view == SOFT_VIEW_EL0 ? DATA + 0x40000000 : DATA;
}

static void fill_all(struct core_machine *m)
{
	struct soft_place place;

	for (unsigned int view = 0; view < SOFT_VIEWS; view++)
		cr_assert(
			soft_tlb_resolve(soft(m), (enum soft_view)view, va_of(view), false, &place),
			"view %u: %#x", view, place.failed.fsc);
}

/* The views that still have the page: a walk would be counted. */
static unsigned int kept(struct core_machine *m)
{
	unsigned int views = 0;

	for (unsigned int view = 0; view < SOFT_VIEWS; view++) {
		const uint64_t before = soft(m)->walks;
		struct soft_place place;

		(void)soft_tlb_resolve(soft(m), (enum soft_view)view, va_of(view), false, &place);
		if (soft(m)->walks == before)
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

/* A register is given another value at EL3: which views are emptied, and no others. */
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

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		struct core_machine *m = levels(rows[n].hcr);
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

/* A host that goes into its guest and back loses no more than EL0's view; a new TTBR0_EL1 counts.
 */
Test(core_views, guest_to_host_and_back)
{
	for (unsigned int moved = 0; moved < 2; moved++) {
		struct core_machine *m = levels(HCR_E2H | HCR_VM);
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
	struct core_machine *m = levels(0);

	fill_all(m);
	soft(m)->sys.pstate.el = 1;
	soft_tlb_registers_written(soft(m));
	cr_expect_eq(kept(m), V_EL2 | V_EL3);
	core_free(m);
}

Test(core_views, what_tlb_maintenance_empties)
{
	static const struct {
		enum soft_regime regime;
		unsigned int lost;
	} rows[] = {
		{SOFT_REGIME_EL10, V_EL0 | V_EL1},
		{SOFT_REGIME_EL2, V_EL2 | V_EL0}, /* EL0's may be of either: it does no harm */
		{SOFT_REGIME_EL20, V_EL0 | V_EL2},
		{SOFT_REGIME_EL3, V_EL3},
	};

	for (unsigned int n = 0; n < 8; n++) {
		struct core_machine *m = levels(HCR_VM);
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
 * A block that is larger than a page is entered page by page, and TLB maintenance of any address in
 * it drops all of it, though it names addresses without the tag by which they were accessed.
 */
Test(core_views, blocks_seen_through_tags)
{
	for (unsigned int tag = 0; tag < 256; tag += 85) {
		struct core_machine *m = levels(0);
		const uint64_t va = DATA | (uint64_t)tag << 56;
		struct soft_tlbi tlbi = {
			.regimes = 1u << SOFT_REGIME_EL10, .by_va = true, .va = RAM_BASE + 0x3000};
		struct soft_place place;
		uint64_t before;

		soft(m)->sys.tcr[1] |= BIT(37); /* TBI0 */
		soft_tlb_flush(soft(m));
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, true, &place));
		before = soft(m)->walks;
		cr_assert(soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, true, &place));
		cr_assert_eq(soft(m)->walks, before, "the page is there, tag %#x", tag);
		core_write(m, TABLE(1) + 8, 0);
		soft_tlb_invalidate(soft(m), &tlbi);
		cr_expect(!soft_tlb_resolve(soft(m), SOFT_VIEW_EL1, va, true, &place),
			  "tag %#x: still there", tag);
		core_free(m);
	}
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
	struct core_machine *m = levels(0);

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		soft(m)->sys.pstate.el = (uint8_t)rows[n].el;
		soft(m)->sys.controls.hcr_el2 = rows[n].hcr;
		cr_expect_eq(soft_unprivileged_el(&soft(m)->sys), rows[n].as, "row %zu", n);
	}
	core_free(m);
}

/* FEAT_NV2's accesses: at VNCR_EL2.BADDR in EL2's regime, whatever EL1's is; PAN does not count. */
Test(core_views, accesses_by_vncr)
{
	struct core_machine *m = levels(0);
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
	cr_expect_eq(fault.ec & ~1, SOFT_EC_DATA_ABORT);
	cr_expect_eq(fault.target_el, 2);
	cr_expect_eq(fault.iss, SOFT_ISS_VNCR | SOFT_ISS_WNR | 0x0d);
	cr_expect(fault.has_far && fault.far == DATA + 0x840 && !fault.has_ipa);
	cr_expect_eq(core_read(m, DATA + 0x840), 0x55aa);

	/* bits 63 to 53 of the address repeat bit 52 */
	sys->vncr_el2 = UINT64_C(0x001ffffffffff000);
	cr_expect_not(soft_nv_memory(soft(m), 8, false, &value, &fault));
	cr_expect_eq(fault.far, UINT64_C(0xfffffffffffff008));
	core_free(m);
}

/* With HCR_EL2.E2H they are privileged accesses of EL2&0, which PSTATE.PAN of EL1 does not concern.
 */
Test(core_views, accesses_by_vncr_in_el2_and_0)
{
	struct core_machine *m = levels(HCR_E2H | HCR_NV);
	struct soft_exception fault;
	uint64_t value = 9;

	soft(m)->sys.pstate.el = 1;
	soft(m)->sys.pstate.pan = true;
	soft(m)->sys.vncr_el2 = va_of(SOFT_VIEW_EL0);
	cr_expect(soft_nv_memory(soft(m), 0x18, true, &value, &fault));
	cr_expect_eq(core_read(m, DATA + 0x18), 9);
	core_free(m);
}

/* Its stage 2 is not EL1's: there is none. */
Test(core_views, accesses_by_vncr_have_no_stage_2)
{
	struct core_machine *m = levels(HCR_VM);
	struct soft_exception fault;
	uint64_t value = 7;

	core_write(m, STAGE2 + 8, 0);
	soft(m)->sys.vncr_el2 = DATA;
	cr_expect(soft_nv_memory(soft(m), 0x10, true, &value, &fault));
	cr_expect_eq(core_read(m, DATA + 0x10), 7);
	core_free(m);
}

/*
 * The profiling buffer: in EL1's regime with stage 2, or in EL2's; twice, by a walk and from the
 * TLB.
 */
Test(core_views, profiling_buffer_of_either_level)
{
	const uint8_t record[64] = {0x5a, 0xa5};

	for (unsigned int owner = 1; owner < 3; owner++) {
		struct core_machine *m = levels(HCR_VM);
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
		soft(m)->sys.spe->owning_el = (uint8_t)owner;
		soft_context_changed(soft(m));
		cr_expect(soft_profile_writable(soft(m), BUFFER, 64));
		soft(m)->sys.spe->owning_el = (uint8_t)(3 - owner);
		soft_context_changed(soft(m));
		cr_expect_not(soft_profile_writable(soft(m), BUFFER, 64));
		core_free(m);
	}
}

/* A fault of the second page, by stage 1 or stage 2: what came before it is written. */
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

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		struct core_machine *m = levels(HCR_VM);
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

/* FEAT_SPE_nVM: a pointer to an intermediate physical address goes through stage 2, and only that.
 */
Test(core_views, profiling_buffer_at_an_intermediate_address)
{
	struct core_machine *m = levels(HCR_VM);
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
	cr_expect(result.status == SPE_WRITE_FAULT && result.stage2 && result.fsc == 0x0d);
	to.kind = SPE_ADDRESS_PHYSICAL; /* there is nothing at that address */
	result = soft_profile_write_untranslated(soft(m), &to, record, sizeof(record));
	cr_expect(result.status == SPE_WRITE_EXTERNAL_ABORT && !result.stage2);
	core_free(m);
}

/* One turn from CODE at EL1, with NOPs at the vectors. The level that an exception was taken to. */
static unsigned int turn(struct core_machine *m)
{
	static const uint32_t nop = 0xd503201f;
	struct soft_sys *sys = &soft(m)->sys;

	for (uint64_t at = VECTORS; at < VECTORS + 0x800; at += 0x80)
		core_load(m, at, &nop, 1);
	sys->sctlr[2] = 0;
	sys->vbar[1] = sys->vbar[2] = VECTORS;
	sys->controls.hcr_el2 |= BIT(31); /* RW */
	sys->esr[1] = sys->esr[2] = 0;
	soft_tlb_flush(soft(m));
	core_set(m, PC, CODE);
	core_run(m, 1);
	return sys->esr[2] ? 2 : sys->esr[1] ? 1 : 0;
}

/* The instruction word there, with stage 1 off and X1 at va. */
static unsigned int execute(struct core_machine *m, uint32_t word, uint64_t va)
{
	soft(m)->sys.sctlr[1] = 0;
	core_load(m, CODE, &word, 1);
	core_set(m, 1, va);
	core_set(m, 2, 0);
	return turn(m);
}

#define EC(n)  ((uint64_t)(n) << 26 | UINT64_C(1) << 25)
#define ISV    BIT(24)
#define SAS(n) ((n) << 22)
#define SSE    BIT(21)
#define SRT(n) ((n) << 16)
#define SF     BIT(15)
#define AR     BIT(14)
#define WNR    BIT(6)

/*
 * The syndrome of a stage 2 abort describes loads and stores of one register without writeback,
 * exclusives and atomics apart (ESR_EL2, ISS encoding for an exception from a Data Abort).
 */
Test(core_views, instruction_syndrome)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t iss; /* without the fault status */
	} rows[] = {
		{"ldr x5, [x1]", 0xf9400025, ISV | SAS(3) | SRT(5) | SF},
		{"ldr w5, [x1]", 0xb9400025, ISV | SAS(2) | SRT(5)},
		{"ldrh w5, [x1]", 0x79400025, ISV | SAS(1) | SRT(5)},
		{"ldrb w5, [x1]", 0x39400025, ISV | SAS(0) | SRT(5)},
		{"ldrsb x5, [x1]", 0x39800025, ISV | SAS(0) | SSE | SRT(5) | SF},
		{"ldrsb w5, [x1]", 0x39c00025, ISV | SAS(0) | SSE | SRT(5)},
		{"ldrsh x5, [x1]", 0x79800025, ISV | SAS(1) | SSE | SRT(5) | SF},
		{"ldrsh w5, [x1]", 0x79c00025, ISV | SAS(1) | SSE | SRT(5)},
		{"ldrsw x5, [x1]", 0xb9800025, ISV | SAS(2) | SSE | SRT(5) | SF},
		{"str x5, [x1]", 0xf9000025, ISV | SAS(3) | SRT(5) | SF | WNR},
		{"str w5, [x1]", 0xb9000025, ISV | SAS(2) | SRT(5) | WNR},
		{"strh w5, [x1]", 0x79000025, ISV | SAS(1) | SRT(5) | WNR},
		{"strb w5, [x1]", 0x39000025, ISV | SAS(0) | SRT(5) | WNR},
		{"ldar x5, [x1]", 0xc8dffc25, ISV | SAS(3) | SRT(5) | SF | AR},
		{"ldarb w5, [x1]", 0x08dffc25, ISV | SAS(0) | SRT(5) | AR},
		{"stlr w5, [x1]", 0x889ffc25, ISV | SAS(2) | SRT(5) | AR | WNR},
		{"ldtr x5, [x1]", 0xf8400825, ISV | SAS(3) | SRT(5) | SF},
		{"ldur x30, [x1, #-8]", 0xf85f803e, ISV | SAS(3) | SRT(30) | SF},
		{"ldr x5, [x1, x2]", 0xf8626825, ISV | SAS(3) | SRT(5) | SF},
		{"str xzr, [x1]", 0xf900003f, ISV | SAS(3) | SRT(31) | SF | WNR},
		{"ldr x5, [x1], #8", 0xf8408425, 0},
		{"str w5, [x1, #8]!", 0xb8008c25, WNR},
		{"stp x5, x6, [x1]", 0xa9001825, WNR},
		{"ldp w5, w6, [x1]", 0x29401825, 0},
		{"ldxr x5, [x1]", 0xc85f7c25, 0},
		{"stxr w7, x5, [x1]", 0xc8077c25, WNR},
		{"ldadd x5, x6, [x1]", 0xf8250026, 0},
		{"cas x5, x6, [x1]", 0xc8a57c26, 0},
		{"dc zva, x1", 0xd50b7421, WNR},
	};
	/* of stage 2: a translation fault, a permission fault */
	static const struct {
		uint64_t block;
		uint8_t fsc;
	} faults[] = {{0, 0x05}, {BLOCK, 0x0d}};

	for (size_t n = 0; n < 2 * sizeof(rows) / sizeof(rows[0]); n++) {
		struct core_machine *m = levels(HCR_DC | HCR_VM);
		const struct soft_sys *sys = &soft(m)->sys;
		const char *text = rows[n / 2].text;
		const uint64_t va = UINT64_C(0x80001000);
		const uint64_t at = va + (strstr(text, "#-8") ? -8 : strstr(text, "]!") ? 8 : 0);

		core_write(m, STAGE2 + 16, faults[n % 2].block);
		cr_expect_eq(execute(m, rows[n / 2].word, va), 2, "%s", text);
		cr_expect_eq(sys->esr[2], EC(0x24) | rows[n / 2].iss | faults[n % 2].fsc,
			     "%s: %#lx", text, sys->esr[2]);
		cr_expect_eq(sys->far[2], at, "%s: %#lx", text, sys->far[2]);
		cr_expect_eq(sys->hpfar_el2, at >> 12 << 4, "%s: %#lx", text, sys->hpfar_el2);
		cr_expect_eq(sys->elr[2], CODE);
		core_free(m);
	}
}

/* Nothing of it when stage 1 faults, or when it is the walk of stage 1 that stage 2 stops. */
Test(core_views, no_instruction_syndrome_of_stage_1)
{
	const uint32_t ldr = 0xf9400025;

	for (unsigned int n = 0; n < 2; n++) {
		struct core_machine *m = levels(HCR_VM);
		const struct soft_sys *sys = &soft(m)->sys;

		/* the table for the data is in the fourth GB, which stage 2 does not map */
		core_write(m, TABLE(1) + 24, n ? UINT64_C(0xc0000000) | 3 : 0);
		core_load(m, CODE, &ldr, 1);
		core_set(m, 1, UINT64_C(0xc0001000));
		cr_expect_eq(turn(m), n ? 2 : 1);
		if (n)
			cr_expect_eq(sys->esr[2], EC(0x24) | SOFT_ISS_S1PTW | 0x05);
		else
			cr_expect_eq(sys->esr[1], EC(0x25) | 0x05);
		core_free(m);
	}
}

/* Unaligned accesses to what is Device memory by stage 2 alone are stage 2's alignment faults. */
Test(core_views, alignment_of_device_memory)
{
	for (unsigned int memattr = 0; memattr < 16; memattr += 5) {
		for (unsigned int dc = 0; dc < 2; dc++) {
			struct core_machine *m = levels((dc ? HCR_DC : 0) | HCR_VM);
			const struct soft_sys *sys = &soft(m)->sys;
			const unsigned int expected = dc && memattr >= 4 ? 0 : 1 + dc;

			core_write(m, STAGE2 + 16, BLOCK | S2_RW | memattr << 2);
			cr_expect_eq(execute(m, 0xf9400025, DATA + 0x40000001), expected,
				     "MemAttr %u", memattr);
			if (expected)
				cr_expect_eq(sys->esr[expected] & 0x3f, 0x21);
			core_free(m);
		}
	}
}

/* A fetch that stage 2 stops: EL2's, with its address; S1PTW on the walk. */
Test(core_views, fetches_through_stage_2)
{
	static const struct {
		uint64_t block;
		uint32_t iss;
		uint64_t hcr;
	} rows[] = {
		{BLOCK | S2_RW | BIT(54), 0x0d, HCR_DC},
		{0, 0x05, HCR_DC},
		{0, 0x85, 0},
	};

	for (size_t n = 0; n < 3; n++) {
		struct core_machine *m = levels(HCR_VM | rows[n].hcr);
		const struct soft_sys *sys = &soft(m)->sys;

		core_write(m, STAGE2 + 8, rows[n].block);
		cr_expect_eq(turn(m), 2);
		cr_expect_eq(sys->esr[2], EC(0x20) | rows[n].iss, "row %zu: %#lx", n, sys->esr[2]);
		cr_expect_eq(sys->far[2], CODE);
		cr_expect_eq(sys->hpfar_el2, (n == 2 ? TABLE(1) + 8 : CODE) >> 12 << 4);
		core_free(m);
	}
}
