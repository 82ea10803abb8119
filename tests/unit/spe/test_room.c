/* SPDX-License-Identifier: BSD-2-Clause */
/* spe_room(): with so much room left a sample does nothing but write its record. */
#include "fixture.h"

Test(room, counts_down_to_the_last_record)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	fixture_init(&f, SPE_V1P5);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 4 * 64);
	for (unsigned int left = 3;; left--) {
		eq(spe_room(&f.unit), left * 64);
		if (left == 0)
			break;
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
	}
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
	eq(spe_room(&f.unit), 0);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, LIMIT_E | LIMIT_DISCARD);
	eq(spe_room(&f.unit), UINT64_MAX);
}

/* Where a record could do more than that, there is none. */
Test(room, none_where_a_sample_could_stop_profiling)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P5);
	eq(spe_room(&f.unit), BUFFER_SIZE - 64);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_NVM);
	eq(spe_room(&f.unit), 0);
	f.config.oversize = SPE_OVERSIZE_EVENT;
	fixture_start(&f);
	eq(spe_room(&f.unit), 0);
	f.config.oversize = SPE_OVERSIZE_REFUSED;
	f.config.max_buffer = 0x1000;
	fixture_start(&f);
	eq(spe_room(&f.unit), 0);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 0x1000);
	eq(spe_room(&f.unit), 0x1000 - 64);
	f.config.reserved_nspb = SPE_RESERVED_NSPB_EVENT;
	f.controls.features |= SYSREG_FEAT_EL3 | SYSREG_FEAT_RME;
	f.controls.mdcr_el3 = 1 << 11;
	fixture_start(&f);
	eq(spe_enabled(&f.unit), 1);
	eq(spe_room(&f.unit), 0);
}
