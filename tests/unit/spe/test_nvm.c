/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_SPE_nVM: what the addresses of the buffer are, PMBIDR_EL1.AddrMode, and PMBMAR_EL1 (J1.58
 * and the pages of PMBLIMITR_EL1 and PMBIDR_EL1).
 */
#include "../../array.h"
#include "fixture.h"

#define ADDR_MODE 0xc0u
#define P	  0x10u

static void start(struct fixture *f, uint32_t features, uint64_t mdcr_el2)
{
	fixture_init(f, SPE_V1P5);
	f->controls.features |= features;
	f->controls.mdcr_el2 = mdcr_el2;
	f->controls.mdcr_el3 = NSPB_NS;
	f->controls.scr_el3 = SCR_NS;
	spe_update(&f->unit, &f->controls);
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_NVM);
	spe_write(&f->unit, SYSREG_PMBMAR_EL1, 0x2ff);
}

/*
 * RULE("IJXFJK"), RULE("RPSLVX"), RULE("RRPSLW"), RULE("RSDWFC"), RULE("IFRCPH")
 * Who owns the buffer, EnVM, and what comes of PMBLIMITR_EL1.nVM.
 */
Test(nvm, kind_of_address)
{
	static const struct {
		uint32_t features;
		uint64_t mdcr_el2, pmscr_el2;
		enum spe_address_kind kind;
		unsigned int owner;
		bool both; /* AddrMode reads 01 */
	} table[] = {
		{0, 0, 0, SPE_ADDRESS_PHYSICAL, 1, true},
		{HIGHER, E2PB_EL1, 0, SPE_ADDRESS_VIRTUAL, 1, false},
		{HIGHER, E2PB_EL1, ENVM, SPE_ADDRESS_INTERMEDIATE, 1, true},
		{HIGHER, 0, 0, SPE_ADDRESS_PHYSICAL, 2, false},
		{HIGHER, 0, ENVM, SPE_ADDRESS_PHYSICAL, 2, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		start(&f, table[i].features, table[i].mdcr_el2);
		spe_write(&f.unit, SYSREG_PMSCR_EL2, table[i].pmscr_el2);
		fixture_sample(&f, &op);
		eq(f.writes, 1);
		eq(f.last_el, table[i].owner);
		eq(f.last_va, BUFFER_VA);
		eq(f.untranslated, table[i].kind != SPE_ADDRESS_VIRTUAL);
		if (f.untranslated) {
			eq(f.last_untranslated.kind, table[i].kind);
			eq(f.last_untranslated.attributes, 0xff);
			eq(f.last_untranslated.shareability, 2);
			eq(f.last_untranslated.ns, 1);
			eq(f.last_untranslated.nse, 0);
		}
		/* With P reading 1, as for EL1 when EL2 is the owner, AddrMode is 00. */
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) & ADDR_MODE, table[i].both ? 0x40 : 0);
		eq(!(fixture_read(&f, SYSREG_PMBIDR_EL1) & P), table[i].owner == 1);
		f.controls.el = 2;
		spe_update(&f.unit, &f.controls);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) & ADDR_MODE,
		   table[i].both || table[i].owner == 2 ? 0x40 : 0);
	}
}

/*
 * RULE("RPSLVX"), RULE("RLWHSF")
 * nVM of 0 is virtual, and so is every buffer without the feature.
 */
Test(nvm, virtual_without_it)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	start(&f, 0, 0);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
	fixture_sample(&f, &op);
	eq(f.untranslated, 0);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_NVM);
	fixture_sample(&f, &op);
	eq(f.untranslated, 1);
	eq(f.last_va, BUFFER_VA + 64);

	fixture_init(&f, SPE_V1P4);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_NVM);
	fixture_sample(&f, &op);
	eq(f.writes, 1);
	eq(f.untranslated, 0);
	eq(fixture_read(&f, SYSREG_PMBIDR_EL1) & ADDR_MODE, 0);
}

/* RULE("RXBFCM") Address bits that no PE of its kind has fault or are ignored, as configured. */
Test(nvm, bits_above_every_output_address)
{
	for (unsigned int ignored = 0; ignored < 2; ignored++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		start(&f, 0, 0);
		f.config.high_address = ignored ? SPE_HIGH_ADDRESS_IGNORED : SPE_HIGH_ADDRESS_FAULT;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1,
			  (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_NVM);
		fixture_sample(&f, &op);
		eq(f.untranslated, 1);
		eq(f.last_untranslated.high_ignored, ignored);
	}
}

/* A stage 2 fault of an intermediate address. */
Test(nvm, faults)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	start(&f, HIGHER, E2PB_EL1);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, ENVM);
	f.fail = fixture_fault(0, 0x07, true);
	fixture_sample(&f, &op);
	eq(f.untranslated, 1);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_EC(0x25) | 0x07);
}
