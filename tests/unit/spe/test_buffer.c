/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiling buffer: pointer, limit, full, faults, aborts, restart, Discard mode. */
#include "../../array.h"
#include "fixture.h"

#define EC(n) ((uint64_t)(n) << 26)

/* Room for n records of 64 bytes up to the limit. */
static void room(struct fixture *f, unsigned int n)
{
	spe_write(&f->unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 0x1000 - n * 64);
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + 0x1000) | LIMIT_E);
}

/* RULE("IWKZFN"), RULE("ILSYJL") */
Test(buffer, records_follow_each_other)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	for (unsigned int i = 0; i < 20; i++) {
		fixture_sample(&f, &op);
		eq(f.last_va, BUFFER_VA + i * 64);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + (i + 1) * 64);
		eq(spe_irq_level(&f.unit), 0);
	}
	eq(stats_of(&f.unit).records, 20);
	eq(stats_of(&f.unit).bytes, 20 * 64);
	eq(f.writes, 20);
}

/* RULE("D17.8.2/buffer-full") */
/*
 * RULE("RKLGPG"), RULE("RHXSYK")
 * PTR > LIMIT - 2^MaxSize after a record: full. The record that fills the buffer is in it.
 */
Test(buffer, full)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	room(&f, 3);
	for (int i = 0; i < 3; i++) {
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
		eq(spe_enabled(&f.unit), 1);
		fixture_sample(&f, &op);
	}
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 0x1000);
	eq(spe_irq_level(&f.unit), 1);
	eq(spe_enabled(&f.unit), 0);
	eq(spe_budget(&f.unit), UINT64_MAX);
	eq(stats_of(&f.unit).records, 3);
	eq(stats_of(&f.unit).full, 1);
	eq(stats_of(&f.unit).lost, 0);
}

/* Without alignment the last record may end before the limit: by 2^MaxSize - 1 bytes at most. */
Test(buffer, full_leaves_no_room_for_the_largest_record)
{
	struct fixture f;
	struct spe_op op = {.type_header = 0x48, .el = 1}; /* 23 bytes */

	fixture_init(&f, SPE_V1P2);
	f.config.align = 0;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + 0x1000) | LIMIT_E);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 0x1000 - 64 - 23);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 0x1000 - 64);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 0x1000 - 64 + 23);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
}

/* RULE("D17.8.2/buffer-full") */
/* DL, EA and COLL stay through a full event; the rest of the syndrome is replaced. */
Test(buffer, full_keeps_the_sticky_bits)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	room(&f, 1);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, UINT64_MAX & ~(uint64_t)SR_S);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_DL | SR_EA | SR_COLL | SR_S | 1);
}

/*
 * RULE("RHLXGD")
 * Cleared and restarted, profiling continues with the counter's value, and nothing is lost.
 */
Test(buffer, restart_after_full)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	room(&f, 1);
	fixture_sample(&f, &op);
	eq(spe_irq_level(&f.unit), 1);
	eq(spe_advance(&f.unit, 10000), SPE_NOT_SELECTED);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
	eq(spe_irq_level(&f.unit), 1);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
	eq(spe_irq_level(&f.unit), 0);
	eq(spe_budget(&f.unit), 257);
	fixture_sample(&f, &op);
	eq(f.last_va, BUFFER_VA);
	eq(stats_of(&f.unit).records, 2);
	eq(stats_of(&f.unit).lost, 0);
	eq(stats_of(&f.unit).feed, 2);
	eq(stats_of(&f.unit).population, 2 * 257);
}

/* RULE("D17.8.3/syndrome") */
/* An MMU fault: EC by stage, FSC, PTR at the first byte not written, DL if inside a record. */
Test(buffer, mmu_faults)
{
	static const struct {
		bool stage2;
		uint8_t fsc;
		size_t written;
		uint64_t pmbsr;
	} table[] = {
		{false, 0x07, 0, SR_S | EC(0x24) | 0x07},
		{true, 0x06, 0, SR_S | EC(0x25) | 0x06},
		{false, 0x0f, 17, SR_S | SR_DL | EC(0x24) | 0x0f},
		{true, 0x0b, 63, SR_S | SR_DL | EC(0x25) | 0x0b},
		{false, 0xff, 1, SR_S | SR_DL | EC(0x24) | 0x3f},
		/* a host's claim that all was written is ignored */
		{false, 0x07, 64, SR_S | SR_DL | EC(0x24) | 0x07},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();
		size_t written = table[i].written < 64 ? table[i].written : 63;

		fixture_init(&f, SPE_V1P2);
		fixture_sample(&f, &op);
		f.fail = fixture_fault(table[i].written, table[i].fsc, table[i].stage2);
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), table[i].pmbsr);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64 + written);
		eq(spe_irq_level(&f.unit), 1);
		eq(spe_enabled(&f.unit), 0);
		eq(stats_of(&f.unit).faults, 1);
		eq(stats_of(&f.unit).lost, 1);
		eq(stats_of(&f.unit).records, 1);
		eq(stats_of(&f.unit).bytes, 64 + written);
		eq(f.base_events[2], 2);
		/* the handler maps the page, and writing continues from there */
		spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		fixture_sample(&f, &op);
		eq(f.last_va, BUFFER_VA + 64 + written);
		eq(stats_of(&f.unit).records, 2);
	}
}

