/* SPDX-License-Identifier: BSD-2-Clause */
/* spe_access(): what lands in the unit is done, and everything else is handed back untouched. */
#include "fixture.h"

#define TPMS	       (UINT64_C(1) << 14) /* MDCR_EL2 */
#define HCR_NV_NV1_NV2 (UINT64_C(1) << 42 | UINT64_C(1) << 43 | UINT64_C(1) << 45)

static const uint64_t untouched = UINT64_C(0x5eed);

static struct sysreg_route access_to(struct fixture *f, enum sysreg_id reg, bool write,
				     uint64_t *value)
{
	return spe_access(&f->unit, &f->controls, (struct sysreg_access){reg, write, 3}, value);
}

/* As sysreg_route() with spe_read() or spe_write(), for every register there is. */
Test(access, what_is_direct_is_done)
{
	for (unsigned int reg = 0; reg < SYSREG_COUNT; reg++) {
		for (unsigned int write = 0; write < 2; write++) {
			const struct sysreg_access access = {(enum sysreg_id)reg, write, 3};
			struct fixture a, b;
			struct sysreg_route route, got;
			uint64_t value = UINT64_C(0x0000000100000101);

			fixture_init(&a, SPE_V1P5);
			fixture_init(&b, SPE_V1P5);
			route = sysreg_route(&a.controls, access);
			got = access_to(&b, access.reg, write, &value);
			eq(got.kind, route.kind);
			eq(got.reg, route.reg);
			eq(got.syndrome, route.syndrome);
			if (route.kind != SYSREG_DIRECT) {
				eq(value, UINT64_C(0x0000000100000101));
				continue;
			}
			if (write)
				spe_write(&a.unit, route.reg, value);
			else
				eq(value, spe_read(&a.unit, route.reg));
			eq(spe_read(&b.unit, route.reg), spe_read(&a.unit, route.reg));
			eq(spe_budget(&b.unit), spe_budget(&a.unit));
		}
	}
}

Test(access, what_is_not_is_handed_back)
{
	struct fixture f;
	struct sysreg_route route;
	uint64_t value = untouched;

	fixture_init(&f, SPE_V1P2);
	eq(access_to(&f, SYSREG_COUNT, false, &value).kind, SYSREG_UNDEFINED);
	f.controls.el = 0;
	eq(access_to(&f, SYSREG_PMSIRR_EL1, true, &value).kind, SYSREG_UNDEFINED);
	f.controls.el = 1;
	f.controls.features |= SYSREG_FEAT_EL2;
	f.controls.mdcr_el2 = TPMS;
	route = access_to(&f, SYSREG_PMSIRR_EL1, true, &value);
	eq(route.kind, SYSREG_TRAP);
	eq(route.target_el, 2);
	f.controls.mdcr_el2 = 0;
	f.controls.features |= SYSREG_FEAT_VHE | SYSREG_FEAT_NV | SYSREG_FEAT_NV2;
	f.controls.hcr_el2 = HCR_NV_NV1_NV2;
	route = access_to(&f, SYSREG_PMSCR_EL1, true, &value);
	eq(route.kind, SYSREG_NVMEM);
	eq(value, untouched);
	eq(spe_read(&f.unit, SYSREG_PMSIRR_EL1), 0x100);
}

/* The rules look at PMSCR_ELx.EE: the caller's copies follow, with the bits that there are. */
Test(access, the_controls_hear_of_pmscr)
{
	struct fixture f;
	uint64_t value = UINT64_MAX;

	fixture_init(&f, SPE_V1P5);
	f.controls.features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE;
	f.controls.mdcr_el2 = UINT64_C(3) << 12;
	fixture_start(&f);
	eq(access_to(&f, SYSREG_PMSCR_EL1, true, &value).kind, SYSREG_DIRECT);
	eq(f.controls.pmscr_el1, spe_read(&f.unit, SYSREG_PMSCR_EL1));
	cr_assert_neq(f.controls.pmscr_el1, 0);
	cr_assert_neq(f.controls.pmscr_el1, value);
	f.controls.el = 2;
	f.controls.hcr_el2 = E2H;
	eq(access_to(&f, SYSREG_PMSCR_EL1, true, &value).reg, SYSREG_PMSCR_EL2);
	eq(f.controls.pmscr_el2, spe_read(&f.unit, SYSREG_PMSCR_EL2));
	cr_assert_neq(f.controls.pmscr_el2, 0);
}

Test(access, a_unit_says_what_it_was_made_of)
{
	struct fixture f;
	struct spe_stats stats;

	fixture_init(&f, SPE_V1P3);
	eq(spe_unit_config(&f.unit)->version, SPE_V1P3);
	eq(spe_unit_controls(&f.unit)->el, f.controls.el);
	f.controls.el = 0;
	spe_update(&f.unit, &f.controls);
	eq(spe_unit_controls(&f.unit)->el, 0);
	spe_stats(&f.unit, &stats);
	eq(stats.population, 0);
	eq(spe_unit_size(), sizeof(f.unit));
	eq(spe_init(&f.unit, spe_unit_size() - 1, &f.config, &f.host), -SPE_ESIZE);
	eq(vspe_version(), VSPE_VERSION);
}
