/* SPDX-License-Identifier: BSD-2-Clause */
/* The register pages: encodings, instruction words, syndromes, which feature makes a register
 * exist. */
#include "common.h"

static const struct row {
	const char *name;
	enum sysreg_id reg;
	uint8_t op1, crn, crm, op2;
	uint32_t mrs, msr; /* words with X0; msr 0: there is none */
	uint32_t iss;	   /* of a write with Rt 0 */
	uint32_t exists;
} rows[] = {
#define ROW(name, op1, crn, crm, op2, mrs, msr, iss, exists)                    \
	{                                                                       \
#name, SYSREG_##name, op1, crn, crm, op2, mrs, msr, iss, exists \
	}
	ROW(PMSCR_EL1, 0, 9, 9, 0, 0xD5389900, 0xD5189900, 0x302412, SYSREG_FEAT_SPE),
	ROW(PMSNEVFR_EL1, 0, 9, 9, 1, 0xD5389920, 0xD5189920, 0x322412, SYSREG_FEAT_SPE_FNE),
	ROW(PMSICR_EL1, 0, 9, 9, 2, 0xD5389940, 0xD5189940, 0x342412, SYSREG_FEAT_SPE),
	ROW(PMSIRR_EL1, 0, 9, 9, 3, 0xD5389960, 0xD5189960, 0x362412, SYSREG_FEAT_SPE),
	ROW(PMSFCR_EL1, 0, 9, 9, 4, 0xD5389980, 0xD5189980, 0x382412, SYSREG_FEAT_SPE),
	ROW(PMSEVFR_EL1, 0, 9, 9, 5, 0xD53899A0, 0xD51899A0, 0x3A2412, SYSREG_FEAT_SPE),
	ROW(PMSLATFR_EL1, 0, 9, 9, 6, 0xD53899C0, 0xD51899C0, 0x3C2412, SYSREG_FEAT_SPE),
	ROW(PMSIDR_EL1, 0, 9, 9, 7, 0xD53899E0, 0, 0x3E2412, SYSREG_FEAT_SPE),
	ROW(PMBLIMITR_EL1, 0, 9, 10, 0, 0xD5389A00, 0xD5189A00, 0x302414, SYSREG_FEAT_SPE),
	ROW(PMBPTR_EL1, 0, 9, 10, 1, 0xD5389A20, 0xD5189A20, 0x322414, SYSREG_FEAT_SPE),
	ROW(PMBSR_EL1, 0, 9, 10, 3, 0xD5389A60, 0xD5189A60, 0x362414, SYSREG_FEAT_SPE),
	ROW(PMSDSFR_EL1, 0, 9, 10, 4, 0xD5389A80, 0xD5189A80, 0x382414, SYSREG_FEAT_SPE_FDS),
	ROW(PMBMAR_EL1, 0, 9, 10, 5, 0xD5389AA0, 0xD5189AA0, 0x3A2414, SYSREG_FEAT_SPE_NVM),
	ROW(PMBIDR_EL1, 0, 9, 10, 7, 0xD5389AE0, 0, 0x3E2414, SYSREG_FEAT_SPE),
	ROW(PMSCR_EL2, 4, 9, 9, 0, 0xD53C9900, 0xD51C9900, 0x312412, SYSREG_FEAT_SPE),
	ROW(PMBSR_EL2, 4, 9, 10, 3, 0xD53C9A60, 0xD51C9A60, 0x372414, SYSREG_FEAT_SPE_EXC),
	ROW(PMSCR_EL12, 5, 9, 9, 0, 0xD53D9900, 0xD51D9900, 0x316412, SYSREG_FEAT_SPE),
	ROW(PMBSR_EL12, 5, 9, 10, 3, 0xD53D9A60, 0xD51D9A60, 0x376414, SYSREG_FEAT_SPE_EXC),
	ROW(PMBSR_EL3, 6, 9, 10, 3, 0xD53E9A60, 0xD51E9A60, 0x37A414,
	    SYSREG_FEAT_SPE_EXC | SYSREG_FEAT_EL3),
#undef ROW
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

Test(encodings, all_registers_have_a_row)
{
	cr_assert_eq(ROWS, SYSREG_COUNT);
	for (size_t i = 0; i < ROWS; i++)
		cr_assert_eq(rows[i].reg, i);
}

Test(encodings, names_and_numbers)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		const uint32_t encoding = sysreg_encode(3, r->op1, r->crn, r->crm, r->op2);

		cr_assert_str_eq(sysreg_name(r->reg), r->name);
		cr_assert_eq(sysreg_encoding(r->reg), encoding, "%s", r->name);
		cr_assert_eq(sysreg_find(encoding), r->reg, "%s", r->name);
		cr_assert_eq(sysreg_encoding_of_word(r->mrs | 30), encoding, "%s", r->name);
		cr_assert_eq(sysreg_encoding_of_iss(r->iss | 31 << 5 | 1), encoding, "%s", r->name);
	}
	/* ID_AA64DFR0_EL1: op0 3, op1 0, CRn 0, CRm 5, op2 0; OSLAR_EL1: op0 2, CRn 1, op2 4 */
	cr_assert_eq(sysreg_encoding_of_word(0xd5380500), sysreg_encode(3, 0, 0, 5, 0));
	cr_assert_eq(sysreg_encoding_of_word(0xd5101080), sysreg_encode(2, 0, 1, 0, 4));
	cr_assert_eq(sysreg_encoding_of_iss(2u << 20 | 4u << 17 | 1u << 10),
		     sysreg_encode(2, 0, 1, 0, 4));
}