/* A fault replaces the whole syndrome except COLL, DL and EA. */
Test(buffer, fault_replaces_the_syndrome)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, UINT64_C(0x00fffffffc00ffff) | SR_COLL);
	f.fail = fixture_fault(0, 0x07, false);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_COLL | EC(0x24) | 0x07);
}

Test(buffer, external_aborts_by_policy)
{
	static const struct {
		enum spe_external_abort policy;
		size_t written;
		uint64_t pmbsr, pointer;
		unsigned int serrors;
	} table[] = {
		{SPE_ABORT_SYNC, 0, SR_S | SR_EA | EC(0x24) | 0x10, 0, 0},
		{SPE_ABORT_SYNC, 8, SR_S | SR_EA | SR_DL | EC(0x24) | 0x10, 8, 0},
		{SPE_ABORT_ASYNC, 0, SR_S | SR_EA | SR_DL | EC(0x24) | 0x11, 0, 0},
		{SPE_ABORT_ASYNC, 8, SR_S | SR_EA | SR_DL | EC(0x24) | 0x11, 8, 0},
		{SPE_ABORT_IGNORE, 8, 0, 64, 0},
		{SPE_ABORT_SERROR, 8, 0, 64, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.external_abort = table[i].policy;
		fixture_start(&f);
		f.fail = fixture_abort(table[i].written, false);
		fixture_sample(&f, &op);
		cr_assert_eq(fixture_read(&f, SYSREG_PMBSR_EL1), table[i].pmbsr, "row %zu", i);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + table[i].pointer);
		eq(f.serrors, table[i].serrors);
		eq(stats_of(&f.unit).lost, 1);
		eq(stats_of(&f.unit).records, 0);
		eq(stats_of(&f.unit).faults, table[i].pmbsr != 0);
		eq(spe_enabled(&f.unit), table[i].pmbsr == 0);
	}
}

/* An ignored abort on the last record before the limit still fills the buffer. */
Test(buffer, ignored_abort_can_fill)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.external_abort = SPE_ABORT_IGNORE;
	fixture_start(&f);
	room(&f, 1);
	f.fail = fixture_abort(0, false);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
}

/*
 * RULE("D17.5.5/discard")
 * Discard mode: filtered and counted, never written; any pointer is valid, no buffer is full.
 */
Test(buffer, discard_mode)
{
	for (uint64_t mode = 0; mode < 4; mode++) {
		for (enum spe_version v = SPE_V1P1; v <= SPE_V1P2; v++) {
			bool discards = mode == 2 && v >= SPE_V1P2;
			struct fixture f;
			struct spe_op op = fixture_load();

			fixture_init(&f, v);
			spe_write(&f.unit, SYSREG_PMBLIMITR_EL1,
				  (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | mode << 1);
			for (int i = 0; i < 300 && spe_enabled(&f.unit); i++)
				fixture_sample(&f, &op);
			eq(spe_irq_level(&f.unit), !discards);
			eq(f.writes, discards ? 0 : 256);
			eq(stats_of(&f.unit).discarded, discards ? 300 : 0);
			eq(stats_of(&f.unit).lost, 0);
			eq(f.base_events[1], discards ? 300 : 256);
			eq(f.base_events[2], discards ? 300 : 256);
			eq(fixture_read(&f, SYSREG_PMBPTR_EL1),
			   BUFFER_VA + (discards ? 0 : BUFFER_SIZE));
		}
	}
}

/* RULE("RSXWCP") */
/*
 * RULE("D17.4/discarded")
 * Records are never written with the buffer disabled, stopped, or under another owner.
 */
Test(buffer, nothing_is_written_when_disabled_meanwhile)
{
	for (int how = 0; how < 7; how++) {
		bool written = how >= 4 && how < 6;
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.controls.features |= SYSREG_FEAT_EL3;
		f.controls.scr_el3 = 1;
		f.controls.mdcr_el3 = 3 << 12;
		spe_update(&f.unit, &f.controls);
		eq(fixture_select(&f), SPE_SELECTED);
		switch (how) {
		case 0: spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA + BUFFER_SIZE); break;
		case 1: spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S); break;
		case 2: f.controls.scr_el3 = 0; break;
		case 3: f.controls.halted = true; break;
		/* profiling off, but the buffer as it was */
		case 4: f.controls.el = 3; break;
		case 5:
			f.controls.el = 0;
			f.controls.aarch32 = true;
			break;
		default: f.controls.aarch32 = true; /* EL1, the owner */
		}
		spe_update(&f.unit, &f.controls);
		spe_sample(&f.unit, &op);
		eq(spe_enabled(&f.unit), 0);
		eq(f.writes, written);
		eq(stats_of(&f.unit).lost, !written);
		eq(f.base_events[1], 1);
		eq(f.base_events[2], 1);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + (written ? 64 : 0));
	}
}

