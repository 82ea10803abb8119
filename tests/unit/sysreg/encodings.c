/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register pages: encodings, instruction words, syndromes, and the feature that a register
 * needs.
 */
#include "common.h"

/*
 * Values copied from two of the pages: a result computed from the five numbers is no proof of
 * itself.
 */
Test(encodings, of_two_pages)
{
	cr_assert_eq(SYSREG_ENCODING_PMSICR_EL1, 0xD5389940 >> 5 & 0xffff);
	cr_assert_eq(statement_iss(SYSREG_PMSICR_EL1, true, 0), 0x342412);
	cr_assert_eq(statement_iss(SYSREG_PMSICR_EL1, false, 3), 0x342412 | 3 << 5 | 1);
	cr_assert_eq(SYSREG_ENCODING_PMBSR_EL12, 0xD53D9A60 >> 5 & 0xffff);
	cr_assert_eq(statement_iss(SYSREG_PMBSR_EL12, true, 0), 0x376414);
}

/* The constants of the public header: SYSREG_ENCODING_*. */
Test(encodings, constants)
{
#define ACCESS(name, op1, crm, op2, ...) \
	cr_assert_eq(SYSREG_ENCODING_##name, sysreg_encode(3, op1, 9, crm, op2), #name);
#include "conform/statement.def"
#undef ACCESS
	cr_assert_eq(SYSREG_ENCODING_ID_AA64DFR0_EL1, sysreg_encode(3, 0, 0, 5, 0));
	cr_assert_eq(SYSREG_ENCODING_ID_AA64DFR1_EL1, sysreg_encode(3, 0, 0, 5, 1));
	cr_assert_eq(SYSREG_ENCODING_ID_AA64DFR2_EL1, sysreg_encode(3, 0, 0, 5, 2));
}

Test(encodings, names_and_numbers)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++) {
		const struct statement_fact *f = &statement_facts[reg];
		const uint32_t encoding = f->encoding;

		cr_assert_str_eq(sysreg_name(reg), f->name);
		cr_assert_eq(sysreg_encoding(reg), encoding, "%s", sysreg_name(reg));
		cr_assert_eq(sysreg_find(encoding), reg, "%s", sysreg_name(reg));
		cr_assert_eq(sysreg_encoding_of_word(0xd5300000 | (encoding & 0x7fff) << 5 | 30),
			     encoding, "%s", sysreg_name(reg));
		cr_assert_eq(sysreg_encoding_of_iss(statement_iss(reg, false, 31)), encoding, "%s",
			     sysreg_name(reg));
	}
	/* ID_AA64DFR0_EL1: op0 3, op1 0, CRn 0, CRm 5, op2 0; OSLAR_EL1: op0 2, CRn 1, op2 4 */
	cr_assert_eq(sysreg_encoding_of_word(0xd5380500), sysreg_encode(3, 0, 0, 5, 0));
	cr_assert_eq(sysreg_encoding_of_word(0xd5101080), sysreg_encode(2, 0, 1, 0, 4));
	cr_assert_eq(sysreg_encoding_of_iss(2u << 20 | 4u << 17 | 1u << 10),
		     sysreg_encode(2, 0, 1, 0, 4));
}

Test(encodings, read_only_registers)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		cr_assert_eq(sysreg_writable(reg), statement_facts[reg].writable, "%s",
			     sysreg_name(reg));
}

Test(encodings, nothing_else_is_found)
{
	size_t found = 0;

	for (uint32_t e = 0; e < 0x40000; e++) {
		const enum sysreg_id reg = sysreg_find(e);

		if (reg == SYSREG_COUNT)
			continue;
		cr_assert_eq(sysreg_encoding(reg), e);
		found++;
	}
	cr_assert_eq(found, SYSREG_COUNT);
	cr_assert_eq(sysreg_find(UINT32_MAX), SYSREG_COUNT);
	/* CRm 10 with op2 2 and 6 have no page. */
	cr_assert_eq(sysreg_find(sysreg_encode(3, 0, 9, 10, 2)), SYSREG_COUNT);
	cr_assert_eq(sysreg_find(sysreg_encode(3, 0, 9, 10, 6)), SYSREG_COUNT);
}

Test(encodings, unknown_ids)
{
	const struct sysreg_controls c = open_controls(3);
	size_t count = 1;

	cr_assert_null(sysreg_name(SYSREG_COUNT));
	cr_assert_null(sysreg_name((enum sysreg_id) - 1));
	cr_assert_eq(sysreg_encoding(SYSREG_COUNT), UINT32_MAX);
	cr_assert_not(sysreg_writable(SYSREG_COUNT));
	cr_assert_eq(sysreg_route(&c, access_to(SYSREG_COUNT, false)).kind, SYSREG_UNDEFINED);
	cr_assert_eq(sysreg_route(&c, access_to((enum sysreg_id)1000, true)).kind,
		     SYSREG_UNDEFINED);
	cr_assert_eq(sysreg_explain(&c, access_to(SYSREG_COUNT, false), NULL, 0, &count).kind,
		     SYSREG_UNDEFINED);
	cr_assert_eq(count, 0);
}