/* Bits [20:5] of the word are the encoding. */
Test(encodings, instruction_words)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		cr_assert_eq(0xD5200000 | sysreg_encoding(r->reg) << 5, r->mrs, "%s", r->name);
		if (r->msr)
			cr_assert_eq(0xD5000000 | sysreg_encoding(r->reg) << 5, r->msr, "%s",
				     r->name);
		cr_assert_eq(sysreg_writable(r->reg), r->msr != 0, "%s", r->name);
	}
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
	cr_assert_eq(found, ROWS);
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

/* ISS = base + (Rt << 5) + 1 if a read, for every Rt, whatever traps and wherever to. */
Test(encodings, syndromes)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (unsigned int n = 0; n < 128; n++) {
			const bool write = n & 64, to_el3 = n & 32;
			const uint8_t rt = n & 31;
			struct sysreg_controls c = open_controls(1);
			struct sysreg_route got;

			if (write && !r->msr)
				continue;
			if (to_el3) { /* what traps from EL1 or EL2 by NSPB */
				c.el = r->op1 == 0 ? 1 : 2;
				c.hcr_el2 = HCR_E2H;
				c.mdcr_el3 &= ~MDCR3_NSPB(3);
			} else if (r->op1) { /* EL2's and aliases, from a virtual EL2 */
				c.hcr_el2 = HCR_NV;
			} else {
				c.mdcr_el2 = MDCR2_TPMS;
				c.hdfgrtr_el2 |= BIT(63);
			}
			got = sysreg_route(&c, (struct sysreg_access){r->reg, write, rt});
			if (r->reg == SYSREG_PMBSR_EL3 || (to_el3 && r->reg == SYSREG_PMBIDR_EL1)) {
				cr_assert_neq(got.kind, SYSREG_TRAP);
				continue;
			}
			cr_assert_eq(got.kind, SYSREG_TRAP, "%s", r->name);
			cr_assert_eq(got.target_el, to_el3 ? 3 : 2, "%s", r->name);
			cr_assert_eq(got.syndrome, r->iss + ((uint32_t)rt << 5) + !write,
				     "%s: %#" PRIx32, r->name, got.syndrome);
		}
}

/* A register without its feature is UNDEFINED at every EL; with it EL3 reaches it. */
Test(encodings, features)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (unsigned int n = 0; n < 8; n++) {
			const bool write = n & 4;
			struct sysreg_controls c;

			for (unsigned int bit = 0; bit < 15; bit++) {
				const uint32_t needs = r->exists | SYSREG_FEAT_SPE;

				c = open_controls(n & 3);
				c.features &= ~(1u << bit);
				if (needs >> bit & 1)
					assert_route(&c, r->reg, write, undefined(r->reg));
			}
			c = open_controls(3);
			c.hcr_el2 = HCR_E2H;
			c.features = r->exists | SYSREG_FEAT_SPE | SYSREG_FEAT_EL3 |
				     SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE;
			cr_assert_eq(sysreg_route(&c, access_to(r->reg, write)).kind,
				     write && !r->msr ? SYSREG_UNDEFINED : SYSREG_DIRECT, "%s",
				     r->name);
		}
}

/* EL0 is UNDEFINED always, and so is AArch32 state, which has no such instructions. */
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