/* Everything sampled is accounted for: written, discarded, lost, not captured or filtered out. */
Test(buffer, accounts_balance)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	room(&f, 3);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, 0x4);
	spe_write(&f.unit, SYSREG_PMSLATFR_EL1, 100);
	for (unsigned int i = 0; i < 2000; i++) {
		op.total_latency = (uint16_t)(i % 200);
		if (i % 7 == 0)
			f.fail = fixture_fault(i % 64, 7, false);
		fixture_sample(&f, &op);
		if (spe_irq_level(&f.unit)) {
			room(&f, 3);
			spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		}
	}
	eq(stats_of(&f.unit).feed, 2000);
	eq(stats_of(&f.unit).filtrate, 1000);
	eq(stats_of(&f.unit).records + stats_of(&f.unit).lost, 1000);
	eq(stats_of(&f.unit).faults, stats_of(&f.unit).lost);
	cr_assert_gt(stats_of(&f.unit).full, 0u);
	eq(f.base_events[0], 2000 * 257);
}

/* RULE("D17.8.2/buffer-full") */
/* SAMPLE_BUFFER_FULL, from v1p4 on. */
Test(buffer, full_is_counted_from_v1p4)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, v);
		room(&f, 1);
		fixture_sample(&f, &op);
		eq(stats_of(&f.unit).full, 1);
		eq(f.new_events[1], v >= SPE_V1P4);
	}
}

/* RULE("D17.8.3/syndrome") */
/* EC 0x1E has no fault status; a granule protection fault proper is an abort of its stage. */
Test(buffer, granule_protection_faults)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.fail = fixture_fault(3, 0x25, false);
	f.fail.gpc = true;
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_DL | EC(0x1e));
	fixture_init(&f, SPE_V1P2);
	f.fail = fixture_fault(0, 0x28, true);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | EC(0x25) | 0x28);
}

/* RULE("D17.8.3/syndrome") */
/* RULE("RWWYDL") MSS2 says more of a permission fault, and of nothing else. */
Test(buffer, second_syndrome_of_permission_faults)
{
	static const struct {
		uint8_t fsc;
		bool stage2;
		uint16_t mss2;
		uint64_t expected;
	} table[] = {
		{0x0f, false, SPE_MSS2_DIRTY_BIT, 0x20},
		{0x0c, false, SPE_MSS2_OVERLAY, 0x40},
		{0x0d, true, SPE_MSS2_ASSURED_ONLY, 0x80},
		{0x0d, false, SPE_MSS2_ASSURED_ONLY, 0},
		{0x0e, true, SPE_MSS2_TOP_LEVEL, 0x100},
		{0x0e, false, SPE_MSS2_TOP_LEVEL, 0},
		{0x0e, false, 0xffff, 0x60},
		{0x0e, true, 0xffff, 0x1e0},
		{0x07, true, 0xffff, 0},
		{0x10, true, 0xffff, 0},
		{0x2c, true, 0xffff, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.fail = fixture_fault(0, table[i].fsc, table[i].stage2);
		f.fail.mss2 = table[i].mss2;
		fixture_sample(&f, &op);
		cr_assert_eq(fixture_read(&f, SYSREG_PMBSR_EL1),
			     SR_S | EC(table[i].stage2 ? 0x25 : 0x24) | table[i].fsc |
				     SR_MSS2(table[i].expected),
			     "row %zu", i);
	}
}

/* Back at the record's start there is no partial record, so DL does not change. */
Test(buffer, rewound_after_a_partial_record)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.partial = SPE_PARTIAL_REWOUND;
	fixture_start(&f);
	fixture_sample(&f, &op);
	f.fail = fixture_fault(17, 0x07, false);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | EC(0x24) | 0x07);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64);
	eq(stats_of(&f.unit).bytes, 64 + 17);
}