/* ISS = base + (Rt << 5) + 1 for a read, for every Rt, whatever traps and to which level. */
Test(encodings, syndromes)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		for (unsigned int n = 0; n < 128; n++) {
			const bool write = n & 64, to_el3 = n & 32;
			const uint8_t rt = n & 31;
			struct sysreg_controls c = open_controls(1);
			struct sysreg_route got;

			if (!statement_has(reg, write))
				continue;
			if (to_el3) { /* what traps from EL1 or EL2 by NSPB */
				c.el = statement_facts[reg].whose == WHOSE_EL1 ? 1 : 2;
				c.hcr_el2 = HCR_E2H;
				c.mdcr_el3 &= ~MDCR3_NSPB(3);
			} else if (statement_facts[reg].whose !=
				   WHOSE_EL1) { /* EL2's and aliases, from a virtual EL2 */
				c.hcr_el2 = HCR_NV;
			} else {
				c.mdcr_el2 = MDCR2_TPMS;
				c.hdfgrtr_el2 |= BIT(63);
			}
			got = sysreg_route(&c, (struct sysreg_access){reg, write, rt});
			if (reg == SYSREG_PMBSR_EL3 || (to_el3 && reg == SYSREG_PMBIDR_EL1)) {
				cr_assert_neq(got.kind, SYSREG_TRAP);
				continue;
			}
			cr_assert_eq(got.kind, SYSREG_TRAP, "%s", sysreg_name(reg));
			cr_assert_eq(got.target_el, to_el3 ? 3 : 2, "%s", sysreg_name(reg));
			cr_assert_eq(got.syndrome, statement_iss(reg, write, rt), "%s: %#" PRIx32,
				     sysreg_name(reg), got.syndrome);
		}
}

static uint32_t features_of(enum sysreg_id reg)
{
	static const uint32_t features[] = {
		[EXISTS_SPE] = 0,
		[EXISTS_SPE_FnE] = SYSREG_FEAT_SPE_FNE,
		[EXISTS_SPE_FDS] = SYSREG_FEAT_SPE_FDS,
		[EXISTS_SPE_nVM] = SYSREG_FEAT_SPE_NVM,
		[EXISTS_SPE_EXC] = SYSREG_FEAT_SPE_EXC,
	};
	const struct statement_fact *f = &statement_facts[reg];

	return SYSREG_FEAT_SPE | features[f->exists] |
	       (f->whose == WHOSE_EL3 ? SYSREG_FEAT_EL3 : 0);
}

/* A register without its feature is UNDEFINED at every EL; with it, EL3 can access it. */
Test(encodings, features)
{
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		for (unsigned int n = 0; n < 8; n++) {
			const bool write = n & 4;
			struct sysreg_controls c;

			for (unsigned int bit = 0; bit < 15; bit++) {
				const uint32_t needs = features_of(reg);

				c = open_controls(n & 3);
				c.features &= ~(1u << bit);
				if (needs >> bit & 1)
					assert_route(&c, reg, write, undefined(reg));
			}
			c = open_controls(3);
			c.hcr_el2 = HCR_E2H;
			c.features = features_of(reg) | SYSREG_FEAT_EL3 | SYSREG_FEAT_EL2 |
				     SYSREG_FEAT_VHE;
			cr_assert_eq(sysreg_route(&c, access_to(reg, write)).kind,
				     !statement_has(reg, write) ? SYSREG_UNDEFINED : SYSREG_DIRECT,
				     "%s", sysreg_name(reg));
		}
}

/* EL0 is always UNDEFINED, and so is AArch32 state, which does not have these instructions. */
Test(encodings, el0_and_aarch32)
{
	for (unsigned int n = 0; n < 2 * SYSREG_COUNT; n++)
		for (uint8_t el = 0; el < 4; el++) {
			const enum sysreg_id reg = (enum sysreg_id)(n / 2);
			struct sysreg_controls c = open_controls(el);

			c.hcr_el2 = HCR_E2H;
			c.aarch32 = el != 0;
			assert_route(&c, reg, n & 1, undefined(reg));
		}
}

/* RO registers have no MSR accessor: UNDEFINED before any trap. */
Test(encodings, writes_of_read_only_registers)
{
	for (uint8_t el = 0; el < 4; el++) {
		struct sysreg_controls c = open_controls(el);

		assert_route(&c, SYSREG_PMSIDR_EL1, true, undefined(SYSREG_PMSIDR_EL1));
		assert_route(&c, SYSREG_PMBIDR_EL1, true, undefined(SYSREG_PMBIDR_EL1));
		c.mdcr_el2 |= MDCR2_TPMS;
		c.mdcr_el3 = 0;
		c.hdfgwtr_el2 = UINT64_MAX;
		assert_route(&c, SYSREG_PMSIDR_EL1, true, undefined(SYSREG_PMSIDR_EL1));
		assert_route(&c, SYSREG_PMBIDR_EL1, true, undefined(SYSREG_PMBIDR_EL1));
	}
}
