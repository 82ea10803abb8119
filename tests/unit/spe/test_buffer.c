/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiling buffer: pointer, limit, full, faults, aborts, restart, Discard mode. */
#include "fixture.h"

#define EC(n) ((uint64_t)(n) << 26)

/* Room for n records of 64 bytes up to the limit. */
static void room(struct fixture *f, unsigned int n)
{
	spe_write(&f->unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 0x1000 - n * 64);
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + 0x1000) | LIMIT_E);
}

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
	eq(f.unit.stats.records, 20);
	eq(f.unit.stats.bytes, 20 * 64);
	spe_drain(&f.unit);
	eq(f.writes, 20);
}

/* PTR > LIMIT - 2^MaxSize after a record: full. The record that fills the buffer is in it. */
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
	eq(f.unit.stats.records, 3);
	eq(f.unit.stats.full, 1);
	eq(f.unit.stats.lost, 0);
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

/* Cleared and restarted, profiling goes on where the counter stood, and nothing is lost. */
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
	eq(f.unit.stats.records, 2);
	eq(f.unit.stats.lost, 0);
	eq(f.unit.stats.feed, 2);
	eq(f.unit.stats.population, 2 * 257);
}

/* A pointer too near the limit, or behind it, or a limit of nothing: full, and nothing is written.
 */
Test(buffer, broken_pointer_restrictions_write_nothing)
{
	static const struct {
		uint64_t pointer, limit;
	} cases[] = {{BUFFER_VA + 0x1000 - 63, BUFFER_VA + 0x1000},
		     {BUFFER_VA + 0x1000, BUFFER_VA + 0x1000},
		     {BUFFER_VA + 0x2000, BUFFER_VA + 0x1000},
		     {UINT64_MAX, BUFFER_VA},
		     {BUFFER_VA, 0},
		     {0, 0},
		     {UINT64_MAX - 63, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, cases[i].pointer);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, cases[i].limit | LIMIT_E);
		fixture_sample(&f, &op);
		eq(f.writes, 0);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), cases[i].pointer);
		eq(f.unit.stats.lost, 1);
		eq(f.base_events[2], 1);
	}
}

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
		/* a host that claims all was written is not believed */
		{false, 0x07, 64, SR_S | SR_DL | EC(0x24) | 0x07},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
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
		eq(f.unit.stats.faults, 1);
		eq(f.unit.stats.lost, 1);
		eq(f.unit.stats.records, 1);
		eq(f.unit.stats.bytes, 64 + written);
		eq(f.base_events[2], 2);
		/* the handler maps the page and lets it go on from there */
		spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		fixture_sample(&f, &op);
		eq(f.last_va, BUFFER_VA + 64 + written);
		eq(f.unit.stats.records, 2);
	}
}

/* A fault replaces the whole syndrome but COLL, DL and EA. */
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

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.external_abort = table[i].policy;
		fixture_start(&f);
		f.fail = fixture_abort(table[i].written, false);
		fixture_sample(&f, &op);
		cr_assert(fixture_read(&f, SYSREG_PMBSR_EL1) == table[i].pmbsr, "row %zu", i);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + table[i].pointer);
		eq(f.serrors, table[i].serrors);
		eq(f.unit.stats.lost, 1);
		eq(f.unit.stats.records, 0);
		eq(f.unit.stats.faults, table[i].pmbsr != 0);
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

/* Discard mode: filtered and counted, never written; the pointer is free and the buffer never full.
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
			eq(f.unit.stats.discarded, discards ? 300 : 0);
			eq(f.unit.stats.lost, 0);
			eq(f.base_events[1], discards ? 300 : 256);
			eq(f.base_events[2], discards ? 300 : 256);
			eq(fixture_read(&f, SYSREG_PMBPTR_EL1),
			   BUFFER_VA + (discards ? 0 : BUFFER_SIZE));
		}
	}
}

/* Records are never written with the buffer disabled, stopped, or under another owner. */
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
		eq(f.unit.stats.lost, !written);
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
	eq(f.unit.stats.feed, 2000);
	eq(f.unit.stats.filtrate, 1000);
	eq(f.unit.stats.records + f.unit.stats.lost, 1000);
	eq(f.unit.stats.faults, f.unit.stats.lost);
	cr_assert_gt(f.unit.stats.full, 0u);
	eq(f.base_events[0], 2000 * 257);
}
