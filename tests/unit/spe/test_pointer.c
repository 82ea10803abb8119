/* SPDX-License-Identifier: BSD-2-Clause */
/* Valid values of PMBPTR_EL1, and the effect of others (D17.7.4). */
#include "../../array.h"
#include "fixture.h"

/*
 * RULE("RPGGHS")
 * A pointer too near the limit or after it, or an empty buffer: full, nothing is written.
 */
Test(pointer, broken_pointer_restrictions_write_nothing)
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

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, cases[i].pointer);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, cases[i].limit | LIMIT_E);
		fixture_sample(&f, &op);
		eq(f.writes, 0);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), cases[i].pointer);
		eq(stats_of(&f.unit).lost, 1);
		eq(f.base_events[2], 1);
	}
}

/* RULE("RKLGPG") With RES0 bits the pointer cannot be at any byte. */
Test(pointer, res0_bits_of_the_pointer)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.pointer_res0 = 6;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 0x7f);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 0x40);
	f.fail = fixture_fault(17, 0x07, false);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 0x40);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_DL | SR_EC(0x24) | 0x07);
}

/*
 * RULE("RHXSYK")
 * With other top bits than the limit's, but below it, records go where the pointer points.
 */
Test(pointer, top_bytes_that_differ)
{
	const uint64_t pointer = BUFFER_VA & ~(UINT64_C(0xff) << 56);
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.fail = fixture_fault(0, 0x04, false); /* it is not mapped */
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, pointer);
	fixture_sample(&f, &op);
	eq(f.last_va, pointer);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_EC(0x24) | 0x04);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), pointer);
}

/*
 * RULE("RHLXGD")
 * Software has to align the pointer. If it does not, records begin where it points.
 */
Test(pointer, from_a_pointer_that_is_not_aligned)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 3);
	fixture_sample(&f, &op);
	eq(f.last_va, BUFFER_VA + 3);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 3 + 64);
	fixture_sample(&f, &op);
	eq(f.last_va, BUFFER_VA + 3 + 64);
	eq(stats_of(&f.unit).records, 2);
}

/* RULE("RPGGHS") A pointer too near the limit can also just lose records. */
Test(pointer, records_behind_the_limit_are_dropped)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.pointer = SPE_POINTER_DISCARD;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 63);
	fixture_sample(&f, &op);
	fixture_sample(&f, &op);
	eq(f.writes, 0);
	eq(stats_of(&f.unit).lost, 2);
	eq(stats_of(&f.unit).full, 0);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
	eq(spe_enabled(&f.unit), 1);
}

/* RULE("RPGGHS") ... or be an access that is not allowed. */
Test(pointer, records_behind_the_limit_are_not_allowed)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.pointer = SPE_POINTER_NOT_ALLOWED;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 63);
	fixture_sample(&f, &op);
	eq(f.writes, 0);
	eq(stats_of(&f.unit).lost, 1);
	eq(stats_of(&f.unit).full, 0);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_DL);
	eq(spe_enabled(&f.unit), 0);
}