/* A buffer larger than PMBIDR_EL1.MaxBuffSize: BSC 4, and nothing is written. */
Test(buffer, larger_than_the_largest)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.max_buffer = 0x2000;
	fixture_start(&f);
	fixture_sample(&f, &op);
	eq(f.writes, 0);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 4);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA);
	eq(stats_of(&f.unit).refused, 1);
	eq(stats_of(&f.unit).lost, 1);
	eq(stats_of(&f.unit).full, 0);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 0x2000);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
	fixture_sample(&f, &op);
	eq(f.writes, 1);
	/* after the limit the pointer is wrong, not the size */
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
}

/* Records larger than 2^MaxSize, where the configuration allows them. */
Test(buffer, records_that_are_too_large)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.events_size = 8;
	f.config.oversize = SPE_OVERSIZE_EVENT;
	f.controls.features |= SYSREG_FEAT_EL2;
	f.controls.mdcr_el2 = E2PB_EL1;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA | TS);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, PA);
	fixture_sample(&f, &op);
	eq(stats_of(&f.unit).records, 1);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA | TS | CX);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, PA | CX);
	fixture_sample(&f, &op);
	eq(f.writes, 1);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 4);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64);
	eq(stats_of(&f.unit).refused, 1);
}

/* Rule SFDXJJ: with E=1 writes may be ignored, except the one that clears E. */
Test(buffer, writes_ignored_while_enabled)
{
	static const enum sysreg_id regs[] = {SYSREG_PMBPTR_EL1, SYSREG_PMBSR_EL1,
					      SYSREG_PMBSR_EL2,	 SYSREG_PMBSR_EL3,
					      SYSREG_PMBMAR_EL1, SYSREG_PMBLIMITR_EL1};

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		uint64_t value = regs[i] == SYSREG_PMBLIMITR_EL1 ? 0x5000 | LIMIT_E : SR_S | 0x40;
		uint64_t limit = (BUFFER_VA + BUFFER_SIZE) | LIMIT_E, before;
		struct fixture f;

		fixture_init(&f, SPE_V1P5);
		f.config.ignore_writes = true;
		fixture_start(&f);
		before = fixture_read(&f, regs[i]);
		spe_write(&f.unit, regs[i], value);
		eq(fixture_read(&f, regs[i]), before);
		/* other fields of the write that clears E are ignored as well */
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, 0x7000);
		eq(fixture_read(&f, SYSREG_PMBLIMITR_EL1), limit & ~(uint64_t)LIMIT_E);
		spe_write(&f.unit, regs[i], value);
		cr_assert_neq(fixture_read(&f, regs[i]), before, "row %zu", i);
	}
}

/* RULE("RQJWVQ") */
/*
 * RULE("ISBQVZ")
 * MDCR_EL3.{NSPBE,NSPB} reserved: nobody's buffer, Non-secure state's, or an event at first use.
 */
Test(buffer, reserved_owner)
{
	for (int choice = 0; choice < 3; choice++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.reserved_nspb = (enum spe_reserved_nspb)choice;
		f.controls.features |= SYSREG_FEAT_EL3 | SYSREG_FEAT_RME;
		f.controls.mdcr_el3 = 1 << 11; /* NSPBE=1, NSPB=00 */
		f.controls.scr_el3 = SCR_NS;
		fixture_start(&f);
		eq(spe_enabled(&f.unit), choice != SPE_RESERVED_NSPB_DISABLED);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) >> 4 & 1,
		   choice == SPE_RESERVED_NSPB_DISABLED);
		if (choice == SPE_RESERVED_NSPB_DISABLED)
			continue;
		fixture_sample(&f, &op);
		eq(f.writes, choice == SPE_RESERVED_NSPB_NON_SECURE);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1),
		   choice == SPE_RESERVED_NSPB_EVENT ? SR_S | SR_DL : 0);
		eq(stats_of(&f.unit).refused, choice == SPE_RESERVED_NSPB_EVENT);
		/* in Secure state another owner is chosen; the event comes for any */
		f.controls.scr_el3 = 0;
		spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		spe_update(&f.unit, &f.controls);
		eq(spe_enabled(&f.unit), choice == SPE_RESERVED_NSPB_EVENT);
	}
}
